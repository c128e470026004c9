"""Operators of torch that decide among several numbers: argmax and sort of noise, and searches in rows of numbers."""

from collections.abc import Callable
from typing import Any, NamedTuple

import torch

from proofs.engine.choices import Path
from proofs.engine.noise_nodes import race
from proofs.engine.signals import refuse
from proofs.engine.torch_forms import noise_of
from proofs.engine.torch_nodes import Denied, Step, Switches, TorchNode
from proofs.engine.torch_shadows import ABSENT, Shadows
from proofs.engine.torch_tables import Operation

__all__ = ["Races"]

_list_of = torch.Tensor.tolist  # the method itself, whatever stands in its place while a program is run
_Tensor = torch.Tensor
_SORTS = ("sort", "argsort")


class _Lanes(NamedTuple):
    """The operand with the dimension of a race as its last one, and what races there."""

    numbers: Any
    ids: Any
    dim: int | None


class Races:
    """The races and searches of one path.

    Parameters
    ----------
    path : Path
    shadows : Shadows
    switches : Switches
        What earlier paths found out.
    """

    def __init__(self, path: Path, shadows: Shadows, switches: Switches) -> None:
        self._path = path
        self._shadows = shadows
        self._switches = switches

    # --- searches

    def searched(self, called: Operation) -> Any:
        """Find the places of undrawn numbers in rows of numbers."""
        place = int(called.name == "searchsorted")
        sequence, values = called.args[1 - place], called.args[place]
        if not isinstance(values, _Tensor) or self._shadows.undrawn(sequence) is not None or sequence.dim() > 2:
            refuse(f"torch.{called.name} in undrawn numbers")
        found = called.run()
        row_of = _row_of(sequence, values)
        ids = _list_of(self._shadows.ids(values).reshape(-1))
        made = {at: self._place(called, place, row_of(at), each) for at, each in enumerate(ids) if each != ABSENT}
        self._shadows.deliver(found, made)
        return found

    def _place(self, called: Operation, place: int, row: Any, name: int) -> Any:
        element, numbers = self._shadows.elements[name], tuple(_list_of(row))
        if isinstance(element, Denied):
            element.deny()
        if not isinstance(element, TorchNode):
            refuse(f"torch.{called.name} of noise")
        key = (called.name, numbers, row.dtype, *called.kwargs.items())
        step = Step(called.func, place, [row.clone(), row.clone()], called.kwargs, key, threshold=numbers)
        return element.decide(step, self._switches)

    # --- races

    def run(self, called: Operation) -> Any:
        """Decide which elements are the greatest or the least, or their order."""
        name, options = called.name, called.named()
        if len(called.tensors()) > 1:
            refuse(f"torch.{name} of two tensors of undrawn numbers")
        tensor, dim = options["self"], _dimension(name, options.get("dim"))
        lanes = _Lanes(_last(tensor.detach(), dim), _last(self._shadows.ids(tensor), dim), dim)
        width = lanes.numbers.shape[-1]
        count = options["k"] if name == "topk" else width if name in _SORTS else 1
        rows = (_list_of(each.reshape(-1, width)) for each in (lanes.numbers, lanes.ids))
        greatest = _is_greatest(name, options)
        order = [self._order(numbers, ids, count, greatest) for numbers, ids in zip(*rows, strict=True)]
        places = torch.tensor(order, dtype=torch.int64).reshape(*lanes.numbers.shape[:-1], count)
        return self._answer(called, lanes, places)

    def _order(self, numbers: list[float], ids: list[int], count: int, greatest: bool) -> list[int]:
        left = {at: (numbers[at] if each == ABSENT else self._noise(each)) for at, each in enumerate(ids)}
        order: list[int] = []
        for _ in range(count):
            places = list(left)
            order.append(places[race(list(left.values()), self._path, greatest=greatest)])
            del left[order[-1]]
        return order

    def _noise(self, name: int) -> Any:
        element = self._shadows.elements[name]
        if isinstance(element, Denied):
            element.deny()
        noise = noise_of(element)
        return (
            refuse("argmax or argmin of undrawn numbers that are no race of exponential or Gumbel noise")
            if noise is None
            else noise
        )

    def _answer(self, called: Operation, lanes: _Lanes, places: Any) -> Any:
        """Give the places, and the elements in them, the shape that the operator gives them."""
        shapes = called.run()
        results = shapes if isinstance(shapes, tuple | list) else (shapes,)
        for result in results:
            if called.name.startswith("arg") or result is not results[0]:
                picked = (places, torch.full_like(places, ABSENT))
            else:
                picked = (lanes.numbers.gather(-1, places), lanes.ids.gather(-1, places))
            numbers, ids = (_first(each, lanes, result).reshape(result.shape) for each in picked)
            result.detach().copy_(numbers)
            self._shadows.put(result.detach(), ids)
        return shapes


def _row_of(sequence: Any, values: Any) -> Callable[[int], Any]:
    """Return the row in which the value at a place of the flat order is searched."""
    if sequence.dim() == 1:
        return lambda at: sequence
    rows = sequence.reshape(-1, sequence.shape[-1])
    return lambda at: rows[at // values.shape[-1]]


def _dimension(name: str, dim: Any) -> int | None:
    if isinstance(dim, list):
        if len(dim) > 1:
            refuse(f"torch.{name} over several dimensions")
        dim = dim[0] if dim else None
    return -1 if dim is None and (name == "topk" or name in _SORTS) else dim


def _last(tensor: Any, dim: int | None) -> Any:
    return tensor.reshape(-1) if dim is None or not tensor.dim() else tensor.movedim(dim, -1)


def _first(picked: Any, lanes: _Lanes, result: Any) -> Any:
    """Undo what `_last` did, where the result has that dimension."""
    if lanes.dim is not None and lanes.numbers.dim() and result.dim() == lanes.numbers.dim():
        return picked.movedim(-1, lanes.dim)
    return picked


def _is_greatest(name: str, options: dict[str, Any]) -> bool:
    if name == "topk":
        return bool(options.get("largest", True))
    if name in _SORTS:
        return bool(options.get("descending", False))
    return name in ("argmax", "max", "amax")
