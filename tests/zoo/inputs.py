"""The rows that the simulation hands over: binary fractions, so that float32 holds them as they are."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod
from typing import TypeAlias

__all__ = ["B0", "EDGES", "INPUTS", "MOVING", "Input", "Row", "eighths"]

Row: TypeAlias = tuple[Fraction, ...]


def eighths(*numerators: int) -> Row:
    """Return the row of these numerators over 8."""
    return tuple(Fraction(n, 8) for n in numerators)


@dataclass(frozen=True)
class Input:
    """Target and draft rows by position; the last one stands for all positions after it."""

    name: str
    target_rows: Sequence[Row]
    draft_rows: Sequence[Row]

    def target(self, prefix: Sequence[int]) -> Row:
        return self.target_rows[min(len(prefix), len(self.target_rows) - 1)]

    def draft(self, prefix: Sequence[int]) -> Row:
        return self.draft_rows[min(len(prefix), len(self.draft_rows) - 1)]

    def with_target(self, declared: Callable[[Row, Row | None], Iterable[Fraction]], gamma: int) -> "Input":
        """Return the input whose target is the declared law; from position gamma on there is no draft row."""
        prefixes = [(0,) * i for i in range(gamma)]
        rows = [tuple(declared(self.target(prefix), self.draft(prefix))) for prefix in prefixes]
        return Input(self.name, [*rows, tuple(declared(self.target((0,) * gamma), None))], self.draft_rows)

    def chance(self, tokens: Sequence[int], start: int = 0) -> Fraction:
        """Probability of ``tokens[start:]`` after ``tokens[:start]`` under the target."""
        return prod((self.target(tokens[:i])[tokens[i]] for i in range(start, len(tokens))), start=Fraction(1))

    def sequences(self, length: int) -> list[tuple[int, ...]]:
        """Return all sequences of this many tokens."""
        return list(product(range(len(self.target_rows[0])), repeat=length))


B0 = Input("B0", [eighths(1, 3, 4)], [eighths(4, 2, 2)])

MOVING = Input(
    "moving",
    [eighths(3, 1, 4), eighths(4, 3, 1), eighths(1, 5, 2), eighths(2, 2, 4)],
    [eighths(1, 6, 1), eighths(1, 2, 5), eighths(6, 1, 1)],
)

INPUTS = (B0, MOVING)

_ULP = Fraction(1, 2**25)
"""Between neighbours of 3/8 in float32."""

EDGES = (
    Input("equal", [eighths(1, 3, 4)], [eighths(1, 3, 4)]),
    Input("one ulp apart", [eighths(3, 3, 2)], [(Fraction(3, 8) + _ULP, Fraction(3, 8) - _ULP, Fraction(1, 4))]),
    Input("disjoint", [eighths(0, 3, 5)], [eighths(8, 0, 0)]),
    Input("one-hot target", [eighths(0, 8, 0)], [eighths(4, 2, 2)]),
    Input("one-hot draft", [eighths(1, 3, 4)], [eighths(0, 8, 0)]),
    Input("token without target", [eighths(0, 3, 5)], [eighths(4, 2, 2)]),
    Input("token without draft", [eighths(4, 2, 2)], [eighths(0, 3, 5)]),
)
"""Rows at which a ratio or a residual is 0, 1 or 0/0."""
