"""What verifiers are handed has the values, shape and dtype that its arithmetic says."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch

from proofs.engine.arrays import ExactArray
from proofs.engine.choices import Arithmetic
from proofs.engine.handed import Arrays, arrays_of

F = Fraction
ROWS = [[F(1, 4), F(3, 4)], [F(1, 2), F(1, 2)]]
FLOATS: dict[Arithmetic, Any] = {
    Arithmetic.FLOAT64: np.float64,
    Arithmetic.FLOAT32: np.float32,
    Arithmetic.TORCH64: torch.float64,
    Arithmetic.TORCH32: torch.float32,
    Arithmetic.TORCH_BRAIN: torch.bfloat16,
    Arithmetic.TORCH16: torch.float16,
}


def test_every_arithmetic_is_known() -> None:
    assert {*FLOATS, Arithmetic.EXACT} == set(Arithmetic)


@pytest.mark.parametrize("replaying", [False, True])
@pytest.mark.parametrize("arithmetic", FLOATS)
def test_rows_have_their_dtype(arithmetic: Arithmetic, replaying: bool) -> None:
    arrays = arrays_of(arithmetic, replaying=replaying)
    rows = arrays.rows(ROWS, (2, 2))
    assert rows.dtype == FLOATS[arithmetic]
    assert tuple(rows.shape) == (2, 2)
    assert rows.tolist() == [[0.25, 0.75], [0.5, 0.5]]
    assert isinstance(rows, torch.Tensor) == arithmetic.is_torch
    assert not arrays.exact


@pytest.mark.parametrize("arithmetic", FLOATS)
def test_rows_are_rounded_once(arithmetic: Arithmetic) -> None:
    row = arrays_of(arithmetic).rows([F(1, 3)], (1,))
    expected = torch.tensor([1 / 3], dtype=FLOATS[arithmetic]) if arithmetic.is_torch else np.array([1 / 3], row.dtype)
    assert row.tolist() == expected.tolist()


@pytest.mark.parametrize("arithmetic", Arithmetic)
def test_tokens_are_int64(arithmetic: Arithmetic) -> None:
    tokens = arrays_of(arithmetic).tokens((2, 0))
    assert str(tokens.dtype).rpartition(".")[2] == "int64"
    assert tokens.tolist() == [2, 0]
    assert isinstance(tokens, torch.Tensor if arithmetic.is_torch else np.ndarray)
    assert tuple(arrays_of(arithmetic).tokens(()).shape) == (0,)


def test_exact_rows_are_exact_and_floats_in_a_replay() -> None:
    exact = arrays_of(Arithmetic.EXACT)
    assert exact.exact
    assert isinstance(exact.rows([F(1, 3), F(2, 3)], (2,)), ExactArray)
    again = arrays_of(Arithmetic.EXACT, replaying=True)
    assert not again.exact
    assert again.rows([F(1, 3)], (1,)).tolist() == [1 / 3]


@pytest.mark.parametrize("shape", [(0, 3), (0,)])
@pytest.mark.parametrize("arithmetic", FLOATS)
def test_no_rows(arithmetic: Arithmetic, shape: tuple[int, ...]) -> None:
    assert tuple(arrays_of(arithmetic).rows([], shape).shape) == shape


@pytest.mark.parametrize("arithmetic", FLOATS)
def test_change_is_found(arithmetic: Arithmetic) -> None:
    arrays: Arrays = arrays_of(arithmetic)
    before = arrays.rows(ROWS, (2, 2))
    after = arrays.copy(before)
    assert arrays.changed(before, after) is None
    after[1, 0] = 0.25
    assert arrays.changed(before, after) == (1, 0)
    assert before.tolist() == [[0.25, 0.75], [0.5, 0.5]]


@pytest.mark.parametrize("arithmetic", FLOATS)
def test_change_to_a_nan_is_found(arithmetic: Arithmetic) -> None:
    arrays = arrays_of(arithmetic)
    before = arrays.rows(ROWS, (2, 2))
    after = arrays.copy(before)
    after[0, 1] = float("nan")
    assert arrays.changed(before, after) == (0, 1)
