"""Chains of monotone operations are inverted over the reals and searched on a grid."""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from proofs.engine.choices import Arithmetic, Coin, Path
from proofs.engine.exact_nodes import ExactNode
from proofs.engine.grid_nodes import GridNode
from proofs.engine.nodes import Node, constant, is_nan, sign_of
from proofs.engine.scalars import LogNumber, exact_number
from proofs.engine.signals import Refusal
from proofs.engine.weights import to_fraction, weight


def _exact() -> ExactNode:
    return ExactNode(Coin(Path((), Arithmetic.EXACT, 100), None))


def _grid(grid: int = 2**53) -> GridNode:
    return GridNode(Coin(Path((), Arithmetic.FLOAT64, 100), grid))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (3, 3),
        (True, 1),
        (0.5, Fraction(1, 2)),
        (np.float32(0.1), Fraction(float(np.float32(0.1)))),
        (np.int8(-2), -2),
        (np.bool_(True), 1),
        (Fraction(2, 3), Fraction(2, 3)),
        (exact_number(Fraction(1, 7)), Fraction(1, 7)),
        (weight(5), 5),
    ],
)
def test_constants_count_at_their_exact_value(value: Any, expected: Any) -> None:
    assert to_fraction(constant(value)) == expected


def test_constants_that_are_no_rational_numbers() -> None:
    assert constant(np.float32(np.inf)) == constant(exact_number(math.inf)) == math.inf
    assert constant(exact_number(-math.inf)) == -math.inf
    assert math.isnan(constant(exact_number(math.nan)))
    log = exact_number(2).log()
    assert isinstance(constant(log), LogNumber)
    for value in (None, "1", 1j, object()):
        with pytest.raises(Refusal, match="meets"):
            constant(value)


@pytest.mark.parametrize("name", ["log", "rdiv"])
@pytest.mark.parametrize("make", [_exact, _grid])
def test_functions_are_refused_where_they_are_not_monotone(make: Callable[[], Node], name: str) -> None:
    for step, value in (("add", -0.5), ("rsub", 0.5)):
        with pytest.raises(Refusal):
            make().then(step, value).then(name, 1)


def test_signs_are_known_from_the_ends() -> None:
    for make in (_exact, _grid):
        assert [make().then("add", c).sign for c in (-2, -1, -0.5, 0, 1)] == [-1, -1, 0, 1, 1]
        assert make().then("rsub", 1).sign == make().then("neg").then("rsub", 0).sign == 1
        assert make().then("neg").then("add", 1).then("log").sign == -1
        assert make().then("log").then("neg").sign == 1


def test_whole_parts_are_bounded() -> None:
    assert _exact().then("mul", 3).floor() in (0, 1, 2)
    for shift in (10**5, -(10**5)):
        with pytest.raises(Refusal, match="whole part"):
            _exact().then("add", shift).floor()


def test_nan_and_signs_of_any_number() -> None:
    assert is_nan(exact_number(math.nan))
    assert is_nan(np.float32(np.nan))
    assert not is_nan(Fraction(1))
    assert [sign_of(x) for x in (-0.5, 0, exact_number(3), -math.inf)] == [-1, 0, 1, -1]
