"""Right: oddities of draws, numbers and layouts that change no law."""

import random
from typing import Any

import numpy as np
import torch

from tests.hostile.entries import entries
from tests.hostile.torch_parts import chain, draw, ended, kept_while, residual

__all__ = ["TORCH_RIGHT_ODD"]


def item_against_a_tensor(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A coin's item is compared with a tensor."""
    kept = kept_while(lambda i, x: torch.rand(1).item() < target[i, x] / draft[i, x], tokens)
    return ended(target, draft, tokens, kept)


def item_times_a_tensor(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A coin's item is multiplied by a tensor."""
    kept = kept_while(lambda i, x: torch.rand(1).item() * draft[i, x] < target[i, x], tokens)
    return ended(target, draft, tokens, kept)


def item_in_a_sum(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A coin's item is compared with a row of cumulative masses."""
    cdf = target[0].cumsum(0)
    return [int((cdf > torch.rand(1).item()).int().argmax())]


def coin_of_the_argument(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """NumPy's generator, which is passed, tosses the coins, and torch draws the rest."""
    toss = rng.random if rng is not None else random.random
    kept = kept_while(lambda i, x: toss() < float(target[i, x] / draft[i, x]), tokens)
    return ended(target, draft, tokens, kept)


def coin_of_python(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Python's generator tosses the coins, against tensors."""
    kept = kept_while(lambda i, x: random.random() < target[i, x] / draft[i, x], tokens)
    return ended(target, draft, tokens, kept)


def coin_of_numpy(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """NumPy's global generator tosses the coins, against numbers of Python's."""
    kept = kept_while(lambda i, x: np.random.rand() < (target[i, x] / draft[i, x]).item(), tokens)
    return ended(target, draft, tokens, kept)


def empty_draw(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Draws nothing, from the state from which the coins come."""
    torch.rand(0)
    return chain(target, draft, tokens)


def coins_in_another_layout(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coins are laid out by columns."""
    coins = torch.empty(2, 2).t().uniform_().flatten()
    tossed = iter(coins)
    return chain(target, draft, tokens, coin=lambda: next(tossed))


def coin_in_halves(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Integers choose one of two right ways."""
    if torch.rand(()) < 0.5:
        return [draw(target[0])]
    return chain(target, draft, tokens)


def seeded_and_thrown_away(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A generator with a constant seed is made, and nobody asks it."""
    torch.Generator().manual_seed(0)
    return chain(target, draft, tokens)


def logical_acceptance(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The acceptance is made of two comparisons and a logical operator."""
    at = torch.arange(len(tokens))
    p, q = target[at, tokens], draft[at, tokens]
    keeps = (torch.rand(len(tokens)) < p / q) | (p >= q)
    return ended(target, draft, tokens, int((~keeps).int().cumsum(0).eq(0).sum()))


def masked_coins(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Coins of sure tokens are masked."""
    at = torch.arange(len(tokens))
    ratios = target[at, tokens] / draft[at, tokens]
    coins = torch.rand(len(tokens)).masked_fill(ratios >= 1, -1.0)
    return ended(target, draft, tokens, int((coins < ratios).int().cumprod(0).sum()))


def sum_of_kept(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Comparisons become floats, and their running product is summed."""
    at = torch.arange(len(tokens))
    keeps = (torch.rand(len(tokens)) * draft[at, tokens]).lt(target[at, tokens]).float()
    return ended(target, draft, tokens, int(keeps.cumprod(-1).sum().item()))


def emitted_as_a_row(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The emitted tokens are a tensor of int32."""
    return torch.tensor(chain(target, draft, tokens), dtype=torch.int32)


def normalised_residual(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The residual is normalised in place before it is drawn from."""
    kept = kept_while(lambda i, x: torch.rand(()) * draft[i, x] < target[i, x], tokens)
    if kept == len(tokens):
        return [*tokens.tolist(), draw(target[-1])]
    row = residual(target[kept], draft[kept]).clone()
    row /= row.sum()
    return [*tokens[:kept].tolist(), draw(row)]


def logits_again(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The rows are logarithms that go through softmax again."""
    return chain(target.log().softmax(-1), draft.log().softmax(-1), tokens)


def whole_grid_of_noise(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Noise for all rows, and the winner of each by argmax over an axis."""
    drawn = (target / torch.empty_like(target).exponential_()).argmax(-1)
    agrees = drawn[:-1] == tokens
    return drawn[: int(agrees.int().cumprod(0).sum()) + 1].tolist()


def first_of_a_sort(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The winner of the race is the first of a sort."""
    return [int((target[0] / torch.empty_like(target[0]).exponential_()).sort(descending=True).indices[0])]


def first_of_the_top(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The winner of the race is the first of topk."""
    return [int((target[0] / torch.empty_like(target[0]).exponential_()).topk(2).indices[0])]


TORCH_RIGHT_ODD = (
    *entries(
        "lossless",
        item_against_a_tensor,
        item_times_a_tensor,
        item_in_a_sum,
        coin_of_the_argument,
        coin_of_python,
        coin_of_numpy,
        empty_draw,
        coins_in_another_layout,
        coin_in_halves,
        seeded_and_thrown_away,
        logical_acceptance,
        masked_coins,
        sum_of_kept,
        emitted_as_a_row,
        normalised_residual,
        logits_again,
        whole_grid_of_noise,
        first_of_a_sort,
        first_of_the_top,
    ),
)
