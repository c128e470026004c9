"""What users may import, by name: promised in the README, and nothing heavy behind `import proofs`."""

import ast
import doctest
import importlib
import inspect
from pathlib import Path
from types import ModuleType

import pytest

import proofs
import specdec

ROOT = Path(__file__).parents[1]
MODULES = [
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for package in ("specdec", "proofs")
    for path in sorted((ROOT / package).rglob("*.py"))
    if path.name not in ("__init__.py", "__main__.py")
]

SPECDEC = {
    "EmittedDistribution",
    "NotADistributionError",
    "ShapeError",
    "SpecdecError",
    "TokenError",
    "acceptance_probability",
    "acceptance_ratio",
    "emitted_distribution",
    "maximal_coupling",
    "residual_distribution",
    "total_variation",
}
PROOFS = {
    "EmittedDistribution",
    "InexactError",
    "Law",
    "NotADistributionError",
    "NotLossless",
    "ProofsError",
    "ShapeError",
    "Verdict",
    "acceptance_probability",
    "acceptance_ratio",
    "assert_lossless",
    "assert_within",
    "check",
    "check_siblings",
    "completing_residual",
    "emitted_distribution",
    "exact",
    "from_floats",
    "law",
    "maximal_coupling",
    "residual_distribution",
    "total_variation",
}


@pytest.mark.parametrize(("package", "names"), [(specdec, SPECDEC), (proofs, PROOFS)])
def test_public_names(package: ModuleType, names: set[str]) -> None:
    assert set(package.__all__) == names
    assert list(package.__all__) == sorted(package.__all__)
    for name in names:
        assert getattr(package, name).__doc__, name


def test_lazy_names_are_listed_and_unknown_ones_are_attribute_errors() -> None:
    assert set(dir(proofs)) >= PROOFS
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        _ = proofs.nonsense


def test_names_for_type_checkers_are_the_lazy_ones() -> None:
    """The imports under TYPE_CHECKING and the table that __getattr__ uses name the same homes."""
    tree = ast.parse((ROOT / "proofs" / "__init__.py").read_text(encoding="utf-8"))
    (guarded,) = (node for node in tree.body if isinstance(node, ast.If))
    imports = {
        alias.name: node.module for node in guarded.body if isinstance(node, ast.ImportFrom) for alias in node.names
    }
    assert imports == proofs._HOME


@pytest.mark.parametrize("module", MODULES)
def test_public_names_of_modules_exist_and_have_docstrings(module: str) -> None:
    loaded = importlib.import_module(module)
    assert loaded.__doc__
    for name in getattr(loaded, "__all__", ()):
        value = getattr(loaded, name)
        if inspect.isfunction(value) or inspect.isclass(value):
            assert value.__doc__, name


@pytest.mark.parametrize("module", MODULES)
def test_examples_in_docstrings_run(module: str) -> None:
    assert doctest.testmod(importlib.import_module(module)).failed == 0


def test_examples_are_found_at_all() -> None:
    assert doctest.testmod(importlib.import_module("specdec.token_rule")).attempted >= 8


def test_functions_of_rows_document_arguments_results_and_errors() -> None:
    for package in (specdec, proofs):
        for name in package.__all__:
            function = getattr(package, name)
            if inspect.isfunction(function):
                text = str(function.__doc__)
                for part in ("Parameters\n", "Returns\n", "Raises\n"):
                    assert part in text, (package.__name__, name, part)


def test_no_function_rests_on_an_assert_statement() -> None:
    """Everything holds under python -O."""
    for module in MODULES:
        source = inspect.getsource(importlib.import_module(module))
        assert not any(isinstance(node, ast.Assert) for node in ast.walk(ast.parse(source))), module
