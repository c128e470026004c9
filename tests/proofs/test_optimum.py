"""The best acceptance: golden values, and linear programs over every rule there is, solved exactly."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs.errors import ProofsError
from proofs.optimum import block_optimum, sibling_optimum, sibling_sets
from proofs.strategies import distributions
from tests.call_laws import always, block, by_prefix, chain, drafts
from tests.enumeration import NAMED

Row = tuple[Fraction, ...]


def _greatest(objective: list[Fraction], matrix: list[list[Fraction]], bounds: list[Fraction]) -> Fraction:
    """Greatest objective . x over x >= 0 with matrix x <= bounds, bounds >= 0: simplex, Bland's rule."""
    n, m = len(objective), len(matrix)
    table = [
        [*row, *(Fraction(i == j) for j in range(m)), b] for i, (row, b) in enumerate(zip(matrix, bounds, strict=True))
    ]
    costs = [*(-c for c in objective), *[Fraction(0)] * (m + 1)]
    basis = list(range(n, n + m))
    while (enters := next((j for j in range(n + m) if costs[j] < 0), None)) is not None:
        rows = [i for i in range(m) if table[i][enters] > 0]
        leaves = min(rows, key=lambda i: (table[i][-1] / table[i][enters], basis[i]))
        pivot = [v / table[leaves][enters] for v in table[leaves]]
        table = [[v - r[enters] * w for v, w in zip(r, pivot, strict=True)] for r in table]
        table[leaves], basis[leaves] = pivot, enters
        costs = [v - costs[enters] * w for v, w in zip(costs, pivot, strict=True)]
    return costs[-1]


def _best_rule(target: dict[tuple[int, ...], Row], draft_law: dict[tuple[int, ...], Fraction], gamma: int) -> Fraction:
    """Over all rules: Pr(tau >= i, drafts = w) for every i and w, nested, admissible at every node."""
    drafted = sorted(draft_law)
    at = {key: j for j, key in enumerate((i, w) for i in range(1, gamma + 1) for w in drafted)}
    matrix, bounds = [], []

    def constrain(parts: dict[tuple[int, tuple[int, ...]], Fraction], bound: Fraction) -> None:
        row = [Fraction(0)] * len(at)
        for key, factor in parts.items():
            row[at[key]] += factor
        matrix.append(row)
        bounds.append(bound)

    for i, w in at:
        constrain(
            {(i, w): Fraction(1)} | ({(i - 1, w): Fraction(-1)} if i > 1 else {}),
            Fraction(0) if i > 1 else draft_law[w],
        )
    for i in range(1, gamma + 1):
        for prefix in {w[:i] for w in drafted}:
            p = target[prefix[:-1]][prefix[-1]]
            kept = {(i, w): Fraction(1) for w in drafted if w[:i] == prefix}
            before = {(i - 1, w): -p for w in drafted if w[: i - 1] == prefix[:-1]} if i > 1 else {}
            constrain(kept | before, p if i == 1 else Fraction(0))
    return _greatest([Fraction(1)] * len(at), matrix, bounds)


def _best_choice(target: Row, sets: dict[frozenset[int], Fraction]) -> Fraction:
    edges = [(s, x) for s in sets for x in s]
    matrix = [[Fraction(s == t) for t, _ in edges] for s in sets] + [
        [Fraction(x == y) for _, y in edges] for x in range(len(target))
    ]
    return _greatest([Fraction(1)] * len(edges), matrix, [*sets.values(), *target])


@pytest.mark.parametrize(
    ("name", "expected"), [("I2", Fraction(11, 9)), ("I3", Fraction(7, 6)), ("I5", Fraction(103, 100))]
)
def test_block_optimum_of_the_named_pairs(name: str, expected: Fraction) -> None:
    p, q = NAMED[name]
    law = drafts(always(q), 2, len(p))
    assert block_optimum(always(p), law, 2) == expected
    accepted = sum(mass * (len(e) - 1) for (_, e), mass in block(always(p), always(q), 2, len(p)).items())
    assert accepted == expected


@pytest.mark.parametrize(("name", "alpha"), [("I2", Fraction(2, 3)), ("I3", Fraction(2, 3)), ("I5", Fraction(3, 5))])
def test_one_draft_is_accepted_at_most_with_one_minus_the_distance(name: str, alpha: Fraction) -> None:
    p, q = NAMED[name]
    assert block_optimum(always(p), drafts(always(q), 1, len(p)), 1) == alpha
    assert sibling_optimum(p, sibling_sets(q, 1)) == alpha


def test_no_draft_is_never_accepted() -> None:
    assert block_optimum(always(NAMED["I3"][0]), {(): Fraction(1)}, 0) == 0
    assert sibling_optimum(NAMED["I3"][0], {frozenset(): Fraction(1)}) == 0
    assert sibling_sets(NAMED["I3"][1], 0) == {frozenset(): 1}


@pytest.mark.parametrize("name", ["I2", "I3", "I5", "B0"])
def test_token_rule_is_not_above_the_optimum(name: str) -> None:
    p, q = NAMED[name]
    best = block_optimum(always(p), drafts(always(q), 2, len(p)), 2)
    accepted = sum(mass * (len(e) - 1) for (_, e), mass in chain(always(p), always(q), 2, len(p)).items())
    assert accepted < best


@settings(max_examples=40, deadline=None)
@given(st.data())
def test_block_optimum_is_the_best_of_all_rules(data: st.DataObject) -> None:
    target = {prefix: data.draw(distributions(2)) for i in range(2) for prefix in product(range(2), repeat=i)}
    joint = data.draw(distributions(4))
    law = {w: m for w, m in zip(product(range(2), repeat=2), joint, strict=True) if m}
    assert block_optimum(lambda prefix: target[prefix], law, 2) == _best_rule(target, law, 2)


def test_block_optimum_of_three_drafts_is_the_best_of_all_rules() -> None:
    rows = by_prefix(
        {(): NAMED["I2"][0], (0,): (Fraction(1, 5), Fraction(4, 5)), (1, 0): (Fraction(1), Fraction(0))},
        (Fraction(3, 7), Fraction(4, 7)),
    )
    law = drafts(
        by_prefix(
            {(): (Fraction(1, 2), Fraction(1, 2)), (1,): (Fraction(9, 10), Fraction(1, 10))},
            (Fraction(1, 6), Fraction(5, 6)),
        ),
        3,
        2,
    )
    target = {prefix: rows(prefix) for i in range(3) for prefix in product(range(2), repeat=i)}
    assert block_optimum(rows, law, 3) == _best_rule(target, law, 3)


def test_drafts_outside_the_vocabulary_are_never_kept() -> None:
    assert block_optimum(
        always((Fraction(1, 2), Fraction(1, 2))), {(2, 0): Fraction(1, 2), (0, -1): Fraction(1, 2)}, 2
    ) == Fraction(1, 2)
    assert sibling_optimum(
        (Fraction(1, 2), Fraction(1, 2)), {frozenset({2, 0}): Fraction(1, 4), frozenset({-1}): Fraction(3, 4)}
    ) == Fraction(1, 4)


def test_drafts_that_are_not_known_are_not_counted_as_kept() -> None:
    half = (Fraction(1, 2), Fraction(1, 2))
    assert sibling_optimum(half, {frozenset({0}): Fraction(1, 4)}) == Fraction(1, 4)
    assert sibling_optimum(half, {}) == 0
    assert block_optimum(always(half), {(0,): Fraction(1, 4)}, 1) == Fraction(1, 4)


def test_row_after_a_prefix_that_is_never_kept_is_not_asked_for() -> None:
    def target(prefix: tuple[int, ...]) -> Row:
        return {(): (Fraction(1), Fraction(0)), (0,): (Fraction(1, 2), Fraction(1, 2))}[prefix]

    assert block_optimum(
        target, {(1, 1): Fraction(1, 2), (7, 0): Fraction(1, 4), (0, 0): Fraction(1, 4)}, 2
    ) == Fraction(3, 8)


@pytest.mark.parametrize(("name", "expected"), [("I3", Fraction(29, 36)), ("I5", Fraction(79, 100))])
def test_sibling_optimum_of_two_independent_drafts(name: str, expected: Fraction) -> None:
    p, q = NAMED[name]
    assert sibling_optimum(p, sibling_sets(q, 2)) == expected == _best_choice(p, sibling_sets(q, 2))


@pytest.mark.parametrize(("name", "recursive"), [("I3", Fraction(7, 9)), ("I5", Fraction(107, 140))])
def test_sibling_optimum_without_replacement_is_above_the_recursive_rule(name: str, recursive: Fraction) -> None:
    p, q = NAMED[name]
    sets = sibling_sets(q, 2, replacement=False)
    assert recursive <= sibling_optimum(p, sets) == _best_choice(p, sets)
    assert sibling_optimum(p, sibling_sets(q, len(p), replacement=False)) == 1


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_sibling_optimum_is_the_greatest_flow(data: st.DataObject) -> None:
    vocabulary = data.draw(st.integers(1, 4))
    p = data.draw(distributions(vocabulary))
    sets = data.draw(st.lists(st.frozensets(st.integers(0, vocabulary - 1)), min_size=1, max_size=5, unique=True))
    law = dict(zip(sets, data.draw(distributions(len(sets))), strict=True))
    assert sibling_optimum(p, law) == _best_choice(p, law)


@pytest.mark.parametrize("replacement", [True, False])
def test_sibling_sets_are_those_of_all_sequences_of_drafts(replacement: bool) -> None:
    q = (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6), Fraction(0))
    law: dict[frozenset[int], Fraction] = {}
    for drawn in product(range(4), repeat=3):
        mass, left = Fraction(1), Fraction(1)
        for i, x in enumerate(drawn):
            again = not replacement and x in drawn[:i]
            mass *= 0 if again or not mass else q[x] / left
            left -= 0 if replacement else q[x]
            if not mass:
                break
        if mass:
            law[frozenset(drawn)] = law.get(frozenset(drawn), Fraction(0)) + mass
    assert sibling_sets(q, 3, replacement) == law
    assert sum(law.values()) == 1


def test_bad_arguments_are_named() -> None:
    half = (Fraction(1, 2), Fraction(1, 2), Fraction(0))
    with pytest.raises(ProofsError, match="k is 3; expected 0 to 2"):
        sibling_sets(half, 3, replacement=False)
    with pytest.raises(ProofsError, match="k is -1; expected 0 or more"):
        sibling_sets(half, -1)
    with pytest.raises(ProofsError, match="sums to 1/2"):
        sibling_sets((Fraction(1, 2), Fraction(0)), 1)
    with pytest.raises(ProofsError, match="target has 17 tokens; expected at most 16"):
        sibling_optimum((Fraction(1, 17),) * 17, {})
    with pytest.raises(ProofsError, match="sums to 3/2"):
        sibling_optimum(half, {frozenset({0}): Fraction(3, 2)})
    with pytest.raises(ProofsError, match="is -1; expected masses >= 0"):
        block_optimum(always(half), {(0,): Fraction(-1)}, 1)
    with pytest.raises(ProofsError, match=r"1 tokens in \(0,\); expected gamma = 2"):
        block_optimum(always(half), {(0,): Fraction(1)}, 2)
