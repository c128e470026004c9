"""Generators of torch that hand out chosen words: how the laws of its random operators are held to the real ones.

A generator on the CPU is a Mersenne twister. Tempering is invertible, so any 623 words can be put where a
generator reads next; what comes after them is computed here by a twist of our own. If the installed torch
lays its state out in another way, the words differ, and nothing that is tried on them is confirmed.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import torch
from numpy.typing import NDArray
from torch.utils._python_dispatch import _disable_current_modes

__all__ = [
    "FREE",
    "Draw",
    "Stream",
    "Words",
    "coins_of",
    "confirms",
    "edge_coins",
    "fills",
    "real_torch",
    "stream",
    "tempered",
    "untempered",
    "words_of",
]

Words: TypeAlias = NDArray[np.uint32]
Draw: TypeAlias = Callable[[torch.Generator], torch.Tensor]

_SIZE, _SHIFT = 624, 397
_Generator = torch.Generator  # the class itself, whatever stands in its place while a program is run
FREE = _SIZE - 1  # a state whose last word is still to come would be twisted before it is read
_LAYOUT = np.dtype(
    [("seed", "u8"), ("left", "i4"), ("seeded", "i4"), ("next", "u8"), ("state", "u8", _SIZE), ("normals", "u8", 5)]
)
_LENGTHS = (1, 2, 15, 16, 17, 1, 64, 257, 300)  # on both sides of what vectorised code treats as one step
_PITCH = 2654435761  # odd, so that its multiples fill the words that nobody chose evenly


class Stream(NamedTuple):
    """A private generator, and the words that it will hand out."""

    generator: torch.Generator
    words: Words


def stream(chosen: Words, length: int) -> Stream:
    """Return a private generator whose next words are known.

    Parameters
    ----------
    chosen : array of at most 623 uint32
        The first words; none is right too.
    length : int
        How many words to return: the chosen ones, then fixed ones that fill the state, then their twist.

    Returns
    -------
    Stream

    Raises
    ------
    ValueError
        If there are more chosen words than a state holds.
    RuntimeError
        From torch, if the installed one refuses the state.
    """
    if len(chosen) > FREE:
        raise ValueError(f"chosen has {len(chosen)} words; a state holds {FREE}: confirm in several streams.")
    state = _filled(chosen)
    generator = _Generator(device="cpu")
    generator.set_state(torch.from_numpy(_record(state)))
    parts = [tempered(state[1:])]
    for _ in range((length - FREE + _SIZE - 1) // _SIZE):
        state = _twisted(state)
        parts.append(tempered(state))
    return Stream(generator, np.concatenate(parts)[:length])


def _filled(chosen: Words) -> Words:
    state = np.arange(1, _SIZE + 1, dtype=np.uint32) * np.uint32(_PITCH)
    state[1 : 1 + len(chosen)] = untempered(chosen)
    return state


def _record(state: Words) -> NDArray[np.uint8]:
    record = np.zeros((), dtype=_LAYOUT)
    record["left"], record["seeded"], record["next"], record["state"] = _SIZE, 1, 1, state
    return np.frombuffer(bytearray(record.tobytes()), dtype=np.uint8)


def tempered(state: Words) -> Words:
    """Return the words that a Mersenne twister hands out for these words of its state."""
    y = state ^ (state >> np.uint32(11))
    y = y ^ ((y << np.uint32(7)) & np.uint32(0x9D2C5680))
    y = y ^ ((y << np.uint32(15)) & np.uint32(0xEFC60000))
    words: Words = y ^ (y >> np.uint32(18))
    return words


def untempered(words: Words) -> Words:
    """Return the words of a state for which a Mersenne twister hands out `words`."""
    words = np.asarray(words, dtype=np.uint32)
    y = words ^ (words >> np.uint32(18))
    y = y ^ ((y << np.uint32(15)) & np.uint32(0xEFC60000))
    known = y
    for _ in range(4):  # seven more bits become right in every round
        known = y ^ ((known << np.uint32(7)) & np.uint32(0x9D2C5680))
    once = known ^ (known >> np.uint32(11))
    state: Words = once ^ (known >> np.uint32(22))
    return state


def _twisted(state: Words) -> Words:
    mixed = (state & np.uint32(0x80000000)) | (np.roll(state, -1) & np.uint32(0x7FFFFFFF))
    added = _folded(mixed)
    new = np.empty_like(state)
    step = _SIZE - _SHIFT
    new[:step] = state[_SHIFT:] ^ added[:step]
    new[step : 2 * step] = new[:step] ^ added[step : 2 * step]
    new[2 * step : -1] = new[step : _SHIFT - 1] ^ added[2 * step : -1]
    last = (state[-1:] & np.uint32(0x80000000)) | (new[:1] & np.uint32(0x7FFFFFFF))
    new[-1:] = new[_SHIFT - 1 : _SHIFT] ^ _folded(last)
    return new


def _folded(mixed: Words) -> Words:
    return (mixed >> np.uint32(1)) ^ np.where(mixed & np.uint32(1), np.uint32(0x9908B0DF), np.uint32(0))


def coins_of(words: Words, bits: int) -> NDArray[np.int64]:
    """Return the k of the coins k/2^bits that torch makes of these words: 32, 24 or 53 bits.

    A coin of 24 or 32 bits is the low end of one word, one of 53 bits that of two, of which the first is the
    high one.
    """
    if bits <= 32:
        return words.astype(np.int64) & ((1 << bits) - 1)
    wide = words[: len(words) // 2 * 2].astype(np.int64).reshape(-1, 2)
    return ((wide[:, 0] & ((1 << (bits - 32)) - 1)) << 32) | wide[:, 1]


def words_of(coins: Sequence[int], bits: int) -> Words:
    """Return words that make these coins; the bits that a coin does not read are set in every second one."""
    k = np.array(coins, dtype=np.int64)
    unread = np.where(np.arange(len(k)) % 2, (1 << 32) - 1, 0)
    if bits <= 32:
        return (k | (unread >> bits << bits)).astype(np.uint32)
    high = (k >> 32) | (unread >> (bits - 32) << (bits - 32))
    return np.stack([high, k & ((1 << 32) - 1)], axis=1).astype(np.uint32).reshape(-1)


def edge_coins(bits: int, more: Iterable[int] = ()) -> list[int]:
    """Return `more` and the coins at which a wrong map is likely to show, each twice, as many as a state holds.

    Coins out of range are left out. They are in pairs because `words_of` sets the unread bits of one of two.
    """
    top = (1 << bits) - 1
    wanted = [*more, 0, 1, top, top - 1]
    wanted += [k for power in range(bits - 1, 1, -1) for k in (1 << power, top - (1 << power))]
    coins = [k for k in dict.fromkeys(wanted) if 0 <= k <= top]
    room = FREE // (1 if bits <= 32 else 2)
    return [k for k in coins for _ in range(2)][:room]


def confirms(draws: Iterable[Draw], coins: Sequence[int], bits: int, expected: Callable[[Any], torch.Tensor]) -> bool:
    """Tell whether torch makes of known words, draw after draw, what it is expected to make.

    Parameters
    ----------
    draws : iterable of callables
        Each takes the generator and returns a tensor, its elements in the order of their coins.
    coins : sequence of int
        The first coins of the stream; `edge_coins` fit in it.
    bits : int
        As `coins_of` takes it.
    expected : callable
        From an int64 tensor [K] of k to the tensor [K] of what the draws return, one after the other.

    Returns
    -------
    bool
        False too where torch refuses the state or the call; False where nothing is drawn.
    """
    with real_torch():
        try:
            return _confirms(draws, coins, bits, expected)
        except RuntimeError:
            return False


def _confirms(draws: Iterable[Draw], coins: Sequence[int], bits: int, expected: Callable[[Any], torch.Tensor]) -> bool:
    chosen = words_of(coins, bits)
    generator = stream(chosen, 0).generator
    drawn = [draw(generator).reshape(-1) for draw in draws]
    number = sum(len(part) for part in drawn)
    words = stream(chosen, number * (1 if bits <= 32 else 2)).words
    made = expected(torch.from_numpy(coins_of(words, bits)))
    parts = torch.split(made, [len(part) for part in drawn])
    return number > 0 and all(map(torch.equal, drawn, parts))  # torch refuses to compare two dtypes


def fills(dtype: torch.dtype, fill: Callable[[torch.Tensor, torch.Generator], Any]) -> Iterator[Draw]:
    """Yield draws that fill tensors of many lengths, every second element of one, and one that lies across.

    Parameters
    ----------
    dtype : torch.dtype
        Of the tensors.
    fill : callable
        Takes a tensor and the generator, and writes to the tensor. torch fills in the order of the memory.
    """
    for target in _targets(dtype):
        yield lambda generator, target=target: _filled_in(target, generator, fill)  # type: ignore[misc]


def _targets(dtype: torch.dtype) -> Iterator[torch.Tensor]:
    for length in _LENGTHS:
        yield torch.zeros(length, dtype=dtype, device="cpu")
    yield torch.zeros(101, dtype=dtype, device="cpu")[::2]
    yield torch.zeros(9, 20, dtype=dtype, device="cpu").t()


def _filled_in(target: torch.Tensor, generator: torch.Generator, fill: Callable[..., Any]) -> torch.Tensor:
    fill(target, generator)
    return target.t() if target.dim() > 1 else target


@contextmanager
def real_torch() -> Iterator[None]:
    """Let torch run meanwhile as if no mode were on: what is confirmed is torch, not what stands in for it."""
    with _disable_current_modes(), torch._C.DisableTorchFunction():
        yield
