"""The samplers in their parts have the laws of brute force."""

from fractions import Fraction
from typing import Any

import pytest
from sympy.external.gmpy import MPQ

import proofs
from proofs.families.sibling_model import SIBLING_RULE, Law, drawn, drawn_in_turn, draws, fixed_law, weights
from tests import sibling_enumeration as brute
from tests.enumeration import Row


def _exact(row: Row) -> tuple[Any, ...]:
    return tuple(map(proofs.exact, row))


def _law(law: Row, accepted: Fraction) -> Law:
    return Law(weights(_exact(law)), weights(_exact((accepted,)))[0])


@pytest.mark.parametrize("name", brute.PAIRS)
@pytest.mark.parametrize("replacement", [True, False])
def test_recursion(name: str, replacement: bool) -> None:
    p, q = brute.PAIRS[name]
    for k in range(min(len(p), 3) + 1):
        found = drawn(SIBLING_RULE.recursion, _exact(p), _exact(q), k, replacement)
        assert found == _law(*brute.recursive(p, q, k, replacement))
        sequences = {tokens: proofs.exact(mass) for tokens, mass in brute.drafts(q, k, replacement)}
        assert {tokens: MPQ(mass.p, mass.q) for tokens, mass in sequences.items()} == dict(
            draws(_exact(q), k, replacement)
        )


@pytest.mark.parametrize("name", brute.PAIRS)
def test_sequential(name: str) -> None:
    p, q = brute.PAIRS[name]
    for k in range(4):
        for rho in (Fraction(1), Fraction(3, 2), Fraction(3)):
            found = drawn_in_turn(SIBLING_RULE.sequential, _exact(p), _exact(q), k, proofs.exact(rho))
            assert found == _law(*brute.kseq(p, q, k, rho))


def test_fixed_candidates() -> None:
    row = _exact(brute.PAIRS["B0"][0])
    assert fixed_law(row, (2, 0)) == (weights(row), MPQ(5, 8))
    assert fixed_law(row, ()) == (weights(row), 0)
    assert fixed_law(row, (1, 1)) == ((MPQ(1, 20), MPQ(3, 4), MPQ(1, 5)), MPQ(3, 4))
