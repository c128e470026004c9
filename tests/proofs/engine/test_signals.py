"""Marks are left before anything is raised, in the path that is running alone, with the program's own line."""

import contextlib
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proofs.engine import signals
from proofs.engine.signals import Kind, Mark, Refusal, collecting, mark, place_of, refuse

ENGINE = Path(signals.__file__).parent


def _in_engine(source: str) -> Callable[..., Any]:
    """Make a function `call` that counts as the engine's."""
    namespace: dict[str, Any] = {"refuse": refuse, "mark": mark, "Kind": Kind}
    exec(compile(source, str(ENGINE / "made_by_a_test.py"), "exec"), namespace)
    return namespace["call"]  # type: ignore[no-any-return]


def test_refusal_marks_the_path_even_where_it_is_swallowed() -> None:
    marks: list[Mark] = []
    with collecting(marks), contextlib.suppress(BaseException):
        refuse("why", Kind.LEAK)
    assert [(found.kind, found.reason) for found in marks] == [(Kind.LEAK, "why")]


def test_refusal_is_no_exception_that_programs_catch() -> None:
    assert issubclass(Refusal, BaseException)
    assert not issubclass(Refusal, Exception)
    with pytest.raises(Refusal, match="^why$"), collecting([]):
        refuse("why")


def test_mark_refuses_unless_another_kind_is_given() -> None:
    marks: list[Mark] = []
    with collecting(marks), pytest.raises(Refusal):
        refuse("why")
    assert marks[0].kind is Kind.REFUSED


def test_outside_a_path_nothing_is_marked_and_refusals_are_raised_all_the_same() -> None:
    mark(Kind.NOTE, "unheard")
    with pytest.raises(Refusal):
        refuse("why")


def test_path_within_a_path_has_its_own_marks() -> None:
    outer: list[Mark] = []
    inner: list[Mark] = []
    with collecting(outer):
        with contextlib.suppress(ZeroDivisionError), collecting(inner):
            mark(Kind.NOTE, "inner")
            raise ZeroDivisionError
        mark(Kind.NOTE, "outer")
    assert [[found.reason for found in marks] for marks in (outer, inner)] == [["outer"], ["inner"]]


def test_other_threads_mark_nothing() -> None:
    marks: list[Mark] = []
    with collecting(marks):
        thread = threading.Thread(target=mark, args=(Kind.NOTE, "elsewhere"))
        thread.start()
        thread.join()
    assert marks == []


def test_place_is_the_programs_line_behind_engine_and_numpy() -> None:
    marks: list[Mark] = []
    call = _in_engine("def call(*_):\n    mark(Kind.NOTE, 'seen')\n    return 0\n")
    with collecting(marks):
        np.apply_along_axis(call, 0, np.zeros(2))
    assert {found.place for found in marks} == {f"{__file__}:{_line_of('np.apply_along_axis(call')}"}


def _line_of(words: str) -> int:
    lines = Path(__file__).read_text(encoding="utf-8").splitlines()
    return next(number for number, line in enumerate(lines, 1) if line.strip().startswith(words))


def test_place_of_an_error_is_the_programs_innermost_line() -> None:
    call = _in_engine("def call():\n    return 1 // 0\n")

    def inner() -> Any:
        return call()

    with pytest.raises(ZeroDivisionError) as caught:
        inner()
    assert place_of(caught.value) == f"{__file__}:{inner.__code__.co_firstlineno + 1}"
    assert place_of(ZeroDivisionError()) == ""


def test_mark_is_printed_with_its_place_if_it_has_one() -> None:
    assert str(Mark(Kind.NOTE, "why", "mine.py:3")) == "why (mine.py:3)"
    assert str(Mark(Kind.NOTE, "why", "")) == "why"
