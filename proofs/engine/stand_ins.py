"""Functions that are replaced while a program is run: those of ``numpy.random`` and ``random`` branch.

Constructors of arrays and logarithms of ``math``, which have no hook for numbers of a class of ours, get one.
"""

import functools
import math
import os
import random
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from proofs.engine.arrays import ExactArray, adopt
from proofs.engine.callers import is_import
from proofs.engine.draws import Exploring, Replaying
from proofs.engine.replay_generator import REPLAY_CLASS, replay_generator, source_of
from proofs.engine.scalars import ExactNumber, LogNumber, is_exact
from proofs.engine.signals import Kind, mark, refuse
from proofs.engine.sources import RandomSource
from proofs.engine.undrawn import Undrawn
from proofs.engine.undrawn_integer import UndrawnInteger

__all__ = ["ClassStandIn", "StandIns"]


class StandIns:
    """Stand-ins for the global random functions; they act only in the thread and for the time of a run."""

    def __init__(self) -> None:
        self._draws: Exploring | Replaying | None = None
        self._thread = threading.get_ident()
        self._numpy: RandomSource | None = None
        self._python: random.Random | None = None
        self._fresh = 0
        self._replayed: Any = None

    @contextmanager
    def installed(self) -> Iterator[None]:
        """Put the stand-ins in the place of the functions, and the functions back."""
        before = [(module, name, getattr(module, name)) for module, name, _ in self._stand_ins()]
        for module, name, stand_in in self._stand_ins():
            setattr(module, name, stand_in)
        try:
            yield
        finally:
            for module, name, original in before:
                setattr(module, name, original)

    def running(self, draws: Exploring | Replaying) -> "_Running":
        """Let the stand-ins draw from `draws`, and return the source that the program is given."""
        return _Running(self, draws)

    def start(self, draws: Exploring | Replaying) -> Any:
        """Begin to draw from `draws`; return the source that the program is given."""
        self._draws, self._fresh = draws, 0
        source = draws.source(("rng",))
        if not isinstance(draws, Replaying):
            return source
        self._replayed = replay_generator(source, self._replayed)
        return self._replayed

    def stop(self) -> None:
        """Draw from nothing."""
        self._draws = self._numpy = self._python = None

    def _numpy_source(self) -> RandomSource:
        if self._numpy is None and self._draws is not None:
            self._numpy = self._draws.source(("numpy.random",))
        return self._numpy  # type: ignore[return-value]

    def _python_source(self) -> random.Random:
        if self._python is None and self._draws is not None:
            self._python = _PythonRandom(self._draws.source(("random",)))
        return self._python  # type: ignore[return-value]

    def _shown(self, source: RandomSource) -> Any:
        return replay_generator(source) if isinstance(self._draws, Replaying) else source

    def _active(self) -> bool:
        return self._draws is not None and threading.get_ident() == self._thread

    def _stand_ins(self) -> Iterator[tuple[Any, str, Callable[..., Any]]]:
        for module, of_module in ((np.random, self._of_numpy), (random, self._of_python)):
            for name in sorted(module.__all__):
                original = getattr(module, name)
                if name == "Generator":
                    yield module, name, REPLAY_CLASS
                elif isinstance(original, type | ClassStandIn):
                    yield module, name, ClassStandIn(original, self._active)
                else:
                    yield module, name, self._stand_in(original, of_module(name))

        for name in ("array", "asarray", "asanyarray", "ascontiguousarray", "full", "fromiter"):
            original = getattr(np, name)
            yield np, name, self._stand_in(original, functools.partial(_array, original))
        for name in ("_exit", "abort"):
            yield os, name, self._stand_in(getattr(os, name), lambda *_: refuse("the program ends the process"))
        for name in ("empty", "empty_like"):
            original = getattr(np, name)
            yield np, name, self._stand_in(original, functools.partial(self._poisoned, original))
        for name in ("log", "log1p", "exp"):
            original = getattr(math, name)
            yield math, name, self._stand_in(original, functools.partial(_of_math, name, original))

    def _poisoned(self, original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
        """Return memory that nobody has written, filled with one thing on a path and another in its replay."""
        made = original(*args, **kwargs)
        if made.dtype.kind in "biufc" and made.flags.writeable:
            again = self._draws is not None and self._draws.again
            made.fill(0 if again else 1 if made.dtype.kind in "biu" else np.nan)
        return made

    def _stand_in(self, original: Any, act: Callable[..., Any]) -> Callable[..., Any]:
        @functools.wraps(original)
        def stand_in(*args: Any, **kwargs: Any) -> Any:
            return act(*args, **kwargs) if self._active() else original(*args, **kwargs)

        return stand_in

    def _of_numpy(self, name: str) -> Callable[..., Any]:
        if name == "default_rng":
            return functools.partial(self._default_rng, np.random.default_rng)
        rule = _LEGACY.get(name)
        if rule is None:
            return lambda *args, **kwargs: refuse(f"numpy.random.{name} is not modelled")
        return lambda *args, **kwargs: rule(self._numpy_source(), *args, **kwargs)

    def _of_python(self, name: str) -> Callable[..., Any]:
        return lambda *args, **kwargs: getattr(self._python_source(), name)(*args, **kwargs)

    def _default_rng(self, original: Callable[..., Any], seed: Any = None) -> Any:
        draws = self._draws
        if draws is None:
            return original(seed)
        if seed is None:
            self._fresh += 1
            return self._shown(draws.source(("fresh", self._fresh)))
        if type(seed) is RandomSource or source_of(seed) is not None:
            return seed
        source = draws.seeded(seed)
        if source is not None:
            return self._shown(source)
        mark(Kind.CONSTANT, "default_rng with a seed that was not drawn: its draws are the same in every run")
        return original(seed)


def _array(original: Callable[..., Any], *args: Any, **kwargs: Any) -> Any:
    """Make an array as NumPy does, which has no hook here; one of exact numbers goes on counting as floats do."""
    if args and _holds_undrawn(args[0]):
        return _gathered(args[0], *args[1:], **kwargs)
    made = original(*args, **kwargs)
    if made.dtype == np.float32 and args and isinstance(args[0], ExactArray):
        mark(Kind.SINGLE, "exact numbers are cast to float32")
    # Only where there is an exact number: an object array of floats or of a program's own things is left alone.
    return adopt(made) if made.dtype == object and any(map(is_exact, made.flat)) else made


def _holds_undrawn(values: Any) -> bool:
    if isinstance(values, Undrawn):
        return True
    return type(values) in (list, tuple) and any(map(_holds_undrawn, values))


def _gathered(values: Any, dtype: Any = None, **_: Any) -> Any:
    """Return undrawn numbers, or nested lists of them and of numbers, as one array."""
    made = values.copy() if isinstance(values, Undrawn) else np.stack([_element(value) for value in values])
    return made if dtype is None else made.astype(dtype)


def _element(value: Any) -> Any:
    return _gathered(value) if _holds_undrawn(value) and not isinstance(value, Undrawn) else value


def _of_math(name: str, original: Callable[..., Any], value: Any, *base: Any) -> Any:
    """Take the logarithm or the exponential of an exact or undrawn number as NumPy does; everything else is math's."""
    if not base and isinstance(value, Undrawn | ExactNumber | LogNumber):
        return getattr(np, name)(value)
    return original(value, *base)


class _Running:
    """The time of one run, as a context; it is entered for every path, and no generator is made for it."""

    __slots__ = ("_draws", "_stand_ins")

    def __init__(self, stand_ins: StandIns, draws: Exploring | Replaying) -> None:
        self._stand_ins = stand_ins
        self._draws = draws

    def __enter__(self) -> Any:
        try:
            return self._stand_ins.start(self._draws)
        except BaseException:
            self._stand_ins.stop()
            raise

    def __exit__(self, *_: object) -> None:
        self._stand_ins.stop()


class ClassStandIn:
    """Stands in for a class of generators: the same class, but that a program's making an instance is marked.

    Parameters
    ----------
    original : type
    active : callable
        Whether a program is running in this thread.
    """

    def __init__(self, original: Any, active: Callable[[], bool]) -> None:
        self._original = original
        self._active = active

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        """Make an instance."""
        if self._active() and not is_import(sys._getframe(1)):
            _mark_instance(self._original.__name__, [*args, *kwargs.values()])
        return self._original(*args, **kwargs)

    def __instancecheck__(self, instance: Any) -> bool:
        return isinstance(instance, self._original)

    def __subclasscheck__(self, subclass: Any) -> bool:
        return issubclass(subclass._original if isinstance(subclass, ClassStandIn) else subclass, self._original)

    def __mro_entries__(self, _: Any) -> Any:
        return (self._original,)

    def __or__(self, other: Any) -> Any:
        return self._original | other

    __ror__ = __or__

    def __getattr__(self, name: str) -> Any:
        return getattr(self._original, name)


def _mark_instance(name: str, arguments: list[Any]) -> None:
    if name == "SystemRandom" or all(argument is None for argument in arguments):
        refuse(f"{name}() draws from the operating system", Kind.HIDDEN)
    parts = [part for x in arguments for part in (x if isinstance(x, list | tuple) else [x])]
    if any(isinstance(part, UndrawnInteger) or type(part) is RandomSource for part in parts):
        refuse(f"{name} with a seed that was drawn; default_rng takes one")
    mark(Kind.CONSTANT, f"{name} with a seed that was not drawn: its draws are the same in every run")


_LEGACY: dict[str, Callable[..., Any]] = {
    "random": lambda source, size=None: source.random(size),
    "random_sample": lambda source, size=None: source.random(size),
    "ranf": lambda source, size=None: source.random(size),
    "sample": lambda source, size=None: source.random(size),
    "rand": lambda source, *shape: source.random(shape or None),
    "uniform": lambda source, low=0.0, high=1.0, size=None: _uniform(source, low, high, size),
    "randint": lambda source, low, high=None, size=None, dtype=int: source.integers(low, high, size, dtype),
    "choice": lambda source, a, size=None, replace=True, p=None: source.choice(a, size, replace, p),
    "multinomial": lambda source, n, pvals, size=None: source.multinomial(n, pvals, size),
    "binomial": lambda source, n, p, size=None: source.binomial(n, p, size),
    "permutation": lambda source, x: source.permutation(x),
    "shuffle": lambda source, x: source.shuffle(x),
    "exponential": lambda source, scale=1.0, size=None: source.exponential(scale, size),
    "standard_exponential": lambda source, size=None: source.standard_exponential(size),
    "gumbel": lambda source, loc=0.0, scale=1.0, size=None: source.gumbel(loc, scale, size),
}


def _uniform(source: RandomSource, low: Any, high: Any, size: Any) -> Any:
    if np.any(np.less(high, low)):
        refuse("numpy.random.uniform with high < low, which it allows and a Generator does not")
    return source.uniform(low, high, size)


class _PythonRandom(random.Random):
    """The algorithms of Python's ``random``, drawing from a source."""

    def __init__(self, source: RandomSource) -> None:
        self._source = source
        super().__init__()

    def random(self) -> Any:
        """Return a uniform."""
        return self._source.random()

    def _randbelow(self, n: int) -> int:
        return int(self._source.integers(n))

    def getrandbits(self, k: int) -> int:
        """Return an integer of k bits."""
        return int(self._source.integers(1 << k))

    def seed(self, *args: Any, **kwargs: Any) -> None:
        """Refuse, but for the call that makes the instance."""
        if kwargs or any(argument is not None for argument in args):
            refuse("random.seed inside a program")

    def getstate(self) -> Any:
        """Refuse."""
        refuse("random.getstate inside a program")

    def setstate(self, state: Any) -> Any:  # noqa: ARG002
        """Refuse."""
        refuse("random.setstate inside a program")
