"""What the claims on lossy rules say of right and wrong rules."""

from dataclasses import replace

import pytest
from sympy import Rational

from proofs import lossy_rules
from proofs.cases import Case
from proofs.domains import NAMED, Domain
from proofs.families import lossy_claims
from proofs.families.lossy_claims import LossyRules
from proofs.token_rule import EmittedDistribution

RULES = LossyRules()
HALF = (Rational(1, 2),)
I3, I5 = (Case(NAMED[name].p, NAMED[name].q, HALF) for name in ("I3", "I5"))
DOMAINS = (
    lossy_claims.LENIENCY, lossy_claims.RATE, lossy_claims.WEIGHT, lossy_claims.BOUNDED, lossy_claims.THRESHOLDS,
    lossy_claims.RELAXED, lossy_claims.TYPICAL, lossy_claims.DECISIONS, lossy_claims.ALONE,
)  # fmt: skip


@pytest.mark.parametrize("claim", ["lenience_law", "synthetic_distance", "ensemble_mixture", "bound_holds"])
def test_claims_hold_beyond_their_grid(claim: str) -> None:
    for name in NAMED:
        case = Case(NAMED[name].p, NAMED[name].q, (Rational(2, 7),))
        assert getattr(lossy_claims, claim)(RULES, case) is None


def test_difference_is_said_in_words() -> None:
    wrong = replace(RULES, synthetic=lambda p, q, r: EmittedDistribution(p, r), lenience=lossy_rules.ensemble)
    assert lossy_claims.synthetic_distance(wrong, I3) == "TV 0, declared 1/6"
    greedy = replace(RULES, relaxed=lambda *arguments: lossy_rules.relaxed(arguments[0], arguments[1], 1, 0))
    case = Case(I5.p, I5.q, (2, Rational(1, 2)))
    said = lossy_claims.relaxed_law(greedy, case)
    assert said == "law (1, 0, 0, 0), declared (4/5, 1/5, 0, 0)"
    alpha = replace(RULES, ensemble=lambda *arguments: lossy_rules.ensemble(*arguments)._replace(alpha=Rational(1)))
    assert lossy_claims.ensemble_mixture(alpha, I5) == "alpha 1, declared 4/5"
    assert str(lossy_claims.bound_holds(alpha, I5)) == "ensemble keeps 1, bound 4/5"


def test_sampler_by_hand() -> None:
    """Keeps token 0 with 1/2 and token 1 always; replaces by token 1."""
    law = lossy_claims.sampled((*I3.q[:2], Rational(1, 2)), lambda x: Rational(1, 2), lambda x: (0, 1, 0))
    assert law == ((Rational(1, 12), Rational(2, 3), Rational(1, 4)), Rational(1, 2))


def test_decision_by_digits() -> None:
    uniform = (Rational(1, 3),) * 3
    assert not lossy_claims.above(uniform, uniform[0], Rational(1))
    assert lossy_claims.above(uniform, uniform[0], Rational(10**20 - 1, 10**20))
    assert not lossy_claims.above((Rational(1), Rational(0)), Rational(0), Rational(1, 2))


@pytest.mark.parametrize("domain", DOMAINS, ids=lambda domain: domain.words[:60])
def test_grids_begin_with_the_smallest(domain: Domain) -> None:
    sizes = [case.size for case in domain.grid()]
    assert sizes == sorted(sizes)
    assert len(sizes) >= 20 or domain is lossy_claims.DECISIONS
