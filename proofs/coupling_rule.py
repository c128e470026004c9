r"""How often two tokens with given laws can be made to agree: the twin of `specdec.coupling_rule`.

A coupling of the draft q and the target p is a joint law with these marginals; what it accepts is the mass on its
diagonal. Three are in use:

========================  ===================  =====================================================
coupling                  acceptance           what it needs
========================  ===================  =====================================================
maximal (the token rule)  `maximal_match`      both rows at one place; the greatest there is
Gumbel                    `gumbel_match`       the same noise; each side sees its own row alone
weighted MinHash          `minhash_agreement`  the same samples; each side sees its own row alone
========================  ===================  =====================================================

A callable prefix -> row is asked for its first row. None is below (1 - TV) / (1 + TV), which is `minhash_match`.

The maximal coupling itself is `token_rule.maximal_coupling`, the Gumbel one `gumbel_rule.coupling`, that of two
independent draws `match_rule.coupling`.

Source: Daliri, Musco and Suresh, arXiv:2408.07978, for both without communication (source unverified).
"""

from typing import Any

from sympy import Rational, S

from proofs.distributions import Row, total_variation
from proofs.gumbel_rule import match_probability
from proofs.processes import first_rows

__all__ = ["gumbel_match", "maximal_match", "minhash_agreement", "minhash_coupling", "minhash_match"]


def maximal_match(target: Any, draft: Any) -> Rational:
    """Greatest probability :math:`1 - TV(p, q)` that a drafted and an emitted token can agree with.

    Parameters
    ----------
    target, draft : row of V exact numbers

    Returns
    -------
    Rational
        1 where the rows are equal, 0 for disjoint supports.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.

    Examples
    --------
    >>> maximal_match(["1/8", "3/8", "1/2"], ["1/2", "1/4", "1/4"])
    5/8
    """
    p, q = first_rows(target, draft)
    return 1 - total_variation(p, q)


def gumbel_match(target: Any, draft: Any) -> Rational:
    """Probability that two races with the same noise have one winner: `gumbel_rule.match_probability`.

    Parameters
    ----------
    target, draft : row of V exact numbers

    Returns
    -------
    Rational
        Between `minhash_agreement` and `maximal_match`.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.

    Examples
    --------
    >>> gumbel_match(["1/8", "3/8", "1/2"], ["1/2", "1/4", "1/4"])
    63/104
    """
    return match_probability(target, draft)


def minhash_match(target: Any, draft: Any) -> Rational:
    r"""Probability :math:`(1 - TV) / (1 + TV)` that weighted MinHash stops at the same sample for both rows.

    Common samples (token, height) are drawn uniformly until the height lies under the row: each side takes the token of
    its first one. Both stop at the same sample with probability :math:`\sum \min(p, q) / \sum \max(p, q)`. Having
    stopped apart they can still name one token: `minhash_agreement`.

    Parameters
    ----------
    target, draft : row of V exact numbers

    Returns
    -------
    Rational
        1 where the rows are equal, 0 for disjoint supports.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.

    References
    ----------
    Daliri et al., arXiv:2408.07978 (source unverified).

    Examples
    --------
    >>> minhash_match(["1/8", "3/8", "1/2"], ["1/2", "1/4", "1/4"])
    5/11
    """
    distance = 1 - maximal_match(target, draft)
    return (1 - distance) / (1 + distance)


def minhash_agreement(target: Any, draft: Any) -> Rational:
    r"""Probability that weighted MinHash names the same token for both rows.

    .. math:: \frac{1 - TV + \sum_x |p(x) - q(x)| \min(p(x), q(x))}{1 + TV}

    The sum is of the ways to stop at different samples of one token.

    Parameters
    ----------
    target, draft : row of V exact numbers

    Returns
    -------
    Rational
        The mass on the diagonal of `minhash_coupling`: between `minhash_match` and `gumbel_match`.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.

    Examples
    --------
    >>> minhash_agreement(["1/8", "3/8", "1/2"], ["1/2", "1/4", "1/4"])
    49/88
    """
    p, q = first_rows(target, draft)
    common = [b if b < a else a for a, b in zip(p, q, strict=True)]
    apart = sum((abs(a - b) * least for a, b, least in zip(p, q, common, strict=True)), S.Zero)
    same = sum(common, S.Zero)
    return (same + apart) / (2 - same)  # two rows of mass one cover 2 less what they have in common


def minhash_coupling(target: Any, draft: Any) -> tuple[Row, ...]:
    r"""Joint law of the tokens that weighted MinHash names for the two rows.

    The first sample under either row is one under both, or under one row alone; then that side stops, and the other
    goes on with samples that are independent of it. With 1 + TV the area under either row,

    .. math:: (1 + TV) \Pr(x, y) = \min(p(x), q(x)) 1[x = y] + q(x) (p(y) - q(y))_+ + (q(x) - p(x))_+ p(y).

    Parameters
    ----------
    target, draft : row of V exact numbers

    Returns
    -------
    tuple of V rows of V Rational
        Entry ``[x][y]`` is Pr(drafted x, emitted y); rows sum to `draft`, columns to `target`. Diagonal where the rows
        are equal.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.

    Examples
    --------
    >>> minhash_coupling(["1/3", "2/3"], ["2/3", "1/3"])
    ((1/3, 1/3), (0, 1/3))
    """
    p, q = first_rows(target, draft)
    area = sum((a if a > b else b for a, b in zip(p, q, strict=True)), S.Zero)
    return tuple(tuple(_named(x, y, p, q) / area for y in range(len(p))) for x in range(len(q)))


def _named(x: int, y: int, p: Row, q: Row) -> Rational:
    """Area that leads to drafting x and emitting y."""
    common = (q[x] if q[x] < p[x] else p[x]) if x == y else S.Zero
    emitted_first = q[x] * (p[y] - q[y]) if p[y] > q[y] else S.Zero
    drafted_first = (q[x] - p[x]) * p[y] if q[x] > p[x] else S.Zero
    return common + emitted_first + drafted_first
