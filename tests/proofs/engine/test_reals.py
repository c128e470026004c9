"""Roots and logarithms are decided exactly."""

import math
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs.engine.reals import logarithm_exceeds, nearest_float, nearest_float_of_logarithm, power
from proofs.engine.weights import to_fraction, weight

POSITIVE = st.fractions(min_value=Fraction(1, 1000), max_value=1000, max_denominator=1000)


def _power(base: Fraction, exponent: Fraction) -> Fraction | None:
    raised = power(weight(base), weight(exponent))
    return None if raised is None else to_fraction(raised)


@given(POSITIVE, st.integers(-6, 6), st.integers(1, 6))
def test_root_of_a_power_is_found(base: Fraction, exponent: int, degree: int) -> None:
    assert _power(base**degree, Fraction(exponent, degree)) == base**exponent


@given(POSITIVE, st.integers(2, 5))
def test_what_is_called_a_root_is_one(base: Fraction, degree: int) -> None:
    root = _power(base, Fraction(1, degree))
    if root is None:
        assert round(float(base) ** (1 / degree)) ** degree != base
    else:
        assert root**degree == base


@pytest.mark.parametrize(
    ("base", "exponent", "expected"),
    [
        (0, Fraction(1, 2), 0),
        (0, 0, 1),
        (1, Fraction(1, 10**9), 1),
        (7, 0, 1),
        (-2, 3, -8),
        (-4, Fraction(1, 2), None),
        (2, Fraction(1, 2), None),
        (2, 10**9, None),
        (Fraction(4, 9), Fraction(-3, 2), Fraction(27, 8)),
        (Fraction(2**64, 3), Fraction(1, 64), None),
    ],
)
def test_powers_at_the_edges(base: Fraction, exponent: Fraction, expected: Fraction | None) -> None:
    assert _power(Fraction(base), Fraction(exponent)) == expected


@given(POSITIVE, st.fractions(min_value=-8, max_value=8, max_denominator=50))
def test_logarithm_is_compared_as_floats_compare_it_where_they_can(argument: Fraction, bound: Fraction) -> None:
    approximate = math.log(argument)
    if abs(approximate - bound) > 1e-9:
        assert logarithm_exceeds(weight(argument), weight(bound)) == (approximate > bound)


@pytest.mark.parametrize("argument", [Fraction(2), Fraction(1, 3), Fraction(10**40 + 1, 10**40), Fraction(1, 10**400)])
def test_logarithm_is_compared_with_bounds_closer_than_floats_see(argument: Fraction) -> None:
    """ln(1 + x) < x for every x other than 0, and ln(1 + x) > x - x^2 / 2 for x > 0."""
    excess = argument - 1
    assert not logarithm_exceeds(weight(argument), weight(excess))
    if excess > 0:
        assert logarithm_exceeds(weight(argument), weight(excess - excess**2 / 2))


def test_logarithm_of_one_and_bound_zero() -> None:
    assert logarithm_exceeds(weight(1), weight(Fraction(-1, 10)))
    assert not logarithm_exceeds(weight(1), weight(0))
    assert not logarithm_exceeds(weight(1), weight(1))
    assert logarithm_exceeds(weight(Fraction(3, 2)), weight(0))
    assert not logarithm_exceeds(weight(Fraction(2, 3)), weight(0))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_nearest_float_of_a_float_is_itself(value: float) -> None:
    assert nearest_float(weight(value)) == value


def test_nearest_float_beyond_the_greatest_is_infinite() -> None:
    assert nearest_float(weight(10**400)) == math.inf
    assert nearest_float(weight(-(10**400))) == -math.inf


@given(POSITIVE)
def test_float_of_a_logarithm(argument: Fraction) -> None:
    assert math.isclose(nearest_float_of_logarithm(weight(argument)), math.log(argument), rel_tol=1e-13, abs_tol=1e-15)
