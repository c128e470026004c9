"""Clocks, entropy, threads and global generators, noticed while a path runs.

Patched attributes catch what is looked up at the time of use; a profile function catches what was bound
before. What goes on while a module is imported, and what ``logging`` stamps its records with, decides nothing.
"""

import random
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType
from typing import Any

import numpy as np

from proofs.engine.callers import notice
from proofs.engine.memory import state_reader
from proofs.engine.originals import original_name
from proofs.engine.patches import patches
from proofs.engine.signals import Kind

__all__ = ["GlobalGenerators", "profiled", "watching_entropy"]


class GlobalGenerators:
    """The generators behind ``numpy.random`` and ``random``: whether they moved since the last question."""

    def __init__(self) -> None:
        self._read_numpy = state_reader(np.random.mtrand._rand)
        self._read_python = state_reader(random._inst)
        self._numpy, self._python = self._read_numpy(), self._read_python()

    def changed(self) -> str | None:
        """Name a generator that moved since this object was made or last asked.

        Returns
        -------
        str or None
            None where neither moved; a generator that came back to its state did not.
        """
        numpy_moved, python_moved = self._read_numpy() != self._numpy, self._read_python() != self._python
        if not numpy_moved and not python_moved:
            return None
        self.__init__()  # type: ignore[misc]  # the bit generator may be another one
        names = ["numpy.random"] * numpy_moved + ["random"] * python_moved
        return " and ".join(f"the global generator of {name}" for name in names)


@contextmanager
def watching_entropy() -> Iterator[None]:
    """Let every use of entropy, a clock, a thread, a process or a changing file leave a mark.

    The uses go on as ever. Only the context in which a path runs is marked. Everything is put back at the
    end. A module that is imported meanwhile for the first time may use what it likes.
    """
    with ExitStack() as stack:
        for patch in patches():
            stack.callback(setattr, patch.owner, patch.name, patch.original)
            setattr(patch.owner, patch.name, patch.replacement)
        yield


@contextmanager
def profiled() -> Iterator[None]:
    """Notice calls of original C functions, whatever name they are bound to, in this thread.

    It slows every call down and is meant for functions whose `Reach.suspects` is not empty. A profile
    function that was set before is called too and put back at the end.
    """
    previous = sys.getprofile()

    def hook(frame: FrameType, event: Any, argument: Any) -> None:
        if event == "c_call":
            _notice_call(frame, argument)
        if previous is not None:
            previous(frame, event, argument)

    sys.setprofile(hook)
    try:
        yield
    finally:
        sys.setprofile(previous)


def _notice_call(frame: FrameType, function: Any) -> None:
    owner, name = getattr(function, "__self__", None), function.__name__
    if isinstance(owner, random.Random) and name == "seed" and frame.f_code.co_name == "seed":
        seeded = frame.f_locals.get("a") is not None
        notice(frame, Kind.CONSTANT if seeded else Kind.HIDDEN, "random.Random")
        return
    found = original_name(function)
    if found is not None and name not in ("getstate", "setstate", "seed"):
        notice(frame, Kind.HIDDEN, found)
