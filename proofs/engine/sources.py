"""What stands in for ``numpy.random.Generator``: the same methods, of which each branches or returns undrawn numbers.

The same class serves the exploration of a program and the replay of a path in plain floats: what
is drawn comes from a `Draws`, and only there the two differ.
"""

import itertools
import math
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from numpy.lib.array_utils import normalize_axis_index

from proofs.engine.choices import MAX_OPTIONS
from proofs.engine.nodes import constant
from proofs.engine.parameters import doubles, integer_dtype, one_trial, pairs, population, scale_of
from proofs.engine.row_laws import KnownRows, full_shape, multinomial_weights, row_tolerance, shape_of
from proofs.engine.signals import refuse
from proofs.engine.weights import ONE, Weight, weight

__all__ = ["SUPPORTED", "Draws", "RandomSource"]

_DOUBLE = np.dtype(np.float64)
_FLOATS = (_DOUBLE, np.dtype(np.float32))
_as_array = np.asanyarray  # itself, whatever stands in its place while a program is run
_GENERATOR = np.random.Generator  # the class itself, whatever stands in its place while a program is run


class Draws(Protocol):
    """Where a source gets its randomness from."""

    known_rows: KnownRows

    def option(self, key: Any, weights: Sequence[Weight], what: str = "option") -> int:
        """Return one of the options, which have these exact probabilities; `what` tells one method from another."""

    def uniforms(self, keys: Any, shape: tuple[int, ...] | None, dtype: Any) -> Any:
        """Return uniforms on [0, 1), one for each key; no shape means a Python float."""

    def exponentials(self, keys: Any, shape: tuple[int, ...] | None, dtype: Any) -> Any:
        """Return exponential variables of mean one."""

    def coins(self, keys: Any, shape: tuple[int, ...], dtype: Any) -> Any:
        """Return an array of numbers on the grid of the dtype, one for each key."""

    def integer(self, key: Any, low: int, size: int) -> Any:
        """Return an integer of [low, low + size) that is too large to branch over."""

    def probabilities(self, row: Sequence[Any], tolerance: float) -> list[Weight]:
        """Return the law of ``Generator.choice`` with this row of probabilities."""


def _name_of(dtype: Any) -> Any:
    """Return the name of a dtype of torch; every other dtype as it is."""
    name = str(dtype)
    return name.removeprefix("torch.") if name.startswith("torch.") else dtype


class RandomSource:
    """Stands in for ``numpy.random.Generator``; ``isinstance`` says that it is one.

    Parameters
    ----------
    draws : Draws
    key : hashable
        Of the stream: sources of equal keys draw the same numbers, as generators of equal seeds do.
    """

    __slots__ = ("_counter", "_draws", "_key")

    def __init__(self, draws: Draws, key: Any) -> None:
        self._draws = draws
        self._key = key
        self._counter = itertools.count()

    @property
    def __class__(self) -> type:
        return _GENERATOR

    @__class__.setter
    def __class__(self, _: type) -> None:
        refuse("the class of the generator is changed")

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or not hasattr(_GENERATOR, name):
            raise AttributeError(f"'numpy.random._generator.Generator' object has no attribute {name!r}")
        refuse(f"Generator.{name} is not modelled")

    def __repr__(self) -> str:
        return "Generator(PCG64)"

    def __copy__(self) -> Any:
        refuse("a generator is copied")

    def __deepcopy__(self, _: Any) -> Any:
        refuse("a generator is copied")

    def __reduce__(self) -> Any:
        refuse("a generator is pickled")

    def _next(self) -> Any:
        """Return the name of the next draw of the stream."""
        return self._key, next(self._counter)

    def _option(self, weights: Sequence[Weight], what: str) -> int:
        return self._draws.option(self._next(), weights, what)

    def _even(self, count: int, what: str) -> int:
        if count > MAX_OPTIONS:
            refuse(f"a choice among {count} options; at most {MAX_OPTIONS} can be branched over")
        return self._option([ONE / count] * count, what)

    def _each(self, shape: tuple[int, ...] | None, one: Any, dtype: Any = np.int64) -> Any:
        """Return an array of single draws, or one of them."""
        if shape is None:
            return one()
        found = np.empty(shape, dtype=dtype)
        for at in np.ndindex(*shape):
            found[at] = one()
        return found

    # --- uniforms

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        """Return uniforms on [0, 1)."""
        if size is None and out is None and dtype is np.float64:
            return self._draws.uniforms((self._next(),), None, _DOUBLE)
        return self._floats(self._draws.uniforms, size, dtype, out)

    def _floats(self, draw: Any, size: Any, dtype: Any, out: Any) -> Any:
        kind = np.dtype(dtype)
        if kind not in _FLOATS:
            raise TypeError(f"Unsupported dtype {kind!r} for random numbers")
        if out is None:
            shape = None if size is None else shape_of(size)
            return draw([self._next() for _ in range(1 if shape is None else math.prod(shape))], shape, kind)
        if out.dtype != kind:
            raise TypeError(f"Supplied output array has the wrong type. Expected {kind}, got {out.dtype}")
        if size is not None and shape_of(size) != out.shape:
            raise ValueError("size must match out.shape when used together")
        out[...] = draw([self._next() for _ in range(out.size)], out.shape, kind)
        return out

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        """Return uniforms on [low, high)."""
        first = doubles(low)
        span = doubles(high) - first
        spans = np.asarray(span, dtype=object).ravel()
        if not all(abs(x) < math.inf for x in spans):
            raise OverflowError("high - low range exceeds valid bounds")
        if any(x < 0 for x in spans):
            raise ValueError("high - low < 0")
        return first + span * self.random(full_shape(size, low, high))

    def coins(self, shape: Any, dtype: Any = "float32") -> Any:
        """Return uniforms on [0, 1) as a plain array of numbers, for code that takes its coins as an argument.

        NumPy's Generator has no such method. The program is run for many of them: its law is then *swept*. No
        other random choice may follow.

        Parameters
        ----------
        shape : int or tuple of int
        dtype : {"float32", "float64"}
            The coins are k/2^24 or k/2^53: 0 is one of them, 1 never is. The array is NumPy's in any case;
            ``torch.from_numpy`` makes a tensor of it.
        """
        wanted = shape_of(shape)
        return self._draws.coins([self._next() for _ in range(math.prod(wanted))], wanted, np.dtype(_name_of(dtype)))

    # --- choices

    def integers(
        self, low: Any, high: Any = None, size: Any = None, dtype: Any = np.int64, endpoint: bool = False
    ) -> Any:
        """Return integers of [low, high)."""
        kind = integer_dtype(dtype)
        first, last = (0, low) if high is None else (low, high)
        shape = full_shape(size, first, last)
        if shape is None:
            drawn = self._integer(first, last, kind, endpoint, alone=True)
            return dtype(drawn) if dtype in (int, bool) and isinstance(drawn, np.generic) else drawn
        found = np.empty(shape, dtype=kind)
        for at, (least, most) in zip(np.ndindex(*shape), pairs(first, last, shape), strict=True):
            found[at] = self._integer(least, most, kind, endpoint, alone=False)
        return found

    def _integer(self, low: Any, high: Any, kind: Any, endpoint: bool, *, alone: bool) -> Any:
        first, last = int(low), int(high) - (not endpoint)
        least, most = (0, 1) if kind == np.bool_ else (np.iinfo(kind).min, np.iinfo(kind).max)
        if first < least or last > most:
            raise ValueError(f"low or high is out of bounds for {kind}")
        if last < first:
            raise ValueError("low > high" if endpoint else "low >= high")
        count = last - first + 1
        if count <= MAX_OPTIONS:
            return kind.type(first + self._even(count, f"integer of {kind}"))
        if not alone:
            refuse(f"an array of integers among {count}; at most {MAX_OPTIONS} can be branched over")
        return self._draws.integer(self._next(), first, count)

    def choice(
        self, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True
    ) -> Any:
        """Return elements of `a`, or of range(a)."""
        if type(a) is int and size is None and p is not None and replace and a > 0:
            return self._draws.option(self._next(), self._row(p, a), "choice")
        items = np.asanyarray(a)
        count = items.shape[axis] if items.ndim else population(items)
        shape = None if size is None else shape_of(size)
        wanted = 1 if shape is None else math.prod(shape)
        if count <= 0 and wanted:
            raise ValueError("a must be a positive integer, or not empty, unless no samples are taken")
        weights = None if p is None else self._row(p, count)
        if replace:
            places = [self._even(count, "place") if weights is None else self._option(weights, "choice")
                      for _ in range(wanted)]  # fmt: skip
        else:
            places = self._without_replacement(count, weights, wanted, shuffle)
        if shape is None:
            return np.take(items, places[0], axis=axis) if items.ndim else int(places[0])
        found = np.array(places, dtype=np.int64).reshape(shape)
        return np.asanyarray(np.take(items, found, axis=axis)) if items.ndim else found

    def _row(self, p: Any, count: int) -> tuple[Weight, ...]:
        known = self._draws.known_rows.find(p)
        if known is not None and len(known) == count:
            return known
        row = _as_array(p)
        if row.ndim != 1:
            raise ValueError("p must be 1-dimensional")
        if len(row) != count:
            raise ValueError("a and p must have same size")
        found = tuple(self._draws.probabilities(list(row), row_tolerance(p)))
        self._draws.known_rows.keep(p, found)
        return found

    def _without_replacement(self, count: int, weights: Sequence[Weight] | None, wanted: int, shuffle: bool) -> Any:
        if wanted > count:
            raise ValueError("Cannot take a larger sample than population when replace is False")
        if weights is None:
            return self._sampled(count, wanted) if shuffle else self._sampled_in_place(count, wanted)
        if sum(1 for share in weights if share) < wanted:
            raise ValueError("Fewer non-zero entries in p than size")
        left, taken = dict(enumerate(weights)), []
        for _ in range(wanted):
            total = sum(left.values())
            places = list(left)
            taken.append(places[self._option([left[at] / total for at in places], "choice without replacement")])
            del left[taken[-1]]
        return taken

    def _sampled(self, count: int, wanted: int) -> list[int]:
        left = list(range(count))
        return [left.pop(self._even(len(left), "sample")) for _ in range(wanted)]

    def _sampled_in_place(self, count: int, wanted: int) -> list[int]:
        # Floyd's algorithm, as in NumPy: an even law of the set, and not of the order.
        taken: list[int] = []
        for last in range(count - wanted, count):
            place = self._even(last + 1, "sample in place")
            taken.append(last if place in taken else place)
        return taken

    def multinomial(self, n: Any, pvals: Any, size: Any = None) -> Any:
        """Return counts of one draw; the last option takes the remainder, as in NumPy."""
        one_trial("multinomial", n)
        row = np.asanyarray(pvals)
        if row.ndim == 0 or row.shape[-1] == 0:
            raise ValueError("pvals must have at least 1 dimension and its last dimension must not be empty")
        if row.ndim != 1:
            refuse("multinomial with more than one row")
        weights = multinomial_weights(list(row))
        found = np.zeros((*(() if size is None else shape_of(size)), len(weights)), dtype=np.int64)
        for at in np.ndindex(*found.shape[:-1]):
            found[(*at, self._option(weights, "multinomial"))] = 1
        return found

    def binomial(self, n: Any, p: Any, size: Any = None) -> Any:
        """Return the outcomes of single trials."""
        one_trial("binomial", n)
        shape = full_shape(size, p)
        chances = iter(np.broadcast_to(np.asanyarray(p), () if shape is None else shape).ravel())
        return self._each(shape, lambda: self._trial(next(chances)))

    def _trial(self, p: Any) -> int:
        share = constant(p)
        if not 0 <= share <= 1:
            raise ValueError("p < 0, p > 1 or p is NaN")
        return 1 - self._option((weight(share), ONE - share), "binomial")

    def permutation(self, x: Any, axis: int = 0) -> Any:
        """Return the items in random order."""
        items = np.arange(x) if isinstance(x, int | np.integer) else np.array(x, copy=True, subok=True)
        place = normalize_axis_index(axis, items.ndim)
        return np.take(items, self._order(items.shape[place]), axis=place)

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Put the items in random order, in place."""
        count = len(x)
        if isinstance(x, np.ndarray):
            place = normalize_axis_index(axis, x.ndim)
            x[...] = np.take(x, self._order(x.shape[place]), axis=place)
        elif axis != 0:
            raise NotImplementedError("Axis argument is only supported on ndarray objects")
        elif count > 1:
            for place, item in enumerate([x[at] for at in self._order(count)]):
                x[place] = item

    def _order(self, count: int) -> list[int]:
        if count > _MOST_ITEMS:
            refuse(f"a permutation of {count} items; at most {MAX_OPTIONS} orders can be branched over")
        left = list(range(count))
        return [left.pop(self._even(len(left), "place in order")) for _ in range(count)]

    # --- noise

    def standard_exponential(
        self,
        size: Any = None,
        dtype: Any = np.float64,
        method: str = "zig",  # noqa: ARG002  # ideal noise has no algorithm
        out: Any = None,
    ) -> Any:
        """Return ideal exponential variables, good in a race."""
        return self._floats(self._draws.exponentials, size, dtype, out)

    def exponential(self, scale: Any = 1.0, size: Any = None) -> Any:
        """Return ideal exponential variables of mean `scale`."""
        return self.standard_exponential(full_shape(size, scale)) * scale_of(scale)

    def gumbel(self, loc: Any = 0.0, scale: Any = 1.0, size: Any = None) -> Any:
        """Return ideal Gumbel variables: minus the logarithms of exponential ones."""
        shape = full_shape(size, loc, scale)
        drawn = doubles(loc) + scale_of(scale) * -np.log(self.standard_exponential(shape))
        return drawn.item() if shape is None else drawn


# The public names of NumPy's Generator that are modelled; every other one refuses.
SUPPORTED = frozenset(name for name in vars(RandomSource) if not name.startswith("_") and hasattr(_GENERATOR, name))

_MOST_ITEMS = next(count for count in itertools.count() if math.factorial(count + 1) > MAX_OPTIONS)
