import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from proofs import recheck
from proofs.command_line import main
from proofs.sealing import certificate_digest

VERIFIER = """
def good(target, draft, tokens, rng):
    return [rng.choice(len(target[0]), p=target[0])]
def greedy(target, draft, tokens, rng):
    return [*tokens, rng.choice(len(target[-1]), p=target[-1])]
def crash(target, draft, tokens, rng):
    raise ValueError("at /some/place")
"""
ROOT = Path(__file__).parents[2]


@pytest.fixture
def work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("mine_certified.py").write_text(VERIFIER)
    Path("rows.jsonl").write_text('{"p": ["1/2", "1/2"], "q": ["1/3", "2/3"]}\n')
    return tmp_path


def test_proof_run(work: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["certify", "--out", "c.json", "--only", "single_token"]) == 0
    data = (work / "c.json").read_bytes()
    environment = json.loads((work / "c.environment.json").read_text())
    assert environment["sha256"] == certificate_digest(data)
    assert {"date", "numpy", "platform", "python", "sympy"} <= environment.keys()
    assert recheck.main(["c.json"]) == 5  # compared with the table, and nothing to compute
    assert capsys.readouterr().out.splitlines()[-1] == "not rechecked: nothing"


def test_rows(work: Path) -> None:
    assert main(["certify", "--out", "c.json", "--rows", "rows.jsonl"]) == 0
    assert recheck.main(["c.json"]) == 0


@pytest.mark.parametrize(("name", "status"), [("good", 0), ("greedy", 1), ("crash", 5)])
def test_check(work: Path, name: str, status: int) -> None:
    spec = f"mine_certified.py:{name}"
    arguments = ["--check", spec, "--gamma", "1", "--vocabulary", "2", "--arithmetic", "exact"]
    assert main(["certify", "--out", "c.json", *arguments]) == status
    assert recheck.main(["c.json"]) == 0
    text = (work / "c.json").read_text()
    assert str(work) not in text
    assert "/some/place" not in text
    again = json.loads(text)["redo"].split()
    assert main([*again, "--out", "again.json"]) == status
    assert (work / "again.json").read_text() == text


@pytest.mark.parametrize(
    ("arguments", "status"),
    [
        ([], 2),
        (["--out", ""], 2),
        (["--out", "missing/c.json"], 2),
        (["--out", "c.json", "--only", "nothing"], 2),
        (["--out", "c.json", "--rows", "missing.npz"], 2),
        (["--out", "c.json", "--rows", "rows.txt"], 2),
        (["--out", "c.json", "--check", "missing.py:verify"], 2),
        (["--out", "c.json", "--check", "os:getcwd"], 2),
        (["--out", "c.json", "--check", "mine_certified.py:good", "--gamma", "x"], 2),
        (["--out", "c.json", "--check", "mine_certified.py:good", "--gamma", "1", "--vocabulary", "500"], 2),
        (["--out", "c.json", "--check", "mine_certified.py:good", "--gamma", "999999999"], 2),
    ],
)
def test_nothing_is_written(work: Path, arguments: list[str], status: int) -> None:
    assert main(["certify", *arguments]) == status
    assert not (work / "c.json").exists()
    assert not (work / "c.environment.json").exists()


def test_rows_that_are_refused(work: Path) -> None:
    Path("rows.jsonl").write_text('{"p": [1, -1], "q": [1, 0]}\n')
    assert main(["certify", "--out", "c.json", "--rows", "rows.jsonl"]) == 2
    Path("rows.jsonl").write_text("\n")
    assert main(["certify", "--out", "c.json", "--rows", "rows.jsonl"]) == 5
    Path("rows.jsonl").write_text('{"p": ["1/2", "1/3"], "q": [1, 0]}\n')
    assert main(["certify", "--out", "c.json", "--rows", "rows.jsonl", "--normalise", "strict"]) == 2
    assert not (work / "c.json").exists()


def test_options_of_other_commands(work: Path) -> None:
    assert main(["--json", "x.json", "certify", "--out", "c.json"]) == 2
    assert main(["--only", "lossless", "certify", "--out", "c.json"]) == 2
    assert main(["certify", "--out", "c.json", "--only", "lossless", "--rows", "rows.jsonl"]) == 2


@pytest.mark.slow
def test_same_bytes(work: Path) -> None:
    """Whatever the hash seed, the ground types and the optimisation are."""
    made = set()
    for what in (["--only", "optimal"], ["--check", "mine_certified.py:greedy"], ["--rows", "rows.jsonl"]):
        found = set()
        for seed, ground, flags in (("0", "python", []), ("1", "gmpy", ["-O"]), ("2", "flint", ["-OO"])):
            environment = {**os.environ, "PYTHONHASHSEED": seed, "SYMPY_GROUND_TYPES": ground, "PYTHONPATH": str(ROOT)}
            command = [sys.executable, *flags, "-m", "proofs", "certify", "--out", "c.json", *what]
            subprocess.run(command, env=environment, capture_output=True, check=False)
            found.add((work / "c.json").read_bytes())
            (work / "c.json").unlink()
        assert len(found) == 1
        made |= found
    assert len(made) == 3
