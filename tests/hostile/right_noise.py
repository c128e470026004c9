"""Right: every honest way to come by random numbers, and draws that are thrown away."""

import random
from typing import Any

import numpy as np

from tests.hostile.entries import entries
from tests.hostile.parts import chain, draw, replacement

__all__ = ["RIGHT_NOISE"]


class _Coins:
    """Hands out what a function returns as if it were a generator's uniforms."""

    def __init__(self, coin: Any) -> None:
        self.random = coin


def handed_through(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """default_rng hands the generator through."""
    return chain(target, draft, tokens, np.random.default_rng(rng))


def seeded_by_the_generator(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A new generator with a seed drawn from the one it was handed."""
    return chain(target, draft, tokens, np.random.default_rng(rng.integers(2**63)))


def two_seeds(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Coins and replacements have generators of their own, with a seed each."""
    coins = np.random.default_rng(rng.integers(2**63))
    noise = np.random.default_rng(rng.integers(2**63))
    for i, x in enumerate(tokens.tolist()):
        if not coins.random() * draft[i, x] < target[i, x]:
            return [*tokens[:i].tolist(), replacement(target[i], draft[i], noise)]
    return [*tokens.tolist(), draw(target[-1], noise)]


def unused_draws(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """More noise is drawn than is used."""
    rng.random((4, 5))
    emitted = chain(target, draft, tokens, rng)
    rng.random()
    return emitted


def unused_exponentials(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Exponential and Gumbel noise is drawn and never used."""
    rng.exponential(size=3), rng.gumbel(), rng.standard_exponential((2, 2))
    return chain(target, draft, tokens, rng)


def idle_comparison(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A coin is compared and the answer is thrown away."""
    _ = rng.random() < target[0, 0]
    return chain(target, draft, tokens, rng)


def method_bound_to_a_name(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The generator's method is bound to a name."""
    uniform = rng.random
    return chain(target, draft, tokens, _Coins(uniform))


def swapped_coins(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The coins of the positions are taken from the end of the array."""
    coins = rng.random(len(tokens))[::-1]
    for i, x in enumerate(tokens.tolist()):
        if not coins[i] * draft[i, x] < target[i, x]:
            return [*tokens[:i].tolist(), replacement(target[i], draft[i], rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def coins_chosen_by_a_coin(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """An even coin decides whether u or 1 - u is used."""

    def coin() -> Any:
        u = rng.random()
        return 1 - u if rng.integers(2) else u

    for i, x in enumerate(tokens.tolist()):
        u = coin()
        if not (target[i, x] > 0 and u * draft[i, x] < target[i, x]) and target[i, x] < draft[i, x]:
            return [*tokens[:i].tolist(), replacement(target[i], draft[i], rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def spare_coins_are_chosen(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Three coins are drawn for each position and a fourth says which is used."""
    for i, x in enumerate(tokens.tolist()):
        spare = rng.random(3)
        if not spare[int(rng.integers(3))] * draft[i, x] < target[i, x]:
            return [*tokens[:i].tolist(), replacement(target[i], draft[i], rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def races_for_all_rows(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Every position's replacement is drawn by a race in one call, and one of them is used."""
    left = np.concatenate([np.maximum(target[:-1] - draft, 0), target[-1:]])
    last = np.argmax(left / rng.standard_exponential(left.shape), axis=1)
    for i, x in enumerate(tokens.tolist()):
        if not rng.random() * draft[i, x] < target[i, x]:
            return [*tokens[:i].tolist(), int(last[i])]
    return [*tokens.tolist(), int(last[-1])]


def one_row_of_noise_for_either_end(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """One row of exponential noise serves the replacement or the bonus, of which only one is ever needed."""
    noise = rng.standard_exponential(target.shape[1])
    for i, x in enumerate(tokens.tolist()):
        if not rng.random() * draft[i, x] < target[i, x]:
            return [*tokens[:i].tolist(), int(np.argmax(np.maximum(target[i] - draft[i], 0) / noise))]
    return [*tokens.tolist(), int(np.argmax(target[-1] / noise))]


def permuted_coins(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The coins of all positions are shuffled, which changes nothing."""
    coins = rng.permutation(rng.random(len(tokens)))
    for i, x in enumerate(tokens.tolist()):
        if not coins[i] * draft[i, x] < target[i, x]:
            return [*tokens[:i].tolist(), replacement(target[i], draft[i], rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def filled_buffer(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The coins are drawn into a buffer."""
    coins = np.empty(len(tokens))
    rng.random(out=coins)
    for i, x in enumerate(tokens.tolist()):
        if not coins[i] * draft[i, x] < target[i, x]:
            return [*tokens[:i].tolist(), replacement(target[i], draft[i], rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def fresh_generator(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A new generator without a seed, in every call."""
    return chain(target, draft, tokens, np.random.default_rng())


def global_generator(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """NumPy's global generator."""
    return chain(target, draft, tokens, _Coins(lambda: np.random.rand()))


def python_generator(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Python's global generator."""
    return chain(target, draft, tokens, _Coins(lambda: random.random()))


def python_choices(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The last token by random.choices of Python's global generator."""
    for i, x in enumerate(tokens.tolist()):
        if not rng.random() * draft[i, x] < target[i, x]:
            left = np.maximum(target[i] - draft[i], 0)
            return [*tokens[:i].tolist(), random.choices(range(len(left)), weights=left)[0]]
    return [*tokens.tolist(), random.choices(range(target.shape[1]), weights=target[-1])[0]]


def child_generator(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A generator that the first one spawned."""
    return chain(target, draft, tokens, rng.spawn(1)[0])


def raw_bits(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Coins are made of the bit generator's raw words."""
    return chain(target, draft, tokens, _Coins(lambda: (int(rng.bit_generator.random_raw()) >> 11) / 2**53))


def random_bytes(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Coins are made of the generator's bytes."""
    return chain(target, draft, tokens, _Coins(lambda: int.from_bytes(rng.bytes(6), "big") / 2**48))


def beta_coins(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Coins are draws of the beta law that is uniform."""
    return chain(target, draft, tokens, _Coins(lambda: rng.beta(1, 1)))


def dirichlet_race(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The last token is where a flat Dirichlet draw is least beside the row: a race whose times were normalised."""
    for i, x in enumerate(tokens.tolist()):
        if not rng.random() * draft[i, x] < target[i, x]:
            return [*tokens[:i].tolist(), _least(np.maximum(target[i] - draft[i], 0), rng)]
    return [*tokens.tolist(), _least(target[-1], rng)]


def _least(row: Any, rng: Any) -> int:
    return int(np.argmax(row / rng.dirichlet(np.ones(len(row)))))


RIGHT_NOISE = (
    *entries(
        "lossless",
        handed_through,
        seeded_by_the_generator,
        two_seeds,
        unused_draws,
        unused_exponentials,
        idle_comparison,
        method_bound_to_a_name,
        swapped_coins,
        coins_chosen_by_a_coin,
        spare_coins_are_chosen,
        races_for_all_rows,
        one_row_of_noise_for_either_end,
    ),
    *entries(
        "not biased",
        permuted_coins,
        filled_buffer,
        fresh_generator,
        global_generator,
        python_generator,
        python_choices,
        child_generator,
        raw_bits,
        random_bytes,
        beta_coins,
        dirichlet_race,
    ),
)
