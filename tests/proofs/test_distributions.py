"""Exact rows: the door, distance, merging."""

from fractions import Fraction
from typing import Any

import pytest
from sympy import Rational

import proofs
from proofs.distributions import check_rows, merge_tokens, show_row
from proofs.errors import InexactError, NotADistributionError, ShapeError
from tests.enumeration import NAMED, rows

HALVES = ["1/2", "1/2"]


@pytest.mark.parametrize(
    ("row", "error", "message"),
    [
        ([], NotADistributionError, "p is empty"),
        (["1/2", "1/4"], NotADistributionError, r"p sums to 3/4, not 1 exactly, over V = 2 tokens.*from_floats"),
        (["3/2", "-1/2"], NotADistributionError, r"p\[1\] = -1/2 is not a probability"),
        ([0.5, 0.5], InexactError, r"p\[0\]: 0\.5 \(float\) is not an exact rational"),
        ([True, False], InexactError, r"p\[0\]: True"),
        ([HALVES], InexactError, r"p\[0\]: "),
        ("1/2", NotADistributionError, "p is a str"),
        ({"1/2": 1}, NotADistributionError, "p is a dict"),
        (1, NotADistributionError, "p is a int"),
    ],
)
def test_bad_row_is_refused(row: Any, error: type[ValueError], message: str) -> None:
    with pytest.raises(error, match=message):
        check_rows(row, "p")


@pytest.mark.parametrize(
    "function",
    [
        proofs.emitted_distribution,
        proofs.acceptance_ratio,
        proofs.acceptance_probability,
        proofs.residual_distribution,
        proofs.maximal_coupling,
        proofs.total_variation,
    ],
)
def test_every_function_stands_behind_the_door(function: Any) -> None:
    with pytest.raises(InexactError, match=r"^q\[0\]"):
        function(HALVES, [0.5, 0.5])
    with pytest.raises(NotADistributionError, match="^p sums to 1/2"):
        function(["1/2"], [1])
    with pytest.raises(ShapeError, match="p has 2 tokens and q has 1"):
        function(HALVES, [1])


def test_any_iterable_of_exact_numbers_is_a_row() -> None:
    expected = proofs.emitted_distribution(HALVES, [0, 1])
    assert proofs.emitted_distribution((Fraction(1, 2) for _ in range(2)), iter([0, 1])) == expected


def test_total_variation_by_brute_force_over_events() -> None:
    """For all p, q on the grid k/4, V = 3: TV is the greatest difference over all events."""
    for p in rows(3, 4):
        for q in rows(3, 4):
            events = [sum(p[x] - q[x] for x in range(3) if mask >> x & 1) for mask in range(8)]
            assert proofs.total_variation(p, q) == proofs.exact(max(Fraction(e) for e in events))


@pytest.mark.parametrize(
    ("name", "expected"), [("I2", "1/3"), ("I3", "1/3"), ("I5", "2/5"), ("B0", "3/8"), ("R3", "5/8")]
)
def test_total_variation_of_named_pairs(name: str, expected: str) -> None:
    assert proofs.total_variation(*NAMED[name]) == proofs.exact(expected)


def test_rows_are_shown_as_fractions() -> None:
    assert show_row(check_rows(["1/8", "3/8", "1/2"], "p")) == "(1/8, 3/8, 1/2)"


def test_numbers_of_thousands_of_digits_are_refused_in_the_house_form() -> None:
    """Python declines to write such an integer; the refusal must not trip over its own message."""
    with pytest.raises(NotADistributionError, match="p sums to a number of thousands of digits, not 1"):
        proofs.emitted_distribution([10**5000, 1], [1, 0])
    with pytest.raises(NotADistributionError, match=r"p\[0\] = a number of thousands"):
        proofs.emitted_distribution([-(10**5000), 1], [1, 0])
    with pytest.raises(NotADistributionError, match=r"accept\[0\] = a number of thousands"):
        proofs.completing_residual([1], [1], [10**5000])


def test_merged_token_has_the_mass_of_both() -> None:
    assert merge_tokens(["1/2", "1/3", "1/6"], 0, 2) == (Rational(2, 3), Rational(1, 3))
    for i, j in ((1, 1), (2, 0), (0, 3), (-1, 0)):
        with pytest.raises(ShapeError, match="expected 0 <= i < j < V = 3"):
            merge_tokens(["1/2", "1/3", "1/6"], i, j)
