"""Laws by brute force, on ``Fraction`` alone. Shares no code with the packages: it is what they are held to."""

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

Row = tuple[Fraction, ...]

NAMED: dict[str, tuple[Row, Row]] = {
    "I2": ((Fraction(1, 3), Fraction(2, 3)), (Fraction(2, 3), Fraction(1, 3))),
    "I3": (
        (Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)),
        (Fraction(1, 6), Fraction(1, 3), Fraction(1, 2)),
    ),
    "I5": (
        (Fraction(4, 10), Fraction(3, 10), Fraction(2, 10), Fraction(1, 10)),
        (Fraction(1, 10), Fraction(2, 10), Fraction(3, 10), Fraction(4, 10)),
    ),
    "B0": (
        (Fraction(1, 8), Fraction(3, 8), Fraction(1, 2)),
        (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)),
    ),
    "R3": (
        (Fraction(4, 16), Fraction(6, 16), Fraction(3, 16), Fraction(3, 16), Fraction(0)),
        (Fraction(2, 16), Fraction(1, 16), Fraction(0), Fraction(5, 16), Fraction(8, 16)),
    ),
}


def rows(vocabulary: int, grid: int) -> Iterator[Row]:
    """Every row with probabilities k/grid, by filtering all of them."""
    for counts in product(range(grid + 1), repeat=vocabulary):
        if sum(counts) == grid:
            yield tuple(Fraction(k, grid) for k in counts)


def token_rule_law(p: Sequence[Fraction], q: Sequence[Fraction]) -> tuple[Row, Fraction]:
    """Law and acceptance probability of the token rule, every event on its own."""
    law = [Fraction(0)] * len(p)
    kept = Fraction(0)
    surplus = [p[y] - q[y] if p[y] > q[y] else Fraction(0) for y in range(len(p))]
    for x in range(len(p)):
        if not q[x]:
            continue
        keep = p[x] / q[x] if p[x] < q[x] else Fraction(1)
        law[x] += q[x] * keep
        kept += q[x] * keep
        if keep == 1:
            continue
        for y in range(len(p)):
            law[y] += q[x] * (1 - keep) * surplus[y] / sum(surplus)
    return tuple(law), kept


class ScriptedGenerator:
    """Stands in for a NumPy generator: uniforms on a grid, choices by index, every outcome forced."""

    def __init__(self, decisions: Sequence[int], coins: int) -> None:
        self.decisions = list(decisions)
        self.options: list[int] = []
        self.weight = Fraction(1)
        self.coins = coins

    def _next(self, options: int) -> int:
        at = len(self.options)
        self.options.append(options)
        return self.decisions[at] if at < len(self.decisions) else 0

    def random(self) -> float:
        self.weight /= self.coins
        return self._next(self.coins) / self.coins

    def choice(self, size: int, p: Any) -> int:
        token = self._next(size)
        self.weight *= Fraction(float(p[token]))
        return token


def scripted_law(program: Callable[[Any], Any], coins: int) -> dict[Any, Fraction]:
    """Law of a program whose uniforms take the values k/coins, by running every sequence of decisions."""
    law: dict[Any, Fraction] = {}
    decisions: list[int] | None = []
    while decisions is not None:
        rng = ScriptedGenerator(decisions, coins)
        outcome = program(rng)
        law[outcome] = law.get(outcome, Fraction(0)) + rng.weight
        taken = decisions + [0] * (len(rng.options) - len(decisions))
        while taken and taken[-1] == rng.options[len(taken) - 1] - 1:
            taken.pop()
        decisions = [*taken[:-1], taken[-1] + 1] if taken else None
    return {outcome: weight for outcome, weight in law.items() if weight}
