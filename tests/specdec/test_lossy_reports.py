"""Distances and ratios of declared laws in floats, and the acceptance that a distance allows."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given

from proofs import lossy_reports as exact_reports
from proofs import lossy_rules as exact_rules
from specdec import lossy_reports, lossy_rules
from specdec.errors import NotADistributionError, ShapeError, SpecdecError
from specdec.token_rule import EmittedDistribution
from tests.specdec.test_token_rule import dyadic_pairs


@given(dyadic_pairs())
def test_report_is_the_exact_twins(pair: tuple[list[float], list[float]]) -> None:
    """For all dyadic p, q: synthetic acceptance 1/2, whose law floats hold, has the exact report; ratios round once."""
    report = lossy_reports.lossy_report(*pair, lossy_rules.synthetic(*pair, 0.5))
    p, q = (tuple(Fraction(x) for x in row) for row in pair)
    expected = exact_reports.lossy_report(p, q, exact_rules.synthetic(p, q, "1/2"))
    assert np.allclose([float(x) for x in report], [float(x) for x in expected], rtol=1e-15, atol=0)


def test_report_of_a_batch() -> None:
    p = np.array([[0.5, 0.5, 0.0], [0.25, 0.25, 0.5]])
    q = np.array([[0.25, 0.25, 0.5], [0.25, 0.25, 0.5]])
    report = lossy_reports.lossy_report(p, q, lossy_rules.synthetic(p, q, 0.5))
    assert report.total_variation.tolist() == [0.25, 0.0]
    assert report.least_ratio.tolist() == [0.75, 1.0]
    assert report.greatest_ratio.tolist() == [np.inf, 1.0]
    assert report.alpha.tolist() == [0.5, 0.5]
    assert report.bound.tolist() == [0.75, 1.0]
    assert lossy_reports.acceptance_bound(p, q, 0.25).tolist() == [0.75, 1.0]


@pytest.mark.parametrize(
    ("call", "error", "message"),
    [
        (
            lambda: lossy_reports.acceptance_bound([1.0], [1.0], 2),
            SpecdecError,
            "budget = 2.0; expected 0 <= budget <= 1",
        ),
        (lambda: lossy_reports.acceptance_bound([1.0], [0.5, 0.5], 0), ShapeError, "target has shape"),
        (lambda: lossy_reports.law_ratios([1.0], [0.5]), NotADistributionError, "law sums to 0.5"),
        (
            lambda: lossy_reports.lossy_report([1.0], [1.0], EmittedDistribution(np.array([0.5]), 1.0)),
            NotADistributionError,
            "law sums to 0.5",
        ),
    ],
)
def test_bad_arguments_are_refused(call: Any, error: type[ValueError], message: str) -> None:
    with pytest.raises(error, match=message):
        call()
