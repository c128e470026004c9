"""A program that is asked line by line: started once, waited for with a limit, ended by its own process group."""

import contextlib
import os
import select
import signal
import subprocess
from collections.abc import Sequence

# Bound here and now: while paths run, `time.monotonic` is watched, and this clock decides nothing but when to stop.
from time import monotonic, sleep

from proofs.errors import ProofsError

__all__ = ["ExecError", "LineProcess"]

_MOST = 1 << 20  # bytes of one line
_TAIL = 1 << 14  # bytes of stderr that are kept
_CHUNK = 1 << 16
_GRACE = 1.0  # seconds to leave in, once nothing more is asked


class ExecError(ProofsError):
    """The program did not answer; the text goes on from "the external verifier"."""


class LineProcess:
    """A program that reads a line and writes a line.

    It has a session of its own, so that Ctrl-C reaches it through this object alone. There are no threads: its
    stderr is read while it is waited for, and the end of it is kept.

    Parameters
    ----------
    arguments : sequence of str
        The program and its arguments; no shell is involved.

    Raises
    ------
    OSError
        If it cannot be started.
    """

    # Slots, which the law engine does not look into: what goes on here is the conversation, and no state of a verifier.
    __slots__ = ("_buffer", "_errors", "_process", "_readers")

    def __init__(self, arguments: Sequence[str]) -> None:
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            arguments, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0, start_new_session=True
        )
        self._buffer, self._errors = b"", b""
        self._readers = [self._descriptor("stdout"), self._descriptor("stderr")]
        for descriptor in (self._descriptor("stdin"), *self._readers):
            os.set_blocking(descriptor, False)

    def _descriptor(self, name: str) -> int:
        number: int = getattr(self._process, name).fileno()
        return number

    @property
    def pid(self) -> int:
        """Number of the process, and of its group."""
        return self._process.pid

    def ask(self, line: bytes, timeout: float) -> bytes:
        """Write a line, and return the next line that comes.

        Parameters
        ----------
        line : bytes
            With its newline; empty to wait for a line without asking.
        timeout : float
            Seconds for all of it.

        Returns
        -------
        bytes
            Without the newline.

        Raises
        ------
        ExecError
            If the line does not come in time, is too long, is one of several, or the program ends first.
        """
        deadline, left = monotonic() + timeout, memoryview(line)
        while left or b"\n" not in self._buffer:
            wait = deadline - monotonic()
            if wait <= 0:
                raise ExecError(f"gave no answer within {timeout:g} s")
            left = self._moved(left, wait)
        answer, _, self._buffer = self._buffer.partition(b"\n")
        if self._buffer:
            raise ExecError(f"wrote more than one line: {_shown(answer)}, then {_shown(self._buffer)}")
        return answer

    def _moved(self, left: memoryview, wait: float) -> memoryview:
        """Write and read what can be, and return what is left to write."""
        stdin, stdout = self._descriptor("stdin"), self._descriptor("stdout")
        readable, writable, _ = select.select(self._readers, [stdin] if left else [], [], wait)
        if writable:
            left = left[self._written(left) :]
        for descriptor in readable:
            found = os.read(descriptor, _CHUNK)
            if descriptor != stdout:
                self._keep(found, descriptor)
            elif not found:
                raise ExecError(self._end_in_words())
            else:
                self._buffer += found
        if len(self._buffer) > _MOST:
            raise ExecError(f"wrote more than {_MOST} bytes for one answer: {_shown(self._buffer)}")
        return left

    def _written(self, left: memoryview) -> int:
        try:
            return os.write(self._descriptor("stdin"), left[:_CHUNK])
        except BlockingIOError:
            return 0
        except BrokenPipeError:
            return len(left)  # nobody reads: what comes from the other end says why

    def _keep(self, found: bytes, descriptor: int) -> None:
        if not found:
            self._readers.remove(descriptor)
        self._errors = (self._errors + found)[-_TAIL:]

    def _end_in_words(self) -> str:
        unfinished = f", in the middle of {_shown(self._buffer)}" if self._buffer else ""
        if not self._has_left():
            return f"closed its standard output{unfinished}"
        status = self.end()
        how = f"with exit status {status}" if status >= 0 else f"by signal {-status}"
        return f"ended {how}{unfinished}"

    def _has_left(self) -> bool:
        """Wait for the end without taking note of it: until then its number is nobody else's."""
        until = monotonic() + _GRACE
        while monotonic() < until:
            if os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT | os.WNOHANG) is not None:
                return True
            sleep(0.005)
        return False

    def end(self, *, at_once: bool = False) -> int:
        """End the program and everything in its group, and return its exit status; again: the same.

        Parameters
        ----------
        at_once : bool
            Otherwise its input is closed, and it has a second to leave by itself.
        """
        if self._process.returncode is None:
            with contextlib.suppress(OSError):
                self._process.stdin.close()  # type: ignore[union-attr]
            if not at_once:
                self._has_left()
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, signal.SIGKILL)
            self._process.wait()
            self._close()
        return self._process.returncode

    def _close(self) -> None:
        stdout, stderr = self._process.stdout, self._process.stderr
        with contextlib.suppress(BlockingIOError, OSError):
            while found := os.read(self._descriptor("stderr"), _CHUNK):
                self._errors = (self._errors + found)[-_TAIL:]
        for stream in (stdout, stderr):
            stream.close()  # type: ignore[union-attr]

    def last_errors(self, most: int = 20) -> list[str]:
        """Return the last lines of its stderr that have come so far, at most so many; none if it wrote none."""
        return self._errors.decode("utf-8", "backslashreplace").splitlines()[-most:]


def _shown(text: bytes) -> str:
    """Return the beginning of what was written, as it can be printed."""
    return ascii(text[:80].decode("utf-8", "backslashreplace")) + ("..." if len(text) > 80 else "")
