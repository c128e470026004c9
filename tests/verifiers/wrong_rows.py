"""Verifiers that read the wrong row, take a coin twice or end the block wrongly."""

import numpy as np
from numpy.random import Generator

from tests.verifiers.records import Array

__all__ = [
    "bonus_from_previous_row",
    "bonus_from_the_draft",
    "bonus_from_the_draft_race",
    "bonus_greedy",
    "bonus_top_two",
    "coin_reused_for_bonus",
    "coin_reused_for_residual",
    "coin_reused_for_residual_cdf",
    "count_kept_coins",
    "first_residual_everywhere",
    "go_on_after_a_correction",
    "left_side_of_the_cdf",
    "next_draft_row",
    "next_draft_row_rolled",
    "one_coin_for_all",
    "one_coin_for_all_vectorised",
    "stale_row",
]


def next_draft_row(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The correction subtracts the draft's row of the next position."""
    for i, x in enumerate(tokens):
        if rng.random() * draft[i, x] >= target[i, x]:
            r = np.maximum(target[i] - draft[min(i + 1, len(draft) - 1)], 0)
            r = r if r.any() else target[i]
            return [*tokens[:i].tolist(), int(rng.choice(len(r), p=r / r.sum()))]
    return [*tokens.tolist(), int(rng.choice(target.shape[1], p=target[-1]))]


def next_draft_row_rolled(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The same for all residuals at once."""
    n, at = len(tokens), np.arange(len(tokens))
    shifted = np.concatenate([draft[1:], draft[-1:]])
    gains = np.clip(target[:n] - shifted, 0, None)
    kept = rng.random(n) < target[at, tokens] / draft[at, tokens]
    stop = int(np.cumprod(kept).sum())
    r = gains[stop] if stop < n and gains[stop].any() else target[stop]
    cdf = np.cumsum(r)
    return [*tokens[:stop].tolist(), int(np.searchsorted(cdf, rng.random() * cdf[-1], side="right"))]


def first_residual_everywhere(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The residual was made once, before the loop: wrong after a rejection at position 1."""
    residual = np.maximum(target[0] - draft[0], 0)
    residual = residual / residual.sum()
    for i, x in enumerate(tokens):
        if rng.random() * draft[i, x] >= target[i, x]:
            return [*tokens[:i].tolist(), int(rng.choice(len(residual), p=residual))]
    return [*tokens.tolist(), int(rng.choice(target.shape[1], p=target[-1]))]


def stale_row(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """Target rows cached by the last token: a token that comes again brings the old row back."""
    cache: dict[int | None, Array] = {}
    out: list[int] = []
    for i in range(len(tokens) + 1):
        p = cache.setdefault(out[-1] if out else None, target[i])
        if i == len(tokens):
            return [*out, int(rng.choice(len(p), p=p))]
        x = int(tokens[i])
        if rng.random() * draft[i, x] >= p[x]:
            r = np.maximum(p - draft[i], 0)
            return [*out, int(rng.choice(len(r), p=r / r.sum()))]
        out.append(x)
    return out


def bonus_from_the_draft(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The bonus token is drawn from the draft's last row."""
    for i, x in enumerate(tokens):
        if rng.random() * draft[i, x] >= target[i, x]:
            r = np.maximum(target[i] - draft[i], 0)
            return [*tokens[:i].tolist(), int(rng.choice(len(r), p=r / r.sum()))]
    return [*tokens.tolist(), int(rng.choice(draft.shape[1], p=draft[-1]))]


def bonus_from_the_draft_race(target: Array, draft: Array, tokens: Array, rng: Generator) -> Array:
    """The same: rows stacked in the wrong order, drawn by a race."""
    n, at = len(tokens), np.arange(len(tokens))
    kept = rng.random(n) < target[at, tokens] / draft[at, tokens]
    stop = int(np.cumprod(kept).sum())
    rows = np.vstack([np.maximum(target[:n] - draft, 0), draft[-1:]])
    return np.append(tokens[:stop], np.argmax(rows[stop] / rng.exponential(size=rows.shape[1])))


def bonus_from_previous_row(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """After a whole block the row of the last drafted position is used again."""
    for i, x in enumerate(tokens):
        if rng.random() * draft[i, x] >= target[i, x]:
            r = np.maximum(target[i] - draft[i], 0)
            return [*tokens[:i].tolist(), int(rng.choice(len(r), p=r / r.sum()))]
    return [*tokens.tolist(), int(rng.choice(target.shape[1], p=target[len(tokens) - 1]))]


def bonus_greedy(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The bonus token is the likeliest one."""
    for i, x in enumerate(tokens):
        if rng.random() * draft[i, x] >= target[i, x]:
            r = np.clip(target[i] - draft[i], 0, None)
            return [*tokens[:i].tolist(), int((r.cumsum() > rng.random() * r.sum()).argmax())]
    return [*tokens.tolist(), int(target[-1].argmax())]


def bonus_top_two(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """A top-2 filter that reaches the bonus row alone."""
    n = 0
    while n < len(tokens) and rng.random() * draft[n, tokens[n]] < target[n, tokens[n]]:
        n += 1
    r = np.maximum(target[n] - draft[n], 0) if n < len(tokens) else target[n].copy()
    if n == len(tokens):
        r[np.argsort(r, kind="stable")[:-2]] = 0
    cdf = np.cumsum(r)
    return [*tokens[:n].tolist(), int((cdf > rng.random() * cdf[-1]).argmax())]


def left_side_of_the_cdf(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """searchsorted from the left, on a coin of eight points: a zero-mass first token at coin zero."""
    n = 0
    while n < len(tokens) and rng.random() * draft[n, tokens[n]] < target[n, tokens[n]]:
        n += 1
    r = np.maximum(target[n] - draft[n], 0) if n < len(tokens) else target[n]
    return [*tokens[:n].tolist(), int(np.searchsorted(np.cumsum(r) / r.sum(), rng.integers(8) / 8, side="left"))]


def one_coin_for_all(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The coin is drawn outside the loop."""
    u = rng.random()
    for i, x in enumerate(tokens):
        if u >= target[i, x] / draft[i, x]:
            r = np.maximum(target[i] - draft[i], 0)
            return [*tokens[:i].tolist(), int(rng.choice(len(r), p=r / r.sum()))]
    return [*tokens.tolist(), int(rng.choice(target.shape[1], p=target[-1]))]


def one_coin_for_all_vectorised(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The same: a scalar coin broadcast over the positions."""
    n, at = len(tokens), np.arange(len(tokens))
    kept = rng.random() * draft[at, tokens] < target[at, tokens]
    stop = n if kept.all() else int(kept.argmin())
    r = np.clip(target[stop] - draft[stop], 0, None) if stop < n else target[n]
    cdf = r.cumsum()
    return [*tokens[:stop].tolist(), int(np.searchsorted(cdf, rng.random() * cdf[-1], side="right"))]


def coin_reused_for_residual(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The failed coin is taken again for the correction, as it is."""
    for i, x in enumerate(tokens):
        u = rng.random()
        if u >= target[i, x] / draft[i, x]:
            r = np.maximum(target[i] - draft[i], 0)
            return [*tokens[:i].tolist(), int((np.cumsum(r / r.sum()) > u).argmax())]
    return [*tokens.tolist(), int(rng.choice(target.shape[1], p=target[-1]))]


def coin_reused_for_residual_cdf(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The same: one array of coins, one coin too few."""
    n, at = len(tokens), np.arange(len(tokens))
    coins = rng.random(n + 1)
    kept = coins[:n] < target[at, tokens] / draft[at, tokens]
    stop = int(np.cumprod(kept).sum())
    r = target[stop] if stop == n else np.clip(target[stop] - draft[stop], 0, None)
    cdf = np.cumsum(r)
    return [*tokens[:stop].tolist(), int(np.searchsorted(cdf, coins[stop] * cdf[-1], side="right"))]


def coin_reused_for_bonus(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The last kept coin also draws the bonus: the first token is right, the pair is not."""
    u = rng.random()
    for i, x in enumerate(tokens):
        if not u < target[i, x] / draft[i, x]:
            r = np.maximum(target[i] - draft[i], 0)
            return [*tokens[:i].tolist(), int(rng.choice(len(r), p=r / r.sum()))]
        u = rng.random() if i + 1 < len(tokens) else u
    return [*tokens.tolist(), int((np.cumsum(target[-1]) > u).argmax())]


def count_kept_coins(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """The kept coins are counted, also those behind the first failure."""
    n, at = len(tokens), np.arange(len(tokens))
    stop = int(np.sum(rng.random(n) < target[at, tokens] / draft[at, tokens]))
    r = target[n] if stop == n else np.maximum(target[stop] - draft[stop], 0)
    return [*tokens[:stop].tolist(), int(rng.choice(len(r), p=r / r.sum()))]


def go_on_after_a_correction(target: Array, draft: Array, tokens: Array, rng: Generator) -> list[int]:
    """A correction does not end the block, though the rows behind it belong to the rejected token."""
    out = []
    for p, q, x in zip(target, draft, tokens.tolist(), strict=False):
        if rng.random() * q[x] < p[x]:
            out.append(x)
        else:
            r = np.maximum(p - q, 0)
            out.append(int(rng.choice(len(r), p=r / r.sum())))
    return [*out, int(rng.choice(target.shape[1], p=target[-1]))]
