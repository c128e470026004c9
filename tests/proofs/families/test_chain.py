"""The chain's theorems and mutants: the right rule keeps every claim, and every fault breaks those that list it."""

import pytest

from proofs.families.chain import ABOUT, MUTANTS, THEOREMS
from proofs.families.chain_model import CHAIN
from proofs.runner import refute
from proofs.theorems import Theorem
from proofs.verdicts import Outcome


@pytest.mark.parametrize("theorem", THEOREMS, ids=lambda theorem: theorem.id)
def test_theorem_holds_and_refutes_what_it_lists(theorem: Theorem) -> None:
    assert all(theorem.holds(theorem.rule, case) is None for case in theorem.domain.grid())
    for mutant in MUTANTS:
        if mutant.id in theorem.refutes:
            assert refute(mutant, [theorem]).finding.outcome is Outcome.AS_CLAIMED, mutant.id
    assert theorem.about == "chain"
    assert theorem.rule is CHAIN


def test_lossless_is_not_asked_of_reports() -> None:
    """A wrong sampler can be lossless, and a right one be reported wrongly."""
    lossless = THEOREMS[0]
    assert "chain_keep_iff_p_covers_q" not in lossless.refutes
    assert "chain_whole_blocks" not in lossless.refutes


def test_about_is_a_sentence() -> None:
    assert ABOUT.endswith("bonus token.")
