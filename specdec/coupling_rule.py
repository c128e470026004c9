r"""How often two tokens with given laws can be made to agree: the twin of `proofs.coupling_rule`.

========================  ===================  =====================================================
coupling                  acceptance           what it needs
========================  ===================  =====================================================
maximal (the token rule)  `maximal_match`      both rows at one place; the greatest there is
Gumbel                    `gumbel_match`       the same noise; each side sees its own row alone
weighted MinHash          `minhash_agreement`  the same samples; each side sees its own row alone
========================  ===================  =====================================================

None is below (1 - TV) / (1 + TV), which is `minhash_match`. Rows are what `specdec.distributions` takes.

Source: Daliri, Musco and Suresh, arXiv:2408.07978, for both without communication (source unverified).
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from specdec.distributions import Floats, check_pair, total_variation
from specdec.gumbel_rule import match_probability

__all__ = ["gumbel_match", "maximal_match", "minhash_agreement", "minhash_coupling", "minhash_match"]


def maximal_match(target: npt.ArrayLike, draft: npt.ArrayLike) -> Any:
    """Greatest probability :math:`1 - TV(p, q)` that a drafted and an emitted token can agree with.

    Parameters
    ----------
    target, draft : array_like of float, shape (..., V)

    Returns
    -------
    ndarray of float, shape (...), or a NumPy scalar for a single row
        1 where the rows are equal, 0 (up to rounding) for disjoint supports.

    Raises
    ------
    NotADistributionError, ShapeError
        If a row is not a distribution; if the shapes differ.

    Examples
    --------
    >>> float(maximal_match([0.125, 0.375, 0.5], [0.5, 0.25, 0.25]))
    0.625
    """
    return 1 - total_variation(*check_pair(target, draft, ("target", "draft")))


def gumbel_match(target: npt.ArrayLike, draft: npt.ArrayLike) -> Any:
    """Probability that two races with the same noise have one winner: `gumbel_rule.match_probability`.

    Parameters
    ----------
    target, draft : array_like of float, shape (..., V)

    Returns
    -------
    ndarray of float, shape (...), or a NumPy scalar for a single row
        Between `minhash_agreement` and `maximal_match`, up to rounding.

    Raises
    ------
    NotADistributionError, ShapeError
        If a row is not a distribution; if the shapes differ.

    Examples
    --------
    >>> float(gumbel_match([0.5, 0.25, 0.25], [0.25, 0.25, 0.5]))
    0.7
    """
    return match_probability(target, draft)


def minhash_match(target: npt.ArrayLike, draft: npt.ArrayLike) -> Any:
    r"""Probability :math:`(1 - TV) / (1 + TV)` that weighted MinHash stops at the same sample for both rows.

    Common samples (token, height) are drawn uniformly until the height lies under the row: each side takes the token of
    its first one. Having stopped apart they can still name one token: `minhash_agreement`.

    Parameters
    ----------
    target, draft : array_like of float, shape (..., V)

    Returns
    -------
    ndarray of float, shape (...), or a NumPy scalar for a single row
        1 where the rows are equal, 0 (up to rounding) for disjoint supports.

    Raises
    ------
    NotADistributionError, ShapeError
        If a row is not a distribution; if the shapes differ.

    References
    ----------
    Daliri et al., arXiv:2408.07978 (source unverified).

    Examples
    --------
    >>> float(minhash_match([0.5, 0.25, 0.25], [0.25, 0.25, 0.5]))
    0.6
    """
    distance = total_variation(*check_pair(target, draft, ("target", "draft")))
    return (1 - distance) / (1 + distance)


def minhash_agreement(target: npt.ArrayLike, draft: npt.ArrayLike) -> Any:
    r"""Probability that weighted MinHash names the same token for both rows.

    .. math:: \frac{1 - TV + \sum_x |p(x) - q(x)| \min(p(x), q(x))}{1 + TV}

    The sum is of the ways to stop at different samples of one token.

    Parameters
    ----------
    target, draft : array_like of float, shape (..., V)

    Returns
    -------
    ndarray of float, shape (...), or a NumPy scalar for a single row
        The mass on the diagonal of `minhash_coupling`: between `minhash_match` and `gumbel_match`, up to rounding.

    Raises
    ------
    NotADistributionError, ShapeError
        If a row is not a distribution; if the shapes differ.

    Examples
    --------
    >>> float(minhash_agreement([0.5, 0.25, 0.25], [0.25, 0.25, 0.5]))
    0.7
    """
    p, q = check_pair(target, draft, ("target", "draft"))
    with np.errstate(under="ignore"):
        distances = np.abs(p - q)
        area = 1 + distances.sum(axis=-1) / 2
        return (2 - area + (distances * np.minimum(p, q)).sum(axis=-1)) / area


def minhash_coupling(target: npt.ArrayLike, draft: npt.ArrayLike) -> Floats:
    r"""Joint law of the tokens that weighted MinHash names for the two rows.

    .. math:: (1 + TV) \Pr(x, y) = \min(p(x), q(x)) 1[x = y] + q(x) (p(y) - q(y))_+ + (q(x) - p(x))_+ p(y)

    Parameters
    ----------
    target, draft : array_like of float, shape (..., V)
        The result holds V * V floats a row: meant for small V.

    Returns
    -------
    ndarray of float, shape (..., V, V)
        Entry ``[..., x, y]`` is Pr(drafted x, emitted y); rows sum to `draft`, columns to `target`. Diagonal where the
        rows are equal.

    Raises
    ------
    NotADistributionError, ShapeError
        If a row is not a distribution; if the shapes differ.

    Examples
    --------
    >>> minhash_coupling([1.0, 0.0], [0.0, 1.0]).tolist()
    [[0.0, 0.0], [1.0, 0.0]]
    """
    p, q = check_pair(target, draft, ("target", "draft"))
    common = np.minimum(p, q)
    with np.errstate(under="ignore"):
        joint = q[..., :, None] * (p - common)[..., None, :] + (q - common)[..., :, None] * p[..., None, :]
        tokens = np.arange(p.shape[-1])
        joint[..., tokens, tokens] += common
        result: Floats = joint / (2 - common.sum(axis=-1))[..., None, None]
    return result
