"""A verifier in another language, as one that `check` calls: the program is asked, and its coins are arguments."""

import shlex
from collections import deque
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from proofs.engine.signals import Kind, mark, refuse
from proofs.errors import ProofsError
from proofs.exec_process import ExecError, LineProcess
from proofs.exec_protocol import Answer, Greeting, read_answer, read_greeting, request_line

__all__ = ["START_TIMEOUT", "TIMEOUT", "External", "ExternalVerifierError", "external"]

TIMEOUT = 10.0  # seconds for one answer
START_TIMEOUT = 60.0  # for the greeting: some programs load a model first

# Requests that are asked twice: so many at first, then one in so many. As many of the first, and of the latest of
# these, are asked again in turn.
_FIRST, _EVERY = 64, 16


class ExternalVerifierError(RuntimeError):
    """The program answered with an error: a crash of the verifier."""


class External:
    """A verifier behind the line protocol; `external` makes one.

    Parameters
    ----------
    process : LineProcess
    greeting : Greeting
    timeout : float
        Seconds for one answer.
    """

    # Slots, which the law engine does not look into: what is in here is the conversation. The verifier's own state
    # is in another process; it shows when requests are asked again.
    __slots__ = ("_checked", "_first", "_gone", "_greeting", "_latest", "_number", "_process", "_timeout", "_words")

    def __init__(self, process: LineProcess, greeting: Greeting, timeout: float) -> None:
        self._process, self._greeting, self._timeout = process, greeting, timeout
        self._number = self._checked = 0
        self._gone: str | None = None
        self._words = ""
        self._first: list[tuple[_Request, Answer]] = []
        self._latest: deque[tuple[_Request, Answer]] = deque(maxlen=_FIRST)

    def __call__(self, target: Any, draft: Any, tokens: Any, rng: Any) -> list[int]:
        """Ask the program.

        Parameters
        ----------
        target, draft, tokens : ndarray
            Float64 or float32 rows.
        rng : the checker's random source, or a numpy.random.Generator

        Returns
        -------
        list of int

        Raises
        ------
        ExternalVerifierError
            If the program answers with an error.
        """
        if target.dtype.kind != "f":
            refuse("an external verifier takes floats", Kind.LEAK, at="")
        request = _Request(target.tolist(), draft.tolist(), tokens.tolist(), self._coins(len(tokens), rng))
        answer = self._answer(request)
        self._ask_again(request, answer)
        if answer.error is not None:
            self._note(answer.error)
            raise ExternalVerifierError(answer.error)
        return list(answer.tokens)

    def _note(self, words: str) -> None:
        """Leave a note of the first error alone: their words may differ from coin to coin."""
        self._words = self._words or words
        if words == self._words:
            mark(Kind.NOTE, f"the external verifier answered with an error: {ascii(words)[1:-1]}", at="")

    def _coins(self, gamma: int, rng: Any) -> list[float]:
        count, dtype = self._greeting.coins(gamma), self._greeting.dtype
        if not count:
            return []
        # A generator of NumPy's has no coins as such: it draws them.
        draw = rng.coins if hasattr(rng, "coins") else rng.random
        found: list[float] = draw((count,), dtype).tolist()
        return found

    def _answer(self, request: "_Request") -> Answer:
        if self._gone is None:
            self._number += 1
            line = self._line(request)
            try:
                return read_answer(self._process.ask(line, self._timeout), self._number)
            except ExecError as error:
                self._give_up(str(error))
            except BaseException:  # Ctrl-C: an answer may still come, and would be taken for that to the next request
                self._give_up("was interrupted")
                raise
        # Whatever the trouble came from, it may have had a part in every answer to this input: none is believed.
        return refuse(f"the external verifier {self._gone}", Kind.HIDDEN, at=str(request))

    def _line(self, request: "_Request") -> bytes:
        try:
            return request.line(self._number, exact=self._greeting.exact)
        except ValueError:
            refuse("an external verifier takes finite numbers: JSON has no others", at=str(request))

    def _give_up(self, why: str) -> None:
        """Remember the first trouble, and end the program: it is never started again in silence."""
        self._gone = f"{why} (request {self._number})"
        self._process.end(at_once=True)

    def _ask_again(self, request: "_Request", answer: Answer) -> None:
        """Ask this request once more, and two earlier ones: a program with state or luck answers otherwise."""
        self._checked += 1
        if self._checked > _FIRST and self._checked % _EVERY:
            return
        earlier = [known[self._checked % len(known)] for known in (self._first, self._latest) if known]
        for known, before in [(request, answer), *earlier]:
            again = self._answer(known)
            if (again.tokens, again.error is None) != (before.tokens, before.error is None):  # words may differ
                _differs(known, before, again)
        (self._first if len(self._first) < _FIRST else self._latest).append((request, answer))

    def last_errors(self) -> list[str]:
        """Return the last lines of the program's stderr."""
        return self._process.last_errors()


def _differs(request: "_Request", before: Answer, again: Answer) -> None:
    refuse(
        f"asked the same again, the external verifier answered {_said(again)} and not {_said(before)}",
        Kind.HIDDEN,
        at=str(request),
    )


def _said(answer: Answer) -> str:
    return str(list(answer.tokens)) if answer.error is None else f"an error ({ascii(answer.error)[1:-1]})"


class _Request:
    """What is asked, without its number."""

    __slots__ = ("coins", "draft", "target", "tokens")

    def __init__(self, target: Any, draft: Any, tokens: list[int], coins: list[float]) -> None:
        self.target, self.draft, self.tokens, self.coins = target, draft, tokens, coins

    def line(self, number: int, *, exact: bool) -> bytes:
        return request_line(number, self.target, self.draft, self.tokens, self.coins, exact=exact)

    def __str__(self) -> str:
        return f"tokens {self.tokens}, coins {self.coins}"


@contextmanager
def external(
    command: str | Sequence[str], *, timeout: float = TIMEOUT, start_timeout: float = START_TIMEOUT
) -> Iterator[External]:
    """Start a verifier that is a program, and end it afterwards.

    Parameters
    ----------
    command : str or sequence of str
        The program and its arguments; a text is split as a shell would, and no shell is involved. It speaks the
        protocol of docs/protocol.md on its standard input and output.
    timeout : float
        Seconds for one answer. A program that takes longer is ended, and what it was asked is unverified.
    start_timeout : float
        Seconds for the greeting.

    Yields
    ------
    callable
        verify(target, draft, tokens, rng) for `check` with float arithmetic. It draws
        ``rng.coins((count,), dtype)`` once a call, as many as the greeting says; of a program that wants none it
        draws nothing.

    Raises
    ------
    ProofsError
        If the command is empty or cannot be split, a time is not positive, the program cannot be started, or does not
        greet.
    """
    arguments = _arguments(command)
    for name, seconds in (("timeout", timeout), ("start_timeout", start_timeout)):
        if not 0 < seconds < float("inf"):
            raise ProofsError(f"{name} = {seconds!r}; expected seconds, more than 0.")
    try:
        process = LineProcess(arguments)
    except (OSError, ValueError) as error:
        raise ProofsError(f"{arguments[0]!a} cannot be started: {getattr(error, 'strerror', None) or error}") from error
    try:
        greeting = _greeting(process, start_timeout)
        yield External(process, greeting, timeout)
    finally:
        process.end()


def _arguments(command: str | Sequence[str]) -> list[str]:
    try:
        found = shlex.split(command) if isinstance(command, str) else [*command]
    except ValueError as error:
        raise ProofsError(f"the command {command!a} cannot be split: {error}") from None
    if not found:
        raise ProofsError("the command is empty; expected a program and its arguments")
    return found


def _greeting(process: LineProcess, timeout: float) -> Greeting:
    try:
        return read_greeting(process.ask(b"", timeout))
    except ExecError as error:
        process.end(at_once=True)
        said = process.last_errors(1)
        more = f"; the last line of its stderr: {said[0]!a}" if said else ""
        raise ProofsError(f"the external verifier {error}, where its greeting was due{more}") from None
