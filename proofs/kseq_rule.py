r"""K-SEQ over exact rationals: the twin of `specdec.kseq_rule`.

Of k siblings drawn independently from the draft q each is kept with probability
:math:`\min(1, p(x) / (\rho q(x)))`, the same target p throughout. With

.. math:: m(x) = \min(q(x), p(x)/\rho), \quad \beta = \sum_x m(x), \quad G = \sum_{j<k} (1 - \beta)^j

one sibling is kept with probability :math:`\beta`, some sibling with :math:`\beta G = 1 - (1 - \beta)^k`, and
token x so with :math:`m(x) G`. What is drawn when none is kept has the law :math:`p - m G`, normalised: the
rule is lossless iff that is nowhere negative, and then `rho` is called admissible.

*The admissible rho are an interval.* Where m(x) > 0 the condition reads :math:`\max(p(x)/q(x), \rho) \ge G`: with c
the least p/q over the common support, :math:`\max(c, \rho) \ge G`. Let rho grow to rho'. Then beta' <= beta, but
beta' >= beta rho/rho'; beta G grows with beta, so :math:`G' \le G \rho'/\rho`, and rho >= G implies rho' >= G'. If
rho <= c then m = q on the support of p and G is the same for all such rho: c >= G holds for all of them or none.
So everything above an admissible rho is admissible; k is, since G <= k; and the least one is 1 or solves
:math:`\rho = G(\rho)`, an algebraic number of degree at most k.

Source: Sun et al., "SpecTr: Fast Speculative Decoding via Optimal Transport", arXiv:2310.15141, who write p for the
draft and q for the target (source unverified); the condition and the interval are derived here.
"""

from typing import Any, NamedTuple

from sympy import Rational
from sympy.external.gmpy import MPQ

from proofs.errors import ProofsError
from proofs.parameters import check_number
from proofs.processes import Weights, as_rational, check_count, check_processes
from proofs.rationals import shown
from proofs.token_rule import EmittedDistribution

__all__ = ["RhoBracket", "admissible_rho", "is_admissible", "kseq_acceptance", "kseq_law"]

_RHO = "at least 1. rho = k is admissible for every target and draft"
_WIDTH = MPQ(1, 2**40)


class RhoBracket(NamedTuple):
    """Where the least admissible rho lies.

    Attributes
    ----------
    low, high : sympy.Rational
        `high` is admissible. Where both are equal that is the least one; else `low` is not admissible, and they are
        at most 2**-40 apart.
    """

    low: Rational
    high: Rational


def kseq_acceptance(target: Any, draft: Any, k: int, rho: Any) -> Rational:
    r"""Probability :math:`1 - (1 - \beta)^k` that K-SEQ keeps one of k siblings.

    Parameters
    ----------
    target, draft : row of V exact numbers
        p and q. A callable prefix -> row is asked for its first row.
    k : int
        Number of siblings; with 0 nothing is kept.
    rho : exact number
        At least 1. `rho = k` is always admissible; below the least admissible one this is still what is kept, by a
        rule that is not lossless (`is_admissible`).

    Returns
    -------
    sympy.Rational
        0 for disjoint supports. A sibling that the last residual happens to draw is not counted.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.
    ProofsError
        If `k` is negative, or `rho` below 1.

    References
    ----------
    After Sun et al., arXiv:2310.15141, K-SEQ (source unverified).

    Examples
    --------
    >>> kseq_acceptance(["2/5", "3/10", "1/5", "1/10"], ["1/10", "1/5", "3/10", "2/5"], 2, 2)
    16/25
    """
    return kseq_law(target, draft, k, rho).alpha


def kseq_law(target: Any, draft: Any, k: int, rho: Any) -> EmittedDistribution:
    r"""Exact law of the token that K-SEQ emits, and the probability that it is one of the siblings kept.

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
    InexactError, NotADistributionError, ShapeError, ProofsError
        As in `kseq_acceptance`.

    References
    ----------
    After Sun et al., arXiv:2310.15141, K-SEQ (source unverified).

    Examples
    --------
    >>> kseq_law(["1/3", "2/3"], ["2/3", "1/3"], 2, 2)
    EmittedDistribution(dist=(1/3, 2/3), alpha=3/4)
    >>> kseq_law(["1/3", "2/3"], ["2/3", "1/3"], 2, 1)
    EmittedDistribution(dist=(4/9, 5/9), alpha=8/9)
    """
    p, q, count, factor = _checked(target, draft, k, rho)
    once = keep_masses(p, q, factor)
    tries = expected_tries(once, count)
    last = last_residual(p, once, tries)
    none = (1 - sum(once)) ** count
    dist = tuple(as_rational(m * tries + none * r) for m, r in zip(once, last, strict=True))
    return EmittedDistribution(dist, as_rational(sum(once) * tries))


def is_admissible(target: Any, draft: Any, k: int, rho: Any) -> bool:
    r"""Whether K-SEQ with this `rho` is lossless: :math:`m(x) G \le p(x)` for every x.

    Parameters
    ----------
    target, draft, k, rho
        As in `kseq_acceptance`.

    Returns
    -------
    bool
        True for every `rho` with k at most 1, and for disjoint supports.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError, ProofsError
        As in `kseq_acceptance`.

    References
    ----------
    After Sun et al., arXiv:2310.15141 (source unverified); derived in the module's docstring.

    Examples
    --------
    >>> is_admissible(["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"], 2, "3/2")
    True
    >>> is_admissible(["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"], 2, "7/5")
    False
    """
    p, q, count, factor = _checked(target, draft, k, rho)
    return _fits(p, q, count, factor)


def admissible_rho(target: Any, draft: Any, k: int) -> RhoBracket:
    r"""The least rho for which K-SEQ is lossless, exactly where it is a simple fraction and else between two.

    The smaller `rho` is, the more is kept: this is the best choice of it.

    Parameters
    ----------
    target, draft, k
        As in `kseq_acceptance`.

    Returns
    -------
    RhoBracket
        ``(1, 1)`` where every rho is admissible. The least one may be irrational: it solves
        :math:`\rho = G(\rho)`, of degree k. The fraction of least denominator between the bounds is tried.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError, ProofsError
        As in `kseq_acceptance`.

    References
    ----------
    After Sun et al., arXiv:2310.15141 (source unverified); derived in the module's docstring.

    Examples
    --------
    >>> admissible_rho(["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"], 2)
    RhoBracket(low=3/2, high=3/2)
    """
    p, q, count, low = _checked(target, draft, k, 1)
    high = low
    if not _fits(p, q, count, low):
        high = MPQ(count)
    while high - low > _WIDTH:
        middle = (low + high) / 2
        low, high = (low, middle) if _fits(p, q, count, middle) else (middle, high)
    root = _simplest(low, high)
    if expected_tries(keep_masses(p, q, root), count) == root:
        low = high = root
    return RhoBracket(as_rational(low), as_rational(high))


def keep_masses(p: Weights, q: Weights, rho: MPQ) -> Weights:
    """``min(q, p / rho)``: the mass with which one sibling is each token and kept."""
    return tuple(min(b, a / rho) for a, b in zip(p, q, strict=True))


def expected_tries(once: Weights, k: int) -> MPQ:
    """``G``: how many siblings are looked at on average, `once` being the mass of keeping each token at one try."""
    fails = 1 - sum(once)
    return sum((fails**j for j in range(k)), MPQ(0))


def last_residual(p: Weights, once: Weights, tries: MPQ) -> Weights:
    """``(p - m G)+`` normalised, what is drawn when no sibling is kept; p where nothing is left."""
    left = [max(a - m * tries, MPQ(0)) for a, m in zip(p, once, strict=True)]
    mass = sum(left)
    return tuple(part / mass for part in left) if mass else p


def _fits(p: Weights, q: Weights, k: int, rho: MPQ) -> bool:
    once = keep_masses(p, q, rho)
    tries = expected_tries(once, k)
    return all(m * tries <= a for a, m in zip(p, once, strict=True))


def _checked(target: Any, draft: Any, k: Any, rho: Any) -> tuple[Weights, Weights, int, MPQ]:
    first, second = check_processes(target, draft)
    p, q = first.weights(()), second.weights(())
    count, factor = check_count(k, "k", what="siblings"), check_number(rho, "rho", _RHO)
    if factor < 1:
        raise ProofsError(f"rho = {shown(as_rational(factor))}; expected {_RHO}.")
    return p, q, count, factor


def _simplest(low: MPQ, high: MPQ) -> MPQ:
    """Return the fraction of least denominator in [low, high], 1 <= low, by their continued fractions."""
    whole = low.numerator // low.denominator
    if whole == low or whole + 1 <= high:
        return MPQ(whole if whole == low else whole + 1)
    return whole + 1 / _simplest(1 / (high - whole), 1 / (low - whole))
