"""What is asked of a check: its arguments, looked at once, and the inputs that follow from them."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from proofs import battery
from proofs.engine.choices import Arithmetic
from proofs.errors import ProofsError
from proofs.examination import Bench, Question
from proofs.inputs import Input, fraction, read_input

__all__ = ["DEFAULTS", "FLOATS", "PATHS", "Plan", "numbers", "plan_of"]

PATHS = 10_000  # beyond the core battery
FLOATS = {"float64": Arithmetic.FLOAT64, "float32": Arithmetic.FLOAT32}

_ARITHMETICS = ("auto", "exact", *FLOATS)

DEFAULTS: dict[str, Any] = {
    "gamma": (1, 2), "vocabulary": 3, "arithmetic": "auto", "drafter": None, "inputs": None, "paths": PATHS,
    "tolerance": None, "target_of": None, "worst": False, "shrink": True, "allow_state": (), "max_paths": 10_000,
    "progress": None, "siblings": None, "replacement": True, "bound": None, "bench": None,
}  # fmt: skip


@dataclass
class Plan:
    """What is asked for, with the arguments checked."""

    question: Question
    gammas: tuple[int, ...]
    vocabularies: tuple[int, ...]
    arithmetic: str
    inputs: tuple[Any, ...] | None
    paths: int
    worst: bool
    shrinks: bool
    allow_state: tuple[str, ...]
    progress: Callable[[int, int], None] | None
    bench: Bench

    def core(self, arithmetic: Arithmetic) -> Iterator[Input]:
        """Yield what is run whole."""
        if self.inputs is not None:
            for gamma in self.gammas:
                yield from (read_input(pair, at, gamma) for at, pair in enumerate(self.inputs))
            return
        for gamma in self.gammas:
            for size in self.vocabularies:
                yield from battery.core(
                    gamma, size, exact=arithmetic is Arithmetic.EXACT, single=arithmetic is Arithmetic.FLOAT32
                )


def numbers(value: Any, least: int, name: str) -> tuple[int, ...]:
    """Return an int, or several, as a tuple of different ints, or refuse what is below `least`."""
    found = tuple(value) if isinstance(value, Iterable) else (value,)
    if not found:
        raise ProofsError(f"{name} is empty; expected an int of at least {least}, or several.")
    return tuple(_at_least(number, least, name) for number in dict.fromkeys(found))


def _at_least(number: Any, least: int, name: str) -> int:
    if isinstance(number, np.integer):
        number = int(number)
    if not isinstance(number, int) or isinstance(number, bool) or number < least:
        raise ProofsError(f"{name} = {number!r}; expected an int of at least {least}.")
    return number


def _tolerance(value: Any) -> Fraction | None:
    if value is None:
        return None
    try:
        number = fraction(value)
    except ProofsError as error:
        raise ProofsError(f"tolerance: {error}") from None
    if number < 0:
        raise ProofsError(f"tolerance = {number}; expected a total variation of at least 0.")
    return number


def plan_of(verify: Any, *, arithmetic: Any, inputs: Any, allow_state: Any, **given: Any) -> Plan:
    """Return the plan that the arguments of a check make, or raise `ProofsError` for one that makes no sense."""
    if not callable(verify):
        raise ProofsError(f"verify is {verify!r}; expected a callable verify(target, draft, tokens, rng).")
    for name in ("drafter", "target_of", "progress"):
        if given[name] is not None and not callable(given[name]):
            raise ProofsError(f"{name} is {given[name]!r}; expected a callable, or None.")
    for name, several in (("inputs", inputs), ("allow_state", allow_state)):
        if several is not None and not isinstance(several, Iterable):
            raise ProofsError(f"{name} is {several!r}; expected an iterable.")
    if arithmetic not in _ARITHMETICS:
        raise ProofsError(f"arithmetic = {arithmetic!r}; expected one of {', '.join(_ARITHMETICS)}.")
    question = Question(
        verify,
        given["drafter"],
        given["target_of"],
        _tolerance(given["tolerance"]),
        siblings=given["siblings"],
        replacement=given["replacement"],
        bound=given["bound"],
        max_paths=_at_least(given["max_paths"], 1, "max_paths"),
    )
    return Plan(
        question,
        gammas=numbers(given["gamma"], 0, "gamma"),
        vocabularies=numbers(given["vocabulary"], 1, "vocabulary"),
        arithmetic=arithmetic,
        inputs=None if inputs is None else tuple(inputs),
        paths=_at_least(given["paths"], 0, "paths"),
        worst=bool(given["worst"]),
        shrinks=bool(given["shrink"]),
        allow_state=(allow_state,) if isinstance(allow_state, str) else tuple(allow_state),
        progress=given["progress"],
        bench=given["bench"] or Bench(),
    )
