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
from proofs.engine.sweep import MAX_COINS
from proofs.engine.weights import ONE, ZERO, Weight, weight

__all__ = ["CURRENT", "MAX_OPTIONS", "Arithmetic", "Coin", "Event", "Path", "Step", "TooLongError"]

MAX_OPTIONS = 4096  # of one choice; a larger support is refused by its count


class Arithmetic(Enum):
    """What uniforms are: real numbers, or the grid of the call that made them."""

    EXACT = "exact"
    FLOAT64 = "float64"
    FLOAT32 = "float32"
    TORCH64 = "torch.float64"
    TORCH32 = "torch.float32"
    TORCH_BRAIN = "torch.bfloat16"
    TORCH16 = "torch.float16"

    @property
    def is_torch(self) -> bool:
        """Whether rows are tensors."""
        return self.value.startswith("torch.")


CURRENT: ContextVar["Path | None"] = ContextVar("the path that is running", default=None)


class Step(NamedTuple):
    """One option of one choice."""

    option: int
    options: int
    weight: Weight
    real: Weight  # its probability if coins were real numbers and not on a grid


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

    __slots__ = ("grid", "high", "low", "path", "reals", "role")

    def __init__(self, path: "Path", grid: int | None) -> None:
        self.path = path
        self.grid = grid
        self.low: Any = ZERO if grid is None else 0
        self.high: Any = ONE if grid is None else grid
        self.role = ""
        self.reals: tuple[Weight, Weight] = (ZERO, ONE)

    def below(self, cut: Any, real: Any = None) -> bool:
        """Decide whether the coin is below `cut`, a real number or a whole k, and remember it.

        `real` is where a real coin would be cut that on the grid is cut at `cut`.
        """
        self._compared()
        if cut <= self.low:
            return False
        if cut >= self.high:
            return True
        share = weight(cut - self.low) / weight(self.high - self.low)
        if self.grid is None:
            real, real_share = cut, share
        else:
            real = weight(cut) / self.grid if real is None else real
            real_share = self._real_share(real)
        if self.path.branch((share, ONE - share), (real_share, ONE - real_share)) == 0:
            self.high, self.reals = cut, (self.reals[0], min(self.reals[1], real))
            return True
        self.low, self.reals = cut, (max(self.reals[0], real), self.reals[1])
        return False

    def _real_share(self, real: Weight) -> Weight:
        low, high = self.reals
        if low >= high:  # the grid has points where real coins have no room
            return ONE
        return min(max((real - low) / (high - low), ZERO), ONE)

    def become_noise(self, role: str) -> None:
        """Take the coin for noise of the kind `role`; one that was compared cannot become noise, nor twice differ."""
        if self.role not in ("", role):
            refuse("a uniform is used both in a comparison and as noise of a race")
        self.role = role

    def witness_point(self, turn: int) -> int:
        """Return a k from inside the interval of a grid: in the middle, near its ends and between, by turns."""
        return int(self.low + (self.high - 1 - self.low) * _WITNESSES[turn % len(_WITNESSES)] // 1024)

    def witness(self) -> tuple[float, bool]:
        """Return a float from the middle of the interval, and whether the interval leaves room for rounding."""
        if self.grid is not None:
            return ((self.low + self.high - 1) // 2) / self.grid, True
        return float((self.low + self.high) / 2), self.high - self.low > _NARROW

    def _compared(self) -> None:
        if self.role not in ("", "compared"):
            refuse("a uniform is used both as noise of a race and in a comparison")
        self.role = "compared"


_WITNESSES = (512, 1, 256, 1023, 768)  # of 1024 parts of the interval

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
    tape : sequence of int
        The coins that the program gets as numbers; beyond it the middle of their grid.
    on_grids : bool
        Whether coins on grids are what is asked for in exact arithmetic too, where a source has no others.
    """

    def __init__(
        self,
        forced: Sequence[Step],
        arithmetic: Arithmetic,
        max_draws: int,
        tape: Sequence[int] = (),
        *,
        on_grids: bool = False,
    ) -> None:
        self.arithmetic = arithmetic
        self.max_draws = max_draws
        self.tape = tape
        self.grids: list[int] = []  # of the coins that were drawn as numbers
        self.steps: list[Step] = []
        self.weight: Weight = ONE
        self.real: Weight = ONE
        self.open: list[tuple[Weight, tuple[Step, ...]]] = []
        self.marks: list[Mark] = []
        self.events: list[Event] = []
        self.noise = Noise()
        self.constraints: list[tuple[Any, Weight, Any]] = []
        self.kept: list[Any] = []
        self.given_up = False
        self.on_grids = on_grids
        self._forced = forced
        self._draws_left = max_draws
        self._streams: dict[Any, tuple[Any, Any]] = {}
        self._fresh = 0

    def branch(self, weights: Sequence[Weight], reals: Sequence[Weight] | None = None) -> int:
        """Return the option that this path takes; the others are left open.

        Parameters
        ----------
        weights : sequence of Weight
            Exact probabilities of the options, which sum to one.
        reals : sequence of Weight, optional
            What they would be if coins were real numbers; the same without.
        """
        if self.grids:
            return _only_option(weights)
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
            step = self._first_option(weights, weights if reals is None else reals)
        self.steps.append(step)
        self.weight *= step.weight
        self.real *= step.real
        return step.option

    def _first_option(self, weights: Sequence[Weight], reals: Sequence[Weight]) -> Step:
        options = len(weights)
        possible = [Step(option, options, share, reals[option]) for option, share in enumerate(weights) if share]
        if len(possible) > 1:
            before = tuple(self.steps)
            self.open += [(self.weight * step.weight, (*before, step)) for step in possible[1:]]
        return possible[0]

    def draw_option(
        self, key: Any, weights: Sequence[Weight], what: str = "option", reals: Sequence[Weight] | None = None
    ) -> int:
        """Branch on behalf of the program's random source; equal keys take the same option of the same draw."""
        self._count()
        if len(weights) > MAX_OPTIONS:
            refuse(f"a choice among {len(weights)} options; at most {MAX_OPTIONS} can be branched over")
        option: int = self._shared(key, (what, tuple(weights)), self.branch, weights, reals)
        self.events.append(Event("option", option, len(weights), weights))
        return option

    def draw_coin(self, key: Any, grid: int | None) -> Coin:
        """Return the coin that the stream `key` yields next; equal keys share their coins."""
        self._count()
        coin: Coin = self._shared(key, ("uniform", grid), Coin, self, grid)
        self.events.append(Event("coin", coin))
        return coin

    def draw_number(self, key: Any, grid: int) -> int:
        """Return the k of a coin k / grid that is a number and no interval; equal keys share their coins."""
        self._count()
        k: int = self._shared(key, ("coin", grid), self._number, grid)
        return k

    def _number(self, grid: int) -> int:
        at = len(self.grids)
        if at == MAX_COINS:
            refuse(f"more than {MAX_COINS} coins on one path, which cannot be swept")
        self.grids.append(grid)
        # Modulo: a coin of another grid than that of the tape, which whoever made the tape looks at.
        return self.tape[at] % grid if at < len(self.tape) else grid // 2

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


def _only_option(weights: Sequence[Weight]) -> int:
    """Return the option that is certain: after coins that are numbers nothing else can be followed."""
    possible = [option for option, share in enumerate(weights) if share]
    if len(possible) > 1:
        refuse("a random choice after rng.coins: draw it before the coins, or decide it by one more coin")
    return possible[0]
