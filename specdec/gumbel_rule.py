r"""The Gumbel coupling in floating point, for rows and batches of rows: the twin of `proofs.gumbel_rule`.

Drafter and verifier race with the same noise: exponentials :math:`E_i`, one a token; the drafted token is
:math:`x = \arg\min E_i / q_i`, the target's :math:`y = \arg\min E_i / p_i`. The target's token is emitted whatever it
is; the draft is kept iff :math:`x = y`. How often that is does not need the noise: the probabilities are rational
functions of the rows, and cost one sort.

Rows are what `specdec.distributions` takes: float32 or float64 of shape ``(..., V)``, finite, non-negative, with the
sum one. Sums are run in float64, results have the dtype of the rows.

Source: Daliri, Musco and Suresh, "Coupling without Communication and Drafter-Invariant Speculative Decoding",
arXiv:2408.07978 (source unverified); the joint law is derived in `proofs.gumbel_rule`.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from specdec.distributions import Floats, check_pair

__all__ = ["coupling", "match_probability", "match_row"]


def match_probability(target: npt.ArrayLike, draft: npt.ArrayLike) -> Any:
    r"""Probability that two races with the same noise have one winner.

    .. math:: \Pr(x = y) = \sum_i \frac{1}{\sum_j \max(p_j / p_i, q_j / q_i)}

    where a term with :math:`p_i = 0` or :math:`q_i = 0` is 0. It lies between (1 - TV) / (1 + TV) and 1 - TV.

    Parameters
    ----------
    target, draft : array_like of float, shape (..., V)

    Returns
    -------
    ndarray of float, shape (...), or a NumPy scalar for a single row
        1 where the rows are equal (up to rounding), 0 for disjoint supports, p(x) for a draft that always proposes x.

    Raises
    ------
    NotADistributionError, ShapeError
        If a row is not a distribution; if the shapes differ.

    References
    ----------
    Daliri et al., arXiv:2408.07978 (source unverified).

    Examples
    --------
    >>> float(match_probability([0.5, 0.25, 0.25], [0.25, 0.25, 0.5]))
    0.7
    """
    dtype, p, q = _checked(target, draft)
    return _narrowed(_both_win(p, q).sum(axis=-1), dtype)


def match_row(target: npt.ArrayLike, draft: npt.ArrayLike) -> Floats:
    r"""Probabilities :math:`\Pr(x = y = i)` that both races are won by token i.

    In the order of :math:`p_j / q_j`, descending, the larger of :math:`p_j / p_i` and :math:`q_j / q_i` is the first up
    to i and the second behind it: :math:`1 / \Pr = \sum_{j \le i} p_j / p_i + \sum_{j > i} q_j / q_i`, two running
    sums.

    Parameters
    ----------
    target, draft : array_like of float, shape (..., V)

    Returns
    -------
    ndarray of float, shape (..., V)
        0 where either row is 0; nowhere above min(p, q) but for rounding. Sums to `match_probability`.

    Raises
    ------
    NotADistributionError, ShapeError
        If a row is not a distribution; if the shapes differ.

    Examples
    --------
    >>> match_row([0.5, 0.25, 0.25], [0.25, 0.25, 0.5]).tolist()
    [0.25, 0.2, 0.25]
    """
    dtype, p, q = _checked(target, draft)
    row: Floats = _narrowed(_both_win(p, q), dtype)
    return row


def coupling(target: npt.ArrayLike, draft: npt.ArrayLike) -> Floats:
    """Joint law of the winners of two races with the same noise.

    Parameters
    ----------
    target, draft : array_like of float, shape (..., V)
        The result holds V * V floats a row: meant for small V.

    Returns
    -------
    ndarray of float, shape (..., V, V)
        Entry ``[..., x, y]`` is Pr(drafted x, emitted y); rows sum to `draft`, columns to `target`. Of ``[x, y]`` and
        ``[y, x]`` at most one is positive. Diagonal where the rows are equal.

    Raises
    ------
    NotADistributionError, ShapeError
        If a row is not a distribution; if the shapes differ.

    Examples
    --------
    >>> coupling([0.0, 1.0], [0.5, 0.5]).tolist()
    [[0.0, 0.5], [0.0, 0.5]]
    """
    dtype, p, q = _checked(target, draft)
    same, integral = _both_win(p, q), _integrals(p, q)
    between = np.maximum(integral[..., :, None] - integral[..., None, :], 0)
    with np.errstate(under="ignore"):
        joint = between * q[..., :, None] * p[..., None, :]
    tokens = np.arange(p.shape[-1])
    joint[..., tokens, tokens] = same
    result: Floats = _narrowed(joint, dtype)
    return result


def _checked(target: npt.ArrayLike, draft: npt.ArrayLike) -> tuple[np.dtype[Any], Floats, Floats]:
    """Return the dtype of the result, and both rows in float64."""
    p, q = check_pair(target, draft, ("target", "draft"))
    return p.dtype, p.astype(float), q.astype(float)


def _narrowed(values: Any, dtype: np.dtype[Any]) -> Any:
    with np.errstate(under="ignore"):  # what float32 cannot hold is 0
        return values.astype(dtype, copy=False)


_INFINITE = 1e300  # of q / p: beyond it p is nothing beside q, and products with it could overflow


def _ratio(p: Floats, q: Floats) -> Floats:
    """Return t = q / p: infinite where p is 0 or nothing beside q."""
    with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
        ratio: Floats = q / p
    ratio[~(ratio <= _INFINITE)] = np.inf  # 0 / 0 among them
    return ratio


def _both_win(p: Floats, q: Floats) -> Floats:
    """`match_row` of checked rows, in float64."""
    order = np.argsort(_ratio(p, q), axis=-1, kind="stable")
    ahead, behind = (np.take_along_axis(row, order, axis=-1) for row in (p, q))
    with np.errstate(divide="ignore", over="ignore", under="ignore", invalid="ignore"):
        first = ahead.cumsum(axis=-1) / ahead
        # Summed from the end, not subtracted from the whole: what is left may be small beside it.
        terms = 1 / (first + (_sums_to_the_end(behind) - behind) / behind)
    terms[(ahead == 0) | (behind == 0)] = 0
    return _put_back(terms, order)


def _integrals(p: Floats, q: Floats) -> Floats:
    """Integral of 1 / S(c)^2 from 0 to t_i for each token i, in float64."""
    ratio = _ratio(p, q)
    order = np.argsort(ratio, axis=-1, kind="stable")
    times, ahead, behind = (np.take_along_axis(row, order, axis=-1) for row in (ratio, p, q))
    slopes = ahead.cumsum(axis=-1) - ahead
    finite = np.isfinite(times)
    times = np.where(finite, times, 0)
    steps = np.zeros_like(times)
    with np.errstate(under="ignore"):
        totals = np.where(finite, _sums_to_the_end(behind) + times * slopes, 0)
        steps[..., 0] = times[..., 0] / totals[..., 0] / behind.sum(axis=-1)
        between = finite[..., 1:]
        rise = np.diff(times, axis=-1)
        np.divide(rise, totals[..., 1:], out=steps[..., 1:], where=between)
        np.divide(steps[..., 1:], totals[..., :-1], out=steps[..., 1:], where=between)
        # S is linear behind the last finite time, where the integral of 1 / (a + b c)^2 is 1 / (b S).
        last = finite[..., :-1] & ~between
        np.divide(1 / np.where(last, slopes[..., 1:], 1), totals[..., :-1], out=steps[..., 1:], where=last)
    return _put_back(steps.cumsum(axis=-1), order)


def _put_back(values: Floats, order: npt.NDArray[np.intp]) -> Floats:
    result = np.empty_like(values)
    np.put_along_axis(result, order, values, axis=-1)
    return result


def _sums_to_the_end(row: Floats) -> Floats:
    """Return for each entry the sum of it and all that follow."""
    sums: Floats = row[..., ::-1].cumsum(axis=-1)[..., ::-1]
    return sums
