r"""What a target row is: transformations of rows in floating point, in a stated order.

The target of a verifier is the law after all processing, and so is the draft: the same steps at every verified position
and at the bonus, and the row that was drawn from in the ratio and in the residual.

Every function takes rows of weights, shape ``(..., V)``: finite, non-negative, not all 0; of logits l they are
:math:`e^l`, and distributions are the case with sum one. Every function returns distributions, in the dtype of the
rows. Parameters are the same for all rows. `proofs.target_rows` is the same over exact rationals; a sum or power that
is rounded here may fall on the other side of a threshold.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from specdec.distributions import Floats, as_rows
from specdec.errors import NotADistributionError
from specdec.row_steps import STEPS, Weights, check_mass, read_steps

__all__ = [
    "logit_bias",
    "mask",
    "min_p",
    "repetition_penalty",
    "temperature",
    "top_k",
    "top_p",
    "transform",
]


def temperature(row: npt.ArrayLike, value: float) -> Floats:
    r"""Divide the logits by a temperature: :math:`w^{1/T}`, normalised.

    Parameters
    ----------
    row : array_like of float, shape (..., V)
    value : float above 0
        T. Greedy decoding is ``top_k(row, 1)``.

    Returns
    -------
    ndarray of float, shape (..., V)

    Raises
    ------
    SpecdecError
        If a row has no mass or an entry that is no weight; if T is not above 0.

    Examples
    --------
    >>> temperature([0.5, 0.5, 0.0], 0.5).tolist()
    [0.5, 0.5, 0.0]
    """
    return transform(row, [("temperature", value)])


def top_k(row: npt.ArrayLike, k: int, ties: str = "lowest") -> Floats:
    """Keep the k greatest entries.

    Parameters
    ----------
    row : array_like of float, shape (..., V)
    k : int
        At least 1; from V on everything is kept.
    ties : {"lowest", "all"}
        Of entries equal to the k-th greatest, ``"lowest"`` keeps those with the lower ids, ``"all"`` keeps them all.

    Returns
    -------
    ndarray of float, shape (..., V)

    Raises
    ------
    SpecdecError
        If a row has no mass or an entry that is no weight; if a parameter is out of its range.

    Examples
    --------
    >>> top_k([0.25, 0.5, 0.25], 1).tolist(), top_k([0.25, 0.5, 0.25], 2, ties="all").tolist()
    ([0.0, 1.0, 0.0], [0.25, 0.5, 0.25])
    """
    return transform(row, [("top_k", k, ties)])


def top_p(row: npt.ArrayLike, mass: float, boundary: str = ">=") -> Floats:
    """Keep the greatest entries until they have a mass; the entry that crosses the threshold is kept.

    Parameters
    ----------
    row : array_like of float, shape (..., V)
    mass : float in (0, 1]
    boundary : {">=", ">"}
        ``">="`` stops as soon as the mass is reached, ``">"`` only when it is exceeded.

    Returns
    -------
    ndarray of float, shape (..., V)
        Sums are taken in the dtype of the rows, from the greatest entry down.

    Raises
    ------
    SpecdecError
        If a row has no mass or an entry that is no weight; if a parameter is out of its range.

    Examples
    --------
    >>> top_p([0.5, 0.25, 0.25], 0.5).tolist(), top_p([0.25, 0.5, 0.25], 0.75, ">").tolist()
    ([1.0, 0.0, 0.0], [0.25, 0.5, 0.25])
    """
    return transform(row, [("top_p", mass, boundary)])


def min_p(row: npt.ArrayLike, fraction: float) -> Floats:
    """Keep the entries of at least a fraction of the greatest.

    Parameters
    ----------
    row : array_like of float, shape (..., V)
    fraction : float in [0, 1]

    Returns
    -------
    ndarray of float, shape (..., V)

    Raises
    ------
    SpecdecError
        If a row has no mass or an entry that is no weight; if `fraction` is not in [0, 1].

    Examples
    --------
    >>> min_p([0.75, 0.125, 0.125], 0.5).tolist()
    [1.0, 0.0, 0.0]
    """
    return transform(row, [("min_p", fraction)])


def repetition_penalty(row: npt.ArrayLike, tokens: npt.ArrayLike, penalty: float) -> Floats:
    r"""Penalise tokens that were seen: :math:`w^{1/\theta}` where w > 1, else :math:`w^{\theta}`.

    Parameters
    ----------
    row : array_like of float, shape (..., V)
        The weights :math:`e^l`: the result depends on their scale.
    tokens : iterable of int
        The tokens seen, of all rows; one seen twice is penalised once.
    penalty : float above 0

    Returns
    -------
    ndarray of float, shape (..., V)

    Raises
    ------
    SpecdecError
        If a row has no mass or an entry that is no weight; if a token or `penalty` is out of range.

    Examples
    --------
    >>> repetition_penalty([4.0, 1.0, 1.0], [0], 2).tolist()
    [0.5, 0.25, 0.25]
    """
    return transform(row, [("repetition_penalty", tokens, penalty)])


def logit_bias(row: npt.ArrayLike, factors: Any) -> Floats:
    r"""Add to logits: multiply weights by :math:`e^b`, the factors.

    Parameters
    ----------
    row : array_like of float, shape (..., V)
    factors : mapping token -> float at least 0
        0 is a bias of minus infinity.

    Returns
    -------
    ndarray of float, shape (..., V)

    Raises
    ------
    SpecdecError
        If a row has no mass, before or after, or an entry that is no weight; if a token or factor is out of range.

    Examples
    --------
    >>> logit_bias([0.5, 0.25, 0.25], {0: 0.5, 2: 0}).tolist()
    [0.5, 0.5, 0.0]
    """
    return transform(row, [("logit_bias", factors)])


def mask(row: npt.ArrayLike, allowed: npt.ArrayLike) -> Floats:
    """Leave only some tokens.

    Parameters
    ----------
    row : array_like of float, shape (..., V)
    allowed : iterable of int

    Returns
    -------
    ndarray of float, shape (..., V)

    Raises
    ------
    SpecdecError
        If a row has no mass, before or after, or an entry that is no weight; if a token is out of range.

    Examples
    --------
    >>> mask([0.5, 0.25, 0.25], [1, 2]).tolist()
    [0.0, 0.5, 0.5]
    """
    return transform(row, [("mask", allowed)])


def transform(row: npt.ArrayLike, steps: Any) -> Floats:
    """Apply transformations in the order written, and divide by the sum.

    Parameters
    ----------
    row : array_like of float, shape (..., V)
    steps : iterable of tuples
        Each the name of a function above and its arguments behind the row.

    Returns
    -------
    ndarray of float, shape (..., V)
        A new array; without steps the rows divided by their sums.

    Raises
    ------
    SpecdecError
        If a row, or an argument of a step, is refused; if a step leaves no mass; if there is no such step.

    Examples
    --------
    >>> transform([0.5, 0.25, 0.25], [("top_k", 2, "all"), ("mask", [0, 1])]).round(3).tolist()
    [0.667, 0.333, 0.0]
    """
    state = check_mass(Weights(_as_weights(row), 0.0), "row")
    with np.errstate(under="ignore", over="ignore"):
        for i, (name, *arguments) in enumerate(read_steps(steps)):
            state = check_mass(STEPS[name](state, *arguments), f"row after steps[{i}], {name},")
        scaled: Floats = state.weights / state.weights.max(axis=-1, keepdims=True)  # their sum is finite
    return np.asarray(scaled / scaled.sum(axis=-1, keepdims=True))


def _as_weights(row: npt.ArrayLike) -> Floats:
    weights = as_rows(row, "row")
    bad = ~((weights >= 0) & (weights < np.inf))
    if bad.any():
        at = tuple(int(i) for i in np.argwhere(bad)[0])
        raise NotADistributionError(
            f"row{list(at)} = {weights[at]!s} is no weight; expected finite numbers of at least 0. "
            "Logits? Take exp first."
        )
    return weights
