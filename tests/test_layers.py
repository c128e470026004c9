"""What each layer may import, looked at in a fresh interpreter."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
HEAVY = ["numpy", "sympy", "hypothesis", "torch", "pytest", "gmpy2", "matplotlib", "z3"]

FORBIDDEN = {
    "specdec": ["proofs", "sympy", "hypothesis", "pytest"],
    "specdec.sampling": ["proofs", "sympy", "hypothesis", "pytest"],
    "proofs": ["specdec", *HEAVY],
    "proofs.errors": ["specdec", *HEAVY],
    "proofs.verdicts": ["specdec", *HEAVY],
    "proofs.console": ["specdec", *HEAVY],
    "proofs.workers": ["specdec", *HEAVY],
    "proofs.integer_law": ["specdec", *HEAVY],
    "proofs.rows": ["specdec", *HEAVY],  # NumPy is loaded when a file is read, specdec when a float law is compared
    "proofs.row_files": ["specdec", *HEAVY],
    "proofs.plots": ["specdec", *HEAVY],
    "proofs.rows_command": ["specdec", *HEAVY],
    "proofs.rows_json": ["specdec", *HEAVY],
    "proofs.smt_results": ["specdec", *HEAVY],
    "proofs.command_line": ["specdec", *HEAVY],
    "proofs.rationals": ["specdec", "numpy", "hypothesis"],
    "proofs.distributions": ["specdec", "numpy", "hypothesis"],
    "proofs.token_rule": ["specdec", "numpy", "hypothesis"],
    "proofs.completion": ["specdec", "numpy", "hypothesis"],
    "proofs.theorems": ["specdec", "numpy", "hypothesis", "z3"],
    "proofs.mutants": ["specdec", "numpy", "hypothesis", "z3"],
    "proofs.runner": ["specdec", "numpy", "hypothesis", "z3"],
    "proofs.report": ["specdec", "numpy", "hypothesis", "z3"],
    "proofs.smt": ["specdec", "numpy", "sympy", "hypothesis"],
    "proofs.smt_theorems": ["specdec", "numpy", "sympy", "hypothesis"],
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
    data = str(ROOT / "tests" / "data" / "real_rows.npz")
    code = f"import proofs.command_line as c; c.main(['rows', {data!r}])"
    loaded = _loaded(code)
    assert "numpy" in loaded
    assert loaded.isdisjoint({"sympy", "hypothesis"})


def test_agreement_imports_both_twins() -> None:
    assert {"specdec.token_rule", "proofs.token_rule"} <= _loaded("import proofs.agreement")


ORDER = [
    "errors", "policies", "verdicts", "smt_results", "smt", "smt_theorems", "console", "workers", "integer_law",
    "row_files", "rows", "plots", "rows_json", "rows_command", "rationals", "distributions", "token_rule",
    "completion", "rule", "induction", "derivations", "strategies", "domains", "claims", "theorems", "mutants",
    "runner", "report", "command_line", "agreement",
]  # fmt: skip


def test_order_of_the_layers_is_of_all_modules() -> None:
    for package, order in (("proofs", ORDER), ("specdec", FAST_ORDER)):
        assert set(order) == {path.stem for path in (ROOT / package).glob("*.py")} - {"__init__", "__main__"}


@pytest.mark.parametrize("module", ORDER)
def test_module_imports_only_from_layers_below_it(module: str) -> None:
    """Imports inside functions count as well: there are no cycles, hidden or open."""
    allowed = {f"proofs.{name}" for name in ORDER[: ORDER.index(module)]}
    for node in ast.walk(ast.parse((ROOT / "proofs" / f"{module}.py").read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module == "proofs":
            assert {f"proofs.{alias.name}" for alias in node.names} <= allowed
        elif isinstance(node, ast.ImportFrom) and str(node.module).startswith("specdec"):
            assert module in ("agreement", "rows")
        elif isinstance(node, ast.ImportFrom) and str(node.module).startswith("proofs."):
            assert node.module in allowed
        elif isinstance(node, ast.Import):
            names = {alias.name for alias in node.names}
            assert not any(name.startswith("proofs") for name in names)
            assert module in ("agreement", "rows") or not any(name.startswith("specdec") for name in names)


def test_solver_is_imported_by_one_module_and_that_one_on_demand() -> None:
    importers = {"z3": set[str](), "smt": set[str](), "smt_theorems": set[str]()}
    for path in (ROOT / "proofs").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = {alias.name for alias in node.names} | {
                    str(getattr(node, "module", "")).removeprefix("proofs.")
                }
                for name in names & importers.keys():
                    importers[name].add(path.stem)
    assert importers == {"z3": {"smt"}, "smt": {"smt_theorems"}, "smt_theorems": {"command_line"}}


FAST_ORDER = ["errors", "distributions", "token_rule", "sampling"]


@pytest.mark.parametrize("module", FAST_ORDER)
def test_fast_module_imports_only_from_layers_below_it(module: str) -> None:
    allowed = {f"specdec.{name}" for name in FAST_ORDER[: FAST_ORDER.index(module)]}
    source = (ROOT / "specdec" / f"{module}.py").read_text(encoding="utf-8")
    imported = {str(node.module) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)}
    assert {name for name in imported if name.startswith(("specdec", "proofs"))} <= allowed
