r"""The token rule over exact rationals: the twin of `specdec.token_rule`.

The draft proposes :math:`x \sim q`; the verifier keeps it with probability
:math:`a(x) = \min(1, p(x)/q(x))` and otherwise draws a replacement from :math:`(p - q)_+`,
normalised.

Every function takes the target `p` and the draft `q` as rows of V exact numbers (what
`proofs.exact` takes), non-negative with the exact sum one, and raises `InexactError`,
`NotADistributionError` or `ShapeError`, all ``ValueError``, for anything else.

The functions of rows are folds of the per-token functions at the end of this module. The
proofs for every V run those same functions on symbols, which is why they stand alone.

Source: Leviathan, Kalman and Matias, arXiv:2211.17192, Algorithm 1; Chen et al.,
arXiv:2302.01318, Algorithm 2 (source unverified).
"""

from typing import Any, NamedTuple

from sympy import Rational, S

from proofs.distributions import Row, check_pair

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
    dist : tuple of sympy.Rational, length V
        Law of the emitted token.
    alpha : sympy.Rational
        Acceptance probability.
    """

    dist: Row
    alpha: Rational


def emitted_distribution(p: Any, q: Any) -> EmittedDistribution:
    r"""Exact law of the emitted token and exact acceptance probability.

    .. math:: dist(x) = q(x) a(x) + \Bigl(\sum_y q(y) (1 - a(y))\Bigr) r(x),
              \qquad \alpha = \sum_x q(x) a(x)

    with `r` the residual. Neither is defined through what is proved of it: that ``dist`` is `p`
    and alpha is one minus the total variation distance are theorems.

    Parameters
    ----------
    p, q : row of V exact numbers
        Target and draft.

    Returns
    -------
    EmittedDistribution
        ``alpha`` is 1 where ``p == q`` and 0 for disjoint supports.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.

    Examples
    --------
    >>> emitted_distribution(["1/8", "3/8", "1/2"], ["1/2", "1/4", "1/4"])
    EmittedDistribution(dist=(1/8, 3/8, 1/2), alpha=5/8)
    """
    return emitted_law(*check_pair(p, q))


def acceptance_ratio(p: Any, q: Any) -> Row:
    r"""Probability :math:`\min(1, p(x)/q(x))` with which each drafted token is kept.

    Parameters
    ----------
    p, q : row of V exact numbers
        Target and draft.

    Returns
    -------
    tuple of sympy.Rational, length V
        1 where ``q`` is 0: such a token is never drafted and its ratio never divided.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.
    """
    return _ratio(*check_pair(p, q))


def acceptance_probability(p: Any, q: Any) -> Rational:
    r"""Probability :math:`\alpha = \sum_x q(x) a(x)` that the drafted token is kept.

    Parameters
    ----------
    p, q : row of V exact numbers
        Target and draft.

    Returns
    -------
    sympy.Rational
        1 where ``p == q``, 0 for disjoint supports.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.
    """
    target, draft = check_pair(p, q)
    return sum((b * a for b, a in zip(draft, _ratio(target, draft), strict=True)), S.Zero)


def residual_distribution(p: Any, q: Any) -> Row:
    r"""Law of the replacement drawn after a rejection: :math:`(p - q)_+`, normalised.

    Parameters
    ----------
    p, q : row of V exact numbers
        Target and draft.

    Returns
    -------
    tuple of sympy.Rational, length V
        `p` itself where ``p == q``: nothing is rejected there.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.
    """
    return residual_law(*check_pair(p, q))


def maximal_coupling(p: Any, q: Any) -> tuple[Row, ...]:
    r"""Joint law of the drafted and the emitted token.

    Parameters
    ----------
    p, q : row of V exact numbers
        Target and draft.

    Returns
    -------
    tuple of V rows of V sympy.Rational
        Entry ``[x][y]`` is Pr(drafted x, emitted y); rows sum to `q`, columns to `p`.
        Diagonal where ``p == q``.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.
    """
    target, draft = check_pair(p, q)
    ratio, residual = _ratio(target, draft), residual_law(target, draft)
    return tuple(
        tuple(joint_token(b, a, r, same=x == y) for y, r in enumerate(residual))
        for x, (b, a) in enumerate(zip(draft, ratio, strict=True))
    )


def emitted_law(p: Row, q: Row) -> EmittedDistribution:
    """`emitted_distribution` of rationals that the caller has checked, or means to leave as they are.

    Rows that do not sum to one go through unchanged: the formula over floats as rationals is the
    reference that the fast twin's accuracy is stated against.
    """
    accept = _ratio(p, q)
    rejected = sum((b * (1 - a) for b, a in zip(q, accept, strict=True)), S.Zero)
    dist = tuple(emit_token(b, a, rejected, r) for b, a, r in zip(q, accept, residual_law(p, q), strict=True))
    return EmittedDistribution(dist, sum((b * a for b, a in zip(q, accept, strict=True)), S.Zero))


def _ratio(p: Row, q: Row) -> Row:
    return tuple(accept_token(a, b) for a, b in zip(p, q, strict=True))


def residual_law(p: Row, q: Row) -> Row:
    """`residual_distribution` of rationals that the caller has checked, or means to leave as they are."""
    excess = tuple(excess_token(a, b) for a, b in zip(p, q, strict=True))
    mass = sum(excess, S.Zero)
    return tuple(replace_token(a, e, mass) for a, e in zip(p, excess, strict=True))


# The rule at one token. No Min or Max: SymPy would carry them along unevaluated.


def accept_token(p: Rational, q: Rational) -> Rational:
    """Probability of keeping the drafted token; divides only where ``q > p >= 0``."""
    return S.One if q <= p else p / q


def excess_token(p: Rational, q: Rational) -> Rational:
    """``(p(x) - q(x))+``."""
    return p - q if q < p else S.Zero


def replace_token(p: Rational, excess: Rational, mass: Rational) -> Rational:
    """Probability of the token as a replacement, `mass` being the sum of the excess."""
    return excess / mass if mass != 0 else p


def emit_token(q: Rational, accept: Rational, rejected: Rational, replacement: Rational) -> Rational:
    """Probability that the token is emitted: drafted and kept, or drawn after a rejection."""
    return q * accept + rejected * replacement


def joint_token(q: Rational, accept: Rational, replacement: Rational, *, same: bool) -> Rational:
    """Probability of drafting the token and emitting another, or the same one."""
    kept = q * accept if same else S.Zero
    return kept + q * (1 - accept) * replacement
