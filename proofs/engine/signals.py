"""How the engine says that a path cannot be vouched for, so that no ``except`` of a program hides it.

A mark is left on the path that is running before anything is raised, and what is raised is a
``BaseException``: a program that swallows it goes on, but its path stays marked.
"""

import bisect
import contextlib
import copy
import os
import pickle
import random
import sys
from contextvars import ContextVar
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from types import FrameType
from typing import NoReturn

import numpy as np

__all__ = ["Kind", "Mark", "Refusal", "collecting", "leave", "mark", "place_of", "refuse"]


class Kind(Enum):
    """What a mark says about the path that bears it."""

    REFUSED = "unsupported"  # the engine cannot follow the program: the path says nothing
    LEAK = "left exact arithmetic"  # right in exact arithmetic or not, floats took over in silence
    CONSTANT = "constant seed"  # draws that are the same in every run: a difference counts, agreement does not
    HIDDEN = "hidden randomness or state"  # the outcome rests on something that the engine does not branch over
    OPAQUE = "out of sight"  # a state that cannot be compared, or a look at the caller: no agreement rests on it
    SINGLE = "float32"  # the code rounds to float32: its tolerance is that of float32
    SWEPT = "swept"  # the law was searched for and not found out: a difference counts, agreement only if accepted
    NOTE = "seen"  # decides nothing
    GRID = "coin grid"  # the law is that of coins on a grid, which is named; decides nothing
    BOUNDARY = "coin at its end"  # decided by an outcome of probability zero that floats do reach


@dataclass(frozen=True)
class Mark:
    """One reason why a path cannot be vouched for, with the program's own line."""

    kind: Kind
    reason: str
    place: str

    def __str__(self) -> str:
        return f"{self.reason} ({self.place})" if self.place else self.reason


class Refusal(BaseException):
    """Raised through the program when the engine cannot follow it; the path is marked already."""


_MARKS: ContextVar[list[Mark] | None] = ContextVar("marks of the path that is running", default=None)

# Frames in here are never the program's own line.
_STANDARD_LIBRARY = tuple(
    str(module.__file__) for module in (bisect, contextlib, copy, pickle, random)
)  # what programs call with ours
_NOT_THE_PROGRAM = (
    str(Path(__file__).parent),
    str(Path(np.__file__).parent),
    str(Path(np.__file__).parents[1] / "torch") + os.sep,
    "<__array_function__",
    *_STANDARD_LIBRARY,
)


class collecting:  # noqa: N801 - a context manager, without a generator: one is entered for every run
    """Let the marks that are left meanwhile go into `marks`."""

    __slots__ = ("_marks", "_token")

    def __init__(self, marks: list[Mark]) -> None:
        self._marks = marks

    def __enter__(self) -> None:
        self._token = _MARKS.set(self._marks)

    def __exit__(self, *_: object) -> None:
        _MARKS.reset(self._token)


def mark(kind: Kind, reason: str, at: str | None = None) -> None:
    """Leave a mark on the path that is running, with its line or with `at`; outside a path there is nothing to mark."""
    marks = _MARKS.get()
    if marks is not None:
        marks.append(Mark(kind, reason, place() if at is None else at))


def leave(found: Mark) -> None:
    """Leave a mark that was collected apart on the path that is running."""
    marks = _MARKS.get()
    if marks is not None:
        marks.append(found)


def refuse(reason: str, kind: Kind = Kind.REFUSED, at: str | None = None) -> NoReturn:
    """Mark the path and leave it."""
    mark(kind, reason, at)
    raise Refusal(reason)


def place() -> str:
    """Return file and line of the innermost frame that is neither the engine's nor NumPy's."""
    frame: FrameType | None = sys._getframe(1)
    while frame is not None and _is_ours(frame.f_code.co_filename):
        frame = frame.f_back
    return "" if frame is None else f"{frame.f_code.co_filename}:{frame.f_lineno}"


def place_of(error: BaseException) -> str:
    """Return file and line of the innermost frame of a traceback that is neither the engine's nor NumPy's."""
    found, traceback = "", error.__traceback__
    while traceback is not None:
        if not _is_ours(traceback.tb_frame.f_code.co_filename):
            found = f"{traceback.tb_frame.f_code.co_filename}:{traceback.tb_lineno}"
        traceback = traceback.tb_next
    return found


def _is_ours(filename: str) -> bool:
    return filename.startswith(_NOT_THE_PROGRAM)
