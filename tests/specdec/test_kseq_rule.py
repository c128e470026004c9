"""K-SEQ in floats, held to brute force."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import proofs.kseq_rule
from proofs.strategies import pairs
from specdec.errors import ShapeError, SpecdecError
from specdec.kseq_rule import admissible_rho, is_admissible, kseq_acceptance, kseq_law
from tests import sibling_enumeration as brute
from tests.enumeration import Row

EPS = float(np.finfo(float).eps)
RHO = st.sampled_from([Fraction(1), Fraction(5, 4), Fraction(3, 2), Fraction(2), Fraction(4)])


def _floats(row: Any) -> list[float]:
    return [float(x) for x in row]


@settings(max_examples=80, deadline=None)
@given(pairs(max_vocabulary=4), st.integers(0, 3), RHO)
def test_law_is_that_of_all_that_can_happen(pair: tuple[Row, Row], k: int, rho: Fraction) -> None:
    """For all p, q with V up to 4, k up to 3 and rho: law and acceptance within 16 eps of brute force."""
    law, accepted = brute.kseq(*pair, k, rho)
    p, q = map(_floats, pair)
    found = kseq_law(p, q, k, float(rho))
    np.testing.assert_allclose(found.dist, _floats(law), rtol=0, atol=16 * EPS)
    assert abs(found.alpha - float(accepted)) <= 16 * EPS
    assert found.alpha == kseq_acceptance(p, q, k, float(rho))


@settings(max_examples=60, deadline=None)
@given(pairs(max_vocabulary=5), st.integers(0, 4))
def test_least_admissible_rho_lies_between_the_exact_bounds(pair: tuple[Row, Row], k: int) -> None:
    """For all p, q and k: within 1e-10 of the exact bounds, admissible, and so is k."""
    p, q = map(_floats, pair)
    rho = admissible_rho(p, q, k)
    low, high = proofs.kseq_rule.admissible_rho(*pair, k)
    assert float(low) - 1e-10 <= rho <= float(high) + 1e-10
    assert is_admissible(p, q, k, rho)
    assert is_admissible(p, q, k, max(k, 1))


def test_batches_and_a_rho_for_each_row() -> None:
    p, q = np.random.default_rng(3).dirichlet(np.ones(5), size=(2, 4))
    rho = admissible_rho(p, q, 3)
    law = kseq_law(p, q, 3, rho)
    assert rho.shape == law.alpha.shape == (4,)
    np.testing.assert_allclose(law.dist, p, rtol=0, atol=16 * EPS)
    for i in range(4):
        alone = kseq_law(p[i], q[i], 3, rho[i])
        assert (alone.dist == law.dist[i]).all()
        assert alone.alpha == law.alpha[i]
    assert is_admissible(p, q, 3, 3).tolist() == [True] * 4


def test_any_number_of_siblings() -> None:
    """With a billion of them some sibling is kept, unless none can be; k is still admissible."""
    p, q = [0.5, 0.5, 0.0], [0.25, 0.25, 0.5]
    assert kseq_acceptance(p, q, 10**9, 2) == 1
    assert kseq_acceptance([1.0, 0.0], [0.0, 1.0], 10**9, 1) == 0
    assert abs(kseq_acceptance([1.0, 0.0], [1e-12, 1 - 1e-12], 10**9, 10**9) - -np.expm1(-1e-3)) < 1e-9
    assert is_admissible(p, q, 10**9, 10**9)


def test_underflow_is_no_error() -> None:
    with np.errstate(all="raise"):
        assert kseq_law([1.0, 5e-324], [5e-324, 1.0], 3, 3).alpha < 1e-320
        assert is_admissible([1.0, 5e-324], [5e-324, 1.0], 3, 3)


def test_dtype_is_kept() -> None:
    p, q = np.array([[0.25, 0.75], [0.75, 0.25]], np.float32)
    law = kseq_law(p, q, 2, 2)
    assert law.dist.dtype == law.alpha.dtype == "float32"
    assert law.alpha == np.float32(39 / 64)


@pytest.mark.parametrize("rho", [0, 0.99, -1, float("nan"), float("inf"), [2.0, 0.5]])
def test_rho_below_one_is_refused(rho: Any) -> None:
    rows = [[0.25, 0.75]] * 2, [[0.75, 0.25]] * 2
    for function in (kseq_acceptance, kseq_law, is_admissible):
        with pytest.raises(SpecdecError, match="rho = .*; expected a finite number of at least 1"):
            function(*rows, 2, rho)


def test_other_bad_arguments_are_refused() -> None:
    rows = [0.25, 0.75], [0.75, 0.25]
    with pytest.raises(SpecdecError, match="rho = 'much' is no number"):
        kseq_acceptance(*rows, 2, "much")
    with pytest.raises(ShapeError, match=r"rho has shape \(2,\) and target has shape \(2,\)"):
        kseq_acceptance(*rows, 2, [2.0, 2.0])
    with pytest.raises(SpecdecError, match="k = -1; expected a number of siblings"):
        admissible_rho(*rows, -1)


def test_a_rho_far_from_the_least_is_judged_right_for_many_siblings() -> None:
    """G falls short of rho by (1 - 1/rho)**50 there, far below rounding; found by comparing with exact rationals."""
    p, q = [0.625, 0.375], [0.65625, 0.34375]
    bracket = proofs.kseq_rule.admissible_rho([Fraction(x) for x in p], [Fraction(x) for x in q], 50)
    assert float(admissible_rho(p, q, 50)) == pytest.approx(float(bracket.high), abs=1e-9)
    assert all(is_admissible(p, q, 50, rho) for rho in np.linspace(float(bracket.high) + 1e-9, 50, 400))
    assert not any(is_admissible(p, q, 50, rho) for rho in np.linspace(1, float(bracket.low) - 1e-9, 50))


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("k", [1, 2, 3, 7, 50])
def test_the_least_rho_is_admissible_in_every_dtype(dtype: Any, k: int) -> None:
    """For rows at random, the returned number itself passes: it is not rounded to the rows' dtype on the way."""
    rng = np.random.default_rng(5)
    p, q = (rows / rows.sum(axis=-1, keepdims=True) for rows in rng.random((2, 40, 4)))
    p, q = p.astype(dtype), q.astype(dtype)
    assert is_admissible(p, q, k, admissible_rho(p, q, k)).all()
