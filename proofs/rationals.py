"""The door of the exact layer: what may become a rational number, and what may not."""

import re
from collections.abc import Iterable, Mapping, Set
from numbers import Rational as NumbersRational
from numbers import Real
from operator import index
from typing import Any

from sympy import Integer, Rational, S

from proofs.errors import InexactError, NotADistributionError, ProofsError
from proofs.policies import POLICIES

__all__ = ["exact", "from_floats"]

_FRACTION = re.compile(r"-?[0-9]+(/[0-9]+)?")


def exact(value: Any) -> Rational:
    """Return the rational number that `value` is, or refuse it.

    Parameters
    ----------
    value : int, numbers.Rational or str
        An integer, anything registered as :class:`numbers.Rational` (NumPy integers,
        ``Fraction``, ``gmpy2.mpq``, ``sympy.Rational``), or a string such as ``"3/8"`` or ``"-2"``.

    Returns
    -------
    sympy.Rational

    Raises
    ------
    InexactError
        For everything else: floats (0.1 is not one tenth; `from_floats` says how to read
        them), bool, complex, decimal strings such as ``"0.5"``, infinities, symbols.

    Examples
    --------
    >>> exact("3/8"), exact(-2)
    (3/8, -2)
    """
    if isinstance(value, Rational):
        return value
    if isinstance(value, str):
        return _from_text(value)
    if isinstance(value, NumbersRational) and not isinstance(value, bool):
        return _quotient(value)
    raise InexactError(
        f"{value!r} ({type(value).__name__}) is not an exact rational; expected an int, a Fraction or a "
        f"string such as '3/8'.{_advice(value)}"
    )


def from_floats(row: Iterable[Any], normalise: str) -> tuple[Rational, ...]:
    """Read a row of floats as rationals, each float at its exact value.

    Parameters
    ----------
    row : iterable of float, length V >= 1
        Python floats, NumPy floats of any width, integers or rationals; finite, non-negative,
        not all zero.
    normalise : {"strict", "exact", "as-given"}
        What to do about a sum that is not one, as float rows rarely sum to one exactly:
        ``"strict"`` refuses it, ``"exact"`` divides every entry by the row's exact sum,
        ``"as-given"`` leaves the row as it is. A row left so is no distribution: the exact
        laws refuse it and nothing about it is called lossless.

    Returns
    -------
    tuple of sympy.Rational, length V

    Raises
    ------
    NotADistributionError
        If the row is empty or has no mass, an entry is NaN, infinite or negative, or the
        policy is strict and the exact sum is not one.
    InexactError
        If an entry is no real number.
    ProofsError
        If the policy is none of the three.

    Examples
    --------
    >>> from_floats([0.5, 0.25], "exact")
    (2/3, 1/3)
    """
    if not isinstance(normalise, str) or normalise not in POLICIES:
        raise ProofsError(f"normalise = {normalise!r} is not a policy; expected one of {', '.join(POLICIES)}.")
    values = tuple(_float_value(value, f"row[{i}]") for i, value in enumerate(as_row(row, "row")))
    total = sum(values, S.Zero)
    if total == 0:
        raise NotADistributionError(
            f"row has no mass: its {len(values)} entries sum to 0; expected at least one positive entry."
        )
    if normalise == "exact":
        return tuple(value / total for value in values)
    if normalise == "strict" and total != 1:
        raise NotADistributionError(
            f"row sums to {shown(total)}, not 1. Floats rarely sum to one exactly: "
            "normalise='exact' divides by the exact sum."
        )
    return values


def as_row(row: Any, name: str) -> tuple[Any, ...]:
    """Return the entries of a row, refusing what iterates but has no order or is text."""
    refused = isinstance(row, str | bytes | bytearray | memoryview | Mapping | Set)
    try:
        entries = () if refused else tuple(row)
    except TypeError:  # not iterable, or an array without axes
        refused = True
    if refused:
        raise NotADistributionError(f"{name} is a {type(row).__name__}; expected a row of V >= 1 probabilities.")
    if not entries:
        raise NotADistributionError(f"{name} is empty; expected a row of V >= 1 probabilities.")
    return entries


def shown(value: Any) -> str:
    """Return a number as text, or its size where Python declines to write that many digits."""
    try:
        text = str(value)
    except ValueError:
        return "a number of thousands of digits"
    return text if len(text) <= 60 else f"{text[:40]}... ({len(text)} characters)"


def _from_text(text: str) -> Rational:
    if not _FRACTION.fullmatch(text):
        raise InexactError(f"{text!r} is not an exact rational; expected a string such as '3/8' or '-2'.")
    numerator, _, denominator = text.partition("/")
    try:
        bottom = int(denominator or 1)
        top = int(numerator)
    except ValueError as error:  # Python bounds the digits it converts
        raise InexactError(f"a text of {len(text)} characters is too long to read: {error}.") from error
    if bottom == 0:
        raise InexactError(f"{text!r} divides by zero; expected a denominator of at least 1.")
    return Rational(top, bottom)


def _quotient(value: Any) -> Rational:
    try:
        top, bottom = index(value.numerator), index(value.denominator)
    except TypeError as error:
        raise InexactError(f"{value!r} has no integer numerator and denominator: {error}.") from error
    if bottom == 0:
        raise InexactError(f"{value!r} divides by zero; expected a denominator of at least 1.")
    return Integer(top) if bottom == 1 else Rational(top, bottom)


def _float_value(value: Any, where: str) -> Rational:
    if isinstance(value, NumbersRational) and not isinstance(value, bool):
        result = exact(value)
    elif isinstance(value, Real) and hasattr(value, "as_integer_ratio") and not isinstance(value, bool):
        try:
            top, bottom = value.as_integer_ratio()
            result = Rational(int(top), int(bottom))
        except (ValueError, OverflowError) as error:
            raise NotADistributionError(
                f"{where} = {shown(value)} is not a probability; expected a finite number >= 0."
            ) from error
    else:
        raise InexactError(
            f"{where} = {value!r} ({type(value).__name__}) is not a real number; expected floats. "
            "An array or tensor? Pass one row, row.tolist()."
        )
    if result < 0:
        raise NotADistributionError(
            f"{where} = {shown(value)} is not a probability; expected a finite number >= 0. "
            "Logits? Apply softmax first."
        )
    return result


def _advice(value: Any) -> str:
    if isinstance(value, Real) and not isinstance(value, bool):
        return " For a row of floats use proofs.from_floats(row, normalise='exact')."
    return ""
