"""The generator of a replay passes for NumPy's own, draws from its source alone, and refuses what is not modelled."""

import copy
import pickle
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from proofs.engine.choices import Arithmetic, Path
from proofs.engine.draws import Exploring
from proofs.engine.replay_generator import REPLAY_CLASS, replay_generator, source_of
from proofs.engine.signals import Kind, Refusal
from proofs.engine.sources import SUPPORTED
from tests.proofs.engine.grids import kinds, law, reasons

REAL = np.random.Generator
NAMES = [name for name in dir(REAL) if not name.startswith("_")]


def _source() -> Any:
    return Exploring(Path((), Arithmetic.EXACT, 100)).source("rng")


def _calls(name: str) -> Any:
    """A source of one method, which returns what it is called with."""
    return SimpleNamespace(**{name: lambda *args, **kwargs: (name, args, kwargs)})


def test_it_is_of_a_real_subclass_that_passes_for_the_class_itself() -> None:
    generator = replay_generator(_source())
    assert isinstance(generator, REAL)
    assert issubclass(type(generator), REAL)
    assert type(generator) is REPLAY_CLASS is not REAL
    assert (type(generator).__name__, type(generator).__module__) == (REAL.__name__, REAL.__module__)
    assert type(generator).__doc__ == REAL.__doc__
    public = [name for name in dir(type(generator)) if not name.startswith("_")]
    assert public == NAMES


@pytest.mark.parametrize("name", sorted(SUPPORTED))
def test_modelled_method_is_that_of_the_source(name: str) -> None:
    generator = replay_generator(_calls(name))
    assert getattr(generator, name)(1, size=2) == (name, (1,), {"size": 2})


@pytest.mark.parametrize("name", [name for name in NAMES if name not in SUPPORTED])
def test_name_that_is_not_modelled_refuses(name: str) -> None:
    with pytest.raises(Refusal) as caught:
        getattr(replay_generator(_source()), name)
    assert str(caught.value) == f"Generator.{name} is not modelled"


def test_method_shows_no_function_of_python() -> None:
    method = replay_generator(_source()).random
    for name in ("__code__", "__globals__", "__func__", "__wrapped__", "__name__"):
        assert not hasattr(method, name)


@pytest.mark.parametrize("name", ["random", "__class__", "hidden"])
def test_class_takes_no_attributes_as_numpys_takes_none(name: str) -> None:
    before = vars(REPLAY_CLASS).copy()
    for kind in (REAL, REPLAY_CLASS):
        with pytest.raises(TypeError, match=f"cannot set '{name}' attribute of immutable type"):
            setattr(kind, name, type)
    assert vars(REPLAY_CLASS) == before


@pytest.mark.parametrize("name", ["random", "hidden"])
def test_instance_takes_no_attributes_as_numpys_takes_none(name: str) -> None:
    for generator in (np.random.default_rng(0), replay_generator(_source())):
        with pytest.raises(AttributeError):
            setattr(generator, name, 1)


def test_class_called_on_a_bit_generator_makes_a_real_generator() -> None:
    made = REPLAY_CLASS(np.random.PCG64(3))
    assert type(made) is REAL
    assert made.random(5).tolist() == REAL(np.random.PCG64(3)).random(5).tolist()
    with pytest.raises((TypeError, AttributeError)):
        REPLAY_CLASS(3)


def test_instances_of_the_class_are_all_generators_and_nothing_else() -> None:
    assert isinstance(np.random.default_rng(0), REPLAY_CLASS)
    assert isinstance(replay_generator(_source()), REPLAY_CLASS)
    assert isinstance(_source(), REPLAY_CLASS)
    for other in (3, None, np.random.PCG64(0), np.random.RandomState(0), REAL):
        assert not isinstance(other, REPLAY_CLASS)


def test_generator_serves_once_more_with_another_source() -> None:
    first, second = _calls("random"), _calls("choice")
    generator = replay_generator(first)
    assert replay_generator(second, generator) is generator
    assert source_of(generator) is second
    assert generator.choice(3) == ("choice", (3,), {})
    assert replay_generator(first) is not generator


def test_source_is_found_behind_a_replays_generator_alone() -> None:
    source = _source()
    assert source_of(replay_generator(source)) is source
    for other in (np.random.default_rng(0), source, None, 3):
        assert source_of(other) is None


def test_real_generators_are_as_they_were() -> None:
    replay_generator(_source())
    assert np.random.Generator is REAL
    assert "random" in vars(REAL)
    assert copy.deepcopy(np.random.default_rng(4)).random() == np.random.default_rng(4).random()
    assert pickle.loads(pickle.dumps(np.random.default_rng(4))).random() == np.random.default_rng(4).random()


# --- in a run

EARLY_TYPE, EARLY_INSTANCE = type, isinstance


def test_isinstance_says_yes_on_the_path_and_in_its_replay() -> None:
    found = law(lambda rng: (isinstance(rng, np.random.Generator), isinstance(rng, REAL), bool(rng.random() < 0.5)))
    assert dict(found) == {(True, True, True): 0.5, (True, True, False): 0.5}
    assert found.marks == ()


@pytest.mark.parametrize("kind", [None, REAL])
def test_program_that_asks_for_the_type_is_found_out(kind: type | None) -> None:
    found = law(lambda rng: issubclass(type(rng), kind or np.random.Generator))
    assert (len(found), found.refused) == (0, 1)
    assert kinds(found) == {Kind.LEAK}
    assert "in plain floats the outcome is True and not False" in reasons(found)


def test_generator_that_a_program_makes_is_a_real_one_and_marked() -> None:
    seeded = np.random.PCG64(3).jumped()

    def run(_: Any) -> tuple[bool, float]:
        made = np.random.Generator(type(seeded)(3))
        return type(made) is REAL, made.random()

    found = law(run)
    assert dict(found) == {(True, np.random.default_rng(3).random()): 1}
    assert kinds(found) == {Kind.CONSTANT}
    assert np.random.Generator is REAL
