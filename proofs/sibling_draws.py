"""How k siblings are drawn without replacement, and what may be asked for."""

from collections.abc import Set
from typing import Any

from sympy.external.gmpy import MPQ

from proofs.errors import ProofsError
from proofs.processes import Weights, check_count
from proofs.rationals import shown

__all__ = ["check_siblings_drawn", "left_to_draw", "zero"]


def check_siblings_drawn(k: Any, vocabulary: int, replacement: Any) -> int:
    """Return the number of siblings as an int; without replacement there are at most V.

    Raises
    ------
    ProofsError
        If `k` is no integer, negative, or above V without replacement; if `replacement` is neither true nor false.
    """
    try:
        known = replacement in (True, False)
    except ValueError:  # an array, one flag a row
        known = False
    if not known:
        raise ProofsError(f"replacement = {shown(replacement)}; expected True (independent siblings) or False.")
    count = check_count(k, "k", what="siblings")
    if not replacement and count > vocabulary:
        raise ProofsError(
            f"k = {count} without replacement; expected at most V = {vocabulary}, the number of tokens there are."
        )
    return count


def zero() -> MPQ:
    """Zero, for tables of masses: the ground type of plain Python has no default."""
    return MPQ(0)


def left_to_draw(q: Weights, drawn: Set[int]) -> Weights:
    """Return the law of the next sibling without replacement.

    The row without the tokens drawn, normalised; once its support is used up, the uniform row over the other tokens
    (any law would do; Sequoia's choice, source unverified). Tokens not yet drawn must be left.
    """
    left = [MPQ(0) if x in drawn else b for x, b in enumerate(q)]
    if not any(left):
        left = [MPQ(int(x not in drawn)) for x in range(len(q))]
    mass = sum(left)
    return tuple(b / mass for b in left)
