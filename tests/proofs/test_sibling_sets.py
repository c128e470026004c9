"""The set of siblings and the best that can be accepted of it: against all sets of tokens, and the other optimum."""

from fractions import Fraction
from itertools import product

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import proofs
from proofs.errors import ProofsError
from proofs.optimum import sibling_optimum, sibling_sets
from proofs.sibling_sets import optimal_acceptance, set_law
from proofs.strategies import pairs
from tests import sibling_enumeration as brute
from tests.enumeration import Row, rows

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
ZERO_OF_P = ((Fraction(0), Fraction(1), Fraction(0)), (HALF, HALF, Fraction(0)))


@settings(max_examples=150, deadline=None)
@given(pairs(max_vocabulary=5), st.integers(0, 3), st.booleans())
@example(ZERO_OF_P, 2, True)
@example(((HALF, HALF), (HALF, HALF)), 2, True)
def test_optimum_is_the_least_over_all_sets(pair: tuple[Row, Row], k: int, replacement: bool) -> None:
    """For all p, q with V up to 5 and k up to 3: prefixes by p/q reach the least over all sets of tokens."""
    k = k if replacement else min(k, len(pair[0]))
    best = optimal_acceptance(*pair, k, replacement)
    assert best == proofs.exact(brute.best(*pair, k, replacement))
    if replacement or k <= sum(map(bool, pair[1])):
        assert best == proofs.exact(sibling_optimum(pair[0], sibling_sets(pair[1], k, replacement)))


def test_optimum_on_every_pair_of_a_grid() -> None:
    """For all p, q with probabilities k/4 and V = 3, and k = 2 and 3: the sorted scan is the least over all sets."""
    for p, q in product(rows(3, 4), repeat=2):
        for k in (2, 3):
            least = min(
                1 + sum(p[x] for x in chosen) - sum(q[x] for x in chosen) ** k
                for chosen in ([], [0], [1], [2], [0, 1], [0, 2], [1, 2], [0, 1, 2])
            )
            assert optimal_acceptance(p, q, k) == proofs.exact(least)


@settings(max_examples=60, deadline=None)
@given(pairs(max_vocabulary=4), st.integers(0, 3), st.booleans())
def test_law_of_the_set_is_that_of_all_sequences(pair: tuple[Row, Row], k: int, replacement: bool) -> None:
    """For all q and k: Pr(S) is the sum over the sequences with that set."""
    q = pair[1]
    k = k if replacement else min(k, len(q))
    law: dict[frozenset[int], Fraction] = {}
    for tokens, weight in brute.drafts(q, k, replacement):
        law[frozenset(tokens)] = law.get(frozenset(tokens), Fraction(0)) + weight
    assert set_law(q, k, replacement) == {tokens: proofs.exact(mass) for tokens, mass in law.items()}


def test_distinct_by_chance_is_another_law() -> None:
    """Drawing without replacement is not drawing with it until the siblings differ."""
    q = [Fraction(1, 2), THIRD, Fraction(1, 6)]
    assert set_law(q, 2, False)[frozenset({0, 1})] == proofs.exact("7/12")
    with_ = set_law(q, 2)
    assert with_[frozenset({0, 1})] / (1 - sum(with_[frozenset({x})] for x in range(3))) == proofs.exact("6/11")


def test_large_vocabulary_with_replacement() -> None:
    p = [Fraction(2 * x, 500 * 501) for x in range(1, 501)]
    best = optimal_acceptance(p, p[::-1], 2)
    assert optimal_acceptance(p, p[::-1], 1) < best < 1


def test_bounds_are_said() -> None:
    row = [Fraction(1, 17)] * 17
    with pytest.raises(ProofsError, match="target has 17 tokens; expected at most 16 without replacement"):
        optimal_acceptance(row, row, 2, replacement=False)
    many = [Fraction(1, 90)] * 90
    with pytest.raises(ProofsError, match="make more than 65536 sets"):
        set_law(many, 3)
    assert len(set_law(row, 3, False)) == 680
