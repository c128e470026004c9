"""Where a decision would switch if the coin were a real number: the chain of operators inverted in exact arithmetic.

The code's own numbers, thresholds and factors, stay the floats that they are; only the coin has no grid, and the
operators on it do not round.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

from proofs.engine.weights import ONE, ZERO, Weight, weight

__all__ = ["real_switch"]

# Inverse of x -> y, given y and the number of the operator; None where there is none.
_INVERSES: dict[str, Callable[[Weight, Weight], Weight | None]] = {
    "add": lambda y, c: y - c,
    "rsub": lambda y, c: c - y,
    "mul": lambda y, c: y / c if c else None,
    "div": lambda y, c: y * c,
    "rdiv": lambda y, c: c / y if y else None,
    "neg": lambda y, _: -y,
    "cast64": lambda y, _: y,
}


def real_switch(steps: Sequence[Any], last: Any, before: Any, after: Any) -> Weight | None:
    """Return the real coin at which a decision changes.

    Parameters
    ----------
    steps : sequence of Step
        From the coin on.
    last : Step
        The decision.
    before, after : object
        What it comes to below the switch, and from there on.

    Returns
    -------
    Weight or None
        Within [0, 1]; None where an operator has no exact inverse, or the decision no finite threshold.
    """
    value = _threshold(last, before, after)
    for step in reversed(steps):
        if value is None or step.form is None:
            return None
        for name, number in reversed(step.form):
            inverse = _INVERSES.get(name)
            value = None if inverse is None or value is None else inverse(value, weight(number))
    return None if value is None else min(max(value, ZERO), ONE)


def _threshold(last: Any, before: Any, after: Any) -> Weight | None:
    """Return the number that the last operand passes at the switch."""
    number = last.threshold
    if isinstance(number, tuple):  # of a search: the entry that is passed first
        number = number[before if after > before else before - 1]
    elif number is None and last.name in _WHOLE and math.isfinite(before):
        number = _WHOLE[last.name](int(before), after > before)
    return None if number is None or abs(number) == math.inf else weight(number)


def _floor(before: int, rises: bool) -> int:
    return before + rises


def _trunc(before: int, rises: bool) -> int:
    return before + rises if before > 0 else before - (not rises) if before < 0 else 1 if rises else -1


# The number that is passed on the way from a whole number up, or down.
_WHOLE: dict[str, Callable[[int, bool], int]] = {
    "floor": _floor,
    "ceil": lambda before, rises: before - (not rises),
    "trunc": _trunc,
    "_to_copy": _trunc,
}
