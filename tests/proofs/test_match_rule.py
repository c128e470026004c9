"""The exact match rule, held to enumeration that shares no code with it."""

from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sympy import Rational

from proofs import match_rule, token_rule
from proofs.errors import InexactError, NotADistributionError, ProofsError, ShapeError
from proofs.rationals import exact
from proofs.strategies import distributions, pairs
from tests.enumeration import NAMED, Row, rows
from tests.match_enumeration import (
    Rows,
    completed,
    markov_draft,
    markov_target,
    match_acceptance,
    match_law,
    target_law,
)

HALF = (Fraction(1, 2), Fraction(1, 2))
ONE = (Fraction(1),)
HOT = (Fraction(1), Fraction(0))
OTHER = (Fraction(0), Fraction(1))

GOLDEN = {
    ("I2", 1): "4/9", ("I2", 2): "2/3", ("I2", 3): "64/81",
    ("I3", 1): "5/18", ("I3", 2): "25/54", ("I3", 3): "383/648",
    ("I5", 1): "1/5", ("I5", 2): "7/20", ("I5", 3): "2323/5000",
    ("B0", 1): "9/32", ("B0", 2): "61/128", ("B0", 3): "315/512",
}  # fmt: skip
GOLDEN_ACCEPTED = {
    ("I2", 2): "52/81", ("I2", 3): "532/729", ("I3", 2): "115/324", ("I3", 3): "2195/5832",
    ("I5", 2): "6/25", ("I5", 3): "31/125", ("B0", 2): "369/1024", ("B0", 3): "12537/32768",
}  # fmt: skip


@pytest.mark.parametrize(("name", "k"), GOLDEN)
def test_golden_acceptance(name: str, k: int) -> None:
    assert match_rule.acceptance(*NAMED[name], k) == exact(GOLDEN[name, k])


@pytest.mark.parametrize(("name", "gamma"), GOLDEN_ACCEPTED)
def test_golden_expected_accepted(name: str, gamma: int) -> None:
    assert match_rule.expected_accepted(*NAMED[name], gamma) == exact(GOLDEN_ACCEPTED[name, gamma])


@given(pairs(max_vocabulary=3), st.integers(0, 3))
@example((ONE, ONE), 2)
@example((HOT, OTHER), 3)
@example((HOT, HOT), 2)
@example((HALF, HOT), 1)
def test_acceptance_is_the_mass_of_being_among_the_drafts(pair: tuple[Row, Row], k: int) -> None:
    """For all p, q and k: sum of q(x_1) ... q(x_k) p(y) over the drafts with y among them."""
    assert match_rule.acceptance(*pair, k) == match_acceptance(*pair, k)


@given(pairs())
def test_acceptance_is_at_most_one_minus_tv(pair: tuple[Row, Row]) -> None:
    """For all p, q: sum p q <= sum min(p, q)."""
    assert match_rule.acceptance(*pair) <= token_rule.acceptance_probability(*pair)


@given(distributions(max_vocabulary=4))
def test_acceptance_of_a_set_is_its_mass(p: Row) -> None:
    """For all p and sets S of tokens, in any order and with repeats: p(S)."""
    for size in range(len(p) + 1):
        for tokens in combinations(range(len(p)), size):
            expected = sum((p[x] for x in tokens), Fraction(0))
            assert match_rule.set_acceptance(p, tokens) == expected
            assert match_rule.set_acceptance(p, [*reversed(tokens), *tokens]) == expected
    assert [match_rule.set_acceptance(p, x) for x in range(len(p))] == list(map(exact, p))
    assert match_rule.set_acceptance(p, np.array(0)) == match_rule.set_acceptance(p, np.array([0, 0])) == p[0]


@given(distributions())
def test_certain_draft_makes_both_rules_one(p: Row) -> None:
    """For all p and x: with a draft that is certain of x the token rule's joint law is the match rule's."""
    for x in range(len(p)):
        draft = match_rule.one_hot(x, len(p))
        assert match_rule.coupling(p, draft) == token_rule.maximal_coupling(p, draft)
        assert match_rule.acceptance(p, draft) == p[x] == match_rule.set_acceptance(p, x)


@given(pairs())
def test_coupling_has_the_right_marginals(pair: tuple[Row, Row]) -> None:
    """For all p, q: rows sum to q, columns to p, the diagonal to the acceptance."""
    joint = match_rule.coupling(*pair)
    assert [sum(row) for row in joint] == list(map(exact, pair[1]))
    assert [sum(column) for column in zip(*joint, strict=True)] == list(map(exact, pair[0]))
    assert sum(joint[x][x] for x in range(len(joint))) == match_rule.acceptance(*pair)


@pytest.mark.parametrize("gamma", [0, 1, 2])
@pytest.mark.parametrize("name", ["I2", "I3", "B0"])
def test_law_of_a_call_is_the_enumerated_one(name: str, gamma: int) -> None:
    p, q = NAMED[name]
    law, accepted = match_law(lambda _: p, lambda _: q, gamma, len(p))
    assert match_rule.emitted_law(p, q, gamma) == law
    assert match_rule.expected_accepted(p, q, gamma) == accepted


@pytest.mark.parametrize(("gamma", "accepted"), [(0, "0"), (1, "5/18"), (2, "329/864"), (3, "1049/2592")])
def test_law_of_a_call_on_markov_processes(gamma: int, accepted: str) -> None:
    """The enumerated law and expectation; completed by the target it is the target's law of gamma + 1 tokens."""
    law, expected = match_law(markov_target, markov_draft, gamma, 3)
    assert match_rule.emitted_law(markov_target, markov_draft, gamma) == law
    assert match_rule.expected_accepted(markov_target, markov_draft, gamma) == expected == Fraction(accepted)
    assert completed(law, markov_target, gamma + 1, 3) == target_law(markov_target, gamma + 1, 3)


def test_golden_law_on_markov_processes() -> None:
    masses = {
        (0,): "5/12", (1,): "2/9", (2,): "1/12", (0, 1): "1/48", (0, 2): "1/16",
        (1, 0): "1/27", (1, 1): "1/27", (1, 2): "1/27", (2, 0): "1/12",
    }  # fmt: skip
    assert match_rule.emitted_law(markov_target, markov_draft, 1) == {k: exact(v) for k, v in masses.items()}


@pytest.mark.parametrize("pair", [(HOT, OTHER), (HOT, HOT), (HALF, HOT), (HOT, HALF), (ONE, ONE)])
def test_edges_of_the_chain(pair: tuple[Row, Row]) -> None:
    for gamma in range(4):
        law, accepted = match_law(lambda _: pair[0], lambda _: pair[1], gamma, len(pair[0]))
        assert match_rule.emitted_law(*pair, gamma) == law
        assert match_rule.expected_accepted(*pair, gamma) == accepted


@given(pairs(max_vocabulary=3), st.integers(0, 3))
def test_one_row_and_a_callable_that_returns_it_are_the_same(pair: tuple[Row, Row], gamma: int) -> None:
    """For all p, q and gamma: the geometric sum is the sum over prefixes."""
    p, q = pair
    by_prefix = match_rule.expected_accepted(lambda _: p, lambda _: q, gamma)
    assert match_rule.expected_accepted(p, q, gamma) == by_prefix
    assert match_rule.emitted_law(p, lambda _: q, gamma) == match_rule.emitted_law(p, q, gamma)


def test_lookup_is_a_certain_draft_by_prefix() -> None:
    """A drafter that copies its text 1, 2, 0: kept with the target's own probabilities along that path."""
    text = (1, 2, 0)
    lookup = {text[:i]: match_rule.one_hot(text[i], 3) for i in range(3)}.__getitem__
    chances = match_rule.path_acceptance([markov_target(text[:i]) for i in range(4)], text)
    assert chances == (Rational(1, 3), Rational(1, 9), Rational(1, 9))
    assert match_rule.expected_accepted(markov_target, lookup, 3) == sum(chances) == Rational(5, 9)
    law, _ = match_law(markov_target, lookup, 3, 3)
    assert match_rule.emitted_law(markov_target, lookup, 3) == law


def test_path_without_tokens() -> None:
    assert match_rule.path_acceptance([["1/2", "1/2"]], []) == ()


@given(distributions(max_vocabulary=5), st.data())
def test_greedy_row_is_one_of_the_likeliest_tokens(row: Row, data: st.DataObject) -> None:
    """For all rows and orders: mass one on the first in the order among the tokens of greatest probability."""
    best = [x for x, value in enumerate(row) if value == max(row)]
    order = data.draw(st.permutations(range(len(row))))
    for ties, token in (("lowest", best[0]), ("highest", best[-1]), (order, min(best, key=order.index))):
        assert match_rule.greedy_row(row, ties) == match_rule.one_hot(token, len(row))


def test_greedy_chain_keeps_while_the_drafted_token_is_the_likeliest() -> None:
    """Target rows after (), 0: ties at the start; the drafter drafts 0, then 1 or 0 by halves."""
    target = {(): HALF, (0,): ("1/4", "3/4"), (0, 1): HOT}.__getitem__
    draft = {(): HOT, (0,): HALF}.__getitem__
    greedy = match_rule.greedy_process(target)
    assert match_rule.emitted_law(greedy, draft, 2) == {(0, 1): Rational(1, 2), (0, 1, 0): Rational(1, 2)}
    assert match_rule.expected_accepted(greedy, draft, 2) == Rational(3, 2)
    turned = match_rule.greedy_process(target, "highest")
    assert match_rule.emitted_law(turned, draft, 2) == {(1,): 1}


def test_results_are_rationals() -> None:
    p, q = NAMED["B0"]
    values: list[Any] = [match_rule.acceptance(p, q), match_rule.set_acceptance(p, []), *match_rule.greedy_row(p)]
    values += [*match_rule.emitted_law(p, q, 1).values(), match_rule.expected_accepted(p, q, 0)]
    assert all(isinstance(value, Rational) for value in values)


def test_rows_that_are_never_reached_are_not_asked_for() -> None:
    """After 0, which the drafter never proposes, no row is needed beyond the token that ends the call."""
    target = {(): HALF, (1,): HALF, (1, 1): HALF}.__getitem__
    draft = {(): OTHER, (1,): OTHER}.__getitem__
    assert match_rule.expected_accepted(target, draft, 2) == Rational(3, 4)


NO_COUNT: Any = Fraction(3, 2)
REFUSED: dict[str, tuple[Any, type[ProofsError], str]] = {
    "negative gamma": (lambda: match_rule.emitted_law(HALF, HALF, -1), ProofsError, "gamma = -1; expected"),
    "gamma no integer": (
        lambda: match_rule.expected_accepted(HALF, HALF, NO_COUNT),
        ProofsError,
        "gamma = 3/2 is no integer",
    ),
    "negative k": (lambda: match_rule.acceptance(HALF, HALF, -1), ProofsError, "k = -1; expected a number of drafts"),
    "bool k": (lambda: match_rule.acceptance(HALF, HALF, True), ProofsError, "k = True is no integer"),
    "lengths": (lambda: match_rule.acceptance(HALF, ONE), ShapeError, "target has 2 tokens and draft has 1"),
    "floats": (lambda: match_rule.acceptance([0.5, 0.5], HALF), InexactError, r"target\[0\]: 0.5"),
    "sum": (lambda: match_rule.set_acceptance(["1/2"], 0), NotADistributionError, "target sums to 1/2"),
    "token too large": (
        lambda: match_rule.set_acceptance(HALF, [0, 2]),
        ProofsError,
        r"tokens\[1\] = 2 is not a token",
    ),
    "negative token": (lambda: match_rule.set_acceptance(HALF, -1), ProofsError, r"tokens\[0\] = -1 .* V - 1 = 1"),
    "bool token": (lambda: match_rule.set_acceptance(HALF, True), ProofsError, "True is not a token"),
    "float token": (lambda: match_rule.set_acceptance(HALF, 1.0), ProofsError, r"tokens\[0\] = 1.0 is not a token"),
    "text": (lambda: match_rule.set_acceptance(HALF, "01"), ProofsError, "01 is not a token"),
    "one hot": (lambda: match_rule.one_hot(3, 3), ProofsError, r"token\[0\] = 3 is not a token"),
    "no vocabulary": (lambda: match_rule.one_hot(0, 0), ProofsError, "vocabulary = 0; expected a number of tokens, 1"),
    "unknown ties": (lambda: match_rule.greedy_row(HALF, "first"), ProofsError, 'expected "lowest", "highest"'),
    "no permutation": (lambda: match_rule.greedy_row(HALF, [0, 0]), ProofsError, "does not name each of the V = 2"),
    "short permutation": (lambda: match_rule.greedy_row(HALF, [0]), ProofsError, "does not name each of the V = 2"),
    "ties no sequence": (lambda: match_rule.greedy_row(HALF, 0), ShapeError, "ties is a int"),
    "no bonus row": (lambda: match_rule.path_acceptance([HALF], [0]), ShapeError, r"\[2\] tokens beside 1 drafted"),
    "ragged rows": (lambda: match_rule.path_acceptance([HALF, ONE], [0]), ShapeError, r"\[2, 1\] tokens beside 1"),
    "tokens no sequence": (lambda: match_rule.path_acceptance([HALF], 0), ShapeError, "tokens is a int"),
    "row missing": (
        lambda: match_rule.emitted_law({(): HALF}.__getitem__, HALF, 1),
        NotADistributionError,
        r"target\(\(0,\)\) raises KeyError; expected a row",
    ),
    "draft missing": (
        lambda: match_rule.expected_accepted(HALF, {(): HALF}.get, 2),
        NotADistributionError,
        r"draft\(\(0,\)\) is None; expected a row",
    ),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_bad_argument_is_refused(kind: str) -> None:
    call, error, words = REFUSED[kind]
    with pytest.raises(error, match=words):
        call()


def _always(row: Row) -> Rows:
    return lambda _: row


def test_every_pair_of_a_grid() -> None:
    """For all p, q with probabilities k/4 and V = 3, gamma = 1: law and expectation are the enumerated ones."""
    for p in rows(3, 4):
        for q in rows(3, 4):
            law, accepted = match_law(_always(p), _always(q), 1, 3)
            assert match_rule.emitted_law(p, q, 1) == law
            assert match_rule.expected_accepted(p, q, 1) == accepted == match_rule.acceptance(p, q)
