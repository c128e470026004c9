"""NumPy's universal functions on arrays of exact numbers, element by element, with the rules of IEEE for NaN."""

import operator
from collections.abc import Callable, Mapping
from math import ceil, floor, trunc
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from proofs.engine.scalars import ExactNumber, LogNumber, exact_number, is_exact

__all__ = ["LOOPS", "TESTS", "TRUTHS", "as_elements", "exact_element", "is_nan", "masked", "ranks", "with_initial"]


def is_nan(number: Any) -> bool:
    """Tell whether a number is NaN: the one that is not itself."""
    return type(number) is not ExactNumber and bool(number != number)


def exact_element(value: Any) -> Any:
    """Return a number as an exact one; a number of exact arithmetic stays as it is."""
    return value if is_exact(value) else exact_number(value)


# Every type that a number of exact arithmetic may have, so that a look at the types is enough.
_KINDS: Final = frozenset({ExactNumber, type(exact_number(float("nan"))), LogNumber})

_exact_elements = np.frompyfunc(exact_element, 1, 1)


def as_elements(values: Any) -> np.ndarray[Any, Any]:
    """Return values as a base array of exact numbers.

    Parameters
    ----------
    values : array, nested sequence or number
        An array of objects whose elements are exact already is not copied.

    Returns
    -------
    array of object

    Raises
    ------
    TypeError
        If an element is no number with an exact value.
    """
    if isinstance(values, np.ndarray):
        array = values.view(np.ndarray)
    elif not isinstance(values, (list, tuple)):
        array = np.empty((), object)
        array[()] = exact_element(values)
        return array
    else:
        array = np.asarray(values)
    if array.dtype == object and _KINDS.issuperset(map(type, array.ravel().tolist())):
        return array
    result = np.empty(array.shape, object)
    _exact_elements(array, out=result)
    return result


def ranks(array: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Return floats in the order of the elements, equal where they are equal and NaN where they are NaN.

    NumPy's own sorts and searches on them give what they give on floats, down to the order of ties.
    """
    flat = array.ravel().tolist()
    result = np.full(len(flat), np.nan)
    order = sorted((i for i, element in enumerate(flat) if not is_nan(element)), key=flat.__getitem__)
    rank, before = -1, None
    for i in order:
        rank += before is None or flat[i] != before
        before, result[i] = flat[i], rank
    return result.reshape(array.shape)


def _minimum(left: Any, right: Any) -> Any:
    return left if left <= right or is_nan(left) else right


def _maximum(left: Any, right: Any) -> Any:
    return left if left >= right or is_nan(left) else right


def _fmin(left: Any, right: Any) -> Any:
    return left if left <= right or is_nan(right) else right


def _fmax(left: Any, right: Any) -> Any:
    return left if left >= right or is_nan(right) else right


def _clip(value: Any, low: Any, high: Any) -> Any:
    return _minimum(_maximum(value, low), high)


def _sign(number: Any) -> ExactNumber:
    return number if is_nan(number) else exact_number(int(number > 0) - int(number < 0))


def _rounded(towards: Callable[[Any], int]) -> Callable[[Any], Any]:
    return lambda number: exact_number(towards(number)) if _is_finite(number) else number


def _is_finite(number: Any) -> bool:
    return not is_nan(number) and abs(number) != np.inf


def _fmod(left: Any, right: Any) -> Any:
    # The sign of the left side: the remainder of the sizes.
    size = abs(left) % abs(right)
    return -size if left < 0 else size


def _copysign(left: Any, right: Any) -> Any:
    return -abs(left) if right < 0 else abs(left)


def _logaddexp(left: Any, right: Any) -> Any:
    # Equal infinities, NaN and rationals (a leak of exp) take the stable way through the greater one.
    high, low = (left, right) if left >= right else (right, left)
    if not _is_finite(high) or low == -np.inf:
        return high if left == left else left
    return high + (1 + (low - high).exp()).log()


def _method(name: str) -> Any:
    return np.frompyfunc(operator.methodcaller(name), 1, 1)


def _folding(function: Callable[[Any, Any], Any]) -> Any:
    # "No identity" lets a reduction go along several axes.
    return np.frompyfunc(function, 2, 1, identity=None)


_CLIP = np._core.umath.clip  # type: ignore[attr-defined]


def masked(loop: Any, operands: list[Any], where: Any) -> Any:
    """Compute where a mask is true; elsewhere is NaN, where NumPy leaves what was in memory."""
    mask, *spread = np.broadcast_arrays(np.asarray(where, dtype=bool), *operands)
    result = np.empty(mask.shape, object)
    result[...] = exact_number(np.nan)
    result[mask] = loop(*(operand[mask] for operand in spread))
    return result


def with_initial(ufunc: Any, options: dict[str, Any]) -> dict[str, Any]:
    """Return the options of a reduction with an exact initial value; a masked one of objects needs to be told it."""
    if options.get("initial") is not None:
        return {**options, "initial": exact_element(options["initial"])}
    if ufunc in (np.add, np.multiply) and "where" in options:
        return {**options, "initial": exact_number(int(ufunc is np.multiply))}
    return options


# What computes each universal function on objects; NumPy's own loops where they call the operators.
LOOPS: Final[Mapping[Any, Any]] = MappingProxyType(
    {
        **{
            ufunc: ufunc
            for ufunc in (
                np.add, np.subtract, np.multiply, np.true_divide, np.floor_divide, np.remainder, np.power, np.negative,
                np.positive, np.absolute, np.matmul, np.vecdot, np.equal, np.not_equal, np.less, np.less_equal,
                np.greater, np.greater_equal,
            )
        },
        **{
            getattr(np, name): _method(name)
            for name in (
                "log", "log1p", "log2", "log10", "exp", "expm1", "exp2", "sqrt", "square", "reciprocal", "rint",
            )
        },
        np.minimum: _folding(_minimum),
        np.maximum: _folding(_maximum),
        np.fmin: _folding(_fmin),
        np.fmax: _folding(_fmax),
        np.logaddexp: _folding(_logaddexp),
        _CLIP: np.frompyfunc(_clip, 3, 1),
        np.fabs: np.frompyfunc(abs, 1, 1),
        np.conjugate: np.frompyfunc(operator.pos, 1, 1),
        np.sign: np.frompyfunc(_sign, 1, 1),
        np.floor: np.frompyfunc(_rounded(floor), 1, 1),
        np.ceil: np.frompyfunc(_rounded(ceil), 1, 1),
        np.trunc: np.frompyfunc(_rounded(trunc), 1, 1),
        np.float_power: np.frompyfunc(operator.pow, 2, 1),
        np.fmod: np.frompyfunc(_fmod, 2, 1),
        np.copysign: np.frompyfunc(_copysign, 2, 1),
        np.divmod: np.frompyfunc(divmod, 2, 2),
    }
)  # fmt: skip

# Questions about one element.
TESTS: Final[Mapping[Any, Any]] = MappingProxyType(
    {
        np.isnan: np.frompyfunc(is_nan, 1, 1),
        np.isfinite: np.frompyfunc(_is_finite, 1, 1),
        np.isinf: np.frompyfunc(lambda number: abs(number) == np.inf, 1, 1),
        np.signbit: np.frompyfunc(lambda number: bool(number < 0), 1, 1),
    }
)

# Functions of truth values alone: NumPy's own do, once every element is one.
TRUTHS: Final = frozenset({np.logical_and, np.logical_or, np.logical_xor, np.logical_not})
