"""Numbers of tokens and the tokens themselves: what is accepted at the door."""

from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt

from specdec.distributions import is_masked
from specdec.errors import SpecdecError, TokenError

__all__ = ["as_integers", "check_count", "check_siblings_drawn", "check_tokens"]

Integers = npt.NDArray[np.integer[Any]]


def check_count(value: Any, name: str, least: int = 0, what: str = "drafted tokens") -> int:
    """Return a number of tokens or drafts as an int; the error names the bound.

    Raises
    ------
    SpecdecError
        If it is no integer (a bool is none), or below `least`.
    """
    try:
        count = index(value)
    except TypeError:
        count = None
    if count is None or isinstance(value, bool | np.bool_):
        raise SpecdecError(f"{name} = {value!r} is no integer; expected a number of {what}, {least} or more.")
    if count < least:
        raise SpecdecError(f"{name} = {count}; expected a number of {what}, {least} or more.")
    return count


def check_siblings_drawn(k: Any, vocabulary: int, replacement: Any) -> int:
    """Return the number of siblings as an int; without replacement there are at most V.

    Raises
    ------
    SpecdecError
        If `k` is no integer, negative, or above V without replacement; if `replacement` is neither true nor false.
    """
    try:
        known = replacement in (True, False)
    except ValueError:  # an array, one flag a row
        known = False
    if not known:
        raise SpecdecError(f"replacement = {replacement!r}; expected True (independent siblings) or False.")
    count = check_count(k, "k", what="siblings")
    if not replacement and count > vocabulary:
        raise SpecdecError(
            f"k = {count} without replacement; expected at most V = {vocabulary}, the number of tokens there are."
        )
    return count


def as_integers(tokens: npt.ArrayLike, name: str = "tokens") -> Integers:
    """Return drafted tokens as an array of integers; an empty one is of integers whatever it was.

    Raises
    ------
    TokenError
        If they are masked, ragged or of another kind.
    """
    if is_masked(tokens):
        raise TokenError(f"{name} is a masked array; expected integers, those masked cut off.")
    try:
        drafted = np.asarray(tokens)
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        raise TokenError(f"{name} cannot be read as integers ({error}); expected one shape throughout.") from error
    if drafted.size == 0 and drafted.ndim >= 1:
        return drafted.astype(np.int64)
    if drafted.dtype.kind not in "iu":
        raise TokenError(
            f"{name} has dtype {drafted.dtype}; expected integers between 0 and V - 1. "
            "Whole numbers held as floats? Convert with astype(int)."
        )
    return drafted


def check_tokens(tokens: npt.ArrayLike, vocabulary: int, name: str = "tokens") -> npt.NDArray[np.int64]:
    """Return drafted tokens of any shape as int64, all between 0 and V - 1.

    Raises
    ------
    TokenError
        As `as_integers` does, and for the first token out of range.
    """
    drafted = as_integers(tokens, name)
    bad = (drafted < 0) | (drafted >= vocabulary)
    if bad.any():
        at = tuple(int(i) for i in np.argwhere(bad)[0])
        raise TokenError(
            f"{name}{list(at) if at else ''} = {drafted[at]} is not a token; expected an integer between 0 and "
            f"V - 1 = {vocabulary - 1}. Padding? Cut it off and pass the rows of the drafted tokens alone."
        )
    return drafted.astype(np.int64)
