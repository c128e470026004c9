"""Exact laws by enumeration on fractions, from a description of the rule: nothing here reads a verifier."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise, product
from math import prod
from typing import TypeAlias

from tests.verifiers.records import Row, Rows

__all__ = [
    "ONE",
    "ZERO",
    "Chain",
    "Outcomes",
    "Prefix",
    "RowOf",
    "blocks",
    "coin_cells",
    "collect",
    "completed",
    "distance",
    "first_token",
    "gains",
    "one_hot",
    "ratio",
    "rows_by_prefix",
    "scaled",
    "top_two",
    "total_variation",
    "within",
]

Prefix: TypeAlias = tuple[int, ...]
Outcomes: TypeAlias = dict[Prefix, Fraction]
RowOf: TypeAlias = Callable[[Prefix], Row]
ZERO, ONE = Fraction(0), Fraction(1)


def rows_by_prefix(rows: Rows) -> RowOf:
    """Rows by position as a function of the prefix; the last one stands for all behind it."""
    if callable(rows):
        return rows
    return lambda prefix: rows[min(len(prefix), len(rows) - 1)]


def scaled(weights: Iterable[Fraction]) -> Row:
    weights = tuple(weights)
    return tuple(w / sum(weights) for w in weights)


def gains(p: Row, q: Row) -> Row:
    """(p - q)+ normalised; p where nothing is gained."""
    left = [max(a - b, ZERO) for a, b in zip(p, q, strict=True)]
    return scaled(left) if any(left) else p


def collect(pairs: Iterable[tuple[Prefix, Fraction]]) -> Outcomes:
    law: Outcomes = defaultdict(lambda: ZERO)
    for outcome, weight in pairs:
        if weight:
            law[outcome] += weight
    return dict(law)


def completed(law: Outcomes, p: RowOf, length: int) -> Outcomes:
    """The law on sequences of that length, the target going on where the call ended."""
    while any(len(outcome) < length for outcome in law):
        short = {o: w for o, w in law.items() if len(o) < length}
        law = collect(
            [(o, w) for o, w in law.items() if o not in short]
            + [((*o, y), w * m) for o, w in short.items() for y, m in enumerate(p(o))]
        )
    return law


def distance(law: Outcomes, other: Outcomes) -> Fraction:
    return sum((abs(law.get(o, ZERO) - other.get(o, ZERO)) for o in law.keys() | other.keys()), ZERO) / 2


def total_variation(law: Outcomes, p: RowOf, length: int) -> Fraction:
    return distance(completed(law, p, length), completed({(): ONE}, p, length))


def first_token(law: Outcomes, vocabulary: int) -> Row:
    return tuple(sum((w for o, w in law.items() if o[0] == x), ZERO) for x in range(vocabulary))


def ratio(p: Row, q: Row, x: int) -> Fraction:
    return min(ONE, p[x] / q[x]) if q[x] else ONE


def one_hot(row: Row) -> Row:
    best = max(range(len(row)), key=lambda x: row[x])
    return tuple(Fraction(x == best) for x in range(len(row)))


def top_two(row: Row) -> Row:
    best = sorted(range(len(row)), key=lambda x: row[x], reverse=True)[:2]
    return scaled(m if x in best else ZERO for x, m in enumerate(row))


def within(row: Row, low: Fraction, high: Fraction) -> Row:
    """What an inverse CDF returns for a coin that is uniform on [low, high)."""
    edges = list(accumulate(row, initial=ZERO))
    return tuple(max(min(b, high) - max(a, low), ZERO) / (high - low) for a, b in pairwise(edges))


def coin_cells(cuts: Iterable[Fraction]) -> Iterator[tuple[Fraction, Fraction]]:
    """One uniform, cut where a decision changes: a point of each cell, and its length."""
    edges = sorted({ZERO, ONE, *(c for c in cuts if 0 < c < 1)})
    return (((a + b) / 2, b - a) for a, b in pairwise(edges))


def blocks(q: RowOf, gamma: int, vocabulary: int) -> Iterator[tuple[Prefix, Fraction]]:
    for w in product(range(vocabulary), repeat=gamma):
        weight = prod((q(w[:i])[x] for i, x in enumerate(w)), start=ONE)
        if weight:
            yield w, weight


@dataclass(frozen=True)
class Chain:
    """A chain rule; each part takes p, q (functions of the prefix) and the accepted prefix."""

    keep: Callable[[RowOf, RowOf, Prefix, int], Fraction] = lambda p, q, w, x: ratio(p(w), q(w), x)
    correct: Callable[[RowOf, RowOf, Prefix, int], Row] = lambda p, q, w, x: gains(p(w), q(w))
    bonus: Callable[[RowOf, RowOf, Prefix], Row] = lambda p, q, w: p(w)
    drawn: Callable[[Row], Row] = lambda row: row

    def __call__(self, p: RowOf, q: RowOf, gamma: int) -> Outcomes:
        return collect(self._walk(p, q, gamma, (), ONE))

    def _walk(self, p: RowOf, q: RowOf, gamma: int, w: Prefix, weight: Fraction) -> Iterator[tuple[Prefix, Fraction]]:
        if len(w) == gamma:
            yield from (((*w, y), weight * m) for y, m in enumerate(self.bonus(p, q, w)))
            return
        for x, mass in enumerate(self.drawn(q(w))):
            keep = self.keep(p, q, w, x) if mass else ONE
            if keep:
                yield from self._walk(p, q, gamma, (*w, x), weight * mass * keep)
            if keep < 1:
                lost = weight * mass * (1 - keep)
                yield from (((*w, y), lost * m) for y, m in enumerate(self.correct(p, q, w, x)))
