"""What a verifier of blocks does with drafted paths, in floating point: the twin of `proofs.path_law`."""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from specdec.arguments import Integers, as_integers, check_tokens
from specdec.distributions import Floats, as_rows
from specdec.errors import ShapeError

__all__ = ["PathLaw", "check_path"]


class PathLaw(NamedTuple):
    """Law of one call given the drafted tokens.

    Attributes
    ----------
    stops : ndarray of float, shape (..., gamma + 1)
        Probability that i of the drafted tokens are accepted, i = 0 to gamma.
    last : ndarray of float, shape (..., gamma + 1, V)
        Row i: law of the token emitted after i accepted ones. Where ``stops[..., i]`` is 0 it stands for nothing.
    """

    stops: Floats
    last: Floats


def check_path(target: npt.ArrayLike, draft: npt.ArrayLike, tokens: npt.ArrayLike) -> tuple[Floats, Floats, Integers]:
    """Return rows and tokens along drafted paths as arrays, once shapes and tokens fit.

    Parameters
    ----------
    target : array_like of float, shape (..., gamma + 1, V)
    draft : array_like of float, shape (..., gamma, V)
        With gamma = 0 anything empty.
    tokens : array_like of int, shape (..., gamma)

    Raises
    ------
    NotADistributionError, ShapeError, TokenError
        If the shapes do not fit or a token is out of range. The values of the rows are not looked at.
    """
    rows, drafted = as_rows(target, "target"), as_integers(tokens)
    if drafted.ndim == 0:
        raise ShapeError(f"tokens is the single value {drafted!s}; expected shape (..., gamma), [token] for gamma = 1.")
    gamma, vocabulary = drafted.shape[-1], rows.shape[-1]
    if rows.shape[:-1] != (*drafted.shape[:-1], gamma + 1):
        raise ShapeError(
            f"tokens has shape {drafted.shape} and target has shape {rows.shape}; expected (..., gamma) and "
            "(..., gamma + 1, V): one row of the target for each drafted token and one for the bonus token."
        )
    wanted = (*drafted.shape, vocabulary)
    nothing = gamma == 0 and np.asarray(draft, dtype=object).size == 0  # [] is as good as an array without rows
    below = np.empty(wanted, rows.dtype) if nothing else as_rows(draft, "draft")
    if below.shape != wanted:
        raise ShapeError(
            f"draft has shape {below.shape}; expected (..., gamma, V) = {wanted}, the rows that the tokens were "
            "drawn from. Drop the rows of other positions and of other tokens."
        )
    return rows, below, check_tokens(drafted, vocabulary)
