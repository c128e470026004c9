"""The exact token rule, held to enumeration that shares no code with it."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given
from sympy import Rational

import proofs
from proofs.strategies import pairs
from proofs.token_rule import emitted_law
from tests.enumeration import NAMED, Row, rows, token_rule_law


def _exact(row: Any) -> tuple[Rational, ...]:
    return tuple(map(proofs.exact, row))


@given(pairs())
@example(((Fraction(1),), (Fraction(1),)))
@example(((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))))
def test_emitted_token_has_the_target_law(pair: tuple[Row, Row]) -> None:
    """For all p, q and every x: dist(x) = p(x), and both are what enumeration gives."""
    dist, alpha = proofs.emitted_distribution(*pair)
    law, kept = token_rule_law(*pair)
    assert dist == _exact(law) == _exact(pair[0])
    assert alpha == proofs.exact(kept) == proofs.acceptance_probability(*pair)


@given(pairs())
def test_alpha_is_one_minus_total_variation(pair: tuple[Row, Row]) -> None:
    """For all p, q: sum q(x) a(x) = 1 - half the sum of |p(x) - q(x)|."""
    assert proofs.acceptance_probability(*pair) == 1 - proofs.total_variation(*pair)


def test_every_pair_of_a_grid_against_enumeration() -> None:
    """For all p, q with probabilities k/5 and V = 3: law, alpha, ratio, residual and coupling."""
    for p in rows(3, 5):
        for q in rows(3, 5):
            law, kept = token_rule_law(p, q)
            assert proofs.emitted_distribution(p, q) == (_exact(law), proofs.exact(kept))
            ratio = [min(Fraction(1), p[x] / q[x]) if q[x] else Fraction(1) for x in range(3)]
            surplus = [max(a - b, Fraction(0)) for a, b in zip(p, q, strict=True)]
            residual = [s / sum(surplus) for s in surplus] if p != q else list(p)
            assert proofs.acceptance_ratio(p, q) == _exact(ratio)
            assert proofs.residual_distribution(p, q) == _exact(residual)
            joint = [
                _exact(q[x] * ((1 - ratio[x]) * residual[y] + (ratio[x] if x == y else 0)) for y in range(3))
                for x in range(3)
            ]
            assert list(proofs.maximal_coupling(p, q)) == joint


@pytest.mark.parametrize(("name", "alpha"), [("I2", "2/3"), ("I3", "2/3"), ("I5", "3/5"), ("B0", "5/8"), ("R3", "3/8")])
def test_golden_alpha(name: str, alpha: str) -> None:
    assert proofs.emitted_distribution(*NAMED[name]).alpha == proofs.exact(alpha)


def test_golden_residuals() -> None:
    assert proofs.residual_distribution(*NAMED["B0"]) == _exact(["0", "1/3", "2/3"])
    assert proofs.residual_distribution(*NAMED["R3"]) == _exact(["1/5", "1/2", "3/10", 0, 0])
    assert proofs.residual_distribution(*NAMED["I5"]) == _exact(["3/4", "1/4", 0, 0])


def test_rows_left_as_they_are_go_through_the_formula() -> None:
    """Sums 3/4 and 1: kept (1/4, 1/2), rejected 1/4, no excess, so the residual is the row p."""
    quarter, half = Rational(1, 4), Rational(1, 2)
    assert emitted_law((quarter, half), (half, half)) == ((quarter * 5 / 4, half * 5 / 4), Rational(3, 4))


def test_results_are_rationals_in_tuples() -> None:
    dist, alpha = proofs.emitted_distribution([1, 0], [0, 1])
    assert isinstance(dist, tuple)
    assert all(isinstance(x, Rational) for x in (*dist, alpha))
