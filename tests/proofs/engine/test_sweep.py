"""The sweep against counting on small grids, step functions with few boxes, and pieces that are easily missed."""

import itertools
import math
from collections.abc import Callable, Hashable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs.engine.sweep import DENSITY, MAX_COINS, Sweep, sweep

SINGLE, DOUBLE = 2**24, 2**53
Point = tuple[int, ...]


def counted(outcome_of: Callable[[Point], Hashable], sizes: tuple[int, ...]) -> dict[Any, Fraction]:
    masses: dict[Any, Fraction] = {}
    for point in itertools.product(*map(range, sizes)):
        outcome = outcome_of(point)
        masses[outcome] = masses.get(outcome, Fraction(0)) + Fraction(1, math.prod(sizes))
    return masses


def whole(found: Sweep) -> Fraction:
    return sum(found.masses.values(), Fraction(0)) + found.remaining


def rule(
    target: tuple[tuple[float, ...], ...], draft: tuple[tuple[float, ...], ...], tokens: Point, size: int
) -> Callable[[Point], Point]:
    """The token rule, whose last coin draws the token that follows."""

    def outcome_of(ks: Point) -> Point:
        for at, x in enumerate(tokens):
            if not ks[at] / size * draft[at][x] < target[at][x]:
                kept, row = tokens[:at], [max(a - b, 0.0) for a, b in zip(target[at], draft[at], strict=True)]
                break
        else:
            kept, row = tokens, list(target[len(tokens)])
        u = ks[-1] / size * sum(row)
        return (*kept, next(y for y, edge in enumerate(itertools.accumulate(row)) if u < edge))

    return outcome_of


TARGET = ((1 / 8, 3 / 8, 1 / 2), (1 / 4, 1 / 2, 1 / 4), (1 / 2, 1 / 4, 1 / 4))
DRAFT = ((1 / 2, 1 / 4, 1 / 4), (1 / 8, 1 / 8, 3 / 4))


@pytest.mark.parametrize(("gamma", "size"), [(1, 8), (1, 64), (2, 8), (2, 24)])
def test_token_rule_is_counted_right_on_small_grids(gamma: int, size: int) -> None:
    for tokens in itertools.product(range(3), repeat=gamma):
        outcome_of = rule(TARGET, DRAFT, tokens, size)
        found = sweep(outcome_of, [size] * (gamma + 1))
        assert found.masses == counted(outcome_of, (size,) * (gamma + 1))
        assert found.remaining == 0


@pytest.mark.parametrize("size", [SINGLE, DOUBLE])
def test_token_rule_on_the_grids_of_floats(size: int) -> None:
    found = sweep(rule(TARGET, DRAFT, (0,), size), [size] * 2)
    rejected = Fraction(3, 4)
    assert {y: mass for y, mass in found.masses.items() if len(y) == 2} == {
        (0, 0): Fraction(1, 16), (0, 1): Fraction(1, 8), (0, 2): Fraction(1, 16),
    }  # fmt: skip
    # A residual of 1/8 and 1/4: the first token has the grid points below a third.
    third = Fraction(-(-size // 3), size)
    assert (found.masses[1,], found.masses[2,]) == (rejected * third, rejected * (1 - third))
    assert found.remaining == 0


def test_coins_that_decide_nothing_cut_nothing() -> None:
    assert len(sweep(rule(TARGET, DRAFT, (1,), SINGLE), [SINGLE] * 2).boxes) == 3
    assert len(sweep(lambda ks: ks[1] < 5, [SINGLE] * 4).boxes) == 2


def test_the_tree_has_fewer_boxes_than_a_grid_for_all() -> None:
    found = sweep(rule(TARGET, DRAFT, (0, 2), SINGLE), [SINGLE] * 3)
    assert found.remaining == 0
    assert len(found.boxes) == 7
    assert found.evaluations < 12 * DENSITY


def boxes_of(cuts: list[list[int]], values: list[int]) -> Callable[[Point], int]:
    """Return a step function: the cuts of each coin, and a value for each box of their product."""

    def outcome_of(ks: Point) -> int:
        at = 0
        for k, edges in zip(ks, cuts, strict=True):
            at = at * (len(edges) + 1) + sum(k >= edge for edge in edges)
        return values[at % len(values)]

    return outcome_of


@given(st.data())
@settings(max_examples=60, deadline=None)
def test_step_functions_on_small_grids(data: st.DataObject) -> None:
    sizes = tuple(data.draw(st.lists(st.integers(1, 8), min_size=1, max_size=3)))
    cuts = [sorted(data.draw(st.lists(st.integers(0, size), max_size=3, unique=True))) for size in sizes]
    values = data.draw(st.lists(st.integers(0, 2), min_size=1, max_size=7))
    outcome_of = boxes_of(cuts, values)
    # So many probes that every point of the grid is one of them.
    found = sweep(outcome_of, sizes, density=4096)
    assert found.masses == counted(outcome_of, sizes)
    assert found.remaining == 0


@given(st.data())
@settings(max_examples=40, deadline=None)
def test_wide_steps_on_a_large_grid(data: st.DataObject) -> None:
    edges = st.integers(1, 15).map(lambda part: part * SINGLE // 16 + data.draw(st.integers(-3, 3)))
    cuts = [sorted(data.draw(st.lists(edges, max_size=2, unique=True))) for _ in range(2)]
    found = sweep(boxes_of(cuts, list(range(9))), [SINGLE] * 2)
    pieces = [[b - a for a, b in itertools.pairwise([0, *edge, SINGLE])] for edge in cuts]
    expected = [Fraction(a * b, SINGLE**2) for a, b in itertools.product(*pieces) if a * b]
    assert sorted(found.masses.values()) == sorted(expected)


@pytest.mark.parametrize("coin", [0, 1, 2])
@pytest.mark.parametrize("k", [0, 1, SINGLE // 2, SINGLE - 1])
def test_a_single_round_value_of_one_coin_is_found(coin: int, k: int) -> None:
    found = sweep(lambda ks: ks[coin] == k, [SINGLE] * 3)
    assert found.masses == {True: Fraction(1, SINGLE), False: 1 - Fraction(1, SINGLE)}


def test_coin_zero_inside_a_piece_is_found() -> None:
    found = sweep(lambda ks: "slip" if ks[0] > SINGLE // 3 and ks[1] == 0 else ks[0] > SINGLE // 3, [SINGLE] * 2)
    assert found.masses["slip"] == Fraction(SINGLE - SINGLE // 3 - 1, SINGLE**2)


def test_all_coins_zero_is_found() -> None:
    assert sweep(lambda ks: not any(ks), [SINGLE] * 3).masses[True] == Fraction(1, SINGLE**3)


@pytest.mark.parametrize("at", [0.1234, 0.5001, 0.77777])
@pytest.mark.parametrize("coin", [0, 1])
def test_a_slab_as_wide_as_the_probes_are_apart_is_found(at: float, coin: int) -> None:
    low = int(at * SINGLE)
    width = SINGLE // DENSITY
    found = sweep(lambda ks: low <= ks[coin] < low + width, [SINGLE] * 2)
    assert found.masses == {True: Fraction(width, SINGLE), False: 1 - Fraction(width, SINGLE)}


def test_a_slab_inside_a_piece_is_found() -> None:
    low, width = SINGLE // 7, SINGLE // 1024
    found = sweep(
        lambda ks: (ks[0] < SINGLE // 8, ks[0] < SINGLE // 8 and low <= ks[1] < low + width),
        [SINGLE] * 2,
        density=1024,
    )
    assert found.masses[True, True] == Fraction(1, 8) * Fraction(width, SINGLE)


def test_thin_steps_between_others_are_found_whatever_their_width() -> None:
    edges = [SINGLE // 3, SINGLE // 3 + 1, SINGLE // 3 + 3]
    found = sweep(boxes_of([edges], [0, 1, 2, 3]), [SINGLE])
    assert (found.masses[1], found.masses[2]) == (Fraction(1, SINGLE), Fraction(2, SINGLE))


def test_a_slope_leaves_an_exact_remainder() -> None:
    found = sweep(lambda ks: ks[0] + ks[1] < SINGLE, [SINGLE] * 2, max_evaluations=3000)
    assert 0 < found.remaining < 1
    assert found.evaluations == 3000
    assert whole(found) == 1


def test_a_slope_on_a_small_grid_is_counted() -> None:
    def slope(ks: Point) -> bool:
        return ks[0] + ks[1] < 8

    assert sweep(slope, [8, 8]).masses == counted(slope, (8, 8))


def test_every_point_is_evaluated_once() -> None:
    seen: list[Point] = []

    def outcome_of(ks: Point) -> bool:
        seen.append(ks)
        return ks[0] * 3 < SINGLE

    found = sweep(outcome_of, [SINGLE] * 2)
    assert len(seen) == len(set(seen)) == found.evaluations
    assert {k[0] for k in seen} >= {0, 1, SINGLE - 1}
    assert all(0 <= k < SINGLE for ks in seen for k in ks)


def test_probes_lie_as_close_as_is_said() -> None:
    seen: list[Point] = []
    found = sweep(lambda ks: seen.append(ks), [SINGLE] * 3)
    for coin in range(3):
        values = sorted({ks[coin] for ks in seen})
        assert max(b - a for a, b in itertools.pairwise(values)) <= SINGLE // found.density


def test_boxes_are_disjoint_and_hold_what_they_say() -> None:
    outcome_of = rule(TARGET, DRAFT, (0,), 16)
    found = sweep(outcome_of, [16, 16])
    points = [
        point
        for lowest, highest, outcome in found.boxes
        for point in itertools.product(*(range(a, b + 1) for a, b in zip(lowest, highest, strict=True)))
        if outcome_of(point) == outcome
    ]
    assert len(points) == len(set(points)) == 16 * 16


def test_without_coins_there_is_one_box() -> None:
    found = sweep(lambda ks: ks, [])
    assert found.masses == {(): Fraction(1)}
    assert (found.remaining, found.evaluations) == (Fraction(0), 1)


def test_so_many_coins_as_are_allowed() -> None:
    found = sweep(lambda ks: ks[-1] < 4, [16] * MAX_COINS)
    assert found.masses == {True: Fraction(1, 4), False: Fraction(3, 4)}


def test_what_the_function_raises_is_raised() -> None:
    with pytest.raises(ZeroDivisionError):
        sweep(lambda ks: 1 // ks[0], [8])


@pytest.mark.parametrize(
    ("sizes", "options", "text"),
    [
        ([8, 0], {}, r"sizes\[1\] = 0"),
        ([8], {"density": 0}, "density = 0"),
        ([8], {"max_evaluations": 0}, "max_evaluations = 0"),
        ([2] * (MAX_COINS + 1), {}, "9 coins"),
    ],
)
def test_bad_arguments_are_named(sizes: list[int], options: dict[str, int], text: str) -> None:
    with pytest.raises(ValueError, match=text):
        sweep(lambda ks: 0, sizes, **options)
