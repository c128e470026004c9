"""Functions of a real coin: a comparison is decided by inverting the chain of their operations."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

from proofs.engine.nodes import Link, Node, constant, is_nan, sign_of
from proofs.engine.scalars import ExactNumber, LogNumber, exact_number
from proofs.engine.signals import Kind, mark, refuse
from proofs.engine.weights import Weight, to_fraction, weight

__all__ = ["ExactNode"]


class _Question(NamedTuple):
    """Whether the value is below (else above) the threshold, or equal to it."""

    below: bool
    threshold: Any
    equal: bool

    def holds_for(self, value: Any) -> bool:
        """Answer it for a concrete value."""
        return bool((value < self.threshold) if self.below else (value > self.threshold)) or (
            self.equal and bool(value == self.threshold)
        )

    def flipped(self, threshold: Any) -> "_Question":
        return _Question(not self.below, threshold, self.equal)

    def about(self, threshold: Any) -> "_Question":
        return _Question(self.below, threshold, self.equal)


_SIGN_AFTER: dict[str, Callable[[int, int], int]] = {
    "add": lambda sign, c: sign if sign == c or c == 0 else 0,
    "rsub": lambda sign, c: -sign if -sign == c or c == 0 else 0,
    "mul": lambda sign, c: sign * c,
    "div": lambda sign, c: sign * c,
    "rdiv": lambda sign, c: sign * c,
    "min": lambda sign, c: sign if sign == c or sign == -1 else 0,
    "max": lambda sign, c: sign if sign == c or sign == 1 else 0,
    "neg": lambda sign, c: -sign,
    "exp": lambda sign, c: 1,
    "log": lambda sign, c: 0,
    "log1p": lambda sign, c: sign,
}


def _sign_after(node: Node, name: str, value: Any) -> int:
    before = tuple(link for link in node.chain if not link.name.startswith("cast"))
    if not before and name == "rsub" and value >= 1:
        return 1
    if name == "log" and (not before or before == (Link("rsub", 1),)):
        return -1
    rule = _SIGN_AFTER.get(name)
    return node.sign if rule is None else rule(node.sign, sign_of(value))


_IRRATIONAL = ("log", "exp")


class ExactNode(Node):
    """A function of a real coin."""

    __slots__ = ()

    def then(self, name: str, value: Any = 0) -> Any:
        """Return the node with one more operation; constants count at their exact value."""
        if name.startswith("cast"):
            if name == "cast32":
                mark(Kind.LEAK, "an undrawn number is rounded to float32")
            return self
        if name == "log1p":
            return self.then("add", 1).then("log")
        c = constant(value)
        if self.chain and self.chain[-1].name == "neg" and name == "add":
            return ExactNode(self.coin, self.chain[:-1], -self.sign).then("rsub", c)
        if isinstance(c, float) or (name in ("mul", "div", "rdiv") and c == 0):
            return self._then_special(name, c)
        if name == "rdiv" and not self.sign:
            refuse("a division by an undrawn number that can be zero")
        if name == "log" and self.sign != 1:
            refuse("the logarithm of an undrawn number that can be negative")
        link = Link(name, (c, self.sign) if name == "rdiv" else c)
        found = ExactNode(self.coin, (*self.chain, link), _sign_after(self, name, c))
        found.sign = found.sign or found._sign_of_ends()
        return found

    def _sign_of_ends(self) -> int:
        """Return the sign of all values where the ends of the coin's interval tell; zero only at the coins 0 and 1."""
        if any(link.name in _IRRATIONAL or isinstance(link.constant, LogNumber) for link in self.chain):
            return 0
        low, high = self._at(self.coin.low), self._at(self.coin.high)
        if (low == 0 and self.coin.low != 0) or (high == 0 and self.coin.high != 1) or sign_of(low) * sign_of(high) < 0:
            return 0
        return sign_of(low) or sign_of(high)

    def _then_special(self, name: str, c: Any) -> Any:
        """Return the node after an operation with NaN, an infinity, or zero where that leaves nothing of the coin."""
        if is_nan(c):
            return exact_number(math.nan)
        if (name == "min" and c > 0) or (name == "max" and c < 0):
            return self
        found = _ABSORBED[name](self.sign, c) if name in _ABSORBED else None
        if found is None:
            refuse(f"an undrawn number and {c} in {name}")
        if name in _UNDEFINED and self.coin.low == 0 and _UNDEFINED[name](self._at(weight(0)), c):
            mark(Kind.BOUNDARY, "an operation that gives NaN at the coin 0 and a number beside it")
        return exact_number(found)

    def _at(self, coin: Weight) -> Any:
        """Return the value at a coin, exactly if it is rational, zero or infinite."""
        x: Any = coin
        for name, c in self.chain:
            x = _LIMITS[name](x, c[0] if isinstance(c, tuple) else c)
        return x

    def less(self, threshold: Any, *, equal: bool) -> bool:
        """Decide the comparison by inverting the chain; a real coin equals a number with probability zero."""
        t = constant(threshold)
        if isinstance(t, float):
            return self._is_below(t, equal=equal)
        question = _Question(True, t, equal)
        for link in reversed(self.chain):
            earlier = _INVERSES[link.name](link.constant, question)
            if isinstance(earlier, bool):
                return earlier
            question = earlier
        return self._ask(question)

    def _is_below(self, infinity: float, *, equal: bool) -> bool:
        if (infinity > 0) != equal and self.coin.low == 0 and self.chain and self._at(weight(0)) == infinity:
            mark(Kind.BOUNDARY, _AT_THE_COIN_ZERO)
        return infinity > 0

    def _ask(self, question: _Question) -> bool:
        cut = question.threshold
        if isinstance(cut, LogNumber):
            refuse("an undrawn uniform is compared with a logarithm", Kind.LEAK)
        if cut == 0 == self.coin.low and question.below == question.equal:
            mark(Kind.BOUNDARY, _AT_THE_COIN_ZERO)
        return self.coin.below(cut) == question.below


_AT_THE_COIN_ZERO = "a comparison whose answer at the coin 0 is another one than beside it"

# What is left of an undrawn number of a known sign after an operation with an infinity, or with zero.
_ABSORBED: dict[str, Callable[[int, Any], Any]] = {
    "min": lambda sign, c: c,
    "max": lambda sign, c: c,
    "add": lambda sign, c: c,
    "rsub": lambda sign, c: c,
    "mul": lambda sign, c: 0 if c == 0 else c * sign if sign else None,
    "div": lambda sign, c: 0 if c else math.inf * sign if sign else None,
    "rdiv": lambda sign, c: None if c or not sign else 0,
}
# Whether the value x at the coin 0 gives NaN with an infinity, or with zero.
_UNDEFINED: dict[str, Callable[[Any, Any], bool]] = {
    "add": lambda x, c: x == -c,
    "rsub": lambda x, c: x == c,
    "mul": lambda x, c: abs(x) == math.inf if c == 0 else x == 0,
    "div": lambda x, c: x == 0 if c == 0 else abs(x) == math.inf,
    "rdiv": lambda x, c: x == 0,
}


def _logarithm(x: Any) -> Any:
    return -math.inf if x == 0 else weight(0) if x == 1 else math.log(_rounded(x))


def _float_if_infinite(x: Any, c: Any) -> Any:
    return math.inf * sign_of(c) if x == 0 else c * (1 / x)


# The chain at one coin. Logarithms of rationals other than 1 are irrational: as floats they are no special case.
_LIMITS: dict[str, Callable[[Any, Any], Any]] = {
    "add": lambda x, c: x + _plain(c, x),
    "rsub": lambda x, c: _plain(c, x) - x,
    "mul": lambda x, c: x * _plain(c, x),
    "div": lambda x, c: x * _plain(1 / c, x),
    "rdiv": lambda x, c: _float_if_infinite(x, _plain(c, x)),
    "min": lambda x, c: min(x, _plain(c, x)),
    "max": lambda x, c: max(x, _plain(c, x)),
    "neg": lambda x, _: -x,
    "log": lambda x, _: _logarithm(x),
    "exp": lambda x, _: weight(0) if x == -math.inf else weight(1) if x == 0 else math.exp(_rounded(x)),
}


def _plain(c: Any, x: Any) -> Any:
    if isinstance(c, LogNumber):
        return c.approximate()
    return _rounded(c) if isinstance(x, float) else c


def _rounded(value: Any) -> float:
    return value if isinstance(value, float) else float(to_fraction(value))


_Inverse = Callable[[Any, _Question], "_Question | bool"]


def _minus(a: Any, b: Any) -> Any:
    return constant(a - b)


def _before_scale(c: Weight, question: _Question, threshold: Any) -> _Question:
    return question.about(threshold) if c > 0 else question.flipped(threshold)


def _before_rdiv(c: tuple[Weight, int], question: _Question) -> "_Question | bool":
    # x has one sign, and is zero only with the coin, that is, with probability zero.
    numerator, sign_of_x = c
    t, sign = question.threshold, sign_of(numerator) * sign_of_x
    if sign_of(t) != sign:
        return (sign < sign_of(t)) == question.below
    cut = constant(numerator / t)
    return question.flipped(cut) if numerator > 0 else question.about(cut)


def _before_min(c: Weight, question: _Question) -> "_Question | bool":
    if question.below:
        return True if question.holds_for(c) else question
    return question if question.holds_for(c) else False


def _before_max(c: Weight, question: _Question) -> "_Question | bool":
    if question.below:
        return question if question.holds_for(c) else False
    return True if question.holds_for(c) else question


def _before_log(_: Any, question: _Question) -> "_Question | bool":
    t = question.threshold
    if isinstance(t, LogNumber):
        return question.about(constant(t.exp()))
    if t == 0:
        return question.about(weight(1))
    return refuse("the logarithm of an undrawn number is compared with a number that is no logarithm", Kind.LEAK)


def _before_exp(_: Any, question: _Question) -> "_Question | bool":
    t = question.threshold
    if isinstance(t, LogNumber):
        refuse("the exponential of an undrawn number is compared with a logarithm", Kind.LEAK)
    if t <= 0:
        return not question.below
    return question.about(constant(ExactNumber(t).log()))


_INVERSES: dict[str, _Inverse] = {
    "add": lambda c, q: q.about(_minus(q.threshold, c)),
    "rsub": lambda c, q: q.flipped(_minus(c, q.threshold)),
    "mul": lambda c, q: _before_scale(c, q, constant(q.threshold / c)),
    "div": lambda c, q: _before_scale(c, q, constant(q.threshold * c)),
    "rdiv": _before_rdiv,
    "min": _before_min,
    "max": _before_max,
    "neg": lambda c, q: q.flipped(constant(-q.threshold)),
    "log": _before_log,
    "exp": _before_exp,
}
