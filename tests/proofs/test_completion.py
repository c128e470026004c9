"""Which acceptances can be completed: brute force over all residuals of a grid."""

from fractions import Fraction
from itertools import product
from typing import Any

import pytest

import proofs
from proofs.errors import InexactError, NotADistributionError, ShapeError
from tests.enumeration import rows


def test_completion_against_every_residual_of_a_grid() -> None:
    """For all p, q on k/4 and keep-probabilities 0, 1/2, 1 (V = 2): only the residual returned makes the law p.

    Tried: every row of the grid k/8; none may do where None is returned.
    """
    found = 0
    for p, q in product(rows(2, 4), repeat=2):
        for keep in product((Fraction(0), Fraction(1, 2), Fraction(1)), repeat=2):
            returned = proofs.completing_residual(p, q, keep)
            rejected = 1 - sum(a * b for a, b in zip(q, keep, strict=True))
            for r in rows(2, 8):
                law = tuple(q[x] * keep[x] + rejected * r[x] for x in range(2))
                if law == p and rejected:
                    found += 1
                    assert returned == tuple(map(proofs.exact, r))
    assert found >= 100  # the loop has found residuals at all


def test_no_residual_repairs_an_acceptance_above_the_target() -> None:
    assert proofs.completing_residual(["1/4", "3/4"], ["1/2", "1/2"], [1, 1]) is None


def test_nothing_rejected_returns_the_target() -> None:
    assert proofs.completing_residual(["1/2", "1/2"], ["1/2", "1/2"], [1, 1]) == (proofs.exact("1/2"),) * 2


@pytest.mark.parametrize(
    ("accept", "error", "message"),
    [
        ([1], ShapeError, "accept has 1 tokens; expected 2"),
        (["3/2", 0], NotADistributionError, r"accept\[0\] = 3/2"),
        ([0, -1], NotADistributionError, r"accept\[1\] = -1"),
        ([0.5, 1], InexactError, "0.5"),
        ("11", NotADistributionError, "accept is a str"),
    ],
)
def test_bad_acceptance_is_refused(accept: Any, error: type[ValueError], message: str) -> None:
    with pytest.raises(error, match=message):
        proofs.completing_residual(["1/2", "1/2"], ["1/2", "1/2"], accept)
