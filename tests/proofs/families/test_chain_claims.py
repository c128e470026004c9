"""What the chain's claims say: nothing of the right rule, the difference in words of a wrong one."""

from dataclasses import replace
from typing import Any

import pytest
from sympy import Rational

from proofs.cases import Case, ProcessCase
from proofs.domains import NAMED
from proofs.families import chain_claims as claims
from proofs.families.chain import MUTANTS
from proofs.families.chain_model import CHAIN

LIARS = {mutant.id: mutant.rule for mutant in MUTANTS}
HALF = (Rational(1, 2), Rational(1, 2))
I5 = NAMED["I5"]


def _case(p: Any, q: Any, gamma: int) -> ProcessCase:
    return ProcessCase((p,), (q,), (gamma,))


@pytest.mark.parametrize(("domain", "number"), [(claims.CHAINS, 270), (claims.CONSTANT, 231), (claims.SPEEDS, 42)])
def test_grids_begin_with_the_smallest(domain: Any, number: int) -> None:
    sizes = [case.size for case in domain.grid()]
    assert sizes == sorted(sizes)
    assert len(sizes) == number
    assert "gamma" in domain.words


def test_belief_about_the_tokens_given_their_number_is_seen_in_numbers() -> None:
    """p = (1/2, 1/2), q = (9/10, 1/10), gamma 1: two tokens begin with 0 five times in six, not one in two."""
    case = _case(HALF, (Rational(9, 10), Rational(1, 10)), 1)
    # of (0, 0): 1/2 * 1/2, and 3/5 * 1/4 as believed
    assert claims.prefix_law(CHAIN, case) is None
    difference = claims.prefix_law(LIARS["chain_tokens_given_their_number"], case)
    assert difference == "Pr(begins with (0, 0)) 3/20, expected 1/4"


def test_one_coin_is_right_for_one_token_alone() -> None:
    rule = LIARS["chain_one_coin"]
    assert claims.lossless(rule, _case(I5.p, I5.q, 1)) is None
    assert claims.lossless(rule, _case(I5.p, I5.q, 2))


def test_laws_can_be_right_where_the_report_is_not() -> None:
    """A law of whole blocks is the target's on sequences, and no law of a call; a smaller E[tau] is lossless."""
    case = _case(I5.p, I5.q, 2)
    assert claims.lossless(LIARS["chain_whole_blocks"], case) is None
    assert claims.law_is_the_samplers(LIARS["chain_whole_blocks"], case)
    covers = LIARS["chain_keep_iff_p_covers_q"]
    assert claims.lossless(covers, case) is None
    assert claims.expected_is_sum_of_minima(covers, case) == "E[tau] 39/100, expected 24/25"


def test_last_row_must_be_a_distribution() -> None:
    case = _case(HALF, HALF, 1)
    right = CHAIN.path_law

    def halved(*rows: Any) -> Any:
        path = right(*rows)
        return path._replace(last=((Rational(1, 4), Rational(1, 4)), path.last[1]))

    # Nothing is rejected here, so that the row has no part in any law.
    difference = claims.path_is_the_samplers(replace(CHAIN, path_law=halved), case)
    assert difference == "drafted (0,): a last row is no distribution"


def test_reports_of_numbers_are_compared() -> None:
    case = _case(I5.p, I5.q, 2)
    assert (
        claims.accepted(LIARS["chain_whole_blocks"], case)
        == "lengths less one have law (0, 0, 1), expected (2/5, 6/25, 9/25)"
    )
    assert claims.monotone(LIARS["chain_share_of_gamma"], case) == "E[tau] by gamma (0, 3/5, 12/25)"
    assert claims.geometric(LIARS["chain_tokens_without_bonus"], case) == "expected tokens 8/5, expected 49/25"
    speed = Case((Rational(1), Rational(0)), (Rational(1, 2), Rational(1, 2)), (Rational(1, 2),))
    assert claims.speed(CHAIN, speed) is None
    assert claims.speed(LIARS["chain_longest_of_the_best"], speed) == "best gamma 1, expected 0"
