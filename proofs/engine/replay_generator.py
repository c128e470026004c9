"""The generator of a replay: a real subclass of NumPy's, so that nothing tells it from one but its own type.

A program that asks what its generator is gets other answers in a replay than on the path that is
replayed, and shows in the outcome that it behaves otherwise when it is explored.
"""

import functools
from typing import Any

import numpy as np

from proofs.engine.sources import SUPPORTED, RandomSource

__all__ = ["REPLAY_CLASS", "replay_generator", "source_of"]


_NUMPY = np.random.Generator


class _Carrier(np.random.PCG64):
    """The bit generator of the replay's generator; it carries the source that draws."""

    source: Any = None


class _Sealed(type):
    """A class that takes no attributes, as those of extension modules do not, and passes for NumPy's own."""

    def __instancecheck__(cls, instance: Any) -> bool:
        return isinstance(instance, _NUMPY)

    def __call__(cls, bit_generator: Any) -> Any:
        return super().__call__(bit_generator) if isinstance(bit_generator, _Carrier) else _NUMPY(bit_generator)

    def __setattr__(cls, name: str, value: Any) -> None:
        raise TypeError(f"cannot set {name!r} attribute of immutable type 'numpy.random._generator.Generator'")


def _drawn(name: str) -> property:
    def method(generator: Any) -> Any:
        # No function of ours hangs on it: methods of an extension module have none either.
        return functools.partial(getattr(generator._bit_generator.source, name))

    return property(method)


def _class() -> Any:
    names = [name for name in dir(np.random.Generator) if not name.startswith("_")]
    unmodelled = {name: _drawn(name) for name in names if name not in SUPPORTED}
    modelled = {name: _drawn(name) for name in SUPPORTED}
    body: dict[str, Any] = {"__slots__": (), "__module__": "numpy.random._generator", "__doc__": _NUMPY.__doc__}
    body |= unmodelled | modelled
    return _Sealed("Generator", (np.random.Generator,), body)


_GENERATOR = _class()


def replay_generator(source: RandomSource, again: Any = None) -> Any:
    """Return a generator whose methods are those of `source`, a new one or `again` made to serve once more."""
    if again is not None:
        again._bit_generator.source = source
        return again
    carrier = _Carrier(0)
    carrier.source = source
    return _GENERATOR(carrier)


# What a program that asks for the very type of its generator compares it with.
REPLAY_CLASS = _GENERATOR


def source_of(generator: Any) -> RandomSource | None:
    """Return the source behind a replay's generator; None for any other generator."""
    return generator._bit_generator.source if type(generator) is _GENERATOR else None
