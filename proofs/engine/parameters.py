"""Parameters of draws as NumPy's generators take them: numbers in double precision, dtypes, counts of trials."""

import operator
from typing import Any

import numpy as np

from proofs.engine.signals import refuse

__all__ = ["doubles", "integer_dtype", "one_trial", "pairs", "population", "scale_of"]


def doubles(value: Any) -> Any:
    """Return a parameter as NumPy takes it, in double precision; exact numbers stay exact."""
    if np.ndim(value):
        values = np.asanyarray(value)
        return values if values.dtype == object else values.astype(np.float64)
    return float(value) if isinstance(value, int | float | np.number | np.ndarray) else value


def scale_of(value: Any) -> Any:
    """Return a scale as NumPy takes it, or raise ValueError where one is negative."""
    scale = doubles(value)
    if any(x < 0 for x in np.asarray(scale, dtype=object).ravel()):
        raise ValueError("scale < 0")
    return scale


def pairs(low: Any, high: Any, shape: tuple[int, ...]) -> Any:
    """Yield the two parameters of each draw of an array."""
    return zip(*(np.broadcast_to(np.asanyarray(x), shape).ravel() for x in (low, high)), strict=True)


def integer_dtype(dtype: Any) -> Any:
    """Return the dtype of whole numbers that is asked for; TypeError or ValueError as in NumPy."""
    kind = np.dtype(dtype)
    if kind.kind not in "iub":
        raise TypeError(f"Unsupported dtype {kind!r} for integers")
    if not kind.isnative:
        raise ValueError("Providing a dtype with a non-native byteorder is not supported.")
    return kind


def population(items: Any) -> int:
    """Return how many numbers ``choice`` chooses among when it is given no sequence; ValueError as in NumPy."""
    try:
        return operator.index(items.item())
    except TypeError:
        raise ValueError(f"a must be a sequence or an integer, not {type(items.item())}") from None


def one_trial(name: str, n: Any) -> None:
    """Refuse more trials than one: what they come to is not branched over. Fewer than none raise as in NumPy."""
    if np.ndim(n):
        refuse(f"{name} with an array of numbers of trials")
    if int(n) < 0:
        raise ValueError("n < 0")
    if int(n) != 1:
        refuse(f"{name}({n}, ...); one trial at a time can be branched over")
