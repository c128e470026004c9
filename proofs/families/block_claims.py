"""What is claimed of block verification, asked of the rule as an object: its algorithm in parts, its closed forms."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

from sympy import Rational
from sympy.external.gmpy import MPQ

from proofs import block_rule, node_masses
from proofs.cases import ProcessCase
from proofs.distributions import Row
from proofs.processes import Prefix, Process, Weights, as_rational, check_processes

__all__ = ["BLOCK", "BlockRule", "call_law", "first_difference", "rule_of_parts"]

ZERO, ONE = MPQ(0), MPQ(1)
Law = dict[Prefix, MPQ]
Odds = list[MPQ]
OfProcesses = Callable[[Any, Any, int], Any]


@dataclass(frozen=True)
class BlockRule:
    """The algorithm in its parts, and the closed forms that claim to describe it.

    Attributes
    ----------
    weigh : (weight, p, q) -> weight
        One token further along the drafted path.
    odds : (weight, P, Q) -> probability
        Of the coin after a drafted token that is not the last.
    last_odds : (weight before, p, q) -> probability
        Of the coin after the last token.
    scan : (odds) -> probabilities
        Law of the number of accepted tokens, from h_0 = 1 to h_gamma.
    replace : (weight, P, Q) -> row
        Law of the token that ends a call inside the block.
    emitted, expected : (target, draft, gamma) -> law, number
    path_weights : (target rows, draft rows, tokens) -> weights
    broken : (target, masses) -> prefix or None
    greatest : (target, draft, gamma) -> masses
    """

    weigh: Callable[[MPQ, MPQ, MPQ], MPQ]
    odds: Callable[[MPQ, Weights, Weights], MPQ]
    last_odds: Callable[[MPQ, MPQ, MPQ], MPQ]
    scan: Callable[[Odds], Odds]
    replace: Callable[[MPQ, Weights, Weights], Weights]
    emitted: OfProcesses = block_rule.emitted_law
    expected: OfProcesses = block_rule.expected_accepted
    path_weights: Callable[[Any, Any, Any], Row] = block_rule.path_weights
    broken: Callable[[Any, Mapping[Prefix, Any]], Prefix | None] = node_masses.broken_node
    greatest: OfProcesses = node_masses.greatest_masses


def call_law(rule: BlockRule, target: Process, draft: Process, gamma: int) -> Law:
    """Law of the emitted tokens by enumeration: every drafted path, every number of accepted tokens, every last one."""
    law: Law = {}
    for tokens, mass in _paths(draft, gamma):
        rows = [target.weights(tokens[:i]) for i in range(gamma + 1)]
        below = [draft.weights(tokens[:i]) for i in range(gamma)]
        weights, odds = [ONE], [ONE]
        for i, x in enumerate(tokens):
            weights.append(rule.weigh(weights[i], rows[i][x], below[i][x]))
            last = i + 1 == gamma
            odds.append(
                rule.last_odds(weights[i], rows[i][x], below[i][x])
                if last
                else rule.odds(weights[i + 1], rows[i + 1], below[i + 1])
            )
        for i, chance in enumerate(rule.scan(odds)):
            if chance:
                row = rows[i] if i == gamma else rule.replace(weights[i], rows[i], below[i])
                for y, share in enumerate(row):
                    law[*tokens[:i], y] = law.get((*tokens[:i], y), ZERO) + mass * chance * share
    return law


def _paths(draft: Process, gamma: int, tokens: Prefix = (), mass: MPQ = ONE) -> Iterator[tuple[Prefix, MPQ]]:
    if len(tokens) == gamma:
        yield tokens, mass
        return
    for x, chance in enumerate(draft.weights(tokens)):
        if chance:
            yield from _paths(draft, gamma, (*tokens, x), mass * chance)


def last_kept(odds: Odds) -> Odds:
    """Law of the last coin that is kept: what comes after it is missed."""
    stops, missed = [], ONE
    for chance in reversed(odds):
        stops.append(missed * chance)
        missed *= 1 - chance
    return stops[::-1]


def first_missed(odds: Odds) -> Odds:
    """Law of the coin before the first that is missed: right token by token, and the fault of many blocks."""
    stops, kept = [], ONE
    for i, chance in enumerate(odds):
        kept *= chance
        stops.append(kept * (1 - odds[i + 1]) if i + 1 < len(odds) else kept)
    return stops


def last_odds(weight: MPQ, p: MPQ, q: MPQ) -> MPQ:
    return block_rule.capped(weight, p, q)


BLOCK = BlockRule(block_rule.capped, block_rule.odds_inside, last_odds, last_kept, block_rule.residual)


def rule_of_parts(**parts: Any) -> BlockRule:
    """Return block verification with parts exchanged, its closed forms being those of the parts."""
    rule = replace(BLOCK, **parts)

    def emitted(target: Any, draft: Any, gamma: int) -> dict[Prefix, Rational]:
        law = call_law(rule, *check_processes(target, draft), gamma)
        return {tokens: as_rational(mass) for tokens, mass in law.items() if mass}

    def expected(target: Any, draft: Any, gamma: int) -> Rational:
        return sum(((len(e) - 1) * mass for e, mass in emitted(target, draft, gamma).items()), Rational(0))

    return replace(rule, emitted=emitted, expected=expected)


# What is claimed.


def lossless(rule: BlockRule, case: ProcessCase) -> str | None:
    """Of one call, the target's own tokens after it."""
    (gamma,) = case.extra
    law = call_law(rule, Process(case.target_row, "target"), Process(case.draft_row, "draft"), gamma)
    return first_difference(law, Process(case.target_row, "target"), gamma + 1)


def first_difference(law: Mapping[Prefix, MPQ], target: Process, length: int) -> str | None:
    """Return the first sequence whose mass is not the target's, or None."""
    vocabulary = target.vocabulary
    masses: Law = {}  # accepted, ended or gone on: everything that begins so
    wanted: Law = {(): ONE}
    for _ in range(length):
        wanted = {(*v, x): m * p for v, m in wanted.items() for x, p in enumerate(target.weights(v))}
        ended = {v: masses.get(v, ZERO) for v in {w[:-1] for w in wanted}}
        masses = {w: ended[w[:-1]] * target.weights(w[:-1])[w[-1]] + law.get(w, ZERO) for w in wanted}
    for tokens in product(range(vocabulary), repeat=length):
        if masses[tokens] != wanted[tokens]:
            return f"{tokens} has probability {masses[tokens]}, the target's is {wanted[tokens]}"
    return None


def law_is_the_algorithm(rule: BlockRule, case: ProcessCase) -> str | None:
    (gamma,) = case.extra
    law = call_law(rule, Process(case.target_row, "target"), Process(case.draft_row, "draft"), gamma)
    stated = rule.emitted(case.target_row, case.draft_row, gamma)
    for tokens in sorted(law.keys() | stated.keys()):
        found = as_rational(law.get(tokens, ZERO))
        if stated.get(tokens, 0) != found:
            return f"{tokens} is emitted with probability {found}, stated {stated.get(tokens, 0)}"
    return None


def optimal(rule: BlockRule, case: ProcessCase) -> str | None:
    (gamma,) = case.extra
    best = sum(node_masses.greatest_masses(case.target_row, case.draft_row, gamma).values()) - 1
    law = call_law(rule, Process(case.target_row, "target"), Process(case.draft_row, "draft"), gamma)
    reached = as_rational(sum((len(e) - 1) * mass for e, mass in law.items()))
    stated = rule.expected(case.target_row, case.draft_row, gamma)
    if reached == stated == best:
        return None
    return f"accepts {reached} tokens, stated {stated}, the greatest is {best}"


def not_below_the_chain(rule: BlockRule, case: ProcessCase) -> str | None:
    (gamma,) = case.extra
    target, draft = Process(case.target_row, "target"), Process(case.draft_row, "draft")
    level: Law = {(): ONE}
    chain = ZERO
    for _ in range(gamma):
        level = {
            (*v, x): m * min(p, q)
            for v, m in level.items()
            for x, (p, q) in enumerate(zip(target.weights(v), draft.weights(v), strict=True))
        }
        chain += sum(level.values())
    stated = rule.expected(case.target_row, case.draft_row, gamma)
    if stated < as_rational(chain) or (gamma == 1 and stated != as_rational(chain)):
        return f"accepts {stated} tokens, token after token {chain}"
    return None


def weights_by_running_maximum(rule: BlockRule, case: ProcessCase) -> str | None:
    (gamma,) = case.extra
    target, draft = Process(case.target_row, "target"), Process(case.draft_row, "draft")
    for tokens, _ in _paths(draft, gamma):
        ratio = greatest = ONE
        capped = [ONE]
        for i, x in enumerate(tokens):
            ratio = ratio * target.weights(tokens[:i])[x] / draft.weights(tokens[:i])[x]
            greatest = max(greatest, ratio)
            capped.append(ratio / greatest)
        rows = [target.row(tokens[:i]) for i in range(gamma + 1)]
        stated = rule.path_weights(rows, [draft.row(tokens[:i]) for i in range(gamma)], tokens)
        if stated != tuple(map(as_rational, capped)):
            return f"drafted {tokens}: weights {stated}, by the running maximum {tuple(map(str, capped))}"
    return None


def odds_at_zero_over_zero(rule: BlockRule, case: ProcessCase) -> str | None:
    """With the odds at 0/0 set to 0 or 1/2 the law stays what it is."""
    (gamma,) = case.extra
    target, draft = Process(case.target_row, "target"), Process(case.draft_row, "draft")
    law = call_law(rule, target, draft, gamma)
    for value in (ZERO, ONE / 2):

        def odds(weight: MPQ, p: Weights, q: Weights, value: MPQ = value) -> MPQ:
            return value if weight == 1 and p == q else rule.odds(weight, p, q)

        other = call_law(replace(rule, odds=odds), target, draft, gamma)
        for tokens in sorted(law.keys() | other.keys()):
            if law.get(tokens, ZERO) != other.get(tokens, ZERO):
                found, changed = law.get(tokens, ZERO), other.get(tokens, ZERO)
                return f"{tokens} is emitted with probability {found}, with odds {value} {changed}"
    return None


def validity(rule: BlockRule, case: ProcessCase) -> str | None:
    target, masses = Process(case.target_row, "target"), _masses_of(case)
    law: Law = {}
    for v, mass in masses.items():
        children = [masses.get((*v, x), ZERO) for x in range(target.vocabulary)]
        left = [max(mass * p - a, ZERO) for p, a in zip(target.weights(v), children, strict=True)]
        stopped, total = mass - sum(children), sum(left)
        law |= {(*v, x): stopped * part / total for x, part in enumerate(left) if total}
    difference = first_difference(law, target, 3)
    broken = rule.broken(case.target_row, {v: as_rational(mass) for v, mass in masses.items()})
    if (broken is None) == (difference is None):
        return None
    return f"called lossless: {difference}" if broken is None else f"lossless, and called broken at {broken}"


def masses_are_greatest(rule: BlockRule, case: ProcessCase) -> str | None:
    """Of all admissible masses, and admissible themselves."""
    best = rule.greatest(case.target_row, case.draft_row, 2)
    broken = node_masses.broken_node(case.target_row, best, case.draft_row)
    if broken is not None:
        return f"the masses called greatest are broken at {broken}"
    masses = {v: as_rational(mass) for v, mass in _masses_of(case).items()}
    if node_masses.broken_node(case.target_row, masses, case.draft_row) is not None:
        return None
    above = [v for v, mass in masses.items() if mass > best.get(v, 0)]
    return f"{above[0]} can be accepted with mass {masses[above[0]]}, stated {best.get(above[0], 0)}" if above else None


def _masses_of(case: ProcessCase) -> Law:
    """Node masses of two drafted tokens: the shares of the empty prefix, then those of each first token."""
    shares = [tuple(MPQ(x.p, x.q) for x in row) for row in case.extra]
    masses: Law = {(): ONE}
    for x, share in enumerate(shares[0]):
        masses[x,] = share
        for y, part in enumerate(shares[1 + x]):
            masses[x, y] = share * part
    return masses
