r"""The token rule in floating point, for rows and batches of rows.

The draft proposes :math:`x \sim q`; the verifier keeps it with probability
:math:`\min(1, p(x)/q(x))` and otherwise draws a replacement from :math:`(p - q)_+`,
normalised. `proofs.token_rule` is the same algebra over exact rationals.

Every function takes the target `p` and the draft `q` as arrays of shape ``(..., V)`` of one
shape, float32 or float64 (mixed dtypes follow :func:`numpy.result_type`, integers become
float64), whose rows are finite, non-negative and sum to one within ``sqrt(eps)`` of their
dtype. Anything else raises `NotADistributionError`, different shapes raise `ShapeError`, both
``ValueError``. No input is changed and nothing is renormalised, so a sum that is off by 1e-9
shows in the results.

The rule is Algorithm 1 of Leviathan, Kalman and Matias [1]_ and Algorithm 2 of Chen et al. [2]_
(who write q for the target and p for the draft); both cited as known in the field, source
unverified.

References
----------
.. [1] Leviathan, Kalman and Matias, "Fast Inference from Transformers via Speculative
   Decoding", ICML 2023, arXiv:2211.17192.
.. [2] Chen, Borgeaud, Irving, Lespiau, Sifre and Jumper, "Accelerating Large Language Model
   Decoding with Speculative Sampling", 2023, arXiv:2302.01318.
"""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from specdec.distributions import Floats, as_rows, check_pair, check_shapes, sum_tolerance
from specdec.errors import ShapeError

__all__ = [
    "EmittedDistribution",
    "acceptance_probability",
    "acceptance_ratio",
    "emitted_distribution",
    "maximal_coupling",
    "residual_distribution",
]


class EmittedDistribution(NamedTuple):
    """The law of the emitted token and the probability that the drafted one is kept.

    Attributes
    ----------
    dist : ndarray of float, shape (..., V)
        Law of the emitted token.
    alpha : ndarray of float, shape (...), or a NumPy scalar for a single row
        Acceptance probability.
    """

    dist: Floats
    alpha: Any


def emitted_distribution(p: npt.ArrayLike, q: npt.ArrayLike, *, out: Floats | None = None) -> EmittedDistribution:
    r"""Law of the token that the token rule emits, and its acceptance probability.

    Computed from acceptance and replacement, never copied from `p`:

    .. math:: dist(x) = \min(p(x), q(x)) + R \, \frac{(p(x) - q(x))_+}{\sum_y (p(y) - q(y))_+},
              \qquad R = \sum_y \bigl(q(y) - \min(p(y), q(y))\bigr),

    with :math:`\alpha = \sum_x \min(p(x), q(x))`. For exact distributions ``dist == p`` and
    ``alpha == 1 - TV(p, q)``: `python -m proofs` proves both for every V.

    Parameters
    ----------
    p, q : array_like of float, shape (..., V)
        Target and draft.
    out : ndarray of float, shape (..., V), optional
        Where to write ``dist``: C-contiguous, of the shape and dtype of the result, sharing no
        memory with `p` or `q`. After an error its contents are undefined.

    Returns
    -------
    EmittedDistribution
        ``dist`` of shape ``(..., V)`` and ``alpha`` of shape ``(...)``. Where ``p == q``
        nothing is rejected and no value is infinite or NaN: ``dist`` is `p` and ``alpha`` is
        the sum of the row. Both are within ``4 eps`` (absolute) of the formula over the floats
        as rationals on the inputs that the tests try; a token much lighter than eps may come
        out as 0.

    Raises
    ------
    NotADistributionError, ShapeError
        If a row is not a distribution; if the shapes differ or `out` does not fit.

    See Also
    --------
    proofs.emitted_distribution : the same over exact rationals.

    References
    ----------
    Leviathan et al., arXiv:2211.17192, Algorithm 1, Theorem 3.5 and Appendix A.1 (source unverified).

    Examples
    --------
    >>> import specdec
    >>> dist, alpha = specdec.emitted_distribution([0.125, 0.375, 0.5], [0.5, 0.25, 0.25])
    >>> dist.tolist(), float(alpha)
    ([0.125, 0.375, 0.5], 0.625)
    """
    target, draft = as_rows(p, "p"), as_rows(q, "q")
    check_shapes(target, draft)
    mixed = target.dtype != draft.dtype
    if mixed:  # each is held to its own tolerance before it is widened
        target, draft = check_pair(target, draft)
    dist = np.empty_like(target) if out is None else check_output(out, target, (p, q, target, draft))
    alpha, doubtful = emit_rows(target, draft, dist)
    if doubtful and not mixed:
        check_pair(target, draft)
    return EmittedDistribution(dist, alpha[()])


def acceptance_ratio(p: npt.ArrayLike, q: npt.ArrayLike) -> Floats:
    r"""Probability :math:`\min(1, p(x)/q(x))` with which each drafted token is kept.

    Parameters
    ----------
    p, q : array_like of float, shape (..., V)
        Target and draft.

    Returns
    -------
    ndarray of float, shape (..., V)
        1 where ``q`` is 0: such a token is never drafted and its ratio never divided.
        Each entry is the correctly rounded quotient, so it never exceeds 1 or overflows.

    Raises
    ------
    NotADistributionError, ShapeError
        If a row is not a distribution; if the shapes differ.

    References
    ----------
    Leviathan et al., arXiv:2211.17192, Algorithm 1 (source unverified).

    Examples
    --------
    >>> import specdec
    >>> specdec.acceptance_ratio([0.25, 0.75, 0.0], [0.5, 0.5, 0.0]).tolist()
    [0.5, 1.0, 1.0]
    """
    target, draft = check_pair(p, q)
    with np.errstate(under="ignore"):
        # min(p, q) / q is min(1, p / q) without the overflow of p / q at a tiny q.
        return np.divide(np.minimum(target, draft), draft, out=np.ones_like(draft), where=draft > 0)


def acceptance_probability(p: npt.ArrayLike, q: npt.ArrayLike) -> Any:
    r"""Probability :math:`\alpha = \sum_x \min(p(x), q(x))` that the drafted token is kept.

    Parameters
    ----------
    p, q : array_like of float, shape (..., V)
        Target and draft.

    Returns
    -------
    ndarray of float, shape (...), or a NumPy scalar for a single row
        Within ``4 eps`` of the sum over the floats as rationals on the inputs that the tests
        try; the row's own sum where ``p == q``; 0 for disjoint supports. Rows are not
        renormalised, so a row that sums to ``1 + d`` can give ``1 + d``.

    Raises
    ------
    NotADistributionError, ShapeError
        If a row is not a distribution; if the shapes differ.

    References
    ----------
    Leviathan et al., arXiv:2211.17192, Theorem 3.5 and Corollary 3.6 (source unverified).

    Examples
    --------
    >>> import specdec
    >>> float(specdec.acceptance_probability([0.125, 0.375, 0.5], [0.5, 0.25, 0.25]))
    0.625
    """
    target, draft = check_pair(p, q)
    return np.minimum(target, draft).sum(axis=-1)


def residual_distribution(p: npt.ArrayLike, q: npt.ArrayLike) -> Floats:
    r"""Law of the replacement drawn after a rejection: :math:`(p - q)_+`, normalised.

    Parameters
    ----------
    p, q : array_like of float, shape (..., V)
        Target and draft. ``q`` must be the law that the token was *drawn* from, after
        temperature and truncation, not the raw softmax.

    Returns
    -------
    ndarray of float, shape (..., V)
        The row of `p` where the sum of :math:`(p - q)_+` is 0: nothing is rejected there, and
        callers may sample from the row without a branch.

    Raises
    ------
    NotADistributionError, ShapeError
        If a row is not a distribution; if the shapes differ.

    References
    ----------
    Leviathan et al., arXiv:2211.17192, Algorithm 1 (source unverified).

    Examples
    --------
    >>> import specdec
    >>> specdec.residual_distribution([0.5, 0.25, 0.25], [0.25, 0.25, 0.5]).tolist()
    [1.0, 0.0, 0.0]
    """
    target, draft = check_pair(p, q)
    with np.errstate(under="ignore"):
        return _residual(target, np.minimum(target, draft))


def maximal_coupling(p: npt.ArrayLike, q: npt.ArrayLike) -> Floats:
    r"""Joint law of the drafted and the emitted token.

    .. math:: \Pr(x, y) = \min(p(x), q(x)) \, 1[x = y] + \bigl(q(x) - \min(p(x), q(x))\bigr) \, r(y)

    with `r` the residual. Its marginals are `q` (drafted) and `p` (emitted), and no coupling of
    them has more mass on the diagonal.

    Parameters
    ----------
    p, q : array_like of float, shape (..., V)
        Target and draft. The result holds V * V floats a row: meant for small V.

    Returns
    -------
    ndarray of float, shape (..., V, V)
        Entry ``[..., x, y]`` is Pr(drafted x, emitted y). Diagonal where ``p == q``.

    Raises
    ------
    NotADistributionError, ShapeError
        If a row is not a distribution; if the shapes differ.

    References
    ----------
    Sun et al., "SpecTr: Fast Speculative Decoding via Optimal Transport", arXiv:2310.15141, which
    reads the rule as a maximal coupling (source unverified).

    Examples
    --------
    >>> import specdec
    >>> specdec.maximal_coupling([0.25, 0.75], [0.5, 0.5]).tolist()
    [[0.25, 0.25], [0.0, 0.5]]
    """
    target, draft = check_pair(p, q)
    accepted = np.minimum(target, draft)
    with np.errstate(under="ignore"):
        joint = (draft - accepted)[..., :, None] * _residual(target, accepted)[..., None, :]
    tokens = np.arange(target.shape[-1])
    joint[..., tokens, tokens] += accepted
    return joint


def emit_rows(target: Floats, draft: Floats, out: Floats) -> tuple[Floats, bool]:
    """Write the law of every row into `out`: the kernel of `emitted_distribution`, without its checks.

    Works through blocks of rows that stay in the cache. What the sums and signs show on the way
    is enough to see that both are distributions, but for rows close to the tolerance.

    Returns
    -------
    alpha : ndarray of float, shape (...)
    doubtful : bool
        Whether some row may not be a distribution: then look again, with `check_pair`.
    """
    vocabulary = target.shape[-1]
    p, q, dist = (array.reshape(-1, vocabulary) for array in (target, draft, out))
    size = max(1, _BLOCK // vocabulary)
    excess = np.empty((min(size, len(p)), vocabulary), p.dtype)
    limit = 0.99 * sum_tolerance(p.dtype)
    with np.errstate(all="ignore"):  # what overflows or is no number is doubtful
        if len(p) <= size:  # a short row has no time to lose
            alpha, doubtful = _emit_block(p, q, dist, excess, limit) if len(p) else (np.empty(0, p.dtype), False)
        else:
            alpha, doubtful = np.empty(len(p), p.dtype), False
            for start in range(0, len(p), size):
                rows = slice(start, start + size)
                alpha[rows], doubt = _emit_block(p[rows], q[rows], dist[rows], excess[: len(p) - start], limit)
                doubtful = doubtful or doubt
    return alpha.reshape(target.shape[:-1]), doubtful


_BLOCK = 2**14  # elements of a block: 128 KiB of float64, so that four of them fit a cache of 512 KiB
_SMALLEST_NORMAL = 2.0**-126  # of float32, and far above that of float64


def _emit_block(p: Floats, q: Floats, out: Floats, excess: Floats, limit: float) -> tuple[Floats, bool]:
    """Law and alpha of a few rows, and whether some may not be distributions."""
    accepted = np.minimum(p, q, out=out)
    alpha = np.add.reduce(accepted, axis=-1, keepdims=True)
    # Not 1 - alpha, nor a difference of sums: beside a residual mass of 1e-17 both are noise.
    rejected = np.add.reduce(np.subtract(q, accepted, out=excess), axis=-1, keepdims=True)
    mass = np.add.reduce(np.subtract(p, accepted, out=excess), axis=-1, keepdims=True)
    fits = (
        np.minimum.reduce(accepted, axis=None) >= 0  # a NaN is not
        and _within(alpha + mass, limit)
        and _within(alpha + rejected, limit)
    )
    scale = rejected / mass
    if not _least(mass) >= _SMALLEST_NORMAL:  # that quotient could overflow, or be 0 / 0
        odd = ~(mass[:, 0] >= _SMALLEST_NORMAL)
        excess[odd], scale[odd] = _residual(p[odd], accepted[odd]), rejected[odd]
    excess *= scale
    out += excess
    return alpha[:, 0], not fits


# A reduction of one value costs more than all else that is done to a short row.


def _least(values: Floats) -> Any:
    return values.item() if values.size == 1 else values.min()


def _within(sums: Floats, limit: float) -> Any:
    return abs(sums.item() - 1) <= limit if sums.size == 1 else abs(sums - 1).max() <= limit


def check_output(out: Floats, target: Floats, inputs: tuple[Any, ...], names: str = "p or q") -> Floats:
    """Return `out` if a result of the shape and dtype of `target` can be written to it beside the inputs."""
    if not (type(out) is np.ndarray and out.shape == target.shape and out.dtype == target.dtype):
        given = f"shape {out.shape} and dtype {out.dtype}" if type(out) is np.ndarray else f"a {type(out).__name__}"
        raise ShapeError(f"out is {given}; expected an array of shape {target.shape} and dtype {target.dtype}.")
    if not (out.flags.c_contiguous and out.flags.writeable):
        raise ShapeError("out is a view with gaps, or read-only; expected a C-contiguous array that can be written.")
    if any(isinstance(array, np.ndarray) and np.may_share_memory(out, array) for array in inputs):
        raise ShapeError(f"out shares memory with {names}, still read while it is written; pass another array.")
    return out


def _residual(target: Floats, accepted: Floats) -> Floats:
    """``(p - q)+ / sum (p - q)+`` from ``min(p, q)``; the row of p where that sum is 0."""
    excess = target - accepted
    mass = excess.sum(axis=-1, keepdims=True)
    row: Floats = np.divide(excess, mass, out=target.copy(), where=mass > 0)
    return row
