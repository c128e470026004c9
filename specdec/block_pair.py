r"""Block verification of two drafted tokens where the rows are the same at both positions, in floats.

.. math:: E[\tau] = \sum_x \min(P(x), Q(x)) + \sum_x Q(x) f(w_x), \qquad f(w) = \sum_y \min(Q(y), w P(y)),
          \qquad w_x = \min(1, P(x)/Q(x)).

f is linear between the ratios Q(y)/P(y), so that a sort and sums over prefixes are enough. `proofs.block_pair` is the
same over exact rationals.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from specdec.distributions import Floats, check_pair

__all__ = ["expected_accepted_of_two"]


def expected_accepted_of_two(target: npt.ArrayLike, draft: npt.ArrayLike) -> Any:
    """Expected number of accepted tokens of block verification with gamma = 2 and the same rows throughout.

    Parameters
    ----------
    target, draft : array_like of float, shape (..., V)

    Returns
    -------
    ndarray of float, shape (...), or a NumPy scalar for a single row
        2 for equal rows, 0 for disjoint supports. Summed in float64, and rounded to the dtype of the rows.

    Raises
    ------
    NotADistributionError, ShapeError
        If a row is not a distribution; if the shapes differ.

    Examples
    --------
    >>> float(expected_accepted_of_two([0.25, 0.75], [0.75, 0.25]))
    0.875
    """
    p, q = check_pair(target, draft, ("target", "draft"))
    rows, below = (row.reshape(-1, row.shape[-1]).astype(float) for row in (p, q))
    expected = np.array([_of_row(*pair) for pair in zip(rows, below, strict=True)])
    return expected.reshape(p.shape[:-1]).astype(p.dtype)[()]


def _of_row(p: Floats, q: Floats) -> float:
    accepted = np.minimum(p, q)
    with np.errstate(divide="ignore", under="ignore", over="ignore"):
        weights = np.divide(accepted, q, out=np.zeros_like(q), where=q > 0)
        ratios = np.divide(q, p, out=np.full_like(q, np.inf), where=p > 0)
        order = np.argsort(ratios)
        below = np.concatenate([[0.0], np.cumsum(q[order])])
        # Summed from the end, not subtracted from the whole: what is left may be small beside it.
        wanted = np.concatenate([np.cumsum(p[order][::-1])[::-1], [0.0]])
        at = np.searchsorted(ratios[order], weights, side="right")
        return float(accepted.sum() + (q * (below[at] + weights * wanted[at])).sum())
