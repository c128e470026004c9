"""Runs the notebook about Transformers where that is installed, and compares: ``python -m tests.zoo.notebook``.

The cells are run in order in this process, without a kernel, so that the environment of the zoo needs nothing more.
"""

import contextlib
import io
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

__all__ = ["NOTEBOOK", "difference", "main", "printed"]

NOTEBOOK = Path(__file__).parents[2] / "notebooks" / "04_transformers.ipynb"


def _cells(notebook: Path) -> list[Any]:
    cells = json.loads(notebook.read_text(encoding="utf-8"))["cells"]
    return [cell for cell in cells if cell["cell_type"] == "code"]


def printed(notebook: Path = NOTEBOOK) -> list[str]:
    """Return what each cell of code is stored to have printed."""
    return [
        "".join("".join(output["text"]) for output in cell["outputs"] if output.get("name") == "stdout")
        for cell in _cells(notebook)
    ]


def _run(notebook: Path) -> list[str]:
    """Run the cells in one namespace, and return what each of them prints."""
    namespace: dict[str, Any] = {"__name__": "__main__"}
    found = []
    for at, cell in enumerate(_cells(notebook)):
        with contextlib.redirect_stdout(io.StringIO()) as out:
            exec(compile("".join(cell["source"]), f"<code cell {at} of {notebook.name}>", "exec"), namespace)
        found.append(out.getvalue())
    return found


def difference(stored: Sequence[str], fresh: Sequence[str]) -> str:
    """Say which cell prints something else than it is stored with; "" if none does."""
    for at, (before, now) in enumerate(zip(stored, fresh, strict=True)):
        if before != now:
            return f"code cell {at} is stored with\n{before}and prints\n{now}"
    return ""


def main(notebook: Path = NOTEBOOK) -> int:
    """Run the notebook; return 0 if it prints what it is stored with, 1 if not. What a cell raises is raised."""
    found = difference(printed(notebook), _run(notebook))
    print(found or f"{notebook.name} prints what it is stored with")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
