"""Numbers that stand in for floats and never round: rationals with IEEE specials.

Whatever leaves them (``float(x)``, an irrational root) leaves a mark on the path and goes on with the nearest float.
"""

import operator
from fractions import Fraction
from math import ceil, floor, inf, isfinite, isnan, nan, trunc
from numbers import Rational, Real
from types import MappingProxyType
from typing import Any, Final

import numpy as np

from proofs.engine.logarithms import LogNumber
from proofs.engine.reals import nearest_float, power
from proofs.engine.scalar_base import Binary, Number, coerced, compared, in_floats, leaving, reflected
from proofs.engine.weights import Weight, is_weight, to_fraction, weight

__all__ = ["ExactNumber", "LogNumber", "exact_number", "is_exact"]

# Plain tuples and the commonest types first: these are looked at for every operator with a number of another type.
_WHOLE = (int, np.bool_)
_FLOATS = (float, np.floating)
_YES, _NO = np.True_, np.False_  # as elements of an array of floats compare: ``~(x < y)`` must not be -1 or -2
_KNOWN = (int, float, np.integer, np.floating, np.bool_, Rational)


def exact_number(value: Any) -> "ExactNumber":
    """Return a number as an exact one.

    Parameters
    ----------
    value : int, bool, rational, float or NumPy scalar
        A float stands for its exact value; infinities and NaN are kept.

    Returns
    -------
    ExactNumber
        There is one zero: a negative zero loses its sign.

    Raises
    ------
    TypeError
        If `value` is no rational number and no float.
    """
    if isinstance(value, ExactNumber):
        return value
    if isinstance(value, _WHOLE):
        return ExactNumber(weight(int(value)))
    if isinstance(value, _FLOATS) and not isfinite(value):
        return _Special(float(value))
    return ExactNumber(weight(value))


def is_exact(value: Any) -> bool:
    """Tell whether `value` is a number of exact arithmetic."""
    return isinstance(value, Number)


class ExactNumber(Number):
    """A rational number, or an infinity or NaN, that counts as a float does and never rounds.

    There is one zero, without a sign. `exact_number` builds it.
    """

    __slots__ = ("_value",)

    def __init__(self, value: Weight) -> None:
        self._value = value

    # Every path of a program goes through these operators: they are flat and look for their own type first.

    def __add__(self, other: Any) -> Any:
        if type(other) is ExactNumber:
            return ExactNumber(self._value + other._value)
        return _mixed(operator.add, self, other)

    def __sub__(self, other: Any) -> Any:
        if type(other) is ExactNumber:
            return ExactNumber(self._value - other._value)
        return _mixed(operator.sub, self, other)

    def __mul__(self, other: Any) -> Any:
        if type(other) is ExactNumber:
            return ExactNumber(self._value * other._value)
        return _mixed(operator.mul, self, other)

    def __truediv__(self, other: Any) -> Any:
        if type(other) is ExactNumber:
            try:
                return ExactNumber(self._value / other._value)
            except ZeroDivisionError:
                return _over_zero(self)
        return _mixed(operator.truediv, self, other)

    def __lt__(self, other: Any) -> Any:
        if type(other) is ExactNumber:
            return _YES if self._value < other._value else _NO
        return _mixed(operator.lt, self, other)

    def __le__(self, other: Any) -> Any:
        if type(other) is ExactNumber:
            return _YES if self._value <= other._value else _NO
        return _mixed(operator.le, self, other)

    def __gt__(self, other: Any) -> Any:
        if type(other) is ExactNumber:
            return _YES if self._value > other._value else _NO
        return _mixed(operator.gt, self, other)

    def __ge__(self, other: Any) -> Any:
        if type(other) is ExactNumber:
            return _YES if self._value >= other._value else _NO
        return _mixed(operator.ge, self, other)

    def __eq__(self, other: object) -> Any:
        if type(other) is ExactNumber:
            return _YES if self._value == other._value else _NO
        return _mixed(operator.eq, self, other)

    def __ne__(self, other: object) -> Any:
        if type(other) is ExactNumber:
            return _YES if self._value != other._value else _NO
        return _mixed(operator.ne, self, other)

    __floordiv__, __rfloordiv__ = coerced(lambda a, b: _floor_ratio(a, b)), reflected(lambda a, b: _floor_ratio(a, b))
    __mod__, __rmod__ = coerced(lambda a, b: _remainder(a, b)), reflected(lambda a, b: _remainder(a, b))
    __pow__, __rpow__ = coerced(lambda a, b: _power(a, b)), reflected(lambda a, b: _power(a, b))
    __divmod__, __rdivmod__ = coerced(lambda a, b: (a // b, a % b)), reflected(lambda a, b: (a // b, a % b))
    __radd__, __rsub__, __rmul__ = map(reflected, (operator.add, operator.sub, operator.mul))
    __rtruediv__ = reflected(operator.truediv)

    def __hash__(self) -> int:
        return hash(self.plain())

    def __bool__(self) -> bool:
        return bool(self._value != 0)

    def __neg__(self) -> "ExactNumber":
        return type(self)(-self._value)

    def __abs__(self) -> "ExactNumber":
        return type(self)(abs(self._value))

    def __int__(self) -> int:
        return int(self.plain())

    def __trunc__(self) -> int:
        return trunc(self.plain())

    def __floor__(self) -> int:
        return floor(self.plain())

    def __ceil__(self) -> int:
        return ceil(self.plain())

    def __round__(self, digits: int | None = None) -> Any:
        return round(self.plain()) if digits is None else exact_number(round(self.plain(), digits))

    def __repr__(self) -> str:
        return str(self.plain())

    def __reduce__(self) -> tuple[Any, ...]:
        return exact_number, (self.plain(),)

    @staticmethod
    def exact(value: Any) -> "ExactNumber":
        """Return a number that Python or NumPy knows as an exact one."""
        return exact_number(value)

    @staticmethod
    def operand(value: Any) -> "ExactNumber | None":
        """Return the other side of an operator as an exact number, None where its type is not known."""
        kind = type(value)
        if kind is int:
            return ExactNumber(weight(value))
        if isinstance(value, ExactNumber):
            return value
        return exact_number(value) if isinstance(value, _KNOWN) or is_weight(value) else None

    def plain(self) -> Fraction | float:
        """Return the value as a ``Fraction``, an infinity or NaN as a float."""
        return to_fraction(self._value)

    def approximate(self) -> float:
        """Return the nearest float without a mark: for messages and tolerances, never for a law."""
        return nearest_float(self._value)

    def stand_in(self) -> float:
        """Return a float that acts as the number does where its partner is zero, an infinity or NaN."""
        return float((self._value > 0) - (self._value < 0))

    @property
    def weight(self) -> Weight:
        """The value as a weight.

        Raises
        ------
        ValueError
            If the number is an infinity or NaN.
        """
        return self._value

    def is_finite(self) -> bool:
        """Tell whether the number is neither an infinity nor NaN."""
        return True

    def is_integer(self) -> bool:
        """Tell whether the number is whole; infinities and NaN are not."""
        return self.is_finite() and self.as_integer_ratio()[1] == 1

    def as_integer_ratio(self) -> tuple[int, int]:
        """Return numerator and denominator; like that of a float, it raises for an infinity or NaN."""
        return self.plain().as_integer_ratio()

    # What NumPy calls on the elements of an array of objects.

    def log(self) -> "ExactNumber | LogNumber":
        """Return the logarithm, exactly: minus infinity for 0, NaN below."""
        if not self._value > 0:
            return _of_stand_ins(np.log, self)  # type: ignore[no-any-return]
        return LogNumber(self) if self._value != 1 else exact_number(0)

    def log1p(self) -> "ExactNumber | LogNumber":
        """Return ``log(1 + x)``, exactly."""
        return (1 + self).log()  # type: ignore[no-any-return]

    def exp(self) -> "ExactNumber":
        """Return the exponential: exact for 0 alone, else a leak."""
        return self.leak("exp", np.exp) if self else exact_number(1)

    def expm1(self) -> "ExactNumber":
        """Return ``exp(x) - 1``: exact for 0 alone, else a leak."""
        return self.exp() - 1  # type: ignore[no-any-return]

    def exp2(self) -> "ExactNumber":
        """Return ``2 ** x``: exact where it is rational, else a leak."""
        return 2**self  # type: ignore[no-any-return]

    def log2(self) -> "ExactNumber":
        """Return the logarithm to base 2: exact for powers of 2, else a leak."""
        return _logarithm_to(2, np.log2, self)

    def log10(self) -> "ExactNumber":
        """Return the logarithm to base 10: exact for powers of 10, else a leak."""
        return _logarithm_to(10, np.log10, self)

    def sqrt(self) -> "ExactNumber":
        """Return the square root: exact where it is rational, NaN below 0, else a leak."""
        return self**0.5 if self._value >= 0 else _of_stand_ins(np.sqrt, self)  # type: ignore[no-any-return]

    def square(self) -> "ExactNumber":
        """Return the square."""
        return self * self  # type: ignore[no-any-return]

    def reciprocal(self) -> "ExactNumber":
        """Return ``1 / x``."""
        return 1 / self  # type: ignore[no-any-return]

    def rint(self) -> "ExactNumber":
        """Return the nearest whole number, the even one of two."""
        return exact_number(round(self.plain())) if self.is_finite() else self

    cbrt, sin, cos, tan, tanh = map(leaving, ("cbrt", "sin", "cos", "tan", "tanh"))


def _of_stand_ins(operate: Any, *values: Number) -> Any:
    return exact_number(in_floats(operate, *values))


def _over_zero(number: ExactNumber) -> ExactNumber:
    # The commonest special in verifiers, so without the detour through floats unless NumPy is told to raise.
    if np.geterr()["divide" if number else "invalid"] == "raise":
        return _of_stand_ins(operator.truediv, number, exact_number(0))  # type: ignore[no-any-return]
    return _QUOTIENTS[int(number.stand_in())]


def _specials(operate: Binary) -> tuple[Binary, Binary]:
    def apply(left: Number, right: Number) -> Any:
        for number in (left, right):
            if isnan(number.stand_in()):
                return number
        return _of_stand_ins(operate, left, right)

    return coerced(apply), reflected(apply)


def _comparison(operate: Binary) -> Binary:
    return coerced(lambda left, right: compared(operate, left, right))


def _on_itself(name: str) -> Any:
    return lambda self: _of_stand_ins(getattr(np, name), self)


class _Special(ExactNumber):
    """An infinity or NaN: a type of its own, so that the operators of finite numbers need not ask."""

    __slots__ = ()

    __add__, __radd__ = _specials(operator.add)
    __sub__, __rsub__ = _specials(operator.sub)
    __mul__, __rmul__ = _specials(operator.mul)
    __truediv__, __rtruediv__ = _specials(operator.truediv)
    __lt__, __gt__, __le__, __ge__, __eq__, __ne__ = (
        _comparison(operate)
        for operate in (operator.lt, operator.gt, operator.le, operator.ge, operator.eq, operator.ne)
    )
    __hash__ = ExactNumber.__hash__
    log, log2, log10, exp, sqrt, cbrt = map(_on_itself, ("log", "log2", "log10", "exp", "sqrt", "cbrt"))
    sin, cos, tan, tanh = map(_on_itself, ("sin", "cos", "tan", "tanh"))

    def plain(self) -> float:
        return self._value  # type: ignore[no-any-return]

    def approximate(self) -> float:
        return self._value  # type: ignore[no-any-return]

    stand_in = approximate

    def is_finite(self) -> bool:
        return False

    def __round__(self, digits: int | None = None) -> Any:
        return round(self._value) if digits is None else self

    @property
    def weight(self) -> Weight:
        raise ValueError(f"{self} is no rational number and has no weight; ask numpy.isfinite first")


_QUOTIENTS: Final = MappingProxyType({1: _Special(inf), -1: _Special(-inf), 0: _Special(nan)})


def _mixed(operate: Binary, left: ExactNumber, right: Any) -> Any:
    number = ExactNumber.operand(right)
    return NotImplemented if number is None else operate(left, number)


def _floor_ratio(left: ExactNumber, right: ExactNumber) -> ExactNumber:
    if left.is_finite() and right.is_finite() and right:
        return exact_number(floor(left / right))
    return _of_stand_ins(operator.floordiv, left, right)  # type: ignore[no-any-return]


def _remainder(left: ExactNumber, right: ExactNumber) -> ExactNumber:
    if left.is_finite() and right.is_finite() and right:
        return left - right * (left // right)  # type: ignore[no-any-return]
    result = _of_stand_ins(operator.mod, left, right)
    # Of a number and an infinity of its sign the number remains, not its stand-in.
    return left if result.is_finite() else result


def _power(base: ExactNumber, exponent: ExactNumber) -> ExactNumber:
    if not (base.is_finite() and exponent.is_finite()) or (not base and exponent < 0):
        return _special_power(base, exponent)
    raised = power(base.weight, exponent.weight)
    if raised is None:
        return base.leak(f"power {exponent}", operator.pow, exponent)  # type: ignore[no-any-return]
    return ExactNumber(raised)


def _special_power(base: ExactNumber, exponent: ExactNumber) -> ExactNumber:
    # Only the side of 1 that the base is on, and the parity of the exponent, count.
    size = 2.0 if abs(base) > 1 else 0.5 if abs(base) < 1 else 1.0
    stand_in = base.stand_in() * size if base.is_finite() else base.approximate()
    return exact_number(in_floats(lambda: np.float64(stand_in) ** np.float64(exponent.approximate())))


def _logarithm_to(base: int, ufunc: Any, number: ExactNumber) -> ExactNumber:
    if not number > 0:
        return _of_stand_ins(ufunc, number)  # type: ignore[no-any-return]
    exponent = round(ufunc(number.approximate())) if 0 < number.approximate() < np.inf else 0
    exact = exact_number(base) ** exponent == number
    return exact_number(exponent) if exact else number.leak(f"log{base}", ufunc)


Real.register(ExactNumber)
Real.register(LogNumber)
