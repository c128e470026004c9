"""Roots, logarithms and floats of rational numbers: decided exactly, or said to be no rational number."""

from decimal import MAX_EMAX, MIN_EMIN, Context, Decimal
from fractions import Fraction
from math import inf, isqrt

from proofs.engine.weights import Weight, to_fraction, weight

__all__ = ["logarithm_exceeds", "nearest_float", "nearest_float_of_logarithm", "power"]

_DIGITS = 30  # to begin with; doubled until the question is decided
_LARGEST_EXPONENT = 2**16  # powers beyond it would fill the memory
_LARGEST_DEGREE = 64  # floats such as 1/3 have degree 2**54, and no root of such a degree is rational but 0 and 1


def nearest_float(value: Weight) -> float:
    """Return the float nearest to a weight, an infinity beyond the greatest one."""
    exact = to_fraction(value)
    try:
        return exact.numerator / exact.denominator
    except OverflowError:
        return inf if exact > 0 else -inf


def power(base: Weight, exponent: Weight) -> Weight | None:
    """Return ``base ** exponent`` if it is rational.

    Parameters
    ----------
    base, exponent : Weight
        A base of zero needs an exponent that is not negative.

    Returns
    -------
    Weight or None
        None where the power is irrational, imaginary or too large to be written down; 1 for ``0 ** 0``.
    """
    if base == 1 or exponent == 0:
        return weight(1)
    if base == 0:
        return base
    ratio = to_fraction(exponent)
    if abs(ratio.numerator) > _LARGEST_EXPONENT or ratio.denominator > _LARGEST_DEGREE:
        return None
    root = base if ratio.denominator == 1 else _root(to_fraction(base), ratio.denominator)
    return None if root is None else root**ratio.numerator


def _root(value: Fraction, degree: int) -> Weight | None:
    if value < 0:
        return None
    above, below = _whole_root(value.numerator, degree), _whole_root(value.denominator, degree)
    return None if above is None or below is None else weight(Fraction(above, below))


def _whole_root(value: int, degree: int) -> int | None:
    if degree == 2:
        guess = isqrt(value)
        return guess if guess * guess == value else None
    low, high = 0, 1 << (value.bit_length() // degree + 1)
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if middle**degree >= value else (middle + 1, high)
    return low if low**degree == value else None


def logarithm_exceeds(argument: Weight, bound: Weight) -> bool:
    """Tell whether ``ln(argument) > bound``, by intervals that shrink until they leave the bound out.

    They do, since the logarithm of a rational number other than 1 is irrational.

    Parameters
    ----------
    argument : Weight
        Greater than 0; for 1 the question is whether ``0 > bound``.
    bound : Weight
        Any rational number.
    """
    if argument == 1 or bound == 0:
        return bool(argument > 1) if bound == 0 else bool(bound < 0)
    limit, digits = to_fraction(bound), _DIGITS
    while True:
        middle, radius = _logarithm(to_fraction(argument), digits)
        if abs(middle - limit) > radius:
            return middle > limit
        digits *= 2


def nearest_float_of_logarithm(argument: Weight) -> float:
    """Return the float nearest to ``ln(argument)`` for an argument greater than 0."""
    exact, digits = to_fraction(argument), _DIGITS
    while True:
        middle, radius = _logarithm(exact, digits)
        low, high = nearest_float(weight(middle - radius)), nearest_float(weight(middle + radius))
        if low == high:
            return low
        digits *= 2


def _logarithm(argument: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    # Decimal.ln is correctly rounded, so that half a unit in the last digit bounds the error of each part.
    context = Context(prec=digits, Emax=MAX_EMAX, Emin=MIN_EMIN)
    above, below = (Fraction(Decimal(part).ln(context)) for part in (argument.numerator, argument.denominator))
    return above - below, (abs(above) + abs(below)) / Fraction(10) ** (digits - 1)
