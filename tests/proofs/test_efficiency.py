"""Tokens, speed and operations of a chain, exactly: sums of powers and searches that the formulas must agree with."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sympy import Rational

from proofs.chain_rule import accepted_law, block_efficiency
from proofs.efficiency import (
    best_gamma,
    expected_tokens,
    expected_tokens_of,
    operations_factor,
    speedup,
    speedup_of,
)
from proofs.errors import InexactError, NotADistributionError, ProofsError
from tests.enumeration import NAMED

ALPHAS = st.fractions(0, 1, max_denominator=20)
COSTS = st.fractions(0, 2, max_denominator=20)


def _anything(value: Any) -> Any:
    return value


def _sum_of_powers(alpha: Fraction, gamma: int) -> Fraction:
    return sum((alpha**i for i in range(gamma + 1)), Fraction(0))


@given(ALPHAS, st.integers(0, 12), COSTS)
def test_formulas_are_the_sums(alpha: Fraction, gamma: int, cost: Fraction) -> None:
    """For all alpha, gamma, cost: tokens 1 + alpha + ... + alpha^gamma, over time 1 + gamma cost, and operations."""
    tokens = _sum_of_powers(alpha, gamma)
    assert expected_tokens(alpha, gamma) == Rational(*tokens.as_integer_ratio())
    assert speedup(alpha, gamma, cost) == Rational(*(tokens / (1 + gamma * cost)).as_integer_ratio())
    factor = (gamma + 1 + gamma * cost) / tokens
    assert operations_factor(alpha, gamma, cost) == Rational(*factor.as_integer_ratio())


@given(ALPHAS, COSTS, st.integers(0, 40))
@example(Fraction(1), Fraction(1, 2), 5)
@example(Fraction(1), Fraction(1), 5)
@example(Fraction(1, 2), Fraction(0), 7)
@example(Fraction(1, 2), Fraction(1, 2), 7)
@example(Fraction(0), Fraction(0), 7)
def test_best_gamma_is_the_first_greatest_of_all(alpha: Fraction, cost: Fraction, most: int) -> None:
    """For all alpha, cost and bounds: no other gamma up to the bound is faster, and no smaller one as fast."""
    speeds = [_sum_of_powers(alpha, gamma) / (1 + gamma * cost) for gamma in range(most + 1)]
    assert best_gamma(alpha, cost, most) == speeds.index(max(speeds))


@given(ALPHAS, COSTS)
def test_speed_that_begins_to_fall_never_rises_again(alpha: Fraction, cost: Fraction) -> None:
    """For all alpha, cost: what `best_gamma` rests on."""
    speeds = [_sum_of_powers(alpha, gamma) / (1 + gamma * cost) for gamma in range(25)]
    gains = [b > a for a, b in pairwise(speeds)]
    assert gains == sorted(gains, reverse=True)


@pytest.mark.parametrize(
    ("alpha", "cost", "gamma"),
    [
        ("4/5", "1/20", 8), ("4/5", "1/10", 6), ("9/10", "1/20", 13), ("1/2", "1/10", 2), ("9/10", "1/10", 10),
        ("1/2", "1/2", 0), ("1/2", "49/100", 1), ("99/100", "1/100", 113), (0, "1/10", 0), (0, 0, 0),
        (1, 1, 0), (1, "1/2", 1024), ("1/2", 0, 1024), ("1/10", 3, 0),
    ],
)  # fmt: skip
def test_golden_gamma(alpha: Any, cost: Any, gamma: int) -> None:
    assert best_gamma(alpha, cost) == gamma


def test_golden_gamma_beyond_the_default() -> None:
    assert best_gamma("999/1000", "1/100000") == 1024
    assert best_gamma("4/5", "1/20", 10**1000) == 8
    assert best_gamma(1, "1/20", 10**30) == best_gamma("1/2", 0, 10**30) == 10**30
    assert best_gamma("999/1000", "1/100000", 5000) == 4657


# Table 1 of Leviathan et al. as remembered (source unverified): operations and speed for drafts that cost nothing.
@pytest.mark.parametrize(
    ("alpha", "gamma", "operations", "speed"),
    [
        ("3/5", 2, "1.53", "1.96"),
        ("7/10", 3, "1.58", "2.53"),
        ("4/5", 2, "1.23", "2.44"),
        ("4/5", 5, "1.63", "3.69"),
        ("9/10", 2, "1.11", "2.71"),
        ("9/10", 10, "1.60", "6.86"),
    ],
)
def test_golden_factors(alpha: str, gamma: int, operations: str, speed: str) -> None:
    assert f"{float(operations_factor(alpha, gamma, 0)):.2f}" == operations
    assert f"{float(speedup(alpha, gamma, 0)):.2f}" == speed


@pytest.mark.parametrize("name", NAMED)
def test_law_of_a_chain_gives_the_same(name: str) -> None:
    p, q = NAMED[name]
    alpha = sum((min(a, b) for a, b in zip(p, q, strict=True)), Fraction(0))
    for gamma in range(4):
        law = accepted_law(p, q, gamma)
        assert expected_tokens_of(law) == expected_tokens(alpha, gamma) == block_efficiency(p, q, gamma)
        assert speedup_of(iter(law), "1/7") == speedup(alpha, gamma, "1/7")


def test_results_are_rationals() -> None:
    values = (
        expected_tokens(1, 2),
        expected_tokens(0, 0),
        speedup(1, 1, 0),
        operations_factor(1, 1, 0),
        speedup_of([1], 3),
    )
    assert values == (3, 1, 2, 1, 1)
    assert all(isinstance(value, Rational) for value in values)
    assert type(best_gamma("1/2", "1/10")) is int


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: expected_tokens("3/2", 1), ProofsError, "alpha = 3/2 is not a probability; expected a number between"),
        (lambda: expected_tokens("-1/2", 1), ProofsError, "alpha = -1/2"),
        (lambda: expected_tokens(0.5, 1), InexactError, "alpha: 0.5 "),
        (lambda: expected_tokens("1/2", -1), ProofsError, "gamma = -1; expected a number of drafted tokens, 0 or more"),
        (lambda: expected_tokens("1/2", _anything(1.5)), ProofsError, "gamma = 1.5 is no integer"),
        (lambda: speedup("1/2", _anything("x"), 0), ProofsError, r"gamma = x is no integer \(str\)"),
        (lambda: speedup("1/2", 1, "-1/10"), ProofsError, "cost = -1/10 is below 0; expected the draft's cost"),
        (lambda: operations_factor("1/2", True, 0), ProofsError, "gamma = True is no integer"),
        (lambda: operations_factor("1/2", 1, -1), ProofsError, "cost = -1"),
        (lambda: best_gamma("1/2", "1/10", -1), ProofsError, "most = -1"),
        (lambda: best_gamma(2, "1/10"), ProofsError, "alpha = 2"),
        (lambda: best_gamma("1/2", -1), ProofsError, "cost = -1"),
        (lambda: best_gamma("1/2", 0.5), InexactError, "cost: 0.5 "),
        (lambda: best_gamma("1/2", 1, _anything("2")), ProofsError, r"most = 2 is no integer \(str\)"),
        (lambda: expected_tokens_of(["1/2", "1/4"]), NotADistributionError, "accepted sums to 3/4"),
        (lambda: expected_tokens_of([]), NotADistributionError, "accepted is empty"),
        (lambda: speedup_of(["1/2", "1/2"], "-1/2"), ProofsError, "cost = -1/2"),
    ],
)
def test_bad_number_is_refused(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()
