"""How much longer `specdec.chain_rule.path_law` takes than the token rule on as many rows.

Run it as ``python -m tests.benchmarks.chain_rule`` in a clone, with ``OMP_NUM_THREADS=1``. Every figure is a ratio
within this one run. The law of a path has the bonus rows besides, a sixth more to read and to write for gamma = 5.
"""

import sys
from collections.abc import Callable

import numpy as np

import specdec
from specdec.chain_rule import path_law
from tests.benchmarks.token_rule import best

CALLS, GAMMA, VOCABULARY = 64, 5, 128_256


def ratios(dtype: str) -> list[str]:
    """Return the ratios for one dtype: with outputs given, and with fresh ones."""
    rng = np.random.default_rng(0)
    target, draft = (rng.random((CALLS, n, VOCABULARY), np.float32) for n in (GAMMA + 1, GAMMA))
    target, draft = ((x / x.sum(-1, keepdims=True, dtype=float)).astype(dtype) for x in (target, draft))
    tokens = rng.integers(0, VOCABULARY, (CALLS, GAMMA))
    p, q = np.ascontiguousarray(target[:, :GAMMA]).reshape(-1, VOCABULARY), draft.reshape(-1, VOCABULARY)
    out, rows = np.empty_like(target), np.empty_like(p)
    warm = _ratio(
        lambda: path_law(target, draft, tokens, out=out), lambda: specdec.emitted_distribution(p, q, out=rows)
    )
    fresh = _ratio(lambda: path_law(target, draft, tokens), lambda: specdec.emitted_distribution(p, q))
    where = f"x the token rule on {CALLS * GAMMA} rows"
    return [
        f"{dtype}: path_law, out= given   {warm:5.2f} {where}",
        f"{dtype}: path_law, fresh output {fresh:5.2f} {where}",
    ]


def _ratio(ours: Callable[[], object], other: Callable[[], object]) -> float:
    """Take turns, so that what disturbs the machine for a while disturbs both."""
    times = [(best(ours, 1), best(other, 1)) for _ in range(9)]
    return min(a for a, _ in times) / min(b for _, b in times)


def main() -> int:
    """Print the figures."""
    for dtype in ("float64", "float32"):
        print(*ratios(dtype), sep="\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
