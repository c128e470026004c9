"""Block verification, right in two spellings, and its faults."""

import numpy as np
from numpy.random import Generator

from tests.verifiers.records import Array

__all__ = [
    "block_one_coin",
    "block_residual_of_the_token_rule",
    "block_scalar",
    "block_stops_early",
    "block_stops_early_vectorised",
    "block_uncapped",
    "block_vectorised",
]


def block_scalar(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The recursion p_i = min(1, p_{i-1} P/Q); tau is the largest i whose coin is kept."""
    gamma, cap, tau, cap_at_tau = len(tokens), 1, 0, 1
    for i, x in enumerate(tokens):
        cap = min(1, cap * target[i, x] / draft[i, x])
        keep = cap
        if i + 1 < gamma:
            z = sum(max(cap * p - q, 0) for p, q in zip(target[i + 1], draft[i + 1], strict=True))
            keep = 1 if z + 1 - cap == 0 else z / (z + 1 - cap)
        if rng.random() < keep:
            tau, cap_at_tau = i + 1, cap
    weights = target[tau] if tau == gamma else np.maximum(cap_at_tau * target[tau] - draft[tau], 0)
    weights = weights if weights.sum() > 0 else target[tau]
    y = rng.choice(len(weights), p=weights / weights.sum())
    return [*tokens[:tau].tolist(), int(y)]


def block_vectorised(target: Array, draft: Array, tokens: Array, rng: Generator) -> Array:
    """The cap as a running maximum, all coins at once, -1 behind the end."""
    gamma = len(tokens)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratios = target[np.arange(gamma), tokens] / draft[np.arange(gamma), tokens]
        products = np.cumprod(np.concatenate([np.ones_like(target[0, :1]), ratios]))
        caps = products / np.maximum.accumulate(products)
        above = np.maximum(caps[:-1, None] * target[:-1] - draft, 0)
        z = above.sum(axis=1)[1:]
        h = np.where((z == 0) & (caps[1:-1] == 1), 1, z / (z + 1 - caps[1:-1]))
    h = np.append(h, caps[-1:]) if gamma else h
    (kept,) = np.nonzero(rng.random(gamma) < h[:gamma])
    tau = int(kept[-1]) + 1 if kept.size else 0
    weights = target[tau] if tau == gamma or not above[tau].any() else above[tau]
    cdf = np.cumsum(weights)
    out = np.full(gamma + 1, -1)
    out[:tau] = tokens[:tau]
    out[tau] = np.searchsorted(cdf, rng.random() * cdf[-1], side="right")
    return out


def _caps(target: Array, draft: Array, tokens: Array) -> list[float]:
    caps = [1.0]
    for p, q, x in zip(target, draft, tokens, strict=False):
        caps.append(min(1.0, caps[-1] * p[x] / q[x]))
    return caps


def _odds(caps: list[float], target: Array, draft: Array) -> list[float]:
    odds = []
    for cap, p, q in zip(caps[1:-1], target[1:-1], draft[1:], strict=True):
        z = np.maximum(cap * p - q, 0).sum()
        odds.append(z / (z + 1 - cap) if z + 1 - cap > 0 else 1)
    return [*odds, caps[-1]]


def _finish(target: Array, draft: Array, tokens: Array, tau: int, cap: float, rng: Generator) -> list[int]:
    weights = target[tau] if tau == len(tokens) else np.maximum(cap * target[tau] - draft[tau], 0)
    if not weights.any():
        weights = target[tau]
    return [*tokens[:tau].tolist(), int(rng.choice(len(weights), p=weights / weights.sum()))]


def block_stops_early(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """Stops at the first failed coin instead of scanning them all."""
    caps = _caps(target, draft, tokens)
    tau = 0
    for odds in _odds(caps, target, draft):
        if not rng.random() < odds:
            break
        tau += 1
    return _finish(target, draft, tokens, tau, caps[tau], rng)


def block_stops_early_vectorised(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The same fault by cumprod, which is right for the token rule alone."""
    caps = _caps(target, draft, tokens)
    kept = rng.random(len(tokens)) < np.array(_odds(caps, target, draft))
    tau = int(np.cumprod(kept).sum())
    return _finish(target, draft, tokens, tau, caps[tau], rng)


def block_one_coin(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """One coin for the whole block."""
    caps = _caps(target, draft, tokens)
    u, tau = rng.random(), 0
    for i, odds in enumerate(_odds(caps, target, draft), start=1):
        if u < odds:
            tau = i
    return _finish(target, draft, tokens, tau, caps[tau], rng)


def block_residual_of_the_token_rule(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The residual (P - Q)+ without the cap."""
    caps = _caps(target, draft, tokens)
    coins = [rng.random() < odds for odds in _odds(caps, target, draft)]
    tau = max((i for i, kept in enumerate(coins, start=1) if kept), default=0)
    return _finish(target, draft, tokens, tau, 1.0, rng)


def block_uncapped(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The product of ratios is never cut at one inside the block."""
    product, caps = 1.0, [1.0]
    for i, x in enumerate(tokens):
        product = product * target[i, x] / draft[i, x]
        caps.append(product)
    coins = []
    for i, cap in enumerate(caps[1:], start=1):
        z = 0 if i == len(tokens) else np.maximum(cap * target[i] - draft[i], 0).sum()
        odds = min(1, cap) if i == len(tokens) or cap >= 1 else z / (z + 1 - cap)
        coins.append(rng.random() < odds)
    tau = max((i for i, kept in enumerate(coins, start=1) if kept), default=0)
    return _finish(target, draft, tokens, tau, caps[tau], rng)
