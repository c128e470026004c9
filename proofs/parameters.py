"""Parameters of rules and transformations: exact numbers in a range, and variants that have a name."""

from collections.abc import Sequence
from typing import Any

from sympy import Rational
from sympy.external.gmpy import MPQ

from proofs.errors import InexactError, ProofsError
from proofs.rationals import exact, shown

__all__ = ["check_fraction", "check_name", "check_number", "exact_number"]


def exact_number(value: Any, name: str) -> Rational:
    """Return a number as `exact` does; the error names the parameter."""
    try:
        return exact(value)
    except InexactError as error:
        raise InexactError(f"{name}: {error}") from error


def check_number(value: Any, name: str, expected: str, *, positive: bool = False) -> MPQ:
    """Return an exact number of at least 0, or above 0; the error says what was expected."""
    number = exact_number(value, name)
    if number < 0 or (positive and number == 0):
        raise ProofsError(f"{name} = {shown(number)}; expected {expected}.")
    return MPQ(number.p, number.q)


def check_fraction(value: Any, name: str, *, positive: bool = False) -> MPQ:
    """Return an exact number from 0 to 1, both allowed unless it must be positive."""
    expected = f"0 {'<' if positive else '<='} {name} <= 1"
    number = check_number(value, name, expected, positive=positive)
    if number > 1:
        raise ProofsError(f"{name} = {shown(number)}; expected {expected}.")
    return number


def check_name(value: Any, name: str, names: Sequence[str]) -> None:
    """Raise unless a variant is one of those that have a name."""
    if not isinstance(value, str) or value not in names:
        raise ProofsError(f"{name} = {value!r}; expected one of {', '.join(names)}.")
