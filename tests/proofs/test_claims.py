"""Claims notice each single difference, and say what it is."""

from sympy import Rational, S

from proofs import claims, token_rule
from proofs.distributions import Row
from proofs.domains import NAMED, Case
from proofs.rule import TOKEN_RULE, altered
from proofs.token_rule import EmittedDistribution

B0 = NAMED["B0"]
TINY = Rational(1, 10**30)


def _shifted(p: Row, q: Row) -> EmittedDistribution:
    dist, alpha = token_rule.emitted_distribution(p, q)
    return EmittedDistribution((dist[0] + TINY, dist[1] - TINY, *dist[2:]), alpha)


def test_bias_of_any_size_is_seen() -> None:
    """A law that is off by 1e-30 is not lossless: no tolerance."""
    assert claims.lossless(TOKEN_RULE, B0) is None
    difference = claims.lossless(altered(emitted_distribution=_shifted), B0)
    assert difference is not None
    assert difference.endswith(f"TV {TINY}")


def test_alpha_is_asked_of_both_functions() -> None:
    rule = altered(acceptance_probability=lambda p, q: token_rule.acceptance_probability(p, q) - TINY)
    assert claims.alpha_is_one_minus_tv(TOKEN_RULE, B0) is None
    assert claims.alpha_is_one_minus_tv(rule, B0) is not None


def test_mass_below_one_and_negative_entries_are_no_distribution() -> None:
    for dist in ((S.Half, S.Zero, S.Zero), (S.One + S.Half, -S.Half, S.Zero)):
        rule = altered(emitted_distribution=lambda p, q, dist=dist: EmittedDistribution(dist, S.One))
        assert claims.distribution(rule, B0) is not None


def test_completion_is_refused_both_ways() -> None:
    """A residual where none can be, and none where one can be, are both differences."""
    possible, impossible = B0._replace(extra=(S.Zero,) * 3), B0._replace(extra=(S.One,) * 3)
    never = altered(completing_residual=lambda p, q, keep: None)
    always = altered(completing_residual=lambda p, q, keep: p)
    assert claims.completion(TOKEN_RULE, possible) is None
    assert claims.completion(TOKEN_RULE, impossible) is None
    assert claims.completion(never, possible) == "no residual though q a is (0, 0, 0)"
    assert "though q a is" in str(claims.completion(always, impossible))


def test_coupling_that_keeps_more_than_alpha_would_be_reported() -> None:
    case = Case((S.One,), (S.One,), ((S.One,),))
    stingy = altered(emitted_distribution=lambda p, q: EmittedDistribution(p, S.Half))
    assert claims.optimal(TOKEN_RULE, case) is None
    assert claims.optimal(stingy, case) == "a coupling keeps 1, alpha 1/2"


def test_rows_are_shown_as_fractions() -> None:
    assert claims.show(B0.p) == "(1/8, 3/8, 1/2)"
