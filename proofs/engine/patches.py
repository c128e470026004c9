"""What is patched while paths run, so that entropy, clocks, threads and changing files leave a mark."""

import builtins
import functools
import importlib
import io
import os
import random
import stat
import sys
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

import numpy as np

from proofs.engine.callers import notice
from proofs.engine.originals import CLOCK_READINGS
from proofs.engine.signals import Kind

__all__ = ["Patch", "patches"]

# From the arguments of a call: what the mark says, or None for a call that decides nothing.
Judge: TypeAlias = Callable[[tuple[Any, ...], Mapping[str, Any]], tuple[Kind, str] | None]

_FUNCTIONS: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "os": (
            *("urandom", "getrandom", "fork", "forkpty", "times", "putenv", "unsetenv", "mkdir", "rmdir", "remove"),
            *("unlink", "rename", "replace", "link", "symlink", "truncate", "utime", "chmod"),
        ),
        "random": ("_urandom",),
        "secrets": ("token_bytes", "token_hex", "token_urlsafe", "randbelow", "choice", "randbits"),
        "uuid": ("uuid1", "uuid4", "uuid6", "uuid7", "getnode"),
        "_thread": ("start_new_thread", "start_new", "start_joinable_thread"),
        "builtins": ("input",),
    }
)
_METHODS = (
    ("threading", "Thread", "start"),
    ("subprocess", "Popen", "__init__"),
    ("multiprocessing.process", "BaseProcess", "start"),
    ("socket", "socket", "__init__"),
)
_SEEDED_CLASSES = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64", "SeedSequence")
_CHANGING_PLACES = ("/dev/", "/proc/", "/sys/")
_WRITE_FLAGS = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


@dataclass(frozen=True)
class Patch:
    """One attribute, and what stands in for it.

    Attributes
    ----------
    owner : module or class
    name : str
    replacement : object
    """

    owner: Any
    name: str
    replacement: Any

    @property
    def original(self) -> Any:
        """What the attribute holds now."""
        return vars(self.owner)[self.name]


def patches() -> list[Patch]:
    """Make every patch anew; none is in force yet.

    Returns
    -------
    list of Patch
        Only for what this version of Python and NumPy has.
    """
    found = [patch for module, names in _FUNCTIONS.items() for patch in _in_module(module, names)]
    found += [_function(time, f"time.{name}", _clock(name)) for name in CLOCK_READINGS if hasattr(time, name)]
    for module, kind, name in _METHODS:
        owner = getattr(importlib.import_module(module), kind)
        found.append(_function(owner, name, _always(f"{module}.{kind}")))
    found += [_function(owner, "open", _opening) for owner in (builtins, io)]
    found.append(_function(os, "open", _opening_low))
    found += [_function(random.Random, name, _seeds_python) for name in ("seed", "setstate")]
    return [*found, _class(np.random, "RandomState"), *_seeding()]


def _in_module(module: str, names: tuple[str, ...]) -> list[Patch]:
    owner = importlib.import_module(module)
    return [_function(owner, name, _always(f"{module}.{name}")) for name in names if hasattr(owner, name)]


def _function(owner: Any, name: str, judge: Judge) -> Patch:
    name = name.rpartition(".")[2]
    original = vars(owner)[name]

    @functools.wraps(original)
    def replacement(*arguments: Any, **keywords: Any) -> Any:
        found = judge(arguments, keywords)
        if found is not None:
            notice(sys._getframe(1), *found)
        return original(*arguments, **keywords)

    return Patch(owner, name, replacement)


def _always(name: str) -> Judge:
    return lambda arguments, keywords: (Kind.HIDDEN, name)


def _clock(name: str) -> Judge:
    converts = CLOCK_READINGS[name]

    def judge(arguments: tuple[Any, ...], _: Mapping[str, Any]) -> tuple[Kind, str] | None:
        given = len(arguments) >= converts and arguments[converts - 1] is not None
        return None if given else (Kind.HIDDEN, f"time.{name}")

    return judge


# Files: what is written can be read again by the next path; what is only read is as constant as a global.


def _opening(arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> tuple[Kind, str] | None:
    file = arguments[0] if arguments else keywords.get("file")
    mode = arguments[1] if len(arguments) > 1 else keywords.get("mode", "r")
    return _access(file, isinstance(mode, str) and not {*mode}.isdisjoint("wax+"))


def _opening_low(arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> tuple[Kind, str] | None:
    file = arguments[0] if arguments else keywords.get("path")
    flags = arguments[1] if len(arguments) > 1 else keywords.get("flags", 0)
    return _access(file, isinstance(flags, int) and bool(flags & _WRITE_FLAGS))


def _access(file: Any, writes: bool) -> tuple[Kind, str] | None:
    if file == os.devnull:
        return None
    if writes:
        return Kind.HIDDEN, f"open({file!r}) for writing"
    return None if _is_constant(file) else (Kind.HIDDEN, f"open({file!r}), which is no plain file,")


def _is_constant(file: Any) -> bool:
    try:
        plain = stat.S_ISREG(os.stat(file).st_mode)
        return plain and (isinstance(file, int) or not os.path.realpath(os.fsdecode(file)).startswith(_CHANGING_PLACES))
    except (OSError, TypeError, ValueError):
        return True  # there is nothing to read: the call itself will say so


# Generators that the program makes


def _seeds_python(arguments: tuple[Any, ...], keywords: Mapping[str, Any]) -> tuple[Kind, str] | None:
    seed = arguments[1] if len(arguments) > 1 else keywords.get("a", keywords.get("state"))
    return Kind.HIDDEN if seed is None else Kind.CONSTANT, "random.Random"


def _class(owner: Any, name: str) -> Patch:
    return Patch(owner, name, _watched(vars(owner)[name], f"{owner.__name__}.{name}"))


def _watched(original: Any, name: str) -> type:
    """Derive a class that is as good as `original` in ``isinstance`` and marks the path when called."""

    class Watched(type(original)):  # type: ignore[misc]
        def __call__(cls, *arguments: Any, **keywords: Any) -> Any:
            seeded = any(value is not None for value in (*arguments, *keywords.values()))
            notice(sys._getframe(1), Kind.CONSTANT if seeded else Kind.HIDDEN, name)
            # RandomState(3) asks for entropy first and throws it away: called from here, it is not noticed.
            make = original if cls is stand_in else super().__call__
            return make(*arguments, **keywords)

        def __instancecheck__(cls, instance: Any) -> bool:
            return isinstance(instance, original) if cls is stand_in else super().__instancecheck__(instance)

        def __subclasscheck__(cls, subclass: type) -> bool:
            return issubclass(subclass, original) if cls is stand_in else super().__subclasscheck__(subclass)

    stand_in = Watched(original.__name__, (original,), {"__module__": original.__module__, "__doc__": original.__doc__})
    return stand_in


def _seeding() -> list[Patch]:
    """Patch what NumPy's bit generators ask for entropy and hand their seeds to, however they were reached."""
    hooks = _seeding_hooks()
    if hooks and _is_asked(hooks):
        return hooks
    return [_class(np.random, name) for name in _SEEDED_CLASSES]


def _seeding_hooks() -> list[Patch]:
    module: Any = np.random.bit_generator
    names = vars(module)
    if "randbits" not in names or "_coerce_to_uint32_array" not in names:
        return []
    draw, coerce = names["randbits"], names["_coerce_to_uint32_array"]
    last: list[Any] = [None]

    def randbits(bits: int) -> Any:
        notice(sys._getframe(1), Kind.HIDDEN, "a bit generator of numpy.random without a seed")
        last[0] = draw(bits)
        return last[0]

    def coerced(seed: Any) -> Any:
        if seed is not last[0] and not (isinstance(seed, tuple) and not seed):
            notice(sys._getframe(1), Kind.CONSTANT, "a bit generator of numpy.random")
        return coerce(seed)

    return [Patch(module, "randbits", randbits), Patch(module, "_coerce_to_uint32_array", coerced)]


def _is_asked(hooks: list[Patch]) -> bool:
    """Try whether NumPy calls what stands in these places."""
    asked: set[str] = set()
    originals = [(hook, hook.original) for hook in hooks]
    try:
        for hook, original in originals:
            setattr(hook.owner, hook.name, functools.partial(_ask, asked, hook.name, original))
        np.random.SeedSequence(), np.random.SeedSequence(0)
    finally:
        for hook, original in originals:
            setattr(hook.owner, hook.name, original)
    return asked == {hook.name for hook in hooks}


def _ask(asked: set[str], name: str, original: Callable[[Any], Any], argument: Any) -> Any:
    asked.add(name)
    return original(argument)
