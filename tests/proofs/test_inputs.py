"""What callers give for a target and a draft, read exactly or refused with index and next step."""

from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from sympy import Rational

from proofs.errors import InexactError, NotADistributionError, ProofsError, ShapeError
from proofs.inputs import Input, Table, as_process, fraction, read_input

HALF = Fraction(1, 2)
PAIR = ((HALF, HALF), (Fraction(1, 4), Fraction(3, 4)))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (1, 1), ("3/8", Fraction(3, 8)), ("-2", -2), (HALF, HALF), (Rational(1, 3), Fraction(1, 3)),
        (0.25, Fraction(1, 4)), (0.1, Fraction(3602879701896397, 36028797018963968)),
        (np.float32(0.5), HALF), (np.int64(3), 3),
    ],
)  # fmt: skip
def test_entry_is_read_at_its_exact_value(value: Any, expected: Any) -> None:
    found = fraction(value)
    assert type(found) is Fraction
    assert found == expected


@pytest.mark.parametrize(
    "value", [True, "0.5", "1/0", "", "1/ 2", float("nan"), float("inf"), None, Decimal("NaN"), 1j]
)
def test_entry_that_is_no_rational_is_refused(value: Any) -> None:
    with pytest.raises(InexactError, match="expected an int, a Fraction"):
        fraction(value)


def test_row_serves_every_position_and_rows_by_position_their_own() -> None:
    one = as_process(["1/2", "1/2"], "target")
    assert one(()) == one((0, 1)) == PAIR[0]
    two = as_process([["1/2", "1/2"], ["1/4", "3/4"]], "target")
    assert (two(()), two((1,)), two((1, 1))) == (PAIR[0], PAIR[1], PAIR[1])


def test_mapping_and_callable_give_a_row_for_every_prefix() -> None:
    rows: dict[tuple[int, ...], Any] = {(): ["1/2", "1/2"], (0,): [0.25, 0.75], (1,): [1, 0]}
    for process in (as_process(rows, "target"), as_process(rows.__getitem__, "target")):
        assert [process(prefix) for prefix in rows] == [PAIR[0], PAIR[1], (1, 0)]


@pytest.mark.parametrize(
    ("rows", "error", "words"),
    [
        ([0.1, 0.9000001], NotADistributionError, "proofs.from_floats says how"),
        (["1/2", "1/3"], NotADistributionError, r"target sums to 5/6; expected exactly 1"),
        ([["1/2", "1/2"], ["1/2", "1/3"]], NotADistributionError, r"target\[1\] sums to 5/6"),
        (["1/2", "x"], InexactError, r"target\[1\]: 'x'"),
        (3, ShapeError, "expected a row, rows by position, or a callable"),
        ("1/2", ShapeError, "expected a row"),
    ],
)  # fmt: skip
def test_rows_that_are_no_distributions_are_refused(rows: Any, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        as_process(rows, "target")


def test_empty_draft_serves_a_call_without_drafts_and_no_other() -> None:
    assert read_input((["1/2", "1/2"], []), 0, 0).vocabulary == 2
    with pytest.raises(ShapeError, match="is empty"):
        read_input((["1/2", "1/2"], []), 0, 1)


def test_pair_that_is_none_names_its_index() -> None:
    with pytest.raises(ProofsError, match=r"inputs\[3\] is 7; expected a pair"):
        read_input(7, 3, 1)
    with pytest.raises(ShapeError, match="has 3 entries; expected 2"):
        read_input((["1/2", "1/2"], ["1/3"] * 3), 0, 1)


def _turning(prefix: tuple[int, ...]) -> tuple[Fraction, ...]:
    return PAIR[sum(prefix) % 2]


@pytest.mark.parametrize(
    ("target", "rows"),
    [
        (Table(PAIR[0]), PAIR[0]),
        (Table((PAIR[0], PAIR[0])), PAIR[0]),
        (Table(PAIR), PAIR),
        (_turning, {(): PAIR[0], (0,): PAIR[0], (1,): PAIR[1]}),
    ],
)
def test_tables_are_as_short_as_possible(target: Any, rows: Any) -> None:
    found = Input("x", target, Table(PAIR[1]), 1, 2)
    assert found.tables() == (Table(rows), Table(PAIR[1]))
    assert Input("x", target, Table(()), 0, 2).tables()[1] == Table(())
