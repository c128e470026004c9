"""The inputs that theorems are checked on: finite grids, named pairs, Hypothesis strategies."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import TYPE_CHECKING, Any

from sympy import Integer, Rational, S

from proofs.cases import Case
from proofs.distributions import Row
from proofs.rationals import exact

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = ["GRID", "NAMED", "Domain", "compositions", "grid_couplings", "grid_pairs", "sixths"]

GRID = 6  # k/4 at V = 3 misses faults that k/6 shows
GRID_VOCABULARIES = (1, 2, 3)
_PROBABILITIES = f"probabilities k/{GRID}, V = 1 to 3"


@dataclass(frozen=True)
class Domain:
    """A family of inputs.

    Attributes
    ----------
    words : str
        The cases of the grid, as printed behind their number.
    grid : callable -> iterator of Case or ProcessCase
        Every case of the grid, the smallest first: fewest tokens, then smallest denominators.
    named : bool
        Whether the named pairs belong to the family.
    strategy : callable -> SearchStrategy of cases, or None
        None where the grid is everything there is, or everything that is tried.
    extra : str
        What the extra part of a case is called, such as "keep" or "gamma"; "" where it is empty.
    """

    words: str
    grid: Callable[[], Iterator[Any]]
    named: bool
    strategy: "Callable[[], SearchStrategy[Any]] | None"
    extra: str = ""


# Pairs on which whole families of faults show or hide: one token of the residual in I2 and I3, two
# in I5 and B0, three in R3.
NAMED = {
    "I2": Case((Rational(1, 3), Rational(2, 3)), (Rational(2, 3), Rational(1, 3))),
    "I3": Case((Rational(1, 2), Rational(1, 3), Rational(1, 6)), (Rational(1, 6), Rational(1, 3), Rational(1, 2))),
    "I5": Case(tuple(Rational(k, 10) for k in (4, 3, 2, 1)), tuple(Rational(k, 10) for k in (1, 2, 3, 4))),
    "B0": Case((Rational(1, 8), Rational(3, 8), Rational(1, 2)), (Rational(1, 2), Rational(1, 4), Rational(1, 4))),
    "R3": Case(
        tuple(Rational(k, 16) for k in (4, 6, 3, 3, 0)),
        tuple(Rational(k, 16) for k in (2, 1, 0, 5, 8)),
    ),
}


def compositions(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """Every way to write `total` as an ordered sum of `parts` integers >= 0, in lexicographic order."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total + 1):
        for rest in compositions(total - first, parts - 1):
            yield (first, *rest)


@cache
def grid_pairs() -> tuple[Case, ...]:
    """Every (target, draft) over 1, 2 and 3 tokens with probabilities k/6, the smallest first."""
    return _sorted(
        Case(p, q)
        for vocabulary in GRID_VOCABULARIES
        for p, q in product([sixths(row) for row in compositions(GRID, vocabulary)], repeat=2)
    )


@cache
def grid_couplings() -> tuple[Case, ...]:
    """Every coupling over 1, 2 and 3 tokens with probabilities k/6, the smallest first."""
    return _sorted(
        _coupling(sixths(cells), vocabulary)
        for vocabulary in GRID_VOCABULARIES
        for cells in compositions(GRID, vocabulary**2)
    )


def pairs_where(words: str, holds: Callable[[Case], bool], strategy: Any, *, named: bool = False) -> Domain:
    """Return the pairs of the grid with a property, and the strategy that builds such pairs."""

    def cases() -> "SearchStrategy[Case]":
        from proofs import strategies

        return strategy(strategies).map(_case)  # type: ignore[no-any-return]

    return Domain(
        f"{words}, {_PROBABILITIES}",
        lambda: (case for case in grid_pairs() if holds(case)),
        named,
        cases,
    )


def with_acceptance() -> Domain:
    """Every pair of the grid, with vectors of keep-probabilities."""

    def grid() -> Iterator[Case]:
        for case in grid_pairs():
            vocabulary = len(case.p)
            for keep in (*product((S.Zero, S.One), repeat=vocabulary), (Rational(1, 2),) * vocabulary):
                yield Case(case.p, case.q, keep)

    def cases() -> "SearchStrategy[Case]":
        from proofs import strategies

        return strategies.pairs_with_acceptance().map(lambda drawn: Case(*map(_exact_row, drawn)))

    return Domain(
        f"pairs and keep-probabilities (each 0 or 1, or all 1/2), {_PROBABILITIES}, the residual set against the "
        "one-hot rows and the uniform one",
        grid,
        False,
        cases,
        "keep",
    )


def with_coupling() -> Domain:
    """Every coupling with probabilities k/6; target and draft are its marginals."""

    def cases() -> "SearchStrategy[Case]":
        from proofs import strategies

        return strategies.couplings().map(
            lambda rows: _coupling(_exact_row(cell for row in rows for cell in row), len(rows))
        )

    return Domain(f"couplings, {_PROBABILITIES}", lambda: iter(grid_couplings()), False, cases, "coupling")


def single() -> Domain:
    """V = 1, where there is one pair."""
    only = Case((S.One,), (S.One,))
    return Domain("pair, the only one", lambda: iter((only,)), False, None)


def _coupling(cells: Row, vocabulary: int) -> Case:
    rows = tuple(tuple(cells[x * vocabulary : (x + 1) * vocabulary]) for x in range(vocabulary))
    drafted = tuple(sum(row, S.Zero) for row in rows)
    emitted = tuple(sum(column, S.Zero) for column in zip(*rows, strict=True))
    return Case(emitted, drafted, rows)


def _case(drawn: Any) -> Case:
    return Case(*map(_exact_row, drawn))


def _exact_row(row: Iterable[Any]) -> Row:
    return tuple(exact(value) for value in row)


def _sorted(cases: Iterable[Case]) -> tuple[Case, ...]:
    return tuple(sorted(cases, key=lambda case: case.size))  # stable: equal sizes stay in lexicographic order


def sixths(counts: tuple[int, ...]) -> Row:
    """Return the row of probabilities k/6."""
    return tuple(Rational(k, GRID) for k in counts)


PAIRS = pairs_where("pairs", lambda case: True, lambda s: s.pairs(), named=True)
MERGERS = replace(PAIRS, words=f"{PAIRS.words}, every two tokens merged")
EQUAL = pairs_where("equal pairs", lambda case: case.p == case.q, lambda s: s.distributions().map(lambda p: (p, p)))
DRAFT_ZERO = pairs_where("pairs with a zero of q", lambda case: 0 in case.q, lambda s: s.pairs_with_zero("draft"))
TARGET_ZERO = pairs_where("pairs with a zero of p", lambda case: 0 in case.p, lambda s: s.pairs_with_zero("target"))
DISJOINT = pairs_where(
    "disjoint pairs",
    lambda case: all(Integer(0) in token for token in zip(case.p, case.q, strict=True)),
    lambda s: s.disjoint_pairs(),
)
ONE_HOT_DRAFT = pairs_where("pairs with q one-hot", lambda case: 1 in case.q, lambda s: s.one_hot_pairs("draft"))
ONE_HOT_TARGET = pairs_where("pairs with p one-hot", lambda case: 1 in case.p, lambda s: s.one_hot_pairs("target"))
ACCEPTANCES = with_acceptance()
COUPLINGS = with_coupling()
SINGLE = single()
