"""Flow and cut certify each other; what is no certificate is found out."""

from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational

import proofs
from proofs.errors import InexactError, NotADistributionError, ProofsError
from proofs.optimum import sibling_optimum
from proofs.sibling_flow import Certificate, check_certificate, optimal_coupling
from proofs.sibling_rule import optimal_acceptance, set_law
from proofs.strategies import distributions, pairs
from tests import sibling_enumeration as brute
from tests.enumeration import Row


@settings(max_examples=80, deadline=None)
@given(pairs(max_vocabulary=5), st.integers(0, 3), st.booleans())
def test_flow_and_cut_have_the_value_of_the_optimum(pair: tuple[Row, Row], k: int, replacement: bool) -> None:
    """For all p, q and k: the certificate holds and its value is the optimum by sets."""
    k = k if replacement else min(k, len(pair[0]))
    sets = set_law(pair[1], k, replacement)
    certificate = optimal_coupling(pair[0], sets)
    assert check_certificate(pair[0], sets, certificate) is None
    assert certificate.value == optimal_acceptance(*pair, k, replacement)


@settings(max_examples=80, deadline=None)
@given(st.data())
def test_any_law_of_sets_is_coupled(data: st.DataObject) -> None:
    """For all laws of sets, the empty one and less than mass one among them: value = the least over unions of sets."""
    vocabulary = data.draw(st.integers(1, 5))
    p = data.draw(distributions(vocabulary))
    tokens = st.frozensets(st.integers(0, vocabulary - 1))
    sets = data.draw(st.lists(tokens, min_size=1, max_size=6, unique=True))
    law = dict(zip(sets, data.draw(distributions(len(sets))), strict=True))
    if data.draw(st.booleans()):
        law.popitem()
    certificate = optimal_coupling(p, law)
    assert check_certificate(p, law, certificate) is None
    assert certificate.value == proofs.exact(sibling_optimum(p, law))


def test_flow_is_turned_back_where_the_first_choice_was_bad() -> None:
    """{0, 1} takes token 0 first; {0} needs it."""
    sets = {frozenset({0, 1}): Fraction(1, 2), frozenset({0}): Fraction(1, 2)}
    certificate = optimal_coupling(["1/2", "1/2"], sets)
    assert certificate.value == 1
    assert certificate.flow == {(frozenset({0, 1}), 1): Rational(1, 2), (frozenset({0}), 0): Rational(1, 2)}


def test_nothing_can_flow() -> None:
    assert optimal_coupling([1], {}) == (0, {}, frozenset())
    assert optimal_coupling([1, 0], {frozenset({1}): 1}) == (0, {}, frozenset({1}))
    assert optimal_coupling([1], {frozenset(): 1}).value == 0


def test_large_numbers_of_sets() -> None:
    row = [Fraction(2 * x, 20 * 21) for x in range(1, 21)]
    sets = set_law(row[::-1], 3)
    certificate = optimal_coupling(row, sets)
    assert len(sets) == 1350
    assert check_certificate(row, sets, certificate) is None
    assert certificate.value == optimal_acceptance(row, row[::-1], 3)


P, Q = brute.PAIRS["I3"]
SETS = set_law(Q, 2)
RIGHT = optimal_coupling(P, SETS)
EDGE, UNITS = next(iter(RIGHT.flow.items()))
WRONG: dict[str, tuple[Certificate, str]] = {
    "another value": (RIGHT._replace(value=Rational(1, 2)), "expected one number"),
    "another cut": (RIGHT._replace(cut=frozenset()), "the cut 1"),
    "less flow": (RIGHT._replace(flow=RIGHT.flow | {EDGE: UNITS / 2}), "expected one number"),
    "more flow": (RIGHT._replace(flow=RIGHT.flow | {EDGE: UNITS + 1}), "above its probability"),
    "negative flow": (RIGHT._replace(flow=RIGHT.flow | {EDGE: -UNITS}), "is -"),
    "no such set": (RIGHT._replace(flow={(frozenset({0, 1, 2}), 0): UNITS}), "no member of a drafted set"),
    "no member": (RIGHT._replace(flow={(frozenset({0}), 1): UNITS}), "no member of a drafted set"),
}


@pytest.mark.parametrize("kind", WRONG)
def test_wrong_certificate_is_found_out(kind: str) -> None:
    certificate, words = WRONG[kind]
    assert words in str(check_certificate(P, SETS, certificate))


def test_too_much_flow_into_a_token_is_found_out() -> None:
    sets = {frozenset({0}): Rational(1)}
    certificate = Certificate(Rational(1), {(frozenset({0}), 0): Rational(1)}, frozenset())
    assert "into token 0 is 1, above its probability 1/2" in str(check_certificate(["1/2", "1/2"], sets, certificate))


@pytest.mark.parametrize(
    ("sets", "error", "words"),
    [
        ({frozenset({2}): 1}, ProofsError, r"draft_sets has \{2\}; expected sets of integers from 0 to 1"),
        ({(0, 1): "1/2", (1, 0): "1/2"}, ProofsError, r"draft_sets has \(0, 1\); expected frozensets of tokens"),
        ({frozenset({True}): 1}, ProofsError, "expected sets of integers"),
        ({frozenset({"a"}): 1}, ProofsError, r"draft_sets has \{a\}"),
        ({frozenset({0}): -1}, NotADistributionError, r"draft_sets\[\{0\}\] = -1; expected a number >= 0"),
        ({frozenset({0}): "2/3", frozenset({1}): "2/3"}, NotADistributionError, "draft_sets sums to 4/3"),
        ({frozenset({0}): 0.5}, InexactError, "0.5"),
    ],
)
def test_bad_laws_of_sets_are_refused(sets: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        optimal_coupling(["1/2", "1/2"], sets)
