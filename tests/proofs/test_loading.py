"""What can be named on the command line, and what is said about what cannot."""

import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from proofs.loading import LoadError, load

Write = Callable[[str, str], Path]


@pytest.fixture(autouse=True)
def _same_surroundings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Work in a directory of its own, and forget what was imported there."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        del sys.modules[name]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def saved(name: str, text: str) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    return saved


ONE = "def f():\n    return 1\n"


@pytest.mark.parametrize("name", ["mine.py", "a directory/my file.py", "deep/random.py", "numpy.py", "mine-2.0.py"])
def test_file_by_its_path(name: str, write: Write) -> None:
    path = write(name, ONE)
    for place in (str(path), name, f"./{name}"):
        assert load(f"{place}:f")() == 1


def test_module_of_the_current_directory(write: Write) -> None:
    write("mine_here/__init__.py", "")
    write(
        "mine_here/inner.py",
        "from mine_here.other import f\nclass A:\n    @staticmethod\n    def g():\n        return 2\n",
    )
    write("mine_here/other.py", ONE)
    assert load("mine_here.inner:f")() == 1
    assert load("mine_here.inner:A.g")() == 2


def test_directories_come_first_and_end_up_last(write: Write, tmp_path: Path) -> None:
    write("sub/helper_of_mine.py", "VALUE = 1\n")
    write("other_of_mine.py", "VALUE = 2\n")
    text = "import sys, helper_of_mine, other_of_mine\ndef f():\n    return FIRST\nFIRST = sys.path[:2]\n"
    write("sub/mine.py", text)
    before = list(sys.path)
    assert load("sub/mine.py:f")() == [str(tmp_path / "sub"), str(tmp_path)]
    assert sys.path == [*before, str(tmp_path / "sub"), str(tmp_path)]


def test_file_is_executed_once_and_takes_no_name(write: Write) -> None:
    write("statistics.py", "runs = []\nruns.append(1)\ndef f():\n    return runs\n")
    first, second = load("statistics.py:f"), load("./statistics.py:f")
    assert first is second
    import statistics

    assert hasattr(statistics, "mean")


def test_files_of_like_names_are_told_apart(write: Write) -> None:
    write("a-b.py", ONE)
    write("a_b.py", "def f():\n    return 2\n")
    assert [load("a-b.py:f")(), load("a_b.py:f")(), load("a-b.py:f")()] == [1, 2, 1]


def test_file_that_needs_to_find_itself(write: Write) -> None:
    write(
        "mine.py",
        "from __future__ import annotations\nfrom dataclasses import dataclass\n@dataclass\nclass A:\n    x: int\n"
        "def f():\n    return A(1).x\n",
    )
    assert load("mine.py:f")() == 1


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 / 0\n", "cannot be imported: ZeroDivisionError: division by zero (*mine.py:1)"),
        ("\ndef f(:\n", "cannot be imported: SyntaxError: invalid syntax (*mine.py:2)"),
        ("import sys\nsys.exit()\n", "cannot be imported: SystemExit (*mine.py:2)"),
        ("import sys\nsys.exit('a\\nb')\n", "cannot be imported: b (*mine.py:2)"),
        ("import not_there_at_all\n", "No module named 'not_there_at_all' (*mine.py:1)"),
        ("import json\njson.loads('{')\n", "cannot be imported: json.decoder.JSONDecodeError: *"),
        ("x = 1\n", "'f' is not in *mine.py"),
        ("f = 1\n", "'f' is int and not callable; expected a function"),
        ("def __getattr__(name):\n    raise LookupError\n", "'f' is not in *mine.py"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(text: str, message: str, write: Write) -> None:
    from fnmatch import fnmatchcase

    write("mine.py", text)
    for spec in ("mine.py:f", "mine:f"):
        with pytest.raises(LoadError) as caught:
            load(spec)
        assert fnmatchcase(str(caught.value), f"*{message}*")
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("mine", "'mine' names no function; expected package.module:function or path/file.py:function"),
        ("", "'' names no function"),
        (":f", "':f' names no function"),
        ("mine:", "'mine:' names no function"),
        ("mine:f g", "'mine:f g' names no function"),
        ("mine:f.", "'mine:f.' names no function"),
        ("a-b:f", "'a-b' is neither a module nor a file; expected package.module or path/file.py"),
        ("missing.py:f", "'missing.py' is no Python file"),
        ("./missing:f", "'./missing' is no Python file"),
        ("statistics:mean", "'statistics' is a module of the standard library; for your file write ./statistics.py"),
        (
            "not_there.at_all:f",
            "'not_there.at_all' cannot be imported: ModuleNotFoundError: No module named 'not_there'",
        ),
        ("\u00e9 \n.py:f", "'\\xe9 \\n.py' is no Python file"),
    ],
)
def test_what_names_nothing_is_refused(spec: str, message: str) -> None:
    with pytest.raises(LoadError) as caught:
        load(spec)
    assert message in str(caught.value)


def test_failed_file_is_forgotten_and_can_be_mended(write: Write) -> None:
    write("mine.py", "1 / 0\n")
    with pytest.raises(LoadError):
        load("mine.py:f")
    write("mine.py", "# mended, and of another length\n" + ONE)
    assert load("mine.py:f")() == 1


def test_interrupt_is_not_blamed_on_the_file(write: Write) -> None:
    write("mine.py", "raise KeyboardInterrupt\n")
    with pytest.raises(KeyboardInterrupt):
        load("mine.py:f")
