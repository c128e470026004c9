r"""Reference samplers of siblings: several drafts for one position, one request at a time.

Every verifier takes the rows of one position and the k siblings drafted there, and returns one token. Float rows are
checked and judged in float64 whatever their dtype, as a uniform rounded to float32 could be 1. Arrays of objects are
taken as they are: numbers that calculate exactly, as the engine of `proofs.check_siblings` hands over.

Comparisons are strict, ``u * q < p``, so that a token of target probability 0 is never emitted.
"""

from typing import Any

import numpy as np
import numpy.typing as npt

from specdec.arguments import as_integers, check_tokens
from specdec.errors import ShapeError, SpecdecError, TokenError
from specdec.sampling import read_rows, wide

__all__ = ["verify_distinct", "verify_kseq", "verify_with_replacement", "verify_without_replacement"]

Row = npt.NDArray[Any]


def verify_with_replacement(
    target: npt.ArrayLike, draft: npt.ArrayLike, tokens: npt.ArrayLike, rng: np.random.Generator
) -> int:
    r"""Recursive rejection of independent siblings: the residual takes the target's place after each rejection.

    Parameters
    ----------
    target, draft : array_like of float, shape (V,)
        The target's row, and the one that every sibling was drawn from.
    tokens : array_like of int, shape (k,)
        The siblings, in the order in which they were drawn.
    rng : numpy.random.Generator
        One uniform is drawn for each sibling tried, and one `choice` if all are rejected.

    Returns
    -------
    int
        A sibling, or a token of the last residual. Without siblings a token of the target's.

    Raises
    ------
    NotADistributionError, ShapeError, TokenError
        If a row is not a distribution, the shapes do not fit, a token is out of range.

    References
    ----------
    After Miao et al., SpecInfer, arXiv:2305.09781 (source unverified).

    Examples
    --------
    >>> verify_with_replacement([0.0, 0.0, 1.0], [0.5, 0.5, 0.0], [0, 1], np.random.default_rng(7))
    2
    """
    residual, row, siblings = _arguments(target, draft, tokens)
    for x in siblings:
        if rng.random() * row[x] < residual[x]:
            return x
        residual = _after_rejection(residual, row)
    return _draw(residual, rng)


def verify_without_replacement(
    target: npt.ArrayLike, draft: npt.ArrayLike, tokens: npt.ArrayLike, rng: np.random.Generator
) -> int:
    r"""Recursive rejection of siblings drawn without replacement: the draft loses each rejected one.

    Parameters
    ----------
    target, draft, tokens, rng
        As in `verify_with_replacement`, the siblings all different. Once the support of `draft` is used up they must
        have been drawn uniformly from the other tokens.

    Returns
    -------
    int
        A sibling, or a token of the last residual.

    Raises
    ------
    NotADistributionError, ShapeError, TokenError
        As in `verify_with_replacement`; if a sibling comes twice.

    References
    ----------
    After Jeon et al., RSD, arXiv:2402.14160, and Chen et al., Sequoia, arXiv:2402.12374 (source unverified).

    Examples
    --------
    >>> verify_without_replacement([0.0, 0.0, 1.0], [0.5, 0.25, 0.25], [1, 0, 2], np.random.default_rng(7))
    2
    """
    residual, draft_row, siblings = _arguments(target, draft, tokens)
    _check_distinct(siblings)
    for j, x in enumerate(siblings):
        row = _without(draft_row, siblings[:j])
        if rng.random() * row[x] < residual[x]:
            return x
        residual = _after_rejection(residual, row)
    return _draw(residual, rng)


def verify_distinct(
    target: npt.ArrayLike,
    draft: npt.ArrayLike | None,  # noqa: ARG001
    tokens: npt.ArrayLike,
    rng: np.random.Generator,
) -> int:
    r"""Fixed candidates, such as the k likeliest tokens: each is kept with what the target gives it of what is left.

    Parameters
    ----------
    target : array_like of float, shape (V,)
    draft : object
        Not looked at: the rule is right for every drafter, and keeps less than others do if siblings were drawn.
    tokens, rng
        As in `verify_with_replacement`. A candidate that comes again is skipped: counted twice it would be kept too
        often.

    Returns
    -------
    int
        A candidate with probability p(S), else a token off them.

    Raises
    ------
    NotADistributionError, ShapeError, TokenError
        As in `verify_with_replacement`.

    References
    ----------
    Draft trees of the likeliest tokens, after Li et al., EAGLE-2, arXiv:2406.16858 (source unverified).

    Examples
    --------
    >>> verify_distinct([0.0, 0.0, 1.0], None, [0, 1], np.random.default_rng(7))
    2
    """
    left, _, candidates = _arguments(target, target, tokens)
    left = left.copy()
    for x in dict.fromkeys(candidates):
        if rng.random() * left.sum() < left[x]:
            return x
        left[x] = 0
    return _draw(left, rng)


def verify_kseq(
    target: npt.ArrayLike,
    draft: npt.ArrayLike,
    tokens: npt.ArrayLike,
    rng: np.random.Generator,
    *,
    rho: Any = None,
) -> int:
    r"""K-SEQ: every sibling is tried against the same target, with :math:`\min(1, p / (\rho q))`.

    Parameters
    ----------
    target, draft, tokens, rng
        As in `verify_with_replacement`.
    rho : number, optional
        At least 1; None for k, which is always right. Right iff `specdec.kseq_rule.is_admissible`: below that the
        residual is cut at zero and the law is biased.

    Returns
    -------
    int
        A sibling, or a token of the residual.

    Raises
    ------
    NotADistributionError, ShapeError, TokenError
        As in `verify_with_replacement`.
    SpecdecError
        If `rho` is below 1.

    References
    ----------
    After Sun et al., SpecTr, arXiv:2310.15141, K-SEQ (source unverified).

    Examples
    --------
    >>> verify_kseq([0.0, 0.0, 1.0], [0.5, 0.5, 0.0], [0, 1], np.random.default_rng(7))
    2
    """
    p, q, siblings = _arguments(target, draft, tokens)
    factor = _factor(rho, p, len(siblings))
    for x in siblings:
        if rng.random() * (factor * q[x]) < p[x]:
            return x
    once = np.minimum(q, p / factor)
    fails = 1 - once.sum()
    left = np.maximum(p - once * sum(fails**j for j in range(len(siblings))), 0)
    return _draw(left if left.any() else p, rng)


def _after_rejection(residual: Row, row: Row) -> Row:
    gains = np.maximum(residual - row, 0)
    # Nothing is rejected where both are equal, but for rounding.
    after: Row = gains / gains.sum() if gains.any() else residual
    return after


def _without(row: Row, drawn: list[int]) -> Row:
    if not drawn:
        return row
    left = row.copy()
    left[drawn] = 0
    if not left.any():  # the support is used up
        left = np.ones_like(row)
        left[drawn] = 0
    rest: Row = left / left.sum()
    return rest


def _draw(weights: Row, rng: np.random.Generator) -> int:
    # A float32 row may be further from one than a float64 row may.
    return int(rng.choice(len(weights), p=weights / weights.sum()))


def _factor(rho: Any, row: Row, k: int) -> Any:
    if rho is None:
        return max(k, 1)
    if not 1 <= rho < np.inf:
        raise SpecdecError(
            f"rho = {rho!r}; expected a finite number of at least 1. rho = k is admissible for every target and draft."
        )
    return rho if row.dtype == object else float(rho)


def _arguments(target: npt.ArrayLike, draft: npt.ArrayLike, tokens: npt.ArrayLike) -> tuple[Row, Row, list[int]]:
    p, q, drafted = _row(target, "target"), _row(draft, "draft"), as_integers(tokens)
    if p.ndim != 1 or q.shape != p.shape or drafted.ndim != 1:
        raise ShapeError(
            f"target has shape {p.shape}, draft {q.shape} and tokens {drafted.shape}; expected (V,), (V,) and (k,): "
            "the rows of one position and the siblings drafted there."
        )
    return p, q, check_tokens(drafted, len(p)).tolist()


def _row(values: npt.ArrayLike, name: str) -> Row:
    row: Row = wide(read_rows(values, name))
    return row


def _check_distinct(siblings: list[int]) -> None:
    for j, x in enumerate(siblings):
        if x in siblings[:j]:
            raise TokenError(
                f"tokens[{j}] = {x} is tokens[{siblings.index(x)}] again; expected distinct siblings, drawn without "
                "replacement. Independent ones? Use verify_with_replacement."
            )
