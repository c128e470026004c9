"""The exact laws of siblings, held to brute force that shares no code with them, and to golden values."""

from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational

import proofs
from proofs import sibling_rule
from proofs.errors import InexactError, NotADistributionError, ProofsError, ShapeError
from proofs.sibling_rule import (
    acceptance,
    kseq_acceptance,
    optimal_acceptance,
    recursive_joint,
    recursive_law,
    residuals,
    set_acceptance,
)
from proofs.strategies import pairs
from tests import sibling_enumeration as brute
from tests.enumeration import Row
from tests.sibling_golden import GOLDEN

BOTH = pytest.mark.parametrize("replacement", [True, False])
HALF = ["1/2", "1/2"]


def _exact(row: Any) -> tuple[Rational, ...]:
    return tuple(map(proofs.exact, row))


@pytest.mark.parametrize(("name", "k"), GOLDEN)
def test_golden_values(name: str, k: int) -> None:
    p, q = brute.PAIRS[name]
    with_, without, best, best_without, sequential = map(proofs.exact, GOLDEN[name, k].split())
    assert acceptance(p, q, k) == with_
    assert acceptance(p, q, k, replacement=False) == without
    assert optimal_acceptance(p, q, k) == best
    assert optimal_acceptance(p, q, k, replacement=False) == best_without
    assert kseq_acceptance(p, q, k, k) == sequential
    assert max(with_, sequential) <= best
    assert without <= best_without


@settings(max_examples=60, deadline=None)
@given(pairs(max_vocabulary=4), st.integers(0, 3), st.booleans())
def test_law_is_that_of_all_that_can_happen(pair: tuple[Row, Row], k: int, replacement: bool) -> None:
    """For all p, q with V up to 4 and k up to 3: laws and acceptance are those of brute force; the law is p."""
    k = k if replacement else min(k, len(pair[0]))
    law, accepted = brute.recursive(*pair, k, replacement)
    assert recursive_law(*pair, k, replacement) == (_exact(law), proofs.exact(accepted))
    assert _exact(law) == _exact(pair[0])
    joint = brute.recursive_joint(*pair, k, replacement)
    assert recursive_joint(*pair, k, replacement) == {key: proofs.exact(mass) for key, mass in joint.items()}


@settings(max_examples=60, deadline=None)
@given(pairs(max_vocabulary=5), st.integers(0, 4))
def test_acceptance_is_one_minus_the_product_of_distances(pair: tuple[Row, Row], k: int) -> None:
    """For all p, q and k: with replacement 1 - prod TV(r_j, q), and each residual that of the token rule."""
    rows = residuals(*pair, k)
    product = proofs.exact(1)
    for before, after in pairwise(rows):
        product *= proofs.total_variation(before, pair[1])
        assert after == proofs.residual_distribution(before, pair[1])
    assert len(rows) == k + 1
    assert acceptance(*pair, k) == 1 - product


@settings(max_examples=60, deadline=None)
@given(pairs(max_vocabulary=5))
def test_one_sibling_is_the_token_rule(pair: tuple[Row, Row]) -> None:
    """For all p, q: with k = 1 law, acceptance, optimum and joint law are the token rule's."""
    token = proofs.emitted_distribution(*pair)
    for replacement in (True, False):
        assert recursive_law(*pair, 1, replacement) == token
        assert optimal_acceptance(*pair, 1, replacement) == token.alpha
        coupling = proofs.maximal_coupling(*pair)
        cells = {((x,), y): mass for x, row in enumerate(coupling) for y, mass in enumerate(row) if mass}
        assert recursive_joint(*pair, 1, replacement) == cells


@BOTH
def test_no_sibling_leaves_the_target(replacement: bool) -> None:
    p, q = brute.PAIRS["B0"]
    assert recursive_law(p, q, 0, replacement) == (_exact(p), 0)
    assert recursive_joint(p, q, 0, replacement) == {((), y): mass for y, mass in enumerate(_exact(p))}
    assert residuals(p, q, 0) == (_exact(p),)


@pytest.mark.parametrize("name", ["zero of q", "disjoint", "one-hot q", "R3"])
def test_support_used_up_accepts_what_it_holds(name: str) -> None:
    p, q = brute.PAIRS[name]
    support = [x for x, chance in enumerate(q) if chance]
    assert acceptance(p, q, len(support), replacement=False) == proofs.exact(sum((p[x] for x in support), Fraction(0)))
    assert acceptance(p, q, len(p), replacement=False) == 1


def test_rows_may_be_callables_of_the_prefix() -> None:
    p, q = brute.PAIRS["I5"]
    assert acceptance(lambda prefix: p if prefix == () else None, lambda prefix: q, 2) == Rational(18, 25)


def test_rejected_siblings_are_not_emitted() -> None:
    """For all cases of the named pairs: what is emitted after the last rejection is no sibling."""
    for p, q in brute.PAIRS.values():
        joint = recursive_joint(p, q, 2)
        kept = sum((mass for (tokens, y), mass in joint.items() if y in tokens), proofs.exact(0))
        assert kept == acceptance(p, q, 2)


def test_set_of_candidates() -> None:
    p = brute.PAIRS["B0"][0]
    assert set_acceptance(p, []) == 0
    assert set_acceptance(p, [2, 0]) == Rational(5, 8)
    assert set_acceptance(p, (0, 1, 2)) == 1


@pytest.mark.parametrize(
    ("tokens", "words"),
    [
        ([0, 3], r"tokens\[1\] = 3; expected an integer between 0 and V - 1 = 2"),
        ([-1], r"tokens\[0\] = -1; expected"),
        ([1, 2, 1], r"tokens\[2\] = 1 is tokens\[0\] again; expected distinct tokens"),
        (["0"], "no sequence of integers"),
        (2, "no sequence of integers"),
    ],
)
def test_candidates_that_are_none_are_refused(tokens: Any, words: str) -> None:
    with pytest.raises(ProofsError, match=words):
        set_acceptance(brute.PAIRS["B0"][0], tokens)


FUNCTIONS = [acceptance, recursive_law, residuals, recursive_joint, optimal_acceptance]


@pytest.mark.parametrize("function", FUNCTIONS)
def test_bad_rows_and_counts_are_refused(function: Any) -> None:
    with pytest.raises(ProofsError, match="k = -1; expected a number of siblings, 0 or more"):
        function(HALF, HALF, -1)
    with pytest.raises(ProofsError, match="k = 1.5 is no integer"):
        function(HALF, HALF, 1.5)
    with pytest.raises(ShapeError, match="draft has 3 tokens; expected 2"):
        function(HALF, ["1/3", "1/3", "1/3"], 1)
    with pytest.raises(NotADistributionError, match="target sums to 3/4"):
        function(["1/2", "1/4"], HALF, 1)
    with pytest.raises(InexactError, match=r"draft\[0\]: 0.5"):
        function(HALF, [0.5, 0.5], 1)
    with pytest.raises(NotADistributionError, match="draft.* is None"):
        function(HALF, lambda prefix: None, 1)


@pytest.mark.parametrize("function", [f for f in FUNCTIONS if f is not residuals])
def test_more_siblings_than_tokens_are_refused_without_replacement(function: Any) -> None:
    with pytest.raises(ProofsError, match="k = 3 without replacement; expected at most V = 2"):
        function(HALF, HALF, 3, replacement=False)
    with pytest.raises(ProofsError, match="replacement = no; expected True"):
        function(HALF, HALF, 1, replacement="no")


def test_too_many_sequences_are_refused() -> None:
    row = [Rational(1, 20)] * 20
    ramp = [Rational(x, 210) for x in range(1, 21)]
    with pytest.raises(ProofsError, match="the sequences of siblings to go through, times V, are more than 262144"):
        recursive_joint(row, row, 4)
    with pytest.raises(ProofsError, match="the sequences of siblings to go through, times V, are more than 262144"):
        recursive_law(row, ramp, 10, replacement=False)


def test_many_siblings_over_many_tokens_with_replacement() -> None:
    """With replacement nothing grows with the number of sequences."""
    p = [Rational(2 * x, 100 * 101) for x in range(1, 101)]
    law = recursive_law(p, p[::-1], 6)
    assert law.dist == tuple(p)
    assert law.alpha < optimal_acceptance(p, p[::-1], 6) <= 1


def test_results_are_rationals() -> None:
    law = recursive_law([1, 0], [0, 1], 2)
    assert all(isinstance(x, Rational) for x in (*law.dist, law.alpha))
    assert isinstance(acceptance([1], [1], 3), Rational)
    assert set(sibling_rule.__all__) >= {"set_law", "kseq_law", "is_admissible", "admissible_rho"}
