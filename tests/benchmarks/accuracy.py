"""Worst errors of the float law, in units of eps, by family of rows and against exact rationals.

Run it as ``python -m tests.benchmarks.accuracy`` in a clone. The bound that the docstrings state
is held by ``tests/test_accuracy.py`` on the same families.
"""

import sys

from tests.accuracy import FAMILIES, FULL, Pair, dirichlet, error, one_ulp_apart, relative_error


def _line(dtype: str, family: str, pairs: list[Pair]) -> str:
    dist, alpha = (max(errors) for errors in zip(*map(error, pairs), strict=True))
    relative = max(map(relative_error, pairs))
    return f"{dtype} {family:<28} {len(pairs):>4} pairs  dist {dist:5.2f}  alpha {alpha:5.2f}  relative {relative:9.2f}"


def main() -> int:
    """Print the figures: absolute errors of dist and alpha, relative error of dist where p(x) > 2**-20."""
    for dtype in ("float64", "float32"):
        for family, pairs in FAMILIES.items():
            print(_line(dtype, family, list(pairs(dtype))))
        for family, pairs in (("Dirichlet", dirichlet), ("one ulp apart", one_ulp_apart)):
            print(_line(dtype, f"{family}, V = {FULL}", list(pairs(dtype, (FULL,)))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
