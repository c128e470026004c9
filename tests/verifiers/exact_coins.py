"""Exact laws where one coin decides twice, coins are counted, or a block is judged as a whole."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from math import prod

from tests.verifiers.exact_laws import (
    ONE,
    ZERO,
    Outcomes,
    Prefix,
    RowOf,
    blocks,
    coin_cells,
    collect,
    gains,
    ratio,
    scaled,
)
from tests.verifiers.records import Row

__all__ = ["Block", "counted_coins", "gone_on", "largest", "largest_with_one_coin", "one_coin", "until_failure"]


def one_coin(p: RowOf, q: RowOf, gamma: int) -> Outcomes:
    """The same uniform for every position."""
    pairs = []
    for w, mass in blocks(q, gamma, len(p(()))):
        odds = [ratio(p(w[:i]), q(w[:i]), x) for i, x in enumerate(w)]
        for u, length in coin_cells(odds):
            stop = next((i for i, h in enumerate(odds) if u >= h), gamma)
            end = p(w) if stop == gamma else gains(p(w[:stop]), q(w[:stop]))
            pairs += [((*w[:stop], y), mass * length * m) for y, m in enumerate(end)]
    return collect(pairs)


def counted_coins(p: RowOf, q: RowOf, gamma: int) -> Outcomes:
    """As many tokens as coins were kept."""
    pairs = []
    for w, mass in blocks(q, gamma, len(p(()))):
        odds = [ratio(p(w[:i]), q(w[:i]), x) for i, x in enumerate(w)]
        for coins in product((0, 1), repeat=gamma):
            weight = prod((h if c else 1 - h for c, h in zip(coins, odds, strict=True)), start=mass)
            stop = sum(coins)
            end = p(w) if stop == gamma else gains(p(w[:stop]), q(w[:stop]))
            pairs += [((*w[:stop], y), weight * m) for y, m in enumerate(end)]
    return collect(pairs)


def gone_on(p: RowOf, q: RowOf, gamma: int) -> Outcomes:
    """Every position emits its token or its correction; the rows are those of the drafted prefix."""
    pairs = []
    for w, mass in blocks(q, gamma, len(p(()))):
        law: Outcomes = {(): mass}
        for i, x in enumerate(w):
            h, r = ratio(p(w[:i]), q(w[:i]), x), gains(p(w[:i]), q(w[:i]))
            emitted = [(1 - h) * m + (h if y == x else 0) for y, m in enumerate(r)]
            law = {(*o, y): v * m for o, v in law.items() for y, m in enumerate(emitted) if m}
        pairs += [((*o, y), v * m) for o, v in law.items() for y, m in enumerate(p(w))]
    return collect(pairs)


@dataclass(frozen=True)
class Block:
    """Block verification; `stop` gives Pr(tau = i) from the odds h_1..h_gamma."""

    stop: Callable[[list[Fraction]], list[Fraction]]
    capped: bool = True
    residual_cap: bool = True

    def __call__(self, p: RowOf, q: RowOf, gamma: int) -> Outcomes:
        pairs = []
        for w, mass in blocks(q, gamma, len(p(()))):
            caps = self._caps(p, q, w)
            for tau, weight in enumerate(self.stop(self._odds(p, q, w, caps))):
                pairs += [((*w[:tau], y), mass * weight * m) for y, m in enumerate(self._end(p, q, w, tau, caps[tau]))]
        return collect(pairs)

    def _caps(self, p: RowOf, q: RowOf, w: Prefix) -> list[Fraction]:
        caps = [ONE]
        for i, x in enumerate(w):
            product_ = caps[-1] * p(w[:i])[x] / q(w[:i])[x]
            caps.append(min(ONE, product_) if self.capped else product_)
        return caps

    def _odds(self, p: RowOf, q: RowOf, w: Prefix, caps: list[Fraction]) -> list[Fraction]:
        odds = []
        for i in range(1, len(w)):
            z = sum((max(caps[i] * a - b, ZERO) for a, b in zip(p(w[:i]), q(w[:i]), strict=True)), ZERO)
            odds.append(ONE if caps[i] >= 1 else z / (z + 1 - caps[i]))
        return [*odds, min(ONE, caps[-1])]

    def _end(self, p: RowOf, q: RowOf, w: Prefix, tau: int, cap: Fraction) -> Row:
        if tau == len(w):
            return p(w)
        left = [
            max((cap if self.residual_cap else 1) * a - b, ZERO) for a, b in zip(p(w[:tau]), q(w[:tau]), strict=True)
        ]
        return scaled(left) if any(left) else p(w[:tau])


def largest(odds: list[Fraction]) -> list[Fraction]:
    chances = [ONE, *odds]
    return [chances[i] * prod((1 - h for h in chances[i + 1 :]), start=ONE) for i in range(len(chances))]


def until_failure(odds: list[Fraction]) -> list[Fraction]:
    return [prod(odds[:i], start=ONE) * (1 - odds[i] if i < len(odds) else ONE) for i in range(len(odds) + 1)]


def largest_with_one_coin(odds: list[Fraction]) -> list[Fraction]:
    law = [ZERO] * (len(odds) + 1)
    for u, length in coin_cells(odds):
        law[max((i for i, h in enumerate(odds, start=1) if u < h), default=0)] += length
    return law
