"""What a line of the tables holds, the rows that several lines share, and the drafters."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

__all__ = [
    "B0",
    "I2",
    "I3",
    "I5",
    "Array",
    "Control",
    "Drafter",
    "Fault",
    "Row",
    "Rows",
    "SiblingControl",
    "SiblingFault",
    "Verify",
    "draw_from_top_two",
    "draw_largest",
    "draw_largest_siblings",
    "row",
]

Row: TypeAlias = tuple[Fraction, ...]
Rows: TypeAlias = tuple[Row, ...] | Callable[[tuple[int, ...]], Row]
Verify: TypeAlias = Callable[[Any, Any, Any, Any], Any]
Drafter: TypeAlias = Callable[[Any, Any, Any], int]
SiblingDrafter: TypeAlias = Callable[[Any, int, Any], Any]
Array: TypeAlias = NDArray[Any]


class Control(NamedTuple):
    """A verifier that is lossless.

    Attributes
    ----------
    name, note : str
        What it is; why it is right, or the dtype it rounds in.
    gamma : tuple of int
        Draft lengths that it is written for.
    drafter : callable or None
        `drafter(prefix, row, rng) -> token`; None: the token is drawn from the row.
    """

    name: str
    verify: Verify
    note: str
    gamma: tuple[int, ...] = (0, 1, 2)
    drafter: Drafter | None = None


class Fault(NamedTuple):
    """A verifier that is not lossless, and the smallest input that shows it.

    Attributes
    ----------
    name, kind, source : str
        Kind and spelling; the kind alone (one exact law a kind); where it was seen.
    target, draft : tuple of rows, or callable prefix -> row
        gamma + 1 and gamma rows by position, or rows that depend on the prefix.
    law : tuple of Fraction
        The first emitted token.
    total_variation : Fraction
        On sequences of gamma + 1 tokens, completed by the target's own.
    drafter : callable or None
        As in `Control`.
    """

    name: str
    kind: str
    verify: Verify
    source: str
    target: Rows
    draft: Rows
    gamma: int
    law: Row
    total_variation: Fraction
    drafter: Drafter | None = None


class SiblingControl(NamedTuple):
    """A lossless `verify(target [V], draft [V], tokens [k], rng) -> token`.

    `drafter(row, k, rng) -> k tokens`, None: drawn from the row, with or without replacement.
    """

    name: str
    verify: Verify
    note: str
    k: tuple[int, ...] = (1, 2)
    replacement: bool = True
    drafter: SiblingDrafter | None = None


class SiblingFault(NamedTuple):
    """A sibling verifier that is not lossless; `law` and `total_variation` are of its one token."""

    name: str
    kind: str
    verify: Verify
    source: str
    target: Row
    draft: Row
    k: int
    replacement: bool
    law: Row
    total_variation: Fraction
    drafter: SiblingDrafter | None = None


def row(text: str) -> Row:
    """Fractions from words such as "1/8 3/8 1/2"."""
    return tuple(Fraction(word) for word in text.split())


B0 = (row("1/8 3/8 1/2"), row("1/2 1/4 1/4"))
I2 = (row("1/3 2/3"), row("2/3 1/3"))
I3 = (row("1/2 1/3 1/6"), row("1/6 1/3 1/2"))
I5 = (row("2/5 3/10 1/5 1/10"), row("1/10 1/5 3/10 2/5"))


def draw_largest(prefix: tuple[int, ...], row: Array, rng: Generator) -> int:
    """Greedy: the first of the likeliest tokens, whatever row is reported."""
    return int(np.argmax(row))


def draw_from_top_two(prefix: tuple[int, ...], row: Array, rng: Generator) -> int:
    """Drawn from the two likeliest tokens, renormalised, while the raw row is reported."""
    first, second = sorted(range(len(row)), key=lambda x: row[x], reverse=True)[:2]
    return first if rng.random() * (row[first] + row[second]) < row[first] else second


def draw_largest_siblings(row: Array, k: int, rng: Generator) -> list[int]:
    """The k likeliest tokens: distinct, and fixed by the row."""
    return sorted(range(len(row)), key=lambda x: row[x], reverse=True)[:k]
