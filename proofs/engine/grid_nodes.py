"""Functions of a coin on a grid, in the dtype of the code.

In float arithmetic the chain is evaluated in its own dtype and the switch point searched among the
k of the coin's grid: rounding is monotone, so what is found is what the code decides.
"""

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from proofs.engine.choices import Coin
from proofs.engine.nodes import Link, Node, Spoilt, is_nan
from proofs.engine.signals import refuse

__all__ = ["GridNode"]


def _divide(a: Any, b: Any) -> Any:
    return np.true_divide(a, b) if b == 0 else a / b


_EVALUATE: dict[str, Callable[[Any, Any], Any]] = {
    "add": operator.add,
    "rsub": lambda x, c: c - x,
    "mul": operator.mul,
    "div": _divide,
    "rdiv": lambda x, c: _divide(c, x),
    "min": min,
    "max": max,
    "neg": lambda x, _: -x,
    "log": lambda x, _: np.log(x),
    "exp": lambda x, _: np.exp(x),
    "log1p": lambda x, _: np.log1p(x),
    "cast32": lambda x, _: np.float32(x),
    "cast64": lambda x, _: float(x),
    "torch": lambda x, node: node.at(x),  # what torch's operators made of the coin before it became a Python float
}

_WINDOW = 64  # grid points either side of a switch point that are evaluated where a function may not be monotone
_NOT_CERTIFIED = ("log", "exp", "log1p")  # rounded to within some ulps, so that a switch can be ragged
_ROOM = 8  # ulps that an uncertified function must have moved at the ends of the window


class GridNode(Node):
    """A function of a coin on a grid, in the dtype of the code: float64 as Python floats, float32 as NumPy's."""

    __slots__ = ()

    def then(self, name: str, value: Any = 0) -> Any:
        """Return the node with one more operation; `value` is in the dtype of the operation."""
        if is_nan(value):
            return value
        if name == "rdiv" and not self._is_never_zero():
            refuse("a division by an undrawn number that can be zero")
        if name == "log" and self.sign != 1:
            refuse("the logarithm of an undrawn number that can be negative")
        if self.chain and self.chain[-1].name == "neg" and name == "add":
            # The same float: a change of sign never rounds.
            return GridNode(self.coin, self.chain[:-1], -self.sign).then("rsub", value)
        found = GridNode(self.coin, (*self.chain, Link(name, value)))
        low, high = found._ends()
        found.sign = 1 if low >= 0 <= high else -1 if low <= 0 >= high else 0  # it is monotone
        if is_nan(low) or is_nan(high):
            return Spoilt(
                self.coin, lambda: refuse(f"an undrawn number and {value} in {name}: NaN at an end of its range")
            )
        # Monotone, and the same at both ends: nothing of the coin is left.
        return low if low == high and self.coin.high - self.coin.low > 1 else found

    def _is_never_zero(self) -> bool:
        return self.sign != 0 and all(end != 0 for end in self._ends())

    def _ends(self) -> tuple[Any, Any]:
        with np.errstate(all="ignore"):
            return self.at(self.coin.low), self.at(self.coin.high - 1)

    def at(self, k: int) -> Any:
        """Return the value where the coin is k / grid."""
        return _evaluated(self.chain, self.coin, k)

    def less(self, threshold: Any, *, equal: bool) -> bool:
        """Decide the comparison as the code does, by finding the k at which it switches."""
        if is_nan(threshold):
            return False
        if not self.chain and type(threshold) is float and 0 <= threshold <= 1:
            k = threshold * self._grid()
            return self.coin.below(math.floor(k) + 1 if equal else math.ceil(k))
        below = operator.le if equal else operator.lt
        with np.errstate(all="ignore"):  # what the program wants to be told of is not what the search does
            low, high = self.coin.low, self.coin.high - 1
            at_low, at_high = bool(below(self.at(low), threshold)), bool(below(self.at(high), threshold))
            if at_low == at_high:
                return at_low
            switch = self._switch(lambda k: bool(below(self.at(k), threshold)), low, high, at_low)
        return self.coin.below(switch) == at_low

    def _grid(self) -> int:
        return self.coin.grid or 1

    def _switch(self, holds: Callable[[int], bool], low: int, high: int, at_low: bool) -> int:
        """Return the least k at which the answer is no longer `at_low`."""
        start, end = low, high
        while end - start > 1:
            middle = (start + end) // 2
            if holds(middle) == at_low:
                start = middle
            else:
                end = middle
        if any(link.name in _NOT_CERTIFIED for link in self.chain):
            self._certify(lambda k: (holds(k) == at_low) == (k < end), end, low, high)
        return end

    def _certify(self, is_right: Callable[[int], bool], switch: int, low: int, high: int) -> None:
        """Refuse a switch that may be ragged: look at every point near it, and that near is far enough."""
        first, last = max(low, switch - _WINDOW), min(high, switch + _WINDOW)
        if not all(is_right(k) for k in range(first, last + 1)):
            refuse("a function that is not monotone beside a threshold")
        for length, link in enumerate(self.chain, 1):
            if link.name in _NOT_CERTIFIED:
                here, *ends = (_evaluated(self.chain[:length], self.coin, k) for k in (switch, first, last))
                room = _ROOM * np.spacing(abs(here))
                if any(abs(x - here) < room and k not in (low, high) for x, k in zip(ends, (first, last), strict=True)):
                    refuse("a function that moves too little beside a threshold to be known as monotone")


def _evaluated(chain: tuple[Link, ...], coin: Coin, k: int) -> Any:
    x: Any = k / (coin.grid or 1)  # exact: the grid is a power of two
    for name, c in chain:
        x = _EVALUATE[name](x, c)
    return x
