"""The Coq definitions and the Python functions, run on the same rationals, agree to the last digit."""

from fractions import Fraction
from itertools import product
from pathlib import Path
from typing import Any

import pytest

import proofs
from proofs import block_rule, chain_rule
from tests.coq.evaluation import Chain, Pair, run_chains, run_pairs

pytestmark = pytest.mark.coq

F = Fraction
NAMED = [
    (["1/3", "2/3"], ["2/3", "1/3"]),
    (["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"]),
    (["2/5", "3/10", "1/5", "1/10"], ["1/10", "1/5", "3/10", "2/5"]),
    (["1/7", "0", "6/7"], ["5/11", "6/11", "0"]),
    (["1"], ["1"]),
]


def rows(size: int, parts: int) -> list[list[Fraction]]:
    """Every row with these many tokens and probabilities k / parts."""
    return [[F(k, parts) for k in ks] for ks in product(range(parts + 1), repeat=size) if sum(ks) == parts]


def pairs() -> list[tuple[list[Fraction], list[Fraction]]]:
    grid = [(p, q) for size, parts in ((1, 4), (2, 6), (3, 4)) for p in rows(size, parts) for q in rows(size, parts)]
    return grid + [([F(a) for a in p], [F(b) for b in q]) for p, q in NAMED]


def expected(p: list[Fraction], q: list[Fraction]) -> Pair:
    dist, alpha = proofs.emitted_distribution(p, q)
    return Pair(
        fractions(proofs.acceptance_ratio(p, q)),
        fractions(proofs.residual_distribution(p, q)),
        fractions(dist),
        fraction(alpha),
        sum((abs(a - b) for a, b in zip(p, q, strict=True)), F(0)) / 2,
    )


def fraction(value: Any) -> Fraction:
    return F(int(value.p), int(value.q))


def fractions(values: Any) -> list[Fraction]:
    return [fraction(value) for value in values]


def test_token_rule(compiled: Path) -> None:
    """For all pairs with probabilities k/6 at V = 2, k/4 at V = 3, and named ones: ratio, residual, law, alpha, TV."""
    inputs = pairs()
    assert len(inputs) == 1 + 49 + 225 + len(NAMED)
    assert run_pairs(compiled, inputs) == [expected(p, q) for p, q in inputs]


Model = tuple[list[Fraction], list[list[Fraction]]]

THIRDS: list[Model] = [
    ([F(1, 3), F(2, 3)], [[F(1, 4), F(3, 4)], [F(1, 2), F(1, 2)]]),
    ([F(2, 3), F(1, 3)], [[F(3, 4), F(1, 4)], [F(0), F(1)]]),
    ([F(1), F(0)], [[F(1, 5), F(4, 5)], [F(1), F(0)]]),
    ([F(1, 2), F(1, 2)], [[F(1, 2), F(1, 2)], [F(1, 2), F(1, 2)]]),
]
OF_THREE: list[Model] = [
    ([F(1, 2), F(1, 3), F(1, 6)], [[F(1, 2), F(1, 4), F(1, 4)], [F(0), F(1, 3), F(2, 3)], [F(1), F(0), F(0)]]),
    ([F(1, 6), F(1, 3), F(1, 2)], [[F(1, 7), F(2, 7), F(4, 7)], [F(1, 3), F(0), F(2, 3)], [F(1, 2), F(0), F(1, 2)]]),
]
CHAINS = [(p, q, gamma) for p in THIRDS for q in THIRDS for gamma in range(4)]
CHAINS += [(p, q, gamma) for p in OF_THREE for q in OF_THREE for gamma in range(3)]


def process(model: Model) -> Any:
    return lambda prefix: model[1][prefix[-1]] if prefix else model[0]


def words(size: int, gamma: int) -> list[tuple[int, ...]]:
    return [word for length in range(gamma + 2) for word in product(range(size), repeat=length)]


def at_least(law: Any) -> list[Fraction]:
    """Probability of k or more accepted tokens, from the law of their number."""
    numbers = fractions(law)
    return [sum(numbers[k:], F(0)) for k in range(len(numbers))]


def expected_chain(p: Model, q: Model, gamma: int) -> Chain:
    listed = words(len(p[0]), gamma)
    token, block = (rule.emitted_law(process(p), process(q), gamma) for rule in (chain_rule, block_rule))
    return Chain(
        [fraction(token[word]) if word in token else F(0) for word in listed],
        [fraction(block[word]) if word in block else F(0) for word in listed],
        at_least(chain_rule.accepted_law(process(p), process(q), gamma)),
        at_least(block_rule.accepted_law(process(p), process(q), gamma)),
    )


def test_laws_of_calls(compiled: Path) -> None:
    """For 76 pairs of first-order models: the law of every word, and what is accepted, token by token and by block."""
    assert len(CHAINS) == 76
    found = run_chains(compiled, CHAINS, [words(len(p[0]), gamma) for p, _, gamma in CHAINS])
    for (p, q, gamma), values in zip(CHAINS, found, strict=True):
        assert values == expected_chain(p, q, gamma), (p, q, gamma)
