"""Wrong: noise that is used twice, and drafters that do not draw from the row they report."""

import copy
from typing import Any

import numpy as np

from tests.hostile.entries import Entry, entries
from tests.hostile.parts import chain, draw, first_maximum, pick, replacement, residual

__all__ = ["WRONG_NOISE"]

_SHARED: dict[str, Any] = {}


# Noise used twice.


def one_uniform_for_both(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The uniform that rejected the token draws its replacement too."""
    for i, x in enumerate(tokens.tolist()):
        u = rng.random()
        if not u * draft[i, x] < target[i, x]:
            left = residual(target[i], draft[i])
            return [*tokens[:i].tolist(), pick(left, u * sum(left))]
    return [*tokens.tolist(), draw(target[-1], rng)]


def one_uniform_for_all_positions(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """One coin is tossed and held against the ratio of every position."""
    u = rng.random()
    for i, x in enumerate(tokens.tolist()):
        if not u * draft[i, x] < target[i, x]:
            return [*tokens[:i].tolist(), replacement(target[i], draft[i], rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def last_coin_draws_the_bonus(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The bonus token is drawn with the coin that accepted the last token, which is small by then."""
    u = 0
    for i, x in enumerate(tokens.tolist()):
        u = rng.random()
        if not u * draft[i, x] < target[i, x]:
            return [*tokens[:i].tolist(), replacement(target[i], draft[i], rng)]
    return [*tokens.tolist(), pick(target[-1], u * sum(target[-1]))]


def mirrored_coin(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Positions take u and 1 - u in turn, as if these were independent."""
    u = rng.random()
    for i, x in enumerate(tokens.tolist()):
        coin = 1 - u if i % 2 else u
        if not coin < target[i, x] / draft[i, x]:
            return [*tokens[:i].tolist(), replacement(target[i], draft[i], rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def same_seed_for_two_generators(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Acceptance and residual have generators of their own, made of the same seed."""
    seed = rng.integers(2**63)
    coins, noise = np.random.default_rng(seed), np.random.default_rng(seed)
    for i, x in enumerate(tokens.tolist()):
        if not coins.random() * draft[i, x] < target[i, x]:
            return [*tokens[:i].tolist(), replacement(target[i], draft[i], noise)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def seed_again_at_every_position(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Every position makes its generator anew of one seed, so that all coins are equal."""
    seed = rng.integers(2**63)
    for i, x in enumerate(tokens.tolist()):
        if not np.random.default_rng(seed).random() * draft[i, x] < target[i, x]:
            return [*tokens[:i].tolist(), replacement(target[i], draft[i], rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def copied_coin(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A deep copy of the acceptance coin, which is the same draw, picks the replacement."""
    for i, x in enumerate(tokens.tolist()):
        u = rng.random()
        again = copy.deepcopy(u)
        if not u < target[i, x] / draft[i, x]:
            left = residual(target[i], draft[i])
            return [*tokens[:i].tolist(), pick(left, again * sum(left))]
    return [*tokens.tolist(), draw(target[-1], rng)]


def digits_of_one_coin(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The next coin is twice the last one modulo one: its later digits, which the last decision has told about."""
    u = rng.random()
    for i, x in enumerate(tokens.tolist()):
        if not u < target[i, x] / draft[i, x]:
            return [*tokens[:i].tolist(), replacement(target[i], draft[i], rng)]
        u = (u * 2) % 1
    return [*tokens.tolist(), draw(target[-1], rng)]


def one_race_for_all_positions(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The match rule with one row of exponential noise for all races: right marginals, wrong joint law."""
    noise = rng.standard_exponential(target.shape[1])
    emitted: list[int] = []
    for i, p in enumerate(target):
        emitted.append(int(np.argmax(p / noise)))
        if i < len(tokens) and emitted[-1] != tokens[i]:
            break
    return emitted


def one_uniform_for_the_match_rule(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The match rule with one uniform for all inverse CDFs: right marginals, wrong joint law."""
    u = rng.random()
    emitted: list[int] = []
    for i, p in enumerate(target):
        emitted.append(pick(p, u * sum(p)))
        if i < len(tokens) and emitted[-1] != tokens[i]:
            break
    return emitted


def logarithm_of_the_coin_races(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The replacement is the winner of a race in which the drafted token's coin runs again."""
    for i, x in enumerate(tokens.tolist()):
        coins = rng.random(target.shape[1])
        if not coins[x] < target[i, x] / draft[i, x]:
            with np.errstate(divide="ignore"):
                race = residual(target[i], draft[i]) / -np.log(coins[::-1])
            return [*tokens[:i].tolist(), int(np.argmax(race))]
    return [*tokens.tolist(), draw(target[-1], rng)]


def twin_generator(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A deep copy of the generator draws the replacement and so repeats the coins."""
    twin = copy.deepcopy(rng)
    for i, x in enumerate(tokens.tolist()):
        if not rng.random() < target[i, x] / draft[i, x]:
            return [*tokens[:i].tolist(), replacement(target[i], draft[i], twin)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def rewound_generator(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The generator's state is put back after every coin, so that all coins are equal."""
    before = rng.bit_generator.state
    for i, x in enumerate(tokens.tolist()):
        rng.bit_generator.state = before
        if not rng.random() < target[i, x] / draft[i, x]:
            return [*tokens[:i].tolist(), replacement(target[i], draft[i], rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def _sharing_drafter(prefix: Any, row: Any, rng: Any) -> int:
    _SHARED["coin"] = rng.random()
    return pick(row, _SHARED["coin"] * sum(row))


def coin_of_the_drafter(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The drafter leaves its uniform in a global, and the verifier takes it as the first coin."""
    u = _SHARED.get("coin", 0.5)
    for i, x in enumerate(tokens.tolist()):
        if not u < target[i, x] / draft[i, x]:
            return [*tokens[:i].tolist(), replacement(target[i], draft[i], rng)]
        u = rng.random()
    return [*tokens.tolist(), draw(target[-1], rng)]


# Drafters that do not draw from the row they report. The verifier is right.


def _greedy_drafter(prefix: Any, row: Any, rng: Any) -> int:
    return first_maximum(row)


def _flat_drafter(prefix: Any, row: Any, rng: Any) -> int:
    support = [token for token in range(len(row)) if row[token] > 0]
    return support[int(rng.integers(len(support)))]


def _truncating_drafter(prefix: Any, row: Any, rng: Any) -> int:
    kept = row.copy()
    kept[min(range(len(row)), key=lambda token: row[token])] = 0
    return draw(kept, rng)


def _anxious_drafter(prefix: Any, row: Any, rng: Any) -> int:
    # Right for the first token; the second repeats the first where it can.
    return int(prefix[-1]) if len(prefix) and row[prefix[-1]] > 0 else draw(row, rng)


def _drafted(name: str, drafter: Any, why: str, **fields: Any) -> Entry:
    return Entry(name, chain, why, "biased", drafter=drafter, **fields)


WRONG_NOISE = (
    *entries(
        "biased",
        one_uniform_for_both,
        last_coin_draws_the_bonus,
        same_seed_for_two_generators,
        copied_coin,
        one_uniform_for_all_positions,
        mirrored_coin,
        seed_again_at_every_position,
        one_uniform_for_the_match_rule,
    ),
    *entries(
        "not lossless",
        digits_of_one_coin,
        one_race_for_all_positions,
        logarithm_of_the_coin_races,
        twin_generator,
        rewound_generator,
    ),
    *entries("not lossless", coin_of_the_drafter, drafter=_sharing_drafter),
    _drafted("greedy_drafter", _greedy_drafter, "The drafter takes the most likely token and reports the whole row."),
    _drafted("flat_drafter", _flat_drafter, "The drafter draws evenly from the support of the row it reports."),
    _drafted(
        "truncating_drafter", _truncating_drafter, "The drafter leaves out the least token of the row it reports."
    ),
    _drafted("anxious_drafter", _anxious_drafter, "The drafter repeats its last token instead of drawing.", gamma=(2,)),
)
