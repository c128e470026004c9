"""Logarithms of rational numbers, so that verifiers in log space and logits stay exact."""

import operator
from math import ceil, floor, trunc
from typing import Any

import numpy as np

from proofs.engine.reals import logarithm_exceeds, nearest_float_of_logarithm, power
from proofs.engine.scalar_base import Binary, Number, coerced, compared, in_floats, leaving, reflected

__all__ = ["LogNumber"]


class LogNumber(Number):
    """The logarithm of a positive rational number other than 1; ``x.log()`` of an exact number builds it.

    Sums, whole multiples and all comparisons are exact; a sum with another number than 0 leaves exact arithmetic.

    Attributes
    ----------
    argument : ExactNumber
        The number that this is the logarithm of.
    """

    __slots__ = ("argument",)

    def __init__(self, argument: Any) -> None:
        self.argument = argument

    def exact(self, value: Any) -> Any:  # type: ignore[override]
        """Return a number that Python or NumPy knows as an exact one."""
        return self.argument.exact(value)

    def operand(self, value: Any) -> Any:  # type: ignore[override]
        """Return the other side of an operator as an exact number, None where its type is not known."""
        return value if isinstance(value, LogNumber) else self.argument.operand(value)

    def approximate(self) -> float:
        """Return the nearest float without a mark: for messages and tolerances, never for a law."""
        return nearest_float_of_logarithm(self.argument.weight)

    def stand_in(self) -> float:
        """Return a float of the same sign."""
        return 1.0 if self.argument > 1 else -1.0

    __add__ = __radd__ = coerced(lambda a, b: _sum(a, b))
    __sub__, __rsub__ = coerced(lambda a, b: _sum(a, -b)), coerced(lambda a, b: _sum(-a, b))
    __mul__ = __rmul__ = coerced(lambda a, b: _product(a, b))
    __truediv__, __rtruediv__ = coerced(lambda a, b: _ratio(a, b)), reflected(lambda a, b: _reciprocal_of(a, b))
    __floordiv__, __rfloordiv__ = (
        coerced(lambda a, b: _leak("//", operator.floordiv, a, b)),
        reflected(lambda a, b: _leak("//", operator.floordiv, a, b)),
    )
    __mod__, __rmod__ = (
        coerced(lambda a, b: _leak("%", operator.mod, a, b)),
        reflected(lambda a, b: _leak("%", operator.mod, a, b)),
    )
    __pow__, __rpow__ = (
        coerced(lambda a, b: _leak("**", operator.pow, a, b)),
        reflected(lambda a, b: _leak("**", operator.pow, a, b)),
    )
    __lt__, __gt__ = (
        coerced(lambda a, b: _compare(operator.lt, a, b)),
        coerced(lambda a, b: _compare(operator.gt, a, b)),
    )
    __le__, __ge__ = (
        coerced(lambda a, b: _compare(operator.le, a, b)),
        coerced(lambda a, b: _compare(operator.ge, a, b)),
    )

    def __eq__(self, other: object) -> bool:
        # Never a rational number: the logarithm of one other than 1 is irrational.
        return isinstance(other, LogNumber) and bool(self.argument == other.argument)

    def __hash__(self) -> int:
        return hash(("ln", self.argument))

    def __neg__(self) -> "LogNumber":
        return LogNumber(1 / self.argument)

    def __abs__(self) -> "LogNumber":
        return self if self.argument > 1 else -self

    def __repr__(self) -> str:
        return f"ln({self.argument})"

    def __reduce__(self) -> tuple[Any, ...]:
        return LogNumber, (self.argument,)

    def __floor__(self) -> int:
        return floor(self.leak("floor", np.positive))  # type: ignore[no-any-return]

    def __ceil__(self) -> int:
        return ceil(self.leak("ceil", np.positive))  # type: ignore[no-any-return]

    def __trunc__(self) -> int:
        return trunc(self.leak("trunc", np.positive))  # type: ignore[no-any-return]

    def __round__(self, digits: int | None = None) -> Any:
        return round(self.leak("round", np.positive), digits)

    __int__ = __trunc__

    def exp(self) -> Any:
        """Return the number that this is the logarithm of."""
        return self.argument

    def expm1(self) -> Any:
        """Return ``exp(x) - 1``, exactly."""
        return self.argument - 1

    def reciprocal(self) -> Any:
        """Return ``1 / x``: a leak."""
        return 1 / self

    log, log1p, log2, log10 = map(leaving, ("log", "log1p", "log2", "log10"))
    exp2, sqrt, cbrt, square, rint = map(leaving, ("exp2", "sqrt", "cbrt", "square", "rint"))
    sin, cos, tan, tanh = map(leaving, ("sin", "cos", "tan", "tanh"))


def _is_zero_or_special(number: Any) -> bool:
    return not isinstance(number, LogNumber) and (not number or not number.is_finite())


def _leak(name: str, operate: Binary, left: Number, right: Number) -> Any:
    return left.leak(f"{name} with a logarithm", operate, right)


def _sum(left: LogNumber, right: Any) -> Any:
    if isinstance(right, LogNumber):
        return (left.argument * right.argument).log()
    if _is_zero_or_special(right):
        return right if right else left
    return _leak("+", operator.add, left, right)


def _product(left: LogNumber, right: Any) -> Any:
    if isinstance(right, LogNumber):
        return _leak("*", operator.mul, left, right)
    if _is_zero_or_special(right):
        return left.exact(in_floats(operator.mul, left, right))
    raised = power(left.argument.weight, right.weight)
    return _leak("*", operator.mul, left, right) if raised is None else left.exact(raised).log()


def _ratio(left: LogNumber, right: Any) -> Any:
    if isinstance(right, LogNumber):
        return left.exact(1) if left == right else _leak("/", operator.truediv, left, right)
    if _is_zero_or_special(right):
        return left.exact(in_floats(operator.truediv, left, right))
    return _product(left, 1 / right)


def _reciprocal_of(left: Any, right: LogNumber) -> Any:
    if _is_zero_or_special(left):
        return right.exact(in_floats(operator.truediv, left, right))
    return _leak("/", operator.truediv, left, right)


def _compare(operate: Binary, left: LogNumber, right: Any) -> Any:
    if isinstance(right, LogNumber):
        return operate(left.argument, right.argument)
    if _is_zero_or_special(right):
        return compared(operate, left, right)
    return np.bool_(operate(1 if logarithm_exceeds(left.argument.weight, right.weight) else -1, 0))
