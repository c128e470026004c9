"""The command ``compare``: the rules side by side on typed rows, or what more drafts would gain on rows of files."""

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import BrokenExecutor
from fractions import Fraction
from functools import partial
from pathlib import Path
from typing import Any

from proofs.compare import BOUNDS, Comparison, Line, compare
from proofs.compare_arguments import GAMMA, problem_of
from proofs.compare_files import FIGURES, FilesRun, RowFigures, compare_file
from proofs.console import Interrupts, Progress, note, say, show_each
from proofs.errors import ProofsError
from proofs.plots import Bar, draw_lines
from proofs.row_files import Format
from proofs.rows import ratio_text
from proofs.rows_json import RowsJson
from proofs.verdicts import Finding, Outcome, conclude

__all__ = ["SCHEMA", "RefusedError", "check"]

SCHEMA = "specdec-proofs/compare/1"
_HEAD = ("rule", "drafts", "law", "measure", "kept", "", "best possible", "", "best by")
_LONGEST = 24  # characters of a fraction in the table
_MEASURES = {
    "alpha": "the probability that the drafted token, or one of the siblings, is kept.",
    "E[accepted]": "how many of the gamma drafted tokens are kept on average, without the token that ends a call.",
}


class RefusedError(ValueError):
    """What was asked for cannot be done; found before anything was computed."""


def check(arguments: argparse.Namespace, interrupts: Interrupts) -> tuple[list[Finding], str]:
    """Print the table or the figures; return what the verdict is made of and its scope.

    Raises
    ------
    RefusedError
        If the arguments do not fit together, a row is none, or a file that was to be written cannot be.
    """
    if problem := problem_of(arguments):
        raise RefusedError(problem)
    return _files(arguments, interrupts) if arguments.files else _table(arguments, interrupts)


def _table(arguments: argparse.Namespace, interrupts: Interrupts) -> tuple[list[Finding], str]:
    try:
        found = compare(arguments.target, arguments.draft, arguments.gamma, arguments.siblings)
    except ProofsError as error:
        raise RefusedError(str(error)) from error
    rows = " and ".join(f"{name} {_row_text(getattr(arguments, name))}" for name in ("target", "draft"))
    say([f"{rows}, the same rows at every position", ""])
    say(_table_lines(found))
    say(["", *_legend(found), ""])
    findings = [*(line.finding for line in found.lines), *interrupts.findings]
    if arguments.plot is not None:
        try:
            draw_lines(arguments.plot, [_bar(line) for line in found.lines])
        except OSError as error:
            findings.append(Finding(Outcome.BAD_INPUT, f"the picture was not written: {error.strerror}"))
    scope = _table_scope(found, len(arguments.target))
    if arguments.json is not None:
        findings += _write_json(arguments.json, found, conclude(findings, scope).to_json())
    return findings, scope


def _table_scope(found: Comparison, vocabulary: int) -> str:
    claimed = [line for line in found.lines if line.lossless]
    lossless = sum(bool(line.distance == 0) for line in claimed)
    possible = sum(bool(line.value <= line.best) for line in found.lines)
    left_out = f"; {len(found.left_out)} kinds left out" if found.left_out else ""
    return (
        f"V = {vocabulary}: {lossless} of {len(claimed)} lines that claim to be lossless have the target's law, "
        f"{possible} of {len(found.lines)} keep no more than is possible{left_out}"
    )


def _write_json(path: str, found: Comparison, verdict: dict[str, Any]) -> list[Finding]:
    lines, left_out = [_line_json(line) for line in found.lines], dict(found.left_out)
    document = {"schema": SCHEMA, "lines": lines, "left_out": left_out, "verdict": verdict}
    try:
        Path(path).write_text(json.dumps(document, indent=1, sort_keys=True) + "\n", encoding="ascii")
    except OSError as error:
        return [Finding(Outcome.BAD_INPUT, f"the JSON file was not written: {error.strerror}")]
    return []


def _row_text(row: Sequence[str]) -> str:
    entries = row if len(row) <= 8 else [*row[:4], "...", row[-1]]
    text = f"({', '.join(entry if len(entry) <= _LONGEST else '...' for entry in entries)})"
    return text if len(row) <= 8 else f"{text} of {len(row)} tokens"


def _table_lines(found: Comparison) -> Iterator[str]:
    cells = [_HEAD, *map(_cells, found.lines)]
    widths = [max(len(row[at]) for row in cells) for at in range(len(_HEAD))]
    for row in cells:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()


def _cells(line: Line) -> tuple[str, ...]:
    kept, best = (_short(line.value), _decimal(line.value)), (_short(line.best), _decimal(line.best))
    return (line.rule, line.drafts, _law(line), line.measure, *kept, *best, line.bound)


def _law(line: Line) -> str:
    if line.lossless and line.distance == 0:
        return "lossless"
    return f"{'NOT LOSSLESS' if line.lossless else 'lossy'}, TV {_short(line.distance)}"


def _legend(found: Comparison) -> Iterator[str]:
    for words, reason in found.left_out.items():
        yield f"left out: {words}: {reason}."
    measures = {line.measure for line in found.lines}
    yield from (f"{name}: {text}" for name, text in _MEASURES.items() if name in measures)
    yield "best possible: no rule keeps more with"
    bounds = {line.bound for line in found.lines}
    width = max(map(len, bounds))
    yield from (f"  {name:<{width}}  {text}" for name, text in BOUNDS.items() if name in bounds)
    yield "lossy: declared so, with the total variation between its law and the target's on these rows."


def _short(value: Any) -> str:
    text = ratio_text(value).removesuffix("/1")
    return text if len(text) <= _LONGEST else "(long: see --json)"


def _decimal(value: Any) -> str:
    return f"{float(value):.6f}"


def _bar(line: Line) -> Bar:
    return Bar(f"{line.rule}, {line.drafts}", float(line.value), float(line.best), line.lossless)


def _line_json(line: Line) -> dict[str, Any]:
    numbers = {name: ratio_text(getattr(line, name)) for name in ("distance", "value", "best")}
    return {name: numbers.get(name, value) for name, value in line._asdict().items()}


def _files(arguments: argparse.Namespace, interrupts: Interrupts) -> tuple[list[Finding], str]:
    run, progress = FilesRun(), Progress()
    with RowsJson(arguments.json, SCHEMA) as document:
        show = partial(_show_row, run, document, progress, arguments.each)
        problems = _compare_files(arguments, run, show, interrupts)
        progress.end()
        say(_summary(run, arguments.siblings, lumped=arguments.lumped))
        findings = [*run.findings, *problems, *interrupts.findings]
        sizes = ", ".join(map(str, sorted(run.vocabularies))) or "none"
        kept = "more drafts kept no less, and nothing more than is possible"
        scope = f"{kept}, in {run.as_claimed} of {run.looked_at} rows, V = {sizes}"
        document.close(conclude(findings, scope))
    if document.problem is not None:
        findings.append(Finding(Outcome.BAD_INPUT, f"the JSON file was not written: {document.problem}"))
    return findings, scope


def _compare_files(
    arguments: argparse.Namespace, run: FilesRun, show: Callable[[int, RowFigures], None], interrupts: Interrupts
) -> list[Finding]:
    """Compare file after file, and return what is wrong with whole files."""
    form = Format(arguments.p_key, arguments.q_key, arguments.logits)
    problems: list[Finding] = []
    for number, file in enumerate(arguments.files, start=1):
        before = run.looked_at
        try:
            results = compare_file(file, form, arguments.siblings, arguments.jobs)
            show_each(results, partial(show, number), interrupts)
        except BrokenExecutor:
            return [*problems, Finding(Outcome.UNVERIFIED, f"file {number}: a worker process was ended")]
        except ProofsError as error:
            note(f"specdec: {ascii(file)[1:-1]} {error}.")
            problems.append(Finding(Outcome.BAD_INPUT, f"file {number}: see stderr"))
        else:
            if run.looked_at == before and not interrupts.seen:
                problems.append(Finding(Outcome.UNVERIFIED, f"file {number} holds no rows"))
        if interrupts.seen:
            break
    return problems


def _show_row(
    run: FilesRun, document: RowsJson, progress: Progress, each: bool, number: int, result: RowFigures
) -> None:
    run.add(result)
    if document.wanted:
        document.add({"file": number, "row": result.index, **_figures_json(result)})
    if each or result.finding.outcome is not Outcome.AS_CLAIMED:
        progress.end()
        say([f"file {number}, {_row_line(result)}"])
    progress.show(run.looked_at)


def _row_line(result: RowFigures) -> str:
    if result.finding.outcome is not Outcome.AS_CLAIMED:
        return result.finding.text
    figures = ", ".join(f"{name} {float(value):.6f}" for name, value in result.values.items())
    return f"row {result.index}: {figures}"


def _figures_json(result: RowFigures) -> dict[str, Any]:
    numbers = {name: ratio_text(x) for name, x in result.values.items()}
    return {**numbers, "problem": result.problem, "outcome": result.finding.outcome.name.lower()}


def _summary(run: FilesRun, k: int, *, lumped: bool) -> Iterator[str]:
    if not run.rows:
        return
    names = {name: text.format(k=k) for name, text in FIGURES.items()}
    names |= {"gain": f"{k} siblings over one draft: gain", "block gain": f"gamma {GAMMA}, block verification: gain"}
    width = max(map(len, names.values()))
    for name, text in names.items():
        yield f"{text:<{width}}  mean {run.mean(name):.6f}, {_spread(run.least[name], run.greatest[name])}"
    yield "Siblings are drawn with replacement; no lossless rule keeps one of them more often than the best possible."
    yield f"gamma {GAMMA} is as if each row stayed the same at every position, which it does not in a text."
    if lumped:
        yield "The last column is the sum of all other tokens: all but recursive rejection and gains are upper bounds."


def _spread(least: Fraction, greatest: Fraction) -> str:
    return f"least {float(least):.6f}, greatest {float(greatest):.6f}"
