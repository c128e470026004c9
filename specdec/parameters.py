"""Parameters of rules and transformations: numbers in a range, and variants that have a name."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from specdec.errors import SpecdecError

__all__ = ["check_fraction", "check_name", "check_number"]


def check_number(value: Any, name: str, expected: str, *, positive: bool = False) -> float:
    """Return one finite number of at least 0, or above 0, as a float; the error says what was expected."""
    if isinstance(value, bool | str | bytes | np.bool_) or np.ndim(value) != 0:
        raise SpecdecError(f"{name} = {value!r} is no number; expected one number for all rows, {expected}.")
    try:
        number = float(value)
    except (TypeError, ValueError, OverflowError) as error:
        raise SpecdecError(f"{name} = {value!r} is no number ({error}); expected {expected}.") from error
    if not 0 <= number < np.inf or (positive and number == 0):
        raise SpecdecError(f"{name} = {number}; expected {expected}.")
    return number


def check_fraction(value: Any, name: str, *, positive: bool = False) -> float:
    """Return a number from 0 to 1 as a float, both allowed unless it must be positive."""
    expected = f"0 {'<' if positive else '<='} {name} <= 1"
    number = check_number(value, name, expected, positive=positive)
    if number > 1:
        raise SpecdecError(f"{name} = {number}; expected {expected}.")
    return number


def check_name(name: Any, what: str, names: Sequence[str]) -> None:
    """Raise unless a variant is one of those that have a name."""
    if not isinstance(name, str) or name not in names:
        raise SpecdecError(f"{what} = {name!r}; expected one of {', '.join(names)}.")
