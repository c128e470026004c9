"""Which inputs are run in which arithmetic, when a run ends, and what is taken in: with results that are made up."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from proofs.battery_runs import Run, applies, run_battery
from proofs.engine.choices import Arithmetic
from proofs.engine.signals import Kind
from proofs.examination import Examined
from proofs.inputs import Input
from proofs.plans import DEFAULTS, Plan, plan_of
from proofs.verdict import Acceptance
from proofs.verdicts import Status
from tests.proofs.examined import HALF, Scripted, made, nothing, seen

EXACT, FLOAT64, FLOAT32 = Arithmetic.EXACT, Arithmetic.FLOAT64, Arithmetic.FLOAT32
EVEN = ["1/2", "1/2"]
FOUR = [(EVEN, EVEN)] * 4
OFF = Fraction(3, 4)

Script = Callable[[Input, Arithmetic], Examined | str]


def _run(script: Script, **changes: Any) -> tuple[list[Run], Scripted]:
    bench = Scripted(script)
    return run_battery(_plan(**{"inputs": FOUR, **changes}, bench=bench)), bench


def _plan(**changes: Any) -> Plan:
    return plan_of(nothing, **{**DEFAULTS, "gamma": 0, **changes})


def _right(found: Input, arithmetic: Arithmetic) -> Examined:
    return made(of=found, arithmetic=arithmetic)


def _at(place: int, **changes: Any) -> Script:
    """All is well but at one input of the caller's, in exact arithmetic."""

    def script(found: Input, arithmetic: Arithmetic) -> Examined:
        special = found.name == f"inputs[{place}]" and arithmetic is EXACT
        return made(of=found, arithmetic=arithmetic, **(changes if special else {}))

    return script


# --- arithmetics


@pytest.mark.parametrize(
    ("arithmetic", "expected"),
    [("auto", [EXACT]), ("exact", [EXACT]), ("float64", [FLOAT64]), ("float32", [FLOAT32])],
)
def test_arithmetic_is_the_one_that_is_asked_for(arithmetic: str, expected: list[Arithmetic]) -> None:
    runs, bench = _run(_right, arithmetic=arithmetic)
    assert [run.arithmetic for run in runs] == expected
    assert bench.asked == [(expected[0], f"inputs[{at}]") for at in range(4)]
    assert (runs[0].core, runs[0].paths, runs[0].statuses) == (4, 8, [Status.LOSSLESS] * 4)
    assert bench.stops == [(Kind.LEAK,) if arithmetic == "auto" else ()]


def test_path_that_leaves_exact_arithmetic_starts_the_battery_again_in_float64() -> None:
    leak = seen(Kind.LEAK, "left")
    runs, bench = _run(_at(2, marks=(seen(Kind.NOTE), leak), reasons=("left",), paths=5))
    assert [run.arithmetic for run in runs] == [EXACT, FLOAT64]
    assert (runs[0].left, runs[0].core, runs[0].paths) == (leak, 2, 9)
    assert (runs[1].left, runs[1].core, runs[1].status) == (None, 4, Status.LOSSLESS)
    assert [name for arithmetic, name in bench.asked if arithmetic is EXACT] == [f"inputs[{at}]" for at in range(3)]


def test_leak_is_a_reason_like_any_other_where_exact_arithmetic_is_asked_for() -> None:
    (run,), _ = _run(_at(2, marks=(seen(Kind.LEAK),), reasons=("left",)), arithmetic="exact")
    assert (run.left, run.core, run.status) == (None, 4, Status.UNVERIFIED)


def test_difference_in_exact_arithmetic_stands_though_a_path_left_it() -> None:
    runs, _ = _run(_at(1, first=OFF, marks=(seen(Kind.LEAK),)))
    assert [(run.arithmetic, run.status, run.left) for run in runs] == [(EXACT, Status.BIASED, None)]


def test_coin_at_its_end_asks_for_the_core_in_floats_too() -> None:
    boundary = seen(Kind.BOUNDARY)
    runs, bench = _run(_at(3, marks=(boundary,)))
    assert [(run.arithmetic, run.core, run.boundary) for run in runs] == [(EXACT, 4, boundary), (FLOAT64, 4, None)]
    assert bench.opened == [(False, True), (False, True)]
    assert len(_run(_at(3, marks=(boundary,)), arithmetic="exact")[0]) == 1
    assert len(_run(_at(3, marks=(boundary,), first=OFF))[0]) == 1


def test_first_boundary_is_kept() -> None:
    run = Run(EXACT)
    marks = [seen(Kind.BOUNDARY, name) for name in ("one", "two")]
    for mark in marks:
        run.add(made(marks=(mark,)))
    assert run.boundary is marks[0]


def test_float32_inside_the_code_is_told_to_the_second_run() -> None:
    marks = (seen(Kind.SINGLE), seen(Kind.LEAK))
    runs, bench = _run(_at(1, marks=marks, reasons=("left",)))
    assert [run.single for run in runs] == [True, True]
    assert bench.opened == [(False, True), (True, True)]
    assert [run.single for run in _run(_at(1, marks=marks[1:], reasons=("left",)))[0]] == [False, False]


# --- the end of a run


def test_counterexample_ends_a_run_unless_the_worst_is_asked_for() -> None:
    def script(found: Input, arithmetic: Arithmetic) -> Examined:
        first = {"inputs[1]": Fraction(5, 8), "inputs[2]": OFF, "inputs[3]": Fraction(5, 8)}.get(found.name, HALF)
        return made(first, of=found)

    (short,), _ = _run(script)
    (long,), _ = _run(script, worst=True)
    assert (short.core, short.worst) == (2, Fraction(1, 8))
    assert (long.core, long.worst) == (4, Fraction(1, 4))
    assert [run.biased and run.biased.input.name for run in (short, long)] == ["inputs[1]", "inputs[2]"]


def test_three_inputs_that_are_not_explored_whole_are_enough() -> None:
    (run,), _ = _run(lambda found, _: made(Fraction(1, 4), of=found, remaining=Fraction(1, 4)))
    assert (run.core, run.unfinished, run.status) == (3, 3, Status.UNVERIFIED)
    assert run.unverified is not None
    assert run.unverified.input.name == "inputs[0]"


def test_bench_that_breaks_off_ends_the_check_as_unverified() -> None:
    (run,), bench = _run(lambda found, _: "interrupted" if found.name == "inputs[2]" else made(of=found))
    assert (run.broken_off, run.core, run.status, len(bench.asked)) == ("interrupted", 2, Status.UNVERIFIED, 3)


def test_nothing_tried_is_unverified() -> None:
    assert Run(EXACT).status is Status.UNVERIFIED


# --- beyond the core battery


def test_run_goes_beyond_by_paths() -> None:
    (core,), _ = _run(_right, inputs=None, paths=0, vocabulary=2)
    (run,), bench = _run(lambda found, _: made(of=found, paths=10), inputs=None, paths=35, vocabulary=2)
    assert core.beyond == {}
    assert (run.core, sum(run.beyond.values())) == (core.core, 4)  # ten paths each: the fourth is over the limit
    assert run.paths == 10 * core.core + 40
    assert len(bench.asked) == core.core + 4


def test_run_ends_with_the_path_that_reaches_the_limit() -> None:
    (run,), _ = _run(lambda found, _: made(of=found, paths=10), inputs=None, paths=30, vocabulary=2)
    assert sum(run.beyond.values()) == 3


def test_run_for_the_coin_at_its_end_does_not_go_beyond() -> None:
    def script(found: Input, arithmetic: Arithmetic) -> Examined:
        return made(of=found, arithmetic=arithmetic, marks=(seen(Kind.BOUNDARY),))

    exact, floats = _run(script, inputs=None, paths=5, vocabulary=2)[0]
    assert (sum(exact.beyond.values()), floats.beyond) == (3, {})


@pytest.mark.parametrize("changes", [{"first": OFF}, {"reasons": ("why",)}])
def test_run_does_not_go_beyond_a_core_that_is_not_lossless(changes: Any) -> None:
    (run,), _ = _run(lambda found, _: made(of=found, **changes), inputs=None, paths=30, vocabulary=2)
    assert run.beyond == {}


def test_callers_inputs_are_all_there_is() -> None:
    (run,), _ = _run(_right, paths=1000)
    assert (run.core, run.beyond) == (4, {})


def test_difference_beyond_the_core_ends_the_run() -> None:
    (core,), _ = _run(_right, inputs=None, paths=0, vocabulary=2)
    seen_so_far: list[str] = []

    def script(found: Input, _: Arithmetic) -> Examined:
        seen_so_far.append(found.name)
        return made(OFF if len(seen_so_far) == core.core + 2 else HALF, of=found)

    (run,), _ = _run(script, inputs=None, paths=1000, vocabulary=2)
    assert sum(run.beyond.values()) == 2
    assert run.status is Status.BIASED


# --- siblings


@pytest.mark.parametrize(
    ("draft", "expected"), [(["1/2", "1/2", 0], [True, True, False]), (["1/4", "1/2", "1/4"], [True, True, True])]
)
def test_siblings_without_replacement_need_as_many_tokens(draft: list[Any], expected: list[bool]) -> None:
    row = ["1/4", "1/2", "1/4"]
    plans = [_plan(siblings=k, replacement=False, inputs=[(row, draft)], gamma=1) for k in (1, 2, 3)]
    found = [(plan, next(plan.core(EXACT))) for plan in plans]
    assert [applies(plan, one) for plan, one in found] == expected


@pytest.mark.parametrize(
    "changes", [{"siblings": None}, {"replacement": True}, {"drafter": nothing, "replacement": False}]
)
def test_every_other_input_applies(changes: Any) -> None:
    plan = _plan(**{"siblings": 3, **changes}, inputs=[(EVEN, [1, 0])], gamma=1)
    assert applies(plan, next(plan.core(EXACT)))


def test_input_that_does_not_apply_is_left_out_and_said_so() -> None:
    inputs = [(EVEN, [1, 0]), (EVEN, EVEN), (EVEN, [0, 1])]
    (run,), bench = _run(_right, inputs=inputs, siblings=2, replacement=False, gamma=1)
    assert bench.asked == [(EXACT, "inputs[1]")]
    assert list(run.notes) == [f"left out, fewer tokens in the draft than siblings: inputs[{at}]" for at in (0, 2)]
    assert run.core == 1


# --- what is taken in


def test_notes_are_taken_in_once() -> None:
    (run,), _ = _run(
        lambda found, _: made(of=found, marks=(seen(Kind.NOTE, "changed"), seen(Kind.LEAK))), arithmetic="exact"
    )
    assert list(run.notes) == ["changed (mine.py:1)"]


def test_acceptance_of_the_core_is_kept_with_its_input() -> None:
    (run,), _ = _run(_right, inputs=FOUR[:1])
    assert run.acceptance == [Acceptance("inputs[0], gamma 0, V = 2", Fraction(0), Fraction(0))]
    (missing,), _ = _run(lambda found, _: made(Fraction(1, 4), of=found, remaining=HALF), inputs=FOUR[:1])
    assert missing.acceptance == []


def test_progress_is_told_inputs_and_paths() -> None:
    told: list[tuple[int, int]] = []
    _run(lambda found, _: made(of=found, paths=3), progress=lambda *numbers: told.append(numbers))
    assert told == [(1, 3), (2, 6), (3, 9), (4, 12)]
    (run,), _ = _run(_right, inputs=None, paths=5, vocabulary=2, progress=lambda *numbers: told.append(numbers))
    assert told[-1] == (run.core + 3, run.paths)


def test_first_unverified_and_worst_biased_are_kept() -> None:
    run = Run(EXACT)
    results = [made(reasons=("one",)), made(reasons=("two",)), made(OFF), made(Fraction(5, 8)), made(OFF)]
    for found in results:
        run.add(found)
    assert run.unverified is results[0]
    assert run.biased is results[2]
    assert (run.status, run.worst, run.paths) == (Status.BIASED, Fraction(1, 4), 10)
