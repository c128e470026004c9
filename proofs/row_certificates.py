"""Certificates of rows from files: the token rule's numbers on every pair, the rows in full or by their digests.

Up to 64 tokens the claim of a pair holds both rows, value by value as they stand in the file. Beyond that it holds
a digest of each row, and ``recheck.py`` reads the file that lies beside the certificate.
"""

import hashlib
from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import Any

from proofs.errors import ProofsError
from proofs.integer_law import mixture
from proofs.row_files import ExactRow, exact_row, read_pairs
from proofs.rows import Options, RowsRun, check_pair
from proofs.sealing import computed_claim, document, ratio
from proofs.verdicts import Outcome

__all__ = ["IN_FULL", "certificate_of_rows", "file_digest", "row_claims", "row_digest"]

IN_FULL = 64  # tokens of rows that are written out


def certificate_of_rows(
    claims: Sequence[dict[str, Any]], files: Sequence[tuple[str, int]], options: Options
) -> dict[str, Any]:
    """Return the certificate of rows from files, not yet sealed.

    Parameters
    ----------
    claims : sequence of dict
        Of all files, in order, as `row_claims` yields them.
    files : sequence of (path, number of pairs)
    options : Options
        As the rows were read.

    Returns
    -------
    dict

    Raises
    ------
    ProofsError
        If there is no claim, or a file can no longer be read.
    """
    described = [{"name": Path(path).name, "rows": rows, "sha256": file_digest(path)} for path, rows in files]
    keys = [options.form.p_key, options.form.q_key]
    return document("rows", list(claims), files=described, keys=keys, outcome="as claimed")


def row_claims(path: str, file: int, options: Options, run: RowsRun) -> Iterator[dict[str, Any]]:
    """Yield a claim for every pair of a file that is as claimed; `run` takes in what was found on each.

    Parameters
    ----------
    path : str
    file : int
        Number of the file, from 1.
    options : Options
        Without logits, whose softmax in floats is not the same on every machine; policy "exact" or "strict".
    run : RowsRun

    Raises
    ------
    ProofsError
        If the file cannot be read, a number has more than 4000 digits, or the options are others.
    """
    if options.form.logits or options.policy == "as-given":
        raise ProofsError("logits or rows as given; expected probabilities, divided by their sum or of sum one.")
    for pair in read_pairs(path, options.form):
        result = check_pair(pair, options)
        run.add(result)
        if result.law is None or result.finding.outcome is not Outcome.AS_CLAIMED:
            continue
        p, q = (exact_row(row, name, options.form) for row, name in ((pair.p, "p"), (pair.q, "q")))
        given = {name: [ratio(Fraction(w, row.denominator)) for w in row.weights] for name, row in (("p", p), ("q", q))}
        whole = len(p.weights) <= IN_FULL
        law: dict[str, Any] = _law(p, q) if whole else {}
        yield computed_claim(
            "row",
            id=f"file {file}, row {pair.number}",
            reach={"file": file, "row": pair.number, "vocabulary": len(p.weights)},
            inputs=given if whole else {f"{name}_sha256": row_digest(row) for name, row in given.items()},
            sums=[ratio(p.total()), ratio(q.total())],
            alpha=ratio(result.law.alpha),
            total_variation=ratio(result.law.total_variation),
            **law,
        )


def row_digest(values: Sequence[str]) -> str:
    """Return the SHA-256 of a row's values as text "num/den" with a space between, in hexadecimal.

    Parameters
    ----------
    values : sequence of str

    Returns
    -------
    str

    Examples
    --------
    >>> row_digest(["1/4", "3/4"])[:8]
    '8826b965'
    """
    return hashlib.sha256(" ".join(values).encode("ascii")).hexdigest()


def file_digest(path: str) -> str:
    """Return the SHA-256 of a file, in hexadecimal.

    Raises
    ------
    ProofsError
        If it cannot be read.
    """
    try:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()
    except OSError as error:
        raise ProofsError(f"{path!a} cannot be read: {error.strerror}.") from error


def _law(p: ExactRow, q: ExactRow) -> dict[str, list[str]]:
    """Return law and residual of rows that are divided by their sums."""
    one = lcm(sum(p.weights), sum(q.weights))
    scales = [one // sum(row.weights) for row in (p, q)]
    scaled = [[w * scale for w in row.weights] for row, scale in zip((p, q), scales, strict=True)]
    parts = mixture(scaled[0], scaled[1], one)
    law = [(k + parts.scale * e) / one for k, e in zip(parts.kept, parts.excess, strict=True)]
    mass = sum(parts.excess)
    return {"law": [ratio(x) for x in law], "residual": [ratio(Fraction(e, mass)) for e in parts.excess]}
