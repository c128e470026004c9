r"""K-SEQ in floating point, for rows and batches of rows; `proofs.kseq_rule` is the same over exact rationals.

Of k siblings drawn independently from the draft q each is kept with probability
:math:`\min(1, p(x) / (\rho q(x)))`, the same target p throughout. With

.. math:: m(x) = \min(q(x), p(x)/\rho), \quad \beta = \sum_x m(x), \quad G = \sum_{j<k} (1 - \beta)^j

some sibling is kept with probability :math:`\beta G = 1 - (1 - \beta)^k`, and token x so with m(x) G. What is drawn
when none is kept has the law :math:`p - m G`, normalised: the rule is lossless iff that is nowhere negative, and then
`rho` is called admissible. The admissible ones are an interval (shown in `proofs.kseq_rule`) that holds `rho = k`.

Source: Sun et al., "SpecTr: Fast Speculative Decoding via Optimal Transport", arXiv:2310.15141, who write p for the
draft and q for the target (source unverified).
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from specdec.arguments import check_count
from specdec.distributions import Floats, check_pair
from specdec.errors import ShapeError, SpecdecError
from specdec.token_rule import EmittedDistribution

__all__ = ["admissible_rho", "is_admissible", "kseq_acceptance", "kseq_law"]

_HALVINGS = 60  # of an interval of length k, so that neighbouring floats are reached


def kseq_acceptance(target: npt.ArrayLike, draft: npt.ArrayLike, k: int, rho: npt.ArrayLike) -> Any:
    r"""Probability :math:`1 - (1 - \beta)^k` that K-SEQ keeps one of k siblings.

    Parameters
    ----------
    target, draft : array_like of float, shape (..., V)
        p and q.
    k : int
        Number of siblings; with 0 nothing is kept.
    rho : float, or array_like that broadcasts to (...)
        At least 1. `rho = k` is always admissible; below the least admissible one this is still what is kept, by a
        rule that is not lossless (`is_admissible`).

    Returns
    -------
    ndarray of float, shape (...), or a NumPy scalar for a single row
        0 for disjoint supports. A sibling that the last residual happens to draw is not counted.

    Raises
    ------
    NotADistributionError, ShapeError
        If a row is not a distribution; if the shapes differ.
    SpecdecError
        If `k` is negative, or a `rho` below 1 or not finite.

    References
    ----------
    After Sun et al., arXiv:2310.15141, K-SEQ (source unverified).

    Examples
    --------
    >>> float(kseq_acceptance([0.25, 0.75], [0.75, 0.25], 2, 2.0))
    0.609375
    """
    p, q, count, factor = _checked(target, draft, k, rho)
    with np.errstate(under="ignore"):
        once = np.minimum(q, p / factor).astype(p.dtype)
        return (once.sum(axis=-1) * _tries(once, count)[..., 0])[()]


def kseq_law(target: npt.ArrayLike, draft: npt.ArrayLike, k: int, rho: npt.ArrayLike) -> EmittedDistribution:
    r"""Law of the token that K-SEQ emits, and the probability that it is one of the siblings kept.

    .. math:: dist(x) = m(x) G + (1 - \beta)^k r(x), \qquad r \propto (p - m G)_+

    Parameters
    ----------
    target, draft, k, rho
        As in `kseq_acceptance`.

    Returns
    -------
    EmittedDistribution
        ``dist`` is the target iff `rho` is admissible. Otherwise the residual is cut at zero, as code does that
        clips, and the law is biased. Where nothing is left of the residual it is the target's row.

    Raises
    ------
    NotADistributionError, ShapeError, SpecdecError
        As in `kseq_acceptance`.

    References
    ----------
    After Sun et al., arXiv:2310.15141, K-SEQ (source unverified).

    Examples
    --------
    >>> law = kseq_law([0.25, 0.75], [0.75, 0.25], 2, 2.0)
    >>> law.dist.tolist(), float(law.alpha)
    ([0.25, 0.75], 0.609375)
    """
    p, q, count, factor = _checked(target, draft, k, rho)
    with np.errstate(under="ignore"):
        once = np.minimum(q, p / factor).astype(p.dtype)
        tries = _tries(once, count)
        rejected = np.maximum(1 - once.sum(axis=-1, keepdims=True), 0) ** count
        dist = once * tries + rejected * kseq_residual(p, once, tries)
    return EmittedDistribution(dist, (once.sum(axis=-1) * tries[..., 0])[()])


def is_admissible(target: npt.ArrayLike, draft: npt.ArrayLike, k: int, rho: npt.ArrayLike) -> Any:
    r"""Whether K-SEQ with this `rho` is lossless: :math:`m(x) G \le p(x)` for every x.

    Parameters
    ----------
    target, draft, k, rho
        As in `kseq_acceptance`.

    Returns
    -------
    ndarray of bool, shape (...), or a NumPy scalar for a single row
        Judged in float64, without an allowance: within rounding of the least admissible rho it may come out either
        way, elsewhere it does not. True for `rho >= k`, and for disjoint supports.

    Raises
    ------
    NotADistributionError, ShapeError, SpecdecError
        As in `kseq_acceptance`.

    References
    ----------
    After Sun et al., arXiv:2310.15141 (source unverified); derived in `proofs.kseq_rule`.

    Examples
    --------
    >>> [bool(is_admissible([0.25, 0.75], [0.75, 0.25], 2, rho)) for rho in (1.4, 1.6)]
    [False, True]
    """
    p, q, count, factor = _checked(target, draft, k, rho)
    return _fits(p.astype(np.float64), q.astype(np.float64), count, factor)[()]


def admissible_rho(target: npt.ArrayLike, draft: npt.ArrayLike, k: int) -> Any:
    r"""The least rho for which K-SEQ is lossless, by halving the interval from 1 to k.

    The smaller `rho` is, the more is kept: this is the best choice of it.

    Parameters
    ----------
    target, draft, k
        As in `kseq_acceptance`.

    Returns
    -------
    ndarray of float64, shape (...), or a NumPy scalar for a single row
        The upper end of the last interval, so that `is_admissible` holds of it; 1 where every rho is admissible. The
        exact twin gives two fractions that it lies between.

    Raises
    ------
    NotADistributionError, ShapeError, SpecdecError
        As in `kseq_acceptance`.

    References
    ----------
    After Sun et al., arXiv:2310.15141 (source unverified); derived in `proofs.kseq_rule`.

    Examples
    --------
    >>> round(float(admissible_rho([0.5, 0.25, 0.25], [0.25, 0.25, 0.5], 2)), 9)
    1.390388203
    """
    p, q, count, one = _checked(target, draft, k, 1.0)
    p, q, low = (rows.astype(np.float64) for rows in (p, q, one))
    high = np.where(_fits(p, q, count, low)[..., None], low, max(count, 1))
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        fits = _fits(p, q, count, middle)[..., None]
        low, high = np.where(fits, low, middle), np.where(fits, middle, high)
    return high[..., 0][()]


def kseq_residual(target: Floats, once: Floats, tries: Floats) -> Floats:
    """``(p - m G)+`` normalised, what is drawn when no sibling is kept; the row of p where nothing is left."""
    left = np.maximum(target - once * tries, 0)
    mass = left.sum(axis=-1, keepdims=True)
    row: Floats = np.divide(left, mass, out=target.copy(), where=mass > 0)
    return row


def _tries(once: Floats, k: int) -> Floats:
    """``G``, shape (..., 1): how many siblings are looked at on average."""
    # Rounding may push beta above 1. With fails between 0 and 1 no step exceeds the number of siblings, nor does G.
    fails = np.maximum(1 - once.sum(axis=-1, keepdims=True), 0)
    tries: Floats = np.zeros_like(fails)
    power = np.ones_like(fails)
    for digit in f"{k:b}":  # from G and fails**m for m siblings to those for 2 m, and for one more
        tries, power = tries * (1 + power), power * power
        if digit == "1":
            tries, power = 1 + fails * tries, power * fails
    return tries


def _fits(p: Floats, q: Floats, k: int, rho: Floats) -> Any:
    """Judge ``max(c, rho) >= G``, c the least p/q where both are positive, by the form that loses less.

    G may fall short of rho by as little as ``rho (1 - 1/rho)**k``, which their difference would lose. Then the same is
    ``(1 - beta)**k >= 1 - max(c, rho) beta``, where either side is a sum of what is positive.
    """
    with np.errstate(over="ignore", under="ignore"):
        ratio = np.divide(p, q, out=np.full_like(p, np.inf), where=(p > 0) & (q > 0))
        least = np.maximum(ratio.min(axis=-1, keepdims=True), rho)
        factor = np.minimum(least, np.finfo(np.float64).max)  # infinite without common support
        fails = np.minimum(np.maximum(q - p / factor, 0).sum(axis=-1, keepdims=True), 1) ** k
        short = np.maximum(p - factor * q, 0).sum(axis=-1, keepdims=True)
        tries = _tries(np.minimum(q, p / factor), k)
        fits = np.where(fails > 0.5, tries <= factor, fails >= short)
        return (fits | (factor >= k))[..., 0]


def _checked(
    target: npt.ArrayLike, draft: npt.ArrayLike, k: Any, rho: npt.ArrayLike
) -> tuple[Floats, Floats, int, Floats]:
    p, q = check_pair(target, draft, ("target", "draft"))
    count = check_count(k, "k", what="siblings")
    try:
        factor = np.asarray(rho, dtype=np.float64)  # rounded to float32 an admissible one could cease to be so
    except (TypeError, ValueError) as error:
        raise SpecdecError(f"rho = {rho!r} is no number; expected at least 1.") from error
    if not (np.isfinite(factor) & (factor >= 1)).all():
        raise SpecdecError(
            f"rho = {rho!r}; expected a finite number of at least 1. rho = k is admissible for every target and draft."
        )
    try:
        return p, q, count, np.broadcast_to(factor, p.shape[:-1])[..., None]
    except ValueError as error:
        raise ShapeError(
            f"rho has shape {factor.shape} and target has shape {p.shape}; expected one number for all rows, or one "
            f"for each: shape {p.shape[:-1]}."
        ) from error
