"""The rules of siblings as one object, so that theorems can be asked of them and of their mutants alike.

The samplers stand in their parts, as code would have them; their laws are found by going through everything that can
happen. Beside them are the closed forms that a package built on the rules would offer. Weights are of SymPy's ground
type.
"""

from collections.abc import Callable, Set
from dataclasses import dataclass, field
from functools import cache
from typing import Any, NamedTuple

from sympy import Rational
from sympy.external.gmpy import MPQ

from proofs import kseq_rule, sibling_flow, sibling_rule
from proofs.distributions import Row
from proofs.processes import Weights
from proofs.sibling_draws import left_to_draw
from proofs.token_rule import EmittedDistribution

__all__ = ["SIBLING_RULE", "Law", "Recursion", "Sequential", "SiblingRule", "drawn", "draws", "fixed_law", "weights"]

Tokens = tuple[int, ...]


class Law(NamedTuple):
    """Law of the emitted token, and the probability that a sibling is kept."""

    dist: Weights
    accepted: MPQ


@dataclass(frozen=True)
class Recursion:
    """Recursive rejection in its parts.

    Attributes
    ----------
    keep : (r(x), q(x)) -> probability
    after : (r, q) -> residual after a rejection
    tried, last : (r_1, .., r_j) -> row
        Which residual the next sibling is tried against; which one is drawn from at the end.
    believed : (q, tokens drawn, replacement) -> row
        The row that the verifier takes the next sibling to be drawn from.
    """

    keep: Callable[[MPQ, MPQ], MPQ] = lambda r, q: MPQ(1) if q <= r else r / q
    after: Callable[[Weights, Weights], Weights] = sibling_rule.after_rejection
    tried: Callable[[tuple[Weights, ...]], Weights] = lambda rows: rows[-1]
    last: Callable[[tuple[Weights, ...]], Weights] = lambda rows: rows[-1]
    believed: Callable[[Weights, Set[int], bool], Weights] = lambda q, tokens, replacement: (
        q if replacement else left_to_draw(q, tokens)
    )


@dataclass(frozen=True)
class Sequential:
    """K-SEQ in its parts.

    Attributes
    ----------
    once : (p, q, rho) -> row
        Mass with which one sibling is each token and kept.
    last : (p, that row, G) -> row
        What is drawn from when no sibling is kept.
    """

    once: Callable[[Weights, Weights, MPQ], Weights] = kseq_rule.keep_masses
    last: Callable[[Weights, Weights, MPQ], Weights] = kseq_rule.last_residual


def _distinct(tokens: Tokens) -> Tokens:
    return tuple(dict.fromkeys(tokens))


@dataclass(frozen=True)
class SiblingRule:
    """The samplers, and the closed forms that claim to describe them.

    Attributes
    ----------
    candidates : tokens -> tokens
        What the rule for fixed candidates makes of them before it begins.
    """

    recursion: Recursion = field(default_factory=Recursion)
    sequential: Sequential = field(default_factory=Sequential)
    candidates: Callable[[Tokens], Tokens] = _distinct
    recursive_law: Callable[[Row, Row, int, bool], EmittedDistribution] = sibling_rule.recursive_law
    residuals: Callable[[Row, Row, int], tuple[Row, ...]] = sibling_rule.residuals
    set_law: Callable[[Row, int, bool], dict[frozenset[int], Rational]] = sibling_rule.set_law
    optimal_acceptance: Callable[[Row, Row, int, bool], Rational] = sibling_rule.optimal_acceptance
    optimal_coupling: Callable[[Row, Any], sibling_flow.Certificate] = sibling_flow.optimal_coupling
    kseq_acceptance: Callable[[Row, Row, int, Rational], Rational] = sibling_rule.kseq_acceptance
    is_admissible: Callable[[Row, Row, int, Rational], bool] = sibling_rule.is_admissible
    admissible_rho: Callable[[Row, Row, int], kseq_rule.RhoBracket] = sibling_rule.admissible_rho


SIBLING_RULE = SiblingRule()


@cache
def weights(row: Row) -> Weights:
    """Return a row of SymPy rationals in the ground type."""
    return tuple(MPQ(entry.p, entry.q) for entry in row)


@cache
def draws(row: Row, k: int, replacement: bool) -> tuple[tuple[Tokens, MPQ], ...]:
    """Every sequence of k siblings with its probability, where positive."""
    q = weights(row)
    found: list[tuple[Tokens, MPQ]] = [((), MPQ(1))]
    for _ in range(k):
        found = [
            ((*tokens, x), mass * chance)
            for tokens, mass in found
            for x, chance in enumerate(q if replacement else left_to_draw(q, frozenset(tokens)))
            if chance
        ]
    return tuple(found)


@cache
def drawn(recursion: Recursion, target: Row, draft: Row, k: int, replacement: bool) -> Law:
    """Law of recursive rejection: every sequence of siblings, both sides of every coin."""
    q = weights(draft)
    dist, accepted = [MPQ(0)] * len(q), MPQ(0)
    for tokens, mass in draws(draft, k, replacement):
        rows: tuple[Weights, ...] = (weights(target),)
        for j, x in enumerate(tokens):
            against, row = recursion.tried(rows), recursion.believed(q, frozenset(tokens[:j]), replacement)
            kept = mass * recursion.keep(against[x], row[x])
            dist[x] += kept
            accepted += kept
            mass -= kept
            if not mass:
                break
            rows = (*rows, recursion.after(against, row))
        if mass:
            dist = [a + mass * b for a, b in zip(dist, recursion.last(rows), strict=True)]
    return Law(tuple(dist), accepted)


@cache
def drawn_in_turn(sequential: Sequential, target: Row, draft: Row, k: int, rho: Rational) -> Law:
    """Law of K-SEQ: each sibling is tried alike, and independent of those before it."""
    p, q = weights(target), weights(draft)
    once = sequential.once(p, q, MPQ(rho.p, rho.q))
    dist, left = [MPQ(0)] * len(q), MPQ(1)
    for _ in range(k):
        dist = [a + left * b for a, b in zip(dist, once, strict=True)]
        left *= 1 - sum(once)
    accepted = sum(dist)
    if left:
        last = sequential.last(p, once, kseq_rule.expected_tries(once, k))
        dist = [a + left * b for a, b in zip(dist, last, strict=True)]
    return Law(tuple(dist), accepted)


def fixed_law(target: Row, candidates: Tokens) -> Law:
    """Law of the rule for fixed candidates: one coin u, the first x_j with ``u < p(x_1) + .. + p(x_j)``."""
    p = weights(target)
    dist, below = [MPQ(0)] * len(p), MPQ(0)
    for x in candidates:
        reached = min(below + p[x], MPQ(1))
        dist[x] += reached - below
        below = reached
    rest = [MPQ(0) if x in candidates else a for x, a in enumerate(p)]
    if below < 1 and (mass := sum(rest)):
        dist = [a + (1 - below) * b / mass for a, b in zip(dist, rest, strict=True)]
    return Law(tuple(dist), below)
