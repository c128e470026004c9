"""The random source has the names, laws, types and errors of NumPy's generator."""

import math
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations, product
from typing import Any

import numpy as np
import pytest

from proofs.engine.choices import Arithmetic, Path
from proofs.engine.draws import Exploring
from proofs.engine.signals import Kind, Refusal
from proofs.engine.sources import SUPPORTED
from proofs.engine.undrawn import Undrawn
from tests.proofs.engine.grids import explored, kinds, law

F = Fraction
ROW = [0.5, 0.25, 0.0, 0.25]


def _source() -> Any:
    return Exploring(Path((), Arithmetic.FLOAT64, 10_000)).source("rng")


@pytest.mark.parametrize("name", [name for name in dir(np.random.Generator) if not name.startswith("_")])
def test_every_public_name_is_modelled_or_refused(name: str) -> None:
    if name in SUPPORTED:
        assert callable(getattr(_source(), name))
        return
    found = law(lambda rng: getattr(rng, name) is None)
    assert (found.refused, kinds(found)) == (1, {Kind.REFUSED})
    assert f"Generator.{name} is not modelled" in str(found.marks[0])
    assert __file__ in found.marks[0].place


def test_nothing_is_modelled_that_numpy_does_not_have() -> None:
    assert set(dir(np.random.Generator)) >= SUPPORTED
    assert {"random", "uniform", "choice", "integers", "multinomial", "binomial", "permutation", "shuffle"} < SUPPORTED


def test_it_is_an_instance_and_has_no_other_attributes() -> None:
    assert isinstance(_source(), np.random.Generator)
    assert not hasattr(_source(), "no_such_method")
    with pytest.raises(Refusal):
        _source().__class__ = int


def _even(outcomes: Any) -> dict[Any, Fraction]:
    counts = Counter(outcomes)
    return {outcome: F(count, counts.total()) for outcome, count in counts.items()}


def _weighted(row: list[float], size: int) -> dict[Any, Fraction]:
    law: dict[Any, Fraction] = {}
    for places in product(range(len(row)), repeat=size):
        mass = math.prod((F(row[i]) for i in places), start=F(1))
        if mass:
            law[places] = mass
    return law


def _without_replacement(row: list[float], size: int) -> dict[Any, Fraction]:
    law = {}
    for places in permutations(range(len(row)), size):
        mass, left = F(1), F(1)
        for i in places:
            mass, left = mass * F(row[i]) / left, left - F(row[i])
            if not mass:
                break
        if mass:
            law[places] = mass
    return law


def _shuffled(rng: Any, items: Any, **options: Any) -> Any:
    rng.shuffle(items, **options)
    return items


def _tuple(values: Any) -> Any:
    return tuple(np.asarray(values).ravel().tolist())


def _floyd(n: int, k: int) -> dict[Any, Fraction]:
    outcomes = []
    for draws in product(*(range(j + 1) for j in range(n - k, n))):
        taken: list[int] = []
        for j, draw in zip(range(n - k, n), draws, strict=True):
            taken.append(j if draw in taken else draw)
        outcomes.append(tuple(taken))
    return _even(outcomes)


LAWS: dict[str, tuple[Callable[[Any], Any], dict[Any, Fraction]]] = {
    "choice": (lambda r: int(r.choice(4, p=ROW)), {0: F(1, 2), 1: F(1, 4), 3: F(1, 4)}),
    "choice even": (lambda r: int(r.choice(3)), _even(range(3))),
    "choice of items": (lambda r: str(r.choice(["a", "b"], p=[0.25, 0.75])), {"a": F(1, 4), "b": F(3, 4)}),
    "choice of rows": (lambda r: _tuple(r.choice(np.eye(2))), _even([(1.0, 0.0), (0.0, 1.0)])),
    "choice of columns": (lambda r: _tuple(r.choice(np.array([[1, 2, 3]]), axis=1)), _even([(1,), (2,), (3,)])),
    "choice with size": (lambda r: _tuple(r.choice(4, 2, p=ROW)), _weighted(ROW, 2)),
    "choice with shape": (lambda r: r.choice(2, (1, 2)).shape + _tuple(r.choice(2, 1)), _even([(1, 2, 0), (1, 2, 1)])),
    "without replacement": (lambda r: _tuple(r.choice(4, 2, replace=False, p=ROW)), _without_replacement(ROW, 2)),
    "all without replacement": (lambda r: _tuple(r.choice(4, 3, False, ROW)), _without_replacement(ROW, 3)),
    "sample": (lambda r: _tuple(r.choice(4, 2, replace=False)), _even(permutations(range(4), 2))),
    "sample in place": (lambda r: _tuple(r.choice(4, 2, replace=False, shuffle=False)), _floyd(4, 2)),
    "integers": (lambda r: int(r.integers(3)), _even(range(3))),
    "integers from": (lambda r: int(r.integers(-1, 2)), _even([-1, 0, 1])),
    "integers to": (lambda r: int(r.integers(1, 3, endpoint=True)), _even([1, 2, 3])),
    "integers of float": (lambda r: int(r.integers(2.7)), _even([0, 1])),
    "integers array": (lambda r: _tuple(r.integers(2, size=(2, 1))), _even(product(range(2), repeat=2))),
    "integers bounds": (lambda r: _tuple(r.integers([1, 2])), _even(product(range(1), range(2)))),
    "integers bool": (lambda r: bool(r.integers(2, dtype=bool)), _even([True, False])),
    "multinomial": (lambda r: _tuple(r.multinomial(1, [0.25, 0.75])), {(1, 0): F(1, 4), (0, 1): F(3, 4)}),
    "multinomial remainder": (lambda r: _tuple(r.multinomial(1, [0.25, 0.5])), {(1, 0): F(1, 4), (0, 1): F(3, 4)}),
    "multinomial size": (lambda r: _tuple(r.multinomial(1, [0.5, 0.5], 2)[:, 0]), _even(product((0, 1), repeat=2))),
    "binomial": (lambda r: int(r.binomial(1, 0.25)), {1: F(1, 4), 0: F(3, 4)}),
    "binomial array": (lambda r: _tuple(r.binomial(1, [0.5, 1.0])), _even([(0, 1), (1, 1)])),
    "binomial size": (lambda r: _tuple(r.binomial(1, 0.5, size=2)), _even(product((0, 1), repeat=2))),
    "permutation": (lambda r: _tuple(r.permutation(3)), _even(permutations(range(3)))),
    "permutation of items": (lambda r: _tuple(r.permutation([5, 6, 7])), _even(permutations([5, 6, 7]))),
    "permutation of columns": (lambda r: _tuple(r.permutation(np.array([[1, 2]]), axis=1)), _even([(1, 2), (2, 1)])),
    "shuffle": (lambda r: tuple(_shuffled(r, [1, 2, 3])), _even(permutations([1, 2, 3]))),
    "shuffle array": (lambda r: _tuple(_shuffled(r, np.arange(3))), _even(permutations(range(3)))),
    "shuffle rows": (lambda r: _tuple(_shuffled(r, np.array([[1, 2], [3, 4]]))), _even([(1, 2, 3, 4), (3, 4, 1, 2)])),
    "shuffle columns": (lambda r: _tuple(_shuffled(r, np.array([[1, 2]]), axis=1)), _even([(1, 2), (2, 1)])),
    "uniform": (lambda r: bool(r.uniform(0, 2) < 0.5), {True: F(1, 4), False: F(3, 4)}),
    "uniform arrays": (
        lambda r: _tuple(r.uniform([0, 0], [[2, 4]]) < 1),
        {(a, b): F(1, 2) * (F(1, 4) if b else F(3, 4)) for a in (True, False) for b in (True, False)},
    ),
    "random": (lambda r: _tuple(r.random((1, 2)) < 0.5), _even(product((True, False), repeat=2))),
}


@pytest.mark.parametrize("name", LAWS)
@pytest.mark.parametrize("arithmetic", ["exact", "float64"])
def test_laws(name: str, arithmetic: str) -> None:
    program, expected = LAWS[name]
    assert explored(program, arithmetic=arithmetic) == expected


@pytest.mark.parametrize("excess", [1e-9, -1e-9])
def test_a_row_that_nearly_sums_to_one_is_renormalised(excess: float) -> None:
    row = [0.25, 0.75 + excess]
    total = sum(map(F, row))
    assert explored(lambda rng: int(rng.choice(2, p=row))) == {i: F(x) / total for i, x in enumerate(row)}
    assert [c.exception for c in law(lambda rng: int(rng.choice(2, p=[0.25, 0.75 + 1e-6]))).crashes] == ["ValueError"]


CALLS: list[Callable[[Any], Any]] = [
    *(
        lambda r, o=o: r.choice(*o)
        for o in ((5,), ([1, 2],), (["a"],), (0,), ([],), (2.5,), (-1,), (0, 0), (5, ()), ({1},))
    ),
    *(
        lambda r, o=o: r.choice(**o)
        for o in ({"a": np.int64(3)}, {"a": True}, {"a": np.eye(2), "axis": 1}, {"a": 3, "size": -1})
    ),
    *(
        lambda r, p=p: r.choice(2, p=p)
        for p in ([[0.5, 0.5]], [1.0], [-0.5, 1.5], [math.nan, 1], [0.4, 0.5], [math.inf, 0])
    ),
    lambda r: r.choice(2, p=np.array([0.5, 0.5001], dtype=np.float32)),
    lambda r: r.choice(2, p=[np.float32(0.5), np.float32(0.5001)]),
    lambda r: r.choice(2, 3, replace=False),
    lambda r: r.choice(3, 2, replace=False, p=[1, 0, 0]),
    lambda r: r.choice(3, replace=False),
    lambda r: r.choice([7, 8], (), replace=False),
    lambda r: r.choice(3, 1.5),
    *(
        lambda r, o=o: r.integers(*o)
        for o in ((3,), (0,), (3, 3), (2.7,), (2**64,), (math.nan,), ([1, 2],), (0, [0, 1]))
    ),
    *(lambda r, t=t: r.integers(2, dtype=t) for t in (int, bool, np.bool_, np.int8, np.uint8, "i4", ">i4", float)),
    *(lambda r, o=o: r.integers(o, endpoint=True) for o in (0, -1)),
    lambda r: r.integers(300, dtype=np.int8),
    lambda r: r.integers(-1, 3, dtype=np.uint8),
    lambda r: r.integers(3, size=2, dtype=int),
    lambda r: r.integers(3, size=()),
    *(
        lambda r, p=p: r.multinomial(1, p)
        for p in ([0.5, 0.5], [0.6], [], 0.5, [0.6, 0.6, 0], [-0.1, 1.1], [0.5, math.nan])
    ),
    lambda r: r.multinomial(1, [0.5, 0.5], size=(2, 1)),
    lambda r: r.multinomial(-1, [0.5, 0.5]),
    *(lambda r, p=p: r.binomial(1, p) for p in (0.5, 1.5, math.nan, np.array(0.5), [0.5, 0.2], -0.1)),
    lambda r: r.binomial(1, [0.5, 0.2], size=3),
    lambda r: r.binomial(-1, 0.5),
    *(lambda r, x=x: r.permutation(x) for x in (3, [1, 2], 2.5, -1, "abc", np.array(3), (1, 2), 0)),
    lambda r: r.permutation(np.eye(2), axis=2),
    lambda r: r.permutation(np.eye(2), axis=-1),
    *(lambda r, x=x: r.shuffle(x) for x in ([1, 2], (1, 2), (1,), "ab", 3, np.array(3))),
    lambda r: r.shuffle([1, 2], axis=1),
    lambda r: r.shuffle(np.eye(2), axis=2),
    *(
        lambda r, o=o: r.random(**o)
        for o in ({}, {"size": ()}, {"size": 2}, {"size": -1}, {"size": 1.5}, {"size": "a"})
    ),
    *(lambda r, t=t: r.random(2, dtype=t) for t in (np.float32, "f8", np.float16, int)),
    lambda r: r.random(dtype=np.float32),
    lambda r: r.random(3, out=np.empty(2)),
    lambda r: r.random(out=np.empty(2, dtype=np.float32)),
    *(
        lambda r, o=o: r.uniform(*o)
        for o in ((1, 0), (0, math.inf), (0, math.nan), (np.float32(0), 1), ([0, 1], 2), ([0, 1], 2, 3))
    ),
    lambda r: r.uniform([0, 1], 2, (2, 2)),
    *(lambda r, o=o: r.exponential(*o) for o in ((), (2,), (-1,), ([1, 2],), ([1, 2], 3), (1.0, (2, 1)))),
    *(lambda r, t=t: r.standard_exponential(2, dtype=t) for t in (np.float32, np.float64, np.float16)),
    lambda r: r.standard_exponential(out=np.empty(2, dtype=np.float32)),
    *(lambda r, o=o: r.gumbel(*o) for o in ((), (0, -1), ([0, 1],), ([0, 1], 1, 3), (0.0, 1.0, 2))),
]


def _seen(call: Callable[[Any], Any], rng: Any) -> Any:
    """What a program sees of a result: its type, shape and dtype, or the type of the error."""
    try:
        result = call(rng)
    except Refusal:
        raise
    except Exception as error:
        return type(error).__name__
    if isinstance(result, Undrawn):
        if result.weak:
            return "float"
        return "ndarray", result.shape, str(result.dtype)
    if isinstance(result, np.ndarray):
        return "ndarray", result.shape, str(result.dtype)
    return type(result).__name__


@pytest.mark.parametrize("call", CALLS)
def test_results_and_errors_have_the_types_of_numpy(call: Callable[[Any], Any]) -> None:
    assert _seen(call, _source()) == _seen(call, np.random.default_rng(0))


@pytest.mark.parametrize(
    "use",
    [
        lambda r: r.choice(10**9),
        lambda r: r.choice(5000, p=[1 / 5000] * 5000),
        lambda r: r.integers(10**6, size=2),
        lambda r: r.permutation(10**6),
        lambda r: r.shuffle([0] * 8),
        lambda r: r.multinomial(2, [0.5, 0.5]),
        lambda r: r.multinomial([1, 1], [0.5, 0.5]),
        lambda r: r.multinomial(1, [[0.5, 0.5]]),
        lambda r: r.binomial(2, 0.5),
        lambda r: r.binomial([1, 1], 0.5),
        lambda r: r.random(out=np.empty(2)),
        lambda r: __import__("copy").copy(r),
        lambda r: __import__("copy").deepcopy(r),
        lambda r: __import__("pickle").dumps(r),
    ],
)
def test_what_cannot_be_branched_over_is_refused(use: Callable[[Any], Any]) -> None:
    def run(rng: Any) -> int:
        try:
            use(rng)
        except BaseException:
            return 0
        return 1

    found = law(run)
    assert (found.refused, found.crashes) == (1, ())
    assert __file__ in found.marks[0].place
