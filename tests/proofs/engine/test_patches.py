"""Every patch stands in for what it replaces: the same answers, and a mark where the call decides something."""

import builtins
import functools
import io
import os
import random
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proofs.engine import patches as module
from proofs.engine.patches import Patch, patches
from proofs.engine.signals import Kind, Mark, collecting


def _name(patch: Patch) -> str:
    return f"{patch.owner.__name__}.{patch.name}"


@pytest.fixture
def found() -> dict[str, Patch]:
    return {_name(patch): patch for patch in patches()}


def _marks(call: Callable[[], Any]) -> list[tuple[Kind, str]]:
    marks: list[Mark] = []
    with collecting(marks):
        call()
    return [(mark.kind, mark.reason) for mark in marks]


def test_each_place_is_patched_once_and_nothing_is_in_force() -> None:
    made = patches()
    assert len({_name(patch) for patch in made}) == len(made)
    assert all(getattr(patch.owner, patch.name) is not patch.replacement for patch in made)
    assert all(vars(patch.owner)[patch.name] is patch.original for patch in made)


@pytest.mark.parametrize(
    "name",
    [
        *("os.urandom", "random._urandom", "secrets.randbits", "uuid.uuid4", "time.time", "io.open"),
        *("time.perf_counter_ns", "_thread.start_new_thread", "Thread.start", "Popen.__init__", "builtins.open"),
        *("Random.seed", "Random.setstate", "numpy.random.RandomState", "builtins.input", "os.open", "os.remove"),
    ],
)
def test_what_must_be_patched_is(name: str, found: dict[str, Patch]) -> None:
    assert name in found


def test_replacement_answers_as_the_original(found: dict[str, Patch]) -> None:
    for name in ("os.urandom", "time.time", "uuid.uuid4", "builtins.open", "os.open"):
        patch = found[name]
        assert patch.replacement.__wrapped__ is patch.original
        assert patch.replacement.__name__ == patch.original.__name__
    assert len(found["os.urandom"].replacement(5)) == 5
    assert found["time.localtime"].replacement(0) == time.localtime(0)


def test_error_of_the_original_comes_through_and_the_call_is_marked(found: dict[str, Patch]) -> None:
    with pytest.raises(TypeError):
        found["os.urandom"].replacement("many")

    def call() -> None:
        with pytest.raises(FileNotFoundError):
            found["os.remove"].replacement("there is no such file")

    assert _marks(call) == [(Kind.HIDDEN, "os.remove was called")]


@pytest.mark.parametrize(
    ("name", "arguments", "is_marked"),
    [
        ("os.urandom", (1,), True),
        ("time.time", (), True),
        ("time.localtime", (), True),
        ("time.localtime", (None,), True),
        ("time.localtime", (0,), False),
        ("time.strftime", ("%S",), True),
        ("time.strftime", ("%S", time.gmtime(0)), False),
        ("time.ctime", (0.0,), False),
    ],
)
def test_clock_is_marked_unless_it_converts(
    name: str, arguments: tuple[Any, ...], is_marked: bool, found: dict[str, Patch]
) -> None:
    said = _marks(lambda: found[name].replacement(*arguments))
    assert said == [(Kind.HIDDEN, f"{name} was called")] * is_marked


# --- files


def _opened(patch: Patch, *arguments: Any, **keywords: Any) -> list[tuple[Kind, str]]:
    def call() -> None:
        file = patch.replacement(*arguments, **keywords)
        os.close(file) if isinstance(file, int) else file.close()

    return _marks(call)


@pytest.mark.parametrize("mode", ["w", "a", "r+", "wb", "rb+"])
def test_file_that_is_written_is_marked(mode: str, tmp_path: Path, found: dict[str, Patch]) -> None:
    path = tmp_path / "count"
    path.touch()
    expected = [(Kind.HIDDEN, f"open({path!r}) for writing was called")]
    assert _opened(found["builtins.open"], path, mode) == expected
    assert _opened(found["io.open"], path, mode=mode) == expected
    assert _opened(found["builtins.open"], file=path, mode=mode) == expected


def test_file_that_is_made_is_marked(tmp_path: Path, found: dict[str, Patch]) -> None:
    path = tmp_path / "new"
    assert _opened(found["builtins.open"], path, "x") == [(Kind.HIDDEN, f"open({path!r}) for writing was called")]


@pytest.mark.parametrize("flags", [os.O_WRONLY, os.O_RDWR, os.O_RDONLY | os.O_CREAT, os.O_WRONLY | os.O_APPEND])
def test_file_that_is_written_low_is_marked(flags: int, tmp_path: Path, found: dict[str, Patch]) -> None:
    path = tmp_path / "count"
    path.touch()
    expected = [(Kind.HIDDEN, f"open({path!r}) for writing was called")]
    assert _opened(found["os.open"], path, flags) == expected
    assert _opened(found["os.open"], path=path, flags=flags) == expected


def test_plain_file_that_is_read_is_not(found: dict[str, Patch]) -> None:
    assert _opened(found["builtins.open"], __file__) == []
    assert _opened(found["builtins.open"], Path(__file__), "rb") == []
    assert _opened(found["os.open"], __file__, os.O_RDONLY) == []
    assert _opened(found["builtins.open"], os.devnull, "w") == []


@pytest.mark.parametrize("path", ["/dev/zero", "/proc/self/stat"])
def test_file_that_changes_by_itself_is_marked(path: str, tmp_path: Path, found: dict[str, Patch]) -> None:
    if not os.path.exists(path):
        pytest.skip(f"there is no {path} here")
    link = tmp_path / "link"
    link.symlink_to(path)
    for name in (path, str(link)):
        said = _opened(found["builtins.open"], name, "rb")
        assert said == [(Kind.HIDDEN, f"open({name!r}), which is no plain file, was called")]


# --- generators


@pytest.mark.parametrize("seed", [0, "text", None])
def test_seeding_of_python_is_hidden_without_a_seed(seed: Any, found: dict[str, Patch]) -> None:
    generator = random.Random(1)
    replacement = found["Random.seed"].replacement
    kind, text = (Kind.HIDDEN, "") if seed is None else (Kind.CONSTANT, " with a seed of its own")
    assert _marks(lambda: replacement(generator, seed)) == [(kind, f"random.Random was called{text}")]
    assert _marks(lambda: replacement(generator, a=seed)) == [(kind, f"random.Random was called{text}")]
    assert seed is None or generator.random() == random.Random(seed).random()


def test_state_that_is_set_is_a_constant(found: dict[str, Patch]) -> None:
    generator, state = random.Random(1), random.Random(2).getstate()
    replacement = found["Random.setstate"].replacement
    assert [kind for kind, _ in _marks(lambda: replacement(generator, state))] == [Kind.CONSTANT]
    assert generator.random() == random.Random(2).random()


def test_class_is_as_good_as_the_original(found: dict[str, Patch]) -> None:
    original, watched = np.random.RandomState, found["numpy.random.RandomState"].replacement
    assert _marks(lambda: watched(3)) == [(Kind.CONSTANT, "numpy.random.RandomState was called with a seed of its own")]
    assert [kind for kind, _ in _marks(lambda: watched(seed=None))] == [Kind.HIDDEN]
    assert type(watched(3)) is original
    assert watched(3).rand() == original(3).rand()
    assert isinstance(original(3), watched)
    assert issubclass(original, watched)
    assert not isinstance(3, watched)

    class Own(watched):  # type: ignore[misc, valid-type]
        pass

    assert type(Own(3)) is Own
    assert not isinstance(original(3), Own)
    assert not issubclass(original, Own)


@pytest.fixture
def seeding() -> Iterator[None]:
    hooks = module._seeding()
    before = [(hook, hook.original) for hook in hooks]
    for hook in hooks:
        setattr(hook.owner, hook.name, hook.replacement)
    yield
    for hook, original in before:
        setattr(hook.owner, hook.name, original)


@pytest.mark.usefixtures("seeding")
def test_bit_generators_are_marked_by_what_they_ask_for() -> None:
    assert {kind for kind, _ in _marks(lambda: np.random.PCG64())} == {Kind.HIDDEN}
    assert {kind for kind, _ in _marks(lambda: np.random.PCG64(7))} == {Kind.CONSTANT}
    assert np.random.PCG64(7).random_raw() == np.random.Generator(np.random.PCG64(7)).bit_generator.random_raw()


def test_numpy_is_put_back_after_it_was_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    hooks = module._seeding_hooks()
    before = [hook.original for hook in hooks]
    assert module._is_asked(hooks)
    assert [hook.original for hook in hooks] == before
    elsewhere = Patch(module, "_WRITE_FLAGS", functools.partial)
    assert not module._is_asked([elsewhere])
    monkeypatch.setattr(np.random, "SeedSequence", lambda *_: 1 // 0)
    with pytest.raises(ZeroDivisionError):
        module._is_asked(hooks)
    assert [hook.original for hook in hooks] == before


def test_classes_are_patched_where_numpy_asks_for_seeds_otherwise(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_is_asked", lambda hooks: not hooks)
    names = {_name(patch) for patch in module._seeding()}
    assert {"numpy.random.PCG64", "numpy.random.MT19937", "numpy.random.SeedSequence"} <= names


def test_builtins_and_io_share_one_open() -> None:
    assert builtins.open is io.open
