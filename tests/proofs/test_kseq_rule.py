"""K-SEQ exactly: its law by brute force, which rho are admissible, the least of them."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational

import proofs
from proofs.errors import InexactError, ProofsError
from proofs.kseq_rule import admissible_rho, is_admissible, kseq_acceptance, kseq_law
from proofs.strategies import pairs
from tests import sibling_enumeration as brute
from tests.enumeration import Row

RHO = st.fractions(1, 4, max_denominator=12)


@settings(max_examples=80, deadline=None)
@given(pairs(max_vocabulary=4), st.integers(0, 3), RHO)
def test_law_is_that_of_all_that_can_happen(pair: tuple[Row, Row], k: int, rho: Fraction) -> None:
    """For all p, q with V up to 4, k up to 3 and rho: law and acceptance by brute force; law = p iff admissible."""
    law, accepted = brute.kseq(*pair, k, rho)
    found = kseq_law(*pair, k, rho)
    assert found.dist == tuple(map(proofs.exact, law))
    assert found.alpha == proofs.exact(accepted) == kseq_acceptance(*pair, k, rho)
    assert is_admissible(*pair, k, rho) == brute.can_be_completed(*pair, k, rho) == (law == pair[0])


@settings(max_examples=60, deadline=None)
@given(pairs(max_vocabulary=5), st.integers(0, 4), st.lists(RHO, min_size=4, max_size=4))
def test_admissible_rho_are_an_interval_from_the_least_one(pair: tuple[Row, Row], k: int, rhos: list[Fraction]) -> None:
    """For all p, q, k and rho: k is admissible; above the upper bound all are, below the lower one none but 1."""
    low, high = admissible_rho(*pair, k)
    assert 1 <= low <= high <= max(k, 1)
    assert high - low <= Rational(1, 2**40)
    assert is_admissible(*pair, k, high)
    assert is_admissible(*pair, k, max(k, 1))
    for rho in map(proofs.exact, rhos):
        assert is_admissible(*pair, k, rho) or rho < high
        assert not is_admissible(*pair, k, rho) or rho > low or rho == high


@pytest.mark.parametrize(
    ("name", "k", "rho"),
    [
        ("I3", 2, "3/2"),
        ("I5", 2, "3/2"),
        ("M2", 2, "3/2"),
        ("equal", 3, "1"),
        ("one-hot p", 3, "1"),
        ("disjoint", 2, "1"),
        ("single", 4, "1"),
    ],
)
def test_least_rho_that_is_a_fraction_is_found(name: str, k: int, rho: str) -> None:
    assert admissible_rho(*brute.PAIRS[name], k) == (proofs.exact(rho), proofs.exact(rho))


def test_least_rho_of_i2_is_irrational() -> None:
    """On I2 with k = 2 it is (5 + sqrt 13) / 6, the root of 3 x**2 - 5 x + 1."""
    low, high = admissible_rho(*brute.PAIRS["I2"], 2)
    assert 3 * low**2 - 5 * low + 1 < 0 < 3 * high**2 - 5 * high + 1


def test_rho_one_is_biased_below_the_least_one() -> None:
    p, q = brute.PAIRS["I2"]
    assert not is_admissible(p, q, 2, 1)
    assert kseq_law(p, q, 2, 1).dist == (Rational(4, 9), Rational(5, 9))
    assert kseq_law(p, q, 2, "3/2").dist == (Rational(1, 3), Rational(2, 3))


def test_smaller_rho_keeps_more() -> None:
    p, q = brute.PAIRS["I5"]
    kept = [str(kseq_acceptance(p, q, 2, rho)) for rho in ("3/2", "7/4", 2, 3)]
    assert kept == [str(brute.kseq(p, q, 2, Fraction(rho))[1]) for rho in ("3/2", "7/4", 2, 3)]
    assert kept == ["3/4", "3379/4900", "16/25", "51/100"]


@pytest.mark.parametrize("rho", [0, "1/2", -1, "99/100"])
def test_rho_below_one_is_refused(rho: Any) -> None:
    for function in (kseq_acceptance, kseq_law, is_admissible):
        with pytest.raises(ProofsError, match=f"rho = {rho}; expected at least 1"):
            function(*brute.PAIRS["I3"], 2, rho)


def test_other_bad_arguments_are_refused() -> None:
    with pytest.raises(InexactError):
        kseq_acceptance(*brute.PAIRS["I3"], 2, 1.5)
    with pytest.raises(ProofsError, match="k = -2; expected a number of siblings"):
        admissible_rho(*brute.PAIRS["I3"], -2)
    with pytest.raises(ProofsError, match="k = True is no integer"):
        is_admissible(*brute.PAIRS["I3"], True, 2)
