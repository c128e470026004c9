"""What the numbers of exact arithmetic share: the manners of a NumPy scalar, and the ways out into floats."""

import operator
from collections.abc import Callable
from math import isnan
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from proofs.engine.signals import Kind, mark

__all__ = ["Binary", "Number", "coerced", "compared", "in_floats", "leaving", "reflected"]

Binary: TypeAlias = Callable[[Any, Any], Any]

_CLEAR = np.float64(0)


class Number:
    """The base of the numbers of exact arithmetic: what they share with a NumPy scalar."""

    __slots__ = ()

    ndim, shape, size = 0, (), 1
    # Set by the module of arrays.
    __array_ufunc__: ClassVar[Callable[..., Any]]
    __array_function__: ClassVar[Callable[..., Any]]

    @staticmethod
    def exact(value: Any) -> Any:
        """Return a number that Python or NumPy knows as an exact one."""
        raise NotImplementedError

    @staticmethod
    def operand(value: Any) -> Any:
        """Return the other side of an operator as an exact number, None where its type is not known."""
        raise NotImplementedError

    def approximate(self) -> float:
        """Return the nearest float without a mark: for messages and tolerances, never for a law."""
        raise NotImplementedError

    def stand_in(self) -> float:
        """Return a float that acts as the number does where its partner is zero, an infinity or NaN."""
        raise NotImplementedError

    def __float__(self) -> float:
        mark(Kind.LEAK, f"the exact number {self!r} became a float")
        return self.approximate()

    def __complex__(self) -> complex:
        return complex(float(self))

    def __format__(self, spec: str) -> str:
        return format(self.approximate(), spec) if spec else str(self)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: dict[int, Any]) -> Self:
        return self

    def __pos__(self) -> Self:
        return self

    def item(self, *arguments: Any, **options: Any) -> Self:  # noqa: ARG002 - as on a NumPy scalar, they say nothing
        """Return the number itself."""
        return self

    def round(self, decimals: int = 0) -> Any:
        """Return the number rounded to decimals, exactly, halves to even."""
        return self.__round__(decimals)

    def __round__(self, digits: int | None = None) -> Any:
        raise NotImplementedError

    def copy(self) -> Self:
        """Return the number itself, which nothing changes."""
        return self

    conjugate = tolist = sum = prod = max = min = mean = item

    @property
    def real(self) -> Self:
        """The number itself."""
        return self

    @property
    def imag(self) -> Any:
        """Zero."""
        return self.exact(0)

    def leak(self, name: str, operate: Callable[..., Any], *others: Any) -> Any:
        """Mark that `name` left exact arithmetic, and go on with the exact value of the float that comes out."""
        mark(Kind.LEAK, f"{name} of {self!r} is not a number that exact arithmetic has")
        return self.exact(_quietly({}, operate, [value.approximate() for value in (self, *others)]))


def coerced(operate: Binary) -> Binary:
    """Return an operator's method; types that are not known get their turn with operators of their own."""

    def forward(self: Number, other: Any) -> Any:
        number = self.operand(other)
        return NotImplemented if number is None else operate(self, number)

    return forward


def reflected(operate: Binary) -> Binary:
    """Return the method of the reflected operator."""

    def backward(self: Number, other: Any) -> Any:
        number = self.operand(other)
        return NotImplemented if number is None else operate(number, self)

    return backward


def leaving(name: str) -> Callable[[Any], Any]:
    """Return a method, as NumPy calls it on the elements of an array, that leaves exact arithmetic."""
    ufunc = getattr(np, name)

    def leave(self: Number) -> Any:
        return self.leak(name, ufunc)

    return leave


def in_floats(operate: Callable[..., Any], *values: Number) -> Any:
    """Operate on stand-ins, where the result is an infinity, NaN, 0, 1 or a truth value whatever the numbers are.

    What `numpy.errstate` raises is raised; a warning is not given, as it would be once a path.
    """
    state = {kind: what for kind, what in np.geterr().items() if what == "raise"}
    return _quietly(state, operate, [value.stand_in() for value in values])


def _quietly(raising: dict[str, Any], operate: Callable[..., Any], values: list[float]) -> Any:
    with np.errstate(**{"all": "ignore", **raising}):
        result = operate(*map(np.float64, values))
    # Any sum of NumPy's clears the processor's flags, which a loop over objects around us would warn of.
    _ = _CLEAR + _CLEAR
    return result


def compared(operate: Binary, left: Number, right: Number) -> Any:
    """Compare stand-ins; NaN is never compared, for a loop of NumPy around us would warn of the processor's flag."""
    one, other = left.stand_in(), right.stand_in()
    if isnan(one) or isnan(other):
        return np.bool_(operate is operator.ne)
    return np.bool_(operate(one, other))
