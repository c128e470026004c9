"""The states of generators, read from memory: fifty times cheaper than asking for them.

Where the bytes lie is no promise of NumPy's or Python's. So each layout is tried on a private copy
first: its bytes must change with every draw and come back with the state, else the slow way is taken.
"""

import ctypes
import random
from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["body", "is_generator", "state_reader"]

Reader = Callable[[], object]

_HEAD = object.__basicsize__  # reference count and type, which are no part of any value
_SIZES = {"MT19937": 2500, "SFC64": 40, "Philox": 64}  # bytes at the state's address
_PCG_HEAD, _PCG_STATE = 16, 32  # a pointer and half a draw; state and increment behind the pointer
_TRIALS = 5  # Philox buffers four draws


def is_generator(value: object) -> bool:
    """Tell whether `value` is a generator whose state `state_reader` reads."""
    return isinstance(value, np.random.Generator | np.random.BitGenerator | np.random.RandomState | random.Random)


def state_reader(generator: Any) -> Reader:
    """Return a function that reads the state of `generator`, to be compared with ``==``.

    Parameters
    ----------
    generator : Generator, BitGenerator, RandomState or random.Random
        Keeps its state; none is drawn from it.

    Returns
    -------
    callable
        Reads bytes in memory where the layout is confirmed on a copy, else the state the slow way.
    """
    if isinstance(generator, np.random.Generator):
        return state_reader(generator.bit_generator)
    if isinstance(generator, np.random.RandomState):
        return _legacy_reader(generator)
    if isinstance(generator, random.Random):
        return _python_reader(generator)
    return _bits_reader(generator)


def body(value: object, kind: type | None = None) -> bytes:
    """Return the bytes of an object of a C type behind its head, up to the size of `kind`."""
    return ctypes.string_at(id(value) + _HEAD, (kind or type(value)).__basicsize__ - _HEAD)


def _bits_reader(generator: Any) -> Reader:
    reader = _bits_in_memory(generator)
    return reader if reader is not None and _bits_confirmed(generator) else lambda: _plain(generator.state)


def _bits_in_memory(generator: Any) -> Reader | None:
    name, module = type(generator).__name__, type(generator).__module__
    if not module.startswith("numpy.random"):
        return None  # a subclass may keep more than its base
    address, string_at = generator.ctypes.state_address, ctypes.string_at
    if name in _SIZES:
        size = _SIZES[name]
        return lambda: string_at(address, size)
    if name in ("PCG64", "PCG64DXSM"):
        behind = ctypes.c_void_p.from_address(address).value or 0
        return lambda: string_at(address, _PCG_HEAD) + string_at(behind, _PCG_STATE)
    return None


def _bits_confirmed(generator: Any) -> bool:
    copy = type(generator)(0)
    copy.state = generator.state
    half = np.random.Generator(copy)
    reader = _bits_in_memory(copy)
    draws = [copy.random_raw, lambda: half.integers(2**32, dtype=np.uint32)]
    return reader is not None and _confirmed(reader, draws, lambda: setattr(copy, "state", generator.state))


def _legacy_reader(generator: Any) -> Reader:
    copy = np.random.RandomState(0)
    reader = _legacy_in_memory(copy)
    sound = type(generator) is np.random.RandomState and _confirmed(
        reader, [copy.random_sample, copy.standard_normal], lambda: copy.seed(0)
    )
    return _legacy_in_memory(generator) if sound else lambda: _plain(generator.get_state(legacy=False))


def _legacy_in_memory(generator: Any) -> Reader:
    # The second number of a pair of normal ones is kept in the object itself.
    bits, string_at = generator._bit_generator, ctypes.string_at
    address, size = id(generator) + _HEAD, np.random.RandomState.__basicsize__ - _HEAD
    inner = _bits_reader(bits)
    return lambda: (string_at(address, size), inner())


def _python_reader(generator: random.Random) -> Reader:
    copy = random.Random(0)
    sound = type(generator) is random.Random and _confirmed(
        _python_in_memory(copy), [copy.random, lambda: copy.gauss(0, 1)], lambda: copy.seed(0)
    )
    return _python_in_memory(generator) if sound else generator.getstate


def _python_in_memory(generator: random.Random) -> Reader:
    address, string_at = id(generator) + _HEAD, ctypes.string_at
    size = random.Random.__base__.__basicsize__ - _HEAD  # type: ignore[union-attr]
    return lambda: (string_at(address, size), generator.gauss_next)  # type: ignore[attr-defined]


def _confirmed(reader: Reader, draws: list[Callable[[], Any]], restore: Callable[[], Any]) -> bool:
    restore()
    before = last = reader()
    for draw in draws:
        for _ in range(_TRIALS):
            draw()
            now = reader()
            if now == last:
                return False
            last = now
    restore()
    return reader() == before


def _plain(value: Any) -> object:
    if isinstance(value, dict):
        return tuple((key, _plain(entry)) for key, entry in value.items())
    return value.tobytes() if isinstance(value, np.ndarray) else value
