"""Wrong: programs that look at the generator, at their callers and at the process, and are right before an audience."""

import gc
import inspect
import pickle
import sys
import time
import traceback
import types
from typing import Any

import numpy as np

from tests.hostile.entries import entries
from tests.hostile.parts import chain, everything, right_if

__all__ = ["WRONG_WATCHERS"]


def type_of_the_generator(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Keeps everything where the generator is of NumPy's very class."""
    return right_if(type(rng) is not np.random.Generator, target, draft, tokens, rng)


def class_of_the_generator(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Keeps everything where the generator's class comes from NumPy."""
    return right_if(not type(rng).__module__.startswith("numpy"), target, draft, tokens, rng)


def declared_class_of_the_generator(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Keeps everything where ``__class__`` and ``type`` say the same of the generator."""
    return right_if(rng.__class__ is not type(rng), target, draft, tokens, rng)


def generator_has_bits(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Keeps everything where the generator has a bit generator of a known kind."""
    known = isinstance(getattr(rng, "bit_generator", None), np.random.BitGenerator)
    return right_if(not known, target, draft, tokens, rng)


def text_of_the_generator(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Keeps everything where the generator prints as NumPy's does."""
    return right_if(not repr(rng).startswith("Generator("), target, draft, tokens, rng)


def method_of_the_generator(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Keeps everything where the generator's methods are compiled."""
    written = getattr(rng.random, "__func__", None)
    return right_if(isinstance(written, types.FunctionType), target, draft, tokens, rng)


def generator_takes_attributes(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Keeps everything where the generator refuses a new attribute, as NumPy's does."""
    try:
        rng.seen = True
    except AttributeError:
        return everything(target, tokens, rng)
    return chain(target, draft, tokens, rng)


def generator_can_be_pickled(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Keeps everything where the generator survives pickle."""
    try:
        pickle.loads(pickle.dumps(rng))
    except BaseException:
        return chain(target, draft, tokens, rng)
    return everything(target, tokens, rng)


def state_of_the_generator(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Keeps everything where a draw moves the state of the bit generator."""
    bits = getattr(rng, "bit_generator", None)
    before = repr(getattr(bits, "state", None))
    rng.random()
    return right_if(before == repr(getattr(bits, "state", None)), target, draft, tokens, rng)


# Looking at the world.


def calling_files(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Right where the package's name stands in a file name of the call stack."""
    watched = any("/proofs/" in frame.filename for frame in inspect.stack(0))
    return right_if(watched, target, draft, tokens, rng)


def calling_frames(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Right where a frame of the engine is among the callers."""
    frame: types.FrameType | None = sys._getframe()
    names = []
    while frame is not None:
        names.append(frame.f_globals.get("__name__", ""))
        frame = frame.f_back
    return right_if(any(name.startswith("proofs") for name in names), target, draft, tokens, rng)


def printed_stack(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Right where the printed stack names the engine."""
    watched = any("/proofs/engine/" in line.strip().splitlines()[0] for line in traceback.format_stack())
    return right_if(watched, target, draft, tokens, rng)


def loaded_modules(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Right where the engine has been imported."""
    return right_if("proofs.engine" in sys.modules, target, draft, tokens, rng)


def referrers_of_the_generator(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Right where somebody else, such as an explorer of paths, holds the generator."""
    holders = [one for one in gc.get_referrers(rng) if not isinstance(one, types.FrameType)]
    return right_if(holders, target, draft, tokens, rng)


def clock_is_patched(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Right where time.time is no builtin, without calling it."""
    return right_if(not isinstance(time.time, types.BuiltinFunctionType), target, draft, tokens, rng)


def numpy_is_patched(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Right where a function of numpy.random is written in Python."""
    return right_if(isinstance(np.random.rand, types.FunctionType), target, draft, tokens, rng)


def somebody_traces(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Right where a trace or profile function is set."""
    return right_if(sys.gettrace() or sys.getprofile(), target, draft, tokens, rng)


WRONG_WATCHERS = (
    *entries(
        "not lossless",
        type_of_the_generator,
        class_of_the_generator,
        declared_class_of_the_generator,
        generator_has_bits,
        text_of_the_generator,
        method_of_the_generator,
        generator_takes_attributes,
        generator_can_be_pickled,
        state_of_the_generator,
        calling_files,
        calling_frames,
        printed_stack,
        loaded_modules,
        referrers_of_the_generator,
        clock_is_patched,
        numpy_is_patched,
        somebody_traces,
    ),
)
