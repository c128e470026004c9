"""The command ``check``: a verifier by name in, its verdict out."""

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, redirect_stdout
from pathlib import Path
from typing import Any

from proofs import checking
from proofs.check_bench import CommandBench, Specs
from proofs.console import Aside, Interrupts, Progress, note, say
from proofs.errors import ProofsError
from proofs.exec_verifier import external
from proofs.loading import LoadError, load
from proofs.plans import check_factory
from proofs.verdict import Verdict
from proofs.verdicts import Conclusion, Finding, Outcome, Status, conclude

__all__ = ["SCHEMA", "check"]

SCHEMA = "specdec-proofs/check/1"


def check(arguments: argparse.Namespace, interrupts: Interrupts) -> tuple[list[Finding], str]:
    """Check the verifier, print what is found, and return what the verdict is made of and its scope.

    Parameters
    ----------
    arguments : argparse.Namespace
    interrupts : Interrupts

    Returns
    -------
    findings, scope

    Raises
    ------
    LoadError
        If there is no such verifier or drafter, or the program is none that speaks the protocol.
    """
    progress = Progress("inputs")
    with _hypothesis_elsewhere(), redirect_stdout(Aside()):  # what the verifier prints is no part of ours
        verdict = _verdict(arguments, interrupts, lambda inputs, paths: progress.show(inputs))
    progress.end()
    word = _word(arguments, verdict)
    say([f"verifier: {ascii(_name(arguments))[1:-1]}", *_lines(word, verdict)])
    scope = f"{word}: {_on_one_line(verdict.scope)}"
    findings = [Finding(verdict.status.outcome, _on_one_line(verdict.reason))]
    if arguments.json is not None:
        findings += _write(arguments, word, verdict, conclude(findings, scope))
    return findings, scope


def _verdict(arguments: argparse.Namespace, interrupts: Interrupts, progress: Callable[[int, int], None]) -> Verdict:
    with _verifier(arguments) as verify:
        return _verdict_on(verify, arguments, interrupts, progress)


def _name(arguments: argparse.Namespace) -> str:
    name: str = arguments.verifier if arguments.program is None else arguments.program
    return name


@contextmanager
def _verifier(arguments: argparse.Namespace) -> Iterator[Callable[..., Any]]:
    """Load the verifier, or start the program and end it afterwards, with what it has said last on stderr."""
    if arguments.program is None:
        yield load(arguments.verifier)
        return
    with ExitStack() as stack:
        try:
            verify = stack.enter_context(external(arguments.program, timeout=arguments.exec_timeout))
        except ProofsError as error:
            raise LoadError(f"--exec {arguments.program!a}: {error}") from None
        yield verify
    lines = verify.last_errors()
    if lines:
        note("\n".join(["the last lines of the program's stderr:", *(f"  {ascii(line)[1:-1]}" for line in lines)]))


def _verdict_on(
    verify: Callable[..., Any],
    arguments: argparse.Namespace,
    interrupts: Interrupts,
    progress: Callable[[int, int], None],
) -> Verdict:
    specs = Specs(_name(arguments), arguments.drafter)
    if arguments.factory:
        _look_at_factory(verify)
    options = {
        "vocabulary": arguments.vocabulary,
        "arithmetic": arguments.arithmetic,
        "drafter": None if specs.drafter is None else load(specs.drafter),
        "paths": arguments.paths,
        "max_paths": arguments.max_paths,
        "tolerance": arguments.tolerance,
        "allow_state": arguments.allow_state,
        "worst": arguments.worst,
        "shrink": not arguments.no_shrink,
        "bound": arguments.within,
        "accept": arguments.accept,
        "bench": CommandBench(specs, arguments.jobs, interrupts),
        "progress": progress,
        "factory": arguments.factory,
    }
    if arguments.siblings:
        replacement = not arguments.without_replacement
        return checking.check_siblings(verify, k=arguments.k, replacement=replacement, **options)
    return checking.verdict_on(verify, gamma=arguments.gamma, batch=arguments.batch, **options)


def _look_at_factory(make: Any) -> None:
    try:
        check_factory(make)
    except ProofsError as error:
        raise LoadError(str(error)) from None


@contextmanager
def _hypothesis_elsewhere() -> Iterator[None]:
    """Keep what Hypothesis stores out of the working directory, without importing it: few runs need it."""
    name = "HYPOTHESIS_STORAGE_DIRECTORY"
    if name in os.environ:
        yield
        return
    with tempfile.TemporaryDirectory() as directory:
        os.environ[name] = directory
        try:
            yield
        finally:
            os.environ.pop(name, None)
            if "hypothesis.configuration" in sys.modules:
                from hypothesis.configuration import set_hypothesis_home_dir

                set_hypothesis_home_dir(None)


def _word(arguments: argparse.Namespace, verdict: Verdict) -> str:
    """Return the verdict's word; of a verifier that keeps within its bound nothing is said but that."""
    within = arguments.within is not None and verdict.status is Status.LOSSLESS
    return "within the bound" if within else verdict.status.value


def _lines(word: str, verdict: Verdict) -> list[str]:
    first, *others = str(verdict).splitlines()
    return [word + first.removeprefix(verdict.status.value), *others]


def _on_one_line(text: str) -> str:
    return " ".join(text.split())


def _write(arguments: argparse.Namespace, word: str, verdict: Verdict, conclusion: Conclusion) -> list[Finding]:
    document = {
        **verdict.to_json(),
        "status": word,
        "schema": SCHEMA,
        "spec": _name(arguments),
        "options": _options(arguments),
        "verdict": conclusion.to_json(),
    }
    try:
        Path(arguments.json).write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", encoding="ascii")
    except OSError as error:
        return [Finding(Outcome.BAD_INPUT, f"the JSON file was not written: {error.strerror}")]
    return []


def _options(arguments: argparse.Namespace) -> dict[str, Any]:
    """Return what was asked for; not the number of processes, which changes nothing."""
    names = ["vocabulary", "arithmetic", "drafter", "paths", "max_paths", "allow_state", "worst", "siblings", "accept"]
    names += ["factory", *(["k", "without_replacement"] if arguments.siblings else ["gamma", "batch"])]
    found = {name: getattr(arguments, name) for name in names}
    rationals = {name: getattr(arguments, name) for name in ("tolerance", "within")}
    if arguments.program is not None:
        found |= {"exec": True, "exec_timeout": arguments.exec_timeout}
    return {
        **found,
        **{name: None if x is None else f"{x.numerator}/{x.denominator}" for name, x in rationals.items()},
        "shrink": not arguments.no_shrink,
    }
