from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs.engine.cones import TooHard, probability, tightened
from proofs.engine.races import Weights, first_of_fresh, last_of_fresh, second_race
from proofs.engine.weights import ONE, to_fraction, weight
from tests.proofs.engine.cells import cut, fresh, mass

ROWS = st.lists(st.integers(0, 4), min_size=4, max_size=4).filter(any)


def _positive(row: list[int]) -> Weights:
    return {i: weight(w) for i, w in enumerate(row) if w}


def _values(odds: Weights) -> dict[object, Fraction]:
    return {i: to_fraction(value) for i, value in odds.items()}


@settings(max_examples=100, deadline=None)
@given(ROWS, ROWS)
def test_second_race_is_that_of_the_cells(q: list[int], r: list[int]) -> None:
    for x in (x for x in range(4) if q[x] and sum(map(bool, q)) > 1):
        edges = [(i, Fraction(q[i], q[x]), x) for i in range(4) if q[i] and i != x]
        before = cut(fresh(4), *edges)
        expected = {}
        for y in (y for y in range(4) if r[y]):
            after = cut(before, *((i, Fraction(r[i], r[y]), y) for i in range(4) if r[i] and i != y))
            expected[y] = mass(after) / mass(before)
        bounds = tightened({}, [(i, weight(c), j) for i, c, j in edges])
        assert bounds is not None
        assert _values(second_race(bounds, _positive(r))) == {y: odds for y, odds in expected.items() if odds}


@settings(max_examples=50, deadline=None)
@given(st.lists(st.integers(1, 6), min_size=1, max_size=5))
def test_last_of_fresh_is_the_cone(row: list[int]) -> None:
    racing = _positive(row)
    odds = {x: last_of_fresh(racing, x, 10**4) for x in racing}
    for x, own in racing.items():
        cone = tightened({}, [(x, own / w, i) for i, w in racing.items() if i != x])
        assert cone is not None
        assert odds[x] == probability(cone, 10**4)
    assert sum(odds.values()) == ONE


def test_last_of_fresh_with_equal_weights_is_quick() -> None:
    racing = dict.fromkeys(range(60), ONE)
    assert to_fraction(last_of_fresh(racing, 7, 10**4)) == Fraction(1, 60)


def test_last_of_fresh_counts_its_work() -> None:
    racing = {i: weight(2**i) for i in range(12)}
    assert 0 < last_of_fresh(racing, 0, 2**11 - 1) < ONE
    with pytest.raises(TooHard, match="the last of 12 exponentials takes more than limit=2046 steps; try"):
        last_of_fresh(racing, 0, 2**11 - 2)


def test_first_of_fresh_is_the_share() -> None:
    assert _values(first_of_fresh(_positive([1, 3]))) == {0: Fraction(1, 4), 1: Fraction(3, 4)}
