"""Talking to a terminal or a pipe that may be closed, full or gone, and noticing Ctrl-C."""

import io
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import FrameType, TracebackType
from typing import Any

from proofs.verdicts import Finding, Outcome

__all__ = [
    "Aside", "Interrupts", "Progress", "Undelivered", "check_writable", "flush", "note", "same_file", "say",
    "show_each", "silence",
]  # fmt: skip


class Undelivered(Exception):
    """What was to be printed could not be: what nobody could read is not verified."""


def say(lines: Iterable[str]) -> None:
    """Print lines on stdout, or raise `Undelivered`."""
    if sys.stdout is None:
        raise Undelivered
    try:
        for line in lines:
            _print(line)
    except OSError as error:
        raise Undelivered from error


def _print(line: str) -> None:
    try:
        print(line)
    except UnicodeEncodeError:
        print(line.encode("ascii", "backslashreplace").decode("ascii"))


def flush() -> None:
    """See that what was said has left, or raise `Undelivered`."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        raise Undelivered from error


def note(text: str) -> None:
    """Print progress or a problem on stderr; that nobody reads it changes no verdict."""
    if sys.stderr is None:
        return
    try:
        print(text, file=sys.stderr, flush=True)
    except OSError:
        silence(sys.stderr.fileno())


class Aside(io.TextIOBase):
    """Where somebody else's code prints: stderr. That nobody reads it, or that it is closed, changes nothing."""

    def writable(self) -> bool:
        """Return True."""
        return True

    def write(self, text: str) -> int:
        """Pass the text on."""
        if sys.stderr is not None:
            try:
                sys.stderr.write(text)
                sys.stderr.flush()
            except OSError:
                silence(sys.stderr.fileno())
        return len(text)

    def close(self) -> None:
        """Do nothing: the stream is not the program's own."""


class Progress:
    """A line on a terminal that says how much of a long run is done, five times a second at most.

    Parameters
    ----------
    unit : str
        What is counted.
    """

    _EVERY = 0.2  # seconds

    def __init__(self, unit: str = "rows") -> None:
        self._unit = unit
        self._due = time.monotonic() + self._EVERY
        self._shown = False

    def show(self, done: int) -> None:
        """Write the number over the last one, if it is time and stderr is a terminal."""
        if time.monotonic() >= self._due and sys.stderr is not None and sys.stderr.isatty():
            print(f"\r{done} {self._unit}", end="", file=sys.stderr, flush=True)
            self._due = time.monotonic() + self._EVERY
            self._shown = True

    def end(self) -> None:
        """Clear the line."""
        if self._shown:
            print("\r" + " " * 24 + "\r", end="", file=sys.stderr, flush=True)
            self._shown = False


def silence(descriptor: int) -> None:
    """Send a stream nowhere, so that Python does not complain once more when it flushes at exit."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, descriptor)
    os.close(nowhere)


def show_each(results: Iterator[Any], show: Callable[[Any], None], interrupts: "Interrupts") -> None:
    """Show results as they come; Ctrl-C ends the run with what it has."""
    try:
        for result in results:
            show(result)
    except KeyboardInterrupt:
        interrupts.seen = True


def check_writable(path: str) -> None:
    """Raise `OSError` now rather than after the run, where that can be known without touching the file."""
    if not path or Path(path).is_dir():
        raise IsADirectoryError(None, "expected the name of a file")
    if not Path(path).parent.is_dir():
        raise NotADirectoryError(None, "its directory does not exist")


def same_file(one: str, other: str) -> bool:
    """Say whether two names are of one file; a link is the file that it leads to."""
    try:
        return os.path.samefile(one, other)
    except (OSError, ValueError):  # one of them does not exist, or is no name
        return False


class Interrupts:
    """Remembers that Ctrl-C was pressed, as well as raising ``KeyboardInterrupt``.

    The exception alone is not enough: raised inside a callback of the interpreter it is swallowed,
    and an interrupted run would end as if nothing had happened.
    """

    def __init__(self) -> None:
        self.seen = False
        self._before: object = None

    @property
    def findings(self) -> list[Finding]:
        """What it means for the verdict."""
        return [Finding(Outcome.UNVERIFIED, "interrupted")] if self.seen else []

    def __enter__(self) -> "Interrupts":
        # Handlers belong to the main thread, and one that somebody else has set stays.
        mine = threading.current_thread() is threading.main_thread()
        if mine and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
            self._before = signal.signal(signal.SIGINT, self._notice)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGINT, signal.default_int_handler)

    def _notice(self, number: int, frame: FrameType | None) -> None:
        self.seen = True
        signal.default_int_handler(number, frame)
