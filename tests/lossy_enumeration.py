"""Lossy rules by brute force: every drafted token, both sides of the coin, every replacement; on ``Fraction`` alone."""

from collections.abc import Callable, Sequence
from decimal import Context, Decimal
from fractions import Fraction

Row = Sequence[Fraction]
Keep = Callable[[Row, Row, int], Fraction]
Replace = Callable[[Row, Row, int], Row]

ZERO, ONE = Fraction(0), Fraction(1)


def enumerated(p: Row, q: Row, keep: Keep, replace: Replace) -> tuple[tuple[Fraction, ...], Fraction]:
    """Law and acceptance of a rule that is a keep-probability and a replacement for each drafted token."""
    law, alpha = [ZERO] * len(p), ZERO
    for x in range(len(p)):
        if q[x] == 0:
            continue
        kept = keep(p, q, x)
        law[x] += q[x] * kept
        alpha += q[x] * kept
        if kept < 1:
            for y, chance in enumerate(replace(p, q, x)):
                law[y] += q[x] * (1 - kept) * chance
    return tuple(law), alpha


def share(weights: Row) -> tuple[Fraction, ...]:
    return tuple(w / sum(weights) for w in weights)


def lenience(scale: Fraction, residual: str) -> tuple[Keep, Replace]:
    factor = ONE if residual == "difference" else scale

    def replace(p: Row, q: Row, _: int) -> Row:
        return share([p[y] - factor * q[y] if p[y] > factor * q[y] else ZERO for y in range(len(p))])

    return lambda p, q, x: min(ONE, p[x] / (scale * q[x])), replace


def synthetic(r: Fraction) -> tuple[Keep, Replace]:
    return lambda p, q, x: r, lambda p, q, x: p


def ensemble(w: Fraction) -> tuple[Keep, Replace]:
    def mix(p: Row, q: Row) -> list[Fraction]:
        return [w * p[y] + (1 - w) * q[y] for y in range(len(p))]

    def replace(p: Row, q: Row, _: int) -> Row:
        return share([m - b if m > b else ZERO for m, b in zip(mix(p, q), q, strict=True)])

    return lambda p, q, x: min(ONE, mix(p, q)[x] / q[x]), replace


def sglang(single: Fraction, acc: Fraction) -> tuple[Keep, Replace]:
    def replace(p: Row, _: Row, x: int) -> Row:
        return share([ZERO if y == x else p[y] for y in range(len(p))])

    return lambda p, q, x: ONE if p[x] >= single else min(ONE, p[x] / acc), replace


def relaxed(n: int, delta: Fraction, replacement: str) -> tuple[Keep, Replace]:
    def member(p: Row, x: int) -> bool:
        ahead = [y for y in range(len(p)) if p[y] > p[x] or (p[y] == p[x] and y < x)]
        return len(ahead) < n and p[x] + delta >= max(p)

    return by_set(member, replacement)


def typical(epsilon: Fraction, delta: Fraction, replacement: str) -> tuple[Keep, Replace]:
    return by_set(lambda p, x: above_threshold(p, x, epsilon, delta), replacement)


def by_set(member: Callable[[Row, int], bool], replacement: str) -> tuple[Keep, Replace]:
    def replace(p: Row, _: Row, __: int) -> Row:
        if replacement == "target":
            return p
        if replacement == "top":
            best = max(range(len(p)), key=lambda y: (p[y], -y))
            return [Fraction(y == best) for y in range(len(p))]
        kept = [p[y] if member(p, y) else ZERO for y in range(len(p))]
        return share(kept) if sum(kept) else p

    return lambda p, q, x: Fraction(member(p, x)), replace


def above_threshold(p: Row, x: int, epsilon: Fraction, delta: Fraction) -> bool:
    """Whether p(x) > min(epsilon, delta exp(-H)): by 200 digits, and equal where they agree to 150."""
    if p[x] > epsilon:
        return True
    if delta == 0 or p[x] == 0:
        return p[x] > 0
    context = Context(prec=200)

    def ln(value: Fraction) -> Decimal:
        return context.subtract(Decimal(value.numerator).ln(context), Decimal(value.denominator).ln(context))

    def times(value: Fraction, factor: Decimal) -> Decimal:
        return context.divide(context.multiply(Decimal(value.numerator), factor), Decimal(value.denominator))

    difference = context.subtract(ln(p[x]), ln(delta))
    for mass in p:
        if mass:
            difference = context.subtract(difference, times(mass, ln(mass)))
    return difference > Decimal("1e-150")
