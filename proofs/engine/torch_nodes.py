"""A function of one coin, made of torch's own operators: what an undrawn element of a tensor is.

Every decision evaluates the operators of the code on vectors of grid points, so that rounding, promotion
of dtypes and the rules for tensors without axes are torch's. Chains are monotone; the switch point of a
comparison is searched among the points.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, NoReturn

import torch

from proofs.engine.choices import Coin
from proofs.engine.signals import refuse
from proofs.engine.torch_grids import Grid
from proofs.engine.torch_reals import real_switch

__all__ = ["UNCERTIFIED", "Denied", "Step", "Switches", "TorchNode", "is_unit"]

_list_of = torch.Tensor.tolist
_item_of = torch.Tensor.item  # the method itself, whatever stands in its place while a program is run
_FANOUT = 1024  # points of one round of a search: 2^24 takes three rounds, 2^53 six
_WINDOW = 64  # grid points either side of a switch that are looked at where a function may be ragged
_FEW_VALUES = (torch.bfloat16, torch.float16)  # all are looked at
_ROOM = 8  # ulps that such a function must have moved at the ends of the window
# Rounded to within some ulps, so that a switch can be ragged; everything else is rounded correctly.
UNCERTIFIED = frozenset(("log", "log1p", "log2", "log10", "exp", "exp2", "expm1", "pow", "sigmoid", "tanh"))


class Step:
    """One operator with all its operands but one.

    Parameters
    ----------
    func : operator
        Of ``torch.ops.aten``.
    place : int
        Of the operand that is left open.
    operands : sequence
        The others in their places: tensors of one element, or Python numbers, as the code has them.
    kwargs : dict
    key : hashable
        Steps of equal keys are the same function.
    one_by_one : bool
        Whether the operand has no axis among operands that have some: dtypes are promoted in another way then.
    form : tuple of (str, number), or None
        What it does to noise, in the names of `NoiseNode.then`.
    threshold : float or tuple of float, optional
        Of a decision: what the operand is compared with, or searched in.
    """

    __slots__ = ("_kwargs", "_one_by_one", "_operands", "form", "func", "key", "name", "place", "threshold")

    def __init__(
        self,
        func: Any,
        place: int,
        operands: list[Any],
        kwargs: dict[str, Any],
        key: Any,
        *,
        one_by_one: bool = False,
        form: tuple[tuple[str, Any], ...] | None = None,
        threshold: Any = None,
    ) -> None:
        self.func = func
        self.name = func._schema.name.removeprefix("aten::")
        self.place = place
        self.key = key
        self.form = form
        self.threshold = threshold
        self._operands = operands
        self._kwargs = kwargs
        self._one_by_one = one_by_one

    @property
    def fanout(self) -> int:
        """How many points one round of a search evaluates."""
        return 16 if self._one_by_one else _FANOUT

    @property
    def dtype(self) -> Any:
        """The dtype that a cast asks for, or None."""
        return self._kwargs.get("dtype")

    def __call__(self, points: Any) -> Any:
        """Return the operator's values at a vector of operands."""
        if self._one_by_one:
            return torch.cat([self._at(point).reshape(1) for point in points.unbind()])
        return self._at(points)

    def _at(self, operand: Any) -> Any:
        operands = list(self._operands)
        operands[self.place] = operand
        return self.func(*operands, **self._kwargs)


def is_unit(grid: Grid) -> bool:
    """Tell whether the values are k / size."""
    return grid.name.startswith("torch.rand ") and grid.dtype in (torch.float64, torch.float32)


class _Switch(NamedTuple):
    """The value at the lowest point, the least point that has another one, and the real coin where it changes."""

    value: Any
    point: int | None
    real: Any


class Denied(NamedTuple):
    """An element that cannot be decided: refused where it is used, since code drops much of what it computes."""

    reason: str

    def deny(self) -> NoReturn:
        """Refuse, saying why."""
        refuse(self.reason)


class Switches:
    """The switch points that were found, for every path on which the same question comes up."""

    def __init__(self) -> None:
        self._found: dict[Any, _Switch] = {}

    def of(self, key: Any, search: Callable[[], "_Switch"]) -> "_Switch":
        """Return what was found under the key, or search."""
        if key not in self._found:
            self._found[key] = search()
        return self._found[key]


class TorchNode:
    """A coin on the grid of the operator that drew it, seen through a chain of monotone steps; immutable."""

    __slots__ = ("coin", "ends", "grid", "key", "steps")

    def __init__(self, coin: Coin, grid: Grid, steps: tuple[Step, ...] = (), ends: Any = None) -> None:
        self.coin = coin
        self.grid = grid
        self.steps = steps
        self.key = (grid.name, *(step.key for step in steps))
        # At the ends of the whole grid: between them lies every value.
        self.ends = grid.values(torch.tensor([0, grid.size - 1])) if ends is None else ends

    def then(self, step: Step) -> Any:
        """Return the node after one more step, a number where nothing of the coin is left, or what is denied."""
        if step.name in _NEED_A_SIGN and not self._has_a_sign(step):
            return Denied(f"torch.{step.name} of an undrawn number that changes its sign or is zero")
        ends = step(self.ends)
        low, high = _list_of(ends)
        if low != low and high != high:
            return low
        if low != low or high != high or (abs(low) == abs(high) == float("inf") and low != high):
            return Denied(f"torch.{step.name} of an undrawn number: NaN at an end of its range")
        if low == high == 0 and len(set(_list_of(torch.signbit(ends)))) > 1:
            return Denied(f"torch.{step.name} of an undrawn number: a zero of either sign")
        return low if low == high else TorchNode(self.coin, self.grid, (*self.steps, step), ends)

    def _has_a_sign(self, step: Step) -> bool:
        if step.name == "div" and step.place == 0:
            return True
        low, high = sorted(_list_of(self.ends))
        if step.name in ("abs", "square"):
            return bool(low >= 0 or high <= 0)
        # 1 / 0 is inf and the limit of what comes before, if the zero is no negative one.
        zero = bool(torch.signbit(self.ends).any()) if low == 0 else False
        return (low >= 0 and not zero) or high < 0

    def values(self, points: Any) -> Any:
        """Return the values at a vector of grid points."""
        found = self.grid.values(points)
        for step in self.steps:
            found = step(found)
        return found

    def at(self, fraction: float) -> float:
        """Return the value where the coin is this fraction of its grid, as a Python float."""
        return float(_item_of(self.values(torch.tensor([int(fraction * self.grid.size)]))))

    def decide(self, step: Step, switches: Switches) -> Any:
        """Return what the step, which takes few values and is monotone, comes to; branch where it is open."""
        while True:
            low, high = self.coin.low, self.coin.high - 1
            at_low, switch, real = switches.of((self.key, step.key, low, high), lambda: self._search(step, low, high))  # noqa: B023
            if switch is None or self.coin.below(switch, real):
                return at_low

    def _search(self, step: Step, low: int, high: int) -> "_Switch":
        at_low, at_high = _list_of(self._through(step, torch.tensor([low, high])))
        if at_low == at_high:
            return _Switch(at_low, None, None)
        start, end = low, high
        fanout = min(each.fanout for each in (*self.steps, step))
        while end - start > 1:
            stride = max(1, (end - start) // fanout)
            points = torch.arange(start + stride, end, stride)
            other = torch.nonzero(self._through(step, points) != at_low)
            if len(other):
                end = int(points[other[0, 0]])
                start = end - stride
            else:
                start = int(points[-1])
        self._certify(step, at_low, end, low, high)
        # Not the value at the end: a search passes several entries.
        after = _list_of(self._through(step, torch.tensor([end])))[0]
        real = real_switch(self.steps, step, at_low, after) if is_unit(self.grid) else None
        return _Switch(at_low, end, real)

    def _through(self, step: Step, points: Any) -> Any:
        return step(self.values(points))

    def _certify(self, step: Step, at_low: Any, switch: int, low: int, high: int) -> None:
        """Refuse a switch that may be ragged: look at every point near it, and that near is far enough."""
        if not any(each.name in UNCERTIFIED for each in self.steps):
            return
        if self.grid.dtype in _FEW_VALUES:
            points = _first_points(self.grid)
            points = points[(points > low) & (points <= high)]
            if not torch.equal(self._through(step, points) != at_low, points >= switch):
                refuse("a function of an undrawn number is not monotone")
            return
        first, last = max(low, switch - _WINDOW), min(high, switch + _WINDOW)
        near = self._through(step, torch.arange(first, last + 1)) != at_low
        if bool(near[: switch - first].any()) or not bool(near[switch - first :].all()):
            refuse("a function that is not monotone beside a threshold")
        found = self.grid.values(torch.tensor([first, switch, last]))
        for each in self.steps:
            found = each(found)
            if each.name in UNCERTIFIED and not _moves(found, first in (low, 0), last == high):
                refuse("a function that moves too little beside a threshold to be known as monotone")


@cache
def _first_points(grid: Grid) -> Any:
    """Return the points of a grid at which it takes another value than at the point before."""
    values = grid.values(torch.arange(grid.size))
    return torch.nonzero(values[1:] != values[:-1]).reshape(-1) + 1


def _moves(found: Any, at_first: bool, at_last: bool) -> bool:
    """Tell whether a function moved by some ulps from the middle to either end that is not the end of all."""
    below, here, above = _list_of(found)
    room = _ROOM * float(torch.finfo(found.dtype).eps) * abs(here)
    return (at_first or abs(below - here) >= room) and (at_last or abs(above - here) >= room)


_NEED_A_SIGN = frozenset(("div", "reciprocal", "pow", "abs", "square"))
