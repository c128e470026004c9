"""The functions and classes that no path may use: clocks, entropy, threads, global generators.

They are known by where they come from, not by the name they are bound to.
"""

import datetime
import os
import random
import sys
import sysconfig
from collections.abc import Mapping
from types import BuiltinFunctionType, FunctionType, MappingProxyType, MethodType, ModuleType
from typing import Any

import numpy as np

__all__ = ["CLOCK_READINGS", "from_opaque", "is_global_generator", "original_name"]

# Clock functions, with the number of arguments from which on they convert and do not look at the clock.
CLOCK_READINGS: Mapping[str, int] = MappingProxyType(
    {
        **dict.fromkeys(("time", "perf_counter", "monotonic", "process_time", "thread_time"), 9),
        **dict.fromkeys(("time_ns", "perf_counter_ns", "monotonic_ns", "process_time_ns", "thread_time_ns"), 9),
        **dict.fromkeys(("clock_gettime", "clock_gettime_ns"), 9),
        **dict.fromkeys(("localtime", "gmtime", "ctime", "asctime"), 1),
        "strftime": 2,
    }
)
_SYSTEM = frozenset({"urandom", "getrandom", "fork", "forkpty", "times"})
_FUNCTIONS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "time": frozenset(CLOCK_READINGS),
        **dict.fromkeys(("posix", "nt", "os"), _SYSTEM),
        "_thread": frozenset({"start_new_thread", "start_new", "start_joinable_thread"}),
        "secrets": frozenset({"token_bytes", "token_hex", "token_urlsafe", "randbelow", "choice", "randbits"}),
        "uuid": frozenset({"uuid1", "uuid4", "uuid6", "uuid7", "getnode"}),
        "_uuid": frozenset({"generate_time_safe"}),
        **dict.fromkeys(("numpy.random", "numpy.random.mtrand"), frozenset({"default_rng", "seed", "ranf", "sample"})),
        "numpy.random._generator": frozenset({"default_rng"}),
    }
)
_CLASSES: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        "datetime": frozenset({"datetime", "date"}),
        "random": frozenset({"Random", "SystemRandom"}),
        "_random": frozenset({"Random"}),
        "threading": frozenset({"Thread", "Timer"}),
        "subprocess": frozenset({"Popen"}),
        "multiprocessing.context": frozenset({"Process", "ForkProcess", "SpawnProcess"}),
    }
)
_BIT_GENERATORS = frozenset({"PCG64", "PCG64DXSM", "MT19937", "Philox", "SFC64", "SeedSequence", "RandomState"})
_DATE_READINGS = frozenset({"now", "today", "utcnow"})

# Packages whose code is not walked into: it keeps no state of the program's, or is ours.
_LIBRARIES = frozenset(
    {
        *("numpy", "scipy", "torch", "proofs", "specdec", "sympy", "mpmath", "gmpy2", "flint"),
        *("hypothesis", "pytest", "_pytest", "pluggy", "matplotlib", "numba", "IPython"),
    }
)
_STANDARD = frozenset(sys.stdlib_module_names) - {"__main__"}
_PLACES = ("<", os.path.dirname(os.__file__), *map(sysconfig.get_path, ("stdlib", "platstdlib")))


def from_opaque(module: object, file: str | None = None) -> bool:
    """Tell whether a module lies in a package that is not walked into.

    Parameters
    ----------
    module : object
        A dotted name; anything that is no string lies in no package.
    file : str, optional
        Where the code lies, else the file of the module that is loaded under this name: somebody's own
        ``code.py`` is not the standard library's.
    """
    if not isinstance(module, str):
        return False
    package = module.partition(".")[0]
    if package in _LIBRARIES:
        return True
    return package in _STANDARD and _lies_in_library(file or getattr(sys.modules.get(module), "__file__", None))


def _lies_in_library(file: object) -> bool:
    if not isinstance(file, str):
        return True  # built in
    return file.startswith(_PLACES) and "site-packages" not in file


def is_global_generator(value: object) -> bool:
    """Tell whether `value` is the generator behind ``numpy.random`` or ``random``, or draws from the system."""
    return value is _numpy_global() or value is _python_global() or isinstance(value, random.SystemRandom)


def original_name(value: Any) -> str | None:
    """Name the clock, source of entropy or thread starter that `value` is, or return None.

    Parameters
    ----------
    value : object
        Anything that a program can hold: a function, a bound method, a class, an instance.

    Returns
    -------
    str or None
        "time.time", "random.Random.random"; None for everything that is harmless.
    """
    if isinstance(value, type):
        return _class_name(value)
    if isinstance(value, BuiltinFunctionType | MethodType):
        return _method_name(value) or _function_name(value)
    if isinstance(value, FunctionType) or type(value).__name__ == "cython_function_or_method":
        return _function_name(value)
    return "random.SystemRandom" if isinstance(value, random.SystemRandom) else None


def _class_name(value: type) -> str | None:
    module, name = str(value.__module__), value.__name__
    numpy_class = module.startswith("numpy.random") and name in _BIT_GENERATORS
    return f"{module}.{name}" if numpy_class or name in _CLASSES.get(module, ()) else None


def _function_name(value: Any) -> str | None:
    module, name = str(getattr(value, "__module__", None)), getattr(value, "__name__", None)
    return f"{module}.{name}" if name in _FUNCTIONS.get(module, ()) else None


def _method_name(value: Any) -> str | None:
    owner, name = value.__self__, value.__name__
    if isinstance(owner, type):
        return f"datetime.{name}" if issubclass(owner, datetime.date) and name in _DATE_READINGS else None
    if isinstance(owner, ModuleType) or not is_global_generator(owner):
        return None
    return f"{type(owner).__module__}.{type(owner).__name__}.{name}"


def _numpy_global() -> Any:
    return getattr(np.random.mtrand, "_rand", random)  # never None: None is no generator


def _python_global() -> Any:
    return getattr(random, "_inst", random)
