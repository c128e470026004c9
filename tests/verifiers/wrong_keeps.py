"""Verifiers that keep or reject the drafted token wrongly."""

import numpy as np
from numpy.random import Generator

from tests.verifiers.records import Array

__all__ = [
    "boundary_float_coin",
    "boundary_integer_coin",
    "cumulative_product",
    "epsilon_scalar",
    "epsilon_tiny",
    "epsilon_vectorised",
    "flipped_comparison",
    "greedy_on_a_soft_target",
    "input_changed_loop",
    "input_changed_masked",
    "inverted_log_space",
    "inverted_scalar",
    "inverted_vectorised",
    "keep_all",
    "keep_coin_fixed_at_zero",
    "keep_duplicates",
    "leak",
    "lenient",
    "lenient_log_space",
    "target_above_with_token_rule_residual",
]


def keep_all(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The draft is never rejected."""
    return [*tokens.tolist(), int(rng.choice(target.shape[1], p=target[-1]))]


def keep_coin_fixed_at_zero(target: Array, draft: Array, tokens: Array, rng: Generator) -> Array:
    """The buffer of coins is allocated and never filled."""
    n = len(tokens)
    coins, at = np.zeros(n), np.arange(n)
    kept = coins * draft[at, tokens] < target[at, tokens]
    stop = n if kept.all() else int(np.argmin(kept))
    r = target[stop] if stop == n else np.maximum(target[stop] - draft[stop], 0)
    return np.append(tokens[:stop], (np.cumsum(r) > rng.random() * r.sum()).argmax())


def boundary_integer_coin(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """`<=` on a coin of sixteen points keeps a zero-mass token at coin zero."""
    for i, x in enumerate(tokens):
        if not rng.integers(16) * draft[i, x] <= 16 * target[i, x]:
            r = np.maximum(target[i] - draft[i], 0)
            return [*tokens[:i].tolist(), int(rng.choice(len(r), p=r / r.sum()))]
    return [*tokens.tolist(), int(rng.choice(target.shape[1], p=target[-1]))]


def boundary_float_coin(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """`u <= ratio`: shows only in float arithmetic, where u is zero once in 2^53."""
    n = len(tokens)
    kept = rng.random(n) <= target[np.arange(n), tokens] / draft[np.arange(n), tokens]
    stop = int(np.cumprod(kept).sum())
    r = target[stop] if stop == n else np.clip(target[stop] - draft[stop], 0, None)
    cdf = np.cumsum(r)
    return [*tokens[:stop].tolist(), int(np.searchsorted(cdf, rng.random() * cdf[-1], side="right"))]


def inverted_scalar(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """q/p for p/q."""
    out: list[int] = []
    for i, x in enumerate(tokens.tolist()):
        if rng.random() * target[i, x] >= draft[i, x]:
            gains = [max(a - b, 0) for a, b in zip(target[i], draft[i], strict=True)]
            total = sum(gains)
            return [*out, int(rng.choice(len(gains), p=[g / total for g in gains]))]
        out.append(x)
    return [*out, int(rng.choice(target.shape[1], p=target[-1]))]


def inverted_vectorised(target: Array, draft: Array, tokens: Array, rng: Generator) -> Array:
    """The same, for all positions at once."""
    n = len(tokens)
    at = np.arange(n)
    with np.errstate(divide="ignore"):
        kept = rng.random(n) < np.minimum(1, draft[at, tokens] / target[at, tokens])
    stop = int(kept.argmin()) if not kept.all() else n
    r = target[stop] if stop == n else np.clip(target[stop] - draft[stop], 0, None)
    y = (np.cumsum(r) > rng.random() * np.sum(r)).argmax()
    return np.concatenate([tokens[:stop], [y], np.full(n - stop, -1)])


def inverted_log_space(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The same in log space, with a Gumbel race."""
    with np.errstate(divide="ignore"):
        lp, lq, n = np.log(target), np.log(draft), 0
        while n < len(tokens) and np.log(rng.random()) < lq[n, tokens[n]] - lp[n, tokens[n]]:
            n += 1
        score = lp[n] if n == len(tokens) else np.log(np.maximum(target[n] - draft[n], 0))
    return [*tokens[:n].tolist(), int((score + rng.gumbel(size=score.shape)).argmax())]


def flipped_comparison(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """`u > ratio` keeps."""
    for i, x in enumerate(tokens):
        if rng.random() < target[i, x] / draft[i, x]:
            r = np.maximum(target[i] - draft[i], 0)
            return [*tokens[:i].tolist(), int(rng.choice(len(r), p=r / r.sum()))]
    return [*tokens.tolist(), int(rng.choice(target.shape[1], p=target[-1]))]


def epsilon_vectorised(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """2^-10 in the denominator, against a division by zero that cannot happen."""
    at = np.arange(len(tokens))
    kept = rng.random(len(tokens)) < target[at, tokens] / (draft[at, tokens] + 2.0**-10)
    stop = int(np.cumprod(kept).sum())
    r = target[stop] if stop == len(tokens) else np.clip(target[stop] - draft[stop], 0, None)
    cdf = np.cumsum(r)
    return [*tokens[:stop].tolist(), int(np.searchsorted(cdf, rng.random() * cdf[-1], side="right"))]


def epsilon_scalar(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The same in a loop."""
    for i, x in enumerate(tokens):
        if rng.random() >= min(1, target[i, x] / (draft[i, x] + 1 / 1024)):
            r = np.maximum(target[i] - draft[i], 0)
            return [*tokens[:i].tolist(), int(rng.multinomial(1, r / r.sum()).argmax())]
    return [*tokens.tolist(), int(rng.multinomial(1, target[-1]).argmax())]


def epsilon_tiny(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """1e-10, as it is often written: no histogram ever sees it."""
    out: list[int] = []
    for p, q, x in zip(target, draft, tokens.tolist(), strict=False):
        if not rng.random() < min(1.0, p[x] / (q[x] + 1e-10)):
            gains = np.maximum(p - q, 0)
            return [*out, int(rng.choice(len(gains), p=gains / gains.sum()))]
        out.append(x)
    return [*out, int(rng.choice(target.shape[1], p=target[-1]))]


def lenient(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """min(1, p / (3/4 q)), undeclared, with the residual of the token rule."""
    for i, x in enumerate(tokens):
        if not rng.random() * 3 * draft[i, x] < 4 * target[i, x]:
            r = np.maximum(target[i] - draft[i], 0)
            return [*tokens[:i].tolist(), int(rng.choice(len(r), p=r / r.sum()))]
    return [*tokens.tolist(), int(rng.choice(target.shape[1], p=target[-1]))]


def lenient_log_space(target: Array, draft: Array, tokens: Array, rng: Generator) -> tuple[int, ...]:
    """The same as a bonus of log(4/3) on the log ratio, with an exponential race."""
    n = 0
    gap = np.log(target[: len(tokens)]) - np.log(draft) - np.log(0.75)
    while n < len(tokens) and np.log(rng.random()) < gap[n, tokens[n]]:
        n += 1
    r = target[n] if n == len(tokens) else np.maximum(target[n] - draft[n], 0)
    return (*tokens[:n].tolist(), int((r / rng.exponential(size=len(r))).argmax()))


def leak(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """One token in 32 goes through untested."""
    for i, x in enumerate(tokens):
        if rng.integers(32) == 0 or rng.random() * draft[i, x] < target[i, x]:
            continue
        gains = np.clip(target[i] - draft[i], 0, None)
        return [*tokens[:i].tolist(), int(rng.choice(len(gains), p=gains / gains.sum()))]
    return [*tokens.tolist(), int(rng.choice(target.shape[1], p=target[-1]))]


def target_above_with_token_rule_residual(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """Keep iff p >= q, an admissible rule, with the residual of another."""
    for i, x in enumerate(tokens):
        if target[i, x] < draft[i, x]:
            cdf = np.maximum(target[i] - draft[i], 0).cumsum()
            return [*tokens[:i].tolist(), int((cdf > rng.random() * cdf[-1]).argmax())]
    return [*tokens.tolist(), int(rng.choice(target.shape[1], p=target[-1]))]


def greedy_on_a_soft_target(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The rule of temperature zero on rows that are not one-hot."""
    best = target.argmax(axis=1)
    wrong = np.flatnonzero(best[:-1] != tokens)
    stop = int(wrong[0]) if wrong.size else len(tokens)
    return [int(y) for y in best[: stop + 1]]


def keep_duplicates(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """A token equal to the one before it is taken for already accepted."""
    out: list[int] = []
    for i, x in enumerate(tokens.tolist()):
        if x not in out[-1:] and rng.random() * draft[i, x] >= target[i, x]:
            r = np.maximum(target[i] - draft[i], 0)
            return [*out, int(rng.choice(len(r), p=r / r.sum()))]
        out.append(x)
    return [*out, int(rng.choice(target.shape[1], p=target[-1]))]


def cumulative_product(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """Coins against the running product of the ratios: right at gamma 1, wrong from gamma 2 on."""
    n = len(tokens)
    at = np.arange(n)
    kept = rng.random(n) < np.minimum(np.cumprod(target[at, tokens] / draft[at, tokens]), 1)
    stop = n if kept.all() else int(np.flatnonzero(~kept)[0])
    r = target[stop] if stop == n else np.maximum(target[stop] - draft[stop], 0)
    return [*tokens[:stop].tolist(), int(rng.choice(len(r), p=r / r.sum()))]


def input_changed_loop(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The drafted token is struck from the target, for the correction, before its test reads it."""
    for i, x in enumerate(tokens):
        row = target[i]
        row[x] = 0
        if rng.random() * draft[i, x] >= target[i, x]:
            return [*tokens[:i].tolist(), int(rng.choice(len(row), p=row / row.sum()))]
    return [*tokens.tolist(), int(rng.choice(target.shape[1], p=target[-1]))]


def input_changed_masked(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The same for all positions at once, through a view."""
    n = len(tokens)
    at = np.arange(n)
    corrections = target[:n]
    corrections[at, tokens] = 0
    kept = rng.random(n) < target[at, tokens]
    stop = int(np.cumprod(kept).sum())
    r = corrections[stop] if stop < n else target[n]
    return [*tokens[:stop].tolist(), int((np.cumsum(r) > rng.random() * r.sum()).argmax())]
