"""The notebooks run from the first cell to the last, and print what they are stored with."""

from pathlib import Path
from typing import Any

import nbformat  # type: ignore[import-untyped]
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))


def _printed(notebook: Any) -> list[list[str]]:
    return [
        [
            output.text
            for output in cell.get("outputs", [])
            if output.output_type == "stream" and output.name == "stdout"
        ]
        for cell in notebook.cells
    ]


def _pictures(notebook: Any) -> list[int]:
    return [sum("image/png" in output.get("data", {}) for output in cell.get("outputs", [])) for cell in notebook.cells]


def test_there_are_notebooks() -> None:
    assert [path.name for path in NOTEBOOKS] == ["01_lossless.ipynb"]


# The kernel says on stderr which transport it uses; that is no matter of the notebook.
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_gives_what_it_shows(path: Path) -> None:
    stored = nbformat.read(path, as_version=4)
    fresh = nbformat.read(path, as_version=4)
    for cell in fresh.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    NotebookClient(fresh, timeout=300, resources={"metadata": {"path": str(FOLDER)}}).execute()
    assert any(map(any, _printed(stored)))
    assert sum(_pictures(stored)) == 2
    assert _printed(fresh) == _printed(stored)
    assert _pictures(fresh) == _pictures(stored)
