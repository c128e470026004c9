"""The exact law of one token for each kind of sibling verifier, enumerated over the drafted tuples."""

from collections.abc import Callable, Iterator
from fractions import Fraction

from tests.verifiers.exact_laws import ONE, ZERO, gains, ratio, scaled
from tests.verifiers.records import Row

__all__ = ["SIBLINGS", "sibling_law"]

Judge = Callable[[Row, Row, tuple[int, ...]], Row]


def drawn(q: Row, k: int, replacement: bool) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """Every tuple of k siblings with its probability."""
    if k == 0:
        yield (), ONE
        return
    for head, weight in drawn(q, k - 1, replacement):
        left = q if replacement else tuple(ZERO if x in head else m for x, m in enumerate(q))
        yield from (((*head, x), weight * m / sum(left)) for x, m in enumerate(left) if m)


def sibling_law(kind: str, p: Row, q: Row, k: int, replacement: bool) -> Row:
    law = [ZERO] * len(p)
    for tokens, weight in drawn(q, k, replacement):
        for y, mass in enumerate(SIBLINGS[kind](p, q, tokens)):
            law[y] += weight * mass
    return tuple(law)


def tried(p: Row, tokens: tuple[int, ...], keeps: list[Fraction], end: Row) -> Row:
    """One coin after the other, then a draw from the end row."""
    law, left = [ZERO] * len(p), ONE
    for x, keep in zip(tokens, keeps, strict=True):
        law[x] += left * keep
        left *= 1 - keep
    return tuple(m + left * e for m, e in zip(law, end, strict=True))


def recursive(p: Row, q: Row, tokens: tuple[int, ...], strike: bool) -> Row:
    r, keeps = p, []
    for x in tokens:
        keeps.append(ratio(r, q, x))
        r = gains(r, q)
        if strike:
            struck = tuple(ZERO if y == x else m for y, m in enumerate(q))
            q = scaled(struck) if any(struck) else struck
    return tried(p, tokens, keeps, r)


def update_forgotten(p: Row, q: Row, tokens: tuple[int, ...]) -> Row:
    return tried(p, tokens, [ratio(p, q, x) for x in tokens], gains(p, q))


def end_too_early(p: Row, q: Row, tokens: tuple[int, ...]) -> Row:
    rows = [p]
    for _ in tokens[1:]:
        rows.append(gains(rows[-1], q))
    return tried(p, tokens, [ratio(r, q, x) for r, x in zip(rows, tokens, strict=True)], rows[-1])


def duplicates_twice(p: Row, q: Row, tokens: tuple[int, ...]) -> Row:
    law, below = [ZERO] * len(p), ZERO
    for x in tokens:
        law[x] += min(below + p[x], ONE) - below
        below = min(below + p[x], ONE)
    rest = tuple(ZERO if y in tokens else m for y, m in enumerate(p))
    end = scaled(rest) if any(rest) else p
    return tuple(m + (1 - below) * e for m, e in zip(law, end, strict=True))


def k_seq(p: Row, q: Row, tokens: tuple[int, ...], rho: int) -> Row:
    kept = [min(b, a / rho) for a, b in zip(p, q, strict=True)]
    tries = sum((1 - sum(kept)) ** j for j in range(len(tokens)))
    left = [max(a - h * tries, ZERO) for a, h in zip(p, kept, strict=True)]
    keeps = [h / q[x] for x in tokens for h in [kept[x]]]
    return tried(p, tokens, keeps, scaled(left) if any(left) else p)


SIBLINGS: dict[str, Judge] = {
    "with replacement": lambda p, q, tokens: recursive(p, q, tokens, strike=False),
    "without replacement": lambda p, q, tokens: recursive(p, q, tokens, strike=True),
    "K-SEQ": lambda p, q, tokens: k_seq(p, q, tokens, rho=len(tokens)),
    "residual not updated between drafts": update_forgotten,
    "last residual skipped": end_too_early,
    "draft not renormalised": lambda p, q, tokens: recursive(p, q, tokens, strike=False),
    "duplicate counted twice": duplicates_twice,
    "K-SEQ with rho 1": lambda p, q, tokens: k_seq(p, q, tokens, rho=1),
}
