"""Watches: each compares one mutable thing with what it held before, by identity or by its bytes.

What cannot change costs nothing here: no watch is made for it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from functools import partial
from operator import is_
from types import ModuleType
from typing import Any

import numpy as np

from proofs.engine.originals import from_opaque

__all__ = [
    "ABSENT",
    "Bytes",
    "Identities",
    "Instance",
    "Members",
    "Names",
    "Namespace",
    "Reading",
    "Values",
    "Watch",
    "is_plain",
]

ABSENT: Any = type("Absent", (), {"__repr__": lambda _: "ABSENT"})()

_PLAIN = frozenset({int, bool, str, bytes, float, complex, type(None), type(...), range, Fraction})
# Made by the interpreter when somebody asks for the annotations of a class.
_MADE_LATER = frozenset({"__annotations__", "__annotations_cache__"})


class Watch:
    """One thing that is watched, and what a change of it is called."""

    __slots__ = ("words",)

    def __init__(self, words: str) -> None:
        self.words = words

    def same(self) -> bool:
        """Tell, as fast as can be, whether nothing has changed; False may be a mistake."""
        raise NotImplementedError

    def change(self) -> str | None:
        """Name what has changed, or return None where `same` was mistaken and is put right."""
        return self.words


class Reading(Watch):
    """A state that is read whole and compared with ``==``: bytes, numbers."""

    __slots__ = ("read", "saved")

    def __init__(self, words: str, read: Callable[[], object]) -> None:
        super().__init__(words)
        self.read, self.saved = read, read()

    def same(self) -> bool:
        """Compare the state."""
        return self.read() == self.saved


class Values(Watch):
    """Things held in an order: the items of a list, the cells of a closure.

    Parameters
    ----------
    words : str
        What a change is called.
    read : callable -> sequence
        Reads the things; they are compared by identity, and where that fails as plain values.
    names : sequence of str
        Names of the things, one each; empty where `words` says enough.
    """

    __slots__ = ("names", "read", "saved")

    def __init__(self, words: str, read: Callable[[], Sequence[Any]], names: Sequence[str] = ()) -> None:
        super().__init__(words)
        self.read, self.names, self.saved = read, names, read()

    def same(self) -> bool:
        """Compare identities."""
        now, saved = self.read(), self.saved
        return len(now) == len(saved) and all(map(is_, now, saved))

    def change(self) -> str | None:
        """Compare what is not identical as plain values."""
        now = self.read()
        if len(now) != len(self.saved):
            return self.words
        for k, (new, old) in enumerate(zip(now, self.saved, strict=True)):
            if not _harmless(old, new):
                return self.words.replace("{}", repr(self.names[k]), 1) if self.names else self.words
        self.saved = now
        return None


class Names(Values):
    """Some names of a namespace, present or not."""

    __slots__ = ("absent", "get")

    def __init__(self, words: str, namespace: Mapping[str, Any], names: Iterable[str]) -> None:
        names = tuple(names)
        self.get, self.absent = namespace.get, (ABSENT,) * len(names)
        super().__init__(words, lambda: [*map(self.get, names, self.absent)], names)

    def same(self) -> bool:
        """Compare identities, without a list of them."""
        return all(map(is_, map(self.get, self.names, self.absent), self.saved))


class Identities(Values):
    """Things held in an order, of which each must be the very same: what an iterator holds."""

    __slots__ = ()

    def change(self) -> str | None:
        """Take every difference for a change."""
        return self.words


class Namespace(Watch):
    """All names of a namespace, those to come included.

    Parameters
    ----------
    words : str
        With a pair of braces for the name.
    read : callable -> mapping
        Returns the dictionary of an instance, a class, a function, as it is now.
    allow : frozenset of str
        Names that may change.
    """

    __slots__ = ("allow", "flat", "read", "saved")

    def __init__(self, words: str, read: Callable[[], Mapping[Any, Any]], allow: frozenset[str] = frozenset()) -> None:
        super().__init__(words)
        self.read, self.allow = read, allow
        self._take()

    def same(self) -> bool:
        """Compare the identities of keys and values."""
        held, flat = self.read(), self.flat
        if 2 * len(held) != len(flat):
            return False
        return not flat or all(map(is_, [*held, *held.values()], flat))

    def change(self) -> str | None:
        """Name the first entry that differs."""
        new, old = dict(self.read()), self.saved
        if list(new) != list(old) and new.keys() == old.keys():
            return self.words.replace("{}", "order")
        for name in (*old, *(name for name in new if name not in old)):
            known = isinstance(name, str) and (name in self.allow or name in _MADE_LATER)
            if not known and not _harmless(old.get(name, ABSENT), new.get(name, ABSENT)):
                return self.words.replace("{}", repr(name), 1)
        self._take()
        return None

    def _take(self) -> None:
        self.saved = dict(self.read())
        self.flat = [*self.saved, *self.saved.values()]


class Instance(Namespace):
    """The attributes of one instance, and its class, which a program may change too."""

    __slots__ = ("kind", "value")

    def __init__(self, words: str, value: Any, allow: frozenset[str]) -> None:
        self.value, self.kind = value, type(value)
        super().__init__(words, partial(vars, value), allow)

    def same(self) -> bool:
        """Compare the class, then the identities of names and values."""
        value, flat = self.value, self.flat
        held = value.__dict__
        if type(value) is not self.kind or 2 * len(held) != len(flat):
            return False
        return not flat or all(map(is_, [*held, *held.values()], flat))

    def change(self) -> str | None:
        """Name the attribute that differs."""
        return super().change() if type(self.value) is self.kind else self.words.replace("{}", "'__class__'", 1)


class Members(Values):
    """The members of a set, whose order is no state of the program's."""

    __slots__ = ()

    def change(self) -> str | None:
        """Compare as sets of identities."""
        now = self.read()
        if {*map(id, now)} != {*map(id, self.saved)}:
            return self.words
        self.saved = now
        return None


class Bytes(Watch):
    """Memory that others write to, compared without copying it."""

    __slots__ = ("saved", "view")

    def __init__(self, words: str, view: memoryview) -> None:
        super().__init__(words)
        self.view, self.saved = view, bytearray(view)

    def same(self) -> bool:
        """Compare the bytes."""
        return self.saved == self.view


def is_plain(value: Any) -> bool:
    """Tell whether `value` holds nothing that can change."""
    return _key(value) is not ABSENT


def _harmless(old: Any, new: Any) -> bool:
    if old is new:
        return True
    if isinstance(new, ModuleType) and from_opaque(new.__name__):
        return old is ABSENT or old is None  # a lazy import
    key = _key(new)
    return key is not ABSENT and key == _key(old)


def _key(value: Any) -> Any:
    # Equal keys, equal values: -0.0 is not 0.0, True is not 1, NaN is itself.
    kind = type(value)
    if kind is float:
        return (kind, value.hex())
    if kind is complex:
        return (kind, value.real.hex(), value.imag.hex())
    if kind in _PLAIN:
        return (kind, value)
    if kind in (tuple, frozenset):
        keys = [_key(item) for item in value]
        return ABSENT if any(key is ABSENT for key in keys) else (kind, kind(keys))
    if isinstance(value, np.generic) and not isinstance(value, np.void | np.object_):
        return (kind, value.dtype.str, value.tobytes())
    return ABSENT
