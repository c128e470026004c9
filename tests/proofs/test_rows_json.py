"""The JSON document of `rows` is whole JSON, whatever happens to the run or to the disk."""

import json
from pathlib import Path

import pytest

from proofs.rows_json import SCHEMA, RowsJson
from proofs.verdicts import conclude


@pytest.mark.parametrize("rows", [0, 1, 3])
def test_document_is_json(tmp_path: Path, rows: int) -> None:
    with RowsJson(str(tmp_path / "rows.json")) as document:
        for index in range(rows):
            document.add({"row": index})
        document.close(conclude([], "nothing"))
    written = json.loads((tmp_path / "rows.json").read_text(encoding="ascii"))
    assert written["schema"] == SCHEMA
    assert written["rows"] == [{"row": index} for index in range(rows)]
    assert written["verdict"]["exit_status"] == 5
    assert document.problem is None


def test_without_a_path_nothing_is_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with RowsJson(None) as document:
        document.add({"row": 0})
        document.close(conclude([], ""))
    assert document.problem is None
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_full_disk_is_noted(tmp_path: Path) -> None:
    for path in ("/dev/full", str(tmp_path)):
        with RowsJson(path) as document:
            document.add({"row": 0})
            document.close(conclude([], ""))
        assert document.problem
