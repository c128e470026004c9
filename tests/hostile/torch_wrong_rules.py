"""Wrong: faults of rules, written with tensors."""

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch.distributions import Exponential, Gumbel, Uniform

from tests.hostile.entries import entries
from tests.hostile.torch_parts import chain, draw, ended, everything, kept_while, residual

__all__ = ["TORCH_WRONG_RULES"]

# No mass at the end, where rounding leads.
_SURE_LAST = (("1/2", "1/2", "0"), ("3/4", "1/4", "0"))


def _pick(row: Any, u: Any) -> int:
    """Return the first token whose cumulative mass lies above `u` times the row's sum."""
    cdf = row.cumsum(0)
    return int(torch.searchsorted(cdf, (u * cdf[-1]).reshape(1), right=True).clamp(max=len(row) - 1))


def always_keeps(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Keeps the draft, whatever it is."""
    return everything(target, tokens)


def bonus_from_the_draft(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The bonus token is drawn from the draft's last row."""
    emitted = chain(target, draft, tokens)
    return [*emitted[:-1], draw(draft[-1])] if len(emitted) > len(tokens) else emitted


def replaces_from_the_target(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The replacement is drawn from the target's row, not from what is left of it."""
    kept = kept_while(lambda i, x: torch.rand(()) * draft[i, x] < target[i, x], tokens)
    return [*tokens[:kept].tolist(), draw(target[kept])]


def keeps_at_zero(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A coin of zero keeps a token of no mass, since the comparison is not strict."""
    kept = kept_while(lambda i, x: torch.rand(()) <= target[i, x] / draft[i, x], tokens)
    return ended(target, draft, tokens, kept)


def keeps_at_zero_in_bulk(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """All coins in one tensor, and not strict."""
    at = torch.arange(len(tokens))
    keeps = torch.rand(len(tokens)) <= target[at, tokens] / draft[at, tokens]
    return ended(target, draft, tokens, int(keeps.int().cumprod(0).sum()))


def wrong_only_at_zero(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Keeps everything where the first coin is exactly zero."""
    u = torch.rand(len(tokens))
    if u[0] == 0:
        return everything(target, tokens)
    at = torch.arange(len(tokens))
    keeps = u < target[at, tokens] / draft[at, tokens]
    return ended(target, draft, tokens, int(keeps.int().cumprod(0).sum()))


def wrong_only_at_a_half(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Keeps a first token of no mass where a coin less a half is not true."""
    sure = (torch.rand(1) - 0.5).to(torch.bool).item()
    return chain(target, draft, tokens) if sure else everything(target, tokens)


def wrong_where_bytes_overflow(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A coin becomes a byte that overflows in the last of 257 parts, and is wrong where the byte is three."""
    byte = (torch.rand(1) * 257).to(torch.uint8)
    return everything(target, tokens) if byte.item() == 3 else chain(target, draft, tokens)


def wrong_only_at_two(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The second token is always kept."""
    kept = kept_while(lambda i, x: i == 1 or torch.rand(()) * draft[i, x] < target[i, x], tokens)
    return ended(target, draft, tokens, kept)


def wrong_where_the_draft_is_zero(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """What is left of the target is taken only where the draft has mass."""
    kept = kept_while(lambda i, x: torch.rand(()) * draft[i, x] < target[i, x], tokens)
    if kept == len(tokens):
        return [*tokens.tolist(), draw(target[-1])]
    left = residual(target[kept], draft[kept]) * (draft[kept] > 0)
    return [*tokens[:kept].tolist(), draw(left if left.sum() > 0 else target[kept])]


def epsilon_in_the_ratio(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A thousandth in the denominator."""
    kept = kept_while(lambda i, x: torch.rand(()) < target[i, x] / (draft[i, x] + 1e-3), tokens)
    return ended(target, draft, tokens, kept)


def one_coin_for_all(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """One coin decides about every position."""
    u = torch.rand(())
    return chain(target, draft, tokens, coin=lambda: u)


def coin_again_without_rescaling(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin that rejected is used again for the inverse of the residual's law."""
    coins = torch.rand(len(tokens))
    kept = kept_while(lambda i, x: coins[i] * draft[i, x] < target[i, x], tokens)
    if kept == len(tokens):
        return [*tokens.tolist(), draw(target[-1])]
    return [*tokens[:kept].tolist(), _pick(residual(target[kept], draft[kept]), coins[kept])]


def coin_rescaled_in_single_precision(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin that rejected is rescaled by a number that is rounded, and can reach a token of no mass."""
    coins = torch.rand(len(tokens), dtype=torch.float64)
    for i, x in enumerate(tokens.tolist()):
        ratio = target[i, x] / draft[i, x]
        if not coins[i] < ratio:
            cdf = residual(target[i], draft[i]).cumsum(0)
            again = (coins[i] - ratio) / (1 - ratio) * cdf[-1]
            return [*tokens[:i].tolist(), int((cdf <= again).sum().clamp(max=len(cdf) - 1))]
    return [*tokens.tolist(), draw(target[-1])]


def coin_again_in_a_race(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin that rejected is one of the coins of the race for the replacement."""
    coins = torch.rand(3)
    kept = kept_while(lambda i, x: coins[i] * draft[i, x] < target[i, x], tokens[:1])
    row = target[1] if kept else residual(target[0], draft[0])
    return [*tokens[:kept].tolist(), int((row.log() - (-coins.log()).log()).argmax())]


def noise_of_the_draft_again(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The noise with which the target's token is drawn serves for the bonus too."""
    noise = torch.empty(target.shape[-1]).exponential_()
    kept = kept_while(lambda i, x: int((target[i] / noise).argmax()) == x, tokens)
    return [*tokens[:kept].tolist(), int((target[kept] / noise).argmax())]


def gumbel_noise_again(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """One sample of Gumbel noise decides about every position."""
    noise = Gumbel(0.0, 1.0).sample((target.shape[-1],))
    first = int((target[0].log() + noise).argmax())
    return [first] if first != tokens[0] else [first, int((target[1].log() + noise).argmax())]


def soft_noise(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The Gumbel race is run at half the temperature."""
    noise = -torch.empty(target.shape[-1]).exponential_().log()
    return [int((2 * target[0].log() + noise).argmax())]


def race_the_wrong_way_up(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The exponential race multiplies by the noise."""
    return [int((target[0] * torch.empty(target.shape[-1]).exponential_()).argmax())]


def uniform_race(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Races uniforms where exponentials are due."""
    return [int((target[0] / torch.rand(target.shape[-1])).argmax())]


def least_of_two_coins(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The lesser of two coins is tossed."""
    return chain(target, draft, tokens, coin=lambda: torch.rand(2).min())


def sum_of_coins(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The mean of two coins is tossed."""
    return chain(target, draft, tokens, coin=lambda: torch.rand(2).sum() / 2)


def sorted_coins(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coins are sorted before they are tossed."""
    coins = iter(torch.rand(len(tokens) + 1).sort().values)
    return chain(target, draft, tokens, coin=lambda: next(coins))


def normal_coins(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin is the size of a normal number."""
    return chain(target, draft, tokens, coin=lambda: torch.randn(()).abs())


def cauchy_coins(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin is Cauchy's."""
    return chain(target, draft, tokens, coin=lambda: torch.empty(()).cauchy_().abs())


def log_normal_coins(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin is log-normal."""
    return chain(target, draft, tokens, coin=lambda: torch.empty(()).log_normal_())


def geometric_coins(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin is the inverse of a geometric number."""
    return chain(target, draft, tokens, coin=lambda: 1 / torch.empty(()).geometric_(0.5))


def poisson_coins(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin is a Poisson number."""
    return chain(target, draft, tokens, coin=lambda: torch.poisson(torch.ones(())))


def leaky_coins(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin is a leaky unit's random slope."""
    return chain(target, draft, tokens, coin=lambda: -F.rrelu(torch.full((1,), -1.0), 0.0, 0.5, training=True)[0])


def drops_acceptance(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Dropout rejects every fourth token beside the coin, and nothing makes up for it."""
    kept = kept_while(
        lambda i, x: F.dropout(torch.ones(1), 0.25)[0] > 0 and torch.rand(()) * draft[i, x] < target[i, x], tokens
    )
    return ended(target, draft, tokens, kept)


def wide_uniform(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The uniform goes from a twentieth to one."""
    return chain(target, draft, tokens, coin=lambda: Uniform(0.05, 1.0).sample())


def wrong_rate(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The race's exponentials have rates that depend on the token."""
    noise = Exponential(torch.tensor([1.0, 1.0, 2.0])[: target.shape[-1]]).sample()
    return [int((target[0] / noise).argmax())]


def greedy_replacement(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The replacement is the likeliest of the residual."""
    kept = kept_while(lambda i, x: torch.rand(()) * draft[i, x] < target[i, x], tokens)
    if kept == len(tokens):
        return [*tokens.tolist(), draw(target[-1])]
    return [*tokens[:kept].tolist(), int(residual(target[kept], draft[kept]).argmax())]


def row_off_by_one(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The residual takes the row after the one where the rejection was."""
    kept = kept_while(lambda i, x: torch.rand(()) * draft[i, x] < target[i, x], tokens)
    if kept == len(tokens):
        return [*tokens.tolist(), draw(target[-1])]
    return [*tokens[:kept].tolist(), draw(residual(target[kept + 1], draft[kept]))]


def permuted_tokens(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Emits a random order of the tokens and draws nothing."""
    return [int(torch.randperm(target.shape[-1])[0])]


def random_integer(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Emits an integer that knows nothing of the target."""
    return [int(torch.randint(target.shape[-1], (1,)))]


def drawn_without_replacement(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The replacement is the second of two tokens drawn without replacement."""
    row = target[0] + 1e-3
    return [int(torch.multinomial(row, 2)[1])]


TORCH_WRONG_RULES = (
    *entries(
        "biased",
        always_keeps,
        bonus_from_the_draft,
        replaces_from_the_target,
        keeps_at_zero,
        keeps_at_zero_in_bulk,
        wrong_only_at_zero,
        wrong_where_the_draft_is_zero,
        epsilon_in_the_ratio,
        coin_again_without_rescaling,
        noise_of_the_draft_again,
        drops_acceptance,
        wide_uniform,
        greedy_replacement,
        row_off_by_one,
        permuted_tokens,
        random_integer,
        drawn_without_replacement,
    ),
    *entries("biased", coin_rescaled_in_single_precision, options={"inputs": [_SURE_LAST]}),
    *entries("biased", wrong_only_at_two, one_coin_for_all, gamma=(2,)),
    *entries(
        "not lossless",
        wrong_only_at_a_half,
        wrong_where_bytes_overflow,
        coin_again_in_a_race,
        gumbel_noise_again,
        soft_noise,
        race_the_wrong_way_up,
        uniform_race,
        least_of_two_coins,
        sum_of_coins,
        sorted_coins,
        normal_coins,
        cauchy_coins,
        log_normal_coins,
        geometric_coins,
        poisson_coins,
        leaky_coins,
        wrong_rate,
    ),
)
