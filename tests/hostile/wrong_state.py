"""Wrong: programs that remember earlier calls, in globals, defaults, attributes and caches."""

import functools
import itertools
import threading
import weakref
from typing import Any

import numpy as np

from tests.hostile.entries import TICK, entries
from tests.hostile.parts import chain, draw, everything, fault_at_odd, replacement

__all__ = ["WRONG_STATE"]


_CALLS = 0
_NESTED: dict[str, list[dict[str, int]]] = {"deep": [{"calls": 0}]}
_ANSWERS: dict[tuple[int, ...], Any] = {}
_COUNT = itertools.count()
_CYCLE = itertools.cycle((True, False))
_LOCAL = threading.local()
_BUFFER = np.zeros(1, dtype=np.int64)
_LOOSE: "weakref.WeakKeyDictionary[type, int]" = weakref.WeakKeyDictionary()


def global_counter(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A global integer counts the calls, and every second call keeps everything."""
    global _CALLS
    _CALLS += 1
    return fault_at_odd(_CALLS, target, draft, tokens, rng)


def nested_counter(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The counter lies three containers deep in a global."""
    _NESTED["deep"][0]["calls"] += 1
    return fault_at_odd(_NESTED["deep"][0]["calls"], target, draft, tokens, rng)


def global_toggle(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A global flips and is as before after two calls."""
    _BUFFER[0] ^= 1
    return fault_at_odd(int(_BUFFER[0]), target, draft, tokens, rng)


def first_call_is_right(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Only the first call is right."""
    TICK.set(TICK.get() + 1)
    return chain(target, draft, tokens, rng) if TICK.get() == 1 else everything(target, tokens, rng)


def remembered_answer(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The first answer to a draft is given for ever."""
    key = tuple(tokens.tolist())
    if key not in _ANSWERS:
        _ANSWERS[key] = chain(target, draft, tokens, rng)
    return _ANSWERS[key]


def odd_number_of_rejections(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """After an odd number of rejections the draft is kept whole."""
    global _CALLS
    if _CALLS % 2:
        _CALLS += 1
        return everything(target, tokens, rng)
    emitted = chain(target, draft, tokens, rng)
    _CALLS += len(emitted) <= len(tokens)
    return emitted


def count_object(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """An itertools.count in a global counts the calls."""
    return fault_at_odd(next(_COUNT), target, draft, tokens, rng)


def cycle_object(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """An itertools.cycle in a global, which shows nobody where it stands, alternates."""
    return chain(target, draft, tokens, rng) if next(_CYCLE) else everything(target, tokens, rng)


def thread_local_counter(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The counter is an attribute of a threading.local."""
    _LOCAL.calls = getattr(_LOCAL, "calls", 0) + 1
    return fault_at_odd(_LOCAL.calls, target, draft, tokens, rng)


def context_counter(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The counter is a context variable."""
    TICK.set(TICK.get() + 1)
    return fault_at_odd(TICK.get(), target, draft, tokens, rng)


def weak_counter(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The counter is a value of a weak dictionary."""
    _LOOSE[weakref.WeakKeyDictionary] = _LOOSE.get(weakref.WeakKeyDictionary, 0) + 1
    return fault_at_odd(_LOOSE[weakref.WeakKeyDictionary], target, draft, tokens, rng)


def default_argument(target: Any, draft: Any, tokens: Any, rng: Any, calls: list[int] = [0]) -> Any:  # noqa: B006
    """A default argument counts the calls."""
    calls[0] += 1
    return fault_at_odd(calls[0], target, draft, tokens, rng)


def keyword_default(target: Any, draft: Any, tokens: Any, rng: Any, *, calls: list[int] = [0]) -> Any:  # noqa: B006
    """A default of a keyword-only argument counts the calls."""
    calls[0] += 1
    return fault_at_odd(calls[0], target, draft, tokens, rng)


def function_attribute(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """An attribute of the function counts the calls."""
    calls = vars(function_attribute)
    calls["calls"] = calls.get("calls", 0) + 1
    return fault_at_odd(calls["calls"], target, draft, tokens, rng)


def new_code(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The function swaps its own code for another's in every call."""
    _swap_code()
    return chain(target, draft, tokens, rng)


def _all_kept(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    _swap_code()
    return everything(target, tokens, rng)


def _swap_code() -> None:
    new_code.__code__, _all_kept.__code__ = _all_kept.__code__, new_code.__code__


def new_defaults(target: Any, draft: Any, tokens: Any, rng: Any, call: int = 0) -> Any:
    """The function rebinds its own defaults."""
    globals()["new_defaults"].__defaults__ = (call + 1,)
    return fault_at_odd(call, target, draft, tokens, rng)


@functools.cache
def _coin(position: int, rng: Any) -> Any:
    return rng.random()


def cached_coin(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A cache keeps the coin of each position: in life the generator is the same in all calls, and so is the coin."""
    for i, x in enumerate(tokens.tolist()):
        if not _coin(i, rng) * draft[i, x] < target[i, x]:
            return [*tokens[:i].tolist(), replacement(target[i], draft[i], rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


@functools.cache
def _kept_for_ever(key: tuple[int, ...]) -> list[int]:
    return [len(_kept_for_ever.__name__)]


def cached_list(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A cached list is changed in place by every call."""
    calls = _kept_for_ever(())
    calls[0] += 1
    return fault_at_odd(calls[0], target, draft, tokens, rng)


WRONG_STATE = (
    *entries(
        "not lossless",
        global_counter,
        nested_counter,
        global_toggle,
        first_call_is_right,
        remembered_answer,
        odd_number_of_rejections,
        count_object,
        cycle_object,
        thread_local_counter,
        context_counter,
        weak_counter,
        default_argument,
        keyword_default,
        function_attribute,
        new_code,
        new_defaults,
        cached_coin,
        cached_list,
    ),
)
