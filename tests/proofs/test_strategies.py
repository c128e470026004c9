"""The strategies build valid data, reach the edges and shrink to small fractions."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import HealthCheck, find, given, settings
from hypothesis import strategies as st

from proofs import strategies

ALL: dict[str, st.SearchStrategy[Any]] = {
    "distributions": strategies.distributions().map(lambda p: (p,)),
    "pairs": strategies.pairs(),
    "zero of q": strategies.pairs_with_zero("draft"),
    "zero of p": strategies.pairs_with_zero("target"),
    "disjoint": strategies.disjoint_pairs(),
    "one-hot q": strategies.one_hot_pairs("draft"),
    "one-hot p": strategies.one_hot_pairs("target"),
}


@pytest.mark.parametrize("name", ALL)
@given(data=st.data())
@settings(max_examples=50)
def test_rows_are_distributions_over_one_vocabulary(name: str, data: Any) -> None:
    rows = data.draw(ALL[name])
    assert len({len(row) for row in rows}) == 1
    for row in rows:
        assert sum(row) == 1
        assert min(row) >= 0
        assert all(type(x) is Fraction for x in row)


PROPERTIES: dict[str, Callable[[tuple[Fraction, ...], tuple[Fraction, ...]], bool]] = {
    "zero of q": lambda p, q: 0 in q,
    "zero of p": lambda p, q: 0 in p,
    "disjoint": lambda p, q: not any(a * b for a, b in zip(p, q, strict=True)),
    "one-hot q": lambda p, q: 1 in q,
    "one-hot p": lambda p, q: 1 in p,
}


@pytest.mark.parametrize("name", PROPERTIES)
@given(data=st.data())
@settings(max_examples=50)
def test_special_pairs_have_their_property(name: str, data: Any) -> None:
    assert PROPERTIES[name](*data.draw(ALL[name]))


@given(strategies.pairs_with_acceptance())
def test_acceptances_are_probabilities(drawn: Any) -> None:
    p, _, keep = drawn
    assert len(keep) == len(p)
    assert all(0 <= a <= 1 for a in keep)


@given(strategies.couplings())
def test_couplings_are_square_joint_laws(rows: Any) -> None:
    assert all(len(row) == len(rows) for row in rows)
    assert sum(map(sum, rows)) == 1


QUIET = settings(max_examples=2000, derandomize=True, database=None, suppress_health_check=list(HealthCheck))

REACHED: dict[str, Callable[[Any], bool]] = {
    "a tie off the ends": lambda pair: any(0 < a == b < 1 for a, b in zip(*pair, strict=True)),
    "equal rows of three tokens": lambda pair: pair[0] == pair[1] and len(pair[0]) == 3 and 0 not in pair[0],
    "a token that only p has": lambda pair: any(a > 0 == b for a, b in zip(*pair, strict=True)),
    "a residual on two tokens": lambda pair: sum(a > b for a, b in zip(*pair, strict=True)) == 2,
    "disjoint rows": lambda pair: not any(a * b for a, b in zip(*pair, strict=True)),
    "five tokens without zeros": lambda pair: len(pair[0]) == 5 and all(pair[0]) and all(pair[1]),
    "one-hot q under a spread p": lambda pair: 1 in pair[1] and all(pair[0]) and len(pair[0]) > 2,
}


@pytest.mark.parametrize("edge", REACHED)
def test_pairs_reach(edge: str) -> None:
    assert find(strategies.pairs(), REACHED[edge], settings=QUIET)


def test_pairs_shrink_to_few_tokens_and_small_fractions() -> None:
    p, q = find(strategies.pairs(), lambda pair: pair[0] != pair[1], settings=QUIET)
    assert sorted([p, q]) == [(Fraction(0), Fraction(1)), (Fraction(1), Fraction(0))]
    p, q = find(strategies.pairs(), REACHED["a residual on two tokens"], settings=QUIET)
    assert len(p) == 3
    assert max(x.denominator for x in (*p, *q)) <= 6


MINIMAL: dict[str, tuple[st.SearchStrategy[Any], Any]] = {
    "distributions": (strategies.distributions(), (1,)),
    "of three tokens": (strategies.distributions(vocabulary=3), (0, 0, 1)),
    "pairs": (strategies.pairs(), ((1,), (1,))),
    "zero of q": (strategies.pairs_with_zero("draft"), ((0, 1), (0, 1))),
    "disjoint": (strategies.disjoint_pairs(), ((1, 0), (0, 1))),
    "one-hot p": (strategies.one_hot_pairs("target"), ((1,), (1,))),
}


@pytest.mark.parametrize("name", MINIMAL)
def test_simplest_example(name: str) -> None:
    strategy, expected = MINIMAL[name]
    assert find(strategy, lambda _: True, settings=QUIET) == expected


def test_where_is_one_of_two_words() -> None:
    for strategy in (strategies.pairs_with_zero("q"), strategies.one_hot_pairs("")):
        with pytest.raises(ValueError, match="expected 'target' or 'draft'"):
            find(strategy, lambda _: True, settings=QUIET)
