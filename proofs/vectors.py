"""Golden cases of the token rule for ports: rows, drafted tokens and coins in, the emitted tokens out, all exact.

The same cases in the same order every time: nothing is drawn.
"""

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

__all__ = ["GAMMAS", "HEADER", "VOCABULARIES", "Case", "cases", "emitted_by_rule"]

Row = tuple[Fraction, ...]

GAMMAS, VOCABULARIES = (0, 1, 2, 3), (2, 3, 4, 5)

HEADER: dict[str, Any] = {
    "format": "specdec-proofs/vectors/1",
    "rule": "token rule, strict comparison",
    "coins": "gamma + 1 of them, each in [0, 1); one that the call does not come to decides nothing",
    "accept": "for i = 0, 1, ...: tokens[i] is kept if coins[i] * draft[i][x] < target[i][x], with x = tokens[i]",
    "replacement": "at the first i that is not kept, from the weights max(target[i] - draft[i], 0) with coins[i + 1]",
    "bonus": "if all are kept, from target[gamma] with coins[gamma]",
    "draw": "the first token whose cumulative weight exceeds coin * (sum of all weights)",
    "float64": "whether rows, coins, products, differences and sums are exact in float64 too",
}

# Coins that float32 has.
_GRID = 2**24
_TOP = Fraction(_GRID - 1, _GRID)
_IDLE = Fraction(1, 2)  # of a coin that the call does not come to


@dataclass(frozen=True)
class Case:
    """One call, and what a right verifier emits.

    Attributes
    ----------
    name : str
        Of the rows.
    target, draft : tuple of rows
        gamma + 1 and gamma of them.
    tokens : tuple of int
        Each of positive draft probability.
    coins : tuple of Fraction
        gamma + 1 of them: k / 2^24, or a threshold itself.
    """

    name: str
    target: tuple[Row, ...]
    draft: tuple[Row, ...]
    tokens: tuple[int, ...]
    coins: tuple[Fraction, ...]

    @property
    def emitted(self) -> tuple[int, ...]:
        """What a right verifier emits."""
        return emitted_by_rule(self.target, self.draft, self.tokens, self.coins)

    def to_json(self) -> dict[str, Any]:
        """Return the case as JSON values, numbers as "num/den"."""
        return {
            "name": self.name,
            "target": [_texts(row) for row in self.target],
            "draft": [_texts(row) for row in self.draft],
            "tokens": list(self.tokens),
            "coins": _texts(self.coins),
            "emitted": list(self.emitted),
            "float64": all(_is_dyadic(x) for row in (*self.target, *self.draft, self.coins) for x in row),
        }


def _texts(row: Sequence[Fraction]) -> list[str]:
    return [f"{x.numerator}/{x.denominator}" for x in row]


def _is_dyadic(x: Fraction) -> bool:
    return x.denominator & (x.denominator - 1) == 0


def emitted_by_rule(
    target: Sequence[Row], draft: Sequence[Row], tokens: Sequence[int], coins: Sequence[Fraction]
) -> tuple[int, ...]:
    """Return what the token rule emits for given coins, as `HEADER` has it.

    Parameters
    ----------
    target : sequence of gamma + 1 rows
    draft : sequence of gamma rows
    tokens : sequence of gamma ints
        Each of positive draft probability: another one is no draft, and with equal rows nothing could replace it.
    coins : sequence of gamma + 1 Fractions in [0, 1)

    Returns
    -------
    tuple of int
        1 to gamma + 1 tokens; at gamma 0 the bonus token alone.
    """
    for i, x in enumerate(tokens):
        p, q = target[i], draft[i]
        if not coins[i] * q[x] < p[x]:
            return (*tokens[:i], _draw(_residual(p, q), coins[i + 1]))
    return (*tokens, _draw(target[-1], coins[len(tokens)]))


def _residual(p: Row, q: Row) -> Row:
    return tuple(max(a - b, Fraction(0)) for a, b in zip(p, q, strict=True))


def _draw(weights: Row, coin: Fraction) -> int:
    bound = coin * sum(weights)
    return next(token for token, sum_ in enumerate(itertools.accumulate(weights)) if sum_ > bound)


def cases(gammas: Sequence[int] = GAMMAS, vocabularies: Sequence[int] = VOCABULARIES) -> Iterator[Case]:
    """Yield the cases, by gamma, then by the size of the vocabulary.

    Parameters
    ----------
    gammas : sequence of int >= 0
    vocabularies : sequence of int >= 2

    Yields
    ------
    Case
        Each once. The coins are 0, the greatest, every threshold of each decision (acceptance at each position, the
        replacement after each, the bonus token), and what stands next to it on the grid k / 2^24.
    """
    for gamma, size in itertools.product(gammas, vocabularies):
        # Equal cases differ in nothing but the name.
        seen: set[tuple[Any, ...]] = set()
        for name, pairs in _families(size):
            target = tuple(p for p, _ in itertools.islice(itertools.cycle(pairs), gamma + 1))
            draft = tuple(q for _, q in itertools.islice(itertools.cycle(pairs), gamma))
            for tokens in _drafts(draft):
                for coins in _coins(target, draft, tokens):
                    key = (target, draft, tokens, coins)
                    if key not in seen:
                        seen.add(key)
                        yield Case(name, *key)


# --- rows

Pair = tuple[Row, Row]


def _families(size: int) -> Iterator[tuple[str, tuple[Pair, ...]]]:
    """Yield names and pairs of rows that take turns by position."""
    up, down = _slope(size, 16), tuple(reversed(_slope(size, 16)))
    third = _slope(size, 3 * size)
    first, last = _point(size, 0), _point(size, size - 1)
    even, back = (up, down), (down, up)
    yield "slopes", (even, back)
    yield "fractions", ((third, tuple(reversed(third))), (tuple(reversed(third)), up))
    yield "one position apart", ((up, up), back)
    yield "equal rows", ((up, up), (down, down))
    yield "p(x) = 0", ((_without(up, 0), down), (_without(down, size - 1), up))
    yield "q(x) = 0", ((up, _without(down, 0)), (down, _without(up, size - 1)))
    yield "one-hot target", ((first, up), (last, down))
    yield "one-hot draft", ((up, last), (down, first))
    yield "one-hot rows, equal and apart", ((first, first), (first, last))
    yield "disjoint supports", ((_half(size, 0), _half(size, 1)), (_half(size, 1), _half(size, 0)))


def _slope(size: int, total: int) -> Row:
    """Weights 1, 2, 3, ... with what is left to the total on the last token."""
    weights = [*range(1, size)]
    return tuple(Fraction(w, total) for w in (*weights, total - sum(weights)))


def _point(size: int, token: int) -> Row:
    return tuple(Fraction(int(x == token)) for x in range(size))


def _without(row: Row, token: int) -> Row:
    """Move the mass of a token to the next one, so that dyadic rows stay dyadic."""
    moved = list(row)
    other = (token + 1) % len(row)
    moved[other], moved[token] = moved[other] + moved[token], Fraction(0)
    return tuple(moved)


def _half(size: int, side: int) -> Row:
    """A slope over the tokens of one side of the middle."""
    left = (size + 1) // 2
    inside = _slope(left if side == 0 else size - left, 8)
    nothing = (Fraction(0),) * (size - len(inside))
    return inside + nothing if side == 0 else nothing + inside


# --- tokens and coins


def _drafts(draft: Sequence[Row]) -> Iterator[tuple[int, ...]]:
    """Yield two choices of drafted tokens, so that neighbours differ where they can."""
    supports = [[x for x, mass in enumerate(row) if mass] for row in draft]
    for start in (0, 1):
        yield tuple(support[(start + i) % len(support)] for i, support in enumerate(supports))


def _coins(target: Sequence[Row], draft: Sequence[Row], tokens: Sequence[int]) -> Iterator[tuple[Fraction, ...]]:
    """Yield coins: each end of the call, at every threshold of its last draw; and those next to every acceptance."""
    gamma = len(tokens)
    kept: list[Fraction] = []
    for i, x in enumerate(tokens):
        p, q = target[i], draft[i]
        refusing = [coin for coin in _near(p[x] / q[x]) if not coin * q[x] < p[x]]
        for coin in refusing:
            at_an_end = coin in (refusing[0], refusing[-1])
            for last in _near_cumulative(_residual(p, q)) if at_an_end else (_IDLE,):
                yield (*kept, coin, last, *[_IDLE] * (gamma - i - 1))
        keeping = [coin for coin in _near(p[x] / q[x]) if coin * q[x] < p[x]]
        if not keeping:
            return
        for coin in keeping:
            yield (*kept, coin, *[_IDLE] * (gamma - i))
        kept.append(keeping[-1])
    for last in _near_cumulative(target[-1]):
        yield (*kept, last)


def _near_cumulative(weights: Row) -> list[Fraction]:
    total = sum(weights)
    found = {coin for sum_ in itertools.accumulate(weights) for coin in _near(sum_ / total if total else Fraction(1))}
    return sorted(found)


def _near(threshold: Fraction) -> list[Fraction]:
    """Return the coins 0 and the greatest, a threshold, the last below it and the first not below it, in order."""
    scaled = threshold * _GRID
    first = -(-scaled.numerator // scaled.denominator)
    beside = {threshold, Fraction(first - 1, _GRID), Fraction(first, _GRID)}
    return sorted({Fraction(0), _TOP, *(coin for coin in beside if 0 <= coin < 1)})
