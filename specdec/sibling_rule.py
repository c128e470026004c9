r"""Siblings in floating point, several drafts for one position; `proofs.sibling_rule` is the same over exact rationals.

*Recursive rejection.* Siblings x_1 .. x_k are drawn from the draft q, with replacement or without. With r_1 = p and
q_j the law that x_j was drawn from, x_j is kept with probability :math:`\min(1, r_j(x_j) / q_j(x_j))`; after a
rejection :math:`r_{j+1} \propto (r_j - q_j)_+`; when all are rejected the token is drawn from r_{k+1}. It is
lossless by k uses of the token rule, and not the best that can be done: `optimal_acceptance`.

*Without replacement* :math:`q_{j+1}` is q_j without x_j, normalised, and the uniform row over the tokens not yet drawn
once the support is used up. A residual then depends on what was drawn, and so do the laws here: they go through the
sequences of rejected siblings, which bounds V and k.

*K-SEQ* (`specdec.kseq_rule`) and *fixed candidates* (`set_acceptance`) are the other two rules.

Every function takes arrays of shape ``(..., V)``, float32 or float64, as `specdec.token_rule` does.

Sources: Miao et al., SpecInfer, arXiv:2305.09781 (with replacement); Jeon et al., RSD, arXiv:2402.14160, and Chen et
al., Sequoia, arXiv:2402.12374 (without); all of them source unverified.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from specdec.arguments import as_integers, check_siblings_drawn
from specdec.distributions import Floats, check_pair, check_rows
from specdec.errors import ShapeError, SpecdecError, TokenError
from specdec.kseq_rule import admissible_rho, is_admissible, kseq_acceptance, kseq_law
from specdec.sibling_sets import optimal_acceptance
from specdec.token_rule import EmittedDistribution

__all__ = [
    "acceptance",
    "admissible_rho",
    "is_admissible",
    "kseq_acceptance",
    "kseq_law",
    "optimal_acceptance",
    "recursive_law",
    "residuals",
    "set_acceptance",
]

_GREATEST = 2**22  # numbers held for one row without replacement: 32 MiB of float64, a few times over


def acceptance(target: npt.ArrayLike, draft: npt.ArrayLike, k: int, replacement: bool = True) -> Any:
    r"""Probability that recursive rejection keeps one of k siblings.

    With replacement this is :math:`1 - \prod_j TV(r_j, q)`; it is computed as the sum of what is kept.

    Parameters
    ----------
    target, draft : array_like of float, shape (..., V)
        p and q.
    k : int
        Number of siblings, without replacement at most V.
    replacement : bool
        Whether the siblings are independent.

    Returns
    -------
    ndarray of float, shape (...), or a NumPy scalar for a single row
        0 with k = 0 and 1 - TV with k = 1. Without replacement p of the support of q once that is used up, and 1
        with k = V.

    Raises
    ------
    NotADistributionError, ShapeError
        If a row is not a distribution; if the shapes differ.
    SpecdecError
        If `k` is negative, or without replacement above V, or there are too many sequences of siblings.

    References
    ----------
    After Miao et al., arXiv:2305.09781; Jeon et al., arXiv:2402.14160 (source unverified).

    Examples
    --------
    >>> p, q = [0.5, 0.25, 0.25], [0.25, 0.25, 0.5]
    >>> float(acceptance(p, q, 2)), float(acceptance(p, q, 2, replacement=False))
    (0.8125, 0.875)
    """
    return recursive_law(target, draft, k, replacement).alpha


def recursive_law(target: npt.ArrayLike, draft: npt.ArrayLike, k: int, replacement: bool = True) -> EmittedDistribution:
    """Law of the token that recursive rejection emits, and the probability that it is a sibling.

    Computed from what is kept and the last residual, never copied from the target.

    Parameters
    ----------
    target, draft, k, replacement
        As in `acceptance`.

    Returns
    -------
    EmittedDistribution
        With k = 0 the target and 0. Where a residual equals the row of the next sibling everything is kept there, and
        no value is infinite or NaN.

    Raises
    ------
    NotADistributionError, ShapeError, SpecdecError
        As in `acceptance`. Without replacement the sequences of rejected siblings times V may be at most 4,194,304.

    References
    ----------
    After Miao et al., arXiv:2305.09781; Jeon et al., arXiv:2402.14160 (source unverified).

    Examples
    --------
    >>> law = recursive_law([0.5, 0.25, 0.25], [0.25, 0.25, 0.5], 2)
    >>> law.dist.tolist(), float(law.alpha)
    ([0.5, 0.25, 0.25], 0.8125)
    """
    p, q, count = _checked(target, draft, k, replacement)
    with np.errstate(under="ignore"):
        if replacement:
            return _with_replacement(p, q, count)
        pairs = zip(p.reshape(-1, p.shape[-1]), q.reshape(-1, p.shape[-1]), strict=True)
        laws = [_without_replacement(*pair, count) for pair in pairs]
    dist = np.array([dist for dist, _ in laws], p.dtype).reshape(p.shape)
    return EmittedDistribution(dist, np.array([alpha for _, alpha in laws], p.dtype).reshape(p.shape[:-1])[()])


def residuals(target: npt.ArrayLike, draft: npt.ArrayLike, k: int) -> Floats:
    """The residuals r_1 .. r_{k+1} of recursive rejection with replacement: they do not depend on the siblings.

    Parameters
    ----------
    target, draft, k
        As in `acceptance`.

    Returns
    -------
    ndarray of float, shape (..., k + 1, V)
        The first is the target, the last what is drawn from when all siblings are rejected. A residual that equals
        the draft stays as it is: nothing is rejected there.

    Raises
    ------
    NotADistributionError, ShapeError, SpecdecError
        As in `acceptance`.

    References
    ----------
    After Miao et al., arXiv:2305.09781 (source unverified).

    Examples
    --------
    >>> residuals([0.5, 0.25, 0.25], [0.25, 0.25, 0.5], 1).tolist()
    [[0.5, 0.25, 0.25], [1.0, 0.0, 0.0]]
    """
    p, q, count = _checked(target, draft, k, True)
    rows = np.empty((*p.shape[:-1], count + 1, p.shape[-1]), p.dtype)
    rows[..., 0, :] = p
    with np.errstate(under="ignore"):
        for j in range(count):
            rows[..., j + 1, :] = after_rejection(rows[..., j, :], q)
    return rows


def set_acceptance(target: npt.ArrayLike, tokens: npt.ArrayLike) -> Any:
    """Probability p(S) that the rule for fixed candidates keeps one of the set S.

    Candidates x_1 .. x_k that are fixed given the prefix, all different, are kept with probability
    ``p(x_j) / (1 - p(x_1) - .. - p(x_{j-1}))`` in turn; the residual is the target off them. No rule keeps more.

    Parameters
    ----------
    target : array_like of float, shape (..., V)
    tokens : array_like of int, shape (..., k)
        Different ones in each row: a candidate that counts twice makes the rule biased. The leading axes are those
        of `target`.

    Returns
    -------
    ndarray of float, shape (...), or a NumPy scalar for a single row
        0 without candidates.

    Raises
    ------
    NotADistributionError, ShapeError
        If a row is not a distribution; if the leading axes differ.
    TokenError
        If a token is no integer between 0 and V - 1, or comes twice in a row.

    References
    ----------
    Draft trees of the likeliest tokens, after Li et al., EAGLE-2, arXiv:2406.16858 (source unverified).

    Examples
    --------
    >>> float(set_acceptance([0.125, 0.375, 0.5], [1, 2]))
    0.875
    """
    p = check_rows(target, "target")
    chosen = _different(tokens, p)
    return np.take_along_axis(p, chosen, axis=-1).sum(axis=-1)


def after_rejection(residual: Floats, row: Floats) -> Floats:
    """``(r - q)+`` normalised along the last axis; r where that is 0 everywhere."""
    gains = np.maximum(residual - row, 0)
    mass = gains.sum(axis=-1, keepdims=True)
    after: Floats = np.divide(gains, mass, out=residual.copy(), where=mass > 0)
    return after


def _with_replacement(p: Floats, q: Floats, k: int) -> EmittedDistribution:
    residual, rejected = p, np.ones((*p.shape[:-1], 1), p.dtype)
    dist, alpha = np.zeros_like(p), np.zeros_like(rejected)
    for _ in range(k):
        common = np.minimum(residual, q)
        dist += rejected * common
        alpha += rejected * common.sum(axis=-1, keepdims=True)
        # Not one minus the sum of what is kept, nor a difference of sums: see the token rule.
        rejected = rejected * (q - common).sum(axis=-1, keepdims=True)
        residual = after_rejection(residual, q)
    return EmittedDistribution(dist + rejected * residual, alpha[..., 0][()])


def _without_replacement(p: Floats, q: Floats, k: int) -> tuple[Floats, Any]:
    """Law and acceptance of one pair: a row of residual and draft for each sequence of rejected siblings."""
    residual, row, alive = p[None], q[None], np.ones((1, len(p)), bool)
    rejected, kept = np.ones(1, p.dtype), np.zeros_like(p)
    for left in range(k, 0, -1):
        common = np.minimum(residual, row)
        kept += rejected @ common
        missed, residual = row - common, after_rejection(residual, row)
        if left == 1:  # no row is needed behind the last sibling
            rejected = rejected * missed.sum(axis=-1)
            continue
        state, token = np.nonzero(missed)
        _check_size(len(state), len(p), k)
        rejected, residual = rejected[state] * missed[state, token], residual[state]
        row, alive = _without(row[state], alive[state], token)
    return kept + rejected @ residual, kept.sum()


def _without(
    row: Floats, alive: npt.NDArray[np.bool_], token: npt.NDArray[Any]
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Take a token out of each row and normalise; the uniform row over what is left once the support is used up."""
    places = np.arange(len(token)), token
    row[places], alive[places] = 0, False
    row = np.where(row.any(axis=-1, keepdims=True), row, alive.astype(row.dtype))
    return row / row.sum(axis=-1, keepdims=True), alive


def _check_size(sequences: int, vocabulary: int, k: int) -> None:
    if sequences * vocabulary > _GREATEST:
        raise SpecdecError(
            f"k = {k} siblings without replacement over V = {vocabulary} tokens are too many sequences to go through; "
            f"expected at most {_GREATEST} numbers for one row. Draw fewer siblings, or lump tokens."
        )


def _checked(target: npt.ArrayLike, draft: npt.ArrayLike, k: Any, replacement: Any) -> tuple[Floats, Floats, int]:
    p, q = check_pair(target, draft, ("target", "draft"))
    return p, q, check_siblings_drawn(k, p.shape[-1], replacement)


def _different(tokens: npt.ArrayLike, target: Floats) -> npt.NDArray[Any]:
    chosen = as_integers(tokens)
    if chosen.shape[:-1] != target.shape[:-1] or chosen.ndim == 0:
        raise ShapeError(
            f"tokens has shape {chosen.shape} and target has shape {target.shape}; expected (..., k) and (..., V) with "
            "the same leading axes."
        )
    outside = (chosen < 0) | (chosen >= target.shape[-1])
    if outside.any():
        at = tuple(int(i) for i in np.argwhere(outside)[0])
        raise TokenError(
            f"tokens{list(at)} = {chosen[at]} is not a token; expected an integer between 0 and V - 1 = "
            f"{target.shape[-1] - 1}."
        )
    ordered = np.sort(chosen, axis=-1)
    if (again := ordered[..., 1:] == ordered[..., :-1]).any():
        raise TokenError(
            f"tokens has {ordered[..., 1:][again][0]} twice in a row; expected distinct tokens. A candidate that "
            "counts twice is accepted too often: drop it."
        )
    return chosen
