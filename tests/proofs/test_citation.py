"""What is cited: the evidence in one sentence, never more than was found."""

from dataclasses import replace

import pytest

from proofs.cases import Case
from proofs.citation import CHECKED, MACHINE_CHECKED, PROVED, cite_run, cite_theorem, evidence_of
from proofs.errors import ProofsError
from proofs.induction import WORDS
from proofs.runner import REGISTRY, Registry, Run, execute, select
from tests.cited import DIGEST, citation_of, citation_of_the_run, result_of, whole_run

SINGLE = select(REGISTRY, "single_token").theorems[0]
CHAIN = select(REGISTRY, "chain_expected_accepted").theorems[0]


def test_evidence_of_a_run_in_numbers() -> None:
    selected = select(REGISTRY, "single_token")
    run = Run(REGISTRY, selected)
    list(execute(run))
    cited = cite_theorem(run, "single_token", "1.2.3", DIGEST)
    assert cited.evidence.kind == PROVED
    goals, words = len(run.theorems[0].proof.goals), ", ".join(run.theorems[0].proof.words)  # type: ignore[union-attr]
    assert cited.evidence.sentence == (
        f"Proved for every input and every V that the statement speaks of, by {goals} goals that SymPy decides on "
        f"symbols and by steps argued in words ({words}); checked in exact rationals, with zero tolerance, on 1 pair, "
        "the only one; in the same run 3 mutants of the rule or of a report about it failed on it."
    )
    assert cited.evidence.steps == {word: WORDS[word] for word in run.theorems[0].proof.words}  # type: ignore[union-attr]


def test_check_says_that_it_is_no_proof() -> None:
    evidence = evidence_of(replace(result_of(CHAIN), grid=270), 1)
    assert evidence.kind == CHECKED
    assert evidence.sentence.startswith("Checked in exact rationals, with zero tolerance, on 270 chains, gamma 0 to 3")
    assert evidence.sentence.endswith(
        ", without a difference, which is no proof; in the same run 1 mutant of the rule or of a report about it "
        "failed on it."
    )
    assert evidence.steps == {}


@pytest.mark.parametrize("theorem", REGISTRY.theorems, ids=lambda theorem: theorem.id)
def test_word_of_the_evidence_is_that_of_the_registry(theorem: object) -> None:
    cited = citation_of(theorem.id)  # type: ignore[attr-defined]
    proved = theorem.prove is not None  # type: ignore[attr-defined]
    assert cited.evidence.kind == (PROVED if proved else CHECKED)
    assert cited.evidence.sentence.startswith("Proved for every input" if proved else "Checked in exact rationals")
    assert ("which is no proof" in cited.evidence.sentence) is not proved
    assert cited.evidence.sentence.count(". ") == 0, "one sentence"
    assert cited.hypotheses
    assert all(paper.arxiv in cited.theorem.source for paper in cited.papers)


def test_what_is_not_as_claimed_is_not_cited() -> None:
    good, case = result_of(SINGLE), (Case((1,), (1,)), "a difference")
    assert good.proof is not None
    incomplete = replace(good.proof, goals=())
    for bad in (
        replace(good, counterexample=case),
        replace(good, proof=incomplete),
        replace(good, grid=0),
        replace(good, asked=100, drawn=0),
    ):
        with pytest.raises(ProofsError, match="theorem single_token is not cited"):
            evidence_of(bad, 3)
        run = Run(Registry((SINGLE,), ()), Registry((SINGLE,), ()), [bad])
        with pytest.raises(ProofsError, match="not cited"):
            cite_theorem(run, "single_token", "1", DIGEST)
        with pytest.raises(ProofsError, match="not cited"):
            cite_run(run, "1", DIGEST)


def test_theorem_without_a_result_is_refused() -> None:
    with pytest.raises(ProofsError, match="'lossless' has no result in this run"):
        cite_theorem(Run(REGISTRY, REGISTRY), "lossless", "1", DIGEST)


def test_machine_checked_comes_first_and_needs_no_caution() -> None:
    words = {"chain_expected_accepted": "machine-checked in Coq", "single_token": "machine-checked in Coq"}
    for theorem, rest in ((CHAIN, "checked in exact"), (SINGLE, "proved for every input")):
        evidence = cite_theorem(whole_run(), theorem.id, "1", DIGEST, words).evidence
        assert evidence.kind == MACHINE_CHECKED
        assert evidence.is_proof
        assert evidence.sentence.startswith(f"Machine-checked in Coq; {rest}")
        assert "which is no proof" not in evidence.sentence
    assert not citation_of("chain_expected_accepted").evidence.is_proof
    proved = sum(theorem.prove is not None for theorem in REGISTRY.theorems)
    sentence = cite_run(whole_run(), "1", DIGEST, words).sentence
    assert f"{proved + 1} were proved" in sentence
    assert "2 machine-checked in this run)" in sentence


def test_machine_checked_does_not_mend_a_failure() -> None:
    bad = replace(result_of(CHAIN), grid=0)
    with pytest.raises(ProofsError, match="not cited"):
        evidence_of(bad, 1, "machine-checked in Coq")


def test_mutant_that_survived_is_not_counted() -> None:
    selected = select(REGISTRY, "single_token")
    run = Run(REGISTRY, selected)
    list(execute(run))
    run.mutants[0] = replace(run.mutants[0], witnesses={"single_token": None})
    assert "2 mutants" in cite_theorem(run, "single_token", "1", DIGEST).evidence.sentence


def test_run_is_cited_in_numbers() -> None:
    proved = sum(theorem.prove is not None for theorem in REGISTRY.theorems)
    total = len(REGISTRY.theorems)
    sentence = citation_of_the_run().sentence
    assert sentence.startswith(f"Of {total} theorems in one run, {proved} were proved for every input")
    assert f"({proved} by goals that SymPy decides on symbols" in sentence
    assert "none of them machine-checked in this run)" in sentence
    assert (
        f"{total - proved} others were checked in exact rationals on finitely many cases, which is no proof" in sentence
    )
    assert {p.arxiv for p in citation_of_the_run().papers} == {
        paper.arxiv for theorem in whole_run().theorems for paper in citation_of(theorem.theorem.id).papers
    }
