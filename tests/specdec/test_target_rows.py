"""Transformations of rows in floats: the exact twin's on rows that floats hold, batches, extreme weights."""

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs import target_rows as exact_rows
from specdec import target_rows
from specdec.errors import NotADistributionError, SpecdecError
from specdec.target_rows import transform
from tests.specdec.test_token_rule import dyadic_pairs

EPS = float(np.finfo(float).eps)
# Powers and shares of dyadic rows are exact for a while: thresholds are met in floats as they are in fractions.
STEPS: list[tuple[Any, ...]] = [
    ("temperature", 0.5), ("temperature", 1), ("top_k", 1), ("top_k", 2), ("top_k", 2, "all"), ("top_k", 9),
    ("top_p", 0.5), ("top_p", 0.5, ">"), ("top_p", 1.0, ">"), ("min_p", 0.5), ("min_p", 0.0), ("min_p", 1.0),
    ("repetition_penalty", [0], 2), ("repetition_penalty", [], 3.5), ("logit_bias", {0: 0.5}),
    ("mask", [0, 1, 2, 3, 4]),
]  # fmt: skip


def _exactly(value: Any) -> Any:
    if isinstance(value, float):
        return Fraction(value)
    return {x: Fraction(f) for x, f in value.items()} if isinstance(value, dict) else value


@settings(max_examples=200)
@given(dyadic_pairs(), st.sampled_from(STEPS))
def test_one_step_is_the_exact_twins(pair: tuple[list[float], list[float]], step: tuple[Any, ...]) -> None:
    """For all dyadic rows and every step: each entry within 16 eps of the exact one, and no warning."""
    row = pair[0] if len(pair[0]) >= 5 or step[0] != "mask" else [*pair[0], *[0.0] * 5]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = transform(row, [step])
    expected = exact_rows.transform([Fraction(x) for x in row], [tuple(map(_exactly, step))])
    for value, reference in zip(result, expected, strict=True):
        assert abs(Fraction(float(value)) - Fraction(int(reference.p), int(reference.q))) <= 16 * EPS


def test_steps_apply_in_order() -> None:
    row = [0.4375, 0.3125, 0.1875, 0.0625]
    exactly = [Fraction(x) for x in row]
    for steps in (
        [("temperature", 0.5), ("top_p", 0.75)],
        [("top_p", 0.75), ("temperature", 0.5)],
        [("repetition_penalty", [0, 1], 2), ("top_k", 3), ("mask", [1, 2, 3])],
        [("temperature", 0.5), ("repetition_penalty", [0], 2), ("min_p", 0.25)],
    ):
        expected = exact_rows.transform(exactly, [tuple(map(_exactly, step)) for step in steps])
        assert np.allclose(transform(row, steps), [float(x) for x in expected], rtol=0, atol=16 * EPS), steps


@pytest.mark.parametrize("step", [*STEPS, ("temperature", 3.7), ("repetition_penalty", [1], 1.3)], ids=str)
def test_batch_is_its_rows(step: tuple[Any, ...]) -> None:
    """Leading axes, both dtypes: each row alone gives the same bits, sums to one, and the input stays as it was."""
    for dtype in (np.float64, np.float32):
        rows = np.random.default_rng(5).dirichlet([0.5] * 5, size=(2, 3)).astype(dtype)
        before = rows.copy()
        result = transform(rows, [step])
        assert result.dtype == dtype
        assert result.shape == rows.shape
        for at in np.ndindex(2, 3):
            assert (transform(rows[at], [step]) == result[at]).all()
        assert (rows == before).all()
        assert not np.may_share_memory(result, rows)
        assert np.abs(result.sum(axis=-1) - 1).max() < 4 * np.finfo(dtype).eps


def test_entry_on_the_threshold() -> None:
    """Floats that meet the mass, or the fraction, exactly."""
    row = [0.25, 0.5, 0.125, 0.125]
    assert target_rows.top_p(row, 0.75).tolist() == [0.25 / 0.75, 0.5 / 0.75, 0.0, 0.0]
    assert target_rows.top_p(row, 0.75, ">").tolist() == [0.25 / 0.875, 0.5 / 0.875, 0.125 / 0.875, 0.0]
    assert target_rows.top_p(row, 1.0, ">").tolist() == target_rows.top_p(row, 1.0).tolist() == row
    assert target_rows.min_p(row, 0.25).tolist() == row


def test_powers_do_not_vanish_or_overflow() -> None:
    assert transform([2e-5, 1e-5, 0.0], [("temperature", 1e-3)]).tolist() == [1.0, 2.0**-1000, 0.0]
    assert transform([1e-300, 1e-300], [("temperature", 0.01)]).tolist() == [0.5, 0.5]
    assert transform([1e308, 1e308], []).tolist() == [0.5, 0.5]
    assert transform([1.0, 1.0], [("temperature", 1e-300)]).tolist() == [0.5, 0.5]
    hot = transform([1e-3, 1.0], [("temperature", 1e300)])
    assert hot.tolist() == [0.5, 0.5]


def test_penalty_of_weights() -> None:
    assert np.allclose(target_rows.repetition_penalty([4.0, 1.0, 0.5], [0, 2], 2), [8 / 13, 4 / 13, 1 / 13])
    scaled = transform([4.0, 1.0], [("temperature", 0.5), ("repetition_penalty", [0], 2)])
    assert np.allclose(scaled, [0.8, 0.2])
    with pytest.raises(SpecdecError, match="no mass left"):
        target_rows.repetition_penalty([0.0, 0.0], [0], 2)


def test_public_functions_are_their_steps() -> None:
    row = [0.5, 0.25, 0.125, 0.125]
    for result, step in (
        (target_rows.temperature(row, 0.5), ("temperature", 0.5)),
        (target_rows.top_k(row, 3, "all"), ("top_k", 3, "all")),
        (target_rows.top_p(row, 0.75, ">"), ("top_p", 0.75, ">")),
        (target_rows.min_p(row, 0.5), ("min_p", 0.5)),
        (target_rows.logit_bias(row, {1: 2}), ("logit_bias", {1: 2})),
        (target_rows.mask(row, np.array([1, 2])), ("mask", [1, 2])),
    ):
        assert (result == transform(row, [step])).all()


def test_no_rows_and_one_token() -> None:
    assert transform(np.empty((0, 3)), [("top_p", 0.5), ("temperature", 0.5)]).shape == (0, 3)
    for step in STEPS:
        if step[0] != "mask":
            assert transform([1.0], [step]).tolist() == [1.0]


ROW = [0.5, 0.5]
REFUSED: dict[str, tuple[Any, Any, type[ValueError], str]] = {
    "no mass": ([0.0, 0.0], [], NotADistributionError, "row has no mass left"),
    "no mass in a batch": ([ROW, [0.0, 0.0]], [], NotADistributionError, r"row \[1\] has no mass left"),
    "negative": ([1.5, -0.5], [], NotADistributionError, r"row\[1\] = -0.5 is no weight.*Logits"),
    "nan": ([float("nan"), 1.0], [], NotADistributionError, r"row\[0\] = nan is no weight"),
    "infinite": ([float("inf"), 1.0], [], NotADistributionError, r"row\[0\] = inf is no weight"),
    "objects": ([Fraction(1)], [], NotADistributionError, "row has dtype object"),
    "temperature 0": (ROW, [("temperature", 0)], SpecdecError, "temperature = 0.0; .*top_k with k = 1"),
    "temperature": (ROW, [("temperature", float("inf"))], SpecdecError, "temperature = inf"),
    "k": (ROW, [("top_k", 0)], SpecdecError, "k = 0; expected a number of tokens to keep, 1 or more"),
    "ties": (ROW, [("top_k", 1, "x")], SpecdecError, "ties = 'x'; expected one of lowest, all"),
    "mass": (ROW, [("top_p", 0)], SpecdecError, "mass = 0.0; expected 0 < mass <= 1"),
    "boundary": (ROW, [("top_p", 1, "=")], SpecdecError, "boundary = '='"),
    "fraction": (ROW, [("min_p", 1.5)], SpecdecError, "fraction = 1.5"),
    "penalty": (ROW, [("repetition_penalty", [0], 0)], SpecdecError, "penalty = 0.0"),
    "token": (ROW, [("mask", [2])], SpecdecError, "allowed has 2; expected integers between 0 and V - 1 = 1"),
    "negative token": (ROW, [("mask", [-1])], SpecdecError, "allowed has -1"),
    "flags": (ROW, [("mask", [True, False])], SpecdecError, "a flag is no token"),
    "numpy flags": (ROW, [("mask", np.array([True, False]))], SpecdecError, "allowed: "),
    "one token": (ROW, [("mask", 1)], SpecdecError, "allowed: "),
    "factors": (ROW, [("logit_bias", [1])], SpecdecError, "factors is a list"),
    "factor": (ROW, [("logit_bias", {0: -1})], SpecdecError, r"factors\[0\] = -1.0"),
    "masked away": ([1.0, 0.0], [("mask", [1])], NotADistributionError, "row after steps.0., mask, has no mass left"),
    "biased away": ([1.0, 0.0], [("logit_bias", {0: 0})], NotADistributionError, "logit_bias, has no mass left"),
    "unknown": (ROW, [("top_a", 1)], SpecdecError, r"steps\[0\] = .'top_a', 1.; expected a name"),
    "arguments": (ROW, [("mask",)], SpecdecError, "has 0 arguments; mask expects 1"),
    "penalty arguments": (ROW, [("repetition_penalty", [0])], SpecdecError, "repetition_penalty expects 2"),
    "steps": (ROW, 3, SpecdecError, "steps: .*expected tuples such as"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_bad_call_is_refused(kind: str) -> None:
    row, steps, error, message = REFUSED[kind]
    with pytest.raises(error, match=message):
        transform(row, steps)
