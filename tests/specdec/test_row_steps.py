"""The steps one by one, on weights in floats that are not normalised."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from specdec.errors import NotADistributionError, SpecdecError
from specdec.row_steps import STEPS, Weights, check_mass, greatest, read_steps
from tests.specdec.test_token_rule import dyadic_pairs


@given(dyadic_pairs(), st.integers(1, 7))
def test_greatest_entries_are_those_of_a_stable_sort(pair: tuple[list[float], list[float]], count: int) -> None:
    """For all rows and k: the entries kept are the first k from the greatest down, of equals the lower id first."""
    row = np.array(pair[0])
    expected = sorted(np.argsort(-row, kind="stable")[:count].tolist())
    assert np.flatnonzero(greatest(row, count)).tolist() == expected
    assert np.flatnonzero(greatest(row, count, "all")).tolist() == np.flatnonzero(row >= row[expected].min()).tolist()


def test_scale_is_kept_beside_the_weights() -> None:
    """Weights 9 and 3 at temperature 1/2 are 81 and 9, of which a penalty of 2 on both makes 9 and 3 again."""
    state = STEPS["temperature"](Weights(np.array([9.0, 3.0]), 0.0), 0.5)
    meant = state.weights * np.exp(state.offset)
    assert np.allclose(meant, [81, 9])
    again = STEPS["temperature"](state, 0.5)
    assert np.allclose(again.weights * np.exp(again.offset), [81**2, 81])
    state = STEPS["repetition_penalty"](state, [0, 1], 2)
    assert np.allclose(state.weights * np.exp(state.offset), [9, 3])


def test_steps_are_read() -> None:
    assert read_steps([["top_k", 2], ("top_p", 0.5, ">")]) == (("top_k", 2), ("top_p", 0.5, ">"))
    assert read_steps([]) == ()
    with pytest.raises(SpecdecError, match="expects 1 or 2"):
        read_steps(["top_k"])


def test_rows_without_mass_are_named() -> None:
    with pytest.raises(NotADistributionError, match=r"row \[1, 0\] has no mass left"):
        check_mass(Weights(np.array([[[1.0, 0.0]], [[0.0, 0.0]]]), 0.0), "row")


def test_table_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        STEPS["top_k"] = STEPS["top_p"]  # type: ignore[index]
