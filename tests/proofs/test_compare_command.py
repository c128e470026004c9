"""The command ``compare``: its table, its files, exit statuses, and what it does when it is cut short."""

import json
import os
import re
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sympy import Rational

from proofs import block_rule, command_line, sibling_rule
from proofs.compare_command import SCHEMA
from tests.proofs.conftest import run_proofs

DATA = Path(__file__).parents[1] / "data"
B0 = ["compare", "--target", "1/8,3/8,1/2", "--draft", "1/2,1/4,1/4"]
VERIFIED = (
    "VERIFIED: V = 3: 12 of 12 lines that claim to be lossless have the target's law, "
    "19 of 19 keep no more than is possible\n"
)


def _cells(line: str) -> list[str]:
    return re.split(r" {2,}", line)


def test_table_of_the_classical_rows(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(B0) == 0
    out = capsys.readouterr().out
    lines = [_cells(line) for line in out.splitlines()]
    assert out.startswith("target (1/8, 3/8, 1/2) and draft (1/2, 1/4, 1/4), the same rows at every position\n")
    assert lines[2] == ["rule", "drafts", "law", "measure", "kept", "best possible", "best by"]
    for row in (
        ["token rule", "1 token", "lossless", "alpha", "5/8", "0.625000", "5/8", "0.625000", "1 - TV"],
        [
            "recursive rejection",
            "2 siblings",
            "lossless",
            "alpha",
            *["13/16", "0.812500", "7/8", "0.875000"],
            "maximum flow",
        ],
        ["block verification", "gamma 2", "lossless", "E[accepted]", *["17/16", "1.062500"] * 2, "block verification"],
        [
            "synthetic, rate 1/2",
            "1 token",
            "lossy, TV 3/16",
            "alpha",
            *["1/2", "0.500000", "13/16", "0.812500"],
            "1 - TV + d",
        ],
    ):
        assert row in lines
    assert out.endswith(VERIFIED)


def test_words_of_the_table_are_explained(capsys: pytest.CaptureFixture[str]) -> None:
    """Every measure, every bound and what lossy means; of what is not in the table nothing is said."""
    command_line.main(B0)
    out = capsys.readouterr().out
    for start in ("alpha: ", "E[accepted]: ", "best possible: ", "  1 - TV  ", "  maximum flow  ", "lossy: "):
        assert f"\n{start}" in out
    command_line.main([*B0, "--gamma", "0", "--siblings", "1"])
    out = capsys.readouterr().out
    assert "E[accepted]" not in out
    assert "maximum flow" not in out
    assert "left out: gamma = 0 positions: none were asked for.\n" in out
    assert out.splitlines()[-1].endswith("11 of 11 keep no more than is possible; 2 kinds left out")


def test_long_rows_and_fractions_are_shortened(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    row = ",".join(f"{x}/45" for x in range(10))
    long = ["--target", f"1/{'3' * 40},{'3' * 39}2/{'3' * 40}", "--draft", "1/2,1/2"]
    assert command_line.main(["compare", "--target", row, "--draft", row, "--gamma", "0"]) == 0
    assert capsys.readouterr().out.startswith("target (0/45, 1/45, 2/45, 3/45, ..., 9/45) of 10 tokens and draft")
    assert command_line.main(["compare", *long, "--json", str(tmp_path / "long.json")]) == 0
    out = capsys.readouterr().out
    assert "(long: see --json)  0.500000" in out
    assert max(map(len, out.splitlines())) < 170
    document = json.loads((tmp_path / "long.json").read_text(encoding="ascii"))
    assert Fraction(document["lines"][0]["value"]) == Fraction(1, 2) + Fraction(1, int("3" * 40))


def test_json_has_every_number_as_a_fraction(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "table.json"
    assert command_line.main([*B0, "--json", str(path)]) == 0
    document = json.loads(path.read_text(encoding="ascii"))
    assert document.keys() == {"schema", "lines", "left_out", "verdict"}
    assert document["schema"] == SCHEMA == "specdec-proofs/compare/1"
    assert capsys.readouterr().out.splitlines()[-1] == f"{document['verdict']['word']}: {document['verdict']['scope']}"
    assert len(document["lines"]) == 19
    for line in document["lines"]:
        assert line.keys() == {"rule", "drafts", "lossless", "distance", "measure", "value", "best", "bound"}
        assert all(re.fullmatch(r"\d+/\d+", line[name]) for name in ("distance", "value", "best"))
        assert (Fraction(line["distance"]) == 0) is line["lossless"]
        assert Fraction(line["value"]) <= Fraction(line["best"])


def test_option_before_or_after_the_command(tmp_path: Path) -> None:
    for name, arguments in (("a", ["--json", "{}", *B0]), ("b", [*B0, "--json", "{}"])):
        assert command_line.main([text.format(tmp_path / name) for text in arguments]) == 0
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()


def test_output_is_the_same_bytes_in_every_process(tmp_path: Path) -> None:
    outputs = {
        run_proofs(*B0, cwd=tmp_path, python=python, **environment).stdout
        for python, environment in (
            ((), {"PYTHONHASHSEED": "1"}),
            (("-O",), {"SYMPY_GROUND_TYPES": "python"}),
        )
    }
    assert len(outputs) == 1
    assert outputs.pop().endswith(VERIFIED)


def test_wrong_rule_fails(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    right = block_rule.emitted_law

    def wrong(target: Any, draft: Any, gamma: int) -> Any:
        law = right(target, draft, gamma)
        first, *_, last = law
        return {**law, first: law[first] / 2, last: law[last] + law[first] / 2}

    monkeypatch.setattr(block_rule, "emitted_law", wrong)
    assert command_line.main([*B0, "--json", str(tmp_path / "wrong.json")]) == 1
    out = capsys.readouterr().out
    assert re.search(r"\nblock verification +gamma 2 +NOT LOSSLESS, TV \S+ +E\[accepted\]", out)
    last = out.splitlines()[-1]
    assert last.startswith("FAILED: V = 3: 11 of 12 lines that claim to be lossless have the target's law")
    assert "(block verification, gamma 2: its law is " in last
    verdict = json.loads((tmp_path / "wrong.json").read_text(encoding="ascii"))["verdict"]
    assert verdict["exit_status"] == 1


def test_more_than_possible_fails(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sibling_rule, "optimal_acceptance", lambda p, q, k, again=True: Fraction(13, 16))
    assert command_line.main(B0) == 1
    last = capsys.readouterr().out.splitlines()[-1]
    assert "18 of 19 keep no more than is possible" in last
    assert "recursive rejection, distinct, 2 siblings: keeps 15/16, above the best possible 13/16" in last


def test_crash_of_ours_exits_with_3(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def crash(*_: Any) -> None:
        raise ZeroDivisionError("a fault of ours")

    monkeypatch.setattr(block_rule, "emitted_law", crash)
    assert command_line.main(B0) == 3
    captured = capsys.readouterr()
    assert captured.out.splitlines()[-1].startswith("ERROR: no verdict")
    assert "a fault of ours" in captured.err


@pytest.mark.parametrize(("ending", "magic"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_picture_is_written(tmp_path: Path, ending: str, magic: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / f"rules{ending}"
    assert command_line.main([*B0, "--plot", str(picture)]) == 0
    assert picture.read_bytes().startswith(magic)
    assert capsys.readouterr().out.endswith(VERIFIED)


def test_picture_says_what_it_shows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from matplotlib.figure import Figure

    drawn: list[Figure] = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, target: drawn.append(figure))
    assert command_line.main([*B0, "--plot", str(tmp_path / "rules.png")]) == 0
    (axes,) = drawn[0].axes
    assert [label.get_text() for label in axes.get_yticklabels()][:2] == ["token rule, 1 token", "match rule, 1 token"]
    lossless, lossy = axes.containers
    assert [bar.get_width() for bar in lossless][:2] == [5 / 8, 9 / 32]
    assert len(lossy) == 7
    assert np.asarray(axes.lines[0].get_xdata()).tolist()[:2] == [5 / 8, 5 / 8]


def test_picture_that_fails_shows_in_the_json_as_on_the_last_line(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    def fail(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("proofs.compare_command.draw_lines", fail)
    paths = ["--plot", str(tmp_path / "rules.png"), "--json", str(tmp_path / "rules.json")]
    assert command_line.main([*B0, *paths]) == 2
    verdict = json.loads((tmp_path / "rules.json").read_text(encoding="ascii"))["verdict"]
    assert verdict["reasons"] == ["the picture was not written: No space left on device"]
    assert capsys.readouterr().out.splitlines()[-1].startswith("BAD INPUT: ")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize("arguments", [B0, ["compare", str(DATA / "edge_rows.jsonl")]])
def test_json_that_cannot_be_written_exits_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main([*arguments, "--json", "/dev/full"]) == 2
    assert "the JSON file was not written" in capsys.readouterr().out.splitlines()[-1]


def test_rows_of_the_repository(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The first six rows with a lumped last column: figures, and what they are not."""
    with np.load(DATA / "real_rows.npz") as archive:
        np.savez(tmp_path / "six.npz", target=archive["p"][:6], draft=archive["q"][:6])
    keys = ["--p-key", "target", "--q-key", "draft"]
    assert command_line.main(["compare", str(tmp_path / "six.npz"), *keys, "--lumped", "--jobs", "2"]) == 0
    out = capsys.readouterr().out.splitlines()
    assert len(out) == 11
    assert all(re.search(r"  mean \d\.\d{6}, least -?\d\.\d{6}, greatest \d\.\d{6}$", line) for line in out[:7])
    assert out[8] == "gamma 2 is as if each row stayed the same at every position, which it does not in a text."
    assert out[9].startswith("The last column is the sum of all other tokens: ")
    assert out[10] == (
        "VERIFIED: more drafts kept no less, and nothing more than is possible, in 6 of 6 rows, V = 1024"
    )


def test_each_row_on_a_line_and_in_the_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "rows.json"
    files = [str(DATA / name) for name in ("edge_rows.jsonl", "edge_rows_float64.npz")]
    assert command_line.main(["compare", *files, "--each", "--siblings", "3", "--json", str(path)]) == 0
    out = capsys.readouterr().out
    assert "file 1, row 0: alpha 0.666667, siblings 0.851852, best 1.000000, chain 1.111111, block 1.222222" in out
    assert "3 siblings over one draft: gain" in out
    document = json.loads(path.read_text(encoding="ascii"))
    assert document["schema"] == SCHEMA
    assert [row["file"] for row in document["rows"]] == [1] * 5 + [2] * 21
    assert document["rows"][0]["alpha"] == "2/3"
    assert document["rows"][0]["outcome"] == "as_claimed"
    assert document["verdict"]["exit_status"] == 0


def test_more_processes_give_the_same_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outputs = []
    files = [str(DATA / "edge_rows.jsonl"), str(DATA / "bad_rows.npz"), str(tmp_path / "missing.npz")]
    for jobs in ("1", "2"):
        path = tmp_path / f"{jobs}.json"
        assert command_line.main(["compare", "--jobs", jobs, "--json", str(path), *files]) == 2
        outputs.append((capsys.readouterr().out, path.read_bytes()))
    assert outputs[0] == outputs[1]


def test_bad_rows_and_files_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.savez(tmp_path / "rows.npz", p=np.array([[0.5, 0.5], [np.nan, 1.0]]), q=np.array([[0.5, 0.5]] * 2))
    assert command_line.main(["compare", str(tmp_path / "rows.npz"), str(tmp_path / "missing.npz")]) == 2
    captured = capsys.readouterr()
    assert "file 1, row 1: p[0] = nan is not a probability" in captured.out
    last = captured.out.splitlines()[-1]
    assert last.startswith("BAD INPUT: more drafts kept no less, and nothing more than is possible, in 1 of 2 rows")
    assert "file 2: see stderr" in last
    assert "missing.npz cannot be read" in captured.err


def test_file_without_rows_is_unverified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "empty.jsonl").write_text("\n", encoding="utf-8")
    for files in ([DATA / "edge_rows.jsonl", tmp_path / "empty.jsonl"], [tmp_path / "empty.jsonl"]):
        assert command_line.main(["compare", *map(str, files)]) == 5
        assert f"file {len(files)} holds no rows" in capsys.readouterr().out.splitlines()[-1]


def test_rows_that_keep_more_than_is_possible_fail(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sibling_rule, "optimal_acceptance", lambda p, q, k: Rational(1, 10))
    assert command_line.main(["compare", str(DATA / "edge_rows.jsonl")]) == 1
    out = capsys.readouterr().out
    assert "file 1, row 0: siblings 7/9 above best 1/10\n" in out
    assert out.splitlines()[-1].startswith("FAILED: more drafts kept no less")


def test_interrupted_rows_show_what_was_covered(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    from proofs import compare_files

    right = compare_files.figures_of

    def interrupt(pair: Any, form: Any, k: int) -> Any:
        if pair.number == 3:
            signal.raise_signal(signal.SIGINT)
        return right(pair, form, k)

    monkeypatch.setattr(compare_files, "figures_of", interrupt)
    files = [str(DATA / "edge_rows.jsonl")] * 2
    assert command_line.main(["compare", "--json", str(tmp_path / "r.json"), *files]) == 5
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("UNVERIFIED: more drafts kept no less, and nothing more than is possible, in 3 of 3 rows")
    assert "interrupted" in last
    assert len(json.loads((tmp_path / "r.json").read_text(encoding="ascii"))["rows"]) == 3


def test_interrupted_table_is_no_verdict(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(block_rule, "emitted_law", lambda *_: signal.raise_signal(signal.SIGINT))
    assert command_line.main(B0) == 5
    assert capsys.readouterr().out == "UNVERIFIED: no verdict (interrupted)\n"


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

    monkeypatch.setattr("proofs.compare_files.ordered_map", broken)
    assert command_line.main(["compare", "--jobs", "2", str(DATA / "edge_rows.jsonl")]) == 5
    assert "in 2 of 2 rows, V = 2, 3 (file 1: a worker process was ended)" in capsys.readouterr().out.splitlines()[-1]


@pytest.mark.skipif(os.name == "nt", reason="pipes of POSIX")
@pytest.mark.parametrize("arguments", [B0, ["compare", str(DATA / "edge_rows.jsonl")]])
def test_output_that_nobody_receives_exits_with_5(arguments: list[str], tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "proofs", *arguments]
    gone = subprocess.run(command, cwd=tmp_path, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert gone.returncode == 5
    assert b"Traceback" not in gone.stderr


def test_typed_rows_need_no_numpy() -> None:
    code = f"import sys, proofs.command_line as c; c.main({B0!r}); print('numpy' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    assert done.stdout.endswith("False\n")
