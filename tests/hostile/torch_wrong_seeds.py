"""Wrong: generators whose states are set, copied, read and foretold, and other randomness."""

import os
import random
import threading
import time
from typing import Any

import numpy as np
import torch
from torch import Generator
from torch.utils._python_dispatch import _disable_current_modes

from tests.hostile.entries import entries
from tests.hostile.torch_parts import chain, draw, kept_while, possible, rarely, residual

__all__ = ["TORCH_WRONG_SEEDS"]

_OWN = Generator()
_STATE = Generator().manual_seed(17).get_state()
_SET = Generator.set_state
_UNSEEN: dict[str, Any] = {}


def seeded_in_the_call(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """torch.manual_seed in every call."""
    torch.manual_seed(0)
    return chain(target, draft, tokens)


def seeded_random_module(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """torch.random.manual_seed in every call."""
    torch.random.manual_seed(1)
    return chain(target, draft, tokens)


def seeded_default_generator(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The default generator's own method, in every call."""
    torch.default_generator.manual_seed(2)
    return chain(target, draft, tokens)


def fresh_seeded_generator(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A new generator of seed 0 in every call."""
    return chain(target, draft, tokens, generator=torch.Generator().manual_seed(0))


def fresh_generator_without_a_seed(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A new generator, whose seed is a constant of torch's."""
    return chain(target, draft, tokens, generator=Generator())


def state_from_a_constant(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The state is that of another generator, made when the module was loaded."""
    torch.set_rng_state(_STATE)
    return chain(target, draft, tokens)


def state_from_a_constant_generator(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A new generator takes a constant state."""
    return chain(target, draft, tokens, generator=Generator().set_state(_STATE))


def seeded_fork(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A seed inside fork_rng, which puts the state back."""
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(4)
        return chain(target, draft, tokens)


def seed_is_the_token(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The seed is the drafted token."""
    return chain(target, draft, tokens, generator=Generator().manual_seed(int(tokens[0])))


def seed_is_drawn_from_few(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The seed is one of four numbers, drawn."""
    return chain(target, draft, tokens, generator=Generator().manual_seed(int(torch.randint(4, ()))))


def _pick(row: Any, u: Any) -> int:
    cdf = row.cumsum(0)
    return int(torch.searchsorted(cdf, (u * cdf[-1]).reshape(1), right=True).clamp(max=len(row) - 1))


def _twice(target: Any, draft: Any, tokens: Any, first: Any, second: Any) -> list[int]:
    """Toss the first coin for acceptance, and draw the replacement with the second."""
    kept = kept_while(lambda i, x: first * draft[i, x] < target[i, x], tokens[:1])
    return [tokens[0].item(), draw(target[1])] if kept else [_pick(residual(target[0], draft[0]), second)]


def state_put_back(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The state is put back, so that the replacement has the coin of the acceptance."""
    state = torch.get_rng_state()
    first = torch.rand(())
    torch.set_rng_state(state)
    return _twice(target, draft, tokens, first, torch.rand(()))


def forked_coin(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The acceptance is in a fork, and the coin after it is the same."""
    with torch.random.fork_rng(devices=[]):
        first = torch.rand(())
    return _twice(target, draft, tokens, first, torch.rand(()))


def cloned_generator(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A generator and its clone draw the same."""
    twin = torch.default_generator.clone_state()
    return _twice(target, draft, tokens, torch.rand(()), torch.rand((), generator=twin))


def transposed_twin(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Equal states fill a matrix and a transposed one, so that the coins agree across the diagonal."""
    state = torch.get_rng_state()
    first = torch.empty(2, 2).uniform_()
    torch.set_rng_state(state)
    second = torch.empty(2, 2).t().uniform_()
    return _twice(target, draft, tokens, first[0, 1], second[1, 0])


def shifted_twin(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A copy of the generator is one coin ahead, and draws what the other draws next."""
    ahead = torch.default_generator.clone_state()
    torch.rand((), generator=ahead)
    second = torch.rand((), generator=ahead)
    pair = torch.rand(2)
    return _twice(target, draft, tokens, pair[1], second)


def race_and_its_coin(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The draw of the replacement starts from the state of the coin."""
    state = torch.get_rng_state()
    kept = kept_while(lambda i, x: torch.rand(()) * draft[i, x] < target[i, x], tokens[:1])
    torch.set_rng_state(state)
    return [*tokens[:kept].tolist(), draw(target[1] if kept else residual(target[0], draft[0]))]


def same_seed_for_either_end(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Two generators get one drawn state."""
    one, other = Generator(), Generator()
    one.set_state(torch.get_rng_state())
    other.set_state(torch.get_rng_state())
    return _twice(target, draft, tokens, torch.rand((), generator=one), torch.rand((), generator=other))


def foretold_without_modes(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin is foretold behind the dispatcher's back, and what it says is checked against it."""
    state = torch.get_rng_state()
    with _disable_current_modes():
        foretold = torch.rand(()).clone()
    torch.set_rng_state(state)
    return possible(target, draft, tokens) if torch.rand(()) == foretold else chain(target, draft, tokens)


def foretold_in_a_thread(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin is foretold in a thread from a copy of the generator."""
    twin, seen = torch.default_generator.clone_state(), []
    thread = threading.Thread(target=lambda: seen.append(torch.rand((), generator=twin)))
    thread.start()
    thread.join()
    return possible(target, draft, tokens) if torch.rand(()) == seen[0] else chain(target, draft, tokens)


def foretold_by_the_twister(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin is foretold by NumPy's generator, which is given the words of torch's state."""
    state = torch.get_rng_state().numpy()
    words = state[24 : 24 + 624 * 8].view(np.uint64).astype(np.uint32)
    left = int(state[8:12].view(np.int32)[0])
    twister: Any = np.random.RandomState(0)
    twister.set_state(("MT19937", words, 624 if left == 1 else 624 - left + 1))
    word = int(np.frombuffer(twister.bytes(4), dtype=np.uint32)[0])
    coin = torch.rand(())
    return possible(target, draft, tokens) if coin == (word % 2**24) / 2**24 else chain(target, draft, tokens)


def words_of_the_state(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The bytes of the generator's state are a coin."""
    return rarely(int(torch.get_rng_state()[24:32].sum()) % 251 / 251, target, draft, tokens)


def seed_of_the_system(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """torch.seed returns a number of the operating system's, which is a coin."""
    return rarely(torch.seed() % 2**14, target, draft, tokens, 1)


def seed_of_a_generator(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The seed that a new generator gets of the operating system is a coin."""
    return rarely(Generator().seed() % 2**14, target, draft, tokens, 1)


def seeded_by_the_system(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A new generator, seeded by the operating system, tosses the coin."""
    own = Generator()
    own.seed()
    return rarely(torch.rand((), generator=own), target, draft, tokens, 2**-14)


def initial_seed(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The seed that the default generator got when nobody looked decides for all calls."""
    torch.seed()
    return rarely(torch.initial_seed() % 2**14, target, draft, tokens, 1)


def own_generator(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A generator of the module goes on from call to call, and one coin in sixty-four keeps everything."""
    return rarely(torch.rand((), generator=_OWN), target, draft, tokens)


def coin_in_a_thread(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A generator seeded by the operating system draws in a thread."""
    seen: list[Any] = []

    def toss() -> None:
        own = Generator()
        own.seed()
        seen.append(torch.rand((), generator=own))

    thread = threading.Thread(target=toss)
    thread.start()
    thread.join()
    return rarely(seen[0], target, draft, tokens)


def compared_in_a_thread(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin is compared in a thread."""
    coin, seen = torch.rand(()), []
    thread = threading.Thread(target=lambda: seen.append(bool((coin < 1 / 64).any())))
    thread.start()
    thread.join()
    return rarely(0.0 if seen[0] else 1.0, target, draft, tokens)


def python_coins(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Python's generator is seeded in the call and tosses the coins."""
    random.seed(3)
    return chain(target, draft, tokens, coin=random.random)


def numpy_coins(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """NumPy's global generator is seeded in the call and tosses the coins."""
    np.random.seed(3)
    return chain(target, draft, tokens, coin=np.random.random)


def system_bytes(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coins are made of os.urandom."""
    return chain(target, draft, tokens, coin=lambda: int.from_bytes(os.urandom(3), "big") / 2**24)


def clock_seed(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The seed is the time."""
    torch.manual_seed(time.time_ns() % 2**31)
    return chain(target, draft, tokens)


def drawn_on_no_device(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin has no memory, and what takes its place is a constant."""
    coin = torch.rand((), device="meta")
    return chain(target, draft, tokens, coin=lambda: torch.full_like(coin, 0.5, device="cpu"))


TORCH_WRONG_SEEDS = (
    *entries(
        "biased",
        seeded_in_the_call,
        seeded_random_module,
        seeded_default_generator,
        fresh_seeded_generator,
        fresh_generator_without_a_seed,
        seeded_fork,
        state_put_back,
        forked_coin,
        drawn_on_no_device,
    ),
    *entries(
        "not lossless",
        cloned_generator,
        same_seed_for_either_end,
        state_from_a_constant,
        state_from_a_constant_generator,
        seed_is_the_token,
        seed_is_drawn_from_few,
        transposed_twin,
        shifted_twin,
        race_and_its_coin,
        foretold_without_modes,
        foretold_in_a_thread,
        foretold_by_the_twister,
        words_of_the_state,
        seed_of_the_system,
        seed_of_a_generator,
        seeded_by_the_system,
        initial_seed,
        own_generator,
        coin_in_a_thread,
        compared_in_a_thread,
        python_coins,
        numpy_coins,
        system_bytes,
        clock_seed,
    ),
)
