r"""Which acceptances can be completed to a lossless rule, and by which residual (theorem ``completion``)."""

from typing import Any

from sympy import Rational, S

from proofs.distributions import Row, check_pair, exact_row
from proofs.errors import NotADistributionError, ShapeError
from proofs.rationals import shown

__all__ = ["completing_residual"]


def completing_residual(p: Any, q: Any, accept: Any) -> Row | None:
    r"""Return the residual that makes a rule with these keep-probabilities lossless, if there is one.

    A rule that keeps the drafted token x with probability `a(x)` can be completed iff
    :math:`q(x) a(x) \le p(x)` for every x. Its residual, averaged over rejections, is then

    .. math:: r = \frac{p - q a}{1 - \sum_x q(x) a(x)}

    unless the denominator is 0: then nothing is rejected, and the law is p whatever the residual.

    Parameters
    ----------
    p, q : row of V exact numbers
        Target and draft.
    accept : row of V exact numbers between 0 and 1
        Probability of keeping each drafted token; where ``q`` is 0 it does not matter.

    Returns
    -------
    tuple of sympy.Rational, or None
        None if no residual can repair the rule. `p` where nothing is ever rejected.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, a keep-probability outside [0, 1], or
        the lengths differ.

    Examples
    --------
    >>> completing_residual(["1/4", "3/4"], ["1/2", "1/2"], [0, 1])
    (1/2, 1/2)
    >>> completing_residual(["1/4", "3/4"], ["1/2", "1/2"], [1, 1]) is None
    True
    """
    target, draft = check_pair(p, q)
    keep = _check_accept(accept, len(target))
    shortfall = tuple(shortfall_token(*token) for token in zip(target, draft, keep, strict=True))
    if any(s < 0 for s in shortfall):
        return None
    rejected = S.One - sum((b * a for b, a in zip(draft, keep, strict=True)), S.Zero)
    return tuple(complete_token(a, s, rejected) for a, s in zip(target, shortfall, strict=True))


def shortfall_token(p: Rational, q: Rational, accept: Rational) -> Rational:
    """What drafting and keeping leaves to be emitted otherwise; negative: beyond repair."""
    return p - q * accept


def complete_token(p: Rational, shortfall: Rational, rejected: Rational) -> Rational:
    """Probability of the token as a replacement."""
    return shortfall / rejected if rejected != 0 else p


def _check_accept(accept: Any, vocabulary: int) -> Row:
    keep = exact_row(accept, "accept")
    if len(keep) != vocabulary:
        raise ShapeError(f"accept has {len(keep)} tokens; expected {vocabulary}, one for each token of p.")
    for i, a in enumerate(keep):
        if a > 1:
            raise NotADistributionError(
                f"accept[{i}] = {shown(a)} is not a probability; expected at most 1. A ratio p/q? Take min(1, p/q)."
            )
    return keep
