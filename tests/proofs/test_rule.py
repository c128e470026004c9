"""The rule as an object: its sampler's law by enumeration, and kernels folded like the token rule."""

from hypothesis import given
from sympy import Rational, S

import proofs
from proofs import token_rule
from proofs.rule import KERNEL, TOKEN_RULE, Sampler, law_of_sampler, rule_of_kernel
from proofs.strategies import pairs
from tests.enumeration import Row, token_rule_law


def _exact(row: Row) -> tuple[Rational, ...]:
    return tuple(map(proofs.exact, row))


@given(pairs())
def test_folded_kernel_is_the_token_rule(pair: tuple[Row, Row]) -> None:
    """For all p, q: the token rule's own kernel, folded, gives what proofs.token_rule gives."""
    p, q = map(_exact, pair)
    folded = rule_of_kernel(KERNEL)
    assert folded.emitted_distribution(p, q) == token_rule.emitted_distribution(p, q)
    assert folded.acceptance_ratio(p, q) == token_rule.acceptance_ratio(p, q)
    assert folded.residual_distribution(p, q) == token_rule.residual_distribution(p, q)
    assert folded.acceptance_probability(p, q) == token_rule.acceptance_probability(p, q)


@given(pairs())
def test_law_of_the_sampler_is_what_enumeration_gives(pair: tuple[Row, Row]) -> None:
    """For all p, q: the enumeration in the package and the one in the tests agree."""
    law, kept = token_rule_law(*pair)
    assert law_of_sampler(TOKEN_RULE.sampler, *map(_exact, pair)) == (_exact(law), proofs.exact(kept))


def test_sampler_that_leaks_mass_has_a_law_below_one() -> None:
    """The enumeration does not normalise in silence."""
    leaky = Sampler(lambda p, q: q, lambda p, q: (S.Zero,) * len(p), lambda p, q, x: (S.Zero,) * len(p))
    assert law_of_sampler(leaky, (S.One,), (S.One,)) == ((S.Zero,), S.Zero)
