"""The claims about block verification see a rule that breaks them, and the object's own law is enumeration's."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
from sympy import Rational
from sympy.external.gmpy import MPQ

from proofs.cases import ProcessCase
from proofs.families import block_claims
from proofs.families.block_claims import BLOCK, call_law, first_difference, first_missed, last_kept, rule_of_parts
from proofs.processes import Process
from tests import call_laws
from tests.block_enumeration import PAIRS, block_call

HALF, THIRDS = (Rational(1, 2), Rational(1, 2)), (Rational(1, 3), Rational(2, 3))
CASE = ProcessCase((THIRDS,), (THIRDS[::-1],), (2,))  # I2
MASSES = ProcessCase((THIRDS,), (HALF,), (HALF, HALF, HALF))


def _processes(name: str) -> tuple[Process, Process]:
    target, draft, _ = PAIRS[name]
    return Process(target, "target"), Process(draft, "draft")


def _fractions(law: dict[Any, MPQ]) -> dict[Any, Fraction]:
    return {key: Fraction(int(mass.numerator), int(mass.denominator)) for key, mass in law.items() if mass}


@pytest.mark.parametrize(("name", "gamma"), [(name, gamma) for name in PAIRS for gamma in (0, 1, 2, 3)])
def test_law_of_the_parts_is_that_of_every_path_and_coin(name: str, gamma: int) -> None:
    target, draft, vocabulary = PAIRS[name]
    assert _fractions(call_law(BLOCK, *_processes(name), gamma)) == block_call(target, draft, gamma, vocabulary)


def test_stopping_at_the_first_failure_is_the_known_fault() -> None:
    """I2, gamma 2: total variation 1/3 on three tokens."""
    target, draft, vocabulary = PAIRS["I2"]
    law = _fractions(call_law(replace(BLOCK, scan=first_missed), *_processes("I2"), 2))
    wrong: dict[Any, Fraction] = {}
    for (_, emitted), mass in call_laws.block(target, draft, 2, vocabulary, stops_early=True).items():
        wrong[emitted] = wrong.get(emitted, Fraction(0)) + mass
    assert law == wrong
    found = call_laws.completed({((), e): m for e, m in law.items()}, target, 3, vocabulary)
    wanted = call_laws.drafts(target, 3, vocabulary)
    assert sum(abs(found.get(y, Fraction(0)) - wanted[y]) for y in wanted) / 2 == Fraction(1, 3)


def test_coins_in_the_two_orders() -> None:
    odds = [MPQ(1), MPQ(1, 2), MPQ(1, 3)]
    assert last_kept(odds) == [MPQ(1, 3), MPQ(1, 3), MPQ(1, 3)]
    assert first_missed(odds) == [MPQ(1, 2), MPQ(1, 3), MPQ(1, 6)]
    assert last_kept([MPQ(1)]) == first_missed([MPQ(1)]) == [MPQ(1)]


def test_first_sequence_that_differs_is_named() -> None:
    target = Process(["1/3", "2/3"], "target")
    assert first_difference({(0,): MPQ(1, 3), (1,): MPQ(2, 3)}, target, 2) is None
    difference = first_difference({(0,): MPQ(1, 3), (1, 0): MPQ(2, 3)}, target, 2)
    assert difference == "(1, 0) has probability 2/3, the target's is 2/9"


BROKEN: dict[str, tuple[Any, ProcessCase, dict[str, Any], str]] = {
    "lossless": (
        block_claims.lossless,
        CASE,
        {"scan": first_missed},
        r"(0, 0, 0) has probability 0, the target's is 1/27",
    ),
    "law": (
        block_claims.law_is_the_algorithm,
        CASE,
        {"emitted": lambda p, q, gamma: {(1,): Rational(1)}},
        "(0, 0, 0) is emitted with probability 1/27, stated 0",
    ),
    "optimal": (
        block_claims.optimal,
        CASE,
        {"expected": lambda p, q, gamma: Rational(4, 3)},
        "accepts 11/9 tokens, stated 4/3, the greatest is 11/9",
    ),
    "chain": (
        block_claims.not_below_the_chain,
        CASE,
        {"expected": lambda p, q, gamma: Rational(1)},
        "accepts 1 tokens, token after token 10/9",
    ),
    "chain, one token": (
        block_claims.not_below_the_chain,
        ProcessCase((THIRDS,), (THIRDS[::-1],), (1,)),
        {"expected": lambda p, q, gamma: Rational(1)},
        "accepts 1 tokens, token after token 2/3",
    ),
    "maximum": (
        block_claims.weights_by_running_maximum,
        CASE,
        {"path_weights": lambda p, q, tokens: (1, 1, 1)},
        "drafted (0, 0): weights (1, 1, 1), by the running maximum ('1', '1/2', '1/4')",
    ),
    "zero over zero": (
        block_claims.odds_at_zero_over_zero,
        ProcessCase((HALF,), (HALF,), (2,)),
        {"scan": first_missed},
        "(0,) is emitted with probability 0, with odds 0 1/2",
    ),
    "validity": (block_claims.validity, MASSES, {"broken": lambda p, masses: None}, "called lossless: (0, 0, 0) has"),
    "validity, too strict": (
        block_claims.validity,
        ProcessCase((HALF,), (HALF,), (HALF, HALF, HALF)),
        {"broken": lambda p, masses: (0,)},
        "lossless, and called broken at (0,)",
    ),
    "greatest, broken": (
        block_claims.masses_are_greatest,
        MASSES,
        {"greatest": lambda p, q, gamma: {(0,): 1}},
        "the masses called greatest are broken at (0,)",
    ),
    "greatest, too small": (
        block_claims.masses_are_greatest,
        ProcessCase((HALF,), (HALF,), (HALF, HALF, HALF)),
        {"greatest": lambda p, q, gamma: {(): Rational(1), (0,): Rational(1, 3), (1,): Rational(1, 2)}},
        "(0,) can be accepted with mass 1/2, stated 1/3",
    ),
}


@pytest.mark.parametrize("claim", BROKEN)
def test_claim_names_the_difference(claim: str) -> None:
    holds, case, parts, words = BROKEN[claim]
    assert holds(BLOCK, case) is None
    difference = holds(replace(BLOCK, **parts), case)
    assert difference is not None
    assert difference.startswith(words)


def test_laws_of_exchanged_parts_are_those_of_the_parts() -> None:
    rule = rule_of_parts(scan=first_missed)
    assert block_claims.law_is_the_algorithm(rule, CASE) is None
    assert rule.expected(CASE.target_row, CASE.draft_row, 2) == sum(
        (len(e) - 1) * mass for e, mass in rule.emitted(CASE.target_row, CASE.draft_row, 2).items()
    )
