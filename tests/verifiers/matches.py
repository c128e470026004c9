"""Right verifiers that are not the token rule: matching, one-hot drafts, slower rules, the target alone."""

import numpy as np
from numpy.random import Generator

from tests.verifiers.records import Array

__all__ = [
    "always_reject",
    "keep_where_target_is_above",
    "match_by_race",
    "match_in_one_sweep",
    "match_loop",
    "match_one_sample_a_row",
    "never_the_last",
    "one_hot_argmax",
    "one_hot_row",
]


def match_loop(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The target's own token; go on while it is the drafted one. The draft's rows are never read."""
    out: list[int] = []
    for row in target:
        y = int(rng.choice(len(row), p=row))
        out.append(y)
        if len(out) > len(tokens) or y != tokens[len(out) - 1]:
            break
    return out


def match_in_one_sweep(target: Array, draft: Array, tokens: Array, rng: Generator) -> Array:
    """Every row sampled by inverse CDF in one comparison; cut behind the first mismatch."""
    cdf = np.cumsum(target, axis=1)
    u = rng.random((len(target), 1)) * cdf[:, -1:]
    y = (cdf > u).argmax(axis=1)
    same = np.append(y[:-1] == tokens, False)
    out: Array = y[: int(np.argmin(same)) + 1]
    return out


def match_one_sample_a_row(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """Samples first, by choice; compared afterwards, padded with -1."""
    samples = [int(rng.choice(target.shape[1], p=row)) for row in target]
    agree = 0
    for wanted, drafted in zip(samples, tokens.tolist(), strict=False):
        if wanted != drafted:
            break
        agree += 1
    return samples[: agree + 1] + [-1] * (len(tokens) - agree)


def match_by_race(target: Array, draft: Array, tokens: Array, rng: Generator) -> tuple[int, ...]:
    """Matching with a race of its own for each row."""
    out: tuple[int, ...] = ()
    for i in range(len(target)):
        with np.errstate(divide="ignore", invalid="ignore"):
            y = int((target[i] / rng.standard_exponential(target.shape[1])).argmax())
        out = (*out, y)
        if i == len(tokens) or y != int(tokens[i]):
            return out
    return out


def one_hot_argmax(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """A deterministic draft: keep x with p(x), else the target off x."""
    out = []
    for p, x in zip(target, tokens, strict=False):
        if rng.random() >= p[x]:
            rest = np.where(np.arange(len(p)) == x, 0, p)
            # p(x) may miss one by rounding with nothing beside it
            out.append(int(rng.choice(len(p), p=rest / rest.sum())) if rest.any() else int(x))
            return out
        out.append(int(x))
    return [*out, int(rng.choice(target.shape[1], p=target[-1]))]


def one_hot_row(target: Array, draft: Array, tokens: Array, rng: Generator) -> Array:
    """The token rule against a one-hot row of its own making."""
    n = len(tokens)
    hot = np.eye(target.shape[1])[tokens]
    out, i = np.full(n + 1, -1), 0
    while i < n and rng.random() * hot[i, tokens[i]] < target[i, tokens[i]]:
        out[i] = tokens[i]
        i += 1
    left = target[i] if i == n else np.clip(target[i] - hot[i], 0, 1)
    cdf = np.cumsum(left if left.any() else target[i])
    out[i] = np.searchsorted(cdf / cdf[-1], rng.random(), side="right")
    return out


def keep_where_target_is_above(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """No coin: keep iff p >= q, with the residual that belongs to it, p - q [q <= p]."""
    for i, x in enumerate(tokens):
        p, q = target[i], draft[i]
        if p[x] >= q[x]:
            continue
        residual = p - np.where(q <= p, q, 0)
        cdf = residual.cumsum()
        return [*tokens[:i].tolist(), int((cdf > rng.random() * cdf[-1]).argmax())]
    return [*tokens.tolist(), int(rng.choice(target.shape[1], p=target[len(tokens)]))]


def always_reject(target: Array, draft: Array, tokens: Array, rng: Generator) -> Array:
    """The draft is ignored."""
    return np.array([rng.choice(np.arange(target.shape[1]), p=target[0])])


def never_the_last(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The last drafted token is thrown away, so that its row is drawn from afresh; no bonus token."""
    stop = max(len(tokens) - 1, 0)
    for i in range(stop):
        x = tokens[i]
        if rng.random() * draft[i, x] >= target[i, x]:
            gains = np.maximum(target[i] - draft[i], 0)
            weights = gains if gains.any() else target[i]
            return [*tokens[:i].tolist(), int(rng.choice(len(weights), p=weights / weights.sum()))]
    return [*tokens[:stop].tolist(), int(rng.choice(target.shape[1], p=target[stop]))]
