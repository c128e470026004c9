"""Universal functions on exact numbers, element by element, are those of IEEE floats."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from proofs.engine.elementwise import LOOPS, TESTS, as_elements, masked, ranks, with_initial
from proofs.engine.scalars import exact_number, is_exact

VALUES = [0.0, 0.25, 0.5, 1.0, 2.0, -0.5, -1.0, -3.0, 2.5, math.inf, -math.inf, math.nan]
# Numbers on which floats do not round, for the functions that have such numbers alone.
EXACT_AT = {
    "log": [0.0, 1.0, math.inf, -1.0, math.nan],
    "log1p": [0.0, -1.0, -2.0, math.inf, math.nan],
    "log2": [0.0, 0.25, 0.5, 1.0, 2.0, -1.0, math.inf, math.nan],
    "log10": [0.0, 1.0, 10.0, 100.0, -1.0, math.inf, math.nan],
    "exp": [0.0, math.inf, -math.inf, math.nan],
    "expm1": [0.0, math.inf, -math.inf, math.nan],
    "exp2": [0.0, 1.0, 2.0, -1.0, -3.0, math.inf, -math.inf, math.nan],
    "sqrt": [0.0, 0.25, 1.0, 4.0, -1.0, math.inf, -math.inf, math.nan],
    "reciprocal": [0.0, 0.25, 1.0, 2.0, -0.5, math.inf, -math.inf, math.nan],
}
POWERS = ("power", "float_power")
WHOLE_EXPONENTS = [0.0, 1.0, 2.0, -1.0, -3.0, math.inf, -math.inf, math.nan]


def _float(element: Any) -> float:
    return element.approximate() if is_exact(element) else float(element)


def _agree(result: Any, expected: Any) -> bool:
    return np.array_equal(np.vectorize(_float)(result), np.asarray(expected, dtype=float), equal_nan=True)


@pytest.mark.parametrize("ufunc", [f for f in (*LOOPS, *TESTS) if f.nin == 1])
def test_function_of_one_element_is_that_of_floats(ufunc: Any) -> None:
    values = EXACT_AT.get(ufunc.__name__, VALUES)
    loop = LOOPS.get(ufunc) or TESTS[ufunc]
    with np.errstate(all="ignore"):
        assert _agree(loop(as_elements(values)), ufunc(np.array(values)))


TWO = [f for f in LOOPS if f.nin == 2 and f.signature is None and f.__name__ != "logaddexp"]


@pytest.mark.parametrize("ufunc", TWO)
def test_function_of_two_elements_is_that_of_floats(ufunc: Any) -> None:
    left = np.array(VALUES)
    right = np.array(WHOLE_EXPONENTS if ufunc.__name__ in POWERS else [v for v in VALUES if v not in (-3.0, 2.5)])
    if ufunc.__name__ in POWERS:
        left = left[np.isin(left, [-3.0, 2.5], invert=True)]
    with np.errstate(all="ignore"):
        results = LOOPS[ufunc].outer(as_elements(left), as_elements(right))
        expected = ufunc.outer(left, right)
    for one, other in zip(*((r if isinstance(r, tuple) else (r,)) for r in (results, expected)), strict=True):
        assert _agree(one, other)


def test_clip_knows_nan_in_every_place() -> None:
    clip = next(f for f in LOOPS if f.nin == 3)
    grid = np.stack(np.meshgrid(VALUES, VALUES, VALUES)).reshape(3, -1)
    assert _agree(LOOPS[clip](*map(as_elements, grid)), clip(*grid))


def test_logaddexp_is_exact_on_logarithms_and_that_of_floats_on_specials() -> None:
    third = exact_number(Fraction(1, 3)).log()
    assert LOOPS[np.logaddexp](third, third) == exact_number(Fraction(2, 3)).log()
    assert LOOPS[np.logaddexp](third, exact_number(-math.inf)) == third
    specials = np.array([math.inf, -math.inf, math.nan, 0.0])
    with np.errstate(all="ignore"):
        expected = np.logaddexp.outer(specials[:3], specials[:3])
    assert _agree(LOOPS[np.logaddexp].outer(as_elements(specials[:3]), as_elements(specials[:3])), expected)


def test_ranks_order_as_the_elements_do() -> None:
    row = [0.5, 0.25, math.nan, 0.5, -math.inf, math.inf]
    assert ranks(as_elements(row)).tolist()[:2] == [2, 1]
    assert np.array_equal(ranks(as_elements(row)), [2, 1, math.nan, 2, 0, 3], equal_nan=True)
    assert ranks(as_elements(np.zeros((2, 0)))).shape == (2, 0)


def test_exact_elements_are_not_copied_and_others_are_made_exact() -> None:
    exact = as_elements([Fraction(1, 3), 0.1, True])
    assert exact.tolist() == [Fraction(1, 3), Fraction(0.1), 1]
    assert as_elements(exact) is exact or np.shares_memory(as_elements(exact), exact)
    assert as_elements(exact[0]).shape == ()
    with pytest.raises(TypeError):
        as_elements(["x"])


def test_masked_leaves_nan_and_looks_at_nothing_else() -> None:
    def divide(left: Any, right: Any) -> Any:
        assert right.all()
        return left / right

    result = masked(divide, [as_elements([1, 1]), as_elements([2, 0])], [True, False])
    assert result[0] == Fraction(1, 2)
    assert result[1] != result[1]


def test_masked_reductions_are_told_where_to_begin() -> None:
    assert with_initial(np.multiply, {"where": True})["initial"] == 1
    assert with_initial(np.add, {"where": True})["initial"] == 0
    assert with_initial(np.add, {}) == {}
    assert is_exact(with_initial(np.maximum, {"initial": 0.5})["initial"])
