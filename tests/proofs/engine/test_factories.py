"""A factory makes the program anew for every path: its state is free, what is shared is watched, draws are followed."""

import itertools
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch

from proofs.engine.exploration import law
from proofs.engine.laws import Law
from proofs.engine.signals import Kind

QUARTER, HALF = Fraction(1, 4), Fraction(1, 2)


def _law(factory: Any, **options: Any) -> Law:
    return law(factory, factory=True, **options)


def _kinds(found: Law) -> set[Kind]:
    return {mark.kind for mark in found.marks} - {Kind.GRID}


def _coin(rng: Any) -> bool:
    return bool(rng.random() < 0.25)


class Counting:
    """Counts its calls, keeps a cache and a list."""

    def __init__(self) -> None:
        self.calls = 0
        self.cache: dict[Any, Any] = {}

    def __call__(self, rng: Any) -> tuple[int, bool]:
        self.calls += 1
        return self.calls, self.cache.setdefault("coin", _coin(rng))


def test_state_of_the_program_is_new_on_every_path() -> None:
    found = _law(Counting)
    assert dict(found) == {(1, True): QUARTER, (1, False): 1 - QUARTER}
    assert not _kinds(found)


def test_the_same_state_is_hidden_without_a_factory() -> None:
    found = law(Counting())
    assert _kinds(found) == {Kind.HIDDEN}
    assert found.missing == 1


def test_closures_and_generators_keep_state_too() -> None:
    def make() -> Callable[[Any], Any]:
        numbers = itertools.count()
        return lambda rng: (next(numbers), next(numbers), _coin(rng))

    found = _law(make)
    assert dict(found) == {(0, 1, True): QUARTER, (0, 1, False): 1 - QUARTER}
    assert not _kinds(found)


# --- what is shared


SHARED: list[int] = []
ONE = Counting()


class OfClass(Counting):
    seen: list[int] = []  # noqa: RUF012 - shared on purpose

    def __call__(self, rng: Any) -> Any:
        self.seen.append(1)
        return _coin(rng)


class OfGlobal:
    def __call__(self, rng: Any) -> Any:
        SHARED.append(1)
        return _coin(rng)


class InFactory:
    def __init__(self) -> None:
        SHARED.append(1)

    def __call__(self, rng: Any) -> Any:
        return _coin(rng)


class Holds:
    """Reaches what is shared by an object that only its instances hold."""

    def __init__(self, held: list[int]) -> None:
        self.held = held

    def __call__(self, rng: Any) -> Any:
        self.held.append(1)
        return _coin(rng)


def _made_by_name() -> Any:
    # The walk over the factory does not see the class: it is made by name.
    return globals()["Holds"](vars(globals()["OfClass"])["seen"])


@pytest.mark.parametrize(
    ("factory", "words"),
    [
        (lambda: ONE, "'calls'"),
        (OfClass, "'seen'"),
        (OfGlobal, "'SHARED'"),
        (InFactory, "'SHARED'"),
        (_made_by_name, "changed during a run"),
    ],
)
def test_what_all_paths_share_is_watched(factory: Any, words: str) -> None:
    found = _law(factory)
    assert Kind.HIDDEN in _kinds(found)
    assert found.missing == 1
    assert any(words in mark.reason for mark in found.marks)


def test_only_what_was_made_reaches_a_shared_object() -> None:
    shared: dict[str, Any] = {"list": []}
    kept = [shared]

    class Made:
        def __init__(self, held: Any) -> None:
            self.held = held

        def __call__(self, rng: Any) -> Any:
            self.held.append(1)
            return len(self.held), _coin(rng)

    found = _law(lambda: Made(kept[0]["list"]))
    assert _kinds(found) == {Kind.HIDDEN}


def test_names_that_may_change_are_left_out() -> None:
    found = _law(InFactory, allow_state=("SHARED",))
    assert dict(found) == {True: QUARTER, False: 1 - QUARTER}
    assert not _kinds(found)


def test_the_same_function_each_time_is_fine() -> None:
    found = _law(lambda: _coin)
    assert dict(found) == {True: QUARTER, False: 1 - QUARTER}
    assert not _kinds(found)


# --- factories that fail


def test_what_cannot_be_called_is_refused() -> None:
    found = _law(lambda: 3)
    assert [mark.reason for mark in found.marks] == ["the factory returned int, which cannot be called"]
    assert found.refused == 1


def test_what_a_factory_raises_is_a_crash_at_its_line() -> None:
    found = _law(lambda: 1 // 0)
    (crash,) = found.crashes
    assert crash.exception == "ZeroDivisionError"
    assert crash.probability == 1
    assert __file__ in crash.place


def test_a_factory_that_fails_now_and_then() -> None:
    def make() -> Any:
        if np.random.random() < 0.25:
            raise ValueError
        return _coin

    found = _law(make)
    assert dict(found) == {True: QUARTER * 3 / 4, False: Fraction(9, 16)}
    assert {crash.exception: crash.probability for crash in found.crashes} == {"ValueError": QUARTER}


# --- what a factory draws


class RandomWeights:
    def __init__(self) -> None:
        self.weights = np.random.random(2)

    def __call__(self, rng: Any) -> tuple[bool, bool]:
        return bool(self.weights[0] < 0.25), bool(self.weights[1] < 0.5)


def test_weights_that_are_drawn_are_branched_over() -> None:
    found = _law(RandomWeights)
    assert found[True, True] == QUARTER * HALF
    assert found[False, False] == (1 - QUARTER) * HALF
    assert found.total == 1
    assert not _kinds(found)


def test_a_generator_that_the_factory_makes_from_entropy_branches() -> None:
    class Fresh:
        def __init__(self) -> None:
            self.rng = np.random.default_rng()

        def __call__(self, rng: Any) -> tuple[bool, bool]:
            return _coin(self.rng), _coin(rng)

    found = _law(Fresh)
    assert found[True, True] == QUARTER**2
    assert not _kinds(found)


class Seeded:
    """Seeds a generator for its weights, keeps it, and perhaps goes on drawing from it."""

    def __init__(self, make: Callable[[int], Any], drawing: bool) -> None:
        self.rng = make(3)
        self.weights = self.rng.random()
        self.drawing = drawing

    def __call__(self, rng: Any) -> Any:
        return self.weights, _coin(self.rng if self.drawing else rng)


@pytest.mark.parametrize("make", [lambda seed: np.random.default_rng(seed), lambda seed: np.random.RandomState(seed)])
def test_seeded_weights_are_data(make: Any) -> None:
    found = _law(lambda: Seeded(make, drawing=False))
    weights = make(3).random()
    assert dict(found) == {(weights, True): QUARTER, (weights, False): 1 - QUARTER}
    assert not _kinds(found)


@pytest.mark.parametrize("make", [lambda seed: np.random.default_rng(seed), lambda seed: np.random.RandomState(seed)])
def test_draws_from_what_the_factory_seeded_are_constants(make: Any) -> None:
    found = _law(lambda: Seeded(make, drawing=True))
    rng = make(3)
    assert dict(found) == {(rng.random(), bool(rng.random() < 0.25)): 1}
    assert _kinds(found) == {Kind.CONSTANT}


def test_seeded_generator_beside_a_fresh_one() -> None:
    class Both(Seeded):
        def __init__(self) -> None:
            super().__init__(np.random.default_rng, drawing=False)
            self.fresh = np.random.default_rng()

        def __call__(self, rng: Any) -> Any:
            return _coin(self.fresh)

    found = _law(Both)
    assert dict(found) == {True: QUARTER, False: 1 - QUARTER}
    assert not _kinds(found)


def test_seeded_generator_out_of_sight_is_held_against_the_program() -> None:
    def make() -> Any:
        rng = np.random.default_rng(0)
        hidden = memoryview(b"x"), np.vectorize(lambda _: rng.random(), otypes=[float])
        wrapped = np.frompyfunc(lambda _: rng.random(), 1, 1)
        return lambda other: (len(hidden), float(wrapped(0)) < 2, _coin(other))

    assert Kind.CONSTANT in _kinds(_law(make))


# --- torch


class Layer:
    """A module whose weights torch draws, and a call that perhaps draws from torch's own generator."""

    def __init__(self, module: Callable[[], Any], drawing: bool) -> None:
        self.module = module()
        self.drawing = drawing

    def __call__(self, rng: Any) -> bool:
        return bool(torch.rand(()) < 0.25) if self.drawing else _coin(rng)


def _seeded(module: Callable[[], Any], drawing: bool = False) -> Layer:
    torch.manual_seed(0)
    return Layer(module, drawing)


def _forked(module: Callable[[], Any]) -> Layer:
    with torch.random.fork_rng():
        torch.manual_seed(0)
        made = module()
    return Layer(lambda: made, drawing=True)


MODULES: dict[str, Callable[[], Any]] = {
    "uniform": lambda: torch.nn.Linear(2, 2),
    "normal": lambda: torch.nn.Embedding(2, 2),
}


@pytest.mark.parametrize("name", MODULES)
def test_modules_with_seeded_weights_are_data(name: str) -> None:
    found = _law(lambda: _seeded(MODULES[name]))
    assert dict(found) == {True: QUARTER, False: 1 - QUARTER}
    assert not _kinds(found)


@pytest.mark.parametrize("name", MODULES)
def test_torch_that_the_factory_seeded_draws_constants(name: str) -> None:
    found = _law(lambda: _seeded(MODULES[name], drawing=True))
    with torch.random.fork_rng():
        torch.manual_seed(0)
        MODULES[name]()
        constant = bool(torch.rand(()) < 0.25)
    assert dict(found) == {constant: 1}
    assert _kinds(found) == {Kind.CONSTANT}


@pytest.mark.parametrize("name", MODULES)
def test_a_seed_for_the_weights_alone(name: str) -> None:
    found = _law(lambda: _forked(MODULES[name]))
    assert dict(found) == {True: QUARTER, False: 1 - QUARTER}
    assert not _kinds(found)


def test_modules_without_a_seed() -> None:
    weights = _law(lambda: Layer(MODULES["uniform"], drawing=False))
    assert weights.total == 1  # never looked at: nothing to branch over
    normal = _law(lambda: Layer(MODULES["normal"], drawing=False))
    assert normal.refused == 1
    assert "torch.normal_ draws random numbers and is not modelled" in {mark.reason for mark in normal.marks}


def test_normal_draws_of_a_seeded_program_are_constants_without_a_factory_too() -> None:
    def program(rng: Any) -> tuple[float, bool]:
        torch.manual_seed(1)
        return float(torch.randn(())), _coin(rng)

    found = law(program)
    with torch.random.fork_rng():
        torch.manual_seed(1)
        drawn = float(torch.randn(()))
    assert dict(found) == {(drawn, True): QUARTER, (drawn, False): 1 - QUARTER}
    assert _kinds(found) == {Kind.CONSTANT}
    assert law(lambda rng: float(torch.randn(()))).refused == 1
