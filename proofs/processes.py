"""What the laws of whole processes are asked about: a row for every prefix, checked where it is reached.

A process is given as one row, the same after every prefix, or as a callable from the accepted prefix (a tuple of
tokens) to a row. Rows are checked when a law reaches them, so that a table need not hold what has probability zero.
"""

from operator import index
from typing import Any

from sympy import Rational
from sympy.external.gmpy import MPQ

from proofs.distributions import Row, check_pair, check_rows
from proofs.errors import NotADistributionError, ProofsError, ShapeError
from proofs.rationals import as_row, shown

__all__ = ["Prefix", "Process", "Weights", "as_rational", "check_count", "check_processes", "first_rows"]

Prefix = tuple[int, ...]
Weights = tuple[MPQ, ...]


class Process:
    """A law of tokens by prefix: every row is checked when it is first asked for, and kept.

    Parameters
    ----------
    rows : row of V exact numbers, or callable prefix -> row
        Entries as `proofs.exact` takes them.
    name : str
        What errors call it.
    vocabulary : int or None
        V; None takes that of the first row.
    """

    def __init__(self, rows: Any, name: str, vocabulary: int | None = None) -> None:
        self._rows = rows
        self._name = name
        self._vocabulary = vocabulary
        self._known: dict[Prefix, tuple[Row, Weights]] = {}
        self._checked: dict[tuple[int, ...], tuple[tuple[Any, ...], Row, Weights]] = {}

    @property
    def vocabulary(self) -> int:
        """V: that of the row after the empty prefix, unless it was given."""
        if self._vocabulary is None:
            self._vocabulary = len(self.row(()))
        return self._vocabulary

    @property
    def constant(self) -> bool:
        """Whether one row was given for every prefix."""
        return not callable(self._rows)

    def row(self, prefix: Prefix) -> Row:
        """Return the row after a prefix as SymPy rationals.

        Raises
        ------
        InexactError, NotADistributionError, ShapeError
            If there is no row, or it is no distribution over V tokens.
        """
        return self._entry(prefix)[0]

    def weights(self, prefix: Prefix) -> Weights:
        """Return the same row as SymPy's ground type: several times faster to calculate with than `Rational`."""
        return self._entry(prefix)[1]

    def _entry(self, prefix: Prefix) -> tuple[Row, Weights]:
        place = () if self.constant else prefix
        if place not in self._known:
            self._known[place] = self._read(place)
        return self._known[place]

    def _read(self, prefix: Prefix) -> tuple[Row, Weights]:
        """Check a row, once for all prefixes after which the same objects stand: in a Markov chain they are many."""
        values = self._rows if self.constant else self._asked(prefix)
        # A number does not change. An equal one may be of another type, and not exact: 0.5 == Fraction(1, 2).
        objects = tuple(map(id, values)) if type(values) in (tuple, list) else ()
        known = self._checked.get(objects)
        if known is None or self._vocabulary not in (None, len(objects)):
            # The entries are kept so that no later object takes the place of one in memory.
            known = self._check(values, self._name_of(prefix))
            if objects:
                self._checked[objects] = known
        return known[1:]

    def _check(self, values: Any, name: str) -> tuple[tuple[Any, ...], Row, Weights]:
        entries = as_row(values, name)
        row = check_rows(entries, name)
        if self._vocabulary is not None and len(row) != self._vocabulary:
            raise ShapeError(
                f"{name} has {len(row)} tokens; expected {self._vocabulary}, the V of the target's first row. Give a "
                "token that a row never produces the probability 0."
            )
        return entries, row, tuple(MPQ(entry.p, entry.q) for entry in row)

    def _name_of(self, prefix: Prefix) -> str:
        return self._name if self.constant else f"{self._name}({prefix})"

    def _asked(self, prefix: Prefix) -> Any:
        try:
            values = self._rows(prefix)
        except LookupError as error:
            name = f"{self._name_of(prefix)} raises {type(error).__name__}"
            raise NotADistributionError(f"{name}; {_EXPECTED}.") from error
        if values is None:
            raise NotADistributionError(f"{self._name_of(prefix)} is None; {_EXPECTED}.")
        return values


_EXPECTED = "expected a row of V probabilities for every prefix of tokens that has probability above zero"


def check_processes(target: Any, draft: Any) -> tuple[Process, Process]:
    """Return target and draft as processes over the target's V tokens.

    Parameters
    ----------
    target, draft : row of V exact numbers, or callable prefix -> row

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If the target's first row is no distribution. Every other row is looked at when it is reached, but a `draft`
        that is one row for every prefix is looked at here.
    """
    first = target if isinstance(target, Process) else Process(target, "target")
    second = draft if isinstance(draft, Process) else Process(draft, "draft", first.vocabulary)
    if second.constant:
        second.row(())
    return first, second


def first_rows(target: Any, draft: Any) -> tuple[Row, Row]:
    """Return the rows of target and draft at one position: those after the empty prefix, of callables.

    Parameters
    ----------
    target, draft : row of V exact numbers, or callable prefix -> row

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If one of the two is no distribution, or the lengths differ.
    """
    p = Process(target, "target").row(()) if callable(target) else target
    q = Process(draft, "draft").row(()) if callable(draft) else draft
    return check_pair(p, q, ("target", "draft"))


def check_count(value: Any, name: str, least: int = 0, what: str = "drafted tokens") -> int:
    """Return a number of tokens or drafts as an int; the error names the bound.

    Raises
    ------
    ProofsError
        If it is no integer (a bool is none), or below `least`.
    """
    try:
        count = index(value)
    except TypeError:
        count = None
    if count is None or isinstance(value, bool):
        kind = type(value).__name__  # "2" and Fraction(2) print as an integer does
        raise ProofsError(
            f"{name} = {shown(value)} is no integer ({kind}); expected a number of {what}, {least} or more."
        )
    if count < least:
        raise ProofsError(f"{name} = {count}; expected a number of {what}, {least} or more.")
    return count


def as_rational(weight: MPQ) -> Rational:
    """Return a number of the ground type as a SymPy rational."""
    # In lowest terms already: the constructor would look for a common divisor again, at four times the price.
    return Rational.from_coprime_ints(int(weight.numerator), int(weight.denominator))
