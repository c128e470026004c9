"""What each layer may import, looked at in a fresh interpreter."""

import subprocess
import sys

import pytest

HEAVY = ["numpy", "sympy", "hypothesis", "torch", "pytest", "gmpy2", "matplotlib"]

FORBIDDEN = {
    "specdec": ["proofs", "sympy", "hypothesis", "pytest"],
    "specdec.sampling": ["proofs", "sympy", "hypothesis", "pytest"],
    "proofs": ["specdec", *HEAVY],
    "proofs.errors": ["specdec", *HEAVY],
    "proofs.verdicts": ["specdec", *HEAVY],
    "proofs.integer_law": ["specdec", *HEAVY],
    "proofs.rows": ["specdec", *HEAVY],  # NumPy is loaded when a file is read
    "proofs.command_line": ["specdec", *HEAVY],
    "proofs.rationals": ["specdec", "numpy", "hypothesis"],
    "proofs.distributions": ["specdec", "numpy", "hypothesis"],
    "proofs.token_rule": ["specdec", "numpy", "hypothesis"],
    "proofs.completion": ["specdec", "numpy", "hypothesis"],
    "proofs.theorems": ["specdec", "numpy", "hypothesis"],
    "proofs.mutants": ["specdec", "numpy", "hypothesis"],
    "proofs.runner": ["specdec", "numpy", "hypothesis"],
    "proofs.report": ["specdec", "numpy", "hypothesis"],
    "proofs.strategies": ["specdec", "numpy", "sympy"],
}


def _loaded(code: str) -> set[str]:
    probe = f"import sys\n{code}\nprint(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", probe], check=True, capture_output=True, text=True)
    return set(run.stdout.split())


@pytest.mark.parametrize("module", FORBIDDEN)
def test_layer_does_not_import(module: str) -> None:
    loaded = _loaded(f"import {module}")
    assert module in loaded
    assert loaded.isdisjoint(FORBIDDEN[module])


def test_rows_are_checked_without_sympy() -> None:
    code = "import proofs.command_line as c; c.main(['rows', 'tests/data/real_rows.npz'])"
    loaded = _loaded(code)
    assert "numpy" in loaded
    assert loaded.isdisjoint({"sympy", "hypothesis", "specdec"})


def test_only_agreement_imports_both_twins() -> None:
    assert {"specdec.token_rule", "proofs.token_rule"} <= _loaded("import proofs.agreement")


def test_lower_modules_do_not_import_higher_ones() -> None:
    """The order of the layers in proofs: a module may import only those before it."""
    order = [
        "errors", "verdicts", "rationals", "distributions", "token_rule", "completion", "rule", "induction",
        "derivations", "domains", "claims", "theorems", "mutants", "runner", "report", "command_line",
    ]  # fmt: skip
    for at, name in enumerate(order):
        loaded = _loaded(f"import proofs.{name}")
        assert loaded.isdisjoint({f"proofs.{later}" for later in order[at + 1 :]}), name
