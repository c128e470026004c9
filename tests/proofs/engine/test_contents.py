"""Each kind of object: what is watched, what is inside, and what cannot be read.

That every change is noticed is held to a long table in ``test_state``; here is what one object alone comes to.
"""

import asyncio
import collections
import functools
import io
import itertools
import os
import threading
import types
from collections.abc import AsyncIterator, Callable, Iterator
from contextvars import ContextVar
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proofs.engine.contents import Contents, contents

ITEM: list[int] = [1]


class Mine:
    def __next__(self) -> int:
        return 1


def _frozen(array: Any) -> Any:
    array.flags.writeable = False
    return array


def _running() -> Iterator[Any]:
    held = ITEM
    yield held


async def _asynchronous() -> AsyncIterator[int]:
    yield 1


def _cached() -> Any:
    return functools.lru_cache(len)


def _closed(file: Any) -> Any:
    file.close()
    return file


# Nothing in these can change.
CONSTANT: dict[str, Any] = {
    "int": 3,
    "text": "abc",
    "bytes": b"abc",
    "complex": 1j,
    "NumPy number": np.float32(0.5),
    "fraction": Fraction(1, 3),
    "path": Path("a"),
    "dtype": np.dtype(float),
    "ufunc": np.add,
    "read-only array": _frozen(np.zeros(3)),
    "view of a read-only array": _frozen(np.zeros(3))[1:],
    "array over bytes": np.frombuffer(b"abcd", dtype=np.uint8),
    "class of the user's": Mine(),
    "iterator of the user's": Mine(),
    "file that is closed": _closed(io.BytesIO(b"")),
    "method of an extension": np.random.default_rng,
}

# What they hold, in order; whatever it is, it is looked into next.
HOLDS: dict[str, tuple[Callable[[], Any], list[Any]]] = {
    "list": (lambda: [ITEM, 2], [ITEM, 2]),
    "deque": (lambda: collections.deque([ITEM]), [ITEM]),
    "set": (lambda: {5}, [5]),
    "tuple": (lambda: (ITEM, 2), [ITEM, 2]),
    "frozenset": (lambda: frozenset({7}), [7]),
    "dictionary": (lambda: {"a": ITEM, "b": 2}, ["a", "b", ITEM, 2]),
    "proxy": (lambda: types.MappingProxyType({"a": ITEM}), [ITEM]),
    "object array": (lambda: np.array([[ITEM, None]], dtype=object)[:, :1], [ITEM]),
    "partial": (lambda: functools.partial(sorted, ITEM, key=len), [sorted, (ITEM,), {"key": len}]),
    "cache": (_cached, [len]),
    "cell": (lambda: types.CellType(ITEM), [ITEM]),
    "property": (lambda: property(len), [len, None, None, None, None]),
    "static method": (lambda: staticmethod(len), [None, None, None, len, None]),
    "exception": (lambda: ValueError(ITEM, 2), [ITEM, 2]),
}

OPAQUE: dict[str, Callable[[], Any]] = {
    "asynchronous generator": _asynchronous,
    "iterator of an extension": lambda: os.scandir(os.curdir),
    "vectorised function": lambda: np.frompyfunc(lambda x: x, 1, 1),
    "object of an extension": lambda: asyncio.Future.__new__(asyncio.Future),
}


@pytest.mark.parametrize("kind", CONSTANT)
def test_what_cannot_change_costs_nothing(kind: str) -> None:
    assert contents(CONSTANT[kind], "it") == Contents()


@pytest.mark.parametrize("kind", HOLDS)
def test_what_is_held_is_looked_into(kind: str) -> None:
    make, expected = HOLDS[kind]
    found = contents(make(), "it")
    assert not found.opaque
    assert list(found.children) == expected
    assert all(child is item for child, item in zip(found.children, expected, strict=True) if item is ITEM)


def test_flat_iterator_holds_its_array() -> None:
    array = np.zeros(2)
    (child,) = contents(array.flat, "it").children
    assert child is array


@pytest.mark.parametrize("value", [(ITEM,), frozenset({1}), functools.partial(len, ITEM), property(len)])
def test_what_holds_always_the_same_has_no_watch_of_its_own(value: Any) -> None:
    assert contents(value, "it").watches == ()
    assert contents(value, "it").children


@pytest.mark.parametrize("value", [[1], {1}, {1: 2}, bytearray(b"a"), np.zeros(2), np.zeros((2, 2)).T, np.zeros(0)])
def test_every_watch_bears_the_words_and_is_quiet(value: Any) -> None:
    found = contents(value, "the thing")
    assert found.watches
    assert {watch.words for watch in found.watches} == {"the thing"}
    assert all(watch.same() for watch in found.watches)


def _says(value: Any, change: Callable[[Any], Any]) -> list[str | None]:
    watches = contents(value, "it").watches
    change(value)
    return [watch.change() for watch in watches if not watch.same()]


def test_cache_says_that_it_is_one() -> None:
    assert _says(_cached(), lambda cache: cache("abc")) == ["the cache of it"]


def test_memory_that_is_written_through_a_view_is_noticed() -> None:
    base = np.zeros((2, 2))
    view = base[:]
    view.flags.writeable = False
    assert _says(view, lambda _: base.fill(1)) == ["it"]


def test_read_only_array_over_memory_of_others_is_watched() -> None:
    memory = bytearray(4)
    view = np.frombuffer(memoryview(memory).toreadonly(), dtype=np.uint8)
    assert _says(view, lambda _: memory.__setitem__(0, 1)) == ["it"]


def test_elements_of_an_array_that_is_not_contiguous_are_noticed() -> None:
    base = np.zeros((2, 2))
    assert _says(base.T[1:], lambda _: base.__setitem__((0, 1), 1)) == ["it"]
    assert _says(base.T[1:], lambda _: base.__setitem__((0, 0), 1)) == []


def test_object_of_an_array_is_noticed_where_it_is_another() -> None:
    array = np.array([ITEM, None], dtype=object)
    assert _says(array, lambda _: array.__setitem__(0, [1])) == ["it"]


def test_subclass_of_a_dictionary_is_read_as_it_is() -> None:
    class Hiding(dict[str, int]):
        def items(self) -> Any:
            return {}.items()

        def __iter__(self) -> Any:
            return iter(())

    assert _says(Hiding(a=1), lambda value: value.__setitem__("a", 2)) == ["it"]


def test_subclass_of_a_list_is_read_as_it_is() -> None:
    class Hiding(list[int]):
        def __len__(self) -> int:
            return 0

        def __iter__(self) -> Any:
            return iter(())

    assert _says(Hiding([1]), lambda value: list.append(value, 2)) == ["it"]


def test_generator_that_runs_holds_what_its_frame_holds() -> None:
    running = _running()
    next(running)
    assert any(child is ITEM for child in contents(running, "it").children)
    assert _says(running, lambda value: next(value, None)) == ["it", "it"]
    assert all(watch.same() for watch in contents(running, "it").watches)


@pytest.mark.parametrize("make", [itertools.count, lambda: iter([1, 2]), lambda: iter({1: 2})])
def test_position_of_an_iterator_is_noticed(make: Callable[[], Any]) -> None:
    assert "it" in _says(make(), next)


def test_tee_is_followed_to_what_it_shares() -> None:
    (one, _) = itertools.tee([1, 2])
    (shared,) = [child for child in contents(one, "it").children if type(child).__module__ == "itertools"]
    assert not contents(shared, "it").opaque


@pytest.mark.parametrize("kind", OPAQUE)
def test_what_cannot_be_read_is_said_to_be_so(kind: str) -> None:
    made = OPAQUE[kind]()
    assert contents(made, "it") == Contents(opaque=True)
    if hasattr(made, "close"):
        made.close()


def test_coroutine_cannot_be_read() -> None:
    async def wait() -> None: ...

    waiting = wait()
    assert contents(waiting, "it").opaque
    waiting.close()


def test_file_is_its_position_unless_it_is_only_written(tmp_path: Path) -> None:
    assert _says(io.BytesIO(b"abc"), lambda file: file.read(1)) == ["it"]
    with open(tmp_path / "log", "w") as file:
        assert contents(file, "it") == Contents()

    class Broken(io.BytesIO):
        def tell(self) -> int:
            raise OSError

    assert contents(Broken(), "it").opaque


def test_lock_and_variable_are_read() -> None:
    lock = threading.Lock()
    assert _says(lock, lambda value: value.acquire()) == ["it"]
    variable: ContextVar[Any] = ContextVar("variable", default=ITEM)
    assert contents(variable, "it").children == (ITEM,)
    assert _says(variable, lambda value: value.set([1])) == ["it"]
    assert _says(ContextVar("empty"), lambda value: value.set(None)) == ["it"]


@pytest.mark.parametrize("make", [np.random.default_rng, np.random.PCG64, np.random.SeedSequence])
def test_generator_is_its_state_and_its_children(make: Callable[[int], Any]) -> None:
    assert _says(make(1), lambda value: value.spawn(1)) == ["it"]


def test_instance_with_more_bytes_than_its_attributes_hides_something() -> None:
    class Slotted:
        __slots__ = ("a", "b")

    class Weak(Slotted):
        __slots__ = ("__weakref__", "c")

    assert contents(Slotted(), "it") == contents(Weak(), "it") == Contents()

    class Hiding(asyncio.Future):  # type: ignore[type-arg]
        pass

    assert contents(Hiding.__new__(Hiding), "it").opaque


def test_values_of_torch_that_cannot_change_are_read_as_nothing() -> None:
    torch = pytest.importorskip("torch")
    values = [torch.float32, torch.device("cpu"), torch.strided, torch.contiguous_format, torch.finfo(torch.float32)]
    values += [torch.iinfo(torch.int8), torch.Size([2]), torch.Generator(), torch.ops.aten.add.Tensor]
    for value in values:
        found = contents(value, "x")
        assert not found.opaque
        assert found.watches == ()
    assert contents(torch.ones(2), "x").watches != ()
