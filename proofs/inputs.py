"""What a verifier is tried on: a target and a draft, each a row for every prefix of tokens, and gamma."""

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from numbers import Rational
from operator import index
from typing import Any, TypeAlias

from proofs.errors import InexactError, NotADistributionError, ProofsError, ShapeError
from proofs.sequences import Prefix, Process, Row, Rows

__all__ = ["Input", "Table", "as_process", "fraction", "read_input"]

Description: TypeAlias = "Row | tuple[Row, ...] | dict[Prefix, Row]"


def fraction(value: Any) -> Fraction:
    """Return the rational number that an entry is: an int, a rational, a string such as ``"3/8"``, or a float's value.

    Raises
    ------
    InexactError
        For bool, an infinity, NaN, decimal strings and everything else.
    """
    if isinstance(value, str):
        head, slash, tail = value.partition("/")
        if _whole(head.removeprefix("-")) and (not slash or (_whole(tail) and int(tail))):
            return Fraction(int(head), int(tail) if slash else 1)
    elif isinstance(value, Rational) and not isinstance(value, bool):
        return Fraction(index(value.numerator), index(value.denominator))
    elif hasattr(value, "is_integer") and abs(float(value)) < float("inf"):
        return Fraction(*value.as_integer_ratio())
    raise InexactError(
        f"{value!r} ({type(value).__name__}) is no rational number; expected an int, a Fraction or '3/8'."
    )


def _whole(text: str) -> bool:
    return text.isascii() and text.isdecimal()


@dataclass(frozen=True)
class Table:
    """A process written down: one row, or a row for each position, or a row for each prefix.

    Attributes
    ----------
    rows : tuple of Fraction, tuple of rows, or dict of prefix -> row
    """

    rows: Description

    def __call__(self, prefix: Prefix) -> Row:
        """Return the row after `prefix`; beyond the last position the last row stays."""
        rows: Any = self.rows  # no annotation tells the three shapes apart by what is inside
        row: Row = rows
        if isinstance(rows, dict):
            row = rows[prefix]
        elif rows and isinstance(rows[0], tuple):
            row = rows[min(len(prefix), len(rows) - 1)]
        return row


@dataclass(frozen=True)
class Input:
    """One input of a verifier.

    Attributes
    ----------
    name : str
        For the verdict; it says nothing that the rows do not.
    target, draft : callable, prefix -> row
        Rows of V exact probabilities; `draft` is what the verifier is told.
    gamma, vocabulary : int
    batched : bool
        Whether the verifier is handed a batch of requests, of which this is the first.
    others : tuple of (target, draft)
        The processes of the other requests of the batch.
    """

    name: str
    target: Process
    draft: Process
    gamma: int
    vocabulary: int
    batched: bool = False
    others: tuple[tuple[Process, Process], ...] = ()
    checked: tuple[Rows, Rows] = field(init=False, repr=False, compare=False)
    requests: "tuple[Input, ...]" = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        rows = Rows(self.target, self.vocabulary, "target"), Rows(self.draft, self.vocabulary, "draft")
        object.__setattr__(self, "checked", rows)
        requests = ((self.target, self.draft), *self.others) if self.batched else ()
        single = tuple(Input(self.name, *request, self.gamma, self.vocabulary) for request in requests)
        object.__setattr__(self, "requests", single)

    def tables(self) -> tuple[Table, Table]:
        """Return the input with every row written down that one call can see, as short as possible."""
        target, draft = self.checked
        return _table(target, self.gamma, self.vocabulary), _table(draft, self.gamma - 1, self.vocabulary)


def _table(rows: Rows, longest: int, vocabulary: int) -> Table:
    if longest < 0:
        return Table(())
    by_length = [
        {prefix: rows(prefix) for prefix in itertools.product(range(vocabulary), repeat=length)}
        for length in range(longest + 1)
    ]
    if any(len(set(found.values())) > 1 for found in by_length):
        return Table({prefix: row for found in by_length for prefix, row in found.items()})
    positions = tuple(next(iter(found.values())) for found in by_length)
    return Table(positions[0] if len(set(positions)) == 1 else positions)


def as_process(rows: Any, name: str) -> Process:
    """Return what a caller gave for a target or a draft as a process.

    Parameters
    ----------
    rows : sequence of numbers, sequence of rows, mapping or callable
        A row [V] for every position; rows by position; prefix -> row.
    name : str
        What errors call it.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is no exact number, or a row of floats does not sum to one exactly.
    """
    if isinstance(rows, Table | Rows):
        return rows
    if type(rows).__module__ == "torch" and type(rows).__name__ == "Tensor":
        rows = rows.tolist()
    if isinstance(rows, Mapping):
        return lambda prefix: _row(rows[prefix], f"{name}[{prefix}]")
    if callable(rows):
        return lambda prefix: _row(rows(prefix), f"{name}({prefix})")
    if isinstance(rows, str | bytes) or not hasattr(rows, "__iter__"):
        raise ShapeError(f"{name} is {rows!r}; expected a row, rows by position, or a callable prefix -> row.")
    listed = list(rows)
    if not listed:
        return _Empty(name)
    if hasattr(listed[0], "__iter__") and not isinstance(listed[0], str):
        return Table(tuple(_row(row, f"{name}[{at}]") for at, row in enumerate(listed)))
    return Table(_row(listed, name))


@dataclass(frozen=True)
class _Empty:
    """No rows: all that a draft of no tokens needs."""

    name: str

    def __call__(self, prefix: Prefix) -> Row:  # noqa: ARG002 - there is no row after any
        raise ShapeError(f"{self.name} is empty; expected a row of probabilities.")


def _row(entries: Sequence[Any], name: str) -> Row:
    row = []
    for at, entry in enumerate(entries):
        try:
            row.append(fraction(entry))
        except InexactError as error:
            raise InexactError(f"{name}[{at}]: {error}") from None
    if sum(row) != 1:
        advice = " These are floats: proofs.from_floats says how to read them." if _floats(entries) else ""
        raise NotADistributionError(
            f"{name} sums to {sum(row)}; expected exactly 1: divide the row by its sum.{advice}"
        )
    return tuple(row)


def _floats(entries: Sequence[Any]) -> bool:
    return any(hasattr(entry, "is_integer") and not isinstance(entry, Rational) for entry in entries)


def read_input(pair: Any, at: int, gamma: int) -> Input:
    """Return one of the caller's pairs as an input.

    Parameters
    ----------
    pair : (target, draft)
    at : int
        Its index, for errors and its name.
    gamma : int

    Raises
    ------
    ProofsError
        If it is no pair, or a row is no distribution.
    """
    try:
        target, draft = pair
    except (TypeError, ValueError):
        raise ProofsError(f"inputs[{at}] is {pair!r}; expected a pair (target, draft).") from None
    p, q = as_process(target, f"inputs[{at}] target"), as_process(draft, f"inputs[{at}] draft")
    vocabulary = len(p(()))
    found = Input(f"inputs[{at}]", p, q, gamma, vocabulary)
    found.checked[0](())
    if gamma:
        found.checked[1](())
    return found
