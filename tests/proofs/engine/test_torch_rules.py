"""Undrawn elements move, alias and are overwritten as numbers are: held against plain torch with given coins."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
import torch

from proofs.engine.torch_tables import tensors_in
from tests.proofs.engine.torch_programs import by_quarters, exactly, is_refused, swallowing

F = Fraction
PROGRAMS: dict[str, tuple[int, Callable[[Any], Any]]] = {}


def program(coins: int) -> Callable[[Callable[[Any], Any]], Callable[[Any], Any]]:
    def keep(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
        PROGRAMS[function.__name__] = (coins, function)
        return function

    return keep


def _low(tensor: Any, edge: Any = 0.5) -> Any:
    return tuple((tensor < edge).reshape(-1).tolist())


# --- views


@program(4)
def views(draw: Any) -> Any:
    u = draw(4).view(2, 2)
    return _low(u.t()[0]), _low(u.flatten()[1:3], 0.25), _low(u[:, 1:].squeeze(), 0.75)


@program(2)
def strided(draw: Any) -> Any:
    return _low(draw(2).as_strided((2, 2), (1, 0)), 0.25)


@program(2)
def expanded(draw: Any) -> Any:
    return _low(draw(2).expand(2, 2) + torch.tensor([[0.0], [0.25]]))


@program(4)
def diagonal(draw: Any) -> Any:
    return _low(draw(4).reshape(2, 2).diagonal())


@program(4)
def split(draw: Any) -> Any:
    first, second = draw(4).split(2)
    a, b = second.unbind()
    return _low(first), bool(a < 0.25), bool(b >= 0.75)


@program(2)
def unfolded(draw: Any) -> Any:
    return _low(draw(2).unfold(0, 2, 1), 0.25), _low(draw(0))


@program(2)
def detached_and_parameters(draw: Any) -> Any:
    u = torch.nn.Parameter(draw(2))
    return _low(u.detach()), _low(u, 0.25)


# --- writing


@program(2)
def in_place_through_a_view(draw: Any) -> Any:
    u = draw(2)
    u[0].mul_(2)
    return _low(u)


@program(2)
def in_place_through_a_column(draw: Any) -> Any:
    u = draw(2).reshape(1, 2)
    u.t()[1].neg_().add_(1)
    return bool(u[0, 0] < 0.25), bool(u[0, 1] <= 0.25)


@program(2)
def alias_sees_what_is_written(draw: Any) -> Any:
    u = draw(2)
    alias, copy = u[:], u.clone()
    u.mul_(0.5)
    return _low(alias, 0.25), _low(copy, 0.25)


@program(2)
def numbers_over_undrawn(draw: Any) -> Any:
    u = draw(2)
    u[0] = 0.1
    u[1:].clamp_(0.25, 0.75)
    return _low(u), u[0].item()


@program(2)
def fills(draw: Any) -> Any:
    u = draw(2)
    kept = u.clone()
    u.fill_(0.25)
    return u.tolist(), _low(kept), kept.zero_().tolist()


@program(1)
def undrawn_over_numbers(draw: Any) -> Any:
    buffer = torch.zeros(3)
    buffer[1] = draw(1)[0]
    return _low(buffer), buffer[0].item()


@program(2)
def undrawn_into_a_slice(draw: Any) -> Any:
    buffer = torch.ones(2, 3)
    buffer[:, 1] = draw(2)
    return _low(buffer)


@program(1)
def broadcast_copy(draw: Any) -> Any:
    buffer = torch.ones(2, 2)
    buffer.copy_(draw(1))
    return _low(buffer)


@program(1)
def undrawn_fill(draw: Any) -> Any:
    buffer = torch.ones(2)
    buffer.fill_(draw(1)[0])
    return _low(buffer)


@program(2)
def copy_within_itself(draw: Any) -> Any:
    u = draw(2)
    u.copy_(u.flip(0))
    return bool(u[0] < 0.25), bool(u[1] < 0.5)


@program(1)
def copies_of_other_dtypes(draw: Any) -> Any:
    wide = torch.zeros(1, dtype=torch.float64)
    wide.copy_(draw(1))
    whole = torch.zeros(1, dtype=torch.int64)
    whole.copy_(wide * 4)
    return _low(wide), whole.tolist()


@program(2)
def numbers_copied_over(draw: Any) -> Any:
    u = draw(2)
    u[:1].copy_(torch.tensor([0.3], dtype=torch.float64))
    return _low(u)


@program(2)
def masked(draw: Any) -> Any:
    u = draw(2)
    filled = u.masked_fill(torch.tensor([True, False]), 0.125)
    u.masked_fill_(torch.tensor([False, True]), 0.875)
    return _low(filled), _low(u), _low(u.masked_select(torch.tensor([True, False])), 0.25)


@program(1)
def masked_by_undrawn(draw: Any) -> Any:
    return _low(torch.ones(2).masked_fill(torch.tensor([True, False]), draw(1)[0]))


@program(2)
def indexed_writes(draw: Any) -> Any:
    buffer = torch.ones(3)
    buffer[torch.tensor([2, 0])] = draw(2)
    buffer.index_put_((torch.tensor([1]),), torch.tensor([0.25]))
    return _low(buffer)


@program(2)
def written_by_a_mask(draw: Any) -> Any:
    buffer = torch.ones(3)
    buffer[torch.tensor([True, False, True])] = draw(2)
    return _low(buffer)


@program(2)
def scattered(draw: Any) -> Any:
    u = draw(2)
    found = torch.ones(3).scatter_(0, torch.tensor([2, 0]), u)
    u.scatter_(0, torch.tensor([1]), 0.125)
    return _low(found), _low(u, 0.25)


@program(2)
def index_copied(draw: Any) -> Any:
    u = draw(2)
    a = torch.ones(3).index_copy(0, torch.tensor([0, 2]), u)
    return _low(a), _low(u.index_fill(0, torch.tensor([1]), 0.25), 0.75)


@program(2)
def written_with_out(draw: Any) -> Any:
    out = torch.empty(2)
    alias = out.view(2, 1)
    torch.mul(draw(2), 2, out=out)
    return _low(alias)


@program(2)
def decided_with_out(draw: Any) -> Any:
    out = torch.empty(2, dtype=torch.bool)
    torch.lt(draw(2), 0.25, out=out)
    return tuple(out.tolist())


@program(2)
def decided_in_place(draw: Any) -> Any:
    u = draw(2)
    return tuple(u.lt_(0.5).tolist())


@program(2)
def operand_out(draw: Any) -> Any:
    u = draw(2)
    torch.cat([u[1:], u[:1]], out=u2) if (u2 := torch.empty(2)).numel() else None
    return _low(u2, 0.25)


# --- moving


@program(2)
def gathered(draw: Any) -> Any:
    u = draw(2).reshape(1, 2)
    return (
        _low(u.gather(1, torch.tensor([[1, 1, 0]])), 0.25),
        _low(u[0, torch.tensor([1])]),
        _low(u.take_along_dim(torch.tensor([[0]]), 1)),
    )


@program(2)
def selected(draw: Any) -> Any:
    u = draw(2)
    return _low(u.index_select(0, torch.tensor([1, 0]))), _low(u.take(torch.tensor([1])), 0.25), _low(u.repeat(2))


@program(2)
def joined(draw: Any) -> Any:
    a, b = draw(1), draw(1)
    return _low(torch.cat([a, torch.zeros(1), b])), _low(torch.stack([b, a]), 0.25), _low(torch.hstack([a, b]), 0.75)


@program(1)
def joined_with_other_dtypes(draw: Any) -> Any:
    found = torch.cat([draw(1), torch.tensor([0.3], dtype=torch.float64), torch.tensor([1])])
    return str(found.dtype), _low(found)


@program(2)
def chosen(draw: Any) -> Any:
    u, mask = draw(2), torch.tensor([True, False])
    return _low(torch.where(mask, u, 0.0)), _low(torch.where(mask, 1.0, u)), _low(torch.where(mask, u, u.flip(0)), 0.25)


@program(1)
def chosen_beside_float64(draw: Any) -> Any:
    found = torch.where(torch.tensor([True, False]), draw(1), torch.tensor([0.1, 0.6], dtype=torch.float64))
    return str(found.dtype), _low(found)


@program(2)
def turned(draw: Any) -> Any:
    u = draw(2)
    return _low(u.roll(1)), _low(u.flip(0), 0.25), _low(u.reshape(1, 2).rot90(), 0.75)


@program(1)
def padded(draw: Any) -> Any:
    u = draw(1)
    return _low(torch.nn.functional.pad(u, (1, 1))), _low(torch.nn.functional.pad(u, (0, 1), value=0.75))


@program(2)
def copied(draw: Any) -> Any:
    u = draw(2).reshape(1, 2)
    return _low(u.contiguous()), _low(u.t().contiguous(), 0.25), _low(u.to(torch.float32), 0.75), _low(u.float().cpu())


@program(1)
def shapes_alone(draw: Any) -> Any:
    u = draw(1)
    return u.shape, torch.zeros_like(u).tolist(), u.new_ones(2).tolist(), torch.full_like(u, 0.5).tolist(), u.dtype


@program(0)
def nothing(draw: Any) -> Any:
    return _low(draw(0)), draw(0).tolist(), tuple(draw(0).mul(2).shape)


@program(3)
def rows_of_a_batch(draw: Any) -> Any:
    u, p, q = draw(3).reshape(3, 1), torch.tensor([0.25, 0.5, 0.25]), torch.tensor([0.5, 0.5, 1.0])
    accept = u.squeeze(-1) < p / q
    first = (~accept).long().cumsum(0).eq(0).sum()
    return int(first)


@pytest.mark.parametrize("name", PROGRAMS)
def test_law_is_that_of_plain_torch(name: str) -> None:
    coins, function = PROGRAMS[name]
    expected = by_quarters(lambda draw: _frozen(function(draw)), coins)
    assert exactly(lambda: _frozen(function(torch.rand))) == expected


def _frozen(value: Any) -> Any:
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


# --- what is refused


@pytest.mark.parametrize(
    ("why", "function"),
    [
        ("torch.sum of undrawn numbers is not modelled", lambda u: u.sum()),
        ("torch.cumsum of undrawn numbers is not modelled", lambda u: u.cumsum(0)),
        ("torch.cumsum", lambda u: u.cumsum_(0)),
        ("falls into one place", lambda u: torch.zeros(2).index_put_((torch.tensor([0, 0]),), u, accumulate=True)),
        ("scatter_add", lambda u: torch.zeros(2).scatter_add(0, torch.tensor([0, 0]), u)),
        ("falls into one place", lambda u: torch.ones(2).scatter(0, torch.tensor([0, 1]), u, reduce="multiply")),
        ("with out= of another shape", lambda u: torch.mul(u, 2, out=torch.empty(0))),
        ("writes into several tensors", lambda u: torch.sort(u, out=(torch.empty(2), torch.empty(2).long()))),
        ("float32 is read as torch.int32", lambda u: u.view(torch.int32)),
        ("view_copy of undrawn numbers is not modelled", lambda u: torch.view_copy(u, torch.int32)),
        ("torch.nonzero", lambda u: torch.where(u)[0]),
        ("torch.nonzero", lambda u: u.nonzero()),
        ("torch.mm", lambda u: u.reshape(1, 2) @ torch.ones(2, 1)),
        ("two undrawn numbers", lambda u: u[0] + u[1] < 1),
        ("two undrawn numbers", lambda u: u[0] < u[1]),
        ("complex64", lambda u: u.to(torch.complex64)),
    ],
)  # fmt: skip
def test_operator_without_a_rule_is_refused_whatever_the_program_catches(why: str, function: Any) -> None:
    assert is_refused(lambda: swallowing(lambda: tensors_in(function(torch.rand(2)))[0].lt(1).tolist()), why)


def test_errors_of_torch_are_the_programs_own() -> None:
    def caught(act: Callable[[Any], Any]) -> Any:
        return lambda: swallowing(lambda: act(torch.rand(2)))

    for act in (
        lambda u: u[5],
        lambda u: u + torch.zeros(3),
        lambda u: u.view(3),
        lambda u: torch.cat([u, u.reshape(1, 2)]),
    ):
        assert exactly(caught(act)) == {"swallowed": F(1)}


def test_gradients_and_inference_change_nothing() -> None:
    def graded() -> Any:
        with torch.enable_grad():
            weights = torch.nn.Parameter(torch.tensor([0.25]))
            return bool((torch.rand(1) < weights * 1).item())

    def inferred() -> Any:
        with torch.inference_mode():
            u = torch.rand(2)
            u[0].mul_(2)
            return bool(u[0] < 0.5)

    for program in (graded, inferred):
        assert exactly(program) == {True: F(1, 4), False: F(3, 4)}
