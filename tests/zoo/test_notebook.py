"""The runner of the notebook, on notebooks of our own: transformers is not installed where this runs."""

import json
from pathlib import Path

import pytest

from tests.zoo.notebook import difference, main, printed


def _notebook(folder: Path, *cells: tuple[str, str]) -> Path:
    """Write a notebook of code cells, each with what it is stored to have printed."""
    path = folder / "notebook.ipynb"
    found: list[object] = [{"cell_type": "markdown", "source": "raise ValueError"}]
    for source, text in cells:
        outputs = [{"output_type": "stream", "name": name, "text": [text]} for name in ("stdout", "stderr")]
        found.append({"cell_type": "code", "source": source.splitlines(keepends=True), "outputs": outputs})
    path.write_text(json.dumps({"cells": found}), encoding="utf-8")
    return path


def test_cells_share_their_names_and_are_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _notebook(tmp_path, ("x = 1\nprint(x)", "1\n"), ("print(x + 1)", "2\n"))
    assert printed(path) == ["1\n", "2\n"]
    assert main(path) == 0
    assert "prints what it is stored with" in capsys.readouterr().out


def test_another_output_fails_and_is_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = _notebook(tmp_path, ("print(1)", "1\n"), ("print(3)", "2\n"))
    assert main(path) == 1
    assert capsys.readouterr().out == "code cell 1 is stored with\n2\nand prints\n3\n\n"


def test_output_that_is_not_stored_fails(tmp_path: Path) -> None:
    assert main(_notebook(tmp_path, ("print(1)", ""))) == 1


def test_what_a_cell_raises_is_raised(tmp_path: Path) -> None:
    with pytest.raises(ZeroDivisionError):
        main(_notebook(tmp_path, ("1 / 0", "")))


def test_lists_of_two_lengths_are_no_agreement() -> None:
    with pytest.raises(ValueError, match="zip"):
        difference(["1\n"], [])
