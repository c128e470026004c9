"""The pairs of requests: different rows, exact in every dtype, and few paths."""

import pickle
from fractions import Fraction
from itertools import product
from typing import Any

import pytest

from proofs.inputs import Input, Table
from proofs.request_pairs import alone, cyclic, pairs

HALF = Fraction(1, 2)
SIZES = [*product((0, 1, 2, 3, 4), (2, 3, 5))]


def _single(name: str, *row: Fraction, gamma: int = 1) -> Input:
    return Input(name, Table(row), Table(row[::-1]), gamma, len(row))


def test_alone_is_the_same_request_with_an_axis() -> None:
    found = _single("it", HALF / 2, HALF * 3 / 2)
    batched = alone(found)
    assert (batched.batched, batched.others, len(batched.requests)) == (True, (), 1)
    assert batched.requests[0] == found
    assert not found.requests


@pytest.mark.parametrize(("gamma", "vocabulary"), SIZES)
def test_pairs_differ_and_hold_in_every_dtype(gamma: int, vocabulary: int) -> None:
    found = pairs(gamma, vocabulary)
    assert len({each.name for each in found}) == len(found) == (5 if gamma < 2 else 4)
    for each in found:
        assert each.batched
        one, other = each.requests
        assert (one.gamma, other.vocabulary) == (gamma, vocabulary)
        assert one.tables() != other.tables()
        for request in each.requests:
            for table in request.tables():
                rows: Any = table.rows.values() if isinstance(table.rows, dict) else [table.rows]
                flat = [x for row in rows for x in (row if row and isinstance(row[0], tuple) else [row])]
                assert all((8 * x).denominator == 1 for row in flat for x in row)


@pytest.mark.parametrize(("gamma", "vocabulary"), [(2, 3), (3, 3), (2, 5)])
def test_both_requests_stand_in_both_places(gamma: int, vocabulary: int) -> None:
    found = pairs(gamma, vocabulary)
    for pair, exchanged in zip(found[::2], found[1::2], strict=True):
        assert exchanged.name == pair.name + ", exchanged"
        assert [each.tables() for each in pair.requests] == [each.tables() for each in exchanged.requests[::-1]]


def test_some_rows_depend_on_the_prefix_and_some_on_the_position_alone() -> None:
    one, other = pairs(2, 3)[0].requests
    assert isinstance(other.tables()[0].rows, dict)
    assert len({*one.tables()[0].rows}) == 2


def test_one_token_has_one_pair() -> None:
    (only,) = pairs(2, 1)
    assert [each.tables()[0].rows for each in only.requests] == [(Fraction(1),)] * 2


def test_inputs_are_paired_with_the_next() -> None:
    a, b, c = (_single(name, Fraction(k, 8), Fraction(8 - k, 8)) for k, name in enumerate("abc", 1))
    found = list(cyclic([a, b, c]))
    assert [each.name for each in found] == ["a beside b", "b beside c", "c beside a"]
    assert [each.requests[1].tables() for each in found] == [each.tables() for each in (b, c, a)]
    assert [each.requests[0].tables() for each in found] == [each.tables() for each in (a, b, c)]


def test_inputs_of_other_vocabularies_are_no_neighbours() -> None:
    a, b = _single("a", HALF, HALF), _single("b", HALF, HALF / 2, HALF / 2)
    found = list(cyclic([a, b]))
    assert [each.name for each in found] == [f"{x} beside itself with its tokens turned" for x in "ab"]


def test_single_input_stands_beside_itself_with_other_tokens() -> None:
    rows: Any = {(): (HALF, HALF / 2, HALF / 2), (0,): (Fraction(1), HALF * 0, HALF * 0)}
    rows |= {(k,): (HALF * 0, HALF, HALF) for k in (1, 2)}
    (found,) = cyclic([Input("it", Table(rows), Table(rows), 1, 3)])
    other = found.requests[1].target
    assert other(()) == (HALF / 2, HALF, HALF / 2)
    assert other((1,)) == (HALF * 0, Fraction(1), HALF * 0)
    assert other((0,)) == (HALF, HALF * 0, HALF)


def test_pairs_travel_to_other_processes() -> None:
    for each in pairs(1, 3):
        again = pickle.loads(pickle.dumps(each))
        assert [request.tables() for request in again.requests] == [request.tables() for request in each.requests]
