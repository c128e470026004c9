"""A call is the program's unless the engine, the logger or a first import made it."""

import importlib
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from proofs.engine import callers
from proofs.engine.callers import notice
from proofs.engine.signals import Kind, Mark, collecting

ENGINE = Path(callers.__file__).parent
LOOK = "import sys\ndef look(find):\n    return find(sys._getframe(0))\n"
GO_BETWEENS = ["random", "secrets", "uuid", "subprocess", "tempfile", "multiprocessing.pool"]


def _function(source: str, module: str, file: str = "code.py", name: str = "look") -> Callable[..., Any]:
    """Make a function that belongs to a module and to a file."""
    namespace: dict[str, Any] = {"__name__": module}
    exec(compile(source, file, "exec"), namespace)
    return namespace[name]  # type: ignore[no-any-return]


def _marks(frame: FrameType | None, kind: Kind = Kind.HIDDEN) -> list[Mark]:
    marks: list[Mark] = []
    with collecting(marks):
        notice(frame, kind, "os.urandom")
    return marks


def test_call_of_the_program_is_marked_with_its_line() -> None:
    (found,) = _marks(sys._getframe(0))
    assert (found.kind, found.reason) == (Kind.HIDDEN, "os.urandom was called")
    assert found.place.startswith(f"{__file__}:")


def test_seed_of_its_own_is_said() -> None:
    (found,) = _marks(sys._getframe(0), Kind.CONSTANT)
    assert (found.kind, found.reason) == (Kind.CONSTANT, "os.urandom was called with a seed of its own")


def test_call_from_nowhere_is_marked() -> None:
    assert [found.reason for found in _marks(None)] == ["os.urandom was called"]


def test_nothing_is_marked_outside_a_path() -> None:
    notice(sys._getframe(0), Kind.HIDDEN, "os.urandom")
    assert _marks(sys._getframe(0))[1:] == []


@pytest.mark.parametrize("module", ["logging", "logging.handlers", "hypothesis.internal", "coverage.control"])
def test_calls_of_loggers_and_of_the_machinery_of_tests_are_passed_over(module: str) -> None:
    assert _function(LOOK, module)(_marks) == []


@pytest.mark.parametrize("module", ["mine", "hypothesis_of_mine", "random_walk", "my.logging", "numpy.random", ""])
def test_calls_of_other_modules_are_not(module: str) -> None:
    assert len(_function(LOOK, module)(_marks)) == 1


def test_calls_of_the_engine_are_passed_over() -> None:
    assert _function(LOOK, "mine", str(ENGINE / "draws.py"))(_marks) == []
    assert len(_function(LOOK, "proofs.engine.draws", str(ENGINE.parent / "draws.py"))(_marks)) == 1


@pytest.mark.parametrize("module", GO_BETWEENS)
def test_library_in_between_is_looked_through(module: str) -> None:
    between = _function("def run(f, *args):\n    return f(*args)\n", module, name="run")
    look = _function(LOOK, module)
    assert len(between(look, _marks)) == 1
    engine = _function("def run(f, *args):\n    return f(*args)\n", "x", str(ENGINE / "draws.py"), name="run")
    logger = _function("def run(f, *args):\n    return f(*args)\n", "logging", name="run")
    assert engine(between, look, _marks) == []
    assert logger(look, _marks) == []


def test_only_libraries_in_between_are_looked_through() -> None:
    mine = _function("def run(f, *args):\n    return f(*args)\n", "mine", name="run")
    logger = _function("def run(f, *args):\n    return f(*args)\n", "logging", name="run")
    assert len(logger(mine, _function(LOOK, "random"), _marks)) == 1


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    source = "import sys\nfrom tests.proofs.engine import test_callers\n"
    (tmp_path / "looks_while_loading.py").write_text(source + "FOUND = test_callers._marks(sys._getframe(0))\n")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "looks_while_loading", raising=False)
    return "looks_while_loading"


def test_first_import_is_passed_over_and_a_reload_is_not(module: str) -> None:
    loaded = importlib.import_module(module)
    assert loaded.FOUND == []
    assert len(importlib.reload(loaded).FOUND) == 1
    del sys.modules[module]


def test_import_around_the_engine_is_no_excuse(module: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    run = _function("def run(f, *args):\n    return f(*args)\n", "x", str(ENGINE / "exploration.py"), name="run")
    monkeypatch.setattr("builtins._run_by_the_engine", run, raising=False)
    source = "import sys\nfrom tests.proofs.engine import test_callers\n"
    source += "FOUND = _run_by_the_engine(lambda: test_callers._marks(sys._getframe(0)))\n"
    (tmp_path / f"{module}.py").write_text(source)
    assert len(importlib.import_module(module).FOUND) == 1
    del sys.modules[module]
