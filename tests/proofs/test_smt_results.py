"""What answers of a solver are worth: only goals proved, controls refuted and hypotheses that can be met count."""

from dataclasses import replace

import pytest

from proofs.smt_results import NO_SMT_FORM, NOT_CHECKED, Goal, SmtResult, SmtRun
from proofs.verdicts import Outcome, conclude

GOOD = SmtResult("lossless", (Goal("one", "proved"), Goal("two", "proved")), (Goal("three", "refuted"),))


def test_proved_goals_and_refuted_controls_are_as_claimed() -> None:
    assert GOOD.finding.outcome is Outcome.AS_CLAIMED
    assert not GOOD.problems


@pytest.mark.parametrize(
    ("result", "outcome", "reason"),
    [
        (replace(GOOD, goals=(*GOOD.goals, Goal("x", "refuted"))), Outcome.DIFFERS, "refuted: x"),
        (replace(GOOD, goals=(*GOOD.goals, Goal("x", "unknown"))), Outcome.UNVERIFIED, "unknown: x"),
        (replace(GOOD, goals=(Goal("x", "proved", vacuous=True),)), Outcome.DIFFERS, "are contradictory: x"),
        (replace(GOOD, goals=()), Outcome.UNVERIFIED, "no goal was stated"),
        (replace(GOOD, controls=(Goal("x", "proved"),)), Outcome.DIFFERS, "false and yet proved: x"),
        (replace(GOOD, controls=(Goal("x", "proved", vacuous=True),)), Outcome.DIFFERS, "are contradictory: x"),
        (replace(GOOD, controls=(Goal("x", "unknown"),)), Outcome.UNVERIFIED, "unknown: x"),
        (replace(GOOD, controls=()), Outcome.UNVERIFIED, "no negative control was stated"),
        (SmtResult("lossless", (Goal("x", "unknown"),), (Goal("y", "proved"),)), Outcome.DIFFERS, "yet proved: y"),
    ],
)
def test_anything_else_is_not(result: SmtResult, outcome: Outcome, reason: str) -> None:
    assert result.finding.outcome is outcome
    assert result.finding.text.endswith(reason)
    assert any(problem.endswith(reason) for problem in result.problems)


def test_goals_that_were_not_run_are_unverified() -> None:
    run = SmtRun(("lossless", "optimal", "single_token"))
    assert run.stated == ("lossless", "optimal")
    assert run.without == {"single_token": NO_SMT_FORM["single_token"]}
    assert conclude(run.findings, run.scope).outcome is Outcome.UNVERIFIED
    assert run.scope == "SMT goals proved for 0 of 2 theorems"
    run.results.append(GOOD)
    assert "the SMT goals of 1 theorems were not reached" in str(conclude(run.findings, run.scope))
    run.results.append(replace(GOOD, theorem="optimal"))
    assert str(conclude(run.findings, run.scope)) == "VERIFIED: SMT goals proved for 2 of 2 theorems"


def test_theorem_without_smt_form_alone_is_unverified() -> None:
    run = SmtRun(("single_token",))
    assert [finding.outcome for finding in run.findings] == [Outcome.UNVERIFIED]
    assert "no SMT form" in run.findings[0].text


def test_induction_rule_is_said_to_be_unchecked() -> None:
    assert "the induction rule, which z3 does not check" in NOT_CHECKED["induction"]
