"""The door: exact values come in, nothing else does."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from sympy import Rational

import proofs
from proofs.errors import InexactError, NotADistributionError, ProofsError

ACCEPTED: list[tuple[Any, Rational]] = [
    (3, Rational(3)),
    (-2, Rational(-2)),
    (Fraction(3, 8), Rational(3, 8)),
    ("3/8", Rational(3, 8)),
    ("-2", Rational(-2)),
    ("-6/4", Rational(-3, 2)),
    (Rational(1, 7), Rational(1, 7)),
    (sympy.Integer(4), Rational(4)),
    (np.int8(-3), Rational(-3)),
    (np.uint64(2**64 - 1), Rational(2**64 - 1)),
    (10**50, Rational(10**50)),
]

REFUSED: list[Any] = [
    0.5,
    np.float64(0.5),
    np.float32(0.5),
    float("nan"),
    True,
    np.True_,
    1j,
    Decimal("0.5"),
    "0.5",
    "1e3",
    " 1/2",
    "1/2\n",
    "1/-2",
    "+1",
    "1_0",
    "\u0663",
    "1/0",
    "",
    "half",
    "9" * 5000,
    None,
    [1],
    np.array(1),
    sympy.oo,
    sympy.nan,
    sympy.zoo,
    sympy.Symbol("x"),
    sympy.sqrt(2),
    sympy.Float(0.5),
]


@pytest.mark.parametrize(("value", "expected"), ACCEPTED, ids=repr)
def test_exact_numbers_are_taken_at_their_value(value: Any, expected: Rational) -> None:
    result = proofs.exact(value)
    assert isinstance(result, Rational)
    assert result == expected


@pytest.mark.parametrize("value", REFUSED, ids=lambda value: repr(value)[:20])
def test_everything_else_is_refused(value: Any) -> None:
    with pytest.raises(InexactError):
        proofs.exact(value)


def test_gmpy2_and_flint_rationals() -> None:
    """gmpy2 registers with ``numbers``; flint does not and is refused rather than guessed at."""
    gmpy2 = pytest.importorskip("gmpy2")
    assert proofs.exact(gmpy2.mpq(3, 8)) == Rational(3, 8)
    assert proofs.exact(gmpy2.mpz(3)) == 3


def test_rational_class_without_integer_parts_is_refused() -> None:
    class Odd(Fraction):
        @property
        def numerator(self) -> Any:
            return 0.5

    with pytest.raises(InexactError, match="no integer numerator"):
        proofs.exact(Odd(1, 2))


def test_float_is_told_of_from_floats() -> None:
    with pytest.raises(InexactError, match=r"0\.5 \(float\).*proofs\.from_floats"):
        proofs.exact(0.5)


@given(st.fractions())
def test_fractions_round_trip(value: Fraction) -> None:
    """For all rationals: through the door and back nothing changes."""
    result = proofs.exact(value)
    assert Fraction(int(result.p), int(result.q)) == value
    assert proofs.exact(f"{value.numerator}/{value.denominator}") == result


@given(st.lists(st.floats(0, 1, width=32), min_size=1).filter(any))
def test_each_float_is_taken_at_its_exact_value(row: list[float]) -> None:
    """For all float rows: as-given is the floats' own values; exact is those over their exact sum."""
    given_values = proofs.from_floats(row, "as-given")
    assert [Fraction(int(x.p), int(x.q)) for x in given_values] == [Fraction(x) for x in row]
    divided = proofs.from_floats(np.array(row, np.float32), "exact")
    assert sum(divided) == 1
    assert all(d * sum(given_values) == g for d, g in zip(divided, given_values, strict=True))


def test_strict_refuses_what_does_not_sum_to_one() -> None:
    assert proofs.from_floats([0.5, 0.25, 0.25], "strict") == (Rational(1, 2), Rational(1, 4), Rational(1, 4))
    with pytest.raises(NotADistributionError, match=r"row sums to .*, not 1\..*normalise='exact'"):
        proofs.from_floats([0.1, 0.2, 0.7], "strict")


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "longdouble"])
def test_every_width_of_float_is_read_exactly(dtype: str) -> None:
    value = np.dtype(dtype).type(1) / np.dtype(dtype).type(3)
    (third, _) = proofs.from_floats([value, value], "as-given")
    assert third == Rational(*value.as_integer_ratio())


@pytest.mark.parametrize(
    ("row", "policy", "error", "message"),
    [
        ([float("nan"), 1.0], "exact", NotADistributionError, r"row\[0\] = nan"),
        ([0.5, float("inf")], "exact", NotADistributionError, r"row\[1\] = inf"),
        ([-0.5, 1.5], "as-given", NotADistributionError, r"row\[0\] = -0.5"),
        ([0.0, 0.0], "exact", NotADistributionError, "no mass"),
        ([], "exact", NotADistributionError, "row is empty"),
        (np.array(0.5), "exact", NotADistributionError, "row is a ndarray"),
        (bytearray(b"ab"), "exact", NotADistributionError, "row is a bytearray"),
        ([1e308] * 20, "strict", NotADistributionError, r"row sums to 2.*\.\.\. \(\d+ characters\), not 1"),
        ([True, False], "exact", InexactError, r"row\[0\] = True"),
        (["0.5", 0.5], "exact", InexactError, r"row\[0\] = '0.5'"),
        ([[0.5, 0.5]], "exact", InexactError, r"row\[0\]"),
        ("0.5", "exact", NotADistributionError, "row is a str"),
        ({0.5, 0.25}, "exact", NotADistributionError, "row is a set"),
        (0.5, "exact", NotADistributionError, "row is a float"),
        ([1.0], "round", ProofsError, "'round' is not a policy; expected one of exact, strict, as-given"),
        ([1.0], ["exact"], ProofsError, "is not a policy"),
    ],
)
def test_bad_float_row_is_refused(row: Any, policy: Any, error: type[ValueError], message: str) -> None:
    with pytest.raises(error, match=message):
        proofs.from_floats(row, policy)
