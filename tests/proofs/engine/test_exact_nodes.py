"""Over the reals a comparison is decided by inverting the chain."""

import math
from fractions import Fraction
from typing import Any

import pytest

from proofs.engine.choices import Arithmetic, Coin, Path
from proofs.engine.exact_nodes import ExactNode
from proofs.engine.grid_nodes import GridNode
from proofs.engine.signals import Kind, Refusal, collecting
from proofs.engine.weights import to_fraction


def _exact() -> ExactNode:
    return ExactNode(Coin(Path((), Arithmetic.EXACT, 100), None))


def _grid(grid: int = 2**53) -> GridNode:
    return GridNode(Coin(Path((), Arithmetic.FLOAT64, 100), grid))


@pytest.mark.parametrize(
    ("steps", "threshold", "expected"),
    [
        ([], Fraction(1, 3), Fraction(1, 3)),
        ([("mul", 3)], 1, Fraction(1, 3)),
        ([("mul", -3)], -1, Fraction(2, 3)),
        ([("rsub", 1)], Fraction(1, 3), Fraction(1, 3)),
        ([("rdiv", 1)], 3, Fraction(2, 3)),
        ([("rdiv", -1)], -3, Fraction(1, 3)),
        ([("min", Fraction(1, 4))], Fraction(1, 3), 1),
        ([("min", Fraction(1, 2))], Fraction(1, 3), Fraction(1, 3)),
        ([("max", Fraction(1, 4))], Fraction(1, 3), Fraction(1, 3)),
        ([("max", Fraction(1, 2))], Fraction(1, 3), 0),
        ([("neg", 0)], 0, 1),
        ([("log", 0), ("exp", 0)], Fraction(1, 3), Fraction(1, 3)),
        ([("add", -1)], Fraction(-2, 3), Fraction(1, 3)),
    ],
)
def test_real_chains_are_inverted(steps: list[tuple[str, Any]], threshold: Any, expected: Any) -> None:
    node: Any = _exact()
    for name, value in steps:
        node = node.then(name, value)
    answer = node.less(threshold, equal=False)
    mass = to_fraction(node.coin.path.weight)
    assert (mass if answer else 1 - mass) == expected


@pytest.mark.parametrize(
    ("name", "value", "expected"),
    [
        ("mul", 0, 0),
        ("mul", math.inf, math.inf),
        ("div", math.inf, 0),
        ("div", 0, math.inf),
        ("rdiv", 0, 0),
        ("add", -math.inf, -math.inf),
        ("rsub", math.inf, math.inf),
        ("min", -math.inf, -math.inf),
        ("max", math.inf, math.inf),
    ],
)
def test_specials_leave_a_number(name: str, value: Any, expected: Any) -> None:
    with collecting([]):
        assert _exact().then(name, value) == expected


def test_nan_is_contagious_and_harmless_bounds_are_ignored() -> None:
    node = _exact()
    found = node.then("add", math.nan)
    assert found != found
    assert node.then("min", math.inf) is node.then("max", -math.inf) is node
    with pytest.raises(Refusal):
        node.then("add", -0.5).then("mul", math.inf)


def test_casts_in_exact_arithmetic() -> None:
    node, marks = _exact(), []  # type: ignore[var-annotated]
    with collecting(marks):
        assert node.then("cast64") is node
        assert marks == []
        assert node.then("cast32") is node
    assert [mark.kind for mark in marks] == [Kind.LEAK]
