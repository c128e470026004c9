"""What each layer may import, looked at in a fresh interpreter."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from proofs.families import FAMILIES

ROOT = Path(__file__).parents[1]
HEAVY = ["numpy", "sympy", "hypothesis", "torch", "pytest", "gmpy2", "matplotlib", "z3"]

EXACT = [
    "parameters", "path_law", "chain_steps", "chain_rule", "efficiency", "equality_chain", "match_rule", "gumbel_rule",
    "coupling_rule", "block_rule", "block_pair", "greedy_block", "node_masses", "kseq_rule", "sibling_draws",
    "sibling_sets", "sibling_flow", "sibling_rule", "entropy", "lossy_reports", "lossy_rules", "row_steps",
    "target_rows", "compare",
]  # fmt: skip

FORBIDDEN = {
    "specdec": ["proofs", "sympy", "hypothesis", "pytest"],
    "specdec.sampling": ["proofs", "sympy", "hypothesis", "pytest"],
    "proofs": ["specdec", *HEAVY],
    "proofs.errors": ["specdec", *HEAVY],
    "proofs.adapters": ["specdec", *(name for name in HEAVY if name != "numpy")],
    "proofs.verdicts": ["specdec", *HEAVY],
    "proofs.sealing": ["specdec", *HEAVY],
    "proofs.recheck": ["specdec", *HEAVY],
    "proofs.sequences": ["specdec", *HEAVY],
    "proofs.optimum": ["specdec", *HEAVY],
    "proofs.evidence": ["specdec", *HEAVY],
    "proofs.explanation": ["specdec", *HEAVY],
    "proofs.judge": ["specdec", *HEAVY],
    "proofs.console": ["specdec", *HEAVY],
    "proofs.workers": ["specdec", *HEAVY],
    "proofs.integer_law": ["specdec", *HEAVY],
    "proofs.rows": ["specdec", *HEAVY],  # NumPy is loaded when a file is read, specdec when a float law is compared
    "proofs.row_files": ["specdec", *HEAVY],
    "proofs.plots": ["specdec", *HEAVY],
    "proofs.rows_command": ["specdec", *HEAVY],
    "proofs.rows_json": ["specdec", *HEAVY],
    "proofs.smt_results": ["specdec", *HEAVY],
    "proofs.coq_results": ["specdec", *HEAVY],
    "proofs.coq_library": ["specdec", *HEAVY],
    "proofs.loading": ["specdec", *HEAVY],
    "proofs.compare_arguments": ["specdec", *HEAVY],
    "proofs.certify_arguments": ["specdec", *HEAVY],
    "proofs.certify_command": ["specdec", *HEAVY],
    "proofs.row_certificates": ["specdec", *HEAVY],
    "proofs.families": ["specdec", "numpy", "hypothesis", "z3"],
    "proofs.check_arguments": ["specdec", *HEAVY],
    "proofs.cite_arguments": ["specdec", *HEAVY],
    "proofs.bibliography": ["specdec", *HEAVY],
    "proofs.hypotheses": ["specdec", *HEAVY],
    "proofs.markup": ["specdec", *HEAVY],
    "proofs.tex_macros": ["specdec", *HEAVY],
    "proofs.cite_command": ["specdec", "numpy", "hypothesis", "z3"],
    "proofs.command_line": ["specdec", *HEAVY],
    "proofs.pytest_plugin": ["specdec", "proofs.checking", *(name for name in HEAVY if name != "pytest")],
    "proofs.check_command": ["specdec", "sympy", "hypothesis", "torch", "pytest", "matplotlib", "z3"],
    "proofs.rationals": ["specdec", "numpy", "hypothesis"],
    "proofs.distributions": ["specdec", "numpy", "hypothesis"],
    "proofs.processes": ["specdec", "numpy", "hypothesis"],
    "proofs.token_rule": ["specdec", "numpy", "hypothesis"],
    **{f"proofs.{twin}": ["specdec", "numpy", "hypothesis"] for twin in EXACT},
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


def test_verifier_is_checked_without_sympy(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def verify(target, draft, tokens, rng):\n    return [int(tokens[0])]\n")
    spec = str(tmp_path / "mine.py") + ":verify"
    code = f"import proofs.command_line as c; c.main(['check', {spec!r}, '--gamma', '1', '--arithmetic', 'exact'])"
    loaded = _loaded(code)
    assert {"numpy", "proofs.checking"} <= loaded
    assert loaded.isdisjoint({"sympy", "hypothesis", "pytest"})


def test_agreement_imports_both_twins() -> None:
    assert {"specdec.token_rule", "proofs.token_rule"} <= _loaded("import proofs.agreement")


ORDER = [
    "errors", "recheck", "sealing", "adapters", "policies", "verdicts", "sequences", "batches", "optimum", "evidence",
    "explanation", "judge", "smt_results", "smt", "smt_theorems", "coq_results", "coq_library", "console", "workers",
    "integer_law",
    "row_files", "rows", "plots", "rows_json", "rows_command", "rationals", "distributions", "processes", "parameters",
    "path_law", "token_rule", "chain_steps", "chain_rule", "efficiency", "equality_chain", "match_rule", "gumbel_rule",
    "coupling_rule", "block_rule", "block_pair", "greedy_block", "node_masses", "kseq_rule", "sibling_draws",
    "sibling_sets", "sibling_flow", "sibling_rule", "entropy", "lossy_reports", "lossy_rules", "row_steps",
    "target_rows", "completion", "rule", "induction", "derivations", "strategies", "inputs", "battery", "request_pairs",
    "verdict", "examination",
    "shrinking", "plans", "battery_runs", "repeats", "counterexamples", "conclusions", "checking", "pytest_plugin",
    "loading", "exec_process", "exec_protocol", "exec_verifier", "check_arguments", "check_bench", "check_command",
    "compare_arguments", "compare", "compare_files", "compare_command", "vectors", "vectors_command", "cases",
    "bibliography", "hypotheses_table", "hypotheses", "formulas", "markup", "result_files", "tex_macros",
    "cite_arguments", "domains", "claims", "theorems", "mutants", "runner", "report", "certificates", "recheck_table",
    "row_certificates", "certify_arguments", "check_certificates", "certify_command", "citation", "certified",
    "citation_formats", "cite_command", "command_line", "agreement",
]  # fmt: skip


# The modules that know the engine; the rest of the package does without.
ABOVE_THE_ENGINE = {
    "examination", "plans", "battery_runs", "repeats", "counterexamples", "conclusions", "check_bench", "exec_verifier",
    "check_certificates",
}  # fmt: skip


ENGINE_ORDER = [
    "weights", "signals", "cones", "races", "noise", "reals", "scalar_base", "logarithms", "scalars", "elementwise",
    "arrays", "sweep", "choices", "nodes", "exact_nodes", "grid_nodes", "noise_nodes", "undrawn_base", "undrawn_ufuncs",
    "undrawn_functions", "undrawn_integer", "undrawn", "row_laws", "parameters", "sources", "draws",
    "replay_generator", "callers", "stand_ins", "memory", "code_names", "originals", "watches", "patches", "attributes",
    "contents", "state", "factories", "entropy", "onlookers", "laws", "swept", "tally", "foreign",
    "torch_words", "torch_grids", "torch_weights", "torch_reals", "torch_nodes", "torch_shadows", "torch_forms",
    "torch_tables", "torch_elementwise", "torch_races", "torch_rules", "torch_random", "torch_mode", "torch_exits",
    "torch_source", "exploration", "handed", "calls", "batch_calls",
]  # fmt: skip


@pytest.mark.parametrize("module", ENGINE_ORDER)
def test_engine_module_imports_only_engine_modules_below_it(module: str) -> None:
    """The engine knows fractions and NumPy: no SymPy, no twins, nothing that is built on it."""
    allowed = {f"proofs.engine.{name}" for name in ENGINE_ORDER[: ENGINE_ORDER.index(module)]}
    source = (ROOT / "proofs" / "engine" / f"{module}.py").read_text(encoding="utf-8")
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom) and str(node.module).startswith(("proofs", "specdec", "sympy")):
            assert node.module in allowed
        elif isinstance(node, ast.Import):
            assert not any(alias.name.startswith(("proofs", "specdec", "sympy")) for alias in node.names)


def test_order_of_the_engine_is_of_all_its_modules() -> None:
    assert {path.stem for path in (ROOT / "proofs" / "engine").glob("*.py")} - {"__init__"} == set(ENGINE_ORDER)


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
            assert module in ("agreement", "rows", "sealing", "cite_command")  # the last two for the version alone
        elif isinstance(node, ast.ImportFrom) and node.module == "proofs.families":
            assert module in ("runner", "report")
        elif isinstance(node, ast.ImportFrom) and str(node.module).startswith("proofs.engine."):
            assert module in ABOVE_THE_ENGINE
        elif isinstance(node, ast.ImportFrom) and str(node.module).startswith("proofs."):
            assert node.module in allowed
        elif isinstance(node, ast.Import):
            names = {alias.name for alias in node.names}
            assert not any(name.startswith("proofs") for name in names)
            assert module in ("agreement", "rows", "sealing") or not any(name.startswith("specdec") for name in names)


# What a family is made of, and then the families, which know nothing of one another.
FAMILY_PARTS = [
    "chain_model", "chain_claims", "chain_faults", "block_claims", "greedy_claims", "sibling_model", "sibling_claims",
    "sibling_mutants", "lossy_claims", "target_claims",
]  # fmt: skip
FAMILY_ORDER = ["chain", "match", "block", "greedy_block", "siblings", "couplings", "lossy", "targets"]


def test_order_of_the_families_is_of_all_their_modules() -> None:
    found = {path.stem for path in (ROOT / "proofs" / "families").glob("*.py")} - {"__init__"}
    assert found == {*FAMILY_PARTS, *FAMILY_ORDER}
    assert [family.__name__.rpartition(".")[2] for family in FAMILIES] == FAMILY_ORDER


@pytest.mark.parametrize("module", [*FAMILY_PARTS, *FAMILY_ORDER])
def test_family_imports_only_what_is_below_it(module: str) -> None:
    """A family knows the twins, the registry's words and its own parts: no runner, no other family."""
    parts = FAMILY_PARTS[: FAMILY_PARTS.index(module)] if module in FAMILY_PARTS else FAMILY_PARTS
    allowed = {f"proofs.{name}" for name in ORDER[: ORDER.index("runner")]} | {f"proofs.families.{p}" for p in parts}
    path = ROOT / "proofs" / "families" / f"{module}.py"
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module in ("proofs", "proofs.families"):
            assert {f"{node.module}.{alias.name}" for alias in node.names} <= allowed
        elif isinstance(node, ast.ImportFrom) and str(node.module).startswith(("proofs", "specdec")):
            assert node.module in allowed


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


FAST_ORDER = [
    "errors", "distributions", "arguments", "parameters", "path_law", "token_rule", "chain_rule", "efficiency",
    "match_rule", "gumbel_rule", "coupling_rule", "block_rule", "block_pair", "kseq_rule", "sibling_sets",
    "sibling_rule", "lossy_reports", "row_steps", "lossy_rules", "target_rows", "sampling", "block_sampling",
    "match_sampling", "sibling_sampling", "lossy_sampling",
]  # fmt: skip


@pytest.mark.parametrize("module", FAST_ORDER)
def test_fast_module_imports_only_from_layers_below_it(module: str) -> None:
    allowed = {f"specdec.{name}" for name in FAST_ORDER[: FAST_ORDER.index(module)]}
    source = (ROOT / "specdec" / f"{module}.py").read_text(encoding="utf-8")
    imported = {str(node.module) for node in ast.walk(ast.parse(source)) if isinstance(node, ast.ImportFrom)}
    assert {name for name in imported if name.startswith(("specdec", "proofs"))} <= allowed
