"""Logarithms of rationals add, scale and compare exactly."""

import math
import operator
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs.engine.logarithms import LogNumber
from proofs.engine.scalars import exact_number
from proofs.engine.signals import Kind, Mark, collecting

POSITIVE = st.fractions(min_value=Fraction(1, 100), max_value=100, max_denominator=100)
COMPARISONS = [operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne]
INF, NAN = math.inf, math.nan


def ln(value: Any) -> Any:
    return exact_number(value).log()


def _leaks(run: Any) -> tuple[Any, list[Kind]]:
    marks: list[Mark] = []
    with collecting(marks):
        result = run()
    return result, [mark.kind for mark in marks]


@given(POSITIVE, POSITIVE)
def test_sums_and_comparisons_are_those_of_the_arguments(left: Fraction, right: Fraction) -> None:
    assert (ln(left) + ln(right)).exp() == left * right
    assert (ln(left) - ln(right)).exp() == left / right
    for operate in COMPARISONS:
        assert operate(ln(left), ln(right)) == operate(left, right)
    assert (ln(left) == ln(right)) == (hash(ln(left)) == hash(ln(right)))


@given(POSITIVE, st.integers(-5, 5))
def test_whole_multiples_are_powers(argument: Fraction, factor: int) -> None:
    assert (ln(argument) * factor).exp() == (factor * ln(argument)).exp() == argument**factor
    if factor:
        assert (ln(argument**factor) / factor).exp() == argument


@given(POSITIVE, st.fractions(min_value=-6, max_value=6, max_denominator=30))
def test_comparison_with_a_rational_is_decided_without_a_leak(argument: Fraction, bound: Fraction) -> None:
    approximate = math.log(argument)
    if abs(approximate - bound) > 1e-9:
        for operate in COMPARISONS:
            assert _leaks(lambda operate=operate: operate(ln(argument), bound)) == (operate(approximate, bound), [])
            assert operate(bound, ln(argument)) == operate(bound, approximate)


def test_logarithm_of_one_is_zero_and_of_zero_minus_infinity() -> None:
    assert ln(1) == 0
    assert not isinstance(ln(1), LogNumber)
    assert ln(0) == -INF
    assert ln(-1) != ln(-1)
    assert ln(INF) == INF
    assert ln(2) - ln(2) == 0
    assert exact_number(Fraction(1, 2)).log1p() == ln(Fraction(3, 2))
    assert ln(3).expm1() == 2
    assert abs(ln(Fraction(1, 3))) == ln(3) == -ln(Fraction(1, 3))
    assert bool(ln(2))


@pytest.mark.parametrize("argument", [Fraction(1, 3), Fraction(3)])
@pytest.mark.parametrize("other", [0, INF, -INF, NAN])
def test_zero_and_specials_are_those_of_floats(argument: Fraction, other: float) -> None:
    number, value = ln(argument), math.log(argument)
    for operate in (operator.add, operator.sub, operator.mul):
        for result, expected in (
            (operate(number, other), operate(value, other)),
            (operate(other, number), operate(other, value)),
        ):
            same = (
                result == ln(argument) or result == -ln(argument) if abs(expected) == abs(value) else result == expected
            )
            assert same or (result != result and expected != expected), (operate, other)
    for operate in COMPARISONS:
        assert operate(number, other) == operate(value, other)
        assert operate(other, number) == operate(other, value)
    assert ln(3) / 0 == INF
    assert ln(Fraction(1, 3)) / 0 == -INF
    assert ln(3) / -INF == 0
    assert 0 / ln(3) == 0
    assert INF / ln(Fraction(1, 3)) == -INF


@pytest.mark.parametrize(
    ("run", "expected"),
    [
        (lambda: ln(2) + 1, math.log(2) + 1),
        (lambda: 1 - ln(2), 1 - math.log(2)),
        (lambda: ln(2) / 2, math.log(2) / 2),
        (lambda: ln(2) * ln(3), math.log(2) * math.log(3)),
        (lambda: 1 / ln(2), 1 / math.log(2)),
        (lambda: ln(2) / ln(3), math.log(2) / math.log(3)),
        (lambda: ln(3).log(), math.log(math.log(3))),
        (lambda: ln(3).sqrt(), math.sqrt(math.log(3))),
        (lambda: ln(3) % 1, math.log(3) % 1),
        (lambda: ln(3) ** 2, math.log(3) ** 2),
        (lambda: float(ln(3)), math.log(3)),
        (lambda: int(ln(30)), 3),
        (lambda: math.floor(ln(30)), 3),
        (lambda: math.ceil(ln(30)), 4),
        (lambda: round(ln(30)), 3),
        (lambda: ln(3).reciprocal(), 1 / math.log(3)),
    ],
)
def test_what_is_no_logarithm_of_a_rational_is_marked(run: Any, expected: float) -> None:
    result, leaks = _leaks(run)
    assert leaks
    assert set(leaks) == {Kind.LEAK}
    assert abs(result - expected) < 1e-15 * 8


def test_exact_cases_are_not_marked() -> None:
    assert _leaks(lambda: ln(4) / 2) == (ln(2), [])
    assert _leaks(lambda: ln(Fraction(1, 4)) * 0.5) == (ln(Fraction(1, 2)), [])
    assert _leaks(lambda: ln(2) / ln(2)) == (1, [])
    assert _leaks(lambda: ln(2) + 0) == (ln(2), [])
    assert repr(ln(Fraction(2, 3))) == "ln(2/3)"


def test_other_types_get_their_turn() -> None:
    assert ln(2).__add__("x") is NotImplemented
    assert ln(2).__lt__("x") is NotImplemented
    assert ln(2) != "x"
