"""A process is one row or a callable, checked where it is reached."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from sympy import Rational
from sympy.external.gmpy import MPQ

from proofs.errors import InexactError, NotADistributionError, ProofsError, ShapeError
from proofs.processes import Process, as_rational, check_count, check_processes

HALF = ["1/2", "1/2"]


def test_one_row_stands_after_every_prefix() -> None:
    process = Process(["1/3", "2/3"], "target")
    assert process.row(()) == process.row((0, 1)) == (Rational(1, 3), Rational(2, 3))
    assert process.weights((1,)) == (MPQ(1, 3), MPQ(2, 3))
    assert process.vocabulary == 2


def test_callable_is_asked_once_for_each_prefix() -> None:
    asked = []

    def rows(prefix: tuple[int, ...]) -> list[str]:
        asked.append(prefix)
        return HALF

    process = Process(rows, "target")
    for prefix in ((), (0,), (0,), ()):
        process.row(prefix)
    assert asked == [(), (0,)]


def test_rows_that_are_not_reached_are_not_looked_at() -> None:
    target, _ = check_processes(lambda prefix: HALF if not prefix else "nonsense", lambda prefix: "nonsense")
    assert target.row(()) == (Rational(1, 2), Rational(1, 2))


@pytest.mark.parametrize(
    ("rows", "error", "words"),
    [
        ({(): HALF}.__getitem__, NotADistributionError, r"draft\(\(0,\)\) raises KeyError; expected a row"),
        (lambda prefix: None if prefix else HALF, NotADistributionError, r"draft\(\(0,\)\) is None; expected a row"),
        (lambda prefix: [1], ShapeError, r"draft\(\(0,\)\) has 1 tokens; expected 2"),
        (lambda prefix: [0.5, 0.5], InexactError, r"draft\(\(0,\)\)\[0\]: 0.5"),
        (lambda prefix: ["1/3", "1/3"], NotADistributionError, r"draft\(\(0,\)\) sums to 2/3"),
    ],
)
def test_row_that_is_missing_or_wrong_is_named(rows: Callable[..., Any], error: type[Exception], words: str) -> None:
    _, draft = check_processes(HALF, rows)
    with pytest.raises(error, match=words):
        draft.row((0,))


def test_constant_draft_of_another_vocabulary_is_refused_at_once() -> None:
    with pytest.raises(ShapeError, match="draft has 3 tokens; expected 2"):
        check_processes(HALF, ["1/3", "1/3", "1/3"])


@pytest.mark.parametrize("value", [True, "2", 1.5, None])
def test_count_that_is_no_integer_is_refused(value: Any) -> None:
    with pytest.raises(ProofsError, match="gamma = .* is no integer"):
        check_count(value, "gamma")


def test_count_below_its_bound_is_refused() -> None:
    assert check_count(0, "gamma") == 0
    with pytest.raises(ProofsError, match="k = 0; expected a number of siblings, 1 or more"):
        check_count(0, "k", 1, "siblings")


def test_ground_type_becomes_a_rational() -> None:
    assert as_rational(MPQ(-6, 8)) == Rational(-3, 4)


def test_row_of_the_same_objects_is_checked_once() -> None:
    """A row that stands after many prefixes is one object of `weights`, whatever holds its numbers."""
    entries = Fraction(1, 3), Fraction(2, 3)
    process = Process(lambda prefix: list(entries) if prefix else entries, "target")
    assert process.weights(()) is process.weights((0,)) is process.weights((1, 1))


def test_equal_number_of_another_type_is_not_taken_for_an_exact_one() -> None:
    rows = {(): (Fraction(1, 2), Fraction(1, 2)), (0,): (0.5, 0.5), (1,): (True, False), (2,): (1, 0)}
    process = Process(rows.__getitem__, "target")
    assert process.row(()) == (Rational(1, 2), Rational(1, 2))
    assert process.row((2,)) == (1, 0)
    for prefix in ((0,), (1,)):
        with pytest.raises(InexactError):
            process.row(prefix)


def test_list_that_is_changed_between_two_prefixes_is_read_again() -> None:
    row: list[Any] = ["1/2", "1/2"]
    process = Process(lambda prefix: row, "target")
    assert process.weights(()) == (MPQ(1, 2), MPQ(1, 2))
    row[:] = ["1/4", "3/4"]
    assert process.weights((0,)) == (MPQ(1, 4), MPQ(3, 4))
    assert process.weights(()) == (MPQ(1, 2), MPQ(1, 2))
    row[0] = 0.25
    with pytest.raises(InexactError):
        process.row((1,))


def test_rows_that_are_made_anew_take_no_room_of_earlier_ones() -> None:
    """New numbers may lie where dead ones lay in memory: the earlier are kept, so they cannot."""
    process = Process(lambda prefix: [Fraction(len(prefix) + 1, 1000), 1 - Fraction(len(prefix) + 1, 1000)], "target")
    for length in range(500):
        assert process.weights((0,) * length)[0] == MPQ(length + 1, 1000)


def test_known_row_is_refused_by_a_process_over_other_tokens() -> None:
    process = Process(lambda prefix: ["1/2", "1/2"] if prefix else [1], "target")
    assert len(process.row((0,))) == 2
    assert process.vocabulary == 1
    with pytest.raises(ShapeError, match=r"target\(\(1,\)\) has 2 tokens; expected 1"):
        process.row((1,))


def test_iterator_is_read_once() -> None:
    process = Process(iter(["1/2", "1/2"]), "target")
    assert process.row(()) == process.row((0,)) == (Rational(1, 2), Rational(1, 2))
