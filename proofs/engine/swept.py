"""A path on which a program takes coins as numbers: run with many of them, and cut into boxes by the sweep."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from enum import Enum
from fractions import Fraction
from typing import Any

from proofs.engine.choices import Path
from proofs.engine.signals import Kind, Mark
from proofs.engine.sweep import DENSITY, MAX_EVALUATIONS, Sweep, sweep

__all__ = ["Lost", "Swept", "kept_out", "sweep_path"]

_BOXES = 64  # that can be probed densely
_REPEATS = 64  # boxes of which one point is run again
_KEEPS_OUT = (Kind.REFUSED, Kind.HIDDEN, Kind.LEAK)


class Lost(Enum):
    """In place of an outcome: what a run is worth that has none."""

    GIVEN_UP = "drew too often"
    KEPT_OUT = "the engine does not believe it"


Once = Callable[[Path, bool], Any]


@dataclass(frozen=True)
class Swept:
    """What became of a path with coins.

    Attributes
    ----------
    shares : dict of outcome or Lost -> Fraction
        They sum to one.
    coins : dict of outcome -> tuple of Fraction
        Of a run that came to it, in the largest of its boxes.
    evaluations : int
    """

    shares: dict[Any, Fraction]
    coins: dict[Any, tuple[Fraction, ...]]
    evaluations: int


def kept_out(marks: Iterable[Mark]) -> bool:
    """Tell whether a path with these marks has no outcome that the engine believes."""
    return any(mark.kind in _KEEPS_OUT for mark in marks)


def sweep_path(path: Path, once: Once, density: int = DENSITY) -> Swept:
    """Return what becomes of a path whose program took coins as numbers.

    Parameters
    ----------
    path : Path
        Run to its end with the middle coins; what is found out of it is marked on it.
    once : callable
        once(path, repeats) -> outcome: runs the program on a path, and tells it from a repeat of the same.
    density : int
        First probes of each coin.
    """
    runs = _Runs(path, once, density)
    found = None
    try:
        found = runs.swept()
        runs.repeat(found)
    except _NotOneLawError:
        pass
    path.marks.extend(mark for mark in runs.marks if mark not in path.marks)
    if found is None or any(mark.kind is Kind.HIDDEN for mark in path.marks):
        return Swept({Lost.KEPT_OUT: Fraction(1)}, {}, runs.evaluations)
    shares = dict(found.masses)
    shares[Lost.GIVEN_UP] = shares.get(Lost.GIVEN_UP, Fraction(0)) + found.remaining
    return Swept(shares, _witnesses(found, runs.grids), runs.evaluations)


def _witnesses(found: Sweep, grids: list[int]) -> dict[Any, tuple[Fraction, ...]]:
    coins: dict[Any, tuple[Fraction, ...]] = {}
    for lowest, _, outcome in found.boxes:  # the largest first
        if outcome not in coins:
            coins[outcome] = tuple(Fraction(k, grid) for k, grid in zip(lowest, grids, strict=True))
    return coins


class _MoreCoinsError(Exception):
    """Raised when a run takes more coins than the runs before it."""


class _NotOneLawError(Exception):
    """Raised when something changes from run to run: no run says anything then."""


@dataclass
class _Runs:
    """Runs of the path with given coins, and the marks that they left."""

    path: Path
    once: Once
    density: int
    grids: list[int] = field(init=False)
    marks: dict[Mark, None] = field(default_factory=dict)
    evaluations: int = 0

    def __post_init__(self) -> None:
        self.grids = list(self.path.grids)

    def swept(self) -> Sweep:
        while True:
            try:
                return sweep(self.outcome, self.grids, density=self.density, max_evaluations=self._most())
            except _MoreCoinsError:
                continue  # from the beginning: there is one more coin that may count

    def _most(self) -> int:
        return max(MAX_EVALUATIONS, _BOXES * self.density)

    def outcome(self, tape: tuple[int, ...], *, repeats: bool = False) -> Any:
        given = self.path
        path = Path(given.steps, given.arithmetic, given.max_draws, tape, on_grids=given.on_grids)
        outcome = self.once(path, repeats)
        self.evaluations += 1
        self._look_at_grids(path)
        if path.marks:
            self.marks.update(dict.fromkeys(path.marks))
            if any(mark.kind is Kind.HIDDEN for mark in path.marks):
                raise _NotOneLawError
        if path.given_up:
            return Lost.GIVEN_UP
        return Lost.KEPT_OUT if kept_out(path.marks) else outcome

    def _look_at_grids(self, path: Path) -> None:
        grids, known = path.grids, self.grids
        if grids == known:
            return
        if grids[: len(known)] != known[: len(grids)]:
            path.marks.append(Mark(Kind.REFUSED, "the dtype of a coin depends on other coins", ""))
        elif len(grids) > len(known):
            self.grids = list(grids)
            raise _MoreCoinsError

    def repeat(self, found: Sweep) -> None:
        """Run points of the boxes again, the last first: the same coins must come to the same outcome."""
        for lowest, _, outcome in found.boxes[:_REPEATS][::-1]:
            again = self.outcome(lowest, repeats=True)
            if again != outcome:
                reason = Mark(Kind.HIDDEN, f"with the same coins the outcome is {again!r} and not {outcome!r}", "")
                self.marks[reason] = None
                raise _NotOneLawError
