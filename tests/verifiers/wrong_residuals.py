"""Verifiers that keep as they should and correct wrongly."""

import numpy as np
from numpy.random import Generator

from tests.verifiers.records import Array

__all__ = [
    "absolute_difference",
    "absolute_difference_scalar",
    "argmax_residual",
    "argmax_residual_scalar",
    "drafted_token_only",
    "drafted_token_only_masked",
    "from_the_target_choice",
    "from_the_target_loop",
    "from_the_target_race",
    "masked_by_the_draft",
    "not_clamped",
    "not_normalised_cdf",
    "not_normalised_multinomial",
    "reversed_difference",
    "reversed_difference_cdf",
    "uniform_over_gains",
    "zero_is_falsy",
]


def from_the_target_choice(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The correction is drawn from p."""
    n = 0
    while n < len(tokens) and rng.random() * draft[n, tokens[n]] < target[n, tokens[n]]:
        n += 1
    return [*tokens[:n].tolist(), int(rng.choice(target.shape[1], p=target[n]))]


def from_the_target_loop(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The same, walking down the row."""
    for i, x in enumerate(tokens):
        if rng.random() * draft[i, x] >= target[i, x]:
            break
    else:
        i = len(tokens)
    y, left = 0, rng.random()
    while y + 1 < target.shape[1] and left >= target[i, y]:
        left = left - target[i, y]
        y += 1
    return [*tokens[:i].tolist(), y]


def from_the_target_race(target: Array, draft: Array, tokens: Array, rng: Generator) -> Array:
    """The same, one race for every row before any test."""
    n = len(tokens)
    own = (target / rng.exponential(size=target.shape)).argmax(axis=1)
    kept = rng.random(n) < target[np.arange(n), tokens] / draft[np.arange(n), tokens]
    stop = int(np.cumprod(kept).sum())
    return np.append(tokens[:stop], own[stop])


def drafted_token_only(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """q is subtracted at the drafted token alone."""
    for i, x in enumerate(tokens):
        if rng.random() * draft[i, x] < target[i, x]:
            continue
        r = target[i].copy()
        r[x] = max(r[x] - draft[i, x], 0)
        return [*tokens[:i].tolist(), int(rng.choice(len(r), p=r / r.sum()))]
    return [*tokens.tolist(), int(rng.choice(target.shape[1], p=target[-1]))]


def drafted_token_only_masked(target: Array, draft: Array, tokens: Array, rng: Generator) -> tuple[int, ...]:
    """The same: the rejected token is masked out of p."""
    n = len(tokens)
    coins = [rng.random() < target[i, x] / draft[i, x] for i, x in enumerate(tokens)]
    stop = coins.index(False) if False in coins else n
    r = target[stop] if stop == n else np.where(np.arange(target.shape[1]) == tokens[stop], 0, target[stop])
    cdf = np.cumsum(r)
    return (*tokens[:stop].tolist(), int(np.searchsorted(cdf, rng.random() * cdf[-1], side="right")))


def absolute_difference(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """|p - q| for (p - q)+."""
    n, at = len(tokens), np.arange(len(tokens))
    kept = rng.random(n) < target[at, tokens] / draft[at, tokens]
    stop = int(np.cumprod(kept).sum())
    r = target[stop] if stop == n else np.abs(target[stop] - draft[stop])
    cdf = np.cumsum(r / r.sum())
    return [*tokens[:stop].tolist(), int((cdf > rng.random()).argmax())]


def absolute_difference_scalar(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The same in plain Python."""
    for i, x in enumerate(tokens.tolist()):
        if rng.random() >= min(1, target[i, x] / draft[i, x]):
            weights = [abs(p - q) for p, q in zip(target[i], draft[i], strict=True)]
            return [*tokens[:i].tolist(), int(rng.choice(len(weights), p=[w / sum(weights) for w in weights]))]
    return [*tokens.tolist(), int(rng.choice(target.shape[1], p=target[-1]))]


def reversed_difference(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """(q - p)+ for (p - q)+."""
    for i, x in enumerate(tokens):
        if rng.random() * draft[i, x] >= target[i, x]:
            r = np.maximum(draft[i] - target[i], 0)
            return [*tokens[:i].tolist(), int(rng.choice(len(r), p=r / r.sum()))]
    return [*tokens.tolist(), int(rng.choice(target.shape[1], p=target[-1]))]


def reversed_difference_cdf(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The same, clipped from the other side."""
    n = 0
    while n < len(tokens) and rng.random() * draft[n, tokens[n]] < target[n, tokens[n]]:
        n += 1
    r = target[n] if n == len(tokens) else -np.clip(target[n] - draft[n], None, 0)
    cdf = np.cumsum(r)
    return [*tokens[:n].tolist(), int(np.searchsorted(cdf, rng.random() * cdf[-1], side="right"))]


def argmax_residual(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The likeliest correction instead of a drawn one."""
    n, at = len(tokens), np.arange(len(tokens))
    with np.errstate(divide="ignore"):
        kept = np.log(rng.random(n)) < np.log(target[at, tokens]) - np.log(draft[at, tokens])
    stop = int(np.cumprod(kept).sum())
    if stop < n:
        return [*tokens[:stop].tolist(), int((target[stop] - draft[stop]).argmax())]
    return [*tokens.tolist(), int(rng.choice(target.shape[1], p=target[n]))]


def argmax_residual_scalar(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The same with max and a key."""
    for i, x in enumerate(tokens.tolist()):
        if not rng.random() * draft[i, x] < target[i, x]:
            gains = [p - q for p, q in zip(target[i], draft[i], strict=True)]
            return [*tokens[:i].tolist(), max(range(len(gains)), key=lambda y: gains[y])]
    return [*tokens.tolist(), int(rng.choice(target.shape[1], p=target[-1]))]


def not_normalised_multinomial(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """(p - q)+ as it is, into multinomial: the last token gets the rest of the mass."""
    for i, x in enumerate(tokens):
        if rng.random() * draft[i, x] >= target[i, x]:
            return [*tokens[:i].tolist(), int(rng.multinomial(1, np.maximum(target[i] - draft[i], 0)).argmax())]
    return [*tokens.tolist(), int(rng.multinomial(1, target[-1]).argmax())]


def not_normalised_cdf(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The same into an inverse CDF: beyond its end, argmax of all False is token 0."""
    n = 0
    while n < len(tokens) and rng.random() * draft[n, tokens[n]] < target[n, tokens[n]]:
        n += 1
    r = target[n] if n == len(tokens) else np.clip(target[n] - draft[n], 0, None)
    return [*tokens[:n].tolist(), int((np.cumsum(r) > rng.random()).argmax())]


def not_clamped(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The negative parts stay in the cumulative sum."""
    n = 0
    while n < len(tokens) and rng.random() * draft[n, tokens[n]] < target[n, tokens[n]]:
        n += 1
    r = target[n] if n == len(tokens) else target[n] - draft[n]
    cdf = np.cumsum(r / np.maximum(r, 0).sum())
    return [*tokens[:n].tolist(), int((cdf > rng.random()).argmax())]


def uniform_over_gains(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """Any token with p > q, all alike."""
    for i, x in enumerate(tokens):
        if rng.random() * draft[i, x] >= target[i, x]:
            return [*tokens[:i].tolist(), int(rng.choice(np.flatnonzero(target[i] > draft[i])))]
    return [*tokens.tolist(), int(rng.choice(target.shape[1], p=target[-1]))]


def masked_by_the_draft(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """Tokens that the draft cannot propose are kept out of the residual: wrong only where q(x) = 0 < p(x)."""
    for i, x in enumerate(tokens):
        if rng.random() * draft[i, x] >= target[i, x]:
            r = np.where(draft[i] > 0, np.maximum(target[i] - draft[i], 0), 0)
            r = r if r.any() else target[i]
            return [*tokens[:i].tolist(), int(rng.choice(len(r), p=r / r.sum()))]
    return [*tokens.tolist(), int(rng.choice(target.shape[1], p=target[-1]))]


def zero_is_falsy(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """`if rejected:` on a token id: wrong only when token 0 is the rejected one."""
    kept: list[int] = []
    rejected = None
    for i, x in enumerate(tokens.tolist()):
        if rng.random() * draft[i, x] >= target[i, x]:
            rejected = x
            break
        kept.append(x)
    row = target[len(kept)]
    if rejected:
        row = np.maximum(row - draft[len(kept)], 0)
    return [*kept, int(rng.choice(len(row), p=row / row.sum()))]
