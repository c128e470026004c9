"""What one object holds that can change: a watch over it, and the objects inside.

Each kind of object has one function here; what no function knows is listed as opaque, never passed over.
"""

import array
import collections
import functools
import gc
import io
import threading
from collections.abc import Callable, Iterator, Mapping
from contextvars import ContextVar
from dataclasses import dataclass
from types import (
    AsyncGeneratorType,
    CellType,
    CoroutineType,
    GeneratorType,
    MappingProxyType,
)
from typing import Any

import numpy as np

from proofs.engine.attributes import is_user_class, slots_of
from proofs.engine.memory import body, is_generator, state_reader
from proofs.engine.originals import from_opaque
from proofs.engine.watches import ABSENT, Bytes, Identities, Members, Namespace, Reading, Values, Watch

__all__ = ["Contents", "contents"]


@dataclass(frozen=True)
class Contents:
    """Watches over one object and what it holds.

    Attributes
    ----------
    watches : tuple of Watch
    children : tuple
        The objects inside, which are called as the object itself.
    opaque : bool
        Whether the object has state that cannot be read.
    """

    watches: tuple[Watch, ...] = ()
    children: tuple[Any, ...] = ()
    opaque: bool = False


_NOTHING, _UNREADABLE = Contents(), Contents(opaque=True)
_WORD = 8  # bytes of a pointer

# Iterators of these modules are C objects whose position lies in their own bytes or in what they refer to.
_ITERATOR_MODULES = frozenset({"builtins", "itertools", "collections", "_collections"})
# Values that cannot change, and machinery whose state decides nothing: caches of texts, log levels, locks.
_INNOCENT = frozenset(
    {
        *("builtins", "types", "typing", "numbers", "fractions", "decimal", "datetime", "zoneinfo", "string", "re"),
        *(
            "collections",
            "_collections",
            "enum",
            "operator",
            "_operator",
            "functools",
            "_struct",
            "weakref",
            "abc",
            "_abc",
            "_thread",
        ),
        *("pathlib", "logging", "warnings", "inspect", "ast", "importlib", "_frozen_importlib"),
        *("_frozen_importlib_external", "sympy", "mpmath", "gmpy2", "flint"),
    }
)
# Of torch: values that cannot change, and generators, which torch's own source compares.
_INNOCENT_OF_TORCH = frozenset(
    ("dtype", "device", "layout", "memory_format", "qscheme", "finfo", "iinfo", "Generator", "OpOverload",
     "OpOverloadPacket", "_OpNamespace")
)  # fmt: skip


def contents(value: Any, words: str) -> Contents:
    """Look into one object that is no function, class or module.

    Parameters
    ----------
    value : object
        Its attributes are another matter.
    words : str
        What a change of it is called.

    Returns
    -------
    Contents
        Empty where nothing in the object can change.
    """
    for kinds, look in _KINDS:
        if isinstance(value, kinds):
            return look(value, words)
    if is_generator(value):
        return Contents((Reading(words, state_reader(value)), *_spawned(value, words)))
    # What the iterators of itertools.tee share is no iterator itself.
    if type(value).__module__ == "itertools" or (hasattr(type(value), "__next__") and not _is_python(type(value))):
        return _iterator(value, words)
    return _other(value, words)


def _is_python(kind: type) -> bool:
    return any("__next__" in vars(base) and is_user_class(base) for base in kind.__mro__)


def _sequence(value: Any, words: str) -> Contents:
    read = list if isinstance(value, collections.deque) else list.copy
    items = read(value)
    return Contents((Values(words, lambda: read(value)),), tuple(items))


def _set(value: set[Any], words: str) -> Contents:
    return Contents((Members(words, lambda: tuple(value)),), tuple(value))


def _constant(value: Any, _: str) -> Contents:
    return Contents(children=tuple(value))


def _mapping(value: dict[Any, Any], words: str) -> Contents:
    read: Callable[[], Mapping[Any, Any]] = (lambda: value) if type(value) is dict else lambda: dict.copy(value)
    return Contents((Namespace(words, read),), (*read(), *read().values()))


def _proxy(value: MappingProxyType[Any, Any], words: str) -> Contents:
    return Contents((Namespace(words, lambda: value),), tuple(value.values()))


def _bytes(value: Any, words: str) -> Contents:
    return Contents((Reading(words, lambda: bytes(value)),))


def _array(value: np.ndarray[Any, Any], words: str) -> Contents:
    shape: Watch = Reading(words, lambda: (value.shape, value.dtype, value.strides))
    if value.dtype.hasobject:
        return Contents((shape, Values(words, lambda: value.ravel().tolist())), tuple(value.ravel().tolist()))
    if _is_frozen(value):
        return _NOTHING
    if not value.flags.c_contiguous or not value.size:
        return Contents((shape, Reading(words, value.tobytes)))
    # A bytearray compares with a view in place, without a copy; subclasses may show something else.
    view = np.asarray(value).reshape(-1).view(np.uint8).data
    return Contents((shape, Bytes(words, view)))


def _is_frozen(value: Any) -> bool:
    while isinstance(value, np.ndarray):
        if value.flags.writeable:
            return False
        value = value.base
    return value is None or isinstance(value, bytes)


def _innocent(_value: Any, _words: str) -> Contents:
    return _NOTHING


def _unreadable(_value: Any, _words: str) -> Contents:
    return _UNREADABLE


def _lock(value: Any, words: str) -> Contents:
    return Contents((Reading(words, functools.partial(repr, value)),))  # says whether and how often it is held


def _cell(value: CellType, words: str) -> Contents:
    read: Callable[[], list[Any]] = lambda: [getattr(value, "cell_contents", ABSENT)]  # noqa: E731
    return Contents((Values(words, read),), tuple(read()))


def _error(value: BaseException, _: str) -> Contents:
    return Contents(children=value.args)


def _cache(value: Any, words: str) -> Contents:
    return Contents((Reading(f"the cache of {words}", value.cache_info),), (value.__wrapped__,))


def _partial(value: Any, _: str) -> Contents:
    return Contents(children=(value.func, value.args, value.keywords))


def _property(value: Any, _: str) -> Contents:
    names = ("fget", "fset", "fdel", "__func__", "func")
    return Contents(children=tuple(getattr(value, name, None) for name in names))


def _variable(value: ContextVar[Any], words: str) -> Contents:
    def read() -> tuple[Any]:
        try:
            return (value.get(),)  # its own default too, which can be a list that grows
        except LookupError:
            return (ABSENT,)

    return Contents((Values(words, read),), read())


def _file(value: Any, words: str) -> Contents:
    try:
        if value.closed or not value.readable():
            return _NOTHING  # what is only written decides nothing
        return Contents((Reading(words, value.tell),))
    except (OSError, ValueError):
        return _UNREADABLE


def _running(value: Any, words: str) -> Contents:
    def position() -> int | None:
        return None if value.gi_frame is None else value.gi_frame.f_lasti

    return Contents((Reading(words, position), Identities(words, lambda: gc.get_referents(value))), _referents(value))


def _iterator(value: Any, words: str) -> Contents:
    if isinstance(value, np.flatiter):
        return Contents((Reading(words, lambda: value.index),), (value.base,))
    if type(value).__module__ not in _ITERATOR_MODULES:
        return _UNREADABLE
    position = Reading(words, functools.partial(body, value))
    return Contents((position, Identities(words, lambda: gc.get_referents(value))), _referents(value))


def _referents(value: Any) -> tuple[Any, ...]:
    return tuple(item for item in gc.get_referents(value) if not isinstance(item, type))


def _spawned(value: Any, words: str) -> Iterator[Watch]:
    seeds: Any = getattr(getattr(value, "bit_generator", value), "seed_seq", None)
    if hasattr(seeds, "n_children_spawned"):
        yield Reading(words, lambda: seeds.n_children_spawned)


def _seeds(value: np.random.SeedSequence, words: str) -> Contents:
    return Contents((Reading(words, lambda: value.n_children_spawned),))


def _other(value: Any, words: str) -> Contents:
    if type(value).__name__ == "cython_function_or_method":
        return _NOTHING if from_opaque(value.__module__) else _UNREADABLE
    package = str(type(value).__module__).partition(".")[0]
    if package == "torch" and type(value).__name__ in ("ScriptFunction", "Generator"):
        return _NOTHING  # compiled once, without attributes; whoever intercepts torch compares the states of generators
    if package == "torch" and hasattr(value, "data_ptr"):
        return _tensor(value, words)
    if package == "torch" and type(value).__name__ in _INNOCENT_OF_TORCH:
        return _NOTHING
    if isinstance(value, np.ufunc):
        return _UNREADABLE if "(vectorized)" in value.__name__ else _NOTHING  # a Python function inside
    readable = _has_python_state(type(value)) or package in _INNOCENT or package in ("numpy", "scipy")
    return _NOTHING if readable else _UNREADABLE


def _has_python_state(kind: type) -> bool:
    """Tell whether instances are no larger than their slots, dictionary and weak references: nothing hides in C."""
    slots = sum(1 for base in kind.__mro__ if "__slots__" in vars(base) for _ in slots_of(base))
    words = slots + (kind.__dictoffset__ != 0) + (kind.__weakrefoffset__ != 0)
    return kind.__basicsize__ <= object.__basicsize__ + words * _WORD


def _tensor(value: Any, words: str) -> Contents:
    try:
        return _array(value.detach().numpy(), words)
    except (RuntimeError, TypeError):
        return Contents((Reading(words, lambda: value._version),))


_KINDS: tuple[tuple[Any, Callable[[Any, str], Contents]], ...] = (
    (int | str | bytes | float | complex | np.generic, _innocent),
    (list | collections.deque, _sequence),
    (set, _set),
    (tuple | frozenset, _constant),
    (dict, _mapping),
    (MappingProxyType, _proxy),
    (bytearray | memoryview | array.array, _bytes),
    (np.ndarray, _array),
    (functools._lru_cache_wrapper, _cache),
    (functools.partial, _partial),
    (property | staticmethod | classmethod | functools.cached_property, _property),
    (np.random.SeedSequence, _seeds),
    (CellType, _cell),
    (CoroutineType | AsyncGeneratorType, _unreadable),
    (type(threading.Lock()) | type(threading.RLock()), _lock),
    (ContextVar, _variable),
    (io.IOBase, _file),
    (BaseException, _error),
    (GeneratorType, _running),
)
