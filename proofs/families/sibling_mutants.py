"""The rules of siblings, or a report about them, changed so that a theorem fails.

Sources name the place where a fault of the kind was reported; "made here" otherwise.
"""

from collections.abc import Callable, Set
from dataclasses import replace
from typing import Any

from sympy import Rational, S
from sympy.external.gmpy import MPQ

from proofs import sibling_rule
from proofs.distributions import Row, total_variation
from proofs.families.sibling_model import SIBLING_RULE, drawn, drawn_in_turn
from proofs.kseq_rule import RhoBracket, last_residual
from proofs.mutants import Mutant
from proofs.processes import Weights, as_rational
from proofs.sibling_draws import left_to_draw
from proofs.sibling_flow import Certificate, optimal_coupling
from proofs.token_rule import EmittedDistribution

__all__ = ["FAMILY", "MUTANTS"]

FAMILY = "siblings"
_HERE = "made here"


def _mutant(name: str, fault: str, source: str, **parts: Any) -> Mutant:
    return Mutant(name, fault, source, replace(SIBLING_RULE, **parts), about=FAMILY)


def _of_recursion(name: str, fault: str, source: str, **parts: Any) -> Mutant:
    """Return a wrong sampler whose law and acceptance are reported as they are."""
    recursion = replace(SIBLING_RULE.recursion, **parts)

    def reported(p: Row, q: Row, k: int, replacement: bool) -> EmittedDistribution:
        law = drawn(recursion, p, q, k, replacement)
        return EmittedDistribution(tuple(map(as_rational, law.dist)), as_rational(law.accepted))

    return _mutant(name, fault, source, recursion=recursion, recursive_law=reported)


def _of_kseq(name: str, fault: str, source: str, **parts: Any) -> Mutant:
    sequential = replace(SIBLING_RULE.sequential, **parts)

    def kept(p: Row, q: Row, k: int, rho: Rational) -> Rational:
        return as_rational(drawn_in_turn(sequential, p, q, k, rho).accepted)

    return _mutant(name, fault, source, sequential=sequential, kseq_acceptance=kept)


def _gains(residual: Weights, row: Weights) -> Weights:
    gains = tuple(max(a - b, MPQ(0)) for a, b in zip(residual, row, strict=True))
    return gains if any(gains) else residual


def _struck(q: Weights, tokens: Set[int], _: bool) -> Weights:
    return q if len(tokens) == len(q) else left_to_draw(q, tokens)


def _independent_law(p: Row, q: Row, k: int, _: bool) -> EmittedDistribution:
    return sibling_rule.recursive_law(p, q, k, True)


def _independent_tries(p: Row, q: Row, k: int, replacement: bool) -> EmittedDistribution:
    alpha = 1 - total_variation(p, q)
    return sibling_rule.recursive_law(p, q, k, replacement)._replace(alpha=1 - (1 - alpha) ** k)


def _unnormalised(p: Row, q: Row, k: int) -> tuple[Row, ...]:
    rows = [p]
    for _ in range(k):
        rows.append(tuple(max(a - b, S.Zero) for a, b in zip(rows[-1], q, strict=True)))
    return tuple(rows)


def _optimum(inside: Callable[[Row, int, Set[int], bool], Rational]) -> Callable[..., Rational]:
    def optimum(p: Row, q: Row, k: int, replacement: bool) -> Rational:
        sets = [{x for x in range(len(p)) if mask >> x & 1} for mask in range(2 ** len(p))]
        return min(1 + sum((p[x] for x in chosen), S.Zero) - inside(q, k, chosen, replacement) for chosen in sets)

    return optimum


def _mass(q: Row, chosen: Set[int]) -> Rational:
    return sum((q[x] for x in chosen), S.Zero)


def _in_target_order(p: Row, q: Row, k: int, replacement: bool) -> Rational:
    if not replacement:
        return sibling_rule.optimal_acceptance(p, q, k, False)
    order = sorted(range(len(p)), key=lambda x: p[x])
    prefixes = [set(order[:size]) for size in range(len(p) + 1)]
    return min(1 + _mass(p, chosen) - _mass(q, chosen) ** k for chosen in prefixes)


def _distinct_by_chance(q: Row, k: int, replacement: bool) -> dict[frozenset[int], Rational]:
    law = sibling_rule.set_law(q, k, True)
    whole = {tokens: mass for tokens, mass in law.items() if len(tokens) == k}
    if replacement or not whole:
        return sibling_rule.set_law(q, k, replacement)
    total = sum(whole.values(), S.Zero)
    return {tokens: mass / total for tokens, mass in whole.items()}


def _first_come(p: Row, sets: dict[frozenset[int], Rational]) -> Certificate:
    room, flow = dict(enumerate(p)), {}
    for tokens, mass in sets.items():
        for x in sorted(tokens):
            flow[tokens, x] = units = min(mass, room[x])
            mass, room[x] = mass - units, room[x] - units
    return Certificate(sum(flow.values(), S.Zero), flow, optimal_coupling(p, sets).cut)


def _union_bound(p: Row, q: Row, k: int, rho: Rational) -> Rational:
    return min(S.One, k * sum((min(b, a / rho) for a, b in zip(p, q, strict=True)), S.Zero))


MUTANTS: tuple[Mutant, ...] = (
    _of_recursion(
        "sibling_residual_unnormalised", "goes on with (r - q)+ without dividing by its sum", _HERE, after=_gains
    ),
    _of_recursion(
        "sibling_update_forgotten",
        "tries every sibling against p, and uses the residual at the end alone",
        _HERE,
        tried=lambda rows: rows[0],
    ),
    _of_recursion(
        "sibling_last_residual_skipped",
        "draws the last token from the last residual but one",
        _HERE,
        last=lambda rows: rows[-2:][0],
    ),
    _of_recursion(
        "sibling_last_from_target", "draws the last token from p", "ShopeeLLM/Spec-RL#14", last=lambda rows: rows[0]
    ),
    _of_recursion(
        "sibling_raw_draft",
        "judges siblings drawn without replacement by the draft as it was before them",
        _HERE,
        believed=lambda q, tokens, replacement: q,
    ),
    _of_recursion(
        "sibling_struck_though_independent",
        "takes rejected siblings out of the draft though they are drawn with replacement",
        _HERE,
        believed=_struck,
    ),
    _mutant(
        "sibling_law_of_independent_draws",
        "reports law and acceptance of independent siblings for those drawn without replacement",
        _HERE,
        recursive_law=_independent_law,
    ),
    _mutant(
        "sibling_independent_tries",
        "acceptance reported as 1 - (1 - alpha)**k, alpha that of one sibling",
        _HERE,
        recursive_law=_independent_tries,
    ),
    _mutant(
        "sibling_residuals_reported_unnormalised",
        "reports the residuals without dividing by their sums",
        _HERE,
        residuals=_unnormalised,
    ),
    _mutant(
        "sibling_optimum_of_independent_draws",
        "takes q(H)**k for the probability that siblings drawn without replacement lie in H",
        _HERE,
        optimal_acceptance=lambda p, q, k, _: sibling_rule.optimal_acceptance(p, q, k, True),
    ),
    _mutant(
        "sibling_optimum_of_a_hit",
        "takes the probability that some sibling lies in H for that of all of them",
        _HERE,
        optimal_acceptance=_optimum(lambda q, k, chosen, _: 1 - (1 - _mass(q, chosen)) ** k),
    ),
    _mutant(
        "sibling_optimum_in_target_order",
        "looks at the prefixes of the tokens sorted by p, not by p/q",
        _HERE,
        optimal_acceptance=_in_target_order,
    ),
    _mutant(
        "sibling_sets_distinct_by_chance",
        "takes drawing without replacement for independent siblings that happen to differ",
        _HERE,
        set_law=_distinct_by_chance,
    ),
    _mutant(
        "sibling_flow_first_come",
        "fills tokens set by set and never turns a flow back",
        _HERE,
        optimal_coupling=_first_come,
    ),
    _of_kseq(
        "kseq_rho_one",
        "keeps with min(1, p/q) whatever rho is",
        _HERE,
        once=lambda p, q, rho: tuple(map(min, p, q)),
    ),
    _of_kseq(
        "kseq_residual_without_factor",
        "draws the last token from p - min(q, p/rho)",
        _HERE,
        last=lambda p, once, tries: last_residual(p, once, MPQ(1)),
    ),
    _mutant("kseq_union_bound", "acceptance reported as k beta", _HERE, kseq_acceptance=_union_bound),
    _mutant(
        "kseq_every_rho_admissible",
        "takes every rho >= 1 for admissible",
        _HERE,
        is_admissible=lambda p, q, k, rho: True,
    ),
    _mutant(
        "kseq_least_rho_is_k",
        "reports k as the least admissible rho",
        _HERE,
        admissible_rho=lambda p, q, k: RhoBracket(Rational(k), Rational(k)),
    ),
    _mutant(
        "candidate_counts_twice",
        "counts the mass of a repeated candidate twice",
        _HERE,
        candidates=lambda tokens: tokens,
    ),
)
