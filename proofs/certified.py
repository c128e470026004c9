"""Citations from a certificate, without a run: its seal is checked, and every claim against what this version claims.

A seal shows that a file is whole, not who made it. So nothing is cited that a run of this version would not
certify word for word: proofs are done again and cases counted; that a claim holds in each case is left to the run.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from proofs.bibliography import papers_of
from proofs.certificates import theorem_claim
from proofs.citation import RunCitation, TheoremCitation, cite_evidence, evidence_of_claim
from proofs.domains import NAMED
from proofs.errors import ProofsError
from proofs.hypotheses import hypotheses_of
from proofs.rule import KERNEL
from proofs.runner import Registry, TheoremResult
from proofs.sealing import SCHEMA, canonical, certificate_digest
from proofs.theorems import Theorem

__all__ = ["cite_certificate"]

_MOST = 1 << 25  # bytes, as in the recheck


def cite_certificate(path: str, theorem: str | None, registry: Registry, version: str) -> TheoremCitation | RunCitation:
    """Return the citation of a theorem, or of a whole run, from a certificate.

    Parameters
    ----------
    path : str
        Of a file that a proof run was certified in.
    theorem : str or None
        Its id; None for the whole run, which the certificate must be of.
    registry : Registry
    version : str
        Of this project.

    Returns
    -------
    TheoremCitation or RunCitation
        With the digest of the certificate.

    Raises
    ------
    ProofsError
        If the file is no certificate of a proof run of this version, its seal is wrong, it has no claim for the theorem
        (or for one of all), or a claim is not that of this version.
    """
    data = _bytes_of(path)
    digest = certificate_digest(data)
    document = json.loads(data)
    _check_head(document, version)
    claims = _claims(document)
    if theorem is not None:
        stated = next(one for one in registry.theorems if one.id == theorem)
        evidence = evidence_of_claim(_checked(claims, stated))
        return TheoremCitation(stated, hypotheses_of(theorem), evidence, papers_of(stated.source), version, digest)
    found = [_checked(claims, stated) for stated in registry.theorems]
    mutants = {name for claim in found for part in claim["evidence"] for name in part.get("mutants", ())}
    sources = (stated.source for stated in registry.theorems)
    return cite_evidence([evidence_of_claim(claim) for claim in found], len(mutants), sources, version, digest)


def _bytes_of(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            data = file.read(_MOST + 1)
    except (OSError, ValueError) as error:
        raise ProofsError(f"it cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > _MOST:
        raise ProofsError(f"it has more than {_MOST} bytes; expected a certificate of a proof run")
    return data


def _check_head(document: Mapping[str, Any], version: str) -> None:
    for name, expected in (
        ("schema", SCHEMA),
        ("kind", "proof run"),
        ("project", f"specdec-proofs {version}"),
        ("outcome", "as claimed"),
    ):
        if document.get(name) != expected:
            raise ProofsError(
                f"{name} is {document.get(name)!a:.60}; expected {expected!a}: certify the proof run again"
            )


def _claims(document: Mapping[str, Any]) -> dict[str, Mapping[str, Any]]:
    claims = document.get("claims")
    if not isinstance(claims, list) or not all(isinstance(claim, dict) for claim in claims):
        raise ProofsError("claims is no list of objects; expected those of a proof run")
    found = {str(claim.get("id")): claim for claim in claims if claim.get("kind") == "theorem"}
    if len(found) < sum(claim.get("kind") == "theorem" for claim in claims):
        raise ProofsError("a theorem is claimed twice; expected each once")
    return found


def _checked(claims: Mapping[str, Mapping[str, Any]], theorem: Theorem) -> Mapping[str, Any]:
    """Return the claim of a theorem, which is that of this version and therefore of the form that is expected."""
    claim = claims.get(theorem.id)
    if claim is None:
        raise ProofsError(f"it has no claim for theorem {theorem.id}; expected one: certify a run of it")
    try:
        evidence = [part for part in claim["evidence"] if part["kind"] != "machine-checked"]
    except (KeyError, TypeError) as error:
        raise ProofsError(f"the claim for {theorem.id} has not the form of one ({type(error).__name__})") from None
    # In canonical form, where 1 and true are not the same.
    if canonical({**claim, "evidence": evidence}) != canonical(theorem_claim(_as_claimed(theorem))):
        raise ProofsError(f"the claim for {theorem.id} is not that of this version: certify the proof run again")
    return claim


def _as_claimed(theorem: Theorem) -> TheoremResult:
    """Return the result of a run in which all is as claimed: its proof done, its cases counted."""
    proof = None if theorem.prove is None else theorem.prove(KERNEL)
    if proof is not None and not proof.complete:
        raise ProofsError(f"the proof of {theorem.id} is not complete here; python -m proofs shows why")
    grid = sum(1 for _ in theorem.domain.grid())
    return TheoremResult(theorem, proof, grid, len(NAMED) if theorem.domain.named else 0, 0, 0, None)
