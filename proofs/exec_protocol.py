"""The line protocol of verifiers in other languages: a greeting, then requests and answers, one JSON object a line.

The page docs/protocol.md is its description; nothing here reads or writes a stream.
"""

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from proofs.exec_process import ExecError

__all__ = ["PROTOCOL", "Answer", "Greeting", "read_answer", "read_greeting", "request_line"]

PROTOCOL = "specdec-proofs/exec/1"

_COINS = re.compile(r"(?:([0-9]{1,3}) ?\* ?)?gamma(?: ?\+ ?([0-9]{1,3}))?|([0-9]{1,3})")
_DTYPES = ("float64", "float32")
_SHOWN = 120  # characters of a line that is quoted

Rows = Sequence[Sequence[float]]


@dataclass(frozen=True)
class Greeting:
    """What a program says of itself.

    Attributes
    ----------
    per_token, constant : int
        It wants ``per_token * gamma + constant`` coins for a call.
    dtype : str
        Of the coins: "float64", k / 2^53, or "float32", k / 2^24.
    exact : bool
        Whether it wants every number as a fraction too.
    """

    per_token: int = 1
    constant: int = 1
    dtype: str = "float64"
    exact: bool = False

    def coins(self, gamma: int) -> int:
        """Return the number of coins of a call on `gamma` drafted tokens."""
        return self.per_token * gamma + self.constant


@dataclass(frozen=True)
class Answer:
    """What a program answers: tokens, or an error of its own in words."""

    tokens: tuple[int, ...] = ()
    error: str | None = None


def read_greeting(line: bytes) -> Greeting:
    """Return what a greeting says.

    Parameters
    ----------
    line : bytes
        ``{"protocol": "specdec-proofs/exec/1", "coins": "gamma + 1", "dtype": "float64"}``; "dtype" and "exact" may be
        left out.

    Returns
    -------
    Greeting

    Raises
    ------
    ExecError
        If it is no greeting, or one of another protocol.
    """
    found = _object(line, "greeted with")
    if found.get("protocol") != PROTOCOL:
        raise ExecError(f"greeted with {_shown(line)}; expected the protocol {PROTOCOL!r}")
    coins = _COINS.fullmatch(found["coins"]) if isinstance(found.get("coins"), str) else None
    if coins is None:
        raise ExecError(
            f"wants {found.get('coins')!a} coins; expected a text such as 'gamma + 1', '2 * gamma + 1' or '0'"
        )
    dtype, exact = found.get("dtype", "float64"), found.get("exact", False)
    if dtype not in _DTYPES:
        raise ExecError(f"wants coins of dtype {dtype!a}; expected one of {', '.join(_DTYPES)}")
    if not isinstance(exact, bool):
        raise ExecError(f"says exact: {exact!a}; expected true or false")
    times, plus, alone = coins.groups()
    per_token = 0 if alone else int(times or 1)
    return Greeting(per_token, int(alone or plus or 0), dtype, exact)


def request_line(
    number: int, target: Rows, draft: Rows, tokens: Sequence[int], coins: Sequence[float], *, exact: bool = False
) -> bytes:
    """Return a request as a line.

    Parameters
    ----------
    number : int
        The id, which the answer repeats.
    target, draft : rows of float
        Written so that reading them gives the same float64 again; float32 numbers are widened, which is exact.
    tokens : sequence of int
    coins : sequence of float
    exact : bool
        Whether each number is added as "num/den", under ``target_exact``, ``draft_exact`` and ``coins_exact``.

    Raises
    ------
    ValueError
        If a number is not finite: JSON has none such.
    """
    asked: dict[str, Any] = {"id": number, "target": target, "draft": draft, "tokens": tokens, "coins": coins}
    if exact:
        asked["target_exact"], asked["draft_exact"] = ([[_ratio(x) for x in row] for row in r] for r in (target, draft))
        asked["coins_exact"] = [_ratio(x) for x in coins]
    return json.dumps(asked, allow_nan=False, separators=(",", ":")).encode("ascii") + b"\n"


def _ratio(number: float) -> str:
    numerator, denominator = number.as_integer_ratio()
    return f"{numerator}/{denominator}"


def read_answer(line: bytes, number: int) -> Answer:
    """Return what an answer says.

    Parameters
    ----------
    line : bytes
        ``{"id": 7, "tokens": [0, 2]}``, or ``{"id": 7, "error": "why"}``.
    number : int
        The id that was asked.

    Returns
    -------
    Answer

    Raises
    ------
    ExecError
        For anything else: no JSON, another id, neither or both of the two, a token that is no int.
    """
    found = _object(line, "answered")
    if type(found.get("id")) is not int or found["id"] != number:
        raise ExecError(f"answered {_shown(line)}; expected the id {number}")
    if ("tokens" in found) == ("error" in found):
        raise ExecError(f"answered {_shown(line)}; expected either tokens or an error")
    if "error" in found:
        return Answer(error=str(found["error"]))
    tokens = found["tokens"]
    if not isinstance(tokens, list) or any(type(token) is not int for token in tokens):
        raise ExecError(f"answered {_shown(line)}; expected tokens to be a list of ints")
    return Answer(tuple(tokens))


def _object(line: bytes, verb: str) -> dict[str, Any]:
    try:
        found = json.loads(line.decode("utf-8"), object_pairs_hook=_without_doubles)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict):
        raise ExecError(f"{verb} {_shown(line)}; expected a JSON object on a line, and everything else on stderr")
    return found


def _without_doubles(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        raise ValueError("a name is there twice")
    return found


def _shown(line: bytes) -> str:
    text = line.decode("utf-8", "backslashreplace")
    return ascii(text[:_SHOWN]) + ("..." if len(text) > _SHOWN else "")
