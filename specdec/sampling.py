"""Reference samplers: the rules as a serving loop runs them, one request at a time."""

from typing import Any

import numpy as np
import numpy.typing as npt

from specdec.distributions import Floats, check_rows, is_masked
from specdec.errors import ShapeError, TokenError
from specdec.token_rule import residual_distribution

__all__ = ["verify"]


def verify(target: npt.ArrayLike, draft: npt.ArrayLike, tokens: npt.ArrayLike, rng: np.random.Generator) -> list[int]:
    r"""Verify gamma drafted tokens by the token rule and emit 1 to gamma + 1 tokens.

    Token by token, ``tokens[i]`` is kept when :math:`u \, q_i(x) < p_i(x)` for a fresh uniform
    `u`; at the first rejection a replacement is drawn from the residual and the call ends; when
    all are kept a bonus token is drawn from the last row of `target`.

    Parameters
    ----------
    target : array_like of float, shape (gamma + 1, V)
        Row i is the target's law after the accepted prefix ``tokens[:i]``; the last row is for
        the bonus token.
    draft : array_like of float, shape (gamma, V)
        Row i is the law that ``tokens[i]`` was drawn from.
    tokens : array_like of int, shape (gamma,)
        The drafted tokens, each between 0 and V - 1. ``gamma = 0`` is allowed: the bonus token
        alone is emitted; `draft` is then empty.
    rng : numpy.random.Generator
        One uniform is drawn for each token verified, and one `choice` for the token that ends
        the call, so a seeded generator makes the result reproducible.

    Returns
    -------
    list of int
        The kept tokens and one more. The comparison is strict, so a token of target probability
        0 is never emitted; a token of draft probability 0, which no honest draft proposes, is
        kept if the target gives it mass and rejected otherwise. A token with ``p >= q`` is
        always kept (unless ``q <= 2**-1022``, where ``u * q`` may round up to q).

    Raises
    ------
    NotADistributionError, ShapeError, TokenError
        If a row is not a distribution, the shapes do not fit, a token is out of range.

    References
    ----------
    Leviathan et al., arXiv:2211.17192, Algorithm 1 (source unverified).

    Examples
    --------
    >>> import numpy as np
    >>> from specdec.sampling import verify
    >>> verify([[0.0, 1.0], [1.0, 0.0]], [[0.5, 0.5]], [0], np.random.default_rng(7))
    [1]
    >>> verify([[0.0, 1.0], [1.0, 0.0]], [[0.5, 0.5]], [1], np.random.default_rng(7))
    [1, 0]
    """
    p = check_rows(target, "target")
    drafted, q = _check_tokens(tokens, p, draft)
    for i, x in enumerate(drafted):
        # u q < p rather than u < p / q: nothing is divided, and p = 0 always rejects. In float64
        # whatever the rows' dtype: a uniform rounded to float32 could be 1.
        if not rng.random() * float(q[i, x]) < float(p[i, x]):
            return [*drafted[:i], _draw(residual_distribution(p[i], q[i]), rng)]
    return [*drafted, _draw(p[-1], rng)]


def _draw(row: Floats, rng: np.random.Generator) -> int:
    return int(rng.choice(row.size, p=row))


def _check_tokens(tokens: npt.ArrayLike, target: Floats, draft: npt.ArrayLike) -> tuple[list[int], Floats]:
    """Return the drafted tokens as Python ints, and their rows, once the shapes and every token fit."""
    drafted = _as_integers(tokens)
    gamma = drafted.size
    if drafted.ndim != 1 or target.ndim != 2 or target.shape[0] != gamma + 1:
        raise ShapeError(
            f"tokens has shape {drafted.shape} and target has shape {target.shape}; expected (gamma,) and "
            "(gamma + 1, V): one row of the target for each drafted token and one for the bonus token."
        )
    vocabulary = target.shape[1]
    rows = _as_rows(draft, gamma, vocabulary)
    for i, x in enumerate(drafted.tolist()):
        if not 0 <= x < vocabulary:
            raise TokenError(
                f"tokens[{i}] = {x} is not a token; expected an integer between 0 and V - 1 = {vocabulary - 1}. "
                "Padding? Cut it off and pass the rows of the drafted tokens alone."
            )
    return [int(x) for x in drafted.tolist()], rows


def _as_rows(draft: npt.ArrayLike, gamma: int, vocabulary: int) -> Floats:
    # Without drafted tokens [] is as good as an array of shape (0, V).
    rows = np.empty((0, vocabulary)) if gamma == 0 and np.size(draft) == 0 else check_rows(draft, "draft")
    if rows.shape != (gamma, vocabulary):
        raise ShapeError(
            f"draft has shape {rows.shape}; expected (gamma, V) = {(gamma, vocabulary)}, the rows that the "
            f"{gamma} tokens were drawn from. Drop the rows of other positions and of other tokens."
        )
    return rows


def _as_integers(tokens: npt.ArrayLike) -> npt.NDArray[np.integer[Any]]:
    if is_masked(tokens):
        raise TokenError("tokens is a masked array; expected integers, those masked cut off.")
    try:
        drafted = np.asarray(tokens)
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        raise TokenError(f"tokens cannot be read as integers ({error}); expected shape (gamma,).") from error
    if drafted.size == 0 and drafted.ndim == 1:
        return drafted.astype(np.int64)
    if drafted.dtype.kind not in "iu":
        raise TokenError(
            f"tokens has dtype {drafted.dtype}; expected integers between 0 and V - 1. "
            "Whole numbers held as floats? Convert with astype(int)."
        )
    return drafted
