"""The library does not compile with a wrong definition, and stops at a statement that is false of it."""

import re
import shutil
from pathlib import Path

import pytest

from proofs.coq_library import compile_file, sources, stated, write_sources
from tests.coq.wrong_definitions import WRONG, Wrong

pytestmark = pytest.mark.coq


def edited(wrong: Wrong) -> str:
    text = sources()[wrong.file]
    for right, other in wrong.edits:
        assert text.count(right) == 1, right
        text = text.replace(right, other)
    return text


def statement_at(text: str, line: int) -> str:
    """Name of the statement in whose proof a line is; the line number counts from 1."""
    before = "\n".join(text.split("\n")[:line])
    name = re.findall(r"^(?:Theorem|Lemma|Corollary) (\w+)", before, re.MULTILINE)[-1]
    assert not re.search(rf"^(?:Theorem|Lemma|Corollary) {name}\b.*^Qed\.$.*\n.", before, re.MULTILINE | re.DOTALL)
    return str(name)


@pytest.mark.parametrize("wrong", WRONG, ids=[f"{wrong.file}: {wrong.fault}" for wrong in WRONG])
def test_wrong_definition_is_refused(wrong: Wrong, compiled: Path, tmp_path: Path) -> None:
    for path in compiled.glob("*.vo"):
        shutil.copy(path, tmp_path)
    text = edited(wrong)
    (tmp_path / wrong.file).write_text(text, encoding="utf-8")
    status, printed = compile_file(tmp_path, wrong.file)
    assert status == 1
    place = re.search(r"line (\d+), characters [\d-]+:\nError:", printed)
    assert place is not None, printed
    assert statement_at(text, int(place.group(1))) == wrong.stops


def test_right_definitions_compile_alike(tmp_path: Path) -> None:
    """What the faults are measured against: the same calls on the files as they are."""
    write_sources(tmp_path, sources())
    assert [compile_file(tmp_path, name)[0] for name in sources()] == [0] * len(sources())


def test_there_are_enough_faults() -> None:
    assert len({wrong.fault for wrong in WRONG}) >= 10
    assert len(set(WRONG)) == len(WRONG)
    assert {wrong.file for wrong in WRONG} <= set(stated().values())
