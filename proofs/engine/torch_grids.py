"""The numbers that torch's uniform operators return on the CPU, as exact maps from equally likely integers.

A map is used only after the installed torch was seen to follow it, on known words of a private generator:
the first and the last coins, powers of two, the coins at which results change hands at the upper end, coins
on which fused and separate rounding differ, and some thousand others; in tensors of many lengths and strides.
"""

import math
from collections.abc import Callable, Iterator
from functools import cache
from typing import NamedTuple, TypeAlias

import torch

from proofs.engine.torch_words import Draw, confirms, edge_coins, fills, real_torch

__all__ = ["Grid", "uniform_grid"]

Values: TypeAlias = Callable[[torch.Tensor], torch.Tensor]

_BITS = {torch.float64: 53, torch.float32: 24, torch.bfloat16: 24, torch.float16: 24}
_NARROWEST, _LARGEST = 2.0**-60, 2.0**60  # within them no step of `_fused` under- or overflows
_TELLING = (-0.3, 0.9)  # ends for which fused and separate rounding differ often
_TRIED = {torch.float64: 1 << 12, torch.float32: 1 << 12, torch.bfloat16: 1 << 16, torch.float16: 1 << 16}  # for some
_TOLD = 40


class Grid(NamedTuple):
    """Equally likely integers, and what torch makes of them.

    Attributes
    ----------
    size : int
        Every k in [0, size) has the probability 1/size.
    dtype : torch.dtype
        Of the values.
    values : callable
        From an int64 tensor [K] of k to the tensor [K] of values; never decreasing in k.
    name : str
        What a scope says of it, such as "torch.rand float32: k/2^24".
    """

    size: int
    dtype: torch.dtype
    values: Values
    name: str


@cache
@real_torch()
def uniform_grid(dtype: torch.dtype, low: float = 0.0, high: float = 1.0) -> Grid | None:
    """Return the grid of ``uniform_(low, high)`` on a CPU tensor, and of ``rand`` for the ends 0 and 1.

    Results that round to `high` are returned by torch as `low`: they come first, so that the map is monotone.
    Where both ends are equal in the dtype, every k has the value `low`.

    Parameters
    ----------
    dtype : torch.dtype
        float64, float32, bfloat16 or float16.
    low, high : float
        The ends, as the caller of torch wrote them.

    Returns
    -------
    Grid or None
        None where the installed torch was not seen to follow the map, for any other dtype, and for ends beyond
        2^60, or nearer to each other than 2^-60 without being equal.

    Raises
    ------
    ValueError
        If an end is not finite, or `low` exceeds `high`.
    """
    _check_ends(low, high)
    if dtype not in _BITS or max(abs(low), abs(high)) > _LARGEST or 0 < high - low < _NARROWEST:
        return None
    fused = (low, high) != (0.0, 1.0) and _is_fused(dtype)  # it does not matter for the ends 0 and 1
    if fused is None:
        return None
    raw, last = _raw(dtype, low, high, fused), _end(dtype, high)
    size = 1 << _BITS[dtype]
    top = size - _first(raw, last, size)
    if not _follows(dtype, low, high, raw, top):
        return None
    return Grid(size, dtype, _turned(raw, top), _name(dtype, low, high))


def _check_ends(low: float, high: float) -> None:
    for name, end in (("low", low), ("high", high)):
        if not math.isfinite(end):
            raise ValueError(f"{name} is {end!r}; expected a finite end: uniform_ has no law without one.")
    if low > high:
        raise ValueError(f"low is {low!r} and high is {high!r}; expected low <= high: exchange them.")


def _name(dtype: torch.dtype, low: float, high: float) -> str:
    kind, bits = str(dtype).removeprefix("torch."), _BITS[dtype]
    rounded = "" if bits == 53 or dtype == torch.float32 else f" rounded to {kind}, 1 returned as 0"
    if (low, high) == (0.0, 1.0):
        return f"torch.rand {kind}: k/2^{bits}{rounded}"
    ends = f"{low + 0.0!r} to {high + 0.0!r}"  # -0.0 is 0.0, an integer is a float
    return f"torch.uniform_ {kind}: {ends}, k/2^{bits} scaled and rounded, the upper end returned as the lower"


def _follows(dtype: torch.dtype, low: float, high: float, raw: Values, top: int) -> bool:
    size = 1 << _BITS[dtype]
    coins = edge_coins(_BITS[dtype], [*range(size - top - 2, size - top + 3), *_telling(dtype, low, high)])
    last, first = _end(dtype, high), _end(dtype, low)

    def expected(k: torch.Tensor) -> torch.Tensor:
        values = raw(k)
        return torch.where(values >= last, first, values)

    return confirms(_draws(dtype, low, high), coins, _BITS[dtype], expected)


def _draws(dtype: torch.dtype, low: float, high: float) -> Iterator[Draw]:
    """Draws of `uniform_`, and of `rand` and `rand_like` where they have these ends."""
    aten = torch.ops.aten

    def fill(target: torch.Tensor, generator: torch.Generator) -> None:
        aten.uniform_.default(target, low, high, generator=generator)

    yield from fills(dtype, fill)
    if (low, high) == (0.0, 1.0):
        like = torch.zeros(33, dtype=dtype, device="cpu")
        yield lambda generator: aten.rand.generator([], generator=generator, dtype=dtype, device="cpu")
        yield lambda generator: aten.rand.generator([7, 61], generator=generator, dtype=dtype, device="cpu")
        yield lambda generator: aten.rand_like.generator(like, generator=generator)


def _turned(raw: Values, top: int) -> Values:
    """Put the `top` greatest coins, which torch returns as the lower end, before the others."""
    if not top:
        return raw
    return lambda k: raw((k - top).clamp_(min=0))  # coin 0 has the lower end as value


def _first(raw: Values, last: torch.Tensor, size: int) -> int:
    """Return the first coin whose value is not below `last`, or `size`: the map does not decrease."""
    below, reached = -1, size
    while reached - below > 1:
        middle = (below + reached) // 2
        if bool(raw(torch.tensor([middle], dtype=torch.int64, device="cpu"))[0] < last):
            below = middle
        else:
            reached = middle
    return reached


# What torch computes: k/2^bits * (high - low) + low, with ends and steps in float64 for float64 and in float32
# for the others, rounded once or twice as the compiler chose, and then to the dtype.


def _wide(dtype: torch.dtype) -> torch.dtype:
    return torch.float64 if dtype == torch.float64 else torch.float32


def _end(dtype: torch.dtype, value: float) -> torch.Tensor:
    return torch.tensor(value, dtype=_wide(dtype), device="cpu").to(dtype)


def _raw(dtype: torch.dtype, low: float, high: float, fused: bool) -> Values:
    wide, scale = _wide(dtype), 2.0 ** -_BITS[dtype]
    if (low, high) == (0.0, 1.0):
        return lambda k: (k.to(wide) * scale).to(dtype)
    first, last = (torch.tensor(end, dtype=wide, device="cpu") for end in (low, high))
    width = last - first
    if not fused:
        return lambda k: (k.to(wide) * scale * width + first).to(dtype)
    once = _fused if wide == torch.float64 else _fused_short
    return lambda k: once(k.to(wide) * scale, width, first).to(dtype)


def _fused_short(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
    """Return x y + z for float32, rounded once: the product is exact in float64, the sum rounded to odd."""
    return _odd(*_two_sum(x.double() * y.double(), z.double())).float()


def _fused(x: torch.Tensor, y: torch.Tensor, z: torch.Tensor) -> torch.Tensor:
    """Return x y + z for float64, rounded once: the sum of three floats with the lower two rounded to odd."""
    high, low = _two_product(x, y)
    middle, lowest = _two_sum(z, low)
    top, rest = _two_sum(high, middle)
    return top + _odd(*_two_sum(lowest, rest))


def _two_sum(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the rounded sum, and what rounding took away."""
    total = a + b
    part = total - a
    return total, (a - (total - part)) + (b - part)


def _two_product(a: torch.Tensor, b: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    """Return the rounded product, and what rounding took away."""
    product = a * b
    (a_high, a_low), (b_high, b_low) = _halves(a), _halves(b)
    return product, ((a_high * b_high - product) + a_high * b_low + a_low * b_high) + a_low * b_low


def _halves(a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
    scaled = a * 134217729.0  # 2^27 + 1
    high = scaled - (scaled - a)
    return high, a - high


def _odd(total: torch.Tensor, lost: torch.Tensor) -> torch.Tensor:
    """Return the neighbour of an inexact sum that has an odd last bit, so that rounding it again is right."""
    bits = total.contiguous().view(torch.int64)
    step = torch.where((lost > 0) == (total > 0), 1, -1)
    return torch.where((lost != 0) & (bits % 2 == 0), bits + step, bits).view(torch.float64)


@cache
def _is_fused(dtype: torch.dtype) -> bool | None:
    """Tell whether torch rounds once or twice; None where it does neither, or both look alike."""
    if not _telling(dtype, *_TELLING):
        return None
    found = [fused for fused in (False, True) if _follows(dtype, *_TELLING, _raw(dtype, *_TELLING, fused), 0)]
    return found[0] if len(found) == 1 else None


@cache
def _telling(dtype: torch.dtype, low: float, high: float) -> tuple[int, ...]:
    """Return some coins on which fused and separate rounding differ; none where none was met."""
    if (low, high) == (0.0, 1.0):
        return ()
    step = (1 << _BITS[dtype]) // _TRIED[dtype]
    k = torch.arange(_TRIED[dtype], dtype=torch.int64, device="cpu") * step + step // 3
    once, twice = (_raw(dtype, low, high, fused)(k) for fused in (True, False))
    return tuple(k[once != twice][:_TOLD].tolist())
