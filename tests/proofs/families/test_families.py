"""Every family is whole: identifiers, evidence, a liar for every theorem."""

import re
from types import ModuleType

import pytest

from proofs.families import FAMILIES
from proofs.mutants import MUTANTS, Mutant
from proofs.runner import REGISTRY, examine, refute
from proofs.theorems import THEOREMS, Theorem
from proofs.verdicts import Outcome

ENTRIES = [(family, theorem) for family in FAMILIES for theorem in family.THEOREMS]
LIARS = [(family, mutant) for family in FAMILIES for mutant in family.MUTANTS]


def _name(entry: object) -> str:
    return entry.id if isinstance(entry, Theorem | Mutant) else str(getattr(entry, "__name__", "")).rpartition(".")[2]


def test_no_identifier_is_used_twice() -> None:
    for ids in ([theorem.id for theorem in REGISTRY.theorems], [mutant.id for mutant in REGISTRY.mutants]):
        assert len(ids) == len(set(ids))
    assert REGISTRY.theorems[: len(THEOREMS)] == THEOREMS
    assert REGISTRY.mutants[: len(MUTANTS)] == MUTANTS


@pytest.mark.parametrize("family", FAMILIES, ids=_name)
def test_family_is_about_one_rule(family: ModuleType) -> None:
    assert family.ABOUT.endswith(".")
    assert len({entry.about for entry in (*family.THEOREMS, *family.MUTANTS)}) == 1
    assert len({id(theorem.rule) for theorem in family.THEOREMS}) == 1
    assert all(type(mutant.rule) is type(family.THEOREMS[0].rule) for mutant in family.MUTANTS)


@pytest.mark.parametrize(("family", "theorem"), ENTRIES, ids=_name)
def test_entry_is_complete(family: ModuleType, theorem: Theorem) -> None:
    assert re.fullmatch(r"[a-z][a-z0-9_]*", theorem.id)
    assert theorem.statement.startswith(("For all", "With"))
    assert theorem.latex.isascii()
    assert theorem.latex
    assert theorem.source
    assert "arXiv" not in theorem.source or "source unverified" in theorem.source
    assert theorem.refutes
    assert set(theorem.refutes) <= {mutant.id for mutant in family.MUTANTS}


@pytest.mark.parametrize(("family", "theorem"), ENTRIES, ids=_name)
def test_theorem_has_a_mutant_of_its_own_or_says_why_not(family: ModuleType, theorem: Theorem) -> None:
    elsewhere = {name for other in family.THEOREMS if other is not theorem for name in other.refutes}
    alone = set(theorem.refutes) - elsewhere
    assert theorem.sole in alone if theorem.sole else not alone
    assert bool(theorem.sole) != bool(theorem.shared)


@pytest.mark.parametrize(("family", "theorem"), ENTRIES, ids=_name)
def test_theorem_holds_on_its_grid(family: ModuleType, theorem: Theorem) -> None:
    result = examine(theorem, examples=10)
    assert result.finding.outcome is Outcome.AS_CLAIMED, result.counterexample
    assert result.grid >= 3


@pytest.mark.slow
@pytest.mark.parametrize(("family", "theorem"), ENTRIES, ids=_name)
def test_listed_mutants_are_exactly_those_refuted_on_the_grid(family: ModuleType, theorem: Theorem) -> None:
    refuted = {mutant.id for mutant in family.MUTANTS if refute(mutant, [theorem]).witnesses[theorem.id] is not None}
    assert refuted == set(theorem.refutes)


@pytest.mark.parametrize(("family", "mutant"), LIARS, ids=_name)
def test_every_mutant_is_refuted_by_some_theorem(family: ModuleType, mutant: Mutant) -> None:
    assert any(mutant.id in theorem.refutes for theorem in family.THEOREMS)
    assert mutant.source
