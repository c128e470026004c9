"""Chains that keep a draft iff it equals the target's token, for any diagonal."""

from fractions import Fraction

import pytest
from sympy import Rational
from sympy.external.gmpy import MPQ

from proofs.equality_chain import chain_accepted, chain_law
from proofs.errors import NotADistributionError, ProofsError
from proofs.processes import Weights

HALF = ("1/2", "1/2")
THIRD = ("1/3", "2/3")


def _smaller(target: Weights, draft: Weights) -> Weights:
    """The maximal coupling's diagonal: the token rule, as far as lengths go."""
    return tuple(map(min, target, draft))


def _never(target: Weights, draft: Weights) -> Weights:
    return (MPQ(0),) * len(target)


def test_nothing_kept_is_one_token_of_the_target() -> None:
    assert chain_law(THIRD, HALF, 3, _never) == {(0,): Rational(1, 3), (1,): Rational(2, 3)}
    assert chain_accepted(THIRD, HALF, 3, _never) == 0


def test_everything_kept_is_the_target_on_sequences() -> None:
    law = chain_law(THIRD, THIRD, 2, _smaller)
    assert {len(tokens) for tokens in law} == {3}
    assert law[0, 1, 1] == Rational(4, 27)
    assert chain_accepted(lambda _: THIRD, THIRD, 2, _smaller) == 2


@pytest.mark.parametrize("gamma", range(5))
def test_masses_sum_to_one_and_lengths_to_the_expectation(gamma: int) -> None:
    """For gamma to 4, a target by prefix: total mass 1, mean length the expected number of kept tokens and one."""

    def target(prefix: tuple[int, ...]) -> tuple[str, ...]:
        return THIRD if sum(prefix) % 2 else HALF

    law = chain_law(target, THIRD, gamma, _smaller)
    assert sum(law.values()) == 1
    assert sum(mass * (len(tokens) - 1) for tokens, mass in law.items()) == chain_accepted(
        target, THIRD, gamma, _smaller
    )


def test_each_prefix_is_asked_once() -> None:
    asked: list[tuple[int, ...]] = []

    def target(prefix: tuple[int, ...]) -> tuple[Fraction, Fraction]:
        asked.append(prefix)
        return Fraction(1, 2), Fraction(1, 2)

    chain_law(target, HALF, 2, _smaller)
    assert sorted(asked) == sorted(set(asked))
    assert len(asked) == 7


def test_target_is_looked_at_without_drafts() -> None:
    with pytest.raises(NotADistributionError, match="target sums to 1/2"):
        chain_law(["1/2"], lambda _: None, 0, _smaller)
    with pytest.raises(ProofsError, match="gamma = -2"):
        chain_accepted(HALF, HALF, -2, _smaller)
