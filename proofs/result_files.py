"""JSON that `rows` and `check` have written, read back with suspicion: nothing in it is taken for granted.

A file may have been cut, edited or written by something else. Keys that occur twice, numbers that are none, results
that contradict themselves and runs without a verdict are refused: who cites a number relies on it.
"""

import hashlib
import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

from proofs.errors import ProofsError

__all__ = ["CHECK", "ROWS", "Result", "field", "rational", "read_result"]

ROWS = "specdec-proofs/rows/1"
CHECK = "specdec-proofs/check/1"
_LONGEST = 4000  # digits of a numerator or a denominator
_MOST = 1 << 28  # bytes
_MISSING = object()
_ENDED = {"lossless": 0, "within the bound": 0, "biased": 1}


@dataclass(frozen=True)
class Result:
    """A result file that is whole and does not contradict itself.

    Attributes
    ----------
    schema : str
    document : dict
    exit_status : int
        That of the run: 0, or 1 for a verifier that is biased.
    digest : str
        The sha256 of the file.
    """

    schema: str
    document: dict[str, Any]
    exit_status: int
    digest: str


def read_result(path: str) -> Result:
    """Read a result file.

    Parameters
    ----------
    path : str

    Returns
    -------
    Result

    Raises
    ------
    ProofsError
        If the file cannot be read, is no result of `rows` or `check`, contradicts itself, or its run has no verdict.
    """
    data = _bytes_of(path)
    document = _document(data)
    schema = document.get("schema")
    if schema not in (ROWS, CHECK):
        raise ProofsError(f"schema is {_shown(schema)}; expected {ROWS} or {CHECK}: write it by rows or check --json")
    status = field(document, "verdict", "exit_status", kind=int)
    if status not in ((0,) if schema == ROWS else (0, 1)):
        word = field(document, "verdict", "word", kind=str)
        raise ProofsError(f"the run ended {_shown(word)} with status {status}; expected a run that came to a verdict")
    (_check_rows if schema == ROWS else _check_verdict)(document, status)
    return Result(str(schema), document, status, hashlib.sha256(data).hexdigest())


def field(document: Any, *path: str | int, kind: type | tuple[type, ...]) -> Any:
    """Return what stands in a place of a document.

    Parameters
    ----------
    document : dict
    *path : str or int
        Keys and indices.
    kind : type or tuple of types
        What is expected there; a bool is no int.

    Returns
    -------
    object of that kind

    Raises
    ------
    ProofsError
        If there is nothing, or something else.
    """
    value = document
    for key in path:
        try:
            value = value[key]
        except (KeyError, IndexError, TypeError):
            value = _MISSING
            break
    kinds = kind if isinstance(kind, tuple) else (kind,)
    if type(value) not in kinds:
        words = " or ".join("null" if one is type(None) else one.__name__ for one in kinds)
        found = "missing" if value is _MISSING else _shown(value)
        raise ProofsError(f"{'.'.join(map(str, path))} is {found}; expected {words}: the file is cut or was edited")
    return value


def rational(document: Any, *path: str | int, most: int | None = 1) -> Fraction:
    """Return a rational, written as ``num/den``.

    Parameters
    ----------
    document : dict
    *path : str or int
    most : int or None
        The greatest value that makes sense; the least is 0.

    Returns
    -------
    Fraction

    Raises
    ------
    ProofsError
        If it is written otherwise, too long, or out of its range.
    """
    text = field(document, *path, kind=str)
    found = re.fullmatch(r"(\d{1,4000})/(\d{1,4000})", text, flags=re.ASCII)
    if found is None or not int(found[2]):
        raise ProofsError(
            f"{'.'.join(map(str, path))} is {_shown(text)}; expected num/den of at most {_LONGEST} digits"
        )
    value = Fraction(int(found[1]), int(found[2]))
    if most is not None and value > most:
        raise ProofsError(f"{'.'.join(map(str, path))} is {_shown(text)}; expected at most {most}")
    return value


def _bytes_of(path: str) -> bytes:
    try:
        with Path(path).open("rb") as file:
            data = file.read(_MOST + 1)
    except (OSError, ValueError) as error:
        raise ProofsError(f"it cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(data) > _MOST:
        raise ProofsError(f"it has more than {_MOST} bytes; cite fewer rows at a time")
    return data


def _document(data: bytes) -> dict[str, Any]:
    try:
        text = data.decode("ascii")
        document = json.loads(text, object_pairs_hook=_once, parse_constant=_no_number, parse_float=str)
    except RecursionError:
        raise ProofsError("it is nested too deeply; expected what rows or check --json writes") from None
    except ValueError as error:
        raise ProofsError(f"it is no JSON in ASCII ({_shown(str(error))}); expected a whole file") from None
    if not isinstance(document, dict):
        raise ProofsError(f"it holds {_shown(document)}; expected an object, as rows or check --json writes")
    return document


def _once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a key occurs twice")
    return found


def _no_number(text: str) -> None:
    raise ValueError(f"{text} is no number")


def _check_rows(document: dict[str, Any], _: int) -> None:
    seen = set()
    for at, row in enumerate(field(document, "rows", kind=list)):
        place = (field(document, "rows", at, "file", kind=int), field(document, "rows", at, "row", kind=int))
        held = row.get("dist_equals_p") is True and row.get("alpha_equals_one_minus_tv") is True
        if place in seen or min(place) < 0:
            raise ProofsError(f"file {place[0]}, row {place[1]} occurs twice or is negative; expected each row once")
        if not held or row.get("outcome") != "as_claimed":
            raise ProofsError(f"file {place[0]}, row {place[1]} is not as claimed, but the verdict is 0: it was edited")
        seen.add(place)
        rational(document, "rows", at, "alpha")
    if not seen:
        raise ProofsError("it holds no rows, but the verdict is 0: it was edited")


def _check_verdict(document: dict[str, Any], status: int) -> None:
    word = field(document, "status", kind=str)
    if _ENDED.get(word) != status or field(document, "exit_status", kind=int) != status:
        raise ProofsError(f"status is {_shown(word)}, but the verdict is {status}: the file was edited")
    for name in ("inputs", "paths"):
        if field(document, name, kind=int) < 1:
            raise ProofsError(f"{name} is {document[name]}; expected at least 1: nothing was checked")
    worst, bound = rational(document, "worst"), field(document, "options", "within", kind=(str, type(None)))
    kept = word != "within the bound" or (bound and worst <= rational(document, "options", "within", most=None))
    if not kept or (word == "lossless" and bound is not None):
        raise ProofsError(f"status is {_shown(word)} at a bound of {_shown(bound)}: the file was edited")
    found = field(document, "counterexample", kind=(dict, type(None)))
    if found is not None and not status:
        raise ProofsError("it holds a counterexample, but the verdict is 0: the file was edited")
    if found is not None:
        rational(document, "counterexample", "total_variation")


def _shown(value: Any) -> str:
    text = ascii(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
