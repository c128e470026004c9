"""Adapters: from the shapes in which engines write verifiers to the one that `check` calls.

Each takes a verifier of its shape and returns ``verify(target, draft, tokens, rng)``. They run inside the
path: they draw through `rng` alone, and hand on arrays of the kind that they were given, so that exact
arithmetic stays exact. Where a shape begins with ``(target, draft, ...)``, adapters can be put into each other:
``with_bonus(from_logits(verify))`` hands over logits and a bonus token.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from proofs.errors import ShapeError

__all__ = [
    "POISON",
    "Request",
    "from_log_probabilities",
    "from_logits",
    "in_batch_of_one",
    "in_flat_batch",
    "into_buffer",
    "with_bonus",
    "with_coins",
    "without_draft_rows",
]

Verify: TypeAlias = Callable[..., Any]

POISON = -(2**40)  # no token and no padding: a buffer that is not written to shows


def from_logits(verify: Verify) -> Verify:
    """Hand the rows over as logits: logarithms of the probabilities and a constant for each row, -inf for zero.

    Exact where the verifier takes a softmax in one of its usual spellings (shifted by the greatest logit or
    not): the engine has exact logarithms. The constants differ from row to row, whole multiples of log 2: a
    verifier that takes logits for log-probabilities shows. In float arithmetic rows that are equal come out of a
    softmax equal up to rounding, as they do in life: a verifier that crashes on an empty residual shows too.

    Parameters
    ----------
    verify : callable
        verify(target logits [gamma + 1, V], draft logits [gamma, V], tokens, rng); what follows the rows, and
        draft rows that are None, are handed on.

    Returns
    -------
    callable
        For `check`; and for `check_siblings`, where the rows are [V].

    Examples
    --------
    >>> import numpy as np, proofs
    >>> from proofs.adapters import from_logits
    >>> def softmax(row):
    ...     e = np.exp(row - row.max())
    ...     return e / e.sum()
    >>> def verify(target, draft, tokens, rng):
    ...     p, q, x = softmax(target[0]), softmax(draft[0]), tokens[0]
    ...     if rng.random() < p[x] / q[x]:
    ...         return [x, rng.choice(len(p), p=softmax(target[1]))]
    ...     left = np.maximum(p - q, 0)
    ...     return [rng.choice(len(p), p=left / left.sum())]
    >>> proofs.check(from_logits(verify), gamma=1, paths=0).status
    <Status.LOSSLESS: 'lossless'>
    """

    def adapted(target: Any, draft: Any, *rest: Any) -> Any:
        return verify(_logarithms(_scaled(target, 2.0)), _logarithms(_scaled(draft, 0.5)), *rest)

    return adapted


def _scaled(rows: Any, base: float) -> Any:
    """Return each row by a power of two of its own, which is exact in every arithmetic."""
    if rows is None:
        return None
    count = rows.shape[-2] if rows.ndim > 1 else 1
    powers = np.power(np.float32(base), np.arange(1, count + 1, dtype=np.float32))  # float32 rows stay what they are
    return rows * (powers[:, np.newaxis] if rows.ndim > 1 else powers)


def from_log_probabilities(verify: Verify) -> Verify:
    """Hand the rows over as log-probabilities, -inf for zero.

    Exact for differences, sums, comparisons and exponentials of them.

    Parameters
    ----------
    verify : callable
        verify(target log-probabilities [gamma + 1, V], draft log-probabilities [gamma, V], tokens, rng).

    Returns
    -------
    callable
        For `check` or `check_siblings`.

    Examples
    --------
    >>> import numpy as np, proofs
    >>> from proofs.adapters import from_log_probabilities
    >>> def verify(target, draft, tokens, rng):
    ...     x = tokens[0]
    ...     if np.log(rng.random()) < target[0, x] - draft[0, x]:
    ...         return [x, rng.choice(target.shape[1], p=np.exp(target[1]))]
    ...     left = np.maximum(np.exp(target[0]) - np.exp(draft[0]), 0)
    ...     return [rng.choice(len(left), p=left / left.sum())]
    >>> proofs.check(from_log_probabilities(verify), gamma=1, paths=0).status
    <Status.LOSSLESS: 'lossless'>
    """

    def adapted(target: Any, draft: Any, *rest: Any) -> Any:
        return verify(_logarithms(target), _logarithms(draft), *rest)

    return adapted


def _logarithms(rows: Any) -> Any:
    if rows is None:
        return None
    with np.errstate(divide="ignore"):  # -inf is meant
        return np.log(rows)


def without_draft_rows(verify: Verify) -> Verify:
    """Hand None over in place of the draft rows, as engines do for drafts that are not drawn (n-grams, greedy).

    Such a verifier takes each draft for the only one possible: it keeps x with probability p(x) and otherwise
    draws from p without x. That is right whatever the drafter does, so every input of the battery may be tried.

    Parameters
    ----------
    verify : callable
        verify(target [gamma + 1, V], None, tokens, rng).

    Returns
    -------
    callable
        For `check` or `check_siblings`.

    Examples
    --------
    >>> import proofs
    >>> from proofs.adapters import without_draft_rows
    >>> def verify(target, draft, tokens, rng):
    ...     p, x = target[0].copy(), tokens[0]
    ...     if rng.random() < p[x]:
    ...         return [x, rng.choice(len(p), p=target[1])]
    ...     p[x] = 0
    ...     return [rng.choice(len(p), p=p / p.sum())]
    >>> proofs.check(without_draft_rows(verify), gamma=1, paths=0).status
    <Status.LOSSLESS: 'lossless'>
    """

    def adapted(target: Any, _: Any, *rest: Any) -> Any:
        return verify(target, None, *rest)

    return adapted


def with_bonus(verify: Verify) -> Verify:
    """Draw the bonus token outside, from the target's last row, and hand it over after the tokens.

    Parameters
    ----------
    verify : callable
        verify(target [gamma, V], draft [gamma, V], tokens, bonus, rng): the last row of the target is not
        handed over, for nothing but the bonus token has a use for it.

    Returns
    -------
    callable
        For `check`. At gamma 0 the verifier gets no rows, and the bonus token is all that it can return.

    Examples
    --------
    >>> import numpy as np, proofs
    >>> from proofs.adapters import with_bonus
    >>> def verify(target, draft, tokens, bonus, rng):
    ...     p, q, x = target[0], draft[0], tokens[0]
    ...     if rng.random() * q[x] < p[x]:
    ...         return [x, bonus]
    ...     left = np.maximum(p - q, 0)
    ...     return [rng.choice(len(p), p=left / left.sum())]
    >>> proofs.check(with_bonus(verify), gamma=1, paths=0).status
    <Status.LOSSLESS: 'lossless'>
    """

    def adapted(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        return verify(target[:-1], draft, tokens, _bonus(target, rng), rng)

    return adapted


def _bonus(target: Any, rng: Any) -> Any:
    return rng.choice(target.shape[-1], p=target[-1])


def in_batch_of_one(verify: Verify) -> Verify:
    """Put an axis of length one before those of rows and tokens, and take the first row of what is returned.

    Parameters
    ----------
    verify : callable
        verify(target [1, gamma + 1, V], draft [1, gamma, V], tokens [1, gamma], rng) -> tokens [1, n]; what
        follows the tokens is handed on, and draft rows that are None.

    Returns
    -------
    callable
        For `check`.

    Examples
    --------
    >>> import numpy as np, proofs
    >>> from proofs.adapters import in_batch_of_one
    >>> def verify(target, draft, tokens, rng):
    ...     x = tokens[0, 0]
    ...     if rng.random() * draft[0, 0, x] < target[0, 0, x]:
    ...         return [[x, rng.choice(target.shape[-1], p=target[0, 1])]]
    ...     left = np.clip(target[0, 0] - draft[0, 0], 0, None)
    ...     return [[rng.choice(len(left), p=left / left.sum())]]
    >>> proofs.check(in_batch_of_one(verify), gamma=1, paths=0).status
    <Status.LOSSLESS: 'lossless'>
    """

    def adapted(target: Any, draft: Any, tokens: Any, *rest: Any) -> Any:
        rows = None if draft is None else draft[np.newaxis]
        return _row_of(verify(target[np.newaxis], rows, tokens[np.newaxis], *rest), 0, 1)

    return adapted


def _row_of(result: Any, place: int, count: int) -> Any:
    """Return one request's tokens: a list or an array, with its padding."""
    if len(result) != count:
        raise ShapeError(f"the verifier returned {len(result)} rows of tokens; expected {count}, one for each request.")
    return result[place]


def into_buffer(verify: Verify, *, fill: int = POISON) -> Verify:
    """Hand over an array for the emitted tokens, in which the verifier writes.

    The array is filled first with a number that is no token: what the verifier leaves as it is counts as a token
    to which the target gives probability zero, so that a launch that does nothing is found.

    Parameters
    ----------
    verify : callable
        verify(target, draft, tokens, output [gamma + 1], rng) -> None, or how many tokens of `output` count.
    fill : int
        -1 for verifiers that rely on padding written beforehand.

    Returns
    -------
    callable
        For `check`.

    Examples
    --------
    >>> import numpy as np, proofs
    >>> from proofs.adapters import into_buffer
    >>> def verify(target, draft, tokens, output, rng):
    ...     x = output[0] = tokens[0]
    ...     if rng.random() * draft[0, x] < target[0, x]:
    ...         output[1] = rng.choice(target.shape[1], p=target[1])
    ...         return 2
    ...     left = np.maximum(target[0] - draft[0], 0)
    ...     output[0] = rng.choice(len(left), p=left / left.sum())
    ...     return 1
    >>> proofs.check(into_buffer(verify), gamma=1, paths=0).status
    <Status.LOSSLESS: 'lossless'>
    """

    def adapted(target: Any, draft: Any, tokens: Any, *rest: Any) -> Any:
        output = np.full(len(tokens) + 1, fill, dtype=np.int64)
        count = verify(target, draft, tokens, output, *rest)
        return output if count is None else output[:count]

    return adapted


@dataclass(frozen=True)
class Request:
    """A neighbour in a batch: a request whose rows and drafted tokens are fixed.

    Attributes
    ----------
    target : sequence of rows
        One more than drafted tokens; entries as NumPy takes them into an array, k/2^n by preference.
    draft : sequence of rows
        One for each drafted token.
    tokens : sequence of int
    """

    target: Sequence[Sequence[Any]]
    draft: Sequence[Sequence[Any]]
    tokens: Sequence[int]


def in_flat_batch(verify: Verify, *, before: Sequence[Request] = (), after: Sequence[Request] = ()) -> Verify:
    """Lay the rows of all requests one after the other, with cumulative lengths and bonus tokens.

    The requests of a batch have nothing to do with each other: with neighbours, the law of the one that is
    checked must be what it is alone. Their draws multiply the paths; a neighbour whose draft is sure to be
    rejected and whose target is one-hot adds none.

    Parameters
    ----------
    verify : callable
        verify(target [T, V], draft [T, V], tokens [T], cumulative [B], bonus [B], rng) -> [B, n]: T drafted tokens
        in all, of which those of request b end before ``cumulative[b]``; the target's rows are those of the drafted
        tokens, and a bonus token is drawn for each request from its last row. Every row that is returned may be
        padded with -1.
    before, after : sequence of Request
        Neighbours, whose rows have as many tokens as those that are checked.

    Returns
    -------
    callable
        For `check`. With draft rows that are None (see `without_draft_rows`), None is handed on.

    Raises
    ------
    ShapeError
        When called, if a neighbour's rows do not fit, or not one row for each request is returned.

    Examples
    --------
    >>> import numpy as np, proofs
    >>> from proofs.adapters import Request, in_flat_batch
    >>> def verify(target, draft, tokens, cumulative, bonus, rng):
    ...     output, start = np.full((len(cumulative), 2), -1), 0
    ...     for b, end in enumerate(cumulative):
    ...         for i in range(start, end):
    ...             x = tokens[i]
    ...             if rng.random() * draft[i, x] >= target[i, x]:
    ...                 left = np.maximum(target[i] - draft[i], 0)
    ...                 output[b, i - start] = rng.choice(len(left), p=left / left.sum())
    ...                 break
    ...             output[b, i - start] = x
    ...         else:
    ...             output[b, end - start] = bonus[b]
    ...         start = end
    ...     return output
    >>> neighbour = Request(target=[[0, 0, 1], [1, 0, 0]], draft=[[0.5, 0.5, 0]], tokens=[0])
    >>> proofs.check(in_flat_batch(verify, before=[neighbour]), gamma=1, paths=0).status
    <Status.LOSSLESS: 'lossless'>
    """

    def adapted(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        places = [(target, draft, tokens)]
        first = [_arrays(request, target, f"before[{at}]") for at, request in enumerate(before)]
        last = [_arrays(request, target, f"after[{at}]") for at, request in enumerate(after)]
        requests = [*first, *places, *last]
        drafts = None if draft is None else np.concatenate([rows for _, rows, _ in requests])
        result = verify(
            np.concatenate([rows[:-1] for rows, _, _ in requests]),
            drafts,
            np.concatenate([drafted for _, _, drafted in requests]),
            np.cumsum([len(drafted) for _, _, drafted in requests]),
            np.array([_bonus(rows, rng) for rows, _, _ in requests], dtype=np.int64),
            rng,
        )
        return _row_of(result, len(first), len(requests))

    return adapted


def _arrays(request: Request, like: Any, name: str) -> tuple[Any, Any, Any]:
    """Return a neighbour's rows in arrays of the kind of `like`, exact or float, and its tokens."""
    count, vocabulary = len(request.tokens), like.shape[-1]
    target = _filled(request.target, (count + 1, vocabulary), like, f"{name}.target")
    draft = _filled(request.draft, (count, vocabulary), like, f"{name}.draft")
    return target, draft, np.array(request.tokens, dtype=np.int64)


def _filled(table: Sequence[Sequence[Any]], shape: tuple[int, int], like: Any, name: str) -> Any:
    if len(table) != shape[0] or any(len(row) != shape[1] for row in table):
        lengths = [len(row) for row in table]
        raise ShapeError(f"{name} has rows of {lengths} tokens; expected {shape[0]} rows of {shape[1]}.")
    found = np.zeros_like(like, shape=shape)
    found[...] = table
    return found


def with_coins(kernel: Callable[..., Any], *, dtype: str = "float32") -> Verify:
    """Hand the coins over as an argument, as kernels take them: plain uniforms on [0, 1), one more than drafted tokens.

    The law is then swept: agreement counts with ``accept="swept"`` alone.

    Parameters
    ----------
    kernel : callable
        kernel(target, draft, tokens, coins) -> tokens, where the coins are an array [gamma + 1]; it draws nothing else.
    dtype : {"float32", "float64"}
        The coins are k/2^24 or k/2^53: 0 is one of them, 1 never is.

    Returns
    -------
    callable
        For `check`. It takes a real generator of NumPy's too, for a simulation.

    Raises
    ------
    ValueError
        For another dtype.

    Examples
    --------
    >>> import proofs
    >>> from proofs.adapters import with_coins
    >>> def kernel(target, draft, tokens, coins):
    ...     return [int((target[0].cumsum() > coins[0]).argmax())]
    >>> proofs.check(with_coins(kernel), gamma=0, accept="swept").status
    <Status.LOSSLESS: 'lossless'>
    """
    if dtype not in ("float32", "float64"):
        raise ValueError(f"dtype = {dtype!r}; expected float32 or float64.")

    def verify(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        draw = getattr(rng, "coins", rng.random)  # NumPy's own generator hands out numbers by itself
        return kernel(target, draft, tokens, draw(len(tokens) + 1, dtype=dtype))

    return verify
