"""Claims about siblings: None for the right rules, the difference in words for wrong ones."""

from dataclasses import replace
from typing import Any

import pytest
from sympy import Rational, S

from proofs import sibling_rule
from proofs.cases import Case
from proofs.domains import NAMED
from proofs.families import sibling_claims
from proofs.families.sibling_model import SIBLING_RULE
from proofs.kseq_rule import RhoBracket

I3, I5 = NAMED["I3"], NAMED["I5"]
BY_K = [
    sibling_claims.lossless,
    sibling_claims.closed_form_is_sampler,
    sibling_claims.acceptance_is_product,
    sibling_claims.never_above_optimum,
    sibling_claims.optimum_is_flow,
    sibling_claims.grows_with_siblings,
    sibling_claims.admissible_rho_is_least,
]


@pytest.mark.parametrize("claim", BY_K)
@pytest.mark.parametrize("k", [1, 2, 3, 4])
def test_claim_holds(claim: Any, k: int) -> None:
    for case in NAMED.values():
        assert claim(SIBLING_RULE, Case(case.p, case.q, (k,))) is None


def test_claims_without_k_hold() -> None:
    for case in NAMED.values():
        assert sibling_claims.one_sibling(SIBLING_RULE, Case(case.p, case.q, (1,))) is None
        assert sibling_claims.support_used_up(SIBLING_RULE, case) is None
        assert sibling_claims.candidates_lossless(SIBLING_RULE, Case(case.p, case.p, ((1, 0, 1),))) is None


@pytest.mark.parametrize("rho", [S.One, Rational(3, 2), Rational(7, 5), Rational(2)])
def test_claims_with_rho_hold(rho: Rational) -> None:
    for case in NAMED.values():
        assert sibling_claims.kseq_lossless_iff_admissible(SIBLING_RULE, Case(case.p, case.q, (2, rho))) is None
        assert sibling_claims.kseq_keeps(SIBLING_RULE, Case(case.p, case.q, (2, rho))) is None


def _altered(**parts: Any) -> Any:
    return replace(SIBLING_RULE, **parts)


WRONG: dict[str, tuple[Any, Any, tuple[Any, ...], str]] = {
    "optimum too low": (
        sibling_claims.never_above_optimum,
        _altered(optimal_acceptance=lambda p, q, k, replacement: S.Zero),
        (2,),
        "with replacement: acceptance 18/25 is above the optimum 0",
    ),
    "optimum too high": (
        sibling_claims.optimum_is_flow,
        _altered(optimal_acceptance=lambda p, q, k, replacement: S.One),
        (2,),
        "with replacement: optimum 1, flow 79/100, least over the sets of tokens 79/100",
    ),
    "optimum falls": (
        sibling_claims.grows_with_siblings,
        _altered(optimal_acceptance=lambda p, q, k, replacement: Rational(1, k + 1)),
        (2,),
        "with replacement the optimum falls from 1/2 to 1/3 at k = 2",
    ),
    "no residual": (
        sibling_claims.acceptance_is_product,
        _altered(residuals=lambda p, q, k: (p, (S.Zero,) * 4, p)),
        (2,),
        r"residual \(0, 0, 0, 0\) is no distribution",
    ),
    "k refused": (
        sibling_claims.kseq_lossless_iff_admissible,
        _altered(is_admissible=lambda p, q, k, rho: False),
        (2, Rational(2)),
        "admissible: False, and the law is",
    ),
    "gaps": (
        sibling_claims.admissible_rho_is_least,
        _altered(is_admissible=lambda p, q, k, rho: rho != 2),
        (3,),
        "are no interval",
    ),
    "high too low": (
        sibling_claims.admissible_rho_is_least,
        _altered(admissible_rho=lambda p, q, k: RhoBracket(S.One, Rational(5, 4))),
        (2,),
        "not above 1 and at most 5/4",
    ),
    "too wide is no lie, exactly 2 is one": (
        sibling_claims.admissible_rho_is_least,
        _altered(admissible_rho=lambda p, q, k: RhoBracket(Rational(2), Rational(2))),
        (2,),
        "rho = 2 is not the least admissible one",
    ),
    "one sibling": (
        sibling_claims.one_sibling,
        _altered(kseq_acceptance=lambda p, q, k, rho: S.One),
        (1,),
        "K-SEQ: 1, and 1 - TV is 3/5",
    ),
    "candidates": (
        sibling_claims.candidates_lossless,
        _altered(candidates=lambda tokens: tokens[:1]),
        ((0, 1),),
        r"acceptance 2/5, and p\(S\) is 7/10",
    ),
}


@pytest.mark.parametrize("kind", WRONG)
def test_difference_is_said(kind: str) -> None:
    claim, rule, extra, words = WRONG[kind]
    difference = claim(rule, Case(I5.p, I5.q, extra))
    assert difference is not None
    with pytest.raises(ValueError, match=words):
        raise ValueError(difference)


def test_support_that_is_not_used_up_is_said() -> None:
    rule = _altered(optimal_acceptance=lambda p, q, k, replacement: sibling_rule.optimal_acceptance(p, q, k))
    assert "k = 3: acceptance 1, optimum 199/216, expected 1" in str(sibling_claims.support_used_up(rule, I3))
