"""Pairs of rows on which the float laws round most, by family. For the accuracy test and benchmark."""

from collections.abc import Callable, Iterator
from fractions import Fraction

import numpy as np

from proofs.row_files import Format, exact_row
from proofs.rows import FastError, fast_error

Pair = tuple[np.ndarray, np.ndarray]
SIZES = (1, 2, 3, 10, 100, 1_000, 10_000)
FULL = 128_256


def error(pair: Pair) -> FastError:
    """Return the exact errors of the float law on a pair, in eps."""
    found = fast_error(*pair, *(exact_row(row, "row", Format()) for row in pair))
    if not isinstance(found, FastError):
        raise ValueError(f"the float law refuses the pair: {found}")
    return found


def relative_error(pair: Pair) -> float:
    """Return the greatest relative error of dist against p, over tokens with p(x) > 2**-20, in eps.

    The rows' own sums are off one by a few eps, which is part of it.
    """
    import specdec

    dist = specdec.emitted_distribution(*pair).dist
    eps = float(np.finfo(dist.dtype).eps)
    tokens = np.flatnonzero(pair[0] > 2.0**-20)
    errors = (abs(Fraction(float(dist[x])) / Fraction(float(pair[0][x])) - 1) for x in tokens.tolist())
    return float(max(errors, default=Fraction(0))) / eps


def _normalised(row: np.ndarray, dtype: str) -> np.ndarray:
    return np.asarray(row / row.sum(), dtype)


def dirichlet(dtype: str, sizes: tuple[int, ...] = SIZES) -> Iterator[Pair]:
    """Random rows, peaked and flat, of each size."""
    rng = np.random.default_rng(1)
    for size in sizes:
        for concentration in (0.05, 1.0, 20.0):
            for _ in range(8 if size <= 1_000 else 1):
                p, q = (rng.dirichlet(np.full(size, concentration)) for _ in range(2))
                yield _normalised(p, dtype), _normalised(q, dtype)


def one_ulp_apart(dtype: str, sizes: tuple[int, ...] = SIZES) -> Iterator[Pair]:
    """The draft is the target, with one entry moved by one ulp."""
    rng = np.random.default_rng(2)
    for p, _ in dirichlet(dtype, sizes):
        near = p.copy()
        at = int(rng.integers(p.size))
        near[at] = np.nextafter(near[at], np.array(0, dtype))
        yield p, near
        yield near, p


def tiny_residual(dtype: str) -> Iterator[Pair]:
    """Residual masses from 2**-5 down to the smallest subnormal, 1e-17 among them."""
    smallest = float(np.finfo(dtype).smallest_subnormal)
    for mass in (2.0**-5, 2.0**-7, 1e-5, 1e-10, 1e-17, 1e-30, 1e-44, 1e-300):
        if mass >= smallest:
            yield np.array([0.5, 0.5 - mass, mass, 0.0], dtype), np.array([0.5, 0.5 - mass, 0.0, mass], dtype)
            yield np.array([0.25, 0.75 - mass, mass, 0.0], dtype), np.array([0.25, 0.75, 0.0, 0.0], dtype)


def subnormals(dtype: str) -> Iterator[Pair]:
    """Rows with entries that are multiples of the smallest subnormal."""
    smallest = float(np.finfo(dtype).smallest_subnormal)
    for factor in (1, 2, 3, 1000):
        yield np.array([1.0, factor * smallest, 0.0], dtype), np.array([1.0, 0.0, smallest], dtype)
        yield np.array([0.5, 0.5, factor * smallest], dtype), np.array([0.5, 0.25, 0.25], dtype)


def sixty_orders(dtype: str) -> Iterator[Pair]:
    """Entries from 1 down to 1e-60 (in float32 to what it holds), mixed at random."""
    rng = np.random.default_rng(3)
    for _ in range(20):
        p, q = (10.0 ** -rng.uniform(0, 60 if dtype == "float64" else 44, 200) for _ in range(2))
        yield _normalised(p, dtype), _normalised(q, dtype)


FAMILIES: dict[str, Callable[[str], Iterator[Pair]]] = {
    "Dirichlet": dirichlet,
    "one ulp apart": one_ulp_apart,
    "tiny residual": tiny_residual,
    "subnormals": subnormals,
    "sixty orders of magnitude": sixty_orders,
}
