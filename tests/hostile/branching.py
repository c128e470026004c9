"""A small exact enumerator of programs that toss coins, to hold the tables to. Shares no code with the packages."""

import itertools
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any
from unittest.mock import patch

import numpy as np

__all__ = ["Branching", "Law", "NotFollowed", "distance", "exact_law"]

Law = dict[tuple[int, ...], Fraction]

_MOST_CHOICES = 40

# Any entry of a row by its prefix: rows differ from prefix to prefix, and have zeros and equal rows among them.
_TARGET = ((1, 3, 4), (4, 1, 3), (2, 4, 2), (0, 5, 3), (4, 2, 2), (3, 1, 4), (2, 6, 0), (5, 2, 1))
_DRAFT = ((4, 2, 2), (2, 4, 2), (2, 4, 2), (4, 1, 3), (1, 0, 7), (4, 2, 2), (3, 1, 4), (2, 2, 4))


class NotFollowed(BaseException):
    """The program does something that this enumerator has no answer to."""


class _Path:
    def __init__(self, script: tuple[int, ...]) -> None:
        self.script = script
        self.taken: list[int] = []
        self.options: list[int] = []
        self.weight = Fraction(1)

    def choose(self, odds: list[Fraction]) -> int:
        """Return an option of positive probability: the scripted one, or the first."""
        live = [i for i, odd in enumerate(odds) if odd > 0]
        if len(live) == 1:
            return live[0]
        if len(self.taken) == _MOST_CHOICES:
            raise NotFollowed
        at = self.script[len(self.taken)] if len(self.taken) < len(self.script) else 0
        self.taken.append(at)
        self.options.append(len(live))
        self.weight *= odds[live[at]] / sum(odds)
        return live[at]

    def next_script(self) -> tuple[int, ...] | None:
        """Return the script of the next path in order, or None after the last."""
        for i in reversed(range(len(self.taken))):
            if self.taken[i] + 1 < self.options[i]:
                return (*self.taken[:i], self.taken[i] + 1)
        return None


class _Uniform:
    def __init__(self, path: _Path) -> None:
        self.path, self.low, self.high = path, Fraction(0), Fraction(1)

    def below(self, threshold: Fraction) -> bool:
        cut = min(max(threshold, self.low), self.high)
        if self.path.choose([cut - self.low, self.high - cut]) == 0:
            self.high = cut
            return True
        self.low = cut
        return False


class _Coin:
    """A uniform, scaled and shifted by constants."""

    def __init__(self, uniform: _Uniform, scale: Fraction = Fraction(1), shift: Fraction = Fraction(0)) -> None:
        self.uniform, self.scale, self.shift = uniform, scale, shift

    def __mul__(self, other: Any) -> "_Coin":
        return _Coin(self.uniform, self.scale * _constant(other), self.shift * _constant(other))

    def __add__(self, other: Any) -> "_Coin":
        return _Coin(self.uniform, self.scale, self.shift + _constant(other))

    __rmul__, __radd__ = __mul__, __add__

    def __truediv__(self, other: Any) -> "_Coin":
        return self * (1 / _constant(other))

    def __sub__(self, other: Any) -> "_Coin":
        return self + -_constant(other)

    def __rsub__(self, other: Any) -> "_Coin":
        return _Coin(self.uniform, -self.scale, _constant(other) - self.shift)

    def __deepcopy__(self, memo: Any) -> "_Coin":
        return self

    def __lt__(self, other: Any) -> bool:
        if other is self:  # searchsorted asks so
            return False
        gap = _constant(other) - self.shift
        if self.scale == 0:
            return gap > 0
        below = self.uniform.below(gap / self.scale)
        return below if self.scale > 0 else not below

    def __gt__(self, other: Any) -> bool:
        return other is not self and not self < other

    # A coin equals a constant with probability zero.
    __le__, __ge__ = __lt__, __gt__

    def __eq__(self, other: object) -> bool:
        raise NotFollowed

    __hash__ = None  # type: ignore[assignment]


def _constant(value: Any) -> Fraction:
    if isinstance(value, _Coin):
        raise NotFollowed
    return Fraction(value.item() if isinstance(value, np.generic) else value)


class _Seed:
    """What a stream of uniforms is known by: whoever has the seed gets the same ones from the start."""

    def __init__(self, path: _Path) -> None:
        self.path = path
        self.stream: list[_Uniform] = []


class Branching(np.random.Generator):
    """A generator of choices instead of draws."""

    def __init__(self, path: _Path, stream: list[_Uniform] | None = None) -> None:
        super().__init__(np.random.PCG64(0))
        self.path = path
        self.stream: list[_Uniform] = [] if stream is None else stream
        self.drawn = 0

    def __getattribute__(self, name: str) -> Any:
        if name in vars(Branching) or name in ("path", "stream", "drawn", "__class__"):
            return super().__getattribute__(name)
        raise NotFollowed(name)

    def random(self, size: Any = None) -> Any:  # type: ignore[override]
        if size is not None:
            coins = np.empty(size, dtype=object)
            for index in np.ndindex(coins.shape):
                coins[index] = self.random()
            return coins
        self.drawn += 1
        if self.drawn > len(self.stream):
            self.stream.append(_Uniform(self.path))
        return _Coin(self.stream[self.drawn - 1])

    def uniform(self, low: Any, high: Any) -> Any:  # type: ignore[override]
        return self.random() * (high - low) + low

    def integers(self, high: Any) -> Any:  # type: ignore[override]
        if high == 2**63:
            return _Seed(self.path)
        return self.path.choose([Fraction(1, high)] * high)

    def choice(self, a: Any, size: Any = None, replace: bool = True, p: Any = None) -> Any:  # type: ignore[override]
        chosen = self.path.choose([Fraction(x) for x in p])
        return chosen if size is None else [chosen]

    def multinomial(self, n: int, pvals: Any) -> Any:  # type: ignore[override]
        chosen = self.path.choose([Fraction(x) for x in pvals])
        return np.arange(len(pvals)) == chosen

    def binomial(self, n: int, p: Any) -> Any:  # type: ignore[override]
        return self.path.choose([1 - Fraction(p), Fraction(p)])

    def permutation(self, x: Any) -> Any:  # type: ignore[override]
        orders = list(itertools.permutations(range(x)))
        return np.array(orders[self.path.choose([Fraction(1, len(orders))] * len(orders))])

    def shuffle(self, x: Any) -> None:  # type: ignore[override]
        x[:] = [x[i] for i in self.permutation(len(x))]


def _default_rng(seed: Any = None) -> Any:
    if isinstance(seed, _Seed):
        return Branching(seed.path, seed.stream)
    return seed if isinstance(seed, Branching) else np.random.Generator(np.random.PCG64(seed))


def exact_law(program: Callable[[Branching], tuple[int, ...]]) -> Law:
    """Return the law of a program's outcome; raises what the program raises."""
    law: Law = {}
    script: tuple[int, ...] | None = ()
    while script is not None:
        path = _Path(script)
        with patch.object(np.random, "default_rng", _default_rng):
            outcome = program(Branching(path))
        law[outcome] = law.get(outcome, Fraction(0)) + path.weight
        script = path.next_script()
    return law


def _row(table: tuple[tuple[int, ...], ...], prefix: tuple[int, ...], start: int) -> list[Fraction]:
    place = start + sum((x + 2) * 3**i for i, x in enumerate(prefix)) + len(prefix)
    return [Fraction(k, 8) for k in table[place % len(table)]]


def _rows(table: tuple[tuple[int, ...], ...], tokens: tuple[int, ...], start: int, count: int) -> Any:
    return np.array([_row(table, tokens[:i], start) for i in range(count)], dtype=object)


def distance(verify: Any, gamma: int, start: int, drafter: Any = None) -> Fraction:
    """Return the exact total variation on gamma + 1 tokens, or 1 for a token that is none.

    `start` chooses the first rows among six pairs; later rows depend on position and prefix.
    """

    def program(rng: Branching) -> tuple[int, ...]:
        tokens: tuple[int, ...] = ()
        for _ in range(gamma):
            row = np.array(_row(_DRAFT, tokens, start), dtype=object)
            tokens += (rng.choice(3, p=row) if drafter is None else int(drafter(tokens, row, rng)),)
        target, draft = _rows(_TARGET, tokens, start, gamma + 1), _rows(_DRAFT, tokens, start, gamma)
        emitted = verify(target, draft, np.array(tokens, dtype=np.int64), rng)
        return tuple(int(x) for x in emitted if x != -1)

    law: Law = {}
    for emitted, weight in exact_law(program).items():
        if not (1 <= len(emitted) <= gamma + 1 and all(0 <= x < 3 for x in emitted)):
            return Fraction(1)
        for sequence, rest in _completions(emitted, gamma + 1, start):
            law[sequence] = law.get(sequence, Fraction(0)) + weight * rest
    target = dict(_completions((), gamma + 1, start))
    return sum((abs(target[y] - law.get(y, 0)) for y in target), Fraction(0)) / 2


def _completions(emitted: tuple[int, ...], length: int, start: int) -> Iterator[tuple[tuple[int, ...], Fraction]]:
    """Yield every sequence that begins with `emitted`, and the target's probability of the rest."""
    if len(emitted) == length:
        yield emitted, Fraction(1)
        return
    for x, mass in enumerate(_row(_TARGET, emitted, start)):
        for sequence, rest in _completions((*emitted, x), length, start):
            yield sequence, mass * rest
