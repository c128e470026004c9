"""What is asked of a check: its arguments, looked at once, and the inputs that follow from them."""

import importlib.util
import inspect
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from proofs import battery, request_pairs
from proofs.engine.choices import Arithmetic
from proofs.errors import ProofsError
from proofs.examination import Bench, Question
from proofs.inputs import Input, fraction, read_input

__all__ = ["DEFAULTS", "FLOATS", "PATHS", "Plan", "check_factory", "fineness_of", "numbers", "plan_of"]

_MOST_REQUESTS = 2
PATHS = 10_000  # beyond the core battery
FLOATS = {found.value: found for found in Arithmetic if found is not Arithmetic.EXACT}

_COARSE = {
    Arithmetic.FLOAT32: battery.SINGLE,
    Arithmetic.TORCH32: battery.SINGLE,
    Arithmetic.TORCH16: battery.HALF,
    Arithmetic.TORCH_BRAIN: battery.HALF,
}
_ARITHMETICS = ("auto", "exact", *FLOATS)
_ACCEPTED = (None, "swept")

DEFAULTS: dict[str, Any] = {
    "gamma": (1, 2), "vocabulary": 3, "arithmetic": "auto", "drafter": None, "inputs": None, "paths": PATHS,
    "tolerance": None, "target_of": None, "worst": False, "shrink": True, "allow_state": (), "max_paths": 10_000,
    "progress": None, "factory": False, "batch": None, "siblings": None, "replacement": True, "bound": None,
    "bench": None, "accept": None, "drawn": True, "record": None,
}  # fmt: skip


@dataclass
class Plan:
    """What is asked for, with the arguments checked.

    `drawn` says whether inputs that Hypothesis draws follow those of the grid; `record` is handed each run with what
    came of each input that counts.
    """

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
    batches: tuple[int, ...] = ()
    drawn: bool = True
    record: Callable[[Any, Any], None] | None = None

    def core(self, arithmetic: Arithmetic) -> Iterator[Input]:
        """Yield what is run whole."""
        if not self.batches:
            yield from self._single(arithmetic)
        if 1 in self.batches:
            yield from map(request_pairs.alone, self._single(arithmetic))
        if 2 in self.batches:
            for gamma in self.gammas:
                yield from self._pairs(gamma)

    def beyond(self, arithmetic: Arithmetic) -> Iterator[Input]:
        """Yield what goes beyond the core; nothing where there is no call of a single request."""
        if self.inputs is not None or self.batches == (2,):
            return iter(())
        exact, fineness = arithmetic is Arithmetic.EXACT, fineness_of(arithmetic)
        found = battery.beyond(self.gammas, self.vocabularies, exact=exact, fineness=fineness, drawn=self.drawn)
        return map(request_pairs.alone, found) if self.batches else found

    def _single(self, arithmetic: Arithmetic) -> Iterator[Input]:
        for gamma in self.gammas:
            if self.inputs is not None:
                yield from self._read(gamma)
                continue
            for size in self.vocabularies:
                yield from battery.core(
                    gamma, size, exact=arithmetic is Arithmetic.EXACT, fineness=fineness_of(arithmetic)
                )

    def _pairs(self, gamma: int) -> Iterator[Input]:
        if self.inputs is not None:
            yield from request_pairs.cyclic(self._read(gamma))
            return
        for size in self.vocabularies:
            yield from request_pairs.pairs(gamma, size)

    def _read(self, gamma: int) -> list[Input]:
        return [read_input(pair, at, gamma) for at, pair in enumerate(self.inputs or ())]


def fineness_of(arithmetic: Arithmetic) -> battery.Fineness:
    """Return what rows of an arithmetic can hold."""
    return _COARSE.get(arithmetic, battery.DOUBLE)


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


def _batches(value: Any, siblings: Any) -> tuple[int, ...]:
    if value is None:
        return ()
    if siblings is not None:
        raise ProofsError(f"batch = {value!r} with siblings; expected None: batches are of chains.")
    found = numbers(value, 1, "batch")
    if max(found) > _MOST_REQUESTS:
        raise ProofsError(f"batch = {max(found)}; expected 1, 2 or both: two requests show what one does to another.")
    return found


def check_factory(make: Any) -> None:
    """Raise `ProofsError` for a factory that needs arguments, as far as its signature tells."""
    try:
        signature = inspect.signature(make)
    except (TypeError, ValueError):
        return  # it shows when it is called
    try:
        signature.bind()
    except TypeError as error:
        raise ProofsError(
            f"the factory cannot be called without arguments ({str(error).rstrip('.')}); with factory=True it makes "
            "the verifier, before every path."
        ) from None


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
    arithmetic = str(arithmetic)  # a dtype of torch has the name that is wanted
    if arithmetic not in _ARITHMETICS:
        raise ProofsError(f"arithmetic = {arithmetic!r}; expected one of {', '.join(_ARITHMETICS)}.")
    if given["accept"] not in _ACCEPTED:
        raise ProofsError(f"accept = {given['accept']!r}; expected one of {', '.join(map(repr, _ACCEPTED))}.")
    if arithmetic.startswith("torch.") and importlib.util.find_spec("torch") is None:
        raise ProofsError(f"arithmetic = {arithmetic!r} needs torch, which is not installed (extra torch).")
    if given["factory"]:
        check_factory(verify)
    question = Question(
        verify,
        given["drafter"],
        given["target_of"],
        _tolerance(given["tolerance"]),
        siblings=given["siblings"],
        replacement=given["replacement"],
        bound=given["bound"],
        swept_counts=given["accept"] == "swept",
        max_paths=_at_least(given["max_paths"], 1, "max_paths"),
        factory=bool(given["factory"]),
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
        batches=_batches(given["batch"], given["siblings"]),
        drawn=bool(given["drawn"]),
        record=given["record"],
    )
