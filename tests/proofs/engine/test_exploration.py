"""Laws of small programs are those of enumeration; mass is never lost, whatever a program does."""

import sys
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from proofs.engine.choices import CURRENT, Arithmetic
from proofs.engine.exploration import Explorer, Run
from proofs.engine.laws import Crash, Law
from proofs.engine.signals import Kind
from proofs.engine.weights import weight
from tests.enumeration import NAMED, scripted_law, token_rule_law
from tests.proofs.engine.grids import kinds, law, reasons

HALF = Fraction(1, 2)


def _whole(found: Law) -> Fraction:
    return (
        found.total + sum((crash.probability for crash in found.crashes), Fraction(0)) + found.refused + found.remaining
    )


def _walk(rng: Any) -> tuple[int, int]:
    steps, place = 0, 0
    while place < 2 and steps < 4:
        place += int(rng.random() < 0.25) + int(rng.choice(2, p=[0.5, 0.5]))
        steps += 1
    return steps, place


def _mixed(rng: Any) -> Any:
    u = rng.random()
    return bool(u < 0.5), bool(u >= 0.25), int(u * 4) if rng.random() >= 0.75 else None


@pytest.mark.parametrize("program", [_walk, _mixed])
@pytest.mark.parametrize("arithmetic", ["exact", "float64"])
def test_laws_are_those_of_every_scripted_decision(program: Callable[[Any], Any], arithmetic: str) -> None:
    found = law(program, arithmetic=arithmetic)
    assert dict(found) == scripted_law(program, coins=4)
    assert (found.total, found.missing, found.remaining) == (1, 0, 0)


@pytest.mark.parametrize("name", NAMED)
def test_the_token_rule_has_its_law(name: str) -> None:
    p, q = NAMED[name]

    def run(rng: Any) -> tuple[int, bool]:
        x = int(rng.choice(len(q), p=np.array(q)))
        if rng.random() * q[x] < p[x]:
            return x, True
        residual = [max(a - b, Fraction(0)) for a, b in zip(p, q, strict=True)]
        return int(rng.choice(len(p), p=np.array([r / sum(residual) for r in residual]))), False

    found = law(run)
    expected, alpha = token_rule_law(p, q)
    first = found.marginal(lambda outcome: outcome[0])
    assert [first.get(y, 0) for y in range(len(p))] == list(expected)
    assert found.marginal(lambda outcome: outcome[1])[True] == alpha
    assert first.paths == found.paths


def test_a_program_that_draws_nothing_has_one_outcome() -> None:
    found = law(lambda rng: "x")
    assert (dict(found), found.paths, found.marks) == ({"x": 1}, 1, ())


def _geometric(rng: Any) -> int:
    count = 0
    while rng.random() < 0.25:
        count += 1
    return count


def test_a_program_that_may_never_end_leaves_an_exact_remainder() -> None:
    found = law(_geometric, max_paths=5)
    assert dict(found) == {k: Fraction(3, 4) / 4**k for k in range(5)} or found.remaining > 0
    assert _whole(found) == 1
    assert found.paths == 5
    deep = law(_geometric, max_draws=3)
    assert (dict(deep), deep.remaining) == ({k: Fraction(3, 4) / 4**k for k in range(3)}, Fraction(1, 64))
    assert _whole(deep) == 1


def test_paths_are_taken_by_falling_weight() -> None:
    # The first path is what it is; then the heavier of the open ones.
    found = law(lambda rng: int(rng.choice(4, p=[0.125, 0.125, 0.5, 0.25])), max_paths=2)
    assert (dict(found), found.remaining) == ({0: Fraction(1, 8), 2: HALF}, Fraction(3, 8))
    assert law(lambda rng: 1, max_paths=0).remaining == 1


def test_a_swallowed_limit_is_not_believed() -> None:
    def run(rng: Any) -> str:
        try:
            while True:
                rng.random()
        except BaseException:
            return "done"

    found = law(run, max_draws=5)
    assert (found.remaining, len(found), found.crashes) == (1, 0, ())


@pytest.mark.parametrize(
    "error", [ValueError, SystemExit, GeneratorExit, StopIteration, RecursionError, ZeroDivisionError]
)
def test_an_exception_is_a_crash_with_its_place_and_probability(error: type[BaseException]) -> None:
    def run(rng: Any) -> int:
        if rng.random() < 0.125:
            raise error
        return 1

    found = law(run)
    line = run.__code__.co_firstlineno + 2
    assert found.crashes == (Crash(error.__name__, f"{__file__}:{line}", Fraction(1, 8)),)
    assert dict(found) == {1: Fraction(7, 8)}
    assert _whole(found) == 1


def test_crashes_of_one_place_add_up() -> None:
    def run(rng: Any) -> float:
        return 1 / int(rng.integers(3)) + [0, 1, 1][int(rng.integers(4))]

    found = {(crash.exception, crash.probability) for crash in law(run).crashes}
    assert found == {("ZeroDivisionError", Fraction(1, 3)), ("IndexError", Fraction(1, 6))}


def test_an_error_of_the_random_source_is_the_program_s_at_its_line() -> None:
    found = law(lambda rng: rng.choice(2, p=[0.5, 0.25]))
    assert [(crash.exception, crash.probability) for crash in found.crashes] == [("ValueError", 1)]
    assert found.crashes[0].place.startswith(f"{__file__}:")


def test_an_interrupt_passes_through() -> None:
    def run(rng: Any) -> None:
        raise KeyboardInterrupt

    original = np.random.random
    with pytest.raises(KeyboardInterrupt):
        law(run)
    assert np.random.random is original


def test_a_crash_that_floats_do_not_repeat_is_no_crash() -> None:
    found = law(lambda rng: rng.random().is_integer())
    assert (found.crashes, found.refused, kinds(found)) == ((), 1, {Kind.LEAK})


@pytest.mark.parametrize("outcome", [[1], {1: 2}, np.zeros(2), (1, [2])])
def test_an_outcome_that_cannot_be_hashed_is_refused(outcome: Any) -> None:
    found = law(lambda rng: outcome if rng.random() < 0.5 else 1)
    assert (found.refused, dict(found), found.crashes) == (HALF, {1: HALF}, ())
    assert "not hashable" in reasons(found)


def test_an_outcome_that_is_new_every_time_is_refused() -> None:
    assert law(lambda rng: object()).refused == 1


def test_a_program_that_draws_more_or_less_than_before_keeps_its_mass() -> None:
    calls: list[int] = []

    def run(rng: Any) -> int:
        calls.append(1)
        if len(calls) < 3:  # the first path and its replay
            return int(rng.random() < 0.5) + int(rng.random() < 0.25)
        return 3 if len(calls) == 3 else int(rng.integers(3))

    found = law(run, allow_state=("calls",))
    assert (found[2], found.refused) == (Fraction(1, 8), Fraction(7, 8))
    assert _whole(found) == 1
    assert kinds(found) == {Kind.HIDDEN}


def test_a_replay_compares_outcomes() -> None:
    def run(rng: Any) -> str:
        u = rng.random()
        return "low" if u < 0.5 else type(u).__name__

    found = law(run)
    assert (dict(found), found.refused) == ({"low": HALF}, HALF)
    assert "in plain floats" in reasons(found)


def test_a_replay_that_draws_otherwise_is_found() -> None:
    def run(rng: Any) -> int:
        if isinstance(rng.random(), float):
            rng.random()
        return 1

    def fewer(rng: Any) -> int:
        if not isinstance(rng.random(), float):
            rng.random()
        return 1

    for program in (run, fewer):
        assert law(program).refused == 1


def test_a_replay_does_not_judge_where_floats_cannot_tell() -> None:
    # The interval is narrower than the room that rounding is given.
    found = law(lambda rng: bool(rng.random() * Fraction(1, 3) < Fraction(1, 3 * 2**50)))
    assert found[True] == Fraction(1, 2**50)


def test_bad_arithmetic_is_named() -> None:
    with pytest.raises(ValueError, match="arithmetic='exactly' is not one of"):
        law(lambda rng: 1, arithmetic="exactly")


def test_the_surroundings_draw_apart_from_the_program() -> None:
    def program(run: Run) -> tuple[int, bool, bool]:
        return run.draw([weight(Fraction(1, 3)), weight(Fraction(2, 3))]), bool(run.rng.random() < 0.5), run.replaying

    with Explorer((program,)) as explorer:
        found = explorer.explore(lambda run: program(run)[:2], Arithmetic.EXACT)
    assert dict(found) == {(i, b): Fraction(i + 1, 6) for i in (0, 1) for b in (True, False)}


def test_a_kind_of_mark_stops_the_exploration() -> None:
    def program(run: Run) -> int:
        if run.rng.random() < 0.5:
            float(run.rng.random())
        return 1

    with Explorer((program,)) as explorer:
        found = explorer.explore(program, Arithmetic.EXACT, stop_at=(Kind.REFUSED,))
    assert (found.paths, found.refused, found.remaining) == (1, HALF, HALF)


def test_warnings_of_the_program_are_not_errors() -> None:
    assert law(lambda rng: bool(np.float64(1) / np.zeros(1)[0] > 1))[True] == 1


def test_nothing_is_left_in_the_context() -> None:
    law(lambda rng: rng.random() < 0.5)
    assert CURRENT.get() is None
    assert sys.modules["random"].random.__self__.__class__.__name__ == "Random"
