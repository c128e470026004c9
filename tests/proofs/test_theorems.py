"""The registry is whole: identifiers, evidence, and a liar for every theorem."""

import re

import pytest

from proofs.mutants import MUTANTS
from proofs.runner import refute
from proofs.theorems import THEOREMS, Theorem

IDS = [theorem.id for theorem in THEOREMS]
PROMISED = {
    "lossless",
    "distribution",
    "alpha_is_one_minus_tv",
    "completion",
    "optimal",
    "identical_draft",
    "token_never_proposed",
    "token_never_wanted",
    "disjoint_supports",
    "one_hot_draft",
    "one_hot_target",
    "single_token",
    "merging_never_lowers_alpha",
    "closed_form_is_sampler",
}


def test_every_promised_theorem_is_there_once() -> None:
    assert len(IDS) == len(set(IDS))
    assert set(IDS) == PROMISED


@pytest.mark.parametrize("theorem", THEOREMS, ids=IDS)
def test_entry_is_complete(theorem: Theorem) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_]*", theorem.id)
    assert theorem.statement.startswith(("For all", "With"))
    assert theorem.latex
    assert theorem.latex.isascii()
    assert theorem.source
    assert theorem.refutes
    assert set(theorem.refutes) <= {mutant.id for mutant in MUTANTS}


@pytest.mark.parametrize("theorem", THEOREMS, ids=IDS)
def test_theorem_has_a_mutant_of_its_own_or_says_why_not(theorem: Theorem) -> None:
    elsewhere = {name for other in THEOREMS if other is not theorem for name in other.refutes}
    alone = set(theorem.refutes) - elsewhere
    if theorem.sole:
        assert theorem.sole in alone
        assert not theorem.shared
    else:
        assert not alone
        assert theorem.shared


def test_papers_that_could_not_be_read_are_marked() -> None:
    for theorem in THEOREMS:
        if "arXiv" in theorem.source:
            assert "source unverified" in theorem.source


@pytest.mark.slow
@pytest.mark.parametrize("theorem", THEOREMS, ids=IDS)
def test_listed_mutants_are_exactly_those_refuted_on_the_grid(theorem: Theorem) -> None:
    refuted = {mutant.id for mutant in MUTANTS if refute(mutant, [theorem]).witnesses[theorem.id] is not None}
    assert refuted == set(theorem.refutes)
