"""Wrong: programs that remember earlier calls in objects, closures and suspended generators."""

import functools
from collections.abc import Callable, Iterator
from typing import Any

from tests.hostile.entries import Entry
from tests.hostile.parts import fault_at_odd

__all__ = ["WRONG_OBJECTS"]


class _Counting:
    """Counts in itself; `shared` counts for all."""

    shared = 0

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        self.calls += 1
        return fault_at_odd(self.calls, target, draft, tokens, rng)

    @classmethod
    def of_the_class(cls, target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        cls.shared += 1
        return fault_at_odd(cls.shared, target, draft, tokens, rng)

    verify = __call__


class _Slotted:
    """Counts in a slot, of which no ``__dict__`` tells."""

    __slots__ = ("calls",)

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        self.calls += 1
        return fault_at_odd(self.calls, target, draft, tokens, rng)


def _closure() -> Callable[..., Any]:
    calls = 0

    def verify(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        nonlocal calls
        calls += 1
        return fault_at_odd(calls, target, draft, tokens, rng)

    return verify


def _from_generator() -> Callable[..., Any]:
    def ticks() -> Iterator[int]:
        while True:
            yield 0
            yield 1

    ticking = ticks()
    return lambda target, draft, tokens, rng: fault_at_odd(next(ticking), target, draft, tokens, rng)


def _partial() -> Callable[..., Any]:
    def verify(calls: list[int], target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        calls.append(0)
        return fault_at_odd(len(calls), target, draft, tokens, rng)

    return functools.partial(verify, [])


def _object(name: str, verify: Callable[..., Any], why: str) -> Entry:
    return Entry(name, verify, why, "not lossless")


WRONG_OBJECTS = (
    _object("closure_counter", _closure(), "A variable of the closure counts the calls."),
    _object("suspended_generator", _from_generator(), "A suspended generator in the closure alternates."),
    _object("partial_counter", _partial(), "A list bound by functools.partial grows with every call."),
    _object("callable_object", _Counting(), "An attribute of the callable object counts the calls."),
    _object("bound_method", _Counting().verify, "An attribute of the method's object counts the calls."),
    _object("counting_class_method", _Counting.of_the_class, "An attribute of the class counts the calls."),
    _object("slotted_object", _Slotted(), "A slot of the callable object counts the calls."),
)
