"""What needs the value of an undrawn number is refused; decisions that need none are taken."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from proofs.engine import nodes
from proofs.engine.signals import Kind
from tests.proofs.engine.grids import coarse, counted, explored, kinds, law


def _into_floats(u: Any) -> None:
    b = np.zeros(3)
    b[0] = u


@pytest.mark.parametrize(
    "use",
    [
        float,
        bool,
        complex,
        round,
        hash,
        repr,
        str,
        math.ceil,
        math.log,
        lambda u: f"{u:.3f}",
        lambda u: "%f" % u,  # noqa: UP031
        lambda u: [1, 2][u],
        lambda u: np.zeros(3)[u],
        lambda u: {u},
        lambda u: {u: 1},
        lambda u: not u,
        lambda u: u and 1,
        lambda u: u @ u,
        lambda u: int(u - 0.5),
        lambda u: u.mean(),
        lambda u: sorted([u, 0.5 - u]),
        _into_floats,
    ],
)
@pytest.mark.parametrize("arithmetic", ["exact", "float64"])
def test_values_are_refused_and_the_mark_outlives_any_except(arithmetic: str, use: Callable[[Any], Any]) -> None:
    def run(rng: Any) -> int:
        try:
            use(rng.random())
        except BaseException:
            return 0
        return 1

    found = law(run, arithmetic=arithmetic)
    assert (found.refused, len(found), found.crashes) == (1, 0, ())
    assert found.marks[0].kind in (Kind.REFUSED, Kind.LEAK)
    assert found.marks[0].place.startswith(f"{__file__}:")


@pytest.mark.parametrize("make", [lambda u: u, lambda u: (1, u), lambda u: frozenset([(u,)])])
def test_an_undrawn_number_in_the_outcome_is_refused(make: Callable[[Any], Any]) -> None:
    assert law(lambda rng: make(rng.random())).refused == 1


def test_whole_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(nodes, "MAX_OPTIONS", 20)
    third = Fraction(1, 3)
    assert explored(lambda rng: int(rng.random() * 3)) == dict.fromkeys(range(3), third)
    assert explored(lambda rng: math.floor(rng.random() * 3 - 1)) == dict.fromkeys((-1, 0, 1), third)
    assert explored(lambda rng: math.trunc(rng.random(1)[0] * 3)) == dict.fromkeys(range(3), third)
    assert law(lambda rng: int(rng.random() * 10**4)).refused == 1 - Fraction(21, 10**4)


def test_attributes_are_those_of_an_array() -> None:
    assert explored(lambda rng: hasattr(rng.random(2), "no_such_thing")) == {False: 1}
    assert law(lambda rng: rng.random(2).sum() < 1).refused == 1
    assert law(lambda rng: 0.5 in rng.random(2)).refused == 1


def test_a_program_that_looks_at_the_type_is_found_out_by_the_replay() -> None:
    for run in (lambda rng: isinstance(rng.random(), float), lambda rng: bool(Fraction(rng.random()) < 0.5)):
        found = law(run)
        assert (found.refused, kinds(found)) == (1, {Kind.LEAK})
        assert "in plain floats" in found.marks[0].reason


def test_the_whole_part_of_an_infinity_does_not_run_for_ever() -> None:
    found = law(lambda rng: math.floor(-np.log(rng.random())), arithmetic="float64")
    assert (found.refused, found[0] > Fraction(5, 8)) == (Fraction(1, 2**53), True)


def test_races_along_an_axis(monkeypatch: pytest.MonkeyPatch) -> None:
    weights = np.array([[0.5, 0.5], [0.75, 0.25]])

    def run(rng: Any) -> Any:
        scores = weights / rng.exponential(size=(2, 2))
        kept = scores.argmax(axis=1, keepdims=True)
        into = np.zeros(2, dtype=np.int64)
        np.argmax(scores, axis=-1, out=into)
        return kept.shape, tuple(into.tolist())

    found = {winners: mass for (shape, winners), mass in explored(run).items() if shape == (2, 1)}
    half = Fraction(1, 2)
    assert found == {(i, j): half * (Fraction(3, 4) if j == 0 else Fraction(1, 4)) for i in (0, 1) for j in (0, 1)}


def test_argmax_of_plain_uniforms_is_refused_and_of_numbers_is_not() -> None:
    assert law(lambda rng: int(rng.random(2).argmax())).refused == 1
    assert explored(lambda rng: int(np.where(False, rng.random(3), [1.0, 3.0, 3.0]).argmax())) == {1: 1}
    assert explored(lambda rng: int(np.where(False, rng.random(3), [2.0, np.nan, 3.0]).argmin())) == {1: 1}


def test_chained_comparisons_share_one_coin(monkeypatch: pytest.MonkeyPatch) -> None:
    def run(rng: Any) -> Any:
        u = rng.random()
        return bool(0.25 <= u < 0.7), bool(u > 0.5), max(u, 0.5) == 0.5, min(0.2, u) == 0.2

    with coarse(monkeypatch, 32):
        assert explored(run, arithmetic="float64") == counted(run, 32)


def test_float32_is_a_leak_of_exact_arithmetic() -> None:
    assert kinds(law(lambda rng: bool(rng.random(1, dtype=np.float32)[0] < 0.5))) == {Kind.LEAK, Kind.SINGLE}
    assert kinds(law(lambda rng: bool(rng.random(1).astype(np.float32)[0] < 0.5))) == {Kind.LEAK, Kind.SINGLE}
