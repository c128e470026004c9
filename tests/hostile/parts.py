"""Right pieces of a verifier, for programs whose fault, or whose oddity, lies elsewhere."""

from typing import Any

import numpy as np

__all__ = [
    "chain",
    "draw",
    "everything",
    "fault_at_odd",
    "first_maximum",
    "pick",
    "replacement",
    "residual",
    "right_if",
]


def pick(row: Any, height: Any) -> int:
    """Return the first token whose cumulative mass lies above `height`, which is below the row's sum."""
    below = 0
    for token, mass in enumerate(row):
        below = below + mass
        if height < below:
            return token
    return int(np.flatnonzero(row)[-1])


def draw(row: Any, rng: Any) -> int:
    """Draw a token with probability proportional to `row`."""
    return pick(row, rng.random() * sum(row))


def residual(p: Any, q: Any) -> Any:
    """Return (p - q)+, not normalised, or p where nothing is left."""
    left = np.maximum(p - q, 0)
    return left if sum(left) > 0 else p


def replacement(p: Any, q: Any, rng: Any) -> int:
    """Draw the token that replaces a rejected one."""
    return draw(residual(p, q), rng)


def chain(target: Any, draft: Any, tokens: Any, rng: Any) -> list[int]:
    """Return what the token rule emits: a right verifier."""
    kept: list[int] = []
    for p, q, x in zip(target[:-1], draft, tokens.tolist(), strict=True):
        if not rng.random() * q[x] < p[x]:
            return [*kept, replacement(p, q, rng)]
        kept.append(x)
    return [*kept, draw(target[-1], rng)]


def everything(target: Any, tokens: Any, rng: Any) -> list[int]:
    """Return all drafted tokens and one of the target's own: the fault that most wrong programs hide."""
    return [*tokens.tolist(), draw(target[-1], rng)]


def fault_at_odd(call: int, target: Any, draft: Any, tokens: Any, rng: Any) -> list[int]:
    """Return the token rule's tokens at even calls and everything at odd ones."""
    return everything(target, tokens, rng) if call % 2 else chain(target, draft, tokens, rng)


def right_if(watched: Any, target: Any, draft: Any, tokens: Any, rng: Any) -> list[int]:
    """Return the token rule's tokens before an audience; alone, everything."""
    return chain(target, draft, tokens, rng) if watched else everything(target, tokens, rng)


def first_maximum(row: Any) -> int:
    """Return the token of the greatest mass, by comparing."""
    return max(range(len(row)), key=lambda token: row[token])
