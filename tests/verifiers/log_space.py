"""The token rule in log space and by races of exponential or Gumbel noise, right."""

import math

import numpy as np
from numpy.random import Generator

from tests.verifiers.records import Array

__all__ = ["exponential_race", "gumbel_race", "log_coin_scalar", "log_uniform_race", "quickest_arrival"]


def gumbel_race(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """`log u < log p - log q`, then argmax of log residual + Gumbel."""
    with np.errstate(divide="ignore", invalid="ignore"):
        lp, lq = np.log(target), np.log(draft)
        n = 0
        while n < len(tokens) and np.log(rng.random()) < lp[n, tokens[n]] - lq[n, tokens[n]]:
            n += 1
        scores = lp[n]
        if n < len(tokens) and (target[n] > draft[n]).any():
            scores = np.log(np.maximum(target[n] - draft[n], 0))
    return [*tokens[:n].tolist(), int(np.argmax(scores + rng.gumbel(size=len(scores))))]


def log_coin_scalar(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """math.log of each number, guarded at zero."""
    out = []
    for i, x in enumerate(tokens.tolist()):
        p, q, u = float(target[i, x]), float(draft[i, x]), rng.random()
        if p == 0 or (u > 0 and math.log(u) >= math.log(p) - math.log(q)):
            left = [max(float(a) - float(b), 0.0) for a, b in zip(target[i], draft[i], strict=True)]
            left = left if sum(left) > 0 else target[i].tolist()
            total = sum(left)
            out.append(int(rng.choice(len(left), p=[w / total for w in left])))
            return out
        out.append(x)
    out.append(int(rng.choice(target.shape[1], p=target[-1])))
    return out


def exponential_race(target: Array, draft: Array, tokens: Array, rng: Generator) -> Array:
    """`argmax(r / E)`, as serving engines do it."""
    n = tokens.shape[0]
    at = np.arange(n)
    with np.errstate(divide="ignore", invalid="ignore"):
        ok = rng.random(n) < np.minimum(target[at, tokens] / draft[at, tokens], 1)
    stop = n if ok.all() else int((~ok).argmax())
    out = np.full(n + 1, -1)
    out[:stop] = tokens[:stop]
    r = target[stop]
    if stop < n and np.any(r > draft[stop]):
        r = np.clip(r - draft[stop], 0, None)
    out[stop] = np.argmax(r / rng.exponential(size=r.shape))
    return out


def quickest_arrival(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """`argmin(E / r)` over the tokens that have mass."""
    kept: list[int] = []
    for i, x in enumerate(tokens):
        if rng.random() * draft[i, x] >= target[i, x]:
            break
        kept.append(int(x))
    r = target[len(kept)]
    if len(kept) < len(tokens):
        r = np.maximum(r - draft[len(kept)], 0)
    live = np.flatnonzero(r > 0) if r.any() else np.flatnonzero(target[len(kept)])
    r = r if r.any() else target[len(kept)]
    return [*kept, int(live[np.argmin(rng.standard_exponential(len(live)) / r[live])])]


def log_uniform_race(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """Gumbel noise made from uniforms, finite at a uniform of zero; zero-mass tokens stay at -inf."""
    emitted: list[int] = []
    for i in range(len(tokens) + 1):
        r = target[i]
        if i < len(tokens):
            if rng.random() * draft[i, tokens[i]] < target[i, tokens[i]]:
                emitted.append(int(tokens[i]))
                continue
            r = np.clip(target[i] - draft[i], 0, None)
            r = target[i] if r.max() == 0 else r
        with np.errstate(divide="ignore", invalid="ignore"):
            score = np.where(r > 0, np.log(r) - np.log(-np.log(1 - rng.random(len(r)))), -np.inf)
        emitted.append(int(np.argmax(score)))
        break
    return emitted
