"""Where the command ``check`` examines inputs: here or in worker processes, until somebody presses Ctrl-C."""

import itertools
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from contextlib import closing, contextmanager, redirect_stdout
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from proofs.console import Aside, Interrupts
from proofs.engine.choices import Arithmetic
from proofs.engine.signals import Kind
from proofs.examination import Bench, Examined, Question, Results
from proofs.inputs import Input
from proofs.loading import load
from proofs.workers import ordered_map

__all__ = ["CommandBench", "Specs"]

# Inputs that a worker process takes at a time: one at first, so that an early interrupt has something to show.
_SINGLES, _BATCH = 16, 16


@dataclass(frozen=True)
class Specs:
    """What is checked, by name, so that another process can load it."""

    verifier: str
    drafter: str | None = None


class CommandBench(Bench):
    """Examines inputs until it is interrupted; an interrupt that the verifier swallows counts.

    Parameters
    ----------
    specs : Specs
    jobs : int
        Number of worker processes; with 1 everything happens in this process. The results come in order.
    interrupts : Interrupts
    """

    def __init__(self, specs: Specs, jobs: int, interrupts: Interrupts) -> None:
        self._specs = specs
        self._jobs = jobs
        self._interrupts = interrupts

    @contextmanager
    def open(
        self, question: Question, allow_state: tuple[str, ...], *, single: bool = False, spread: bool = True
    ) -> Iterator[Results]:
        """Return a context in which inputs are examined, side by side with more than one process."""
        if spread and self._jobs > 1:
            yield partial(self._until_interrupted, partial(self._elsewhere, question, allow_state, single))
        else:
            with super().open(question, allow_state, single=single) as results:
                yield partial(self._until_interrupted, results)

    def _elsewhere(
        self,
        question: Question,
        allow_state: tuple[str, ...],
        single: bool,
        inputs: Iterable[Input],
        arithmetic: Arithmetic,
        stop_at: Sequence[Kind] = (),
    ) -> Iterator[Examined]:
        named = replace(question, verify=_nothing, drafter=None)  # functions do not travel, their names do
        work = _Work(self._specs, named, allow_state, single, arithmetic, tuple(stop_at))
        batches = ordered_map(partial(_examine, work), _batches(inputs), self._jobs)
        with closing(batches) as done:  # type: ignore[type-var]
            for batch in done:
                yield from batch

    def _until_interrupted(self, results: Results, *asked: Any) -> Iterator[Examined | str]:
        if self._interrupts.seen:
            yield "interrupted"
            return
        broken = ""
        with closing(results(*asked)) as examined:  # type: ignore[type-var]
            while True:
                try:
                    found = next(examined, None)
                except KeyboardInterrupt:
                    self._interrupts.seen = True
                except BrokenExecutor:
                    broken = "a worker process was ended"
                # An input on which the verifier met the interrupt itself says nothing.
                broken = "interrupted" if self._interrupts.seen else broken
                if broken or found is None:
                    break
                yield found
        if broken:
            yield broken


@dataclass(frozen=True)
class _Work:
    """What a worker process must know."""

    specs: Specs
    question: Question
    allow_state: tuple[str, ...]
    single: bool
    arithmetic: Arithmetic
    stop_at: tuple[Kind, ...]


def _nothing(*_: Any) -> None:
    """Stand in for a verifier on its way to another process."""


def _batches(inputs: Iterable[Input]) -> Iterator[list[Input]]:
    """Yield the inputs in batches: to look at a verifier's surroundings and patch modules takes as long as paths do."""
    left = iter(inputs)
    for found in itertools.islice(left, _SINGLES):
        yield [found]
    while batch := list(itertools.islice(left, _BATCH)):
        yield batch


def _examine(work: _Work, batch: list[Input]) -> list[Examined]:
    specs = work.specs
    with redirect_stdout(Aside()):
        drafter = None if specs.drafter is None else load(specs.drafter)
        question = replace(work.question, verify=load(specs.verifier), drafter=drafter)
        with Bench().open(question, work.allow_state, single=work.single) as results:
            return list(results(batch, work.arithmetic, work.stop_at))  # type: ignore[arg-type]
