"""The judge on adapters of no package: right ones, biased ones, lossy ones, one that crashes."""

from fractions import Fraction

import pytest

from proofs.verdicts import Status
from tests.zoo import fakes
from tests.zoo.inputs import B0, EDGES, INPUTS, MOVING, Input
from tests.zoo.judge import judge_case, tolerance
from tests.zoo.records import Kind


@pytest.mark.parametrize("rows", [*INPUTS, *EDGES], ids=lambda rows: rows.name)
@pytest.mark.parametrize("gamma", [1, 2])
def test_right_verifier_is_lossless_everywhere(rows: Input, gamma: int) -> None:
    case = fakes.judged(fakes.token_rule, rows.name, gamma)
    assert case.status is Status.LOSSLESS
    assert case.distance <= tolerance(gamma + 1, 3)
    assert not case.forbidden
    assert not case.crashes
    assert sum(case.call.values()) == 1
    assert sum(case.law.values()) == 1


def test_grid_of_the_coins_is_named() -> None:
    assert any("k/2^24" in grid for grid in fakes.judged(fakes.token_rule, "B0", 1).grids)


def test_biased_verifier_has_its_exact_distance() -> None:
    case = fakes.judged(fakes.corrects_from_target, "B0", 1)
    assert case.status is Status.BIASED
    # Rejected with 3/8 and replaced from p: (11, 25, 28)/64 where (8, 24, 32)/64 is right.
    assert abs(case.distance - Fraction(1, 16)) <= tolerance(2, 3)
    assert case.reason
    assert "inputs[0]" not in case.reason


def test_coin_zero_keeps_what_the_target_forbids() -> None:
    assert fakes.judged(fakes.at_most, "B0", 1).status is Status.LOSSLESS
    case = fakes.judged(fakes.at_most, "token without target", 1)
    assert case.status is Status.BIASED
    assert sum(case.forbidden.values()) == Fraction(1, 2) * Fraction(1, 2**24)
    assert {y[0] for y in case.forbidden} == {0}


def test_crash_has_its_exact_probability() -> None:
    case = fakes.judged(fakes.crashes, "B0", 2)
    assert case.status is Status.UNVERIFIED
    assert case.crashes == {"LookupError": Fraction(1, 2)}
    assert case.missing == 0
    assert case.reason == "LookupError with probability 1/2"


def test_declared_law_is_what_is_judged() -> None:
    adapter = fakes.fake(fakes.emits_drafts, claim="lossy: the draft", declared=lambda p, q: p if q is None else q)
    case = judge_case(adapter, MOVING, 2)
    assert case.status is Status.LOSSLESS
    assert case.distance == 0
    plain = fakes.judged(fakes.emits_drafts, "moving", 2)
    assert plain.status is Status.BIASED
    assert plain.plain is None
    assert case.plain == plain.distance > Fraction(1, 4)


def test_coins_as_arguments_are_swept() -> None:
    assert fakes.judged(fakes.takes_coins, "B0", 1).status is Status.LOSSLESS
    case = fakes.judged(fakes.takes_coins, "token without target", 1)
    assert case.forbidden
    assert case.status is Status.BIASED


@pytest.mark.parametrize("k", [1, 2])
def test_siblings(k: int) -> None:
    case = judge_case(fakes.fake(fakes.siblings, Kind.SIBLINGS), B0, k)
    assert case.status is Status.LOSSLESS
    assert case.length == 1
    assert {len(drafted) for drafted, _ in case.call} == {k}


def test_loop_that_stops_early_is_completed_by_the_target() -> None:
    case = judge_case(fakes.fake(fakes.loop, Kind.LOOP), MOVING, 2)
    assert case.status is Status.LOSSLESS
    assert case.length == 3
    assert case.reason == ""


def test_biased_loop_says_where() -> None:
    case = judge_case(fakes.fake(fakes.biased_loop, Kind.LOOP), B0, 1)
    assert case.status is Status.BIASED
    assert case.distance == Fraction(3, 8)
    assert case.reason.startswith("(0, 2) has probability 1/4, the target's is 1/16")


def test_loop_with_a_crash_is_unverified() -> None:
    def crash_loop(target: object, draft: object, gamma: int, rng: object) -> list[int]:
        raise LookupError("never")

    case = judge_case(fakes.fake(crash_loop, Kind.LOOP), B0, 1)
    assert case.status is Status.UNVERIFIED
    assert case.crashes == {"LookupError": 1}


def test_loop_with_randomness_out_of_sight_is_no_law() -> None:
    state = [0]

    def hidden(target: object, draft: object, gamma: int, rng: object) -> list[int]:
        state[0] += 1
        return [state[0] % 3]

    case = judge_case(fakes.fake(hidden, Kind.LOOP), B0, 1)
    assert case.status is Status.UNVERIFIED
    assert case.missing == 1
