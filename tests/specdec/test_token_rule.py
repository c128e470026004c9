"""The fast laws of the token rule, held to brute force on inputs that floats hold exactly."""

import warnings
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import specdec
from tests.enumeration import NAMED, token_rule_law

GRID = 2**10
FUNCTIONS = [
    specdec.emitted_distribution,
    specdec.acceptance_ratio,
    specdec.acceptance_probability,
    specdec.residual_distribution,
    specdec.maximal_coupling,
    specdec.total_variation,
]
EPS = float(np.finfo(float).eps)


def _row(cuts: list[int]) -> list[float]:
    edges = [0, *sorted(cuts), GRID]
    return [(b - a) / GRID for a, b in pairwise(edges)]


@st.composite
def dyadic_pairs(draw: Any, vocabulary: int | None = None) -> tuple[list[float], list[float]]:
    """Pairs of rows of multiples of 1/1024: float64 holds them, their sums and differences exactly."""
    size = draw(st.integers(0, 5)) if vocabulary is None else vocabulary - 1
    cuts = st.lists(st.integers(0, GRID), min_size=size, max_size=size)
    return _row(draw(cuts)), _row(draw(cuts))


def _exactly(row: Any) -> list[Fraction]:
    return [Fraction(float(x)) for x in row]


EQUAL = ([0.5, 0.5], [0.5, 0.5])
DISJOINT = ([1.0, 0.0], [0.0, 1.0])
ZERO_Q = ([0.5, 0.5], [0.0, 1.0])


@given(dyadic_pairs())
@example(EQUAL)
@example(DISJOINT)
@example(ZERO_Q)
def test_alpha_is_exact_where_floats_are(pair: tuple[list[float], list[float]]) -> None:
    """For all dyadic p, q: alpha is the brute-force acceptance probability, and 1 - TV, to the last bit."""
    _, alpha = token_rule_law(*map(_exactly, pair))
    assert Fraction(float(specdec.emitted_distribution(*pair).alpha)) == alpha
    assert specdec.acceptance_probability(*pair) == specdec.emitted_distribution(*pair).alpha
    assert specdec.total_variation(*pair) == 1 - specdec.acceptance_probability(*pair)


@given(dyadic_pairs())
@example(EQUAL)
@example(DISJOINT)
@example(ZERO_Q)
def test_emitted_token_has_the_target_law(pair: tuple[list[float], list[float]]) -> None:
    """For all dyadic p, q and every x: dist(x) = p(x) up to the one division and product that round."""
    law, _ = token_rule_law(*map(_exactly, pair))
    dist = specdec.emitted_distribution(*pair).dist
    assert law == tuple(_exactly(pair[0]))  # the brute force itself is lossless
    # rejected / mass is exactly 1, excess / mass rounds once, the product once, the sum once.
    np.testing.assert_allclose(dist, pair[0], rtol=0, atol=2 * EPS)
    assert (dist[np.array(pair[0]) == 0] == 0).all()


@given(dyadic_pairs())
@example(EQUAL)
@example(DISJOINT)
def test_ratio_and_residual_are_correctly_rounded_quotients(pair: tuple[list[float], list[float]]) -> None:
    """For all dyadic p, q and every x: one division of exact numbers, so the nearest float."""
    p, q = map(_exactly, pair)
    ratio, residual = specdec.acceptance_ratio(*pair), specdec.residual_distribution(*pair)
    surplus = [max(a - b, Fraction(0)) for a, b in zip(p, q, strict=True)]
    for x in range(len(p)):
        assert ratio[x] == (1.0 if q[x] == 0 else float(min(Fraction(1), p[x] / q[x])))
        assert residual[x] == float(surplus[x] / sum(surplus) if sum(surplus) else p[x])


@given(dyadic_pairs())
@example(EQUAL)
@example(DISJOINT)
def test_maximal_coupling_has_the_right_marginals(pair: tuple[list[float], list[float]]) -> None:
    """For all dyadic p, q: rows sum to q, columns to p, the diagonal to alpha."""
    joint = specdec.maximal_coupling(*pair)
    # Each entry rounds at most three times and there are at most six to a sum.
    np.testing.assert_allclose(joint.sum(axis=1), pair[1], rtol=0, atol=6 * EPS)
    np.testing.assert_allclose(joint.sum(axis=0), pair[0], rtol=0, atol=6 * EPS)
    assert np.trace(joint) == specdec.acceptance_probability(*pair)
    assert (joint >= 0).all()


@given(st.lists(dyadic_pairs(vocabulary=4), min_size=1, max_size=6))
def test_batches_are_rows_computed_apart(rows: list[tuple[list[float], list[float]]]) -> None:
    """For all batches: the result of each row does not depend on its neighbours, nor on leading axes."""
    p, q = (np.array(side) for side in zip(*rows, strict=True))
    for function in FUNCTIONS:
        batch = function(p[None], q[None])
        for i, row in enumerate(rows):
            alone = function(*row)
            if isinstance(alone, specdec.EmittedDistribution) and isinstance(batch, specdec.EmittedDistribution):
                assert (batch.dist[0, i] == alone.dist).all()
                assert batch.alpha[0, i] == alone.alpha
            else:
                assert np.array_equal(batch[0, i], alone)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(
    "row",
    [[1.0], [1 / 3, 1 / 3, 1 / 3], [0.0, 1.0], [0.1, 0.2, 0.3, 0.4], [5e-324, 1.0]],
    ids=["V=1", "thirds", "one-hot", "tenths", "subnormal"],
)
def test_equal_rows_stay_finite_without_a_warning(row: list[float], dtype: str) -> None:
    """For all p with q == p: no NaN, no infinity, no warning, dist is p and alpha the row's sum."""
    p = np.array(row, dtype)
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        dist, alpha = specdec.emitted_distribution(p, p)
        for function in FUNCTIONS[1:]:
            assert np.isfinite(function(p, p)).all()
    assert (dist == p).all()
    assert alpha == p.sum()
    assert (specdec.residual_distribution(p, p) == p).all()
    assert specdec.total_variation(p, p) == 0


@pytest.mark.parametrize(
    ("p", "q"),
    [
        ([1.0, 0.0], [1.0, 5e-324]),
        ([1.0, 5e-324], [1.0, 0.0]),
        ([0.5, 0.5], [0.5, np.nextafter(0.5, 0)]),
        ([1.0, 1e-300, 0.0], [1.0, 0.0, 1e-300]),
        ([0.5, 0.5, 1e-17], [0.5, 0.5, 0.0]),
        ([2e-308, 1.0], [1.0, 2e-308]),
    ],
)
def test_tiny_residuals_neither_overflow_nor_warn(p: list[float], q: list[float]) -> None:
    """A residual of subnormal mass divides by a subnormal number; nothing may overflow on the way."""
    with np.errstate(all="raise"):
        for pair in ((p, q), (q, p)):
            dist, alpha = specdec.emitted_distribution(*pair)
            np.testing.assert_allclose(dist, pair[0], rtol=0, atol=4 * EPS)
            assert 0 <= alpha <= 1
            assert (specdec.acceptance_ratio(*pair) <= 1).all()
            assert (specdec.residual_distribution(*pair) <= 1).all()


@pytest.mark.parametrize(("name", "alpha"), [("I2", 2 / 3), ("I3", 2 / 3), ("I5", 0.6), ("B0", 0.625)])
def test_alpha_of_named_pairs(name: str, alpha: float) -> None:
    p, q = (np.array(row, dtype=float) for row in NAMED[name])
    assert specdec.acceptance_probability(p, q) == pytest.approx(alpha, abs=4 * EPS)  # entries are rounded


def test_residual_of_b0_is_spread_over_two_tokens() -> None:
    assert specdec.residual_distribution([0.125, 0.375, 0.5], [0.5, 0.25, 0.25]).tolist() == [0.0, 1 / 3, 2 / 3]


def test_alpha_of_one_row_is_a_scalar_and_float32_stays() -> None:
    single = np.array([0.25, 0.75], np.float32)
    dist, alpha = specdec.emitted_distribution(single, single[::-1])
    assert isinstance(alpha, np.float32)
    assert dist.dtype == np.float32
    assert np.ndim(specdec.total_variation(single, single)) == 0


def test_law_is_computed_and_not_copied_from_the_target() -> None:
    """Rows off one within the tolerance show in the law, as the formula says they must."""
    p, q = [0.5, 0.5 + 1e-9], [0.5, 0.5]
    dist, alpha = specdec.emitted_distribution(p, q)
    assert dist.tolist() == [0.5, 0.5]  # nothing is rejected, so the surplus of p is never emitted
    assert alpha == 1.0
