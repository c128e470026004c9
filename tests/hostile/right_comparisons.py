"""Right: the token rule in every spelling of its comparison."""

from typing import Any

import numpy as np

from tests.hostile.entries import entries
from tests.hostile.parts import chain, draw, pick, replacement, residual

__all__ = ["RIGHT_COMPARISONS"]


def _with_coins(keep: Any, target: Any, draft: Any, tokens: Any, rng: Any) -> list[int]:
    """Return the token rule's tokens, ``keep(u, p, q)`` deciding on the drafted one."""
    for i, x in enumerate(tokens.tolist()):
        if not keep(rng.random(), target[i, x], draft[i, x]):
            return [*tokens[:i].tolist(), replacement(target[i], draft[i], rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def written_backwards(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The ratio stands on the left."""
    return _with_coins(lambda u, p, q: p / q > u, target, draft, tokens, rng)


def not_at_least(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Kept iff not u >= ratio."""
    return _with_coins(lambda u, p, q: not (u >= p / q), target, draft, tokens, rng)


def upper_end_of_the_coin(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Kept iff 1 - u lies above 1 - ratio."""
    return _with_coins(lambda u, p, q: 1 - u > 1 - min(1, p / q), target, draft, tokens, rng)


def guarded_at_most(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Kept iff u <= ratio, unless the ratio is zero."""
    return _with_coins(lambda u, p, q: p > 0 and u <= p / q, target, draft, tokens, rng)


def shifted_coin(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Kept iff u - ratio is negative."""
    return _with_coins(lambda u, p, q: u - p / q < 0, target, draft, tokens, rng)


def clipped_ratio(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The ratio is clipped by numpy."""
    return _with_coins(lambda u, p, q: u < np.clip(p / q, 0, 1), target, draft, tokens, rng)


def chained_comparison(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Kept iff 0 <= u < ratio, with a comparison that is always true."""
    return _with_coins(lambda u, p, q: 0 <= u < p / q, target, draft, tokens, rng)


def asked_twice(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The same coin is held against half the ratio first and against the ratio then."""
    return _with_coins(lambda u, p, q: u * 2 < p / q or u < p / q, target, draft, tokens, rng)


def binomial_coin(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The coin is a binomial of one trial."""
    for i, x in enumerate(tokens.tolist()):
        if not rng.binomial(1, min(1, target[i, x] / draft[i, x])):
            return [*tokens[:i].tolist(), replacement(target[i], draft[i], rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def logarithms(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Kept iff log u < log p - log q."""
    with np.errstate(divide="ignore"):
        return _with_coins(lambda u, p, q: p > 0 and np.log(u) < np.log(p) - np.log(q), target, draft, tokens, rng)


def vectorised(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """All coins at once; argmin finds the first failure."""
    at = np.arange(len(tokens))
    kept = np.append(rng.random(len(tokens)) < target[at, tokens] / draft[at, tokens], False)
    n = int(kept.argmin())
    last = draw(target[n], rng) if n == len(tokens) else replacement(target[n], draft[n], rng)
    return [*tokens[:n].tolist(), last]


def cumulative_product(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The number of kept tokens is the sum of a cumulative product of booleans."""
    p = np.take_along_axis(target[:-1], tokens[:, None], axis=1)[:, 0]
    q = np.take_along_axis(draft, tokens[:, None], axis=1)[:, 0]
    n = int(np.cumprod(rng.random(len(tokens)) * q < p).sum())
    last = draw(target[n], rng) if n == len(tokens) else replacement(target[n], draft[n], rng)
    return np.append(tokens[:n], last)


def table_of_uniforms(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """All noise is drawn first, a pair for each position."""
    noise = rng.random((len(tokens) + 1, 2))
    for i, x in enumerate(tokens.tolist()):
        if not noise[i, 0] * draft[i, x] < target[i, x]:
            left = residual(target[i], draft[i])
            return [*tokens[:i].tolist(), pick(left, noise[i, 1] * sum(left))]
    return [*tokens.tolist(), pick(target[-1], noise[-1, 1] * sum(target[-1]))]


def padded_array(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """An array of int32 with -1 behind the tokens."""
    emitted = np.full(len(tokens) + 1, -1, dtype=np.int32)
    found = chain(target, draft, tokens, rng)
    emitted[: len(found)] = found
    return emitted


RIGHT_COMPARISONS = (
    *entries(
        "lossless",
        written_backwards,
        not_at_least,
        upper_end_of_the_coin,
        guarded_at_most,
        shifted_coin,
        clipped_ratio,
        chained_comparison,
        asked_twice,
        binomial_coin,
        vectorised,
        cumulative_product,
        table_of_uniforms,
        padded_array,
    ),
    *entries(
        "not biased",
        logarithms,
    ),
)
