"""Block verification in floating point, held to its exact twin over the floats as rationals."""

import warnings
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from proofs import block_rule as exact
from specdec.block_rule import path_law, path_odds, path_weights
from specdec.errors import NotADistributionError, ShapeError, TokenError

BOUND = 8  # units of eps, absolute, on dyadic rows
Path = tuple[np.ndarray, np.ndarray, np.ndarray]


def _paths(dtype: str, count: int = 60) -> Iterator[Path]:
    """Rows of sixteenths, so that they sum to one exactly; equal rows and rows without common tokens among them."""
    rng = np.random.default_rng(7)
    for at in range(count):
        vocabulary, gamma = int(rng.integers(1, 6)), int(rng.integers(0, 5))
        target = rng.multinomial(16, np.ones(vocabulary) / vocabulary, size=gamma + 1) / 16
        draft = rng.multinomial(16, np.ones(vocabulary) / vocabulary, size=gamma) / 16
        if at % 4 == 0:
            draft = target[:gamma].copy()
        yield target.astype(dtype), draft.astype(dtype), rng.integers(0, vocabulary, gamma)


def _rational(rows: np.ndarray) -> list[list[Fraction]]:
    return [[Fraction(float(x)) for x in row] for row in rows]


def _error(found: np.ndarray, wanted: Any) -> float:
    gaps = [abs(Fraction(float(a)) - Fraction(str(b))) for a, b in zip(found.ravel(), wanted, strict=True)]
    return float(max(gaps)) / float(np.finfo(found.dtype).eps)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_error_against_the_exact_twin_is_within_the_bound(dtype: str) -> None:
    """For paths of dyadic rows with V 1 to 5 and gamma 0 to 4: weights, odds, stops and last tokens."""
    worst = 0.0
    for target, draft, tokens in _paths(dtype):
        given = _rational(target), _rational(draft), tokens.tolist()
        law, wanted = path_law(target, draft, tokens), exact.path_law(*given)
        assert law.stops.dtype == law.last.dtype == dtype
        assert law.stops.shape == (len(tokens) + 1,)
        assert law.last.shape == target.shape
        worst = max(
            worst,
            _error(path_weights(target, draft, tokens), exact.path_weights(*given)),
            _error(path_odds(target, draft, tokens), exact.path_odds(*given)),
            _error(law.stops, wanted.stops),
            _error(law.last, [x for row in wanted.last for x in row]),
        )
    assert 0 < worst <= BOUND


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_rows_that_hardly_differ_are_told_apart(dtype: str) -> None:
    """Rows of quarters, moved by a few units of 32 eps: the odds are quotients of two numbers of that size."""
    rng, unit, worst = np.random.default_rng(5), 32 * float(np.finfo(dtype).eps), 0.0
    for _ in range(60):
        target, draft = (0.25 + unit * (moves - np.roll(moves, 1, -1)) for moves in rng.integers(0, 4, (2, 4, 4)))
        target, draft = target.astype(dtype), draft[:3].astype(dtype)
        tokens = rng.integers(0, 4, 3)
        law = path_law(target, draft, tokens)
        wanted = exact.path_law(_rational(target), _rational(draft), tokens.tolist())
        odds = exact.path_odds(_rational(target), _rational(draft), tokens.tolist())
        worst = max(worst, _error(law.stops, wanted.stops), _error(path_odds(target, draft, tokens), odds))
        worst = max(worst, _error(law.last, [x for row in wanted.last for x in row]))
    assert 0 < worst <= BOUND


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("lead", [(), (1,), (3,), (2, 3), (0,)])
@pytest.mark.parametrize(("gamma", "vocabulary"), [(0, 3), (1, 1), (2, 4), (3, 6000), (2, 20_000)])
def test_batches_are_paths_side_by_side(dtype: str, lead: tuple[int, ...], gamma: int, vocabulary: int) -> None:
    """Of sizes below and above what is treated at once: whole paths, some rows of one path, one row."""
    rng = np.random.default_rng(3)
    target, draft = (rng.random((*lead, n, vocabulary)) for n in (gamma + 1, gamma))
    target, draft = (np.asarray(x / x.sum(axis=-1, keepdims=True), dtype) for x in (target, draft))
    tokens = rng.integers(0, vocabulary, (*lead, gamma))
    law = path_law(target, draft, tokens)
    assert law.stops.shape == (*lead, gamma + 1)
    assert law.last.shape == target.shape
    assert path_weights(target, draft, tokens).shape == path_odds(target, draft, tokens).shape == law.stops.shape
    tolerance = 64 * float(np.finfo(dtype).eps)
    for at in np.ndindex(*lead):
        one = path_law(target[at], draft[at], tokens[at])
        np.testing.assert_array_equal(one.stops, law.stops[at])
        np.testing.assert_array_equal(one.last, law.last[at])
    np.testing.assert_allclose(law.stops.sum(axis=-1), 1, atol=tolerance)
    np.testing.assert_allclose(law.last.sum(axis=-1), 1, atol=tolerance * 16)
    assert (law.last >= 0).all()


def test_golden_path_of_i2() -> None:
    law = path_law([[1 / 3, 2 / 3]] * 3, [[2 / 3, 1 / 3]] * 2, [0, 0])
    np.testing.assert_allclose(law.stops, [3 / 4, 0, 1 / 4], atol=1e-15)
    np.testing.assert_allclose(law.last, [[0.0, 1.0], [1 / 3, 2 / 3], [1 / 3, 2 / 3]], atol=1e-15)


def test_expected_number_averaged_over_drafts_is_the_exact_one() -> None:
    p, q = np.array([0.4, 0.3, 0.2, 0.1]), np.array([0.1, 0.2, 0.3, 0.4])
    tokens = np.stack(np.meshgrid(*[np.arange(4)] * 2, indexing="ij"), axis=-1).reshape(-1, 2)
    stops = path_law(np.tile(p, (16, 3, 1)), np.tile(q, (16, 2, 1)), tokens).stops
    assert float(q[tokens].prod(axis=-1) @ (stops @ np.arange(3))) == pytest.approx(103 / 100, abs=1e-14)


def test_equal_rows_are_accepted_whole_and_give_no_nan() -> None:
    rows = np.random.default_rng(1).dirichlet(np.ones(7), size=(5, 4))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        law = path_law(rows, rows[:, :3], np.zeros((5, 3), int))
    np.testing.assert_array_equal(law.stops, [[0, 0, 0, 1]] * 5)
    np.testing.assert_array_equal(law.last, rows)
    np.testing.assert_array_equal(path_odds(rows, rows[:, :3], np.zeros((5, 3), int)), np.ones((5, 4)))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_tiny_masses_give_numbers(dtype: str) -> None:
    """Residual masses down to the smallest subnormal, ratios beyond the greatest float."""
    tiny = float(np.finfo(dtype).smallest_subnormal)
    for mass in (tiny, 3 * tiny, 1e-38, 1e-30, 1e-10):
        target = np.array([[1.0, mass, 0], [1.0, 0, mass], [1.0, 0, 0]], dtype)
        draft = np.array([[1.0, 0, mass], [1.0, mass, 0]], dtype)
        for tokens in ([0, 0], [2, 1], [1, 2]):
            law = path_law(target, draft, tokens)
            assert np.isfinite(law.stops).all()
            assert np.isfinite(law.last).all()
            np.testing.assert_array_equal(law.last[0], np.array([0, 1, 0], dtype))


def test_token_that_is_never_drafted_is_not_divided_by() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert path_weights([[1.0, 0.0], [0.5, 0.5]], [[0.0, 1.0]], [0]).tolist() == [1.0, 1.0]
        assert path_weights([[0.0, 1.0], [0.5, 0.5]], [[0.0, 1.0]], [0]).tolist() == [1.0, 0.0]


def test_integers_and_mixed_dtypes() -> None:
    law = path_law([[1, 0], [0, 1]], [[0, 1]], [1])
    assert law.stops.tolist() == [1.0, 0.0]
    assert law.last.dtype == np.float64
    single = np.array([[0.1, 0.9]], np.float32)
    mixed = path_law(np.array([[0.25, 0.75]] * 2), single, [0])
    assert mixed.stops.dtype == np.float64  # the float32 row, off one by 1e-8, is held to its own tolerance
    with pytest.raises(NotADistributionError, match="float32"):
        path_law(np.array([[0.25, 0.75]] * 2), single.astype(float), [0])


def test_inputs_are_not_changed() -> None:
    target, draft, tokens = next(_paths("float64", 3))
    before = target.copy(), draft.copy(), tokens.copy()
    for function in (path_law, path_weights, path_odds):
        function(target, draft, tokens)
    for now, then in zip((target, draft, tokens), before, strict=True):
        np.testing.assert_array_equal(now, then)


ROW = [0.5, 0.5]
REFUSED: dict[str, tuple[Any, Any, Any, type[ValueError], str]] = {
    "logits": ([[-1.0, 2.0], ROW], [ROW], [0], NotADistributionError, r"target\[0, 0\] = -1.0 is not a probability"),
    "off one": ([ROW, ROW], [[0.5, 0.25]], [0], NotADistributionError, r"row \[0\] of draft sums to 0.75"),
    "bonus off one": ([ROW, [0.5, 0.25]], [ROW], [0], NotADistributionError, r"row \[1\] of target sums to 0.75"),
    "nan": ([ROW, [float("nan"), 1.0]], [ROW], [0], NotADistributionError, r"target\[1, 0\] = nan"),
    "nan in the draft": ([ROW, ROW], [[float("nan"), 1.0]], [0], NotADistributionError, r"draft\[0, 0\] = nan"),
    "infinite": ([[float("inf"), 0.0], ROW], [ROW], [0], NotADistributionError, r"target\[0, 0\] = inf"),
    "negative draft": ([ROW, ROW], [[1.5, -0.5]], [0], NotADistributionError, r"draft\[0, 1\] = -0.5"),
    "fractions": ([[Fraction(1, 2)] * 2] * 2, [ROW], [0], NotADistributionError, "target has dtype object"),
    "shape": ([ROW], [ROW], [0], ShapeError, "one row of the target"),
    "token": ([ROW, ROW], [ROW], [7], TokenError, r"tokens\[0\] = 7"),
}


@pytest.mark.parametrize("function", [path_law, path_weights, path_odds])
@pytest.mark.parametrize("kind", REFUSED)
def test_bad_path_is_refused(function: Any, kind: str) -> None:
    target, draft, tokens, error, message = REFUSED[kind]
    with pytest.raises(error, match=message):
        function(target, draft, tokens)
