"""A run cannot pass what it did not check, and stops at what is false."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from proofs import runner
from proofs.domains import NAMED, PAIRS, Domain
from proofs.induction import Proof
from proofs.runner import REGISTRY, MutantResult, Registry, Run, execute, select
from proofs.theorems import THEOREMS
from proofs.verdicts import Outcome, conclude
from tests.proofs import conftest

Build = Callable[..., Registry]


def _outcome(registry: Registry) -> Outcome:
    run = Run(registry, registry)
    list(execute(run, examples=100))
    return conclude(run.findings, run.scope).outcome


def test_theorem_and_mutant_as_they_should_be(registry: Build) -> None:
    assert _outcome(registry()) is Outcome.AS_CLAIMED


def test_false_theorem_fails_with_the_smallest_case(registry: Build) -> None:
    built = registry(holds=conftest.never_equal)
    result = runner.examine(built.theorems[0])
    assert result.counterexample is not None
    assert len(result.counterexample[0].p) == 1
    assert result.grid == 1
    assert _outcome(built) is Outcome.DIFFERS


def test_hypothesis_finds_and_shrinks_what_the_grid_misses(registry: Build) -> None:
    result = runner.examine(registry(holds=conftest.false_at_six_tokens).theorems[0])
    assert result.counterexample is not None
    case, difference = result.counterexample
    assert difference == "six tokens"
    assert (result.grid, result.named) == (834, 5)
    assert max(x.q for x in (*case.p, *case.q)) <= 2  # shrunk


def test_proof_that_fails_is_not_outvoted_by_checks(registry: Build) -> None:
    assert _outcome(registry(prove=lambda kernel: Proof((), ()))) is Outcome.DIFFERS


def test_theorem_without_a_derivation_is_counted_apart(registry: Build) -> None:
    """What is checked alone is as claimed, and is never counted among what is proved."""
    built = registry(prove=None)
    run = Run(built, built)
    list(execute(run, examples=10))
    assert run.theorems[0].proof is None
    assert conclude(run.findings, run.scope).outcome is Outcome.AS_CLAIMED
    assert run.scope == "1 of 1 others checked, 1 of 1 mutants refuted"


def test_theorem_without_a_derivation_that_fails_is_a_difference(registry: Build) -> None:
    assert _outcome(registry(prove=None, holds=conftest.never_equal)) is Outcome.DIFFERS


def test_theorem_checked_on_nothing_is_unverified(registry: Build) -> None:
    nothing = Domain("nothing", lambda: iter(()), False, None)
    built = Registry(registry(domain=nothing).theorems, ())
    run = Run(built, built)
    list(execute(run))
    assert run.theorems[0].finding.outcome is Outcome.UNVERIFIED


def test_hypothesis_that_ran_nothing_is_unverified(registry: Build) -> None:
    result = runner.examine(registry().theorems[0])
    assert (result.asked, result.drawn) != (0, 0)
    assert replace(result, drawn=0).finding.outcome is Outcome.UNVERIFIED


def test_surviving_mutant_fails_the_run(registry: Build) -> None:
    assert _outcome(registry(mutant=conftest.the_rule_itself())) is Outcome.DIFFERS


def test_mutant_that_a_proof_lets_through_fails_the_run(registry: Build) -> None:
    """Refuted on the grid, yet proved: then the prover proves wrong things."""
    built = registry(mutant=conftest.proof_slips_through())
    result = runner.refute(built.mutants[0], list(built.theorems))
    assert result.witnesses["lossless"] is not None
    assert result.unproved == {"lossless": None}
    assert result.finding.outcome is Outcome.DIFFERS


def test_mutant_that_no_theorem_lists_has_survived() -> None:
    assert MutantResult(conftest.the_rule_itself(), {}).finding.outcome is Outcome.DIFFERS


def test_error_inside_a_claim_is_not_swallowed(registry: Build) -> None:
    def crash(rule: Any, case: Any) -> str | None:
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        runner.examine(registry(holds=crash).theorems[0])


def test_what_was_not_reached_is_unverified() -> None:
    run = Run(REGISTRY, REGISTRY)
    assert conclude(run.findings, run.scope).outcome is Outcome.UNVERIFIED
    next(execute(run))
    assert conclude(run.findings, run.scope).outcome is Outcome.UNVERIFIED
    others, mutants = len(REGISTRY.theorems) - len(THEOREMS), len(REGISTRY.mutants)
    assert (
        run.scope
        == f"1 of 14 theorems proved and checked, 0 of {others} others checked, 0 of {mutants} mutants refuted"
    )


def test_theorem_whose_mutants_were_not_run_is_unverified(registry: Build) -> None:
    """A theorem that cannot be seen to fail on anything is not verified, nor one whose liar is missing."""
    built = registry()
    for mutants in ((), (replace(built.mutants[0], id="another"),)):
        without = replace(built, mutants=mutants)
        run = Run(without, without)
        list(execute(run))
        outcomes = {finding.outcome for finding in run.findings if "mutants that were not run" in finding.text}
        assert outcomes == {Outcome.UNVERIFIED}


def test_witness_shown_is_the_smallest_over_all_theorems() -> None:
    for mutant in REGISTRY.mutants[:10]:
        result = runner.refute(mutant, [t for t in REGISTRY.theorems if mutant.id in t.refutes])
        assert result.smallest is not None
        assert all(w[0].size >= result.smallest[1].size for w in result.witnesses.values() if w is not None)


def test_selection_keeps_the_mutants_of_the_theorem() -> None:
    selected = select(REGISTRY, "completion")
    assert [theorem.id for theorem in selected.theorems] == ["completion"]
    assert [mutant.id for mutant in selected.mutants] == ["excess_completion", "shortfall_without_acceptance"]
    assert select(REGISTRY, None) is REGISTRY
    with pytest.raises(KeyError):
        select(REGISTRY, "nonsense")


def test_search_is_deterministic() -> None:
    theorem = REGISTRY.theorems[0]
    assert theorem.domain is PAIRS
    drawn: list[list[Any]] = []
    for _ in range(2):
        seen: list[Any] = []

        def note(rule: Any, case: Any, seen: list[Any] = seen) -> None:
            seen.append(case)

        runner.examine(replace(theorem, holds=note))
        drawn.append(seen)
    assert drawn[0] == drawn[1]
    assert len(drawn[0]) > 834 + 5
    assert drawn[0][834 : 834 + 5] == list(NAMED.values())
