"""The fast couplings, held to brute force on inputs that floats hold exactly."""

import warnings
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given

from specdec import coupling_rule, token_rule
from specdec.errors import NotADistributionError, ShapeError
from tests.match_enumeration import minhash_law
from tests.specdec.test_token_rule import dyadic_pairs

EPS = float(np.finfo(float).eps)
HALF = [0.5, 0.5]
HOT, OTHER = [1.0, 0.0], [0.0, 1.0]
Pair = tuple[list[float], list[float]]
FUNCTIONS: list[Any] = [getattr(coupling_rule, name) for name in coupling_rule.__all__]


@given(dyadic_pairs())
@example((HOT, OTHER))
@example((HALF, HALF))
def test_acceptances_in_their_order(pair: Pair) -> None:
    """For all dyadic p, q: maximal >= Gumbel >= MinHash by token >= MinHash by sample, up to rounding."""
    ordered = [
        coupling_rule.maximal_match(*pair),
        coupling_rule.gumbel_match(*pair),
        coupling_rule.minhash_agreement(*pair),
        coupling_rule.minhash_match(*pair),
    ]
    assert all(a >= b - 8 * EPS for a, b in pairwise(ordered))
    assert ordered[0] == token_rule.acceptance_probability(*pair)
    exact = Fraction(float(ordered[0]))
    assert abs(Fraction(float(ordered[3])) - exact / (2 - exact)) <= 2 * EPS


@given(dyadic_pairs())
@example((HOT, OTHER))
@example((HALF, HALF))
def test_minhash_coupling_has_the_right_marginals(pair: Pair) -> None:
    """For all dyadic p, q: rows sum to q, columns to p, the diagonal to the agreement, up to rounding."""
    joint = coupling_rule.minhash_coupling(*pair)
    np.testing.assert_allclose(joint.sum(axis=1), pair[1], rtol=0, atol=8 * EPS)
    np.testing.assert_allclose(joint.sum(axis=0), pair[0], rtol=0, atol=8 * EPS)
    assert np.trace(joint) == pytest.approx(coupling_rule.minhash_agreement(*pair), abs=8 * EPS)
    assert (joint >= 0).all()


def test_minhash_coupling_is_that_of_common_samples() -> None:
    """B0 and a pair with zeros on either side, samples of height k/8."""
    for p, q in (([0.125, 0.375, 0.5], [0.5, 0.25, 0.25]), ([0.0, 0.625, 0.375], [0.5, 0.5, 0.0])):
        law = minhash_law(tuple(map(Fraction, p)), tuple(map(Fraction, q)), 8)
        expected = [[float(law.get((x, y), 0)) for y in range(3)] for x in range(3)]
        np.testing.assert_allclose(coupling_rule.minhash_coupling(p, q), expected, rtol=0, atol=2 * EPS)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_edges_stay_finite_without_a_warning(dtype: str) -> None:
    edges: list[Pair] = [([1.0], [1.0]), (HOT, OTHER), (HOT, HOT), (HALF, OTHER), ([1.0, 1e-45], [1e-45, 1.0])]
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        for pair in edges:
            p, q = (np.array(row, dtype) for row in pair)
            for function in FUNCTIONS:
                found = function(p, q)
                assert found.dtype == dtype
                assert (found >= 0).all()
                assert (found <= 1).all()


def test_batches_are_rows_computed_apart() -> None:
    rng = np.random.default_rng(5)
    p, q = rng.dirichlet(np.ones(7), (2, 5)), rng.dirichlet(np.ones(7), (2, 5))
    for function in FUNCTIONS:
        batch = function(p, q)
        for at in np.ndindex(2, 5):
            assert np.array_equal(batch[at], function(p[at], q[at]))


@pytest.mark.parametrize("name", coupling_rule.__all__)
def test_bad_rows_are_refused(name: str) -> None:
    function = getattr(coupling_rule, name)
    with pytest.raises(ShapeError, match=r"target has shape \(2,\) and draft has shape \(1,\)"):
        function(HALF, [1.0])
    with pytest.raises(NotADistributionError, match="draft sums to 0.75"):
        function(HALF, [0.5, 0.25])
