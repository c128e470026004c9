"""Claims notice each single difference, and say what it is."""

from typing import Any

import pytest
from sympy import Rational, S

from proofs import claims, token_rule
from proofs.cases import Case
from proofs.distributions import Row
from proofs.domains import NAMED
from proofs.rule import TOKEN_RULE, altered
from proofs.token_rule import EmittedDistribution

B0 = NAMED["B0"]
TINY = Rational(1, 10**30)
ONE = Case((S.One,), (S.One,), ((S.One,),))
TWO = Case((S.Half, S.Half), (S.Half, S.Half), ((S.Half, S.Zero), (S.Zero, S.Half)))
APART = Case((S.One, S.Zero), (S.Zero, S.One))
RETRY = B0._replace(extra=(S.Zero,) * 3)  # rejects every token


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


CLAUSES: list[tuple[str, Case, dict[str, Any], str]] = [
    ("distribution", B0, {"emitted_distribution": lambda p, q: EmittedDistribution(p, S(2))}, "alpha 2"),
    ("distribution", B0, {"emitted_distribution": lambda p, q: EmittedDistribution(p, -TINY)}, "alpha -1/"),
    ("distribution", B0, {"residual_distribution": lambda p, q: (S.Half, S.Zero, S.Zero)}, "residual (1/2, 0, 0)"),
    ("optimal", ONE, {"maximal_coupling": lambda p, q: ((S(2),),)}, "other marginals"),
    (
        "optimal",
        TWO,
        {"maximal_coupling": lambda p, q: ((S.Half + TINY, -TINY), (-TINY, S.Half + TINY))},
        "negative entries",
    ),
    ("optimal", TWO, {"maximal_coupling": lambda p, q: ((S.Half, S.Zero), (S.Half, S.Zero))}, "other marginals"),
    ("optimal", TWO, {"maximal_coupling": lambda p, q: ((S.Zero, S.Half), (S.Half, S.Zero))}, "keeps 0, alpha 1"),
    ("optimal", TWO, {"maximal_coupling": lambda p, q: ((S.Half, S.Zero),)}, "1 rows of a coupling for 2 tokens"),
    ("completion", RETRY, {"completing_residual": lambda p, q, a: (S.Half, S.Half, S.Half)}, "is no distribution"),
    ("completion", RETRY, {"completing_residual": lambda p, q, a: q}, "dist (1/2, 1/4, 1/4), TV"),
    ("disjoint_supports", APART, {"residual_distribution": lambda p, q: q}, "residual (0, 1), TV 1"),
    ("alpha_is_one_minus_tv", B0, {"total_variation": lambda p, q: S.NaN}, "nan is no rational number"),
    (
        "alpha_is_one_minus_tv",
        B0,
        {
            "emitted_distribution": lambda p, q: EmittedDistribution(p, S.One),
            "acceptance_probability": lambda p, q: S.One,
            "total_variation": lambda p, q: S.Zero,
        },
        "TV 0, sum of |p - q| 3/4",
    ),
    ("lossless", B0, {"emitted_distribution": lambda p, q: EmittedDistribution((*p, S.Zero), S.One)}, "4 tokens for 3"),
    ("lossless", B0, {"emitted_distribution": lambda p, q: EmittedDistribution((S.NaN,) * 3, S.One)}, "nan"),
    ("identical_draft", TWO, {"residual_distribution": lambda p, q: (S.NaN, S.NaN)}, "nan"),
    ("identical_draft", TWO, {"acceptance_ratio": lambda p, q: (S.ComplexInfinity,) * 2}, "zoo"),
    ("merging_never_lowers_alpha", B0, {"merge_tokens": lambda row, i, j: (S.One,)}, "merged to (1)"),
    (
        "closed_form_is_sampler",
        B0,
        {"sampler": TOKEN_RULE.sampler._replace(keep=lambda p, q: (S(2),) * 3)},
        "keeps with (2, 2, 2)",
    ),
    (
        "closed_form_is_sampler",
        B0,
        {"sampler": TOKEN_RULE.sampler._replace(replacement=lambda p, q, x: (S.NaN,) * 3)},
        "nan",
    ),
]


@pytest.mark.parametrize(
    ("claim", "case", "parts", "difference"), CLAUSES, ids=[f"{name}-{at}" for at, (name, *_) in enumerate(CLAUSES)]
)
def test_each_clause_of_a_claim_is_looked_at(claim: str, case: Case, parts: dict[str, Any], difference: str) -> None:
    """A rule that breaks one clause alone is refused, and the token rule is not."""
    check = getattr(claims, claim)
    assert check(TOKEN_RULE, case) is None
    assert difference in str(check(altered(**parts), case))


def test_residual_that_is_not_the_only_one_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    """Were the completed law to ignore the residual, other residuals would do as well."""
    monkeypatch.setattr(claims, "_completed", lambda kept, rejected, residual: RETRY.p)
    assert "makes the law p as well" in str(claims.completion(TOKEN_RULE, RETRY))
