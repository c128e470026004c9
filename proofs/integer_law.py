"""The token rule on integers over one common denominator: exact, at the size of a real vocabulary.

No third-party package. Held to the exact twin `proofs.token_rule` on small rows by a test.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import NamedTuple

from proofs.errors import NotADistributionError, ShapeError

__all__ = ["IntegerLaw", "Mixture", "integer_law", "law_as_given", "mixture"]


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
    return law_as_given([w * p_scale for w in target], [w * q_scale for w in draft], denominator)


def law_as_given(p: Sequence[int], q: Sequence[int], denominator: int) -> IntegerLaw:
    """Law of two rows over one denominator, whatever they sum to.

    For rows that do not sum to one it is what the formula gives, and no law.
    """
    parts = mixture(p, q, denominator)
    top, bottom = parts.scale.as_integer_ratio()
    equal = all(k * bottom + top * e == a * bottom for k, e, a in zip(parts.kept, parts.excess, p, strict=True))
    distance = sum(abs(a - b) for a, b in zip(p, q, strict=True))
    return IntegerLaw(Fraction(sum(parts.kept), denominator), Fraction(distance, 2 * denominator), equal)


class Mixture(NamedTuple):
    """The law as ``(kept + scale * excess) / denominator``, token by token."""

    kept: list[int]
    excess: Sequence[int]
    scale: Fraction


def mixture(p: Sequence[int], q: Sequence[int], denominator: int) -> Mixture:
    """Split the law into drafted-and-kept and replaced tokens.

    For a right rule and rows that sum to one the scale, rejected mass over residual mass, reduces
    to 1 here: by computation, not by assumption.
    """
    kept = [a if a < b else b for a, b in zip(p, q, strict=True)]
    excess = [a - k for a, k in zip(p, kept, strict=True)]
    rejected, mass = sum(q) - sum(kept), sum(excess)
    if not mass:  # the residual is the row p
        return Mixture(kept, p, Fraction(rejected, denominator))
    return Mixture(kept, excess, Fraction(rejected, mass))


def _checked_sum(weights: Sequence[int], name: str) -> int:
    if min(weights, default=0) < 0:
        token = next(x for x, weight in enumerate(weights) if weight < 0)
        raise NotADistributionError(f"{name}[{token}] is negative; expected weights >= 0.")
    total = sum(weights)
    if not total:
        raise NotADistributionError(f"{name} has no mass: its {len(weights)} weights sum to 0.")
    return total
