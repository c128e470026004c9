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
    ) -> None:
        self._masses: dict[Any, Fraction] = dict(masses)
        self.paths = paths
        self.remaining = remaining
        self.crashes = crashes
        self.refused = refused
        self.marks = marks
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
        masses: dict[Any, Fraction] = {}
        for outcome, mass in self._masses.items():
            value = function(outcome)
            masses[value] = masses.get(value, Fraction(0)) + mass
        return Law(
            masses,
            paths=self.paths,
            remaining=self.remaining,
            crashes=self.crashes,
            refused=self.refused,
            marks=self.marks,
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
