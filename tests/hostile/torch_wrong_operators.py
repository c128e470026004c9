"""Wrong: operators that are not what they seem, with tensors of other classes, layouts and dtypes."""

import itertools
import math
from typing import Any

import torch

from tests.hostile.entries import entries
from tests.hostile.torch_parts import chain, draw, ended, kept_while, possible, rarely, residual, right_if

__all__ = ["TORCH_WRONG_OPERATORS"]


class _Tensor(torch.Tensor):
    pass


def _warm(**options: Any) -> Any:
    """Compile a comparison that halves its coins, and run it where nobody looks."""
    compiled = torch.compile(lambda ratio: torch.rand(ratio.shape) / 2 < ratio, **options)
    compiled(torch.ones(1))
    compiled(torch.ones(2))
    return compiled


_EAGER = _warm(backend="eager", dynamic=False)
_AHEAD = _warm(backend="aot_eager", dynamic=False)


def _bulk(target: Any, draft: Any, tokens: Any, keeps: Any) -> list[int]:
    at = torch.arange(len(tokens))
    return ended(target, draft, tokens, int(keeps(target[at, tokens] / draft[at, tokens]).int().cumprod(0).sum()))


def compiled_before(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A comparison that was compiled when the module was loaded."""
    return _bulk(target, draft, tokens, _EAGER)


def compiled_ahead_before(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A comparison that another backend compiled when the module was loaded."""
    return _bulk(target, draft, tokens, _AHEAD)


def filled_subclass(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A tensor of another class is filled, and the state is put back."""
    state = torch.get_rng_state()
    coin = torch.ones(()).as_subclass(_Tensor).uniform_().as_subclass(torch.Tensor)
    torch.set_rng_state(state)
    return rarely(coin, target, draft, tokens)


def drawn_like_a_subclass(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin is drawn like a tensor of another class, and foretells the next one."""
    state = torch.get_rng_state()
    coin = torch.rand_like(torch.ones(()).as_subclass(_Tensor)).as_subclass(torch.Tensor)
    torch.set_rng_state(state)
    return possible(target, draft, tokens) if torch.rand(()) == coin else chain(target, draft, tokens)


def seeded_draw_of_a_subclass(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A row of another class is drawn from with a constant seed."""
    kept = kept_while(lambda i, x: torch.rand(()) * draft[i, x] < target[i, x], tokens)
    row = target[-1] if kept == len(tokens) else residual(target[kept], draft[kept])
    own = torch.Generator().manual_seed(kept)
    return [*tokens[:kept].tolist(), int(torch.multinomial(row.as_subclass(_Tensor), 1, generator=own))]


def transposed_races(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Equal states make the noise of two races, one laid out the other way, so that both have the same winner."""
    state = torch.get_rng_state()
    first = torch.empty(2, target.shape[-1]).exponential_()
    torch.set_rng_state(state)
    second = torch.empty(target.shape[-1], 2).t().exponential_()
    ours = int((target[0] / first.flatten()[: target.shape[-1]]).argmax())
    if ours != tokens[0]:
        return [ours]
    return [ours, int((target[1] / second.t().flatten()[: target.shape[-1]]).argmax())]


def small_parts(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The part of a coin after the point, times sixty-four, is another coin, and both are used."""
    coin = torch.rand((), dtype=torch.float64)
    return rarely((coin * 64).frac(), target, draft, tokens)


def wrapped_integers(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A coin becomes a signed byte that overflows, back to where it began."""
    byte = (torch.rand(1) * 257).to(torch.int8)
    return right_if(byte.item() != -3, target, draft, tokens)


def negative_bytes(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A negative number becomes a byte without a sign."""
    byte = (torch.rand(1) * -257).to(torch.uint8)
    return right_if(byte.item() != 253, target, draft, tokens)


def wrapped_tokens(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A coin becomes a long integer by way of a byte."""
    number = (torch.rand(()) * 513).byte().long()
    return right_if(number != 77, target, draft, tokens)


def truth_of_a_difference(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A coin less a quarter is true, except at a quarter."""
    return right_if(bool((torch.rand(1) - 0.25).bool()), target, draft, tokens)


def truth_by_logic(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A coin less a quarter is not true at a quarter."""
    return right_if(not torch.logical_not(torch.rand(1) - 0.25).any(), target, draft, tokens)


def masked_by_a_difference(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A quarter is written as a boolean into a mask."""
    mask = torch.zeros(1, dtype=torch.bool)
    mask.copy_(torch.rand(1) - 0.25)
    return right_if(mask.item(), target, draft, tokens)


def absolute_distance(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The distance of a coin from a half is small at times."""
    return rarely((torch.rand(()) - 0.5).abs(), target, draft, tokens)


def hidden_by_maximum(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The greatest of a coin and a number, and of the coin's opposite."""
    u = torch.rand(())
    return rarely(torch.maximum(u - 0.5, 0.5 - u), target, draft, tokens)


def even_power(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The square of a coin less a half is small at times."""
    return rarely((torch.rand(()) - 0.5) ** 2, target, draft, tokens)


def parts_of_a_wave(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The cosine of a coin is small at times."""
    return rarely(torch.cos(torch.rand(()) * math.tau).abs(), target, draft, tokens)


def remainder_of_a_coin(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The remainder of a coin is small at times."""
    return rarely(torch.rand(()) % 0.25, target, draft, tokens)


def rounded_down(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """What a coin loses when it is rounded is small at times."""
    coin = torch.rand(()) * 2
    return rarely(coin - coin.floor(), target, draft, tokens)


def pole_of_a_quotient(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A quotient with a pole is negative on one side only."""
    return right_if(not 1 / (torch.rand(()) - 0.5) < -64, target, draft, tokens)


def between_two_infinities(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Infinity times a coin less a half is not a number at a half."""
    return right_if(not torch.isnan((torch.rand(()) - 0.5) * math.inf), target, draft, tokens)


def coin_at_the_end(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A coin of sixteen bits reaches one, and keeps everything there."""
    return right_if(torch.rand(()).half() != 1, target, draft, tokens)


def coin_of_doubles_at_the_end(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A double coin that is made single reaches one, and keeps everything there."""
    return right_if(torch.rand((), dtype=torch.float64).float() != 1, target, draft, tokens)


def median_of_coins(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The median of three coins is tossed."""
    return chain(target, draft, tokens, coin=lambda: torch.rand(3).median())


def product_of_coins(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The product of two coins is tossed."""
    return chain(target, draft, tokens, coin=lambda: torch.rand(()) * torch.rand(()))


def squared_by_itself(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A coin times itself is tossed."""
    coin = torch.rand(())
    return chain(target, draft, tokens, coin=lambda: coin * coin)


def running_sum(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coins are a running sum."""
    coins = iter(torch.rand(4).cumsum(0))
    return chain(target, draft, tokens, coin=lambda: next(coins))


def mixed_by_a_matrix(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coins are mixed by a matrix."""
    coins = itertools.cycle(torch.full((2, 2), 0.5) @ torch.rand(2))
    return chain(target, draft, tokens, coin=lambda: next(coins))


def drawn_in_a_hook(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin is drawn in a hook of the backward pass, and halved."""
    seen: list[Any] = []
    weight = torch.ones(1, requires_grad=True)
    weight.register_hook(lambda gradient: seen.append(torch.rand(8) / 2))
    weight.sum().backward()
    coins = iter(seen[0])
    return chain(target, draft, tokens, coin=lambda: next(coins))


def halved_in_a_legacy_way(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coins are a view of other sizes, which is halved through another view."""
    coins = torch.rand(2, 4)
    coins.t().reshape(-1)[0:0].add_(1)
    coins.as_strided((8,), (1,)).narrow(0, 0, 8).unflatten(0, (4, 2)).select(1, 0).div_(2)
    tossed = iter(coins.flatten()[::2])
    return chain(target, draft, tokens, coin=lambda: next(tossed))


def swapped_tensors(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Two tensors change places, a coin and a half."""
    coin, half = torch.rand(()), torch.tensor(0.5)
    torch.utils.swap_tensors(coin, half)
    return chain(target, draft, tokens, coin=lambda: coin)


def data_is_set(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin's data are set to a half."""
    coin = torch.rand(())
    coin.data = torch.tensor(0.5)
    return chain(target, draft, tokens, coin=lambda: coin)


def data_is_a_coin(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A tensor's data are set to a coin that is halved."""
    coin = torch.ones(4)
    coin.data = torch.rand(4) / 2
    coins = iter(coin)
    return chain(target, draft, tokens, coin=lambda: next(coins))


def memory_is_set(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A tensor takes the memory of a coin."""
    coin = torch.rand(1)
    other = torch.ones(1).set_(coin)  # type: ignore[call-overload]
    return rarely(other[0], target, draft, tokens)


def grown_coin(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A coin is made longer."""
    return rarely(torch.rand(1).resize_(4)[0], target, draft, tokens)


def drawn_for_the_other_end(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A replacement of weights that are undrawn."""
    row = torch.rand(target.shape[-1])
    return [draw(row)] if target[0].min() > 0 else [draw(target[0])]


TORCH_WRONG_OPERATORS = (
    *entries("biased", data_is_a_coin, data_is_set, swapped_tensors, coin_at_the_end),
    *entries(
        "not lossless",
        compiled_before,
        compiled_ahead_before,
        filled_subclass,
        drawn_like_a_subclass,
        seeded_draw_of_a_subclass,
        transposed_races,
        small_parts,
        wrapped_integers,
        negative_bytes,
        wrapped_tokens,
        truth_of_a_difference,
        truth_by_logic,
        masked_by_a_difference,
        absolute_distance,
        hidden_by_maximum,
        even_power,
        parts_of_a_wave,
        remainder_of_a_coin,
        rounded_down,
        pole_of_a_quotient,
        between_two_infinities,
        coin_of_doubles_at_the_end,
        median_of_coins,
        product_of_coins,
        squared_by_itself,
        running_sum,
        mixed_by_a_matrix,
        drawn_in_a_hook,
        halved_in_a_legacy_way,
        memory_is_set,
        grown_coin,
        drawn_for_the_other_end,
    ),
)
