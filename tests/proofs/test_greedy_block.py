"""Greedy block verification, held to enumeration of calls that carry their state, coin by coin."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational

from proofs import block_rule
from proofs.errors import NotADistributionError, ProofsError, ShapeError
from proofs.greedy_block import ceiling, greedy_emitted_law, greedy_sequence_law, modified_row
from proofs.rationals import exact
from proofs.strategies import distributions
from tests import block_enumeration
from tests.block_enumeration import PAIRS, always, greedy_call, greedy_texts, process_law
from tests.proofs.test_block_rule import GOLDEN, as_fractions

HALF = ["1/2", "1/2"]


@pytest.mark.parametrize(("name", "gamma"), GOLDEN)
def test_golden_ceilings(name: str, gamma: int) -> None:
    target, draft, vocabulary = PAIRS[name]
    expected = exact(GOLDEN[name, gamma][2])
    assert ceiling(target, draft, gamma) == expected
    law = greedy_emitted_law(target, draft, gamma)
    assert sum(((len(e) - 1) * mass for e, mass in law.items()), Rational(0)) == expected
    assert exact(block_enumeration.ceiling(target, draft, gamma, vocabulary)) == expected


@pytest.mark.parametrize(("name", "gamma"), [(name, gamma) for name in PAIRS for gamma in (0, 1, 2, 3)])
def test_emitted_law_is_that_of_every_path_and_coin(name: str, gamma: int) -> None:
    target, draft, vocabulary = PAIRS[name]
    law: dict[Any, Fraction] = {}
    for (emitted, _), mass in greedy_call(target, draft, gamma, vocabulary).items():
        law[emitted] = law.get(emitted, Fraction(0)) + mass
    assert as_fractions(greedy_emitted_law(target, draft, gamma)) == law


@pytest.mark.parametrize(
    ("name", "gamma", "calls", "length"),
    [("I2", 2, 2, 4), ("I2", 3, 2, 6), ("M2", 3, 2, 5), ("M2", 2, 3, 5), ("I3", 2, 2, 4), ("M3", 2, 2, 4)],
)
def test_calls_that_carry_their_state_have_the_targets_law(name: str, gamma: int, calls: int, length: int) -> None:
    """For every sequence: layers applied one after the other, and the changed targets of the package."""
    target, draft, vocabulary = PAIRS[name]
    wanted = process_law(target, length, vocabulary)
    assert greedy_texts(target, draft, (gamma,) * calls, vocabulary, length) == wanted
    assert as_fractions(greedy_sequence_law(target, draft, gamma, calls, length)) == wanted


def test_calls_of_other_lengths_have_the_targets_law_by_enumeration() -> None:
    target, draft, vocabulary = PAIRS["M2"]
    assert greedy_texts(target, draft, (2, 3, 2), vocabulary, 6) == process_law(target, 6, vocabulary)


@settings(max_examples=30, deadline=None)
@given(st.data(), st.integers(1, 3), st.integers(0, 3))
def test_texts_have_the_targets_law(data: st.DataObject, vocabulary: int, calls: int) -> None:
    """For all processes with V 1 to 3 and gamma 2 and every sequence of 4 tokens, 0 to 3 calls."""
    rows: dict[Any, Any] = {}

    def row(which: str, prefix: tuple[int, ...]) -> Any:
        if (which, prefix) not in rows:
            rows[which, prefix] = data.draw(distributions(vocabulary=vocabulary))
        return rows[which, prefix]

    def target(prefix: tuple[int, ...]) -> Any:
        return row("target", prefix)

    law = greedy_sequence_law(target, lambda prefix: row("draft", prefix), 2, calls, 4)
    assert as_fractions(law) == process_law(target, 4, vocabulary)


@settings(max_examples=40)
@given(distributions(max_vocabulary=3), st.data(), st.integers(0, 3))
def test_ceiling_is_between_block_verification_and_gamma(p: Any, data: st.DataObject, gamma: int) -> None:
    """For all rows p, q with V 1 to 3 and gamma 0 to 3; equal to both ends where p = q."""
    q = data.draw(distributions(vocabulary=len(p)))
    assert block_rule.expected_accepted(p, q, gamma) <= ceiling(p, q, gamma) <= gamma
    assert ceiling(p, p, gamma) == gamma


def test_one_call_alone_is_not_lossless() -> None:
    """I2, gamma 2, the target's own tokens after the call: (0, 1) comes too often."""
    target, draft, _ = PAIRS["I2"]
    law = greedy_emitted_law(target, draft, 2)
    found = {y: Rational(0) for y in ((0, 0), (0, 1), (1, 0), (1, 1))}
    for emitted, mass in law.items():
        for y in found:
            if y[: len(emitted)] == emitted[:2]:
                found[y] += mass * (exact(target(())[y[1]]) if len(emitted) == 1 else 1)
    assert found != as_fractions({k: exact(v) for k, v in process_law(target, 2, 2).items()})
    assert sum(found.values()) == 1


def test_modified_rows() -> None:
    assert modified_row(["1/3", "2/3"], ["2/3", "1/3"], 2, (1,)) == (0, 1)  # (2/9 - 2/9, 4/9 - 1/9)
    assert modified_row(["1/3", "2/3"], ["2/3", "1/3"], 2, (1, 0)) == (Rational(1, 3), Rational(2, 3))
    assert modified_row(HALF, HALF, 2, (1,)) == (Rational(1, 2), Rational(1, 2))  # nothing is left
    assert modified_row([0, 1], [1, 0], 2, (1,)) == (0, 1)  # the draft cannot get there
    i5 = PAIRS["I5"]
    assert modified_row(i5[0], i5[1], 2, (0,)) == tuple(map(exact, ("1/2", "1/3", "1/6", "0")))  # (15, 10, 5, 0) / 100


def test_edges() -> None:
    assert greedy_emitted_law(HALF, HALF, 0) == {(0,): Rational(1, 2), (1,): Rational(1, 2)}
    assert ceiling(HALF, ["1/3", "2/3"], 0) == 0
    assert ceiling([1], [1], 4) == 4
    assert ceiling([1, 0], [0, 1], 3) == 0
    assert greedy_sequence_law([1, 0], [0, 1], 2, 2, 3) == {(0, 0, 0): 1}
    assert greedy_sequence_law(HALF, HALF, 3, 2, 0) == {(): 1}
    assert greedy_sequence_law(["1/4", "3/4"], HALF, 2, 0, 1) == {(0,): Rational(1, 4), (1,): Rational(3, 4)}
    cases: list[Any] = [([1, 0, 0], ["1/3"] * 3), (["1/3"] * 3, [0, 0, 1]), (["1/2", "1/2", 0], ["1/2", 0, "1/2"])]
    for p, q in cases:
        law = greedy_sequence_law(p, q, 2, 2, 3)
        assert as_fractions(law) == process_law(always(tuple(map(Fraction, p))), 3, 3)


def test_rows_that_cannot_be_reached_may_be_missing() -> None:
    target = {(): [1, 0], (0,): HALF, (0, 0): HALF, (0, 1): HALF}
    draft = {(): HALF, (0,): HALF}
    assert sum(greedy_emitted_law(target.__getitem__, draft.__getitem__, 2).values()) == 1
    assert ceiling(target.__getitem__, draft.__getitem__, 2) == 1
    with pytest.raises(NotADistributionError, match=r"draft\(\(0,\)\) raises KeyError"):
        ceiling(target.__getitem__, {(): HALF}.__getitem__, 2)


def test_bad_arguments_are_refused() -> None:
    with pytest.raises(ProofsError, match=r"prefix\[0\] = 5 is not a token"):
        modified_row(HALF, HALF, 3, (5,))
    with pytest.raises(ShapeError, match="prefix is a int; expected a sequence of tokens from 0 to 1"):
        modified_row(HALF, HALF, 3, 0)  # type: ignore[arg-type]
    with pytest.raises(ProofsError, match="gamma = -1; expected a number of drafted tokens"):
        ceiling(HALF, HALF, -1)
    with pytest.raises(ProofsError, match="gamma = 1.5 is no integer"):
        greedy_emitted_law(HALF, HALF, 1.5)  # type: ignore[arg-type]
    with pytest.raises(ProofsError, match="calls = -1; expected a number of calls, 0 or more"):
        greedy_sequence_law(HALF, HALF, 1, -1, 1)
    with pytest.raises(ProofsError, match="length = -2; expected a number of tokens, 0 or more"):
        greedy_sequence_law(HALF, HALF, 1, 1, -2)
    with pytest.raises(ShapeError, match="draft has 1 tokens; expected 2"):
        greedy_emitted_law(HALF, [1], 1)


def test_long_texts_need_no_deep_recursion() -> None:
    assert greedy_sequence_law([1], [1], 3, 2, 1500) == {(0,) * 1500: 1}
    assert ceiling([1], [1], 1500) == 1500
