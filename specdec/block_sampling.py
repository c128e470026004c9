"""Block verification as a serving loop runs it, one request at a time, and its greedy variant.

Rows are floats, or arrays of exact numbers (dtype object) that sum to one exactly: the same code then runs without
rounding, with a generator whose `choice` takes such rows (NumPy's own does not).
"""

from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from specdec.errors import ShapeError
from specdec.sampling import check_call, draw, read_rows, wide

__all__ = ["Layer", "verify", "verify_greedy"]

Rows: TypeAlias = Any  # floats or exact numbers


def verify(target: npt.ArrayLike, draft: npt.ArrayLike, tokens: npt.ArrayLike, rng: np.random.Generator) -> list[int]:
    r"""Verify gamma drafted tokens by block verification and emit 1 to gamma + 1 tokens.

    Every position has a coin of its own, and the last coin that is kept decides how many tokens are accepted: a coin
    that fails stops nothing. With :math:`p_i` the path's weight and :math:`Z_i = \sum_x (p_i P_i(x) - Q_i(x))_+`,
    coin i is kept when :math:`u (Z_i + 1 - p_i) < Z_i`, the last when :math:`u < p_\gamma`.

    Parameters
    ----------
    target : array_like of float, shape (gamma + 1, V)
        Row i is the target's law after the accepted prefix ``tokens[:i]``; the last row is for
        the bonus token. All rows are looked at, those behind a token that is not accepted too.
    draft : array_like of float, shape (gamma, V)
        Row i is the law that ``tokens[i]`` was drawn from.
    tokens : array_like of int, shape (gamma,)
        The drafted tokens, each between 0 and V - 1. ``gamma = 0`` is allowed: the bonus token alone is emitted.
    rng : numpy.random.Generator
        One uniform is drawn for each drafted token, and one `choice` for the token that ends the call.

    Returns
    -------
    list of int
        The accepted tokens and one more. A token of target probability 0 is never emitted.

    Raises
    ------
    NotADistributionError, ShapeError, TokenError
        If a row is not a distribution, the shapes do not fit, a token is out of range.

    References
    ----------
    Sun et al., arXiv:2403.10444, Algorithm 2 (source unverified).

    Examples
    --------
    >>> import numpy as np
    >>> verify([[0.0, 1.0], [1.0, 0.0]], [[0.5, 0.5]], [0], np.random.default_rng(7))
    [1]
    >>> verify([[0.0, 1.0], [1.0, 0.0]], [[0.5, 0.5]], [1], np.random.default_rng(7))
    [1, 0]
    """
    p, q, drafted = _checked(target, draft, tokens)
    gamma, accepted = len(drafted), 0
    weights: list[tuple[Any, Any]] = [(1, 0)]
    for i, x in enumerate(drafted):
        weights.append(_capped(weights[i], p[i, x], q[i, x]))
    excess = [_excess(_gains(weights[i], p[i], q[i])) for i in range(gamma)]
    for i in range(1, gamma + 1):
        coin = rng.random()
        surplus = excess[i].sum() if i < gamma else weights[i][0]
        below = surplus + weights[i][1]
        if below == 0 or coin * below < surplus:
            accepted = i
    row = excess[accepted] if accepted < gamma else p[gamma]
    return [*drafted[:accepted], draw(_normalised(row, p[accepted]), rng)]


class Layer(NamedTuple):
    """How one greedy call has changed the target of what follows it.

    Attributes
    ----------
    target, draft : number
        Joint probabilities of what was emitted since that call began, in the target that it verified against and in
        the draft, up to a common factor.
    left : int
        Number of positions that are still changed.
    """

    target: Any
    draft: Any
    left: int


def verify_greedy(
    target: npt.ArrayLike,
    draft: npt.ArrayLike,
    tokens: npt.ArrayLike,
    rng: np.random.Generator,
    state: tuple[Layer, ...] = (),
) -> tuple[list[int], tuple[Layer, ...]]:
    r"""Verify gamma drafted tokens by greedy block verification, and say how the target is changed for the next call.

    No call expects to accept more tokens. It is lossless only if every call is given the state that the one before has
    returned, begins where that one ended, and drafts with the same draft model; a text may end anywhere.

    Parameters
    ----------
    target : array_like of float, shape (gamma + 1, V)
        The target's own rows, unchanged: the state says what is to be done to them.
    draft : array_like of float, shape (gamma, V)
    tokens : array_like of int, shape (gamma,)
    rng : numpy.random.Generator
        As `verify` takes them.
    state : tuple of Layer
        What the call before returned; () for the first call of a text.

    Returns
    -------
    tokens : list of int
        The accepted tokens and one more.
    state : tuple of Layer
        For the next call. () when the whole block was accepted.

    Raises
    ------
    NotADistributionError, ShapeError, TokenError
        If a row is not a distribution, the shapes do not fit, a token is out of range, or fewer tokens are drafted
        than there are positions changed.

    References
    ----------
    After Sun et al., arXiv:2403.10444, the appendix on greedy block verification (source unverified).

    Examples
    --------
    >>> import numpy as np
    >>> rows, below, rng = [[0.25, 0.75]] * 3, [[0.75, 0.25]] * 2, np.random.default_rng(5)
    >>> first, state = verify_greedy(rows, below, [0, 0], rng)
    >>> second, state = verify_greedy(rows, below, [1, 0], rng, state)
    >>> first, second
    ([1], [1, 0, 1])
    """
    p, q, drafted = _checked(target, draft, tokens)
    gamma = len(drafted)
    _check_state(state, gamma)
    path, accepted = [(*state, Layer(1, 1, gamma))], 0
    wanted: list[Rows] = []
    gains: list[Rows] = []
    for i, x in enumerate(drafted):
        wanted.append(_handed(p[i], q[i], path[i])[-1])
        gains.append(path[i][-1].target * wanted[i] - path[i][-1].draft * q[i])
        path.append(_advanced(path[i], p[i], q[i], x))
    for i in range(1, gamma + 1):
        coin = rng.random()
        above, below = (_excess(gains[i]).sum(), _excess(-gains[i]).sum()) if i < gamma else path[i][-1][:2]
        if below == 0 or coin * below < above:
            accepted = i
    if accepted == gamma:
        return [*drafted, draw(_normalised(p[gamma], p[gamma]), rng)], ()
    token = draw(_normalised(_excess(gains[accepted]), wanted[accepted]), rng)
    after = _advanced(path[accepted], p[accepted], q[accepted], token)
    return [*drafted[:accepted], token], tuple(layer for layer in after if layer.left > 0)


def _checked(target: npt.ArrayLike, draft: npt.ArrayLike, tokens: npt.ArrayLike) -> tuple[Rows, Rows, list[int]]:
    """Return the arguments of a call, float rows as float64."""
    p = read_rows(target, "target")
    q, drafted = check_call(p, draft, tokens)
    return wide(p), wide(q), drafted


# A weight goes with one minus itself: where rows hardly differ the odds are a quotient of two such small numbers.


def _capped(weight: tuple[Any, Any], p: Any, q: Any) -> tuple[Any, Any]:
    """Return min(1, weight p / q) without its overflow; a token that is never drafted counts as wanted or not."""
    wanted = weight[0] * p
    if q > 0:
        return min(wanted, q) / q, max(-_gains(weight, p, q), 0) / q
    return (1, 0) if wanted > 0 else (0, 1)


def _gains(weight: tuple[Any, Any], p: Any, q: Any) -> Any:
    """Return weight p - q, in the form that cancels less."""
    return (p - q) - weight[1] * p if weight[1] < weight[0] else weight[0] * p - q


def _excess(gains: Rows) -> Rows:
    return np.maximum(gains, 0)


def _normalised(weights: Rows, otherwise: Rows) -> Rows:
    row = weights if weights.sum() > 0 else otherwise
    return row / row.sum()


def _handed(row: Rows, below: Rows, layers: tuple[Layer, ...]) -> list[Rows]:
    """Return the target's row as it is handed to each layer in turn, the oldest first."""
    handed = [row]
    for layer in layers[:-1]:
        gains = layer.target * row - layer.draft * below
        row = _normalised(_excess(gains), row) if layer.left > 0 else row
        handed.append(row)
    return handed


def _advanced(layers: tuple[Layer, ...], row: Rows, below: Rows, token: int) -> tuple[Layer, ...]:
    """Return the layers one token later."""
    return tuple(
        Layer(*_scaled(layer.target * handed[token], layer.draft * below[token]), layer.left - 1)
        for layer, handed in zip(layers, _handed(row, below, layers), strict=True)
    )


def _scaled(target: Any, draft: Any) -> tuple[Any, Any]:
    """Keep the ratio and stay away from underflow; what neither can produce counts as unwanted."""
    greatest = max(target, draft)
    return (target / greatest, draft / greatest) if greatest > 0 else (0, 1)


def _check_state(state: tuple[Layer, ...], gamma: int) -> None:
    left = max((layer.left for layer in state), default=0)
    if left > gamma:
        raise ShapeError(
            f"tokens has shape ({gamma},) and the call before has changed the next {left} positions; expected at "
            f"least {left} drafted tokens, for every changed row needs the draft's row."
        )
