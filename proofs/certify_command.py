"""The command ``certify``: a run in, a certificate and a file about its environment out."""

import argparse
import json
import platform
import sys
from collections.abc import Callable, Iterator
from contextlib import redirect_stdout
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from proofs.certify_arguments import environment_file
from proofs.console import Aside, Interrupts, Progress, check_writable, note, say, show_each
from proofs.errors import ProofsError
from proofs.sealing import certificate_digest, sealed
from proofs.verdicts import Finding, Outcome

__all__ = ["RefusedError", "check"]

Execute = Callable[[Any], Iterator[Any]]


class RefusedError(ValueError):
    """What was asked for cannot be done; found before anything ran."""


class _Result(NamedTuple):
    """What came of a run: the certificate, where there is one."""

    document: dict[str, Any] | None
    findings: list[Finding]
    scope: str


def check(
    arguments: argparse.Namespace, interrupts: Interrupts, execute: Execute, versions: Callable[[], dict[str, str]]
) -> tuple[list[Finding], str]:
    """Run what is to be certified, write the files, and return what the verdict is made of and its scope.

    Parameters
    ----------
    arguments : argparse.Namespace
    interrupts : Interrupts
    execute : callable, Run -> iterator of results
        Does a proof run.
    versions : callable
        Returns the versions of what is used, for the file beside the certificate.

    Returns
    -------
    findings, scope

    Raises
    ------
    RefusedError
        If there is no such theorem or verifier, or the certificate cannot be written.
    """
    try:
        check_writable(arguments.out)
    except OSError as error:
        raise RefusedError(f"--out {arguments.out!a} cannot be written: {error.strerror}.") from None
    made = _proof_run if arguments.rows is arguments.check is None else _rows if arguments.rows else _check
    try:
        found = made(arguments, interrupts, execute)
    except ProofsError as error:
        return [Finding(Outcome.UNVERIFIED, f"no certificate: {error}")], "nothing was certified"
    findings = [*found.findings, *interrupts.findings]
    if found.document is None or interrupts.seen:
        say(["no certificate was written"])
        return findings or [Finding(Outcome.UNVERIFIED, "nothing was certified")], found.scope
    return [*findings, *_write(arguments.out, found.document, versions())], found.scope


def _write(out: str, document: dict[str, Any], versions: dict[str, str]) -> list[Finding]:
    try:
        data = sealed(document)
    except ProofsError as error:
        say(["no certificate was written"])
        return [Finding(Outcome.UNVERIFIED, f"no certificate: {error}")]
    now = datetime.now(UTC).isoformat(timespec="seconds")
    digest = certificate_digest(data)
    environment = versions | {"platform": platform.platform(), "date": now, "sha256": digest}
    try:
        Path(out).write_bytes(data)
        text = json.dumps(environment, indent=1, sort_keys=True) + "\n"
        environment_file(out).write_text(text, encoding="ascii")
    except OSError as error:
        return [Finding(Outcome.BAD_INPUT, f"the certificate was not written: {error.strerror}")]
    say([f"certificate of {len(document['claims'])} claims, sha256 {digest}"])
    return []


def _proof_run(arguments: argparse.Namespace, interrupts: Interrupts, execute: Execute) -> _Result:
    from proofs import certificates, coq_library, runner

    try:
        selected = runner.select(runner.REGISTRY, arguments.theorem)
    except KeyError:
        known = ", ".join(theorem.id for theorem in runner.REGISTRY.theorems)
        raise RefusedError(f"--only {arguments.theorem!a}: no such theorem; expected one of {known}.") from None
    run = runner.Run(runner.REGISTRY, selected, coq=coq_library.stated_among(each.id for each in selected.theorems))
    if arguments.by_coq:
        coq_library.compile_library(run.coq, note)
    show_each(execute(run), lambda result: note(f"done: {result.finding.text}"), interrupts)
    if any(finding.outcome is not Outcome.AS_CLAIMED for finding in run.findings):
        return _Result(None, run.findings, run.scope)
    return _Result(certificates.certificate_of_run(run, run.coq.evidence), run.findings, run.scope)


def _rows(arguments: argparse.Namespace, interrupts: Interrupts, _: Execute) -> _Result:
    from proofs.row_certificates import certificate_of_rows, row_claims
    from proofs.row_files import Format
    from proofs.rows import Options, RowsRun

    options = Options(Format(arguments.p_key, arguments.q_key), arguments.normalise)
    run, progress = RowsRun(), Progress()
    claims: list[dict[str, Any]] = []
    files: list[tuple[str, int]] = []
    problems: list[Finding] = []
    for number, path in enumerate(arguments.rows, start=1):
        before = run.rows
        try:
            show_each(row_claims(path, number, options, run), partial(_take, claims, progress), interrupts)
        except ProofsError as error:
            note(f"specdec: {ascii(path)[1:-1]} {error}.")
            problems.append(Finding(Outcome.BAD_INPUT, f"file {number}: see stderr"))
        if run.rows == before and not problems:
            problems.append(Finding(Outcome.UNVERIFIED, f"file {number} holds no rows"))
        files.append((path, run.rows - before))
    progress.end()
    findings = [*run.findings, *problems]
    if interrupts.seen or any(finding.outcome is not Outcome.AS_CLAIMED for finding in findings):
        return _Result(None, findings, run.scope)
    return _Result(certificate_of_rows(claims, files, options), findings, run.scope)


def _take(claims: list[dict[str, Any]], progress: Progress, claim: dict[str, Any]) -> None:
    claims.append(claim)
    progress.show(len(claims))


def _check(arguments: argparse.Namespace, interrupts: Interrupts, _: Execute) -> _Result:
    from proofs import checking
    from proofs.check_bench import CommandBench, Specs
    from proofs.check_certificates import certificate_of_check
    from proofs.loading import LoadError, load

    records: list[Any] = []
    progress = Progress("inputs")
    with redirect_stdout(Aside()):  # what the verifier prints is no part of ours
        try:
            verify = load(arguments.check)
        except LoadError as error:
            raise RefusedError(f"{error}.") from None
        code = _code(arguments.check)
        verdict = checking.verdict_on(
            verify,
            gamma=arguments.gamma,
            vocabulary=arguments.vocabulary,
            arithmetic=arguments.arithmetic,
            paths=arguments.paths,
            shrink=False,
            drawn=False,
            record=lambda run, found: records.append((run, found)),
            bench=CommandBench(Specs(arguments.check), 1, interrupts),
            progress=lambda inputs, _: progress.show(inputs),
        )
    progress.end()
    findings = [Finding(verdict.status.outcome, " ".join(verdict.reason.split()))]
    scope = f"{verdict.status}: {' '.join(verdict.scope.split())}"
    if interrupts.seen:
        return _Result(None, findings, scope)
    say([f"verifier: {ascii(arguments.check)[1:-1]}", *str(verdict).splitlines()])
    return _Result(certificate_of_check(verdict, records, code=code, redo=_redo(arguments)), findings, scope)


def _code(spec: str) -> dict[str, str]:
    """Say which file the function is from, by name and digest."""
    from proofs.row_certificates import file_digest

    place, _, function = spec.rpartition(":")
    path = place if place.endswith(".py") else getattr(sys.modules.get(place), "__file__", None)
    if path is None:
        raise RefusedError(f"{place!a} is no module with a file; expected path/file.py:function.")
    return {"function": function, "name": Path(path).name, "sha256": file_digest(path)}


def _redo(arguments: argparse.Namespace) -> str:
    """Return the command without the directories of this machine."""
    place, _, function = arguments.check.rpartition(":")

    def words() -> Iterator[str]:
        yield from ("certify", "--check", f"{Path(place).name}:{function}")
        for name in ("gamma", "vocabulary"):
            yield from (f"--{name}", *map(str, getattr(arguments, name)))
        yield from ("--arithmetic", arguments.arithmetic, "--paths", str(arguments.paths))

    return " ".join(words())
