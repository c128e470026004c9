"""The function that somebody names on the command line: ``package.module:function`` or ``path/file.py:function``."""

import importlib
import importlib.util
import os
import re
import sys
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

__all__ = ["LoadError", "load"]


class LoadError(ValueError):
    """What was named cannot be had; the text says why."""


def load(spec: str) -> Callable[..., Any]:
    """Import or execute what holds a function, and return the function.

    Parameters
    ----------
    spec : str
        ``package.module:function`` or ``path/file.py:function``; after the colon ``Class.method`` is understood.
        The current directory is searched first, before it the directory of the file; afterwards both stay
        on ``sys.path`` as its last entries. A file that was executed already is not executed again.

    Returns
    -------
    callable

    Raises
    ------
    LoadError
        If it cannot be imported, whatever it raises (``SystemExit`` too), or holds no such callable.
    """
    place, colon, name = spec.rpartition(":")
    if not colon or not place or not all(part.isidentifier() for part in name.split(".")):
        raise LoadError(f"{spec!a} names no function; expected package.module:function or path/file.py:function")
    module = _file(place) if place.endswith(".py") or os.sep in place else _module(place)
    return _attribute(module, name)


def _file(place: str) -> ModuleType:
    path = Path(place).absolute()
    if path.suffix != ".py" or not path.is_file():
        raise LoadError(f"{place!a} is no Python file; expected path/file.py:function")
    # A name that no import statement uses, so that a file called random.py takes nobody's place.
    name = "_".join(["checked", *re.findall(r"\w+", str(path))])
    known = sys.modules.get(name)
    if known is not None and getattr(known, "__file__", None) == str(path):
        return known
    with _searched_first([str(path.parent), os.getcwd()]), _blamed_on(place):
        return _execute(name, path)


def _execute(name: str, path: Path) -> ModuleType:
    found = importlib.util.spec_from_file_location(name, path)
    if found is None or found.loader is None:
        raise LoadError(f"{str(path)!a} is no Python file")
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module  # where dataclasses and pickle look for it
    try:
        found.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


def _module(place: str) -> ModuleType:
    if not all(part.isidentifier() for part in place.split(".")):
        raise LoadError(f"{place!a} is neither a module nor a file; expected package.module or path/file.py")
    first = place.partition(".")[0]
    if first in sys.stdlib_module_names:
        raise LoadError(f"{first!a} is a module of the standard library; for your file write .{os.sep}{first}.py")
    with _searched_first([os.getcwd()]), _blamed_on(place):
        return importlib.import_module(place)


def _attribute(module: ModuleType, name: str) -> Callable[..., Any]:
    found: Any = module
    for part in name.split("."):
        try:
            found = getattr(found, part)
        except Exception:  # a module may have a __getattr__ of its own
            home = getattr(module, "__file__", None) or module.__name__
            raise LoadError(f"{name!a} is not in {ascii(home)[1:-1]}") from None
    if not callable(found):
        raise LoadError(f"{name!a} is {type(found).__name__} and not callable; expected a function")
    return found  # type: ignore[no-any-return]


@contextmanager
def _searched_first(directories: Sequence[str]) -> Iterator[None]:
    """Put directories first on the path, and last afterwards: what they hold shadows nothing of ours."""
    sys.path[:0] = directories
    try:
        yield
    finally:
        for directory in directories:
            if directory in sys.path:
                sys.path.remove(directory)
            if directory not in sys.path:
                sys.path.append(directory)


@contextmanager
def _blamed_on(place: str) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        raise
    except BaseException as error:  # a SystemExit too, and whatever else the code at its top level comes to
        raise LoadError(f"{place!a} cannot be imported: {_last_line(error)}") from error


def _last_line(error: BaseException) -> str:
    line = "".join(traceback.format_exception_only(error)).strip().splitlines()[-1]
    if isinstance(error, SyntaxError) and error.filename:
        return f"{line} ({error.filename}:{error.lineno})"
    frames = [f for f in traceback.extract_tb(error.__traceback__) if not _is_machinery(f.filename)]
    return f"{line} ({frames[-1].filename}:{frames[-1].lineno})" if frames else line


def _is_machinery(filename: str) -> bool:
    return filename in (__file__, importlib.__file__) or filename.startswith("<frozen importlib")
