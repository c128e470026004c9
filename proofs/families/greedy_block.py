"""Greedy block verification: the most that a call can accept, and the changed target that it takes to be lossless."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from typing import Any

from sympy import Rational
from sympy.external.gmpy import MPQ

from proofs import block_rule, domains
from proofs.cases import ProcessCase
from proofs.distributions import Row
from proofs.domains import Domain
from proofs.families import greedy_claims
from proofs.families.block_claims import first_missed
from proofs.families.greedy_claims import GREEDY, ONE, ZERO, GreedyRule, Joint, Law, rule_of_parts
from proofs.mutants import Mutant
from proofs.processes import Weights, as_rational, check_processes
from proofs.theorems import Theorem

__all__ = ["ABOUT", "MUTANTS", "THEOREMS"]

ABOUT = (
    "Greedy block verification weighs the drafted path by its likelihood ratio without a cap, accepts up to the last "
    "coin that is kept, and changes the target of the positions of the block that are left."
)
_FAMILY = "greedy block verification"
_SUN = "after Sun et al. 2024, arXiv:2403.10444, the appendix on greedy block verification (source unverified)"
_HERE = "made here"


# What it is checked on.


def _grid() -> Iterator[ProcessCase]:
    sixths = [domains.sixths(counts) for counts in domains.compositions(6, 2)]
    thirds: list[Row] = [tuple(Rational(k, 3) for k in counts) for counts in domains.compositions(3, 2)]
    cases = [ProcessCase(((Rational(1),),), ((Rational(1),),), (gamma,)) for gamma in range(3)]
    cases += [ProcessCase((p,), (q,), (g,)) for p, q in product(sixths, repeat=2) for g in (0, 1, 2)]
    cases += [ProcessCase((p,), (q,), (3,)) for p, q in product(thirds, repeat=2)]
    cases += [ProcessCase((p,), (q,), (2,)) for p, q, *_ in (domains.NAMED[name] for name in ("I2", "I3", "B0"))]
    markov = list(product(thirds, repeat=6))[::53]
    cases += [ProcessCase(rows[:3], rows[3:], (2 + i % 2,)) for i, rows in enumerate(markov)]
    return iter(sorted(cases, key=lambda case: case.size))


PROCESSES = Domain(
    "pairs of processes: one row k/6 with V = 2 and gamma 0 to 2, k/3 with gamma 3, every 53rd pair of Markov chains "
    "with rows k/3 and V = 2, gamma 2 or 3, V = 1, and I2, I3, B0 with gamma 2; two calls",
    _grid,
    named=False,
    strategy=None,
    extra="gamma",
)


# How it is mistaken.


def _capped(joint: Joint, p: MPQ, q: MPQ) -> Joint:
    return block_rule.capped(joint[0] / joint[1], p, q) if joint[1] and q else ONE, ONE


def _without_ratio(_: Joint, target: Weights, draft: Weights) -> Weights:
    return block_rule.residual(ONE, target, draft)


def _product_of_tokens(target: Any, draft: Any, gamma: int) -> Rational:
    """Take the token rule's expected number for the ceiling."""
    rows, below = check_processes(target, draft)
    level: Law = {(): ONE}
    total = ZERO
    for _ in range(gamma):
        level = {
            (*v, x): m * min(p, q)
            for v, m in level.items()
            for x, (p, q) in enumerate(zip(rows.weights(v), below.weights(v), strict=True))
        }
        total += sum(level.values(), ZERO)
    return as_rational(total)


def _mutant(name: str, fault: str, rule: GreedyRule) -> Mutant:
    return Mutant(name, fault, _HERE, rule, about=_FAMILY)


MUTANTS: tuple[Mutant, ...] = (
    _mutant(
        "greedy_target_unchanged",
        "goes on with the target as it was",
        rule_of_parts(follow=lambda joint, target, draft: target),
    ),
    _mutant(
        "greedy_one_position_short",
        "changes one position too few",
        rule_of_parts(reach=lambda gamma: gamma - 1),
    ),
    _mutant("greedy_follows_without_ratio", "changes the target to (P - Q)+", rule_of_parts(follow=_without_ratio)),
    _mutant("greedy_residual_without_ratio", "replaces from (P - Q)+", rule_of_parts(replace=_without_ratio)),
    _mutant(
        "greedy_capped", "caps the ratio at every token, as block verification does", rule_of_parts(extend=_capped)
    ),
    _mutant("greedy_first_failure", "stops at the first coin that fails", rule_of_parts(scan=first_missed)),
    _mutant(
        "greedy_token_ceiling",
        "states the token rule's expected number as the ceiling",
        replace(GREEDY, ceiling=_product_of_tokens),
    ),
    _mutant(
        "greedy_law_of_blocks",
        "states the law of block verification",
        replace(GREEDY, emitted=block_rule.emitted_law),
    ),
)


def _theorem(name: str, statement: str, latex: str, source: str, holds: Any, **rest: Any) -> Theorem:
    return Theorem(name, statement, latex, source, PROCESSES, holds, None, about=_FAMILY, rule=GREEDY, **rest)


THEOREMS: tuple[Theorem, ...] = (
    _theorem(
        "greedy_lossless_over_calls",
        "For all targets and drafts and every sequence of gamma + 2 tokens: two greedy calls, the second against the "
        "target that the first has changed, and that target's own tokens after them produce it with the target's "
        "probability.",
        r"\forall P, Q, \gamma\ \forall y_1 \ldots y_{\gamma+2}:\ \Pr(y) = P(y),"
        r"\ P'(x \mid v) \propto (P(vx) - Q(vx))_+ \text{ for } |v| < \gamma",
        _SUN,
        greedy_claims.lossless_over_calls,
        refutes=(
            "greedy_target_unchanged",
            "greedy_one_position_short",
            "greedy_follows_without_ratio",
            "greedy_residual_without_ratio",
            "greedy_capped",
            "greedy_first_failure",
        ),
        sole="greedy_target_unchanged",
    ),
    _theorem(
        "greedy_reaches_the_ceiling",
        "For all targets and drafts: a greedy call expects to accept as many tokens as the sum of 1 - TV of the joint "
        "laws of the first 1 to gamma tokens, TV half the sum of |P - Q|.",
        r"\forall P, Q, \gamma:\ E[\tau] = \sum_{i=1}^{\gamma} \bigl(1 - TV(P_i, Q_i)\bigr)",
        _SUN,
        greedy_claims.reaches_the_ceiling,
        refutes=("greedy_capped", "greedy_first_failure", "greedy_token_ceiling"),
        sole="greedy_token_ceiling",
    ),
    _theorem(
        "greedy_law_is_the_algorithm",
        "For all targets and drafts: the law of one call and that of two calls, in closed form, are those of the "
        "algorithm over every drafted path and every coin.",
        r"\forall P, Q, \gamma\ \forall e:\ \Pr(e) = \sum_x Q(x) \Pr(\tau = |e| - 1 \mid x)\, r_\tau(e_{\tau+1})",
        "stated here",
        greedy_claims.law_is_the_algorithm,
        refutes=("greedy_law_of_blocks",),
        sole="greedy_law_of_blocks",
    ),
    _theorem(
        "greedy_not_below_blocks",
        "For all targets and drafts: a greedy call expects to accept at least as many tokens as block verification, "
        "and has its law with one drafted token.",
        r"\forall P, Q, \gamma:\ \sum_{i} (1 - TV(P_i, Q_i)) \ge \sum_{v} a(v),\ \text{one law for } \gamma = 1",
        "stated here",
        greedy_claims.not_below_blocks,
        refutes=("greedy_first_failure",),
        shared="greedy_reaches_the_ceiling states the number, greedy_lossless_over_calls the law",
    ),
)
