"""Undrawn numbers: arrays whose elements are functions of coins and noise that nobody has drawn.

They behave like the NumPy arrays (or the Python float) that the generator would have returned, and
branch when the program compares them. What would need a value refuses, with the program's line.
"""

from fractions import Fraction
from typing import Any, Self

import numpy as np

from proofs.engine.choices import Path
from proofs.engine.nodes import Node
from proofs.engine.noise_nodes import race
from proofs.engine.scalars import ExactNumber
from proofs.engine.signals import refuse
from proofs.engine.undrawn_base import FLOAT64, UndrawnBase, boxed, is_undrawn
from proofs.engine.undrawn_functions import FUNCTIONS
from proofs.engine.undrawn_integer import UndrawnInteger
from proofs.engine.undrawn_ufuncs import UFUNCS, is_comparable, is_greater, is_less, store
from proofs.engine.weights import ONE

__all__ = ["Undrawn", "UndrawnInteger"]

_PLAIN_NUMBERS = frozenset((int, float, np.float64, ExactNumber, Fraction, type(ONE)))
_PYTHON_NUMBERS = frozenset((int, float, bool, ExactNumber))
_MOVES = frozenset(("reshape", "ravel", "flatten", "squeeze", "transpose", "swapaxes", "repeat", "take"))


class Undrawn(UndrawnBase):
    """An array, or a single number, of undrawn elements: what a random source returns."""

    __slots__ = ()
    __array_priority__ = 1000.0

    def __getattr__(self, name: str) -> Any:
        if name in _MOVES:
            return lambda *args, **options: self.delivered(getattr(self.elements, name)(*args, **options))
        if not name.startswith("__") and hasattr(np.ndarray, name):
            refuse(f"an undrawn number has no {name}")
        raise AttributeError(f"an undrawn number has no attribute {name!r}")

    # --- decisions

    def argmax(self, axis: int | None = None, out: None = None, *, keepdims: bool = False) -> Any:
        """Decide a race."""
        return self._race(axis, out, keepdims, greatest=True)

    def argmin(self, axis: int | None = None, out: None = None, *, keepdims: bool = False) -> Any:
        """Decide a race."""
        return self._race(axis, out, keepdims, greatest=False)

    def _race(self, axis: int | None, out: Any, keepdims: bool, *, greatest: bool) -> Any:
        rows = self.elements.ravel() if axis is None else np.moveaxis(self.elements, axis, -1)
        lead = rows.shape[:-1]
        found = np.empty(lead, dtype=np.int64)
        for at in np.ndindex(*lead):
            found[at] = race(list(rows[at]), self.path, greatest=greatest)
        if keepdims:
            found = np.expand_dims(found, axis) if axis is not None else found.reshape((1,) * self.ndim)
        if out is not None:
            return store(out, found)
        return found if found.shape else np.int64(found[()])

    def argsort(self, axis: int | None = -1, *_: Any, **__: Any) -> Any:
        """Decide the order of a race, from the least; every algorithm finds the same one."""
        if axis is None:
            return self.ravel().argsort()
        rows = np.moveaxis(self.elements, axis, -1)
        found = np.empty(rows.shape, dtype=np.int64)
        for at in np.ndindex(*rows.shape[:-1]):
            found[at] = _order(list(rows[at]), self.path)
        return np.moveaxis(found, -1, axis)

    def clip(self, *args: Any, **options: Any) -> Any:
        """Bound the elements as NumPy does."""
        return np.clip(self, *args, **options)

    def __floor__(self) -> int:
        return self._whole("math.floor")

    def __int__(self) -> int:
        # Python truncates towards zero; of what can be negative that is not the floor.
        element = self._one("int")
        if isinstance(element, Node) and element.sign == 1:
            return element.floor()
        return refuse("int of an undrawn number that can be negative") if is_undrawn(element) else int(element)

    __trunc__ = __int__

    def _whole(self, what: str) -> int:
        element = self._one(what)
        if not isinstance(element, Node):
            refuse(f"{what} of noise")
        return element.floor()

    def _one(self, what: str) -> Any:
        if self.size != 1:
            raise TypeError(f"only arrays of one element can be converted by {what}")
        return self.elements.item()

    # --- what needs a value

    def __float__(self) -> float:
        refuse("float() of an undrawn number, or its assignment into an array of floats")

    def __bool__(self) -> bool:
        refuse("the truth of an undrawn number")

    def __hash__(self) -> int:
        refuse("an undrawn number is hashed or in the outcome")

    def __index__(self) -> int:
        refuse("an undrawn number as an index")

    def __complex__(self) -> complex:
        refuse("complex() of an undrawn number")

    def __round__(self, *_: Any) -> Any:
        refuse("round() of an undrawn number")

    def __ceil__(self) -> int:
        refuse("math.ceil of an undrawn number")

    def __repr__(self) -> str:
        refuse("an undrawn number is formatted")

    def __format__(self, _: str) -> str:
        refuse("an undrawn number is formatted")

    def __array__(self, *_: Any, **__: Any) -> Any:
        refuse("an undrawn number is made an array of numbers (rng.random(size) draws an array at once)")

    def __contains__(self, _: Any) -> bool:
        refuse("membership in undrawn numbers")

    # --- arithmetic and comparisons

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **options: Any) -> Any:
        rule = UFUNCS.get(ufunc)
        if method != "__call__" or rule is None or any(value is not None for value in options.values()):
            refuse(f"np.{ufunc.__name__}{'' if method == '__call__' else '.' + method} of an undrawn number")
        concrete = not any(isinstance(x, UndrawnBase) for x in inputs)  # undrawn is what the result is written into
        result = ufunc(*inputs) if concrete else rule(*inputs)
        return result if out is None else store(out[0], result)

    def __array_function__(self, function: Any, types: Any, args: Any, kwargs: Any) -> Any:
        rule = FUNCTIONS.get(function)
        if rule is None:
            refuse(f"np.{getattr(function, '__name__', function)} of an undrawn number")
        return rule(*args, **kwargs)

    def _alone(self, other: Any) -> bool:
        """Tell whether one element meets one number in float64, which needs none of NumPy's rules."""
        return type(other) in _PLAIN_NUMBERS and self.elements.ndim == 0 and self.dtype == FLOAT64

    def _operated(self, ufunc: Any, a: Any, b: Any) -> Any:
        """Return what an operator makes: Python floats among themselves stay Python floats."""
        result = ufunc(a, b)
        other = b if a is self else a
        if self.weak and (type(other) in _PYTHON_NUMBERS or (isinstance(other, UndrawnBase) and other.weak)):
            return result.like(result.elements, FLOAT64, weak=True)
        return result

    def _scaled(self, other: Any) -> Any:
        # The commonest step of all, without NumPy's way of looking for it.
        element = self.elements.item()
        if not (self._alone(other) and is_undrawn(element)):
            return self._operated(np.multiply, self, other)
        weak = self.weak and type(other) in _PYTHON_NUMBERS
        return self.like(boxed(element.then("mul", float(other) if type(other) is np.float64 else other)), weak=weak)

    def __add__(self, other: Any) -> Any:
        return self._operated(np.add, self, other)

    def __radd__(self, other: Any) -> Any:
        return self._operated(np.add, other, self)

    def __sub__(self, other: Any) -> Any:
        return self._operated(np.subtract, self, other)

    def __rsub__(self, other: Any) -> Any:
        return self._operated(np.subtract, other, self)

    def __mul__(self, other: Any) -> Any:
        return self._scaled(other) if self.elements.ndim == 0 else np.multiply(self, other)

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Any:
        return self._operated(np.true_divide, self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return self._operated(np.true_divide, other, self)

    def __neg__(self) -> Any:
        negated: Any = np.negative(self)
        return negated.like(negated.elements, weak=self.weak)

    def __pos__(self) -> Self:
        return self.__copy__()

    def __abs__(self) -> Any:
        result: Any = np.absolute(self)
        return result.like(result.elements, weak=self.weak)

    def __lt__(self, other: Any) -> Any:
        return is_less(self.elements.item(), other, equal=False) if self._alone(other) else np.less(self, other)

    def __le__(self, other: Any) -> Any:
        return is_less(self.elements.item(), other, equal=True) if self._alone(other) else np.less_equal(self, other)

    def __gt__(self, other: Any) -> Any:
        return is_greater(self.elements.item(), other, equal=False) if self._alone(other) else np.greater(self, other)

    def __ge__(self, other: Any) -> Any:
        if self._alone(other):
            return is_greater(self.elements.item(), other, equal=True)
        return np.greater_equal(self, other)

    def __eq__(self, other: Any) -> Any:
        return np.equal(self, other) if is_comparable(other) else self._ones() < 0

    def __ne__(self, other: Any) -> Any:
        return np.not_equal(self, other) if is_comparable(other) else self._ones() > 0

    def _ones(self) -> Any:
        """Return ones in the shape of the array: nothing in it equals None or a text."""
        return np.ones(self.shape) if self.shape else 1

    def __iadd__(self, other: Any) -> Any:
        return self._in_place(np.add, other)

    def __isub__(self, other: Any) -> Any:
        return self._in_place(np.subtract, other)

    def __imul__(self, other: Any) -> Any:
        return self._in_place(np.multiply, other)

    def __itruediv__(self, other: Any) -> Any:
        return self._in_place(np.true_divide, other)

    def _in_place(self, ufunc: Any, other: Any) -> Any:
        result = self._operated(ufunc, self, other)
        # A number is rebound; an array is changed, for whoever else holds it.
        return result if not self.shape else store(self, result)

    def __pow__(self, other: Any) -> Any:
        refuse("a power of an undrawn number")

    def __mod__(self, other: Any) -> Any:
        refuse("a remainder of an undrawn number")

    def __floordiv__(self, other: Any) -> Any:
        refuse("a floor division of an undrawn number")

    def __matmul__(self, other: Any) -> Any:
        refuse("a product of rows of undrawn numbers")

    __rpow__, __ipow__ = __pow__, __pow__
    __rmod__ = __imod__ = __divmod__ = __rdivmod__ = __mod__
    __rfloordiv__, __ifloordiv__ = __floordiv__, __floordiv__
    __rmatmul__, __imatmul__ = __matmul__, __matmul__


def _order(elements: list[Any], path: Path) -> list[int]:
    left = dict(enumerate(elements))
    order = []
    while left:
        places = list(left)
        at = places[race([left[place] for place in places], path, greatest=False)]
        order.append(at)
        del left[at]
    return order
