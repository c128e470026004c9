"""The exact law of a program: every path of it, or the heaviest ones and the exact mass of the rest."""

import contextlib
import heapq
import itertools
import warnings
from collections.abc import Callable, Collection, Hashable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from proofs.engine.choices import CURRENT, Arithmetic, Path, Step, TooLongError
from proofs.engine.draws import Exploring, Replaying
from proofs.engine.entropy import GlobalGenerators, profiled, watching_entropy
from proofs.engine.laws import Crash, Law
from proofs.engine.onlookers import onlookers
from proofs.engine.row_laws import KnownRows
from proofs.engine.signals import Kind, Mark, Refusal, collecting, place_of, refuse
from proofs.engine.stand_ins import StandIns
from proofs.engine.state import Reach
from proofs.engine.weights import ONE, ZERO, Weight, to_fraction

__all__ = ["Explorer", "Run", "law"]

Outcome = TypeVar("Outcome", bound=Hashable)

MAX_PATHS = 100_000
MAX_DRAWS = 2_000  # of one path
# Of one exploration: a program that draws more often than so many times a path is explored less far.
DRAWS_A_PATH, LEAST_DRAWS = 32, 64_000


class Run:
    """What a program is given: its random source, whether floats replay a path, and draws of its surroundings."""

    def __init__(self, rng: Any, draws: Exploring | Replaying, *, replaying: bool) -> None:
        self.rng = rng
        self.replaying = replaying
        self._draws = draws
        self._drawn = 0

    def draw(self, weights: Sequence[Weight]) -> int:
        """Branch over options of exact probabilities, apart from the program's own stream."""
        self._drawn += 1
        return self._draws.option(("surroundings", self._drawn), weights)


Program = Callable[[Run], Hashable]


@dataclass
class _Found:
    """What the paths run so far came to."""

    masses: dict[Any, Weight] = field(default_factory=dict)
    crashes: dict[tuple[str, str], Weight] = field(default_factory=dict)
    refused: Weight = ZERO
    remaining: Weight = ZERO
    marks: dict[Mark, None] = field(default_factory=dict)
    paths: int = 0

    def add(self, path: Path, outcome: Any) -> None:
        """Put the mass of a path where it belongs; what the engine does not believe is no outcome and no crash."""
        if path.given_up:
            self.remaining += path.mass
        elif _kept_out(path.marks):
            self.refused += path.mass
        elif isinstance(outcome, _Crashed):
            self.crashes[outcome.which] = self.crashes.get(outcome.which, ZERO) + path.mass
        else:
            self.masses[outcome] = self.masses.get(outcome, ZERO) + path.mass

    def law(self) -> Law:
        return Law(
            {outcome: to_fraction(mass) for outcome, mass in self.masses.items()},
            paths=self.paths,
            remaining=to_fraction(self.remaining),
            crashes=tuple(Crash(*which, to_fraction(mass)) for which, mass in self.crashes.items()),
            refused=to_fraction(self.refused),
            marks=tuple(self.marks),
        )


_NOTHING = contextlib.nullcontext()
_KEEPS_OUT = (Kind.REFUSED, Kind.HIDDEN, Kind.LEAK)


class _Crashed:
    """The outcome of a run that an exception ended."""

    def __init__(self, error: BaseException) -> None:
        self.which = (type(error).__name__, place_of(error))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Crashed) and other.which[0] == self.which[0]

    def __hash__(self) -> int:
        return hash(self.which[0])


class Explorer:
    """Runs programs path by path, with the global generators patched and everything watched that could differ.

    Use it as a context manager around any number of explorations.

    Parameters
    ----------
    functions : sequence of callable
        What the program runs: their globals, closures and attributes are compared before and after every path.
    allow_state : sequence of str
        Names that may change.
    """

    def __init__(self, functions: tuple[Callable[..., Any], ...], allow_state: tuple[str, ...] = ()) -> None:
        self._functions = functions
        self._allow = allow_state
        self._stand_ins = StandIns()
        self._stack = contextlib.ExitStack()
        self._explored_rows, self._replayed_rows = KnownRows(), KnownRows()

    def __enter__(self) -> "Explorer":
        # What belongs to the program's surroundings is recorded before anything is patched.
        self._reaches = [Reach(function, self._allow) for function in self._functions]
        self._suspect = any(reach.suspects for reach in self._reaches)
        self._standing = [mark for reach in self._reaches for mark in _standing(reach)]
        self._generators = GlobalGenerators()
        self._stack.enter_context(warnings.catch_warnings())
        warnings.simplefilter("ignore")
        self._stack.enter_context(watching_entropy())
        self._stack.enter_context(self._stand_ins.installed())
        return self

    def __exit__(self, *_: object) -> None:
        self._stack.close()

    def explore(
        self,
        program: Program,
        arithmetic: Arithmetic,
        *,
        max_paths: int = MAX_PATHS,
        max_draws: int = MAX_DRAWS,
        stop_at: Collection[Kind] = (),
    ) -> Law:
        """Return the law of a program.

        Parameters
        ----------
        program : callable
            From a `Run` to its outcome; run many times.
        arithmetic : Arithmetic
        max_paths : int
            Paths are taken by falling weight; what is left after so many, or after 32 draws for each of so many (and at
            least 64,000), is the law's ``remaining``.
        max_draws : int
            Longer paths are given up and remain.
        stop_at : collection of Kind
            A path with such a mark is the last one.
        """
        found = _Found(marks=dict.fromkeys(self._standing))
        self._explored_rows, self._replayed_rows = KnownRows(), KnownRows()
        draws_left = max(max_paths * DRAWS_A_PATH, LEAST_DRAWS)
        order = itertools.count()
        waiting: list[tuple[float, int, Weight, tuple[Step, ...]]] = [(-1.0, next(order), ONE, ())]
        while waiting and found.paths < max_paths and draws_left > 0:
            _, _, _, forced = heapq.heappop(waiting)
            path = Path(forced, arithmetic, max_draws)
            self._run(program, path, found)
            found.paths += 1
            draws_left -= len(path.events)
            if any(found_mark.kind in stop_at for found_mark in path.marks):
                max_paths = found.paths
            for mass, steps in path.open:
                heapq.heappush(waiting, (-float(mass), next(order), mass, steps))
        found.remaining += sum((mass for _, _, mass, _ in waiting), ZERO)
        return found.law()

    def _run(self, program: Program, path: Path, found: _Found) -> None:
        outcome = self._once(program, path, Exploring(path, self._explored_rows), path.marks, replaying=False)
        path.ended()
        if not (path.given_up or _kept_out(path.marks)):
            self._replay(program, path, outcome)
        found.marks.update(dict.fromkeys(path.marks))
        found.add(path, outcome)

    def _replay(self, program: Program, path: Path, outcome: Any) -> None:
        """Run the path again in plain floats; its outcome must be the same."""
        draws = Replaying(path, self._replayed_rows)
        again = self._once(program, path, draws, path.marks, replaying=True)
        if (again != outcome or not draws.finished()) and draws.exact and not _kept_out(path.marks):
            path.marks.append(Mark(Kind.LEAK, f"in plain floats the outcome is {again!r} and not {outcome!r}", ""))

    def _once(
        self, program: Program, path: Path, draws: Exploring | Replaying, marks: list[Mark], *, replaying: bool
    ) -> Any:
        """Run the program once, and look whether it changed anything that the next run would see."""
        token = CURRENT.set(path)
        try:
            with collecting(marks), self._stand_ins.running(draws) as rng, self._profile():
                return _hashable(program(Run(rng, draws, replaying=replaying)))
        except (Refusal, TooLongError):
            return None
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever a verifier raises is a crash of it
            return _Crashed(error)
        finally:
            CURRENT.reset(token)
            changed = self._generators.changed() or next(filter(None, (r.changed() for r in self._reaches)), None)
            if changed:
                marks.append(Mark(Kind.HIDDEN, f"{changed} changed during a run", ""))

    def _profile(self) -> Any:
        return profiled() if self._suspect else _NOTHING


def _hashable(outcome: Any) -> Any:
    try:
        hash(outcome)
    except TypeError:
        refuse(f"the outcome is not hashable: {type(outcome).__name__}")
    return outcome


def _standing(reach: Reach) -> list[Mark]:
    """Return what is known of a program before it runs that no agreement can rest on."""
    unread = [Mark(Kind.OPAQUE, f"the state of {name} cannot be compared", "") for name in reach.opaque]
    looks = [Mark(Kind.OPAQUE, f"the program looks at its surroundings: {name}", "") for name in onlookers(reach.names)]
    return unread + looks


def _kept_out(marks: list[Mark]) -> bool:
    return bool(marks) and any(mark.kind in _KEEPS_OUT for mark in marks)


def law(
    program: Callable[[Any], Hashable],
    *,
    arithmetic: str = "exact",
    max_paths: int = MAX_PATHS,
    max_draws: int = MAX_DRAWS,
    allow_state: tuple[str, ...] = (),
) -> Law:
    """Return the exact law of a program's outcome.

    Parameters
    ----------
    program : callable
        program(rng) -> any hashable outcome; ``rng`` stands in for ``numpy.random.Generator``.
        It is run once for every path and once more to replay it.
    arithmetic : {"exact", "float64"}
        Whether uniforms are real numbers, or on the grid k / 2^53 (k / 2^24 in float32) with comparisons
        that round as the code does.
    max_paths : int
        Paths are explored by falling weight; what is left after so many is ``remaining``.
    max_draws : int
        A path that draws more often is given up, and remains.
    allow_state : tuple of str
        Names of globals, closure variables and attributes that may change from path to path.

    Returns
    -------
    Law
        Exact where ``missing`` is 0. A program that draws nothing has one outcome of probability one.

    Raises
    ------
    ValueError
        If `arithmetic` is not one of those.

    Examples
    --------
    >>> law(lambda rng: int(rng.random() < 0.25) + int(rng.random() < 0.5))
    Law({2: 1/8, 1: 1/2, 0: 3/8}, paths=4)
    """
    names = [kind.value for kind in Arithmetic]
    if arithmetic not in names:
        raise ValueError(f"arithmetic={arithmetic!r} is not one of {names}")
    with Explorer((program,), allow_state) as explorer:
        return explorer.explore(
            lambda run: program(run.rng), Arithmetic(arithmetic), max_paths=max_paths, max_draws=max_draws
        )
