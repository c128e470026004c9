"""The record of the heavy jobs: what it covers, and when it is stale."""

import importlib.util
import json
import subprocess
from importlib.machinery import SourceFileLoader
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture
def full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """The program on a repository of one file and one job."""
    loader = SourceFileLoader("full", str(ROOT / ".ci" / "full"))
    spec = importlib.util.spec_from_loader("full", loader)
    assert spec is not None
    module: ModuleType = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    (tmp_path / ".ci").mkdir()
    (tmp_path / "covered.txt").write_text("one\n", encoding="utf-8")
    job = tmp_path / ".ci" / "job"
    job.write_text("#!/bin/sh\nexit 0\n", encoding="utf-8")
    job.chmod(0o755)
    for command in (["init", "-q"], ["add", "-A"], ["-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "x"]):
        subprocess.run(["git", *command], cwd=tmp_path, check=True)
    monkeypatch.setattr(module, "ROOT", tmp_path)
    monkeypatch.setattr(module, "RECORD", tmp_path / ".ci" / "full.json")
    monkeypatch.setattr(module, "JOBS", {"job": (".ci/job", ["covered.txt", ".ci/job"])})
    return module


def test_a_job_that_never_ran_is_stale(full: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert full.check() == 1
    assert ".ci/full job" in capsys.readouterr().out


def test_a_job_that_passed_covers_its_files_as_they_were(full: Any, capsys: pytest.CaptureFixture[str]) -> None:
    assert full.run(["job"]) == 0
    assert full.check() == 0
    (full.ROOT / "covered.txt").write_text("two\n", encoding="utf-8")
    assert full.check() == 1
    assert "covered.txt" in capsys.readouterr().out


def test_a_job_that_failed_is_stale(full: Any) -> None:
    full.run(["job"])
    found = json.loads(full.RECORD.read_text(encoding="utf-8"))
    full.RECORD.write_text(json.dumps({"job": found["job"] | {"result": "failed"}}), encoding="utf-8")
    assert full.check() == 1


def test_nothing_is_run_on_what_is_not_committed(full: Any) -> None:
    (full.ROOT / "covered.txt").write_text("two\n", encoding="utf-8")
    assert full.run(["job"]) == 2
    assert not full.RECORD.exists()


def _program() -> Any:
    loader = SourceFileLoader("full", str(ROOT / ".ci" / "full"))
    spec = importlib.util.spec_from_loader("full", loader)
    assert spec is not None
    module = importlib.util.module_from_spec(spec)
    loader.exec_module(module)
    return module


def test_the_heavy_job_covers_every_file_with_a_heavy_test() -> None:
    covered = _program().JOBS["heavy"][1]
    for path in (ROOT / "tests").rglob("*.py"):
        text, name = path.read_text(encoding="utf-8"), path.relative_to(ROOT).as_posix()
        if path != Path(__file__) and ("mark.heavy" in text or "tests.sampled" in text):
            assert any(name == known or name.startswith(f"{known}/") for known in covered), name


def test_the_jobs_of_this_repository_cover_files_that_exist() -> None:
    module = _program()
    for program, covered in module.JOBS.values():
        assert (ROOT / program).stat().st_mode & 0o111
        assert all((ROOT / path).exists() for path in covered)
    assert ".ci/full --check" in (ROOT / ".ci" / "run").read_text(encoding="utf-8")
