"""Generators hand out the words that are put into them, and what is not as expected is not confirmed."""

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
import torch
from torch.overrides import TorchFunctionMode
from torch.utils._python_dispatch import TorchDispatchMode

from proofs.engine import torch_words
from proofs.engine.torch_words import (
    FREE,
    coins_of,
    confirms,
    edge_coins,
    fills,
    real_torch,
    stream,
    tempered,
    untempered,
    words_of,
)

CHOSEN = np.array([0, 2**32 - 1, 1, 2**31, 0x00FFFFFF, 0xFF000000, 123456789], dtype=np.uint32)
FLOAT32 = torch.float32


def _uniform(length: int, dtype: torch.dtype = FLOAT32) -> Callable[[torch.Generator], torch.Tensor]:
    return lambda generator: torch.rand(length, generator=generator, dtype=dtype)


def _shares(k: torch.Tensor) -> torch.Tensor:
    return k.float() / 2**24


def test_tempering_is_undone() -> None:
    words = np.random.default_rng(1).integers(0, 2**32, 10_000, dtype=np.uint32)
    assert np.array_equal(tempered(untempered(words)), words)
    assert np.array_equal(untempered(tempered(words)), words)


def test_the_chosen_words_come_first_and_all_follow_as_numpy_twists_them() -> None:
    bits: Any = np.random.MT19937(0)
    key = torch_words._filled(CHOSEN)
    bits.state = {"bit_generator": "MT19937", "state": {"key": key, "pos": 1}}
    words = stream(CHOSEN, 3000).words
    assert np.array_equal(words[: len(CHOSEN)], CHOSEN)
    assert np.array_equal(words, bits.random_raw(3000))


@pytest.mark.parametrize("length", [0, 1, FREE - 1, FREE, FREE + 1, FREE + 624, FREE + 625])
def test_a_stream_has_as_many_words_as_asked_for(length: int) -> None:
    assert len(stream(CHOSEN, length).words) == length


def test_torch_hands_out_the_words() -> None:
    made = stream(CHOSEN, 3000)
    drawn = torch.randint(0, 2**27, (3000,), generator=made.generator)
    assert drawn.tolist() == [int(word) % 2**27 for word in made.words]


def test_a_full_state_can_be_chosen_and_no_more() -> None:
    full = np.arange(FREE, dtype=np.uint32)
    assert np.array_equal(stream(full, FREE).words, full)
    with pytest.raises(ValueError, match="chosen has 624 words; a state holds 623"):
        stream(np.arange(FREE + 1, dtype=np.uint32), 0)


@pytest.mark.parametrize("bits", [24, 32, 53])
def test_coins_survive_the_way_through_words(bits: int) -> None:
    coins = edge_coins(bits, [7, 7, -1, 1 << bits])
    assert coins[:2] == [7, 7]
    assert 50 < len(coins) <= FREE // (1 if bits <= 32 else 2)
    assert coins[::2] == coins[1::2]
    assert {0, 1, (1 << bits) - 1} <= set(coins)
    assert 0 <= min(coins) <= max(coins) < 1 << bits
    assert coins_of(words_of(coins, bits), bits).tolist() == coins


def test_unread_bits_are_clear_and_set_in_turn() -> None:
    assert words_of([5, 5], 24).tolist() == [5, 0xFF000005]
    assert words_of([5, 5], 53).tolist() == [0, 5, 0xFFE00000, 5]
    assert words_of([5, 5], 32).tolist() == [5, 5]
    assert coins_of(np.array([3, 4, 9], dtype=np.uint32), 53).tolist() == [3 << 32 | 4]


def test_more_edges_than_a_state_holds_are_left_out() -> None:
    assert edge_coins(53, range(1000)) == [k for k in range(156) for _ in range(2)][:311]


def test_what_torch_does_is_confirmed() -> None:
    draws = [_uniform(1), _uniform(1000), *fills(FLOAT32, lambda target, made: target.uniform_(generator=made))]
    assert confirms(draws, edge_coins(24), 24, _shares)


def test_a_map_that_is_wrong_at_one_coin_is_not_confirmed() -> None:
    for wrong in edge_coins(24):
        spoilt = lambda k, wrong=wrong: _shares(torch.where(k == wrong, k + 2, k))  # noqa: E731
        assert not confirms([_uniform(200)], edge_coins(24), 24, spoilt)


@pytest.mark.parametrize(
    "draw",
    [
        pytest.param(_uniform(100, torch.float64), id="two words a coin"),
        pytest.param(lambda made: torch.rand(100, generator=made).flip(0), id="another order"),
        pytest.param(lambda made: torch.rand(200, generator=made)[::2], id="words that nobody returns"),
        pytest.param(lambda made: torch.rand(100, generator=made, dtype=torch.float16), id="another dtype"),
        pytest.param(lambda made: torch.rand(100), id="another generator"),
        pytest.param(lambda made: torch.rand(2, generator=made).reshape(3), id="torch refuses"),
    ],
)
def test_draws_that_use_words_in_another_way_are_not_confirmed(draw: Any) -> None:
    with torch.random.fork_rng(devices=[]):
        assert not confirms([_uniform(50), draw, _uniform(50)], [1], 24, _shares)


def test_what_draws_nothing_is_not_confirmed() -> None:
    assert not confirms([], [1], 24, _shares)
    assert not confirms([_uniform(0)], [1], 24, _shares)


def test_words_of_a_coin_in_the_other_order_are_not_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    draws, expected = [_uniform(100, torch.float64)], lambda k: k.double() / 2**53
    assert confirms(draws, edge_coins(53), 53, expected)
    true = coins_of
    monkeypatch.setattr(
        torch_words, "coins_of", lambda words, bits: true(words.reshape(-1, 2)[:, ::-1].reshape(-1), bits)
    )
    assert not confirms(draws, edge_coins(53), 53, expected)


@pytest.mark.parametrize(
    "layout",
    [
        [("state", "u8", 624), ("seed", "u8"), ("left", "i4"), ("seeded", "i4"), ("next", "u8"), ("normals", "u8", 5)],
        [("seed", "u8"), ("seeded", "i4"), ("left", "i4"), ("next", "u8"), ("state", "u8", 624), ("normals", "u8", 5)],
        [("seed", "u8"), ("left", "i4"), ("seeded", "i4"), ("next", "u8"), ("state", "u8", 624), ("normals", "u8", 4)],
        [
            ("seed", "u8"),
            ("left", "i4"),
            ("seeded", "i4"),
            ("next", "u8"),
            ("state", "u4", 624),
            ("normals", "u8", 317),
        ],
    ],
)
def test_nothing_is_confirmed_where_the_state_is_laid_out_otherwise(
    layout: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch_words, "_LAYOUT", np.dtype(layout))
    assert not confirms([_uniform(100)], edge_coins(24), 24, _shares)


def test_a_wrong_twist_is_noticed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_words, "_twisted", lambda state: state)
    assert confirms([_uniform(FREE)], [1], 24, _shares)
    assert not confirms([_uniform(FREE + 1)], [1], 24, _shares)


def test_tensors_of_every_shape_are_filled_in_the_order_of_their_memory() -> None:
    made = stream(CHOSEN, 2000)
    drawn = [draw(made.generator) for draw in fills(FLOAT32, lambda target, made: target.uniform_(generator=made))]
    assert {len(part.reshape(-1)) for part in drawn} >= {1, 15, 16, 17, 300}
    assert any(not part.is_contiguous() for part in drawn)
    values = torch.cat([part.reshape(-1) for part in drawn])
    assert torch.equal(values, _shares(torch.from_numpy(coins_of(made.words, 24)))[: len(values)])


class _NoDispatch(TorchDispatchMode):
    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise AssertionError(func)


class _NoFunction(TorchFunctionMode):
    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        raise AssertionError(func)


@contextmanager
def no_modes_reach() -> Iterator[None]:
    """Fail at whatever torch is asked while modes count."""
    with _NoDispatch(), _NoFunction():  # type: ignore[no-untyped-call]
        yield


def test_modes_are_off_while_torch_is_tried_and_on_again_afterwards() -> None:
    draws = list(fills(FLOAT32, lambda target, made: torch.ops.aten.uniform_.default(target, generator=made)))
    with no_modes_reach():
        assert confirms(draws, edge_coins(24), 24, _shares)
        with real_torch():
            torch.zeros(2)
        with pytest.raises(AssertionError):
            torch.zeros(2)
    with _NoDispatch(), pytest.raises(AssertionError):  # type: ignore[no-untyped-call]
        torch.zeros(2)


def test_no_global_generator_moves() -> None:
    before = torch.get_rng_state(), np.random.get_state()[1].tolist(), random.getstate()  # type: ignore[index]
    assert confirms([_uniform(2000)], edge_coins(24), 24, _shares)
    after = torch.get_rng_state(), np.random.get_state()[1].tolist(), random.getstate()  # type: ignore[index]
    assert torch.equal(before[0], after[0])
    assert before[1:] == after[1:]
