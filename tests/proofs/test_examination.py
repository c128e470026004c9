"""One input: the law that the judgement is made on, what it is held to, and what speaks against it."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from proofs import battery
from proofs.engine.choices import Arithmetic
from proofs.engine.exploration import Explorer
from proofs.engine.signals import Kind
from proofs.errors import NotADistributionError
from proofs.examination import Bench, Examined, Examiner, Question, default_tolerance
from proofs.inputs import Input, Table
from proofs.judge import ContradictionError
from proofs.verdicts import Status
from tests.proofs.examined import made, nothing, seen

HALF, QUARTER = Fraction(1, 2), Fraction(1, 4)
EVEN, SKEW = Table((HALF, HALF)), Table((QUARTER, 3 * QUARTER))
STATE = [0]


def _input(target: Table = EVEN, draft: Table = EVEN, gamma: int = 0) -> Input:
    return Input("it", target, draft, gamma, 2)


def _examined(
    verify: Callable[..., Any],
    found: Input | None = None,
    arithmetic: Arithmetic = Arithmetic.EXACT,
    *,
    single: bool = False,
    stop_at: tuple[Kind, ...] = (),
    **options: Any,
) -> Examined:
    question = Question(verify, **options)
    with Explorer(question.functions) as explorer:
        return Examiner(explorer, question, single=single).examine(found or _input(), arithmetic, stop_at)


def _first(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    return [rng.choice(2, p=target[0])]


def _coin(bias: Any) -> Callable[..., Any]:
    return lambda target, draft, tokens, rng: [int(rng.random() >= bias)]


@pytest.mark.parametrize(
    ("arithmetic", "expected"),
    [
        (Arithmetic.EXACT, Fraction(0)),
        (Arithmetic.FLOAT64, Fraction(4 * 3 * 5, 2**52)),
        (Arithmetic.FLOAT32, Fraction(4 * 3 * 5, 2**23)),
    ],
)
def test_tolerance_grows_with_positions_and_tokens(arithmetic: Arithmetic, expected: Fraction) -> None:
    assert default_tolerance(arithmetic, 2, 5) == expected


def test_what_runs_on_a_path_is_the_verifier_and_the_drafter() -> None:
    assert Question(nothing).functions == (nothing,)
    assert Question(nothing, _first).functions == (nothing, _first)


def test_law_is_that_of_the_call_and_judged() -> None:
    found = _examined(_first, _input(SKEW, EVEN, 1))
    assert found.law == {((x,), (y,)): HALF * p for x in (0, 1) for y, p in enumerate((QUARTER, 3 * QUARTER))}
    assert (found.judgement.status, found.judgement.missing) == (Status.LOSSLESS, Fraction(0))
    assert found.target(()) == (QUARTER, 3 * QUARTER)
    assert (found.input.gamma, found.arithmetic) == (1, Arithmetic.EXACT)


def test_difference_is_exact() -> None:
    found = _examined(_coin(Fraction(3, 8)))
    assert (found.judgement.status, found.judgement.total_variation) == (Status.BIASED, Fraction(1, 8))


def test_marks_are_those_of_the_kinds_asked_for() -> None:
    one, two = seen(Kind.NOTE, "one"), seen(Kind.LEAK, "two")
    found = made(marks=(one, two))
    assert found.marked(Kind.LEAK) == [two]
    assert found.marked(Kind.NOTE, Kind.LEAK) == [one, two]
    assert found.marked(Kind.HIDDEN) == []


def test_what_changed_from_run_to_run_leaves_no_law() -> None:
    def counts(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        token = int(rng.random() >= 0.25)
        STATE[0] += token  # on the second path alone
        return [token]

    found = _examined(counts)
    assert dict(found.law) == {((), (0,)): QUARTER}
    assert found.judgement.missing == 1
    assert found.judgement.status is Status.UNVERIFIED
    assert "changed during a run" in found.judgement.reasons[0]


def test_bound_on_paths_is_the_questions() -> None:
    found = _examined(_first, max_paths=1)
    assert (found.law.paths, found.judgement.missing) == (1, HALF)
    assert found.judgement.reasons == ("after 1 paths mass 0.5 was not explored",)


def test_kind_of_mark_ends_the_exploration() -> None:
    def leaks(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        return [rng.choice(2, p=np.array([float(target[0, 0]), 0.5]))]

    assert _examined(leaks, stop_at=(Kind.LEAK,)).law.paths == 1


# --- reasons


def _reasons(verify: Callable[..., Any], **options: Any) -> tuple[str, ...]:
    return _examined(verify, **options).judgement.reasons


def test_crash_is_named_with_probability_and_line() -> None:
    def crashes(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        return [0] if rng.random() < target[0, 0] else [1 // 0]

    line = crashes.__code__.co_firstlineno + 1
    assert _reasons(crashes) == (f"ZeroDivisionError with probability 1/2 ({__file__}:{line})",)


def test_weightiest_reason_comes_first_and_each_once() -> None:
    def both(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        if rng.random() < target[0, 0]:
            return [1 // 0]
        return [rng.choice(2, p=target[0]) if rng.random() < target[0, 0] else int(rng.normal() < 0)]

    refused, crashed = _reasons(both)
    assert refused.startswith("Generator.normal is not modelled (")
    assert crashed.startswith("ZeroDivisionError with probability 1/2")


def test_refusal_weighs_more_than_a_constant_seed_before_it() -> None:
    def verify(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        np.random.default_rng(0)
        return [int(rng.normal() < 0)]

    refused, seeded = _reasons(verify)
    assert refused.startswith("Generator.normal is not modelled (")
    assert seeded.startswith("default_rng with a seed that was not drawn")


def test_constant_seed_is_a_reason_against_agreement_alone() -> None:
    def seeded(bias: Fraction) -> Callable[..., Any]:
        def verify(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
            np.random.default_rng(0)
            return [int(rng.random() >= bias)]

        return verify

    assert _examined(seeded(HALF)).judgement.status is Status.UNVERIFIED
    assert _examined(seeded(QUARTER)).judgement.status is Status.BIASED
    assert "a seed that was not drawn" in _reasons(seeded(HALF))[0]


def test_state_that_cannot_be_compared_is_a_reason_against_agreement_alone() -> None:
    unreadable = np.frompyfunc(lambda x: x, 1, 1)

    def verify(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        return [int(rng.random() >= HALF)] if unreadable else [0]

    found = _examined(verify)
    assert found.judgement.status is Status.UNVERIFIED
    assert "cannot be compared" in found.judgement.reasons[0]


# --- tolerance


@pytest.mark.parametrize(
    ("off", "single", "status"),
    [
        (Fraction(1, 2**50), False, Status.LOSSLESS),
        (Fraction(1, 2**40), False, Status.BIASED),
        (Fraction(1, 2**40), True, Status.LOSSLESS),
        (Fraction(1, 2**19), True, Status.BIASED),
    ],
)
def test_tolerance_is_that_of_the_dtype_that_rounds(off: Fraction, single: bool, status: Status) -> None:
    found = _examined(_coin(0.5 + float(off)), arithmetic=Arithmetic.FLOAT64, single=single)
    assert (found.judgement.total_variation, found.judgement.status) == (off, status)


def test_tolerance_is_that_of_float32_where_the_code_goes_there() -> None:
    off = 2**-21

    def rounds(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        return [int(rng.random() >= np.float32(target[0, 0]) + np.float32(off))]

    single, double = (_examined(verify, arithmetic=Arithmetic.FLOAT64) for verify in (rounds, _coin(0.5 + off)))
    assert (len(single.marked(Kind.SINGLE)), single.judgement.status) == (1, Status.LOSSLESS)
    assert 2**-22 < single.judgement.total_variation <= off
    assert (double.marked(Kind.SINGLE), double.judgement.status) == ([], Status.BIASED)
    assert _examined(_coin(HALF + Fraction(off)), single=True).judgement.status is Status.BIASED  # exact: none


def test_callers_tolerance_is_for_floats_alone() -> None:
    eighth = Fraction(1, 8)
    assert _examined(_coin(0.625), arithmetic=Arithmetic.FLOAT64, tolerance=eighth).judgement.status is Status.LOSSLESS
    assert _examined(_coin(0.75), arithmetic=Arithmetic.FLOAT64, tolerance=eighth).judgement.status is Status.BIASED
    assert _examined(_coin(Fraction(5, 8)), tolerance=eighth).judgement.status is Status.BIASED


# --- what the law is held to


def test_bound_that_is_declared_makes_the_status() -> None:
    eighth = Fraction(1, 8)
    for bound, status in ((eighth, Status.LOSSLESS), (Fraction(1, 9), Status.BIASED)):
        assert _examined(_coin(Fraction(5, 8)), bound=bound).judgement.status is status
    assert _examined(lambda *_: 1 // 0, bound=Fraction(1)).judgement.status is Status.UNVERIFIED


def test_declared_target_is_what_the_law_is_held_to() -> None:
    asked: list[tuple[Any, Any]] = []

    def declare(target: Any, draft: Any) -> Any:
        asked.append((target, draft))
        return ["1/4", "3/4"]

    found = _examined(_coin(QUARTER), _input(EVEN, SKEW, 1), target_of=declare)
    assert found.judgement.status is Status.LOSSLESS
    assert found.target(()) == found.target((0,)) == (QUARTER, 3 * QUARTER)
    assert {(tuple(target), draft and tuple(draft)) for target, draft in asked} == {
        ((HALF, HALF), (QUARTER, 3 * QUARTER)),
        ((HALF, HALF), None),
    }


@pytest.mark.parametrize("row", [["1/4", "1/4"], ["-1/2", "3/2"]])
def test_declared_target_must_be_a_distribution(row: list[str]) -> None:
    with pytest.raises(NotADistributionError, match=r"^target_of returned .* after \(\); expected a distribution.$"):
        _examined(_first, target_of=lambda target, draft: row)


# --- siblings


def _of_two(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    token = rng.choice(2, p=target)
    return int(token)


def test_siblings_are_judged_by_their_one_token_and_the_best_for_their_sets() -> None:
    found = _examined(_of_two, _input(SKEW, EVEN, 1), siblings=2)
    assert {len(tokens) for tokens, _ in found.law} == {2}
    assert found.judgement.status is Status.LOSSLESS
    # The sets {0}, {1} and {0, 1} have probabilities 1/4, 1/4 and 1/2.
    assert found.judgement.expected_accepted == QUARTER * QUARTER + QUARTER * 3 * QUARTER + HALF
    assert found.judgement.optimum == 1


def test_siblings_without_replacement_differ() -> None:
    found = _examined(_of_two, _input(SKEW, EVEN, 1), siblings=2, replacement=False)
    assert {tuple(sorted(tokens)) for tokens, _ in found.law} == {(0, 1)}
    assert found.judgement.expected_accepted == 1


def test_acceptance_beyond_the_best_is_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proofs.examination.sibling_optimum", lambda target, sets: Fraction(1, 100))
    with pytest.raises(ContradictionError, match="please report it"):
        _examined(_of_two, _input(SKEW, EVEN, 1), siblings=2)


def test_bench_examines_here_one_after_the_other() -> None:
    inputs = list(battery.core(0, 2, exact=True))[:3]
    with Bench().open(Question(_first), ()) as results:
        found = [x for x in results(iter(inputs), Arithmetic.EXACT) if not isinstance(x, str)]
    assert [x.input for x in found] == inputs
    assert {x.judgement.status for x in found} == {Status.LOSSLESS}


def test_bench_allows_the_state_that_is_named() -> None:
    calls = [0]

    def counts(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        calls[0] += 1
        return [rng.choice(2, p=target[0])]

    for allowed, status in (((), Status.UNVERIFIED), (("calls",), Status.LOSSLESS)):
        with Bench().open(Question(counts), allowed) as results:
            (found,) = results([_input()], Arithmetic.EXACT)
        assert not isinstance(found, str)
        assert found.judgement.status is status
