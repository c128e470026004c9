"""The reference sampler: its exact law by running every decision, and its refusals."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from specdec.errors import NotADistributionError, ShapeError, TokenError
from specdec.sampling import verify
from tests.enumeration import scripted_law

# Ratios are multiples of 1/8 and entries dyadic, so an 8-sided coin gives the law exactly.
P = np.array([[1 / 8, 3 / 8, 1 / 2], [1 / 2, 1 / 4, 1 / 4], [1 / 4, 1 / 2, 1 / 4]])
Q = np.array([[1 / 2, 1 / 4, 1 / 4], [1 / 4, 1 / 4, 1 / 2]])


def _draft_and_verify(gamma: int, rng: Any) -> tuple[int, ...]:
    tokens = [rng.choice(3, p=Q[i]) for i in range(gamma)]
    return tuple(verify(P[: gamma + 1], Q[:gamma], tokens, rng))


@pytest.mark.parametrize("gamma", [0, 1, 2])
def test_emitted_block_completed_by_the_target_has_the_target_law(gamma: int) -> None:
    """For gamma 0 to 2: sum over emitted e of y's prefixes of Pr(e) P(rest of y | e) = P(y), for every y.

    The residuals of the second pair are dyadic; those of the first are (0, 1/3, 2/3) as floats, off by
    half an ulp, so the comparison allows 2**-50.
    """
    law = scripted_law(lambda rng: _draft_and_verify(gamma, rng), coins=8)
    assert abs(sum(law.values(), Fraction(-1))) < Fraction(1, 2**50)
    for y in np.ndindex(*(3,) * (gamma + 1)):
        expected, got = Fraction(1), Fraction(0)
        for i, token in enumerate(y):
            expected *= Fraction(float(P[i, token]))
        for emitted, weight in law.items():
            if y[: len(emitted)] == emitted:
                for i in range(len(emitted), gamma + 1):
                    weight *= Fraction(float(P[i, y[i]]))
                got += weight
        assert abs(got - expected) < Fraction(1, 2**50)


def test_kept_tokens_are_the_drafted_ones() -> None:
    law = scripted_law(lambda rng: tuple(verify(P, Q, [0, 2], rng)), coins=8)
    assert law
    assert all(emitted[:-1] == (0, 2)[: len(emitted) - 1] for emitted in law)


def test_seeded_generator_makes_it_reproducible() -> None:
    runs = [[verify(P, Q, [0, 2], np.random.default_rng(seed)) for seed in range(50)] for _ in range(2)]
    assert runs[0] == runs[1]
    assert {len(emitted) for emitted in runs[0]} == {1, 2, 3}
    assert all(type(token) is int for emitted in runs[0] for token in emitted)


def test_identical_rows_keep_everything() -> None:
    same = np.full((4, 3), 1 / 3)
    for dtype in ("float32", "float64"):
        rows = same.astype(dtype)
        for seed in range(20):
            assert verify(rows, rows[:3], [0, 1, 2], np.random.default_rng(seed))[:3] == [0, 1, 2]


def test_token_without_target_mass_is_never_emitted() -> None:
    """A coin of exactly 0 would pass u <= p/q; the comparison is strict."""
    law = scripted_law(lambda rng: tuple(verify([[0.0, 1.0], [0.5, 0.5]], [[0.5, 0.5]], [0], rng)), coins=8)
    assert law == {(1,): 1}


def test_undraftable_token_is_kept_iff_the_target_wants_it() -> None:
    wanted = scripted_law(lambda rng: verify([[0.5, 0.5], [1.0, 0.0]], [[0.0, 1.0]], [0], rng)[0], coins=4)
    unwanted = scripted_law(lambda rng: verify([[0.0, 1.0], [1.0, 0.0]], [[0.0, 1.0]], [0], rng)[0], coins=4)
    assert wanted == {0: Fraction(1)}
    assert unwanted == {1: Fraction(1)}


def test_nothing_drafted_takes_any_empty_draft() -> None:
    drafts: list[Any] = [[], np.empty((0, 2)), np.empty((0, 5))]
    for draft in drafts:
        assert verify([[1.0, 0.0]], draft, [], np.random.default_rng(0)) == [0]


ROW = [0.5, 0.5]
REFUSED: dict[str, tuple[Any, Any, Any, type[ValueError], str]] = {
    "missing bonus row": ([ROW], [ROW], [0], ShapeError, "one row of the target for each drafted token"),
    "draft of another length": ([ROW, ROW], [ROW, ROW], [0], ShapeError, r"expected \(gamma, V\) = \(1, 2\)"),
    "draft over other tokens": ([ROW, ROW], [[0.5, 0.25, 0.25]], [0], ShapeError, r"expected \(gamma, V\) = \(1, 2\)"),
    "one row for the target": (ROW, [ROW], [0], ShapeError, "target has shape"),
    "tokens of two dimensions": ([ROW, ROW], [ROW], [[0]], ShapeError, "tokens has shape"),
    "token too large": ([ROW, ROW], [ROW], [2], TokenError, r"tokens\[0\] = 2 is not a token.*V - 1 = 1"),
    "padding": ([ROW, ROW, ROW], [ROW, ROW], [0, -1], TokenError, r"tokens\[1\] = -1 .*Padding"),
    "float tokens": ([ROW, ROW], [ROW], [0.0], TokenError, "tokens has dtype float64"),
    "bool tokens": ([ROW, ROW], [ROW], [True], TokenError, "tokens has dtype bool"),
    "masked tokens": ([ROW, ROW], [ROW], np.ma.masked_array([0], mask=[True]), TokenError, "tokens is a masked array"),
    "draft forgotten": ([ROW, ROW], [], [0], NotADistributionError, "draft has shape"),
    "drafts without tokens": ([ROW], [ROW], [], ShapeError, r"expected \(gamma, V\) = \(0, 2\)"),
    "ragged tokens": ([ROW, ROW], [ROW], [[0], [0, 1]], TokenError, "tokens cannot be read"),
    "logits": ([[-1.0, 2.0], ROW], [ROW], [0], NotADistributionError, r"target\[0, 0\] = -1.0 is not a probability"),
    "draft off one": ([ROW, ROW], [[0.5, 0.25]], [0], NotADistributionError, r"row \[0\] of draft sums to 0.75"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_bad_call_is_refused(kind: str) -> None:
    target, draft, tokens, error, message = REFUSED[kind]
    with pytest.raises(error, match=message):
        verify(target, draft, tokens, np.random.default_rng(0))


def test_rejection_without_a_residual_draws_from_a_float32_target() -> None:
    """Equal rows and a token that neither gives mass: a sum that is fine in float32 must be fine when widened too."""
    row = np.random.default_rng(0).dirichlet(np.ones(50)).astype(np.float32)
    row[7] = 0
    row /= row.sum()
    assert abs(row.sum(dtype=np.float64) - 1) > np.sqrt(np.finfo(np.float64).eps)
    (token,) = verify([row, row], [row], [7], np.random.default_rng(1))
    assert row[token] > 0
