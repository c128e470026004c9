"""What the law of block verification along drafted paths costs, beside the token rule on as many rows.

Run it as ``python -m tests.benchmarks.block_rule`` in a clone, with ``OMP_NUM_THREADS=1``. Every figure is a ratio
within this one run. The law has one row more for each path than the token rule is asked for: that of the bonus token.
"""

import argparse
import sys
from collections.abc import Sequence

import numpy as np

import specdec
from specdec.block_rule import path_law
from tests.benchmarks.token_rule import best

PATHS, VOCABULARY, GAMMA = 64, 128_256, 5


def paths(dtype: str, count: int, vocabulary: int, gamma: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return random rows along as many drafted paths, and the tokens."""
    rng = np.random.default_rng(0)
    target, draft = (rng.random((count, length, vocabulary), dtype=np.float32) for length in (gamma + 1, gamma))
    for rows in (target, draft):
        rows /= rows.sum(axis=-1, keepdims=True)
    tokens = rng.integers(0, vocabulary, (count, gamma))
    return target.astype(dtype), draft.astype(dtype), tokens


def ratio(dtype: str, count: int, vocabulary: int, gamma: int, repeats: int) -> str:
    """Return the time of `path_law` over that of `emitted_distribution`."""
    target, draft, tokens = paths("float32", count, vocabulary, gamma)
    if dtype == "float64":  # rows of float32 widened are off one by more than float64 allows
        target, draft = (rows.astype(dtype) for rows in (target, draft))
        for rows in (target, draft):
            rows /= rows.sum(axis=-1, keepdims=True)
    p, q = np.ascontiguousarray(target[:, :gamma]), draft
    token = best(lambda: specdec.emitted_distribution(p, q), repeats)
    block = best(lambda: path_law(target, draft, tokens), repeats)
    return (
        f"{dtype}: path_law {block / token:5.2f} x emitted_distribution on {count * gamma} rows of {vocabulary} tokens"
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--paths", type=int, default=PATHS)
    parser.add_argument("--vocabulary", type=int, default=VOCABULARY)
    parser.add_argument("--gamma", type=int, default=GAMMA)
    parser.add_argument("--repeats", type=int, default=5)
    given = parser.parse_args(arguments)
    for dtype in ("float64", "float32"):
        print(ratio(dtype, given.paths, given.vocabulary, given.gamma, given.repeats))
    return 0


if __name__ == "__main__":
    sys.exit(main())
