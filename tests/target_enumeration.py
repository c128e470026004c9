"""Transformations of rows by their definitions, token by token, on ``Fraction`` alone."""

from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction

Row = Sequence[Fraction]
ZERO = Fraction(0)


def share(weights: Iterable[Fraction]) -> tuple[Fraction, ...]:
    entries = tuple(weights)
    return tuple(w / sum(entries) for w in entries)


def before(row: Row, x: int) -> list[int]:
    """The tokens that come before x from the greatest down, of equals the lower id first."""
    return [y for y in range(len(row)) if row[y] > row[x] or (row[y] == row[x] and y < x)]


def cold(row: Row, n: int) -> tuple[Fraction, ...]:
    """Temperature 1/n."""
    return share(w**n for w in row)


def top_k(row: Row, k: int, ties: str = "lowest") -> tuple[Fraction, ...]:
    if ties == "lowest":
        return share(w if len(before(row, x)) < k else ZERO for x, w in enumerate(row))
    return share(w if sum(v > w for v in row) < k else ZERO for w in row)


def top_p(row: Row, mass: Fraction, boundary: str = ">=") -> tuple[Fraction, ...]:
    law = share(row)

    def stays(x: int) -> bool:
        ahead = sum((law[y] for y in before(law, x)), ZERO)
        return ahead < mass or (ahead == mass and boundary == ">")

    return share(w if stays(x) else ZERO for x, w in enumerate(law))


def min_p(row: Row, fraction: Fraction) -> tuple[Fraction, ...]:
    return share(w if all(w >= fraction * v for v in row) else ZERO for w in row)


def penalty(row: Row, tokens: Iterable[int], theta: int) -> tuple[Fraction, ...]:
    """Of weights of at most one, whose logits are not positive."""
    seen = set(tokens)
    return share(w**theta if x in seen else w for x, w in enumerate(row))


def bias(row: Row, factors: Mapping[int, Fraction]) -> tuple[Fraction, ...]:
    return share(w * factors[x] if x in factors else w for x, w in enumerate(row))


def mask(row: Row, allowed: Iterable[int]) -> tuple[Fraction, ...]:
    kept = list(allowed)
    return share(w if x in kept else ZERO for x, w in enumerate(row))
