"""What an operator of torch does with undrawn elements: it moves them, goes on from them, or decides them."""

from collections.abc import Sequence
from typing import Any

import torch

from proofs.engine.choices import Path
from proofs.engine.signals import refuse
from proofs.engine.torch_elementwise import Elementwise
from proofs.engine.torch_nodes import Step, Switches
from proofs.engine.torch_races import Races
from proofs.engine.torch_shadows import ABSENT, Shadows, is_plain
from proofs.engine.torch_tables import (
    COMPARISONS,
    DECIDED,
    ELEMENTWISE,
    FILLS,
    MOVES,
    RACES,
    WITHOUT_DATA,
    Operation,
    functional,
    mutated,
    name_of,
    tensors_in,
)

__all__ = ["Rules"]

_Tensor = torch.Tensor


class Rules:
    """The rules for one path.

    Parameters
    ----------
    path : Path
    shadows : Shadows
    switches, steps : Switches, dict
        What earlier paths found out.
    """

    def __init__(self, path: Path, shadows: Shadows, switches: Switches, steps: dict[Any, Step]) -> None:
        self._shadows = shadows
        self._elementwise = Elementwise(shadows, switches, steps)
        self._races = Races(path, shadows, switches)

    def run(self, func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        """Run an operator of which some tensor has a shadow."""
        called = Operation(func, name_of(func), args, kwargs)
        if func.is_view or called.name in WITHOUT_DATA:
            return called.run()
        return self._write(called) if mutated(func) else self._result(called)

    def _result(self, called: Operation) -> Any:
        name = called.name
        if not any(self._shadows.undrawn(tensor) is not None for tensor in called.tensors()):
            return called.run()
        if any(isinstance(value, _Tensor) for value in called.kwargs.values()):
            refuse(f"torch.{name} of undrawn numbers with a tensor as a keyword")
        if name in MOVES or (name == "_to_copy" and _keeps_dtype(called)):
            return self._moved(called, MOVES.get(name, (0,)))
        if name in ELEMENTWISE or name in COMPARISONS or name in DECIDED or name == "_to_copy":
            return self._elementwise.run(called)
        if name in ("searchsorted", "bucketize"):
            return self._races.searched(called)
        if name in RACES:
            return self._races.run(called)
        return refuse(f"torch.{name} of undrawn numbers is not modelled")

    # --- writing

    def _write(self, called: Operation) -> Any:
        places = mutated(called.func)
        if len(places) != 1:
            refuse(f"torch.{called.name} writes into several tensors, some of undrawn numbers")
        at, key = places[0]
        target = called.kwargs[key] if at is None else called.args[at]
        if not is_plain(target):
            refuse(f"torch.{called.name} writes undrawn numbers into {type(target).__name__} on {target.device}")
        if called.name in FILLS:
            self._filled(called, target)
        else:
            self._computed(called, target, key if at is None else None)
        return target

    def _computed(self, called: Operation, target: Any, out: str | None) -> None:
        """Write what another operator computes; `out` is the keyword of the target, if it is one."""
        maker = functional(called.func)
        if maker is None:
            refuse(f"torch.{called.name} of undrawn numbers is not modelled")
        kwargs = {name: value for name, value in called.kwargs.items() if name != out}
        found = self._result(Operation(maker, name_of(maker), called.args, kwargs))
        if out is not None and target.shape != found.shape:
            refuse(f"torch.{called.name} with out= of another shape")
        self._copy(target, found)

    def _filled(self, called: Operation, target: Any) -> None:
        source = called.args[1] if len(called.args) > 1 else None
        if isinstance(source, _Tensor) and self._shadows.undrawn(source) is not None:
            self._copy(target, source)
        else:
            called.run()
            self._shadows.forget(target)

    def _copy(self, target: Any, source: Any) -> None:
        """Copy numbers and undrawn elements, rounded to the dtype of the target."""
        source = self._cast(source, target.dtype)
        # Of a source that shares memory with the target: numbers first would overwrite them.
        ids = self._shadows.ids(source).expand(target.shape).clone()
        target.copy_(source.detach())
        self._shadows.put(target.detach(), ids)

    # --- moving

    def _moved(self, called: Operation, places: Sequence[int]) -> Any:
        func, args, kwargs = called.func, called.args, called.kwargs
        beside = tensors_in([value for at, value in enumerate(args) if at not in places])
        if func._overloadname == "dtype" or any(self._shadows.undrawn(tensor) is not None for tensor in beside):
            refuse(f"torch.{called.name} of undrawn numbers is not modelled")
        if called.named().get("accumulate") or any("reduce" in argument.name for argument in func._schema.arguments):
            refuse(f"torch.{called.name} of undrawn numbers sums what falls into one place")
        found = called.run()
        moved = [self._as_ids(value, found.dtype) if at in places else value for at, value in enumerate(args)]
        options = {name: value for name, value in kwargs.items() if name not in ("dtype", "value")}
        if "value" in kwargs or (called.name == "constant_pad_nd" and len(args) <= max(places)):
            options["value"] = ABSENT
        self._shadows.put(found.detach(), func(*moved, **options).reshape(found.shape))
        return found

    def _as_ids(self, value: Any, dtype: Any) -> Any:
        if isinstance(value, _Tensor):
            return self._shadows.ids(self._cast(value, dtype))
        return [self._as_ids(each, dtype) for each in value] if isinstance(value, list | tuple) else ABSENT

    def _cast(self, tensor: Any, dtype: Any) -> Any:
        """Return a tensor in a dtype, its undrawn elements rounded to it."""
        if tensor.dtype == dtype or self._shadows.undrawn(tensor) is None:
            return tensor
        return self._result(Operation(torch.ops.aten._to_copy.default, "_to_copy", (tensor,), {"dtype": dtype}))


def _keeps_dtype(called: Operation) -> bool:
    return called.kwargs.get("dtype") in (None, called.args[0].dtype)
