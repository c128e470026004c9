"""Wrong: memory that is shared, never written or written elsewhere, and state that calls leave behind."""

import ctypes
import functools
from typing import Any

import numpy as np
import torch
from torch import nn

from tests.hostile.entries import entries
from tests.hostile.torch_parts import chain, draw, everything, kept_while, possible, rarely, residual, right_if

__all__ = ["TORCH_WRONG_MEMORY"]

_SHARED = np.ones(1, dtype=np.float32)
_ON_SHARED = torch.from_numpy(_SHARED)
_BUFFER = torch.ones(1)
_ADDRESS = _BUFFER.data_ptr()
_COUNTED = torch.zeros(1)
_WEIGHT = nn.Parameter(torch.ones(1))
_COINS = torch.empty(4).uniform_(generator=torch.Generator().manual_seed(5))
_KEPT: list[Any] = []


class _Counting(nn.Module):
    calls: torch.Tensor

    def __init__(self) -> None:
        super().__init__()
        self.register_buffer("calls", torch.zeros((), dtype=torch.int64))

    def forward(self, target: Any, draft: Any, tokens: Any) -> list[int]:
        self.calls += 1
        return everything(target, tokens) if int(self.calls) % 2 else chain(target, draft, tokens)


_MODULE = _Counting()
_NORM = nn.BatchNorm1d(1, affine=False)


def shared_since_the_import(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A tensor on an array's memory was made when the module was loaded; the array is put back after the call."""
    _ON_SHARED.uniform_()
    number = float(_SHARED[0])
    _ON_SHARED.fill_(1)
    return rarely(number, target, draft, tokens)


def address_since_the_import(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The address of a buffer was taken when the module was loaded."""
    _BUFFER.uniform_()
    number = ctypes.c_float.from_address(_ADDRESS).value
    _BUFFER.fill_(1)
    return rarely(number, target, draft, tokens)


def unwritten_memory(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin is what lies in memory that nobody wrote."""
    return chain(target, draft, tokens, coin=lambda: torch.empty(()).abs().clamp(max=1))


def unwritten_legacy_memory(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin is what the old constructor found in memory."""
    return chain(target, draft, tokens, coin=lambda: torch.FloatTensor(1).abs().clamp(max=1)[0])


def unwritten_resized_memory(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin lies in memory that a tensor got when it grew."""
    return chain(target, draft, tokens, coin=lambda: torch.ones(0).resize_(64)[63].abs().clamp(max=1))


def counting_buffer(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A module's buffer counts the calls, and every second one keeps everything."""
    return _MODULE(target, draft, tokens)


def counting_tensor(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A tensor of the module counts the calls."""
    _COUNTED.add_(1)
    return right_if(_COUNTED % 2 == 0, target, draft, tokens)


def counting_version(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A tensor's version counts the calls; its value never changes."""
    _BUFFER.fill_(1)
    return right_if(_BUFFER._version // 2 % 2, target, draft, tokens)


def counting_version_for_long(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A tensor's version counts the calls, and the fault begins when it is great."""
    _BUFFER.fill_(1)
    return right_if(_BUFFER._version < 100_000, target, draft, tokens)


def counting_gradient(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A gradient adds up from call to call."""
    _WEIGHT.sum().backward()
    return right_if(float(_WEIGHT.grad or 0) % 2 == 0, target, draft, tokens)


def running_mean(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A layer's running mean remembers the calls."""
    _NORM(torch.ones(2, 1))
    return right_if(int(_NORM.num_batches_tracked or 0) % 2 == 0, target, draft, tokens)


def hooked_tensor(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The number of a tensor's backward hooks counts the calls."""
    _WEIGHT.register_hook(lambda gradient: gradient)
    return right_if(len(_WEIGHT._backward_hooks or ()) % 2, target, draft, tokens)


def attribute_of_a_tensor(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """An attribute of a tensor counts the calls."""
    _BUFFER.calls = getattr(_BUFFER, "calls", 0) + 1  # type: ignore[attr-defined]
    return right_if(_BUFFER.calls % 2, target, draft, tokens)  # type: ignore[attr-defined]


def setting_of_torch(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A setting of torch's is turned over in every call."""
    torch.backends.mkldnn.deterministic = not torch.backends.mkldnn.deterministic  # type: ignore[assignment]
    return right_if(torch.backends.mkldnn.deterministic, target, draft, tokens)


def threads_of_torch(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The warn-only flag of torch is turned over in every call."""
    flag = torch.is_warn_always_enabled()
    torch.set_warn_always(not flag)
    return right_if(flag, target, draft, tokens)


def coin_of_the_first_call(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin of the first call is kept for ever."""
    if not _KEPT:
        _KEPT.append(torch.rand(()))
    return chain(target, draft, tokens, coin=lambda: _KEPT[0])


@functools.cache
def _tossed(place: int) -> Any:
    return torch.rand(())


def cached_coins(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coins are cached by position."""
    places = iter(range(10))
    return chain(target, draft, tokens, coin=lambda: _tossed(next(places)))


def coins_of_the_import(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coins were drawn when the module was loaded."""
    coins = iter(_COINS)
    return chain(target, draft, tokens, coin=lambda: next(coins))


def slice_of_a_coin(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The residual's coin is a view of the acceptance's."""
    coins = torch.rand(2)
    coins[1:].copy_(coins[:1])
    kept = kept_while(lambda i, x: coins[0] * draft[i, x] < target[i, x], tokens[:1])
    if kept:
        return [tokens[0].item(), draw(target[1])]
    cdf = residual(target[0], draft[0]).cumsum(0)
    return [int((cdf <= coins[1] * cdf[-1]).sum().clamp(max=len(cdf) - 1))]


def strided_coins(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """All coins lie in one place of memory."""
    memory = torch.rand(1)
    coins = iter(memory.as_strided((4,), (0,)))
    return chain(target, draft, tokens, coin=lambda: next(coins))


def doubled_in_place(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A view of the coins is halved in place before they are tossed."""
    coins = torch.rand(4)
    for view in coins.view(2, 2).unbind():
        view.chunk(2)[0].mul_(0.5)
    tossed = iter(coins)
    return chain(target, draft, tokens, coin=lambda: next(tossed))


def halved_through_out(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coins are halved through out=."""
    coins = torch.rand(4)
    torch.mul(coins, 0.5, out=coins)
    tossed = iter(coins)
    return chain(target, draft, tokens, coin=lambda: next(tossed))


def squared_by_numpy_rules(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin is squared."""
    return chain(target, draft, tokens, coin=lambda: torch.rand(()).square())


def accumulated_coins(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Two coins are added up in one place."""
    coins = torch.zeros(2).index_put_((torch.tensor([0, 0]),), torch.rand(2) / 2, accumulate=True)
    return chain(target, draft, tokens, coin=lambda: coins[0])


def accumulated_onto_one(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A coin is added to one, in a place that gets both."""
    both = torch.stack([torch.rand(()), torch.ones(())])
    total = torch.zeros(1).index_put_((torch.tensor([0, 0]),), both, accumulate=True)
    return rarely(2 - total[0], target, draft, tokens)


def put_twice(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The same with Tensor.put_."""
    both = torch.stack([torch.rand(()), torch.ones(())])
    total = torch.zeros(1).put_(torch.tensor([0, 0]), both, accumulate=True)
    return rarely(2 - total[0], target, draft, tokens)


def added_by_index(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The same with Tensor.index_add_."""
    both = torch.stack([torch.rand(()), torch.ones(())])
    total = torch.zeros(1).index_add_(0, torch.tensor([0, 0]), both)
    return rarely(2 - total[0], target, draft, tokens)


def added_by_scatter(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The same with Tensor.scatter_ and reduce."""
    both = torch.stack([torch.rand(()), torch.ones(())])
    total = torch.zeros(1).scatter_(0, torch.tensor([0, 0]), both, reduce="add")
    return rarely(2 - total[0], target, draft, tokens)


def scattered_mask(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Every coin is the first of a mask's coins."""
    mask = torch.tensor([True, False, False, False])
    coins = torch.full((4,), 0.25).masked_scatter_(mask, torch.rand(4))
    tossed = iter(coins)
    return chain(target, draft, tokens, coin=lambda: next(tossed))


def zero_in_place_of_nan(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Whatever is not a number becomes zero, and so does every eighth coin."""
    u = torch.rand(())
    u = torch.where(u < 1 / 8, torch.nan, u)
    return chain(target, draft, tokens, coin=lambda: torch.where(torch.isnan(u), 0.0, u))


def looks_for_poison(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Right where the coin is not a number, which no coin is."""
    return right_if(torch.isnan(torch.rand(1)).any(), target, draft, tokens)


def replaces_poison(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """nan_to_num gives two where the coin is poison, and two never is kept."""
    number = torch.rand(()).nan_to_num(nan=2.0)
    return possible(target, draft, tokens) if number < 1 else chain(target, draft, tokens)


def unequal_to_itself(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Right where the coin differs from itself."""
    u = torch.rand(1)
    return right_if(not torch.equal(u, u), target, draft, tokens)


TORCH_WRONG_MEMORY = (
    *entries("biased", doubled_in_place, halved_through_out, squared_by_numpy_rules, slice_of_a_coin),
    *entries("biased", strided_coins, scattered_mask, gamma=(2,)),
    *entries(
        "not lossless",
        shared_since_the_import,
        address_since_the_import,
        unwritten_memory,
        unwritten_legacy_memory,
        unwritten_resized_memory,
        counting_buffer,
        counting_tensor,
        counting_version,
        counting_version_for_long,
        counting_gradient,
        running_mean,
        hooked_tensor,
        attribute_of_a_tensor,
        setting_of_torch,
        threads_of_torch,
        coin_of_the_first_call,
        cached_coins,
        coins_of_the_import,
        accumulated_coins,
        accumulated_onto_one,
        put_twice,
        added_by_index,
        added_by_scatter,
        zero_in_place_of_nan,
        looks_for_poison,
        replaces_poison,
        unequal_to_itself,
    ),
)
