"""What each fault does on a small input, in numbers."""

from typing import Any

import pytest
from sympy import Rational

import proofs
from proofs.chain_rule import expected_accepted
from proofs.families import chain_faults as faults
from proofs.families.chain_model import CHAIN, Sampler, law_of_sampler, sampler_of
from tests.chain_enumeration import CHAINS


def _rows(name: str) -> tuple[Any, Any, int]:
    size, target, draft = CHAINS[name]
    return lambda prefix: _exact(target(prefix)), lambda prefix: _exact(draft(prefix)), size


def _exact(row: Any) -> tuple[Rational, ...]:
    return tuple(map(proofs.exact, row))


def _first_token(sampler: Sampler, name: str, gamma: int) -> tuple[Rational, ...]:
    target, draft, size = _rows(name)
    law = law_of_sampler(sampler, target, draft, gamma, size)
    return tuple(sum((mass for block, mass in law.items() if block[0] == y), Rational(0)) for y in range(size))


@pytest.mark.parametrize(
    ("sampler", "law"),
    [
        (CHAIN.sampler, ["1/8", "3/8", "1/2"]),
        (sampler_of(keep=lambda *_: Rational(1)), ["1/2", "1/4", "1/4"]),
        (faults.ends(lambda target, draft, tokens, i: target(tokens[:i])), ["11/64", "25/64", "7/16"]),
        (faults.ends(faults.residual), ["1/8", "3/8", "1/2"]),
        (sampler_of(faults.covers, faults.shortfall), ["1/8", "3/8", "1/2"]),
        (faults.one_coin, ["1/8", "3/8", "1/2"]),
        (faults.goes_on, ["1/8", "3/8", "1/2"]),
    ],
)
def test_first_token_on_b0(sampler: Sampler, law: list[str]) -> None:
    """Some faults do not show in the first token at all."""
    assert _first_token(sampler, "B0", 2) == _exact(law)


def test_residual_of_the_next_row_is_right_at_the_last_position() -> None:
    target, draft, _ = _rows("M3")
    assert faults.residual_of_next_draft(target, draft, (0, 0), 1) == faults.residual(target, draft, (0, 0), 1)
    assert faults.residual_of_next_draft(target, draft, (0, 0), 0) == _exact([0, 1, 0])
    assert faults.residual(target, draft, (0, 0), 0) == _exact([0, "1/3", "2/3"])


def test_ratio_of_the_previous_position_is_right_at_the_first() -> None:
    target, draft, _ = _rows("M3")
    assert faults.previous_ratio(target, draft, (0, 1), 0) == Rational(1, 4)
    assert faults.previous_ratio(target, draft, (0, 1), 1) == 1  # 3/8 over 1/4 of the first row, not 1/4 over 1/4


def test_one_coin_keeps_by_the_least_ratio() -> None:
    """B0, tokens 0 and 0: both ratios are 1/4, and with one coin the second is never rejected after the first."""
    target, draft, _ = _rows("B0")
    law = faults.one_coin(target, draft, (0, 0))
    assert sum(mass for block, mass in law.items() if len(block) == 3) == Rational(1, 4)
    assert sum(mass for block, mass in law.items() if len(block) == 2) == 0


def test_reports() -> None:
    target, draft, _ = _rows("I2")
    assert faults.with_bonus(target, draft, 2) == Rational(19, 9)
    assert faults.share(target, draft, 2) == Rational(5, 9)
    assert faults.share(target, draft, 0) == 0
    assert faults.geometric_law(target, draft, 2) == _exact(["1/3", "2/9", "4/9"])
    assert faults.first_alpha(target, draft, 2) == expected_accepted(target, draft, 2)
    assert faults.independent_of_length(target, draft, 1, (0, 0)) == Rational(2, 27)
    assert faults.whole_blocks(target, draft, 0) == {(0,): Rational(1, 3), (1,): Rational(2, 3)}
    p, q = _exact(["1/3", "2/3"]), _exact(["2/3", "1/3"])
    assert faults.unreached([p, p, p], [q, q], (0, 0)).stops == _exact(["1/2", "1/2", "1/4"])
    assert faults.last_of_the_best(proofs.exact("1/2"), proofs.exact("1/2"), 5) == 1
