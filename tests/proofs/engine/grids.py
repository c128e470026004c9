"""Laws of programs over coarse grids by plain counting: every grid value is drawn, and real NumPy decides."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest

from proofs.engine import draws, exploration
from proofs.engine.laws import Law
from proofs.engine.signals import Kind

__all__ = ["CRASH", "GridGenerator", "coarse", "counted", "crash_mass", "explored", "kinds", "law", "reasons"]

CRASH = "crash"
law: Any = exploration.law  # so that masses may be compared with whole numbers


class GridGenerator:
    """Hands out given grid values as a generator would return them."""

    def __init__(self, values: tuple[float, ...]) -> None:
        self.values = list(values)

    def random(self, size: Any = None, dtype: Any = np.float64) -> Any:
        if size is None:
            return self.values.pop(0)
        shape = (size,) if isinstance(size, int) else tuple(size)
        return np.array([self.values.pop(0) for _ in range(prod(shape))], dtype=dtype).reshape(shape)


def counted(program: Callable[[Any], Any], grid: int, coins: int = 1) -> dict[Any, Fraction]:
    """Law of a program of so many coins, by running it on every tuple of grid values."""
    found: dict[Any, Fraction] = {}
    share = Fraction(1, grid**coins)
    with np.errstate(all="ignore"):
        for values in product([k / grid for k in range(grid)], repeat=coins):
            try:
                outcome = program(GridGenerator(values))
            except Exception as error:
                outcome = (CRASH, type(error).__name__)
            found[outcome] = found.get(outcome, Fraction(0)) + share
    return found


@contextmanager
def coarse(monkeypatch: pytest.MonkeyPatch, grid: int) -> Iterator[None]:
    """Let uniforms of either dtype live on a coarse grid."""
    with monkeypatch.context() as patched:
        patched.setattr(draws, "_GRIDS", {np.dtype(np.float64): grid, np.dtype(np.float32): grid})
        yield


def explored(program: Callable[[Any], Any], **options: Any) -> dict[Any, Fraction]:
    """Law of a program by the engine, crashes among the outcomes; nothing may be refused or left over."""
    found = law(program, **options)
    assert found.refused == found.remaining == 0, (found, found.marks)
    return dict(found) | crash_mass(found)


def crash_mass(found: Law) -> dict[Any, Fraction]:
    masses: dict[Any, Fraction] = {}
    for crash in found.crashes:
        which = (CRASH, crash.exception)
        masses[which] = masses.get(which, Fraction(0)) + crash.probability
    return masses


def kinds(found: Law) -> set[Kind]:
    return {mark.kind for mark in found.marks}


def reasons(found: Law) -> str:
    return " | ".join(str(mark) for mark in found.marks)
