"""Coins for verifiers that take them as arguments, on a grid so coarse that the law engine branches over all of it."""

from collections.abc import Callable
from typing import Any

import numpy as np

GRID = 8


class GridCoins:
    """Coins k / 8: on rows whose thresholds lie on that grid the law is that of real coins."""

    def __init__(self, rng: Any) -> None:
        self._rng = rng
        self.asked: list[tuple[tuple[int, ...], str]] = []

    def coins(self, shape: tuple[int, ...], dtype: str) -> Any:
        self.asked.append((shape, dtype))
        return np.array([int(self._rng.integers(0, GRID)) / GRID for _ in range(shape[0])], dtype=dtype)


class FixedCoins:
    """The coins that are given, once."""

    def __init__(self, coins: list[float]) -> None:
        self._coins = coins
        self.asked: list[tuple[tuple[int, ...], str]] = []

    def coins(self, shape: tuple[int, ...], dtype: str) -> Any:
        self.asked.append((shape, dtype))
        return np.array(self._coins, dtype=dtype)


# Acceptance at 1/2; two tokens in the residual, at 1/2; the bonus at 1/4 and 5/8.
INPUT = (["1/4", "3/8", "3/8"], ["1/2", "1/4", "1/4"])
# With a token that is drafted and has no mass, and acceptance at 3/4.
ZERO = (["3/8", "5/8", 0], ["1/2", "1/4", "1/4"])


def on_grid(verify: Callable[..., Any]) -> Callable[..., Any]:
    """Hand a verifier coins k / 8."""
    return lambda target, draft, tokens, rng: verify(target, draft, tokens, GridCoins(rng))
