"""The exact law of one call for each kind of fault: a keep-probability, a correction and a bonus row."""

from collections.abc import Callable
from fractions import Fraction
from itertools import accumulate
from math import floor, prod

from tests.verifiers.exact_coins import (
    Block,
    counted_coins,
    gone_on,
    largest,
    largest_with_one_coin,
    one_coin,
    until_failure,
)
from tests.verifiers.exact_laws import (
    ONE,
    ZERO,
    Chain,
    Outcomes,
    Prefix,
    RowOf,
    coin_cells,
    gains,
    one_hot,
    ratio,
    scaled,
    top_two,
    within,
)
from tests.verifiers.records import Row

__all__ = ["CHAINS"]


def stale(p: RowOf) -> RowOf:
    """The row of the first position that had the same last token."""
    return lambda w: p(w[: w.index(w[-1]) + 1]) if w else p(w)


def stale_chain(p: RowOf, q: RowOf, gamma: int) -> Outcomes:
    return Chain()(stale(p), q, gamma)


def without(row: Row, x: int) -> Row:
    return scaled(ZERO if y == x else m for y, m in enumerate(row))


def running_product(p: RowOf, q: RowOf, w: Prefix, x: int) -> Fraction:
    block = (*w, x)
    return min(ONE, prod((p(block[:i])[y] / q(block[:i])[y] for i, y in enumerate(block)), start=ONE))


def sixteen_points(p: Row, q: Row, x: int) -> Fraction:
    return min(ONE, Fraction(floor(16 * p[x] / q[x]) + 1, 16))


def clipped(p: Row, q: Row) -> list[Fraction]:
    return [max(a - b, ZERO) for a, b in zip(p, q, strict=True)]


def multinomial_raw(p: Row, q: Row) -> Row:
    head = clipped(p, q)[:-1]
    return (*head, ONE - sum(head))


def cdf_raw(p: Row, q: Row) -> Row:
    rest = clipped(p, q)[1:]
    return (ONE - sum(rest), *rest)


def signed_cdf(p: Row, q: Row) -> Row:
    """First y whose cumulative signed sum exceeds u, token 0 where there is none."""
    mass = sum(clipped(p, q))
    sums = list(accumulate((a - b) / mass for a, b in zip(p, q, strict=True)))
    law = [ZERO] * len(p)
    for u, length in coin_cells(sums):
        law[next((y for y, c in enumerate(sums) if c > u), 0)] += length
    return tuple(law)


def left_side(row: Row) -> Row:
    """Inverse CDF from the left, on the points k/8."""
    sums = list(accumulate(row))
    law = [ZERO] * len(row)
    for k in range(8):
        law[next(y for y, c in enumerate(sums) if c >= Fraction(k, 8))] += Fraction(1, 8)
    return tuple(law)


def epsilon(eps: Fraction) -> Chain:
    return Chain(keep=lambda p, q, w, x: min(ONE, p(w)[x] / (q(w)[x] + eps)))


CHAINS: dict[str, Callable[[RowOf, RowOf, int], Outcomes]] = {
    "token rule": Chain(),
    "block rule": Block(largest),
    "always keep": Chain(keep=lambda p, q, w, x: ONE),
    "greedy drafter": Chain(drawn=one_hot),
    "drafter draws from the top two": Chain(drawn=top_two),
    "correction from p": Chain(correct=lambda p, q, w, x: p(w)),
    "residual at the drafted token only": Chain(correct=lambda p, q, w, x: without(p(w), x)),
    "row off by one in the correction": Chain(correct=lambda p, q, w, x: gains(p(w), q((*w, x)))),
    "input changed before the test": Chain(keep=lambda p, q, w, x: ZERO, correct=lambda p, q, w, x: without(p(w), x)),
    "boundary kept, 16 points": Chain(keep=lambda p, q, w, x: sixteen_points(p(w), q(w), x)),
    "boundary kept, float64": Chain(keep=lambda p, q, w, x: ratio(p(w), q(w), x) or Fraction(1, 2**53)),
    "inverted ratio": Chain(keep=lambda p, q, w, x: ratio(q(w), p(w), x)),
    "absolute residual": Chain(
        correct=lambda p, q, w, x: scaled(abs(a - b) for a, b in zip(p(w), q(w), strict=True)),
    ),
    "reversed residual": Chain(correct=lambda p, q, w, x: gains(q(w), p(w))),
    "argmax residual": Chain(correct=lambda p, q, w, x: one_hot(gains(p(w), q(w)))),
    "block stops at the first failed coin": Block(until_failure),
    "bonus from q": Chain(bonus=lambda p, q, w: q(w[:-1])),
    "block with one coin": Block(largest_with_one_coin),
    "block with the residual of the token rule": Block(largest, residual_cap=False),
    "block without the cap": Block(largest, capped=False),
    "running product of ratios": Chain(keep=running_product),
    "residual masked by the draft": Chain(
        correct=lambda p, q, w, x: gains(tuple(a if b else ZERO for a, b in zip(p(w), q(w), strict=True)), q(w)),
    ),
    "token 0 taken for no rejection": Chain(correct=lambda p, q, w, x: gains(p(w), q(w)) if x else p(w)),
    "epsilon 2^-10": epsilon(Fraction(1, 1024)),
    "epsilon 1e-10": epsilon(Fraction(1e-10)),
    "residual not clamped": Chain(correct=lambda p, q, w, x: signed_cdf(p(w), q(w))),
    "residual into multinomial as it is": Chain(correct=lambda p, q, w, x: multinomial_raw(p(w), q(w))),
    "residual into the CDF as it is": Chain(correct=lambda p, q, w, x: cdf_raw(p(w), q(w))),
    "first residual everywhere": Chain(correct=lambda p, q, w, x: gains(p(()), q(()))),
    "bonus from the previous row": Chain(bonus=lambda p, q, w: p(w[:-1])),
    "one coin for all positions": one_coin,
    "coin reused for the residual": Chain(
        correct=lambda p, q, w, x: within(gains(p(w), q(w)), ratio(p(w), q(w), x), ONE),
    ),
    "coin reused for the bonus": Chain(
        bonus=lambda p, q, w: within(p(w), ZERO, ratio(p(w[:-1]), q(w[:-1]), w[-1])),
    ),
    "duplicates kept": Chain(keep=lambda p, q, w, x: ONE if w[-1:] == (x,) else ratio(p(w), q(w), x)),
    "top two at the bonus": Chain(bonus=lambda p, q, w: top_two(p(w))),
    "stale row": stale_chain,
    "kept coins counted": counted_coins,
    "goes on after a correction": gone_on,
    "undeclared lenience": Chain(keep=lambda p, q, w, x: min(ONE, p(w)[x] / q(w)[x] * Fraction(4, 3))),
    "keep where p >= q, token rule's residual": Chain(keep=lambda p, q, w, x: Fraction(p(w)[x] >= q(w)[x])),
    "flipped comparison": Chain(keep=lambda p, q, w, x: 1 - ratio(p(w), q(w), x)),
    "uniform over the gains": Chain(
        correct=lambda p, q, w, x: scaled(Fraction(a > b) for a, b in zip(p(w), q(w), strict=True)),
    ),
    "greedy on a soft target": Chain(
        keep=lambda p, q, w, x: one_hot(p(w))[x],
        correct=lambda p, q, w, x: one_hot(p(w)),
        bonus=lambda p, q, w: one_hot(p(w)),
    ),
    "leak": Chain(keep=lambda p, q, w, x: (1 + 31 * ratio(p(w), q(w), x)) / 32),
    "greedy bonus": Chain(bonus=lambda p, q, w: one_hot(p(w))),
    "left side of the CDF": Chain(
        correct=lambda p, q, w, x: left_side(gains(p(w), q(w))),
        bonus=lambda p, q, w: left_side(p(w)),
    ),
}
