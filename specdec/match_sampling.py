"""The match rule, greedy decoding, shared noise and lookups as a serving loop runs them, one request at a time.

All of them emit the target's own token at each position, so the draft's rows are not read: None is as good. Besides
floats the target's rows may be arrays of dtype object that hold exact numbers, such as Fractions; these are taken as
they are.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from specdec.arguments import as_integers, check_tokens
from specdec.errors import ShapeError
from specdec.match_rule import greedy_token, tie_order
from specdec.sampling import check_block, draw, read_rows

__all__ = ["draft_gumbel", "verify_greedy", "verify_gumbel", "verify_lookup", "verify_match", "verify_match_set"]


def verify_match(target: npt.ArrayLike, draft: Any, tokens: npt.ArrayLike, rng: np.random.Generator) -> list[int]:  # noqa: ARG001
    """Verify gamma drafted tokens by the match rule and emit 1 to gamma + 1 tokens.

    At each position the target's own token is drawn and emitted; the call goes on while it is the drafted one.

    Parameters
    ----------
    target : array_like of float, shape (gamma + 1, V)
        Row i is the target's law after the accepted prefix ``tokens[:i]``; the last row is for the bonus token.
    draft : object
        Not read: the law of the drafted tokens does not matter.
    tokens : array_like of int, shape (gamma,)
        The drafted tokens, however they came about.
    rng : numpy.random.Generator
        One `choice` is drawn for each emitted token.

    Returns
    -------
    list of int
        The kept tokens and one more; for gamma = 0 one token of the target.

    Raises
    ------
    NotADistributionError, ShapeError, TokenError
        If a row is not a distribution, the shapes do not fit, a token is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> verify_match([[0.0, 1.0], [1.0, 0.0]], None, [1], np.random.default_rng(7))
    [1, 0]
    """
    rows, drafted = _block(target, tokens)
    emitted: list[int] = []
    for row, x in zip(rows, [*drafted, None], strict=True):
        emitted.append(draw(row, rng))
        if emitted[-1] != x:
            break
    return emitted


def verify_match_set(target: npt.ArrayLike, draft: Any, tokens: npt.ArrayLike, rng: np.random.Generator) -> int:  # noqa: ARG001
    """Verify k siblings by the match rule and emit one token.

    Parameters
    ----------
    target : array_like of float, shape (V,)
    draft : object
        Not read.
    tokens : array_like of int, shape (k,)
        The drafted tokens, drawn or fixed, distinct or not.
    rng : numpy.random.Generator
        One `choice` is drawn.

    Returns
    -------
    int
        The target's own token: kept iff it is one of `tokens`.

    Raises
    ------
    NotADistributionError, ShapeError, TokenError
        If the row is not a distribution, the shapes do not fit, a token is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> verify_match_set([0.0, 1.0], None, [0, 1], np.random.default_rng(7))
    1
    """
    row, siblings = read_rows(target, "target"), as_integers(tokens)
    if row.ndim != 1 or siblings.ndim != 1:
        raise ShapeError(
            f"tokens has shape {siblings.shape} and target has shape {row.shape}; expected (k,) and (V,): the "
            "drafted tokens of one position and the target's row there."
        )
    check_tokens(siblings, row.size)
    return draw(row, rng)


def verify_greedy(
    target: npt.ArrayLike,
    draft: Any,  # noqa: ARG001
    tokens: npt.ArrayLike,
    rng: Any = None,  # noqa: ARG001
    *,
    ties: Any = "lowest",
) -> list[int]:
    """Verify gamma drafted tokens against greedy decoding (temperature 0) and emit 1 to gamma + 1 tokens.

    Parameters
    ----------
    target : array_like of float, shape (gamma + 1, V)
        As of `verify_match`; the law that is followed is `match_rule.greedy_row` of each row.
    draft, rng : object
        Not read: nothing is drawn.
    tokens : array_like of int, shape (gamma,)
    ties : {"lowest", "highest"} or permutation of the V tokens
        Which of several likeliest tokens is taken. It must be the baseline's, or the text differs.

    Returns
    -------
    list of int
        The likeliest tokens, up to the first that is not the drafted one.

    Raises
    ------
    NotADistributionError, ShapeError, TokenError, SpecdecError
        If a row is not a distribution, the shapes do not fit, a token is out of range, `ties` is no order.

    Examples
    --------
    >>> verify_greedy([[0.25, 0.75], [0.5, 0.5]], None, [1]), verify_greedy([[0.5, 0.5]], None, [], ties="highest")
    ([1, 0], [1])
    """
    rows, drafted = _block(target, tokens)
    order = tie_order(ties, rows.shape[1])
    emitted: list[int] = []
    for row, x in zip(rows, [*drafted, None], strict=True):
        emitted.append(int(greedy_token(row, order)))
        if emitted[-1] != x:
            break
    return emitted


def draft_gumbel(draft: npt.ArrayLike, rng: np.random.Generator) -> int:
    """Draw one token from a row by a race of exponentials.

    Parameters
    ----------
    draft : array_like of float, shape (V,)
    rng : numpy.random.Generator
        V exponentials are drawn. `verify_gumbel` draws as many for each row that it reaches, so a drafter and a
        verifier that start from generators of one state share their noise position by position.

    Returns
    -------
    int
        Token i with probability ``draft[i]``; never one of probability 0.

    Raises
    ------
    NotADistributionError, ShapeError
        If the row is not a distribution, or there are several.

    Examples
    --------
    >>> import numpy as np
    >>> draft_gumbel([0.0, 1.0], np.random.default_rng(7))
    1
    """
    row = read_rows(draft, "draft")
    if row.ndim != 1:
        raise ShapeError(f"draft has shape {row.shape}; expected (V,), one row.")
    return _race(row, rng)


def verify_gumbel(target: npt.ArrayLike, draft: Any, tokens: npt.ArrayLike, rng: np.random.Generator) -> list[int]:  # noqa: ARG001
    """Verify gamma drafted tokens by races with the noise that they were drafted with.

    At each position the winner of the target's race is emitted; the call goes on while it is the drafted token. Nothing
    else may be done with shared noise: a residual drawn in place of the winner has another law.

    Parameters
    ----------
    target : array_like of float, shape (gamma + 1, V)
        As of `verify_match`.
    draft : object
        Not read.
    tokens : array_like of int, shape (gamma,)
        Drafted by `draft_gumbel`, one after the other, from a generator in the state that `rng` is in. From any other
        drafter the law of what is emitted is the same, and less of it is drafted tokens.
    rng : numpy.random.Generator
        V exponentials are drawn for each emitted token.

    Returns
    -------
    list of int
        The kept tokens and one more. Those of equal rows are all kept.

    Raises
    ------
    NotADistributionError, ShapeError, TokenError
        If a row is not a distribution, the shapes do not fit, a token is out of range.

    References
    ----------
    Daliri, Musco and Suresh, arXiv:2408.07978 (source unverified).

    Examples
    --------
    >>> import numpy as np
    >>> row = [0.25, 0.25, 0.5]
    >>> drafted = draft_gumbel(row, np.random.default_rng(7))
    >>> verify_gumbel([row, row], None, [drafted], np.random.default_rng(7))[0] == drafted
    True
    """
    rows, drafted = _block(target, tokens)
    emitted: list[int] = []
    for row, x in zip(rows, [*drafted, None], strict=True):
        emitted.append(_race(row, rng))
        if emitted[-1] != x:
            break
    return emitted


def verify_lookup(target: npt.ArrayLike, draft: Any, tokens: npt.ArrayLike, rng: np.random.Generator) -> list[int]:  # noqa: ARG001
    """Verify gamma tokens of an n-gram or prompt lookup: the token rule with one-hot drafts.

    ``tokens[i]`` is kept when :math:`u < p_i(x)` for a fresh uniform; at the first rejection a replacement is drawn
    from the other tokens' target probabilities. Kept and emitted tokens have the joint law that `verify_match` gives
    them.

    Parameters
    ----------
    target : array_like of float, shape (gamma + 1, V)
        As of `verify_match`.
    draft : object
        Not read.
    tokens : array_like of int, shape (gamma,)
    rng : numpy.random.Generator
        One uniform is drawn for each token verified, and one `choice` for the token that ends the call.

    Returns
    -------
    list of int
        The kept tokens and one more. A token of target probability 0 is never emitted.

    Raises
    ------
    NotADistributionError, ShapeError, TokenError
        If a row is not a distribution, the shapes do not fit, a token is out of range.

    Examples
    --------
    >>> import numpy as np
    >>> verify_lookup([[0.0, 1.0], [1.0, 0.0]], None, [0], np.random.default_rng(7))
    [1]
    """
    rows, drafted = _block(target, tokens)
    for i, x in enumerate(drafted):
        if not rng.random() < rows[i, x]:
            return [*drafted[:i], _other(rows[i], x, rng)]
    return [*drafted, draw(rows[-1], rng)]


def _other(row: Any, token: int, rng: np.random.Generator) -> int:
    rest = row.copy()
    rest[token] = 0
    # A row whose only token has a probability below one by rounding: it was rejected, and there is nothing else.
    return draw(rest / rest.sum(), rng) if rest.any() else token


def _race(row: Any, rng: np.random.Generator) -> int:
    """Winner of the race: the greatest quotient of probability and noise, among the tokens that have any."""
    noise = rng.exponential(size=row.size)
    running = np.flatnonzero(row)  # a noise of exactly 0 would make a token of probability 0 no number
    return int(running[(row[running] / noise[running]).argmax()])


def _block(target: npt.ArrayLike, tokens: npt.ArrayLike) -> tuple[Any, list[int]]:
    """Return the target's rows and the drafted tokens, once the shapes and every token fit."""
    rows, drafted = read_rows(target, "target"), as_integers(tokens)
    check_block(drafted, rows.shape)
    return rows, check_tokens(drafted, rows.shape[1]).tolist()
