"""Laws of programs that draw from torch, and the same laws by trying every value with plain torch."""

import bisect
import itertools
from collections import Counter
from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import cache
from typing import Any

import torch

from proofs.engine.exploration import law
from proofs.engine.laws import Law
from proofs.engine.signals import Kind
from proofs.engine.torch_grids import uniform_grid

__all__ = ["by_bisection", "by_quarters", "by_values", "exactly", "is_refused", "law_of", "reasons", "swallowing"]

F = Fraction
Masses = dict[Any, Fraction]
_GRID = 1 << 24
_CHUNK = 1 << 20
_QUARTERS = (0.125, 0.375, 0.625, 0.875)


def law_of(program: Callable[[], Hashable], arithmetic: str = "torch.float32") -> Law:
    """Return the law of a program that draws from torch alone."""
    return law(lambda rng: program(), arithmetic=arithmetic)


def exactly(program: Callable[[], Hashable], arithmetic: str = "torch.float32") -> Masses:
    """Return the law of a program that nothing may be missing from, and that no mark may call into question."""
    found = law_of(program, arithmetic)
    assert found.missing == 0, reasons(found)
    assert {mark.kind for mark in found.marks} <= {Kind.GRID, Kind.NOTE, Kind.SINGLE}, reasons(found)
    return dict(found)


def reasons(found: Law) -> str:
    """Return what was said against a law."""
    return "; ".join(mark.reason for mark in found.marks)


def is_refused(program: Callable[[], Hashable], why: str, arithmetic: str = "torch.float32") -> bool:
    """Tell whether all mass of a program is refused, for a reason that contains the words."""
    found = law_of(program, arithmetic)
    return found.refused == 1 and not found and why in reasons(found)


def swallowing(program: Callable[[], Any]) -> Hashable:
    """Run a program as packages do that catch whatever goes wrong."""
    try:
        return bool(program())
    except Exception:
        return "swallowed"


@cache
def _values(dtype: torch.dtype) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the values of a grid of 2^24 coins and how many coins have each."""
    grid = uniform_grid(dtype)
    assert grid is not None
    assert grid.size == _GRID
    values = grid.values(torch.arange(_GRID))
    if dtype == torch.float32:
        return values, torch.ones(_GRID, dtype=torch.int64)
    found: tuple[torch.Tensor, torch.Tensor] = torch.unique_consecutive(values, return_counts=True)
    return found


def by_values(function: Callable[[Any], Any], dtype: torch.dtype) -> Masses:
    """Return the law of a vectorised function of one uniform, by its values at every point of the grid."""
    masses: Counter[Any] = Counter()
    values, counts = _values(dtype)
    for some, weights in zip(values.split(_CHUNK), counts.split(_CHUNK), strict=True):
        found = function(some)
        for outcome in found.unique().tolist():
            masses[outcome] += int(weights[found == outcome].sum())
    return {outcome: F(count, _GRID) for outcome, count in masses.items()}


def by_bisection(function: Callable[[Any], Any], bits: int, dtype: torch.dtype, dim: int = 0) -> Masses:
    """Return the law of a decision that is monotone in one uniform k/2^bits, by evaluating it at single values."""

    def decided(k: int) -> bool:
        point = torch.tensor(k, dtype=torch.float64).mul(2.0**-bits).to(dtype).reshape((1,) * dim)
        return bool(function(point)) != first

    first = False
    first = decided(0)
    switch = bisect.bisect_left(range(1 << bits), True, key=decided)
    shares = {first: F(switch, 1 << bits), not first: 1 - F(switch, 1 << bits)}
    return {outcome: share for outcome, share in shares.items() if share}


def by_quarters(program: Callable[[Callable[[int], Any]], Hashable], coins: int) -> Masses:
    """Return the law of a program whose coins are compared with quarters alone, by trying one value in each."""
    masses: Counter[Any] = Counter()
    for values in itertools.product(_QUARTERS, repeat=coins):
        left = iter(values)
        masses[program(lambda n, left=left: torch.tensor([next(left) for _ in range(n)]))] += 1  # type: ignore[misc]
    return {outcome: F(count, 4**coins) for outcome, count in masses.items()}
