"""How far `specdec.emitted_distribution` is from the speed at which this machine moves memory.

Run it as ``python -m tests.benchmarks.token_rule`` in a clone, with ``OMP_NUM_THREADS=1``. Every
figure is a ratio within this one run: the ideal is ``numpy.add(a, b, out=c)`` on arrays of the
same size, which reads two rows and writes one, as the law must.
"""

import sys
import time
from collections.abc import Callable

import numpy as np

import specdec
from specdec.token_rule import emit_rows

ROWS, VOCABULARY = 64, 128_256
SHORT = 32


def best(call: Callable[[], object], repeats: int = 11) -> float:
    """Return the least of several timings, in seconds: what disturbs a run only adds to it."""
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def naive(p: np.ndarray, q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return law and alpha as one would write them first, without checks; NaN where p equals q."""
    accepted = np.minimum(p, q)
    alpha = accepted.sum(axis=-1, keepdims=True)
    excess = np.maximum(p - q, 0)
    return accepted + (1 - alpha) * excess / excess.sum(axis=-1, keepdims=True), alpha[..., 0]


def rows(dtype: str) -> tuple[np.ndarray, np.ndarray]:
    """Return two arrays of random rows."""
    rng = np.random.default_rng(0)
    p, q = (rng.random((ROWS, VOCABULARY)) for _ in range(2))
    return tuple((x / x.sum(axis=-1, keepdims=True)).astype(dtype) for x in (p, q))


def full_vocabulary(dtype: str) -> list[str]:
    """Return the ratios for 64 rows of 128,256 tokens."""
    p, q = rows(dtype)
    out = np.empty_like(p)
    ideal = best(lambda: np.add(p, q, out=out))
    fresh = best(lambda: np.add(p, q))
    kernel = best(lambda: emit_rows(p, q, out))
    public = best(lambda: specdec.emitted_distribution(p, q))
    reused = best(lambda: specdec.emitted_distribution(p, q, out=out))
    return [
        f"{dtype}: kernel into a warm output     {kernel / ideal:5.2f} x add into a warm output",
        f"{dtype}: public function, out= given   {reused / ideal:5.2f} x add into a warm output",
        f"{dtype}: public function, fresh output {public / fresh:5.2f} x add into a fresh output",
        f"{dtype}: naive expression, no checks   {best(lambda: naive(p, q)) / fresh:5.2f} x add into a fresh output",
    ]


def short_row() -> str:
    """Return what the checks and blocks cost a row of 32 tokens."""
    rng = np.random.default_rng(0)
    p, q = rng.dirichlet(np.ones(SHORT)), rng.dirichlet(np.ones(SHORT))
    calls = 2000
    public = best(lambda: [specdec.emitted_distribution(p, q) for _ in range(calls)]) / calls
    plain = best(lambda: [naive(p, q) for _ in range(calls)]) / calls
    return f"V = {SHORT}: {1e6 * (public - plain):.1f} us above the naive expression ({public / plain:.2f} times it)"


def main() -> int:
    """Print the figures."""
    for dtype in ("float64", "float32"):
        print(*full_vocabulary(dtype), sep="\n")
    print(short_row())
    return 0


if __name__ == "__main__":
    sys.exit(main())
