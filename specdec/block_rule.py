r"""Block verification in floating point, along drafted paths and batches of them.

With :math:`P_i, Q_i` the rows after i drafted tokens, the weights of a path are :math:`p_0 = 1` and
:math:`p_i = \min(1, p_{i-1} P_{i-1}(x_i) / Q_{i-1}(x_i))`; with :math:`Z_i = \sum_x (p_i P_i(x) - Q_i(x))_+` the coin
of position i is kept with :math:`h_i = Z_i / (Z_i + 1 - p_i)`, that of the last with :math:`h_\gamma = p_\gamma`.
The *largest* i whose coin is kept is the number of accepted tokens, and the last token comes from
:math:`(p_i P_i - Q_i)_+`, normalised, or from :math:`P_\gamma`. `proofs.block_rule` is the same algebra over exact
rationals, and has the law of whole calls.

Where :math:`Z_i + 1 - p_i = 0` the odds are 1. No law depends on that: the rows are equal there and the
path's weight is 1, so that a later coin is certain to be kept.

Every function takes `target` (..., gamma + 1, V), `draft` (..., gamma, V) and `tokens` (..., gamma), float32 or float64
as `specdec.emitted_distribution` takes them.

Source: Sun et al., "Block Verification Accelerates Speculative Decoding", arXiv:2403.10444, Algorithm 2 (source
unverified).
"""

from collections.abc import Iterator
from math import prod

import numpy as np
import numpy.typing as npt

from specdec.arguments import Integers
from specdec.distributions import Floats, check_rows, sum_tolerance
from specdec.path_law import PathLaw, check_path

__all__ = ["path_law", "path_odds", "path_weights"]

_BLOCK = 2**14  # elements of a block, as in the token rule
_SMALLEST_NORMAL = 2.0**-126  # of float32, and far above that of float64


def path_weights(target: npt.ArrayLike, draft: npt.ArrayLike, tokens: npt.ArrayLike) -> Floats:
    r"""Capped likelihood ratios :math:`p_0, \ldots, p_\gamma` along drafted paths.

    Parameters
    ----------
    target : array_like of float, shape (..., gamma + 1, V)
        Row i: the target's law after ``tokens[:i]``.
    draft : array_like of float, shape (..., gamma, V)
        Row i: the law that ``tokens[i]`` was drawn from.
    tokens : array_like of int, shape (..., gamma)
        The drafted tokens, each between 0 and V - 1.

    Returns
    -------
    ndarray of float, shape (..., gamma + 1)
        ``[1]`` with nothing drafted. Entry i is Pr(at least i accepted, given the first i drafted tokens). After a
        token that the draft gives probability 0, which is never drafted, it is 1 if the target can get there, else 0.

    Raises
    ------
    NotADistributionError, ShapeError, TokenError
        If a row is not a distribution, the shapes do not fit, a token is out of range.

    Examples
    --------
    >>> rows = [[0.25, 0.75]] * 3
    >>> path_weights(rows, [[0.5, 0.5]] * 2, [0, 1]).tolist()
    [1.0, 0.5, 0.75]
    """
    rows, below, drafted = check_path(target, draft, tokens)
    return _weights(*_checked(rows, below), drafted)[0]


def path_odds(target: npt.ArrayLike, draft: npt.ArrayLike, tokens: npt.ArrayLike) -> Floats:
    r"""Probability :math:`h_i` with which the coin of each position is kept, :math:`h_0 = 1` first.

    Parameters
    ----------
    target : array_like of float, shape (..., gamma + 1, V)
    draft : array_like of float, shape (..., gamma, V)
    tokens : array_like of int, shape (..., gamma)
        As `path_weights` takes them.

    Returns
    -------
    ndarray of float, shape (..., gamma + 1)
        1 where the formula is 0/0, which no law depends on (see the module).

    Raises
    ------
    NotADistributionError, ShapeError, TokenError
        If a row is not a distribution, the shapes do not fit, a token is out of range.

    Examples
    --------
    >>> rows = [[0.25, 0.75]] * 3
    >>> path_odds(rows, [[0.5, 0.5]] * 2, [0, 1]).tolist()
    [1.0, 0.0, 0.75]
    """
    rows, below, drafted = check_path(target, draft, tokens)
    rows, below = _checked(rows, below)
    weights = _weights(rows, below, drafted)
    mass = np.empty(drafted.shape, rows.dtype)
    _residuals(rows, below, weights, np.empty_like(rows), mass)
    return _odds(*weights, mass)[0]


def path_law(target: npt.ArrayLike, draft: npt.ArrayLike, tokens: npt.ArrayLike) -> PathLaw:
    """Law of the number of accepted tokens, and of the last token, given the drafted paths.

    Parameters
    ----------
    target : array_like of float, shape (..., gamma + 1, V)
    draft : array_like of float, shape (..., gamma, V)
    tokens : array_like of int, shape (..., gamma)
        As `path_weights` takes them.

    Returns
    -------
    PathLaw
        With nothing drafted ``stops`` is ``[1]`` and ``last`` the target's row. Where no residual is left, and the
        call therefore never ends, the row of `last` is the target's. No value is infinite or NaN.

    Raises
    ------
    NotADistributionError, ShapeError, TokenError
        If a row is not a distribution, the shapes do not fit, a token is out of range.

    Examples
    --------
    >>> stops, last = path_law([[0.25, 0.75]] * 3, [[0.5, 0.5]] * 2, [0, 1])
    >>> stops.tolist()
    [0.25, 0.0, 0.75]
    >>> last.tolist()
    [[0.0, 1.0], [0.25, 0.75], [0.25, 0.75]]
    """
    rows, below, drafted = check_path(target, draft, tokens)
    mixed = rows.dtype != below.dtype
    if mixed:  # each is held to its own tolerance before it is widened
        rows, below = _checked(rows, below)
    weights = _weights(rows, below, drafted)
    last, mass = np.empty_like(rows), np.empty(drafted.shape, rows.dtype)
    if _residuals(rows, below, weights, last, mass) and not mixed:
        _checked(rows, below)
    return PathLaw(_stops(*_odds(*weights, mass)), last)


def _checked(target: Floats, draft: Floats) -> tuple[Floats, Floats]:
    """Check the values of the rows, and return them in one dtype."""
    rows, below = check_rows(target, "target"), check_rows(draft, "draft")
    dtype = np.result_type(rows, below)
    return rows.astype(dtype, copy=False), below.astype(dtype, copy=False)


def _weights(target: Floats, draft: Floats, tokens: Integers) -> tuple[Floats, Floats]:
    """Return the weights and one minus them, each to its own relative accuracy.

    Where rows hardly differ the odds are a quotient of two small numbers, of which this is one.
    """
    at, shape = tokens[..., None], (*tokens.shape[:-1], tokens.shape[-1] + 1)
    p = np.take_along_axis(target[..., :-1, :], at, axis=-1)[..., 0]
    q = np.take_along_axis(draft, at, axis=-1)[..., 0]
    weights, gaps = np.ones(shape, target.dtype), np.zeros(shape, target.dtype)
    with np.errstate(all="ignore"):  # rows that are no distributions are refused by whoever looks at them
        for i in range(tokens.shape[-1]):
            a, b, weight, gap = p[..., i], q[..., i], weights[..., i], gaps[..., i]
            wanted, never = weight * a, np.asarray(weight * a > 0, target.dtype)
            short = np.maximum(np.where(gap < weight, (b - a) + gap * a, b - wanted), 0)
            # min(wanted, b) / b cannot overflow where b is tiny; b = 0 is never drafted.
            weights[..., i + 1] = np.divide(np.minimum(wanted, b), b, out=never.copy(), where=b > 0)
            gaps[..., i + 1] = np.divide(short, b, out=np.asarray(1 - never), where=b > 0)
    return weights, gaps


def _odds(weights: Floats, gaps: Floats, mass: Floats) -> tuple[Floats, Floats]:
    """Return h_0 to h_gamma, and one minus them, from the residual masses Z_0 to Z_(gamma - 1)."""
    odds, missed = np.ones_like(weights), np.zeros_like(weights)
    if mass.shape[-1]:
        below = mass[..., 1:] + gaps[..., 1:-1]
        np.divide(mass[..., 1:], below, out=odds[..., 1:-1], where=below > 0)
        np.divide(gaps[..., 1:-1], below, out=missed[..., 1:-1], where=below > 0)
        odds[..., -1], missed[..., -1] = weights[..., -1], gaps[..., -1]
    return odds, missed


def _stops(odds: Floats, missed: Floats) -> Floats:
    stops = np.ones_like(odds)  # every coin behind is missed
    np.cumprod(missed[..., :0:-1], axis=-1, out=stops[..., -2::-1])
    stops *= odds
    return stops


def _residuals(target: Floats, draft: Floats, weights: tuple[Floats, Floats], last: Floats, mass: Floats) -> bool:
    """Write residuals and their masses, block by block; return whether some row may not be a distribution."""
    count, vocabulary = draft.shape[-2:]
    paths, rows = prod(draft.shape[:-2]), max(1, _BLOCK // vocabulary)
    p, out = (array.reshape(paths, count + 1, vocabulary) for array in (target, last))
    q, masses = draft.reshape(paths, count, vocabulary), mass.reshape(paths, count, 1)
    factors, gaps = (array.reshape(paths, count + 1, 1) for array in weights)
    limit, doubtful = 0.99 * sum_tolerance(p.dtype), False
    with np.errstate(all="ignore"):  # what overflows or is no number is doubtful
        for at in _blocks(paths, count, rows):
            excess = _excess(p[at], q[at], factors[at], gaps[at], out[at])
            doubt = _normalise(excess, p[at], q[at], masses[at], limit)
            doubtful = doubtful or doubt
        for start in range(0, paths, rows):
            bonus = p[start : start + rows, -1]
            out[start : start + rows, -1] = bonus
            doubtful = doubtful or _odd(bonus, limit)
    return doubtful


def _blocks(paths: int, count: int, rows: int) -> Iterator[tuple[slice, slice]]:
    """Parts of paths and positions that have so many rows at most: whole paths, or some rows of one."""
    if rows >= count > 0:
        step = rows // count
        yield from ((slice(n, n + step), slice(0, count)) for n in range(0, paths, step))
    else:
        yield from (
            (slice(n, n + 1), slice(i, min(i + rows, count))) for n in range(paths) for i in range(0, count, rows)
        )


def _excess(p: Floats, q: Floats, weight: Floats, gap: Floats, out: Floats) -> Floats:
    """Write ``weight p - q`` into `out`, in the form that cancels less."""
    near = ((gap < weight) & (gap > 0))[..., 0]
    if near.all():
        np.subtract(p, q, out=out)
        out -= gap * p
        return out
    np.multiply(p, weight, out=out)
    out -= q
    if near.any():
        out[near] = (p[near] - q[near]) - gap[near] * p[near]
    return out


def _normalise(excess: Floats, p: Floats, q: Floats, mass: Floats, limit: float) -> bool:
    """Turn ``weight p - q`` into the residual in place, its mass into `mass`; return whether a row is doubtful."""
    np.maximum(excess, 0, out=excess)
    np.add.reduce(excess, axis=-1, keepdims=True, out=mass)
    if not mass.min() >= _SMALLEST_NORMAL:  # its reciprocal could overflow, or there is nothing left
        odd = ~(mass[..., 0] >= _SMALLEST_NORMAL)
        excess[odd] = np.divide(excess[odd], mass[odd], out=p[odd], where=mass[odd] > 0)
        excess *= np.where(odd[..., None], 1, 1 / mass)
    else:
        excess *= 1 / mass
    return _odd(p, limit) or _odd(q, limit)


def _odd(rows: Floats, limit: float) -> bool:
    sums = np.add.reduce(rows, axis=-1)
    return not (np.minimum.reduce(rows, axis=None) >= 0 and abs(sums - 1).max() <= limit)  # a NaN is neither
