"""One function decides: the greatest harm wins, and nothing checked is not a pass."""

from fractions import Fraction
from itertools import permutations, product
from typing import Any

import pytest

from proofs.errors import ProofsError
from proofs.verdicts import Finding, Outcome, Status, combine, conclude, decide, decide_within


def test_no_finding_is_unverified() -> None:
    conclusion = conclude([], "nothing")
    assert (conclusion.word, conclusion.exit_status) == ("UNVERIFIED", 5)
    assert str(conclusion) == "UNVERIFIED: nothing (nothing was checked)"


@pytest.mark.parametrize(
    ("outcome", "word", "status"),
    [
        (Outcome.AS_CLAIMED, "VERIFIED", 0),
        (Outcome.DIFFERS, "FAILED", 1),
        (Outcome.BAD_INPUT, "BAD INPUT", 2),
        (Outcome.OWN_ERROR, "ERROR", 3),
        (Outcome.UNVERIFIED, "UNVERIFIED", 5),
    ],
)
def test_word_and_status_are_one_value(outcome: Outcome, word: str, status: int) -> None:
    conclusion = conclude([Finding(outcome, "why")], "scope")
    assert (conclusion.word, conclusion.exit_status) == (word, status)
    assert str(conclusion).startswith(f"{word}: scope")


def test_greatest_harm_wins_in_any_order() -> None:
    """3 before 1 before 2 before 5 before 0."""
    ranked = [Outcome.OWN_ERROR, Outcome.DIFFERS, Outcome.BAD_INPUT, Outcome.UNVERIFIED, Outcome.AS_CLAIMED]
    for start in range(len(ranked)):
        for order in permutations(ranked[start:]):
            assert conclude([Finding(outcome, "") for outcome in order], "").outcome is ranked[start]


def test_only_the_deciding_findings_are_reasons() -> None:
    findings = [Finding(Outcome.AS_CLAIMED, "fine"), Finding(Outcome.DIFFERS, "a"), Finding(Outcome.UNVERIFIED, "b")]
    assert conclude(findings, "s").reasons == ("a",)
    assert conclude(findings[:1], "s").reasons == ()


def test_last_line_shows_three_reasons_and_the_number_of_the_others() -> None:
    findings = [Finding(Outcome.BAD_INPUT, f"row {i}") for i in range(300)]
    conclusion = conclude(findings, "s")
    assert str(conclusion) == "BAD INPUT: s (row 0; row 1; row 2; 297 more)"
    assert len(conclusion.reasons) == 300


def _decided(**facts: Any) -> Status:
    fine: dict[str, Any] = {"excess": False, "forbidden": False, "missing": Fraction(0), "equal": True, "reasons": ()}
    return decide(**(fine | facts))


def test_statuses_are_words_with_an_exit_status() -> None:
    assert [(str(status), int(status.outcome)) for status in Status] == [
        ("lossless", 0),
        ("biased", 1),
        ("unverified", 5),
    ]


def test_decision_over_every_combination_of_facts() -> None:
    """Too much mass is never mended; lossless needs equal laws, nothing missing and nothing against it."""
    missing, reasons = (Fraction(0), Fraction(1, 2**53)), ((), ("a mark",))
    for excess, forbidden, lost, equal, marks in product((0, 1), (0, 1), missing, (0, 1), reasons):
        status = decide(excess=bool(excess), forbidden=bool(forbidden), missing=lost, equal=bool(equal), reasons=marks)
        assert (status is Status.BIASED) == bool(excess or forbidden)
        assert (status is Status.LOSSLESS) == (not excess and not forbidden and equal == 1 and not lost and not marks)


@pytest.mark.parametrize(
    ("facts", "status"),
    [
        ({}, "lossless"),
        ({"missing": Fraction(1, 2**60)}, "unverified"),
        ({"reasons": ["hidden state"]}, "unverified"),
        ({"equal": False}, "unverified"),
        ({"excess": True, "equal": False, "missing": Fraction(1, 2), "reasons": ["hidden state"]}, "biased"),
        ({"forbidden": True}, "biased"),
    ],
)
def test_decision(facts: dict[str, Any], status: str) -> None:
    assert _decided(**facts) == status


def test_negative_masses_are_refused() -> None:
    with pytest.raises(ProofsError, match="missing is -1; expected a mass >= 0"):
        _decided(missing=Fraction(-1))
    with pytest.raises(ProofsError, match="missing is -1; expected a mass >= 0"):
        decide_within(Fraction(0), Fraction(1), missing=Fraction(-1))
    with pytest.raises(ProofsError, match="bound is -1; expected a total variation >= 0"):
        decide_within(Fraction(0), Fraction(-1), missing=Fraction(0))


def test_combination_takes_the_greatest_harm_and_nothing_tried_is_unverified() -> None:
    for size in range(4):
        for statuses in product(Status, repeat=size):
            combined = combine(iter(statuses))
            assert (combined is Status.BIASED) == (Status.BIASED in statuses)
            assert (combined is Status.LOSSLESS) == (size > 0 and set(statuses) == {Status.LOSSLESS})
            findings = [Finding(status.outcome, "") for status in statuses]
            assert combined.outcome is conclude(findings, "").outcome


def test_declared_loss_is_held_to_its_bound() -> None:
    bound, nothing, some = Fraction(1, 10), Fraction(0), Fraction(1, 2**60)
    assert decide_within(bound, bound, missing=nothing) is Outcome.AS_CLAIMED
    assert decide_within(bound, bound, missing=some) is Outcome.UNVERIFIED
    assert decide_within(bound, bound, missing=nothing, reasons=["a mark"]) is Outcome.UNVERIFIED
    assert decide_within(bound + some, bound, missing=some, reasons=["a mark"]) is Outcome.DIFFERS
    assert decide_within(nothing, nothing, missing=nothing) is Outcome.AS_CLAIMED
