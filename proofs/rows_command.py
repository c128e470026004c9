"""The command ``rows``: files in, lines and findings out."""

import argparse
from collections.abc import Callable, Sequence
from concurrent.futures import BrokenExecutor
from functools import partial

from proofs import rows
from proofs.console import Interrupts, Progress, note, same_file, say, show_each
from proofs.errors import ProofsError
from proofs.plots import AlphaLog, draw_rows, plot_problem
from proofs.row_files import Format
from proofs.rows import Options, RowResult, RowsRun
from proofs.rows_json import RowsJson
from proofs.verdicts import Finding, Outcome, conclude

__all__ = ["RefusedError", "check"]


class RefusedError(ValueError):
    """What was asked for cannot be done; found before anything was read."""


def check(arguments: argparse.Namespace, interrupts: Interrupts) -> tuple[list[Finding], str]:
    """Check the files, print what is found, and return what the verdict is made of and its scope.

    Raises
    ------
    RefusedError
        If a file that was to be written cannot be, or is a file of rows.
    """
    if (problem := _output_problem(arguments)) is not None:
        raise RefusedError(problem)
    form = Format(arguments.p_key, arguments.q_key, arguments.logits)
    options = rows.Options(form, arguments.normalise, arguments.jobs)
    log, progress = AlphaLog(), Progress()
    runs = [rows.RowsRun()]  # of everything; those of the files are added
    say([rows.opening_line(options)])
    with RowsJson(arguments.json) as document:
        show = partial(_show_row, runs[0], document, log if arguments.plot else None, progress, arguments.each)
        problems = _check_files(arguments.files, options, runs, show, interrupts)
        progress.end()
        for number, run in enumerate(runs[1:] if len(arguments.files) > 1 else []):
            say(rows.summary_lines(run, f"file {number + 1}: "))
        say(rows.summary_lines(runs[0]))
        findings = [*runs[0].findings, *problems, *interrupts.findings]
        if arguments.plot is not None:
            findings += _plot(arguments.plot, log, arguments.files, options)
        document.close(conclude(findings, runs[0].scope))
    if document.problem is not None:
        findings.append(Finding(Outcome.BAD_INPUT, f"the JSON file was not written: {document.problem}"))
    return findings, runs[0].scope


def _check_files(
    files: Sequence[str],
    options: Options,
    runs: list[RowsRun],
    show: Callable[[int, RowResult], None],
    interrupts: Interrupts,
) -> list[Finding]:
    """Check file after file, adding a run for each, and return what is wrong with whole files."""
    problems: list[Finding] = []
    for number, file in enumerate(files, start=1):
        runs.append(rows.RowsRun())
        try:
            show_each(rows.execute(file, (runs[0], runs[-1]), options), partial(show, number), interrupts)
        except BrokenExecutor:
            return [*problems, Finding(Outcome.UNVERIFIED, f"file {number}: a worker process was ended")]
        except ProofsError as error:
            note(f"specdec: {ascii(file)[1:-1]} {error}.")
            problems.append(Finding(Outcome.BAD_INPUT, f"file {number}: see stderr"))
        else:
            if not runs[-1].rows:
                problems.append(Finding(Outcome.UNVERIFIED, f"file {number} holds no rows"))
        if interrupts.seen:
            break
    return problems


def _output_problem(arguments: argparse.Namespace) -> str | None:
    """Say what is wrong with the files that were to be written, before the rows are read."""
    if arguments.plot is not None and (problem := plot_problem(arguments.plot)):
        return f"--plot {arguments.plot!a} {problem}."
    for option, path in (("--json", arguments.json), ("--plot", arguments.plot)):
        if path is not None and any(same_file(path, file) for file in arguments.files):
            return f"{option} {path!a} is a file of rows, which it would overwrite."
    return None


def _plot(path: str, log: AlphaLog, files: Sequence[str], options: Options) -> list[Finding]:
    if not log.alphas:
        return [Finding(Outcome.UNVERIFIED, "nothing was drawn: no row has a law")]
    try:
        draw_rows(path, log, files, options)
    except OSError as error:
        return [Finding(Outcome.BAD_INPUT, f"the picture was not written: {error.strerror}")]
    return []


def _show_row(
    whole: RowsRun,
    document: RowsJson,
    log: AlphaLog | None,
    progress: Progress,
    each: bool,
    number: int,
    result: RowResult,
) -> None:
    if each or result.finding.outcome is not Outcome.AS_CLAIMED:
        progress.end()
        say([f"file {number}, {rows.row_line(result) if each else result.finding.text}"])
    if log is not None:
        log.add(number - 1, result)
    if document.wanted:
        document.add(rows.to_json(result, number))
    progress.show(whole.rows)
