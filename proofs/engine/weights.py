"""The rational numbers that the engine counts with: gmpy2 or flint where installed, else ``Fraction``.

They never leave the engine: laws and verdicts hold ``Fraction``, the same whatever is installed.
"""

from collections.abc import Callable
from fractions import Fraction
from numbers import Rational
from typing import Any, TypeAlias

__all__ = ["ONE", "ZERO", "Weight", "is_weight", "to_fraction", "weight"]

Weight: TypeAlias = Any  # mpq, fmpq or Fraction: equal values, the same operators


def _backend() -> tuple[type, Callable[[int, int], Weight], Callable[[Weight], Fraction]]:
    try:
        from gmpy2 import mpq
    except ModuleNotFoundError:
        pass
    else:
        return type(mpq()), mpq, lambda value: Fraction(int(value.numerator), int(value.denominator))
    try:
        from flint import fmpq
    except ModuleNotFoundError:
        return Fraction, Fraction, lambda value: value
    return fmpq, fmpq, lambda value: Fraction(int(value.p), int(value.q))


_TYPE, _make, _leave = _backend()


def weight(value: Any) -> Weight:
    """Return an int, a rational or a finite float as a weight, at its exact value.

    Raises
    ------
    TypeError
        If `value` is no rational number and no float.
    OverflowError, ValueError
        If `value` is an infinity or NaN.
    """
    if isinstance(value, _TYPE):
        return value
    if isinstance(value, int):
        return _make(value, 1)
    if isinstance(value, Rational):
        return _make(int(value.numerator), int(value.denominator))
    try:
        return _make(*value.as_integer_ratio())
    except AttributeError:
        raise TypeError(f"{value!r} ({type(value).__name__}) is no number with an exact value") from None


def is_weight(value: Any) -> bool:
    """Tell whether `value` is of the type that the engine counts with."""
    return isinstance(value, _TYPE)


def to_fraction(value: Weight) -> Fraction:
    """Return a weight as the ``Fraction`` of the same value."""
    return _leave(value)


ZERO: Weight = weight(0)
ONE: Weight = weight(1)
