"""The fast twins stay within the bound that their docstrings state."""

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import specdec
from proofs.agreement import fast_errors

BOUND = 4  # units of eps, absolute: what the docstrings of specdec say


def _pairs(dtype: type) -> Iterator[tuple[np.ndarray, np.ndarray]]:
    rng = np.random.default_rng(20)
    for vocabulary in (1, 2, 3, 7, 32, 300, 2000):
        for concentration in (0.05, 1.0, 10.0):
            for _ in range(6 if vocabulary < 100 else 1):
                p, q = (rng.dirichlet([concentration] * vocabulary) for _ in range(2))
                p, q = (p / p.sum()).astype(dtype), (q / q.sum()).astype(dtype)
                yield p, q
                near = p.copy()  # one ulp apart at one token
                at = int(rng.integers(vocabulary))
                near[at] = np.nextafter(near[at], dtype(0))
                yield p, near
                yield near, p


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_error_is_within_the_stated_bound(dtype: type) -> None:
    """For random pairs, and for pairs one ulp apart: each law is within 4 eps of its formula over the floats."""
    worst = np.max([fast_errors(p, q) for p, q in _pairs(dtype)], axis=0)
    assert (worst <= BOUND).all(), worst
    assert (worst > 0).all()  # everything rounds somewhere: no law is compared with itself


def test_exactly_representable_pair_has_no_error_in_alpha() -> None:
    errors = fast_errors(np.array([0.125, 0.375, 0.5]), np.array([0.5, 0.25, 0.25]))
    assert (errors.alpha, errors.total_variation) == (0, 0)


@pytest.mark.parametrize(
    ("function", "field"),
    [
        ("emitted_distribution", "dist"),
        ("emitted_distribution", "alpha"),
        ("total_variation", "total_variation"),
        ("residual_distribution", "residual"),
    ],
)
def test_a_wrong_fast_law_would_be_seen(monkeypatch: pytest.MonkeyPatch, function: str, field: str) -> None:
    right = getattr(specdec, function)

    def wrong(p: Any, q: Any) -> Any:
        result = right(p, q)
        if function != "emitted_distribution":
            return result * (1 - 1e-12)
        return result._replace(**{field: getattr(result, field) * (1 - 1e-12)})

    monkeypatch.setattr(specdec, function, wrong)
    assert getattr(fast_errors(np.array([0.125, 0.375, 0.5]), np.array([0.5, 0.25, 0.25])), field) > 1000
