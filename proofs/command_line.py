"""The command ``specdec``, the same as ``python -m proofs``."""

import argparse
import json
import signal
import sys
import tempfile
import traceback
from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from proofs import certify_arguments, check_arguments, cite_arguments, compare_arguments, vectors_command
from proofs.console import Interrupts, Undelivered, check_writable, flush, note, say, show_each, silence
from proofs.policies import POLICIES
from proofs.verdicts import Conclusion, Finding, Outcome, conclude

if TYPE_CHECKING:
    from proofs.coq_results import CoqRun
    from proofs.runner import Registry, Run

__all__ = ["main", "program"]

EPILOG = """\
exit status:
  0  all as claimed
  1  a law differs, a verifier is biased, a theorem fails or a mutant survives
  2  bad usage or input
  3  an error of this program
  5  unverified: nothing checked, not all that was asked for run or delivered, interrupted, or a solver's "unknown"
"""


def program() -> int:
    """Run the command line as the process's last act: Ctrl-C while Python shuts down does not change the status."""
    status = main()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    return status


def main(argv: Sequence[str] | None = None, registry: "Registry | None" = None) -> int:
    """Run the command line and return the exit status.

    Parameters
    ----------
    argv : sequence of str, optional
        Arguments; those of the process by default.
    registry : Registry, optional
        Theorems and mutants to run instead of the built-in ones.

    Returns
    -------
    int
        0, 1, 2, 3 or 5. The last line on stdout and the status come from one value; ``--help``
        and ``--version`` return 0.
    """
    with Interrupts() as interrupts:
        try:
            status = _run(argv, registry, interrupts)
            flush()
        except KeyboardInterrupt:
            status = _last_words(Outcome.UNVERIFIED, "interrupted")
        except Undelivered:
            status = _undelivered(Outcome.UNVERIFIED)
        except BaseException:  # an error of ours, a stray SystemExit too, must not look like a verdict
            note(traceback.format_exc())
            status = _last_words(Outcome.OWN_ERROR, "please report it with the lines on stderr")
    return status


def _run(argv: Sequence[str] | None, registry: "Registry | None", interrupts: Interrupts) -> int:
    parser = _parser()
    try:
        arguments = parser.parse_args(argv)
        if arguments.command is not None and (arguments.only is not None or arguments.smt or arguments.coq):
            parser.error(f"--only, --smt and --coq belong to the proof run; {arguments.command} takes none of them")
        if arguments.command == "check" and (problem := check_arguments.problem_of(arguments)):
            parser.error(problem)
        if arguments.command == "certify" and (problem := certify_arguments.problem_of(arguments)):
            parser.error(problem)
        if arguments.command == "vectors" and arguments.json is not None:
            parser.error("--json does not apply to vectors, which are JSON: --output FILE says where to")
        if arguments.command == "cite" and (problem := cite_arguments.problem_of(arguments)):
            parser.error(problem)
    except SystemExit as stop:
        # argparse has printed what was asked for, or what is wrong.
        return _close([Finding(Outcome.BAD_INPUT, "see stderr")], _NOTHING) if stop.code else 0
    try:
        if arguments.json is not None:
            check_writable(arguments.json)
    except OSError as error:
        return _refuse(f"--json {arguments.json!a} cannot be written: {error.strerror}.")
    if arguments.version:
        say([_version("specdec-proofs")])
        return 0
    if arguments.command == "rows":
        from proofs import rows_command

        try:
            return _close(*rows_command.check(arguments, interrupts))
        except rows_command.RefusedError as error:
            return _refuse(str(error))
    if arguments.command == "compare":
        from proofs import compare_command

        try:
            return _close(*compare_command.check(arguments, interrupts))
        except compare_command.RefusedError as error:
            return _refuse(str(error))
    if arguments.command == "certify":
        return _certify(arguments, interrupts)
    if arguments.command == "check":
        from proofs import check_command, loading

        try:
            return _close(*check_command.check(arguments, interrupts))
        except loading.LoadError as error:
            return _refuse(f"{error}.")
    if arguments.command == "cite":
        return _cite(arguments, registry, interrupts)
    return _write_vectors(arguments) if arguments.command == "vectors" else _prove(arguments, registry, interrupts)


_NOTHING = "nothing was checked"


def _write_vectors(arguments: argparse.Namespace) -> int:
    """Write cases; nothing is checked, and there is no verdict."""
    try:
        vectors_command.write(arguments)
    except OSError as error:
        return _refuse(f"--output {arguments.output!a} cannot be written: {error.strerror}.")
    return 0


def _cite(arguments: argparse.Namespace, registry: "Registry | None", interrupts: Interrupts) -> int:
    """Print a citation with the verdict in a comment of its format, or write macros."""
    from proofs import cite_command, runner

    try:
        if arguments.macros is not None:
            return cite_command.write_macros(arguments)
        whole = runner.REGISTRY if registry is None else registry
        if arguments.certificate is not None:
            cite_command.from_certificate(arguments, whole)
            return 0
        conclusion, frame = cite_command.check(arguments, whole, interrupts, _execute)
    except cite_command.RefusedError as error:
        return _refuse(str(error))
    say([frame.format(conclusion)])
    return conclusion.exit_status


def _execute(run: "Run") -> Iterator[Any]:
    from proofs import runner

    return _with_hypothesis_elsewhere(runner.execute(run))


def _certify(arguments: argparse.Namespace, interrupts: Interrupts) -> int:
    from proofs import certify_command

    try:
        return _close(*certify_command.check(arguments, interrupts, _execute, partial(_versions, smt=False)))
    except certify_command.RefusedError as error:
        return _refuse(str(error))


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="specdec",
        description="Prove that the token rule of speculative decoding is lossless, and refute its mutants; "
        "with a command, check a verifier of yours or rows of probabilities, cite a theorem, or write cases for ports.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="store_true", help="print the version and leave")
    parser.add_argument("--only", metavar="ID", help="run one theorem and the mutants that it must refute")
    parser.add_argument("--json", metavar="FILE", help="also write the results as JSON")
    parser.add_argument("--smt", action="store_true", help="also let z3 decide the proofs (extra: smt)")
    parser.add_argument("--coq", action="store_true", help="also compile the Coq library (needs Coq and mathcomp)")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")
    _add_rows(commands)
    check_arguments.add_parser(commands, EPILOG)
    vectors_command.add_parser(commands)
    compare_arguments.add_parser(commands, EPILOG)
    cite_arguments.add_parser(commands, EPILOG)
    certify_arguments.add_parser(commands, EPILOG)
    return parser


def _add_rows(commands: Any) -> None:
    rows = commands.add_parser(
        "rows",
        help="check the token rule on rows of probabilities from a file",
        description="Compute the token rule's exact law and alpha on rows of floats, each at its exact value, and "
        "check dist = p and alpha = 1 - TV. This says nothing about a verifier of yours.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    rows.add_argument(
        "files",
        metavar="FILE",
        nargs="+",
        help=".npz with two arrays [rows, V], .npy holding [2, rows, V], or .jsonl with an object a line",
    )
    rows.add_argument("--p-key", metavar="NAME", default="p", help="name of the target rows (default: p)")
    rows.add_argument("--q-key", metavar="NAME", default="q", help="name of the draft rows (default: q)")
    rows.add_argument("--logits", action="store_true", help="the rows are logits: softmax in float64, exact from there")
    rows.add_argument(
        "--normalise",
        choices=tuple(POLICIES),
        default="exact",
        help="what to do about a sum that is not one: divide by it (default), refuse the row, or leave it",
    )
    rows.add_argument(
        "--jobs",
        metavar="N",
        type=check_arguments.processes,
        default=1,
        help="worker processes (default: 1); the output is the same",
    )
    rows.add_argument("--each", action="store_true", help="also print a line for every row")
    rows.add_argument("--plot", metavar="FILE", help="also draw alpha and three rows (.png, .svg or .pdf; extra plot)")
    # Without a default, so that an option given before the command is not lost.
    rows.add_argument("--json", metavar="FILE", default=argparse.SUPPRESS, help="also write every row as JSON")


def _prove(arguments: argparse.Namespace, registry: "Registry | None", interrupts: Interrupts) -> int:
    from proofs import coq_library, report, runner

    whole = runner.REGISTRY if registry is None else registry
    try:
        selected = runner.select(whole, arguments.only)
    except KeyError:
        known = ", ".join(theorem.id for theorem in whole.theorems)
        return _refuse(f"--only {arguments.only!a}: no such theorem; expected one of {known}.")
    versions = _versions(smt=arguments.smt)
    note(", ".join(f"{name} {number}" for name, number in versions.items()))
    run = runner.Run(whole, selected, coq=coq_library.stated_among(theorem.id for theorem in selected.theorems))
    if arguments.coq:
        coq_library.compile_library(run.coq, note)
    say(report.opening_lines())
    results = _with_results_before(_execute(run))
    show_each(results, partial(_show_result, run.coq), interrupts)
    if arguments.smt:
        _ask_solver(run, interrupts)
    say(report.closing_lines(run))
    findings = [*run.findings, *interrupts.findings]
    if arguments.json is not None:
        document = report.to_json(run, conclude(findings, run.scope)) | {"versions": versions}
        try:
            Path(arguments.json).write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", encoding="ascii")
        except OSError as error:
            findings.append(Finding(Outcome.BAD_INPUT, f"the JSON file was not written: {error.strerror}"))
    return _close(findings, run.scope)


def _ask_solver(run: "Run", interrupts: Interrupts) -> None:
    """Run the SMT goals of the selected theorems; without the solver they stay as asked for and not run."""
    from proofs import report
    from proofs.smt_results import SmtRun

    # What is checked alone has no goals that a solver could take over.
    run.smt = SmtRun(tuple(theorem.id for theorem in run.selected.theorems if theorem.prove is not None))
    say(report.smt_opening_lines())
    if not interrupts.seen:
        try:
            from proofs import smt_theorems
        except ModuleNotFoundError as error:
            if error.name != "z3":
                raise
            note("specdec: --smt needs z3, which is not installed; python -m pip install '.[smt]' installs it.")
        else:
            show_each(smt_theorems.execute(run.smt), _show_smt, interrupts)
    say(report.smt_closing_lines(run.smt))


def _show_result(coq: "CoqRun", results: tuple[Any, Any]) -> None:
    from proofs import report

    before, result = results
    _progress(result)
    say(report.result_lines(result, before, coq))
    flush()


def _with_results_before(results: Iterator[Any]) -> Iterator[tuple[Any, Any]]:
    before = None
    for result in results:
        yield before, result
        before = result


def _show_smt(result: Any) -> None:
    from proofs import report

    _progress(result)
    say(report.smt_result_lines(result))
    flush()


def _progress(result: Any) -> None:
    finding = result.finding
    note(f"done: {finding.text}" if finding.outcome is Outcome.AS_CLAIMED else finding.text)


def _with_hypothesis_elsewhere(results: Iterator[Any]) -> Iterator[Any]:
    """Keep the directory in which Hypothesis stores things out of the working directory."""
    from hypothesis.configuration import set_hypothesis_home_dir

    with tempfile.TemporaryDirectory() as directory:
        set_hypothesis_home_dir(directory)
        try:
            yield from results
        finally:
            set_hypothesis_home_dir(None)


def _close(findings: Sequence[Finding], scope: str) -> int:
    """Print the last line; word and status come from the one conclusion."""
    conclusion: Conclusion = conclude(findings, scope)
    say([str(conclusion)])
    return conclusion.exit_status


def _refuse(message: str) -> int:
    """Bad input, found before anything ran: a message on stderr, a verdict on stdout."""
    note(f"specdec: {message}")
    return _close([Finding(Outcome.BAD_INPUT, "see stderr")], _NOTHING)


def _last_words(outcome: Outcome, reason: str) -> int:
    """Close a run that broke off outside the results."""
    try:
        status = _close([Finding(outcome, reason)], "no verdict")
        flush()
    except Undelivered:
        return _undelivered(outcome)
    return status


def _undelivered(outcome: Outcome) -> int:
    if sys.stdout is not None:
        silence(sys.stdout.fileno())
    return int(outcome)


def _version(distribution: str) -> str:
    from importlib.metadata import PackageNotFoundError, version  # 20 ms that few runs need

    try:
        return version(distribution)
    except PackageNotFoundError:
        return "not installed"


def _versions(*, smt: bool) -> dict[str, str]:
    from sympy.external.gmpy import GROUND_TYPES

    packages = {name: _version(name) for name in ("specdec-proofs", "sympy", "hypothesis", "numpy")}
    if smt:
        packages["z3-solver"] = _version("z3-solver")
    return packages | {"python": sys.version.split()[0], "ground types": GROUND_TYPES}
