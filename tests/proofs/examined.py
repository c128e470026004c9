"""Results that a test makes up: laws of one token, and a bench that hands them out."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from fractions import Fraction
from typing import Any

from proofs.engine.choices import Arithmetic
from proofs.engine.laws import Law
from proofs.engine.signals import Kind, Mark
from proofs.examination import Bench, Examined, Question, Results
from proofs.inputs import Input, Table
from proofs.judge import judge
from proofs.sequences import CallLaw

__all__ = ["HALF", "HALVES", "Scripted", "made", "nothing", "seen"]

HALF = Fraction(1, 2)
HALVES = Table((HALF, HALF))


def nothing(*_: Any) -> Any:
    """A verifier that is never called."""
    raise NotImplementedError


def seen(kind: Kind, reason: str = "why") -> Mark:
    return Mark(kind, reason, "mine.py:1")


def made(
    first: Fraction = HALF,
    *,
    of: Input | None = None,
    name: str = "made",
    arithmetic: Arithmetic = Arithmetic.EXACT,
    marks: tuple[Mark, ...] = (),
    remaining: Fraction = Fraction(0),
    paths: int = 2,
    reasons: tuple[str, ...] = (),
) -> Examined:
    """Return the result, on an even target, of a call that emits token 0 so often: lossless for a half."""
    found = Input(name, HALVES, HALVES, 0, 2) if of is None else Input(of.name, HALVES, HALVES, 0, 2)
    masses: CallLaw = {((), (0,)): first, ((), (1,)): 1 - first - remaining}
    judged = judge(masses, HALVES, HALVES, 0, 2, missing=remaining, reasons=reasons)
    law = Law(masses, paths=paths, remaining=remaining, crashes=(), refused=Fraction(0), marks=marks)
    return Examined(found, arithmetic, law, judged, HALVES)


class Scripted(Bench):
    """Hands out what `script` makes of each input, and remembers what it was asked."""

    def __init__(self, script: Callable[[Input, Arithmetic], Examined | str]) -> None:
        self._script = script
        self.asked: list[tuple[Arithmetic, str]] = []
        self.opened: list[tuple[bool, bool]] = []
        self.stops: list[tuple[Kind, ...]] = []

    @contextmanager
    def open(
        self, question: Question, allow_state: tuple[str, ...], *, single: bool = False, spread: bool = True
    ) -> Iterator[Results]:
        self.opened.append((single, spread))

        def results(
            inputs: Iterable[Input], arithmetic: Arithmetic, stop_at: Sequence[Kind] = ()
        ) -> Iterator[Examined | str]:
            self.stops.append(tuple(stop_at))
            for found in inputs:
                self.asked.append((arithmetic, found.name))
                yield self._script(found, arithmetic)

        yield results
