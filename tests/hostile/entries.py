"""What an entry of the hostile suite is, and a cage in which its programs may do their worst."""

import builtins
import contextvars
import decimal
import fractions
import gc
import logging
import os
import random
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal

import numpy as np

__all__ = ["TICK", "Entry", "Expectation", "caged", "entries"]

Expectation = Literal["biased", "not lossless", "lossless", "not biased"]

# State that lives in the running thread's context and in no function's globals.
TICK: contextvars.ContextVar[int] = contextvars.ContextVar("calls so far", default=0)

_PATCHED = (
    (np, "minimum"),
    (np, "cumsum"),
    (fractions.Fraction, "__eq__"),
    (fractions.Fraction, "__gt__"),
)


@dataclass(frozen=True)
class Entry:
    """A program, what it does in one sentence, and what a good checker says about it.

    ``"biased"`` and ``"lossless"`` ask for that word; ``"not lossless"`` and ``"not biased"`` are content with
    ``"unverified"`` too.
    """

    name: str
    verify: Callable[..., Any]
    why: str
    expectation: Expectation
    gamma: tuple[int, ...] = (1, 2)
    drafter: Callable[..., int] | None = None
    options: dict[str, Any] = field(default_factory=dict)  # keyword arguments of check
    raises: bool = False  # a run with a real generator may raise
    endless: bool = False  # a run with a real generator may never end
    result: bool = True  # a run that does end gives tokens that a caller could read as a list of ints


def entries(expectation: Expectation, *programs: Callable[..., Any], **fields: Any) -> tuple[Entry, ...]:
    """Return an entry for each function: its name, and its docstring as the sentence."""
    return tuple(Entry(p.__name__, p, (p.__doc__ or "").strip(), expectation, **fields) for p in programs)


@contextmanager
def caged(directory: Path) -> Iterator[None]:
    """Give the programs `directory` for their files and put back what they may have changed in the process."""
    with ExitStack() as cage:
        for owner, name in _PATCHED:
            cage.callback(setattr, owner, name, getattr(owner, name))
        cage.callback(setattr, tempfile, "tempdir", tempfile.tempdir)
        cage.callback(sys.setrecursionlimit, sys.getrecursionlimit())
        cage.callback(gc.set_threshold, *gc.get_threshold())
        cage.callback(logging.getLogger("hostile").setLevel, logging.getLogger("hostile").level)
        cage.callback(TICK.reset, TICK.set(0))
        cage.callback(random.setstate, random.getstate())
        cage.callback(np.random.set_state, np.random.get_state())
        cage.callback(_put_back_environment, dict(os.environ))
        cage.enter_context(decimal.localcontext())
        cage.enter_context(np.errstate())
        cage.enter_context(warnings.catch_warnings())
        for module in (sys, builtins, np):
            cage.callback(vars(module).pop, "verifier_calls", None)
        tempfile.tempdir = str(directory)
        yield


def _put_back_environment(before: dict[str, str]) -> None:
    os.environ.clear()
    os.environ.update(before)
