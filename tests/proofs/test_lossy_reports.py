"""Distances and ratios of declared laws, and the acceptance that a distance allows."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import oo

import proofs
from proofs import lossy_rules
from proofs.errors import NotADistributionError, ProofsError
from proofs.lossy_reports import acceptance_bound, law_ratios, lossy_report
from proofs.strategies import pairs
from proofs.token_rule import EmittedDistribution
from tests.enumeration import NAMED, Row
from tests.proofs.test_lossy_rules import CALLS

I3 = NAMED["I3"]


@given(pairs(), st.sampled_from(CALLS))
def test_no_rule_keeps_more_than_its_distance_allows(pair: tuple[Row, Row], call: tuple[str, tuple[Any, ...]]) -> None:
    """For all p, q and every rule: alpha <= min(1, 1 - TV(p, q) + TV(p, law)), and law lies between the ratios."""
    rule, arguments = call
    emitted = getattr(lossy_rules, rule)(*pair, *arguments)
    report = lossy_report(*pair, emitted)
    assert report.alpha <= report.bound <= 1
    assert report.total_variation == proofs.total_variation(pair[0], emitted.dist)
    assert report.least_ratio <= 1 <= report.greatest_ratio
    for mass, chance in zip(pair[0], emitted.dist, strict=True):
        p = proofs.exact(mass)
        assert report.least_ratio * p <= chance
        assert report.greatest_ratio == oo or chance <= report.greatest_ratio * p


@given(pairs())
def test_bound_of_nothing_is_the_token_rule(pair: tuple[Row, Row]) -> None:
    """For all p, q: with budget 0 the bound is 1 - TV(p, q), with budget 1 it is 1."""
    assert acceptance_bound(*pair, 0) == proofs.acceptance_probability(*pair)
    assert acceptance_bound(*pair, 1) == 1


@given(pairs(), st.sampled_from(["1/5", "1/2", "1"]), st.sampled_from(["difference", "scaled"]))
def test_lenience_keeps_the_most_for_its_law(pair: tuple[Row, Row], scale: str, residual: str) -> None:
    """For all p, q, l and either residual: alpha = 1 - TV(law, q), the most that any rule with this law can keep."""
    law, alpha = lossy_rules.lenience(*pair, scale, residual)
    assert alpha == 1 - proofs.total_variation(law, pair[1])


def test_golden_reports() -> None:
    report = lossy_report(*I3, lossy_rules.synthetic(*I3, "1/2"))
    assert report == tuple(map(proofs.exact, ("1/6", "2/3", "2", "1/2", "5/6")))
    report = lossy_report(*I3, lossy_rules.ensemble(*I3, "1/2"))
    assert report == tuple(map(proofs.exact, ("1/6", "2/3", "2", "5/6", "5/6")))
    report = lossy_report(*I3, lossy_rules.lenience(*I3, "3/4", "scaled"))
    assert report == tuple(map(proofs.exact, ("7/66", "26/33", "4/3", "13/18", "17/22")))
    report = lossy_report(*I3, proofs.emitted_distribution(*I3))
    assert report == tuple(map(proofs.exact, ("0", "1", "1", "2/3", "2/3")))


def test_ratio_of_a_token_that_the_target_never_emits() -> None:
    assert law_ratios([1, 0], ["1/2", "1/2"]) == (proofs.exact("1/2"), oo)
    assert law_ratios([1, 0], [0, 1]) == (0, oo)
    assert law_ratios(["1/2", "1/2", 0], [1, 0, 0]) == (0, 2)
    assert law_ratios([1, 0], [1, 0]) == (1, 1)
    assert lossy_report([1, 0], [0, 1], lossy_rules.synthetic([1, 0], [0, 1], "1/8")).greatest_ratio == oo


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ProofsError, match="budget = 2; expected 0 <= budget <= 1"):
        acceptance_bound([1], [1], 2)
    with pytest.raises(NotADistributionError, match="law sums to 1/2"):
        lossy_report([1], [1], EmittedDistribution((proofs.exact("1/2"),), proofs.exact(1)))
    with pytest.raises(NotADistributionError, match="law sums to 3/4"):
        law_ratios([1], [Fraction(3, 4)])
