"""The adapters say what they are, and reading them imports none of their packages."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.zoo import KEYS, Kind, load

HERE = Path(__file__).parent
HELPERS = {
    "__init__", "__main__", "confirm", "economize_selector", "examine", "fakes", "golden", "inputs", "judge", "nets",
    "notebook", "records", "sglang_kernel", "simulate", "specdec_decoder", "specdec_program", "summary", "table",
    "tpu_sampler", "transformers_model", "vllm_operators",
}  # fmt: skip


def _pinned(group: str) -> set[str]:
    lines = (HERE / f"requirements-{group}.txt").read_text(encoding="utf-8").splitlines()
    return {line for line in lines if line and not line.startswith("#")}


@pytest.mark.parametrize("key", KEYS)
def test_adapter_describes_itself(key: str) -> None:
    adapter = load(key)
    assert adapter.key == key
    assert adapter.arithmetic == "torch.float32"
    assert {1, 2} <= set(adapter.gammas)
    assert adapter.kind in Kind
    assert adapter.imports


@pytest.mark.parametrize("key", KEYS)
def test_adapter_is_pinned_in_its_group(key: str) -> None:
    adapter = load(key)
    groups = ("heavy" if adapter.heavy else "light", "apart")
    assert adapter.package in set().union(*map(_pinned, groups))


@pytest.mark.parametrize("key", KEYS)
def test_adapter_is_one_function_and_imports_nothing_of_its_package(key: str) -> None:
    tree = ast.parse((HERE / f"{key}.py").read_text(encoding="utf-8"))
    imported = {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    named = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    assert all(name.partition(".")[0] in {*sys.stdlib_module_names, "tests"} for name in imported | named)
    assert ast.get_docstring(tree)


def test_every_module_is_an_adapter_or_a_helper() -> None:
    found = {path.stem for path in HERE.glob("*.py") if not path.stem.startswith("test_")}
    assert found == HELPERS | set(KEYS)
    assert len(KEYS) == len(set(KEYS))


def test_all_requirements_are_pinned() -> None:
    for group in ("light", "apart", "heavy"):
        assert all(line.count("==") == 1 for line in _pinned(group))
        assert not any(line.startswith("torch=") for line in _pinned(group))


def test_length_that_is_judged() -> None:
    assert [load("flashspec_step").length(gamma) for gamma in (1, 2)] == [2, 3]
    assert load("economize_siblings").length(2) == 1
    assert load("lucidrains_rounds").length(1) == 4


def test_names_are_distinct() -> None:
    names = [load(key).name for key in KEYS]
    assert len(names) == len(set(names))


def test_list_is_read_without_torch() -> None:
    code = "import sys, tests.zoo as z; [z.load(key) for key in z.KEYS]; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, cwd=HERE.parents[1])
    assert {"torch", "numpy", "transformers"}.isdisjoint(run.stdout.split())


def test_unknown_claim_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.zoo.flashspec_step.CLAIM", "right")
    with pytest.raises(ValueError, match="CLAIM is 'right'"):
        load("flashspec_step")


def test_version_of_a_package_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.zoo.flashspec_step.PACKAGE", "no-such-package-anywhere==1")
    assert load("flashspec_step").version() == "not installed"


def test_version_of_a_package_in_the_folder_apart(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "prefix", str(tmp_path))
    folder = tmp_path / "apart" / "tpu_inference-0.32.9.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: tpu-inference\nVersion: 0.32.9\n", encoding="utf-8")
    assert load("tpu_rejection").version() == "0.32.9"
