r"""The match rule in floating point, for rows and batches of rows: the twin of `proofs.match_rule`.

The target's own token :math:`Y \sim p` is drawn, independently of what was drafted, and emitted; the drafted tokens
count as accepted while they are what was drawn. The draft law is never read: the law is the target's for every drafter,
honest or not, and what is accepted is :math:`E[p(S)]` over the set S of drafted tokens. `match_sampling` is the rule as
a serving loop runs it; the laws of whole calls are in `proofs.match_rule`.

Rows are what `specdec.distributions` takes: float32 or float64 of shape ``(..., V)``, finite, non-negative, with the
sum one. Nothing is renormalised and no input is changed.

Source: after the verification by sampling of Transformers, llama.cpp and mlx-lm; stated here (no paper's equation).
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from specdec.arguments import check_count, check_tokens
from specdec.distributions import Floats, check_pair, check_rows
from specdec.errors import ShapeError, SpecdecError

__all__ = ["acceptance", "coupling", "greedy_row", "one_hot", "path_acceptance", "set_acceptance"]


def acceptance(target: npt.ArrayLike, draft: npt.ArrayLike, k: int = 1) -> Any:
    r"""Probability that the target's token is among k independent drafts.

    .. math:: \Pr(Y \in S) = \sum_x p(x) \bigl(1 - (1 - q(x))^k\bigr), \quad \text{for } k = 1: \sum_x p(x) q(x)

    Parameters
    ----------
    target, draft : array_like of float, shape (..., V)
    k : int
        Number of drafts, each drawn from `draft`.

    Returns
    -------
    ndarray of float, shape (...), or a NumPy scalar for a single row
        0 for k = 0 and for disjoint supports; p(x) for a draft that always proposes x. At most 1 - TV for k = 1. The
        chance of a token is found without cancellation, however small its draft probability is.

    Raises
    ------
    NotADistributionError, ShapeError, SpecdecError
        If a row is not a distribution; if the shapes differ; if `k` is negative or no integer.

    Examples
    --------
    >>> float(acceptance([0.125, 0.375, 0.5], [0.5, 0.25, 0.25]))
    0.28125
    """
    p, q = check_pair(target, draft, ("target", "draft"))
    count = check_count(k, "k", what="drafts")
    with np.errstate(under="ignore"):
        return (p * _drafted(q, count)).sum(axis=-1)


def _drafted(q: Floats, k: int) -> Floats:
    """Probability of each token to be among k drafts."""
    if k <= 1:
        return q * q.dtype.type(k)
    with np.errstate(divide="ignore"):  # the logarithm of 0, where a token is certain to be drafted
        # The sum of a row may be above one by rounding, and so may an entry.
        none = np.log1p(-np.minimum(q, 1).astype(float)) * float(min(k, _MANY))
    chances: Floats = -np.expm1(none).astype(q.dtype)
    return chances


_MANY = 10**308  # close to the greatest float: with as many drafts a token is drafted, or has no mass to speak of


def set_acceptance(target: npt.ArrayLike, tokens: npt.ArrayLike) -> Any:
    r"""Probability :math:`p(S)` that the target's token is one of the given tokens.

    The tokens are fixed given the prefix: proposed by a lookup, an n-gram, the top of the draft; or they are drawn, and
    this is the probability given the draw.

    Parameters
    ----------
    target : array_like of float, shape (..., V)
    tokens : array_like of int, shape (...) or (..., k)
        One token for each row, or k of them; a token named twice counts once.

    Returns
    -------
    ndarray of float, shape (...), or a NumPy scalar for a single row
        0 for no tokens, the sum of the row for all of them.

    Raises
    ------
    NotADistributionError, ShapeError, TokenError
        If a row is not a distribution; if `tokens` has not the leading shape of `target`; if a token is no integer
        between 0 and V - 1.

    Examples
    --------
    >>> float(set_acceptance([0.125, 0.375, 0.5], [0, 2]))
    0.625
    """
    p = check_rows(target, "target")
    drafted = check_tokens(tokens, p.shape[-1])
    if drafted.ndim < p.ndim:
        drafted = drafted[..., None]
    if drafted.shape[:-1] != p.shape[:-1]:
        raise ShapeError(
            f"tokens has shape {np.shape(tokens)} and target has shape {p.shape}; expected one token or k tokens for "
            f"each row: shape {p.shape[:-1]} or {(*p.shape[:-1], 'k')}."
        )
    ordered = np.sort(drafted, axis=-1)
    masses = np.take_along_axis(p, ordered, axis=-1)
    masses[..., 1:] *= ordered[..., 1:] != ordered[..., :-1]
    return masses.sum(axis=-1)


def path_acceptance(target: npt.ArrayLike, tokens: npt.ArrayLike) -> Floats:
    r"""Probabilities :math:`\prod_{j \le i} p_j(x_j)` that the drafted tokens are kept up to each position.

    Parameters
    ----------
    target : array_like of float, shape (..., gamma + 1, V)
        Row i is the target's law after ``tokens[..., :i]``; the last one, for the bonus token, is checked alone.
    tokens : array_like of int, shape (..., gamma)
        The drafted tokens, however they came about.

    Returns
    -------
    ndarray of float, shape (..., gamma)
        Entry i is Pr(``tokens[:i + 1]`` are kept); they sum to the expected number of kept tokens. Empty for gamma = 0.

    Raises
    ------
    NotADistributionError, ShapeError, TokenError
        If a row is not a distribution; if there is not one more row than tokens; if a token is no integer between 0 and
        V - 1.

    Examples
    --------
    >>> path_acceptance([[0.25, 0.75], [0.5, 0.5], [1.0, 0.0]], [1, 0]).tolist()
    [0.75, 0.375]
    """
    p = check_rows(target, "target")
    drafted = check_tokens(tokens, p.shape[-1])
    if drafted.ndim == 0 or p.ndim < 2 or p.shape[:-1] != (*drafted.shape[:-1], drafted.shape[-1] + 1):
        raise ShapeError(
            f"tokens has shape {drafted.shape} and target has shape {p.shape}; expected (..., gamma) and "
            "(..., gamma + 1, V): one row for each drafted token and one for the bonus token."
        )
    with np.errstate(under="ignore"):
        return np.take_along_axis(p[..., :-1, :], drafted[..., None], axis=-1)[..., 0].cumprod(axis=-1)


def coupling(target: npt.ArrayLike, draft: npt.ArrayLike) -> Floats:
    r"""Joint law :math:`q(x) p(y)` of the drafted and the emitted token: they are independent.

    Parameters
    ----------
    target, draft : array_like of float, shape (..., V)
        The result holds V * V floats a row: meant for small V.

    Returns
    -------
    ndarray of float, shape (..., V, V)
        Entry ``[..., x, y]`` is Pr(drafted x, emitted y).

    Raises
    ------
    NotADistributionError, ShapeError
        If a row is not a distribution; if the shapes differ.

    Examples
    --------
    >>> coupling([0.25, 0.75], [0.0, 1.0]).tolist()
    [[0.0, 0.0], [0.25, 0.75]]
    """
    p, q = check_pair(target, draft, ("target", "draft"))
    with np.errstate(under="ignore"):
        joint: Floats = q[..., :, None] * p[..., None, :]
    return joint


def one_hot(token: npt.ArrayLike, vocabulary: int) -> Floats:
    """Law of a draft that is certain.

    Parameters
    ----------
    token : array_like of int, shape (...)
        Tokens between 0 and `vocabulary` - 1.
    vocabulary : int

    Returns
    -------
    ndarray of float64, shape (..., vocabulary)

    Raises
    ------
    TokenError, SpecdecError
        If there are no such tokens.

    Examples
    --------
    >>> one_hot(1, 3).tolist()
    [0.0, 1.0, 0.0]
    """
    size = check_count(vocabulary, "vocabulary", 1, "tokens")
    at = check_tokens(token, size, "token")
    return _marked(np.zeros((*at.shape, size)), at)


def greedy_row(row: npt.ArrayLike, ties: Any = "lowest") -> Floats:
    """Law of greedy decoding (temperature 0): mass one on the likeliest token, ties broken in a stated order.

    Which of several likeliest tokens is taken is not part of the row. A verifier that breaks ties otherwise than the
    baseline does emits other text. Only floats that are equal tie.

    Parameters
    ----------
    row : array_like of float, shape (..., V)
    ties : {"lowest", "highest"} or permutation of the V tokens
        Which of equals is taken: that of lowest index (``numpy.argmax``), of highest, or the first in the order given.

    Returns
    -------
    ndarray of float, shape (..., V)
        The row itself if it is one-hot.

    Raises
    ------
    NotADistributionError, SpecdecError
        If a row is not a distribution; if `ties` is no order.

    Examples
    --------
    >>> greedy_row([0.4, 0.2, 0.4]).tolist(), greedy_row([0.4, 0.2, 0.4], ties="highest").tolist()
    ([1.0, 0.0, 0.0], [0.0, 0.0, 1.0])
    """
    rows = check_rows(row, "row")
    return _marked(np.zeros_like(rows), greedy_token(rows, tie_order(ties, rows.shape[-1])))


def greedy_token(rows: Any, order: slice | npt.NDArray[np.int64]) -> Any:
    """Return the likeliest token of each row, the first in the order of those that tie."""
    found = rows[..., order].argmax(axis=-1)
    return np.arange(rows.shape[-1])[order][found]


def tie_order(ties: Any, vocabulary: int) -> slice | npt.NDArray[np.int64]:
    """Return an index that puts the tokens in the order in which ties break.

    Raises
    ------
    SpecdecError
        If `ties` is none of the two names, nor a permutation of the tokens.
    """
    if isinstance(ties, str):
        if ties not in _NAMED_ORDERS:
            raise SpecdecError(f"ties = {ties!r} is no order; {_ORDERS}.")
        return slice(None, None, _NAMED_ORDERS[ties])
    order = check_tokens(ties, vocabulary, "ties")
    if order.shape != (vocabulary,) or (np.sort(order) != np.arange(vocabulary)).any():
        raise SpecdecError(f"ties does not name each of the V = {vocabulary} tokens once; {_ORDERS}.")
    return order


_NAMED_ORDERS = {"lowest": 1, "highest": -1}
_ORDERS = 'expected "lowest", "highest" or a permutation of the tokens'


def _marked(zeros: Floats, tokens: npt.NDArray[np.integer[Any]]) -> Floats:
    np.put_along_axis(zeros, np.asarray(tokens)[..., None], 1, axis=-1)
    return zeros
