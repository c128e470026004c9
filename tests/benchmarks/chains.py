"""The exact law of a block: how long it takes here and with icepool, dyce and Storm, whose models are written by hand.

Run it as ``python -m tests.benchmarks.chains`` in a clone. It makes a virtual environment of its own (in a directory
given, or one that is thrown away), installs the project and the packages there, runs every model in a process of its
own, holds the laws to be equal as fractions, and prints CPU seconds and their ratio to ours within this run.
"""

import argparse
import importlib.util
import pickle
import subprocess
import sys
import tempfile
import venv
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.benchmarks.chain_models import MODELS, BlockLaw

__all__ = ["main"]

ROOT = Path(__file__).parents[2]
SIZES = ("3x4", "4x4", "8x5")  # V x gamma
OURS = next(iter(MODELS))


class Result(NamedTuple):
    """What one model came to: CPU seconds and the law, or why there is none."""

    name: str
    seconds: float = 0.0
    law: BlockLaw | None = None
    failure: str = ""


def _last_line(text: str) -> str:
    lines = [line for line in text.splitlines() if line.strip()]
    return lines[-1].strip() if lines else "no message"


def _installed(directory: Path) -> tuple[str, dict[str, str]]:
    """Make the environment; return its interpreter, and for each package that it lacks the reason."""
    venv.create(directory, with_pip=True)
    python = str(directory / ("Scripts" if sys.platform == "win32" else "bin") / "python")
    failures = {}
    for package, what in {"the project": str(ROOT), **{package: package for package, _ in MODELS.values()}}.items():
        command = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", what]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            failures[package] = f"not installed: {_last_line(done.stderr)}"
    if "the project" in failures:
        raise SystemExit(f"the project cannot be installed: {failures['the project']}")
    return python, failures


def _here() -> tuple[str, dict[str, str]]:
    """Return this interpreter, and the packages that it lacks."""
    packages = {package for package, _ in MODELS.values()}
    missing = [package for package in packages if importlib.util.find_spec(package) is None]
    return sys.executable, dict.fromkeys(missing, "not installed here")


def _result(python: str, name: str, size: str, seconds: float) -> Result:
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "law"
        command = [python, "-m", "tests.benchmarks.chain_models", name, *size.split("x"), str(path)]
        try:
            done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=seconds)
        except subprocess.TimeoutExpired:
            return Result(name, failure=f"not done after {seconds:g} s")
        if done.returncode:
            return Result(name, failure=f"failed: {_last_line(done.stderr)}")
        return Result(name, *pickle.loads(path.read_bytes()))


def _results(python: str, failures: dict[str, str], size: str, seconds: float) -> Iterator[Result]:
    for name, (package, _) in MODELS.items():
        if package in failures:
            yield Result(name, failure=failures[package])
        else:
            yield _result(python, name, size, seconds)


def _table(size: str, results: Sequence[Result]) -> tuple[list[str], bool]:
    """Return the lines for one size, and whether all laws are equal."""
    found = [result for result in results if result.law is not None]
    first = found[0] if found else Result(OURS, law={})
    unequal = {result.name for result in found if result.law != first.law}
    vocabulary, gamma = size.split("x")
    lines = [f"V = {vocabulary}, gamma = {gamma}: {len(first.law or ()):,} blocks"]
    ours = first.seconds if first.name == OURS else None
    lines += [_line(result, ours, result.name in unequal) for result in results]
    equal = not unequal and all(sum((result.law or {}).values()) == 1 for result in found)
    verdict = "all are equal as fractions, and sum to one" if equal else "NOT ALL EQUAL, or one does not sum to one"
    return [*lines, f"  {len(found)} laws: {verdict}"], equal


def _line(result: Result, ours: float | None, unequal: bool) -> str:
    if result.law is None:
        return f"  {result.name:<28} {result.failure}"
    ratio = "" if not ours else f"{result.seconds / ours:8.2f} x ours"
    return f"  {result.name:<28} {result.seconds:8.3f} s {ratio}{'  LAW DIFFERS' if unequal else ''}"


def _arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.benchmarks.chains", description=__doc__)
    parser.add_argument("sizes", nargs="*", metavar="VxGAMMA", default=SIZES, help="(default: %(default)s)")
    parser.add_argument("--directory", type=Path, help="where the environment is made and kept")
    parser.add_argument("--here", action="store_true", help="no environment: this interpreter and what it has")
    parser.add_argument("--seconds", type=float, default=120.0, help="limit of one model (default: %(default)s)")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Print one table a size; return 1 if two laws differ."""
    asked = _arguments(arguments)
    if asked.here:
        return _print_tables(asked, _here)
    if asked.directory is not None:
        return _print_tables(asked, lambda: _installed(asked.directory))
    with tempfile.TemporaryDirectory() as directory:
        return _print_tables(asked, lambda: _installed(Path(directory)))


def _print_tables(asked: argparse.Namespace, environment: Callable[[], tuple[str, dict[str, str]]]) -> int:
    python, failures = environment()
    good = True
    for size in asked.sizes:
        lines, equal = _table(size, list(_results(python, failures, size, asked.seconds)))
        print(*lines, sep="\n", flush=True)
        good = good and equal
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
