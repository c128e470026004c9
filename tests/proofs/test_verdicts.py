"""One function decides: the greatest harm wins, and nothing checked is not a pass."""

from itertools import permutations

import pytest

from proofs.verdicts import Finding, Outcome, conclude


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
