"""Exact transformations of rows, held to their definitions token by token."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational

import proofs
from proofs import target_rows
from proofs.errors import InexactError, NotADistributionError, ProofsError
from proofs.strategies import distributions
from proofs.target_rows import transform, transform_process
from tests import target_enumeration as brute
from tests.enumeration import NAMED, Row, rows

FRACTIONS = [Fraction(1, 6), Fraction(1, 3), Fraction(1, 2), Fraction(2, 3), Fraction(3, 4), Fraction(1)]


def _exact(row: Any) -> tuple[Rational, ...]:
    return tuple(map(proofs.exact, row))


def _grid() -> list[Row]:
    return [row for vocabulary, grid in ((1, 1), (2, 4), (3, 6)) for row in rows(vocabulary, grid)]


@pytest.mark.parametrize("fraction", FRACTIONS, ids=str)
def test_thresholds_on_every_row_of_a_grid(fraction: Fraction) -> None:
    """For all rows with probabilities k/6 at V = 3: top-p by both boundaries, and min-p."""
    for row in _grid():
        for boundary in (">=", ">"):
            assert target_rows.top_p(row, fraction, boundary) == _exact(brute.top_p(row, fraction, boundary)), row
        assert target_rows.min_p(row, fraction) == _exact(brute.min_p(row, fraction)), row
    assert target_rows.min_p(NAMED["I5"][0], 0) == _exact(NAMED["I5"][0])


@pytest.mark.parametrize("count", [1, 2, 3, 5])
def test_counts_on_every_row_of_a_grid(count: int) -> None:
    """For all rows with probabilities k/6 at V = 3: top-k by both rules for ties, temperature 1/n, a whole penalty."""
    for row in _grid():
        for ties in ("lowest", "all"):
            assert target_rows.top_k(row, count, ties) == _exact(brute.top_k(row, count, ties)), row
        assert target_rows.temperature(row, Fraction(1, count)) == _exact(brute.cold(row, count))
        seen = [0, len(row) - 1, 0]
        assert target_rows.repetition_penalty(row, seen, count) == _exact(brute.penalty(row, seen, count))


@given(distributions(), st.data())
def test_bias_and_mask(row: Row, data: Any) -> None:
    """For all rows, factors and allowed tokens that leave some mass: weights times factors, and what is allowed."""
    heavy = max(range(len(row)), key=lambda x: row[x])
    tokens = st.integers(0, len(row) - 1)
    factors = data.draw(st.dictionaries(tokens, st.fractions(0, 3, max_denominator=5)))
    factors[heavy] = Fraction(2)
    assert target_rows.logit_bias(row, factors) == _exact(brute.bias(row, factors))
    allowed = [*data.draw(st.lists(tokens)), heavy]
    assert target_rows.mask(row, allowed) == _exact(brute.mask(row, allowed))


STEPS: list[tuple[tuple[Any, ...], Callable[[Row], Row]]] = [
    (("temperature", "1/2"), lambda row: brute.cold(row, 2)),
    (("top_k", 2), lambda row: brute.top_k(row, 2)),
    (("top_k", 2, "all"), lambda row: brute.top_k(row, 2, "all")),
    (("top_p", "2/3"), lambda row: brute.top_p(row, Fraction(2, 3))),
    (("top_p", "2/3", ">"), lambda row: brute.top_p(row, Fraction(2, 3), ">")),
    (("min_p", "1/2"), lambda row: brute.min_p(row, Fraction(1, 2))),
]


@settings(max_examples=60)
@given(distributions(max_vocabulary=5), st.lists(st.sampled_from(STEPS), max_size=4), st.integers(1, 7))
def test_steps_apply_in_order_whatever_the_scale(row: Row, chosen: list[Any], scale: int) -> None:
    """For all rows, lists of steps and scales: the steps one after the other, each normalised, give the same row."""
    expected = row
    for _, definition in chosen:
        expected = definition(expected)
    steps = [step for step, _ in chosen]
    assert transform(row, steps) == _exact(expected)
    assert transform([scale * w for w in row], steps) == _exact(expected)


GOLDEN: list[tuple[str, list[tuple[Any, ...]], str]] = [
    ("I2", [("temperature", "1/2")], "1/5 4/5"),
    ("I3", [("temperature", "1/2")], "9/14 2/7 1/14"),
    ("I3", [("temperature", "1/3")], "3/4 2/9 1/36"),
    ("I3", [("top_k", 1)], "1 0 0"),
    ("I3", [("top_k", 2)], "3/5 2/5 0"),
    ("I3", [("top_p", "1/2")], "1 0 0"),
    ("I3", [("top_p", "1/2", ">")], "3/5 2/5 0"),
    ("I3", [("top_p", "5/6")], "3/5 2/5 0"),
    ("I3", [("top_p", "5/6", ">")], "1/2 1/3 1/6"),
    ("I3", [("min_p", "2/3")], "3/5 2/5 0"),
    ("I3", [("min_p", "1/3")], "1/2 1/3 1/6"),
    ("I5", [("temperature", "1/2")], "8/15 3/10 2/15 1/30"),
    ("I5", [("top_p", "7/10")], "4/7 3/7 0 0"),
    ("I5", [("top_p", "7/10", ">")], "4/9 1/3 2/9 0"),
    ("I5", [("min_p", "1/2")], "4/9 1/3 2/9 0"),
    ("I5", [("min_p", "3/5")], "4/7 3/7 0 0"),
    ("I5", [("mask", [1, 3])], "0 3/4 0 1/4"),
    ("I5", [("logit_bias", {0: "1/2", 3: 2})], "2/9 1/3 2/9 2/9"),
    ("I5", [("logit_bias", {0: 0})], "0 1/2 1/3 1/6"),
    ("I5", [("repetition_penalty", [0], 2)], "4/19 15/38 5/19 5/38"),
    ("I5", [("top_p", "4/5"), ("temperature", "1/2")], "16/29 9/29 4/29 0"),
    ("I5", [("temperature", "1/2"), ("top_p", "4/5")], "16/25 9/25 0 0"),
    ("I5", [("temperature", "1/2"), ("min_p", "1/2")], "16/25 9/25 0 0"),
    ("I5", [("mask", [2, 3]), ("top_k", 1)], "0 0 1 0"),
    ("I5", [("top_k", 3), ("logit_bias", {0: "1/4"}), ("temperature", "1/2")], "1/14 9/14 2/7 0"),
    ("B0", [("temperature", "1/2")], "1/26 9/26 8/13"),
    ("B0", [("top_p", "1/2")], "0 0 1"),
    ("B0", [("top_p", "1/2", ">")], "0 3/7 4/7"),
    ("B0", [("top_k", 2), ("temperature", "1/2")], "0 9/25 16/25"),
    ("B0", [("min_p", "3/4")], "0 3/7 4/7"),
]


@pytest.mark.parametrize(("name", "steps", "expected"), GOLDEN, ids=str)
def test_golden_rows(name: str, steps: list[tuple[Any, ...]], expected: str) -> None:
    assert transform(NAMED[name][0], steps) == _exact(expected.split())


def test_temperatures_above_one_where_they_are_exact() -> None:
    assert target_rows.temperature(["4/5", "1/5"], 2) == _exact(["2/3", "1/3"])
    assert target_rows.temperature(["8/9", "1/9"], 3) == _exact(["2/3", "1/3"])
    assert target_rows.temperature(["4/5", "1/5"], "2/3") == _exact(["8/9", "1/9"])
    assert target_rows.temperature([1, 0], 17) == (1, 0)
    assert target_rows.temperature([5, 5], "7/3") == _exact(["1/2", "1/2"])


def test_penalty_depends_on_the_scale() -> None:
    """Logits ln 4, 0, -ln 2: the first is divided by 2, the last doubled."""
    assert target_rows.repetition_penalty([4, 1, "1/2"], [0, 2], 2) == _exact(["8/13", "4/13", "1/13"])
    assert target_rows.repetition_penalty([4, 1, "1/4"], [0, 2], "1/2") == _exact(["32/35", "2/35", "1/35"])
    assert target_rows.repetition_penalty([2, "1/2", "1/8"], [], 9) == _exact(["16/21", "4/21", "1/21"])
    assert transform([4, 1], [("temperature", "1/2"), ("repetition_penalty", [0], 2)]) == _exact(["4/5", "1/5"])
    with pytest.raises(ProofsError, match=r"steps\[1\] is a repetition_penalty behind steps\[0\]"):
        transform([4, 1], [("temperature", 2), ("repetition_penalty", [0], 2)])


def test_process_is_transformed_at_every_prefix() -> None:
    table = {(): ["1/2", "1/2"], (0,): ["3/4", "1/4"], (1,): [0, 1]}
    process = transform_process(lambda prefix: table[prefix], [("temperature", "1/2")])
    assert [process(prefix) for prefix in table] == [_exact(["1/2", "1/2"]), _exact(["9/10", "1/10"]), (0, 1)]
    assert transform_process(["3/4", "1/4"], [])((0, 1, 0)) == _exact(["3/4", "1/4"])
    with pytest.raises(NotADistributionError, match=r"rows\(\(1, 1\)\) raises KeyError"):
        process((1, 1))


def test_results_are_rationals_in_tuples() -> None:
    for row in (transform(["1/2", "1/2"], []), transform([1, 0], [("top_k", 1)])):
        assert isinstance(row, tuple)
        assert all(isinstance(entry, Rational) for entry in row)


I5 = NAMED["I5"][0]
REFUSED: dict[str, tuple[Any, Any, type[ValueError], str]] = {
    "floats": ([0.5, 0.5], [], InexactError, r"row\[0\]"),
    "negative": (["3/2", "-1/2"], [], NotADistributionError, r"row\[1\] = -1/2"),
    "no mass": ([0, 0], [], NotADistributionError, "row has no mass left"),
    "no tokens": ([], [], NotADistributionError, "row is empty"),
    "temperature 0": (I5, [("temperature", 0)], ProofsError, "temperature = 0; .*top_k with k = 1"),
    "negative temperature": (I5, [("temperature", -1)], ProofsError, "temperature = -1"),
    "irrational": (
        I5,
        [("temperature", 2)],
        ProofsError,
        "temperature makes entry 1, 3/4 to the power 1/2, irrational",
    ),
    "enormous": (I5, [("temperature", Fraction(1, 10**9))], ProofsError, "too many digits"),
    "float temperature": (I5, [("temperature", 0.5)], InexactError, "temperature: 0.5"),
    "k 0": (I5, [("top_k", 0)], ProofsError, "k = 0; expected a number of tokens to keep, 1 or more"),
    "ties": (I5, [("top_k", 1, "first")], ProofsError, "ties = 'first'; expected one of lowest, all"),
    "mass 0": (I5, [("top_p", 0)], ProofsError, "mass = 0; expected 0 < mass <= 1"),
    "mass above 1": (I5, [("top_p", "9/8")], ProofsError, "mass = 9/8"),
    "boundary": (I5, [("top_p", 1, "<")], ProofsError, "boundary = '<'; expected one of >=, >"),
    "fraction": (I5, [("min_p", 2)], ProofsError, "fraction = 2; expected 0 <= fraction <= 1"),
    "penalty 0": (I5, [("repetition_penalty", [0], 0)], ProofsError, "penalty = 0"),
    "penalty": (I5, [("repetition_penalty", [0], "3/2")], ProofsError, "repetition_penalty makes entry 0, 2/5"),
    "token": (
        I5,
        [("repetition_penalty", [4], 1)],
        ProofsError,
        "tokens has 4; expected integers between 0 and V - 1 = 3",
    ),
    "factors": (I5, [("logit_bias", [1, 2])], ProofsError, "factors is a list; expected a mapping"),
    "negative factor": (I5, [("logit_bias", {1: -1})], ProofsError, r"factors\[1\] = -1"),
    "biased away": (
        [1, 0],
        [("logit_bias", {0: 0})],
        NotADistributionError,
        "row after steps.0., logit_bias, has no mass",
    ),
    "masked away": ([1, 0], [("mask", [1])], NotADistributionError, "row after steps.0., mask, has no mass left"),
    "nothing allowed": (I5, [("mask", [])], NotADistributionError, "no mass left"),
    "flags": (I5, [("mask", [True, False, True, True])], ProofsError, "a flag is no token"),
    "token as text": (I5, [("mask", "01")], ProofsError, "allowed: .*expected integers"),
    "masked one": (I5, [("mask", 1)], ProofsError, "allowed: .*expected integers"),
    "unknown": (I5, [("top_a", 1)], ProofsError, r"steps\[0\] = .'top_a', 1.; expected a name and its arguments"),
    "no argument": (I5, [("top_k",)], ProofsError, "has 0 arguments; top_k expects 1 or 2"),
    "bare name": (I5, ["top_k"], ProofsError, "has 0 arguments; top_k expects 1 or 2"),
    "too many": (I5, [("min_p", 1, 1)], ProofsError, "has 2 arguments; min_p expects 1"),
    "one step": (I5, ("top_k", 2), ProofsError, r"has 0 arguments; top_k expects 1 or 2|steps: "),
    "no steps": (I5, None, ProofsError, "steps: .*expected tuples such as"),
    "empty step": (I5, [()], ProofsError, r"steps\[0\] = \(\)"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_bad_call_is_refused(kind: str) -> None:
    row, steps, error, message = REFUSED[kind]
    with pytest.raises(error, match=message):
        transform(row, steps)
