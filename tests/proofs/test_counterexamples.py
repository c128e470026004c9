"""From a biased result to a smaller one, and to what is written down of it."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from proofs.counterexamples import counterexample, smallest
from proofs.engine.choices import Arithmetic
from proofs.examination import Bench, Examined
from proofs.inputs import Input, Table, as_process
from proofs.plans import DEFAULTS, Plan, plan_of
from proofs.verdicts import Status
from tests.proofs.examined import HALF, HALVES, Scripted, made

QUARTER = Fraction(1, 4)
THIRDS = ["1/6", "1/3", "1/2"]


def _draft_alone(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Keeps every drafted token."""
    return [*tokens, rng.choice(target.shape[1], p=target[-1])]


def _one(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    return [rng.choice(target.shape[1], p=target[0])] if len(tokens) < 2 else _draft_alone(target, draft, tokens, rng)


def _undrafted(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    return [rng.choice(target.shape[1], p=row) for row in target]


def _plan(verify: Any = _draft_alone, **changes: Any) -> Plan:
    return plan_of(verify, **{**DEFAULTS, "gamma": (1, 2), **changes})


def _input(target: Any = THIRDS, draft: Any = ("1/2", "1/3", "1/6"), gamma: int = 2) -> Input:
    return Input("it", as_process(target, "target"), as_process(draft, "draft"), gamma, len(draft))


def _examined(plan: Plan, found: Input, arithmetic: Arithmetic = Arithmetic.EXACT) -> Examined:
    with Bench().open(plan.question, ()) as results:
        (examined,) = results([found], arithmetic)
    assert not isinstance(examined, str)
    return examined


# --- smaller


def test_smaller_input_is_biased_too_and_as_small_as_it_goes() -> None:
    plan = _plan()
    found = smallest(plan, _examined(plan, _input()))
    assert (found.input.gamma, found.input.vocabulary) == (1, 2)
    assert found.judgement.status is Status.BIASED
    assert found.judgement.total_variation > 0
    assert found.law == _examined(plan, found.input).law


def test_nothing_is_made_smaller_where_that_is_off() -> None:
    plan = _plan(shrink=False)
    found = _examined(plan, _input())
    assert smallest(plan, found) is found


def test_fault_that_needs_two_positions_keeps_them() -> None:
    plan = _plan(_one)
    found = smallest(plan, _examined(plan, _input()))
    assert (found.input.gamma, found.input.vocabulary) == (2, 2)


@pytest.mark.parametrize(("gamma", "expected"), [((1, 2), 1), ((0, 2), 0), (2, 1)])
def test_gamma_of_zero_is_tried_only_where_it_was_asked_for(gamma: Any, expected: int) -> None:
    plan = _plan(lambda target, draft, tokens, rng: [0], gamma=gamma)
    assert smallest(plan, _examined(plan, _input())).input.gamma == expected


def test_floats_keep_dyadic_rows() -> None:
    plan = _plan()
    found = smallest(plan, _examined(plan, _input(["1/8", "3/8", "1/2"], ["1/2", "1/4", "1/4"]), Arithmetic.FLOAT64))
    assert found.arithmetic is Arithmetic.FLOAT64
    assert found.judgement.total_variation > 0
    for rows in found.input.tables():
        for entry in np.ravel(np.array(rows.rows, dtype=object)):
            assert entry.denominator & (entry.denominator - 1) == 0


def test_breach_is_shown_by_the_row_that_was_never_seen() -> None:
    plan = _plan(_undrafted, shrink=False)
    found = _examined(plan, _input(["1/2", "1/2"], ["1/2", "1/2"], 1))
    assert (found.judgement.status, found.judgement.total_variation) == (Status.BIASED, Fraction(0))
    again = smallest(plan, found)
    assert again.judgement.total_variation > 0
    assert again.input.target(()) == found.input.target(())
    assert smallest(_plan(_undrafted), found).judgement.total_variation > 0


def test_candidates_that_do_not_apply_are_not_tried() -> None:
    asked: list[Input] = []

    def script(found: Input, arithmetic: Arithmetic) -> Examined:
        asked.append(found)
        return made(Fraction(3, 4), of=found)

    plan = _plan(siblings=2, replacement=False, gamma=1, bench=Scripted(script))
    found = replace(made(Fraction(3, 4)), input=_input(gamma=1))
    smallest(plan, found)
    assert asked
    assert min(sum(1 for x in one.draft(()) if x) for one in asked) >= 2


@pytest.mark.parametrize("said", ["interrupted", made(), made(reasons=("why",))])
def test_candidate_that_is_not_biased_is_no_counterexample(said: Any) -> None:
    bench = Scripted(lambda found, arithmetic: said)
    found = replace(made(Fraction(3, 4)), input=_input())
    assert smallest(_plan(bench=bench), found) is found
    assert bench.asked
    assert bench.opened == [(False, False)]


def test_last_candidate_that_was_biased_is_the_result() -> None:
    bench = Scripted(lambda found, arithmetic: made(Fraction(3, 4), of=found))
    again = smallest(_plan(bench=bench), replace(made(Fraction(3, 4)), input=_input()))
    assert again.judgement.total_variation == QUARTER
    assert again.input.gamma == 0
    assert len(bench.asked) > 1


# --- written down


def test_counterexample_has_the_laws_of_both() -> None:
    plan = _plan(lambda target, draft, tokens, rng: [rng.choice(2, p=draft[0])], gamma=1)
    found = counterexample(plan, _examined(plan, _input(["1/2", "1/2"], ["1/4", "3/4"], 1)))
    assert (found.gamma, found.vocabulary, found.total_variation) == (1, 2, QUARTER)
    assert (found.target, found.draft) == (Table((HALF, HALF)), Table((QUARTER, 3 * QUARTER)))
    assert found.expected == {(x, y): QUARTER for x in (0, 1) for y in (0, 1)}
    assert found.law == {(x, y): share / 2 for x, share in ((0, QUARTER), (1, 3 * QUARTER)) for y in (0, 1)}
    assert sum(found.call_law.values()) == 1
    assert found.call_law[(1,), (1,)] == Fraction(9, 16)
    assert found.path == ((1,), (1,), (1, 0), Fraction(9, 16))
    assert "arithmetic" not in found.snippet


def test_float_arithmetic_is_named_in_the_snippet() -> None:
    plan = _plan(gamma=1)
    found = _examined(plan, _input(["1/2", "1/2"], ["1/4", "3/4"], 1), Arithmetic.FLOAT64)
    assert ", arithmetic='float64'))" in counterexample(plan, found).snippet


def test_siblings_are_shown_by_the_one_token() -> None:
    def last(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        return int(tokens[-1])

    plan = _plan(last, siblings=2, gamma=1)
    found = counterexample(plan, _examined(plan, _input(["1/2", "1/2"], ["1/4", "3/4"], 1)))
    assert found.gamma == 0
    assert found.law == {(0,): QUARTER, (1,): 3 * QUARTER}
    assert found.expected == {(0,): HALF, (1,): HALF}
    assert found.call_law[(1, 1), (1,)] == Fraction(9, 16)
    assert found.path == ((1, 1), (1,), (1,), Fraction(9, 16))


def test_declared_target_is_what_is_expected() -> None:
    plan = _plan(_draft_alone, gamma=0, target_of=lambda target, draft: ["1/4", "3/4"])
    found = counterexample(plan, _examined(plan, Input("it", HALVES, HALVES, 0, 2)))
    assert found.expected == {(0,): QUARTER, (1,): 3 * QUARTER}
    assert found.law == {(0,): HALF, (1,): HALF}


def test_declared_target_completes_a_short_call() -> None:
    plan = _plan(lambda target, draft, tokens, rng: [0], gamma=1, target_of=lambda target, draft: ["1/4", "3/4"])
    found = counterexample(plan, _examined(plan, Input("it", HALVES, HALVES, 1, 2)))
    assert found.law == {(0, 0): QUARTER, (0, 1): 3 * QUARTER}


def test_path_is_the_heaviest_towards_the_greatest_excess() -> None:
    excess = made(Fraction(3, 4))
    assert counterexample(_plan(), excess).path == ((), (0,), (0,), Fraction(3, 4))
    assert counterexample(_plan(), made()).path is None
    empty = replace(excess, law=excess.law.marginal(lambda outcome: ((), (1,))))
    assert counterexample(_plan(), empty).path is None
