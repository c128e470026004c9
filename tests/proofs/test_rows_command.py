"""The command ``rows``: files, options, exit statuses, and what it does when it is cut short."""

import json
import signal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proofs import command_line
from tests.proofs.conftest import run_proofs

DATA = Path(__file__).parents[1] / "data"


def test_rows_of_the_repository(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["rows", str(DATA / "real_rows.npz")]) == 0
    out = capsys.readouterr().out.splitlines()
    assert out[-1] == "VERIFIED: token rule: dist = p and alpha = 1 - TV exactly in 50 of 50 rows, V = 1024"


def test_rows_with_a_nan_exit_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(tmp_path / "rows.npz", p=np.array([[0.5, 0.5], [np.nan, 1.0]]), q=np.array([[0.5, 0.5]] * 2))
    assert command_line.main(["rows", str(tmp_path / "rows.npz")]) == 2
    out = capsys.readouterr().out
    assert "file 1, row 1: p[0] = nan is not a probability" in out
    assert out.splitlines()[-1].startswith("BAD INPUT: token rule: dist = p and alpha = 1 - TV exactly in 1 of 2 rows")


def test_rows_of_several_files_are_summed_up_by_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    files = [str(DATA / name) for name in ("edge_rows.jsonl", "edge_rows_float64.npz")]
    assert command_line.main(["rows", "--json", str(tmp_path / "rows.json"), *files]) == 0
    out = capsys.readouterr().out
    assert "file 1: rows 5, V 1, 2, 3, checked 5" in out
    assert "file 2: rows 21, V 64, checked 21" in out
    assert "\nrows 26, V 1, 2, 3, 64, checked 26" in out
    document = json.loads((tmp_path / "rows.json").read_text(encoding="ascii"))
    assert document["schema"] == "specdec-proofs/rows/1"
    assert [row["file"] for row in document["rows"]] == [1] * 5 + [2] * 21
    assert document["rows"][0]["alpha"] == "2/3"
    assert document["verdict"]["exit_status"] == 0


def test_one_unreadable_file_of_two_exits_with_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["rows", str(tmp_path / "missing.npz"), str(DATA / "edge_rows.jsonl")]) == 2
    captured = capsys.readouterr()
    assert captured.out.splitlines()[-1].startswith(
        "BAD INPUT: token rule: dist = p and alpha = 1 - TV exactly in 5 of 5"
    )
    assert "missing.npz cannot be read" in captured.err


def test_option_before_or_after_the_command(tmp_path: Path) -> None:
    for name, before in (("a.json", True), ("b.json", False)):
        option = ["--json", str(tmp_path / name)]
        rows = ["rows", str(DATA / "edge_rows.jsonl")]
        assert command_line.main([*option, *rows] if before else [*rows, *option]) == 0
    assert (tmp_path / "a.json").read_bytes() == (tmp_path / "b.json").read_bytes()


@pytest.mark.parametrize(("policy", "status"), [("exact", 0), ("strict", 2), ("as-given", 5)])
def test_policies_by_name(policy: str, status: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["rows", "--normalise", policy, str(DATA / "real_rows.npz")]) == status
    assert f"(policy: {policy})." in capsys.readouterr().out


def test_empty_file_beside_a_good_one_is_unverified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.jsonl").write_text("\n", encoding="utf-8")
    for files in ([DATA / "edge_rows.jsonl", tmp_path / "empty.jsonl"], [tmp_path / "empty.jsonl"]):
        assert command_line.main(["rows", *map(str, files)]) == 5
        assert f"file {len(files)} holds no rows" in capsys.readouterr().out.splitlines()[-1]


@pytest.mark.parametrize("option", ["--json", "--plot"])
def test_file_of_rows_is_not_overwritten(option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_bytes((DATA / "edge_rows.jsonl").read_bytes())
    link = tmp_path / ("link.json" if option == "--json" else "link.png")
    link.symlink_to(rows)
    assert command_line.main(["rows", option, str(link), str(rows)]) == 2
    assert "is a file of rows, which it would overwrite" in capsys.readouterr().err
    assert rows.read_bytes() == (DATA / "edge_rows.jsonl").read_bytes()


def test_worker_that_is_ended_from_outside_leaves_the_rest_unverified(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from concurrent.futures.process import BrokenProcessPool

    from proofs.workers import ordered_map as right

    def broken(function: Any, items: Any, jobs: int) -> Any:
        for number, result in enumerate(right(function, items, 1)):
            if number == 2:
                raise BrokenProcessPool("killed")
            yield result

    monkeypatch.setattr("proofs.rows.ordered_map", broken)
    assert command_line.main(["rows", "--jobs", "2", str(DATA / "real_rows.npz")]) == 5
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("UNVERIFIED: token rule: dist = p and alpha = 1 - TV exactly in 2 of 2 rows")
    assert "a worker process was ended" in last


def test_text_that_stdout_cannot_hold_is_escaped(tmp_path: Path) -> None:
    (tmp_path / "rows.jsonl").write_text('{"p": ["\u00e9", 1], "q": [0, 1]}\n', encoding="utf-8")
    run = run_proofs("rows", "rows.jsonl", cwd=tmp_path, PYTHONIOENCODING="ascii")
    assert run.returncode == 2
    assert "Traceback" not in run.stderr


def test_each_row_on_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["rows", "--each", str(DATA / "edge_rows.jsonl"), str(DATA / "bad_rows.npz")]) == 2
    out = capsys.readouterr().out
    assert "file 1, row 1: alpha 5/8 (0.625000), dist = p, alpha = 1 - TV\n" in out
    assert (
        "file 2, row 0: alpha 1/1 (1.000000), dist = p, alpha = 1 - TV; floats: dist 0.00 eps, alpha 0.00 eps\n" in out
    )
    assert "file 2, row 1: p[2] = nan is not a probability" in out
    assert "dist = p, alpha = 1 - TV; floats: refused\n" in out


def test_more_processes_give_the_same_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outputs = []
    files = [str(DATA / "real_rows.npz"), str(DATA / "bad_rows.npz"), str(tmp_path / "missing.npz")]
    for jobs in ("1", "2"):
        document = tmp_path / f"{jobs}.json"
        assert command_line.main(["rows", "--jobs", jobs, "--json", str(document), *files]) == 2
        outputs.append((capsys.readouterr().out, document.read_bytes()))
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize("jobs", ["0", "-1", "two", "1.5", "9999", "\u0662"])
def test_number_of_processes_is_checked(jobs: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["rows", "--jobs", jobs, "x.npz"]) == 2
    assert "is no number of processes; expected 1 to 256" in capsys.readouterr().err


def test_interrupted_rows_show_what_was_covered(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from proofs import rows

    right = rows.check_pair

    def interrupt(pair: Any, options: Any) -> Any:
        if pair.number == 3:
            signal.raise_signal(signal.SIGINT)
        return right(pair, options)

    monkeypatch.setattr(rows, "check_pair", interrupt)
    assert command_line.main(["rows", "--json", str(tmp_path / "r.json"), str(DATA / "real_rows.npz")]) == 5
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("UNVERIFIED: token rule: dist = p and alpha = 1 - TV exactly in 3 of 3 rows")
    assert "interrupted" in last
    assert len(json.loads((tmp_path / "r.json").read_text(encoding="ascii"))["rows"]) == 3


def test_rows_of_an_empty_file_exit_with_5(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(tmp_path / "rows.npz", p=np.empty((0, 4)), q=np.empty((0, 4)))
    assert command_line.main(["rows", str(tmp_path / "rows.npz")]) == 5
    assert "file 1 holds no rows" in capsys.readouterr().out.splitlines()[-1]


def test_picture_that_fails_shows_in_the_json_as_on_the_last_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    """One verdict: what is written and what is printed do not differ."""

    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("proofs.rows_command.draw_rows", fail)
    options = ["--plot", str(tmp_path / "rows.png"), "--json", str(tmp_path / "rows.json")]
    assert command_line.main(["rows", *options, str(DATA / "edge_rows.jsonl")]) == 2
    verdict = json.loads((tmp_path / "rows.json").read_text(encoding="ascii"))["verdict"]
    assert verdict["exit_status"] == 2
    assert capsys.readouterr().out.splitlines()[-1].startswith(f"{verdict['word']}: ")
