"""Tokens, speed and operations of a chain in floats, held to the same over fractions."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from specdec.efficiency import (
    best_gamma,
    expected_tokens,
    expected_tokens_of,
    operations_factor,
    speedup,
    speedup_of,
)
from specdec.errors import NotADistributionError, ShapeError, SpecdecError

EPS = float(np.finfo(float).eps)
SEVERAL: Any = [1, 2]


def _tokens(alpha: float, gamma: int) -> Fraction:
    total = Fraction(1)
    for _ in range(gamma):
        total = 1 + Fraction(alpha) * total
    return total


def _relative(found: Any, wanted: Fraction) -> float:
    return abs(float(Fraction(float(found)) / wanted - 1)) / EPS


@given(st.floats(0, 1), st.integers(0, 24), st.floats(0, 4))
@example(np.nextafter(1, 0), 24, 0.5)
@example(np.nextafter(0.5, 0), 24, 0.0)
@example(5e-324, 3, 1.0)
@example(1.0, 24, 0.0)
@example(0.0, 0, 0.0)
def test_formulas_are_close_to_the_sums(alpha: float, gamma: int, cost: float) -> None:
    """For all alpha, gamma, cost: within 8 eps of the exact value over the floats as rationals."""
    tokens, duration = _tokens(alpha, gamma), 1 + gamma * Fraction(cost)
    assert _relative(expected_tokens(alpha, gamma), tokens) <= 8
    assert _relative(speedup(alpha, gamma, cost), tokens / duration) <= 12
    assert _relative(operations_factor(alpha, gamma, cost), (duration + gamma) / tokens) <= 12


@given(st.floats(0, 1), st.floats(0, 2), st.integers(0, 30))
@example(1.0, 0.5, 5)
@example(1.0, 1.0, 5)
@example(0.5, 0.0, 7)
@example(0.5, 5e-324, 7)
@example(0.0, 0.0, 7)
def test_best_gamma_is_as_fast_as_any(alpha: float, cost: float, most: int) -> None:
    """For all alpha, cost and bounds: no gamma up to the bound is faster by more than rounding."""
    speeds = [_tokens(alpha, gamma) / (1 + gamma * Fraction(cost)) for gamma in range(most + 1)]
    found = best_gamma(alpha, cost, most)
    assert 0 <= found <= most
    assert float(max(speeds) / speeds[found] - 1) <= 8 * EPS


def test_golden_gamma() -> None:
    assert best_gamma([0.8, 0.8, 0.9, 0.5], [0.05, 0.1, 0.05, 0.1]).tolist() == [8, 6, 13, 2]
    assert best_gamma([[0.5], [1.0]], [0.5, 1e308]).tolist() == [[0, 0], [1024, 0]]
    assert best_gamma([1, 0.5, 0.1, 0], 0).tolist() == [1024, 1024, 1024, 0]
    assert best_gamma(0.9999, 1e-6, 10**6) > 1024


def test_arrays_are_broadcast() -> None:
    alpha, gamma, cost = np.linspace(0, 1, 5)[:, None], np.arange(4), np.array([0.1, 0.2])[:, None, None]
    table = speedup(alpha, gamma, cost)
    assert table.shape == (2, 5, 4)
    assert table.dtype == "float64"
    assert table[1, 2, 3] == speedup(0.5, 3, 0.2)
    assert expected_tokens(alpha, gamma).shape == (5, 4)
    assert operations_factor(np.float32(0.5), 1, 0).dtype == "float64"
    assert best_gamma(alpha, cost).shape == (2, 5, 1)
    assert best_gamma([], []).shape == (0,)


def test_one_number_gives_a_scalar() -> None:
    assert isinstance(expected_tokens(0.5, 1), np.float64)
    assert isinstance(speedup(1, 1, 1), np.float64)
    assert isinstance(best_gamma(0.5, 0.1), np.int64)
    assert isinstance(speedup_of([0.5, 0.5], 0.1), np.float64)


def test_nothing_overflows() -> None:
    assert speedup(0.5, 2, 1e308) == 0
    assert operations_factor(0.5, 2, 1e308) == np.inf
    assert best_gamma(0.5, 1e308) == 0


def test_law_of_the_number_kept() -> None:
    laws = np.array([[1, 0, 0], [0, 0, 1], [0.5, 0.25, 0.25]])
    assert expected_tokens_of(laws).tolist() == [1, 3, 1.75]
    assert speedup_of(laws, [0, 0.5, 0.125]).tolist() == [1, 1.5, 1.4]
    assert expected_tokens_of(laws.astype("float32")).dtype == "float32"
    assert speedup_of([1.0], 7) == 1


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: expected_tokens(1.5, 1), SpecdecError, "alpha = 1.5 is out of range; expected probabilities"),
        (lambda: expected_tokens([0.5, -0.5], 1), SpecdecError, r"alpha\[1\] = -0.5"),
        (lambda: expected_tokens(np.nan, 1), SpecdecError, "alpha = nan"),
        (lambda: expected_tokens(True, 1), SpecdecError, "alpha has dtype bool"),
        (lambda: expected_tokens("a", 1), SpecdecError, "alpha has dtype"),
        (lambda: expected_tokens([[0.5], [0.5, 0.5]], 1), SpecdecError, "alpha cannot be read as numbers"),
        (lambda: expected_tokens(np.ma.masked_array([0.5], [True]), 1), SpecdecError, "alpha is a masked array"),
        (lambda: expected_tokens(0.5, -1), SpecdecError, "gamma = -1.0 is out of range; expected a number of drafted"),
        (lambda: expected_tokens(0.5, 1.0), SpecdecError, "gamma has dtype float64"),
        (lambda: expected_tokens([0.5, 0.5], [1, 2, 3]), ShapeError, r"shapes \(2,\), \(3,\) do not go together"),
        (lambda: speedup(0.5, 1, -0.1), SpecdecError, "cost = -0.1 is out of range; expected the draft's cost"),
        (lambda: speedup(0.5, 1, np.inf), SpecdecError, "cost = inf"),
        (lambda: best_gamma(0.5, 0.1, SEVERAL), SpecdecError, r"most = \[1, 2\] is no integer"),
        (lambda: best_gamma(0.5, 0.1, -1), SpecdecError, "most = -1; expected a number of drafted tokens"),
        (
            lambda: best_gamma(0.5, 0.1, 10**400),
            SpecdecError,
            "out of range; expected a number of drafted tokens up to",
        ),
        (lambda: best_gamma(0.5, -1), SpecdecError, "cost = -1.0"),
        (lambda: expected_tokens_of([0.5, 0.25]), NotADistributionError, "accepted sums to 0.75"),
        (lambda: speedup_of([[1.0], [1.0]], [1, 2, 3]), ShapeError, "do not go together"),
    ],
)
def test_bad_number_is_refused(call: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        call()
