"""The exact law of a program: every path of it, or the heaviest ones and the exact mass of the rest."""

import contextlib
import functools
import heapq
import itertools
import sys
import warnings
from collections.abc import Callable, Collection, Hashable, Sequence
from typing import Any, TypeVar

from proofs.engine.choices import CURRENT, Arithmetic, Path, Step, TooLongError
from proofs.engine.draws import Exploring, Replaying
from proofs.engine.entropy import GlobalGenerators, profiled, watching_entropy
from proofs.engine.factories import construct
from proofs.engine.foreign import not_the_programs
from proofs.engine.laws import Law
from proofs.engine.onlookers import onlookers
from proofs.engine.row_laws import KnownRows
from proofs.engine.signals import Kind, Mark, Refusal, collecting, place_of, refuse
from proofs.engine.stand_ins import StandIns
from proofs.engine.state import Reach
from proofs.engine.sweep import DENSITY
from proofs.engine.swept import kept_out, sweep_path
from proofs.engine.tally import Crashed, Found
from proofs.engine.weights import ONE, ZERO, Weight

__all__ = ["Explorer", "Run", "law"]

Outcome = TypeVar("Outcome", bound=Hashable)

MAX_PATHS = 100_000
MAX_DRAWS = 2_000  # of one path
# Of one exploration: a program that draws more often than so many times a path is explored less far.
DRAWS_A_PATH, LEAST_DRAWS = 32, 64_000


class Run:
    """What a program is given: its random source, whether floats replay a path, and draws of its surroundings.

    `looking` says that all numbers are floats and the run is a repeat: arguments can be compared with what they were.
    """

    def __init__(self, rng: Any, draws: Exploring | Replaying, *, replaying: bool) -> None:
        self.rng = rng
        self.replaying = replaying
        self.looking = draws.again
        self._draws = draws
        self._drawn = 0

    def draw(self, weights: Sequence[Weight]) -> int:
        """Branch over options of exact probabilities, apart from the program's own stream."""
        self._drawn += 1
        return self._draws.option(("surroundings", self._drawn), weights)


Program = Callable[[Run], Hashable]


_NOTHING = contextlib.nullcontext()


class Explorer:
    """Runs programs path by path, with the global generators patched and everything watched that could differ.

    Use it as a context manager around any number of explorations.

    Parameters
    ----------
    functions : sequence of callable
        What the program runs: their globals, closures and attributes are compared before and after every path.
    allow_state : sequence of str
        Names that may change.
    factory : callable, optional
        Makes the program anew for every path. What it made once and is not run is watched too: the paths change
        nothing of it unless they share it.
    """

    def __init__(
        self,
        functions: tuple[Callable[..., Any], ...],
        allow_state: tuple[str, ...] = (),
        factory: Callable[[], Any] | None = None,
    ) -> None:
        self._functions = functions
        self._allow = allow_state
        self._factory = factory
        self._stand_ins = StandIns()
        self._stack = contextlib.ExitStack()
        self._explored_rows, self._replayed_rows = KnownRows(), KnownRows()
        self._torch: Any = None
        self._density = DENSITY

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
        self._intercept_torch()
        if self._factory is not None:
            self._watch_one_made(self._factory)
        return self

    def _watch_one_made(self, factory: Callable[[], Any]) -> None:
        """Make one program and put it aside; what goes wrong on the way goes wrong on the paths too."""
        path, made = Path((), Arithmetic.EXACT, MAX_DRAWS, on_grids=True), []
        try:
            self._once(lambda _: made.append(construct(factory)), path, Exploring(path), path.marks, replaying=False)
        finally:
            self._intercept_torch()
        if made:
            reach = Reach(made[0].program, self._allow)
            self._reaches.append(reach)
            self._suspect = self._suspect or bool(reach.suspects)
            self._standing += _standing(reach)

    def _intercept_torch(self) -> bool:
        """Intercept torch as soon as it is there; tell whether it was not before."""
        if self._torch is not None or sys.modules.get("torch") is None:
            return False
        # Imported on demand: torch is an extra, and nothing else imports it.
        from proofs.engine.torch_source import TorchSource

        self._torch = TorchSource([generator for reach in self._reaches for generator in reach.torch_generators])
        self._stack.enter_context(self._torch.installed())
        return True

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
        on_grids: bool = False,
        density: int = DENSITY,
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
        density : int
            First probes of each coin on a path that is swept.
        on_grids : bool
            Whether coins on a grid are what is asked for in exact arithmetic too, where a source has no others.
        """
        self._density = density
        law = self._explored(program, arithmetic, max_paths, max_draws, stop_at, on_grids=on_grids)
        # A run that imports torch draws from it unseen: it is discarded and repeated.
        if self._intercept_torch():
            law = self._explored(program, arithmetic, max_paths, max_draws, stop_at, on_grids=on_grids)
        return law

    def _explored(
        self,
        program: Program,
        arithmetic: Arithmetic,
        max_paths: int,
        max_draws: int,
        stop_at: Collection[Kind],
        *,
        on_grids: bool,
    ) -> Law:
        found = Found(marks=dict.fromkeys(self._standing))
        self._explored_rows, self._replayed_rows = KnownRows(), KnownRows()
        draws_left = max(max_paths * DRAWS_A_PATH, LEAST_DRAWS)
        order = itertools.count()
        waiting: list[tuple[float, int, Weight, tuple[Step, ...]]] = [(-1.0, next(order), ONE, ())]
        while waiting and found.paths < max_paths and draws_left > 0:
            _, _, _, forced = heapq.heappop(waiting)
            path = Path(forced, arithmetic, max_draws, on_grids=on_grids)
            self._run(program, path, found)
            found.paths += 1
            draws_left -= len(path.events)
            if any(found_mark.kind in stop_at for found_mark in path.marks):
                max_paths = found.paths
            for mass, steps in path.open:
                heapq.heappush(waiting, (-float(mass), next(order), mass, steps))
        found.remaining += sum((mass for _, _, mass, _ in waiting), ZERO)
        return found.law()

    def _run(self, program: Program, path: Path, found: Found) -> None:
        outcome = self._once(program, path, Exploring(path, self._explored_rows), path.marks, replaying=False)
        path.ended()
        if path.grids and not path.given_up:
            swept = sweep_path(
                path, lambda again, repeats: self._with_coins(program, again, repeats=repeats), self._density
            )
            found.add_swept(path, swept)
        else:
            if not (path.given_up or kept_out(path.marks)):
                self._replay(program, path, outcome)
            found.add(path, outcome)
        found.marks.update(dict.fromkeys(path.marks))

    def _with_coins(self, program: Program, path: Path, *, repeats: bool) -> Any:
        draws = Exploring(path, self._explored_rows, again=repeats)
        outcome = self._once(program, path, draws, path.marks, replaying=False)
        path.ended()
        return outcome

    def _replay(self, program: Program, path: Path, outcome: Any) -> None:
        """Run the path again in plain floats; its outcome must be the same."""
        draws = self._replayed(program, path, outcome)
        # Memory of tensors can be read unseen: what was not decided is drawn again, as differently as can be.
        if self._torch is not None and draws.idle and not kept_out(path.marks):
            self._replayed(program, path, outcome, contrary=True)

    def _replayed(self, program: Program, path: Path, outcome: Any, *, contrary: bool = False) -> Replaying:
        draws = Replaying(path, self._replayed_rows, contrary=contrary)
        again = self._once(program, path, draws, path.marks, replaying=True)
        if (again != outcome or not draws.finished()) and draws.exact and not kept_out(path.marks):
            path.marks.append(Mark(Kind.LEAK, f"in plain floats the outcome is {again!r} and not {outcome!r}", ""))
        return draws

    def _once(
        self, program: Program, path: Path, draws: Exploring | Replaying, marks: list[Mark], *, replaying: bool
    ) -> Any:
        """Run the program once, and look whether it changed anything that the next run would see."""
        token = CURRENT.set(path)
        try:
            with (
                collecting(marks),
                self._stand_ins.running(draws) as rng,
                self._torch_running(draws, path, replaying),
                self._profile(),
            ):
                return _hashable(program(Run(rng, draws, replaying=replaying)))
        except (Refusal, TooLongError):
            return None
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # whatever a verifier raises is a crash of it
            foreign = not_the_programs(error)
            if foreign:
                marks.append(Mark(Kind.REFUSED, foreign, place_of(error)))
            return Crashed(error)
        finally:
            CURRENT.reset(token)
            changed = self._generators.changed() or next(filter(None, (r.changed() for r in self._reaches)), None)
            if changed:
                marks.append(Mark(Kind.HIDDEN, f"{changed} changed during a run", ""))

    def _torch_running(self, draws: Any, path: Path, replaying: bool) -> Any:
        return self._torch.running(draws, path, replaying=replaying) if self._torch is not None else _NOTHING

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


def law(
    program: Callable[..., Any],
    *,
    arithmetic: str = "exact",
    max_paths: int = MAX_PATHS,
    max_draws: int = MAX_DRAWS,
    allow_state: tuple[str, ...] = (),
    factory: bool = False,
) -> Law:
    """Return the exact law of a program's outcome.

    Parameters
    ----------
    program : callable
        program(rng) -> any hashable outcome; ``rng`` stands in for ``numpy.random.Generator``.
        It is run once for every path and once more to replay it.
    arithmetic : {"exact", "float64"}
        Whether uniforms are real numbers, or on the grid k / 2^53 (k / 2^24 in float32) with comparisons
        that round as the code does. Coins of torch, once it is imported, lie on the grids of its operators in any case.
    max_paths : int
        Paths are explored by falling weight; what is left after so many is ``remaining``.
    max_draws : int
        A path that draws more often is given up, and remains.
    allow_state : tuple of str
        Names of globals, closure variables and attributes that may change from path to path.
    factory : bool
        Whether `program` is called without arguments, before every path and its replay, and returns the program:
        for programs that keep state. See `proofs.check`.

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
    begin = functools.partial(construct, program) if factory else lambda: program
    with Explorer((program,), allow_state, program if factory else None) as explorer:
        return explorer.explore(
            lambda run: begin()(run.rng),
            Arithmetic(arithmetic),
            max_paths=max_paths,
            max_draws=max_draws,
            on_grids=True,
        )
