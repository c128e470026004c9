"""The notebooks run from the first cell to the last, and print what they are stored with."""

from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))

# How many cells print, and how many pictures there are.
SHOWN = {"01_lossless.ipynb": (4, 2), "02_your_verifier.ipynb": (5, 1)}


_read: Any = nbformat.read  # it has no types


def _printed(notebook: Any) -> list[str]:
    """Return what each cell prints; in how many pieces it arrives is chance."""
    streams = ([o for o in cell.get("outputs", []) if o.output_type == "stream"] for cell in notebook.cells)
    return ["".join(output.text for output in outputs if output.name == "stdout") for outputs in streams]


def _pictures(notebook: Any) -> list[int]:
    return [sum("image/png" in output.get("data", {}) for output in cell.get("outputs", [])) for cell in notebook.cells]


def test_there_are_notebooks() -> None:
    assert [path.name for path in NOTEBOOKS] == list(SHOWN)


# The kernel says on stderr which transport it uses; that is no matter of the notebook.
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_notebook_gives_what_it_shows(path: Path) -> None:
    stored = _read(path, as_version=4)
    fresh = _read(path, as_version=4)
    for cell in fresh.cells:
        if cell.cell_type == "code":
            cell.outputs = []
    NotebookClient(fresh, timeout=300, resources={"metadata": {"path": str(FOLDER)}}).execute()
    assert (sum(map(bool, _printed(stored))), sum(_pictures(stored))) == SHOWN[path.name]
    assert _printed(fresh) == _printed(stored)
    assert _pictures(fresh) == _pictures(stored)
