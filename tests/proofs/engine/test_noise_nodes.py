"""Races of exponential and Gumbel noise have the laws of ideal noise, in whatever form they are written."""

import math
from collections.abc import Callable
from fractions import Fraction
from itertools import permutations
from typing import Any

import numpy as np
import pytest

from proofs.engine.arrays import exact_array
from proofs.engine.choices import Arithmetic
from proofs.engine.exploration import Explorer, Run
from proofs.engine.signals import Kind
from tests.proofs.engine.cells import cut, fresh, mass
from tests.proofs.engine.grids import explored, kinds, law

B0 = (Fraction(1, 8), Fraction(3, 8), Fraction(1, 2)), (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))
I5 = tuple(Fraction(k, 10) for k in (4, 3, 2, 1)), tuple(Fraction(k, 10) for k in (1, 2, 3, 4))


def _python_max(p: Any, e: Any) -> int:
    return max(range(len(p)), key=lambda i: p[i] / e[i])


def _loop(p: Any, e: Any) -> int:
    best, place = -math.inf, -1
    for i in range(len(p)):
        if p[i] / e[i] > best:
            best, place = p[i] / e[i], i
    return place


RACES: dict[str, Callable[[Any, Any], int]] = {
    "argmax(p / E)": lambda rng, p: int(np.argmax(p / rng.exponential(size=len(p)))),
    "standard": lambda rng, p: int((p / rng.standard_exponential(len(p))).argmax()),
    "scaled": lambda rng, p: int(np.argmax(p / rng.exponential(3.0, size=len(p)) * 2)),
    "argmin(E / p)": lambda rng, p: int(np.argmin(rng.exponential(size=len(p)) / p)),
    "argmin of scales": lambda rng, p: int(np.argmin(rng.exponential(1 / p))),
    "argmax(-E / p)": lambda rng, p: int(np.argmax(-rng.exponential(size=len(p)) / p)),
    "argmax(log p + G)": lambda rng, p: int(np.argmax(np.log(p) + rng.gumbel(size=len(p)))),
    "argmax(G - -log p)": lambda rng, p: int(np.argmax(rng.gumbel(size=len(p)) - -np.log(p))),
    "argmin(-log p - G)": lambda rng, p: int(np.argmin(-np.log(p) - rng.gumbel(size=len(p)))),
    "argmax(log(p / E))": lambda rng, p: int(np.argmax(np.log(p / rng.exponential(size=len(p))))),
    "argmax(log p - log E)": lambda rng, p: int(np.argmax(np.log(p) - np.log(rng.exponential(size=len(p))))),
    "exp of Gumbel": lambda rng, p: int(np.argmax(p * np.exp(rng.gumbel(size=len(p))))),
    "-log u": lambda rng, p: int(np.argmax(p / -np.log(rng.random(len(p))))),
    "-log(1 - u)": lambda rng, p: int(np.argmin(-np.log(1 - rng.random(len(p))) / p)),
    "-log1p(-u)": lambda rng, p: int(np.argmin(-np.log1p(-rng.random(len(p))) / p)),
    "log u / p": lambda rng, p: int(np.argmax(np.log(rng.random(len(p))) / p)),
    "-log(-log u)": lambda rng, p: int(np.argmax(np.log(p) - np.log(-np.log(rng.random(len(p)))))),
    "python max": lambda rng, p: _python_max(p, rng.exponential(size=len(p))),
    "python loop": lambda rng, p: _loop(p, rng.exponential(size=len(p))),
    "one by one": lambda rng, p: _loop(p, [rng.exponential() for _ in p]),
    "argsort": lambda rng, p: int(np.argsort(rng.exponential(size=len(p)) / p)[0]),
}
ROWS = [B0[0], I5[0], (Fraction(0), Fraction(1, 3), Fraction(0), Fraction(2, 3)), (Fraction(1), Fraction(0))]


def _explored(program: Callable[..., Any], rows: Any, arithmetic: Arithmetic = Arithmetic.EXACT) -> dict[Any, Fraction]:
    """Law of a program that is given rows: exact numbers, or floats where a path is replayed."""

    def run(run: Run) -> Any:
        exact = arithmetic is Arithmetic.EXACT and not run.replaying
        given = [exact_array(list(row)) if exact else np.array([float(x) for x in row]) for row in rows]
        with np.errstate(all="ignore"):
            return program(run.rng, *given)

    with Explorer((program,)) as explorer:
        found = explorer.explore(run, arithmetic)
    assert found.missing == 0, (found, found.marks)
    return dict(found)


@pytest.mark.parametrize("name", RACES)
def test_the_winner_s_law_is_the_row_in_exact_arithmetic(name: str) -> None:
    for row in ROWS:
        assert _explored(RACES[name], [row]) == {i: x for i, x in enumerate(row) if x}


@pytest.mark.parametrize("name", RACES)
def test_in_floats_the_winner_s_law_is_the_row_but_for_logarithms(name: str) -> None:
    for row in ([0.125, 0.375, 0.5], [0.0, 0.25, 0.75], [1.0, 0.0]):
        if 0 in row and name in ("-log(1 - u)", "-log1p(-u)"):
            continue  # 0 / 0 at the coin 0: NaN wins there
        found = _explored(RACES[name], [row], Arithmetic.FLOAT64)
        assert set(found) == {i for i, x in enumerate(row) if x}
        assert sum(found.values()) == 1
        # np.log rounds to an ulp or so; the engine's exponential of it is right to 2^-120.
        exact = "log p" not in name and name not in ("-log(-log u)", "argmin of scales")
        assert all(abs(found[i] - Fraction(row[i])) <= (0 if exact else Fraction(4, 2**53)) for i in found)


def test_in_log_space_the_law_is_that_of_the_rounded_logarithms() -> None:
    logits = np.array([-0.3, 1.7, -800.0])
    found = explored(lambda rng: int(np.argmax(logits + rng.gumbel(size=3))), arithmetic="float64")
    for i, j in ((1, 0), (0, 2)):
        ratio, expected = found[i] / found[j], logits[i] - logits[j]
        assert abs(math.log(ratio.numerator) - math.log(ratio.denominator) - expected) < 1e-12


@pytest.mark.parametrize("arithmetic", [Arithmetic.EXACT, Arithmetic.FLOAT64])
def test_all_zero_weights_tie_and_the_first_wins(arithmetic: Arithmetic) -> None:
    for name in ("argmax(p / E)", "argmin(E / p)", "argmax(log p + G)"):
        assert _explored(RACES[name], [(0, 0, 0)], arithmetic) == {0: 1}


def test_where_floats_reach_nan_at_the_coin_zero_a_race_is_refused() -> None:
    found = law(lambda rng: RACES["-log(1 - u)"](rng, np.array([0.0, 1.0])), arithmetic="float64")
    assert (found.refused, "NaN at an end" in str(found.marks[0])) == (1, True)


def test_the_last_of_a_race() -> None:
    # E / w greatest: by brute force over the orders.
    weights = (1, 2, 3)
    expected = dict.fromkeys(range(3), Fraction(0))
    for order in permutations(range(3)):
        share, left = Fraction(1), list(range(3))
        for i in order:
            share *= Fraction(weights[i], sum(weights[j] for j in left))
            left.remove(i)
        expected[order[-1]] += share
    assert explored(lambda rng: int(np.argmax(rng.exponential(size=3) / weights))) == expected
    assert explored(lambda rng: int(np.argmin(weights / rng.exponential(size=3)))) == expected


def test_orders_of_a_race() -> None:
    found = explored(lambda rng: tuple(np.argsort(rng.exponential(size=3) / [1, 2, 3]).tolist()))
    assert found[(2, 1, 0)] == Fraction(1, 2) * Fraction(2, 3)
    assert found[(0, 1, 2)] == Fraction(1, 6) * Fraction(2, 5)
    assert (len(found), sum(found.values())) == (6, 1)


def _residual(p: Any, q: Any) -> Any:
    return np.maximum(p - q, 0)


@pytest.mark.parametrize(
    ("rows", "expected"),
    [(B0, ("1/8", "7/20", "21/40")), (I5, ("13/30", "4/15", "1/5", "1/10"))],
)
def test_the_draft_s_noise_used_again_for_the_residual(rows: Any, expected: tuple[str, ...]) -> None:
    def run(rng: Any, p: Any, q: Any) -> int:
        noise = rng.exponential(size=len(p))
        x = int(np.argmax(q / noise))
        if rng.random() * q[x] < p[x]:
            return x
        return int(np.argmax(_residual(p, q) / noise))

    found = _explored(run, rows)
    assert found == {y: Fraction(mass) for y, mass in enumerate(expected)}


def test_two_races_on_one_noise_match_as_often_as_they_do() -> None:
    def run(rng: Any, p: Any, q: Any) -> bool:
        noise = rng.exponential(size=4)
        return bool(np.argmax(p / noise) == np.argmax(q / noise))

    assert _explored(run, I5)[True] == Fraction(19, 35)


def test_pairs_are_compared_as_cells_say() -> None:
    def run(rng: Any) -> tuple[bool, bool]:
        e = rng.exponential(size=3)
        return bool(e[0] * 2 > e[1]), bool(e[1] >= e[2] * 3)

    found = explored(run)
    for first in (True, False):
        for second in (True, False):
            rules = [
                (0, Fraction(1, 2), 1) if first else (1, Fraction(2), 0),
                (1, Fraction(3), 2) if second else (2, Fraction(1, 3), 1),
            ]
            assert found[(first, second)] == mass(cut(fresh(3), *rules))


def test_noise_against_itself_and_its_multiples() -> None:
    def run(rng: Any) -> tuple[bool, ...]:
        e = rng.exponential(size=1)[0]
        return (
            bool(e < e),
            bool(e <= e),
            bool(e > e),
            bool(e >= e),
            bool(e < 2 * e),
            bool(-e < -2 * e),
            bool(1 / e < 2 / e),
        )

    assert explored(run) == {(False, True, False, True, True, False, True): 1}


def test_ranks_count_every_runner_itself_too() -> None:
    def run(rng: Any) -> tuple[int, ...]:
        e = rng.exponential(size=2)
        return tuple(sum(bool(e[j] >= e[i]) for j in range(2)) for i in range(2))

    assert explored(run) == {(2, 1): Fraction(1, 2), (1, 2): Fraction(1, 2)}


def test_noise_against_numbers_that_it_never_reaches() -> None:
    def run(rng: Any) -> tuple[bool, ...]:
        e = rng.exponential()
        g = rng.gumbel()
        return (
            bool(e > 0),
            bool(e < 0),
            bool(e >= -1),
            bool(e < math.inf),
            bool(-e < 0),
            bool(g > -math.inf),
            bool(e > math.nan),
        )

    assert explored(run) == {(True, False, True, True, True, True, False): 1}
    assert bool(np.isfinite(1.0))
    assert explored(lambda rng: bool(np.isfinite(rng.exponential()))) == {True: 1}


@pytest.mark.parametrize(
    "use",
    [
        lambda rng: rng.exponential() < 1,
        lambda rng: rng.gumbel() < 0,
        lambda rng: rng.exponential() + 1,
        lambda rng: rng.gumbel() * 2,
        lambda rng: np.exp(rng.exponential()),
        lambda rng: np.log(-rng.exponential()),
        lambda rng: np.minimum(rng.exponential(), 1),
        lambda rng: rng.exponential() < rng.gumbel(),
        lambda rng: rng.exponential() == 1,
        lambda rng: rng.exponential() + rng.exponential(),
        lambda rng: rng.exponential() < rng.random(),
        lambda rng: 1 / rng.gumbel(),
        lambda rng: float(rng.exponential()),
        lambda rng: np.argmax([1.0, 2.0] / rng.exponential(size=2) - 1),
        lambda rng: np.concatenate([rng.exponential(size=1), [1.0]]).argmax(),
        lambda rng: np.concatenate([rng.exponential(size=1), rng.gumbel(size=1)]).argmax(),
        lambda rng: np.repeat(rng.exponential(size=1), 2).argmax(),
    ],
)
def test_other_uses_of_noise_are_refused(use: Callable[[Any], Any]) -> None:
    def run(rng: Any) -> int:
        try:
            use(rng)
        except BaseException:
            return 0
        return 1

    found = law(run)
    assert (found.refused, found.crashes) == (1, ())
    assert __file__ in found.marks[0].place


def test_a_uniform_is_compared_or_a_runner_and_not_both() -> None:
    def run(rng: Any) -> int:
        u = rng.random(2)
        winner = int(np.argmax([1, 2] / -np.log(u)))
        return winner + bool(u[0] < 0.5)

    assert law(run).refused == 1


def test_gumbel_noise_with_a_rational_leaves_exact_arithmetic() -> None:
    found = law(lambda rng: int(np.argmax(np.add(rng.gumbel(size=2), [1, 2]))))
    assert (found.refused, kinds(found)) == (1, {Kind.LEAK})


def test_too_much_shared_noise_is_refused_and_not_guessed() -> None:
    def run(rng: Any) -> int:
        e = rng.exponential(size=26)
        return int(np.argmax(e / [1 + 1 / (i + 2) for i in range(26)]))

    found = law(run, arithmetic="float64")
    assert found.refused == 1
    assert "shared between too many" in str(found.marks[0])
