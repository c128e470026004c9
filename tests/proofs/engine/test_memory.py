"""States read from memory: they change with every draw, come back with the state, and fall back where unknown."""

import ctypes
import functools
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from proofs.engine import memory
from proofs.engine.memory import body, is_generator, state_reader

NAMES = ("PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64")


class OwnBits(np.random.PCG64):
    """A bit generator whose memory nobody has looked into."""


class OwnRandom(random.Random):
    """A generator of Python's that may keep more than its base."""


def _generator(name: str) -> np.random.Generator:
    return np.random.Generator(getattr(np.random, name)(3))


MAKERS: dict[str, Callable[[], Any]] = {
    **{name: functools.partial(_generator, name) for name in NAMES},
    "bits of one's own": lambda: np.random.Generator(OwnBits(3)),
}


@pytest.mark.parametrize("name", MAKERS)
def test_every_draw_shows_and_the_state_comes_back(name: str) -> None:
    generator = MAKERS[name]()
    read, state = state_reader(generator), generator.bit_generator.state
    before, seen = read(), set()
    for k in range(1300):  # beyond the block that MT19937 makes at once
        generator.integers(2**32, dtype=np.uint32) if k % 3 else generator.random()
        seen.add(read())
    assert len(seen) == 1300
    assert before not in seen
    generator.bit_generator.state = state
    assert read() == before


@pytest.mark.parametrize("name", NAMES)
def test_known_layouts_are_read_from_memory(name: str) -> None:
    generator = getattr(np.random, name)(3)
    assert memory._bits_in_memory(generator) is not None
    assert memory._bits_confirmed(generator)
    assert memory._bits_in_memory(OwnBits(3)) is None


@pytest.mark.parametrize("name", NAMES)
def test_wrong_layout_is_found_out(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ctypes, "string_at", lambda address, size: b"\0" * size)
    generator = getattr(np.random, name)(3)
    read = state_reader(generator)
    before = read()
    generator.random_raw()
    assert read() != before


@pytest.mark.parametrize("make", [np.random.RandomState, random.Random, OwnRandom])
@pytest.mark.parametrize("layout", ["right", "wrong"])
def test_second_number_of_a_normal_pair_shows(make: Any, layout: str, monkeypatch: pytest.MonkeyPatch) -> None:
    if layout == "wrong":
        monkeypatch.setattr(ctypes, "string_at", lambda address, size: b"\0" * size)
    generator = make(3)
    draw = generator.randn if isinstance(generator, np.random.RandomState) else lambda: generator.gauss(0, 1)
    read = state_reader(generator)
    states = [read()]
    for _ in range(4):
        draw()
        states.append(read())
    assert all(states[k] != states[j] for k in range(5) for j in range(k))


@pytest.mark.parametrize("make", [np.random.RandomState, random.Random, np.random.default_rng])
def test_common_generators_are_read_the_fast_way(make: Any) -> None:
    assert "in_memory" in getattr(state_reader(make(3)), "__qualname__", "")


def test_reading_draws_nothing() -> None:
    for make in (np.random.default_rng, np.random.RandomState, random.Random):
        generator, twin = make(3), make(3)
        state_reader(generator)()
        assert generator.random() == twin.random()


def test_what_is_a_generator() -> None:
    assert all(map(is_generator, (np.random.default_rng(1), np.random.PCG64(1), random.Random(1), OwnRandom(1))))
    assert not any(map(is_generator, (random, np.random, 1, iter([]), np.random.SeedSequence(1))))


def test_body_moves_with_an_iterator() -> None:
    items = iter([0, 0])
    before = body(items)
    assert body(items) == before
    next(items)
    assert body(items) != before
