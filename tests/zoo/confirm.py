"""What the engine says of an adapter, held against the package and its own generator.

Counts are held against the exact law, within `simulate.BOUND` standard errors for every outcome. What is too rare to
be seen is provoked: the generator, or the coins that are handed over, are put where one coin is 0, and the outcome must
come. A state of torch's generator with a 0 in the place of one word hands out the word 0 there: tempering keeps it.
"""

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from tests.zoo.inputs import Input
from tests.zoo.judge import Case
from tests.zoo.records import Adapter, Kind, Prefix, modules
from tests.zoo.simulate import Coins, Outcome, against_law, caller_on, emitted_by, simulate

__all__ = ["RARE", "Confirmation", "confirm", "zero_coin"]

RARE = 1e-5
"""Outcomes of less probability are not waited for."""

SEEDS = 40
WORDS = 24
_STATE = 24  # bytes of torch's record of a generator before its words, of 8 bytes each

CRASHED: Prefix = ()


@dataclass(frozen=True)
class Confirmation:
    """What came of holding a law against the package.

    `sigma` is the greatest deviation of the counts in standard errors; `provoked` tells whether the likeliest
    rare outcome came at a coin 0, None where there is none. `unknown` says why there is no law to hold them against.
    """

    draws: int = 0
    sigma: float = 0.0
    agrees: bool = True
    provoked: bool | None = None
    unknown: str = ""

    @property
    def holds(self) -> bool:
        """Whether nothing speaks against the law."""
        return self.agrees and self.provoked is not False


def confirm(adapter: Adapter, rows: Input, case: Case, draws: int, seconds: float, seed: int) -> Confirmation:
    """Hold what was found on one input against draws of the package.

    Parameters
    ----------
    adapter : Adapter
    rows : Input
    case : Case
        Of the same input.
    draws : int
        Calls to make, or fewer:
    seconds : float
        after this time no more are made.
    seed : int

    Returns
    -------
    Confirmation
        Nothing is drawn where the law is not known in whole.
    """
    if case.missing:
        return Confirmation(unknown=case.reason or "the law is not known")
    law = _with_crashes(case)
    found = against_law(_projected(simulate(adapter, rows, case.gamma, draws, seed, seconds), case), law)
    number = found.draws
    rare = [outcome for outcome in _unwanted(case) if law[outcome] < RARE]
    # One is enough: others may need several coins to be 0 at once.
    provoked = _comes(adapter, rows, case, max(rare, key=lambda outcome: law[outcome])) if rare else None
    return Confirmation(number, found.sigma, found.chance(), provoked)


def _with_crashes(case: Case) -> dict[Outcome, Fraction]:
    crashes: dict[Outcome, Fraction] = {(CRASHED, name): mass for name, mass in case.crashes.items()}
    return crashes | {(drafted, emitted): mass for (drafted, emitted), mass in case.call.items()}


def _projected(counts: Mapping[Outcome, int], case: Case) -> Counter[Outcome]:
    """Name outcomes as the law does: crashes by their name alone, loops with zeros for drafts that nobody saw."""
    found: Counter[Outcome] = Counter()
    for outcome, count in counts.items():
        found[_as_in_law(outcome, case)] += count
    return found


def _as_in_law(outcome: Outcome, case: Case) -> Outcome:
    drafted, emitted = outcome
    if isinstance(emitted, str):
        return CRASHED, emitted
    return drafted or (0,) * (case.length - 1), emitted[: case.length]


def _unwanted(case: Case) -> list[Outcome]:
    """Outcomes with a token that the claimed law never emits, and rare crashes."""
    wanted = {y[:n] for y, mass in case.expected.items() if mass for n in range(len(y) + 1)}
    tokens: list[Outcome] = [outcome for outcome in case.call if outcome[1] not in wanted]
    return tokens + [(CRASHED, name) for name in case.crashes]


def _comes(adapter: Adapter, rows: Input, case: Case, outcome: Outcome) -> bool:
    """Tell whether an outcome comes at some coin that is 0."""
    call = caller_on(adapter, rows, case.gamma, outcome[0] if adapter.kind is not Kind.LOOP else None)
    return any(_as_in_law(emitted, case) == outcome for emitted in _at_zero(call, outcome[0]))


def _at_zero(call: Callable[[Any], Any], drafted: Prefix) -> Iterator[Outcome]:
    for seed, at, words in product(range(SEEDS), range(WORDS), (1, 2)):
        zero_coin(seed, at, words)
        yield drafted, emitted_by(lambda at=at, seed=seed: call(_ZeroCoins(seed, at)))  # type: ignore[misc]


def zero_coin(seed: int, at: int, words: int = 1) -> None:
    """Put torch's generator where the words `at`, `at` + 1, ... from now on are 0, and the others what a seed makes.

    Parameters
    ----------
    seed, at : int
    words : int
        How many are 0; a coin of float64 is made of two.
    """
    (torch,) = modules(("torch",))
    torch.manual_seed(seed)
    torch.rand(1)  # the first draw fills the words
    state = torch.get_rng_state().numpy().copy()
    numbers = state[_STATE : _STATE + 8 * 624].view(np.uint64)
    numbers[1 + at : 1 + at + words] = 0
    torch.set_rng_state(torch.from_numpy(state))


class _ZeroCoins(Coins):
    """Coins of which one, counted over all calls, is 0."""

    def __init__(self, seed: int, at: int) -> None:
        super().__init__(seed)
        self._left = at

    def coins(self, shape: int | tuple[int, ...], dtype: Any = np.float32) -> Any:
        coins = super().coins(shape, dtype)
        if 0 <= self._left < coins.size:
            coins.flat[self._left] = 0
        self._left -= coins.size
        return coins
