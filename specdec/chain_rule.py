r"""A chain of drafted tokens under the token rule, in floating point: the law of a call along its drafted path.

The draft proposes gamma tokens; the verifier keeps :math:`x_i` with probability
:math:`\min(1, p_i(x_i)/q_i(x_i))`, ends at the first rejection with a token drawn from
:math:`(p_i - q_i)_+`, normalised, and after gamma kept tokens with a *bonus* token of the target.
`proofs.chain_rule` is the same over exact rationals, and has the laws of whole processes, which
average over the drafted tokens; `specdec.sampling.verify` is the rule as a serving loop runs it.

Source: after Leviathan, Kalman and Matias, arXiv:2211.17192, Algorithm 1; Chen et al.,
arXiv:2302.01318, Algorithm 2 (source unverified).
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from specdec.distributions import Floats, check_rows, sum_tolerance
from specdec.path_law import PathLaw, check_path
from specdec.token_rule import check_output

__all__ = ["PathLaw", "path_law"]


def path_law(
    target: npt.ArrayLike, draft: npt.ArrayLike, tokens: npt.ArrayLike, *, out: Floats | None = None
) -> PathLaw:
    r"""Law of one call, given the drafted tokens.

    .. math:: \Pr(\tau = i) = (1 - a_i) \prod_{j<i} a_j, \qquad a_j = \min\Bigl(1, \frac{p_j(x_j)}{q_j(x_j)}\Bigr),
              \qquad \Pr(\tau = \gamma) = \prod_j a_j

    Parameters
    ----------
    target : array_like of float, shape (..., gamma + 1, V)
        Row i is the target's law after ``tokens[..., :i]``; the last row is for the bonus token.
    draft : array_like of float, shape (..., gamma, V)
        Row i is the law that ``tokens[..., i]`` was drawn from.
    tokens : array_like of int, shape (..., gamma)
        The drafted tokens, each between 0 and V - 1. A token of target probability 0 is never kept; one of draft
        probability 0, which no honest draft proposes, is kept if the target gives it mass.
    out : ndarray of float, shape (..., gamma + 1, V), optional
        Where to write ``last``: C-contiguous, of the shape of `target` and the dtype of the result, sharing no memory
        with the arguments. After an error its contents are undefined.

    Returns
    -------
    PathLaw
        ``stops`` sums to one within ``4 (gamma + 1) eps`` on the inputs that the tests try; it is 1 for gamma = 0.
        A row of ``last`` is that of `specdec.residual_distribution`: the row of `target` where ``p == q``, nothing is
        rejected and the residual is undefined.

    Raises
    ------
    NotADistributionError, ShapeError, TokenError
        If a row is not a distribution; if the shapes differ or `out` does not fit; if a token is no integer or out of
        range.

    See Also
    --------
    proofs.chain_rule.path_law : the same over exact rationals.

    Examples
    --------
    >>> from specdec.chain_rule import path_law
    >>> stops, last = path_law([[0.5, 0.25, 0.25], [0.0, 0.5, 0.5]], [[0.25, 0.5, 0.25]], [1])
    >>> stops.tolist(), last.tolist()
    ([0.5, 0.5], [[1.0, 0.0, 0.0], [0.0, 0.5, 0.5]])
    """
    p, q, path = check_path(target, draft, tokens)
    mixed = p.dtype != q.dtype
    if mixed:  # each is held to its own tolerance before it is widened
        p, q = _checked_rows(p, q)
    last = np.empty_like(p) if out is None else check_output(out, p, (target, draft, p, q), "target or draft")
    if _end_rows(p, q, last) and not mixed:
        _checked_rows(p, q)
    return PathLaw(_stops(p, q, path), last)


def _stops(target: Floats, draft: Floats, tokens: npt.NDArray[np.integer[Any]]) -> Floats:
    """Probability that exactly i tokens are kept, for i of 0 to gamma."""
    at = tokens[..., None].astype(np.intp, copy=False)
    p = np.take_along_axis(target[..., :-1, :], at, -1)[..., 0]
    q = np.take_along_axis(draft, at, -1)[..., 0]
    stops = np.ones(target.shape[:-1], target.dtype)
    accepted, drafted = np.minimum(p, q), q > 0
    with np.errstate(under="ignore"):
        kept = np.divide(accepted, q, out=(p > 0).astype(p.dtype), where=drafted)
        np.cumprod(kept, axis=-1, out=stops[..., 1:])
        # Not 1 - kept: that is noise beside a rejection of 1e-17.
        stops[..., :-1] *= np.divide(q - accepted, q, out=(p <= 0).astype(p.dtype), where=drafted)
    return stops


_BLOCK = 2**14  # elements of a block, as in the token rule


def _end_rows(target: Floats, draft: Floats, out: Floats) -> bool:
    """Write the law of the last token into `out`; tell whether some row may be no distribution.

    Works through blocks of rows that stay in the cache, each read once.
    """
    gamma, vocabulary = draft.shape[-2:]
    calls = math.prod(target.shape[:-2])
    p, q, last = (rows.reshape(calls, *rows.shape[-2:]) for rows in (target, draft, out))
    limit = 0.99 * sum_tolerance(p.dtype)
    doubtful = False
    with np.errstate(all="ignore"):  # what overflows or is no number is doubtful
        for block in _blocks(calls, gamma, vocabulary):
            doubtful = _replacements(p[block], q[block], last[block], limit) or doubtful
        for some, _ in _blocks(calls, 1, vocabulary):
            doubtful = _bonus(p[some, gamma], last[some, gamma], limit) or doubtful
    return doubtful


def _blocks(calls: int, positions: int, vocabulary: int) -> Iterator[tuple[slice, slice]]:
    """Cut the rows of so many calls into blocks: whole calls if they fit, else some positions of one."""
    if not calls * positions:
        return
    across = max(1, _BLOCK // (positions * vocabulary))
    along = positions if across > 1 else max(1, min(positions, _BLOCK // vocabulary))
    for call in range(0, calls, across):
        for position in range(0, positions, along):
            yield slice(call, call + across), slice(position, min(position + along, positions))


def _replacements(p: Floats, q: Floats, out: Floats, limit: float) -> bool:
    """Residuals of a few rows, and whether some may be no distributions."""
    accepted = np.minimum(p, q, out=out)
    alpha = np.add.reduce(accepted, axis=-1)
    least = np.minimum.reduce(accepted, axis=None)
    excess = np.subtract(p, accepted, out=out)
    mass = np.add.reduce(excess, axis=-1)
    sums = np.add.reduce(q, axis=-1)
    if mass.min() > 0:
        excess /= mass[..., None]
    else:
        np.copyto(out, np.divide(excess, mass[..., None], out=p.copy(), where=mass[..., None] > 0))
    return not (least >= 0 and _within(alpha + mass, limit) and _within(sums, limit))  # a NaN is neither


def _bonus(p: Floats, out: Floats, limit: float) -> bool:
    """Copy a few rows of the target, and tell whether some may be no distributions."""
    np.copyto(out, p)
    return not (np.minimum.reduce(out, axis=None) >= 0 and _within(np.add.reduce(out, axis=-1), limit))


def _within(sums: Floats, limit: float) -> bool:
    return bool(np.abs(sums - 1).max() <= limit)


def _checked_rows(target: Floats, draft: Floats) -> tuple[Floats, Floats]:
    p, q = check_rows(target, "target"), check_rows(draft, "draft")
    dtype = np.result_type(p, q)
    return p.astype(dtype, copy=False), q.astype(dtype, copy=False)
