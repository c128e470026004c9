r"""How far the law of a lossy rule is from the target, beside the acceptance that the distance allows.

All exact: rows of V numbers as `proofs.exact` takes them, non-negative with the exact sum one.
"""

from typing import Any, NamedTuple

from sympy import Rational, S, oo

from proofs.distributions import check_pair, total_variation
from proofs.parameters import check_fraction
from proofs.processes import as_rational
from proofs.rationals import exact
from proofs.token_rule import EmittedDistribution

__all__ = ["LossyReport", "acceptance_bound", "law_ratios", "lossy_report"]


class LossyReport(NamedTuple):
    """How far the law of a rule is from the target, and what it accepts for that.

    Attributes
    ----------
    total_variation : sympy.Rational
        Between the emitted law and the target.
    least_ratio, greatest_ratio : sympy.Rational or sympy.oo
        Of law(x) / target(x) over the tokens that one of the two gives mass: `oo` where the rule emits a token that
        the target never does, 0 where it never emits one that the target does.
    alpha : sympy.Rational
        Acceptance probability of the rule.
    bound : sympy.Rational
        The greatest that a rule at this distance can have: `acceptance_bound` with the distance as budget.
    """

    total_variation: Rational
    least_ratio: Any
    greatest_ratio: Any
    alpha: Rational
    bound: Rational


def acceptance_bound(target: Any, draft: Any, budget: Any) -> Rational:
    r"""Greatest acceptance probability of a rule whose law is within a total variation of the target.

    A kept token is drafted and emitted at once, so :math:`\alpha \le 1 - TV(law, q) \le 1 - TV(p, q) + TV(p, law)`.

    Parameters
    ----------
    target, draft : row of V exact numbers
    budget : exact number in [0, 1]
        d, a bound on TV(p, law).

    Returns
    -------
    sympy.Rational
        :math:`\min(1, 1 - TV(p, q) + d)`; with 0 that of the token rule.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.
    ProofsError
        If `budget` is not in [0, 1].

    Examples
    --------
    >>> acceptance_bound(["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"], "1/18")
    13/18
    """
    p, q = check_pair(target, draft, ("target", "draft"))
    allowed = as_rational(check_fraction(budget, "budget"))
    bound = 1 - total_variation(p, q) + allowed
    return bound if bound < 1 else S.One


def law_ratios(target: Any, law: Any) -> tuple[Any, Any]:
    """Least and greatest of law(x) / target(x) over the tokens that one of the two gives mass.

    Parameters
    ----------
    target, law : row of V exact numbers

    Returns
    -------
    least, greatest : sympy.Rational, or sympy.oo
        `oo` for a token that the law emits and the target does not; (1, 1) where the rows are equal.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.

    Examples
    --------
    >>> law_ratios(["1/2", "1/2", 0], ["1/4", "1/2", "1/4"])
    (1/2, oo)
    """
    rows = zip(*check_pair(target, law, ("target", "law")), strict=True)
    ratios = [oo if a == 0 else b / a for a, b in rows if a != 0 or b != 0]
    return min(ratios), max(ratios)


def lossy_report(target: Any, draft: Any, emitted: EmittedDistribution) -> LossyReport:
    """Say how far the law of a rule is from the target, beside the acceptance that the distance allows.

    Parameters
    ----------
    target, draft : row of V exact numbers
    emitted : EmittedDistribution
        What a rule returned for these rows.

    Returns
    -------
    LossyReport
        Total variation 0 and both ratios 1 where the law is the target's.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row or the law no distribution, or the lengths differ.

    Examples
    --------
    >>> from proofs.lossy_rules import lenience
    >>> p, q = ["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"]
    >>> report = lossy_report(p, q, lenience(p, q, "3/4"))
    >>> report.total_variation, report.least_ratio, report.greatest_ratio
    (1/18, 8/9, 4/3)
    >>> report.alpha, report.bound
    (13/18, 13/18)
    """
    law, alpha = emitted
    distance = total_variation(*check_pair(target, law, ("target", "law")))
    bound = acceptance_bound(target, draft, distance)
    return LossyReport(distance, *law_ratios(target, law), exact(alpha), bound)
