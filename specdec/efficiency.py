r"""What a chain of gamma drafted tokens is worth, in floating point, for arrays of probabilities and costs.

Every drafted token is kept with the same probability alpha, whatever was kept before it, or the law of the number of
kept tokens is given (`specdec.chain_rule.path_law`, averaged, or frequencies that were counted). A call of the target
costs 1, and so does its verification of gamma + 1 positions; a call of the draft costs `cost`. `proofs.efficiency` is
the same over exact rationals.

All arguments are numbers or arrays that NumPy broadcasts together; results are float64, a NumPy scalar for numbers.

Source: after Leviathan, Kalman and Matias, arXiv:2211.17192, Equation 1, Theorems 3.8 and 3.11, Table 1 (source
unverified).
"""

from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from specdec.arguments import check_count
from specdec.distributions import check_rows, is_masked
from specdec.errors import ShapeError, SpecdecError

__all__ = ["best_gamma", "expected_tokens", "expected_tokens_of", "operations_factor", "speedup", "speedup_of"]

Numbers: TypeAlias = npt.NDArray[np.float64]

_GREATEST = 2**31  # drafted tokens: far below the integers that floats miss


def expected_tokens(alpha: npt.ArrayLike, gamma: npt.ArrayLike) -> Any:
    r"""Expected number of tokens that a call emits.

    .. math:: 1 + \alpha + \dots + \alpha^\gamma = \frac{1 - \alpha^{\gamma + 1}}{1 - \alpha}

    Parameters
    ----------
    alpha : array_like of float
        Probability that a drafted token is kept, 0 to 1.
    gamma : array_like of int
        Number of drafted tokens.

    Returns
    -------
    ndarray of float64, or a NumPy scalar
        gamma + 1 for alpha = 1; 1 for alpha = 0 or gamma = 0. Within a relative ``8 eps`` of the sum of powers on the
        inputs that the tests try, near alpha = 1 too.

    Raises
    ------
    SpecdecError, ShapeError
        If a number is out of its range; if the arrays do not broadcast.

    Examples
    --------
    >>> from specdec.efficiency import expected_tokens
    >>> expected_tokens(0.5, [0, 1, 2]).tolist()
    [1.0, 1.5, 1.75]
    """
    chance, count = _broadcast(_check_alpha(alpha), _check_counts(gamma, "gamma"))
    return _tokens(chance, count)[()]


def speedup(alpha: npt.ArrayLike, gamma: npt.ArrayLike, cost: npt.ArrayLike) -> Any:
    r"""How many times as fast as the target alone.

    .. math:: \frac{1 - \alpha^{\gamma + 1}}{(1 - \alpha)(\gamma c + 1)}

    Parameters
    ----------
    alpha : array_like of float
        Probability that a drafted token is kept, 0 to 1.
    gamma : array_like of int
        Number of drafted tokens.
    cost : array_like of float
        Time of a call of the draft over that of a call of the target, 0 or more.

    Returns
    -------
    ndarray of float64, or a NumPy scalar
        Below 1 where drafting costs more than it brings; 1 for gamma = 0.

    Raises
    ------
    SpecdecError, ShapeError
        If a number is out of its range; if the arrays do not broadcast.

    Examples
    --------
    >>> from specdec.efficiency import speedup
    >>> float(speedup(0.5, 1, 0.25))
    1.2
    """
    chance, count, price = _broadcast(_check_alpha(alpha), _check_counts(gamma, "gamma"), _check_cost(cost))
    return (_tokens(chance, count) / _duration(count, price))[()]


def operations_factor(alpha: npt.ArrayLike, gamma: npt.ArrayLike, cost: npt.ArrayLike) -> Any:
    r"""How many times as many arithmetic operations as the target alone.

    .. math:: \frac{(1 - \alpha)(\gamma \hat c + \gamma + 1)}{1 - \alpha^{\gamma + 1}}

    Parameters
    ----------
    alpha : array_like of float
        Probability that a drafted token is kept, 0 to 1.
    gamma : array_like of int
        Number of drafted tokens.
    cost : array_like of float
        Operations a token of the draft over those of the target, 0 or more.

    Returns
    -------
    ndarray of float64, or a NumPy scalar
        1 for gamma = 0, and for alpha = 1 and a draft that costs nothing.

    Raises
    ------
    SpecdecError, ShapeError
        If a number is out of its range; if the arrays do not broadcast.

    Examples
    --------
    >>> from specdec.efficiency import operations_factor
    >>> float(operations_factor(0.5, 1, 0.25))
    1.5
    """
    chance, count, price = _broadcast(_check_alpha(alpha), _check_counts(gamma, "gamma"), _check_cost(cost))
    return ((_duration(count, price) + count) / _tokens(chance, count))[()]


def best_gamma(alpha: npt.ArrayLike, cost: npt.ArrayLike, most: int = 1024) -> Any:
    r"""Number of drafted tokens with the greatest speed-up, of 0 to `most`; the least of those that share it.

    Parameters
    ----------
    alpha : array_like of float
        Probability that a drafted token is kept, 0 to 1.
    cost : array_like of float
        Time of a call of the draft over that of a call of the target, 0 or more.
    most : int
        Greatest number that is looked at.

    Returns
    -------
    ndarray of int64, or a NumPy scalar
        0 where drafting never helps: for alpha <= cost. `most` where the speed-up rises that far: with alpha = 1 and
        cost < 1, or alpha > 0 and cost = 0, it rises for ever. Of two that differ by rounding alone it may be either;
        `proofs.efficiency.best_gamma` decides such cases.

    Raises
    ------
    SpecdecError, ShapeError
        If a number is out of its range; if the arrays do not broadcast.

    Notes
    -----
    With T the expected tokens of gamma, the step from gamma to gamma + 1 gains iff
    :math:`D(\gamma) = \alpha^{\gamma+1} (1 + c \gamma) - c \, T(\gamma) > 0`, and
    :math:`D(\gamma + 1) - D(\gamma) = -(1 - \alpha) \alpha^{\gamma+1} (1 + c \gamma + c) \le 0`. So once a step gains
    nothing no later one does, and the first such gamma, found by bisection, is the best of all.

    Examples
    --------
    >>> from specdec.efficiency import best_gamma
    >>> best_gamma([0.5, 0.8, 0.9], 0.1).tolist()
    [2, 6, 10]
    """
    chance, price = _broadcast(_check_alpha(alpha), _check_cost(cost))
    greatest = check_count(most, "most")
    if greatest > _GREATEST:
        raise SpecdecError(f"most = {greatest} is out of range; expected a number of drafted tokens up to 2**31.")
    low, high = np.zeros(chance.shape), np.full(chance.shape, float(greatest))
    while (low < high).any():  # every gamma below low gains by another token; high does not, or is `most`
        middle = np.floor((low + high) / 2)
        gains = (low < high) & _gains(chance, middle, price)
        high = np.where(gains, high, np.minimum(middle, high))
        low = np.where(gains, middle + 1, low)
    return low.astype(np.int64)[()]


def expected_tokens_of(accepted: npt.ArrayLike) -> Any:
    """Expected number of tokens that a call emits, from the law of the number of drafted tokens that it keeps.

    Parameters
    ----------
    accepted : array_like of float, shape (..., gamma + 1)
        Entry i is the probability, or the frequency, that exactly i are kept.

    Returns
    -------
    ndarray of float, shape (...), or a NumPy scalar for a single law
        1 for gamma = 0.

    Raises
    ------
    NotADistributionError
        If a row is not a distribution.

    Examples
    --------
    >>> from specdec.efficiency import expected_tokens_of
    >>> float(expected_tokens_of([0.5, 0.25, 0.25]))
    1.75
    """
    rows = check_rows(accepted, "accepted")
    return (rows * np.arange(1, rows.shape[-1] + 1, dtype=rows.dtype)).sum(axis=-1)


def speedup_of(accepted: npt.ArrayLike, cost: npt.ArrayLike) -> Any:
    """How many times as fast as the target alone, from the law of the number of drafted tokens that a call keeps.

    Parameters
    ----------
    accepted : array_like of float, shape (..., gamma + 1)
        Entry i is the probability, or the frequency, that exactly i are kept. All gamma are drafted in every call.
    cost : array_like of float
        Time of a call of the draft over that of a call of the target, 0 or more; broadcast with the leading axes.

    Returns
    -------
    ndarray of float64, or a NumPy scalar
        1 for gamma = 0.

    Raises
    ------
    NotADistributionError, SpecdecError, ShapeError
        If a row is not a distribution, a cost below 0; if the arrays do not broadcast.

    Examples
    --------
    >>> from specdec.efficiency import speedup_of
    >>> float(speedup_of([0.5, 0.25, 0.25], 0.125))
    1.4
    """
    rows = check_rows(accepted, "accepted")
    tokens, price = _broadcast(np.asarray(expected_tokens_of(rows)), _check_cost(cost))
    return (tokens / _duration(np.float64(rows.shape[-1] - 1), price))[()]


def _tokens(alpha: Numbers, gamma: Numbers) -> Numbers:
    """(1 - alpha^(gamma + 1)) / (1 - alpha), without the cancellation of 1 - alpha^(gamma + 1) near alpha = 1."""
    with np.errstate(divide="ignore"):  # log(0)
        logarithm = np.where(alpha < 0.5, np.log(alpha), np.log1p(alpha - 1))
    numerator = -np.expm1((gamma + 1) * logarithm)
    return np.divide(numerator, 1 - alpha, out=np.array(gamma + 1), where=alpha < 1)


def _duration(gamma: Any, cost: Numbers) -> Numbers:
    """Time of a call that drafts gamma tokens, in calls of the target."""
    with np.errstate(over="ignore"):  # of costs beyond 1e300
        return np.asarray(gamma * cost + 1)


def _gains(alpha: Numbers, gamma: Numbers, cost: Numbers) -> npt.NDArray[np.bool_]:
    """Whether one more drafted token is faster; D > 0 in `best_gamma`, over the cost so that nothing overflows."""
    with np.errstate(all="ignore"):
        more = alpha ** (gamma + 1) * (1 / cost + gamma) > _tokens(alpha, gamma)
    return np.where(cost == 0, alpha > 0, more)  # the power may be too small for a float


def _broadcast(*arrays: Numbers) -> list[Numbers]:
    try:
        return [np.array(array) for array in np.broadcast_arrays(*arrays)]
    except ValueError as error:
        raise ShapeError(
            f"shapes {', '.join(str(array.shape) for array in arrays)} do not go together; expected numbers, or "
            "arrays that NumPy broadcasts to one shape."
        ) from error


def _numbers(value: npt.ArrayLike, name: str, kinds: str, expected: str) -> Numbers:
    if is_masked(value):
        raise SpecdecError(f"{name} is a masked array; expected {expected}, without those masked.")
    try:
        array = np.asarray(value)
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        raise SpecdecError(f"{name} cannot be read as numbers ({error}); expected {expected}.") from error
    if array.dtype.kind not in kinds or array.dtype.itemsize > 8:
        raise SpecdecError(f"{name} has dtype {array.dtype}; expected {expected}.")
    return array.astype(np.float64)


def _check_range(array: Numbers, name: str, high: float, expected: str) -> Numbers:
    outside = ~((array >= 0) & (array <= high))  # a NaN is outside
    if outside.any():
        at = [int(i) for i in np.argwhere(outside)[0]]
        where = f"{name}{at}" if at else name
        raise SpecdecError(f"{where} = {array[tuple(at)]!s} is out of range; expected {expected}.")
    return array


def _check_alpha(value: npt.ArrayLike) -> Numbers:
    expected = "probabilities, between 0 and 1"
    return _check_range(_numbers(value, "alpha", "iuf", expected), "alpha", 1.0, expected)


def _check_cost(value: npt.ArrayLike) -> Numbers:
    expected = "the draft's cost over the target's, a finite number >= 0"
    return _check_range(_numbers(value, "cost", "iuf", expected), "cost", float(np.finfo(float).max), expected)


def _check_counts(value: npt.ArrayLike, name: str) -> Numbers:
    expected = "a number of drafted tokens, an integer between 0 and 2**31"
    return _check_range(_numbers(value, name, "iu", expected), name, _GREATEST, expected)
