"""Registries that a run can be given instead of the built-in one, the command in a process, files of rows."""

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proofs.cases import Case
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


def run_proofs(
    *arguments: str, cwd: Path, python: tuple[str, ...] = (), **environment: str
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, *python, "-m", "proofs", *arguments]
    variables = {**os.environ, **environment}
    return subprocess.run(command, cwd=cwd, env=variables, capture_output=True, text=True, timeout=300, check=False)


@pytest.fixture
def save(tmp_path: Path) -> Callable[..., Path]:
    """Save arrays as an ``.npz`` file and return its path."""

    def write(**arrays: Any) -> Path:
        np.savez(tmp_path / "rows.npz", **arrays)
        return tmp_path / "rows.npz"

    return write
