"""The exact Gumbel coupling, held to cones that are cut by hand and to the law of programs that race."""

from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from sympy import Rational

import proofs
from proofs import gumbel_rule, match_rule, token_rule
from proofs.errors import InexactError, NotADistributionError, ProofsError, ShapeError
from proofs.rationals import exact
from proofs.strategies import disjoint_pairs, distributions, pairs
from specdec.match_sampling import draft_gumbel, verify_gumbel
from tests.enumeration import NAMED, Row, rows
from tests.match_enumeration import MARKOV_DRAFT, MARKOV_TARGET, markov_draft, markov_target, race_law

HALF = (Fraction(1, 2), Fraction(1, 2))
ONE = (Fraction(1),)
HOT = (Fraction(1), Fraction(0))
OTHER = (Fraction(0), Fraction(1))

GOLDEN = {"I2": "2/3", "I3": "7/12", "I5": "19/35", "B0": "63/104", "R3": "1055/3432"}
GOLDEN_ACCEPTED = {
    ("I2", 2): "10/9", ("I2", 3): "38/27", ("I3", 2): "133/144", ("I3", 3): "1939/1728",
    ("I5", 2): "1026/1225", ("I5", 3): "42769/42875", ("B0", 2): "10521/10816", ("B0", 3): "1344231/1124864",
}  # fmt: skip
GOLDEN_JOINT = {
    "I3": ("1/6 0 0", "1/12 1/4 0", "1/4 1/12 1/6"),
    "B0": ("1/8 15/104 3/13", "0 3/13 1/52", "0 0 1/4"),
    "I5": ("1/10 0 0 0", "1/35 6/35 0 0", "9/98 9/245 6/35 0", "44/245 9/98 1/35 1/10"),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_match_probability(name: str) -> None:
    assert gumbel_rule.match_probability(*NAMED[name]) == exact(GOLDEN[name])


@pytest.mark.parametrize(("name", "gamma"), GOLDEN_ACCEPTED)
def test_golden_expected_accepted(name: str, gamma: int) -> None:
    assert gumbel_rule.expected_accepted(*NAMED[name], gamma) == exact(GOLDEN_ACCEPTED[name, gamma])


@pytest.mark.parametrize("name", GOLDEN_JOINT)
def test_golden_joint_law(name: str) -> None:
    joint = tuple(tuple(map(exact, row.split())) for row in GOLDEN_JOINT[name])
    assert gumbel_rule.coupling(*NAMED[name]) == joint


def _table(joint: Any) -> dict[tuple[int, int], Fraction]:
    return {(x, y): value for x, row in enumerate(joint) for y, value in enumerate(row) if value}


@pytest.mark.parametrize("name", ["I2", "I3", "B0", pytest.param("I5", marks=pytest.mark.heavy)])
def test_joint_law_is_that_of_the_cut_orthant(name: str) -> None:
    assert _table(gumbel_rule.coupling(*NAMED[name])) == race_law(*NAMED[name])


def test_joint_law_on_grids() -> None:
    """For all p, q with probabilities k/6 at V = 2 and k/3 at V = 3: zeros, ties and one-hot rows among them."""
    for vocabulary, grid in ((1, 1), (2, 6), (3, 3)):
        for p in rows(vocabulary, grid):
            for q in rows(vocabulary, grid):
                assert _table(gumbel_rule.coupling(p, q)) == race_law(p, q)


def _two_races(p: Row, q: Row, rng: Any) -> tuple[int, int]:
    noise = rng.exponential(size=len(p))
    wanted, drafted = np.array(p, dtype=object), np.array(q, dtype=object)
    return int((drafted / noise).argmax()), int((wanted / noise).argmax())


@pytest.mark.parametrize("name", NAMED)
def test_joint_law_is_that_of_a_program_with_one_row_of_noise(name: str) -> None:
    p, q = NAMED[name]
    assert _table(gumbel_rule.coupling(p, q)) == dict(proofs.law(partial(_two_races, p, q)).items())


@given(pairs())
@example((ONE, ONE))
@example((HOT, OTHER))
@example((HALF, HOT))
@example((HOT, HALF))
def test_coupling_has_the_right_marginals(pair: tuple[Row, Row]) -> None:
    """For all p, q: rows sum to q, columns to p, the diagonal is the row of matches; one of [x][y], [y][x] is 0."""
    joint = gumbel_rule.coupling(*pair)
    assert [sum(row) for row in joint] == list(map(exact, pair[1]))
    assert [sum(column) for column in zip(*joint, strict=True)] == list(map(exact, pair[0]))
    assert tuple(joint[x][x] for x in range(len(joint))) == gumbel_rule.match_row(*pair)
    assert sum(gumbel_rule.match_row(*pair)) == gumbel_rule.match_probability(*pair)
    assert all(value >= 0 for row in joint for value in row)
    assert all(joint[x][y] * joint[y][x] == 0 for x in range(len(joint)) for y in range(x))


@given(pairs())
def test_between_its_bounds(pair: tuple[Row, Row]) -> None:
    """For all p, q: (1 - TV)/(1 + TV) <= Pr(x = y) <= 1 - TV, and each token's part is at most min(p, q)."""
    distance = proofs.total_variation(*pair)
    assert (1 - distance) / (1 + distance) <= gumbel_rule.match_probability(*pair) <= 1 - distance
    assert all(m <= min(a, b) for m, a, b in zip(gumbel_rule.match_row(*pair), *pair, strict=True))


@given(distributions())
def test_equal_rows_and_certain_drafts(p: Row) -> None:
    """For all p: 1 where q = p; p(x) where the draft is certain of x, as with every other rule."""
    assert gumbel_rule.match_probability(p, p) == 1
    for x in range(len(p)):
        draft = match_rule.one_hot(x, len(p))
        assert gumbel_rule.match_probability(p, draft) == p[x]
        assert gumbel_rule.coupling(p, draft) == token_rule.maximal_coupling(p, draft)


@given(disjoint_pairs())
def test_disjoint_supports_never_match(pair: tuple[Row, Row]) -> None:
    """For all p, q without a common token: 0, and the two winners are independent only if that has to be."""
    assert gumbel_rule.match_probability(*pair) == 0


@given(pairs(max_vocabulary=3), st.integers(0, 3))
def test_one_row_and_a_callable_that_returns_it_are_the_same(pair: tuple[Row, Row], gamma: int) -> None:
    """For all p, q and gamma: the geometric sum is the sum over prefixes."""
    p, q = pair
    by_prefix = gumbel_rule.expected_accepted(lambda _: p, lambda _: q, gamma)
    assert gumbel_rule.expected_accepted(p, q, gamma) == by_prefix
    assert sum(gumbel_rule.emitted_law(p, q, gamma).values()) == 1


def _call(target: Any, draft: Any, gamma: int, rng: Any) -> tuple[int, ...]:
    """Drafter and verifier as they are run: each with a generator of the same seed."""
    seed = rng.integers(2**63)
    drafter, verifier = np.random.default_rng(seed), np.random.default_rng(seed)
    tokens: tuple[int, ...] = ()
    for _ in range(gamma):
        tokens = (*tokens, draft_gumbel(draft(tokens), drafter))
    wanted = np.array([target(tokens[:i]) for i in range(gamma + 1)])
    emitted = verify_gumbel(wanted, None, tokens, verifier)
    assert emitted[:-1] == list(tokens[: len(emitted) - 1])
    return tuple(emitted)


def _objects(table: tuple[Row, ...]) -> Any:
    return lambda prefix: np.array(table[1 + prefix[-1]] if prefix else table[0], dtype=object)


@pytest.mark.parametrize(("gamma", "accepted"), [(0, "0"), (1, "7/12"), (2, "337/360")])
def test_law_of_a_call_is_that_of_the_program(gamma: int, accepted: str) -> None:
    """The drafter and the verifier of `match_sampling`, with generators of one seed, on Markov processes."""
    law = proofs.law(partial(_call, _objects(MARKOV_TARGET), _objects(MARKOV_DRAFT), gamma))
    assert gumbel_rule.emitted_law(markov_target, markov_draft, gamma) == dict(law.items())
    assert gumbel_rule.expected_accepted(markov_target, markov_draft, gamma) == exact(accepted)


def test_expected_accepted_on_three_drafted_tokens() -> None:
    assert gumbel_rule.expected_accepted(markov_target, markov_draft, 3) == Rational(799, 720)


@pytest.mark.parametrize(
    ("call", "error", "words"),
    [
        (lambda: gumbel_rule.match_probability(HALF, ONE), ShapeError, "target has 2 tokens and draft has 1"),
        (lambda: gumbel_rule.match_row([0.5, 0.5], HALF), InexactError, r"target\[0\]: 0.5"),
        (lambda: gumbel_rule.coupling(["1/2", "1/3"], HALF), NotADistributionError, "target sums to 5/6"),
        (lambda: gumbel_rule.emitted_law(HALF, HALF, -1), ProofsError, "gamma = -1; expected"),
        (
            lambda: gumbel_rule.expected_accepted(HALF, {(): HALF}.get, 2),
            NotADistributionError,
            r"draft\(\(0,\)\) is None",
        ),
    ],
)
def test_bad_argument_is_refused(call: Any, error: type[ProofsError], words: str) -> None:
    with pytest.raises(error, match=words):
        call()
