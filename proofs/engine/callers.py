"""Whose call it is: the program's, the engine's, an import's or the logger's.

A use of entropy or of a clock marks the path only where the program asked for it.
"""

import importlib
from pathlib import Path
from types import FrameType

from proofs.engine.signals import Kind, mark

__all__ = ["is_import", "notice"]

_ENGINE = str(Path(__file__).parent)
_INNOCENT_CALLERS = ("logging", "hypothesis.", "coverage")
# The libraries through whose frames a program's own call shows.
_GO_BETWEENS = frozenset({"random", "secrets", "uuid", "subprocess", "tempfile", "multiprocessing"})


def notice(frame: FrameType | None, kind: Kind, name: str) -> None:
    """Leave a mark for a call out of `frame`, unless it decides nothing.

    Parameters
    ----------
    frame : frame or None
        The caller's. Calls of the engine, of ``logging`` and of a first import are passed over.
    kind : Kind
        HIDDEN, or CONSTANT for a generator with a seed of its own.
    name : str
        What was called.
    """
    if not _is_innocent(frame):
        seeded = " with a seed of its own" if kind is Kind.CONSTANT else ""
        mark(kind, f"{name} was called{seeded}")


def _is_innocent(frame: FrameType | None) -> bool:
    while frame is not None and _module(frame).partition(".")[0] in _GO_BETWEENS:
        frame = frame.f_back
    if frame is None:
        return False
    return _is_engine(frame) or _module(frame).startswith(_INNOCENT_CALLERS) or is_import(frame)


def is_import(frame: FrameType | None) -> bool:
    """Tell whether an import is under way, in the program and not around the engine."""
    while frame is not None and not _is_engine(frame):
        if frame.f_code.co_filename.startswith("<frozen importlib"):
            return not _reloads(frame)
        frame = frame.f_back
    return False


def _reloads(frame: FrameType | None) -> bool:
    # A module that is loaded anew draws anew.
    while frame is not None and not _is_engine(frame):
        if frame.f_code is importlib.reload.__code__:
            return True
        frame = frame.f_back
    return False


def _is_engine(frame: FrameType) -> bool:
    return frame.f_code.co_filename.startswith(_ENGINE)


def _module(frame: FrameType) -> str:
    return str(frame.f_globals.get("__name__", ""))
