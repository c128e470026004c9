"""What the paths of an exploration come to, as they are run: masses of outcomes, crashes, and what is lost."""

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from proofs.engine.choices import Path
from proofs.engine.laws import Crash, Law
from proofs.engine.signals import Mark, place_of
from proofs.engine.swept import Lost, Swept, kept_out
from proofs.engine.weights import ZERO, Weight, to_fraction, weight

__all__ = ["Crashed", "Found"]


class Crashed:
    """The outcome of a run that an exception ended."""

    def __init__(self, error: BaseException) -> None:
        self.which = (type(error).__name__, place_of(error))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Crashed) and other.which[0] == self.which[0]

    def __hash__(self) -> int:
        return hash(self.which[0])

    def __repr__(self) -> str:
        return f"a crash ({self.which[0]})"


@dataclass
class Found:
    """What the paths run so far came to."""

    masses: dict[Any, Weight] = field(default_factory=dict)
    reals: dict[Any, Weight] = field(default_factory=dict)
    crashes: dict[tuple[str, str], Weight] = field(default_factory=dict)
    refused: Weight = ZERO
    remaining: Weight = ZERO
    marks: dict[Mark, None] = field(default_factory=dict)
    coins: dict[Any, tuple[Fraction, ...]] = field(default_factory=dict)
    paths: int = 0
    evaluations: int = 0  # with coins that are numbers

    def add(self, path: Path, outcome: Any) -> None:
        """Put the mass of a path where it belongs; what the engine does not believe is no outcome and no crash."""
        lost = Lost.GIVEN_UP if path.given_up else Lost.KEPT_OUT if kept_out(path.marks) else None
        self._put(outcome if lost is None else lost, path.mass, path.real)

    def add_swept(self, path: Path, swept: Swept) -> None:
        """Put the mass of a path where its coins take it."""
        for outcome, share in swept.shares.items():
            self._put(outcome, path.mass * weight(share), path.real * weight(share))
            if not isinstance(outcome, Lost | Crashed):
                self.coins.setdefault(outcome, swept.coins[outcome])
        self.evaluations += swept.evaluations

    def _put(self, outcome: Any, mass: Weight, real: Weight) -> None:
        if outcome is Lost.GIVEN_UP:
            self.remaining += mass
        elif outcome is Lost.KEPT_OUT:
            self.refused += mass
        elif isinstance(outcome, Crashed):
            self.crashes[outcome.which] = self.crashes.get(outcome.which, ZERO) + mass
        else:
            self.masses[outcome] = self.masses.get(outcome, ZERO) + mass
            self.reals[outcome] = self.reals.get(outcome, ZERO) + real

    def law(self) -> Law:
        """Return it as a law."""
        return Law(
            {outcome: to_fraction(mass) for outcome, mass in self.masses.items()},
            paths=self.paths + self.evaluations,
            remaining=to_fraction(self.remaining),
            crashes=tuple(Crash(*which, to_fraction(mass)) for which, mass in self.crashes.items()),
            refused=to_fraction(self.refused),
            marks=tuple(self.marks),
            coins=self.coins,
            over_reals={outcome: to_fraction(mass) for outcome, mass in self.reals.items() if mass},
        )
