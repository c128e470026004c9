"""Rows of exact probabilities: what is accepted at the door, distance, merging."""

from collections.abc import Iterable
from typing import Any

from sympy import Rational, S

from proofs.errors import InexactError, NotADistributionError, ShapeError
from proofs.rationals import as_row, exact, shown

__all__ = ["check_pair", "check_rows", "total_variation"]

Row = tuple[Rational, ...]


def check_rows(values: Any, name: str) -> Row:
    """Return one row of rationals, or say why it is not a distribution.

    Raises
    ------
    InexactError
        If an entry is not exact (see `exact`).
    NotADistributionError
        If the row is empty, an entry is negative or the exact sum is not one.
    """
    row = exact_row(values, name)
    total = sum(row, S.Zero)
    if total != 1:
        raise NotADistributionError(
            f"{name} sums to {shown(total)}, not 1 exactly, over V = {len(row)} tokens. Rows of floats? "
            "proofs.from_floats(row, normalise='exact') divides by the exact sum."
        )
    return row


def check_pair(p: Any, q: Any, names: tuple[str, str] = ("p", "q")) -> tuple[Row, Row]:
    """Check both rows and that they are over the same number of tokens (else `ShapeError`)."""
    target, draft = check_rows(p, names[0]), check_rows(q, names[1])
    if len(target) != len(draft):
        raise ShapeError(
            f"{names[0]} has {len(target)} tokens and {names[1]} has {len(draft)}; expected two rows over "
            "the same V tokens. Give a token that one of them never produces the probability 0."
        )
    return target, draft


def total_variation(p: Any, q: Any) -> Rational:
    r"""Total variation distance :math:`\tfrac12 \sum_x |p(x) - q(x)|`, never taken from alpha.

    Parameters
    ----------
    p, q : row of V exact numbers
        Target and draft, as `exact` takes them; non-negative, sum exactly one.

    Returns
    -------
    sympy.Rational
        0 where the rows are equal, 1 where their supports are disjoint.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.

    Examples
    --------
    >>> total_variation(["1/3", "2/3"], ["2/3", "1/3"])
    1/3
    """
    target, draft = check_pair(p, q)
    return sum((distance_token(a, b) for a, b in zip(target, draft, strict=True)), S.Zero) / 2


def distance_token(p: Rational, q: Rational) -> Rational:
    """``|p(x) - q(x)|`` at one token."""
    return p - q if q < p else q - p


def merge_tokens(row: Any, i: int, j: int) -> Row:
    """Lump token `j` into token `i < j`: the law of what an observer sees who cannot tell them apart."""
    entries = check_rows(row, "row")
    if not 0 <= i < j < len(entries):
        raise ShapeError(f"tokens {i} and {j} cannot be merged; expected 0 <= i < j < V = {len(entries)}.")
    merged = list(entries)
    merged[i] += merged.pop(j)
    return tuple(merged)


def show_row(row: Iterable[Any]) -> str:
    """Return a row as ``(1/8, 3/8, 1/2)``."""
    return f"({', '.join(map(str, row))})"


def exact_row(values: Any, name: str) -> Row:
    """Return the entries of a row as rationals >= 0; the error names the index."""
    return tuple(_entry(value, name, i) for i, value in enumerate(as_row(values, name)))


def _entry(value: Any, name: str, i: int) -> Rational:
    try:
        result = exact(value)
    except InexactError as error:
        raise InexactError(f"{name}[{i}]: {error}") from error
    if result.p < 0:  # the numerator: comparing the Rational itself costs ten times as much
        raise NotADistributionError(f"{name}[{i}] = {shown(result)} is not a probability; expected a number >= 0.")
    return result
