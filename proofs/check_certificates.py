"""Certificates of verdicts on verifiers: every input with its rows, and the exact law of the call path by path.

Inputs that are drawn at random have no place in a certificate: they differ from version to version.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from proofs.battery_runs import Run
from proofs.certify_arguments import SEQUENCES
from proofs.engine.signals import Kind
from proofs.errors import ProofsError
from proofs.examination import Examined
from proofs.sealing import computed_claim, document, ratio
from proofs.sequences import Prefix, Rows
from proofs.verdict import Verdict
from proofs.verdicts import combine

__all__ = ["certificate_of_check", "input_claim"]

_DIGITS = 9  # of a token
_NO_PASS = (Kind.HIDDEN, Kind.REFUSED, Kind.LEAK, Kind.CONSTANT, Kind.OPAQUE, Kind.SWEPT)
_NOT_WHOLE = "the run was not whole, or a law was not the same twice"

Record = tuple[Run, Examined]


def certificate_of_check(
    verdict: Verdict, records: Sequence[Record], *, code: dict[str, str], redo: str
) -> dict[str, Any]:
    """Return the certificate of a verdict, not yet sealed.

    Parameters
    ----------
    verdict : Verdict
    records : sequence of (Run, Examined)
        What was recorded while it was found; runs that left their arithmetic count for nothing.
    code : dict
        ``name`` of the verifier's file without directories, its ``sha256`` and the ``function``.
    redo : str
        The command that makes the certificate again.

    Returns
    -------
    dict

    Raises
    ------
    ProofsError
        If nothing was recorded, or an input is too large to be written down.
    """
    kept = [found for run, found in records if run.left is None]
    claims = [input_claim(found, number) for number, found in enumerate(kept, start=1)]
    if not claims:
        raise ProofsError(f"there is nothing to certify: no input has a law ({verdict.reason}).")
    agreed = verdict.status is combine([found.judgement.status for found in kept])
    reach = {key: sorted({claim["reach"][key] for claim in claims}) for key in ("arithmetic", "gamma", "vocabulary")}
    last = computed_claim(
        "verdict",
        verdict.status.value,
        id="verdict",
        reach=reach,
        inputs=len(claims),
        reasons=[] if agreed else [_NOT_WHOLE],
        total_variation=ratio(max(found.judgement.total_variation for found in kept)),
    )
    return document("check", [*claims, last], code=code, outcome=verdict.status.value, redo=redo)


def input_claim(found: Examined, number: int) -> dict[str, Any]:
    """Return the claim of one input.

    Parameters
    ----------
    found : Examined
        Of a chain of drafts that were drawn from their rows, without a batch.
    number : int
        From 1.

    Returns
    -------
    dict

    Raises
    ------
    ProofsError
        If there are more than 200,000 sequences of gamma + 1 tokens, or a token has more than nine digits.
    """
    asked, judged = found.input, found.judgement
    gamma, vocabulary = asked.gamma, asked.vocabulary
    if gamma >= 20 or vocabulary ** (gamma + 1) > SEQUENCES:
        raise ProofsError(
            f"gamma {gamma} with V = {vocabulary} has more than {SEQUENCES} sequences; expected less in a certificate."
        )
    target, draft = asked.checked
    return computed_claim(
        "input",
        judged.status.value,
        id=f"input {number}, {found.arithmetic.value}",
        reach={"arithmetic": found.arithmetic.value, "gamma": gamma, "vocabulary": vocabulary, "name": asked.name},
        inputs={"target": _rows(target, gamma + 1, vocabulary), "draft": _rows(draft, gamma, vocabulary)},
        law=_law(found),
        missing=_missing(found),
        reasons=_reasons(found),
        tolerance=ratio(judged.tolerance),
        accepted=ratio(judged.expected_accepted),
        total_variation=ratio(judged.total_variation),
    )


def _rows(rows: Rows, positions: int, vocabulary: int) -> dict[str, list[str]]:
    prefixes = (prefix for n in range(positions) for prefix in product(range(vocabulary), repeat=n))
    return {_tokens(prefix): [ratio(x) for x in rows(prefix)] for prefix in prefixes}


def _law(found: Examined) -> dict[str, str]:
    """Return "drafted|emitted" -> weight; nothing where the paths are not believed."""
    if found.marked(Kind.HIDDEN):
        return {}
    return {f"{_tokens(drafted)}|{_tokens(emitted)}": ratio(w) for (drafted, emitted), w in found.law.items() if w}


def _tokens(tokens: Prefix) -> str:
    if any(abs(token) >= 10**_DIGITS for token in tokens):
        raise ProofsError(f"a token has more than {_DIGITS} digits; expected less in a certificate.")
    return " ".join(map(str, tokens))


def _missing(found: Examined) -> dict[str, str]:
    if found.marked(Kind.HIDDEN):
        return {"hidden randomness or state": "1/1"}
    parts: dict[str, Fraction] = {}
    crashes = [(f"crashed: {crash.exception}", crash.probability) for crash in found.law.crashes]
    for name, mass in (*crashes, ("unsupported", found.law.refused), ("not explored", found.law.remaining)):
        parts[name] = parts.get(name, Fraction(0)) + mass
    return {name: ratio(mass) for name, mass in parts.items() if mass}


def _reasons(found: Examined) -> list[str]:
    """Say in words without places what speaks against vouching for the law."""
    if not found.judgement.reasons:
        return []
    names = {mark.kind.value for mark in found.marked(*_NO_PASS)}
    names |= {"crash"} if found.law.crashes else set()
    names |= {"not explored to its end"} if found.law.remaining else set()
    return sorted(names) or ["rounding"]
