"""The fast laws of siblings, held to brute force and to golden values."""

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import specdec
from proofs.strategies import pairs
from specdec.errors import NotADistributionError, ShapeError, SpecdecError, TokenError
from specdec.sibling_rule import (
    acceptance,
    kseq_acceptance,
    optimal_acceptance,
    recursive_law,
    residuals,
    set_acceptance,
)
from tests import sibling_enumeration as brute
from tests.enumeration import Row
from tests.sibling_golden import GOLDEN

EPS = float(np.finfo(float).eps)
BOTH = pytest.mark.parametrize("replacement", [True, False])


def _floats(row: Any) -> list[float]:
    return [float(x) for x in row]


@pytest.mark.parametrize(("name", "k"), GOLDEN)
def test_golden_values(name: str, k: int) -> None:
    """A few roundings apart, as thirds are no floats."""
    p, q = map(_floats, brute.PAIRS[name])
    found = [
        acceptance(p, q, k),
        acceptance(p, q, k, replacement=False),
        optimal_acceptance(p, q, k),
        optimal_acceptance(p, q, k, replacement=False),
        kseq_acceptance(p, q, k, k),
    ]
    np.testing.assert_allclose(found, _floats(map(Fraction, GOLDEN[name, k].split())), rtol=0, atol=8 * EPS)


@settings(max_examples=80, deadline=None)
@given(pairs(max_vocabulary=4), st.integers(0, 3), st.booleans())
def test_law_is_that_of_all_that_can_happen(pair: tuple[Row, Row], k: int, replacement: bool) -> None:
    """For all p, q with V up to 4 and k up to 3: law and acceptance within 8 eps (k + 1) of brute force."""
    k = k if replacement else min(k, len(pair[0]))
    law, accepted = brute.recursive(*pair, k, replacement)
    found = recursive_law(_floats(pair[0]), _floats(pair[1]), k, replacement)
    np.testing.assert_allclose(found.dist, _floats(law), rtol=0, atol=8 * (k + 1) * EPS)
    assert abs(found.alpha - float(accepted)) <= 8 * (k + 1) * EPS
    assert (found.dist[[not a for a in pair[0]]] == 0).all()  # a token that the target never wants: exactly 0


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@BOTH
def test_batches_are_rows_computed_apart(dtype: str, replacement: bool) -> None:
    rng = np.random.default_rng(5)
    p, q = rng.dirichlet(np.ones(5), size=(2, 2, 3)).astype(dtype)
    law = recursive_law(p, q, 2, replacement)
    assert law.dist.shape == (2, 3, 5)
    assert law.dist.dtype == law.alpha.dtype == dtype
    for place in np.ndindex(2, 3):
        alone = recursive_law(p[place], q[place], 2, replacement)
        assert (alone.dist == law.dist[place]).all()
        assert alone.alpha == law.alpha[place]
    eps = float(np.finfo(dtype).eps)
    np.testing.assert_allclose(law.dist, p, rtol=0, atol=8 * eps)


def test_residuals_of_batches() -> None:
    rng = np.random.default_rng(6)
    p, q = rng.dirichlet(np.ones(4), size=(2, 3))
    rows = residuals(p, q, 3)
    assert rows.shape == (3, 4, 4)
    assert (rows[:, 0] == p).all()
    for j in range(3):
        np.testing.assert_allclose(rows[:, j + 1], specdec.residual_distribution(rows[:, j], q), rtol=0, atol=4 * EPS)
    product = np.prod([specdec.total_variation(rows[:, j], q) for j in range(3)], axis=0)
    np.testing.assert_allclose(acceptance(p, q, 3), 1 - product, rtol=0, atol=8 * EPS)


@BOTH
def test_special_rows_stay_finite_without_a_warning(replacement: bool) -> None:
    rows = [[1.0], [0.0, 1.0], [1.0, 0.0], [1 / 3, 1 / 3, 1 / 3], [0.0, 0.0, 1.0], [1.0, 5e-324, 0.0]]
    with warnings.catch_warnings(), np.errstate(all="raise", under="ignore"):
        warnings.simplefilter("error")
        for p in rows:
            for q in (row for row in rows if len(row) == len(p)):
                for k in range(min(3, len(p)) + 1):
                    law = recursive_law(p, q, k, replacement)
                    np.testing.assert_allclose(law.dist, p, rtol=0, atol=4 * EPS)
                    assert 0 <= law.alpha <= optimal_acceptance(p, q, k, replacement) + 4 * EPS
        assert np.isfinite(residuals(rows[3], rows[3], 3)).all()


def test_no_rows() -> None:
    nothing = np.empty((0, 3))
    assert recursive_law(nothing, nothing, 2).dist.shape == (0, 3)
    assert recursive_law(nothing, nothing, 2, replacement=False).alpha.shape == (0,)
    assert residuals(nothing, nothing, 2).shape == (0, 3, 3)


def test_inputs_are_left_as_they_are() -> None:
    p, q = np.array([0.5, 0.25, 0.25]), np.array([0.25, 0.25, 0.5])
    before = p.copy(), q.copy()
    for replacement in (True, False):
        recursive_law(p, q, 3, replacement)
        optimal_acceptance(p, q, 3, replacement)
    residuals(p, q, 3)
    assert (p == before[0]).all()
    assert (q == before[1]).all()


def test_set_of_candidates() -> None:
    p = [[0.125, 0.375, 0.5], [0.5, 0.25, 0.25]]
    assert set_acceptance(p, [[0, 1], [2, 0]]).tolist() == [0.5, 0.75]
    assert set_acceptance(p[0], []) == 0
    assert set_acceptance(np.array(p[0], "float32"), [1]).dtype == "float32"


@pytest.mark.parametrize(
    ("tokens", "error", "words"),
    [
        ([0, 3], TokenError, r"tokens\[1\] = 3 is not a token; expected an integer between 0 and V - 1 = 2"),
        ([-1], TokenError, r"tokens\[0\] = -1 is not a token"),
        ([1, 2, 1], TokenError, "tokens has 1 twice in a row; expected distinct tokens"),
        ([0.0], TokenError, "tokens has dtype float64"),
        ([[0]], ShapeError, r"tokens has shape \(1, 1\) and target has shape \(3,\)"),
        (1, ShapeError, r"tokens has shape \(\)"),
    ],
)
def test_candidates_that_are_none_are_refused(tokens: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        set_acceptance([0.125, 0.375, 0.5], tokens)


HALF = [0.5, 0.5]


@pytest.mark.parametrize("function", [acceptance, recursive_law, residuals, optimal_acceptance])
def test_bad_rows_and_counts_are_refused(function: Any) -> None:
    with pytest.raises(SpecdecError, match="k = -1; expected a number of siblings, 0 or more"):
        function(HALF, HALF, -1)
    with pytest.raises(SpecdecError, match="k = 1.5 is no integer"):
        function(HALF, HALF, 1.5)
    with pytest.raises(ShapeError, match=r"target has shape \(2,\) and draft has shape \(3,\)"):
        function(HALF, [0.5, 0.25, 0.25], 1)
    with pytest.raises(NotADistributionError, match="draft sums to 0.75"):
        function(HALF, [0.5, 0.25], 1)
    with pytest.raises(NotADistributionError, match=r"target\[0\] = nan"):
        function([np.nan, 1.0], HALF, 1)


@pytest.mark.parametrize("function", [acceptance, recursive_law, optimal_acceptance])
def test_more_siblings_than_tokens_are_refused_without_replacement(function: Any) -> None:
    with pytest.raises(SpecdecError, match="k = 3 without replacement; expected at most V = 2"):
        function(HALF, HALF, 3, replacement=False)


def test_too_many_sequences_are_refused() -> None:
    p = np.arange(1, 3001.0)
    p /= p.sum()
    with pytest.raises(SpecdecError, match="k = 2 siblings without replacement over V = 3000 tokens are too many"):
        recursive_law(p, p[::-1], 2, replacement=False)
    assert recursive_law(p, p[::-1], 1, replacement=False).alpha == acceptance(p, p[::-1], 1)
