r"""Comparisons with :math:`\delta e^{-H(p)}` that are never wrong, though no logarithm is rational.

With D the least common denominator of a row and n_i = D p_i, a probability n / D exceeds :math:`(a / b) e^{-H}` iff

.. math:: n^D \, b^D > a^D \prod_i n_i^{n_i}

because :math:`e^{-H} = \prod_i p_i^{p_i}` and the powers of D cancel. Both sides are integers.
"""

from collections.abc import Callable
from decimal import Context, Decimal
from functools import cache
from math import lcm, prod

from sympy.external.gmpy import MPQ

from proofs.errors import ProofsError
from proofs.processes import Weights

__all__ = ["exceeds_typical"]

_INTEGER_BITS = 2**20  # integers up to this size are compared as they are
_PRECISIONS = (30, 60, 120, 240, 480)  # decimal digits of the logarithms beyond it

Powers = list[tuple[int, int]]  # (number, exponent): their product is meant, all numbers positive
Bounds = tuple[MPQ, MPQ]


def exceeds_typical(row: Weights, factor: MPQ) -> Callable[[MPQ], bool]:
    r"""Return the exact test whether a probability of a row is above ``factor`` times :math:`e^{-H}`.

    Parameters
    ----------
    row : tuple of exact numbers
        A distribution.
    factor : exact number >= 0
        With 0 every probability above 0 passes.

    Returns
    -------
    callable
        entry of the row -> bool.

    Raises
    ------
    ProofsError
        By the test, where the integers have more than 2^20 bits and their logarithms agree to 480 digits.
    """
    common = lcm(*(int(entry.denominator) for entry in row))
    counts = [int(entry * common) for entry in row]
    above, below = int(factor.numerator), int(factor.denominator)
    right = [(n, n) for n in counts if n] + [(above, common)]
    exceeded = _comparison(right) if above else lambda left: True
    # Few rows have many different entries, and a decision may be long.
    return cache(lambda entry: entry > 0 and exceeded([(int(entry * common), common), (below, common)]))


def _comparison(right: Powers) -> Callable[[Powers], bool]:
    """Whether a product of powers is greater than this one."""
    small = _bits(right) <= _INTEGER_BITS
    product = _product(right) if small else 0
    bounds = cache(lambda digits: _logarithm_of_product(right, digits))

    def exceeds(left: Powers) -> bool:
        if small and _bits(left) <= _INTEGER_BITS:
            return _product(left) > product
        for digits in _PRECISIONS:
            (low, high), (least, greatest) = _logarithm_of_product(left, digits), bounds(digits)
            if low > greatest or high < least:
                return bool(low > greatest)
        raise ProofsError(
            f"delta exp(-H) is too close to an entry to decide by logarithms of {_PRECISIONS[-1]} digits; expected a "
            "row with a smaller common denominator. Round it to a coarser grid, or move delta."
        )

    return exceeds


def _bits(powers: Powers) -> int:
    return sum(number.bit_length() * times for number, times in powers if number > 1)


def _product(powers: Powers) -> int:
    return prod(number**times for number, times in powers)


def _logarithm_of_product(powers: Powers, digits: int) -> Bounds:
    ends = [(times, _logarithm(number, digits)) for number, times in powers if number > 1]
    low, high = (sum((times * bounds[i] for times, bounds in ends), MPQ(0)) for i in (0, 1))
    return low, high


def _logarithm(number: int, digits: int) -> Bounds:
    """Bounds of ln(number): `Decimal.ln` is correctly rounded, so its neighbours are on either side of the truth."""
    context = Context(prec=digits)
    nearest = Decimal(number).ln(context)
    low, high = nearest.next_minus(context), nearest.next_plus(context)
    return MPQ(*low.as_integer_ratio()), MPQ(*high.as_integer_ratio())
