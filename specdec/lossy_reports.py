"""How far the law of a lossy rule is from the target, beside the acceptance that the distance allows; in floats."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from specdec.distributions import check_pair, total_variation
from specdec.parameters import check_fraction
from specdec.token_rule import EmittedDistribution

__all__ = ["LossyReport", "acceptance_bound", "law_ratios", "lossy_report"]


class LossyReport(NamedTuple):
    """How far laws are from their targets, and what is accepted for that: a number for each row.

    Attributes
    ----------
    total_variation : ndarray of float, shape (...)
        Between the emitted law and the target.
    least_ratio, greatest_ratio : ndarray of float, shape (...)
        Of law(x) / target(x) over the tokens that one of the two gives mass; `inf` where the rule emits a token that
        the target never does.
    alpha : ndarray of float, shape (...)
    bound : ndarray of float, shape (...)
        `acceptance_bound` with the distance as budget.
    """

    total_variation: Any
    least_ratio: Any
    greatest_ratio: Any
    alpha: Any
    bound: Any


def acceptance_bound(target: npt.ArrayLike, draft: npt.ArrayLike, budget: float) -> Any:
    r"""Greatest acceptance probability of a rule whose law is within a total variation of the target.

    Parameters
    ----------
    target, draft : array_like of float, shape (..., V)
    budget : float in [0, 1]
        d, a bound on the distance of the law from the target.

    Returns
    -------
    ndarray of float, shape (...), or a NumPy scalar for a single row
        :math:`\min(1, 1 - TV(p, q) + d)`; with 0 that of the token rule.

    Raises
    ------
    SpecdecError
        If a row is not a distribution, the shapes differ, or `budget` is not in [0, 1].

    Examples
    --------
    >>> float(acceptance_bound([0.5, 0.5], [0.25, 0.75], 0.125))
    0.875
    """
    p, q = check_pair(target, draft, ("target", "draft"))
    return _bound(total_variation(p, q), check_fraction(budget, "budget"))


def law_ratios(target: npt.ArrayLike, law: npt.ArrayLike) -> tuple[Any, Any]:
    """Least and greatest of law(x) / target(x) over the tokens that one of the two gives mass.

    Parameters
    ----------
    target, law : array_like of float, shape (..., V)

    Returns
    -------
    least, greatest : ndarray of float, shape (...), or NumPy scalars for a single row
        `inf` for a token that the law emits and the target does not; (1, 1) where the rows are equal.

    Raises
    ------
    SpecdecError
        If a row is not a distribution or the shapes differ.

    Examples
    --------
    >>> least, greatest = law_ratios([0.5, 0.5, 0.0], [0.25, 0.5, 0.25])
    >>> float(least), float(greatest)
    (0.5, inf)
    """
    p, emitted = check_pair(target, law, ("target", "law"))
    with np.errstate(over="ignore", under="ignore"):
        ratios = np.divide(emitted, p, out=np.full_like(p, np.inf), where=p > 0)
    absent = (p == 0) & (emitted == 0)
    return np.where(absent, np.inf, ratios).min(axis=-1), np.where(absent, 0, ratios).max(axis=-1)


def lossy_report(target: npt.ArrayLike, draft: npt.ArrayLike, emitted: EmittedDistribution) -> LossyReport:
    """Say how far the laws of a rule are from the targets, beside the acceptance that the distances allow.

    Parameters
    ----------
    target, draft : array_like of float, shape (..., V)
    emitted : EmittedDistribution
        What a rule returned for these rows.

    Returns
    -------
    LossyReport
        Total variation 0 and both ratios 1 where the law is the target's, up to rounding.

    Raises
    ------
    SpecdecError
        If a row is not a distribution or the shapes differ.

    Examples
    --------
    >>> from specdec.lossy_rules import synthetic
    >>> p, q = [0.5, 0.5], [0.25, 0.75]
    >>> report = lossy_report(p, q, synthetic(p, q, 0.5))
    >>> float(report.total_variation), float(report.greatest_ratio), float(report.bound)
    (0.125, 1.25, 0.875)
    """
    law, alpha = emitted
    p, q = check_pair(target, draft, ("target", "draft"))
    distance = total_variation(*check_pair(target, law, ("target", "law")))
    return LossyReport(distance, *law_ratios(target, law), alpha, _bound(total_variation(p, q), distance))


def _bound(distance: Any, budget: Any) -> Any:
    return np.minimum(1 - distance + budget, 1)
