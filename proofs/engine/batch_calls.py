"""One call of a verifier of several requests as a program: an axis of requests before every other one."""

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from proofs.engine.arrays import ExactArray
from proofs.engine.calls import Call, Drafter, Prefix, Row, Verify, emitted_tokens, is_tensor, look_for_changes, made_by
from proofs.engine.choices import Arithmetic
from proofs.engine.exploration import Run
from proofs.engine.handed import arrays_of
from proofs.engine.signals import refuse

__all__ = ["BatchCall", "emitted_rows"]

Outcome = tuple[Prefix, Prefix]  # of one request: the drafted tokens and the emitted ones


class BatchCall:
    """A program that drafts for every request, calls the verifier once and returns the outcome of each request.

    Parameters
    ----------
    verify : callable
        verify(target [B, gamma + 1, V], draft [B, gamma, V], tokens [B, gamma], rng) -> B rows of tokens.
    requests : sequence of (target, draft)
        The processes of each request, prefix -> row of Fraction.
    gamma, vocabulary : int
        Of every request.
    arithmetic : Arithmetic
    drafter : callable, optional
        drafter(prefix, row, rng) -> token, called for one request after the other.
    factory : bool
        Whether `verify` makes the verifier of a run.
    """

    def __init__(
        self,
        verify: Verify,
        requests: Sequence[tuple[Callable[[Prefix], Row], Callable[[Prefix], Row]]],
        gamma: int,
        vocabulary: int,
        arithmetic: Arithmetic,
        drafter: Drafter | None = None,
        *,
        factory: bool = False,
    ) -> None:
        self._begin = made_by(verify, factory=factory)
        self._calls = [Call(verify, *request, gamma, vocabulary, arithmetic, drafter) for request in requests]
        self._gamma = gamma
        self._vocabulary = vocabulary
        self._makers = {replaying: arrays_of(arithmetic, replaying=replaying) for replaying in (False, True)}
        self._arrays: dict[tuple[Any, ...], Any] = {}

    def __call__(self, run: Run) -> tuple[Outcome, ...]:
        """Run one path."""
        verify = self._begin()
        drafted = [call.drafted(run) for call in self._calls]
        maker = self._makers[run.replaying]
        given = self._given(drafted, run)
        fresh = [maker.copy(array) for array in given]
        emitted = emitted_rows(verify(*fresh, run.rng), len(drafted), self._gamma + 1)
        if run.looking:
            look_for_changes(maker, given, fresh)
        return tuple(zip(drafted, emitted, strict=True))

    def _given(self, drafted: Sequence[Prefix], run: Run) -> tuple[Any, Any, Any]:
        """Return what the verifier is handed, made once for the same drafts."""
        key = (run.replaying, *drafted)
        if key not in self._arrays:
            rows = [call.rows(tokens) for call, tokens in zip(self._calls, drafted, strict=True)]
            target = self._stacked([target for target, _ in rows], self._gamma + 1, run)
            draft = self._stacked([draft for _, draft in rows], self._gamma, run)
            self._arrays[key] = target, draft, self._makers[run.replaying].tokens(drafted)
        found: tuple[Any, Any, Any] = self._arrays[key]
        return found

    def _stacked(self, rows: Sequence[Sequence[Row]], positions: int, run: Run) -> Any:
        return self._makers[run.replaying].rows(rows, (len(rows), positions, self._vocabulary))


def emitted_rows(result: Any, count: int, most: int) -> tuple[Prefix, ...]:
    """Return what a verifier of several requests returned as a tuple of ints for each, or refuse it.

    Parameters
    ----------
    result : list, tuple, or array or tensor of ints
        `count` rows, each as `emitted_tokens` takes it; those of an array are padded with -1 at their ends.
    count : int
        Number of requests.
    most : int
        Number of tokens that one request can emit.

    Returns
    -------
    tuple of tuple of int
    """
    if is_tensor(result):
        if result.dim() != 2:
            refuse(
                f"the verifier returned a tensor of shape {tuple(result.shape)}; expected a row for each request", at=""
            )
    elif type(result) not in (list, tuple, np.ndarray, ExactArray):
        refuse(f"the verifier returned {type(result).__name__}; expected a row of ints for each request", at="")
    elif isinstance(result, np.ndarray) and result.ndim != 2:
        refuse(f"the verifier returned an array of shape {result.shape}; expected a row for each request", at="")
    if len(result) != count:
        refuse(f"the verifier returned {len(result)} rows of tokens; expected {count}, one for each request", at="")
    return tuple(emitted_tokens(result[place], most) for place in range(count))
