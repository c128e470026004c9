"""What a run of Coq is worth."""

from proofs.coq_results import CoqRun
from proofs.verdicts import Finding, Outcome

STATED = {"lossless": "TokenRule.v", "optimal": "TokenRule.v"}


def outcomes(run: CoqRun) -> list[Outcome]:
    return [finding.outcome for finding in run.outcomes]


def test_not_asked_for() -> None:
    run = CoqRun(STATED)
    assert (run.outcomes, run.scope, run.machine_checked) == ([], "", {})
    assert run.words("lossless") == "stated and proved in proofs/coq/TokenRule.v; not run here (--coq compiles it)"
    assert run.words("else") == ""


def test_asked_for_and_checked() -> None:
    run = CoqRun(STATED, wanted=True, version="8.16.1", checked=STATED | {"helper": "TokenRule.v"})
    assert outcomes(run) == [Outcome.AS_CLAIMED] * 2
    assert run.scope == "2 of 2 theorems machine-checked by Coq 8.16.1"
    assert run.words("optimal") == (
        "machine-checked for every V, without axioms: proofs/coq/TokenRule.v, compiled in this run by Coq 8.16.1"
    )


def test_what_is_missing_is_unverified() -> None:
    run = CoqRun(STATED, wanted=True, version="8.16.1", checked={"lossless": "TokenRule.v"})
    assert outcomes(run) == [Outcome.AS_CLAIMED, Outcome.UNVERIFIED]
    assert run.words("optimal") == "stated and proved in proofs/coq/TokenRule.v; not run here"
    assert "1 of 2" in run.scope


def test_another_file_of_the_same_theorem_counts_for_nothing() -> None:
    run = CoqRun(STATED, wanted=True, checked={"lossless": "Else.v", "optimal": "Else.v"})
    assert outcomes(run) == [Outcome.UNVERIFIED]


def test_nothing_stated_is_unverified() -> None:
    assert outcomes(CoqRun({}, wanted=True)) == [Outcome.UNVERIFIED]


def test_findings_stand_beside_what_was_checked() -> None:
    wrong = Finding(Outcome.DIFFERS, "Coq refuses TokenRule.v")
    assert CoqRun(STATED, wanted=True, findings=[wrong]).outcomes == [wrong]
