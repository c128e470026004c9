"""Parameters are read, and refused, as NumPy's own generator does."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from proofs.engine.parameters import doubles, integer_dtype, one_trial, pairs, population, scale_of
from proofs.engine.signals import Refusal

THIRD = Fraction(1, 3)


@pytest.mark.parametrize("value", [1, True, 0.1, np.float32(0.1), np.int64(3), np.array(0.5, dtype=np.float32)])
def test_numbers_are_read_in_double_precision(value: Any) -> None:
    found = doubles(value)
    assert (type(found), found) == (float, float(value))


@pytest.mark.parametrize("value", [[1, 2], np.array([0.1, 2], dtype=np.float32), ((1,), (2,))])
def test_arrays_are_read_in_double_precision(value: Any) -> None:
    found = doubles(value)
    assert found.dtype == np.float64
    assert np.array_equal(found, np.asarray(value))


def test_exact_numbers_stay_exact() -> None:
    assert doubles(THIRD) is THIRD
    row = np.array([THIRD, 2], dtype=object)
    assert doubles(row) is row
    assert scale_of(THIRD) is THIRD


@pytest.mark.parametrize("value", [-1, -0.5, [1, -1], -THIRD, np.array([THIRD, -THIRD])])
def test_scale_below_zero_is_numpys_error(value: Any) -> None:
    with pytest.raises(ValueError, match="^scale < 0$"):
        scale_of(value)
    with pytest.raises(ValueError, match="^scale < 0$"):
        np.random.default_rng(0).exponential(np.asarray(value, dtype=float))


@pytest.mark.parametrize("value", [0, -0.0, [0, 1]])
def test_scale_of_zero_is_none_of_its_concerns(value: Any) -> None:
    assert np.array_equal(scale_of(value), np.asarray(value))


def test_bounds_are_paired_in_the_order_of_the_draws() -> None:
    assert list(pairs([[1], [2]], [5, 6], (2, 2))) == [(1, 5), (1, 6), (2, 5), (2, 6)]
    assert list(pairs(0, 2, (3,))) == [(0, 2)] * 3
    assert list(pairs(0, 2, (0,))) == []


def _same_error(ours: Callable[[], Any], numpys: Callable[[], Any]) -> None:
    with pytest.raises((TypeError, ValueError)) as expected:
        numpys()
    with pytest.raises(expected.type) as found:
        ours()
    assert str(expected.value).startswith(str(found.value))  # NumPy adds advice to one of them


@pytest.mark.parametrize("dtype", [bool, int, np.uint8, "i4", ">i2"])
def test_dtype_of_integers_is_taken_or_refused_as_by_numpy(dtype: Any) -> None:
    if np.dtype(dtype).isnative:
        assert integer_dtype(dtype) == np.random.default_rng(0).integers(0, 1, dtype=dtype, size=1).dtype
    else:
        _same_error(lambda: integer_dtype(dtype), lambda: np.random.default_rng(0).integers(0, 1, dtype=dtype))


@pytest.mark.parametrize("dtype", [float, complex, "U3", object])
def test_dtype_that_holds_no_integers_is_numpys_error(dtype: Any) -> None:
    _same_error(lambda: integer_dtype(dtype), lambda: np.random.default_rng(0).integers(0, 1, dtype=dtype))


@pytest.mark.parametrize("value", [3, np.int8(3), True])
def test_population_is_a_whole_number(value: Any) -> None:
    assert population(np.asanyarray(value)) == int(value)


@pytest.mark.parametrize("value", [2.0, "abc", None])
def test_population_that_is_no_number_is_numpys_error(value: Any) -> None:
    _same_error(lambda: population(np.asanyarray(value)), lambda: np.random.default_rng(0).choice(value))


def test_one_trial_passes() -> None:
    for n in (1, np.int64(1), True, 1.0):
        one_trial("binomial", n)


@pytest.mark.parametrize(
    ("n", "words"),
    [
        (0, "binomial(0, ...); one trial at a time can be branched over"),
        (2, "binomial(2, ...); one trial at a time can be branched over"),
        ([1], "binomial with an array of numbers of trials"),
        (np.array([1, 1]), "binomial with an array of numbers of trials"),
    ],
)
def test_other_numbers_of_trials_are_refused(n: Any, words: str) -> None:
    with pytest.raises(Refusal) as found:
        one_trial("binomial", n)
    assert str(found.value) == words


def test_fewer_trials_than_none_are_numpys_error() -> None:
    _same_error(lambda: one_trial("binomial", -1), lambda: np.random.default_rng(0).binomial(-1, 0.5))
