"""Races and searches of tensors: along every dimension, with values and places, and against the ideal odds."""

import itertools
from fractions import Fraction
from typing import Any

import pytest
import torch

from tests.proofs.engine.torch_programs import by_values, exactly, is_refused

F = Fraction
ROW = [1.0, 2.0, 5.0]
ODDS = {0: F(1, 8), 1: F(1, 4), 2: F(5, 8)}


def _orders(row: list[float]) -> dict[Any, Fraction]:
    """The law of the order of a race, the winner first."""
    found = {}
    for order in itertools.permutations(range(len(row))):
        left, share = sum(map(F, row)), F(1)
        for at in order:
            share *= F(row[at]) / left
            left -= F(row[at])
        found[order] = share
    return found


def _race(*shape: int) -> Any:
    return torch.tensor(ROW) / torch.empty(*shape).exponential_()


@pytest.mark.parametrize(
    "choose",
    [
        lambda r: r.argmax(), lambda r: r.argmax(0), lambda r: r.argmax(-1, keepdim=True), lambda r: (1 / r).argmin(),
        lambda r: r.max(0).indices, lambda r: (-r).min(-1).indices, lambda r: r.topk(1).indices,
        lambda r: (1 / r).topk(1, largest=False).indices, lambda r: r.sort(descending=True).indices[0],
        lambda r: r.argsort(descending=True)[:1], lambda r: (1 / r).argsort()[0], lambda r: r.reshape(1, 3).argmax(),
        lambda r: r.reshape(3, 1).argmax(0), lambda r: torch.max(r, 0)[1], lambda r: r.sort(stable=True)[1][-1],
    ],
)  # fmt: skip
def test_winner_has_ideal_odds(choose: Any) -> None:
    assert exactly(lambda: int(choose(_race(3)))) == ODDS


def test_order_of_a_race() -> None:
    expected = _orders(ROW)
    assert exactly(lambda: tuple(_race(3).argsort(descending=True).tolist())) == expected
    two = exactly(lambda: tuple(_race(3).topk(2).indices.tolist()))
    assert two == {order[:2]: share for order, share in expected.items()}


def test_rows_race_by_themselves() -> None:
    expected = {(a, b): ODDS[a] * ODDS[b] for a in ODDS for b in ODDS}
    assert exactly(lambda: tuple(_race(2, 3).argmax(-1).tolist())) == expected
    assert exactly(lambda: tuple(_race(2, 3).t().argmax(0).tolist())) == expected
    assert exactly(lambda: tuple(_race(2, 3).argmax(1, keepdim=True).reshape(-1).tolist())) == expected
    assert exactly(lambda: tuple(_race(2, 1, 3).max(-1).indices.reshape(-1).tolist())) == expected


def test_winner_is_compared_as_what_it_is() -> None:
    """The value that a race returns is the noise of its winner."""

    def program() -> Any:
        race = _race(3)
        value, place = race.max(0)
        return int(place), bool(value == race[place]), bool(value > 0)

    assert exactly(program) == {(at, True, True): share for at, share in ODDS.items()}


def test_greatest_values_along_a_dimension_keep_their_shape() -> None:
    def program() -> Any:
        race = _race(2, 3)
        top = race.amax(1, keepdim=True)
        return tuple(top.shape), tuple((race == top).reshape(-1).tolist())

    found = exactly(program)
    assert sum(found.values()) == 1
    rows = {at: tuple(other == at for other in range(3)) for at in ODDS}
    assert found == {((2, 1), rows[a] + rows[b]): ODDS[a] * ODDS[b] for a in ODDS for b in ODDS}


def test_weight_zero_never_wins() -> None:
    row = torch.tensor([0.0, 1.0, 3.0])
    assert exactly(lambda: int((row / torch.empty(3).exponential_()).argmax())) == {1: F(1, 4), 2: F(3, 4)}


def test_masked_entries_never_win() -> None:
    def program() -> Any:
        race = _race(3).masked_fill(torch.tensor([False, False, True]), 0.0)
        return int(race.argmax())

    assert exactly(program) == {0: F(1, 3), 1: F(2, 3)}


def test_one_tensor_of_plain_rows_beside_noise() -> None:
    def program() -> Any:
        race = _race(2, 3)
        race[0] = torch.tensor([1.0, 3.0, 2.0])
        return tuple(race.argmax(-1).tolist()), race[0].max().item()

    assert exactly(program) == {((1, at), 3.0): share for at, share in ODDS.items()}


@pytest.mark.parametrize(
    ("why", "choose"),
    [
        ("that are no race of exponential or Gumbel noise", lambda: torch.rand(2).argmax()),
        ("two undrawn numbers", lambda: torch.max(torch.rand(2), torch.rand(2)) < 1),
        ("over several dimensions", lambda: _race(2, 3).amax((0, 1)) < 1),
        ("two undrawn numbers", lambda: (_race(3) * torch.rand(3)).argmax()),
        ("not modelled", lambda: _race(3).median()),
        ("not modelled", lambda: _race(3).kthvalue(2).indices),
        ("not modelled", lambda: _race(3).softmax(0).argmax()),
    ],
)
def test_other_races_are_refused(why: str, choose: Any) -> None:
    assert is_refused(lambda: int(choose().reshape(-1)[0]), why)


# --- searches


@pytest.mark.parametrize("right", [False, True])
@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32])
def test_search_equals_every_value(dtype: torch.dtype, right: bool) -> None:
    edges = torch.tensor([0.0, 0.25, 0.3, 0.3, 0.99, 1.0], dtype=dtype)

    def function(u: Any) -> Any:
        return torch.searchsorted(edges, u, right=right)

    def buckets(u: Any) -> Any:
        return torch.bucketize(1 - u, edges, right=right)

    for search in (function, buckets):
        assert exactly(lambda: int(search(torch.rand(1, dtype=dtype)))) == by_values(search, dtype)  # noqa: B023


def test_search_with_a_side_and_short_integers() -> None:
    edges = torch.tensor([0.25, 0.75])
    found = exactly(lambda: int(torch.searchsorted(edges, torch.rand(1), side="right", out_int32=True)))
    assert found == {0: F(1, 4), 1: F(1, 2), 2: F(1, 4)}


def test_every_row_is_searched_by_its_own_numbers() -> None:
    rows = torch.tensor([[0.25, 0.5, 1.0], [0.5, 0.75, 1.0]])

    def program() -> Any:
        found = torch.searchsorted(rows, torch.rand(2, 2), right=True)
        return tuple(found.reshape(-1).tolist())

    first = {0: F(1, 4), 1: F(1, 4), 2: F(1, 2)}
    second = {0: F(1, 2), 1: F(1, 4), 2: F(1, 4)}
    expected = {
        (a, b, c, d): first[a] * first[b] * second[c] * second[d]
        for a, b, c, d in itertools.product(range(3), repeat=4)
    }
    assert exactly(program) == expected


def test_inverse_of_a_running_sum() -> None:
    row = torch.tensor([0.125, 0.375, 0.5])
    found = exactly(lambda: int(torch.searchsorted(row.cumsum(0), torch.rand(1), right=True)))
    assert found == {0: F(1, 8), 1: F(3, 8), 2: F(1, 2)}


def test_search_of_numbers_beside_undrawn_ones() -> None:
    def program() -> Any:
        values = torch.cat([torch.tensor([0.6]), torch.rand(1)])
        return tuple(torch.bucketize(values, torch.tensor([0.5])).tolist())

    assert exactly(program) == {(1, 0): F(1, 2) + F(1, 2**24), (1, 1): F(1, 2) - F(1, 2**24)}


@pytest.mark.parametrize(
    "choose",
    [
        lambda: torch.searchsorted(torch.rand(2), torch.tensor([0.5])),
        lambda: torch.searchsorted(torch.rand(2), 0.5),
        lambda: torch.searchsorted(torch.zeros(2, 2, 2), torch.rand(2, 2, 1)),
        lambda: torch.bucketize(torch.empty(1).exponential_(), torch.tensor([0.5])),
        lambda: torch.searchsorted(torch.tensor([0.5]), torch.rand(1), sorter=torch.tensor([0])),
        lambda: torch.searchsorted(torch.tensor([0.5]), 1 / (torch.rand(1) - 0.5)),
    ],
)
def test_other_searches_are_refused(choose: Any) -> None:
    assert is_refused(lambda: choose().reshape(-1).tolist()[0], "")
