"""Every arithmetic step and comparison of an undrawn number decides what NumPy decides on each grid value."""

import math
import operator
from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

from proofs.engine.arrays import exact_array
from proofs.engine.signals import Kind
from tests.proofs.engine.grids import coarse, counted, explored, kinds, law, reasons

GRID = 64
SIX = (operator.lt, operator.le, operator.gt, operator.ge, operator.eq, operator.ne)
NUMBERS: dict[str, Callable[[Any], Any]] = {
    "python": lambda rng: rng.random(),
    "float64": lambda rng: rng.random(1)[0],
    "float32": lambda rng: rng.random(1, dtype=np.float32)[0],
    "0-d": lambda rng: rng.random((), dtype=np.float32),
}
STEPS: dict[str, Callable[[Any], Any]] = {
    "u": lambda u: u,
    "u*c": lambda u: u * 0.3,
    "c*u": lambda u: 0.7 * u,
    "c64*u": lambda u: np.float64(0.7) * u,
    "c32*u": lambda u: np.float32(0.7) * u,
    "u*c32": lambda u: u * np.float32(0.1),
    "u*int": lambda u: u * 3,
    "u*-c": lambda u: u * -0.3,
    "u/c": lambda u: u / 3.0,
    "u/int": lambda u: u / 7,
    "u/-c32": lambda u: u / np.float32(-0.7),
    "u+c": lambda u: u + 0.1,
    "c+u": lambda u: 1e8 + u,
    "c32+u": lambda u: np.float32(1e3) + u,
    "u-c": lambda u: u - 0.7,
    "c-u": lambda u: 1.0 - u,
    "c64-u": lambda u: np.float64(0.1) - u,
    "u-int": lambda u: u - 1,
    "-u": lambda u: -u,
    "+u": lambda u: +u,
    "1+-u": lambda u: 1.0 + -u,
    "abs": abs,
    "c/(u+1)": lambda u: 0.3 / (u + 1),
    "c/(u-2)": lambda u: 0.3 / (u - 2),
    "-c/(u+1)": lambda u: -1 / (u + np.float32(0.1)),
    "minimum": lambda u: np.minimum(u, 0.3),
    "maximum": lambda u: np.maximum(0.7, u),
    "min(-)": lambda u: np.minimum(-u, -0.5),
    "clip": lambda u: np.clip(u, 0.2, 0.6),
    "clip method": lambda u: np.clip(u * 2, 0.5, None),
    "where": lambda u: np.where(True, u, 0.5),
    "chain": lambda u: 1 - (2 * u - 0.25) / 0.7,
    "chain 32": lambda u: (np.float32(0.3) * u + 1) * 0.1 - np.float32(0.05),
    "ufunc then 32": lambda u: np.add(u, 0.1) * np.float32(0.3),
    "exp": lambda u: np.exp(u),
    "exp(-u)": lambda u: np.exp(-u * 2) - 0.5,
    "log(u+1)": lambda u: np.log(u + 1.0) * 1.5,
    "log1p(-u)": lambda u: -np.log1p(-u),
    "log(1-u)": lambda u: -np.log(1.0 - u),
    "log u": lambda u: np.log(u),
    "0*u": lambda u: 0.0 * u,
    "u/inf": lambda u: u / math.inf,
    "u+inf": lambda u: u + math.inf,
    "u*nan": lambda u: u * math.nan,
    "minimum inf": lambda u: np.minimum(u, -np.inf),
    "int(u*n)": lambda u: int(u * 5) / 5,
    "floor": lambda u: math.floor(u * 3 - 1.5) / 5,
    "overflow": lambda u: u * np.float32(3e38) * 10,
}
THRESHOLDS = (0, 1, 0.0, 1.0, 0.3, np.float32(0.3), np.float64(0.7), 0.5, -0.25, -1, 1.5, math.inf, -math.inf, math.nan)


def _six(step: Callable[[Any], Any], draw: Callable[[Any], Any], threshold: Any) -> Callable[[Any], Any]:
    def program(rng: Any) -> Any:
        value = step(draw(rng))
        return tuple(bool(compare(value, threshold)) for compare in SIX) + tuple(
            bool(compare(threshold, value)) for compare in SIX
        )

    return program


def _decided(compare: Any, step: Any, draw: Any, threshold: Any, rng: Any) -> bool:
    return bool(compare(step(draw(rng)), threshold))


def _narrow(rng: Any) -> Any:
    return rng.random(1, dtype=np.float32)


@pytest.mark.parametrize("kind", NUMBERS)
@pytest.mark.parametrize("step", STEPS)
def test_decisions_are_those_of_numpy_on_a_coarse_grid(monkeypatch: pytest.MonkeyPatch, step: str, kind: str) -> None:
    with coarse(monkeypatch, GRID):
        for threshold in THRESHOLDS:
            program = _six(STEPS[step], NUMBERS[kind], threshold)
            assert explored(program, arithmetic="float64") == counted(program, GRID), threshold


VECTOR: dict[str, Callable[[Any], Any]] = {
    name: STEPS[name]
    for name in ("u", "u*c", "c*u", "u/c", "u/int", "c+u", "c32+u", "u-c", "c-u", "chain", "chain 32", "c/(u+1)")
} | {"log": lambda u: np.log(u), "exp": lambda u: np.exp(u), "64": lambda u: u * np.float64(0.1) - 0.03}


@pytest.fixture(scope="module")
def whole_grid() -> Any:
    return np.arange(2**24, dtype=np.float32) / np.float32(2**24)


@pytest.mark.parametrize("step", VECTOR)
def test_laws_in_float32_are_counts_over_its_whole_grid(step: str, whole_grid: Any) -> None:
    with np.errstate(all="ignore"):
        values = VECTOR[step](whole_grid)
    for threshold in (0.1, np.float32(0.7), np.float64(0.3), float(values[12345]), float(values[2**23 + 1])):
        for compare in (operator.lt, operator.le):
            expected = Fraction(int(np.count_nonzero(compare(values, threshold))), 2**24)
            run = partial(_decided, compare, VECTOR[step], _narrow, threshold)
            assert explored(run, arithmetic="float64").get(True, Fraction(0)) == expected


@pytest.mark.parametrize("step", [name for name in VECTOR if name not in ("log", "exp")])
@pytest.mark.parametrize("kind", ["python", "float64"])
def test_in_float64_the_decision_switches_where_that_of_numpy_does(step: str, kind: str) -> None:
    make = float if kind == "python" else np.float64
    for at in (0.1, 0.25, 1 / 3, 0.7, 1 - 2**-40):
        threshold = float(VECTOR[step](make(at)))
        for compare in (operator.lt, operator.le):
            run = partial(_decided, compare, VECTOR[step], NUMBERS[kind], threshold)
            found = explored(run, arithmetic="float64")
            rises = bool(compare(VECTOR[step](make(0.0)), threshold))
            switch = found.get(rises, Fraction(0)) * 2**53
            assert switch.denominator == 1
            for k in range(max(int(switch) - 2, 0), min(int(switch) + 3, 2**53)):
                assert bool(compare(VECTOR[step](make(k / 2**53)), threshold)) == (rises if k < switch else not rises)


MIDPOINTS = 720
EXACT_STEPS: dict[str, Callable[[Any], Any]] = {
    "u": lambda u: u,
    "2u": lambda u: u * 2,
    "-3u+1": lambda u: 1 - u * 3,
    "u/4": lambda u: u / 4,
    "1/(u+1)": lambda u: 1 / (u + 1),
    "-1/(2u+1)": lambda u: -1 / (2 * u + 1),
    "1/(-u-1)": lambda u: 1 / (-u - 1),
    "-1/(-u-1)": lambda u: -1 / (-u - 1),
    "1+-u": lambda u: 1 + -u,
}
EXACT_THRESHOLDS = [Fraction(n, d) for n in (-2, -1, 0, 1, 2, 3) for d in (1, 2, 3, 4)]


@pytest.mark.parametrize("step", EXACT_STEPS)
def test_exact_laws_are_measures_of_the_real_interval(step: str) -> None:
    for threshold in EXACT_THRESHOLDS:
        for compare in SIX:
            values = [EXACT_STEPS[step](Fraction(2 * k + 1, 2 * MIDPOINTS)) for k in range(MIDPOINTS)]
            expected = Fraction(sum(bool(compare(value, threshold)) for value in values), MIDPOINTS)
            run = partial(_decided, compare, EXACT_STEPS[step], NUMBERS["python"], threshold)
            assert explored(run).get(True, Fraction(0)) == expected


@pytest.mark.parametrize(
    ("decide", "differs"),
    [
        (lambda u: u < 0, False),
        (lambda u: u <= 0, True),
        (lambda u: u > 0, True),
        (lambda u: u >= 0, False),
        (lambda u: u == 0, True),
        (lambda u: u != 0, True),
        (lambda u: u <= 0.5, False),
        (lambda u: u < 1, False),
        (lambda u: u * 2 <= 0, True),
        (lambda u: -u >= 0, True),
        (lambda u: 1 - u < 1, True),
        (lambda u: 1 - u <= 1, False),
        (lambda u: u <= -1, False),
        (lambda u: u - 0.5 <= -0.5, True),
        (lambda u: np.minimum(u, 0.5) <= 0, True),
        (lambda u: np.maximum(u, 0.5) <= 0, False),
        (lambda u: np.log(u) > -np.inf, True),
        (lambda u: np.log(u) < np.inf, False),
        (lambda u: np.isfinite(np.log(u)), True),
        (lambda u: np.isfinite(u), False),
        (lambda u: -np.log(u) == np.inf, True),
        (lambda u: np.isnan(u * np.inf), True),
        (lambda u: (1 + u) * np.inf > 0, False),
        (lambda u: 0 / (np.float64(1) * u) == 0, True),
        (lambda u: np.log1p(-u) < 0, True),
    ],
)
def test_boundary_is_marked_exactly_where_the_coin_zero_answers_otherwise(decide: Any, differs: bool) -> None:
    with np.errstate(all="ignore"):
        assert (bool(decide(np.float64(0))) != bool(decide(np.float64(1e-9)))) == differs
    found = law(lambda rng: bool(decide(rng.random())))
    assert (Kind.BOUNDARY in kinds(found)) == differs
    assert found.refused == 0


def test_logarithms_meet_logarithms_of_exact_numbers() -> None:
    for p in (Fraction(1, 3), Fraction(1), Fraction(5, 4)):
        row = exact_array([p, 1 - p if p < 1 else 0])
        assert explored(lambda rng: bool(np.log(rng.random()) < np.log(row)[0])).get(True, 0) == min(p, 1)  # noqa: B023
        assert explored(lambda rng: bool(np.log(row)[0] <= np.log(1 - rng.random()))).get(True, 0) == max(1 - p, 0)  # noqa: B023


def test_a_logarithm_against_a_rational_leaves_exact_arithmetic() -> None:
    found = law(lambda rng: bool(np.log(rng.random()) < -0.5))
    assert (found.refused, kinds(found)) == (1, {Kind.LEAK})


def test_arrays_broadcast(monkeypatch: pytest.MonkeyPatch) -> None:
    edges = np.array([[0.25], [0.5], [0.8]])

    def run(rng: Any) -> Any:
        return tuple((rng.random(2) * [1, 2] < edges).ravel().tolist())

    with coarse(monkeypatch, 16):
        assert explored(run, arithmetic="float64") == counted(run, 16, coins=2)


def test_operations_with_text_and_none_are_unequal() -> None:
    assert explored(lambda rng: (rng.random() == None, rng.random() != "a")) == {(False, True): 1}  # noqa: E711
    assert explored(lambda rng: tuple((rng.random(2) == None).tolist())) == {(False, False): 1}  # noqa: E711


def test_concrete_elements_are_asked_for_what_they_are() -> None:
    def run(rng: Any) -> Any:
        mixed = np.where([True, False, False], rng.random(3), [0.0, np.nan, np.inf])
        return tuple(np.isnan(mixed).tolist()), tuple(np.isfinite(mixed).tolist()), tuple(np.isinf(mixed).tolist())

    expected = ((False, True, False), (True, False, False), (False, False, True))
    assert explored(run) == explored(run, arithmetic="float64") == {expected: 1}


def test_a_program_that_wants_float_errors_is_not_crashed_by_the_search() -> None:
    def run(rng: Any) -> bool:
        u = rng.random(1)
        if bool(u[0] < 0.5):
            return True
        with np.errstate(all="raise"):
            return bool(np.log(u)[0] < -0.1)

    assert sum(explored(run, arithmetic="float64").values()) == 1


def test_a_function_that_moves_too_little_is_not_believed() -> None:
    found = law(lambda rng: bool(np.exp(rng.random() * 1e-10) < 1 + 5e-11), arithmetic="float64")
    assert "moves too little" in reasons(found)
    assert found.refused == 1


@pytest.mark.parametrize(
    "use",
    [
        lambda u, v: u < v,
        lambda u, v: u == v,
        lambda u, v: u + v,
        lambda u, v: np.minimum(u, v),
        lambda u, v: u % 1,
        lambda u, v: 1 % u,
        lambda u, v: u**2,
        lambda u, v: 2**u,
        lambda u, v: u // 1,
        lambda u, v: divmod(u, 1),
        lambda u, v: np.sin(u),
        lambda u, v: np.square(u),
        lambda u, v: np.add.reduce(u),
        lambda u, v: np.add(u, 1, where=[True]),
        lambda u, v: abs(u - 0.5),
        lambda u, v: np.log(u - 0.5),
        lambda u, v: 1 / (u - 0.5),
        lambda u, v: np.add(u, 1, out=np.zeros(1)),
    ],
)
def test_what_is_not_supported_is_refused_at_the_line_of_the_program(use: Any) -> None:
    swallowed = []

    def run(rng: Any) -> int:
        try:
            use(rng.random(1), rng.random(1))
        except BaseException as error:
            swallowed.append(type(error).__name__)
        return 1

    for arithmetic in ("exact", "float64"):
        found = law(run, arithmetic=arithmetic, allow_state=("swallowed",))
        assert (found.refused, found.total) == (1, 0)
        assert __file__ in found.marks[0].place
    assert set(swallowed) == {"Refusal"}
