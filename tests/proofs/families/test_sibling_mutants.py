"""The mutants of siblings are the faults that they say they are: their laws on small inputs."""

from typing import Any

import pytest
from sympy import Rational

import proofs
from proofs.domains import NAMED
from proofs.families.sibling_model import SIBLING_RULE, drawn, drawn_in_turn
from proofs.families.sibling_mutants import MUTANTS
from proofs.processes import as_rational
from tests.verifiers.exact_siblings import sibling_law
from tests.verifiers.records import I3, I5

RULES = {mutant.id: mutant.rule for mutant in MUTANTS}


def _dist(law: Any) -> tuple[Rational, ...]:
    return tuple(map(as_rational, law.dist))


@pytest.mark.parametrize(
    ("name", "kind", "replacement"),
    [
        ("sibling_update_forgotten", "residual not updated between drafts", True),
        ("sibling_last_residual_skipped", "last residual skipped", True),
        ("sibling_raw_draft", "draft not renormalised", False),
    ],
)
def test_wrong_recursions_have_the_laws_of_wrong_verifiers(name: str, kind: str, replacement: bool) -> None:
    for pair, case in ((I3, NAMED["I3"]), (I5, NAMED["I5"])):
        law = drawn(RULES[name].recursion, case.p, case.q, 2, replacement)
        assert _dist(law) == tuple(map(proofs.exact, sibling_law(kind, *pair, 2, replacement)))
        assert case is NAMED["I3"] or _dist(law) != case.p  # one token in the residual hides them


def test_kseq_with_rho_one_has_the_law_of_the_wrong_verifier() -> None:
    case = NAMED["I5"]
    law = drawn_in_turn(RULES["kseq_rho_one"].sequential, case.p, case.q, 2, Rational(2))
    assert _dist(law) == tuple(map(proofs.exact, sibling_law("K-SEQ with rho 1", *I5, 2, True)))


def test_mutants_differ_from_the_right_rule_in_what_they_say() -> None:
    assert all(mutant.rule != SIBLING_RULE for mutant in MUTANTS)
    assert len({mutant.fault for mutant in MUTANTS}) == len(MUTANTS)
