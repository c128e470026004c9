"""Exact numbers count as floats do, and never round."""

import math
import operator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs.engine.scalars import ExactNumber, exact_number, is_exact
from proofs.engine.signals import Kind, Mark, collecting
from proofs.engine.weights import to_fraction, weight

FRACTIONS = st.fractions(max_denominator=1000)
ARITHMETIC = [operator.add, operator.sub, operator.mul, operator.truediv, operator.floordiv, operator.mod]
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]
# Dyadic, and so small that no operator rounds them; the specials among them.
FLOATS = [0.0, 0.25, 1.0, 2.0, -0.5, -1.0, -3.0, math.inf, -math.inf, math.nan]
EXACT_QUOTIENTS = [0.0, 0.25, 1.0, 2.0, -0.5, -1.0, math.inf, -math.inf, math.nan]


def _same(number: Any, expected: float) -> bool:
    return number.approximate() == expected or bool(number != number and expected != expected)


def _leaks(run: Any) -> tuple[Any, list[Kind]]:
    marks: list[Mark] = []
    with collecting(marks):
        result = run()
    return result, [mark.kind for mark in marks]


@given(FRACTIONS, FRACTIONS)
def test_arithmetic_is_that_of_fractions(left: Fraction, right: Fraction) -> None:
    for operate in ARITHMETIC:
        if right or operate not in ARITHMETIC[3:]:
            expected = operate(left, right)
            for pair in (
                (exact_number(left), exact_number(right)),
                (exact_number(left), right),
                (left, exact_number(right)),
            ):
                result = operate(*pair)
                assert isinstance(result, ExactNumber)
                assert to_fraction(result.weight) == expected


@given(FRACTIONS, FRACTIONS)
def test_comparisons_are_those_of_fractions(left: Fraction, right: Fraction) -> None:
    for operate in COMPARISONS:
        expected = operate(left, right)
        assert operate(exact_number(left), exact_number(right)) == expected
        assert operate(exact_number(left), right) == operate(left, exact_number(right)) == expected


@given(FRACTIONS)
def test_hash_conversions_and_rounding_are_those_of_a_fraction(value: Fraction) -> None:
    number = exact_number(value)
    assert hash(number) == hash(value)
    assert {value: 1}.get(number) == 1  # type: ignore[call-overload]
    for convert in (int, math.floor, math.ceil, math.trunc, round, bool, str):
        assert convert(number) == convert(value)
    assert [round(number, 1), abs(number), -number] == [round(value, 1), abs(value), -value]
    assert number.as_integer_ratio() == value.as_integer_ratio()
    assert number.is_integer() == (value.denominator == 1)
    assert _leaks(lambda: float(number)) == (float(value), [Kind.LEAK])


@pytest.mark.parametrize("operate", [*ARITHMETIC, *COMPARISONS])
@pytest.mark.parametrize("right", EXACT_QUOTIENTS)
@pytest.mark.parametrize("left", FLOATS)
def test_specials_and_division_by_zero_are_those_of_ieee(left: float, right: float, operate: Any) -> None:
    with np.errstate(all="ignore"):
        expected = operate(np.float64(left), np.float64(right))
    for pair in ((exact_number(left), exact_number(right)), (exact_number(left), right), (left, exact_number(right))):
        result = operate(*pair)
        assert result == expected if operate in COMPARISONS else _same(result, expected), pair


@pytest.mark.parametrize("exponent", [0, 1, 2, 3, -1, -2, -3, math.inf, -math.inf, math.nan])
@pytest.mark.parametrize("base", [0.0, 0.5, 1.0, 2.0, -0.5, -1.0, -2.0, math.inf, -math.inf, math.nan])
def test_powers_are_those_of_ieee(base: float, exponent: float) -> None:
    with np.errstate(all="ignore"):
        expected = np.float64(base) ** np.float64(exponent)
    result, leaks = _leaks(lambda: exact_number(base) ** exponent)
    assert _same(result, expected)
    assert leaks == []
    assert _same(base ** exact_number(exponent), expected)


@pytest.mark.parametrize(
    "value",
    [3, True, Fraction(3, 7), 0.1, np.float64(0.1), np.float32(0.1), np.float16(0.1), np.longdouble(0.1), np.int64(-4),
     np.uint8(200), np.bool_(True), weight(Fraction(2, 3))],
)  # fmt: skip
def test_number_is_taken_at_its_exact_value(value: Any) -> None:
    expected = to_fraction(weight(1 if isinstance(value, np.bool_) else value))
    assert to_fraction(exact_number(value).weight) == expected
    for result in (exact_number(1) + value, value + exact_number(1)):
        assert result == expected + 1
        assert is_exact(result)


@pytest.mark.parametrize("value", ["1/2", None, 1j, [1]])
def test_what_is_no_number_is_refused(value: Any) -> None:
    with pytest.raises(TypeError):
        exact_number(value)
    with pytest.raises(TypeError):
        exact_number(1) + value
    assert exact_number(1) != value


def test_other_types_get_their_turn() -> None:
    class Undrawn:
        def __radd__(self, other: Any) -> str:
            return f"{other} + u"

        def __gt__(self, other: Any) -> str:
            return f"u > {other}"

    assert exact_number(Fraction(1, 2)) + Undrawn() == "1/2 + u"
    assert (exact_number(Fraction(1, 2)) < Undrawn()) == "u > 1/2"
    assert exact_number(math.inf) + Undrawn() == "inf + u"


def test_comparison_of_numbers_is_a_truth_value_of_numpy() -> None:
    """``~(x < y)`` of elements of a float array is a truth value; ``~False`` would be -1, which is true."""
    assert not ~(exact_number(1) < exact_number(2))
    assert not ~(exact_number(1) < 2)
    assert not ~(exact_number(1) < math.inf)


def test_division_raises_where_numpy_is_told_to() -> None:
    with np.errstate(divide="raise"), pytest.raises(FloatingPointError):
        exact_number(1) / 0
    with np.errstate(divide="ignore", invalid="raise"):
        assert exact_number(1) / 0 == math.inf
        with pytest.raises(FloatingPointError):
            exact_number(0) / 0


def test_specials_have_no_weight_and_hash_as_floats() -> None:
    for value in (math.inf, -math.inf):
        assert hash(exact_number(value)) == hash(value)
    with pytest.raises(ValueError, match="isfinite"):
        _ = exact_number(math.nan).weight
    with pytest.raises(OverflowError):
        int(exact_number(math.inf))
    assert not exact_number(math.inf).is_integer()
    assert (str(exact_number(math.nan)), repr(-exact_number(math.inf)), f"{exact_number(math.inf):.1f}") == (
        "nan",
        "-inf",
        "inf",
    )


def test_number_is_no_index() -> None:
    with pytest.raises(TypeError):
        [1, 2][exact_number(1)]  # type: ignore[call-overload]


def test_roots_are_exact_or_marked() -> None:
    assert _leaks(lambda: exact_number(Fraction(4, 9)).sqrt()) == (Fraction(2, 3), [])
    assert _leaks(lambda: exact_number(Fraction(4, 9)) ** 1.5) == (Fraction(8, 27), [])
    assert _leaks(lambda: exact_number(2).sqrt()) == (math.sqrt(2), [Kind.LEAK])
    assert _leaks(lambda: exact_number(2) ** Fraction(1, 3)) == (2 ** (1 / 3), [Kind.LEAK])
    nothing, leaks = _leaks(lambda: exact_number(-4).sqrt())
    assert nothing != nothing
    assert leaks == []


def test_exponentials_and_logarithms_to_other_bases_are_exact_or_marked() -> None:
    assert _leaks(lambda: exact_number(0).exp()) == (1, [])
    assert _leaks(lambda: exact_number(0).expm1()) == (0, [])
    assert _leaks(lambda: exact_number(1).exp()) == (math.e, [Kind.LEAK])
    assert _leaks(lambda: exact_number(-math.inf).exp()) == (0, [])
    assert _leaks(lambda: exact_number(Fraction(1, 8)).log2()) == (-3, [])
    assert _leaks(lambda: exact_number(1000).log10()) == (3, [])
    assert _leaks(lambda: exact_number(3).log2()) == (np.log2(3), [Kind.LEAK])
    assert _leaks(lambda: exact_number(3).exp2()) == (8, [])
    assert _leaks(lambda: exact_number(0).log2()) == (-math.inf, [])
    assert _leaks(lambda: exact_number(Fraction(5, 2)).rint()) == (2, [])
    assert _leaks(lambda: exact_number(Fraction(5, 2)).square().reciprocal()) == (Fraction(4, 25), [])
    assert _leaks(lambda: exact_number(1).tanh()) == (np.tanh(1), [Kind.LEAK])
