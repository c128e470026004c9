"""Operators of torch that treat every element by itself: they go on from an undrawn number, or decide it."""

import math
from collections.abc import Sequence
from typing import Any, NamedTuple

import torch

from proofs.engine.noise_nodes import NoiseNode
from proofs.engine.signals import Kind, mark, refuse
from proofs.engine.torch_forms import apply, form_of, noise_of
from proofs.engine.torch_nodes import Denied, Step, Switches, TorchNode
from proofs.engine.torch_shadows import ABSENT, Shadows
from proofs.engine.torch_tables import COMPARISONS, ELEMENTWISE, Operation, name_of

__all__ = ["Elementwise"]

_list_of = torch.Tensor.tolist  # the method itself, whatever stands in its place while a program is run
_Tensor = torch.Tensor


class _Operand:
    """An operand as flat lists over the shape of the result."""

    __slots__ = ("_ids", "_numbers", "_tensor", "kind", "shape")

    def __init__(self, ids: Any, value: Any, shape: Any) -> None:
        self._tensor = value
        self.shape = shape
        self._ids = None if ids is None else _list_of(ids.expand(shape).reshape(-1))
        self._numbers: Any = None
        # What decides about promotion: dtype, and whether there are axes.
        self.kind = (value.dtype, value.dim() == 0) if isinstance(value, _Tensor) else type(value)

    def id_at(self, at: int) -> int:
        return ABSENT if self._ids is None else int(self._ids[at])

    def number_at(self, at: int) -> Any:
        if not isinstance(self._tensor, _Tensor):
            return tuple(self._tensor) if isinstance(self._tensor, list) else self._tensor
        if self._numbers is None:
            self._numbers = _list_of(self._tensor.detach().expand(self.shape).reshape(-1))
        return self._numbers[at]


class _Place(NamedTuple):
    """One element of a result: the operator, its operands, where in their flat order, and the dtype of the result."""

    called: Operation
    operands: Sequence[_Operand]
    at: int
    dtype: Any

    def hot(self) -> list[int]:
        """Return which operands are undrawn here."""
        return [place for place, operand in enumerate(self.operands) if operand.id_at(self.at) != ABSENT]

    def of(self, func: Any) -> "_Place":
        """Return the same place of another operator with the same arguments."""
        return self._replace(called=self.called._replace(func=func, name=name_of(func)))


class Elementwise:
    """The elementwise operators of one path.

    Parameters
    ----------
    shadows : Shadows
    switches, steps : Switches, dict
        What earlier paths found out.
    """

    def __init__(self, shadows: Shadows, switches: Switches, steps: dict[Any, Step]) -> None:
        self._shadows = shadows
        self._switches = switches
        self._steps = steps

    def run(self, called: Operation) -> Any:
        """Run an operator of which some operand has undrawn elements."""
        found = called.run()
        operands = [_Operand(self._shadows.undrawn(arg), arg, found.shape) for arg in called.args]
        places = (_Place(called, operands, at, found.dtype) for at in range(found.numel()))
        self._shadows.deliver(found, {place.at: self._element(place, hot) for place in places if (hot := place.hot())})
        return found

    def _element(self, place: _Place, hot: list[int]) -> Any:
        called = place.called
        elements = [self._shadows.elements[place.operands[each].id_at(place.at)] for each in hot]
        denied = next((element for element in elements if isinstance(element, Denied)), None)
        if denied is not None:
            return denied.deny() if _is_decided(called) else denied
        if len(hot) > 1:
            return _two(called.name, elements)
        if _is_decided(called):
            return self._decided(_without_bool(place), elements[0], hot[0])
        step = self._step(place, hot[0])
        if not isinstance(elements[0], NoiseNode):
            return elements[0].then(step)
        if place.dtype in (torch.float16, torch.bfloat16):
            mark(Kind.OPAQUE, f"noise of a race is rounded to {place.dtype}, so that many ties are broken by order")
        return apply(elements[0], step)

    def _decided(self, place: _Place, element: Any, hot: int) -> Any:
        name, step = place.called.name, self._step(place, hot)
        if isinstance(element, NoiseNode):
            return _of_noise(name, element, step)
        if name == "_to_copy":
            _look_at_range(element, step)
        if name not in ("eq", "ne"):
            return element.decide(step, self._switches)
        overload = place.called.func._overloadname
        bounds = (getattr(packet, overload) for packet in (torch.ops.aten.le, torch.ops.aten.ge))
        same = all(element.decide(self._step(place.of(bound), hot), self._switches) for bound in bounds)
        return same == (name == "eq")

    def _step(self, place: _Place, hot: int) -> Step:
        others = [None if at == hot else operand.number_at(place.at) for at, operand in enumerate(place.operands)]
        kinds = tuple(operand.kind for operand in place.operands)
        called = place.called
        key = (called.func, hot, tuple(map(_told_apart, others)), kinds, *called.kwargs.items())
        if key not in self._steps:
            self._steps[key] = _made(called, hot, others, key)
        return self._steps[key]


def _told_apart(number: Any) -> Any:
    """Return what is equal for equal numbers alone: zeros have signs."""
    return "-0.0" if number == 0 and isinstance(number, float) and math.copysign(1.0, number) < 0 else number


def _is_decided(called: Operation) -> bool:
    """Tell whether an operator takes few values."""
    return called.name not in ELEMENTWISE and not (
        called.name == "_to_copy" and called.kwargs["dtype"].is_floating_point
    )


def _without_bool(place: _Place) -> _Place:
    """Return a cast to bool, which is not monotone, as the comparison that it is: everything but zero is True."""
    called = place.called
    if called.name != "_to_copy" or called.kwargs["dtype"] is not torch.bool:
        return place
    unequal = Operation(torch.ops.aten.ne.Scalar, "ne", (called.args[0], 0), {})
    operands = [*place.operands, _Operand(None, 0, place.operands[0].shape)]
    return _Place(unequal, operands, place.at, torch.bool)


def _two(name: str, elements: list[Any]) -> Any:
    if name not in COMPARISONS:
        return Denied(f"torch.{name} of two undrawn numbers")
    first, second = (noise_of(element) for element in elements)
    if first is None or second is None:
        refuse(f"torch.{name} of two undrawn numbers that are no noise of a race")
    less = first.is_less(second, equal=name in ("le", "gt"))
    if name in ("eq", "ne"):
        return (first.name == second.name and not less and first.is_less(second, equal=True)) == (name == "eq")
    return less == (name in ("lt", "le"))


def _made(called: Operation, hot: int, others: Sequence[Any], key: Any) -> Step:
    """Make a step: the other operands keep their dtypes, and whether they have axes."""
    args, kwargs, name = called.args, called.kwargs, called.name
    numbers = [number for at, number in enumerate(others) if at != hot and isinstance(number, int | float)]
    plain = len(numbers) == len(others) - 1 and len(numbers) < 2 and not kwargs.keys() - {"alpha", "dtype"}
    plain = plain and all(number == number for number in numbers)
    return Step(
        called.func,
        hot,
        [_beside(arg, number, args[hot], _is_one_by_one(args, hot)) for arg, number in zip(args, others, strict=True)],
        kwargs,
        key,
        one_by_one=_is_one_by_one(args, hot),
        form=form_of(name, hot, numbers[0] if numbers else None, kwargs.get("alpha", 1)) if plain else None,
        threshold=numbers[0] if name in COMPARISONS and numbers else None,
    )


def _is_one_by_one(args: tuple[Any, ...], hot: int) -> bool:
    """Tell whether the undrawn operand has no axis beside operands of another dtype that have some."""
    beside = [arg for at, arg in enumerate(args) if at != hot and isinstance(arg, _Tensor)]
    return args[hot].dim() == 0 and any(arg.dim() and arg.dtype != args[hot].dtype for arg in beside)


def _beside(arg: Any, number: Any, hot: Any, one_by_one: bool) -> Any:
    """Return an operand for a vector of points of the undrawn one."""
    if isinstance(arg, _Tensor) and number is not None:
        has_axes = arg.dim() > 0 or (hot.dim() == 0 and not one_by_one)
        return torch.tensor([number] if has_axes else number, dtype=arg.dtype)
    return list(number) if isinstance(number, tuple) else number


def _look_at_range(element: TorchNode, step: Step) -> None:
    """Refuse a cast to integers that wraps around: what it comes to is not monotone."""
    if step.dtype.is_complex:
        refuse(f"an undrawn number is cast to {step.dtype}")
    low, high = sorted(_list_of(element.ends))
    if not (torch.iinfo(step.dtype).min <= low and high <= torch.iinfo(step.dtype).max):
        refuse(f"an undrawn number that can be {high if high > 0 else low} is cast to {step.dtype}")


def _of_noise(name: str, noise: NoiseNode, step: Step) -> Any:
    """Decide what all values of noise have in common; a comparison that is open is refused."""
    if name in ("isnan", "isinf", "isposinf", "isneginf"):
        return False
    number = math.nan if step.threshold is None else step.threshold
    side = noise.side_of(number) if name in COMPARISONS else None
    if side is None:
        refuse(f"torch.{name} of noise of a race")
    if step.place == 1 and name not in ("eq", "ne"):
        side = -side
    return {"lt": side > 0, "le": side > 0, "gt": side < 0, "ge": side < 0, "eq": False, "ne": True}[name]
