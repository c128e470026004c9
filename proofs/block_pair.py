r"""Block verification of two drafted tokens where the rows are the same at both positions: no enumeration of pairs.

After a drafted x the path's weight is :math:`w = \min(1, P(x)/Q(x))`, and with the same rows again

.. math:: E[\tau] = \sum_x \min(P(x), Q(x)) + \sum_x Q(x) f(w_x), \qquad f(w) = \sum_y \min(Q(y), w P(y)),

where f is linear between the ratios Q(y)/P(y): sorted once, every f(w) is two sums over prefixes. The terms are those
of `proofs.block_rule.expected_accepted` for gamma = 2; a vocabulary of a hundred thousand tokens is no trouble.
"""

from bisect import bisect_right
from itertools import accumulate
from typing import Any

from sympy import Rational
from sympy.external.gmpy import MPQ

from proofs.processes import Weights, as_rational, check_processes

__all__ = ["expected_accepted_of_two"]


def expected_accepted_of_two(target: Any, draft: Any) -> Rational:
    """Exact expected number of accepted tokens of block verification with gamma = 2 and the same rows throughout.

    Parameters
    ----------
    target, draft : row of V exact numbers

    Returns
    -------
    sympy.Rational
        2 for equal rows, 0 for disjoint supports.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.

    Examples
    --------
    >>> expected_accepted_of_two(["1/3", "2/3"], ["2/3", "1/3"])
    11/9
    """
    rows, below = check_processes(target, draft)
    p, q = rows.weights(()), below.weights(())
    weights = [min(MPQ(1), a / b) for a, b in zip(p, q, strict=True) if b]
    seconds = _least_sums(p, q, weights)
    firsts = (min(a, b) for a, b in zip(p, q, strict=True))
    beyond = (b * f for b, f in zip(filter(None, q), seconds, strict=True))
    return as_rational(sum(firsts, MPQ(0)) + sum(beyond, MPQ(0)))


def _least_sums(p: Weights, q: Weights, weights: list[MPQ]) -> list[MPQ]:
    """Return sum_y min(q(y), w p(y)) for every w."""
    # A token with p = 0 adds nothing whatever w is.
    tokens = sorted((b / a, a, b) for a, b in zip(p, q, strict=True) if a)
    ratios = [ratio for ratio, _, _ in tokens]
    below = list(accumulate((b for _, _, b in tokens), initial=MPQ(0)))  # q of the tokens with q <= w p
    wanted = list(accumulate((a for _, a, _ in tokens), initial=MPQ(0)))
    places = (bisect_right(ratios, w) for w in weights)
    return [below[at] + w * (wanted[-1] - wanted[at]) for w, at in zip(weights, places, strict=True)]
