"""The command ``cite``: a run in, a citation out, or a result in and LaTeX macros out."""

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from proofs import coq_library, runner
from proofs.certificates import run_certificate
from proofs.certified import cite_certificate
from proofs.citation import cite_run, cite_theorem
from proofs.citation_formats import FORMATS, FRAMES
from proofs.console import Interrupts, check_writable, note, same_file, say, show_each
from proofs.errors import ProofsError
from proofs.result_files import read_result
from proofs.runner import Registry, Run
from proofs.sealing import certificate_digest
from proofs.tex_macros import PREFIX, macros
from proofs.verdicts import Conclusion, Outcome, conclude

__all__ = ["RefusedError", "check", "from_certificate", "write_macros"]


class RefusedError(ValueError):
    """What was asked for cannot be done; found before anything was run."""


def check(
    arguments: argparse.Namespace,
    registry: Registry,
    interrupts: Interrupts,
    execute: Callable[[Run], Iterator[Any]] = runner.execute,
) -> tuple[Conclusion, str]:
    """Run what is to be cited and print the citation, or nothing where the run is not as claimed.

    Parameters
    ----------
    arguments : argparse.Namespace
    registry : Registry
    interrupts : Interrupts
    execute : run -> iterator of results
        Adds each result to the run.

    Returns
    -------
    conclusion, frame
        The verdict, and what stands around it behind a citation, where ``{}`` is the verdict.

    Raises
    ------
    RefusedError
        If there is no such theorem.
    """
    selected = _selected(arguments, registry)
    run = Run(registry, selected, coq=coq_library.stated_among(theorem.id for theorem in selected.theorems))
    if arguments.by_coq:
        coq_library.compile_library(run.coq, note)
    show_each(execute(run), _progress, interrupts)
    conclusion = conclude([*run.findings, *interrupts.findings], run.scope)
    if conclusion.outcome is not Outcome.AS_CLAIMED:
        note("specdec: nothing is cited, for the run is not as claimed; python -m proofs shows why.")
        return conclusion, "{}"
    say(_citation(run, arguments))
    return conclusion, FRAMES[arguments.format]


def _selected(arguments: argparse.Namespace, registry: Registry) -> Registry:
    try:
        return runner.select(registry, arguments.theorem)
    except KeyError:
        known = ", ".join(theorem.id for theorem in registry.theorems)
        raise RefusedError(f"--theorem {arguments.theorem!a}: no such theorem; expected one of {known}.") from None


def from_certificate(arguments: argparse.Namespace, registry: Registry) -> None:
    """Print a citation from a certificate, and that no case was checked, in a comment behind it: there is no verdict.

    Parameters
    ----------
    arguments : argparse.Namespace
    registry : Registry

    Raises
    ------
    RefusedError
        If there is no such theorem, or the certificate is none that it can be cited from.
    """
    from specdec import __version__

    _selected(arguments, registry)
    try:
        cited = cite_certificate(arguments.certificate, arguments.theorem, registry, __version__)
    except ProofsError as error:
        raise RefusedError(f"--certificate {arguments.certificate!a}: {str(error).rstrip('.')}.") from None
    say(FORMATS[arguments.format](cited))
    say(
        [
            FRAMES[arguments.format].format(
                "No case was checked: the certificate is sealed, and its claims are those of this version."
            )
        ]
    )


def _citation(run: Run, arguments: argparse.Namespace) -> Iterator[str]:
    from specdec import __version__  # NumPy with it, which nothing else here needs

    digest = certificate_digest(run_certificate(run))
    theorem, by_coq = arguments.theorem, run.coq.sentences
    if theorem is None:
        return FORMATS[arguments.format](cite_run(run, __version__, digest, by_coq))
    return FORMATS[arguments.format](cite_theorem(run, theorem, __version__, digest, by_coq))


def _progress(result: Any) -> None:
    finding = result.finding
    note(f"done: {finding.text}" if finding.outcome is Outcome.AS_CLAIMED else finding.text)


def write_macros(arguments: argparse.Namespace) -> int:
    """Write the macros of a result; nothing is checked again, and there is no verdict of this run's own.

    Parameters
    ----------
    arguments : argparse.Namespace

    Returns
    -------
    int
        The exit status of the run that wrote the result: 1 for a verifier that is biased, whose numbers are written
        too.

    Raises
    ------
    RefusedError
        If the result is none that numbers can be taken from, or the file of macros cannot be written.
    """
    if same_file(arguments.macros, arguments.result):
        raise RefusedError(f"--macros {arguments.macros!a} is the result, which it would overwrite.")
    try:
        result = read_result(arguments.result)
        text = "".join(f"{line}\n" for line in macros(result, arguments.prefix or PREFIX))
    except ProofsError as error:
        raise RefusedError(f"--from {arguments.result!a}: {error}.") from None
    try:
        check_writable(arguments.macros)
        Path(arguments.macros).write_text(text, encoding="ascii", newline="\n")
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or error
        raise RefusedError(f"--macros {arguments.macros!a} cannot be written: {reason}.") from None
    word, number = result.document["verdict"]["word"], text.count("\\newcommand")
    say([f"{number} macros written; nothing was checked again. The run that wrote the result said {word}."])
    return result.exit_status
