"""What NumPy's generators make of a row of probabilities that is given to them, and of a shape."""

import math
import operator
from collections.abc import Sequence
from fractions import Fraction
from operator import is_
from typing import Any

import numpy as np

from proofs.engine.nodes import constant
from proofs.engine.weights import ONE, Weight, weight

__all__ = ["KnownRows", "check_floats", "checked_sum", "full_shape", "multinomial_weights", "row_tolerance", "shape_of"]

_MULTINOMIAL_TOLERANCE = weight(1e-12)

_MOST_ROWS = 1024
_FIXED = frozenset((int, float, Fraction, type(ONE)))  # nothing changes them, and what is made of them leaves no mark


class KnownRows:
    """What became of rows of probabilities that were met before, for programs that hand over the same ones again.

    A tuple or a list is known by identity and by the identity of what it holds, an array of floats by its bytes:
    nothing is compared as a number, which would branch where it is undrawn.
    """

    def __init__(self) -> None:
        self._objects: dict[int, tuple[Any, tuple[Any, ...], tuple[Weight, ...]]] = {}
        self._arrays: dict[tuple[str, bytes], tuple[Weight, ...]] = {}

    def find(self, row: Any) -> tuple[Weight, ...] | None:
        """Return what was kept for a row, None if it is not known."""
        if type(row) is np.ndarray:
            return self._arrays.get((row.dtype.char, row.tobytes())) if _is_float_row(row) else None
        known = self._objects.get(id(row))
        if known is None:
            return None
        _, held, weights = known  # which holds the row too: no other object can have its id
        if type(row) is tuple or (len(row) == len(held) and all(map(is_, row, held))):
            return weights
        return None

    def keep(self, row: Any, weights: tuple[Weight, ...]) -> None:
        """Keep the weights of a row, if it is one that can be known again."""
        if len(self._objects) + len(self._arrays) >= _MOST_ROWS:
            self._objects.clear()
            self._arrays.clear()
        if type(row) is np.ndarray:
            if _is_float_row(row):
                self._arrays[row.dtype.char, row.tobytes()] = weights
        elif type(row) in (tuple, list) and all(type(x) in _FIXED for x in row):
            self._objects[id(row)] = (row, tuple(row), weights)


def _is_float_row(row: Any) -> bool:
    return bool(row.ndim == 1 and row.dtype.kind == "f")


def shape_of(size: Any) -> tuple[int, ...]:
    """Return a size as a shape, or raise as NumPy does."""
    try:
        shape: tuple[int, ...] = (operator.index(size),)
    except TypeError:
        shape = tuple(operator.index(length) for length in size)
    if any(length < 0 for length in shape):
        raise ValueError("negative dimensions are not allowed")
    return shape


def full_shape(size: Any, *parameters: Any) -> tuple[int, ...] | None:
    """Return the shape of draws with array parameters, None for a single number; ValueError where they do not fit."""
    shapes = [np.shape(parameter) for parameter in parameters]
    if size is None:
        return np.broadcast_shapes(*shapes) if any(np.ndim(parameter) for parameter in parameters) else None
    shape = shape_of(size)
    if np.broadcast_shapes(shape, *shapes) != shape:
        raise ValueError(f"Output size {shape} is not compatible with broadcast dimensions of inputs")
    return shape


def row_tolerance(p: Any) -> float:
    """Return how far from one the sum of `p` may be for ``Generator.choice``: by the dtype of an array."""
    eps = np.finfo(np.float64).eps
    if isinstance(p, np.ndarray) and p.dtype.kind == "f":
        eps = max(eps, np.finfo(p.dtype).eps)
    return math.sqrt(eps)


def check_floats(row: Sequence[Any], tolerance: float) -> float:
    """Return the sum of a row of plain floats, or raise as ``Generator.choice`` does."""
    total = math.fsum(row)
    if not math.isfinite(total):
        raise ValueError("Probabilities contain NaN or an infinity")
    if min(row) < 0:
        raise ValueError("Probabilities are not non-negative")
    if abs(total - 1) > tolerance:
        raise ValueError("Probabilities do not sum to 1.")
    return total


def checked_sum(row: Sequence[Any], tolerance: float) -> Weight:
    """Return the sum of probabilities, or raise as ``Generator.choice`` does."""
    values = [constant(x) for x in row]
    if any(isinstance(x, float) for x in values):
        raise ValueError("Probabilities contain NaN or an infinity")
    if any(x < 0 for x in values):
        raise ValueError("Probabilities are not non-negative")
    total = sum(values, weight(0))
    if abs(total - 1) > weight(tolerance):
        raise ValueError("Probabilities do not sum to 1.")
    return total


def multinomial_weights(row: Sequence[Any]) -> list[Weight]:
    """Return the law of a multinomial of one draw: the last option takes what the others leave."""
    values = [constant(x) for x in row]
    if any(isinstance(x, float) or not 0 <= x <= 1 for x in values):
        raise ValueError("pvals < 0, pvals > 1 or pvals contains NaNs")
    head = sum(values[:-1], weight(0))
    if head > ONE + _MULTINOMIAL_TOLERANCE:
        raise ValueError("sum(pvals[:-1]) > 1.0")
    left, found = ONE, []
    for x in values[:-1]:
        found.append(min(x, left))
        left -= found[-1]
    return [*found, left]
