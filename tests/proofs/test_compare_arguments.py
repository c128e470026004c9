"""What cannot be right about the arguments of ``compare`` is said before anything is read or computed."""

import argparse
from pathlib import Path

import pytest

from proofs import command_line
from proofs.compare_arguments import GAMMA, MOST_SIBLINGS, add_parser, problem_of

DATA = Path(__file__).parents[1] / "data"
ROWS = ["--target", "1/3,2/3", "--draft", "2/3,1/3"]


def _parsed(*arguments: str) -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--json")
    add_parser(parser.add_subparsers(), "epilog")
    return parser.parse_args(["compare", *arguments])


def test_defaults() -> None:
    parsed = _parsed(*ROWS)
    assert (parsed.gamma, parsed.siblings, parsed.jobs) == (GAMMA, 2, 1)
    assert (parsed.target, parsed.draft) == (["1/3", "2/3"], ["2/3", "1/3"])
    assert problem_of(parsed) is None


def test_blanks_around_fractions_are_nothing() -> None:
    assert _parsed("--target", " 1/3, 2/3 ", "--draft", "1,0").target == ["1/3", "2/3"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "there are no rows; give --target ROW and --draft ROW, or files of rows"),
        (ROWS[:2], "one row is missing; give --draft ROW too"),
        (ROWS[2:], "one row is missing; give --target ROW too"),
        ([*ROWS, "rows.npz"], "--target and files of rows exclude each other"),
        (["rows.npz", *ROWS[2:]], "--draft and files of rows exclude each other"),
        (["rows.npz", "--gamma", "3"], "--gamma 3 with files; expected 2"),
        (["rows.npz", "--siblings", "0"], "--siblings 0 with files; expected 1 to 64"),
        (["rows.npz", "--siblings", str(MOST_SIBLINGS + 1)], "--siblings 65 with files"),
        (["rows.npz", "--plot", "rows.png"], "--plot with files"),
        ([*ROWS, "--lumped"], "--lumped belongs to files of rows"),
        ([*ROWS, "--each"], "--each belongs to files of rows"),
        ([*ROWS, "--logits"], "--logits belongs to files of rows"),
        ([*ROWS, "--jobs", "2"], "--jobs belongs to files of rows"),
        ([*ROWS, "--q-key", "draft"], "--q-key belongs to files of rows"),
        ([*ROWS, "--plot", "rows.txt"], "--plot 'rows.txt' has another ending; expected .png, .svg, .pdf"),
        ([*ROWS, "--plot", "no/such/rows.png"], "cannot be written: its directory does not exist"),
        ([*ROWS, "--plot", "rows.png", "--json", "./rows.png"], "--json and --plot name one file, 'rows.png'"),
        ([*ROWS, "--json", "no/such/file.json"], "--json 'no/such/file.json' cannot be written"),
        ([*ROWS, "--json", "."], "expected the name of a file"),
        ([*ROWS, "--gamma", "-1"], "gamma = -1; expected a number of drafted tokens, 0 or more"),
        ([*ROWS, "--siblings", "-1"], "k = -1; expected a number of siblings, 0 or more"),
        ([*ROWS, "--gamma", "x"], "invalid int value: 'x'"),
        (["--target", "0.5,0.5", "--draft", "1/2,1/2"], "target[0]: '0.5' is not an exact rational"),
        (["--target", "1/2,1/3", "--draft", "1/2,1/2"], "target sums to 5/6, not 1 exactly"),
        (["--target", "1/2,1/2", "--draft", "1"], "2 tokens and draft has 1"),
        (["--target=-1/2,3/2", "--draft", "1/2,1/2"], "target[0] = -1/2 is not a probability"),
        (["--target", "", "--draft", ""], "target[0]: '' is not an exact rational"),
        (["--target", "1/" + "7" * 6000, "--draft", "1"], "too long to read"),
        (["--target", "\u0661", "--draft", "1"], "is not an exact rational"),
    ],
)
def test_bad_arguments_exit_with_2_and_no_traceback(
    arguments: list[str],
    message: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert command_line.main(["compare", *arguments]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == "BAD INPUT: nothing was checked (see stderr)\n"
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("option", ["--json", "--plot"])
def test_file_of_rows_is_not_overwritten(option: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = tmp_path / "rows.jsonl"
    rows.write_bytes((DATA / "edge_rows.jsonl").read_bytes())
    (tmp_path / "link.png").symlink_to(rows)
    assert command_line.main(["compare", option, str(tmp_path / "link.png"), str(rows)]) == 2
    message = "would overwrite" if option == "--json" else "--plot with files"
    assert message in capsys.readouterr().err
    assert rows.read_bytes() == (DATA / "edge_rows.jsonl").read_bytes()


def test_without_matplotlib_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("proofs.plots.find_spec", lambda name: None)
    assert command_line.main(["compare", *ROWS, "--plot", "rows.png"]) == 2
    assert "needs matplotlib; python -m pip install '.[plot]'" in capsys.readouterr().err


def test_help_says_what_is_compared(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["compare", "--help"]) == 0
    text = capsys.readouterr().out
    assert "the most that any rule with such a law could keep" in text
    assert max(map(len, text.splitlines())) <= 120
