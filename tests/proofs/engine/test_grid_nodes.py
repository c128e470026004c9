"""On a grid a comparison switches where that of the code does."""

import math
from fractions import Fraction

import numpy as np
import pytest

from proofs.engine.choices import Arithmetic, Coin, Path
from proofs.engine.exact_nodes import ExactNode
from proofs.engine.grid_nodes import GridNode
from proofs.engine.noise_nodes import as_noise
from proofs.engine.signals import Refusal
from proofs.engine.weights import to_fraction


def _exact() -> ExactNode:
    return ExactNode(Coin(Path((), Arithmetic.EXACT, 100), None))


def _grid(grid: int = 2**53) -> GridNode:
    return GridNode(Coin(Path((), Arithmetic.FLOAT64, 100), grid))


def test_on_a_grid_nan_at_one_end_is_refused_where_it_is_used_and_a_constant_is_a_number() -> None:
    """Made and dropped, as ``np.where`` drops it, it harms nobody."""
    for spoilt in (_grid().then("mul", math.inf), _grid().then("log").then("add", math.inf).then("neg")):
        with pytest.raises(Refusal, match="NaN at an end"):
            spoilt.less(0.5, equal=False)
        with pytest.raises(Refusal, match="NaN at an end"):
            spoilt.floor()
        with pytest.raises(Refusal, match="NaN at an end"):
            as_noise(spoilt)
    assert _grid().then("mul", 0.0) == 0.0
    assert _grid().then("add", 1e300) == 1e300


def test_a_grid_node_evaluates_as_numpy_does_in_its_dtype() -> None:
    node = _grid(2**24).then("cast32").then("mul", np.float32(0.1)).then("add", np.float32(1e3))
    for k in (0, 1, 12345, 2**24 - 1):
        expected = np.float32(k / 2**24) * np.float32(0.1) + np.float32(1e3)
        assert (type(node.at(k)), node.at(k)) == (np.float32, expected)


@pytest.mark.parametrize("threshold", [0.0, 1e-300, 0.1, 1 / 3, 0.5, 1.0, 1.5, -0.1])
def test_the_switch_is_found_beside_every_threshold(threshold: float) -> None:
    for equal in (False, True):
        for node in (_grid(2**10), _grid(2**10).then("mul", 1.0)):
            answer = node.less(threshold, equal=equal)
            mass = to_fraction(node.coin.path.weight)
            count = sum(k / 2**10 <= threshold if equal else k / 2**10 < threshold for k in range(2**10))
            assert (mass if answer else 1 - mass) == Fraction(count, 2**10)
