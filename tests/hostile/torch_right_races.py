"""Right: the token rule, whose last token is drawn in every way that torch has."""

from typing import Any

import torch
import torch.nn.functional as F  # noqa: N812
from torch.distributions import Categorical, Exponential, Gumbel, OneHotCategorical

from tests.hostile.entries import entries
from tests.hostile.torch_parts import kept_while, residual

__all__ = ["TORCH_RIGHT_RACES"]


def _rows(target: Any, draft: Any, tokens: Any, kept: int) -> Any:
    return target[-1] if kept == len(tokens) else residual(target[kept], draft[kept])


def _kept(target: Any, draft: Any, tokens: Any) -> int:
    return kept_while(lambda i, x: torch.rand(()) * draft[i, x] < target[i, x], tokens)


def categorical(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Categorical draws the last token."""
    kept = _kept(target, draft, tokens)
    row = _rows(target, draft, tokens, kept)
    return [*tokens[:kept].tolist(), Categorical(probs=row).sample().item()]


def categorical_of_logits(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Categorical draws the last token from logarithms."""
    kept = _kept(target, draft, tokens)
    row = _rows(target, draft, tokens, kept)
    return [*tokens[:kept].tolist(), Categorical(logits=row.log()).sample().item()]


def one_hot_categorical(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """OneHotCategorical draws the last token."""
    kept = _kept(target, draft, tokens)
    row = _rows(target, draft, tokens, kept)
    return [*tokens[:kept].tolist(), int(OneHotCategorical(row / row.sum()).sample().argmax())]


def exponential_race(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The greatest quotient of mass and exponential noise wins."""
    kept = _kept(target, draft, tokens)
    row = _rows(target, draft, tokens, kept)
    return [*tokens[:kept].tolist(), int((row / torch.empty_like(row).exponential_()).argmax())]


def exponential_race_in_place(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The same, written in place, for all rows at once."""
    kept = _kept(target, draft, tokens)
    noise = torch.empty_like(target).exponential_(1.0)
    row = _rows(target, draft, tokens, kept).clone()
    return [*tokens[:kept].tolist(), row.div_(noise[kept]).argmax(dim=-1).item()]


def least_quotient(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The least quotient of exponential noise and mass wins."""
    kept = _kept(target, draft, tokens)
    row = _rows(target, draft, tokens, kept)
    return [*tokens[:kept].tolist(), int((torch.empty_like(row).exponential_() / row).argmin())]


def exponential_distribution(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """torch.distributions.Exponential, with the masses as its rates, names the first."""
    kept = _kept(target, draft, tokens)
    row = _rows(target, draft, tokens, kept)
    times = Exponential(torch.ones_like(row)).sample() / row
    return [*tokens[:kept].tolist(), int(times.min(dim=0).indices)]


def gumbel_race(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The greatest sum of logarithm and Gumbel noise wins; the noise is made of exponentials."""
    kept = _kept(target, draft, tokens)
    row = _rows(target, draft, tokens, kept)
    return [*tokens[:kept].tolist(), int((row.log() - torch.empty_like(row).exponential_().log()).argmax())]


def gumbel_race_of_uniforms(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The same, with noise made of uniforms."""
    kept = _kept(target, draft, tokens)
    row = _rows(target, draft, tokens, kept)
    noise = -torch.log(-torch.log(torch.rand_like(row)))
    return [*tokens[:kept].tolist(), int((row.log() + noise).argmax())]


def gumbel_race_with_a_guard(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The same, with small numbers that keep the logarithms finite."""
    kept = _kept(target, draft, tokens)
    row = _rows(target, draft, tokens, kept)
    noise = -torch.log(-torch.log(torch.rand_like(row).clamp(min=1e-20)))
    return [*tokens[:kept].tolist(), int((row.log() + noise).argmax(-1))]


def gumbel_distribution(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """torch.distributions.Gumbel makes the noise."""
    kept = _kept(target, draft, tokens)
    row = _rows(target, draft, tokens, kept)
    noise = Gumbel(torch.zeros_like(row), torch.ones_like(row)).sample()
    return [*tokens[:kept].tolist(), int((row.log() + noise).argmax())]


def gumbel_softmax(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """torch.nn.functional.gumbel_softmax, hard, draws the last token."""
    kept = _kept(target, draft, tokens)
    row = _rows(target, draft, tokens, kept)
    return [*tokens[:kept].tolist(), int(F.gumbel_softmax(row.log(), hard=True).argmax())]


def searched_sum(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The last token is searched in the cumulative sum."""
    kept = _kept(target, draft, tokens)
    cdf = _rows(target, draft, tokens, kept).cumsum(0)
    return [*tokens[:kept].tolist(), int(torch.searchsorted(cdf, torch.rand(1) * cdf[-1], right=True))]


def bucketized(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The last token is the bucket in which the coin falls."""
    kept = _kept(target, draft, tokens)
    row = _rows(target, draft, tokens, kept)
    cdf = row.cumsum(0) / row.sum()
    return [*tokens[:kept].tolist(), int(torch.bucketize(torch.rand(()), cdf, right=True))]


def first_above_the_coin(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The last token is the first whose cumulative mass lies above the coin."""
    kept = _kept(target, draft, tokens)
    row = _rows(target, draft, tokens, kept)
    cdf = row.cumsum(0) / row.sum()
    return [*tokens[:kept].tolist(), int((cdf > torch.rand(())).int().argmax())]


TORCH_RIGHT_RACES = (
    *entries(
        "lossless",
        categorical,
        categorical_of_logits,
        one_hot_categorical,
        exponential_race,
        exponential_race_in_place,
        least_quotient,
        exponential_distribution,
        gumbel_race,
        gumbel_race_of_uniforms,
        gumbel_race_with_a_guard,
        gumbel_distribution,
        searched_sum,
        bucketized,
        first_above_the_coin,
    ),
    *entries("not biased", gumbel_softmax),  # softmax of noise is not followed
)
