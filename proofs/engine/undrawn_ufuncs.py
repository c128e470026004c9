"""NumPy's element-by-element functions of undrawn numbers: arithmetic, comparisons and the dtype they happen in."""

import math
import operator
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from proofs.engine.nodes import Node
from proofs.engine.noise_nodes import NoiseNode, as_noise
from proofs.engine.signals import Kind, mark, refuse
from proofs.engine.undrawn_base import FLOAT32, FLOAT64, UndrawnBase, is_tensor, is_undrawn, numbers_in

__all__ = ["UFUNCS", "are_equal", "common_dtype", "is_comparable", "is_greater", "is_less", "store"]

# --- the dtype of an operation, as NumPy finds it


def common_dtype(*operands: Any) -> Any:
    """Return the dtype in which an operation is carried out; exact operands count as float64."""
    kinds = [FLOAT64 if kind == np.dtype(object) else kind for kind in map(_kind, operands)]
    found = np.result_type(*kinds)
    if found not in (FLOAT64, FLOAT32):
        refuse(f"an undrawn number in {found}")
    if found == FLOAT32:
        mark(Kind.SINGLE, "undrawn numbers meet float32")
    return found


def _kind(operand: Any) -> Any:
    """Return what ``np.result_type`` needs to know of an operand."""
    if isinstance(operand, UndrawnBase):
        return 1.0 if operand.weak else operand.dtype
    if isinstance(operand, np.ndarray):
        return operand.dtype
    return operand if isinstance(operand, int | float | np.generic) else FLOAT64


def _elements(operand: Any, dtype: Any) -> Any:
    return operand.cast(dtype) if isinstance(operand, UndrawnBase) else numbers_in(operand, dtype)


class _Found(NamedTuple):
    """The elements of a result, in which dtype they were found, and one of the undrawn operands."""

    elements: Any
    dtype: Any
    number: UndrawnBase


def _elementwise(a: Any, b: Any, decide: Callable[[Any, Any], Any], kind: Any) -> _Found:
    dtype = common_dtype(a, b)
    left, right = np.broadcast_arrays(_elements(a, dtype), _elements(b, dtype))
    found = np.empty(left.shape, dtype=kind)
    for at in np.ndindex(*left.shape):
        found[at] = decide(left[at], right[at])
    return _Found(found, dtype, a if isinstance(a, UndrawnBase) else b)


# --- arithmetic


def _arithmetic(name: str, swapped: str, plain: Callable[[Any, Any], Any]) -> Callable[[Any, Any], UndrawnBase]:
    def one(x: Any, y: Any) -> Any:
        if is_undrawn(x) and is_undrawn(y):
            refuse("two undrawn numbers in one operation")
        if is_undrawn(x):
            return x.then("add", -y) if name == "sub" else x.then(name, y)
        return y.then(swapped, x) if is_undrawn(y) else plain(x, y)

    def apply(a: Any, b: Any) -> UndrawnBase:
        found = _elementwise(a, b, one, object)
        return found.number.like(found.elements, found.dtype)

    return apply


def _unary(name: str, plain: Callable[[Any], Any]) -> Callable[[UndrawnBase], UndrawnBase]:
    def apply(a: UndrawnBase) -> UndrawnBase:
        found = np.empty(a.shape, dtype=object)
        for at in np.ndindex(*a.shape):
            element = a.elements[at]
            found[at] = element.then(name) if is_undrawn(element) else plain(element)
        return a.like(found)

    return apply


def _absolute(a: UndrawnBase) -> UndrawnBase:
    if all(isinstance(x, Node) and x.sign == 1 for x in a.elements.ravel()):
        return a.copy()
    return refuse("the absolute value of an undrawn number that can be negative")


# --- comparisons


def is_less(x: Any, y: Any, *, equal: bool) -> bool:
    """Decide ``x < y`` (or ``x <= y``) of two elements."""
    if isinstance(x, Node) and isinstance(y, Node):
        x, y = as_noise(x), as_noise(y)
        if x is None or y is None:
            refuse("two undrawn numbers are compared")
    if isinstance(x, NoiseNode) or isinstance(y, NoiseNode):
        return _noise_is_less(x, y, equal=equal)
    if isinstance(x, Node):
        return x.less(y, equal=equal)
    if isinstance(y, Node):
        return y.greater(x, equal=equal)
    return bool(x <= y if equal else x < y)


def is_greater(x: Any, y: Any, *, equal: bool) -> bool:
    """Decide ``x > y`` (or ``x >= y``) of two elements."""
    return is_less(y, x, equal=equal)


def _noise_is_less(x: Any, y: Any, *, equal: bool) -> bool:
    left, right = as_noise(x), as_noise(y)
    if left is not None and right is not None:
        return left.is_less(right, equal=equal)
    noise, number = (left, y) if left is not None else (right, x)
    if noise is None or is_undrawn(number):
        refuse("noise of a race is compared with an undrawn number")
    side = noise.side_of(number)
    if side is None:
        refuse("noise of a race is compared with a number")
    return side == (1 if left is not None else -1)


def are_equal(x: Any, y: Any) -> bool:
    """Decide ``x == y`` of two elements."""
    if not is_undrawn(x) and not is_undrawn(y):
        return bool(x == y)
    if isinstance(x, Node) and not is_undrawn(y):
        return x.equals(y)
    if isinstance(y, Node) and not is_undrawn(x):
        return y.equals(x)
    return refuse("undrawn numbers are compared for equality")


def is_comparable(operand: Any) -> bool:
    """Tell whether an operand is something that NumPy compares with numbers."""
    return operand is not None and not isinstance(operand, str | bytes)


def _comparison(decide: Callable[[Any, Any], bool]) -> Callable[[Any, Any], Any]:
    def apply(a: Any, b: Any) -> Any:
        if not (is_comparable(a) and is_comparable(b)):
            return NotImplemented
        found = _elementwise(a, b, decide, bool).elements
        if is_tensor(a) or is_tensor(b):
            return sys.modules["torch"].tensor(found.tolist())  # as torch would have answered
        return found if found.shape else np.bool_(found[()])

    return apply


# --- questions about one element


def _is_finite(x: Any) -> bool:
    if isinstance(x, NoiseNode):
        return True
    return not _is_nan(x) and is_less(-math.inf, x, equal=False) and is_less(x, math.inf, equal=False)


def _is_infinite(x: Any) -> bool:
    return not _is_nan(x) and not _is_finite(x)


def _is_nan(x: Any) -> bool:
    return not is_undrawn(x) and bool(x != x)


def _question(ask: Callable[[Any], bool]) -> Callable[[UndrawnBase], Any]:
    def apply(a: UndrawnBase) -> Any:
        found = np.empty(a.shape, dtype=bool)
        for at in np.ndindex(*a.shape):
            found[at] = ask(a.elements[at])
        return found if found.shape else np.bool_(found[()])

    return apply


UFUNCS: dict[Any, Callable[..., Any]] = {
    np.add: _arithmetic("add", "add", operator.add),
    np.subtract: _arithmetic("sub", "rsub", operator.sub),
    np.multiply: _arithmetic("mul", "mul", operator.mul),
    np.true_divide: _arithmetic("div", "rdiv", np.true_divide),
    np.minimum: _arithmetic("min", "min", np.minimum),
    np.maximum: _arithmetic("max", "max", np.maximum),
    np.negative: _unary("neg", operator.neg),
    np.positive: lambda a: a.copy(),
    np.absolute: _absolute,
    np.log: _unary("log", np.log),
    np.exp: _unary("exp", np.exp),
    np.log1p: _unary("log1p", np.log1p),
    np.less: _comparison(lambda x, y: is_less(x, y, equal=False)),
    np.less_equal: _comparison(lambda x, y: is_less(x, y, equal=True)),
    np.greater: _comparison(lambda x, y: is_greater(x, y, equal=False)),
    np.greater_equal: _comparison(lambda x, y: is_greater(x, y, equal=True)),
    np.equal: _comparison(are_equal),
    np.not_equal: _comparison(lambda x, y: not are_equal(x, y)),
    np.isnan: _question(_is_nan),
    np.isfinite: _question(_is_finite),
    np.isinf: _question(_is_infinite),
}


def store(out: Any, result: Any) -> Any:
    """Write a result into an array that the program handed over for it."""
    if not isinstance(out, UndrawnBase):
        if isinstance(result, UndrawnBase):
            refuse("undrawn numbers are written into an array of numbers")
        out[...] = result
        return out
    out.elements[...] = _elements(result, out.dtype)
    return out
