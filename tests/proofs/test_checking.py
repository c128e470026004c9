"""The verdict on verifiers: the word, the scope, the reason and the counterexample, and arguments that are refused."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import proofs
from proofs import NotLossless, ProofsError, Verdict, check, check_siblings
from proofs.verdicts import Status
from tests.verifiers.chains import scalar_loop, vectorised_searchsorted

HALF = ["1/2", "1/2"]


def always_keep(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    return [*tokens.tolist(), rng.choice(target.shape[1], p=target[-1])]


def from_target(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    return [rng.choice(target.shape[1], p=target[0])]


def wrong_at_two(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    return (always_keep if len(tokens) == 2 else scalar_loop)(target, draft, tokens, rng)


def crashes_rarely(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    if rng.random() < 1 / 1024:
        raise RuntimeError("rare")
    return scalar_loop(target, draft, tokens, rng)


def rounding(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    return vectorised_searchsorted(np.asarray(target, dtype=float), np.asarray(draft, dtype=float), tokens, rng)


def lenient(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Keeps the draft once in eight calls whatever the target says: TV at most 1/8."""
    return always_keep(target, draft, tokens, rng) if rng.integers(8) == 0 else scalar_loop(target, draft, tokens, rng)


def test_right_verifier_is_lossless_and_the_scope_says_what_was_done() -> None:
    verdict = check(scalar_loop, paths=0)
    assert verdict.status is Status.LOSSLESS
    assert bool(verdict)
    assert verdict.worst == 0
    assert verdict.counterexample is None
    for words in (
        "exact arithmetic",
        "gamma 1, 2",
        "V = 3",
        f"{verdict.inputs} inputs of the core battery",
        "replayed",
    ):
        assert words in verdict.scope
    assert str(verdict).startswith("lossless: ")
    assert f"{verdict.paths} paths" in verdict.scope


def test_bool_is_true_for_lossless_alone() -> None:
    words = {status: bool(Verdict(status, "scope", "reason")) for status in Status}
    assert words == {Status.LOSSLESS: True, Status.BIASED: False, Status.UNVERIFIED: False}


def test_biased_verdict_shows_law_target_path_and_a_snippet_that_repeats_it() -> None:
    verdict = check(always_keep)
    found = verdict.counterexample
    assert verdict.status is Status.BIASED
    assert found is not None
    assert sum(found.law.values()) == sum(found.expected.values()) == 1
    sequences = {*found.law, *found.expected}
    gaps = [abs(found.law.get(y, Fraction(0)) - found.expected.get(y, Fraction(0))) for y in sequences]
    assert found.total_variation == sum(gaps, Fraction(0)) / 2 > 0
    for words in ("counterexample:", "TV ", "a path: drafted", "to see it again:", "no residual can repair it"):
        assert words in " ".join(str(verdict).split())
    printed: list[Any] = []
    exec(found.snippet, {"proofs": proofs, "verify": always_keep, "print": printed.append})
    assert [again.status for again in printed] == [Status.BIASED]
    assert printed[0].worst == found.total_variation


def test_counterexample_is_shrunk_unless_it_is_not_to_be() -> None:
    small = check(always_keep, gamma=2).counterexample
    assert small is not None
    assert (small.gamma, small.vocabulary) == (1, 2)
    whole = check(always_keep, gamma=2, shrink=False).counterexample
    assert whole is not None
    assert (whole.gamma, whole.vocabulary) == (2, 3)


def test_fault_of_two_positions_is_not_shrunk_away() -> None:
    verdict = check(wrong_at_two)
    assert verdict.status is Status.BIASED
    assert verdict.counterexample is not None
    assert verdict.counterexample.gamma == 2
    assert check(wrong_at_two, gamma=1, paths=500).status is Status.LOSSLESS


def test_first_counterexample_ends_the_run_unless_the_worst_is_asked_for() -> None:
    first, worst = check(lenient, paths=0), check(lenient, paths=0, worst=True)
    assert first.inputs < worst.inputs
    assert first.worst < worst.worst == Fraction(1, 8)


def test_crash_is_never_lossless_and_named_with_its_exact_probability() -> None:
    for arithmetic in ("exact", "float64"):
        verdict = check(crashes_rarely, gamma=1, paths=0, arithmetic=arithmetic)
        assert verdict.status is Status.UNVERIFIED
        assert "RuntimeError" in verdict.reason
        assert "test_checking.py" in verdict.reason
    assert "1/1024" in check(crashes_rarely, gamma=0, paths=0).reason


def test_verifier_that_rounds_is_judged_in_float64_and_the_scope_says_why() -> None:
    verdict = check(rounding, paths=200)
    assert verdict.status is Status.LOSSLESS
    assert "exact arithmetic was left" in verdict.scope
    assert "test_checking.py" in verdict.scope
    assert "tolerance" in verdict.scope
    assert check(rounding, paths=0, arithmetic="exact").status is Status.UNVERIFIED


def test_float_arithmetic_reports_the_distance_it_tolerates() -> None:
    verdict = check(vectorised_searchsorted, arithmetic="float64", paths=0)
    assert verdict
    assert 0 < verdict.worst < Fraction(1, 2**45)
    assert check(vectorised_searchsorted, arithmetic="float64", paths=0, tolerance=0).status is Status.BIASED


def test_caller_inputs_replace_the_battery() -> None:
    verdict = check(always_keep, gamma=1, inputs=[(HALF, HALF)])
    assert verdict.status is Status.LOSSLESS
    assert "1 inputs of the caller" in verdict.scope
    assert check(always_keep, gamma=1, inputs=[(HALF, HALF), (["1/4", "3/4"], HALF)]).status is Status.BIASED
    assert check(scalar_loop, inputs=[]).status is Status.UNVERIFIED


def test_drafter_that_does_not_draw_from_the_row_is_named() -> None:
    def greedy(prefix: tuple[int, ...], row: Any, rng: Any) -> int:
        return int(np.argmax(row))

    verdict = check(scalar_loop, gamma=1, drafter=greedy)
    assert verdict.status is Status.BIASED
    assert any("does not draw from the row" in note for note in verdict.notes)
    assert "does not draw from the row" in str(verdict)


def test_target_that_the_verifier_declares_is_what_it_is_held_to() -> None:
    def half_and_half(target: Any, draft: Any) -> Any:
        return target if draft is None else [(p + q) / 2 for p, q in zip(target, draft, strict=True)]

    def ensemble(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        rows = target.copy()
        rows[:-1] = (target[:-1] + draft) / 2
        return scalar_loop(rows, draft, tokens, rng)

    assert check(ensemble, paths=0).status is Status.BIASED
    assert check(ensemble, paths=0, target_of=half_and_half).status is Status.LOSSLESS


def test_slow_verifier_is_right_and_told_that_it_is_slow() -> None:
    verdict = check(from_target, paths=0)
    assert verdict.status is Status.LOSSLESS
    assert "Right, but not the fastest" in str(verdict)
    assert all(a.expected == 0 for a in verdict.acceptance)
    assert max(a.best for a in verdict.acceptance) == 2


def test_tokens_that_were_not_drafted_are_biased_by_a_row_that_the_verifier_never_saw() -> None:
    def continues(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        return [rng.choice(target.shape[1], p=row) for row in target]

    rows = (HALF, [HALF])
    verdict = check(continues, gamma=1, inputs=[rows])
    assert verdict.status is Status.BIASED
    assert "not the drafted ones" in str(verdict)
    assert verdict.counterexample is not None
    assert verdict.counterexample.total_variation > 0
    assert verdict.counterexample.law != verdict.counterexample.expected


def test_token_beyond_the_vocabulary_is_biased() -> None:
    def beyond(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        return [target.shape[1]] if rng.integers(16) == 0 else scalar_loop(target, draft, tokens, rng)

    assert check(beyond, gamma=1, paths=0).status is Status.BIASED


def test_progress_is_told_after_every_input() -> None:
    told: list[tuple[int, int]] = []
    verdict = check(scalar_loop, gamma=1, paths=0, progress=lambda inputs, paths: told.append((inputs, paths)))
    assert told[-1] == (verdict.inputs, verdict.paths)
    assert [inputs for inputs, _ in told] == list(range(1, verdict.inputs + 1))


def test_assert_lossless_raises_the_verdict_for_biased_and_unverified() -> None:
    proofs.assert_lossless(scalar_loop, gamma=1, paths=0)
    for verify, word in ((always_keep, "biased: "), (crashes_rarely, "unverified: ")):
        with pytest.raises(NotLossless) as caught:
            proofs.assert_lossless(verify, gamma=1, paths=0)
        assert str(caught.value).startswith(word)
        assert str(caught.value) == str(caught.value.verdict)
    assert issubclass(NotLossless, AssertionError)


def test_assert_within_holds_a_lossy_verifier_to_its_bound() -> None:
    proofs.assert_within(lenient, "1/8", gamma=1, paths=0)
    with pytest.raises(NotLossless, match="beyond the bound 1/9"):
        proofs.assert_within(lenient, "1/9", gamma=1, paths=0)
    with pytest.raises(NotLossless, match="^unverified"):
        proofs.assert_within(crashes_rarely, "1/2", gamma=1, paths=0)


def test_siblings_without_replacement_leave_out_rows_with_too_few_tokens() -> None:
    def fresh(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        return rng.choice(len(target), p=target)

    verdict = check_siblings(fresh, k=2, replacement=False, paths=0)
    assert verdict.status is Status.LOSSLESS
    assert any("fewer tokens in the draft than siblings" in note for note in verdict.notes)
    with pytest.raises(ProofsError, match="k = 4 without replacement; expected at most vocabulary = 3"):
        check_siblings(fresh, k=4, replacement=False)


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"gamma": -1}, "gamma = -1; expected an int of at least 0"),
        ({"gamma": ()}, "gamma is empty"),
        ({"gamma": True}, "gamma = True"),
        ({"vocabulary": 0}, "vocabulary = 0; expected an int of at least 1"),
        ({"arithmetic": "float16"}, "expected one of auto, exact, float64, float32"),
        ({"paths": -1}, "paths = -1"),
        ({"tolerance": "-1/2"}, "tolerance = -1/2"),
        ({"max_paths": 0}, "max_paths = 0"),
    ],
)
def test_argument_that_makes_no_sense_is_refused(options: Any, words: str) -> None:
    with pytest.raises(ProofsError, match=words):
        check(scalar_loop, **options)


def test_what_is_no_function_or_no_option_is_refused() -> None:
    with pytest.raises(ProofsError, match="expected a callable verify"):
        check(3)  # type: ignore[arg-type]
    with pytest.raises(ProofsError, match="speed is no option"):
        check_siblings(scalar_loop, speed=1)
    with pytest.raises(ProofsError, match="expected a bound of at least 0"):
        proofs.assert_within(scalar_loop, "-1/2")


def test_verdict_as_json_holds_rationals_as_text() -> None:
    document = check(always_keep).to_json()
    assert document["status"] == "biased"
    assert document["exit_status"] == 1
    assert all(entry["probability"].count("/") == 1 for entry in document["counterexample"]["law"])
    assert check(scalar_loop, gamma=1, paths=0).to_json()["counterexample"] is None
