"""What an exploration comes to: masses of outcomes, crashes, and everything that is missing beside them."""

from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from proofs.engine.signals import Mark

__all__ = ["Crash", "Law"]


@dataclass(frozen=True)
class Crash:
    """An exception that left the program.

    Attributes
    ----------
    exception : str
        Name of its type.
    place : str
        File and line that raised it.
    probability : Fraction
    """

    exception: str
    place: str
    probability: Fraction


class Law(Mapping[Any, Fraction]):
    """The exact law of a program's outcome, as far as it was explored.

    A mapping from outcomes to probabilities. ``total``, the crashes, ``refused`` and ``remaining`` sum to one.

    Attributes
    ----------
    total : Fraction
        Mass of the outcomes.
    paths : int
        Number of paths that were run.
    remaining : Fraction
        Mass of the paths that were not explored to their end.
    crashes : tuple of Crash
    refused : Fraction
        Mass of the paths that the engine cannot vouch for.
    marks : tuple of Mark
        Why; and what else was seen that an agreement cannot rest on.
    over_reals : mapping
        The masses of the outcomes if coins on grids were real numbers, and thresholds the floats that they are.
        A comparison that no point of the grid decides otherwise counts as decided.
    coins : mapping of outcome -> tuple of Fraction
        Where coins were swept, for each outcome some with which the program comes to it.
    """

    def __init__(
        self,
        masses: Mapping[Any, Fraction],
        *,
        paths: int,
        remaining: Fraction,
        crashes: tuple[Crash, ...],
        refused: Fraction,
        marks: tuple[Mark, ...],
        over_reals: Mapping[Any, Fraction] | None = None,
        coins: Mapping[Any, tuple[Fraction, ...]] | None = None,
    ) -> None:
        self.coins = dict(coins or {})
        self._masses: dict[Any, Fraction] = dict(masses)
        self.paths = paths
        self.remaining = remaining
        self.crashes = crashes
        self.refused = refused
        self.marks = marks
        self.over_reals: Mapping[Any, Fraction] = dict(masses) if over_reals is None else over_reals
        self.total: Fraction = sum(self._masses.values(), Fraction(0))

    @property
    def missing(self) -> Fraction:
        """Mass of everything that is not an outcome."""
        return 1 - self.total

    def __getitem__(self, outcome: Any) -> Fraction:
        return self._masses[outcome]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._masses)

    def __len__(self) -> int:
        return len(self._masses)

    def __repr__(self) -> str:
        masses = ", ".join(f"{outcome!r}: {mass}" for outcome, mass in self._masses.items())
        rest = f", missing {self.missing}" if self.missing else ""
        return f"Law({{{masses}}}, paths={self.paths}{rest})"

    def marginal(self, function: Callable[[Any], Hashable]) -> "Law":
        """Return the law of a function of the outcome.

        Parameters
        ----------
        function : callable
            outcome -> hashable; what it raises is raised.

        Returns
        -------
        Law
            With the same missing mass and marks.
        """
        values = {outcome: function(outcome) for outcome in {**self._masses, **self.over_reals, **self.coins}}
        coins: dict[Any, tuple[Fraction, ...]] = {}
        for outcome, known in self.coins.items():
            coins.setdefault(values[outcome], known)
        return Law(
            _gathered(self._masses, values),
            paths=self.paths,
            remaining=self.remaining,
            crashes=self.crashes,
            refused=self.refused,
            marks=self.marks,
            over_reals=_gathered(self.over_reals, values),
            coins=coins,
        )

    def total_variation(self, other: Mapping[Any, Fraction]) -> Fraction:
        """Return half the sum of the absolute differences to another law, over the outcomes of both.

        With mass missing from either this is no more than the distance of what was explored.

        Parameters
        ----------
        other : mapping
            outcome -> exact probability; a `Law` or a dictionary.

        Raises
        ------
        TypeError
            If a probability is a float.
        """
        outcomes = {*self, *other}
        for outcome, mass in other.items():
            if isinstance(mass, float):
                raise TypeError(f"other[{outcome!r}] = {mass!r} is a float; expected a Fraction or an int")
        gaps: Iterator[Fraction] = (abs(self._masses.get(y, Fraction(0)) - Fraction(other.get(y, 0))) for y in outcomes)
        return sum(gaps, Fraction(0)) / 2


def _gathered(masses: Mapping[Any, Fraction], values: Mapping[Any, Hashable]) -> dict[Any, Fraction]:
    found: dict[Any, Fraction] = {}
    for outcome, mass in masses.items():
        found[values[outcome]] = found.get(values[outcome], Fraction(0)) + mass
    return found
