"""The best that any lossless rule can accept of k siblings, in floating point.

The greatest probability of emitting a drafted token is the least of ``1 + p(H) - Pr(S subset of H)`` over the sets H of
tokens, S being the set of siblings. `proofs.sibling_sets` is the same over exact rationals, with the proofs.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from specdec.arguments import check_siblings_drawn
from specdec.distributions import Floats, check_pair
from specdec.errors import SpecdecError

__all__ = ["optimal_acceptance"]

GREATEST_VOCABULARY = 16  # without replacement all sets of tokens are gone through


def optimal_acceptance(target: npt.ArrayLike, draft: npt.ArrayLike, k: int, replacement: bool = True) -> Any:
    r"""The greatest acceptance probability of any lossless rule for k siblings.

    .. math:: \min_{H \subseteq V} 1 + p(H) - \Pr(S \subseteq H), \qquad
              \Pr(S \subseteq H) = q(H)^k \text{ with replacement}

    With replacement only the prefixes H of the tokens sorted by p/q are looked at: the rest is a concave function's
    business (the proof is in `proofs.sibling_sets`). That takes V log V steps a row.

    Parameters
    ----------
    target, draft : array_like of float, shape (..., V)
        p and q.
    k : int
        Number of siblings, without replacement at most V.
    replacement : bool
        Whether they are independent; else each is drawn from the row without those before it, and from the uniform
        row over the others once the support of `draft` is used up. All sets of tokens are then gone through, V at
        most 16.

    Returns
    -------
    ndarray of float, shape (...), or a NumPy scalar for a single row
        0 with k = 0, 1 - TV with k = 1, 1 with k = V without replacement. Sums are in float64 whatever the dtype of
        the rows. Rows are not renormalised: with sums 1 + c and 1 + d it may exceed one by as much.

    Raises
    ------
    NotADistributionError, ShapeError
        If a row is not a distribution; if the shapes differ.
    SpecdecError
        If `k` is negative, or without replacement above V, or V is then above 16.

    References
    ----------
    Optimal transport with membership cost, after Sun et al., arXiv:2310.15141, and Khisti et al., arXiv:2410.18234
    (source unverified).

    Examples
    --------
    >>> float(optimal_acceptance([0.5, 0.25, 0.25], [0.25, 0.25, 0.5], 2))
    0.9375
    """
    p, q = check_pair(target, draft, ("target", "draft"))
    count = check_siblings_drawn(k, p.shape[-1], replacement)
    wide = p.astype(np.float64, copy=False), q.astype(np.float64, copy=False)
    with np.errstate(over="ignore", under="ignore"):
        best = _least_prefix(*wide, count) if replacement else _least_set(*wide, count)
    return np.clip(best, 0, 1).astype(p.dtype)[()]  # rounding may step over the ends


def _least_prefix(p: Floats, q: Floats, k: int) -> Floats:
    """The least of ``1 + p(H) - q(H)**k`` over the prefixes H, as ``p(H) + (1 - q(H)**k)``."""
    ratio = np.divide(p, q, out=np.full_like(p, np.inf), where=q > 0)  # never drawn: behind all others
    order = np.argsort(ratio, axis=-1)
    wanted = np.cumsum(np.take_along_axis(p, order, axis=-1), axis=-1)
    inside = np.cumsum(np.take_along_axis(q, order, axis=-1), axis=-1)
    values = wanted + (1 - inside**k)
    least: Floats = np.minimum(values.min(axis=-1), 1.0 - 0.0**k)  # the second is the empty prefix
    return least


def _least_set(p: Floats, q: Floats, k: int) -> Floats:
    vocabulary = p.shape[-1]
    if vocabulary > GREATEST_VOCABULARY:
        raise SpecdecError(
            f"target has {vocabulary} tokens; expected at most {GREATEST_VOCABULARY} without replacement, where all "
            "sets of tokens are gone through. With replacement any V will do."
        )
    inside = _drawn_sets(q, k)
    for x in range(vocabulary):  # from the law of S to Pr(S subset of H), one token after the other
        halves = inside.reshape(*p.shape[:-1], 2 ** (vocabulary - 1 - x), 2, 2**x)
        halves[..., 1, :] += halves[..., 0, :]
    least: Floats = (1 + _masses(p) - inside).min(axis=-1)
    return least


def _drawn_sets(q: Floats, k: int) -> Floats:
    """Law of the set of k siblings without replacement, shape (..., 2**V), by the set as a bit mask."""
    vocabulary = q.shape[-1]
    masks = np.arange(2**vocabulary)
    sizes = np.bitwise_count(masks)
    left = _masses(q)[..., ::-1]  # mass of the complement, as a sum
    law = np.zeros(left.shape)
    law[..., 0] = 1
    for size in range(k):
        for x in range(vocabulary):
            sets = masks[(sizes == size) & (masks >> x & 1 == 0)]
            rest = left[..., sets]
            chance = np.divide(q[..., [x]], rest, out=np.full_like(rest, 1 / (vocabulary - size)), where=rest > 0)
            law[..., sets | 1 << x] += law[..., sets] * chance
    law[..., sizes != k] = 0
    return law


def _masses(row: Floats) -> Floats:
    """Mass of every set of tokens, shape (..., 2**V), by the set as a bit mask."""
    masses = np.zeros((*row.shape[:-1], 1))
    for x in range(row.shape[-1]):
        masses = np.concatenate([masses, masses + row[..., [x]]], axis=-1)
    return masses
