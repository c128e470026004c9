"""Exponential and Gumbel noise: elements that stand for it, and the races that it decides.

A noise element is ``sign * c * E**power`` or ``sign * log(c * E**power)`` with E an ideal
exponential variable, c > 0 and power 1 or -1: closed under what programs do to it before a race.
"""

import math
from collections.abc import Sequence
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

from proofs.engine.choices import Arithmetic, Path
from proofs.engine.nodes import Link, Node, Spoilt, constant
from proofs.engine.noise import TooHard
from proofs.engine.scalars import LogNumber, exact_number
from proofs.engine.signals import Kind, mark, refuse
from proofs.engine.weights import ONE, Weight, weight

__all__ = ["NoiseNode", "as_noise", "race"]


class NoiseNode:
    """One exponential variable, scaled, inverted, negated or in log space; immutable."""

    __slots__ = ("log", "name", "path", "power", "scale", "sign")

    def __init__(
        self, path: Path, name: Any, scale: Weight = ONE, power: int = 1, sign: int = 1, *, log: bool = False
    ) -> None:
        self.path = path
        self.name = name
        self.scale = scale
        self.power = power
        self.sign = sign
        self.log = log

    def _with(self, **changes: Any) -> "NoiseNode":
        fields: dict[str, Any] = {"scale": self.scale, "power": self.power, "sign": self.sign, "log": self.log}
        return NoiseNode(self.path, self.name, **(fields | changes))

    def then(self, name: str, value: Any = 0) -> Any:
        """Return the element after one more operation, a number where nothing of the noise is left, or refuse."""
        step = getattr(self, f"_{name}", None)
        if step is None:
            refuse(f"noise of a race in {name}")
        found = step(value)
        return found if isinstance(found, NoiseNode) else self._number(found)

    def _number(self, value: Any) -> Any:
        return exact_number(value) if self.path.arithmetic is Arithmetic.EXACT else float(value)

    def _neg(self, _: Any) -> "NoiseNode":
        return self._with(sign=-self.sign)

    def _mul(self, value: Any) -> Any:
        c = constant(value)
        if isinstance(c, LogNumber) or self.log:
            return (
                self
                if c == 1
                else self._neg(0)
                if c == -1
                else refuse("a logarithm of noise is scaled (a temperature)")
            )
        if isinstance(c, float) or c == 0:
            return c * self.sign if isinstance(c, float) else weight(0)
        return self._with(scale=self.scale * abs(c), sign=self.sign if c > 0 else -self.sign)

    def _div(self, value: Any) -> Any:
        c = constant(value)
        if isinstance(c, float):
            return weight(0) if c == c else c
        if c == 0:
            return self.sign * float("inf")
        return self._mul(c if self.log else ONE / c)

    def _rdiv(self, value: Any) -> Any:
        if self.log:
            refuse("a division by a logarithm of noise")
        return self._with(scale=ONE / self.scale, power=-self.power)._mul(value)

    def _log(self, _: Any) -> "NoiseNode":
        if self.log or self.sign < 0:
            refuse("the logarithm of noise that is negative, or a logarithm already")
        return self._with(log=True)

    def _exp(self, _: Any) -> "NoiseNode":
        if not self.log:
            refuse("the exponential of noise")
        return (
            self._with(log=False)
            if self.sign > 0
            else self._with(log=False, sign=1, scale=ONE / self.scale, power=-self.power)
        )

    def _add(self, value: Any) -> Any:
        c = constant(value)
        if isinstance(c, float):
            return c
        if not isinstance(c, LogNumber) and c == 0:
            return self
        if not self.log:
            refuse("a number is added to noise that is no logarithm")
        if not isinstance(c, LogNumber) and self.path.arithmetic is Arithmetic.EXACT:
            mark(Kind.LEAK, "a number that is no logarithm is added to Gumbel noise: its exponential is irrational")
        return self.shifted(c)

    def shifted(self, c: Any) -> "NoiseNode":
        """Return a logarithm of noise plus a rational number, or plus a logarithm of one."""
        factor = constant(c.exp()) if isinstance(c, LogNumber) else _exponential(c)
        return self._with(scale=self.scale * factor if self.sign > 0 else self.scale / factor)

    def _rsub(self, value: Any) -> Any:
        return self._neg(0)._add(value)

    def _cast32(self, _: Any) -> "NoiseNode":
        return self

    _cast64 = _cast32

    def side_of(self, number: Any) -> int | None:
        """Return -1 (1) where all that the noise can be is above (below) a number, None where it depends, 0 at NaN."""
        if number != number:
            return 0
        least = -math.inf if self.log or self.sign < 0 else 0
        most = math.inf if self.log or self.sign > 0 else 0
        return -1 if number <= least else 1 if number >= most else None

    def is_less(self, other: "NoiseNode", *, equal: bool = False) -> bool:
        """Decide ``self < other``, or ``<=``; two elements of different form are refused."""
        if (self.log, self.sign, self.power) != (other.log, other.sign, other.power):
            refuse("noise of different forms is compared")
        if self.name == other.name:
            if self.scale == other.scale:
                return equal
            return bool(self.scale < other.scale) == (self.sign > 0)
        smaller_e = (self.sign > 0) == (self.power > 0)
        # self < other iff E_self < (c_other / c_self)^power E_other, or the other way round.
        ratio = (other.scale / self.scale) if self.power > 0 else (self.scale / other.scale)
        at_least = _decided(lambda: self.path.at_least(self.name, ratio, other.name))
        return bool(at_least != smaller_e)


def _exponential(value: Weight) -> Weight:
    """Return exp of a rational to 2^-120: float logarithms round, and laws in float arithmetic have a tolerance."""
    with localcontext() as context:
        context.prec = 60
        number = Fraction(int(value.numerator), int(value.denominator))
        return weight(Fraction((Decimal(number.numerator) / Decimal(number.denominator)).exp()))


# How programs turn a uniform into minus an exponential variable, and what the coin's role is then.
_LOGARITHMS = {
    (Link("log"),): "-log(u)",
    (Link("rsub", 1), Link("log")): "-log(1 - u)",
    (Link("neg"), Link("log1p")): "-log(1 - u)",
}


def as_noise(node: Any) -> NoiseNode | None:
    """Return an element as noise, a uniform coin under a logarithm too, or None if it is none."""
    if isinstance(node, NoiseNode):
        return node
    if not isinstance(node, Node):
        return None
    if isinstance(node, Spoilt):
        node.deny()
    links = [link for link in node.chain if not link.name.startswith("cast")]
    for beginning, role in _LOGARITHMS.items():
        if tuple(links[: len(beginning)]) == beginning:
            node.coin.become_noise(role)
            noise: Any = NoiseNode(node.coin.path, (id(node.coin), role), sign=-1)
            for name, value in links[len(beginning) :]:
                noise = noise.then(name, value[0] if isinstance(value, tuple) else value)
            return noise if isinstance(noise, NoiseNode) else None
    return None


def race(elements: Sequence[Any], path: Path, *, greatest: bool) -> int:
    """Decide the argmax (or argmin) of noise elements and numbers, the first on ties."""
    runners = {at: noise for at, element in enumerate(elements) if (noise := as_noise(element)) is not None}
    numbers = {at: element for at, element in enumerate(elements) if at not in runners}
    if any(isinstance(number, Node) for number in numbers.values()):
        refuse("argmax or argmin of undrawn numbers that are no race of exponential or Gumbel noise")
    for at, number in numbers.items():
        if number != number:
            return at
    if not runners:
        best = (max if greatest else min)(numbers.values())
        return next(at for at, number in numbers.items() if number == best)
    form = next(iter(runners.values()))
    _check(runners, numbers, form, greatest)
    # c / E is greatest where E / c is least; c E is least where E / (1/c) is.
    first = greatest == ((form.sign > 0) != (form.power > 0))
    weights = {r.name: ONE / r.scale if r.power > 0 else r.scale for r in runners.values()}
    winner = _decided(lambda: path.win(weights, first=first))
    return next(at for at, runner in runners.items() if runner.name == winner)


def _check(runners: dict[int, NoiseNode], numbers: dict[int, Any], form: NoiseNode, greatest: bool) -> None:
    if len({(r.log, r.sign, r.power) for r in runners.values()}) > 1:
        refuse("a race of noise in different forms")
    if len({r.name for r in runners.values()}) < len(runners):
        refuse("a race in which the same noise runs twice")
    for number in numbers.values():
        if form.side_of(number) != (-1 if greatest else 1):
            refuse(f"a race of noise against the number {number!r}")


def _decided(decide: Any) -> Any:
    try:
        return decide()
    except TooHard as error:
        refuse(f"noise is shared between too many comparisons: {error}", Kind.REFUSED)
