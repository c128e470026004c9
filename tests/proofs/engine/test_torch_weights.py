"""The weights of torch's discrete operators equal counts of what torch returns, and wrong laws are refused."""

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch

from proofs.engine import torch_weights, torch_words
from proofs.engine.torch_weights import bernoulli_weight, integer_weights, replacement_weights, shuffles
from proofs.engine.torch_words import coins_of, real_torch, stream, words_of
from proofs.engine.weights import is_weight, to_fraction
from tests.proofs.engine.test_torch_words import no_modes_reach

F = Fraction
FLOATS = (torch.float64, torch.float32, torch.bfloat16, torch.float16)
ATOM = F(1, 2**53)
ABSORBING = torch.tensor([2.0**24, 1.0, 1.0, 1.0])


@pytest.fixture(autouse=True)
def _fresh() -> Iterator[None]:
    def forget() -> None:
        for function in (bernoulli_weight, shuffles, torch_weights._divides, torch_weights._replacement):
            function.cache_clear()

    forget()
    yield
    forget()


def _value(p: float, dtype: torch.dtype) -> float:
    return torch.tensor(p, dtype=dtype).item()


def _fractions(weights: list[Any] | None) -> list[Fraction]:
    assert weights is not None
    assert all(is_weight(each) for each in weights)
    return [to_fraction(each) for each in weights]


@pytest.mark.parametrize("p", [0.0, 1.0, 0.5, 0.3, 1 / 3, 2.0**-24, 0.99])
@pytest.mark.parametrize("kind", [None, *FLOATS])
def test_a_coin_is_below_p_as_often_as_exact_counting_says(p: float, kind: torch.dtype | None) -> None:
    bits = 53 if kind in (None, torch.float64) else 24
    p = p if kind is None else _value(p, kind)
    found = bernoulli_weight(p, kind)
    assert is_weight(found)
    assert to_fraction(found) == F(math.ceil(F(p) * 2**bits), 2**bits)


def test_the_three_laws_of_one_probability() -> None:
    p = _value(0.3, torch.float32)
    assert to_fraction(bernoulli_weight(0.3)) == F(2702159776422298, 2**53)
    assert to_fraction(bernoulli_weight(p, torch.float32)) == F(p) == F(5033165, 2**24)
    assert to_fraction(bernoulli_weight(2.0**-40, torch.float32)) == F(1, 2**24)  # not 2^-40
    assert to_fraction(bernoulli_weight(2.0**-60)) == ATOM


@pytest.mark.parametrize("kind", [torch.float32, torch.float16])
def test_a_switch_of_torch_is_where_the_weight_says(kind: torch.dtype) -> None:
    for p in np.random.default_rng(3).random(100):
        value = _value(float(p), kind)
        below = int(to_fraction(bernoulli_weight(value, kind)) * 2**24)
        generator = stream(words_of([below - 1, below], 24), 0).generator
        assert torch.bernoulli(torch.full((2,), value, dtype=kind), generator=generator).tolist() == [1.0, 0.0]


def test_a_switch_of_a_number_is_where_the_weight_says() -> None:
    for p in np.random.default_rng(4).random(50):
        below = int(to_fraction(bernoulli_weight(float(p))) * 2**53)
        generator = stream(words_of([below - 1, below], 53), 0).generator
        assert torch.zeros(2, dtype=torch.float16).bernoulli_(float(p), generator=generator).tolist() == [1.0, 0.0]


@pytest.mark.parametrize("kind", [None, *FLOATS])
def test_another_comparison_is_not_confirmed(kind: torch.dtype | None, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_weights, "_returned", lambda dtype, below: lambda k: (k <= below).to(dtype))
    assert bernoulli_weight(0.25, kind) is None


@pytest.mark.parametrize("kind", FLOATS)
def test_coins_of_another_width_are_not_confirmed(kind: torch.dtype, monkeypatch: pytest.MonkeyPatch) -> None:
    wide = torch.float32 if kind == torch.float64 else torch.float64
    monkeypatch.setitem(torch_weights._WIDE, kind, wide)
    assert bernoulli_weight(0.25, kind) is None


def test_there_is_no_coin_of_another_dtype() -> None:
    assert bernoulli_weight(1.0, torch.int64) is None
    assert bernoulli_weight(0.5, torch.float8_e5m2) is None


@pytest.mark.parametrize("p", [-0.1, 1.0000001, float("nan"), float("inf")])
def test_no_coin_has_such_a_probability(p: float) -> None:
    with pytest.raises(ValueError, match=r"p is .*; expected 0 <= p <= 1"):
        bernoulli_weight(p)


def test_a_probability_that_the_dtype_does_not_hold_is_refused() -> None:
    with pytest.raises(ValueError, match=r"p is 0.3, which torch.float32 does not hold; take it from the tensor"):
        bernoulli_weight(0.3, torch.float32)


@pytest.mark.parametrize("count", [1, 2, 3, 5, 7, 64, 1000, 4095, 4096])
def test_integers_have_the_remainders_of_a_word(count: int) -> None:
    found = _fractions(integer_weights(count))
    last = 2**32 - 1
    counted = [F((last - k) // count + 1, 2**32) for k in range(count)]
    assert found == counted
    assert sum(found) == 1


def test_remainders_of_three() -> None:
    assert _fractions(integer_weights(3)) == [F(1431655766, 2**32), F(1431655765, 2**32), F(1431655765, 2**32)]


def test_a_list_of_weights_belongs_to_the_caller() -> None:
    integer_weights(2).clear()  # type: ignore[union-attr]
    replacement_weights(ABSORBING).clear()  # type: ignore[union-attr]
    assert len(_fractions(integer_weights(2))) == 2
    assert len(_fractions(replacement_weights(ABSORBING))) == 4


@pytest.mark.parametrize("word", [1 << 31, (1 << 32) - 1, 1 << 33])
def test_integers_of_another_word_are_not_confirmed(word: int, monkeypatch: pytest.MonkeyPatch) -> None:
    true = coins_of
    monkeypatch.setattr(torch_words, "coins_of", lambda words, bits: true(words, bits) % word)
    assert (integer_weights(7) is None) == (word <= 1 << 32)


def test_the_high_end_of_a_product_is_no_remainder(monkeypatch: pytest.MonkeyPatch) -> None:
    true = coins_of
    monkeypatch.setattr(torch_words, "coins_of", lambda words, bits: true(words, bits) * 7 >> 32)
    assert integer_weights(7) is None


def test_so_many_integers_have_no_weights() -> None:
    assert integer_weights(4097) is None
    for count in (0, -3):
        with pytest.raises(ValueError, match=rf"count is {count}; expected at least one integer"):
            integer_weights(count)


def _rows() -> Iterator[torch.Tensor]:
    for dtype in FLOATS:
        for number in (1, 2, 3, 17, 300, 2000):
            yield torch.rand(number, generator=torch.Generator().manual_seed(number)).to(dtype)
        yield torch.tensor([0.0, 0.25, 0.0, 0.5, 0.0], dtype=dtype)
        yield torch.tensor([3.0, 1.0, 0.0, 7.0, 1e-4], dtype=dtype)
        yield torch.tensor([0.1] * 10, dtype=dtype)


def _counted(row: torch.Tensor) -> list[Fraction]:
    """Running sum, division and rounding one operation at a time, every entry as a rational."""
    kind = np.float64 if row.dtype == torch.float64 else np.float32
    sums = [kind(0)]
    for value in row.double().tolist():
        sums.append(kind(sums[-1] + kind(value)))
    entries = [F(float(kind(each / sums[-1]))) for each in sums[1:-1]] + [F(1)]
    coins = [min(math.floor(entry * 2**53) + 1, 2**53) for entry in entries]
    return [F(after - before, 2**53) for before, after in zip([0, *coins], coins, strict=False)]


@pytest.mark.parametrize("row", list(_rows()), ids=lambda row: f"{row.dtype}-{len(row)}")
def test_draws_with_replacement_follow_the_running_sum(row: torch.Tensor) -> None:
    found = _fractions(replacement_weights(row))
    assert found == _counted(row)
    assert sum(found) == 1


def _drawn(row: torch.Tensor, coins: list[int]) -> list[int]:
    generator = stream(words_of(coins, 53), 0).generator
    return torch.multinomial(row, len(coins), replacement=True, generator=generator).tolist()


@pytest.mark.parametrize("dtype", FLOATS)
def test_torch_changes_its_token_where_the_weights_say(dtype: torch.dtype) -> None:
    row = torch.rand(50, generator=torch.Generator().manual_seed(9)).to(dtype)
    ends = np.cumsum([int(share * 2**53) for share in _fractions(replacement_weights(row))]).tolist()
    assert _drawn(row, [end - 1 for end in ends]) == list(range(50))
    assert _drawn(row, ends[:-1]) == list(range(1, 50))


def test_the_running_sum_of_float32_absorbs() -> None:
    assert _fractions(replacement_weights(ABSORBING)) == [1, 0, 0, 0]
    exact = _fractions(replacement_weights(ABSORBING.double()))
    assert exact[0] == F(math.floor(F(2.0**24 / (2.0**24 + 3)) * 2**53) + 1, 2**53) < 1


def test_tokens_of_weight_zero() -> None:
    found = _fractions(replacement_weights(torch.tensor([0.0, 0.0, 1.0, 0.0])))
    assert found == [ATOM, 0, 1 - ATOM, 0]
    assert _drawn(torch.tensor([0.0, 0.0, 1.0, 0.0]), [0, 1]) == [0, 2]


def test_a_row_may_be_part_of_a_tensor_and_of_a_graph() -> None:
    whole = torch.tensor([[0.5, 9.0], [0.25, 9.0], [0.25, 9.0]], requires_grad=True)
    assert replacement_weights(whole[:, 0]) == replacement_weights(torch.tensor([0.5, 0.25, 0.25]))


def test_a_sum_in_another_dtype_is_not_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(torch_weights._WIDE, torch.float32, torch.float64)
    assert replacement_weights(ABSORBING) is None
    monkeypatch.setitem(torch_weights._WIDE, torch.float16, torch.float16)
    assert replacement_weights(torch.full((300,), 0.7).half()) is None


@pytest.mark.parametrize("shift", [-1, 1])
def test_ends_one_coin_away_are_not_confirmed(shift: int, monkeypatch: pytest.MonkeyPatch) -> None:
    true, row = torch_weights._ends, torch.rand(800, generator=torch.Generator().manual_seed(2))
    wrong = 555  # one end of eight hundred

    def moved(row: torch.Tensor) -> Any:
        ends = true(row)
        assert ends is not None
        ends[wrong] += shift
        return ends

    monkeypatch.setattr(torch_weights, "_ends", moved)
    assert replacement_weights(row) is None


def test_a_sum_that_overflows_has_no_law() -> None:
    assert replacement_weights(torch.tensor([3e38, 3e38])) is None


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (torch.tensor([0.5, -0.5]), r"row\[1\] is -0.5; expected finite weights >= 0"),
        (torch.tensor([float("nan"), 1.0]), r"row\[0\] is nan; expected finite weights >= 0"),
        (torch.tensor([1.0, float("inf")]), r"row\[1\] is inf; expected finite weights >= 0"),
        (torch.zeros(3), "row has no mass: its 3 weights sum to 0"),
        (torch.zeros(0), "row has no mass: its 0 weights sum to 0"),
        (torch.ones(2, 2), r"row is \[2, 2\], torch.float32, on cpu; expected one row"),
        (torch.ones(2, dtype=torch.int64), r"row is \[2\], torch.int64, on cpu; expected one row"),
        (torch.ones(2, device="meta"), r"row is \[2\], torch.float32, on meta; expected one row"),
    ],
)
def test_what_is_no_row_is_refused(row: torch.Tensor, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        replacement_weights(row)


def test_another_layout_of_the_words_is_not_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(torch_words, "coins_of", lambda words, bits: coins_of(words[::-1].copy(), bits))
    assert bernoulli_weight(0.5) is None
    assert bernoulli_weight(0.5, torch.float32) is None
    assert integer_weights(3) is None
    assert not shuffles(4)
    assert replacement_weights(ABSORBING.double()) is None


def test_modes_and_global_generators_play_no_part() -> None:
    state = torch.get_rng_state()
    with torch.device("meta"), torch.inference_mode(), no_modes_reach():
        found = [bernoulli_weight(0.5), bernoulli_weight(0.5, torch.float16), integer_weights(3)]
        found.append(replacement_weights(ABSORBING))
    assert None not in found
    with real_torch():
        assert torch.equal(state, torch.get_rng_state())


@pytest.mark.parametrize("count", range(2, 11))
def test_orders_are_those_of_a_shuffle_by_remainders(count: int) -> None:
    assert shuffles(count)


def test_another_shuffle_is_not_confirmed(monkeypatch: pytest.MonkeyPatch) -> None:
    shuffled = torch_weights._shuffled
    monkeypatch.setattr(torch_weights, "_shuffled", lambda words, count: shuffled([w + (w == 5) for w in words], count))
    assert not shuffles(4)
