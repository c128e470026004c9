"""The fast laws of the token rule, held to brute force on inputs that floats hold exactly."""

import warnings
from collections.abc import Callable
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import specdec
from tests.accuracy import error
from tests.enumeration import NAMED, token_rule_law

GRID = 2**10
FUNCTIONS: list[Callable[..., Any]] = [
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


@pytest.mark.parametrize("shape", [(1, 3), (7, 3), (3, 2, 5), (5461, 3), (5462, 3), (20000, 3), (3, 20000), (2, 16384)])
def test_blocks_of_rows_leave_no_seam(shape: tuple[int, ...]) -> None:
    """Rows below, at and above the size of a block: each is what it is alone."""
    rng = np.random.default_rng(3)
    p, q = (rng.random(shape) for _ in range(2))
    q[..., 1:] = np.where(rng.random(shape[:-1])[..., None] < 0.1, p[..., 1:], q[..., 1:])  # some hardly differ
    q.reshape(-1, shape[-1])[::7] = p.reshape(-1, shape[-1])[::7]  # and some not at all
    p, q = p / p.sum(axis=-1, keepdims=True), q / q.sum(axis=-1, keepdims=True)
    dist, alpha = specdec.emitted_distribution(p, q)
    assert dist.shape == shape
    assert alpha.shape == shape[:-1]
    np.testing.assert_allclose(dist, p, rtol=0, atol=4 * EPS)
    rows = list(np.ndindex(*shape[:-1]))
    for at in rows[:: max(1, len(rows) // 50)] + rows[-1:]:
        alone = specdec.emitted_distribution(p[at], q[at])
        assert (alone.dist == dist[at]).all()
        assert alone.alpha == alpha[at]


def test_bad_row_in_any_block_is_found() -> None:
    p = np.full((20000, 4), 0.25)
    for at in (0, 4095, 4096, 19999):
        for value in (np.nan, np.inf, -0.25, 0.3):
            for bad_is_target in (True, False):
                bad = p.copy()
                bad[at, 2] = value
                pair = (bad, p) if bad_is_target else (p, bad)
                name = "p" if bad_is_target else "q"
                with pytest.raises(
                    specdec.NotADistributionError, match=rf"{name}\[?.*\[?{at}\b|row \[{at}\] of {name}"
                ):
                    specdec.emitted_distribution(*pair)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_at_the_tolerance_are_judged_as_by_the_other_functions(dtype: str) -> None:
    """The quick look at sums is stricter than the bound; where it doubts, the bound itself decides."""
    tolerance = float(np.sqrt(np.finfo(dtype).eps))
    good = np.array([0.5, 0.5], dtype)
    for factor in (0.98, 0.995, 0.999, 1.001, 1.01):
        for sign in (1, -1):
            row = np.array([0.5, 0.5 + sign * factor * tolerance], dtype)
            for pair in ((row, good), (good, row)):
                outcomes = []
                for function in (specdec.emitted_distribution, specdec.acceptance_probability):
                    try:
                        function(*pair)
                        outcomes.append(True)
                    except specdec.NotADistributionError:
                        outcomes.append(False)
                assert outcomes[0] is outcomes[1]
                assert outcomes[0] is (factor < 1)


def test_out_receives_the_law() -> None:
    p, q = np.array([[0.25, 0.75], [1.0, 0.0]]), np.array([[0.5, 0.5], [0.0, 1.0]])
    out = np.full_like(p, np.nan)
    result = specdec.emitted_distribution(p, q, out=out)
    assert result.dist is out
    assert (out == specdec.emitted_distribution(p, q).dist).all()
    assert (result.alpha == [0.75, 0.0]).all()


def _read_only(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def test_out_that_does_not_fit_is_refused() -> None:
    p, q = np.array([[0.25, 0.75], [1.0, 0.0]]), np.array([[0.5, 0.5], [0.0, 1.0]])
    wrong: list[tuple[Any, str]] = [
        (np.empty(2), r"out is shape \(2,\) and dtype float64; expected an array of shape \(2, 2\) and dtype float64"),
        (np.empty((2, 2), np.float32), "dtype float32; expected"),
        ([[0.0, 0.0], [0.0, 0.0]], "out is a list"),
        (np.empty((2, 4))[:, ::2], "a view with gaps, or read-only"),
        (_read_only(np.empty((2, 2))), "a view with gaps, or read-only"),
        (p, "out shares memory with p or q"),
        (q, "out shares memory with p or q"),
    ]
    for out, message in wrong:
        with pytest.raises(specdec.ShapeError, match=message):
            specdec.emitted_distribution(p, q, out=out)
    assert p.tolist() == [[0.25, 0.75], [1.0, 0.0]]


@pytest.mark.parametrize("mass", [2.0**-5, 2.0**-7, 2.0**-30, 2.0**-52, 2.0**-100, 2.0**-130, 2.0**-1000, 5e-324])
def test_small_residual_masses_keep_their_law(mass: float) -> None:
    """Both ways to sum the rejected mass, and both to scale the residual, give the formula's value."""
    p = np.array([1 - mass if mass > EPS else 1.0, mass, 0.0, 0.0])
    q = np.array([1 - mass if mass > EPS else 1.0, 0.0, mass / 2, mass / 2])
    dist, _ = specdec.emitted_distribution(p, q)
    assert dist[1] == pytest.approx(mass, rel=1e-15)
    assert dist[0] == p[0]
    assert (dist[2:] == 0).all()


def test_mixed_dtypes_are_held_to_their_own_tolerances() -> None:
    """A float32 row is no worse for standing beside a float64 row, in every function."""
    rng = np.random.default_rng(4)
    for _ in range(50):
        p, q = rng.random(1000).astype(np.float32), rng.random(1000)
        p, q = p / p.sum(), q / q.sum()
        for pair in ((p, q), (q, p)):
            dist, alpha = specdec.emitted_distribution(*pair)
            assert dist.dtype == np.float64
            assert alpha == specdec.acceptance_probability(*pair)


def test_sums_that_round_in_one_direction_keep_the_law() -> None:
    """The worst for pairwise sums: in each lane a large head and a tail of nearly half its ulp."""
    for dtype in (np.float32, np.float64):
        eps = float(np.finfo(dtype).eps)
        q = np.zeros(128)
        for lane in range(8):
            q[lane] = 2.0 ** -(min(lane, 6) + 1)
            q[lane + 8 :: 8] = 0.999 * 0.5 * eps * q[lane]
        p = np.zeros(128)
        p[:2] = 0.25, 0.75
        assert error((p.astype(dtype), q.astype(dtype))).dist <= 4


@pytest.mark.filterwarnings("ignore:the matrix subclass")
def test_out_may_be_no_subclass_and_no_view_of_what_is_read() -> None:
    p, q = np.full((2, 3), 0.25, ">f8"), np.full((2, 3), 0.25)
    p[:, 0], q[:, 1] = 0.5, 0.5
    masked: Any = np.ma.masked_array(np.empty((2, 3)))
    for out, message in (
        (np.asmatrix(np.empty((2, 3))), "out is a matrix"),
        (masked, "out is a MaskedArray"),
        (p.view("f8"), "out shares memory with p or q"),
    ):
        with pytest.raises(specdec.ShapeError, match=message):
            specdec.emitted_distribution(p, q, out=out)
