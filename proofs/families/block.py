"""Block verification: lossless on sequences, the best call of its kind, and how it is mistaken."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import product
from typing import Any

from sympy import Rational
from sympy.external.gmpy import MPQ

from proofs import block_rule, domains, greedy_block
from proofs.cases import ProcessCase
from proofs.distributions import Row
from proofs.domains import Domain
from proofs.families import block_claims
from proofs.families.block_claims import BLOCK, ONE, ZERO, BlockRule, Odds, first_missed, last_odds, rule_of_parts
from proofs.mutants import Mutant
from proofs.processes import Prefix, Weights, as_rational, check_processes
from proofs.theorems import Theorem

__all__ = ["ABOUT", "MUTANTS", "THEOREMS", "process_grid"]

ABOUT = (
    "Block verification weighs the drafted path by its likelihood ratio, capped at every token, tosses a coin for "
    "every position and accepts up to the last one that is kept."
)
_FAMILY = "block verification"
_SUN = "after Sun et al. 2024, arXiv:2403.10444 (source unverified)"
_HERE = "made here"


# What it is checked on.


def _thirds(vocabulary: int) -> list[Row]:
    return [tuple(Rational(k, 3) for k in counts) for counts in domains.compositions(3, vocabulary)]


def process_grid() -> Iterator[ProcessCase]:
    """Pairs of processes with a number of drafted tokens, the smallest first."""
    sixths = [domains.sixths(counts) for counts in domains.compositions(6, 2)]
    cases = [ProcessCase(((Rational(1),),), ((Rational(1),),), (gamma,)) for gamma in range(3)]
    cases += [ProcessCase((p,), (q,), (g,)) for p, q in product(sixths, repeat=2) for g in range(4)]
    cases += [ProcessCase((p,), (q,), (2,)) for p, q in product(_thirds(3), repeat=2)]
    cases += [ProcessCase((pair.p,), (pair.q,), (g,)) for name, pair in domains.NAMED.items() for g in _GAMMAS[name]]
    markov = list(product(_thirds(2), repeat=6))[::13]
    cases += [ProcessCase(rows[:3], rows[3:], (2 + i % 2,)) for i, rows in enumerate(markov)]
    return iter(sorted(cases, key=lambda case: case.size))


_GAMMAS = {"I2": (1, 2, 3), "I3": (1, 2, 3), "I5": (1, 2), "B0": (1, 2), "R3": (1, 2)}
_SHARES = tuple(
    tuple(Rational(part) for part in row)
    for row in (("0", "0"), ("1/2", "1/2"), ("1/3", "1/3"), ("1/3", "2/3"), ("1", "0"), ("0", "1/2"))
)


def _mass_grid() -> Iterator[ProcessCase]:
    half, third, one = ((Rational(a), Rational(b)) for a, b in (("1/2", "1/2"), ("1/3", "2/3"), ("1", "0")))
    pairs = [((half,), (third,)), ((third,), (half,)), ((one,), (half,)), ((third, half, one), (half, half, third))]
    cases = [ProcessCase(p, q, shares) for p, q in pairs for shares in product(_SHARES, repeat=3)]
    return iter(sorted(cases, key=lambda case: case.size))


PROCESSES = Domain(
    "pairs of processes: one row k/6 with V = 2 and gamma 0 to 3, one row k/3 with V = 3 and gamma 2, every 13th pair "
    "of Markov chains with rows k/3 and V = 2, gamma 2 or 3, V = 1, and the named pairs",
    process_grid,
    named=False,
    strategy=None,
    extra="gamma",
)
MASSES = Domain(
    "rules of two drafted tokens over V = 2, valid and not: six shares kept at each of three nodes, four pairs of "
    "processes",
    _mass_grid,
    named=False,
    strategy=None,
    extra="shares",
)


# How it is mistaken.


def _first_kept(odds: Odds) -> Odds:
    stops, missed = [ZERO], ONE
    for chance in odds[1:]:
        stops.append(missed * chance)
        missed *= 1 - chance
    return [missed, *stops[1:]]


def _one_coin(odds: Odds) -> Odds:
    reached = [max(odds[i:]) for i in range(len(odds))]
    return [a - b for a, b in zip(reached, [*reached[1:], ZERO], strict=True)]


def _uncapped_odds(weight: MPQ, target: Weights, draft: Weights) -> MPQ:
    return ONE if weight >= 1 else block_rule.odds_inside(weight, target, draft)


def _without_weight(_: MPQ, target: Weights, draft: Weights) -> Weights:
    return block_rule.residual(ONE, target, draft)


def _argmax_of(weight: MPQ, target: Weights, draft: Weights) -> Weights:
    row = block_rule.residual(weight, target, draft)
    return tuple(ONE if x == row.index(max(row)) else ZERO for x in range(len(row)))


def _broken_at_the_root(target: Any, masses: Mapping[Prefix, Any]) -> Prefix | None:
    """Hold every mass to the target's joint law, not to what is accepted of its parent."""
    rows, _ = check_processes(target, target)
    wanted: dict[Prefix, MPQ] = {(): ONE}
    for v in sorted(masses, key=len)[1:]:
        wanted[v] = wanted[v[:-1]] * rows.weights(v[:-1])[v[-1]]
        if masses[v] > as_rational(wanted[v]):
            return v
    return None


def _joint_minimum(target: Any, draft: Any, gamma: int) -> dict[Prefix, Rational]:
    found: dict[Prefix, tuple[MPQ, MPQ]] = {(): (ONE, ONE)}
    rows, below = check_processes(target, draft)
    for v in [v for i in range(gamma) for v in product(range(rows.vocabulary), repeat=i)]:
        for x, (p, q) in enumerate(zip(rows.weights(v), below.weights(v), strict=True)):
            found[(*v, x)] = (found[v][0] * p, found[v][1] * q)
    return {v: as_rational(min(pair)) for v, pair in found.items()}


def _capped_at_the_end(target: Any, draft: Any, tokens: Any) -> Row:
    ratio, weights = Rational(1), [Rational(1)]
    for p, q, x in zip(target, draft, tokens, strict=False):
        ratio = ratio * p[x] / q[x]
        weights.append(min(Rational(1), ratio))
    return tuple(weights)


_TOKEN_BY_TOKEN = rule_of_parts(
    weigh=lambda weight, p, q: block_rule.capped(ONE, p, q),
    odds=lambda weight, p, q: weight,
    last_odds=lambda weight, p, q: block_rule.capped(ONE, p, q),
    scan=first_missed,
    replace=_without_weight,
)


def _mutant(name: str, fault: str, source: str = _HERE, rule: BlockRule | None = None, **parts: Any) -> Mutant:
    return Mutant(name, fault, source, rule or rule_of_parts(**parts), about=_FAMILY)


MUTANTS: tuple[Mutant, ...] = (
    _mutant(
        "block_first_failure",
        "stops at the first coin that fails",
        "a review comment on vllm-project/vllm-ascend#11985",
        scan=first_missed,
    ),
    _mutant("block_first_kept", "accepts up to the first coin that is kept", scan=_first_kept),
    _mutant("block_one_coin", "tosses one coin for all positions", scan=_one_coin),
    _mutant(
        "block_uncapped",
        "multiplies the likelihood ratio without a cap inside the block",
        weigh=lambda weight, p, q: weight * p / q,
        odds=_uncapped_odds,
    ),
    _mutant(
        "block_forgets", "takes the ratio of the last token for the weight", weigh=lambda w, p, q: last_odds(ONE, p, q)
    ),
    _mutant("block_odds_are_weights", "keeps every coin with the path's weight", odds=lambda weight, p, q: weight),
    _mutant(
        "block_last_ratio_alone",
        "keeps the last coin with the ratio of the last token",
        last_odds=lambda weight, p, q: last_odds(ONE, p, q),
    ),
    _mutant("block_residual_without_weight", "replaces from (P - Q)+ without the weight", replace=_without_weight),
    _mutant("block_argmax_residual", "takes the likeliest replacement", replace=_argmax_of),
    _mutant("block_token_by_token", "is the token rule: lossless, and accepts less", rule=_TOKEN_BY_TOKEN),
    _mutant(
        "block_ceiling_reported",
        "reports the sum of 1 - TV of the joint laws, which takes a target that changes",
        rule=replace(BLOCK, expected=greedy_block.ceiling),
    ),
    _mutant(
        "block_copied_law",
        "reports the law of the token rule",
        rule=replace(BLOCK, emitted=_TOKEN_BY_TOKEN.emitted),
    ),
    _mutant(
        "block_capped_at_the_end",
        "reports min(1, R_i) for the weights",
        rule=replace(BLOCK, path_weights=_capped_at_the_end),
    ),
    _mutant(
        "block_root_condition",
        "calls masses lossless that are at most the target's joint law",
        rule=replace(BLOCK, broken=_broken_at_the_root),
    ),
    _mutant(
        "block_joint_minimum",
        "takes min(P, Q) of the joint laws for the greatest masses",
        rule=replace(BLOCK, greatest=_joint_minimum),
    ),
)


def _theorem(name: str, statement: str, latex: str, source: str, domain: Domain, holds: Any, **rest: Any) -> Theorem:
    return Theorem(name, statement, latex, source, domain, holds, None, about=_FAMILY, rule=BLOCK, **rest)


THEOREMS: tuple[Theorem, ...] = (
    _theorem(
        "block_lossless",
        "For all targets and drafts and every sequence of gamma + 1 tokens: one call of block verification and the "
        "target's own tokens after it produce the sequence with the target's probability.",
        r"\forall P, Q, \gamma\ \forall y_1 \ldots y_{\gamma+1}:\ \sum_{e \sqsubseteq y} \Pr(e)\, P(y \mid e) = P(y)",
        f"{_SUN}, Theorem 1",
        PROCESSES,
        block_claims.lossless,
        refutes=(
            "block_first_failure",
            "block_first_kept",
            "block_one_coin",
            "block_uncapped",
            "block_forgets",
            "block_odds_are_weights",
            "block_last_ratio_alone",
            "block_residual_without_weight",
            "block_argmax_residual",
        ),
        sole="block_residual_without_weight",
    ),
    _theorem(
        "block_law_is_the_algorithm",
        "For all targets and drafts: the law of the emitted tokens that shares prefixes is that of the algorithm over "
        "every drafted path and every coin.",
        r"\forall P, Q, \gamma\ \forall e:\ \Pr(e) = \sum_x Q(x) \Pr(\tau = |e| - 1 \mid x)\, r_\tau(e_{\tau+1})",
        "stated here",
        PROCESSES,
        block_claims.law_is_the_algorithm,
        refutes=("block_copied_law",),
        sole="block_copied_law",
    ),
    _theorem(
        "block_optimal",
        "For all targets and drafts: the expected number of accepted tokens is the greatest of any lossless rule of "
        "one call, the sum over prefixes of a(v x) = min(Q(v x), a(v) p(x | v)).",
        r"\forall P, Q, \gamma:\ E[\tau] = \sum_{v \ne ()} a(v),\ a(vx) = \min(Q(vx), a(v) p(x \mid v)),\ a() = 1",
        f"{_SUN}, Theorem 2",
        PROCESSES,
        block_claims.optimal,
        refutes=(
            "block_first_failure",
            "block_first_kept",
            "block_one_coin",
            "block_uncapped",
            "block_forgets",
            "block_odds_are_weights",
            "block_last_ratio_alone",
            "block_token_by_token",
            "block_ceiling_reported",
        ),
        sole="block_ceiling_reported",
    ),
    _theorem(
        "block_not_below_the_chain",
        "For all targets and drafts: block verification expects to accept at least as many tokens as the token rule, "
        "token after token, and as many with one drafted token.",
        r"\forall P, Q, \gamma:\ E[\tau] \ge \sum_{i=1}^{\gamma} \sum_{x^i} \prod_{j \le i} \min(p_j, q_j)(x_j),"
        r"\ \text{with equality for } \gamma = 1",
        _SUN,
        PROCESSES,
        block_claims.not_below_the_chain,
        refutes=("block_first_failure", "block_first_kept", "block_one_coin"),
        shared="block_optimal states the number itself: a rule that accepts less than the token rule breaks it first",
    ),
    _theorem(
        "block_weights_by_running_maximum",
        "For all targets, drafts and drafted paths: the weight p_i is the product R_i of the ratios divided by the "
        "greatest of 1, R_1, ..., R_i.",
        r"\forall P, Q\ \forall x^i:\ p_i = \min(1, p_{i-1} \rho_i) = R_i / \max(1, \max_{s \le i} R_s),"
        r"\ R_i = \prod_{j \le i} \rho_j",
        "stated here",
        PROCESSES,
        block_claims.weights_by_running_maximum,
        refutes=("block_capped_at_the_end",),
        sole="block_capped_at_the_end",
    ),
    _theorem(
        "block_odds_at_zero_over_zero",
        "For all targets and drafts: the law of a call is the same whatever the odds are taken for where they are 0/0, "
        "0 and 1/2 among them.",
        r"\forall P, Q, \gamma:\ p_i = 1 \wedge P_i = Q_i \implies \Pr(\tau = i \mid x^i) = 0",
        "stated here",
        PROCESSES,
        block_claims.odds_at_zero_over_zero,
        refutes=("block_first_failure", "block_first_kept", "block_token_by_token"),
        shared="a rule whose law depends on those odds breaks block_lossless or block_optimal with one of their values",
    ),
    _theorem(
        "block_validity",
        "For all targets and node masses a of two drafted tokens: some law of the last token makes the call lossless "
        "iff a(v x) <= a(v) p(x | v) at every node v and token x; it is a(v) p(. | v) - a(v .), normalised.",
        r"\forall P, a:\ \text{lossless} \iff \forall v, x:\ a(vx) \le a(v)\, p(x \mid v)",
        f"{_SUN}; the equivalence is stated here",
        MASSES,
        block_claims.validity,
        refutes=("block_root_condition",),
        sole="block_root_condition",
    ),
    _theorem(
        "block_masses_are_greatest",
        "For all targets, drafts and node masses of a lossless call of two drafted tokens: no prefix is accepted with "
        "more mass than a(v x) = min(Q(v x), a(v) p(x | v)) gives it, and these masses are those of a lossless call.",
        r"\forall P, Q\ \forall b \text{ lossless}, b \le Q\ \forall v:\ b(v) \le a(v)",
        f"{_SUN}, Theorem 2; pointwise: stated here",
        MASSES,
        block_claims.masses_are_greatest,
        refutes=("block_joint_minimum",),
        sole="block_joint_minimum",
    ),
)
