"""Holds the fast twins to the exact ones. The only module that imports both."""

from typing import Any, NamedTuple

import numpy as np
from sympy import Rational, S

import specdec
from proofs import token_rule
from proofs.distributions import Row, distance_token
from proofs.rationals import from_floats

__all__ = ["FastErrors", "fast_errors"]


class FastErrors(NamedTuple):
    """Greatest absolute errors of the fast laws on one pair of rows, in units of eps of the result's dtype."""

    dist: float
    alpha: float
    total_variation: float
    residual: float


def fast_errors(p: Any, q: Any) -> FastErrors:
    """Compare `specdec` with the same formulas over the floats as rationals.

    Parameters
    ----------
    p, q : ndarray of float32 or float64, shape (V,)
        One target row and one draft row, as the fast functions take them. The reference takes
        each float at its exact value and does not divide by the sum.

    Returns
    -------
    FastErrors
    """
    exact_p, exact_q = from_floats(p, "as-given"), from_floats(q, "as-given")
    reference = token_rule.emitted_law(exact_p, exact_q)
    tv = sum(map(distance_token, exact_p, exact_q), S.Zero) / 2
    residual = token_rule.residual_law(exact_p, exact_q)
    dist, alpha = specdec.emitted_distribution(p, q)
    eps = Rational(*np.finfo(dist.dtype).eps.as_integer_ratio())
    return FastErrors(
        _worst(dist, reference.dist, eps),
        _worst([alpha], (reference.alpha,), eps),
        _worst([specdec.total_variation(p, q)], (tv,), eps),
        _worst(specdec.residual_distribution(p, q), residual, eps),
    )


def _worst(computed: Any, reference: Row, eps: Rational) -> float:
    values = [Rational(*value.as_integer_ratio()) for value in computed]
    return max(float(abs(a - b) / eps) for a, b in zip(values, reference, strict=True))
