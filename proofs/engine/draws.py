"""Where random sources get their randomness from: a path that branches, or the replay of one in plain floats."""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from proofs.engine.choices import Arithmetic, Coin, Event, Path
from proofs.engine.exact_nodes import ExactNode
from proofs.engine.grid_nodes import GridNode
from proofs.engine.noise_nodes import NoiseNode
from proofs.engine.row_laws import KnownRows, check_floats, checked_sum
from proofs.engine.signals import Kind, mark, refuse
from proofs.engine.sources import RandomSource
from proofs.engine.undrawn import Undrawn, UndrawnInteger
from proofs.engine.undrawn_base import boxed
from proofs.engine.weights import Weight, to_fraction, weight

__all__ = ["Exploring", "Replaying"]

_GRIDS = {np.dtype(np.float64): 2**53, np.dtype(np.float32): 2**24}
# Of a probability in a replay: far above what rounding does to a row, a residual of nearly equal rows included.
_ROW_TOLERANCE = 2.0**-10
_new_array = np.array  # itself, whatever stands in its place while a program is run
_GRID = 2**53  # of the uniforms in Generator.choice


class Exploring:
    """Draws that branch: uniforms are coins of the path, noise is ideal.

    Parameters
    ----------
    path : Path
    known_rows : KnownRows, optional
        Of earlier paths in the same arithmetic.
    again : bool
        Whether the run repeats another one, and memory that nobody has written must differ.
    """

    def __init__(self, path: Path, known_rows: KnownRows | None = None, *, again: bool = False) -> None:
        self.again = again
        self._path = path
        self.known_rows = KnownRows() if known_rows is None else known_rows
        self._exact = path.arithmetic is Arithmetic.EXACT

    def source(self, key: Any) -> RandomSource:
        """Return the source of a stream."""
        return RandomSource(self, key)

    def seeded(self, seed: Any) -> RandomSource | None:
        """Return the source that a drawn seed stands for; None for a seed that was not drawn."""
        parts = seed if isinstance(seed, list | tuple) else [seed]
        if not any(isinstance(part, UndrawnInteger) for part in parts):
            return None
        return self.source(("seed", *(part.key if isinstance(part, UndrawnInteger) else part for part in parts)))

    def option(
        self, key: Any, weights: Sequence[Weight], what: str = "option", reals: Sequence[Weight] | None = None
    ) -> int:
        """Branch; `reals` are the weights if the coins behind the options were real numbers."""
        return self._path.draw_option(key, weights, what, reals)

    def uniforms(self, keys: Any, shape: tuple[int, ...] | None, dtype: Any) -> Any:
        """Return undrawn uniforms: real numbers, or on the grid of the dtype."""
        if self._exact and dtype != np.float64:
            mark(Kind.LEAK, "uniforms of float32 are drawn")
        grid = None if self._exact else _GRIDS[dtype]
        return self._array([self._node(self._path.draw_coin(key, grid), dtype) for key in keys], shape, dtype)

    def coins(self, keys: Any, shape: tuple[int, ...], dtype: Any) -> Any:
        """Return the numbers of the path's tape."""
        if dtype not in _GRIDS:
            refuse(f"coins of {dtype}; those of float32 and float64 have a grid")
        if self._exact:
            refuse("coins that are numbers on a grid", Kind.LEAK)
        if not self._path.tape:  # once a path: finding the program's line takes long
            mark(Kind.SWEPT, 'coins were swept: agreement counts with accept="swept"')
            if dtype == np.float32:
                mark(Kind.SINGLE, "coins of float32")
        grid = _GRIDS[dtype]
        return _new_array([self._path.draw_number(key, grid) / grid for key in keys], dtype=dtype).reshape(shape)

    def _node(self, coin: Coin, dtype: Any) -> Any:
        if self._exact:
            return ExactNode(coin)
        node = GridNode(coin)
        return node.then("cast32") if dtype == np.float32 else node

    def exponentials(self, keys: Any, shape: tuple[int, ...] | None, dtype: Any) -> Any:
        """Return ideal exponential variables."""
        return self._array([NoiseNode(self._path, self._path.draw_noise(key, dtype)) for key in keys], shape, dtype)

    def _array(self, nodes: list[Any], shape: tuple[int, ...] | None, dtype: Any) -> Undrawn:
        if shape is None:
            return Undrawn(self._path, boxed(nodes[0]), dtype, weak=True)
        elements = np.empty(len(nodes), dtype=object)
        elements[:] = nodes
        return Undrawn(self._path, elements.reshape(shape), dtype)

    @property
    def path(self) -> Path:
        """The path that branches."""
        return self._path

    def grid(self, name: str, *, single: bool) -> None:
        """Say on which grid the coins lie that are drawn next, and whether it is coarser than that of float64."""
        mark(Kind.GRID, name, "")
        if self._exact and not self._path.on_grids:
            mark(Kind.LEAK, f"coins of {name}")
        elif single and not self._path.on_grids:
            mark(Kind.SINGLE, f"coins of {name}")

    def coin(self, key: Any, size: int) -> Coin:
        """Return a coin on a grid of so many points."""
        return self._path.draw_coin(key, size)

    def noise(self, key: Any, dtype: str) -> int:
        """Return the name of an ideal exponential variable."""
        return self._path.draw_noise(key, dtype)

    def integer(self, key: Any, low: int, size: int) -> UndrawnInteger:
        """Return an undrawn integer."""
        return UndrawnInteger((low, self._path.draw_integer(key, size)))

    def probabilities(self, row: Sequence[Any], tolerance: float) -> list[Weight]:
        """Return the law of ``Generator.choice``: the row over its sum, or what its float cdf makes of the grid."""
        total = checked_sum(row, tolerance)
        if self._exact:
            return [weight(x) / total for x in map(_plain, row)]
        cdf = np.array([float(x) for x in row], dtype=np.float64).cumsum()
        cdf /= cdf[-1]
        counts = [0, *(math.ceil(edge * _GRID) for edge in cdf.tolist())]
        return [weight(b - a) / _GRID for a, b in itertools.pairwise(counts)]


def _plain(value: Any) -> Any:
    return getattr(value, "weight", value)


class Replaying:
    """The draws of a path that was explored, as plain floats from inside its intervals; one with coins has no replay.

    Parameters
    ----------
    path : Path
        Explored to its end.
    known_rows : KnownRows, optional
        Of earlier replays in the same arithmetic.
    contrary : bool
        Whether what the path did not decide is as different as can be from what another replay hands out.

    Attributes
    ----------
    exact : bool
        Whether the outcome must be that of the path.
    idle : bool
        Whether something was drawn that the path did not decide: nothing that a right program does depends on it.
    """

    def __init__(self, path: Path, known_rows: KnownRows | None = None, *, contrary: bool = False) -> None:
        self._events = iter(path.events)
        self.known_rows = KnownRows() if known_rows is None else known_rows
        self._noise = _Witnesses(path)
        self._seeds: dict[int, Any] = {}
        self._turn = sum(step.option for step in path.steps) + contrary
        self.exact = True
        self.idle = False

    again = True

    def coins(self, keys: Any, shape: tuple[int, ...], dtype: Any) -> Any:  # noqa: ARG002
        """Say that the path had none."""
        return self._next("number")

    def source(self, key: Any) -> RandomSource:
        """Return the source of a stream."""
        return RandomSource(self, key)

    def seeded(self, seed: Any) -> RandomSource | None:
        """Return the source of a seed that this replay handed out."""
        parts = seed if isinstance(seed, list | tuple) else [seed]
        known = [self._seeds.get(part) if isinstance(part, int) else None for part in parts]
        return self.source(("seed", *parts)) if any(k is not None for k in known) else None

    def finished(self) -> bool:
        """Tell whether everything that the path drew was drawn again."""
        return next(self._events, None) is None

    def _next(self, kind: str, options: int = 0) -> Any:
        event: Event | None = next(self._events, None)
        if event is None or event.kind != kind or event.options != options:
            refuse("run again in plain floats, the program draws otherwise", Kind.LEAK)
        return event

    def option(self, key: Any, weights: Sequence[Weight], what: str = "option", reals: Any = None) -> int:  # noqa: ARG002
        """Return the option that the path took, if it is drawn from the same row."""
        event = self._next("option", len(weights))
        if any(abs(float(a) - float(b)) > _ROW_TOLERANCE for a, b in zip(event.weights, weights, strict=True)):
            refuse("run again in plain floats, the program draws from another row", Kind.LEAK)
        return int(event.value)

    def uniforms(self, keys: Any, shape: tuple[int, ...] | None, dtype: Any) -> Any:
        """Return a float from inside each coin's interval."""
        return _shaped([self._witness(self._next("coin").value) for _ in keys], shape, dtype)

    def _witness(self, coin: Coin) -> float:
        if coin.role not in ("", "compared"):
            return self._noise.uniform(coin)
        value, roomy = coin.witness()
        self.exact = self.exact and roomy
        return value

    def exponentials(self, keys: Any, shape: tuple[int, ...] | None, dtype: Any) -> Any:
        """Return noise that wins the races that the path's noise won."""
        return _shaped([self._noise.exponential(self._next("noise").value) for _ in keys], shape, dtype)

    def grid(self, name: str, *, single: bool) -> None:
        """Say nothing: the path has said it."""

    def coin(self, key: Any, size: int) -> int:  # noqa: ARG002
        """Return a point of the grid from inside the coin's interval."""
        coin: Coin = self._next("coin").value
        if coin.role not in ("", "compared"):
            return min(max(int(self._noise.uniform(coin) * size), 1), size - 1)
        self._turn += 1
        if not coin.role:
            self.idle = True
            return size // 1024 if self._turn % 2 else size - 1 - size // 1024
        return coin.witness_point(self._turn)

    def noise(self, key: Any, dtype: str) -> float:  # noqa: ARG002
        """Return noise that wins the races that the path's noise won."""
        name = self._next("noise").value
        if self._noise.knows(name):
            return self._noise.exponential(name)
        self.idle = True
        self._turn += 1
        return _IDLE_NOISE[self._turn % 2]

    def integer(self, key: Any, low: int, size: int) -> int:  # noqa: ARG002
        """Return an integer that is recognised as a seed."""
        name = int(self._next("integer", size).value)
        value = low + size - 1 - name
        self._seeds[value] = name
        return value

    def probabilities(self, row: Sequence[Any], tolerance: float) -> list[Weight]:
        """Return weights that are positive where those of the path are; the option is known."""
        total = check_floats(row, tolerance)
        return [float(x) / total for x in row]


_IDLE_NOISE = (2.0**-8, 2.0**3)


def _shaped(values: list[float], shape: tuple[int, ...] | None, dtype: Any) -> Any:
    return values[0] if shape is None else np.array(values, dtype=dtype).reshape(shape)


class _Witnesses:
    """Values of exponential variables that obey every comparison that a path decided."""

    _MARGIN = 1.0  # of the logarithms; halved until the comparisons can all be met

    def __init__(self, path: Path) -> None:
        self._path = path
        self._logs: dict[Any, float] | None = None

    def knows(self, name: Any) -> bool:
        """Tell whether the path compared a variable."""
        return any(name in (a, b) for a, _, b in self._path.constraints)

    def exponential(self, name: Any) -> float:
        """Return the value of one variable."""
        if self._logs is None:
            self._logs = self._solve()
        return math.exp(self._logs.get(name, 0.0))

    def uniform(self, coin: Coin) -> float:
        """Return the uniform whose logarithm is minus the variable."""
        value = math.exp(-self.exponential((id(coin), coin.role)))
        return value if coin.role == "-log(u)" else 1.0 - value

    def _solve(self) -> dict[Any, float]:
        rules = [(a, _logarithm(to_fraction(c)), b) for a, c, b in self._path.constraints]
        margin = self._MARGIN
        while (found := _relax(rules, margin)) is None:
            margin /= 2
            if margin < 2.0**-30:
                refuse("no float noise obeys the comparisons of the path with room for rounding")
        mean = sum(found.values()) / max(len(found), 1)
        return {name: value - mean for name, value in found.items()}


def _logarithm(value: Fraction) -> float:
    # Of each part: the quotient can be beyond the range of floats.
    return math.log(value.numerator) - math.log(value.denominator)


def _relax(rules: list[tuple[Any, float, Any]], margin: float) -> dict[Any, float] | None:
    """Return logarithms with log a >= log b + c + margin for every rule, or None if there are none."""
    logs = {name: 0.0 for a, _, b in rules for name in (a, b)}
    for _ in range(len(logs) + 1):
        moved = False
        for a, c, b in rules:
            if logs[a] < logs[b] + c + margin:
                logs[a], moved = logs[b] + c + margin, True
        if not moved:
            return logs
    return None
