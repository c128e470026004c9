"""Programs that take coins as numbers: their laws, and what must not pass for one."""

import itertools
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from proofs.engine.choices import Arithmetic, Path
from proofs.engine.signals import Kind, Mark
from proofs.engine.sweep import MAX_COINS
from proofs.engine.swept import Lost, kept_out, sweep_path
from tests.proofs.engine.grids import kinds, reasons
from tests.proofs.engine.grids import law as _law

HALF = Fraction(1, 2)
COIN = Fraction(1, 2**24)


def law(program: Any, **options: Any) -> Any:
    return _law(program, **{"arithmetic": "float64", **options})


def whole(found: Any) -> Fraction:
    crashed = sum((crash.probability for crash in found.crashes), Fraction(0))
    return Fraction(found.total + crashed + found.refused + found.remaining)


@pytest.mark.parametrize(("dtype", "coin"), [("float32", COIN), ("float64", Fraction(1, 2**53))])
def test_coins_are_numbers_on_the_grid_of_their_dtype(dtype: str, coin: Fraction) -> None:
    def program(rng: Any) -> Any:
        u = rng.coins(1, dtype=dtype)
        assert type(u) is np.ndarray
        assert (u.dtype, u.shape) == (np.dtype(dtype), (1,))
        assert 0 <= u[0] < 1
        return bool(u[0] == 0), bool(u[0] > 0.75)

    found = law(program)
    assert dict(found) == {(True, False): coin, (False, True): Fraction(1, 4) - coin, (False, False): Fraction(3, 4)}
    assert (found.crashes, found.missing) == ((), 0)
    assert kinds(found) == {Kind.SWEPT} | ({Kind.SINGLE} if dtype == "float32" else set())


def test_float32_coins_are_what_is_given_without_a_dtype_and_shapes_are_kept() -> None:
    found = law(lambda rng: (rng.coins((1, 2)).shape, str(rng.coins(()).dtype)))
    assert dict(found) == {((1, 2), "float32"): 1}


def test_choices_before_the_coins_branch_and_weigh() -> None:
    def program(rng: Any) -> Any:
        first = int(rng.choice(3, p=[0.5, 0.25, 0.25])), bool(rng.random() < 0.125)
        return first, bool(rng.coins(1)[0] < 0.25 * first[0])

    expected = {
        ((x, below), kept): row * share * odds
        for (x, row), (below, share) in itertools.product(
            enumerate((HALF, HALF / 2, HALF / 2)), ((True, HALF / 4), (False, 7 * HALF / 4))
        )
        for kept, odds in ((True, Fraction(x, 4)), (False, 1 - Fraction(x, 4)))
        if odds
    }
    assert dict(law(program)) == expected


def test_calls_are_joined_and_may_depend_on_earlier_coins() -> None:
    def program(rng: Any) -> int:
        if rng.coins(1)[0] < 0.75:
            return 0
        return 1 + int(rng.coins(2)[1] < 0.5)

    found = law(program)
    assert dict(found) == {0: Fraction(3, 4), 1: Fraction(1, 8), 2: Fraction(1, 8)}
    assert found.coins[0][0] < Fraction(3, 4) <= found.coins[1][0]


def test_every_outcome_has_coins_that_make_it() -> None:
    def outcome_of(u: Any) -> tuple[int, int]:
        return int(u[0] * 3), int(u[1] < 2**-20)

    found = law(lambda rng: outcome_of(rng.coins(2)))
    assert len(found) == len(found.coins) == 6
    for outcome, coins in found.coins.items():
        assert outcome_of(np.array([float(coin) for coin in coins], dtype=np.float32)) == outcome
    assert found.marginal(lambda outcome: outcome[1]).coins.keys() == {0, 1}


def test_a_crash_on_some_coins_has_their_exact_mass() -> None:
    found = law(lambda rng: 1 // int(rng.coins(2)[1] != 0))
    assert dict(found) == {1: 1 - COIN}
    assert [(crash.exception, crash.probability) for crash in found.crashes] == [("ZeroDivisionError", COIN)]
    assert f"{__file__}:" in found.crashes[0].place


@pytest.mark.parametrize(
    "choose",
    [
        lambda rng, u: int(rng.choice(2, p=[0.5, 0.5])),
        lambda rng, u: bool(rng.random() < 0.5),
        lambda rng, u: int(np.argmax(np.array([0.5, 0.5]) / rng.exponential(size=2))),
        lambda rng, u: int(rng.integers(3)),
    ],
)
def test_a_choice_after_coins_is_refused(choose: Any) -> None:
    found = law(lambda rng: choose(rng, rng.coins(1)))
    assert (dict(found), found.refused) == ({}, 1)
    assert "a random choice after rng.coins" in reasons(found)


def test_a_choice_after_some_coins_refuses_their_mass_alone() -> None:
    found = law(lambda rng: int(rng.choice(2)) if rng.coins(1)[0] < 0.25 else 7)
    assert dict(found) == {7: Fraction(3, 4)}
    assert (found.refused, whole(found)) == (Fraction(1, 4), Fraction(1))


def test_a_comparison_after_coins_of_a_uniform_drawn_before_is_refused() -> None:
    def program(rng: Any) -> bool:
        u = rng.random()
        return bool(rng.coins(1)[0] < 0.5 and u < 0.5)

    found = law(program)
    assert (dict(found), found.refused) == ({False: HALF}, HALF)


def test_a_certain_choice_after_coins_is_none() -> None:
    found = law(lambda rng: (bool(rng.coins(1)[0] < 0.5), int(rng.choice(2, p=[0.0, 1.0]))))
    assert dict(found) == {(True, 1): HALF, (False, 1): HALF}


def test_exact_arithmetic_has_no_grid() -> None:
    found = law(lambda rng: bool(rng.coins(1)[0] < 0.5), arithmetic="exact")
    assert (dict(found), found.refused) == ({}, 1)
    assert kinds(found) == {Kind.LEAK}


def test_a_dtype_without_a_grid_is_refused() -> None:
    found = law(lambda rng: bool(rng.coins(1, dtype="float16")[0] < 0.5))
    assert found.refused == 1
    assert "coins of float16" in reasons(found)


def test_too_many_coins_are_refused() -> None:
    found = law(lambda rng: len(rng.coins(MAX_COINS + 1)))
    assert found.refused == 1
    assert f"more than {MAX_COINS} coins" in reasons(found)
    assert dict(law(lambda rng: len(rng.coins(MAX_COINS)))) == {MAX_COINS: 1}


def test_a_dtype_that_depends_on_other_coins_is_refused() -> None:
    found = law(lambda rng: bool(rng.coins(1, "float64" if rng.coins(1)[0] < 0.25 else "float32")[0] < 0.5))
    assert found.refused == Fraction(1, 4)
    assert "the dtype of a coin depends" in reasons(found)


CALLS: list[int] = []


def counts_calls(rng: Any) -> bool:
    CALLS.append(1)
    return bool(rng.coins(1)[0] < 0.5)


def remembers_a_coin(rng: Any) -> bool:
    u = rng.coins(1)[0]
    if 0.3 < u < 0.31:
        CALLS.append(1)
    return bool(u < 0.5)


def draws_from_the_system(rng: Any) -> bool:
    import os

    return bool(rng.coins(1)[0] < os.urandom(1)[0] / 256)


@pytest.mark.parametrize("program", [counts_calls, remembers_a_coin, draws_from_the_system])
def test_state_and_hidden_randomness_leave_nothing(program: Any) -> None:
    found = law(program)
    CALLS.clear()
    assert (dict(found), found.refused) == ({}, 1)
    assert Kind.HIDDEN in kinds(found)


def test_memory_that_nobody_wrote_is_no_outcome() -> None:
    def program(rng: Any) -> int:
        out = np.empty(1, dtype=np.int64)
        if rng.coins(1)[0] < 0.5:
            out[0] = 5
        return int(out[0])

    found = law(program)
    assert (dict(found), found.refused) == ({}, 1)
    assert "with the same coins the outcome is 0 and not 1" in reasons(found)


def test_a_program_that_swallows_everything_is_not_believed() -> None:
    def program(rng: Any) -> bool:
        u = rng.coins(1)
        try:
            return bool(rng.random() < 0.5)
        except BaseException:
            return bool(u[0] < 0.5)

    assert law(program).refused == 1


def test_a_slope_is_left_over() -> None:
    found = law(lambda rng: bool(rng.coins(2).sum() < 1))
    assert 0 < found.remaining < Fraction(1, 20)
    assert whole(found) == 1


def test_draws_beyond_the_bound_remain() -> None:
    def program(rng: Any) -> int:
        if rng.coins(1)[0] < 0.5:
            for _ in range(100):
                rng.random()
        return 1

    found = law(program, max_draws=50)
    assert (dict(found), found.remaining) == ({1: HALF}, HALF)


def test_runs_with_coins_are_counted() -> None:
    runs = []

    def program(rng: Any) -> bool:
        runs.append(1)
        return bool(rng.coins(1)[0] < 0.5)

    assert law(program, allow_state=("runs",)).paths == len(runs)


# --- the sweep of a path by itself


def _path() -> Path:
    path = Path((), Arithmetic.FLOAT64, 100)
    path.draw_number("a", 16)
    return path


def test_shares_of_a_path_sum_to_one() -> None:
    def once(path: Path, repeats: bool) -> Any:
        k = path.draw_number("a", 16)
        if k < 2:
            path.marks.append(Mark(Kind.REFUSED, "no", ""))
        path.given_up = 2 <= k < 5
        return k < 8

    path = _path()
    swept = sweep_path(path, once)
    assert swept.shares == {
        Lost.KEPT_OUT: Fraction(2, 16), Lost.GIVEN_UP: Fraction(3, 16), True: Fraction(3, 16), False: HALF,
    }  # fmt: skip
    assert path.marks == [Mark(Kind.REFUSED, "no", "")]
    assert (swept.coins[True], swept.coins[False]) == ((Fraction(5, 16),), (HALF,))


def test_another_outcome_in_a_repeat_is_hidden() -> None:
    path = _path()
    swept = sweep_path(path, lambda path, repeats: (path.draw_number("a", 16) < 8) ^ repeats)
    assert swept.shares == {Lost.KEPT_OUT: 1}
    assert [mark.kind for mark in path.marks] == [Kind.HIDDEN]


def test_equal_keys_share_their_coin() -> None:
    path = Path((), Arithmetic.FLOAT64, 100, (3,))
    assert [path.draw_number("a", 16), path.draw_number("a", 16), path.draw_number("b", 16)] == [3, 3, 8]
    assert path.grids == [16, 16]


@pytest.mark.parametrize("kind", Kind)
def test_marks_that_keep_a_path_out(kind: Kind) -> None:
    assert kept_out([Mark(kind, "why", "")]) is (kind in (Kind.REFUSED, Kind.HIDDEN, Kind.LEAK))
    assert not kept_out([])
