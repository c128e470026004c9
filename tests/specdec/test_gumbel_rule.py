"""The fast Gumbel coupling, held to its definition over fractions."""

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given

from specdec import gumbel_rule, match_rule
from specdec.distributions import total_variation
from specdec.errors import NotADistributionError, ShapeError
from tests.match_enumeration import race_law
from tests.specdec.test_token_rule import dyadic_pairs

EPS = float(np.finfo(float).eps)
HALF = [0.5, 0.5]
HOT, OTHER = [1.0, 0.0], [0.0, 1.0]
Pair = tuple[list[float], list[float]]


def _exactly(row: Any) -> list[Fraction]:
    return [Fraction(float(x)) for x in row]


def _definition(p: list[Fraction], q: list[Fraction]) -> list[Fraction]:
    return [
        1 / sum((max(c / a, d / b) for c, d in zip(p, q, strict=True)), Fraction(0)) if a and b else Fraction(0)
        for a, b in zip(p, q, strict=True)
    ]


def _worst(found: Any, expected: list[Fraction]) -> float:
    return float(max(abs(a - b) for a, b in zip(_exactly(found), expected, strict=True)))


@given(dyadic_pairs())
@example((HALF, HALF))
@example((HOT, OTHER))
@example(([0.5, 0.5, 0.0], [0.0, 0.5, 0.5]))
def test_row_and_sum_are_the_definition(pair: Pair) -> None:
    """For all dyadic p, q: within 4 eps of 1 / sum_j max(p_j/p_i, q_j/q_i), terms with a zero being 0."""
    expected = _definition(*map(_exactly, pair))
    row = gumbel_rule.match_row(*pair)
    assert _worst(row, expected) <= 4 * EPS
    assert _worst([gumbel_rule.match_probability(*pair)], [sum(expected, Fraction(0))]) <= 4 * EPS
    assert [bool(m) for m in row] == [bool(m) for m in expected]


@given(dyadic_pairs(vocabulary=3))
@example(([1.0, 0.0, 0.0], [0.0, 0.5, 0.5]))
@example(([0.25, 0.75, 0.0], [0.25, 0.75, 0.0]))
def test_coupling_is_the_law_of_two_races(pair: Pair) -> None:
    """For all dyadic p, q over three tokens: within 8 eps of the cut orthant."""
    law = race_law(*(tuple(_exactly(row)) for row in pair))
    joint = gumbel_rule.coupling(*pair)
    expected = [law.get((x, y), Fraction(0)) for x in range(3) for y in range(3)]
    assert _worst(joint.ravel(), expected) <= 8 * EPS


@given(dyadic_pairs())
def test_coupling_has_the_right_marginals(pair: Pair) -> None:
    """For all dyadic p, q: rows sum to q and columns to p up to rounding; nothing is negative."""
    joint = gumbel_rule.coupling(*pair)
    np.testing.assert_allclose(joint.sum(axis=1), pair[1], rtol=0, atol=16 * EPS)
    np.testing.assert_allclose(joint.sum(axis=0), pair[0], rtol=0, atol=16 * EPS)
    assert (joint >= 0).all()
    assert np.diagonal(joint).tolist() == gumbel_rule.match_row(*pair).tolist()


@pytest.mark.parametrize("size", [1, 2, 10, 300])
@pytest.mark.parametrize("concentration", [0.02, 1.0, 50.0])
def test_random_rows_are_the_definition(size: int, concentration: float) -> None:
    """Peaked and flat rows over sixty orders of magnitude: within 8 eps of the definition, each token's part too."""
    rng = np.random.default_rng(3)
    p, q = (rng.dirichlet(np.full(size, concentration)) for _ in range(2))
    p, q = p / p.sum(), q / q.sum()
    expected = _definition(_exactly(p), _exactly(q))
    row = gumbel_rule.match_row(p, q)
    assert _worst(row, expected) <= 8 * EPS
    # Small parts are right in relation to themselves too.
    relative = [abs(a / b - 1) for a, b in zip(_exactly(row), expected, strict=True) if b > Fraction(1, 10**300)]
    assert max(relative, default=Fraction(0)) <= 2 * size * EPS + 4 * EPS
    assert _worst([gumbel_rule.match_probability(p, q)], [sum(expected, Fraction(0))]) <= 8 * EPS


def test_rows_an_ulp_apart_match_almost_always() -> None:
    rng = np.random.default_rng(4)
    p = rng.dirichlet(np.ones(1000))
    q = np.nextafter(p, 0)
    for pair in ((p, q), (q, p), (p, p)):
        assert gumbel_rule.match_probability(*pair) == pytest.approx(1, abs=1e-13)


def test_whole_vocabulary_is_within_its_bounds() -> None:
    """V = 128,256 in both dtypes, with zeros: between (1 - TV)/(1 + TV) and 1 - TV; both dtypes agree."""
    rng = np.random.default_rng(6)
    p, q = rng.dirichlet(np.full(128_256, 0.05), (2, 2))
    p[:, ::3], q[:, ::5] = 0, 0
    p, q = (row / row.sum(axis=-1, keepdims=True) for row in (p, q))
    found = gumbel_rule.match_probability(p, q)
    distance = total_variation(p, q)
    assert ((1 - distance) / (1 + distance) <= found).all()
    assert (found <= 1 - distance).all()
    single = gumbel_rule.match_probability(p.astype("float32"), q.astype("float32"))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, found, rtol=0, atol=1e-5)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_edges_stay_finite_without_a_warning(dtype: str) -> None:
    """V = 1, one-hot, disjoint and equal rows, tokens of no probability, subnormals: finite, dtype kept."""
    tiny = float(np.finfo(dtype).smallest_subnormal)
    edges: list[Pair] = [
        ([1.0], [1.0]),
        (HOT, OTHER),
        (HOT, HOT),
        (HALF, OTHER),
        (OTHER, HALF),
        ([0.0, 1.0, 0.0], [0.0, 0.5, 0.5]),
        ([1.0, tiny], [tiny, 1.0]),
        ([1.0, tiny, 0.0], [0.5, 0.5, 0.0]),
        ([0.5, tiny, 0.5], [0.5, 3 * tiny, 0.5]),
    ]
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        for pair in edges:
            p, q = (np.array(row, dtype) for row in pair)
            joint = gumbel_rule.coupling(p, q)
            assert (
                joint.dtype == gumbel_rule.match_row(p, q).dtype == gumbel_rule.match_probability(p, q).dtype == dtype
            )
            np.testing.assert_allclose(joint.sum(axis=0), p, rtol=0, atol=1e-7)
            np.testing.assert_allclose(joint.sum(axis=1), q, rtol=0, atol=1e-7)


def test_certain_draft_matches_with_the_targets_probability() -> None:
    p = [0.125, 0.375, 0.5]
    for x in range(3):
        assert gumbel_rule.match_probability(p, match_rule.one_hot(x, 3)) == p[x]


def test_batches_are_rows_computed_apart() -> None:
    rng = np.random.default_rng(5)
    p, q = rng.dirichlet(np.ones(7), (2, 5)), rng.dirichlet(np.ones(7), (2, 5))
    p[0, :, 2], q[1, :, 4] = 0, 0
    p, q = (row / row.sum(axis=-1, keepdims=True) for row in (p, q))
    functions: list[Any] = [gumbel_rule.match_probability, gumbel_rule.match_row, gumbel_rule.coupling]
    for function in functions:
        batch = function(p, q)
        for at in np.ndindex(2, 5):
            assert np.array_equal(batch[at], function(p[at], q[at]))
        assert function(p[:0], q[:0]).shape == (0, *batch.shape[1:])


def test_inputs_are_not_changed() -> None:
    p, q = np.array([0.5, 0.25, 0.25]), np.array([0.25, 0.75, 0.0])
    before = p.copy(), q.copy()
    gumbel_rule.coupling(p, q)
    assert (p == before[0]).all()
    assert (q == before[1]).all()


@pytest.mark.parametrize("name", gumbel_rule.__all__)
def test_bad_rows_are_refused(name: str) -> None:
    function = getattr(gumbel_rule, name)
    with pytest.raises(ShapeError, match=r"target has shape \(2,\) and draft has shape \(1,\)"):
        function(HALF, [1.0])
    with pytest.raises(NotADistributionError, match="draft sums to 0.75"):
        function(HALF, [0.5, 0.25])


def test_underflow_is_no_error_of_ours() -> None:
    with np.errstate(all="raise"):
        joint = gumbel_rule.coupling([0.1, 0.45, 0.45], [1e-309, 1.1e-308, 1.0])
    assert joint.sum() == pytest.approx(1)
