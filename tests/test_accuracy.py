"""The absolute bound that the docstrings state, on the families of rows that round most."""

import pytest

from tests.accuracy import FAMILIES, FULL, dirichlet, error, one_ulp_apart
from tests.proofs.test_agreement import BOUND


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("family", FAMILIES)
def test_float_law_is_within_the_bound(family: str, dtype: str) -> None:
    """For every pair of the family: dist, at every token, and alpha are within 4 eps of the exact formula."""
    errors = [error(pair) for pair in FAMILIES[family](dtype)]
    assert len(errors) >= 8
    assert max(map(max, errors)) <= BOUND


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_float_law_of_a_whole_vocabulary_is_within_the_bound(dtype: str) -> None:
    """For V = 128,256, random rows and rows one ulp apart."""
    for family in (dirichlet, one_ulp_apart):
        assert max(max(error(pair)) for pair in family(dtype, (FULL,))) <= BOUND
