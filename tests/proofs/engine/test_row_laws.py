"""Rows are accepted, renormalised and refused as NumPy's generators do."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from proofs.engine.exploration import law
from proofs.engine.row_laws import KnownRows, checked_sum, full_shape, multinomial_weights, row_tolerance, shape_of
from proofs.engine.weights import to_fraction, weight


@pytest.mark.parametrize("size", [3, (2, 3), [2], np.int64(4), (), 0, -1, (2, -1), 1.5, "ab", None, (1.5,)])
def test_shapes_are_those_of_numpy(size: Any) -> None:
    if size is None:
        return
    try:
        expected: Any = np.random.default_rng(0).random(size).shape
    except (TypeError, ValueError) as error:
        with pytest.raises(type(error)):
            shape_of(size)
    else:
        assert shape_of(size) == expected


@pytest.mark.parametrize(
    ("size", "low", "high"),
    [
        (None, 0, 1),
        (None, [0, 1], 2),
        (3, 0, 1),
        ((2, 2), [0, 1], 2),
        (3, [0, 1], 2),
        ((2,), [[0, 1]], 2),
        (None, [[1], [2]], [3, 4]),
    ],
)
def test_array_parameters_broadcast_as_in_numpy(size: Any, low: Any, high: Any) -> None:
    try:
        drawn = np.random.default_rng(0).uniform(low, high, size)
    except ValueError:
        with pytest.raises(ValueError, match=r"shape|size"):
            full_shape(size, low, high)
    else:
        assert full_shape(size, low, high) == (None if isinstance(drawn, float) else drawn.shape)


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.float16])
@pytest.mark.parametrize("container", [np.array, list])
def test_sums_are_tolerated_as_far_as_numpy_does(dtype: Any, container: Any) -> None:
    outcomes = set()
    for excess in (0.0, 1e-9, 1e-7, 1e-5, 2e-4, 6e-4, 0.02, 0.1):
        row = np.array([0.5, 0.5 + excess], dtype=dtype)
        p = row if container is np.array else list(row)
        try:
            np.random.default_rng(0).choice(2, p=p)
        except ValueError:
            outcomes.add("raises")
            with pytest.raises(ValueError, match="do not sum to 1"):
                checked_sum(list(row), row_tolerance(p))
        else:
            outcomes.add("draws")
            assert to_fraction(checked_sum(list(row), row_tolerance(p))) == sum(Fraction(float(x)) for x in row)
    assert outcomes == {"raises", "draws"}


@pytest.mark.parametrize("row", [[math.nan, 1], [math.inf, 0], [-0.5, 1.5], [0.4, 0.5], []])
def test_rows_that_are_no_distributions_raise(row: list[float]) -> None:
    with pytest.raises(ValueError, match="Probabilities"):
        checked_sum(row, 1e-8)


@pytest.mark.parametrize(
    ("row", "expected"),
    [
        ([0.25, 0.25, 0.5], [0.25, 0.25, 0.5]),
        ([0.25, 0.25, 0.25], [0.25, 0.25, 0.5]),
        ([0.25], [1]),
        ([0, 1, 0], [0, 1, 0]),
        ([0.75, 0.25, 0.5], [0.75, 0.25, 0]),
        ([0.5, 0.5 + 2**-42, 0.0], [0.5, 0.5, 0]),
    ],
)
def test_the_last_option_of_a_multinomial_takes_the_remainder(row: list[float], expected: list[float]) -> None:
    np.random.default_rng(0).multinomial(1, row)
    assert [to_fraction(x) for x in multinomial_weights(row)] == expected


@pytest.mark.parametrize(
    "row", [[0.6, 0.6, 0.0], [-0.1, 1.0], [0.0, 1.1], [math.nan, 0.5], [0.5, math.nan], [math.inf, 0]]
)
def test_multinomial_rows_that_numpy_refuses(row: list[float]) -> None:
    with pytest.raises(ValueError, match="pvals"):
        np.random.default_rng(0).multinomial(1, row)
    with pytest.raises(ValueError, match="pvals"):
        multinomial_weights(row)


HALVES = (weight(Fraction(1, 2)), weight(Fraction(1, 2)))


@pytest.mark.parametrize(
    "row", [(0.5, 0.5), [Fraction(1, 2), Fraction(1, 2)], np.array([0.5, 0.5]), np.array([0.5, 0.5], dtype=np.float32)]
)
def test_a_row_is_known_again(row: Any) -> None:
    known = KnownRows()
    assert known.find(row) is None
    known.keep(row, HALVES)
    assert known.find(row) is HALVES


def test_a_row_that_was_changed_in_place_is_not_known() -> None:
    known = KnownRows()
    for row in ([0.5, 0.5], np.array([0.5, 0.5])):
        known.keep(row, HALVES)
        row[0] = 0.25
        assert known.find(row) is None
    longer = [0.5, 0.5]
    known.keep(longer, HALVES)
    longer.append(0.0)
    assert known.find(longer) is None


def test_arrays_of_one_content_and_two_dtypes_are_two_rows() -> None:
    """The bytes of two numbers of one dtype are those of one or four of another."""
    known = KnownRows()
    known.keep(np.zeros(2), HALVES)
    assert known.find(np.zeros(4, dtype=np.float32)) is None
    assert known.find(np.zeros(2, dtype=np.int64)) is None
    assert known.find(np.zeros((1, 2))) is None


class _Shifting(float):
    """A float of a class of its own."""


@pytest.mark.parametrize("row", [[_Shifting(0.5), 0.5], (np.float64(0.5), [0.5]), "ab", None, np.array([1, 0])])
def test_what_may_answer_otherwise_next_time_is_not_kept(row: Any) -> None:
    known = KnownRows()
    known.keep(row, HALVES)
    assert known.find(row) is None


def test_many_rows_are_forgotten() -> None:
    known = KnownRows()
    rows = [[float(k)] for k in range(5000)]
    for row in rows:
        known.keep(row, HALVES)
    assert sum(known.find(row) is not None for row in rows) <= 1024
    assert known.find(rows[-1]) is HALVES


def test_a_program_that_changes_its_row_between_draws_has_the_law_of_both() -> None:
    def program(rng: Any) -> tuple[int, int]:
        row = [0.5, 0.5]
        first = rng.choice(2, p=row)
        row[:] = [0.25, 0.75]
        return first, rng.choice(2, p=row)

    eighth = Fraction(1, 8)
    expected = {(0, 0): eighth, (0, 1): 3 * eighth, (1, 0): eighth, (1, 1): 3 * eighth}
    for arithmetic in ("exact", "float64"):
        assert dict(law(program, arithmetic=arithmetic)) == expected


def test_a_known_row_of_another_length_raises_as_ever() -> None:
    row = (0.5, 0.5)

    def program(rng: Any) -> str:
        rng.choice(2, p=row)
        try:
            rng.choice(3, p=row)
        except ValueError as error:
            return str(error)
        return ""

    assert dict(law(program)) == {"a and p must have same size": 1}
