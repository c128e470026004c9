"""The notebooks run from the first cell to the last, and print what they are stored with.

The notebook about Transformers is not run here, for that library is not installed with the tests: the zoo's job runs it
(`python -m tests.zoo.notebook`). Here it is looked at as it is stored, and that the job is there.
"""

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

FOLDER = Path(__file__).parents[1] / "notebooks"
NOTEBOOKS = sorted(FOLDER.glob("*.ipynb"))
OF_THE_ZOO = FOLDER / "04_transformers.ipynb"
JOBS = FOLDER.parent / ".ci"

# How many cells print, and how many pictures there are.
SHOWN = {
    "01_lossless.ipynb": (4, 2),
    "02_your_verifier.ipynb": (5, 1),
    "03_rules.ipynb": (7, 6),
    "05_cite.ipynb": (9, 0),
}
# Figures of the notebook that is run elsewhere: each in the output of the cell with this number among those that print.
FIGURES = {
    0: ("transformers 5.24.0 and torch 2.13.0",),
    1: ("4194305/33554432", "37748735/100663296", "25165823/50331648", "not explored: 0"),
    2: ("lossless: ", "on 0 of 1 inputs as the coins lie on their grids, and on 1 of 1"),
    3: ("biased: (0, 1) has probability 1/67108864, the target's is 0", "mass 1/33554432"),
    4: ("(0, 1) 1/16777216", "(1, 1) 16777215/16777216"),
    5: ("token 0 is emitted, with target probability 0.0",),
    6: ("declared 7/32 11/32 7/16", "TV to the target   3145729/33554432", "TV to the declared 1/33554432"),
    7: ("biased with total variation 3145729/33554432", "lossless: ", "held to the declared target"),
    9: ("paths; not explored: 0",),
    10: ("total variation below 2^-20: True",),
}


_read: Any = nbformat.read  # it has no types


def _printed(notebook: Any) -> list[str]:
    """Return what each cell prints; in how many pieces it arrives is chance."""
    streams = ([o for o in cell.get("outputs", []) if o.output_type == "stream"] for cell in notebook.cells)
    return ["".join(output.text for output in outputs if output.name == "stdout") for outputs in streams]


def _pictures(notebook: Any) -> list[int]:
    return [sum("image/png" in output.get("data", {}) for output in cell.get("outputs", [])) for cell in notebook.cells]


def test_there_are_notebooks() -> None:
    assert [path.name for path in NOTEBOOKS] == sorted([*SHOWN, OF_THE_ZOO.name])


# The kernel says on stderr which transport it uses; that is no matter of the notebook.
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", [FOLDER / name for name in SHOWN], ids=lambda path: path.stem)
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


def test_notebook_of_the_zoo_is_stored_with_its_figures_and_not_run_here() -> None:
    cells = [cell for cell in _read(OF_THE_ZOO, as_version=4).cells if cell.cell_type == "code"]
    assert [cell.execution_count for cell in cells] == [*range(1, len(cells) + 1)]
    assert {output.output_type for cell in cells for output in cell.outputs} == {"stream"}
    assert {output.name for cell in cells for output in cell.outputs} == {"stdout"}
    shown = [text for text in _printed(_read(OF_THE_ZOO, as_version=4)) if text]
    assert len(shown) == 11
    missing = [figure for at, figures in FIGURES.items() for figure in figures if figure not in _words(shown[at])]
    assert not missing


def _words(text: str) -> str:
    """Return a text whose lines a verdict may have folded."""
    return re.sub(r"\n    (?! )", " ", text)


def test_job_of_the_zoo_runs_the_notebook_and_covers_it() -> None:
    assert "-m tests.zoo.notebook" in (JOBS / "zoo").read_text(encoding="utf-8")
    assert f'"notebooks/{OF_THE_ZOO.name}"' in (JOBS / "full").read_text(encoding="utf-8")
