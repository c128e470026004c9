"""Laws are held to draws: a law that is right passes, one that is not fails, and a coin 0 shows what is too rare."""

from collections.abc import Callable, Iterator
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest
import torch

from tests.zoo import fakes
from tests.zoo.confirm import Confirmation, confirm, zero_coin
from tests.zoo.inputs import B0, EDGES, Input
from tests.zoo.judge import Case, judge_case
from tests.zoo.records import Adapter, Kind

DRAWS = 1_000
RARE = next(rows for rows in EDGES if rows.name == "token without target")


def _confirmed(adapter: Adapter, case: Case, rows: Input = B0) -> Confirmation:
    return confirm(adapter, rows, case, DRAWS, 60.0, 1)


@pytest.fixture(autouse=True)
def _generator() -> Iterator[None]:
    before = torch.get_rng_state()
    yield
    torch.set_rng_state(before)


@pytest.mark.parametrize("verify", [fakes.corrects_from_target, fakes.crashes, fakes.emits_drafts])
def test_law_that_is_right_is_confirmed(verify: Callable[..., Any]) -> None:
    found = _confirmed(fakes.fake(verify), fakes.judged(verify, "B0", 2))
    assert found.holds
    assert found.draws == DRAWS
    assert found.sigma > 0
    assert found.provoked is None


def test_law_of_another_verifier_is_not() -> None:
    case = fakes.judged(fakes.corrects_from_target, "B0", 1)
    found = _confirmed(fakes.fake(fakes.token_rule), case)
    assert not found.agrees
    assert not found.holds


def test_crash_that_does_not_come_is_a_disagreement() -> None:
    case = fakes.judged(fakes.crashes, "B0", 1)
    assert not _confirmed(fakes.fake(fakes.token_rule), case).holds
    assert not _confirmed(fakes.fake(fakes.crashes), replace(case, crashes={"ValueError": Fraction(1, 2)})).holds


@pytest.mark.parametrize("verify", [fakes.at_most, fakes.takes_coins])
def test_rare_token_comes_at_coin_zero(verify: Callable[..., Any]) -> None:
    case = fakes.judged(verify, RARE.name, 1)
    assert _confirmed(fakes.fake(verify), case, RARE).provoked is True


def test_rare_token_that_never_comes_is_a_disagreement() -> None:
    case = fakes.judged(fakes.at_most, RARE.name, 1)
    found = _confirmed(fakes.fake(fakes.token_rule), case, RARE)
    assert found.agrees  # too rare to be missed in so few draws
    assert found.provoked is False
    assert not found.holds


def test_loops_are_confirmed_without_their_drafts() -> None:
    adapter = fakes.fake(fakes.biased_loop, Kind.LOOP)
    assert _confirmed(adapter, judge_case(adapter, B0, 1)).holds
    other = fakes.fake(fakes.loop, Kind.LOOP)
    assert not _confirmed(other, judge_case(adapter, B0, 1)).holds


def test_siblings_are_confirmed() -> None:
    adapter = fakes.fake(fakes.siblings, Kind.SIBLINGS)
    assert _confirmed(adapter, judge_case(adapter, B0, 2)).holds


def test_nothing_is_drawn_for_a_law_that_is_not_known() -> None:
    case = replace(fakes.judged(fakes.token_rule, "B0", 1), call={}, reason="refused")
    found = _confirmed(fakes.fake(fakes.token_rule), case)
    assert (found.draws, found.unknown) == (0, "refused")
    assert found.holds


@pytest.mark.parametrize("at", [0, 1, 7, 300])
def test_one_word_is_zero(at: int) -> None:
    zero_coin(5, at)
    zeroed = torch.rand(400)
    torch.manual_seed(5)
    usual = torch.rand(401)[1:]
    assert zeroed[at] == 0
    assert (zeroed != usual).nonzero().flatten().tolist() == [at]


def test_two_words_make_a_coin_of_float64_zero() -> None:
    zero_coin(5, 2, 2)
    assert (torch.rand(4, dtype=torch.float64) == 0).tolist() == [False, True, False, False]
