"""A monotone function of one coin: what an element of an undrawn array is, over the reals and on a grid.

A node is a coin and a chain of links. To decide ``node < t`` over the reals the chain is inverted; on a grid it
is evaluated, and the switch point searched.
"""

import math
from collections.abc import Callable
from numbers import Rational
from typing import Any, NamedTuple, NoReturn

import numpy as np

from proofs.engine.choices import MAX_OPTIONS, Coin
from proofs.engine.scalars import ExactNumber, LogNumber
from proofs.engine.signals import refuse
from proofs.engine.weights import is_weight, weight

__all__ = ["Link", "Node", "Spoilt", "constant", "is_nan", "sign_of"]


class Link(NamedTuple):
    """One operation of a chain, and the constant in it (0 where it has none)."""

    name: str
    constant: Any = 0


class Node:
    """A coin seen through a chain of monotone operations; immutable."""

    __slots__ = ("chain", "coin", "sign")

    def __init__(self, coin: Coin, chain: tuple[Link, ...] = (), sign: int = 1) -> None:
        self.coin = coin
        self.chain = chain
        # Of every value, zero included where the coin is 0; 0 where it is not known.
        self.sign = sign

    def then(self, name: str, value: Any = 0) -> Any:
        """Return the node with one more operation, or a number where nothing of the coin is left."""
        raise NotImplementedError

    def less(self, threshold: Any, *, equal: bool) -> bool:
        """Decide ``node < threshold``, or ``node <= threshold``."""
        raise NotImplementedError

    def greater(self, threshold: Any, *, equal: bool) -> bool:
        """Decide ``node > threshold``, or ``node >= threshold``; NaN compares false either way."""
        return not is_nan(threshold) and not self.less(threshold, equal=not equal)

    def equals(self, threshold: Any) -> bool:
        """Decide ``node == threshold``."""
        return self.less(threshold, equal=True) and not self.less(threshold, equal=False)

    def floor(self) -> int:
        """Decide the greatest whole number that is not above the node."""
        whole = 0
        while self.less(whole, equal=False) and whole >= -MAX_OPTIONS:
            whole -= 1
        while not self.less(whole + 1, equal=False) and whole <= MAX_OPTIONS:
            whole += 1
        if abs(whole) > MAX_OPTIONS:
            refuse(f"the whole part of an undrawn number has more than {MAX_OPTIONS} values")
        return whole


class Spoilt(Node):
    """A node that cannot be decided, such as one that is NaN for some coins: refused where it is used.

    It is not refused where it is made: code computes whole rows and drops what it does not want with ``where``.
    """

    __slots__ = ("deny",)

    def __init__(self, coin: Coin, deny: Callable[[], NoReturn]) -> None:
        super().__init__(coin, sign=0)
        self.deny = deny

    def then(self, name: str, value: Any = 0) -> "Spoilt":  # noqa: ARG002
        """Return the same: nothing mends it."""
        return self

    def less(self, threshold: Any, *, equal: bool) -> bool:  # noqa: ARG002
        """Refuse, saying why it cannot be decided."""
        self.deny()


def is_nan(value: Any) -> bool:
    """Tell whether a number of any kind is NaN."""
    return bool(value != value)


def sign_of(value: Any) -> int:
    """Return 1, 0 or -1."""
    return int(value > 0) - int(value < 0)


def constant(value: Any) -> Any:
    """Return a concrete number as a weight, as a float if infinite or NaN, or as a ``LogNumber``."""
    if is_weight(value) or isinstance(value, LogNumber):
        return value
    if isinstance(value, ExactNumber):
        return value.weight if value.is_finite() else _special(value)
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, float) and not math.isfinite(value):
        return value
    if isinstance(value, int | float | Rational):
        return weight(value)
    return refuse(f"an undrawn number meets {value!r} ({type(value).__name__})")


def _special(value: ExactNumber) -> float:
    return math.nan if is_nan(value) else math.inf if value > 0 else -math.inf
