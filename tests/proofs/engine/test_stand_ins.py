"""The global random functions branch while a program is run, and are themselves otherwise."""

import random
import threading
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from proofs.engine.choices import Arithmetic, Path
from proofs.engine.draws import Exploring
from proofs.engine.signals import Kind
from proofs.engine.stand_ins import ClassStandIn, StandIns
from tests.proofs.engine.grids import explored, kinds, law, reasons

F = Fraction
NUMPY = np.random
HALVES = {True: F(1, 2), False: F(1, 2)}

# Every name that branches, with a use of it and its law.
NUMPY_LAWS: dict[str, tuple[Callable[[], Any], dict[Any, Fraction]]] = {
    "random": (lambda: bool(NUMPY.random() < 0.5), HALVES),
    "random_sample": (lambda: bool(NUMPY.random_sample(1)[0] < 0.5), HALVES),
    "ranf": (lambda: bool(NUMPY.ranf() < 0.5), HALVES),
    "sample": (lambda: bool(NUMPY.sample() < 0.5), HALVES),
    "rand": (lambda: bool(NUMPY.rand(1, 1)[0, 0] < NUMPY.rand() * 0 + 0.5), HALVES),
    "uniform": (lambda: bool(NUMPY.uniform(1, 3) < 2), HALVES),
    "randint": (lambda: int(NUMPY.randint(1, 3)), {1: F(1, 2), 2: F(1, 2)}),
    "choice": (lambda: int(NUMPY.choice([1, 2], p=[0.25, 0.75])), {1: F(1, 4), 2: F(3, 4)}),
    "multinomial": (lambda: int(NUMPY.multinomial(1, [0.25, 0.75]).argmax()), {0: F(1, 4), 1: F(3, 4)}),
    "binomial": (lambda: bool(NUMPY.binomial(1, 0.5)), HALVES),
    "permutation": (lambda: tuple(NUMPY.permutation(3).tolist()), {p: F(1, 6) for p in permutations(range(3))}),
    "shuffle": (lambda: tuple(_shuffled(NUMPY.shuffle)), {p: F(1, 6) for p in permutations(range(3))}),
    "exponential": (lambda: int(np.argmax([1, 3] / NUMPY.exponential(size=2))), {0: F(1, 4), 1: F(3, 4)}),
    "standard_exponential": (lambda: int(np.argmin(NUMPY.standard_exponential(2) / [1, 3])), {0: F(1, 4), 1: F(3, 4)}),
    "gumbel": (lambda: int(NUMPY.gumbel(size=2).argmax()), {0: F(1, 2), 1: F(1, 2)}),
    "default_rng": (lambda: bool(NUMPY.default_rng().random() < 0.5), HALVES),
}
PYTHON_LAWS: dict[str, tuple[Callable[[], Any], dict[Any, Fraction]]] = {
    "random": (lambda: bool(random.random() < 0.5), HALVES),
    "uniform": (lambda: bool(random.uniform(1, 3) < 2), HALVES),
    "randint": (lambda: random.randint(1, 2), {1: F(1, 2), 2: F(1, 2)}),
    "randrange": (lambda: random.randrange(0, 6, 3), {0: F(1, 2), 3: F(1, 2)}),
    "choice": (lambda: random.choice("ab"), {"a": F(1, 2), "b": F(1, 2)}),
    "choices": (lambda: random.choices([1, 2], [1, 3])[0], {1: F(1, 4), 2: F(3, 4)}),
    "sample": (lambda: tuple(random.sample(range(3), 2)), {p: F(1, 6) for p in permutations(range(3), 2)}),
    "shuffle": (lambda: tuple(_shuffled(random.shuffle)), {p: F(1, 6) for p in permutations(range(3))}),
    "getrandbits": (lambda: random.getrandbits(1), {0: F(1, 2), 1: F(1, 2)}),
    "randbytes": (lambda: random.randbytes(1)[0] < 64, {True: F(1, 4), False: F(3, 4)}),
}
ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "betavariate": (1, 1),
    "binomialvariate": (5, 0.5),
    "expovariate": (1,),
    "gammavariate": (2, 1),
    "gauss": (0, 1),
    "lognormvariate": (0, 1),
    "normalvariate": (0, 1),
    "paretovariate": (1,),
    "setstate": (None,),
    "seed": (1,),
    "triangular": (0, 1),
    "vonmisesvariate": (0, 1),
    "weibullvariate": (1, 1),
}


def _shuffled(shuffle: Callable[[Any], Any]) -> list[int]:
    items = [0, 1, 2]
    shuffle(items)
    return items


@pytest.mark.parametrize("name", NUMPY_LAWS)
@pytest.mark.parametrize("arithmetic", ["exact", "float64"])
def test_functions_of_numpy_random_branch(name: str, arithmetic: str) -> None:
    use, expected = NUMPY_LAWS[name]
    if arithmetic == "float64" and name == "uniform":

        def use() -> bool:
            return bool(NUMPY.uniform(0, 2) < 1)

    assert explored(lambda _: use(), arithmetic=arithmetic) == expected


@pytest.mark.parametrize("name", PYTHON_LAWS)
def test_functions_of_random_branch(name: str) -> None:
    use, expected = PYTHON_LAWS[name]
    assert explored(lambda _: use()) == expected


@pytest.mark.parametrize("name", sorted(set(np.random.__all__) - {*NUMPY_LAWS, "Generator"}))
def test_every_other_name_of_numpy_random_is_refused(name: str) -> None:
    def run(_: Any) -> int:
        try:
            getattr(NUMPY, name)()
        except BaseException:
            return 0
        return 1

    assert law(run).refused == 1


@pytest.mark.parametrize("name", sorted(set(random.__all__) - set(PYTHON_LAWS)))
def test_every_other_name_of_random_is_refused(name: str) -> None:
    def run(_: Any) -> int:
        try:
            getattr(random, name)(*ARGUMENTS.get(name, ()))
        except BaseException:
            return 0
        return 1

    found = law(run, max_paths=50, max_draws=50)  # some of them reject and draw again
    assert found.refused > 0
    assert all(__file__ in mark.place for mark in found.marks if mark.kind is Kind.REFUSED)


def test_seeding_is_refused_in_either_spelling() -> None:
    uses: list[Callable[[], Any]] = [lambda: random.seed(3), lambda: random.seed(a=3)]
    uses += [lambda: np.random.seed(3), lambda: np.random.seed(seed=3)]
    for use in uses:
        assert law(lambda _: use()).refused == 1  # noqa: B023


def test_global_streams_are_independent_of_the_program_s() -> None:
    def run(rng: Any) -> tuple[bool, ...]:
        sources = (
            rng.random,
            np.random.random,
            random.random,
            np.random.default_rng().random,
            np.random.default_rng().random,
        )
        return tuple(bool(draw() < 0.5) for draw in sources)

    found = explored(run)
    assert (len(found), set(found.values())) == (32, {F(1, 32)})


def test_the_program_s_own_source_is_handed_through() -> None:
    assert explored(lambda rng: np.random.default_rng(rng) is rng) == {True: 1}


def test_a_constant_seed_gives_the_real_constants_and_a_mark() -> None:
    u = np.random.default_rng(7).random()
    line = "default_rng with a seed that was not drawn"
    makes: list[Callable[[], Any]] = [lambda: np.random.default_rng(7), lambda: np.random.default_rng(seed=7)]
    for make in makes:
        found = law(lambda rng: (make().random(), bool(rng.random() < 0.5)))  # noqa: B023
        assert dict(found) == {(u, True): F(1, 2), (u, False): F(1, 2)}
        assert kinds(found) == {Kind.CONSTANT}
        assert line in reasons(found)
        assert __file__ in found.marks[0].place


@pytest.mark.parametrize(
    ("make", "expected"),
    [
        (lambda: NUMPY.Generator(NUMPY.PCG64(3)).random(), np.random.Generator(np.random.PCG64(3)).random()),
        (lambda: NUMPY.RandomState(3).rand(), np.random.RandomState(3).rand()),
        (lambda: random.Random(3).random(), random.Random(3).random()),
        (lambda: NUMPY.SeedSequence(3).entropy, 3),
    ],
)
def test_classes_with_a_constant_seed_are_themselves_and_marked(make: Callable[[], Any], expected: Any) -> None:
    found = law(lambda _: make())
    assert dict(found) == {expected: 1}
    assert kinds(found) == {Kind.CONSTANT}


@pytest.mark.parametrize("make", [lambda: NUMPY.PCG64(), lambda: NUMPY.RandomState(None), random.SystemRandom])
def test_classes_without_a_seed_draw_from_the_operating_system(make: Callable[[], Any]) -> None:
    name = getattr(make, "__name__", "")
    found = law(lambda _: (make() if name == "<lambda>" else random.SystemRandom()) is None)
    assert (found.refused, kinds(found)) == (1, {Kind.HIDDEN})


def test_classes_stay_classes_meanwhile() -> None:
    def run(rng: Any) -> tuple[bool, ...]:
        class Own(np.random.Generator):
            pass

        return (
            isinstance(rng, np.random.Generator),
            isinstance(1, np.random.Generator),
            issubclass(random.Random, random.Random),
            issubclass(Own, np.random.Generator),
            "Generator" in str(np.random.Generator | None),
            np.random.Generator.__name__ == "Generator",
        )

    assert explored(run) == {(True, False, True, True, True, True): 1}


def test_functions_are_patched_while_it_lasts_and_put_back_whatever_happens() -> None:
    names = [(module, name) for module in (np.random, random) for name in module.__all__]
    before = [getattr(module, name) for module, name in names]
    seen: list[Any] = []

    def run(_: Any) -> int:
        seen.extend(getattr(module, name) for module, name in names)
        raise ValueError

    law(run, allow_state=("seen",))
    assert not any(now is original for now, original in zip(seen, before, strict=False))
    assert [getattr(module, name) for module, name in names] == before
    with pytest.raises(KeyboardInterrupt), StandIns().installed():
        raise KeyboardInterrupt
    assert [getattr(module, name) for module, name in names] == before


def test_other_threads_and_the_time_between_runs_see_the_functions_themselves() -> None:
    stand_ins, drawn = StandIns(), []
    exploring = Exploring(Path((), Arithmetic.EXACT, 10))

    def draw() -> None:
        drawn.append((np.random.random(), random.random(), type(np.random.default_rng(3)), type(random.Random(1))))

    with stand_ins.installed():
        draw()
        with stand_ins.running(exploring):
            thread = threading.Thread(target=draw)
            thread.start()
            thread.join()
            assert type(np.random.random()) is not float
            assert isinstance(np.random.PCG64, ClassStandIn)
        draw()
    for values in drawn:
        assert tuple(map(type, values[:2])) == (float, float)
        assert values[2:] == (np.random.Generator, random.Random)


def test_the_state_of_the_real_generators_is_not_touched() -> None:
    before = np.random.get_state()[1].tolist(), random.getstate()  # type: ignore[index]
    law(lambda _: bool(np.random.random() < 0.5) + bool(random.random() < 0.5))
    assert (np.random.get_state()[1].tolist(), random.getstate()) == before  # type: ignore[index]
