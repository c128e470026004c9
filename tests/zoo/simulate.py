"""Independent simulation of the zoo: the packages draw with their own generators, and what comes out is counted.

No engine is involved: only the counts, and exact laws to hold them against. A deviation is measured in standard
errors, widened for rare outcomes as Bernstein's inequality has it: by chance alone it is beyond s of them with a
probability of at most 2 exp(-s^2 / 2), in every single comparison, however few the draws. `BOUND` is 6: 3 in 10^8.
"""

import argparse
import json
import random
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from math import inf, sqrt
from typing import Any, TypeAlias

import numpy as np

from tests.zoo import KEYS
from tests.zoo.inputs import EDGES, INPUTS, Input, Row
from tests.zoo.records import Adapter, Kind, Prefix, Tensor, load, modules

__all__ = [
    "BOUND",
    "Coins",
    "Deviation",
    "Outcome",
    "against_law",
    "against_target",
    "caller_on",
    "emitted_by",
    "main",
    "simulate",
]

BOUND = 6.0
DRAWS = 200_000
ROUNDING = 1e-12  # of the sums here, which are of floats

Outcome: TypeAlias = tuple[Prefix, Prefix | str]
"""The drafted tokens, () where the package keeps them to itself; the emitted ones, or the name of an exception."""


class Coins:
    """Stands in for the random source of the engine: hands out coins as arrays of numbers."""

    def __init__(self, seed: int) -> None:
        self._generator = np.random.default_rng(seed)

    def coins(self, shape: int | tuple[int, ...], dtype: Any = np.float32) -> Any:
        return self._generator.random(shape, dtype=dtype)


@dataclass(frozen=True)
class Deviation:
    """The empirical law against an exact one.

    `sigma` is the greatest deviation in standard errors, at `where`; `distance` is the total variation, and `noise`
    what it would be on average by chance alone, or less; `crashed` is the share of draws that ended in an exception.
    """

    sigma: float
    where: object
    distance: float
    noise: float
    crashed: float
    draws: int = 0

    def chance(self) -> bool:
        """Whether chance explains it."""
        return self.sigma <= BOUND


def simulate(
    adapter: Adapter, rows: Input, gamma: int, draws: int, seed: int, seconds: float = inf
) -> Counter[Outcome]:
    """Count what an adapter emits.

    Parameters
    ----------
    adapter : Adapter
    rows : Input
    gamma : int
        Drafted tokens, or siblings.
    draws : int
        Calls to make, or fewer:
    seconds : float
        after this time no more are made.
    seed : int
        Of torch's generator, of the one that draws the drafts, and of the coins.

    Returns
    -------
    Counter
        Outcome -> calls. An exception is an outcome: its name.
    """
    adapter.prepare()
    torch, mlx = _generators(adapter)
    torch.manual_seed(seed)
    mlx(seed)
    call, end = _caller(adapter, rows, gamma, seed), time.monotonic() + seconds
    counts: Counter[Outcome] = Counter()
    while counts.total() < draws and time.monotonic() < end:
        for _ in range(min(100, draws - counts.total())):
            counts[call()] += 1
    return counts


def _generators(adapter: Adapter) -> tuple[Any, Callable[[int], object]]:
    (torch,) = modules(("torch",))
    if not any(name.startswith("mlx") for name in adapter.imports):
        return torch, lambda seed: None
    (random_module,) = modules(("mlx.core.random",))
    return torch, random_module.seed


def _caller(adapter: Adapter, rows: Input, gamma: int, seed: int) -> Callable[[], Outcome]:
    """Return what makes one call on fresh rows and drafts."""
    source, coins = random.Random(seed), Coins(seed)
    draft_of = rows.draft if adapter.kind is Kind.ROWS else lambda prefix: rows.draft(())
    if adapter.kind is Kind.LOOP:
        target, draft = _float(rows.target), _float(rows.draft)
        return lambda: ((), emitted_by(lambda: adapter.verify(target, draft, gamma, coins)))
    matrices = cache(lambda tokens: _matrices(adapter, rows, tokens))

    def call() -> Outcome:
        tokens = _drafted(draft_of, gamma, source)
        given = [tensor.clone() for tensor in matrices(tokens)]
        return tokens, emitted_by(lambda: adapter.verify(*given, coins))

    return call


def caller_on(adapter: Adapter, rows: Input, gamma: int, tokens: Prefix | None) -> Callable[[Any], Any]:
    """Return what makes one call with a source of coins, on given drafts; None for a package that drafts by itself."""
    if tokens is None:
        target, draft = _float(rows.target), _float(rows.draft)
        return lambda coins: adapter.verify(target, draft, gamma, coins)
    matrices = _matrices(adapter, rows, tokens)
    return lambda coins: adapter.verify(*(tensor.clone() for tensor in matrices), coins)


def emitted_by(run: Callable[[], Any]) -> Prefix | str:
    """Return the tokens that a call emits, or the name of the exception that it ends in."""
    try:
        emitted = run()
    except Exception as crash:
        return type(crash).__name__
    return tuple(int(token) for token in (emitted if isinstance(emitted, list | tuple) else [emitted]))


def _drafted(draft_of: Callable[[Prefix], Row], gamma: int, source: random.Random) -> Prefix:
    tokens: Prefix = ()
    for _ in range(gamma):
        row = draft_of(tokens)
        tokens = (*tokens, *source.choices(range(len(row)), [float(mass) for mass in row]))
    return tokens


def _float(row_of: Callable[[Prefix], Row]) -> Callable[[Prefix], Tensor]:
    (torch,) = modules(("torch",))
    tensor = cache(lambda row: torch.tensor([float(mass) for mass in row], dtype=torch.float32))
    return lambda prefix: tensor(row_of(prefix)).clone()


def _matrices(adapter: Adapter, rows: Input, tokens: Prefix) -> tuple[Tensor, Tensor, Tensor]:
    """Return target, draft and tokens as the adapter's kind takes them."""
    (torch,) = modules(("torch",))
    target, draft = _float(rows.target), _float(rows.draft)
    ids = torch.tensor(tokens, dtype=torch.int64)
    if adapter.kind is Kind.SIBLINGS:
        return target(()), draft(()), ids
    prefixes = [tokens[:i] for i in range(len(tokens) + 1)]
    return torch.stack([target(p) for p in prefixes]), torch.stack([draft(p) for p in prefixes[:-1]]), ids


def against_law(counts: Mapping[Outcome, int], law: Mapping[Outcome, Fraction]) -> Deviation:
    """Hold counts against an exact law of (drafted, emitted).

    An outcome of probability zero that was seen, and one of probability one that was missed, is infinitely far off.
    """
    total = sum(counts.values())
    terms = []
    for outcome in sorted(counts.keys() | law.keys(), key=repr):
        chance = float(law.get(outcome, 0))
        terms.append((outcome, counts.get(outcome, 0) / total - chance, sqrt(chance * (1 - chance) / total)))
    return _deviation(terms, counts)


def against_target(counts: Mapping[Outcome, int], rows: Input, length: int) -> Deviation:
    """Hold counts against the target's law on sequences of `length` tokens.

    Whatever was emitted counts for each of its continuations by the target's own probability of it, as if the target
    had gone on by itself: the mean over the draws is what must be the target's law. A mean of numbers from 0 to 1 that
    is P has a standard error of at most sqrt(P (1 - P) / draws): that is the one taken, rare outcomes and all.
    """
    total = sum(counts.values())
    terms = []
    for sequence in rows.sequences(length):
        chance = float(rows.chance(sequence))
        mean = sum(float(_continued(emitted, sequence, rows)) * count for (_, emitted), count in counts.items()) / total
        terms.append((sequence, mean - chance, sqrt(chance * (1 - chance) / total)))
    return _deviation(terms, counts)


def _continued(emitted: Prefix | str, sequence: Prefix, rows: Input) -> Fraction:
    """Probability that the target completes what was emitted to this sequence; longer outputs are cut."""
    if isinstance(emitted, str):
        return Fraction(0)
    kept = emitted[: len(sequence)]
    return rows.chance(sequence, len(kept)) if sequence[: len(kept)] == kept else Fraction(0)


def _deviation(terms: list[tuple[Any, float, float]], counts: Mapping[Outcome, int]) -> Deviation:
    def sigmas(term: tuple[Any, float, float]) -> float:
        _, off, error = term
        if abs(off) < ROUNDING:
            return 0.0
        return abs(off) / sqrt(error**2 + abs(off) / (3 * total)) if error else inf

    total = sum(counts.values())
    worst = max(terms, key=sigmas)
    crashed = sum(count for (_, emitted), count in counts.items() if isinstance(emitted, str))
    distance = sum(abs(off) for _, off, _ in terms) / 2
    noise = sum(error for *_, error in terms) / sqrt(2 * np.pi)
    return Deviation(sigmas(worst), worst[0], distance, float(noise), crashed / total, total)


def _cases(keys: list[str], inputs: Sequence[Input]) -> Iterator[tuple[Adapter, Input, int]]:
    for key in keys:
        adapter = load(key)
        yield from ((adapter, rows, gamma) for rows in inputs for gamma in adapter.gammas)


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.zoo.simulate", description=__doc__)
    parser.add_argument("keys", nargs="*", help="adapters; all of them by default")
    parser.add_argument("--draws", type=int, default=DRAWS)
    parser.add_argument("--seconds", type=float, default=60.0, help="for each adapter, input and gamma")
    parser.add_argument("--seed", type=int, default=20_231_130)
    parser.add_argument("--edges", action="store_true", help="rows with zeros, and equal ones, instead of the usual")
    parser.add_argument("--counts", action="store_true", help="add the counts")
    return parser


def main(arguments: list[str] | None = None) -> None:
    """Print one JSON object for each adapter, input and gamma: how far it is from the law that is claimed."""
    options = _parser().parse_args(arguments)
    for adapter, rows, gamma in _cases(options.keys or list(KEYS), EDGES if options.edges else INPUTS):
        line = {"key": adapter.key, "version": adapter.version(), "input": rows.name, "gamma": gamma}
        try:
            counts = simulate(adapter, rows, gamma, options.draws, options.seed, options.seconds)
        except ImportError as missing:
            print(json.dumps(line | {"looks": f"not run: {missing}"}), flush=True)
            continue
        line |= _found(adapter, rows, gamma, counts)
        if options.counts:
            line["counts"] = [[*outcome, count] for outcome, count in sorted(counts.items(), key=repr)]
        print(json.dumps(line), flush=True)


def _found(adapter: Adapter, rows: Input, gamma: int, counts: Counter[Outcome]) -> dict[str, Any]:
    claimed = rows if adapter.declared is None else rows.with_target(adapter.declared, gamma)
    found = against_target(counts, claimed, adapter.length(gamma))
    return {
        "draws": counts.total(),
        "sigma": round(found.sigma, 2),
        "where": found.where,
        "distance": round(found.distance, 6),
        "noise": round(found.noise, 6),
        "crashed": found.crashed,
        "looks": "as claimed" if found.chance() else "different",
    }


if __name__ == "__main__":
    main()
