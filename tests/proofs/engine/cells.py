"""Exact law of compared exponentials by cutting cells: slow, and nothing in common with the engine's integrals.

A cell says E = M D with D independent Exp(1), and how probable it is. A comparison is a linear form in D. While
its signs are mixed, +a D_k and -b D_l are cut at a D_k = b D_l: the smaller side is the common part, and what is
left of the larger one is exponential again, by memorylessness.
"""

from collections.abc import Iterable, Sequence
from fractions import Fraction

__all__ = ["Cell", "Comparison", "cut", "fresh", "mass"]

Cell = tuple[Fraction, list[list[Fraction]]]
Comparison = tuple[int, Fraction, int]  # (i, c, j): E_i >= c E_j


def fresh(n: int) -> list[Cell]:
    return [(Fraction(1), [[Fraction(i == k) for k in range(n)] for i in range(n)])]


def mass(cells: Iterable[Cell]) -> Fraction:
    return sum((share for share, _ in cells), start=Fraction(0))


def cut(cells: Sequence[Cell], *comparisons: Comparison) -> list[Cell]:
    """Return what is left of the cells."""
    for i, c, j in comparisons:
        cells = [part for cell in cells for part in _cut(cell, i, c, j)]
    return list(cells)


def _cut(cell: Cell, i: int, c: Fraction, j: int) -> list[Cell]:
    share, rows = cell
    form = [a - c * b for a, b in zip(rows[i], rows[j], strict=True)]
    k = next((k for k, a in enumerate(form) if a > 0), None)
    l = next((l for l, a in enumerate(form) if a < 0), None)  # noqa: E741
    if k is None or l is None:
        return [cell] if l is None else []
    a, b = form[k], -form[l]
    one, two = b / (a + b), a / (a + b)  # D_k and D_l at the cut, as multiples of a new Exp(1)
    k_left = [_moved(row, k, one * row[k] + two * row[l], l, row[k]) for row in rows]  # a D_k > b D_l
    l_left = [_moved(row, k, one * row[k] + two * row[l], l, row[l]) for row in rows]
    return [*_cut((share * two, k_left), i, c, j), *_cut((share * one, l_left), i, c, j)]


def _moved(row: list[Fraction], k: int, common: Fraction, other: int, rest: Fraction) -> list[Fraction]:
    result = list(row)
    result[k], result[other] = common, rest
    return result
