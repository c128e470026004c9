"""What a path of the law engine costs, what the default battery costs, and how far rounding takes right verifiers.

Run it as ``python -m tests.benchmarks.law`` in a clone, with ``OMP_NUM_THREADS=1``. Times are CPU seconds, the best of
several runs (wall seconds for the command line, which starts processes). A path is counted once, and its time is that
of the run and of its replay together.
"""

import argparse
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from proofs.checking import verdict_on
from proofs.engine.choices import Arithmetic
from proofs.engine.exploration import Explorer, Run
from proofs.engine.laws import Law
from proofs.engine.signals import Kind
from proofs.examination import Examined, Examiner, Question, Results, default_tolerance
from proofs.inputs import Input
from proofs.plans import PATHS
from tests.verifiers import CONTROLS, Control
from tests.verifiers.records import B0, I3

__all__ = ["main", "reference"]

ROOT = Path(__file__).parents[2]
PAIRS = (I3, B0)
GAMMA = 2


def reference(target: Any, draft: Any, tokens: Any, rng: Any) -> list[Any]:
    """Verify a chain by the token rule, as one writes it with NumPy."""
    for i, x in enumerate(tokens):
        if rng.random() * draft[i, x] >= target[i, x]:
            gains = np.maximum(target[i] - draft[i], 0)
            return [*tokens[:i], rng.choice(len(gains), p=gains / gains.sum())]
    return [*tokens, rng.choice(target.shape[1], p=target[-1])]


def in_plain_python(target: Sequence[Fraction], draft: Sequence[Fraction], gamma: int) -> Callable[[Any], Any]:
    """Return the drafting and the verifying of a chain in loops over lists of fractions."""
    size = len(target)

    def program(rng: Any) -> tuple[int, ...]:
        tokens = [rng.choice(size, p=draft) for _ in range(gamma)]
        for i, x in enumerate(tokens):
            if rng.random() * draft[x] >= target[x]:
                gains = [max(p - q, Fraction(0)) for p, q in zip(target, draft, strict=True)]
                mass = sum(gains)
                return (*tokens[:i], rng.choice(size, p=[gain / mass for gain in gains]))
        return (*tokens, rng.choice(size, p=target))

    return program


# --- a bench with a clock


@dataclass
class Clock:
    """CPU seconds of the explorations, and of the replays in them; paths; the units of rounding that were met."""

    explored: float = 0.0
    replayed: float = 0.0
    paths: int = 0
    units: list[Fraction] = field(default_factory=list)

    def per_path(self) -> str:
        """Return what a path costs."""
        share = self.replayed / self.explored
        return f"{1e6 * self.explored / self.paths:7.1f} us a path, {share:.0%} of it the replay ({self.paths} paths)"


class TimedExplorer(Explorer):
    """An explorer that looks at the clock."""

    def __init__(self, functions: Any, allow_state: Any = (), *, clock: Clock) -> None:
        super().__init__(functions, allow_state)
        self._clock = clock

    def explore(self, *args: Any, **options: Any) -> Law:
        """Return the law of a program."""
        start = time.process_time()
        law = super().explore(*args, **options)
        self._clock.explored += time.process_time() - start
        self._clock.paths += law.paths
        return law

    def _replay(self, program: Any, path: Any, outcome: Any) -> None:
        start = time.process_time()
        super()._replay(program, path, outcome)
        self._clock.replayed += time.process_time() - start


class TimedBench:
    """Examines inputs in this process, under a `TimedExplorer`."""

    def __init__(self) -> None:
        self.clock = Clock()

    def open(
        self, question: Question, allow_state: tuple[str, ...], *, single: bool = False, spread: bool = True
    ) -> AbstractContextManager[Results]:
        """Return a context in which inputs are examined."""
        return self._here(question, allow_state, single)

    @contextmanager
    def _here(self, question: Question, allow_state: tuple[str, ...], single: bool) -> Iterator[Results]:
        with TimedExplorer(question.functions, allow_state, clock=self.clock) as explorer:
            examiner = Examiner(explorer, question, single=single)

            def results(
                inputs: Iterable[Input], arithmetic: Arithmetic, stop_at: Sequence[Kind] = ()
            ) -> Iterator[Examined]:
                for found in inputs:
                    examined = examiner.examine(found, arithmetic, stop_at)
                    self.clock.units.append(_units(examined, single=single))
                    yield examined

            yield results


def _units(found: Examined, *, single: bool) -> Fraction:
    """Return the distance of a law in units of (gamma + 1) V eps, 0 in exact arithmetic."""
    if found.arithmetic is Arithmetic.EXACT:
        return Fraction(0)
    rounds = Arithmetic.FLOAT32 if single or found.marked(Kind.SINGLE) else found.arithmetic
    four_units = default_tolerance(rounds, found.input.gamma, found.input.vocabulary)
    return 4 * found.judgement.total_variation / four_units


# --- the figures


def _best(run: Callable[[], Clock], repeats: int) -> Clock:
    return min((run() for _ in range(repeats)), key=lambda clock: clock.explored)


def _plain(gamma: int) -> Clock:
    clock = Clock()
    for target, draft in PAIRS:
        program = in_plain_python(target, draft, gamma)
        with TimedExplorer((program,), clock=clock) as explorer:
            explorer.explore(_from_run(program), Arithmetic.EXACT)
    return clock


def _from_run(program: Callable[[Any], Any]) -> Callable[[Run], Any]:
    return lambda run: program(run.rng)


def _numpy(arithmetic: str, gamma: int) -> Clock:
    bench = TimedBench()
    inputs = [([target] * (gamma + 1), [draft] * gamma) for target, draft in PAIRS]
    if arithmetic == "float64":
        inputs = inputs[1:]  # rows that are floats
    verdict_on(reference, gamma=gamma, arithmetic=arithmetic, inputs=inputs, bench=bench)
    return bench.clock


def paths(gamma: int, repeats: int) -> Iterator[str]:
    """Yield what a path costs in each spelling of the reference verifier."""
    yield f"lists of fractions {_best(lambda: _plain(gamma), repeats).per_path()}"
    yield f"NumPy, exact       {_best(lambda: _numpy('exact', gamma), repeats).per_path()}"
    yield f"NumPy, float64     {_best(lambda: _numpy('float64', gamma), repeats).per_path()}"


def battery(beyond: int, repeats: int) -> str:
    """Return what the battery costs as `check` runs it, with so many paths beyond its core."""
    found: list[tuple[float, str]] = []
    for _ in range(repeats):
        bench = TimedBench()
        start = time.process_time()
        verdict = verdict_on(reference, paths=beyond, bench=bench)
        seconds = time.process_time() - start
        judging = (seconds - bench.clock.explored) / seconds
        counts = f"{len(bench.clock.units)} inputs, {bench.clock.paths} paths"
        found.append((seconds, f"{seconds:.2f} s, {counts}, {judging:.0%} of it not exploring: {verdict.status.value}"))
    return f"battery            {min(found)[1]}"


def command(beyond: int) -> str:
    """Return the wall seconds of the command line with one process and with two, its start included."""
    words = [sys.executable, "-m", "proofs", "check", f"{__spec__.name}:reference", "--paths", str(beyond)]
    seconds = []
    for jobs in (1, 2):
        start = time.perf_counter()
        subprocess.run([*words, "--jobs", str(jobs)], cwd=ROOT, check=True, capture_output=True)
        seconds.append(time.perf_counter() - start)
    one, two = seconds
    return (
        f"command line       {one:.2f} s wall with --jobs 1, {two:.2f} s with --jobs 2 ({one / two:.2f} times as fast)"
    )


def rounding(controls: Iterable[Control], beyond: int) -> Iterator[str]:
    """Yield the worst distance of each right verifier in float64, in units of (gamma + 1) V eps of its dtype."""
    worst = Fraction(0)
    for control in controls:
        bench = TimedBench()
        verdict = verdict_on(
            control.verify,
            gamma=control.gamma,
            drafter=control.drafter,
            arithmetic="float64",
            paths=beyond,
            bench=bench,
        )
        units = max(bench.clock.units)
        if verdict:
            worst = max(worst, units)
        said = "" if verdict else f"  ({verdict.status.value}: not counted)"
        yield f"  {float(units):6.3f}  {control.name}{said}"
    yield f"worst distance of a control: {float(worst):.3f} (gamma + 1) V eps; the default tolerance is 4"


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.law", description=__doc__)
    parser.add_argument("--paths", type=int, default=PATHS, help="beyond the core battery (default: %(default)s)")
    parser.add_argument("--beyond", type=int, default=2_000, help="the same, for the controls (default: %(default)s)")
    parser.add_argument("--gamma", type=int, default=GAMMA, help="of the paths that are timed (default: %(default)s)")
    parser.add_argument("--repeats", type=int, default=5, help="of each timing (default: %(default)s)")
    parser.add_argument("--controls", type=int, default=len(CONTROLS), help="how many (default: all)")
    asked = parser.parse_args(arguments)
    print(*paths(asked.gamma, asked.repeats), sep="\n", flush=True)
    print(battery(asked.paths, min(asked.repeats, 3)), flush=True)
    print(command(asked.paths), flush=True)
    for line in rounding(CONTROLS[: asked.controls], asked.beyond):
        print(line, flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
