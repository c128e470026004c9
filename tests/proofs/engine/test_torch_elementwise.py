"""Comparisons, casts and decisions: both ways round, with every kind of operand, and of noise."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
import torch

from proofs.engine.signals import Kind
from tests.proofs.engine.torch_programs import by_bisection, by_values, exactly, is_refused, law_of, reasons

F = Fraction
COMPARISONS = ("lt", "le", "gt", "ge", "eq", "ne")
HALVES = (torch.bfloat16, torch.float16)
OPERANDS: dict[str, Callable[[float], Any]] = {
    "Python": lambda c: c,
    "no axis, float32": lambda c: torch.tensor(c),
    "no axis, float64": lambda c: torch.tensor(c, dtype=torch.float64),
    "no axis, bfloat16": lambda c: torch.tensor(c, dtype=torch.bfloat16),
    "an axis, float32": lambda c: torch.tensor([c]),
    "an axis, float64": lambda c: torch.tensor([c], dtype=torch.float64),
    "an axis, bfloat16": lambda c: torch.tensor([c], dtype=torch.bfloat16),
    "an axis, float16": lambda c: torch.tensor([c], dtype=torch.float16),
}
EDGES = (0.3, 0.25, 0.5019531)  # no value of any grid; a value of all; one that bfloat16 rounds


def _first(found: Any) -> bool:
    return bool(found.reshape(-1).tolist()[0])


@pytest.mark.parametrize("edge", EDGES)
@pytest.mark.parametrize("operand", OPERANDS)
@pytest.mark.parametrize("name", COMPARISONS)
def test_comparison_of_a_half_type_equals_every_value(name: str, operand: str, edge: float) -> None:
    compare, other = getattr(torch, name), OPERANDS[operand](edge)
    for dtype in HALVES:
        expected = by_values(lambda u: compare(u, other), dtype)
        assert exactly(lambda: _first(compare(torch.rand(1, dtype=dtype), other))) == expected  # noqa: B023


@pytest.mark.parametrize("operand", OPERANDS)
@pytest.mark.parametrize("name", ["lt", "le", "gt", "ge"])
@pytest.mark.parametrize(("dtype", "bits"), [(torch.float32, 24), (torch.float64, 53)], ids=str)
@pytest.mark.parametrize("dim", [0, 1])
def test_comparison_of_a_long_type_equals_single_values(
    name: str, operand: str, dtype: torch.dtype, bits: int, dim: int
) -> None:
    """A number of float64 without axes is rounded to the dtype of what has some."""
    compare, other = getattr(torch, name), OPERANDS[operand](0.3)
    expected = by_bisection(lambda u: _first(compare(u, other)), bits, dtype, dim)
    assert exactly(lambda: _first(compare(torch.rand((1,) * dim, dtype=dtype), other))) == expected


@pytest.mark.parametrize("operand", [name for name in OPERANDS if name != "Python"])  # Python asks the tensor
@pytest.mark.parametrize("name", ["lt", "le", "gt", "ge"])
def test_comparison_the_other_way_round(name: str, operand: str) -> None:
    compare, other = getattr(torch, name), OPERANDS[operand](0.3)
    for dtype, bits in ((torch.float32, 24), (torch.float64, 53)):
        for dim in (0, 1):
            expected = by_bisection(lambda u: _first(compare(other, u)), bits, dtype, dim)
            assert exactly(lambda: _first(compare(other, torch.rand((1,) * dim, dtype=dtype)))) == expected  # noqa: B023


@pytest.mark.parametrize("operand", OPERANDS)
@pytest.mark.parametrize("name", ["mul", "add", "sub", "rsub", "div", "true_divide"])
def test_arithmetic_promotes_as_torch_does(name: str, operand: str) -> None:
    """The edge is a product that rounds in one way or another by dtype and axes."""
    apply, other = getattr(torch, name), OPERANDS[operand](0.7)
    for dim in (0, 1):
        expected = by_bisection(lambda u: _first(apply(u, other) < 0.21), 53, torch.float64, dim)
        program = lambda: _first(apply(torch.rand((1,) * dim, dtype=torch.float64), other) < 0.21)  # noqa: B023, E731
        assert exactly(program) == expected


def test_coin_of_float64_without_axes_is_rounded_by_a_vector() -> None:
    """0.5 - 2^-26 rounds to 0.5: the comparison is that of float32."""
    t = torch.tensor([0.5])
    assert exactly(lambda: _first(torch.rand((), dtype=torch.float64) < t)) == {
        True: F(1, 2) - F(1, 2**26),
        False: F(1, 2) + F(1, 2**26),
    }
    assert exactly(lambda: _first(torch.rand(1, dtype=torch.float64) < t)) == {True: F(1, 2), False: F(1, 2)}


def test_rows_of_thresholds() -> None:
    rows = torch.tensor([[0.25, 0.5], [0.75, 0.0]])
    found = exactly(lambda: tuple((torch.rand(2, 1) < rows).reshape(-1).tolist()))
    first = {(True, True): F(1, 4), (False, True): F(1, 4), (False, False): F(1, 2)}
    second = {(True, False): F(3, 4), (False, False): F(1, 4)}
    assert found == {a + b: x * y for a, x in first.items() for b, y in second.items()}


def test_probability_zero_and_one_take_no_branch() -> None:
    assert exactly(lambda: tuple((torch.rand(2) < torch.tensor([0.0, 1.0])).tolist())) == {(False, True): F(1)}
    assert exactly(lambda: bool(torch.rand(1) <= 0)) == {True: F(1, 2**24), False: 1 - F(1, 2**24)}


# --- equality and casts


def test_equality_is_one_point() -> None:
    assert exactly(lambda: bool(torch.rand(1) == 0.5)) == {True: F(1, 2**24), False: 1 - F(1, 2**24)}
    assert exactly(lambda: bool(torch.rand(1) != 0.5)) == {True: 1 - F(1, 2**24), False: F(1, 2**24)}
    assert exactly(lambda: bool(torch.rand(1) == 0.3 / 2**20)) == {False: F(1)}  # between two points of the grid


def test_equality_follows_what_was_decided() -> None:
    def program() -> Any:
        u = torch.rand(1)
        return bool(u == 0.5), bool(u < 0.5), bool(u <= 0.5), bool(u != 0.5)

    half, point = F(1, 2), F(1, 2**24)
    assert exactly(program) == {
        (True, False, True, False): point,
        (False, True, True, True): half,
        (False, False, False, True): half - point,
    }


@pytest.mark.parametrize("dtype", [torch.int64, torch.int32, torch.int8, torch.uint8, torch.bool])
def test_casts_to_whole_numbers(dtype: torch.dtype) -> None:
    def function(u: Any) -> Any:
        return (u * 5).to(dtype).long()

    assert exactly(lambda: function(torch.rand(1)).tolist()[0]) == by_values(function, torch.float32)


@pytest.mark.parametrize("name", ["floor", "ceil", "trunc", "round", "sign", "isnan", "isinf", "isposinf", "isneginf"])
@pytest.mark.parametrize("dtype", HALVES, ids=str)
def test_functions_of_few_values(name: str, dtype: torch.dtype) -> None:
    def function(u: Any) -> Any:
        return getattr(torch, name)(u * 5 - 2.5)

    def inverse(u: Any) -> Any:
        return getattr(torch, name)((1 / u).clamp(0, 3) if not name.startswith("is") else 1 / u)

    for few in (function, inverse):
        expected = by_values(few, dtype)
        assert exactly(lambda: few(torch.rand(1, dtype=dtype)).tolist()[0]) == expected  # noqa: B023


def test_infinity_at_the_end_of_a_grid() -> None:
    assert exactly(lambda: bool(torch.log(torch.rand(1)).isinf())) == {True: F(1, 2**24), False: 1 - F(1, 2**24)}
    assert exactly(lambda: bool(torch.log(torch.rand(1)).isneginf())) == {True: F(1, 2**24), False: 1 - F(1, 2**24)}
    assert exactly(lambda: bool((1 / torch.rand(1)).isposinf())) == {True: F(1, 2**24), False: 1 - F(1, 2**24)}


def test_cast_that_wraps_around_is_refused() -> None:
    assert is_refused(lambda: int((torch.rand(1) * 300).to(torch.uint8)), "is cast to torch.uint8")
    assert is_refused(lambda: int((torch.rand(1) - 0.5).to(torch.uint8)), "is cast to torch.uint8")


def test_cast_to_complex_is_refused() -> None:
    assert is_refused(lambda: bool(torch.rand(1).to(torch.complex64).real < 1), "complex")


# --- two undrawn numbers, and noise


def test_difference_of_two_coins_is_denied_where_it_is_used() -> None:
    def unused() -> Any:
        u = torch.rand(2)
        lost = u[0] - u[1]
        del lost
        return bool(u[0] < 0.5)

    assert exactly(unused) == {True: F(1, 2), False: F(1, 2)}
    assert is_refused(lambda: bool(torch.rand(2).diff() < 0), "two undrawn numbers")


@pytest.mark.parametrize(
    ("name", "expected"),
    [("lt", {True: F(1, 4), False: F(3, 4)}), ("ge", {True: F(3, 4), False: F(1, 4)}), ("eq", {False: F(1)})],
)
def test_two_exponential_variables_are_compared(name: str, expected: dict[bool, Fraction]) -> None:
    def program() -> Any:
        noise = torch.empty(2).exponential_() * torch.tensor([3.0, 1.0])
        return bool(getattr(torch, name)(noise[0], noise[1]))

    assert exactly(program) == expected


@pytest.mark.parametrize("name", COMPARISONS)
def test_variable_is_compared_with_itself(name: str) -> None:
    expected = bool(getattr(torch, name)(torch.tensor(1), torch.tensor(1)))

    def program() -> Any:
        noise = torch.empty(1).exponential_()
        return bool(getattr(torch, name)(noise, noise.clone()))

    assert exactly(program) == {expected: F(1)}


@pytest.mark.parametrize(
    ("function", "expected"),
    [
        (lambda e: e < 0, False), (lambda e: e >= 0, True), (lambda e: torch.lt(torch.tensor([0.0]), e), True),
        (lambda e: -e > 0, False), (lambda e: e == -1, False), (lambda e: e != -1, True), (lambda e: e.isnan(), False),
        (lambda e: e.isinf(), False), (lambda e: e < float("inf"), True), (lambda e: e < float("nan"), False),
        (lambda e: e.log() < float("inf"), True),
    ],
)  # fmt: skip
def test_what_all_values_of_noise_have_in_common_is_decided(function: Any, expected: bool) -> None:
    assert exactly(lambda: bool(function(torch.empty(1).exponential_()))) == {expected: F(1)}


def test_open_comparison_of_noise_is_refused() -> None:
    assert is_refused(lambda: bool(torch.empty(1).exponential_() < 1), "torch.lt of noise of a race")
    assert is_refused(lambda: bool(torch.empty(1).exponential_().floor() < 1), "torch.floor of noise of a race")


@pytest.mark.parametrize(
    "function", [lambda e: e.half(), lambda e: e.bfloat16(), lambda e: e[0] * torch.ones(2).half()]
)
def test_noise_that_is_rounded_to_a_half_type_supports_no_agreement(function: Any) -> None:
    found = law_of(lambda: int(function(torch.empty(2).exponential_())[:1].argmax()))
    assert Kind.OPAQUE in {mark.kind for mark in found.marks}
    assert "rounded to torch." in reasons(found)
