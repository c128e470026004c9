"""Two drafted tokens in floats: beside the exact twin on the floats' own values."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from proofs.block_pair import expected_accepted_of_two as exact_value
from proofs.rationals import from_floats
from specdec.block_pair import expected_accepted_of_two
from specdec.errors import NotADistributionError, ShapeError


@pytest.mark.parametrize(("dtype", "most"), [(np.float64, 16), (np.float32, 16)])
def test_value_is_the_exact_one_within_some_eps(dtype: type, most: int) -> None:
    """Sums over V = 60 tokens in float64: a few eps of the dtype, rows that do not sum to one exactly among it."""
    rng = np.random.default_rng(7)
    rows: Any = rng.dirichlet(np.full(60, 0.3), size=(20, 2)).astype(dtype)
    rows[:4, :, ::3] = 0
    rows /= rows.sum(axis=-1, keepdims=True, dtype=float).astype(dtype)
    found = expected_accepted_of_two(rows[:, 0], rows[:, 1])
    assert found.dtype == dtype
    for value, (p, q) in zip(found, rows, strict=True):
        expected = exact_value(*(from_floats(row, normalise="exact") for row in (p, q)))
        assert abs(Fraction(float(value)) - Fraction(int(expected.p), int(expected.q))) < most * np.finfo(dtype).eps


def test_dyadic_rows_and_edges() -> None:
    assert float(expected_accepted_of_two([0.25, 0.75], [0.75, 0.25])) == 0.875  # 1/2 + 3/4 * 1/3 + 1/4 * 1/2
    assert float(expected_accepted_of_two([0.25, 0.75], [0.25, 0.75])) == 2
    assert float(expected_accepted_of_two([1.0, 0.0], [0.0, 1.0])) == 0
    assert expected_accepted_of_two(np.empty((0, 3)), np.empty((0, 3))).shape == (0,)


def test_bad_rows_are_refused() -> None:
    with pytest.raises(NotADistributionError, match="draft"):
        expected_accepted_of_two([0.5, 0.5], [0.5, 0.6])
    with pytest.raises(ShapeError):
        expected_accepted_of_two([0.5, 0.5], [1.0])
