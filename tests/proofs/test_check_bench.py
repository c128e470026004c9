"""Inputs examined here and in worker processes: the same results, in order, until an interrupt."""

import signal
from collections.abc import Iterator
from concurrent.futures import BrokenExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from proofs import battery
from proofs.check_bench import CommandBench, Specs
from proofs.console import Interrupts
from proofs.engine.choices import Arithmetic
from proofs.examination import Examined, Question
from proofs.loading import load

RIGHT = """
def verify(target, draft, tokens, rng):
    print("heard on stderr alone")
    for i, t in enumerate(tokens):
        if rng.random() * draft[i, t] >= target[i, t]:
            rest = (target[i] - draft[i]).clip(0, 1)
            return [*tokens[:i], rng.choice(len(rest), p=rest / rest.sum())]
    return [*tokens, rng.choice(len(target[-1]), p=target[-1])]


def first(prefix, row, rng):
    return int(rng.choice(len(row), p=row))
"""


@pytest.fixture
def specs(tmp_path: Path) -> Specs:
    path = tmp_path / "mine.py"
    path.write_text(RIGHT, encoding="utf-8")
    return Specs(f"{path}:verify", f"{path}:first")


def _results(specs: Specs, jobs: int, interrupts: Interrupts, *, spread: bool = True) -> Iterator[Examined | str]:
    question = Question(load(specs.verifier), None if specs.drafter is None else load(specs.drafter))
    with CommandBench(specs, jobs, interrupts).open(question, (), spread=spread) as results:
        yield from results(battery.core(1, 2, exact=True), Arithmetic.EXACT)


def _shown(found: Examined | str) -> Any:
    return found if isinstance(found, str) else (found.input.name, dict(found.law), found.law.paths, found.judgement)


def test_workers_give_the_same_results_in_order(specs: Specs) -> None:
    one, two = ([_shown(found) for found in _results(specs, jobs, Interrupts())] for jobs in (1, 2))
    assert one == two
    assert [name for name, *_ in one] == [found.name for found in battery.core(1, 2, exact=True)]
    assert all(judged.status == "lossless" for *_, judged in one)


@pytest.mark.parametrize("jobs", [1, 2])
def test_interrupt_ends_the_results_and_says_so(specs: Specs, jobs: int) -> None:
    interrupts = Interrupts()
    with closing(_results(specs, jobs, interrupts)) as results:  # type: ignore[type-var]
        assert isinstance(next(results), Examined)
        interrupts.seen = True  # as if the verifier had swallowed the exception
        assert list(results) == ["interrupted"]
    assert list(_results(specs, jobs, interrupts)) == ["interrupted"]


def test_interrupt_that_is_raised_by_a_path(specs: Specs, monkeypatch: pytest.MonkeyPatch) -> None:
    interrupts = Interrupts()
    right = battery.core

    def interrupting(*given: Any, **options: Any) -> Any:
        for at, found in enumerate(right(*given, **options)):
            if at == 2:
                signal.raise_signal(signal.SIGINT)
            yield found

    monkeypatch.setattr(battery, "core", interrupting)
    found = list(_results(specs, 1, interrupts))
    assert [isinstance(one, Examined) for one in found] == [True, True, False]
    assert found[-1] == "interrupted"
    assert interrupts.seen


def test_worker_that_is_ended_from_outside(specs: Specs, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_: Any) -> Iterator[Any]:
        raise BrokenExecutor
        yield

    monkeypatch.setattr("proofs.check_bench.ordered_map", broken)
    assert list(_results(specs, 2, Interrupts())) == ["a worker process was ended"]


def test_single_inputs_are_examined_here(specs: Specs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proofs.check_bench.ordered_map", None)
    assert all(isinstance(found, Examined) for found in _results(specs, 2, Interrupts(), spread=False))


def test_workers_print_on_stderr_alone(
    specs: Specs, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """A worker that does not inherit the streams of its parent redirects them itself."""
    monkeypatch.setattr("proofs.check_bench.ordered_map", lambda function, items, jobs: (function(x) for x in items))
    assert all(isinstance(found, Examined) for found in _results(specs, 2, Interrupts()))
    captured = capsys.readouterr()
    assert captured.out == ""
    assert "heard on stderr alone" in captured.err
