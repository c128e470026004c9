"""Draws that branch, and witnesses that a replay hands out."""

import itertools
import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from proofs.engine.choices import Arithmetic, Path
from proofs.engine.draws import Exploring, Replaying
from proofs.engine.signals import Kind, Refusal, collecting
from proofs.engine.weights import to_fraction, weight
from tests.proofs.engine.grids import explored, kinds, law

ROWS = [[0.1] * 10, [0.3, 0.3, 0.4], [1 / 3] * 3, [0.7, 0.0, 0.1, 0.2], [2**-60, 1.0], [0.1, 0.2, 0.7 + 1e-9]]


@pytest.mark.parametrize("row", ROWS)
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_choice_in_floats_is_what_numpy_s_search_makes_of_the_grid(row: list[float], dtype: Any) -> None:
    given = np.array(row, dtype=dtype)
    found = explored(lambda rng: int(rng.choice(len(row), p=given)), arithmetic="float64")
    # NumPy's algorithm on the grid points beside each switch of the law that was found.
    cdf = given.astype(np.float64).cumsum()
    cdf /= cdf[-1]
    switch = Fraction(0)
    for at in range(len(row)):
        switch += found.get(at, Fraction(0)) * 2**53
        assert switch.denominator == 1
        for k in range(max(int(switch) - 2, 0), min(int(switch) + 2, 2**53)):
            assert (cdf.searchsorted(k / 2**53, side="right") <= at) == (k < switch)
    assert switch == 2**53


def test_the_real_generator_searches_its_uniform_in_that_way() -> None:
    row = np.array([0.1, 0.2, 0.3, 0.4])
    cdf = row.cumsum() / row.cumsum()[-1]
    for seed in range(50):
        u = np.random.default_rng(seed).random()
        assert np.random.default_rng(seed).choice(4, p=row) == cdf.searchsorted(u, side="right")
        assert (u * 2**53).is_integer()
        assert (np.random.default_rng(seed).random(1, dtype=np.float32)[0] * 2**24).is_integer()


def _path(arithmetic: Arithmetic = Arithmetic.FLOAT64) -> Path:
    return Path((), arithmetic, 1000)


def _replayed(program: Any, arithmetic: Arithmetic = Arithmetic.EXACT) -> Any:
    """Values that a replay hands out for the first path of a program, and what they then decide."""
    path = _path(arithmetic)
    explored = program(Exploring(path).source("rng"))
    replay = Replaying(path)
    again = program(replay.source("rng"))
    assert replay.finished()
    assert replay.exact
    return explored, again


@pytest.mark.parametrize("arithmetic", [Arithmetic.EXACT, Arithmetic.FLOAT64])
def test_witnesses_obey_every_comparison(arithmetic: Arithmetic) -> None:
    def program(rng: Any) -> list[bool]:
        u, v = rng.random(), rng.random(2)
        return [bool(x < edge) for x, edge in itertools.product((u, *v), (0.7, 0.2, 0.55, 1e-3))]

    first, again = _replayed(program, arithmetic)
    assert first == again


def test_noise_witnesses_obey_every_comparison_and_race() -> None:
    def program(rng: Any) -> list[int]:
        e = rng.exponential(size=5)
        g = rng.gumbel(size=3)
        u = rng.random(3)
        races = [
            np.argmax([1, 2, 3, 4, 5] / e),
            np.argmin(e / [9, 1, 1, 1, 2]),
            np.argmax(g),
            np.argmax([3, 1, 1] / -np.log(u)),
        ]
        return [int(x) for x in races] + [int(e[i] * c < e[j]) for i, c, j in ((0, 2, 1), (3, 7, 2), (4, 0.01, 0))]

    first, again = _replayed(program)
    assert first == again


def test_noise_of_very_different_weights_has_a_witness() -> None:
    weights = [Fraction(1), Fraction(1, 10**400)]

    def program(run: Any) -> int:
        return int(np.argmax(np.array(weights, dtype=object) / run.exponential(size=2)))

    path = _path(Arithmetic.EXACT)
    assert program(Exploring(path).source("rng")) == 0
    values = Replaying(path).source("rng").exponential(size=2)
    assert math.log(values[1]) - math.log(values[0]) > -400 * math.log(10)


def test_a_path_that_no_floats_can_follow_is_refused() -> None:
    path = _path(Arithmetic.EXACT)
    path.draw_noise("a")
    path.draw_noise("b")
    path.constraints += [(1, weight(1), 2), (2, weight(1), 1)]
    with pytest.raises(Refusal, match="no float noise"):
        Replaying(path).source("rng").exponential(size=2)


def test_a_replay_that_draws_otherwise_leaves_its_mark() -> None:
    path = _path()
    Exploring(path).source("rng").random()
    draws: list[Callable[[Any], Any]] = [lambda r: r.integers(3), lambda r: r.exponential()]
    draws += [lambda r: r.integers(2**60), lambda r: r.random(2)]
    for draw in draws:
        marks: list[Any] = []
        with collecting(marks), pytest.raises(Refusal):
            draw(Replaying(path).source("rng"))
        assert [mark.kind for mark in marks] == [Kind.LEAK]


def test_exact_uniforms_are_real_and_float_ones_on_the_grid_of_their_call() -> None:
    def third(rng: Any) -> bool:
        return bool(rng.random() * 3 < 1)

    def narrow(rng: Any) -> bool:
        return bool(rng.random(1, dtype=np.float32)[0] <= 0)

    assert explored(third)[True] == Fraction(1, 3)
    assert explored(third, arithmetic="float64")[True] == Fraction(-(-(2**53) // 3), 2**53)
    assert explored(narrow, arithmetic="float64")[True] == Fraction(1, 2**24)
    assert explored(lambda rng: bool(rng.random() <= 0), arithmetic="float64")[True] == Fraction(1, 2**53)


def test_exact_choice_is_the_row_over_its_sum() -> None:
    row = [Fraction(1, 3), Fraction(2, 3)]
    assert explored(lambda rng: int(rng.choice(2, p=row))) == {0: row[0], 1: row[1]}
    exploring = Exploring(_path(Arithmetic.EXACT))
    assert [
        to_fraction(x) for x in exploring.probabilities([Fraction(1, 2), Fraction(1, 2) + Fraction(1, 10**9)], 1e-8)
    ] == [
        Fraction(1, 2) / (1 + Fraction(1, 10**9)),
        (Fraction(1, 2) + Fraction(1, 10**9)) / (1 + Fraction(1, 10**9)),
    ]


def test_drawn_seeds_are_streams() -> None:
    def same(rng: Any) -> bool:
        seed = rng.integers(2**63)
        one, two = np.random.default_rng(seed), np.random.default_rng(seed)
        return bool((one.random() < 0.5) == (two.random() < 0.5))

    def parts(rng: Any) -> bool:
        seed = rng.integers(2**63)
        one, two = np.random.default_rng([seed, 0]), np.random.default_rng([seed, 1])
        return bool((one.random() < 0.5) == (two.random() < 0.5))

    def different(rng: Any) -> bool:
        one, two = (np.random.default_rng(rng.integers(2**63)) for _ in range(2))
        return bool((one.random() < 0.5) == (two.random() < 0.5))

    assert explored(same) == {True: 1}
    assert explored(parts) == explored(different) == {True: Fraction(1, 2), False: Fraction(1, 2)}


def test_noise_that_one_seed_yields_twice_shows_in_the_law() -> None:
    def run(rng: Any) -> tuple[int, int]:
        seed = rng.integers(2**62)
        p, q = np.array([0.25, 0.75]), np.array([0.75, 0.25])
        races = [int(np.argmax(row / np.random.default_rng(seed).exponential(size=2))) for row in (p, q)]
        return races[0], races[1]

    found = explored(run)
    assert found[(0, 0)] == Fraction(1, 4)
    assert (0, 1) not in found  # independent noise would have given 1/16


def test_streams_of_one_seed_that_draw_differently_are_refused() -> None:
    def run(rng: Any) -> bool:
        seed = rng.integers(2**63)
        np.random.default_rng(seed).integers(3)
        return bool(np.random.default_rng(seed).random() < 0.5)

    found = law(run)
    assert (found.refused, kinds(found)) == (1, {Kind.REFUSED})
