"""Right: the token rule in odd Python."""

import contextlib
import functools
import itertools
import logging
import warnings
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.hostile.entries import entries
from tests.hostile.parts import chain, draw, replacement

__all__ = ["RIGHT_PYTHON"]

_LIMITS = {"ratio": 1, "floor": 0}
_LOG = logging.getLogger("hostile.right")


_LOG = logging.getLogger("hostile.right")


# Control flow.


def tokens_from_a_generator(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A generator yields the tokens, and a list collects them."""

    def emitted() -> Iterator[int]:
        for p, q, x in zip(target, draft, tokens.tolist(), strict=False):
            if not rng.random() * q[x] < p[x]:
                yield replacement(p, q, rng)
                return
            yield x
        yield draw(target[-1], rng)

    return list(emitted())


def recursion(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The first token is verified, and the function calls itself for the rest."""
    if len(tokens) == 0:
        return [draw(target[0], rng)]
    x = int(tokens[0])
    if rng.random() * draft[0, x] < target[0, x]:
        return [x, *recursion(target[1:], draft[1:], tokens[1:], rng)]
    return [replacement(target[0], draft[0], rng)]


def matching(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """match statements in place of conditions."""
    match tokens.tolist():
        case []:
            return [draw(target[0], rng)]
        case [x, *_] if rng.random() * draft[0, x] < target[0, x]:
            return [x, *matching(target[1:], draft[1:], tokens[1:], rng)]
        case _:
            return [replacement(target[0], draft[0], rng)]


def walrus(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A while loop that counts in its condition."""
    n = -1
    while (n := n + 1) < len(tokens) and rng.random() * draft[n, (x := tokens[n])] < target[n, x]:
        pass
    last = draw(target[n], rng) if n == len(tokens) else replacement(target[n], draft[n], rng)
    return (*tokens[:n].tolist(), last)


def loop_with_else(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The bonus is drawn in the else of the loop."""
    emitted: list[int] = []
    for i, x in enumerate(tokens.tolist()):
        if not rng.random() * draft[i, x] < target[i, x]:
            emitted.append(replacement(target[i], draft[i], rng))
            break
        emitted.append(x)
    else:
        emitted.append(draw(target[-1], rng))
    return emitted


def take_while(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """itertools.takewhile stops at the first token that fails."""
    drafted = enumerate(tokens.tolist())
    kept = [*itertools.takewhile(lambda ix: rng.random() * draft[ix] < target[ix], drafted)]
    n = len(kept)
    last = draw(target[n], rng) if n == len(tokens) else replacement(target[n], draft[n], rng)
    return [*map(itemgetter(1), kept), last]


def reduction(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """functools.reduce over the positions, with a flag in the accumulator."""

    def step(so_far: tuple[bool, list[int]], position: int) -> tuple[bool, list[int]]:
        going, kept = so_far
        if not going:
            return so_far
        x = int(tokens[position])
        if rng.random() * draft[position, x] < target[position, x]:
            return True, [*kept, x]
        return False, [*kept, replacement(target[position], draft[position], rng)]

    start: tuple[bool, list[int]] = (True, [])
    going, kept = functools.reduce(step, range(len(tokens)), start)
    return [*kept, draw(target[-1], rng)] if going else kept


class _Rejected(Exception):
    pass


def rejection_by_exception(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A rejection is an exception of the program's own, caught by name."""

    def ask(i: int, x: int) -> int:
        if rng.random() * draft[i, x] < target[i, x]:
            return x
        raise _Rejected(i)

    emitted: list[int] = []
    try:
        for i, x in enumerate(tokens.tolist()):
            emitted.append(ask(i, x))
    except _Rejected as rejected:
        i = rejected.args[0]
        return [*emitted, replacement(target[i], draft[i], rng)]
    return [*emitted, draw(target[-1], rng)]


def idle_try(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A try whose except is never reached, and a finally that does nothing."""
    try:
        emitted = chain(target, draft, tokens, rng)
    except Exception:
        emitted = [draw(target[0], rng)]
    finally:
        del draft
    return emitted


def quiet(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """All warnings are suppressed, and numpy's too."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        return chain(target, draft, tokens, rng)


def logging_calls(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A line of log for every call, at a level that nobody listens to."""
    emitted = chain(target, draft, tokens, rng)
    _LOG.debug("kept %d of %d", len(emitted) - 1, len(tokens))
    return emitted


def exit_stack(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The token is drawn in a callback of an exit stack."""
    emitted: list[int] = []
    with contextlib.ExitStack() as stack:
        for i, x in enumerate(tokens.tolist()):
            if not rng.random() * draft[i, x] < target[i, x]:
                stack.callback(lambda p, q: emitted.append(replacement(p, q, rng)), target[i], draft[i])
                break
            emitted.append(x)
        else:
            stack.callback(lambda: emitted.append(draw(target[-1], rng)))
    return emitted


def asserting(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Checks its inputs first."""
    for row in (*target, *draft):
        if not abs(sum(row) - 1) * 10**9 < 1 or min(row) < 0:
            raise ValueError("a row is no distribution")
    return chain(target, draft, tokens, rng)


def annotated(
    target: npt.NDArray[np.float64],
    draft: npt.NDArray[np.float64],
    tokens: npt.NDArray[np.int64],
    rng: np.random.Generator,
) -> list[np.int64]:
    """Fully annotated, checks the generator's type, and gives NumPy's integers."""
    if not isinstance(rng, np.random.Generator):
        raise TypeError("a generator is needed")
    return [np.int64(x) for x in chain(target, draft, tokens, rng)]


def table_of_constants(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Bounds of the ratio come from a dictionary of the module."""
    for i, x in enumerate(tokens.tolist()):
        ratio = max(_LIMITS["floor"], min(_LIMITS["ratio"], target[i, x] / draft[i, x]))
        if not rng.random() < ratio:
            return [*tokens[:i].tolist(), replacement(target[i], draft[i], rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


RIGHT_PYTHON = (
    *entries(
        "lossless",
        tokens_from_a_generator,
        recursion,
        matching,
        walrus,
        loop_with_else,
        take_while,
        reduction,
        rejection_by_exception,
        idle_try,
        quiet,
        exit_stack,
        asserting,
        annotated,
        table_of_constants,
    ),
    *entries(
        "not biased",
        logging_calls,
    ),
)
