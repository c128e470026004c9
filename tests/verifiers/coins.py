"""Verifiers that take their coins as an argument, as kernels do: right ones, and faults that such code can have."""

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["FAULTS", "RIGHT", "chain", "one_pass"]

Kernel = Callable[[Any, Any, Any, Any], Any]


def _residual(p: Any, q: Any) -> Any:
    left = np.maximum(p - q, 0)
    return left if left.sum() else p


def _drawn(row: Any, coin: Any) -> int:
    """Two passes: the sum of the row, then the first token at which the running sum is beyond the coin's part of it."""
    wanted, total = coin * row.sum(), 0.0
    for y, x in enumerate(row):
        total += x
        if wanted < total:
            return y
    return int(np.flatnonzero(row)[-1])


def chain(
    *,
    keeps: Callable[[Any, Any, Any], Any] = lambda u, p, q: u * q < p,
    residual: Callable[[Any, Any], Any] = _residual,
    bonus: Callable[[Any, Any], Any] = lambda target, draft: target[-1],
    drawn: Callable[[Any, Any], int] = _drawn,
) -> Kernel:
    """Return the token rule with a coin for every draft and one for the token that follows, with parts replaced."""

    def kernel(target: Any, draft: Any, tokens: Any, coins: Any) -> list[int]:
        for i, x in enumerate(tokens):
            if not keeps(coins[i], target[i, x], draft[i, x]):
                return [*tokens[:i].tolist(), drawn(residual(target[i], draft[i]), coins[-1])]
        return [*tokens.tolist(), drawn(bonus(target, draft), coins[-1])]

    return kernel


def one_pass(target: Any, draft: Any, tokens: Any, coins: Any) -> Any:
    """The same without a loop, into a buffer, and with `<=` where the target allows the token at all."""
    out = np.full(len(tokens) + 1, -1)
    at = np.arange(len(tokens))
    p, q = target[at, tokens], draft[at, tokens]
    kept = int(np.logical_and.accumulate((coins[:-1] * q <= p) & (p > 0)).sum())
    row = target[kept] if kept == len(tokens) else _residual(target[kept], draft[kept])
    sums = row.cumsum()
    out[:kept] = tokens[:kept]
    out[kept] = int((sums > coins[-1] * sums[-1]).argmax())
    return out


def _slab(u: Any, p: Any, q: Any) -> Any:
    return u * q < p or 0.7 <= u < 0.7 + 2**-10


RIGHT: dict[str, Kernel] = {"chain": chain(), "one pass": one_pass}

FAULTS: dict[str, Kernel] = {
    "bonus from the draft": chain(bonus=lambda target, draft: draft[-1] if len(draft) else target[-1]),
    "bonus one row early": chain(bonus=lambda target, draft: target[max(len(target) - 2, 0)]),
    "correction from the target": chain(residual=lambda p, q: p),
    "keeps in a thin slab": chain(keeps=_slab),
    "always keeps": chain(keeps=lambda u, p, q: True),
    "shares the coin": lambda p, q, x, coins: chain()(p, q, x, np.repeat(coins[:1], len(coins))),
}
