"""What a verifier of blocks does with one drafted path, in exact rationals: the twin of `specdec.path_law`."""

from collections.abc import Mapping, Set
from operator import index
from typing import Any, NamedTuple

from sympy.external.gmpy import MPQ

from proofs.distributions import Row, check_rows
from proofs.errors import ProofsError, ShapeError
from proofs.processes import Prefix, Weights
from proofs.rationals import shown

__all__ = ["PathLaw", "check_path", "check_prefix", "check_token"]


class PathLaw(NamedTuple):
    """Law of one call given the drafted tokens.

    Attributes
    ----------
    stops : tuple of gamma + 1 sympy.Rational
        Probability that i of the drafted tokens are accepted, i = 0 to gamma.
    last : tuple of gamma + 1 rows of V sympy.Rational
        Row i: law of the token emitted after i accepted ones. Where ``stops[i]`` is 0 it stands for nothing.
    """

    stops: Row
    last: tuple[Row, ...]


def check_path(target: Any, draft: Any, tokens: Any) -> tuple[list[Weights], list[Weights], list[int]]:
    """Return the rows along a drafted path as the ground type, and the tokens as ints.

    Parameters
    ----------
    target : gamma + 1 rows of V exact numbers
    draft : gamma rows of V exact numbers
    tokens : gamma ints

    Raises
    ------
    InexactError, NotADistributionError, ShapeError, ProofsError
        If a row is no distribution, the shapes do not fit, a token is out of range.
    """
    drafted = _listed(tokens, "tokens", "gamma drafted tokens")
    rows, below = _checked_rows(target, "target"), _checked_rows(draft, "draft")
    if (len(rows), len(below)) != (len(drafted) + 1, len(drafted)):
        raise ShapeError(
            f"target has {len(rows)} rows and draft has {len(below)} for {len(drafted)} tokens; expected "
            f"{len(drafted) + 1} and {len(drafted)}: a row of each for every drafted token, one for the bonus token."
        )
    for name, matrix in (("target", rows), ("draft", below)):
        for i, row in enumerate(matrix):
            if len(row) != len(rows[0]):
                raise ShapeError(f"{name}[{i}] has {len(row)} tokens; expected {len(rows[0])}, as target[0] has.")
    return rows, below, [check_token(x, f"tokens[{i}]", len(rows[0])) for i, x in enumerate(drafted)]


def check_prefix(prefix: Any, vocabulary: int, name: str = "prefix") -> Prefix:
    """Return a sequence of tokens as a tuple of ints.

    Raises
    ------
    ShapeError, ProofsError
        If it is no sequence, or an entry is no token.
    """
    listed = _listed(prefix, name, f"a sequence of tokens from 0 to {vocabulary - 1}")
    return tuple(check_token(x, f"{name}[{i}]", vocabulary) for i, x in enumerate(listed))


def check_token(value: Any, where: str, vocabulary: int) -> int:
    """Return a token as an int; `where` is what the error calls it.

    Raises
    ------
    ProofsError
        If it is no integer from 0 to V - 1; a bool is none.
    """
    try:
        token = -1 if isinstance(value, bool) else index(value)
    except TypeError:
        token = -1
    if not 0 <= token < vocabulary:
        raise ProofsError(
            f"{where} = {shown(value)} is not a token; expected an integer between 0 and V - 1 = {vocabulary - 1}."
        )
    return token


def _checked_rows(rows: Any, name: str) -> list[Weights]:
    listed = _listed(rows, name, "a list of rows of V probabilities")
    checked = [check_rows(row, f"{name}[{i}]") for i, row in enumerate(listed)]
    return [tuple(MPQ(entry.p, entry.q) for entry in row) for row in checked]


def _listed(values: Any, name: str, what: str) -> list[Any]:
    try:
        if not isinstance(values, str | bytes | Mapping | Set):  # text, or without an order
            return list(values)
    except TypeError:
        pass
    raise ShapeError(f"{name} is a {type(values).__name__}; expected {what}.")
