"""Right: the token rule with every way of drawing that torch has."""

import math
from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch.distributions import Bernoulli, Uniform

from tests.hostile.entries import entries
from tests.hostile.torch_parts import chain, draw, ended, kept_while, residual

__all__ = ["TORCH_RIGHT_DRAWS"]


def _rows(target: Any, draft: Any, tokens: Any, kept: int) -> Any:
    return target[-1] if kept == len(tokens) else residual(target[kept], draft[kept])


def _kept(target: Any, draft: Any, tokens: Any) -> int:
    return kept_while(lambda i, x: torch.rand(()) * draft[i, x] < target[i, x], tokens)


def plain_chain(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The token rule with torch.rand and torch.multinomial."""
    return chain(target, draft, tokens)


def named_generator(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The default generator is passed by name."""
    return chain(target, draft, tokens, generator=torch.default_generator)


def filled_scalar(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin is an empty scalar, filled."""
    return chain(target, draft, tokens, coin=lambda: torch.empty(()).uniform_())


def rand_like_ratio(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """All coins are drawn like the ratios."""
    at = torch.arange(len(tokens))
    ratios = target[at, tokens] / draft[at, tokens]
    return ended(target, draft, tokens, int((torch.rand_like(ratios) < ratios).int().cumprod(0).sum()))


def coin_of_out(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coins are written into a buffer by out=."""
    coins = torch.empty(len(tokens))
    torch.rand(len(tokens), out=coins)
    tossed = iter(coins)
    return chain(target, draft, tokens, coin=lambda: next(tossed))


def column_of_a_buffer(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """One column of a buffer is filled."""
    buffer = torch.zeros(len(tokens), 2)
    buffer[:, 1].uniform_()
    tossed = iter(buffer.flatten()[1::2])
    return chain(target, draft, tokens, coin=lambda: next(tossed))


def copied_coins(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coins are copied into a buffer, element by element."""
    buffer = torch.full((len(tokens) + 1,), 2.0)
    for i in range(len(tokens)):
        buffer[i] = torch.rand(())
    tossed = iter(buffer)
    return chain(target, draft, tokens, coin=lambda: next(tossed))


def double_coins(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coins have double precision, and the rows have not."""
    return chain(target, draft, tokens, coin=lambda: torch.rand((), dtype=torch.float64))


def one_less_the_coin(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """One less the coin, which is never zero, and not strict the other way round."""
    kept = kept_while(lambda i, x: 1 - torch.rand(()) > 1 - target[i, x] / draft[i, x], tokens)
    return ended(target, draft, tokens, kept)


def coin_of_logarithms(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The comparison is between logarithms."""
    kept = kept_while(lambda i, x: torch.rand(()).log() < target[i, x].log() - draft[i, x].log(), tokens)
    return ended(target, draft, tokens, kept)


def python_floats(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Everything becomes Python floats before it is compared."""
    p, q = target.tolist(), draft.tolist()
    kept = kept_while(lambda i, x: torch.rand(1).item() * q[i][x] < p[i][x], tokens)
    return ended(target, draft, tokens, kept)


def list_of_coins(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coins become a list of Python's."""
    coins = torch.rand(len(tokens)).tolist()
    kept = kept_while(lambda i, x: coins[i] < float(target[i, x]) / float(draft[i, x]), tokens)
    return ended(target, draft, tokens, kept)


def bernoulli_acceptance(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """torch.bernoulli accepts."""
    at = torch.arange(len(tokens))
    ratios = (target[at, tokens] / draft[at, tokens]).clamp(max=1)
    return ended(target, draft, tokens, int(torch.bernoulli(ratios).cumprod(0).sum()))


def bernoulli_in_place(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Tensor.bernoulli_ accepts, one position at a time."""
    kept = kept_while(lambda i, x: torch.empty(()).bernoulli_(min(1.0, float(target[i, x] / draft[i, x]))) == 1, tokens)
    return ended(target, draft, tokens, kept)


def bernoulli_distribution(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """torch.distributions.Bernoulli accepts."""
    kept = kept_while(
        lambda i, x: Bernoulli((target[i, x] / draft[i, x]).clamp(max=1)).sample() > 0,
        tokens,
    )
    return ended(target, draft, tokens, kept)


def uniform_distribution(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """torch.distributions.Uniform tosses the coins."""
    return chain(target, draft, tokens, coin=lambda: Uniform(0.0, 1.0).sample())


def wide_coins(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coins go from zero to two, and are halved."""
    return chain(target, draft, tokens, coin=lambda: torch.empty(1).uniform_(0, 2)[0] / 2)


def rescaled_coin(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin that rejected is rescaled in double precision and serves again."""
    coins = torch.rand(len(tokens), dtype=torch.float64)
    for i, x in enumerate(tokens.tolist()):
        ratio = target[i, x].double() / draft[i, x].double()
        if coins[i] < ratio:
            continue
        row = residual(target[i], draft[i]).double()
        again = (coins[i] - ratio) / (1 - ratio) * row.sum()
        # Rounding may lift the coin to the end of the sum, past tokens of no mass.
        return [*tokens[:i].tolist(), int((row.cumsum(0) <= again).sum().clamp(max=int(row.nonzero()[-1])))]
    return [*tokens.tolist(), draw(target[-1])]


def dropout_of_ones(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Dropout throws the draft away half the time, for no reason."""
    if F.dropout(torch.ones(1), 0.5).item() == 0:
        return [draw(target[0])]
    return chain(target, draft, tokens)


def random_order(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The tokens are permuted before the draw, and found again after it."""
    order = torch.randperm(target.shape[-1])
    kept = _kept(target, draft, tokens)
    return [*tokens[:kept].tolist(), int(order[draw(_rows(target, draft, tokens, kept)[order])])]


def unused_draws(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Draws much that nobody looks at."""
    torch.rand(3, 3)
    torch.empty(4).exponential_()
    torch.randint(3, (2,))
    return chain(target, draft, tokens)


def samples_for_all_positions(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A replacement is drawn for every position, and one is taken."""
    left = (target[:-1] - draft).clamp(min=0)
    left = torch.where(left.sum(-1, keepdim=True) > 0, left, target[:-1])
    ends = torch.multinomial(torch.cat([left, target[-1:]]), 1).squeeze(-1)
    kept = _kept(target, draft, tokens)
    return [*tokens[:kept].tolist(), ends[kept].item()]


def tossed_with_integers(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """An integer gives the draft up once in three times."""
    return [draw(target[0])] if torch.randint(0, 3, (1,)).item() == 0 else chain(target, draft, tokens)


def scaled_coin(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin is scaled, shifted and turned before the comparison."""
    kept = kept_while(lambda i, x: 3 - 2 * torch.rand(()) > 3 - 2 * target[i, x] / draft[i, x], tokens)
    return ended(target, draft, tokens, kept)


def exponential_acceptance(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A coin's logarithm is compared with a number of Python's."""

    def keeps(i: int, x: int) -> Any:
        p, q = float(target[i, x]), float(draft[i, x])
        return p > 0 and torch.log(torch.rand(())) < math.log(p) - math.log(q)

    return ended(target, draft, tokens, kept_while(keeps, tokens))


TORCH_RIGHT_DRAWS = (
    *entries(
        "lossless",
        plain_chain,
        named_generator,
        filled_scalar,
        rand_like_ratio,
        coin_of_out,
        column_of_a_buffer,
        copied_coins,
        double_coins,
        one_less_the_coin,
        coin_of_logarithms,
        python_floats,
        list_of_coins,
        bernoulli_acceptance,
        bernoulli_in_place,
        bernoulli_distribution,
        uniform_distribution,
        wide_coins,
        rescaled_coin,
        dropout_of_ones,
        random_order,
        unused_draws,
        samples_for_all_positions,
        tossed_with_integers,
        scaled_coin,
        exponential_acceptance,
    ),
)
