"""The exact couplings, held to enumeration that shares no code with them."""

from fractions import Fraction
from math import lcm
from typing import Any

import pytest
from hypothesis import example, given

from proofs import coupling_rule, gumbel_rule, token_rule
from proofs.distributions import total_variation
from proofs.errors import InexactError, ProofsError, ShapeError
from proofs.rationals import exact
from proofs.strategies import pairs
from tests.enumeration import NAMED, Row, rows
from tests.match_enumeration import minhash_law

HALF = (Fraction(1, 2), Fraction(1, 2))
ONE = (Fraction(1),)

# maximal, Gumbel, MinHash of one token, MinHash of one sample
GOLDEN = {
    "I2": ("2/3", "2/3", "2/3", "1/2"),
    "I3": ("2/3", "7/12", "7/12", "1/2"),
    "I5": ("3/5", "19/35", "1/2", "3/7"),
    "B0": ("5/8", "63/104", "49/88", "5/11"),
    "R3": ("3/8", "1055/3432", "111/416", "3/13"),
}
GOLDEN_MINHASH = {
    "I3": ("1/6 0 0", "1/12 1/4 0", "1/4 1/12 1/6"),
    "B0": ("1/8 13/88 5/22", "0 9/44 1/22", "0 1/44 5/22"),
    "I5": ("13/140 1/140 0 0", "3/70 11/70 0 0", "13/140 3/70 11/70 1/140", "6/35 13/140 3/70 13/140"),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_acceptances(name: str) -> None:
    pair = NAMED[name]
    found = (
        coupling_rule.maximal_match(*pair),
        coupling_rule.gumbel_match(*pair),
        coupling_rule.minhash_agreement(*pair),
        coupling_rule.minhash_match(*pair),
    )
    assert found == tuple(map(exact, GOLDEN[name]))


@pytest.mark.parametrize("name", GOLDEN_MINHASH)
def test_golden_minhash_coupling(name: str) -> None:
    joint = tuple(tuple(map(exact, row.split())) for row in GOLDEN_MINHASH[name])
    assert coupling_rule.minhash_coupling(*NAMED[name]) == joint


def _held_to_samples(p: Row, q: Row) -> None:
    grid = lcm(*(entry.denominator for entry in (*p, *q)))
    joint = coupling_rule.minhash_coupling(p, q)
    table = {(x, y): value for x, row in enumerate(joint) for y, value in enumerate(row) if value}
    assert table == minhash_law(p, q, grid)


@pytest.mark.parametrize("name", NAMED)
def test_minhash_coupling_is_that_of_common_samples(name: str) -> None:
    _held_to_samples(*NAMED[name])


def test_minhash_coupling_on_grids() -> None:
    """For all p, q with probabilities k/4, V = 1 to 3."""
    for vocabulary in (1, 2, 3):
        for p in rows(vocabulary, 4):
            for q in rows(vocabulary, 4):
                _held_to_samples(p, q)


@given(pairs())
@example((ONE, ONE))
@example(((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))))
@example((HALF, (Fraction(1), Fraction(0))))
def test_minhash_coupling_has_the_right_marginals(pair: tuple[Row, Row]) -> None:
    """For all p, q: rows sum to q, columns to p, the diagonal to the agreement."""
    joint = coupling_rule.minhash_coupling(*pair)
    assert [sum(row) for row in joint] == list(map(exact, pair[1]))
    assert [sum(column) for column in zip(*joint, strict=True)] == list(map(exact, pair[0]))
    assert sum(joint[x][x] for x in range(len(joint))) == coupling_rule.minhash_agreement(*pair)


@given(pairs())
def test_order_of_the_couplings(pair: tuple[Row, Row]) -> None:
    """For all p, q: maximal >= Gumbel >= MinHash by token >= MinHash by sample = (1 - TV)/(1 + TV)."""
    ordered = [
        coupling_rule.maximal_match(*pair),
        coupling_rule.gumbel_match(*pair),
        coupling_rule.minhash_agreement(*pair),
        coupling_rule.minhash_match(*pair),
    ]
    assert ordered == sorted(ordered, reverse=True)
    distance = total_variation(*pair)
    assert ordered[3] == (1 - distance) / (1 + distance)
    assert ordered[0] == token_rule.acceptance_probability(*pair)


@given(pairs())
def test_gumbel_is_above_minhash_token_by_token(pair: tuple[Row, Row]) -> None:
    """For all p, q and every token: the races agree on it at least as often as the samples do."""
    joint = coupling_rule.minhash_coupling(*pair)
    assert all(joint[x][x] <= m for x, m in enumerate(gumbel_rule.match_row(*pair)))


@pytest.mark.parametrize(
    "function",
    [
        coupling_rule.maximal_match,
        coupling_rule.gumbel_match,
        coupling_rule.minhash_match,
        coupling_rule.minhash_agreement,
        coupling_rule.minhash_coupling,
    ],
)
def test_bad_argument_is_refused(function: Any) -> None:
    refused: list[tuple[Any, Any, type[ProofsError], str]] = [
        (HALF, ONE, ShapeError, "target has 2 tokens and draft has 1"),
        ([0.5, 0.5], HALF, InexactError, r"target\[0\]: 0.5"),
    ]
    for target, draft, error, words in refused:
        with pytest.raises(error, match=words):
            function(target, draft)
