"""Registries that a run can be given instead of the built-in one."""

from collections.abc import Callable
from dataclasses import replace

import pytest

from proofs.domains import Case
from proofs.mutants import MUTANTS, Mutant
from proofs.rule import TOKEN_RULE, Kernel, Rule
from proofs.runner import Registry
from proofs.theorems import THEOREMS, Theorem

LOSSLESS = THEOREMS[0]


def _changed(**changes: object) -> Theorem:
    return replace(LOSSLESS, refutes=("accept_everything",), **changes)  # type: ignore[arg-type]


@pytest.fixture
def registry() -> Callable[..., Registry]:
    """Build a registry of one theorem, lossless with some fields changed, and one mutant."""

    def build(mutant: Mutant = MUTANTS[0], **changes: object) -> Registry:
        return Registry((_changed(**changes),), (mutant,))

    return build


def never_equal(rule: Rule, case: Case) -> str | None:
    """Claim that p and the law always differ: false on every input."""
    return f"dist is p for V = {len(case.p)}" if rule.emitted_distribution(case.p, case.q).dist == case.p else None


def false_at_six_tokens(rule: Rule, case: Case) -> str | None:
    """A claim that no grid refutes and Hypothesis does."""
    return "six tokens" if len(case.p) == 6 else rule.emitted_distribution(case.p, case.q).dist != case.p or None  # type: ignore[return-value]


def the_rule_itself() -> Mutant:
    """A mutant with nothing wrong: it must survive."""
    return Mutant("accept_everything", "is the token rule", "made here", TOKEN_RULE)


def proof_slips_through() -> Mutant:
    """A mutant that is refuted on the grid but whose kernel is right, so that the proof goes through."""
    return replace(MUTANTS[0], kernel=Kernel())
