"""Torch as a random source: what is put in the place of its operators while paths run."""

from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from proofs.engine.choices import Path
from proofs.engine.signals import Kind, Refusal, mark
from proofs.engine.torch_exits import exits
from proofs.engine.torch_mode import Mode
from proofs.engine.torch_nodes import Step, Switches
from proofs.engine.torch_random import Streams, TorchRandom, state_of
from proofs.engine.torch_rules import Rules
from proofs.engine.torch_shadows import Shadows

__all__ = ["TorchSource"]

_AWAY = 1000  # words that a generator is moved on, so that no seed leads to where a path finds it


class _Idle(TorchDispatchMode):
    """Runs every operator as it is."""

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return func(*args, **(kwargs or {}))


class TorchSource:
    """Intercepts torch for the time of an exploration.

    Parameters
    ----------
    generators : sequence of torch.Generator
        Those that the program reaches; torch's own is one of them in any case.
    """

    def __init__(self, generators: Sequence[Any] = ()) -> None:
        # Torch imports much when it dispatches for the first time.
        with _Idle():  # type: ignore[no-untyped-call]
            torch.empty(0)
        self._generators = [torch.default_generator, *generators]
        self._shadows: Shadows | None = None
        self._switches = Switches()
        self._steps: dict[Any, Step] = {}
        self._kinds: dict[int, Any] = {}
        self._turn = 0
        self._stand_ins = tuple(exits(lambda: self._shadows))
        self._seeds: list[int] = []

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Put the stand-ins in their places and the generators out of the reach of seeds, and everything back."""
        with ExitStack() as stack:
            for generator in self._generators:
                stack.callback(generator.set_state, generator.get_state())
            # Other states in a replay: what a program reads out of them is not the same there.
            self._starts = {replaying: self._moved_on() for replaying in (False, True)}
            yield

    def _moved_on(self) -> list[tuple[Any, Any, bytes]]:
        for generator in self._generators:
            torch.empty(_AWAY, dtype=torch.int32).random_(generator=generator)
        return [(generator, generator.get_state(), state_of(generator)) for generator in self._generators]

    @contextmanager
    def running(self, draws: Any, path: Path, *, replaying: bool) -> Iterator[None]:
        """Let torch draw from `draws` for the time of one run."""
        starts = self._starts[replaying]
        for generator, state, _ in starts:
            generator.set_state(state)
        self._turn += not replaying
        shadows, streams = Shadows(self._turn), Streams([state for *_, state in starts])
        rules = None if replaying else Rules(path, shadows, self._switches, self._steps)
        self._shadows = shadows
        try:
            random = TorchRandom(draws, shadows, streams, replaying=replaying)
            # A replay has torch's own methods: who looks at them sees others there.
            with (
                self._put_in(replaying),
                Mode(shadows, rules, random, self._kinds),
            ):
                yield
        except Refusal:
            raise  # and is reason enough
        except BaseException:
            self._look_at_generators(streams, replaying=replaying)
            raise
        else:
            self._look_at_generators(streams, replaying=replaying)
        finally:
            self._shadows = None

    @contextmanager
    def _put_in(self, replaying: bool) -> Iterator[None]:
        stand_ins = () if replaying else self._stand_ins
        before = [(owner, name, vars(owner).get(name)) for owner, name, _ in stand_ins]
        for owner, name, stand_in in stand_ins:
            setattr(owner, name, stand_in)
        try:
            yield
        finally:
            for owner, name, original in before:
                _put_back(owner, name, original)

    def _look_at_generators(self, streams: Streams, *, replaying: bool) -> None:
        if replaying and streams.seeds != self._seeds:
            mark(Kind.HIDDEN, "a generator of torch has another seed in every run", "")
        self._seeds = streams.seeds
        for generator in self._generators:
            if streams.place(generator) is None and not streams.is_constant(generator):
                mark(Kind.HIDDEN, "a generator of torch is in a state that no draw of the run led to", "")


def _put_back(owner: Any, name: str, original: Any) -> None:
    if original is None:
        delattr(owner, name)
    else:
        setattr(owner, name, original)
