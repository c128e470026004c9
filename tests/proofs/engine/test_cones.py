import random
from collections.abc import Sequence
from fractions import Fraction
from functools import cache
from itertools import permutations
from math import factorial, prod

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs.engine.cones import Bounds, TooHard, probability, product, tightened
from proofs.engine.weights import ONE, is_weight, to_fraction, weight
from tests.proofs.engine.cells import Comparison, cut, fresh, mass

LIMIT = 10**6
RATIOS = [Fraction(a, b) for a in (1, 2, 3) for b in (1, 2, 3)]


def _bounds(comparisons: Sequence[Comparison]) -> Bounds | None:
    return tightened({}, [(i, weight(c), j) for i, c, j in comparisons])


def _measured(comparisons: Sequence[Comparison], limit: int = LIMIT) -> Fraction:
    bounds = _bounds(comparisons)
    return Fraction(0) if bounds is None else to_fraction(probability(bounds, limit))


def _comparisons(n: int, most: int) -> st.SearchStrategy[list[Comparison]]:
    pairs = st.permutations(range(n)).map(lambda order: order[:2])
    one = st.tuples(pairs, st.sampled_from(RATIOS)).map(lambda drawn: (drawn[0][0], drawn[1], drawn[0][1]))
    return st.lists(one, max_size=most)


@settings(max_examples=150, deadline=None)
@given(_comparisons(4, 8))
def test_probability_is_that_of_the_cells(comparisons: list[Comparison]) -> None:
    assert _measured(comparisons) == mass(cut(fresh(4), *comparisons))


@pytest.mark.parametrize("seed", range(12))
def test_probability_of_long_possible_histories_is_that_of_the_cells(seed: int) -> None:
    """Comparisons that hold at one point, so that the cone stays open and its core large."""
    source = random.Random(seed)
    n = 5
    point = [source.randint(1, 10**6) for _ in range(n)]
    comparisons: list[Comparison] = []
    for _ in range(9):
        i, j = source.sample(range(n), 2)
        c = Fraction(source.randint(1, 9), source.randint(1, 9))
        comparisons.append((i, c, j) if point[i] >= c * point[j] else (j, 1 / c, i))
    found = _measured(comparisons)
    assert found == mass(cut(fresh(n), *comparisons))
    assert found > 0


@cache
def _extensions(order: frozenset[tuple[int, int]], left: frozenset[int]) -> int:
    """Count the linear extensions, from the smallest upwards; (i, j) says that i is above j."""
    if not left:
        return 1
    bottom = [x for x in left if not any(i == x and j in left for i, j in order)]
    return sum(_extensions(order, left - {x}) for x in bottom)


def test_linear_extensions_are_counted_right() -> None:
    order = frozenset({(1, 0), (2, 0), (3, 2)})
    above = [[p.index(i) > p.index(j) for i, j in order] for p in permutations(range(4))]
    assert _extensions(order, frozenset(range(4))) == sum(map(all, above))


@pytest.mark.parametrize(("n", "share"), [(6, 0.4), (7, 0.3), (8, 0.3), (9, 0.25), (10, 0.2), (12, 0.15)])
@pytest.mark.parametrize("seed", range(3))
def test_unit_factors_count_linear_extensions(n: int, share: float, seed: int) -> None:
    source = random.Random(1000 * n + seed)
    names = source.sample(range(n), n)
    order = frozenset((names[a], names[b]) for a in range(n) for b in range(a) if source.random() < share)
    expected = Fraction(_extensions(order, frozenset(range(n))), factorial(n))
    assert _measured([(i, Fraction(1), j) for i, j in order]) == expected


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 10**6), st.sampled_from(RATIOS)), min_size=1, max_size=9))
def test_forests_follow_the_hook_formula(drawn: list[tuple[int, Fraction]]) -> None:
    """A tree with the root smallest: each node against the summed rate of what hangs below it."""
    parents = [0, *(number % (v + 1) for v, (number, _) in enumerate(drawn))]
    scale = [Fraction(1)]  # E_v = scale_v * T_v, and T_v >= T_parent
    for v, (_, c) in enumerate(drawn, start=1):
        scale.append(scale[parents[v]] * c)
    hooks = list(scale)
    for v in range(len(drawn), 0, -1):
        hooks[parents[v]] += hooks[v]
    expected = prod(w / hook for w, hook in zip(scale, hooks, strict=True))
    assert _measured([(v, c, parents[v]) for v, (_, c) in enumerate(drawn, start=1)]) == expected


def test_no_bounds_are_sure() -> None:
    assert tightened({}, []) == {}
    assert probability({}, 0) == ONE


def test_two_variables_and_the_type() -> None:
    bounds = tightened({}, [("a", weight(Fraction(3, 2)), "b")])
    assert bounds == {"b": {"a": weight(Fraction(3, 2))}}
    found = probability(bounds, LIMIT)
    assert is_weight(found)
    assert to_fraction(found) == Fraction(2, 5)


def test_independent_pairs_multiply() -> None:
    pairs = [(0, Fraction(2), 1), (2, Fraction(3), 3), (4, Fraction(1, 2), 5)]
    assert _measured(pairs) == Fraction(1, 3) * Fraction(1, 4) * Fraction(2, 3)


def test_bounds_are_closed_and_the_tightest_kept() -> None:
    bounds = _bounds([(0, Fraction(2), 1), (1, Fraction(3), 2), (0, Fraction(5), 2), (0, Fraction(1), 1)])
    assert bounds == {1: {0: weight(2)}, 2: {1: weight(3), 0: weight(6)}}
    joined = tightened(bounds, [(2, ONE / 12, 0)])  # 6 E_2 <= E_0 <= 12 E_2 closes upwards and downwards
    assert joined is not None
    assert joined[0] == {2: ONE / 12, 1: ONE / 4}
    assert joined[1] == {0: weight(2), 2: ONE / 6}


def test_cycles_that_leave_an_equality_are_impossible() -> None:
    two = [(0, Fraction(2), 1), (1, Fraction(3), 2)]
    assert _bounds([*two, (2, Fraction(1, 6), 0)]) is None
    assert _bounds([*two, (2, Fraction(1, 5), 0)]) is None
    assert _bounds([*two, (2, Fraction(1, 7), 0)]) is not None


def test_tightened_leaves_its_argument_alone() -> None:
    before = {1: {0: weight(2)}}
    tightened(before, [(0, weight(5), 1), (2, weight(1), 0)])
    assert before == {1: {0: weight(2)}}


def _entangled(n: int) -> Bounds:
    source = random.Random(n)
    point = [source.randint(1, 10**6) for _ in range(n)]
    comparisons: list[Comparison] = []
    for _ in range(3 * n):
        i, j = source.sample(range(n), 2)
        c = Fraction(source.randint(1, 9), source.randint(1, 9))
        comparisons.append((i, c, j) if point[i] >= c * point[j] else (j, 1 / c, i))
    bounds = _bounds(comparisons)
    assert bounds is not None
    return bounds


def test_too_much_work_is_refused_by_count() -> None:
    with pytest.raises(TooHard, match="limit=1000 steps; try"):
        probability(_entangled(16), 1000)
    assert issubclass(TooHard, ValueError)


def test_the_limit_is_met_exactly_and_always_the_same() -> None:
    bounds = _bounds([(0, Fraction(2), 1)])
    assert bounds is not None
    assert to_fraction(probability(bounds, 3)) == Fraction(1, 3)  # two variables, then one, then none
    for _ in range(2):
        with pytest.raises(TooHard):
            probability(bounds, 2)


def test_a_long_chain_needs_no_deep_stack() -> None:
    n = 150
    bounds = _bounds([(i + 1, Fraction(1), i) for i in range(n - 1)])
    assert bounds is not None
    assert to_fraction(probability(bounds, LIMIT)) == Fraction(1, factorial(n))


def test_a_deep_core_is_refused_before_the_stack_is() -> None:
    def ring(n: int) -> Bounds | None:  # neighbours within a factor of each other
        return _bounds(
            [c for i in range(n) for c in ((i, Fraction(1, 9), (i + 1) % n), ((i + 1) % n, Fraction(1, 9), i))]
        )

    bounds = ring(41)
    assert bounds is not None
    with pytest.raises(TooHard, match="41 variables that bound one another both ways; expected at most 40"):
        probability(bounds, 10**9)


def test_product_of_nothing_is_one() -> None:
    assert product([]) == ONE
    assert product([weight(2), weight(3)]) == weight(6)


def test_a_cap_is_a_step() -> None:
    bounds = _bounds([(2, Fraction(1), 0), (2, Fraction(1), 1)])  # three variables, then two and their cap
    assert bounds is not None
    assert to_fraction(probability(bounds, 6)) == Fraction(1, 3)
    with pytest.raises(TooHard):
        probability(bounds, 5)


def _steps(bounds: Bounds) -> int:
    low, high = 0, LIMIT
    while low < high:
        middle = (low + high) // 2
        try:
            probability(bounds, middle)
        except TooHard:
            low = middle + 1
        else:
            high = middle
    return low


def test_work_on_independent_parts_adds_up() -> None:
    one = _entangled(7)
    two = {j + 7: {i + 7: c for i, c in row.items()} for j, row in one.items()}
    assert probability({**one, **two}, LIMIT) == probability(one, LIMIT) ** 2
    assert _steps({**one, **two}) <= 2 * _steps(one) + 2 * 7
