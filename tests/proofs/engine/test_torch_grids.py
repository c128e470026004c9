"""The grids of torch's uniform numbers equal what torch returns, coin by coin, and wrong maps are refused."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch

from proofs.engine import torch_grids, torch_words
from proofs.engine.torch_grids import Grid, uniform_grid
from proofs.engine.torch_words import FREE, coins_of, real_torch, stream, words_of
from tests.proofs.engine.test_torch_words import no_modes_reach

F = Fraction
FLOATS = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
SHORT = FLOATS[1:]
ENDS = [(0.0, 1.0), (0.0, 0.1), (-1.0, 1.0), (0.1, 0.7), (-0.3, 0.9), (1e-30, 1.0), (0.1, 0.10001), (0.5, 0.5), (1, 3)]
SIZE = 1 << 24


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    def forget() -> None:
        for function in (uniform_grid, torch_grids._is_fused, torch_grids._telling):
            function.cache_clear()

    forget()
    yield
    forget()


def _grid(dtype: torch.dtype, low: float = 0.0, high: float = 1.0) -> Grid:
    found = uniform_grid(dtype, low, high)
    assert found is not None
    return found


def _drawn(coins: list[int], dtype: torch.dtype, low: float, high: float) -> torch.Tensor:
    bits = 53 if dtype == torch.float64 else 24
    parts, room = [], FREE // 2
    for start in range(0, len(coins), room):
        some = coins[start : start + room]
        generator = stream(words_of(some, bits), 0).generator
        parts.append(torch.zeros(len(some), dtype=dtype).uniform_(low, high, generator=generator))
    return torch.cat(parts)


def _every_coin(dtype: torch.dtype, low: float, high: float) -> torch.Tensor:
    """What torch makes of every coin of 24 bits, by torch itself."""
    words = torch_words.untempered(np.arange(SIZE, dtype=np.uint32))
    record, generator = torch_words._record(torch_words._filled(words[:0])), torch.Generator()
    layout = record.view(torch_words._LAYOUT)
    drawn = torch.zeros(SIZE, dtype=dtype)
    for start in range(0, SIZE, FREE):
        some = words[start : start + FREE]
        layout["state"][0, 1 : 1 + len(some)] = some
        generator.set_state(torch.from_numpy(record))
        drawn[start : start + FREE].uniform_(low, high, generator=generator)
    return drawn


@pytest.mark.parametrize(
    ("dtype", "ends"),
    [
        (torch.float16, (0.0, 1.0)),
        (torch.bfloat16, (-0.3, 0.9)),
        (torch.float32, (0.1, 0.7)),
        *[
            pytest.param(*case, marks=pytest.mark.heavy)
            for case in (
                (torch.bfloat16, (0.0, 1.0)),
                (torch.float16, (0.0, 0.1)),
                (torch.bfloat16, (-1.0, 1.0)),
                (torch.float32, (-1.0, 1.0)),
                (torch.float16, (1.0, 3.0)),
            )
        ],
    ],
)
def test_every_coin_of_a_grid_is_what_torch_returns(dtype: torch.dtype, ends: tuple[float, float]) -> None:
    drawn, grid = _every_coin(dtype, *ends), _grid(dtype, *ends)
    low, high = (torch.tensor(end, dtype=torch.float32).to(dtype) for end in ends)
    values = grid.values(torch.arange(SIZE))
    assert grid.size == SIZE
    assert values.dtype == grid.dtype == dtype
    assert bool((values[1:] >= values[:-1]).all())
    assert not bool((values == high).any())
    top = int((drawn == low).sum()) - int((drawn[: SIZE // 2] == low).sum())  # what came round from the upper end
    assert torch.equal(values, torch.roll(drawn, top))
    assert bool((values[:top] == low).all())


@pytest.mark.parametrize(
    ("dtype", "number", "zeros", "greatest"),
    [
        (torch.bfloat16, 2304, 32769, 0.99609375),
        (torch.float16, 15360, 4097, 0.99951171875),
        (torch.float32, SIZE, 1, 1 - 2**-24),
    ],
)
def test_exact_counts(dtype: torch.dtype, number: int, zeros: int, greatest: float) -> None:
    values = _grid(dtype).values(torch.arange(SIZE)).double().numpy()
    starts = np.flatnonzero(np.diff(values, prepend=-1.0))
    found, counts = values[starts], np.diff(starts, append=SIZE)
    assert (len(found), int(counts[0]), float(found[0]), float(found[-1])) == (number, zeros, 0.0, greatest)
    assert int(counts.sum()) == SIZE


def test_float64_has_its_53_bits() -> None:
    grid = _grid(torch.float64)
    k = torch.tensor([0, 1, 2**52, 2**53 - 1])
    assert grid.size == 2**53
    assert grid.values(k).tolist() == [0.0, 2.0**-53, 0.5, 1 - 2.0**-53]


@pytest.mark.parametrize("ends", ENDS)
@pytest.mark.parametrize("dtype", FLOATS)
def test_a_grid_equals_torch_on_coins_that_were_not_tried(dtype: torch.dtype, ends: tuple[float, float]) -> None:
    grid = _grid(dtype, *ends)
    coins = np.random.default_rng(5).integers(0, grid.size, 4000)
    drawn = _drawn(coins.tolist(), dtype, *ends)
    raw = torch_grids._raw(dtype, *ends, fused=True)
    top = grid.size - torch_grids._first(raw, torch_grids._end(dtype, ends[1]), grid.size)
    k = torch.from_numpy((coins + top) % grid.size)
    assert torch.equal(drawn, grid.values(k))


def _nearest(value: float, exact: Fraction, kind: Any) -> bool:
    others = [np.nextafter(kind(value), kind(sign * np.inf)) for sign in (-1, 1)]
    return all(abs(F(value) - exact) <= abs(F(float(other)) - exact) for other in others)


@pytest.mark.parametrize("ends", [(-0.3, 0.9), (0.1, 0.7), (1e-30, 1.0), (-5.0, 1e9), (1e-9, 2e-9)])
@pytest.mark.parametrize(("dtype", "kind"), [(torch.float64, np.float64), (torch.float32, np.float32)])
def test_fused_values_are_the_exact_ones_rounded_once(dtype: torch.dtype, kind: Any, ends: tuple[float, float]) -> None:
    bits = 53 if dtype == torch.float64 else 24
    coins = np.random.default_rng(6).integers(0, 1 << bits, 2000)
    values = torch_grids._raw(dtype, *ends, fused=True)(torch.from_numpy(coins)).double().tolist()
    low, high = kind(ends[0]), kind(ends[1])
    for k, value in zip(coins.tolist(), values, strict=True):
        exact = F(k, 1 << bits) * F(float(high - low)) + F(float(low))
        assert _nearest(value, exact, kind)


def test_fused_ties_are_rounded_to_even() -> None:
    one, third = torch.tensor([1.0], dtype=torch.float64), torch.tensor(2.0**-53, dtype=torch.float64)
    assert float(torch_grids._fused(one, third, one)) == 1.0
    assert float(torch_grids._fused(one + 2**-52, third, one)) == 1.0 + 2**-52
    assert float(torch_grids._fused(one, -third / 2, one)) == 1.0
    short = torch.tensor([1.0 + 2**-23], dtype=torch.float32)
    assert float(torch_grids._fused_short(short, torch.tensor(2.0**-24), torch.tensor(1.0))) == 1.0 + 2**-23


def test_fused_values_are_not_rounded_twice() -> None:
    for bits, kind, fused in ((23, torch.float32, torch_grids._fused_short), (51, torch.float64, torch_grids._fused)):
        step = 2.0 ** -(bits + 1 if kind == torch.float32 else bits + 2)  # half of what a one is rounded to
        factors = [2**bits + sign * 2 ** (bits // 2 + 1) + 1 for sign in (-1, 1)]
        assert factors[0] * factors[1] == 4**bits + 1  # the product is above a tie by less than a float64 shows
        x, y = (torch.tensor([float(factor)], dtype=kind) * 2.0**-bits for factor in factors)
        assert float(fused(x, y * step, torch.tensor(1.0, dtype=kind))) == 1 + 2 * step


def test_it_is_not_known_how_torch_rounds_where_both_ways_fit(monkeypatch: pytest.MonkeyPatch) -> None:
    for fits in (True, False):
        torch_grids._is_fused.cache_clear()
        monkeypatch.setattr(torch_grids, "_follows", lambda *arguments, fits=fits: fits)
        assert torch_grids._is_fused(torch.float32) is None


def test_both_ends_equal_in_the_dtype_leave_one_value() -> None:
    for ends in ((0.5, 0.5), (0.1, 0.1 + 1e-9)):
        values = _grid(torch.bfloat16, *ends).values(torch.tensor([0, 1, SIZE - 1]))
        assert values.tolist() == [torch.tensor(ends[0]).bfloat16().item()] * 3


def _shifted(true: Callable[..., Any]) -> Callable[..., Any]:
    return lambda *arguments, **keywords: lambda k: true(*arguments, **keywords)((k + 1).clamp(max=2**24 - 1))


def _bent(true: Callable[..., Any]) -> Callable[..., Any]:
    """Wrong at the last coin of 24 or 53 bits alone."""
    return lambda dtype, *rest, **keywords: (
        lambda k: true(dtype, *rest, **keywords)(torch.where(k == (1 << torch_grids._BITS[dtype]) - 1, k // 2, k))
    )


@pytest.mark.parametrize("spoil", [_shifted, _bent])
@pytest.mark.parametrize("dtype", FLOATS)
def test_a_wrong_map_is_not_confirmed(dtype: torch.dtype, spoil: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_grids, "_raw", spoil(torch_grids._raw))
    assert uniform_grid(dtype) is None
    assert uniform_grid(dtype, 0.1, 0.7) is None


@pytest.mark.parametrize("dtype", FLOATS)
def test_a_wrong_number_of_bits_is_not_confirmed(dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch) -> None:
    for bits in (11, 23, 25, 32, 52):
        with monkeypatch.context() as patch:
            patch.setitem(torch_grids._BITS, dtype, bits)
            patch.setitem(torch_grids._TRIED, dtype, 1 << 11)
            uniform_grid.cache_clear()
            assert uniform_grid(dtype) is None


@pytest.mark.parametrize("dtype", SHORT[1:])
def test_an_upper_end_that_stays_is_not_confirmed(dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        torch_grids, "_end", lambda dtype, value: torch.tensor(value + 1, dtype=torch.float32).to(dtype)
    )
    assert uniform_grid(dtype) is None


@pytest.mark.parametrize("dtype", FLOATS)
def test_the_other_way_of_rounding_is_not_confirmed(dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch) -> None:
    fused = torch_grids._is_fused(dtype)
    assert fused is not None
    monkeypatch.setattr(torch_grids, "_is_fused", lambda dtype: not fused)
    assert uniform_grid(dtype, *torch_grids._TELLING) is None


@pytest.mark.parametrize("dtype", FLOATS)
def test_where_no_coin_tells_the_ways_of_rounding_apart_there_is_no_grid(
    dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(torch_grids, "_TELLING", (-1.0, 1.0))
    if not torch_grids._telling(dtype, -1.0, 1.0):
        assert uniform_grid(dtype, 0.1, 0.7) is None
    assert uniform_grid(dtype) is not None


@pytest.mark.parametrize("dtype", FLOATS)
def test_another_layout_of_the_words_is_not_confirmed(dtype: torch.dtype, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_words, "coins_of", lambda words, bits: coins_of(words[::-1].copy(), bits))
    assert uniform_grid(dtype) is None


def test_there_is_no_grid_for_other_dtypes_and_ends() -> None:
    for dtype in (torch.int64, torch.bool, torch.complex64, torch.float8_e5m2):
        assert uniform_grid(dtype) is None
    for ends in ((0.0, 1e30), (-1e30, 0.0), (0.0, 1e-30)):
        assert uniform_grid(torch.float64, *ends) is None


@pytest.mark.parametrize(
    ("ends", "message"),
    [
        ((float("nan"), 1.0), "low is nan; expected a finite end"),
        ((0.0, float("inf")), "high is inf; expected a finite end"),
        ((2.0, 1.0), "low is 2.0 and high is 1.0; expected low <= high"),
    ],
)
def test_ends_without_a_law_are_refused(ends: tuple[float, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        uniform_grid(torch.float32, *ends)


def test_names() -> None:
    assert _grid(torch.float32).name == "torch.rand float32: k/2^24"
    assert _grid(torch.float64).name == "torch.rand float64: k/2^53"
    assert _grid(torch.float16).name == "torch.rand float16: k/2^24 rounded to float16, 1 returned as 0"
    assert _grid(torch.float32, 0, 2).name.startswith("torch.uniform_ float32: 0.0 to 2.0, k/2^24 scaled")


def test_a_grid_is_confirmed_once() -> None:
    assert uniform_grid(torch.float16) is uniform_grid(torch.float16)


def test_modes_defaults_and_global_generators_play_no_part() -> None:
    state = torch.get_rng_state()
    torch.set_default_dtype(torch.float64)
    try:
        with torch.device("meta"), torch.inference_mode(), no_modes_reach():
            grids = [uniform_grid(dtype, *ends) for dtype in FLOATS for ends in ((0.0, 1.0), (0.1, 0.7))]
    finally:
        torch.set_default_dtype(torch.float32)
    assert None not in grids
    with real_torch():
        assert torch.equal(state, torch.get_rng_state())
