"""The laws of torch's discrete random operators on the CPU: exact weights of what they return.

As in `proofs.engine.torch_grids`, a law is given only after the installed torch was seen to follow it on known
words of a private generator; where it computes in another way, as with some libraries on some processors,
there is none.
"""

import math
from collections.abc import Iterator
from fractions import Fraction
from functools import cache, lru_cache
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from proofs.engine.torch_words import FREE, Draw, confirms, edge_coins, fills, real_torch
from proofs.engine.weights import Weight, weight

__all__ = ["bernoulli_weight", "integer_weights", "replacement_weights", "shuffles"]

_WIDE = {torch.float64: torch.float64, torch.float32: torch.float32} | dict.fromkeys(
    (torch.float16, torch.bfloat16), torch.float32
)
_MOST = 4096  # integers that one choice may range over
_WORD = 1 << 32
_COINS = 1 << 53
_SHUFFLES = 60  # orders of one stream
_SEEN = 12  # streams, so many edges of a row are tried at most
_REMEMBERED = 64  # rows


@cache
@real_torch()
def bernoulli_weight(p: float, kind: torch.dtype | None = None) -> Weight | None:
    """Return the probability of a one from torch's coin of probability `p`.

    Parameters
    ----------
    p : float
        Between 0 and 1.
    kind : torch.dtype, optional
        The dtype of the tensor of probabilities in ``bernoulli(tensor)`` and ``bernoulli_(tensor)``; None for a
        number, ``bernoulli(input, p)`` and ``bernoulli_(p)``, whatever the dtype that is filled.

    Returns
    -------
    Weight or None
        The share of the coins k/2^53 (a number, float64) or k/2^24 (float32, bfloat16, float16) below `p`; None
        where the installed torch was not seen to compare so, and for any other dtype.

    Raises
    ------
    ValueError
        If `p` is not between 0 and 1, or is no value of the dtype.
    """
    if not 0 <= p <= 1:
        raise ValueError(f"p is {p!r}; expected 0 <= p <= 1, as torch does.")
    if kind is not None and kind not in _WIDE:
        return None
    if kind is not None and torch.tensor(p, dtype=kind, device="cpu").item() != p:
        raise ValueError(f"p is {p!r}, which {kind} does not hold; take it from the tensor with item().")
    bits = 24 if kind is not None and _WIDE[kind] == torch.float32 else 53
    below = math.ceil(Fraction(p) * (1 << bits))
    if not _compares(p, kind, bits, below):
        return None
    return weight(Fraction(below, 1 << bits))


def _compares(p: float, kind: torch.dtype | None, bits: int, below: int) -> bool:
    """Tell whether torch returns a one exactly for the coins before `below`, into tensors of several dtypes."""
    coins = edge_coins(bits, range(below - 2, below + 3))
    if kind is not None:
        made = _returned(kind, below)
        if not confirms([lambda generator: _of_probabilities(p, kind, generator)], coins, bits, made):
            return False
    return all(
        confirms(
            fills(dtype, lambda target, generator: _fill(target, p, kind, generator)),
            coins,
            bits,
            _returned(dtype, below),
        )
        for dtype in (torch.float32, torch.float64, torch.bfloat16, torch.int64, torch.bool)
    )


def _returned(dtype: torch.dtype, below: int) -> Any:
    return lambda k: (k < below).to(dtype)


def _of_probabilities(p: float, kind: torch.dtype, generator: torch.Generator) -> torch.Tensor:
    rows = torch.full((7, 101), p, dtype=kind, device="cpu")
    return torch.ops.aten.bernoulli.default(rows, generator=generator)  # type: ignore[no-any-return]


def _fill(target: torch.Tensor, p: float, kind: torch.dtype | None, generator: torch.Generator) -> None:
    aten = torch.ops.aten
    if kind is not None:
        aten.bernoulli_.Tensor(target, torch.full_like(target, p, dtype=kind), generator=generator)
    elif target.is_contiguous():
        target.copy_(aten.bernoulli.p(target, p, generator=generator))
    else:
        aten.bernoulli_.float(target, p, generator=generator)


def integer_weights(count: int) -> list[Weight] | None:
    """Return the probabilities of the `count` integers of ``randint`` and ``random_``, the lowest first.

    A word of 32 bits is divided by `count`, and the remainder is returned: the first are more likely.

    Parameters
    ----------
    count : int
        One more than the greatest integer, less the lowest.

    Returns
    -------
    list of Weight or None
        None where the installed torch was not seen to do so, and for more than 4096 integers.

    Raises
    ------
    ValueError
        If `count` is not positive.
    """
    if count < 1:
        raise ValueError(f"count is {count}; expected at least one integer to draw from.")
    if count > _MOST or not _divides(count):
        return None
    share, rest = divmod(_WORD, count)
    return [weight(Fraction(share + (k < rest), _WORD)) for k in range(count)]


@cache
@real_torch()
def _divides(count: int) -> bool:
    coins = edge_coins(32, [*range(count - 1, count + 2), *range(_WORD - _WORD % count - 1, _WORD - _WORD % count + 2)])
    return all(
        confirms(_integers(count, low, dtype), coins, 32, lambda k, low=low, dtype=dtype: (k % count + low).to(dtype))  # type: ignore[misc]
        for low, dtype in ((0, torch.int64), (-3, torch.int64), (0, torch.int32), (0, torch.float32))
    )


def _integers(count: int, low: int, dtype: torch.dtype) -> Iterator[Draw]:
    aten, keywords = torch.ops.aten, {"dtype": dtype, "device": "cpu"}
    yield from fills(
        dtype, lambda target, generator: getattr(aten.random_, "from")(target, low, low + count, generator=generator)
    )
    yield lambda generator: aten.randint.low_generator(low, low + count, [5, 30], generator=generator, **keywords)
    if low == 0:
        yield from fills(dtype, lambda target, generator: aten.random_.to(target, count, generator=generator))
        yield lambda generator: aten.randint.generator(count, [5, 30], generator=generator, **keywords)


@cache
@real_torch()
def shuffles(count: int) -> bool:
    """Tell whether ``randperm(count)`` swaps each place but the last with itself or a later one, by `integer_weights`.

    Parameters
    ----------
    count : int
        At least 2 and at most 10; there is nothing to draw for fewer.

    Returns
    -------
    bool
        Whether the installed torch was seen to do so.
    """
    draws = [lambda generator: torch.ops.aten.randperm.generator(count, generator=generator, device="cpu")[:-1]]

    def expected(words: torch.Tensor) -> torch.Tensor:
        return torch.tensor([_shuffled(row, count)[:-1] for row in words.reshape(-1, count - 1).tolist()]).reshape(-1)

    return confirms(draws * _SHUFFLES, edge_coins(32, range(2 * count)), 32, expected)


def _shuffled(words: list[int], count: int) -> list[int]:
    order = list(range(count))
    for at, word in enumerate(words):
        other = at + word % (count - at)
        order[at], order[other] = order[other], order[at]
    return order


@real_torch()
def replacement_weights(row: torch.Tensor) -> list[Weight] | None:
    """Return the law of each of several draws with replacement, ``multinomial(row, n, replacement=True)``, n > 1.

    The running sum of the row, in float32 unless the row is float64, is divided by its last value, and the
    first entry not below a coin k/2^53 is returned. So a first token of weight zero has the probability 2^-53.
    A single draw is a race of exponentials and has another law.

    Parameters
    ----------
    row : tensor [V]
        Weights >= 0 of positive sum, float64, float32, bfloat16 or float16, on the CPU.

    Returns
    -------
    list of Weight or None
        None where the installed torch was not seen to follow this law for this row. Both coins next to every
        end of a step are tried, of rows with more than some 900 tokens those of so many tokens.

    Raises
    ------
    ValueError
        If the row is no row of weights, with the first index that shows it.
    """
    if row.dim() != 1 or row.dtype not in _WIDE or row.device.type != "cpu":
        raise ValueError(
            f"row is {list(row.shape)}, {row.dtype}, on {row.device}; expected one row [V] of floats on the CPU."
        )
    plain = row.detach().clone(memory_format=torch.contiguous_format)
    _check_weights(plain.double().numpy())
    found = _replacement(row.dtype, plain.view(torch.uint8).numpy().tobytes())
    return None if found is None else list(found)


def _check_weights(row: NDArray[np.float64]) -> None:
    wrong = np.flatnonzero(~(np.isfinite(row) & (row >= 0)))
    if len(wrong):
        raise ValueError(f"row[{wrong[0]}] is {row[wrong[0]]}; expected finite weights >= 0, as torch does.")
    if not row.any():
        raise ValueError(f"row has no mass: its {len(row)} weights sum to 0; torch raises too.")


@lru_cache(_REMEMBERED)
def _replacement(dtype: torch.dtype, content: bytes) -> tuple[Weight, ...] | None:
    row = torch.frombuffer(bytearray(content), dtype=dtype)
    ends = _ends(row)
    if ends is None or not _steps(row, ends):
        return None
    return tuple(weight(Fraction(int(coins), _COINS)) for coins in np.diff(ends, prepend=0))


def _ends(row: torch.Tensor) -> NDArray[np.int64] | None:
    """Return for every token how many coins are not above its entry of the divided running sum."""
    with np.errstate(all="ignore"):  # an overflow is looked at below
        running = np.cumsum(row.to(_WIDE[row.dtype]).numpy())
    if not np.isfinite(running[-1]):
        return None
    divided = (running / running[-1]).astype(np.float64)
    ends: NDArray[np.int64] = np.minimum(np.floor(divided * _COINS).astype(np.int64) + 1, _COINS)
    return ends


def _steps(row: torch.Tensor, ends: NDArray[np.int64]) -> bool:
    room = FREE // 2 // 4 * 4  # coins of a stream: two at each end, twice
    several = _spread(ends, room // 4 * _SEEN)
    return all(
        _step(row, ends, several[start : start + room // 4], room) for start in range(0, len(several), room // 4)
    )


def _spread(ends: NDArray[np.int64], most: int) -> NDArray[np.int64]:
    distinct = np.unique(ends)
    return distinct if len(distinct) <= most else distinct[np.linspace(0, len(distinct) - 1, most).astype(np.int64)]


def _step(row: torch.Tensor, ends: NDArray[np.int64], some: NDArray[np.int64], room: int) -> bool:
    coins = edge_coins(53, [int(k) for end in some for k in (end - 1, end)])[:room]

    def expected(k: torch.Tensor) -> torch.Tensor:
        return torch.from_numpy(np.searchsorted(ends, k.numpy(), side="right"))

    return confirms(_draws(row, len(coins)), coins, 53, expected)


def _draws(row: torch.Tensor, number: int) -> Iterator[Draw]:
    multinomial = torch.ops.aten.multinomial.default
    across = torch.stack([row, row], dim=1)  # torch walks each row with its own stride
    yield lambda generator: multinomial(row, number, True, generator=generator)
    yield lambda generator: multinomial(row.expand(3, -1), 17, True, generator=generator)
    yield lambda generator: multinomial(across.t(), 2, True, generator=generator)
