"""Arguments are looked at once, refused with their names, and become a plan that asks for the same."""

import inspect
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
import torch

from proofs import battery
from proofs.checking import check, check_siblings
from proofs.engine.choices import Arithmetic
from proofs.errors import ProofsError
from proofs.examination import Bench
from proofs.inputs import Input
from proofs.plans import DEFAULTS, FLOATS, Plan, fineness_of, numbers, plan_of
from tests.proofs.examined import nothing

INSIDE = {"siblings", "replacement", "bound", "drawn", "record", "bench"}


def _plan(**changes: Any) -> Plan:
    return plan_of(nothing, **{**DEFAULTS, **changes})


def _known(inputs: Any) -> list[Any]:
    return [(found.name, found.gamma, found.vocabulary, found.tables()) for found in inputs]


def test_defaults_are_those_of_the_functions_that_users_call() -> None:
    documented = {
        name: parameter.default
        for name, parameter in inspect.signature(check).parameters.items()
        if parameter.kind is parameter.KEYWORD_ONLY
    }
    assert {name: value for name, value in DEFAULTS.items() if name not in INSIDE} == documented
    assert inspect.signature(check_siblings).parameters["replacement"].default == DEFAULTS["replacement"]


def test_plan_of_the_defaults() -> None:
    plan = _plan()
    assert (plan.gammas, plan.vocabularies, plan.arithmetic, plan.inputs) == ((1, 2), (3,), "auto", None)
    assert (plan.paths, plan.worst, plan.shrinks, plan.allow_state, plan.progress) == (10_000, False, True, (), None)
    asked = plan.question
    assert (asked.verify, asked.drafter, asked.target_of, asked.tolerance) == (nothing, None, None, None)
    assert (asked.siblings, asked.replacement, asked.bound, asked.max_paths) == (None, True, None, 10_000)
    assert type(plan.bench) is Bench
    assert (asked.factory, plan.batches) == (False, ())


def test_batches_are_of_single_requests_then_of_pairs() -> None:
    plan = _plan(batch=(1, 2), gamma=1)
    found = [*plan.core(Arithmetic.EXACT)]
    single = [*_plan(gamma=1).core(Arithmetic.EXACT)]
    assert [len(each.requests) for each in found] == [1] * len(single) + [2] * 5
    assert _known(each.requests[0] for each in found[: len(single)]) == _known(single)
    assert next(plan.beyond(Arithmetic.EXACT)).batched
    assert not next(_plan().beyond(Arithmetic.EXACT)).batched
    assert not [*_plan(batch=2).beyond(Arithmetic.EXACT)]
    assert not [*_plan(inputs=[(["1"], ["1"])]).beyond(Arithmetic.EXACT)]


@pytest.mark.parametrize("make", [dict, lambda: 1, lambda *rest: 2, lambda known=1: known])
def test_factory_is_called_without_arguments(make: Any) -> None:
    plan = plan_of(make, **{**DEFAULTS, "factory": True})
    assert plan.question.factory


def test_factory_that_needs_arguments_is_refused() -> None:
    with pytest.raises(
        ProofsError, match="the factory cannot be called without arguments .*missing a required argument"
    ):
        plan_of(lambda target, draft: 1, **{**DEFAULTS, "factory": True})


def test_what_is_given_comes_to_its_place() -> None:
    given: list[Any] = [lambda: 1, lambda: 2, lambda: 3]
    bench, (drafter, declare, told) = Bench(), given
    plan = _plan(
        gamma=0, vocabulary=[4, 2], arithmetic="float32", drafter=drafter, inputs=iter("ab"), paths=5, tolerance="1/8",
        target_of=declare, worst=True, shrink=False, allow_state=iter(["a", "b"]), max_paths=7, progress=told,
        siblings=2, replacement=False, bound=Fraction(1, 3), bench=bench,
    )  # fmt: skip
    assert (plan.gammas, plan.vocabularies, plan.arithmetic, plan.inputs) == ((0,), (4, 2), "float32", ("a", "b"))
    assert (plan.paths, plan.worst, plan.shrinks, plan.allow_state) == (5, True, False, ("a", "b"))
    assert (plan.progress, plan.bench) == (told, bench)
    asked = plan.question
    assert (asked.drafter, asked.target_of, asked.tolerance) == (drafter, declare, Fraction(1, 8))
    assert (asked.siblings, asked.replacement, asked.bound, asked.max_paths) == (2, False, Fraction(1, 3), 7)


def test_one_name_of_state_is_one_name() -> None:
    assert _plan(allow_state="cache").allow_state == ("cache",)


@pytest.mark.parametrize(
    ("value", "least", "expected"), [(3, 0, (3,)), ((2, 1, 2), 1, (2, 1)), (range(3), 0, (0, 1, 2)), ([5], 5, (5,))]
)
def test_numbers_are_one_or_several_each_once(value: Any, least: int, expected: tuple[int, ...]) -> None:
    assert numbers(value, least, "gamma") == expected
    assert numbers(iter(expected), least, "gamma") == expected


@pytest.mark.parametrize(
    ("value", "words"),
    [
        (0, "k = 0; expected an int of at least 1."),
        ((1, 0), "k = 0; expected an int of at least 1."),
        (1.0, "k = 1.0; expected an int of at least 1."),
        (True, "k = True; expected an int of at least 1."),
        (None, "k = None; expected an int of at least 1."),
        ([], "k is empty; expected an int of at least 1, or several."),
    ],
)
def test_number_that_makes_no_sense_is_named(value: Any, words: str) -> None:
    with pytest.raises(ProofsError) as caught:
        numbers(value, 1, "k")
    assert str(caught.value) == words


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"tolerance": -1}, "tolerance = -1; expected a total variation of at least 0."),
        (
            {"arithmetic": "torch.int32"},
            "arithmetic = 'torch.int32'; expected one of auto, exact, float64, float32, torch.float64, torch.float32, "
            "torch.bfloat16, torch.float16.",
        ),
        ({"paths": 1.5}, "paths = 1.5; expected an int of at least 0."),
        ({"max_paths": 0}, "max_paths = 0; expected an int of at least 1."),
    ],
)
def test_argument_that_makes_no_sense_is_named(changes: dict[str, Any], words: str) -> None:
    with pytest.raises(ProofsError) as caught:
        _plan(**changes)
    assert str(caught.value) == words


def test_bounds_themselves_are_allowed() -> None:
    plan = _plan(tolerance=0, paths=0, max_paths=1, gamma=0, vocabulary=1)
    assert (plan.question.tolerance, plan.paths, plan.question.max_paths) == (Fraction(0), 0, 1)


@pytest.mark.parametrize("arithmetic", list(Arithmetic))
def test_core_is_the_battery_of_every_gamma_and_vocabulary(arithmetic: Arithmetic) -> None:
    options: Any = {"exact": arithmetic is Arithmetic.EXACT, "fineness": fineness_of(arithmetic)}
    expected = [found for gamma in (2, 0) for size in (2, 3) for found in battery.core(gamma, size, **options)]
    found: list[Input] = list(_plan(gamma=(2, 0), vocabulary=(2, 3)).core(arithmetic))
    assert _known(found) == _known(expected)
    assert len(found) > 10


def test_core_is_the_callers_inputs_with_every_gamma() -> None:
    plan = _plan(gamma=(1, 3), vocabulary=5, inputs=iter([(["1/2", "1/2"], ["1/4", "3/4"]), ([1], [1])]))
    shown = [(found.name, found.gamma, found.vocabulary) for found in plan.core(Arithmetic.FLOAT64)]
    assert shown == [("inputs[0]", 1, 2), ("inputs[1]", 1, 1), ("inputs[0]", 3, 2), ("inputs[1]", 3, 1)]
    assert _known(plan.core(Arithmetic.EXACT)) == _known(plan.core(Arithmetic.EXACT))  # an iterator is read once
    assert list(_plan(inputs=[]).core(Arithmetic.EXACT)) == []


def test_names_of_the_float_arithmetics() -> None:
    assert list(FLOATS) == [
        "float64",
        "float32",
        *(f"torch.{x}" for x in ("float64", "float32", "bfloat16", "float16")),
    ]


@pytest.mark.parametrize("arithmetic", ["torch.bfloat16", "torch.float16", "torch.float32", "float32"])
def test_rows_of_coarse_floats_are_held_exactly(arithmetic: str) -> None:
    """For every row of the core battery: the floats are the fractions."""
    for found in _plan(gamma=(1, 2), vocabulary=(2, 3, 4)).core(FLOATS[arithmetic]):
        for process, longest in zip(found.checked, (found.gamma, found.gamma - 1), strict=True):
            for length in range(longest + 1):
                for prefix in product(range(found.vocabulary), repeat=length):
                    row = process(prefix)
                    dtype = getattr(torch, arithmetic.removeprefix("torch."))
                    assert [Fraction(x) for x in torch.tensor([float(x) for x in row], dtype=dtype).tolist()] == [*row]
