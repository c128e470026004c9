"""One call of a verifier as a program: the drafts, the arrays that it is handed, and the tokens that it returns."""

import functools
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from proofs.engine.arrays import ExactArray
from proofs.engine.choices import Arithmetic
from proofs.engine.exploration import Run
from proofs.engine.factories import construct
from proofs.engine.handed import Arrays, arrays_of
from proofs.engine.signals import Kind, mark, refuse
from proofs.engine.undrawn_base import is_tensor
from proofs.engine.weights import Weight, weight

__all__ = ["Call", "SiblingCall", "emitted_tokens", "is_tensor", "look_for_changes", "made_by"]

Prefix = tuple[int, ...]
Row = tuple[Fraction, ...]
Verify = Callable[..., Any]
Drafter = Callable[[Prefix, Any, Any], Any]


def made_by(verify: Verify, *, factory: bool) -> Callable[[], Verify]:
    """Return what is called at the beginning of every run for the verifier of that run."""
    return functools.partial(construct, verify) if factory else lambda: verify


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
    factory : bool
        Whether `verify` makes the verifier of a run.
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
        *,
        factory: bool = False,
    ) -> None:
        self._begin = made_by(verify, factory=factory)
        # Kept, so that one prefix has one row object: see `_rows`.
        self._target = functools.cache(target)
        self._draft = functools.cache(draft)
        self._gamma = gamma
        self._vocabulary = vocabulary
        self._makers = {replaying: arrays_of(arithmetic, replaying=replaying) for replaying in (False, True)}
        self._drafter = drafter
        self._weights: dict[Prefix, list[Weight]] = {}
        self._arrays: dict[tuple[Any, ...], Any] = {}

    def __call__(self, run: Run) -> tuple[Prefix, Prefix]:
        """Run one path."""
        verify = self._begin()
        tokens = self.drafted(run)
        target, draft = self.rows(tokens)
        maker = self._makers[run.replaying]
        given = self._array(target, run), self._array(draft, run), maker.tokens(tokens)
        # Fresh arrays: nothing that the verifier does to them is seen by the next path.
        fresh = [maker.copy(array) for array in given]
        emitted = emitted_tokens(verify(*fresh, run.rng), self._gamma + 1)
        if run.looking:
            look_for_changes(maker, given, fresh)
        return tokens, emitted

    def drafted(self, run: Run) -> Prefix:
        """Return the drafted tokens of one path."""
        tokens: Prefix = ()
        for _ in range(self._gamma):
            tokens = (*tokens, self._drafted(tokens, run))
        return tokens

    def rows(self, tokens: Prefix) -> tuple[list[Row], list[Row]]:
        """Return the rows of target and draft that the verifier is handed; of one prefix they are the same."""
        prefixes = [tokens[:length] for length in range(self._gamma + 1)]
        return [*map(self._target, prefixes)], [*map(self._draft, prefixes[:-1])]

    def _drafted(self, prefix: Prefix, run: Run) -> int:
        if self._drafter is None:
            if prefix not in self._weights:
                self._weights[prefix] = [weight(x) for x in self._draft(prefix)]
            return run.draw(self._weights[prefix])
        row = self._makers[run.replaying].copy(self._array([self._draft(prefix)], run))[0]
        token = self._drafter(prefix, row, run.rng)
        if not isinstance(token, int | np.integer) or isinstance(token, bool):
            refuse(f"the drafter returned {type(token).__name__}, which is no int", at="")
        if not 0 <= int(token) < self._vocabulary:
            refuse(f"the drafter returned {int(token)}; expected a token of 0 to {self._vocabulary - 1}", at="")
        return int(token)

    def _array(self, rows: Sequence[Row], run: Run) -> Any:
        """Return rows as an array [positions, V], made once and copied for each path."""
        # Rows are kept by the process, so that one object is one row: hashing fractions is slow.
        key = (run.replaying, *map(id, rows))
        if key not in self._arrays:
            self._arrays[key] = self._makers[run.replaying].rows(rows, (len(rows), self._vocabulary))
        return self._arrays[key]


def look_for_changes(maker: Arrays, given: Sequence[Any], after: Sequence[Any]) -> None:
    """Leave a note for each of target, draft and tokens that a verifier changed in place."""
    for name, before, array in zip(("target", "draft", "tokens"), given, after, strict=True):
        changed = maker.changed(before, array)
        if changed is not None:
            mark(Kind.NOTE, f"{name}[{', '.join(map(str, changed))}] was changed in place")


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
    if is_tensor(result):
        if result.dim() != 1 or result.is_floating_point() or result.is_complex():
            shape = tuple(result.shape)
            refuse(f"the verifier returned a tensor of {result.dtype}, shape {shape}; expected a row of ints", at="")
        result = result.tolist()
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
    if is_tensor(value) and value.dim() == 0:
        value = value.item()
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
    factory : bool
        Whether `verify` makes the verifier of a run.
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
        factory: bool = False,
    ) -> None:
        self._begin = made_by(verify, factory=factory)
        self._target = target
        self._draft = draft
        self._k = k
        self._makers = {replaying: arrays_of(arithmetic, replaying=replaying) for replaying in (False, True)}
        self._drafter = drafter
        self._replacement = replacement

    def __call__(self, run: Run) -> tuple[Prefix, Prefix]:
        """Run one path."""
        verify = self._begin()
        tokens = self._drafted(run)
        given = self._makers[run.replaying].tokens(tokens)
        target, draft = self._array(self._target, run), self._array(self._draft, run)
        result = verify(target, draft, given, run.rng)
        if run.looking:
            for name, row, after in (("target", self._target, target), ("draft", self._draft, draft)):
                changed = self._makers[True].changed(self._array(row, run), after)
                if changed is not None:
                    mark(Kind.NOTE, f"{name}[{changed[0]}] was changed in place")
        return tokens, (_token(result, 0),)

    def _array(self, row: Row, run: Run) -> Any:
        return self._makers[run.replaying].rows(row, (len(row),))

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
