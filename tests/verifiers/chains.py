"""The token rule along a chain of drafts, right, as different people write it in NumPy."""

import numpy as np
from numpy.random import Generator

from tests.verifiers.records import Array

__all__ = [
    "bernoulli_tuple",
    "cdf_argmax_break",
    "float32_throughout",
    "float64_temporaries",
    "in_place_residual",
    "multinomial_support",
    "padded_all_residuals",
    "rescaled_coin",
    "scalar_loop",
    "token_by_token_residual",
    "vectorised_searchsorted",
]


def _walk(weights: list[float], rng: Generator) -> int:
    left, last = rng.random() * sum(weights), 0
    for x, w in enumerate(weights):
        if left < w:
            return x
        left -= w
        if w > 0:
            last = x
    return last


def scalar_loop(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """Plain Python: `u q < p`, then a walk down the residual."""
    emitted: list[int] = []
    for i, x in enumerate(tokens):
        if rng.random() * draft[i][x] < target[i][x]:
            emitted.append(int(x))
            continue
        gains = [max(p - q, 0) for p, q in zip(target[i], draft[i], strict=True)]
        return [*emitted, _walk(gains if sum(gains) > 0 else list(target[i]), rng)]
    return [*emitted, _walk(list(target[len(emitted)]), rng)]


def vectorised_searchsorted(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """All coins at once, the accepted prefix by cumprod, inverse CDF by searchsorted."""
    n = len(tokens)
    i = np.arange(n)
    with np.errstate(divide="ignore", invalid="ignore"):
        kept = rng.random(n) < target[i, tokens] / draft[i, tokens]
    accepted = int(np.cumprod(kept).sum())
    weights = target[accepted]
    if accepted < n:
        gains = np.clip(weights - draft[accepted], 0, None)
        weights = gains if gains.sum() > 0 else weights
    cdf = np.cumsum(weights)
    # u * cdf[-1] < cdf[-1] for every float u < 1, so the search never runs off the end
    y = np.searchsorted(cdf, rng.random() * cdf[-1], side="right")
    return [*tokens[:accepted].tolist(), int(y)]


def padded_all_residuals(target: Array, draft: Array, tokens: Array, rng: Generator) -> Array:
    """Batched: every residual computed, the bonus as the residual of a zero row, -1 behind the end."""
    n = len(tokens)
    out = np.full(n + 1, -1, dtype=np.int64)
    gains = np.maximum(target - np.vstack([draft, np.zeros_like(target[:1])]), 0)
    mass = gains.sum(axis=1, keepdims=True)
    with np.errstate(divide="ignore", invalid="ignore"):
        residual = np.where(mass > 0, gains / mass, target)
    stop = 0
    while stop < n and rng.uniform(0.0, 1.0) * draft[stop, tokens[stop]] < target[stop, tokens[stop]]:
        out[stop] = tokens[stop]
        stop += 1
    out[stop] = rng.choice(target.shape[1], p=residual[stop])
    return out


def multinomial_support(target: Array, draft: Array, tokens: Array, rng: Generator) -> tuple[int, ...]:
    """Multinomial over the support: the remainder, given to the last option, must not reach a zero-mass token."""
    n = len(tokens)
    rejected = [i for i, x in enumerate(tokens) if not rng.random() < target[i, x] / max(draft[i, x], target[i, x])]
    stop = rejected[0] if rejected else n
    weights = target[stop] if stop == n else np.maximum(target[stop] - draft[stop], 0)
    if not weights.any():
        weights = target[stop]
    (support,) = np.nonzero(weights)
    pick = rng.multinomial(1, weights[support] / weights[support].sum()).argmax()
    return (*(int(x) for x in tokens[:stop]), int(support[pick]))


def in_place_residual(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The residual made in place, on a copy."""
    result = []
    for i in range(len(tokens)):
        t = tokens[i]
        if draft[i, t] <= target[i, t] or rng.random() < target[i, t] / draft[i, t]:
            result.append(int(t))
        else:
            r = target[i].copy()
            r -= draft[i]
            r[r < 0] = 0
            if not r.any():
                r += target[i]
            r /= r.sum()
            result.append(int(rng.choice(len(r), p=r)))
            return result
    result.append(int(rng.choice(target.shape[-1], p=target[-1])))
    return result


def cdf_argmax_break(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """`u > ratio` breaks; inverse CDF by `(cdf > u).argmax()`, its last entry divided to exactly one."""
    n = 0
    for p, q, x in zip(target, draft, tokens, strict=False):
        if not p[x] > 0 or rng.random() * q[x] >= p[x]:
            break
        n += 1
    r = target[n] if n == len(tokens) else np.where(target[n] > draft[n], target[n] - draft[n], 0)
    cdf = np.cumsum(r if r.sum() > 0 else target[n])
    cdf = cdf / cdf[-1]
    return [*tokens[:n], (cdf > rng.random()).argmax()]


def float32_throughout(target: Array, draft: Array, tokens: Array, rng: Generator) -> Array:
    """Rows, coins and sums in single precision."""
    p, q = target.astype(np.float32), draft.astype(np.float32)
    n, steps = len(tokens), np.arange(len(tokens))
    coins = rng.random(n, dtype=np.float32)
    kept = coins * q[steps, tokens] < p[steps, tokens]
    stop = n if kept.all() else int(np.argmin(kept))
    r = p[stop] if stop == n else np.maximum(p[stop] - q[stop], np.float32(0))
    cdf = np.cumsum(r if r.any() else p[stop], dtype=np.float32)
    y = np.searchsorted(cdf, rng.random(dtype=np.float32) * cdf[-1], side="right")
    return np.append(tokens[:stop], y)


def float64_temporaries(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """Every number passes through np.float64."""
    keep: list[int] = []
    for i, t in enumerate(tokens):
        ratio = np.float64(target[i, t]) / np.float64(draft[i, t])
        if np.float64(rng.random()) >= np.minimum(np.float64(1.0), ratio):
            row = np.array([np.float64(p) - np.float64(q) for p, q in zip(target[i], draft[i], strict=True)])
            row = np.where(row > 0, row, np.float64(0.0)) if (row > 0).any() else target[i].astype(np.float64)
            return [*keep, int(rng.choice(row.size, p=row / row.sum()))]
        keep.append(int(t))
    last = target[-1].astype(np.float64)
    return [*keep, int(rng.choice(last.size, p=last / last.sum()))]


def bernoulli_tuple(target: Array, draft: Array, tokens: Array, rng: Generator) -> tuple[int, ...]:
    """A binomial coin for each token; the end is drawn by a recursion."""
    if len(tokens) == 0:
        return (int(rng.choice(target.shape[1], p=target[0])),)
    p, q, x = target[0], draft[0], int(tokens[0])
    if rng.binomial(1, min(1, p[x] / q[x])):
        return (x, *bernoulli_tuple(target[1:], draft[1:], tokens[1:], rng))
    missing = (abs(p - q) + (p - q)) / 2 if any(p > q) else p
    return (int(rng.choice(np.arange(len(p)), p=missing / missing.sum())),)


def rescaled_coin(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """One uniform a call: what is left of it after each decision is uniform again."""
    u, n = rng.random(), 0
    for x in tokens:
        ratio = min(1, target[n, x] / draft[n, x])
        if not u < ratio:
            u = (u - ratio) / (1 - ratio)
            break
        u, n = u / ratio, n + 1
    weights = target[n] if n == len(tokens) else np.maximum(target[n] - draft[n], 0)
    if not weights.any():
        weights = target[n]
    cdf = np.cumsum(weights)
    last = np.flatnonzero(weights)[-1]  # the quotient may round up to one
    y = min(np.searchsorted(cdf, u * cdf[-1], side="right"), last)
    return [*tokens[:n].tolist(), int(y)]


def token_by_token_residual(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The correction depends on the rejected token, by monotone transport of losses to gains: right on average."""
    for i, x in enumerate(tokens):
        p, q = target[i], draft[i]
        if rng.random() * q[x] < p[x]:
            continue
        losses, gains = np.cumsum(np.maximum(q - p, 0)), np.maximum(p - q, 0)
        place = losses[x] - rng.random() * (q[x] - p[x])
        # floats: the sums of losses and gains may differ in the last place
        y = min(int((np.cumsum(gains) < place).sum()), int(np.flatnonzero(gains if gains.any() else p)[-1]))
        return [*tokens[:i].tolist(), y]
    return [*tokens.tolist(), int(rng.choice(target.shape[1], p=target[-1]))]
