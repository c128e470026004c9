"""The command ``specdec``, the same as ``python -m proofs``."""

import argparse
import json
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterable, Iterator, Sequence
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proofs.verdicts import Conclusion, Finding, Outcome, conclude

if TYPE_CHECKING:
    from proofs.runner import Registry

__all__ = ["main"]

EPILOG = """\
exit status:
  0  all as claimed
  1  a law differs, a theorem fails or a mutant survives
  2  bad usage or input
  3  an error of this program
  5  unverified: nothing checked, interrupted or not all delivered
"""


def main(argv: Sequence[str] | None = None, registry: "Registry | None" = None) -> int:
    """Run the command line and return the exit status.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; those of the process by default.
    registry : Registry, optional
        Theorems and mutants to run instead of the built-in ones.
    """
    arguments = _parse(argv)
    try:
        status = _rows(arguments) if arguments.command == "rows" else _prove(arguments, registry)
        _flush()
    except KeyboardInterrupt:
        status = _last_words(Outcome.UNVERIFIED, "interrupted")
    except _Undelivered:
        _silence_stdout()
        status = int(Outcome.UNVERIFIED)
    except Exception:  # an error of ours must not look like a verdict on theorems or rows
        traceback.print_exc()
        status = _last_words(Outcome.OWN_ERROR, "please report it with the lines on stderr")
    return status


class _Undelivered(Exception):
    """What was to be printed could not be: what nobody could read is not verified."""


def _say(lines: Iterable[str]) -> None:
    try:
        for line in lines:
            print(line)
    except OSError as error:
        raise _Undelivered from error


def _flush() -> None:
    try:
        if sys.stdout is None:
            raise _Undelivered
        sys.stdout.flush()
    except OSError as error:
        raise _Undelivered from error


def _silence_stdout() -> None:
    """Keep Python from complaining once more when it flushes at exit."""
    if sys.stdout is not None:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _last_words(outcome: Outcome, reason: str) -> int:
    """Close a run that broke off outside the results."""
    try:
        status = _close(conclude([Finding(outcome, reason)], "no verdict"))
        _flush()
    except _Undelivered:
        _silence_stdout()
        return int(outcome)
    return status


def _parse(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = _parser()
    arguments = parser.parse_args(argv)
    if arguments.command == "rows" and (arguments.only or arguments.json):
        parser.error("--only and --json belong to the proof run; rows takes neither")
    return arguments


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="specdec",
        description="Prove that the token rule of speculative decoding is lossless, and refute its mutants.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=_version("specdec-proofs"))
    parser.add_argument("--only", metavar="ID", help="run one theorem and the mutants that it must refute")
    parser.add_argument("--json", metavar="FILE", type=Path, help="also write the results as JSON")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    rows = commands.add_parser(
        "rows",
        help="check the rule on rows of probabilities from a file",
        description="Check dist = p and alpha = 1 - TV exactly on rows of floats, each at its exact value.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    rows.add_argument("file", metavar="FILE", type=Path, help=".npz with the arrays p and q, shape [rows, V]")
    return parser


def _prove(arguments: argparse.Namespace, registry: "Registry | None") -> int:
    from proofs import report, runner

    whole = runner.REGISTRY if registry is None else registry
    try:
        selected = runner.select(whole, arguments.only)
    except KeyError:
        known = ", ".join(theorem.id for theorem in whole.theorems)
        return _refuse(f"--only {arguments.only}: no such theorem; expected one of {known}.")
    if arguments.json is not None and not arguments.json.parent.is_dir():
        return _refuse(f"--json {arguments.json}: no such directory {arguments.json.parent}.")
    _note(_versions())
    run = runner.Run(whole, selected)
    _say(report.opening_lines())
    interrupted = _each(_with_hypothesis_elsewhere(runner.execute(run)), _show_result)
    _say(report.closing_lines(run))
    conclusion = conclude([*run.findings, *interrupted], run.scope)
    if arguments.json is not None:
        try:
            _write_json(arguments.json, report.to_json(run, conclusion) | {"versions": _versions_json()})
        except OSError as error:
            unwritten = Finding(Outcome.BAD_INPUT, f"the JSON file was not written: {error.strerror}")
            conclusion = conclude([*run.findings, *interrupted, unwritten], run.scope)
    return _close(conclusion)


def _rows(arguments: argparse.Namespace) -> int:
    from proofs import rows
    from proofs.errors import ProofsError

    try:
        read = rows.read_rows(arguments.file)
    except ProofsError as error:
        return _refuse(f"{arguments.file} {error}.")
    run = rows.RowsRun(*read.target.shape)
    interrupted = _each(rows.check_rows_file(read, run), lambda _: None)
    _say(rows.summary_lines(run))
    return _close(conclude([*run.findings, *interrupted], run.scope))


def _each(results: Iterator[Any], show: Callable[[Any], None]) -> list[Finding]:
    """Show results as they come; Ctrl-C ends the run with what it has."""
    try:
        for result in results:
            show(result)
    except KeyboardInterrupt:
        return [Finding(Outcome.UNVERIFIED, "interrupted")]
    return []


def _show_result(result: Any) -> None:
    from proofs import report

    _note(f"{result.finding.outcome.name.lower()}: {result.finding.text}")
    _say(report.result_lines(result))
    _flush()


def _with_hypothesis_elsewhere(results: Iterator[Any]) -> Iterator[Any]:
    """Keep the directory in which Hypothesis stores things out of the working directory."""
    from hypothesis.configuration import set_hypothesis_home_dir

    with tempfile.TemporaryDirectory() as directory:
        set_hypothesis_home_dir(directory)
        try:
            yield from results
        finally:
            set_hypothesis_home_dir(None)


def _close(conclusion: Conclusion) -> int:
    """Print the last line; word and status come from the one conclusion."""
    _say([str(conclusion)])
    return conclusion.exit_status


def _refuse(message: str) -> int:
    """Bad input, found before anything ran: a message on stderr, a verdict on stdout."""
    _note(f"specdec: {message}")
    return _close(conclude([Finding(Outcome.BAD_INPUT, "see stderr")], "nothing was checked"))


def _write_json(path: Path, document: dict[str, Any]) -> None:
    """Write beside the file and move it into place, so that no half-written document is left."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="ascii") as file:
            json.dump(document, file, indent=1, sort_keys=True)
            file.write("\n")
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise


def _note(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def _version(distribution: str) -> str:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return "not installed"


def _versions_json() -> dict[str, str]:
    from sympy.external.gmpy import GROUND_TYPES

    packages = {name: _version(name) for name in ("specdec-proofs", "sympy", "hypothesis", "numpy")}
    return packages | {"python": sys.version.split()[0], "ground types": GROUND_TYPES}


def _versions() -> str:
    return ", ".join(f"{name} {number}" for name, number in _versions_json().items())
