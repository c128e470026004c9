"""Block verification in exact arithmetic, held to enumeration that shares no code with it."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sympy import Rational

from proofs import optimum
from proofs.block_rule import (
    accepted_law,
    emitted_law,
    expected_accepted,
    path_law,
    path_odds,
    path_weights,
)
from proofs.errors import InexactError, NotADistributionError, ProofsError, ShapeError
from proofs.rationals import exact
from proofs.strategies import distributions, pairs
from tests import call_laws
from tests.block_enumeration import PAIRS, accepted, always, block_call

HALF = ["1/2", "1/2"]

# Printed by `python -m tests.block_enumeration`: E[accepted], law of the number accepted, E[accepted] of a greedy call.
GOLDEN = {
    ("I2", 1): ("2/3", "1/3 2/3", "2/3"),
    ("I2", 2): ("11/9", "1/3 1/9 5/9", "4/3"),
    ("I2", 3): ("5/3", "1/3 1/9 1/9 4/9", "50/27"),
    ("I3", 1): ("2/3", "1/3 2/3", "2/3"),
    ("I3", 2): ("7/6", "1/3 1/6 1/2", "11/9"),
    ("I3", 3): ("14/9", "1/3 1/6 1/9 7/18", "91/54"),
    ("I5", 1): ("3/5", "2/5 3/5", "3/5"),
    ("I5", 2): ("103/100", "2/5 17/100 43/100", "11/10"),
    ("I5", 3): ("673/500", "2/5 17/100 57/500 79/250", "149/100"),
    ("B0", 1): ("5/8", "3/8 5/8", "5/8"),
    ("B0", 2): ("17/16", "3/8 3/16 7/16", "71/64"),
    ("B0", 3): ("45/32", "3/8 3/16 3/32 11/32", "801/512"),
    ("M2", 1): ("5/6", "1/6 5/6", "5/6"),
    ("M2", 2): ("3/2", "1/6 1/6 2/3", "37/24"),
    ("M2", 3): ("143/72", "1/6 1/6 13/72 35/72", "197/96"),
    ("M3", 1): ("2/3", "1/3 2/3", "2/3"),
    ("M3", 2): ("17/15", "1/3 1/5 7/15", "7/6"),
    ("M3", 3): ("433/300", "1/3 1/5 47/300 31/100", "271/180"),
}


def as_fractions(law: dict[Any, Rational]) -> dict[Any, Fraction]:
    return {key: Fraction(int(mass.p), int(mass.q)) for key, mass in law.items()}


@pytest.mark.parametrize(("name", "gamma"), GOLDEN)
def test_golden_values(name: str, gamma: int) -> None:
    target, draft, _ = PAIRS[name]
    expected, law, _ = GOLDEN[name, gamma]
    assert expected_accepted(target, draft, gamma) == exact(expected)
    assert accepted_law(target, draft, gamma) == tuple(map(exact, law.split()))


@pytest.mark.parametrize(("name", "gamma"), [(name, gamma) for name in PAIRS for gamma in (0, 1, 2, 3)])
def test_emitted_law_is_that_of_every_path_and_coin(name: str, gamma: int) -> None:
    target, draft, vocabulary = PAIRS[name]
    law = as_fractions(emitted_law(target, draft, gamma))
    assert law == block_call(target, draft, gamma, vocabulary)
    assert sum(law.values()) == 1
    by_drafts: dict[Any, Fraction] = {}
    for (_, emitted), mass in call_laws.block(target, draft, gamma, vocabulary).items():
        by_drafts[emitted] = by_drafts.get(emitted, Fraction(0)) + mass
    assert law == by_drafts


def _tables(data: st.DataObject, gamma: int, vocabulary: int) -> tuple[Any, Any]:
    """A row of each process for every prefix, drawn when it is asked for."""
    rows: dict[Any, Any] = {}

    def row(which: str, prefix: tuple[int, ...]) -> Any:
        if (which, prefix) not in rows:
            rows[which, prefix] = data.draw(distributions(vocabulary=vocabulary))
        return rows[which, prefix]

    return lambda prefix: row("target", prefix), lambda prefix: row("draft", prefix)


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(0, 3), st.integers(1, 3))
def test_one_call_and_the_targets_own_tokens_have_the_targets_law(
    data: st.DataObject, gamma: int, vocabulary: int
) -> None:
    """For all processes with V 1 to 3, gamma 0 to 2 (3 for V up to 2) and every sequence of gamma + 1 tokens."""
    gamma = min(gamma, 2) if vocabulary == 3 else gamma
    target, draft = _tables(data, gamma, vocabulary)
    law: call_laws.CallLaw = {
        ((), emitted): mass for emitted, mass in as_fractions(emitted_law(target, draft, gamma)).items()
    }
    wanted = call_laws.drafts(target, gamma + 1, vocabulary)
    assert call_laws.completed(law, target, gamma + 1, vocabulary) == wanted


@settings(max_examples=40, deadline=None)
@given(st.data(), st.integers(1, 3))
def test_expected_number_is_the_optimum_and_not_below_the_chain(data: st.DataObject, vocabulary: int) -> None:
    """For all processes with V 1 to 3 and gamma 2: E = the greatest of any lossless call >= E of the token rule."""
    target, draft = _tables(data, 2, vocabulary)
    found = Fraction(str(expected_accepted(target, draft, 2)))
    assert found == optimum.block_optimum(target, call_laws.drafts(draft, 2, vocabulary), 2)
    chain = call_laws.chain(target, draft, 2, vocabulary)
    assert found >= sum(mass * (len(e) - 1) for (_, e), mass in chain.items())


@settings(max_examples=60)
@given(pairs())
@example(((Fraction(1),), (Fraction(1),)))
@example(((Fraction(1), Fraction(0)), (Fraction(0), Fraction(1))))
def test_one_drafted_token_is_the_token_rule(pair: Any) -> None:
    """For all p, q: with gamma 1 as many tokens are accepted as 1 - TV, and at most 2."""
    p, q = pair
    assert expected_accepted(p, q, 1) == exact(sum(map(min, p, q)))


@pytest.mark.parametrize(
    ("target", "draft", "expected"),
    [
        (["1"], ["1"], 3),
        (HALF, HALF, 3),
        ([1, 0], [0, 1], 0),
        ([0, 1], HALF, Rational(1, 2) + Rational(1, 4) + Rational(1, 8)),
        (HALF, [0, 1], Rational(1, 2) + Rational(1, 4) + Rational(1, 8)),
        ([1, 0], [1, 0], 3),
        (["1/2", "1/2", "0"], ["1/2", "0", "1/2"], Rational(7, 8)),
    ],
)
def test_edges(target: Any, draft: Any, expected: Any) -> None:
    assert expected_accepted(target, draft, 3) == expected
    law = emitted_law(target, draft, 3)
    assert sum(law.values()) == 1
    assert all(target[x] != 0 for tokens in law for x in tokens)


def test_nothing_drafted_emits_the_targets_token() -> None:
    assert emitted_law(["1/3", "2/3", 0], [*HALF, 0], 0) == {(0,): Rational(1, 3), (1,): Rational(2, 3)}
    assert expected_accepted(HALF, HALF, 0) == 0
    assert accepted_law(HALF, HALF, 0) == (1,)
    assert path_law([HALF], [], []) == ((1,), ((Rational(1, 2), Rational(1, 2)),))
    assert path_weights([HALF], [], []) == path_odds([HALF], [], []) == (1,)


@pytest.mark.parametrize("name", PAIRS)
def test_paths_averaged_over_drafts_are_the_whole(name: str) -> None:
    """For every drafted path: stops and last tokens add up to the law of the call."""
    target, draft, vocabulary = PAIRS[name]
    law: dict[Any, Fraction] = {}
    for tokens, mass in call_laws.drafts(draft, 3, vocabulary).items():
        rows, below = [target(tokens[:i]) for i in range(4)], [draft(tokens[:i]) for i in range(3)]
        stops, last = path_law(rows, below, tokens)
        assert sum(stops) == 1
        assert path_odds(rows, below, tokens)[-1] == path_weights(rows, below, tokens)[-1]
        for i, chance in enumerate(stops):
            for y, share in enumerate(last[i]):
                key = (*tokens[:i], y)
                law[key] = law.get(key, Fraction(0)) + mass * Fraction(str(chance * share))
    assert {key: mass for key, mass in law.items() if mass} == block_call(target, draft, 3, vocabulary)


def test_weight_is_the_chance_that_at_least_so_many_are_accepted() -> None:
    """For M3 and every prefix of one token: Pr(at least 1 accepted | drafted x) = p_1."""
    target, draft, vocabulary = PAIRS["M3"]
    for x in range(vocabulary):
        kept = Fraction(0)
        for tokens, mass in call_laws.drafts(draft, 2, vocabulary).items():
            if tokens[0] == x:
                rows, below = [target(tokens[:i]) for i in range(3)], [draft(tokens[:i]) for i in range(2)]
                kept += mass * Fraction(str(sum(path_law(rows, below, tokens).stops[1:])))
        p, q = target(()), draft(())
        assert kept == min(p[x], q[x])


def test_odds_are_one_where_they_are_zero_over_zero() -> None:
    """Equal rows after a path of weight 1, twice; then the call never ends there."""
    rows = [HALF, ["1/3", "2/3"], ["1/4", "3/4"], HALF]
    assert path_odds(rows, rows[:3], [0, 1, 1]) == (1, 1, 1, 1)
    law = path_law(rows, rows[:3], [0, 1, 1])
    assert law.stops == (0, 0, 0, 1)
    assert law.last[1] == (Rational(1, 3), Rational(2, 3))


def test_token_that_is_never_drafted_is_not_divided_by() -> None:
    assert path_weights([[1, 0], HALF], [[0, 1]], [0]) == (1, 1)
    assert path_weights([[0, 1], HALF], [[0, 1]], [0]) == (1, 0)
    assert path_law([[0, 1], HALF], [[0, 1]], [0]).stops == (1, 0)


def test_rows_that_cannot_be_reached_may_be_missing() -> None:
    target = {(): [1, 0], (0,): HALF, (0, 0): HALF, (0, 1): HALF}
    draft = {(): HALF, (0,): HALF}
    law = emitted_law(target.__getitem__, draft.__getitem__, 2)
    assert sum(law.values()) == 1
    with pytest.raises(NotADistributionError, match=r"target\(\(0, 1\)\) raises KeyError; expected a row"):
        emitted_law({k: v for k, v in target.items() if k != (0, 1)}.__getitem__, draft.__getitem__, 2)
    with pytest.raises(NotADistributionError, match=r"draft\(\(0,\)\) is None"):
        expected_accepted(target.__getitem__, lambda prefix: None if prefix else HALF, 2)


@pytest.mark.parametrize("law", [emitted_law, expected_accepted, accepted_law])
def test_bad_processes_are_refused(law: Any) -> None:
    with pytest.raises(ProofsError, match="gamma = -1; expected a number of drafted tokens, 0 or more"):
        law(HALF, HALF, -1)
    with pytest.raises(ProofsError, match="gamma = True is no integer"):
        law(HALF, HALF, True)
    with pytest.raises(ShapeError, match="draft has 3 tokens; expected 2"):
        law(HALF, ["1/3", "1/3", "1/3"], 1)
    with pytest.raises(InexactError, match=r"target\[0\]: 0.5"):
        law([0.5, 0.5], HALF, 1)
    with pytest.raises(NotADistributionError, match="draft sums to 2/3"):
        law(HALF, ["1/3", "1/3"], 1)


def test_results_are_rationals() -> None:
    law = emitted_law(HALF, ["1/3", "2/3"], 2)
    assert all(isinstance(mass, Rational) for mass in law.values())
    assert isinstance(expected_accepted(HALF, HALF, 2), Rational)
    stops, last = path_law([HALF] * 2, [HALF], [0])
    assert all(isinstance(x, Rational) for row in (stops, *last) for x in row)


def test_enumeration_is_of_the_same_expected_number() -> None:
    for name in ("I3", "M2"):
        target, draft, vocabulary = PAIRS[name]
        assert accepted(block_call(target, draft, 2, vocabulary)) == Fraction(GOLDEN[name, 2][0])
    assert accepted(block_call(always((Fraction(1),)), always((Fraction(1),)), 2, 1)) == 2


def test_many_drafted_tokens_need_no_deep_recursion() -> None:
    assert expected_accepted([1], [1], 1500) == 1500
    assert accepted_law([0, 1], [0, 1], 1200)[-1] == 1
