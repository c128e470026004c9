"""The verdict over runs that are made up: its word, its reason and its scope, to the letter."""

from fractions import Fraction
from typing import Any

import pytest

from proofs.battery_runs import Run
from proofs.conclusions import conclude_on, joined
from proofs.engine.choices import Arithmetic
from proofs.engine.signals import Kind
from proofs.examination import Examined
from proofs.plans import DEFAULTS, Plan, plan_of
from proofs.verdict import Acceptance, Verdict
from proofs.verdicts import Status
from tests.proofs.examined import HALF, made, nothing, seen

EXACT, FLOAT64, FLOAT32 = Arithmetic.EXACT, Arithmetic.FLOAT64, Arithmetic.FLOAT32
OFF = made(Fraction(3, 4))
EXACT_SCOPE = "exact arithmetic, real uniforms, gamma 1, 2, V = 3: 2 inputs of the core battery, 4 paths"
END = "; drafts drawn from the rows; every path replayed in floats"


@pytest.fixture(autouse=True)
def _repeatable(monkeypatch: pytest.MonkeyPatch) -> None:
    """Results that are made up cannot be explored again; tests of `repeats` do that."""
    monkeypatch.setattr("proofs.conclusions.has_one_law", lambda plan, found: True)


def _plan(**changes: Any) -> Plan:
    return plan_of(nothing, **{**DEFAULTS, "shrink": False, **changes})


def _run(*results: Examined, arithmetic: Arithmetic = EXACT, **changes: Any) -> Run:
    run = Run(arithmetic, core=len(results), **changes)
    for found in results:
        run.add(found)
    return run


def _verdict(*runs: Run, **changes: Any) -> Verdict:
    return conclude_on(_plan(**changes), *runs)


# --- word and reason


def test_lossless_says_on_how_many_inputs() -> None:
    verdict = _verdict(_run(made(), made()))
    assert (verdict.status, verdict.reason) == (Status.LOSSLESS, "the law is the target's on every one of 2 inputs")
    assert verdict.scope == EXACT_SCOPE + END
    assert (verdict.inputs, verdict.paths, verdict.worst) == (2, 4, Fraction(0))
    assert (verdict.counterexample, verdict.explanation) == (None, ())


def test_bias_that_does_not_repeat_itself_is_unverified(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proofs.conclusions.has_one_law", lambda plan, found: False)
    verdict = _verdict(_run(OFF))
    assert (verdict.status, verdict.counterexample, verdict.worst) == (Status.UNVERIFIED, None, Fraction(0))
    assert "explored again, it has another law" in verdict.reason


def test_lengths_that_were_equal_in_every_call_are_noted_where_the_verdict_is_lossless() -> None:
    """At gamma 2 and V = 3 a row index and a token index run alike; several V, or one position, are no blind spot."""
    (note,) = _verdict(_run(made(), made())).notes
    assert "gamma=(1, 2, 3) and vocabulary=(3, 4) look at it" in note
    for changes in ({"vocabulary": (3, 4)}, {"gamma": 1}, {"gamma": (2, 3), "vocabulary": 5}):
        assert _verdict(_run(made(), made()), **changes).notes == ()


def test_biased_names_the_sequence_of_greatest_excess_and_shows_the_input() -> None:
    verdict = _verdict(_run(made(), OFF))
    assert verdict.status is Status.BIASED
    assert verdict.reason == (
        "(0,) has probability 3/4, the target's is 1/2; total variation 1/4 [made, gamma 0, V = 2]"
    )
    assert verdict.worst == Fraction(1, 4)
    assert verdict.explanation == OFF.judgement.explanation != ()
    assert verdict.counterexample is not None
    assert verdict.counterexample.law == {(0,): Fraction(3, 4), (1,): Fraction(1, 4)}


def test_unverified_says_the_weightiest_reason_and_its_input() -> None:
    verdict = _verdict(_run(made(), made(name="here", reasons=("one", "two")), made(reasons=("three",))))
    assert (verdict.status, verdict.reason) == (Status.UNVERIFIED, "one [here, gamma 0, V = 2]")
    assert verdict.counterexample is None


def test_mass_that_is_missing_without_a_reason_is_said_to_be() -> None:
    verdict = _verdict(_run(made(Fraction(1, 4), remaining=HALF)))
    assert verdict.reason == "the law is not known [made, gamma 0, V = 2]"
    assert verdict.explanation == made(Fraction(1, 4), remaining=HALF).judgement.explanation != ()


def test_biased_outweighs_unverified_in_every_order() -> None:
    unsure = made(reasons=("why",))
    for results in ([unsure, OFF], [OFF, unsure]):
        assert _verdict(_run(*results)).status is Status.BIASED
    assert _verdict(_run(made()), _run(unsure, arithmetic=FLOAT64)).reason == "why [made, gamma 0, V = 2]"


def test_nothing_tried_and_broken_off() -> None:
    empty = _verdict(_run())
    assert (empty.status, empty.reason) == (Status.UNVERIFIED, "nothing was tried")
    broken = _verdict(_run(made(), made(), broken_off="interrupted"))
    assert (broken.status, broken.reason) == (Status.UNVERIFIED, "interrupted after 2 inputs")
    assert broken.scope == EXACT_SCOPE + ", then interrupted" + END
    assert _verdict(_run(OFF, broken_off="interrupted")).status is Status.BIASED


def test_bound_is_named_on_both_sides() -> None:
    kept = _verdict(_run(made(), made()), bound=Fraction(1, 8))
    assert kept.reason == "total variation 0 at most on 2 inputs, within the bound 1/8"
    beyond = _verdict(_run(OFF), bound=Fraction(1, 8))
    assert beyond.reason == "total variation 1/4 is beyond the bound 1/8 [made, gamma 0, V = 2]"


# --- several runs


def test_run_that_left_exact_arithmetic_decides_nothing_and_is_told() -> None:
    left = _run(made(reasons=("left",)), left=seen(Kind.LEAK, "it became a float"))
    verdict = _verdict(left, _run(made(), arithmetic=FLOAT64))
    assert verdict.status is Status.LOSSLESS
    assert verdict.scope == (
        "exact arithmetic was left after 2 paths: it became a float (mine.py:1); float64 arithmetic on dyadic rows, "
        "uniforms k/2^53, tolerance 8e-15 at most, gamma 1, 2, V = 3: 1 inputs of the core battery, 2 paths" + END
    )
    assert (verdict.inputs, verdict.paths) == (2, 4)


def test_counts_notes_and_worst_are_over_all_runs() -> None:
    one = _run(made(marks=(seen(Kind.NOTE, "one"),)), made(marks=(seen(Kind.NOTE, "two"),)))
    two = _run(OFF, made(marks=(seen(Kind.NOTE, "one"),)), arithmetic=FLOAT64)
    assert _verdict(two, one).worst == Fraction(1, 4)
    verdict = _verdict(one, two)
    assert (verdict.inputs, verdict.paths, verdict.worst) == (4, 8, Fraction(1, 4))
    assert verdict.notes == ("one (mine.py:1)", "two (mine.py:1)")


# --- scope


@pytest.mark.parametrize(
    ("changes", "start"),
    [
        (
            {"gamma": 0, "vocabulary": (2, 4)},
            "exact arithmetic, real uniforms, gamma 0, V = 2, 4: 1 inputs of the core",
        ),
        ({"inputs": [1, 2]}, "exact arithmetic, real uniforms, gamma 1, 2: 1 inputs of the caller, 2 paths;"),
        ({"siblings": 2}, "exact arithmetic, real uniforms, one call, V = 3: 1 inputs of the core battery, 2 paths;"),
    ],
)
def test_scope_says_what_was_tried(changes: Any, start: str) -> None:
    assert _verdict(_run(made()), **changes).scope.startswith(start)


@pytest.mark.parametrize(
    ("changes", "end"),
    [
        ({"drafter": nothing}, "; drafts by the caller's drafter; every path replayed in floats"),
        ({"siblings": 2}, "; drafts drawn from the rows, 2 siblings with replacement; every path replayed in floats"),
        (
            {"siblings": 3, "replacement": False},
            "; drafts drawn from the rows, 3 siblings without replacement; every path replayed in floats",
        ),
        ({"allow_state": ("a", "b")}, "; every path replayed in floats; allowed to change: a, b"),
        ({"target_of": nothing}, "; every path replayed in floats; held to the declared target"),
    ],
)
def test_scope_says_on_what_terms(changes: Any, end: str) -> None:
    assert _verdict(_run(made()), **changes).scope.endswith(end)


def test_scope_counts_what_lay_beyond() -> None:
    scope = _verdict(_run(made(), made(), beyond={"drawn": 3, "real": 1})).scope
    assert scope == EXACT_SCOPE.replace(", 4 paths", ", 3 drawn, 1 real, 4 paths") + END


@pytest.mark.parametrize(
    ("arithmetic", "changes", "single", "words"),
    [
        (FLOAT64, {}, False, "float64 arithmetic on dyadic rows, uniforms k/2^53, tolerance 8e-15 at most, "),
        (FLOAT64, {}, True, "uniforms k/2^53, tolerance 4.3e-06 at most (the code rounds to float32), "),
        (
            FLOAT32,
            {},
            False,
            "float32 arithmetic on dyadic rows, uniforms k/2^24 or k/2^53, tolerance 4.3e-06 at most, ",
        ),
        (FLOAT64, {"tolerance": "1/8"}, True, "uniforms k/2^53, tolerance 1/8, gamma"),
        (FLOAT64, {"inputs": [1]}, False, "float64 arithmetic on the caller's rows as floats, "),
        (FLOAT64, {"gamma": 3, "vocabulary": 2}, False, "tolerance 7.1e-15 at most, gamma 3, V = 2"),
    ],
)
def test_scope_states_the_tolerance_of_floats(arithmetic: Arithmetic, changes: Any, single: bool, words: str) -> None:
    assert words in _verdict(_run(made(), arithmetic=arithmetic, single=single), **changes).scope


# --- pace


def _slow(best: Fraction, expected: Fraction = HALF, name: str = "I2") -> Acceptance:
    return Acceptance(name, expected, best)


def test_right_verifier_is_told_once_where_it_is_slowest() -> None:
    acceptance = [_slow(HALF), _slow(Fraction(5, 8), name="I3"), _slow(Fraction(1), name="I5")]
    verdict = _verdict(_run(made(), acceptance=acceptance))
    assert verdict.acceptance == tuple(acceptance)
    assert verdict.explanation == (
        "Right, but not the fastest: on [I5] it accepts 1/2 tokens a call; the best lossless rule accepts 1. "
        "Slower than the best on 2 of 3 inputs.",
    )


@pytest.mark.parametrize(
    ("results", "changes"),
    [([OFF], {}), ([made(reasons=("why",))], {}), ([made()], {"bound": Fraction(1, 8)})],
)
def test_pace_of_others_is_not_spoken_of(results: list[Examined], changes: Any) -> None:
    verdict = _verdict(_run(*results, acceptance=[_slow(Fraction(1))]), **changes)
    assert not any("fastest" in sentence for sentence in verdict.explanation)


@pytest.mark.parametrize(
    ("arithmetic", "lead", "is_told"),
    [
        (EXACT, Fraction(1, 2**60), True),
        (FLOAT64, Fraction(1, 2**16), False),
        (FLOAT64, Fraction(1, 2**15), True),
        (FLOAT32, Fraction(1, 2**16), False),
    ],
)
def test_rounding_is_no_loss_of_pace(arithmetic: Arithmetic, lead: Fraction, is_told: bool) -> None:
    verdict = _verdict(_run(made(), arithmetic=arithmetic, acceptance=[_slow(HALF + lead)]))
    assert bool(verdict.explanation) is is_told


# --- several k


def test_worst_word_of_several_parts_decides() -> None:
    parts = [
        Verdict(Status.LOSSLESS, "one", "right", ("so",), None, Fraction(0), (_slow(HALF),), 1, 2, ("a", "b")),
        Verdict(Status.UNVERIFIED, "two", "unsure", ("thus",), None, Fraction(1, 8), (_slow(HALF),), 3, 4, ("b", "c")),
        Verdict(Status.UNVERIFIED, "three", "unsure too", (), None, Fraction(1, 9), (), 5, 6, ()),
    ]
    assert joined(parts) == Verdict(
        Status.UNVERIFIED,
        "one | two | three",
        "unsure",
        ("thus",),
        None,
        Fraction(1, 8),
        (_slow(HALF), _slow(HALF)),
        9,
        12,
        ("a", "b", "c"),
    )


def test_counterexample_of_the_deciding_part_is_kept() -> None:
    biased = _verdict(_run(OFF))
    verdict = joined([_verdict(_run(made())), biased])
    assert (verdict.status, verdict.counterexample) == (Status.BIASED, biased.counterexample)
    assert verdict.counterexample is not None
