"""Certificates of proof runs: every theorem with its evidence and its reach, the named pairs in numbers.

What was drawn at random to look for counterexamples is no part of a certificate: it differs from version to
version. The forms of the other certificates are in `proofs.row_certificates` and `proofs.check_certificates`.
"""

from collections.abc import Iterable, Mapping
from typing import Any

from proofs import token_rule
from proofs.distributions import total_variation
from proofs.domains import NAMED
from proofs.errors import ProofsError
from proofs.runner import Run, TheoremResult
from proofs.sealing import canonical, certificate_digest, computed_claim, document, ratio, sealed
from proofs.verdicts import Outcome

__all__ = [
    "canonical", "certificate_digest", "certificate_of_run", "pair_claims", "run_certificate", "sealed",
    "theorem_claim",
]  # fmt: skip

_NO_SOURCES: Mapping[str, Mapping[str, str]] = {}


def run_certificate(run: Run) -> bytes:
    """Return the sealed certificate of a proof run: `certificate_of_run`, sealed.

    Parameters
    ----------
    run : Run
        Executed.

    Returns
    -------
    bytes
        The content of the file.

    Raises
    ------
    ProofsError
        As `certificate_of_run` does.
    """
    return sealed(certificate_of_run(run, run.coq.evidence))


def certificate_of_run(run: Run, machine_checked: Mapping[str, Mapping[str, str]] = _NO_SOURCES) -> dict[str, Any]:
    """Return the certificate of a proof run, not yet sealed.

    Parameters
    ----------
    run : Run
        Executed: every theorem and mutant that was selected has its result, and all is as claimed.
    machine_checked : mapping of theorem id to (file name -> sha256), optional
        The sources whose compiled objects were matched, for each theorem that has them.

    Returns
    -------
    dict
        A claim for every theorem, then one for every named pair that they were checked on.

    Raises
    ------
    ProofsError
        If the run is not as claimed or not whole: there is nothing to certify.
    """
    wrong = [finding.text for finding in run.findings if finding.outcome is not Outcome.AS_CLAIMED]
    if wrong or not run.theorems:
        raise ProofsError(f"there is nothing to certify: {wrong[0] if wrong else 'no theorem was run'}.")
    claims = [theorem_claim(result, machine_checked.get(result.theorem.id)) for result in run.theorems]
    if any(result.named for result in run.theorems):
        claims += pair_claims()
    whole = run.selected == run.registry
    selected = "all" if whole else ", ".join(result.theorem.id for result in run.theorems)
    return document("proof run", claims, outcome="as claimed", selected=selected)


def theorem_claim(result: TheoremResult, sources: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Return the claim of one theorem.

    Parameters
    ----------
    result : TheoremResult
    sources : mapping of file name to sha256, optional
        Of what is machine-checked: the field ``machine_checked``, which is there for nothing else.

    Returns
    -------
    dict
    """
    theorem = result.theorem
    more = {"machine_checked": dict(sources)} if sources else {}
    return more | {
        "id": theorem.id,
        "kind": "theorem",
        "statement": theorem.statement,
        "evidence": list(_evidence(result)),
        "reach": {"grid": result.grid, "named": result.named, "words": theorem.domain.words},
        "inputs": list(NAMED) if result.named else [],
    }


def pair_claims() -> list[dict[str, Any]]:
    """Return a claim for each named pair: what the token rule makes of it, in numbers."""
    return [_pair_claim(name) for name in NAMED]


def _evidence(result: TheoremResult) -> Iterable[dict[str, Any]]:
    if result.proof is not None:
        yield {"kind": "proved", "goals": len(result.proof.goals), "in_words": list(result.proof.words)}
    yield {"kind": "checked", "cases": result.grid + result.named}
    yield {"kind": "refutes", "mutants": list(result.theorem.refutes)}


def _pair_claim(name: str) -> dict[str, Any]:
    p, q = NAMED[name].p, NAMED[name].q
    law = token_rule.emitted_distribution(p, q)
    return computed_claim(
        "row",
        id=name,
        reach={"vocabulary": len(p)},
        inputs={"p": _texts(p), "q": _texts(q)},
        sums=["1/1", "1/1"],
        law=_texts(law.dist),
        alpha=ratio(law.alpha),
        total_variation=ratio(total_variation(p, q)),
        residual=_texts(token_rule.residual_distribution(p, q)),
    )


def _texts(row: Iterable[Any]) -> list[str]:
    return [ratio(value) for value in row]
