"""One call of a verifier as a program: the drafts, the arrays that it is handed, and the tokens that it returns."""

import functools
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np

from proofs.engine.arrays import ExactArray, exact_array
from proofs.engine.choices import Arithmetic
from proofs.engine.exploration import Run
from proofs.engine.signals import Kind, mark, refuse
from proofs.engine.weights import Weight, weight

__all__ = ["Call", "SiblingCall", "emitted_tokens"]

Prefix = tuple[int, ...]
Row = tuple[Fraction, ...]
Verify = Callable[[Any, Any, Any, Any], Any]
Drafter = Callable[[Prefix, Any, Any], Any]

_DTYPES = {Arithmetic.FLOAT64: np.float64, Arithmetic.FLOAT32: np.float32, Arithmetic.EXACT: np.float64}


class Call:
    """A program that drafts, calls the verifier once and returns (drafted tokens, emitted tokens).

    Parameters
    ----------
    verify : callable
        verify(target, draft, tokens, rng).
    target, draft : callable, prefix -> row of Fraction
    gamma : int
    vocabulary : int
    arithmetic : Arithmetic
        Of the arrays: exact numbers, float64 or float32; floats in a replay.
    drafter : callable, optional
        drafter(prefix, row, rng) -> token; without it the tokens are drawn from the draft's rows.
    """

    def __init__(
        self,
        verify: Verify,
        target: Callable[[Prefix], Row],
        draft: Callable[[Prefix], Row],
        gamma: int,
        vocabulary: int,
        arithmetic: Arithmetic,
        drafter: Drafter | None = None,
    ) -> None:
        self._verify = verify
        # Kept, so that one prefix has one row object: see `_rows`.
        self._target = functools.cache(target)
        self._draft = functools.cache(draft)
        self._gamma = gamma
        self._vocabulary = vocabulary
        self._exact = arithmetic is Arithmetic.EXACT
        self._dtype = _DTYPES[arithmetic]
        self._drafter = drafter
        self._weights: dict[Prefix, list[Weight]] = {}
        self._arrays: dict[tuple[Any, ...], _Arrays] = {}

    def __call__(self, run: Run) -> tuple[Prefix, Prefix]:
        """Run one path."""
        tokens: Prefix = ()
        for _ in range(self._gamma):
            tokens = (*tokens, self._drafted(tokens, run))
        prefixes = [tokens[:length] for length in range(self._gamma + 1)]
        drafted = np.array(tokens, dtype=np.int64)
        given = (
            self._rows(self._target, prefixes, run),
            self._rows(self._draft, prefixes[:-1], run),
            _Arrays(drafted, drafted.tobytes()),
        )
        # Fresh arrays: nothing that the verifier does to them is seen by the next path.
        target, draft, fresh = (array.copy() for array, _ in given)
        emitted = emitted_tokens(self._verify(target, draft, fresh, run.rng), self._gamma + 1)
        if run.replaying:
            self._look_for_changes(given, (target, draft, fresh))
        return tokens, emitted

    def _drafted(self, prefix: Prefix, run: Run) -> int:
        if self._drafter is None:
            if prefix not in self._weights:
                self._weights[prefix] = [weight(x) for x in self._draft(prefix)]
            return run.draw(self._weights[prefix])
        token = self._drafter(prefix, self._rows(self._draft, [prefix], run).array.copy()[0], run.rng)
        if not isinstance(token, int | np.integer) or isinstance(token, bool):
            refuse(f"the drafter returned {type(token).__name__}, which is no int", at="")
        if not 0 <= int(token) < self._vocabulary:
            refuse(f"the drafter returned {int(token)}; expected a token of 0 to {self._vocabulary - 1}", at="")
        return int(token)

    def _rows(self, process: Callable[[Prefix], Row], prefixes: Sequence[Prefix], run: Run) -> "_Arrays":
        """Return the rows after each prefix as arrays [positions, V], made once and copied for each path."""
        rows = [process(prefix) for prefix in prefixes]
        # Rows are kept by the process, so that one object is one row: hashing fractions is slow.
        key = (run.replaying, *map(id, rows))
        if key not in self._arrays:
            shape = (len(rows), self._vocabulary)
            exact = self._exact and not run.replaying
            made = exact_array(rows, shape) if exact else np.array(rows, dtype=self._dtype).reshape(shape)
            self._arrays[key] = _Arrays(made, b"" if exact else made.tobytes())
        return self._arrays[key]

    def _look_for_changes(self, given: Sequence["_Arrays"], after: Sequence[Any]) -> None:
        for name, (before, content), array in zip(("target", "draft", "tokens"), given, after, strict=True):
            if array.tobytes() != content:
                changed = np.argwhere(before != array)[0]
                mark(Kind.NOTE, f"{name}[{', '.join(map(str, changed))}] was changed in place")


class _Arrays(NamedTuple):
    """An array that is copied for each path, and its content as bytes where it is not of objects."""

    array: Any
    content: bytes


def emitted_tokens(result: Any, most: int) -> Prefix:
    """Return what a verifier returned as a tuple of ints without its padding, or refuse it.

    Parameters
    ----------
    result : list, tuple or one-dimensional array of ints
        1 to `most` tokens; trailing -1 is padding.
    most : int

    Returns
    -------
    tuple of int
        An int below -1 or beyond the vocabulary stays: it is a token that the target never emits.
    """
    # The types themselves: a subclass can show its tokens once and others later.
    if type(result) not in (list, tuple, np.ndarray, ExactArray):
        refuse(f"the verifier returned {type(result).__name__}; expected a flat list, tuple or array of ints", at="")
    if isinstance(result, np.ndarray) and (result.ndim != 1 or result.dtype.kind not in "iuO"):
        refuse(f"the verifier returned an array of {result.dtype}, shape {result.shape}; expected a row of ints", at="")
    tokens = [_token(value, at) for at, value in enumerate(result)]
    while tokens and tokens[-1] == -1:
        tokens.pop()
    if not tokens:
        refuse("the verifier returned no token", at="")
    if -1 in tokens:
        refuse(f"the verifier returned -1, which is padding, before a token, at {tokens.index(-1)}", at="")
    if len(tokens) > most:
        refuse(f"the verifier returned {len(tokens)} tokens; expected at most gamma + 1 = {most}", at="")
    return tuple(tokens)


def _token(value: Any, at: int) -> int:
    if isinstance(value, np.integer):
        return int(value)
    # The value of an int, whatever a subclass says of itself.
    if isinstance(value, int) and not isinstance(value, bool) and type(value).__index__ is int.__index__:
        return int.__add__(value, 0)
    return refuse(f"the verifier returned {type(value).__name__} at {at}; expected an int", at="")


class SiblingCall:
    """A program that drafts k siblings, calls the verifier once and returns (drafted tokens, the token).

    Parameters
    ----------
    verify : callable
        verify(target [V], draft [V], tokens [k], rng) -> token.
    target, draft : row of Fraction
    k : int
    arithmetic : Arithmetic
    drafter : callable, optional
        drafter(row, k, rng) -> k tokens.
    replacement : bool
        Whether the checker's own drafts are independent, or each without those before it.
    """

    def __init__(
        self,
        verify: Verify,
        target: Row,
        draft: Row,
        k: int,
        arithmetic: Arithmetic,
        drafter: Callable[[Any, int, Any], Any] | None = None,
        *,
        replacement: bool = True,
    ) -> None:
        self._verify = verify
        self._target = target
        self._draft = draft
        self._k = k
        self._exact = arithmetic is Arithmetic.EXACT
        self._dtype = _DTYPES[arithmetic]
        self._drafter = drafter
        self._replacement = replacement

    def __call__(self, run: Run) -> tuple[Prefix, Prefix]:
        """Run one path."""
        tokens = self._drafted(run)
        given = np.array(tokens, dtype=np.int64)
        target, draft = self._array(self._target, run), self._array(self._draft, run)
        result = self._verify(target, draft, given, run.rng)
        if run.replaying:
            for name, row, after in (("target", self._target, target), ("draft", self._draft, draft)):
                changed = np.flatnonzero(np.array(row, dtype=self._dtype) != after)
                if len(changed):
                    mark(Kind.NOTE, f"{name}[{changed[0]}] was changed in place")
        return tokens, (_token(result, 0),)

    def _array(self, row: Row, run: Run) -> Any:
        if self._exact and not run.replaying:
            return exact_array(row, (len(row),))
        return np.array(row, dtype=self._dtype)

    def _drafted(self, run: Run) -> Prefix:
        if self._drafter is not None:
            drafted = list(self._drafter(self._array(self._draft, run), self._k, run.rng))
            if len(drafted) != self._k:
                refuse(f"the drafter returned {len(drafted)} tokens; expected k = {self._k}", at="")
            return tuple(_token(token, at) for at, token in enumerate(drafted))
        left = [weight(x) for x in self._draft]
        tokens: list[int] = []
        for _ in range(self._k):
            total = sum(left, weight(0))
            tokens.append(run.draw([x / total for x in left]))
            if not self._replacement:
                left[tokens[-1]] = weight(0)
        return tuple(tokens)
