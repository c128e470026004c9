"""One run of a program with its random choices forced, and the choices that are still to be tried.

A path is a sequence of steps, each one option of a choice together with its exact probability.
What is random is a branch over options, or a coin: a uniform number that is known to lie in an
interval, and that splits the interval when the program compares it.
"""

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from enum import Enum
from typing import Any, NamedTuple

from proofs.engine.noise import Noise
from proofs.engine.signals import Kind, Mark, refuse
from proofs.engine.weights import ONE, ZERO, Weight, weight

__all__ = ["CURRENT", "MAX_OPTIONS", "Arithmetic", "Coin", "Event", "Path", "Step", "TooLongError"]

MAX_OPTIONS = 4096  # of one choice; a larger support is refused by its count


class Arithmetic(Enum):
    """What uniforms are: real numbers, or the grid of the call that made them."""

    EXACT = "exact"
    FLOAT64 = "float64"
    FLOAT32 = "float32"


CURRENT: ContextVar["Path | None"] = ContextVar("the path that is running", default=None)


class Step(NamedTuple):
    """One option of one choice."""

    option: int
    options: int
    weight: Weight


class TooLongError(BaseException):
    """Raised through a program that draws more often than a path may; the path stays unexplored."""


class Coin:
    """A uniform number in an interval: real numbers in [low, high), or k / grid with low <= k < high.

    Attributes
    ----------
    grid : int or None
        Number of equally likely values k / grid, or None for the real unit interval.
    low, high : Weight or int
        Where the coin is known to be.
    role : str
        What it was used for: "" (nothing yet), "compared", or the way it was turned into noise.
    """

    __slots__ = ("grid", "high", "low", "path", "role")

    def __init__(self, path: "Path", grid: int | None) -> None:
        self.path = path
        self.grid = grid
        self.low: Any = ZERO if grid is None else 0
        self.high: Any = ONE if grid is None else grid
        self.role = ""

    def below(self, cut: Any) -> bool:
        """Decide whether the coin is below `cut`, a real number or a whole k, and remember it."""
        self._compared()
        if cut <= self.low:
            return False
        if cut >= self.high:
            return True
        share = weight(cut - self.low) / weight(self.high - self.low)
        if self.path.branch((share, ONE - share)) == 0:
            self.high = cut
            return True
        self.low = cut
        return False

    def become_noise(self, role: str) -> None:
        """Take the coin for noise of the kind `role`; one that was compared cannot become noise, nor twice differ."""
        if self.role not in ("", role):
            refuse("a uniform is used both in a comparison and as noise of a race")
        self.role = role

    def witness(self) -> tuple[float, bool]:
        """Return a float from the middle of the interval, and whether the interval leaves room for rounding."""
        if self.grid is not None:
            return ((self.low + self.high - 1) // 2) / self.grid, True
        return float((self.low + self.high) / 2), self.high - self.low > _NARROW

    def _compared(self) -> None:
        if self.role not in ("", "compared"):
            refuse("a uniform is used both as noise of a race and in a comparison")
        self.role = "compared"


_NARROW = weight(2**-38)  # half of it on either side of the middle is 2^-39, beyond 2^-40 of a threshold


class Event(NamedTuple):
    """Something the program drew: the branch it was given, the coin, or the noise, in order."""

    kind: str
    value: Any
    options: int = 0
    weights: Sequence[Weight] = ()


class Path:
    """One path: the steps forced on it, those it took, its exact weight and the choices it left open.

    Parameters
    ----------
    forced : sequence of Step
        The beginning of the path; beyond it every choice takes its first possible option.
    arithmetic : Arithmetic
    max_draws : int
        Beyond this number of draws the path is given up.
    """

    def __init__(self, forced: Sequence[Step], arithmetic: Arithmetic, max_draws: int) -> None:
        self.arithmetic = arithmetic
        self.steps: list[Step] = []
        self.weight: Weight = ONE
        self.open: list[tuple[Weight, tuple[Step, ...]]] = []
        self.marks: list[Mark] = []
        self.events: list[Event] = []
        self.noise = Noise()
        self.constraints: list[tuple[Any, Weight, Any]] = []
        self.kept: list[Any] = []
        self.given_up = False
        self._forced = forced
        self._draws_left = max_draws
        self._streams: dict[Any, tuple[Any, Any]] = {}
        self._fresh = 0

    def branch(self, weights: Sequence[Weight]) -> int:
        """Return the option that this path takes; the others are left open.

        Parameters
        ----------
        weights : sequence of Weight
            Exact probabilities of the options, which sum to one.
        """
        at = len(self.steps)
        if at < len(self._forced):
            step = self._forced[at]
            # The same object, mostly: comparing is what takes time.
            if step.options != len(weights) or (
                step.weight is not weights[step.option] and step.weight != weights[step.option]
            ):
                refuse(
                    f"the program did not repeat itself: choice {at} had {step.options} options, option "
                    f"{step.option} of probability {step.weight}, and has other ones now",
                    Kind.HIDDEN,
                )
        else:
            step = self._first_option(weights)
        self.steps.append(step)
        self.weight *= step.weight
        return step.option

    def _first_option(self, weights: Sequence[Weight]) -> Step:
        options = len(weights)
        possible = [Step(option, options, share) for option, share in enumerate(weights) if share]
        if len(possible) > 1:
            before = tuple(self.steps)
            self.open += [(self.weight * step.weight, (*before, step)) for step in possible[1:]]
        return possible[0]

    def draw_option(self, key: Any, weights: Sequence[Weight], what: str = "option") -> int:
        """Branch on behalf of the program's random source; equal keys take the same option of the same draw."""
        self._count()
        if len(weights) > MAX_OPTIONS:
            refuse(f"a choice among {len(weights)} options; at most {MAX_OPTIONS} can be branched over")
        option: int = self._shared(key, (what, tuple(weights)), self.branch, weights)
        self.events.append(Event("option", option, len(weights), weights))
        return option

    def draw_coin(self, key: Any, grid: int | None) -> Coin:
        """Return the coin that the stream `key` yields next; equal keys share their coins."""
        self._count()
        coin: Coin = self._shared(key, ("uniform", grid), Coin, self, grid)
        self.events.append(Event("coin", coin))
        return coin

    def draw_noise(self, key: Any, dtype: Any = "float64") -> int:
        """Return the name of a new exponential variable, or of the one that an equal key has drawn."""
        self._count()
        name: int = self._shared(key, f"exponential {dtype}", self.fresh)
        self.events.append(Event("noise", name))
        return name

    def draw_integer(self, key: Any, size: int) -> int:
        """Return the name of an integer that is too large to branch over."""
        self._count()
        name: int = self._shared(key, f"integer below {size}", self.fresh)
        self.events.append(Event("integer", name, size))
        return name

    def keep(self, value: Any) -> int:
        """Keep a value that is pickled, and return what stands for it in the pickle."""
        self.kept.append(value)
        return len(self.kept) - 1

    def fresh(self) -> int:
        """Return a number that nothing on this path bears yet."""
        self._fresh += 1
        return self._fresh

    def _shared(self, key: Any, what: Any, make: Callable[..., Any], *arguments: Any) -> Any:
        if key in self._streams:
            known, value = self._streams[key]
            if known != what:
                refuse("two generators of one seed draw differently, so that their numbers are related in another way")
            return value
        value = make(*arguments)
        self._streams[key] = (what, value)
        return value

    def _count(self) -> None:
        if self._draws_left == 0:
            self.given_up = True  # a program that swallows the exception must not be believed
            raise TooLongError
        self._draws_left -= 1

    @property
    def mass(self) -> Weight:
        """Probability of the path, and of the steps that were forced on it and that it never came to."""
        mass = self.weight
        for step in self._forced[len(self.steps) :]:
            mass *= step.weight
        return mass

    def ended(self) -> None:
        """Mark a path that did not come to every step that was forced on it."""
        if len(self.steps) < len(self._forced) and not self.given_up:
            self.marks.append(
                Mark(Kind.HIDDEN, "the program did not repeat itself: it drew less often than before", "")
            )

    def win(self, weights: dict[Any, Weight], *, first: bool = True) -> Any:
        """Decide a race among independent exponentials E: the name with the smallest (or largest) E / weight."""
        odds = (self.noise.odds_first if first else self.noise.odds_last)(weights)
        names = list(odds)
        winner = names[self.branch([odds[name] for name in names])]
        self.noise = (self.noise.first if first else self.noise.last)(weights, winner)
        for name, share in weights.items():
            if share and name != winner:
                ratio = share / weights[winner]
                self.constraints.append((name, ratio, winner) if first else (winner, ONE / ratio, name))
        return winner

    def at_least(self, name: Any, scale: Weight, other: Any) -> bool:
        """Decide whether E[name] >= scale * E[other]."""
        share = self.noise.odds_at_least(name, scale, other)
        held = self.branch((share, ONE - share)) == 0
        self.noise = (self.noise.at_least if held else self.noise.less)(name, scale, other)
        self.constraints.append((name, scale, other) if held else (other, ONE / scale, name))
        return held
