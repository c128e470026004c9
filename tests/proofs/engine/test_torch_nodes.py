"""Functions of torch's coins: every decision has the share of the grid that plain torch gives it."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs.engine.choices import Arithmetic, Path
from proofs.engine.torch_grids import uniform_grid
from proofs.engine.torch_nodes import Denied, Step, Switches, TorchNode, is_unit
from tests.proofs.engine.torch_programs import by_bisection, by_values, exactly, is_refused, law_of, reasons

F = Fraction
HALVES = (torch.bfloat16, torch.float16)
aten: Any = torch.ops.aten

CHAINS: dict[str, Callable[[Any], Any]] = {
    "itself": lambda u: u < 0.3,
    "zero": lambda u: u <= 0,
    "scaled": lambda u: u * 0.7 < 0.21,
    "shifted": lambda u: u + 1.7 < 2,
    "taken off": lambda u: 1 - u < 0.3,
    "minus": lambda u: -u < -0.4,
    "divided": lambda u: u / 3 >= 0.1,
    "inverted": lambda u: 1 / u > 3,
    "reciprocal": lambda u: u.reciprocal() >= 1.5,
    "bounded": lambda u: u.clamp(0.2, 0.8) < 0.8,
    "from below": lambda u: u.clamp_min(0.25) <= 0.25,
    "from above": lambda u: u.clamp(max=0.75) >= 0.75,
    "least": lambda u: torch.minimum(u, torch.tensor([0.5], dtype=u.dtype)) == 0.5,
    "greatest": lambda u: torch.maximum(u, torch.tensor([0.5], dtype=u.dtype)) > 0.5,
    "root": lambda u: u.sqrt() < 0.6,
    "square": lambda u: u.square() < 0.3,
    "power": lambda u: u**3 < 0.3,
    "absolute": lambda u: (-u).abs() > 0.9,
    "relu": lambda u: (u - 0.5).relu() > 0,
    "long chain": lambda u: ((u * 3 - 1) / 0.7 + 0.1).clamp(-1, 1) < 0.35,
    "wider": lambda u: u.float() * 0.7 < 0.21,
    "widest": lambda u: u.double() + 1e-9 < 0.3,
    "narrower": lambda u: (u.double() / 3).half() < 0.1,
    "brain": lambda u: (u.float() * 0.9).bfloat16() == 0.5,
    "tensor of float32": lambda u: u * torch.tensor([0.7]) < torch.tensor([0.21]),
    "number of float32": lambda u: u * torch.tensor(0.7) < torch.tensor(0.21),
    "number of float64": lambda u: u * torch.tensor(0.7, dtype=torch.float64) < 0.21,
    "vector of float64": lambda u: u * torch.tensor([0.7], dtype=torch.float64) < 0.21,
    "integers": lambda u: u * torch.tensor([3]) < torch.tensor([2]),
    "logarithm": lambda u: u.log() < -1,
    "of the rest": lambda u: torch.log1p(-u) < -0.5,
    "exponential": lambda u: u.exp() < 1.5,
    "never": lambda u: u >= 1,
    "nothing left": lambda u: u * 0 + 1 > 0.5,
    "NaN": lambda u: u + float("nan") < 1,
    "infinite": lambda u: 1 / u == float("inf"),
}


def _of_one(function: Callable[[Any], Any], dtype: torch.dtype) -> Callable[[], Any]:
    return lambda: function(torch.rand(1, dtype=dtype)).tolist()[0]


@pytest.mark.parametrize("dtype", HALVES, ids=str)
@pytest.mark.parametrize("name", CHAINS)
def test_chain_of_a_half_type_equals_every_value_of_its_grid(name: str, dtype: torch.dtype) -> None:
    function = CHAINS[name]
    assert exactly(_of_one(function, dtype)) == by_values(function, dtype)


FEW = ("long chain", "logarithm", "inverted")


@pytest.mark.parametrize(
    "name", [name if name in FEW else pytest.param(name, marks=pytest.mark.heavy) for name in CHAINS]
)
def test_chain_of_float32_equals_every_point_of_its_grid(name: str) -> None:
    function = CHAINS[name]
    assert exactly(_of_one(function, torch.float32)) == by_values(function, torch.float32)


@pytest.mark.parametrize("name", ["itself", "scaled", "shifted", "taken off", "divided", "long chain", "wider", "root"])
def test_chain_of_float64_equals_single_values(name: str) -> None:
    function = CHAINS[name]
    expected = by_bisection(function, 53, torch.float64, dim=1)
    assert exactly(_of_one(function, torch.float64)) == expected


@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_two_decisions_on_one_coin_belong_together(dtype: torch.dtype) -> None:
    def function(u: Any) -> Any:
        return (u * 0.7 < 0.21).long() + 2 * (u > 0.2).long() + 4 * (1 - u >= 0.5).long()

    def program() -> Any:
        u = torch.rand(1, dtype=dtype)
        return int(u * 0.7 < 0.21) + 2 * int(u > 0.2) + 4 * int(1 - u >= 0.5)

    assert exactly(program) == by_values(function, dtype)


def test_two_coins_do_not() -> None:
    found = exactly(lambda: tuple((torch.rand(2) < torch.tensor([0.25, 0.5])).tolist()))
    assert found == {(True, True): F(1, 8), (True, False): F(1, 8), (False, True): F(3, 8), (False, False): F(3, 8)}


# --- chains of any kind

NUMBERS = st.floats(-4, 4, width=16).filter(lambda c: abs(c) >= 2.0**-6)
LINKS: dict[str, Callable[[Any, float], Any]] = {
    "add": lambda x, c: x + c,
    "sub": lambda x, c: x - c,
    "rsub": lambda x, c: c - x,
    "mul": lambda x, c: x * c,
    "div": lambda x, c: x / c,
    "neg": lambda x, c: -x,
    "min": lambda x, c: torch.minimum(x, torch.full((1,), c, dtype=x.dtype)),
    "max": lambda x, c: torch.maximum(x, torch.full((1,), c, dtype=x.dtype)),
    "clamp": lambda x, c: x.clamp(min(c, 1), max(c, 1)),
    "float": lambda x, c: x.float(),
    "half": lambda x, c: x.half(),
    "brain": lambda x, c: x.bfloat16(),
    "double": lambda x, c: x.double(),
    "vector": lambda x, c: x * torch.tensor([c]),
    "number": lambda x, c: x + torch.tensor(c, dtype=torch.float64),
}
ENDS: dict[str, Callable[[Any, float], Any]] = {
    "lt": lambda x, c: x < c,
    "le": lambda x, c: x <= c,
    "gt": lambda x, c: c > x,
    "ge": lambda x, c: x >= torch.tensor(c),
    "eq": lambda x, c: x == c,
    "ne": lambda x, c: torch.tensor([c]) != x,
    "floor": lambda x, c: x.floor(),
    "whole": lambda x, c: (x * 3).long(),
    "search": lambda x, c: torch.bucketize(x.float(), torch.tensor([-1.0, c, 2.0]).sort().values),
}
STEPS = st.lists(st.tuples(st.sampled_from(sorted(LINKS)), NUMBERS), max_size=5)


@settings(max_examples=60, deadline=None)
@given(steps=STEPS, end=st.sampled_from(sorted(ENDS)), number=NUMBERS, dtype=st.sampled_from(HALVES))
def test_any_chain_equals_every_value(steps: Any, end: str, number: float, dtype: torch.dtype) -> None:
    def function(u: Any) -> Any:
        for name, value in steps:
            u = LINKS[name](u, value)
        return ENDS[end](u, number)

    assert exactly(_of_one(function, dtype)) == by_values(function, dtype)


# --- what cannot be decided


@pytest.mark.parametrize(
    ("why", "function"),
    [
        ("changes its sign or is zero", lambda u: 1 / (u - 0.5) < 1),
        ("changes its sign or is zero", lambda u: (u - 0.5).abs() < 0.1),
        ("changes its sign or is zero", lambda u: (u - 0.5) ** 2 < 0.1),
        ("NaN at an end", lambda u: (u - 0.5).sqrt() < 0.1),
        ("NaN at an end", lambda u: (u - 0.5).log() < 0.1),
        ("NaN at an end", lambda u: u * float("inf") < 1),
        ("a zero of either sign", lambda u: 1 / ((u - 0.5) * 0.0) < 1),
        ("moves too little", lambda u: torch.sigmoid(u * 1e-6) < 0.5000001),
    ],
)
def test_function_that_is_not_known_as_monotone_is_refused_where_it_is_used(why: str, function: Any) -> None:
    assert is_refused(lambda: bool(function(torch.rand(1))), why)


def test_function_that_is_not_known_as_monotone_may_be_dropped() -> None:
    def program() -> Any:
        u = torch.rand(2)
        lost = 1 / (u - 0.5)
        return bool(torch.where(torch.tensor([True, True]), u, lost)[0] < 0.25)

    assert exactly(program) == {True: F(1, 4), False: F(3, 4)}


def test_zeros_of_either_sign_are_different_operands() -> None:
    program = lambda: tuple(float(x) for x in ((torch.rand(1) + 1) / 0.0, (torch.rand(1) + 1) / -0.0))  # noqa: E731
    assert exactly(program) == {(float("inf"), float("-inf")): F(1)}


def test_ragged_function_is_refused() -> None:
    """A logarithm with a dent beside its threshold, as a library could have one."""
    node = _node()
    dent = _Dented()
    switches, path = Switches(), node.coin.path
    with pytest.raises(BaseException, match="not monotone beside a threshold"):
        TorchNode(node.coin, node.grid, (dent,), torch.tensor([0.0, 1.0])).decide(_below(0.5), switches)
    assert path.steps == []


class _Dented(Step):
    def __init__(self) -> None:
        super().__init__(aten.log.default, 0, [None], {}, "dented")

    def __call__(self, points: Any) -> Any:
        found = points.clone()
        found[points == 0.5 - 3 * 2.0**-24] = 0.6
        return found


def _node() -> TorchNode:
    path = Path((), Arithmetic.TORCH32, 10)
    grid = uniform_grid(torch.float32)
    assert grid is not None
    return TorchNode(path.draw_coin("a", grid.size), grid)


def _below(number: float, key: Any = "below") -> Step:
    return Step(aten.lt.Scalar, 0, [None, number], {}, key, threshold=number)


# --- the parts


def test_node_begins_as_its_grid() -> None:
    node = _node()
    assert node.key == (node.grid.name,)
    assert node.ends.tolist() == [0.0, 1 - 2.0**-24]
    assert node.at(0.25) == 0.25
    assert node.values(torch.tensor([0, 1, 3])).tolist() == [0.0, 2.0**-24, 3 * 2.0**-24]


def test_node_does_not_change() -> None:
    node = _node()
    after = node.then(Step(aten.mul.Scalar, 0, [None, 2.0], {}, "twice"))
    assert node.steps == ()
    assert after.key == (node.grid.name, "twice")
    assert after.ends.tolist() == [0.0, 2 - 2.0**-23]
    assert after.at(0.25) == 0.5


def test_node_of_which_nothing_is_left_is_a_number() -> None:
    assert _node().then(Step(aten.mul.Scalar, 0, [None, 0.0], {}, "nothing")) == 0.0
    nan = _node().then(Step(aten.add.Scalar, 0, [None, float("nan")], {}, "nan"))
    assert nan != nan


def test_denied_element_refuses_when_asked() -> None:
    denied = _node().then(Step(aten.mul.Scalar, 0, [None, float("inf")], {}, "infinite"))
    assert isinstance(denied, Denied)
    with pytest.raises(BaseException, match="NaN at an end of its range"):
        denied.deny()


def test_switch_is_searched_once_for_all_paths() -> None:
    switches, asked = Switches(), []

    class Counting(Step):
        def __call__(self, points: Any) -> Any:
            asked.append(len(points))
            return super().__call__(points)

    for _ in range(3):
        node = _node()
        assert node.decide(Counting(aten.lt.Scalar, 0, [None, 0.3], {}, "below"), switches)
        assert node.coin.path.weight == F(5033165, 2**24)
        calls, first = len(asked), asked[:]
        asked[:] = asked[:0]
        assert calls == (len(first) if _ == 0 else 0)


def test_decision_of_many_values_branches_at_each() -> None:
    node, switches = _node(), Switches()
    step = Step(aten.bucketize.Tensor, 0, [None, torch.tensor([0.25, 0.5, 0.75])], {"right": True}, "search")
    assert node.decide(step, switches) == 0
    assert [s.weight for s in node.coin.path.steps] == [F(1, 4)]
    assert (node.coin.low, node.coin.high) == (0, 2**22)


def test_grids_of_a_unit_scale_are_told_from_others() -> None:
    grids = [uniform_grid(torch.float64), uniform_grid(torch.float32), uniform_grid(torch.float16)]
    grids.append(uniform_grid(torch.float32, 0.1, 0.7))
    assert [is_unit(grid) for grid in grids if grid is not None] == [True, True, False, False]


def test_step_says_what_it_is() -> None:
    step = Step(aten._to_copy.default, 0, [None], {"dtype": torch.float16}, "half")
    assert (step.name, step.dtype, step.fanout) == ("_to_copy", torch.float16, 1024)
    assert step(torch.tensor([1 / 3])).dtype == torch.float16


def test_step_takes_operands_without_axes_one_by_one() -> None:
    """A number of float64 beside a vector of float32 is rounded first, a vector of float64 is not."""
    vector = torch.tensor([0.1])
    double = torch.tensor([0.1, 0.2], dtype=torch.float64)
    alone = Step(aten.lt.Tensor, 0, [None, vector], {}, "alone", one_by_one=True)
    together = Step(aten.lt.Tensor, 0, [None, vector], {}, "together")
    assert alone.fanout == 16
    assert alone(double).tolist() == [False, False]
    assert together(double).tolist() == [True, False]


@pytest.mark.parametrize("dtype", ["float64", "float32", "bfloat16", "float16"])
def test_grid_is_named_in_the_law(dtype: str) -> None:
    found = law_of(lambda: bool(torch.rand(1, dtype=getattr(torch, dtype)) < 0.5))
    assert f"torch.rand {dtype}: k/2^" in reasons(found)
