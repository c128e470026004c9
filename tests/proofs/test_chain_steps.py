"""Prefixes of a chain: each passed once, every pair of rows worked out once, nothing asked that is not reached."""

from collections import Counter
from fractions import Fraction
from typing import Any

import pytest
from sympy.external.gmpy import MPQ

from proofs.chain_steps import Chain
from proofs.errors import ProofsError
from proofs.token_rule import acceptance_probability, residual_distribution
from tests.chain_enumeration import CHAINS, Rows
from tests.enumeration import NAMED


def _counting(rows: Rows, asked: Counter[tuple[int, ...]]) -> Rows:
    def counted(prefix: tuple[int, ...]) -> Any:
        asked[prefix] += 1
        return rows(prefix)

    return counted


def test_rows_are_asked_for_once_and_only_after_prefixes_that_may_be_kept() -> None:
    _, target, draft = CHAINS["M2"]
    asked: tuple[Counter[tuple[int, ...]], Counter[tuple[int, ...]]] = Counter(), Counter()
    chain = Chain(_counting(target, asked[0]), _counting(draft, asked[1]), 2)
    kept = list(chain.kept(2))
    assert [chain.last(prefix) for prefix, _ in kept]
    assert [prefix for prefix, _ in kept] == [(), (0,), (1,), (0, 0), (0, 1), (1, 1)]  # token 0 never follows 1
    assert set(asked[0].values()) == set(asked[1].values()) == {1}
    assert set(asked[0]) == {prefix for prefix, _ in kept}
    assert set(asked[1]) == {(), (0,), (1,)}


def test_masses_are_products_of_minima() -> None:
    p, q = NAMED["B0"]
    chain = Chain(p, q, 3)
    for prefix, mass in chain.kept(2):
        expected = Fraction(1)
        for token in prefix:
            expected *= min(p[token], q[token])
        assert mass == MPQ(expected.numerator, expected.denominator)


@pytest.mark.parametrize("name", NAMED)
def test_step_is_the_token_rule(name: str) -> None:
    p, q = NAMED[name]
    step = Chain(p, q, 1).step(())
    alpha, residual = acceptance_probability(p, q), residual_distribution(p, q)
    assert (step.accepted, step.rejected) == (MPQ(alpha.p, alpha.q), 1 - MPQ(alpha.p, alpha.q))
    minima = [MPQ(*min(a, b).as_integer_ratio()) for a, b in zip(p, q, strict=True)]
    assert dict(step.kept) == {x: mass for x, mass in enumerate(minima) if mass}
    found = {y: MPQ(top, bottom) for y, top, bottom in step.replaced}
    assert found == {y: MPQ(r.p, r.q) * step.rejected for y, r in enumerate(residual) if r != 0}


def test_constant_rows_have_one_step_for_each_length() -> None:
    chain = Chain(*NAMED["I2"], 50)
    steps = list(chain.steps())
    assert [i for i, _, _ in steps] == list(range(50))
    assert len({id(step) for _, _, step in steps}) == 1
    assert steps[3][1] == MPQ(8, 27)
    assert list(Chain(*NAMED["I2"], 0).steps()) == []


def test_equal_rows_replace_nothing() -> None:
    chain = Chain(["1/2", "1/2"], ["1/2", "1/2"], 1)
    assert chain.last(()) == ()
    assert chain.last((0,)) == ((0, 1, 2), (1, 1, 2))
    assert chain.emitted((), 1) == MPQ(1, 2)


def test_gamma_is_checked_first() -> None:
    with pytest.raises(ProofsError, match="gamma = -1"):
        Chain(None, None, -1)
