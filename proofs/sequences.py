"""Laws of sequences of tokens on ``Fraction``: of a process, and of one call that the target completes."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from math import lcm
from typing import TypeAlias

from proofs.errors import NotADistributionError, ShapeError

__all__ = [
    "CallLaw",
    "Prefix",
    "Process",
    "Row",
    "Rows",
    "check_law",
    "checked_rows",
    "exact_sum",
    "process_law",
    "sequence_law",
    "target_law",
]

Prefix: TypeAlias = tuple[int, ...]
Row: TypeAlias = tuple[Fraction, ...]
Process: TypeAlias = Callable[[Prefix], Sequence[Fraction]]
CallLaw: TypeAlias = Mapping[tuple[Prefix, Prefix], Fraction]  # (drafted tokens, emitted tokens) -> mass

ZERO = Fraction(0)


class Rows:
    """A process whose rows are checked when they are first asked for, and kept.

    Parameters
    ----------
    process : callable, prefix -> row
        A row of V probabilities for every prefix of tokens 0 to V - 1.
    vocabulary : int
        V.
    name : str
        What errors call it.

    Raises
    ------
    ShapeError, NotADistributionError
        When a row is asked for that has not V entries, a negative one, or another sum than one.
    """

    def __init__(self, process: Process, vocabulary: int, name: str) -> None:
        self._process = process
        self.vocabulary = vocabulary
        self._name = name
        self._rows: dict[Prefix, Row] = {}

    def __call__(self, prefix: Prefix) -> Row:
        """Return the row after `prefix`."""
        row = self._rows.get(prefix)
        if row is None:
            row = self._rows[prefix] = self._checked(prefix)
        return row

    def chance(self, prefix: Prefix, token: int) -> Fraction:
        """Return the probability of `token` after `prefix`; zero for what is no token."""
        return self(prefix)[token] if 0 <= token < self.vocabulary else ZERO

    def holds(self, tokens: Prefix) -> bool:
        """Tell whether every one of `tokens` is a token of the vocabulary."""
        return all(0 <= token < self.vocabulary for token in tokens)

    def _checked(self, prefix: Prefix) -> Row:
        row = tuple(self._process(prefix))
        where = f"{self._name}({prefix})"
        if len(row) != self.vocabulary:
            raise ShapeError(f"{where} has {len(row)} entries; expected {self.vocabulary}, one for each token.")
        if any(entry.numerator < 0 for entry in row):
            token = row.index(min(row))
            raise NotADistributionError(f"{where}[{token}] is {row[token]}; expected probabilities >= 0.")
        if exact_sum(row) != 1:
            raise NotADistributionError(
                f"{where} sums to {exact_sum(row)}; expected exactly 1: divide the row by its sum."
            )
        return row


def exact_sum(numbers: Iterable[Fraction]) -> Fraction:
    """Add up fractions over their common denominator, several times faster than `sum` does.

    Parameters
    ----------
    numbers : iterable of Fraction

    Returns
    -------
    Fraction
        0 for no numbers.
    """
    ratios = [number.as_integer_ratio() for number in numbers]
    common = lcm(*(bottom for _, bottom in ratios))
    return Fraction(sum(top * (common // bottom) for top, bottom in ratios), common)


def checked_rows(process: Process, vocabulary: int, name: str) -> Rows:
    """Wrap a process in `Rows`, unless it is one."""
    return process if isinstance(process, Rows) else Rows(process, vocabulary, name)


def process_law(process: Process, length: int, vocabulary: int, name: str = "process") -> dict[Prefix, Fraction]:
    """Law of the first tokens of a process.

    Parameters
    ----------
    process : callable, prefix -> row
    length : int
        Number of tokens; with 0 the empty sequence has mass one.
    vocabulary : int
    name : str
        What errors call the process.

    Returns
    -------
    dict
        Sequence -> Fraction; sequences of probability zero are left out.

    Raises
    ------
    ShapeError, NotADistributionError
        If a row is no distribution over the vocabulary.
    """
    rows = checked_rows(process, vocabulary, name)
    law: dict[Prefix, Fraction] = {(): Fraction(1)}
    for _ in range(length):
        law = _grown(law, rows)
    return law


def target_law(target: Process, length: int, vocabulary: int) -> dict[Prefix, Fraction]:
    """Law of the target's own first tokens: `process_law` of the target.

    Parameters
    ----------
    target : callable, prefix -> row
    length, vocabulary : int

    Returns
    -------
    dict
        Sequence -> Fraction; sequences of probability zero are left out.

    Raises
    ------
    ShapeError, NotADistributionError
        If a row is no distribution over the vocabulary.
    """
    return process_law(target, length, vocabulary, "target")


def sequence_law(law: CallLaw, target: Process, gamma: int, vocabulary: int) -> dict[Prefix, Fraction]:
    """Law of gamma + 1 tokens: one call, then the target's own sampling.

    Parameters
    ----------
    law : mapping, (tokens, emitted) -> Fraction
        Law of one call; it may have less than mass one, and so has the result then.
    target : callable, prefix -> row
    gamma, vocabulary : int

    Returns
    -------
    dict
        Sequence -> mass, where positive. What was emitted with a token outside the vocabulary has no
        continuation and stands as it is, shorter than gamma + 1 perhaps.

    Raises
    ------
    ShapeError, NotADistributionError
        If a row is no distribution, a mass is negative, or a length does not fit `gamma`.
    """
    check_law(law, gamma)
    rows = checked_rows(target, vocabulary, "target")
    ended: dict[int, dict[Prefix, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for (_, emitted), mass in law.items():
        # Length gamma + 1 is never extended: so is nothing that leaves the vocabulary.
        ended[len(emitted) if rows.holds(emitted) else gamma + 1][emitted] += mass
    total: dict[Prefix, Fraction] = {}
    for length in range(1, gamma + 2):
        total = _grown(total, rows)
        for emitted, mass in ended[length].items():
            total[emitted] = total.get(emitted, ZERO) + mass
    return {sequence: mass for sequence, mass in total.items() if mass}


def check_law(law: CallLaw, gamma: int) -> None:
    """Refuse what is no law of a call.

    Raises
    ------
    ShapeError
        If there are not `gamma` drafted tokens, or not 1 to gamma + 1 emitted ones.
    NotADistributionError
        If a mass is negative.
    """
    for (tokens, emitted), mass in law.items():
        if len(tokens) != gamma:
            raise ShapeError(f"law has {len(tokens)} drafted tokens in {tokens}; expected gamma = {gamma}.")
        if not 1 <= len(emitted) <= gamma + 1:
            raise ShapeError(
                f"law has {len(emitted)} emitted tokens in {emitted}; expected 1 to gamma + 1 = {gamma + 1}: "
                "count such a path as missing mass."
            )
        if mass.numerator < 0:
            raise NotADistributionError(f"law[{tokens}, {emitted}] is {mass}; expected a mass >= 0.")


def _grown(law: Mapping[Prefix, Fraction], rows: Rows) -> dict[Prefix, Fraction]:
    """Every sequence with one more token of the process."""
    return {
        (*prefix, token): mass * chance
        for prefix, mass in law.items()
        for token, chance in enumerate(rows(prefix))
        if mass and chance
    }
