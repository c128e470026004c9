"""The fast laws of lossy rules: the exact twin's on rows that floats hold, and what floats alone can get wrong."""

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import specdec
from proofs import lossy_rules as exact_rules
from specdec import lossy_rules
from specdec.errors import NotADistributionError, ShapeError, SpecdecError
from tests.enumeration import NAMED
from tests.specdec.test_token_rule import dyadic_pairs

EPS = float(np.finfo(float).eps)
CALLS: list[tuple[str, tuple[Any, ...]]] = [
    ("lenience", (1.0,)), ("lenience", (0.75,)), ("lenience", (0.75, "scaled")), ("lenience", (2.0**-1040, "scaled")),
    ("synthetic", (0.0,)), ("synthetic", (0.25,)), ("synthetic", (1.0,)),
    ("ensemble", (0.0,)), ("ensemble", (0.75,)), ("ensemble", (1.0,)),
    ("sglang_thresholds", (1.0, 1.0)), ("sglang_thresholds", (0.5, 0.75)), ("sglang_thresholds", (0.0, 1.0)),
    ("relaxed", (1, 0.0)), ("relaxed", (2, 0.25, "target")), ("relaxed", (9, 0.5, "kept")),
    ("typical", (0.5, 0.75)), ("typical", (0.25, 0.3, "kept")), ("typical", (0.0, 0.0, "top")),
]  # fmt: skip


def _exactly(row: Any) -> tuple[Fraction, ...]:
    return tuple(Fraction(float(x)) for x in row)


def _arguments(arguments: tuple[Any, ...]) -> list[Any]:
    return [Fraction(x) if isinstance(x, float) else x for x in arguments]


def _error(value: Any, reference: Any) -> float:
    return float(abs(Fraction(float(value)) - Fraction(int(reference.p), int(reference.q)))) / EPS


@settings(max_examples=150)
@given(dyadic_pairs(), st.sampled_from(CALLS))
def test_law_is_the_exact_twins(pair: tuple[list[float], list[float]], call: tuple[str, tuple[Any, ...]]) -> None:
    """For all dyadic p, q and every rule: law and alpha within 8 eps of the exact ones, and no warning."""
    rule, arguments = call
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        dist, alpha = getattr(lossy_rules, rule)(*pair, *arguments)
    expected = getattr(exact_rules, rule)(*map(_exactly, pair), *_arguments(arguments))
    assert _error(alpha, expected.alpha) <= 8
    for value, reference in zip(dist, expected.dist, strict=True):
        assert _error(value, reference) <= 8
        assert value >= 0


@pytest.mark.parametrize(("rule", "arguments"), CALLS, ids=str)
def test_batch_is_its_rows(rule: str, arguments: tuple[Any, ...]) -> None:
    """Leading axes, both dtypes: each row alone gives the same bits, and inputs stay as they were."""
    rng = np.random.default_rng(3)
    for dtype in (np.float64, np.float32):
        p, q = (rng.dirichlet([0.5] * 5, size=(2, 3)).astype(dtype) for _ in range(2))
        before = p.copy(), q.copy()
        dist, alpha = getattr(lossy_rules, rule)(p, q, *arguments)
        assert dist.shape == p.shape
        assert alpha.shape == p.shape[:-1]
        assert dist.dtype == alpha.dtype == dtype
        for at in np.ndindex(2, 3):
            one = getattr(lossy_rules, rule)(p[at], q[at], *arguments)
            assert (one.dist == dist[at]).all()
            assert one.alpha == alpha[at]
        assert (p == before[0]).all()
        assert (q == before[1]).all()
        assert np.abs(dist.sum(axis=-1) - 1).max() < 16 * np.finfo(dtype).eps


def test_golden_values_of_the_rules() -> None:
    p, q = ([float(x) for x in row] for row in NAMED["I3"])
    law, alpha = lossy_rules.lenience(p, q, 0.75)
    assert np.allclose(law, [4 / 9, 1 / 3, 2 / 9], rtol=0, atol=4 * EPS)
    assert abs(alpha - 13 / 18) < 4 * EPS
    law, _ = lossy_rules.synthetic(p, q, 0.5)
    assert np.allclose(law, [1 / 3] * 3, rtol=0, atol=4 * EPS)
    assert abs(specdec.total_variation(p, law) - 1 / 6) < 4 * EPS


def test_token_rule_in_a_corner() -> None:
    """Ensemble with weight 1, the target declared, and alpha of lenience 1: the token rule to the last bit."""
    rng = np.random.default_rng(4)
    p, q = rng.dirichlet([1.0] * 6, size=2)
    expected = specdec.emitted_distribution(p, q)
    assert (lossy_rules.ensemble(p, q, 1).dist == expected.dist).all()
    assert (lossy_rules.cascade(q, p, q).dist == expected.dist).all()
    assert lossy_rules.lenience(p, q, 1).alpha == specdec.acceptance_probability(p, q)


def test_tokens_that_are_kept() -> None:
    assert lossy_rules.relaxed_tokens([0.25, 0.5, 0.25], 2, 1).tolist() == [True, True, False]
    assert lossy_rules.relaxed_tokens([0.25, 0.5, 0.25], 3, 0.25).tolist() == [True, True, True]
    assert lossy_rules.typical_tokens([[0.75, 0.25, 0.0], [1.0, 0.0, 0.0]], 0.5, 0.5).tolist() == [
        [True, False, False],
        [True, False, False],
    ]


def test_entry_on_a_threshold() -> None:
    """SGLang's single threshold keeps p(x) = s, relaxed keeps p(x) = max - delta, typical drops p(x) = epsilon."""
    assert lossy_rules.sglang_thresholds([0.5, 0.5], [0.25, 0.75], 0.5, 1).dist.tolist() == [0.25, 0.75]
    assert lossy_rules.relaxed([0.5, 0.375, 0.125], [0.0, 0.5, 0.5], 3, 0.125).alpha == 0.5
    assert lossy_rules.typical_tokens([0.5, 0.5], 0.5, 1).tolist() == [False, False]


def test_no_rows_and_one_token() -> None:
    for rule, arguments in CALLS:
        assert getattr(lossy_rules, rule)(np.empty((0, 3)), np.empty((0, 3)), *arguments).dist.shape == (0, 3)
        dist, alpha = getattr(lossy_rules, rule)([1.0], [1.0], *arguments)
        assert dist.tolist() == [1.0]
        assert 0 <= alpha <= 1


ROW = [0.5, 0.5]
REFUSED: dict[str, tuple[str, tuple[Any, ...], type[ValueError], str]] = {
    "lenience 0": ("lenience", (ROW, ROW, 0), SpecdecError, "leniency = 0.0; expected 0 < leniency <= 1"),
    "lenience nan": ("lenience", (ROW, ROW, float("nan")), SpecdecError, "leniency = nan; expected"),
    "lenience by row": ("lenience", (ROW, ROW, ROW), SpecdecError, "one number for all rows"),
    "lenience as text": ("lenience", (ROW, ROW, "1/2"), SpecdecError, "leniency = '1/2' is no number"),
    "lenience as a flag": ("lenience", (ROW, ROW, True), SpecdecError, "leniency = True is no number"),
    "lenience None": ("lenience", (ROW, ROW, None), SpecdecError, "leniency = None is no number"),
    "residual": (
        "lenience",
        (ROW, ROW, 1, "both"),
        SpecdecError,
        "residual = 'both'; expected one of difference, scaled",
    ),
    "rate": ("synthetic", (ROW, ROW, 1.5), SpecdecError, "rate = 1.5; expected 0 <= rate <= 1"),
    "weight": ("ensemble", (ROW, ROW, -1), SpecdecError, "weight = -1.0"),
    "threshold": (
        "sglang_thresholds",
        (ROW, ROW, 1, 0),
        SpecdecError,
        "threshold_acc = 0.0; expected 0 < threshold_acc",
    ),
    "top_n": ("relaxed", (ROW, ROW, 0, 0), SpecdecError, "top_n = 0; expected a number of tokens, 1 or more"),
    "half a token": ("relaxed", (ROW, ROW, 1.5, 0), SpecdecError, "top_n = 1.5 is no integer"),
    "replacement": (
        "typical",
        (ROW, ROW, 1, 1, "p"),
        SpecdecError,
        "replacement = 'p'; expected one of target, kept, top",
    ),
    "shapes": ("typical", (ROW, [ROW], 1, 1), ShapeError, "target has shape .2,. and draft has shape"),
    "sums": ("synthetic", (ROW, [0.5, 0.25], 1), NotADistributionError, "draft sums to 0.75"),
    "declared": ("cascade", (ROW, [0.5, 0.25], ROW), NotADistributionError, "declared sums to 0.75"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_bad_call_is_refused(kind: str) -> None:
    rule, arguments, error, message = REFUSED[kind]
    with pytest.raises(error, match=message):
        getattr(lossy_rules, rule)(*arguments)
