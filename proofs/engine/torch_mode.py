"""Every operator of torch that a program calls while a path runs, whichever way it calls it."""

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from proofs.engine.signals import refuse
from proofs.engine.torch_random import MODELLED, TorchRandom, state_of
from proofs.engine.torch_rules import Rules
from proofs.engine.torch_shadows import Shadows, is_plain
from proofs.engine.torch_tables import is_random, name_of, tensors_in

__all__ = ["Mode"]

_EMPTY = frozenset(("empty", "empty_like", "empty_strided", "new_empty", "new_empty_strided", "empty_permuted"))

_UNWRITTEN = 2.0**15  # in a replay: far from every poison


class _Kind(NamedTuple):
    """What matters of an operator that meets no undrawn number."""

    name: str
    is_random: bool
    is_empty: bool


class Mode(TorchDispatchMode):
    """Sends random operators and operators on undrawn numbers to their rules; every other one runs as it is.

    Parameters
    ----------
    shadows : Shadows
    rules : Rules or None
        None in a replay, where there are no undrawn numbers.
    random : TorchRandom
    kinds : dict
        What earlier runs found out about operators; filled here.
    """

    def __init__(self, shadows: Shadows, rules: Rules | None, random: TorchRandom, kinds: dict[int, "_Kind"]) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self._kinds = kinds
        self._shadows = shadows
        self._rules = rules
        self._random = random

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        # The wrapper that keeps torch.compile out of here costs more than most operators.
        return False

    def __torch_dispatch__(self, func: Any, types: Any, args: tuple[Any, ...] = (), kwargs: Any = None) -> Any:
        """Run one operator."""
        options = {} if kwargs is None else kwargs
        # By identity: operators live as long as torch, and their hashes are slow.
        kind = self._kinds.get(id(func)) or self._looked_at(func)
        if kind.is_random:
            return self._draw(func, kind.name, args, options)
        if self._shadows and self._touches(args, options):
            if self._rules is None:
                return func(*args, **options)
            return _ours(self._rules.run, func, args, options)
        found = func(*args, **options)
        if kind.is_empty and is_plain(found):
            self._fill(found)
        return found

    def _looked_at(self, func: Any) -> "_Kind":
        name = name_of(func)
        self._kinds[id(func)] = kind = _Kind(name, is_random(func), name in _EMPTY)
        return kind

    def _fill(self, found: Any) -> None:
        """Fill memory that nobody has written with one thing on a path and another in its replay."""
        if self._rules is None:
            found.fill_(_UNWRITTEN if found.dtype.is_floating_point else 0)
        else:
            found.fill_(math.nan if found.dtype.is_floating_point else 1)

    def _draw(self, func: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        if name in MODELLED:
            return _ours(self._random.run, func, args, kwargs)
        before = state_of(torch.default_generator)
        given = next((value for value in (*args, *kwargs.values()) if isinstance(value, torch.Generator)), None)
        touched = self._touches(args, kwargs)
        seeded = not touched and self._random.is_seeded(given or torch.default_generator)
        found = _ours(self._rules.run, func, args, kwargs) if self._rules and touched else func(*args, **kwargs)
        moved = state_of(torch.default_generator) != before
        if seeded and moved is (given is None):
            self._random.drew_constants(name, found, given or torch.default_generator)
        elif moved or given is not None:
            refuse(f"torch.{name} draws random numbers and is not modelled")
        return found

    def _touches(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
        shadows = self._shadows
        return any(shadows.holds(tensor) for tensor in tensors_in(args)) or any(
            shadows.holds(tensor) for value in kwargs.values() for tensor in tensors_in(value)
        )


def _ours(run: Callable[..., Any], func: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Run an operator by its rule; an exception that the operator by itself does not raise is a fault of the rule.

    A program that catches exceptions must not take it for one of torch.
    """
    try:
        return run(func, args, kwargs)
    except Exception as error:
        func(*args, **kwargs)
        refuse(f"the rule for torch.{name_of(func)} failed: {type(error).__name__}: {str(error)[:200]}")
