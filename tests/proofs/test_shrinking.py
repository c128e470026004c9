"""Counterexamples become smaller and stay counterexamples."""

from fractions import Fraction
from typing import Any

from proofs.battery import core
from proofs.inputs import Input, Table
from proofs.shrinking import shrink

F = Fraction


def _large() -> Input:
    rows = (F(5, 12), F(1, 12), F(1, 4), F(1, 4)), (F(1, 7), F(2, 7), F(1, 7), F(3, 7))
    return Input("large", Table((rows[0], rows[1], rows[0])), Table((rows[1], rows[0])), 2, 4)


def test_everything_that_does_not_matter_goes() -> None:
    """Where every input is a counterexample the smallest is left: one drafted token, two tokens, whole numbers."""
    found = shrink(_large(), lambda _: True, dyadic=False)
    assert (found.gamma, found.vocabulary) == (1, 2)
    assert all(x.denominator == 1 for table in found.tables() for x in table.rows)  # type: ignore[union-attr]


def test_what_matters_stays() -> None:
    def fails(found: Input) -> bool:
        return found.gamma == 2 and found.vocabulary >= 3 and found.target(())[0] > found.draft(())[0] > 0

    found = shrink(_large(), fails, dyadic=False)
    assert fails(found)
    assert (found.gamma, found.vocabulary) == (2, 3)
    assert max(x.denominator for row in (found.target(()), found.draft(())) for x in row) <= 4


def test_gamma_zero_only_where_it_was_asked_for() -> None:
    assert shrink(_large(), lambda _: True, dyadic=False, least_gamma=0).gamma == 0


def test_rows_stay_dyadic_for_float_arithmetic() -> None:
    for found in core(2, 3, exact=False):
        small = shrink(found, lambda candidate: candidate.target(())[0] != candidate.draft(())[0], dyadic=True)
        for process in (small.target, small.draft):
            assert all(2**41 % x.denominator == 0 for x in process(()))


def test_rows_by_prefix_become_one_row_where_that_still_fails() -> None:
    found = next(f for f in core(2, 3, exact=True) if f.name == "inner rows that depend on the prefix")
    small = shrink(found, lambda candidate: candidate.target(()) != candidate.draft(()), dyadic=False)
    assert all(isinstance(table.rows, tuple) for table in small.tables())


def test_every_candidate_is_an_input_and_attempts_are_bounded() -> None:
    seen: list[Input] = []

    def look(candidate: Input) -> bool:
        for table in candidate.tables():
            rows: Any = table.rows
            listed = rows.values() if isinstance(rows, dict) else rows if isinstance(rows[0], tuple) else [rows]
            assert all(sum(row) == 1 and min(row) >= 0 and len(row) == candidate.vocabulary for row in listed)
        seen.append(candidate)
        return len(seen) == 1

    for found in core(2, 4, exact=True):
        seen.clear()
        shrink(found, look, dyadic=False)
        assert 1 <= len(seen) <= 401


def test_input_that_does_not_fail_again_is_left_alone() -> None:
    found = _large()
    assert shrink(found, lambda _: False, dyadic=False) is found
