"""Reference samplers: the rules as a serving loop runs them, one request at a time."""

from typing import Any

import numpy as np
import numpy.typing as npt

from specdec.arguments import Integers, as_integers, check_tokens
from specdec.distributions import Floats, check_rows
from specdec.errors import NotADistributionError, ShapeError

__all__ = ["verify"]


def verify(target: npt.ArrayLike, draft: npt.ArrayLike, tokens: npt.ArrayLike, rng: np.random.Generator) -> list[int]:
    r"""Verify gamma drafted tokens by the token rule and emit 1 to gamma + 1 tokens.

    Token by token, ``tokens[i]`` is kept when :math:`u \, q_i(x) < p_i(x)` for a fresh uniform
    `u`; at the first rejection a replacement is drawn from the residual and the call ends; when
    all are kept a bonus token is drawn from the last row of `target`.

    Parameters
    ----------
    target : array_like of float, shape (gamma + 1, V)
        Row i is the target's law after the accepted prefix ``tokens[:i]``; the last row is for
        the bonus token. Arrays of exact numbers (dtype object) are taken as they are, with a
        generator whose `choice` takes such rows (NumPy's own does not).
    draft : array_like of float, shape (gamma, V)
        Row i is the law that ``tokens[i]`` was drawn from.
    tokens : array_like of int, shape (gamma,)
        The drafted tokens, each between 0 and V - 1. ``gamma = 0`` is allowed: the bonus token
        alone is emitted; `draft` is then empty.
    rng : numpy.random.Generator
        One uniform is drawn for each token verified, and one `choice` for the token that ends
        the call, so a seeded generator makes the result reproducible.

    Returns
    -------
    list of int
        The kept tokens and one more. The comparison is strict, so a token of target probability
        0 is never emitted; a token of draft probability 0, which no honest draft proposes, is
        kept if the target gives it mass and rejected otherwise. A token with ``p >= q`` is
        always kept (unless ``q <= 2**-1022``, where ``u * q`` may round up to q).

    Raises
    ------
    NotADistributionError, ShapeError, TokenError
        If a row is not a distribution, the shapes do not fit, a token is out of range.

    References
    ----------
    Leviathan et al., arXiv:2211.17192, Algorithm 1 (source unverified).

    Examples
    --------
    >>> import numpy as np
    >>> from specdec.sampling import verify
    >>> verify([[0.0, 1.0], [1.0, 0.0]], [[0.5, 0.5]], [0], np.random.default_rng(7))
    [1]
    >>> verify([[0.0, 1.0], [1.0, 0.0]], [[0.5, 0.5]], [1], np.random.default_rng(7))
    [1, 0]
    """
    rows = read_rows(target, "target")
    below, drafted = check_call(rows, draft, tokens)
    p, q = wide(rows), wide(below)
    for i, x in enumerate(drafted):
        # u q < p rather than u < p / q: nothing is divided, and p = 0 always rejects.
        if not rng.random() * q[i, x] < p[i, x]:
            return [*drafted[:i], draw(_replacement(p[i], q[i]), rng)]
    return [*drafted, draw(rows[-1], rng)]


def _replacement(p: Any, q: Any) -> Any:
    gains = np.maximum(p - q, 0)
    weights = gains if gains.sum() > 0 else p
    return weights / weights.sum()  # a float32 row may be further from one than `choice` allows in float64


def wide(rows: Any) -> Any:
    """Return float rows as float64, and exact ones as they are: a uniform rounded to float32 could be 1."""
    return rows if rows.dtype == object else rows.astype(np.float64)


def draw(row: Floats, rng: np.random.Generator) -> int:
    """Draw one token from a row."""
    return int(rng.choice(row.size, p=row))


def check_call(p: Floats, draft: npt.ArrayLike, tokens: npt.ArrayLike) -> tuple[Floats, list[int]]:
    """Return the draft's rows of a call, and the drafted tokens as Python ints, once shapes and tokens fit.

    Parameters
    ----------
    p : ndarray, shape (gamma + 1, V)
        The target's rows, checked: floats, or exact numbers, as the draft's must be then.
    draft : array_like, shape (gamma, V)
        With gamma = 0 anything empty.
    tokens : array_like of int, shape (gamma,)

    Raises
    ------
    NotADistributionError, ShapeError, TokenError
        If a row is not a distribution, the shapes do not fit, a token is out of range.
    """
    drafted = as_integers(tokens)
    check_block(drafted, p.shape)
    q = _as_rows(draft, drafted.size, p)
    return q, check_tokens(drafted, p.shape[1]).tolist()


def check_block(tokens: Integers, shape: tuple[int, ...]) -> None:
    """Raise `ShapeError` unless `shape` is that of the target's rows for a block of drafted tokens."""
    if tokens.ndim != 1 or len(shape) != 2 or shape[0] != tokens.size + 1:
        raise ShapeError(
            f"tokens has shape {tokens.shape} and target has shape {shape}; expected (gamma,) and "
            "(gamma + 1, V): one row of the target for each drafted token and one for the bonus token."
        )


def read_rows(values: npt.ArrayLike, name: str) -> Any:
    """Return rows as `check_rows` does; an array of objects is taken for exact numbers and left as it is.

    Raises
    ------
    NotADistributionError
        As `check_rows` does; exact rows must sum to one exactly.
    """
    exact = isinstance(values, np.ndarray) and values.dtype == object and values.size > 0
    return _check_exact(values, name) if exact else check_rows(values, name)


def _as_rows(draft: npt.ArrayLike, gamma: int, target: Floats) -> Any:
    vocabulary = target.shape[1]
    # Without drafted tokens [] is as good as an array of shape (0, V).
    read = read_rows if target.dtype == object else check_rows
    rows = np.empty((0, vocabulary)) if gamma == 0 and np.size(draft) == 0 else read(draft, "draft")
    if rows.shape != (gamma, vocabulary):
        raise ShapeError(
            f"draft has shape {rows.shape}; expected (gamma, V) = {(gamma, vocabulary)}, the rows that the "
            f"{gamma} tokens were drawn from. Drop the rows of other positions and of other tokens."
        )
    return rows


def _check_exact(rows: Any, name: str) -> Any:
    try:
        negative, off = np.any(rows < 0), np.any(rows.sum(axis=-1) != 1)
    except TypeError as error:
        raise NotADistributionError(f"{name} has dtype object and holds no numbers ({error}); {_EXACT}.") from error
    if negative:
        raise NotADistributionError(f"{name} has an entry below 0; expected probabilities.")
    if off:
        raise NotADistributionError(
            f"{name} has dtype object, and a row that does not sum to one exactly; {_EXACT} that do."
        )
    return rows


_EXACT = "expected float32 or float64 probabilities, or an array of exact numbers"
