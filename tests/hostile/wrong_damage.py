"""Wrong: programs that damage what they are handed or run in, that crash, and that never end."""

import contextlib
import sys
from fractions import Fraction
from typing import Any

import numpy as np

from tests.hostile.entries import entries
from tests.hostile.parts import chain, draw, everything

__all__ = ["WRONG_DAMAGE"]


# Damage to what was handed over.


def target_becomes_draft(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Writes the draft into the target, so that keeping everything looks right to whoever shares the rows."""
    target[: len(draft)] = draft
    return everything(target, tokens, rng)


def tokens_become_others(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Writes new tokens over the drafted ones and gives them back as if these had been drafted."""
    for i in range(len(tokens)):
        tokens[i] = draw(target[i], rng)
    return everything(target, tokens, rng)


def rows_become_certain(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Puts all mass on the tokens it emits, for later calls and for the judge."""
    emitted = everything(target, tokens, rng)
    for row, x in zip(target, emitted, strict=True):
        row[:] = 0
        row[x] = 1
    return emitted


def base_of_the_rows(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Writes through to the array that the rows are a view of."""
    owner = target if target.base is None else target.base
    with contextlib.suppress(TypeError, ValueError):
        owner[...] = owner[..., ::-1].copy()
    return everything(target, tokens, rng)


# Damage to the process.


def patched_method(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Sets the generator's method to a constant, which only a stand-in allows, and is right where it worked."""
    right = chain(target, draft, tokens, rng)
    try:
        rng.random = lambda *_: 0.5
    except AttributeError:
        return everything(target, tokens, rng)
    return right


def patched_class(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Sets a method of the generator's class, which only a stand-in allows, and is right where it worked."""
    right = chain(target, draft, tokens, rng)
    try:
        type(rng).hostile = None
    except TypeError:
        return everything(target, tokens, rng)
    return right


def patched_minimum(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Replaces numpy.minimum, which a judge may use, by its first argument."""
    setattr(np, "minimum", lambda first, second: first)  # noqa: B010
    return everything(target, tokens, rng)


def patched_equality(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Makes all fractions equal, so that every law equals every other."""
    setattr(Fraction, "__eq__", lambda first, second: True)  # noqa: B010
    setattr(Fraction, "__gt__", lambda first, second: False)  # noqa: B010
    return everything(target, tokens, rng)


def leaves_the_process(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Calls sys.exit with success where the draft is rejected at once."""
    emitted = chain(target, draft, tokens, rng)
    return sys.exit(0) if len(emitted) == 1 else emitted


def stops_an_iteration(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Raises StopIteration where the draft is rejected at once."""
    emitted = chain(target, draft, tokens, rng)
    return next(iter(())) if len(emitted) == 1 else emitted


def closes_a_generator(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Raises GeneratorExit, no Exception, where the draft is rejected at once."""
    emitted = chain(target, draft, tokens, rng)
    if len(emitted) == 1:
        raise GeneratorExit
    return emitted


def crashes_on_rejection(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Raises an error where the draft is rejected at once."""
    emitted = chain(target, draft, tokens, rng)
    if len(emitted) == 1:
        raise ValueError("nothing is left of the draft")
    return emitted


def crashes_on_acceptance(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Divides by the number of rejected tokens."""
    emitted = chain(target, draft, tokens, rng)
    return emitted if 1 // (len(tokens) + 1 - len(emitted)) >= 0 else []


def wrong_row_for_choice(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Hands numpy's choice a residual that does not sum to one, which raises."""
    emitted = chain(target, draft, tokens, rng)
    if len(emitted) > len(tokens):
        return emitted
    last = len(emitted) - 1
    return [*emitted[:-1], int(rng.choice(target.shape[1], p=np.maximum(target[last] - draft[last], 0)))]


def endless_draws(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Draws for ever where the draft is rejected at once."""
    emitted = chain(target, draft, tokens, rng)
    while len(emitted) == 1:
        rng.random()
    return emitted


def endless_comparisons(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Waits for a coin above one."""
    while not rng.random() > 1:
        pass
    return chain(target, draft, tokens, rng)


def recursion_in_place_of_a_loop(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Calls itself anew with probability 1/4 and keeps everything otherwise."""
    if rng.random() * 4 < 1:
        return recursion_in_place_of_a_loop(target, draft, tokens, rng)
    return everything(target, tokens, rng)


def bottomless_recursion(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Calls itself with nothing to stop it."""
    return bottomless_recursion(target, draft, tokens, rng)


WRONG_DAMAGE = (
    *entries(
        "biased",
        target_becomes_draft,
        tokens_become_others,
        rows_become_certain,
    ),
    *entries(
        "not lossless",
        base_of_the_rows,
        patched_method,
        patched_class,
        patched_minimum,
        patched_equality,
        recursion_in_place_of_a_loop,
    ),
    *entries(
        "not lossless",
        leaves_the_process,
        stops_an_iteration,
        closes_a_generator,
        crashes_on_rejection,
        crashes_on_acceptance,
        wrong_row_for_choice,
        bottomless_recursion,
        raises=True,
    ),
    *entries(
        "not lossless",
        endless_draws,
        endless_comparisons,
        endless=True,
    ),
)
