"""The law of a function of coins on a grid, by looking for where it changes: boxes on which it is constant.

What is searched is evidence and no proof: a box counts as constant when every probe in it comes to one outcome, and a
piece that no probe falls into is missed. Hence the word: such a law is *swept*.

A tree of boxes is cut, not one grid for all: the coin whose breakpoints show in most contexts is cut first (the coin
that keeps the draft), and the others inside each piece, where they have their own.
"""

import heapq
import itertools
import math
from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

__all__ = ["DENSITY", "MAX_COINS", "MAX_EVALUATIONS", "Sweep", "sweep"]

DENSITY = 1024  # first probes of a coin
MAX_COINS = 8
MAX_EVALUATIONS = 50_000

_ALL_CORNERS = 4  # coins; with more, corners where all coins but one are at the same end
_COARSE, _FINE = 4, 16  # parts of a coin between which a line is probed
_FACES = 32  # a face gets one probe for so many inside

_SHIFTS = 64
_PRIMES = (13, 29, 37, 43, 53, 61, 71, 79)

Point = tuple[int, ...]
Box = tuple[tuple[int, int], ...]  # low <= k < high for each coin
Cut = tuple[int, list[int]]  # a coin, and where pieces begin


@dataclass(frozen=True)
class Sweep:
    """What a sweep came to.

    Attributes
    ----------
    masses : dict of outcome -> Fraction
        Volumes of the boxes; with `remaining` they sum to one.
    remaining : Fraction
        Volume of the boxes that were not brought to an end.
    evaluations : int
    density : int
        In a box that counts as constant, probes lie at most 1 / density of a coin's values apart, along every coin.
    boxes : tuple of (lowest point, highest point, outcome)
        What counts as constant, largest first.
    """

    masses: dict[Any, Fraction]
    remaining: Fraction
    evaluations: int
    density: int
    boxes: tuple[tuple[Point, Point, Any], ...]


def sweep(
    outcome_of: Callable[[Point], Hashable],
    sizes: Sequence[int],
    *,
    density: int = DENSITY,
    max_evaluations: int = MAX_EVALUATIONS,
) -> Sweep:
    """Return the law of `outcome_of` where each coin k is uniform on range(size).

    Parameters
    ----------
    outcome_of : callable
        From a tuple of ints to a hashable outcome; deterministic. What it raises is raised.
    sizes : sequence of int
        Number of values of each coin; with no coin there is one box of volume one.
    density : int
        First probes of a coin, at least; a piece that is as wide as 1 / density of a coin and goes through all of its
        box is found.
    max_evaluations : int
        Once so many are spent, what is left is ``remaining``; the largest boxes are looked at first.

    Returns
    -------
    Sweep

    Raises
    ------
    ValueError
        If a size or a bound is below 1, or there are more than 8 coins.

    Examples
    --------
    >>> sweep(lambda k: k[0] < 3, [8]).masses
    {False: Fraction(5, 8), True: Fraction(3, 8)}
    """
    _check(sizes, density, max_evaluations)
    search = _Search(outcome_of, tuple(sizes), density, max_evaluations)
    search.run()
    masses: dict[Any, Fraction] = {}
    for box, outcome in search.done:
        masses[outcome] = masses.get(outcome, Fraction(0)) + search.volume(box)
    boxes = sorted(search.done, key=lambda one: (-search.volume(one[0]), one[0]))
    return Sweep(
        masses,
        search.remaining,
        len(search.known),
        density,
        tuple((_lowest(box), _highest(box), outcome) for box, outcome in boxes),
    )


def _check(sizes: Sequence[int], density: int, max_evaluations: int) -> None:
    for at, size in enumerate(sizes):
        if size < 1:
            raise ValueError(f"sizes[{at}] = {size}; expected at least 1, such as 2**24.")
    for name, value in (("density", density), ("max_evaluations", max_evaluations)):
        if value < 1:
            raise ValueError(f"{name} = {value}; expected at least 1.")
    if len(sizes) > MAX_COINS:
        raise ValueError(f"sizes has {len(sizes)} coins; expected at most {MAX_COINS}.")


class _SpentError(Exception):
    """Raised when the evaluations are used up."""


@dataclass
class _Search:
    """The boxes that wait, those that are constant, and everything that was evaluated."""

    outcome_of: Callable[[Point], Hashable]
    sizes: Point
    density: int
    left: int
    known: dict[Point, Any] = field(default_factory=dict)
    done: list[tuple[Box, Any]] = field(default_factory=list)
    remaining: Fraction = Fraction(0)

    def volume(self, box: Box) -> Fraction:
        return Fraction(math.prod(high - low for low, high in box), math.prod(self.sizes))

    def at(self, point: Point) -> Any:
        if point not in self.known:
            if not self.left:
                raise _SpentError
            self.left -= 1
            self.known[point] = self.outcome_of(point)
        return self.known[point]

    def run(self) -> None:
        order = itertools.count()
        waiting = [(Fraction(-1), next(order), tuple((0, size) for size in self.sizes))]
        while waiting:
            box = waiting[0][2]
            try:
                cut = self._cut(box)
            except _SpentError:
                break
            heapq.heappop(waiting)
            if cut is None:
                self.done.append((box, self.at(_lowest(box))))
            for piece in [] if cut is None else _pieces(box, cut):
                heapq.heappush(waiting, (-self.volume(piece), next(order), piece))
        self.remaining = sum((self.volume(box) for _, _, box in waiting), Fraction(0))

    def _cut(self, box: Box) -> Cut | None:
        """Return where the box is to be cut, or None for one that counts as constant."""
        return self._cut_on_lines(box, _contexts(box), _COARSE) or self._cut_anywhere(box)

    def _cut_on_lines(self, box: Box, contexts: Sequence[Point], parts: int) -> Cut | None:
        """Probe along every coin in every context; return the breakpoints that the most contexts show, of one coin."""
        seen: Counter[tuple[int, int]] = Counter()
        for coin, (low, high) in enumerate(box):
            ticks = _ticks(low, high, self.sizes[coin], parts)
            # Contexts that differ in this coin alone are one line.
            for line in dict.fromkeys((*point[:coin], low, *point[coin + 1 :]) for point in contexts):
                seen.update((coin, k) for k in self._breaks(line, coin, ticks))
        if not seen:
            return None
        most = max(seen.values())
        best = min(coin for (coin, _), count in seen.items() if count == most)
        return best, sorted(k for (coin, k), count in seen.items() if coin == best and count == most)

    def _breaks(self, line: Point, coin: int, ticks: Sequence[int]) -> Iterator[int]:
        for low, high in itertools.pairwise(ticks):
            if self.at(_moved(line, coin, low)) != self.at(_moved(line, coin, high)):
                yield self._bisected(line, coin, low, high)

    def _bisected(self, line: Point, coin: int, low: int, high: int) -> int:
        """Return a k at which the outcome is not that at k - 1; it differs between the ends."""
        before = self.at(_moved(line, coin, low))
        while high - low > 1:
            middle = (low + high) // 2
            if self.at(_moved(line, coin, middle)) == before:
                low = middle
            else:
                high = middle
        return high

    def _cut_anywhere(self, box: Box) -> Cut | None:
        """Probe edges, corners, faces and the inside densely; a probe that differs leads to a breakpoint."""
        ends = [_lowest(box), _highest(box)]
        found = self._cut_on_lines(box, _corners(box), _COARSE) or self._cut_on_lines(box, ends, _FINE)
        if found is not None:
            return found
        first = _lowest(box)
        expected = self.at(first)
        for point in itertools.chain(self._inside(box), self._faces(box)):
            if self.at(point) != expected:
                return self._towards(first, point)
        return None

    def _towards(self, first: Point, point: Point) -> Cut:
        """Walk from one point to another whose outcome differs, coin by coin, and bisect where it changes."""
        here = first
        for coin, k in enumerate(point):
            there = _moved(here, coin, k)
            if self.at(there) != self.at(here):
                low, high = sorted((here[coin], k))
                return coin, [self._bisected(here, coin, low, high)]
            here = there
        raise ValueError("outcome_of has another outcome for the same coins.")

    def _inside(self, box: Box) -> Iterator[Point]:
        """Yield a lattice whose values lie at most 1 / density of each coin apart, on all coins at once."""
        return _lattice(box, self._count(box, self.density))

    def _faces(self, box: Box) -> Iterator[Point]:
        """Yield coarser lattices on the faces, and next to the lower ones."""
        for coin, (low, high) in enumerate(box) if len(box) > 1 else ():
            for k in {low, min(low + 1, high - 1), high - 1}:
                face = (*box[:coin], (k, k + 1), *box[coin + 1 :])
                yield from _lattice(face, self._count(face, max(self.density // _FACES, 1)))

    def _count(self, box: Box, density: int) -> int:
        wanted = max(
            (-(-(high - low) * density // size) for (low, high), size in zip(box, self.sizes, strict=True)), default=1
        )
        return 1 << (max(wanted, 1) - 1).bit_length()


def _lowest(box: Box) -> Point:
    return tuple(low for low, _ in box)


def _highest(box: Box) -> Point:
    return tuple(high - 1 for _, high in box)


def _moved(point: Point, coin: int, k: int) -> Point:
    return (*point[:coin], k, *point[coin + 1 :])


def _pieces(box: Box, cut: Cut) -> Iterator[Box]:
    coin, starts = cut
    low, high = box[coin]
    for edges in itertools.pairwise([low, *starts, high]):
        yield (*box[:coin], edges, *box[coin + 1 :])


def _contexts(box: Box) -> list[Point]:
    """Return the points whose lines are looked at first: both ends, the middle, and two that are in no line."""
    return [_lowest(box), *_lattice(box, 4), _highest(box)]


def _corners(box: Box) -> list[Point]:
    ends = [(low, high - 1) for low, high in box]
    if len(box) <= _ALL_CORNERS:
        return list(itertools.product(*ends))
    plain = [tuple(end[side] for end in ends) for side in (0, 1)]
    odd = [_moved(plain[side], coin, ends[coin][1 - side]) for side in (0, 1) for coin in range(len(box))]
    return [*plain, *odd]


def _ticks(low: int, high: int, size: int, parts: int) -> list[int]:
    """Return both ends of an interval with their neighbours, its parts, and the round values of the coin in it."""
    even = [low + (high - low) * part // parts for part in range(parts)]
    round_values = [size * part // parts + shift for part in range(parts + 1) for shift in (-1, 0, 1)]
    inside = (k for k in (*even, *round_values, low + 1, high - 2, high - 1) if low <= k < high)
    return sorted({low, *inside})


def _lattice(box: Box, count: int) -> Iterator[Point]:
    """Yield `count` points, a power of two: of the `count` equal parts of every coin each holds exactly one."""
    step = int(count * 0.6180339887498949) | 1  # odd, so that every coin comes to every part
    factors = [pow(step, coin, count) if count > 1 else 0 for coin in range(len(box))]
    # Elsewhere in its part from box to box: what goes through several of them is looked for in more places.
    shift = sum(low * prime for (low, _), prime in zip(box, _PRIMES, strict=False)) % _SHIFTS | 1
    for at in range(count):
        yield tuple(
            low + (high - low) * (_SHIFTS * (at * factor % count) + shift) // (_SHIFTS * count)
            for (low, high), factor in zip(box, factors, strict=True)
        )
