"""The claims about greedy block verification see a rule that breaks them."""

from dataclasses import replace
from typing import Any

import pytest
from sympy import Rational

from proofs.cases import ProcessCase
from proofs.families import greedy_claims
from proofs.families.block_claims import first_missed
from proofs.families.greedy_claims import GREEDY, rule_of_parts

THIRDS = (Rational(1, 3), Rational(2, 3))
HALF = (Rational(1, 2), Rational(1, 2))
I2 = ProcessCase((THIRDS,), (THIRDS[::-1],), (2,))
ONE_TOKEN = ProcessCase((THIRDS,), (THIRDS[::-1],), (1,))
MARKOV = ProcessCase((HALF, THIRDS, THIRDS[::-1]), (THIRDS, HALF, HALF), (3,))


BROKEN: dict[str, tuple[Any, ProcessCase, dict[str, Any], str]] = {
    "lossless": (
        greedy_claims.lossless_over_calls,
        I2,
        {"follow": lambda joint, target, draft: target},
        "(1, 0, 0, 0) has probability 1/27, the target's is 2/81",
    ),
    "ceiling": (
        greedy_claims.reaches_the_ceiling,
        I2,
        {"ceiling": lambda p, q, gamma: Rational(11, 9)},
        "accepts 4/3 tokens, the ceiling is stated as 11/9, the sum of 1 - TV is 4/3",
    ),
    "call": (
        greedy_claims.law_is_the_algorithm,
        I2,
        {"emitted": lambda p, q, gamma: {(1,): Rational(1)}},
        "(0, 0, 0) has probability 1/27, stated in a call 0",
    ),
    "text": (
        greedy_claims.law_is_the_algorithm,
        I2,
        {"texts": lambda p, q, gamma, calls, length: {}},
        "(0, 0, 0) has probability 1/27, stated in a text 0",
    ),
    "block": (
        greedy_claims.not_below_blocks,
        I2,
        {"emitted": lambda p, q, gamma: {(1,): Rational(1)}},
        "accepts 0 tokens, block verification 11/9",
    ),
    "one token": (
        greedy_claims.not_below_blocks,
        ONE_TOKEN,
        {"emitted": lambda p, q, gamma: {(1, 0): Rational(1)}},
        "(0, 0) has probability 0, by blocks 1/9",
    ),
}


@pytest.mark.parametrize("claim", BROKEN)
def test_claim_names_the_difference(claim: str) -> None:
    holds, case, parts, words = BROKEN[claim]
    assert holds(GREEDY, case) is None
    difference = holds(replace(GREEDY, **parts), case)
    assert difference is not None
    assert difference.startswith(words)


@pytest.mark.parametrize("case", [I2, ONE_TOKEN, MARKOV])
def test_claims_hold_of_the_rule(case: ProcessCase) -> None:
    for name in ("lossless_over_calls", "reaches_the_ceiling", "law_is_the_algorithm", "not_below_blocks"):
        assert getattr(greedy_claims, name)(GREEDY, case) is None


def test_laws_of_exchanged_parts_are_those_of_the_parts() -> None:
    rule = rule_of_parts(scan=first_missed)
    assert greedy_claims.law_is_the_algorithm(rule, I2) is None
    assert greedy_claims.lossless_over_calls(rule, I2) is not None
