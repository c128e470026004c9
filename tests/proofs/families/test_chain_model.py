"""The chain's sampler by coins is the enumerated one, and what is derived from a sampler describes it."""

import pytest

import proofs
from proofs import chain_rule
from proofs.families.chain_model import (
    CHAIN,
    accepted_of,
    alpha_after,
    begins,
    drafted_blocks,
    law_of_sampler,
    rule_of_sampler,
)
from tests.chain_enumeration import CHAINS, call_law

SMALL = [name for name, (size, _, _) in CHAINS.items() if size <= 3]


def _exact(rows: object) -> object:
    return lambda prefix: tuple(map(proofs.exact, rows(prefix)))  # type: ignore[operator]


@pytest.mark.parametrize("gamma", range(3))
@pytest.mark.parametrize("name", SMALL)
def test_sampler_is_the_enumerated_one(name: str, gamma: int) -> None:
    size, target, draft = CHAINS[name]
    found = law_of_sampler(CHAIN.sampler, _exact(target), _exact(draft), gamma, size)  # type: ignore[arg-type]
    assert found == {block: proofs.exact(mass) for block, mass in call_law(size, target, draft, gamma).items()}


@pytest.mark.parametrize("name", SMALL)
def test_rule_of_the_right_sampler_has_the_closed_forms(name: str) -> None:
    """For gamma 0 to 2: every law that is derived from the sampler is that of `chain_rule`."""
    _, target, draft = CHAINS[name]
    rule, rows = rule_of_sampler(CHAIN.sampler), (_exact(target), _exact(draft))
    for gamma in range(3):
        assert rule.emitted_law(*rows, gamma) == chain_rule.emitted_law(*rows, gamma)
        assert rule.accepted_law(*rows, gamma) == chain_rule.accepted_law(*rows, gamma)
        assert rule.expected_accepted(*rows, gamma) == chain_rule.expected_accepted(*rows, gamma)
        assert rule.prefix_probability(*rows, gamma, (0,)) == chain_rule.prefix_probability(*rows, gamma, (0,))


def test_small_parts() -> None:
    half = proofs.exact("1/2")
    law = {(0,): half, (1, 1): half}
    assert accepted_of(law, 2) == (half, half, 0)
    assert begins(law, (1,)) == half
    assert begins(law, ()) == 1
    _, target, draft = CHAINS["M2"]
    assert alpha_after(target, draft, (0,)) == proofs.exact("3/4")
    one_hot = CHAINS["one-hot draft"][2]
    assert list(drafted_blocks(one_hot, 2, 3)) == [(2, 2)]
    assert list(drafted_blocks(one_hot, 0, 3)) == [()]
