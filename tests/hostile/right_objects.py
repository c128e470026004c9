"""Right: the token rule in objects of every kind."""

import functools
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, NamedTuple, Protocol

import numpy as np

from tests.hostile.entries import Entry, entries
from tests.hostile.parts import chain, draw, replacement, residual

__all__ = ["RIGHT_OBJECTS"]


class _Plain:
    """A class with a method, a static method and a class method."""

    def verify(self, target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        return chain(target, draft, tokens, rng)

    __call__ = verify

    @staticmethod
    def static(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        return chain(target, draft, tokens, rng)

    @classmethod
    def of_the_class(cls, target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        return cls.static(target, draft, tokens, rng)


class _Rule(Protocol):
    def __call__(self, p: Any, q: Any, x: int) -> Any: ...


class _Slotted:
    __slots__ = ("rule",)

    def __init__(self, rule: _Rule) -> None:
        self.rule = rule

    def __call__(self, target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        for i, x in enumerate(tokens.tolist()):
            if not rng.random() < self.rule(target[i], draft[i], x):
                return [*tokens[:i].tolist(), replacement(target[i], draft[i], rng)]
        return [*tokens.tolist(), draw(target[-1], rng)]


@dataclass(frozen=True)
class _Frozen:
    """A frozen dataclass with a tuple of options."""

    options: tuple[str, ...] = ("strict",)

    def __call__(self, target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        return chain(target, draft, tokens, rng)


class _Step(NamedTuple):
    p: Any
    q: Any
    x: int

    def kept(self, rng: Any) -> bool:
        return bool(rng.random() * self.q[self.x] < self.p[self.x])


def named_tuples(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Positions are named tuples."""
    emitted: list[int] = []
    for step in map(_Step, target, draft, tokens.tolist()):
        if not step.kept(rng):
            return [*emitted, replacement(step.p, step.q, rng)]
        emitted.append(step.x)
    return [*emitted, draw(target[-1], rng)]


@dataclass
class _Memo:
    """Remembers residuals during a call and forgets them at its end."""

    memo: dict[int, Any] = field(default_factory=dict)

    def __call__(self, target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        try:
            return self._emitted(target, draft, tokens, rng)
        finally:
            self.memo.clear()

    def _emitted(self, target: Any, draft: Any, tokens: Any, rng: Any) -> list[int]:
        for i, x in enumerate(tokens.tolist()):
            left = self.memo.setdefault(i, residual(target[i], draft[i]))
            if not rng.random() * draft[i, x] < target[i, x]:
                return [*tokens[:i].tolist(), draw(left, rng)]
        return [*tokens.tolist(), draw(target[-1], rng)]


class _Buffered:
    """Writes its result into an array that it keeps, and returns a copy."""

    def __init__(self) -> None:
        self.buffer = np.full(8, -1)

    def __call__(self, target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        emitted = chain(target, draft, tokens, rng)
        self.buffer[:] = -1
        self.buffer[: len(emitted)] = emitted
        return self.buffer[: len(emitted)].copy()


class _Statistics:
    """Counts what it kept, and never looks at the count."""

    def __init__(self) -> None:
        self.kept = 0

    def __call__(self, target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        emitted = chain(target, draft, tokens, rng)
        self.kept += len(emitted) - 1
        return emitted


@functools.lru_cache(maxsize=64)
def _ratio(p: Any, q: Any) -> Any:
    return min(1, p / q)


def cached_helper(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A pure helper is cached."""
    return _Slotted(lambda p, q, x: _ratio(p[x], q[x]))(target, draft, tokens, rng)


def _logged(verify: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(verify)
    def wrapper(*args: Any, **kwargs: Any) -> Any:
        return verify(*args, **kwargs)

    return wrapper


@_logged
@_logged
def decorated(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Wrapped twice."""
    return chain(target, draft, tokens, rng)


def any_arguments(*args: Any) -> Any:
    """Takes its arguments as they come."""
    return chain(*args)


def _with_options(options: dict[str, int], target: Any, draft: Any, tokens: Any, rng: Any, **more: Any) -> Any:
    return chain(target, draft, tokens, rng)


def _composed(*stages: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *args: functools.reduce(lambda value, stage: stage(value), stages, chain(*args))


def _object(name: str, verify: Callable[..., Any], why: str, *, lossless: bool = True) -> Entry:
    return Entry(name, verify, why, "lossless" if lossless else "not biased")


RIGHT_OBJECTS = (
    *entries(
        "lossless",
        named_tuples,
        decorated,
        any_arguments,
    ),
    *entries(
        "not biased",
        cached_helper,
    ),
    _object("instance", _Plain(), "An object with __call__."),
    _object("method", _Plain().verify, "A bound method."),
    _object("static_method", _Plain.static, "A static method."),
    _object("class_method", _Plain.of_the_class, "A class method."),
    _object("slotted", _Slotted(lambda p, q, x: p[x] / q[x]), "An object with slots that holds a lambda."),
    _object("frozen_dataclass", _Frozen(), "A frozen dataclass."),
    _object("forgetful_memo", _Memo(), "A dictionary that is empty again at the end of every call."),
    _object("partial", functools.partial(_with_options, {"strict": 1}, more=None), "A functools.partial."),
    _object("composed", _composed(tuple, list, np.array), "A composition of functions in a closure."),
    _object("buffered", _Buffered(), "A result array that is kept and written anew.", lossless=False),
    _object("statistics", _Statistics(), "A counter that nothing looks at.", lossless=False),
)
