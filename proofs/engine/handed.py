"""What a verifier is handed: rows and tokens as arrays of exact numbers, as float arrays or as tensors."""

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from proofs.engine.arrays import exact_array
from proofs.engine.choices import Arithmetic

__all__ = ["Arrays", "arrays_of"]

_DTYPES = {Arithmetic.FLOAT64: np.float64, Arithmetic.FLOAT32: np.float32, Arithmetic.EXACT: np.float64}


class Arrays:
    """NumPy arrays of a float dtype."""

    exact = False

    def __init__(self, dtype: Any) -> None:
        self._dtype = dtype

    def rows(self, rows: Sequence[Any], shape: tuple[int, ...]) -> Any:
        """Return rows of rationals as an array of this shape."""
        return np.array(rows, dtype=self._dtype).reshape(shape)

    def tokens(self, tokens: Sequence[Any]) -> Any:
        """Return tokens as int64, or rows of as many tokens."""
        return np.array(tokens, dtype=np.int64)

    def copy(self, array: Any) -> Any:
        """Return a copy that shares nothing."""
        return array.copy()

    def changed(self, before: Any, after: Any) -> tuple[int, ...] | None:
        """Return the place of the first element that is another one, or None."""
        if before.tobytes() == after.tobytes():
            return None
        return tuple(int(at) for at in np.argwhere(before != after)[0])


class _ExactArrays(Arrays):
    """Arrays of exact numbers; tokens are plain."""

    exact = True

    def __init__(self) -> None:
        super().__init__(np.float64)

    def rows(self, rows: Sequence[Any], shape: tuple[int, ...]) -> Any:
        """Return rows of rationals as an array of exact numbers."""
        return exact_array(rows, shape)


class _Tensors(Arrays):
    """Tensors of torch on the CPU."""

    def __init__(self, dtype: str) -> None:
        # On demand: torch is an extra.
        self._torch = importlib.import_module("torch")
        super().__init__(getattr(self._torch, dtype))

    def rows(self, rows: Sequence[Any], shape: tuple[int, ...]) -> Any:
        """Return rows of rationals as a tensor of this shape."""
        numbers = np.array(rows, dtype=np.float64).reshape(-1).tolist()
        return self._torch.tensor(numbers, dtype=self._dtype).reshape(shape)

    def tokens(self, tokens: Sequence[Any]) -> Any:
        """Return tokens as a tensor of int64, or rows of as many tokens."""
        return self._torch.tensor(list(tokens), dtype=self._torch.int64)

    def copy(self, array: Any) -> Any:
        """Return a copy that shares nothing."""
        return array.clone()

    def changed(self, before: Any, after: Any) -> tuple[int, ...] | None:
        """Return the place of the first element that is another one, or None."""
        other = self._torch.nonzero(before != after)
        return tuple(other[0].tolist()) if len(other) else None


def arrays_of(arithmetic: Arithmetic, *, replaying: bool = False) -> Arrays:
    """Return what makes the arrays of an arithmetic; those of a replay are floats in any case."""
    if arithmetic.is_torch:
        return _Tensors(arithmetic.value.removeprefix("torch."))
    if arithmetic is Arithmetic.EXACT and not replaying:
        return _ExactArrays()
    return Arrays(_DTYPES[arithmetic])
