"""The bytes of a certificate: canonical JSON, closed by its own digest. Standard library only.

A document is made of dictionaries with text keys, lists, text, ints, booleans and None; rationals are text
"num/den" in lowest terms. There are no floats. Its canonical form is JSON in ASCII with sorted keys, an indent of
one space a level and one newline at the end: the same document gives the same bytes everywhere.

The field ``sha256`` is the SHA-256, in hexadecimal, of the canonical form of the document *without* that field.
Every other key of a document sorts before it, so that it is the last line but one.
"""

import hashlib
import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from proofs.errors import ProofsError

__all__ = [
    "BYTES", "DIGITS", "SCHEMA", "STATEMENTS", "canonical", "certificate_digest", "computed_claim", "digest_of",
    "document", "project", "ratio", "sealed",
]  # fmt: skip

SCHEMA = "specdec-proofs/certificate/1"
# What the claims say that are computed again by ``recheck.py``, by kind and status.
STATEMENTS: Mapping[tuple[str, str | None], str] = MappingProxyType(
    {
        ("row", None): "Token rule on these rows, each divided by its exact sum: the law of the emitted token is p, "
        "and alpha = 1 - TV(p, q).",
        ("input", "lossless"): "The law of one call, completed by the target, is the target's on gamma + 1 tokens; in "
        "float arithmetic within the tolerance.",
        ("input", "biased"): "The law of one call, completed by the target, is not the target's on gamma + 1 tokens, "
        "or emitted tokens but the last are not the drafted ones.",
        ("input", "unverified"): "The law of one call is not known whole, or cannot be vouched for.",
        ("verdict", "lossless"): "The verifier is lossless on every one of these inputs.",
        ("verdict", "biased"): "The verifier is biased: on one of these inputs at least.",
        ("verdict", "unverified"): "Nothing is claimed of the verifier.",
    }
)
BYTES = 1 << 25  # of a whole certificate
DIGITS = 4000  # of a numerator or denominator; Python's own limit for text is 4300


def ratio(value: Any) -> str:
    """Return a rational as "num/den" in lowest terms.

    Parameters
    ----------
    value : int, Fraction or another rational with ``numerator`` and ``denominator``

    Returns
    -------
    str

    Raises
    ------
    ProofsError
        If numerator or denominator has more than 4000 digits.

    Examples
    --------
    >>> ratio(2)
    '2/1'
    """
    parts = int(value.numerator), int(value.denominator)
    if any(abs(part) >= 10**DIGITS for part in parts):
        raise ProofsError(f"a number has more than {DIGITS} digits; expected less: a certificate writes it in full.")
    return "{}/{}".format(*parts)


def canonical(document: Any) -> bytes:
    r"""Return the canonical form of a document.

    Parameters
    ----------
    document : JSON values without floats

    Returns
    -------
    bytes

    Raises
    ------
    ProofsError
        If there is something else in it: a float, a Fraction, a key that is no text.

    Examples
    --------
    >>> canonical({"b": 1, "a": "1/2"})
    b'{\n "a": "1/2",\n "b": 1\n}\n'
    """
    _check(document, "document")
    return (json.dumps(document, indent=1, sort_keys=True) + "\n").encode("ascii")


def digest_of(document: Any) -> str:
    """Return the SHA-256 of the canonical form of JSON values, in hexadecimal.

    Parameters
    ----------
    document : JSON values without floats

    Returns
    -------
    str
        64 digits.

    Raises
    ------
    ProofsError
        As `canonical` does.

    Examples
    --------
    >>> digest_of({})[:8]
    'ca3d163b'
    """
    return hashlib.sha256(canonical(document)).hexdigest()


def document(kind: str, claims: list[dict[str, Any]], **fields: Any) -> dict[str, Any]:
    """Return a certificate that is not yet sealed.

    Parameters
    ----------
    kind : {"proof run", "rows", "check"}
    claims : list of dict
    **fields
        What the kind has beside its claims; names that sort before ``sha256``.

    Returns
    -------
    dict

    Raises
    ------
    ProofsError
        If there is no claim: nothing would be certified.
    """
    if not claims:
        raise ProofsError("there are no claims; expected at least one: an empty certificate says nothing.")
    return {**fields, "claims": claims, "kind": kind, "project": project(), "schema": SCHEMA}


def project() -> str:
    """Return name and version of this project, as certificates have it."""
    import specdec  # the version is kept there, and loads NumPy

    return f"specdec-proofs {specdec.__version__}"


def computed_claim(kind: str, status: str | None = None, **fields: Any) -> dict[str, Any]:
    """Return a claim that ``recheck.py`` computes again.

    Parameters
    ----------
    kind, status : str
        As in `STATEMENTS`; None for a kind without a status.
    **fields
        Id, reach, inputs and numbers.

    Returns
    -------
    dict
    """
    claim = {**fields, "kind": kind, "statement": STATEMENTS[kind, status], "evidence": [{"kind": "computed"}]}
    return claim if status is None else {**claim, "status": status}


def sealed(document: dict[str, Any]) -> bytes:
    """Return the bytes of a certificate: the canonical form with the digest in it.

    Parameters
    ----------
    document : dict
        Without ``sha256``, and without a key that sorts behind it.

    Returns
    -------
    bytes

    Raises
    ------
    ProofsError
        If it is no such document, or larger than 32 MiB.

    Examples
    --------
    >>> sealed({"claims": []}).decode().splitlines()[-2][:12]
    ' "sha256": "'
    """
    if late := [key for key in document if str(key) >= "sha256"]:
        raise ProofsError(f"document has the key {late[0]!r}; expected keys that sort before 'sha256'.")
    data = canonical({**document, "sha256": digest_of(document)})
    if len(data) > BYTES:
        raise ProofsError(f"certificate has {len(data)} bytes; expected at most {BYTES}: certify less in one file.")
    return data


def certificate_digest(data: bytes) -> str:
    """Return the digest inside a certificate, after looking whether it is right.

    Parameters
    ----------
    data : bytes
        A whole file, as `sealed` returns it.

    Returns
    -------
    str
        64 hexadecimal digits.

    Raises
    ------
    ProofsError
        If the bytes are no certificate in canonical form, or the digest is another one.

    Examples
    --------
    >>> certificate_digest(sealed({"claims": []})) == digest_of({"claims": []})
    True
    """
    try:
        found = json.loads(data)
        digest = found.pop("sha256")
        again = sealed(found)
    except (ValueError, KeyError, AttributeError, TypeError, RecursionError) as error:
        raise ProofsError(
            f"certificate cannot be read ({type(error).__name__}); expected a file that was sealed."
        ) from None
    if again != data:
        raise ProofsError(f"certificate has sha256 {digest!a:.80}, which is not that of its content; make it again.")
    return str(digest)


def _check(value: Any, where: str) -> None:
    if isinstance(value, dict):
        for key, entry in value.items():
            if type(key) is not str:
                raise ProofsError(f"{where} has the key {key!r}; expected text.")
            _check(entry, f"{where}[{key!r}]")
    elif isinstance(value, list):
        for at, entry in enumerate(value):
            _check(entry, f"{where}[{at}]")
    elif value is not None and type(value) not in (str, int, bool):
        raise ProofsError(
            f"{where} is a {type(value).__name__}; expected JSON values without floats, rationals as text."
        )
