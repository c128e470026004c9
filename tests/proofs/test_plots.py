"""Pictures of rows: what is drawn is the exact law, and what cannot be drawn is said before the rows are read."""

import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from proofs import command_line, plots
from proofs.integer_law import IntegerLaw
from proofs.row_files import RowPair
from proofs.rows import Options, RowResult
from tests.enumeration import NAMED

DATA = Path(__file__).parents[1] / "data"
SUMS = (Fraction(1), Fraction(1))


def _result(index: int, alpha: Fraction | None) -> RowResult:
    law = None if alpha is None else IntegerLaw(alpha, 1 - alpha, law_equals_target=True)
    return RowResult(index, law, SUMS)


def test_worst_median_and_best_row_are_found() -> None:
    log = plots.AlphaLog()
    for index, alpha in enumerate((Fraction(1, 2), Fraction(1), None, Fraction(1, 4), Fraction(3, 4), Fraction(1, 4))):
        log.add(7, _result(index, alpha))
    assert [(place.file, place.row) for place in log.worst_median_best()] == [(7, 3), (7, 0), (7, 1)]


@pytest.mark.parametrize(("count", "places"), [(0, 0), (1, 1), (2, 2), (3, 3), (4, 3)])
def test_no_row_is_shown_twice(count: int, places: int) -> None:
    log = plots.AlphaLog()
    for index in range(count):
        log.add(0, _result(index, Fraction(index, 10)))
    assert len(log.worst_median_best()) == places


@pytest.mark.parametrize("name", NAMED)
def test_bars_are_the_law(name: str) -> None:
    """Accepted part min(p, q), replaced part (p - q)+, together p."""
    p, q = NAMED[name]
    pair = RowPair(0, [str(x) for x in p], [str(x) for x in q])
    accepted, replaced, draft = plots.split_row(pair, Options())
    assert accepted == [float(min(a, b)) for a, b in zip(p, q, strict=True)]
    assert replaced == [float(max(a - b, Fraction(0))) for a, b in zip(p, q, strict=True)]
    assert draft == [float(b) for b in q]


@pytest.mark.parametrize(("ending", "magic"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_picture_is_written(tmp_path: Path, ending: str, magic: bytes, capsys: pytest.CaptureFixture[str]) -> None:
    picture = tmp_path / f"rows{ending}"
    files = [str(DATA / "edge_rows.jsonl"), str(DATA / "real_rows.npz")]
    assert command_line.main(["rows", "--plot", str(picture), *files]) == 0
    assert picture.read_bytes().startswith(magic)
    assert capsys.readouterr().out.splitlines()[-1].startswith("VERIFIED")


def test_picture_says_what_it_shows(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    from matplotlib.figure import Figure

    drawn: list[Figure] = []
    monkeypatch.setattr(Figure, "savefig", lambda figure, target: drawn.append(figure))
    command_line.main(["rows", "--plot", str(tmp_path / "rows.png"), str(DATA / "edge_rows.jsonl")])
    titles = [axes.get_title() for axes in drawn[0].axes]
    assert titles == [
        "Token rule, exact: 5 rows",
        "worst row: file 1, row 3\nalpha = 0.000000",
        "median row: file 1, row 0\nalpha = 0.666667",
        "best row: file 1, row 2\nalpha = 1.000000",
    ]


@pytest.mark.parametrize(
    ("path", "message"),
    [
        ("rows.txt", "has another ending; expected .png, .svg, .pdf"),
        ("rows", "has another ending"),
        ("no/such/rows.png", "cannot be written: its directory does not exist"),
    ],
)
def test_picture_that_cannot_be_written_is_refused_first(
    path: str, message: str, capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert command_line.main(["rows", "--plot", path, str(DATA / "edge_rows.jsonl")]) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert captured.out == "BAD INPUT: nothing was checked (see stderr)\n"


def test_nothing_to_draw_is_unverified(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "rows.jsonl").write_text("", encoding="utf-8")
    picture = tmp_path / "rows.png"
    assert command_line.main(["rows", "--plot", str(picture), str(tmp_path / "rows.jsonl")]) == 5
    assert "nothing was drawn" in capsys.readouterr().out
    assert not picture.exists()


def test_without_matplotlib_the_extra_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("proofs.plots.find_spec", lambda name: None)
    assert command_line.main(["rows", "--plot", "rows.png", str(DATA / "edge_rows.jsonl")]) == 2
    assert "needs matplotlib; python -m pip install '.[plot]'" in capsys.readouterr().err


def test_nothing_is_drawn_unless_asked() -> None:
    code = "import sys, proofs.command_line as c; c.main(['rows', sys.argv[1]]); print('matplotlib' in sys.modules)"
    command: list[Any] = [sys.executable, "-c", code, DATA / "edge_rows.jsonl"]
    assert subprocess.run(command, check=True, capture_output=True, text=True).stdout.endswith("False\n")
