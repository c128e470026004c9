"""Wrong: coins that are the same in every call, and coins that no checker can branch over."""

import datetime
import gc
import os
import random
import secrets
import threading
import time
import uuid
from typing import Any

import numpy as np
from numpy.random import random as bound_early

from tests.hostile.entries import entries
from tests.hostile.parts import chain, draw, replacement

__all__ = ["WRONG_SOURCES"]

_OWN = np.random.default_rng(2024)


class _Coins:
    """Hands out what a function returns as if it were a generator's uniforms."""

    def __init__(self, coin: Any) -> None:
        self.random = coin


# Constant draws.


def constant_seed(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A generator with a constant seed: the same coins in every call."""
    return chain(target, draft, tokens, np.random.default_rng(0))


def seed_is_the_token(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The first drafted token seeds the generator: constant coins given the draft."""
    return chain(target, draft, tokens, np.random.default_rng(int(tokens[0])))


def constant_bit_generator(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A generator built by hand on PCG64(7)."""
    return chain(target, draft, tokens, np.random.Generator(np.random.PCG64(7)))


def seeded_global_generator(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """NumPy's global generator, seeded in every call."""
    np.random.seed(3)
    return chain(target, draft, tokens, _Coins(np.random.random_sample))


def seeded_python_generator(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Python's global generator, seeded in every call."""
    random.seed(5)
    return chain(target, draft, tokens, random)


def constant_python_generator(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A generator of Python's with a constant seed."""
    return chain(target, draft, tokens, random.Random(11))


def constant_random_state(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A generator of NumPy's old kind with a constant seed."""
    return chain(target, draft, tokens, np.random.RandomState(13))


# Randomness that no checker can branch over: right in life or not, nobody can vouch for it.


def module_generator(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A generator that lives in the module goes on from call to call."""
    return chain(target, draft, tokens, _OWN)


def module_generator_tosses_coins(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The module's generator tosses the coins, against a ratio that is too great by a tenth."""
    for i, x in enumerate(tokens.tolist()):
        if not _OWN.random() * 10 < 11 * target[i, x] / draft[i, x]:
            return [*tokens[:i].tolist(), replacement(target[i], draft[i], rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def function_bound_early(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A function of numpy.random that was imported by name before anybody could replace it."""
    return chain(target, draft, tokens, _Coins(bound_early))


def fresh_python_generator(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A new generator of Python's, seeded by the operating system in C."""
    return chain(target, draft, tokens, random.Random())


def fresh_bit_generator(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A new bit generator, seeded by the operating system."""
    return chain(target, draft, tokens, np.random.Generator(np.random.SFC64()))


def operating_system_bytes(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Coins are made of os.urandom."""
    return chain(target, draft, tokens, _Coins(lambda: int.from_bytes(os.urandom(6), "big") / 2**48))


def secret_coins(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Coins are made by the module secrets."""
    return chain(target, draft, tokens, _Coins(lambda: secrets.randbelow(2**53) / 2**53))


def system_random_coins(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Coins come from random.SystemRandom."""
    return chain(target, draft, tokens, random.SystemRandom())


def unique_identifier_coins(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Coins are the last bits of uuid4."""
    return chain(target, draft, tokens, _Coins(lambda: uuid.uuid4().int % 2**48 / 2**48))


def wall_clock_coins(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Coins are the digits of the clock after the microsecond."""
    return chain(target, draft, tokens, _Coins(lambda: time.time_ns() % 997 / 997))


def stopwatch_coins(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Coins are the last digits of the performance counter."""
    return chain(target, draft, tokens, _Coins(lambda: time.perf_counter_ns() % 991 / 991))


def calendar_coins(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Coins are the microseconds of datetime.now, which the module time knows nothing about."""
    return chain(target, draft, tokens, _Coins(lambda: datetime.datetime.now().microsecond % 1000 / 1000))


def processor_time_coins(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Coins are the hundredths of os.times."""
    return chain(target, draft, tokens, _Coins(lambda: os.times().elapsed % 1))


def address_coins(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Coins are addresses of new objects."""
    return chain(target, draft, tokens, _Coins(lambda: id(object()) // 16 % 1009 / 1009))


def hash_coins(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Coins are hashes of a text, constant in one process and new in the next."""
    return chain(target, draft, tokens, _Coins(lambda: hash("coin") % 1013 / 1013))


def collector_coins(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Coins are the number of objects that the garbage collector has counted."""
    return chain(target, draft, tokens, _Coins(lambda: gc.get_count()[0] % 101 / 101))


def draws_in_a_thread(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Two threads draw from one generator, and whoever is first tosses the coin."""
    drawn: list[Any] = []
    threads = [threading.Thread(target=lambda: drawn.append(rng.random())) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if drawn and drawn[0] * draft[0, tokens[0]] < target[0, tokens[0]]:
        return [int(tokens[0]), draw(target[1], rng)]
    return [replacement(target[0], draft[0], rng)]


WRONG_SOURCES = (
    *entries("biased", constant_seed, seed_is_the_token),
    *entries(
        "not lossless",
        constant_bit_generator,
        seeded_global_generator,
        seeded_python_generator,
        constant_python_generator,
        constant_random_state,
        module_generator,
        module_generator_tosses_coins,
        function_bound_early,
        fresh_python_generator,
        fresh_bit_generator,
        operating_system_bytes,
        secret_coins,
        system_random_coins,
        unique_identifier_coins,
        wall_clock_coins,
        stopwatch_coins,
        calendar_coins,
        processor_time_coins,
        address_coins,
        hash_coins,
        collector_coins,
        draws_in_a_thread,
    ),
)
