"""Verdicts on verifiers that take their coins as an argument: swept, and lossless only if that is accepted."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import proofs
from proofs import NotLossless, ProofsError, assert_lossless, assert_within, check, check_siblings
from proofs.adapters import with_coins
from proofs.engine.sweep import DENSITY
from proofs.verdicts import Status
from tests.sampled import sampled
from tests.verifiers.coins import FAULTS, RIGHT, chain

# Dyadic rows: a residual on two tokens, a residual on one, equal rows, no common token, a token without target mass.
B0 = (["1/8", "3/8", "1/2"], ["1/2", "1/4", "1/4"])
ROWS: list[Any] = [
    B0,
    (["3/4", "1/4"], ["1/4", "3/4"]),
    (["1/4", "3/4"], ["1/4", "3/4"]),
    (["1", "0"], ["0", "1"]),
    (["0", "1/4", "3/4"], ["1/2", "1/4", "1/4"]),
]
SMALL = ROWS[1:2]
TWO: Any = ([["1/4", "3/4"], ["1/2", "1/2"], ["1/8", "7/8"]], [["3/4", "1/4"], ["1/8", "7/8"]])
BY_POSITION: Any = ([B0[0], ["1/4", "1/2", "1/4"]], [B0[1]])
COIN = Fraction(1, 2**24)
SAMPLE = 4  # of so many kernels one is in every run; the heavy job has them all


def verdict_on(kernel: Any, dtype: str = "float32", **options: Any) -> proofs.Verdict:
    given = {"inputs": ROWS, "gamma": 1, "accept": "swept", "shrink": False}
    return check(with_coins(kernel, dtype=dtype), **{**given, **options})


@pytest.mark.parametrize("name", list(sampled(RIGHT, SAMPLE)))
def test_right_kernel_is_lossless_where_a_sweep_is_accepted(name: str) -> None:
    for dtype, inputs in (("float32", ROWS), ("float64", SMALL)):
        verdict = verdict_on(RIGHT[name], dtype, inputs=inputs)
        assert verdict, str(verdict)
        assert str(verdict).startswith(f"lossless: swept, the law is the target's on every one of {len(inputs)} inputs")
        assert f"coins swept ({DENSITY} first probes of each)" in verdict.scope
        assert ("coins of float32" in verdict.scope) is (dtype == "float32")
    assert verdict_on(RIGHT[name], gamma=2, inputs=[TWO])
    assert verdict_on(RIGHT[name], arithmetic="float32", inputs=SMALL)


@pytest.mark.parametrize("name", RIGHT)
def test_right_kernel_is_unverified_where_it_is_not(name: str) -> None:
    verdict = verdict_on(RIGHT[name], accept=None, inputs=SMALL)
    assert verdict.status is Status.UNVERIFIED
    assert 'agreement counts with accept="swept"' in verdict.reason
    assert verdict.counterexample is None


@pytest.mark.parametrize("name", list(sampled(FAULTS, SAMPLE)))
def test_fault_is_found_with_coins_that_show_it(name: str) -> None:
    _is_found(name, "swept")


def test_fault_is_found_where_a_sweep_is_not_accepted() -> None:
    _is_found("always keeps", None)


def _is_found(name: str, accept: str | None) -> None:
    verdict = verdict_on(FAULTS[name], accept=accept, inputs=[BY_POSITION])
    assert verdict.status is Status.BIASED, str(verdict)
    _repeats(FAULTS[name], verdict)


def _repeats(kernel: Callable[..., Any], verdict: proofs.Verdict) -> None:
    found = verdict.counterexample
    assert found is not None
    assert found.path is not None
    assert found.coins is not None
    tokens, emitted, _, _ = found.path
    rows = [np.array([[float(x) for x in table(tokens[:i])] for i in range(count)])
            for table, count in ((found.target, len(tokens) + 1), (found.draft, len(tokens)))]  # fmt: skip
    coins = np.array([float(coin) for coin in found.coins], dtype=np.float32)
    assert tuple(kernel(*rows, np.array(tokens), coins)) == emitted
    assert f"{int(found.coins[0] * 2**24)}/2^24" in str(verdict)
    assert verdict.to_json()["counterexample"]["coins"] == [f"{c.numerator}/{c.denominator}" for c in found.coins]


def test_a_token_without_target_mass_on_coin_zero_has_its_exact_mass() -> None:
    kernel = chain(keeps=lambda u, p, q: u * q <= p)
    verdict = verdict_on(kernel, inputs=[(["0", "1"], ["1", "0"])])
    assert verdict.status is Status.BIASED
    assert "has probability 1/16777216, the target's is 0" in verdict.reason
    found = verdict.counterexample
    assert found is not None
    assert found.coins is not None
    assert found.coins[0] == 0
    assert found.call_law[(0,), (1,)] == 1 - COIN
    _repeats(kernel, verdict)
    # On the finer grid the mass is smaller, and nothing is tolerated either.
    finer = verdict_on(kernel, "float64", inputs=[(["0", "1"], ["1", "0"])])
    assert (finer.status, finer.worst) == (Status.BIASED, Fraction(1, 2**53))


def test_a_thin_slab_has_its_exact_mass() -> None:
    verdict = verdict_on(FAULTS["keeps in a thin slab"], "float64", inputs=ROWS[3:4])
    edges = [-int(-x * 2**53 // 1) for x in (Fraction(0.7), Fraction(0.7 + 2**-10))]
    assert verdict.worst == Fraction(edges[1] - edges[0], 2**53)


def test_a_crash_on_coin_zero_is_unverified_with_its_mass() -> None:
    def crashing(target: Any, draft: Any, tokens: Any, coins: Any) -> Any:
        if coins[0] == 0:
            raise RuntimeError("log of zero")
        return RIGHT["chain"](target, draft, tokens, coins)

    verdict = verdict_on(crashing, inputs=SMALL)
    assert verdict.status is Status.UNVERIFIED
    assert "RuntimeError with probability 1/16777216" in verdict.reason


def test_a_residual_that_divides_by_zero_is_seen() -> None:
    def residual(p: Any, q: Any) -> Any:
        left = np.maximum(p - q, 0)
        with np.errstate(invalid="ignore"):
            return left / left.sum()

    def drawn(row: Any, coin: Any) -> int:
        return int((row.cumsum() > coin).argmax())  # NaN is beyond nothing: token 0

    # p and q differ by so little in the row's dtype that a rejection cannot come; with `<` and equal rows it does not.
    kernel = chain(keeps=lambda u, p, q: u * q < p * (1 - 2**-6), residual=residual, drawn=drawn)
    verdict = verdict_on(kernel, inputs=[(["1/4", "3/4"], ["1/4", "3/4"])])
    assert verdict.status is Status.BIASED
    assert verdict.worst == Fraction(-(-3 * 2**24 // (4 * 2**6)), 2**24)


def test_a_token_beyond_the_vocabulary_is_biased() -> None:
    verdict = verdict_on(lambda p, q, x, coins: [int(x[0]) if coins[0] else 7], inputs=ROWS[2:3])
    assert verdict.status is Status.BIASED
    assert "(7,) has probability 1/16777216, the target's is 0" in verdict.reason


SEEN: list[float] = []


def remembers(target: Any, draft: Any, tokens: Any, coins: Any) -> Any:
    SEEN.append(float(coins[0]))
    return RIGHT["chain"](target, draft, tokens, coins)


def test_state_is_unverified() -> None:
    verdict = verdict_on(remembers, inputs=SMALL)
    SEEN.clear()
    assert verdict.status is Status.UNVERIFIED
    assert "changed during a run" in verdict.reason


def test_inputs_that_are_changed_in_place_are_noted() -> None:
    def changes(target: Any, draft: Any, tokens: Any, coins: Any) -> Any:
        found = RIGHT["chain"](target, draft, tokens, coins)
        draft[0, 0] = 9
        return found

    assert "draft[0, 0] was changed in place" in " ".join(verdict_on(changes, inputs=SMALL).notes)


@pytest.mark.parametrize("at", [0.3, 0.3001, 0.3003, 0.3005, 0.3007, 0.3009])
def test_a_thin_piece_that_was_missed_accuses_nobody(at: float) -> None:
    """A right kernel whose third token lies inside the first's piece, thinner than the first probes are apart."""
    thin = 2.0**-12

    def kernel(target: Any, draft: Any, tokens: Any, coins: Any) -> Any:
        return [2 if at <= float(coins[0]) < at + thin else int(coins[0] >= 0.5)]

    row = ["2047/4096", "1/2", "1/4096"]
    verdict = check(with_coins(kernel), gamma=0, inputs=[(row, row)], accept="swept", shrink=False)
    assert verdict.status is not Status.BIASED, str(verdict)
    if not verdict:
        assert "swept with more probes, it has another law" in verdict.reason


def test_assertions_take_the_same_option() -> None:
    verify = with_coins(RIGHT["chain"])
    options: Any = {"gamma": 1, "inputs": SMALL}
    assert_lossless(verify, accept="swept", **options)
    assert_within(verify, "1/1000", accept="swept", **options)
    with pytest.raises(NotLossless, match="accept="):
        assert_lossless(verify, **options)
    with pytest.raises(NotLossless, match="accept="):
        assert_within(verify, "1/1000", **options)
    with pytest.raises(NotLossless, match="beyond the bound"):
        assert_within(with_coins(FAULTS["always keeps"]), "1/1000", accept="swept", **options)


def test_siblings_can_take_coins() -> None:
    def match(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        return int((target.cumsum() > rng.coins(1)[0]).argmax())

    assert check_siblings(match, k=1, inputs=ROWS[:1], accept="swept")
    assert check_siblings(match, k=1, inputs=ROWS[:1]).status is Status.UNVERIFIED


def test_acceptance_changes_nothing_where_nothing_is_swept() -> None:
    def draws(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        return [rng.choice(target.shape[1], p=target[0])]

    one, other = (check(draws, gamma=1, inputs=ROWS, accept=accept) for accept in (None, "swept"))
    assert str(one) == str(other)
    assert "swept" not in str(one)


def test_exact_arithmetic_alone_is_unverified() -> None:
    verdict = verdict_on(RIGHT["chain"], arithmetic="exact", inputs=SMALL)
    assert verdict.status is Status.UNVERIFIED
    assert "coins that are numbers on a grid" in verdict.reason


@pytest.mark.parametrize("accept", ["Swept", "", True, "lossless"])
def test_another_word_is_refused(accept: Any) -> None:
    with pytest.raises(ProofsError, match="accept = "):
        check(with_coins(RIGHT["chain"]), accept=accept)


def test_adapter_takes_a_real_generator_and_two_dtypes_alone() -> None:
    def shown(target: Any, draft: Any, tokens: Any, coins: Any) -> Any:
        return coins.dtype, coins.shape

    rng = np.random.default_rng(0)
    assert with_coins(shown)(None, None, [0, 1], rng) == (np.float32, (3,))
    assert with_coins(shown, dtype="float64")(None, None, [], rng) == (np.float64, (1,))
    with pytest.raises(ValueError, match="float16"):
        with_coins(shown, dtype="float16")
