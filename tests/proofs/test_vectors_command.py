"""The command ``vectors``: lines that can be read back, the same bytes each time, and where they go."""

import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from proofs import command_line, vectors_command
from proofs.vectors import HEADER, cases
from tests.proofs.conftest import run_proofs
from tests.proofs.test_vectors import reference

SMALL = ["--gamma", "1", "--vocabulary", "2"]


def _rows(record: dict[str, Any], name: str) -> list[list[Fraction]]:
    return [[Fraction(x) for x in row] for row in record[name]]


def test_every_line_is_replayed_from_its_text(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "golden.jsonl"
    assert command_line.main(["vectors", "--output", str(path)]) == 0
    header, *records = map(json.loads, path.read_text(encoding="ascii").splitlines())
    assert header == HEADER
    assert len(records) == len(list(cases()))
    assert capsys.readouterr().out == f"{len(records)} cases in {path}\n"
    for record in records:
        assert list(record) == ["name", "target", "draft", "tokens", "coins", "emitted", "float64"]
        coins = [Fraction(x) for x in record["coins"]]
        assert all("/" in x for x in record["coins"])
        rows = _rows(record, "target"), _rows(record, "draft")
        assert record["emitted"] == reference(*rows, record["tokens"], coins)


def test_bytes_are_the_same_in_every_process_and_place(tmp_path: Path) -> None:
    outputs = {
        run_proofs("vectors", *SMALL, cwd=tmp_path, python=python, PYTHONHASHSEED=seed).stdout
        for python, seed in (((), "1"), ((), "2"), (("-O",), "3"))
    }
    assert run_proofs("vectors", *SMALL, "--output", "a b.jsonl", cwd=tmp_path).returncode == 0
    assert {(tmp_path / "a b.jsonl").read_bytes().decode("ascii")} == outputs


def test_what_is_named_twice_is_there_once() -> None:
    assert [*vectors_command.lines([1, 0, 1], [2, 2])] == [*vectors_command.lines([1, 0], [2])]


def test_help_has_the_convention(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["vectors", "--help"]) == 0
    text = capsys.readouterr().out
    assert all(value in text for value in HEADER.values())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--gamma", "7"], "'7' is no int of 0 to 6"),
        (["--gamma", "-1"], "'-1' is no int of 0 to 6"),
        (["--vocabulary", "1"], "'1' is no int of 2 to 6"),
        (["--vocabulary", "\u0663"], "is no int of 2 to 6"),
        (["--json", "x.json"], "unrecognized arguments: --json x.json"),
        (["--output", "no/such/file"], "--output 'no/such/file' cannot be written: No such file or directory."),
    ],
)
def test_bad_usage(options: list[str], words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["vectors", *SMALL, *options]) == 2
    captured = capsys.readouterr()
    assert captured.out == "BAD INPUT: nothing was checked (see stderr)\n"
    assert words in captured.err


def test_json_before_the_command_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["--json", "x.json", "vectors"]) == 2
    assert "--json does not apply to vectors" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
def test_output_that_nobody_receives_exits_with_5(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    gone = subprocess.run(
        [sys.executable, "-m", "proofs", "vectors"], cwd=tmp_path, stdout=writer, stderr=subprocess.PIPE, check=False
    )
    os.close(writer)
    assert gone.returncode == 5
    assert b"Traceback" not in gone.stderr


def test_greatest_sizes_can_be_had() -> None:
    assert sum(1 for _ in vectors_command.lines([6], [6])) > 100
