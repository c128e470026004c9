"""Where values leave torch without passing its dispatcher: item, tolist, numpy, pointers, and the ways back in."""

import functools
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import torch
import torch.utils.dlpack
from torch.utils import _python_dispatch as python_dispatch

from proofs.engine.choices import CURRENT
from proofs.engine.grid_nodes import GridNode
from proofs.engine.nodes import Link
from proofs.engine.noise_nodes import NoiseNode
from proofs.engine.signals import Kind, mark, refuse
from proofs.engine.stand_ins import ClassStandIn
from proofs.engine.torch_nodes import TorchNode
from proofs.engine.torch_shadows import ABSENT, Shadows
from proofs.engine.torch_tables import tensors_in
from proofs.engine.undrawn import Undrawn
from proofs.engine.undrawn_base import boxed

__all__ = ["exits"]

_list_of = torch.Tensor.tolist
_item_of = torch.Tensor.item

_OWN = ("aten::", "prim::", "prims::")
_TORCH = str(Path(torch.__file__).parent)
_PRINTS = ("__repr__", "__format__")
_REFUSED = ("__reduce_ex__", "__deepcopy__", "__float__", "__index__", "__complex__",
            "__bool__", "share_memory_", "apply_", "map_", "map2_", "module_load")  # fmt: skip
_EXPORTS = ("numpy", "__array__", "data_ptr", "untyped_storage", "storage", "_typed_storage", "__dlpack__",
            "const_data_ptr", "mutable_data_ptr")  # fmt: skip


def exits(current: Callable[[], Shadows | None]) -> Iterator[tuple[Any, str, Any]]:
    """Yield what is put in the place of methods and functions: owner, name and the stand-in.

    Parameters
    ----------
    current : callable
        Returns the shadows of the path that is running, or None.
    """
    tensor: Any = torch.Tensor
    printing: list[None] = []
    yield tensor, "item", _guarded(tensor.item, current, _item, _ids_of_one)
    yield tensor, "tolist", _guarded(tensor.tolist, current, _tolist)
    yield tensor, "__int__", _guarded(tensor.__int__, current, _int, _ids_of_one)
    for name in _PRINTS:
        yield tensor, name, _printing(name, getattr(tensor, name), current, printing)
    for name in _REFUSED:
        yield tensor, name, _guarded(getattr(tensor, name), current, functools.partial(_refused, name))
    for name in _EXPORTS:
        if hasattr(tensor, name):
            yield tensor, name, _exporting(name, getattr(tensor, name), current)
    for name in ("tensor", "as_tensor", "asarray"):
        yield torch, name, _making(getattr(torch, name), current)
    for name in ("from_numpy", "frombuffer"):
        yield torch, name, _importing(getattr(torch, name), current)
    yield tensor, "new_tensor", _making_like(tensor.new_tensor, current)
    for kind in (torch._ops.OpOverloadPacket, torch._ops.OpOverload):
        yield kind, "__call__", _compiled(kind.__call__, current)
    for owner in (torch, torch.random):
        yield owner, "get_rng_state", _noticed(owner.get_rng_state, Kind.OPAQUE, "the state of a generator is read")
        yield owner, "seed", _noticed(owner.seed, Kind.HIDDEN, "torch.seed was called")
    yield torch, "Generator", _GeneratorStandIn(torch.Generator, lambda: current() is not None)
    for owner in (torch, torch.utils.dlpack):
        yield owner, "to_dlpack", _exporting("to_dlpack", owner.to_dlpack, current)
    yield (
        python_dispatch,
        "_disable_current_modes",
        _switching_off(python_dispatch._disable_current_modes, current, printing),
    )


def _ids_of_one(shadows: Shadows, tensor: Any) -> Any:
    return shadows.undrawn(tensor) if tensor.numel() == 1 else None  # of several torch itself raises


def _guarded(
    original: Any,
    current: Callable[[], Shadows | None],
    act: Callable[[Shadows, Any, Any], Any],
    ids_of: Callable[[Shadows, Any], Any] = Shadows.undrawn,
) -> Any:
    @functools.wraps(original)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        shadows = current()
        ids = ids_of(shadows, self) if shadows else None
        if shadows is None or ids is None:
            return original(self, *args, **kwargs)
        try:
            return act(shadows, self, ids)
        except Exception as error:
            refuse(f"Tensor.{original.__name__} of undrawn numbers failed: {type(error).__name__}: {error}")

    return method


def _printing(name: str, original: Any, current: Callable[[], Shadows | None], printing: list[None]) -> Any:
    @functools.wraps(original)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        shadows = current()
        if shadows and shadows.undrawn(self) is not None:
            _refused(name)
        printing.append(None)
        try:
            return original(self, *args, **kwargs)
        finally:
            printing.pop()

    return method


def _item(shadows: Shadows, tensor: Any, ids: Any) -> Any:  # noqa: ARG001
    return _number(shadows, int(_item_of(ids)))


def _tolist(shadows: Shadows, tensor: Any, ids: Any) -> Any:
    def merged(numbers: Any, names: Any) -> Any:
        if isinstance(names, list):
            return [merged(*pair) for pair in zip(numbers, names, strict=True)]
        return numbers if names == ABSENT else _number(shadows, names)

    return merged(_list_of(tensor), _list_of(ids))


def _int(shadows: Shadows, tensor: Any, ids: Any) -> int:  # noqa: ARG001
    return int(_item_of(tensor.to(torch.int64)))


def _number(shadows: Shadows, name: int) -> Any:
    """Return an element as the undrawn Python float that torch would return."""
    path, element = CURRENT.get(), shadows.elements[name]
    if path is None:
        refuse("an undrawn number outlives its path")
    if isinstance(element, NoiseNode):
        return Undrawn(path, boxed(element), weak=True)
    if not isinstance(element, TorchNode):
        element.deny()
    return Undrawn(path, boxed(GridNode(element.coin, (Link("torch", element),), _sign(element))), weak=True)


def _sign(element: TorchNode) -> int:
    low, high = sorted(_list_of(element.ends))
    return 1 if low >= 0 else -1 if high <= 0 else 0


def _refused(name: str, *_: Any) -> Any:
    refuse(f"Tensor.{name} of undrawn numbers")


def _exporting(name: str, original: Any, current: Callable[[], Shadows | None]) -> Any:
    @functools.wraps(original)
    def method(self: Any, *args: Any, **kwargs: Any) -> Any:
        shadows = current()
        if shadows is not None:
            if shadows.undrawn(self) is not None:
                refuse(f"Tensor.{name} of undrawn numbers")
            shadows.exported(self)
        return original(self, *args, **kwargs)

    return method


def _making(original: Any, current: Callable[[], Shadows | None]) -> Any:
    @functools.wraps(original)
    def make(data: Any, *args: Any, **kwargs: Any) -> Any:
        shadows = current()
        if shadows is not None and _holds_undrawn(data, shadows):
            if isinstance(data, torch.Tensor):
                return data.detach().clone().to(kwargs.get("dtype") or data.dtype)
            made = torch.stack([make(each) for each in data])
            return made if kwargs.get("dtype") is None else made.to(kwargs["dtype"])
        made = original(data, *args, **kwargs)
        if shadows is not None and isinstance(data, np.ndarray):
            shadows.exported(made)
        return made

    return make


def _making_like(original: Any, current: Callable[[], Shadows | None]) -> Any:
    @functools.wraps(original)
    def make(self: Any, data: Any, *args: Any, **kwargs: Any) -> Any:
        shadows = current()
        if shadows is not None and _holds_undrawn(data, shadows):
            refuse("Tensor.new_tensor of undrawn numbers")
        return original(self, data, *args, **kwargs)

    return make


def _importing(original: Any, current: Callable[[], Shadows | None]) -> Any:
    @functools.wraps(original)
    def make(*args: Any, **kwargs: Any) -> Any:
        made = original(*args, **kwargs)
        shadows = current()
        if shadows is not None:
            shadows.exported(made)
        return made

    return make


def _compiled(original: Any, current: Callable[[], Shadows | None]) -> Any:
    """Look at operators of other libraries: compiled ones need not pass the dispatcher, and read memory."""

    @functools.wraps(original)
    def call(self: Any, /, *args: Any, **kwargs: Any) -> Any:
        shadows = current()
        if shadows:
            name = getattr(self, "_qualified_op_name", None) or self._schema.name
            if not name.startswith(_OWN) and any(map(shadows.holds, tensors_in((args, kwargs)))):
                refuse(f"undrawn numbers are handed to {name}, an operator of another library")
        return original(self, *args, **kwargs)

    return call


def _is_torch(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_TORCH)


def _noticed(original: Any, kind: Kind, reason: str) -> Any:
    @functools.wraps(original)
    def noticed(*args: Any, **kwargs: Any) -> Any:
        if not _is_torch(sys._getframe(1)):  # fork_rng reads a state to put it back
            mark(kind, reason)
        return original(*args, **kwargs)

    return noticed


class _Generator(torch.Generator):
    """A generator that a program makes: what it draws is known by its state, what it asks the system for is not."""

    def seed(self) -> int:
        """Say that the seed comes from the operating system."""
        mark(Kind.HIDDEN, "Generator.seed draws from the operating system")
        return super().seed()


class _GeneratorStandIn(ClassStandIn):
    """Stands in for torch's class of generators."""

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Make a generator; torch makes some for its own ends."""
        made = self._original if _is_torch(sys._getframe(1)) else _Generator
        return made(*args, **kwargs)


def _switching_off(original: Any, current: Callable[[], Shadows | None], printing: list[None]) -> Any:
    @functools.wraps(original)
    def switch_off(*args: Any, **kwargs: Any) -> Any:
        # Torch does so itself, to compile, and to print a tensor: one of numbers may be.
        if (current() and not printing) or not _is_torch(sys._getframe(1)):
            refuse("torch's dispatch modes are switched off while a path runs")
        return original(*args, **kwargs)

    return switch_off


def _holds_undrawn(data: Any, shadows: Shadows) -> bool:
    if isinstance(data, torch.Tensor):
        return shadows.undrawn(data) is not None
    if isinstance(data, Undrawn):
        refuse("an undrawn Python number is made a tensor")
    return type(data) in (list, tuple) and any(_holds_undrawn(each, shadows) for each in data)
