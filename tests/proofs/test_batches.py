"""What the law of a batch says of each request: by itself, and given the outcome of the other one."""

from fractions import Fraction
from typing import Any

import pytest

from proofs import ProofsError, check, check_siblings
from proofs.batches import apart, given, part_words
from tests.verifiers.batches import FAULTS, RIGHT, TORCH_FAULTS, TORCH_RIGHT, drops_the_second_bonus

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
ZERO: Any = ((), (0,))
ONE: Any = ((), (1,))


def _product(first: Fraction, second: Fraction) -> dict[Any, Fraction]:
    chances = ((ZERO, first), (ONE, 1 - first)), ((ZERO, second), (ONE, 1 - second))
    return {(a, b): p * q for a, p in chances[0] for b, q in chances[1]}


def test_requests_by_themselves() -> None:
    found = apart(_product(HALF, THIRD), 2)
    assert [(part.place, part.others) for part in found] == [(0, None), (1, None)]
    assert found[0].masses == {ZERO: HALF, ONE: HALF}
    assert found[1].masses == {ZERO: THIRD, ONE: 1 - THIRD}


def test_independent_requests_have_one_law_each_whatever_the_other_came_to() -> None:
    found = list(given(_product(HALF, THIRD), 2))
    assert [(part.place, part.masses) for part in found] == [
        (0, {ZERO: HALF, ONE: HALF}),
        (1, {ZERO: THIRD, ONE: 1 - THIRD}),
    ]


def test_a_shared_coin_shows_in_every_law_that_is_given() -> None:
    law: Any = {(ZERO, ZERO): HALF, (ONE, ONE): HALF}
    assert [part.masses for part in apart(law, 2)] == [{ZERO: HALF, ONE: HALF}] * 2
    found: list[Any] = [(part.place, part.others, part.masses) for part in given(law, 2)]
    assert found == [
        (0, (ZERO,), {ZERO: 1}),
        (0, (ONE,), {ONE: 1}),
        (1, (ZERO,), {ZERO: 1}),
        (1, (ONE,), {ONE: 1}),
    ]


def test_missing_mass_may_belong_to_any_outcome() -> None:
    law: Any = {(ZERO, ZERO): Fraction(1, 4), (ONE, ZERO): Fraction(1, 4), (ZERO, ONE): Fraction(1, 4)}
    found = {(part.place, part.others): part.masses for part in given(law, 2)}
    assert found[0, (ZERO,)] == {ZERO: THIRD, ONE: THIRD}
    assert found[0, (ONE,)] == {ZERO: HALF}
    assert sum(apart(law, 2)[0].masses.values()) == Fraction(3, 4)


def test_outcomes_without_mass_are_no_condition() -> None:
    assert [part.others for part in given({(ZERO, ZERO): Fraction(1), (ONE, ONE): Fraction(0)}, 2)] == [(ZERO,)] * 2


@pytest.mark.parametrize(
    ("place", "others", "words"),
    [
        (1, None, "request 1 by itself"),
        (0, (((2,), (2, 0)),), "request 0 given that request 1 drafted (2,) and emitted (2, 0)"),
        (1, (((), (0,)),), "request 1 given that request 0 drafted () and emitted (0,)"),
    ],
)
def test_words(place: int, others: Any, words: str) -> None:
    assert part_words(place, others) == words


# --- verifiers


@pytest.mark.parametrize("arithmetic", ["exact", "float64"])
@pytest.mark.parametrize("name", RIGHT)
def test_right_verifier_is_lossless_with_one_and_two_requests(name: str, arithmetic: str) -> None:
    verdict = check(RIGHT[name], gamma=(0, 1), batch=(1, 2), paths=0, arithmetic=arithmetic)
    assert verdict, str(verdict)
    assert "with B = 1, 10 pairs of requests with B = 2, each held to its law given" in verdict.scope


@pytest.mark.parametrize("name", RIGHT)
def test_right_verifier_is_lossless_at_several_positions(name: str) -> None:
    assert check(RIGHT[name], gamma=2, batch=2, arithmetic="exact")


def test_what_goes_beyond_the_core_has_one_request() -> None:
    verdict = check(RIGHT["loop"], gamma=1, batch=1, paths=50, arithmetic="exact")
    assert verdict
    assert "grid k/6 with B = 1" in verdict.scope
    assert "beyond" not in check(RIGHT["loop"], gamma=1, batch=2, paths=50, arithmetic="exact").scope


@pytest.mark.parametrize("name", FAULTS)
def test_fault_is_found(name: str) -> None:
    verify, status = FAULTS[name]
    verdict = check(verify, gamma=1, batch=2, arithmetic="exact", shrink=False)
    assert verdict.status.value == status


@pytest.mark.parametrize(
    "name", ["one coin for the batch", "rows of the first request", "tokens exchanged", "second bonus is token 0"]
)
def test_fault_between_requests_does_not_show_with_one(name: str) -> None:
    assert check(FAULTS[name][0], gamma=1, batch=1, paths=0, arithmetic="exact")


def test_counterexample_names_the_request_and_what_is_given_and_its_snippet_shows_it() -> None:
    verify = FAULTS["one coin for the batch"][0]
    verdict = check(verify, gamma=1, batch=2, arithmetic="exact")
    found = verdict.counterexample
    assert found is not None
    assert found.batch is not None
    assert found.batch.others is not None
    assert len(found.batch.requests) == 2
    assert found.batch.requests[found.batch.place] == (found.target, found.draft)
    assert "they are not independent" in str(verdict)
    assert part_words(found.batch.place, found.batch.others) in verdict.reason
    assert verdict.to_json()["counterexample"]["batch"]["request"] == found.batch.place
    said: list[Any] = []
    code = found.snippet.replace("print(", "said.append(").replace("proofs.check", "check")
    exec(code, {"check": check, "verify": verify, "said": said})
    assert said[0].status.value == "biased"
    assert said[0].worst >= found.total_variation


def test_each_request_by_itself_is_blamed_before_the_two_together() -> None:
    verdict = check(FAULTS["rows of the first request"][0], gamma=1, batch=2, arithmetic="exact", shrink=False)
    assert verdict.counterexample is not None
    assert verdict.counterexample.batch is not None
    assert (verdict.counterexample.batch.place, verdict.counterexample.batch.others) == (1, None)


def test_bonus_that_is_left_out_is_right_and_shows_in_the_pace() -> None:
    verdict = check(drops_the_second_bonus, gamma=1, batch=2, arithmetic="exact")
    assert verdict
    assert {a.best - a.expected for a in verdict.acceptance if a.input.endswith("request 0")} == {0}
    (kept,) = (a for a in verdict.acceptance if "one that never is, exchanged" in a.input and a.input[-1] == "1")
    assert kept.expected == 0
    assert kept.best == 1
    assert any("not the fastest" in sentence for sentence in verdict.explanation)


def test_inputs_of_the_caller_are_paired() -> None:
    even, odd = (["1/2", "1/2"], ["1/4", "3/4"]), (["1/3", "2/3"], ["2/3", "1/3"])
    fault = FAULTS["rows of the first request"][0]
    assert check(fault, gamma=1, batch=2, inputs=[even, odd], arithmetic="exact").status.value == "biased"
    assert check(fault, gamma=1, batch=2, inputs=[odd], arithmetic="exact").status.value == "biased"
    assert "2 inputs of the caller (2 pairs" in check(RIGHT["loop"], gamma=1, batch=2, inputs=[even, odd]).scope


def test_crash_of_one_request_leaves_the_batch_unverified() -> None:
    def crashes(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        if len(tokens) == 2 and rng.random() < 0.25:
            raise ValueError
        return RIGHT["loop"](target, draft, tokens, rng)

    verdict = check(crashes, gamma=1, batch=(1, 2), paths=0, arithmetic="exact")
    assert verdict.status.value == "unverified"
    assert "ValueError with probability 1/4" in verdict.reason


def test_factory_makes_a_verifier_of_batches() -> None:
    class Keeps:
        def __init__(self) -> None:
            self.seen: list[Any] = []

        def __call__(self, *given: Any) -> Any:
            self.seen.append(len(given))
            return RIGHT["loop"](*given)

    assert check(Keeps, gamma=1, batch=(1, 2), factory=True, paths=0, arithmetic="exact")
    kept = Keeps()
    assert "'seen'" in check(kept, gamma=1, batch=2, paths=0, arithmetic="exact").reason


@pytest.mark.parametrize("name", TORCH_RIGHT)
def test_right_verifier_in_torch(name: str) -> None:
    assert check(TORCH_RIGHT[name], gamma=1, batch=(1, 2), paths=0, arithmetic="torch.float32")


@pytest.mark.parametrize("name", TORCH_FAULTS)
def test_fault_in_torch(name: str) -> None:
    row = ["1/2", "1/4", "1/4"], ["1/4", "1/4", "1/2"]
    verdict = check(
        TORCH_FAULTS[name], gamma=1, batch=2, inputs=[row], arithmetic="torch.float32", shrink=False, max_paths=500
    )
    assert verdict.status.value == "biased"
    assert "they are not independent" in str(verdict)


@pytest.mark.parametrize(
    ("batch", "words"),
    [
        (3, "batch = 3; expected 1, 2 or both"),
        ((1, 3), "batch = 3; expected 1, 2 or both"),
        (0, "batch = 0; expected an int of at least 1"),
        ((), "batch is empty"),
        (True, "batch = True; expected an int"),
    ],
)
def test_number_of_requests_that_makes_no_sense(batch: Any, words: str) -> None:
    with pytest.raises(ProofsError, match=words):
        check(RIGHT["loop"], batch=batch)


def test_siblings_have_no_batches() -> None:
    with pytest.raises(ProofsError, match="batch is no option of check_siblings"):
        check_siblings(RIGHT["loop"], batch=2)
