"""The fast optimum: against brute force, over batches, and over whole vocabularies."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import specdec
from proofs.strategies import pairs
from specdec.errors import SpecdecError
from specdec.sibling_sets import optimal_acceptance
from tests import sibling_enumeration as brute
from tests.enumeration import Row

EPS = float(np.finfo(float).eps)
VOCABULARY = 128_256


@settings(max_examples=100, deadline=None)
@given(pairs(max_vocabulary=5), st.integers(0, 3), st.booleans())
def test_optimum_is_the_least_over_all_sets(pair: tuple[Row, Row], k: int, replacement: bool) -> None:
    """For all p, q with V up to 5 and k up to 3: within 16 eps of the least over all sets of tokens."""
    k = k if replacement else min(k, len(pair[0]))
    p, q = ([float(x) for x in row] for row in pair)
    assert abs(optimal_acceptance(p, q, k, replacement) - float(brute.best(*pair, k, replacement))) <= 16 * EPS


@pytest.mark.parametrize("replacement", [True, False])
def test_batches_are_rows_computed_apart(replacement: bool) -> None:
    p, q = np.random.default_rng(7).dirichlet(np.ones(6), size=(2, 2, 3))
    best = optimal_acceptance(p, q, 3, replacement)
    assert best.shape == (2, 3)
    for place in np.ndindex(2, 3):
        assert best[place] == optimal_acceptance(p[place], q[place], 3, replacement)


def _prefix_optimum(p: np.ndarray, q: np.ndarray, k: int) -> Fraction:
    """The same scan over the floats as rationals, on integers scaled by a power of two."""
    scale = 2**1100
    tokens = [(int(Fraction(float(a)) * scale), int(Fraction(float(b)) * scale)) for a, b in zip(p, q, strict=True)]
    least, wanted, inside = Fraction(1), 0, 0
    for a, b in sorted((t for t in tokens if t[1]), key=lambda t: Fraction(*t)):
        wanted, inside = wanted + a, inside + b
        if 1 + wanted / scale - (inside / scale) ** k < float(least) + 1e-9:
            least = min(least, 1 + Fraction(wanted, scale) - Fraction(inside, scale) ** k)
    return least


@pytest.mark.parametrize("k", [2, 3])
def test_optimum_of_some_hundred_tokens_against_the_floats_as_rationals(k: int) -> None:
    rng = np.random.default_rng(8)
    p, q = rng.dirichlet(np.full(300, 0.1), size=2)
    assert abs(Fraction(float(optimal_acceptance(p, q, k))) - _prefix_optimum(p, q, k)) < 32 * EPS


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_whole_vocabulary(dtype: str) -> None:
    """With k = 1 the scan must find 1 - TV; more siblings lie between that and one; dtypes agree."""
    rng = np.random.default_rng(9)
    p, q = rng.dirichlet(np.full(VOCABULARY, 0.1), size=(2, 2)).astype(dtype)
    alpha = specdec.acceptance_probability(p.astype(float), q.astype(float))
    best = [optimal_acceptance(p, q, k) for k in (1, 2, 4)]
    assert best[0].dtype == dtype
    tolerance = 1e-12 if dtype == "float64" else 1e-6
    np.testing.assert_allclose(best[0], alpha, rtol=0, atol=tolerance)
    assert (best[0] < best[1]).all()
    assert (best[1] < best[2]).all()
    assert (best[2] < 1).all()


def test_ratios_beyond_the_floats_do_no_harm() -> None:
    p, q = [1.0, 1e-300, 0.0], [1e-310, 1.0, 0.0]
    assert optimal_acceptance(p, q, 2) == pytest.approx(0, abs=EPS)
    assert optimal_acceptance([0.5, 0.5], [1.0, 5e-324], 2) == 0.5


def test_too_many_tokens_without_replacement_are_refused() -> None:
    row = np.full(17, 1 / 17)
    with pytest.raises(SpecdecError, match="target has 17 tokens; expected at most 16 without replacement"):
        optimal_acceptance(row, row, 2, replacement=False)
    row = np.full(16, 1 / 16)
    assert optimal_acceptance(row, row, 3, replacement=False) == pytest.approx(1)


@pytest.mark.parametrize("replacement", [True, False])
@pytest.mark.parametrize("shape", [(0, 3), (2, 0, 3), (0, 1)])
def test_a_batch_without_rows_has_no_optima(shape: tuple[int, ...], replacement: bool) -> None:
    assert optimal_acceptance(np.empty(shape), np.empty(shape), 1, replacement).shape == shape[:-1]


@pytest.mark.parametrize("replacement", [True, False])
def test_underflow_is_no_error_of_ours(replacement: bool) -> None:
    with np.errstate(all="raise"):
        assert optimal_acceptance([1.0, 1e-310, 0.0], [1e-310, 1e-310, 1.0], 2, replacement) <= 1


def test_no_optimum_is_below_zero_by_rounding() -> None:
    rows = np.random.default_rng(3).dirichlet(np.ones(5), size=50)
    disjoint = np.concatenate([rows, np.zeros((50, 1))], axis=1)
    assert (optimal_acceptance(np.eye(6)[[5] * 50], disjoint, 50) >= 0).all()
