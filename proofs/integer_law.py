"""The token rule on integers over one common denominator: exact, at the size of a real vocabulary.

No third-party package. Held to the exact twin `proofs.token_rule` on small rows by a test.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import gcd, lcm

from proofs.errors import NotADistributionError, ShapeError

__all__ = ["IntegerLaw", "integer_law"]


@dataclass(frozen=True)
class IntegerLaw:
    """What the exact law of one pair of rows shows.

    Attributes
    ----------
    alpha : Fraction
        Acceptance probability, the sum of q(x) min(1, p(x)/q(x)).
    total_variation : Fraction
        Half the sum of abs(p - q).
    law_equals_target : bool
        Whether the law of the emitted token is p, token by token.
    """

    alpha: Fraction
    total_variation: Fraction
    law_equals_target: bool


def integer_law(target: Sequence[int], draft: Sequence[int]) -> IntegerLaw:
    """Exact law of the token rule for two rows of weights, each divided by its own sum.

    Parameters
    ----------
    target, draft : sequence of V integers >= 0, of positive sum
        Weights; row p is ``target / sum(target)``, row q likewise.

    Returns
    -------
    IntegerLaw

    Raises
    ------
    NotADistributionError, ShapeError
        If a weight is negative or a row has no mass; if the lengths differ.
    """
    p_sum, q_sum = _checked_sum(target, "target"), _checked_sum(draft, "draft")
    if len(target) != len(draft):
        raise ShapeError(
            f"target has {len(target)} tokens and draft has {len(draft)}; expected two rows over the same."
        )
    denominator = lcm(p_sum, q_sum)
    p_scale, q_scale = denominator // p_sum, denominator // q_sum
    p = [w * p_scale for w in target]
    q = [w * q_scale for w in draft]
    kept = [min(a, b) for a, b in zip(p, q, strict=True)]
    excess = [a - k for a, k in zip(p, kept, strict=True)]
    rejected, mass = sum(b - k for b, k in zip(q, kept, strict=True)), sum(excess)
    # dist = (kept + rejected * excess / mass) / denominator. For a right rule the factor
    # rejected / mass reduces to 1 / 1 here, by computation and not by assumption.
    top, bottom = (rejected // gcd(rejected, mass), mass // gcd(rejected, mass)) if mass else (0, 1)
    if not mass:  # the residual is the row p
        excess, top, bottom = p, rejected, denominator
    equal = all(k * bottom + top * e == a * bottom for k, e, a in zip(kept, excess, p, strict=True))
    distance = sum(abs(a - b) for a, b in zip(p, q, strict=True))
    return IntegerLaw(Fraction(sum(kept), denominator), Fraction(distance, 2 * denominator), equal)


def _checked_sum(weights: Sequence[int], name: str) -> int:
    for token, weight in enumerate(weights):
        if weight < 0:
            raise NotADistributionError(f"{name}[{token}] is negative; expected weights >= 0.")
    total = sum(weights)
    if not total:
        raise NotADistributionError(f"{name} has no mass: its {len(weights)} weights sum to 0.")
    return total
