"""Golden cases: replayed by a reference that is written apart, held to the other implementations, and complete."""

import itertools
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import proofs
from proofs.sequences import Prefix
from proofs.token_rule import acceptance_ratio, residual_distribution
from proofs.vectors import GAMMAS, HEADER, VOCABULARIES, Case, cases, emitted_by_rule
from specdec.sampling import verify

ALL = list(cases())
STEP = Fraction(1, 2**24)
ONE = Fraction(1)


def reference(target: Any, draft: Any, tokens: Any, coins: Any) -> list[int]:
    """Replay by ratios and intervals of the unit interval, with neither products nor sums of weights by coins."""
    at = 0
    for at, x in enumerate([*tokens, None]):
        if x is None or coins[at] >= min(ONE, target[at][x] / draft[at][x]):
            break
    full = at == len(tokens)
    weights = target[at] if full else [p - min(p, q) for p, q in zip(target[at], draft[at], strict=True)]
    coin, low = coins[at] if full else coins[at + 1], Fraction(0)
    for y, weight in enumerate(weights):
        high = low + weight / sum(weights)
        if low <= coin < high:
            return [*tokens[:at], y]
        low = high
    raise AssertionError("coins are below one")


def test_reference_replays_every_case() -> None:
    assert len(ALL) > 2000
    for case in ALL:
        assert list(case.emitted) == reference(case.target, case.draft, case.tokens, case.coins)


def test_cases_are_calls_that_can_happen() -> None:
    for case in ALL:
        gamma = len(case.tokens)
        assert (len(case.target), len(case.draft), len(case.coins)) == (gamma + 1, gamma, gamma + 1)
        for row in (*case.target, *case.draft):
            assert sum(row) == 1
            assert min(row) >= 0
        assert all(q[x] > 0 for q, x in zip(case.draft, case.tokens, strict=True))
        assert all(0 <= coin < 1 for coin in case.coins)
        for i, y in enumerate(case.emitted):
            assert case.target[i][y] > 0
    assert len({(c.target, c.draft, c.tokens, c.coins) for c in ALL}) == len(ALL)


def test_same_cases_every_time() -> None:
    assert list(cases()) == ALL
    assert list(cases([1], [3])) == [c for c in ALL if len(c.tokens) == 1 and len(c.target[0]) == 3]


@pytest.mark.parametrize(("gamma", "size"), [*itertools.product(GAMMAS, VOCABULARIES)])
def test_every_length_of_every_gamma_and_size_is_there(gamma: int, size: int) -> None:
    found = [c for c in ALL if (len(c.tokens), len(c.target[0])) == (gamma, size)]
    assert {len(c.emitted) for c in found} == set(range(1, gamma + 2))
    assert {y for c in found for y in c.emitted[-1:]} == set(range(size))


def test_kinds_of_rows() -> None:
    def has(test: Any) -> bool:
        return any(test(p, q, x) for c in ALL for p, q, x in zip(c.target[:-1], c.draft, c.tokens, strict=True))

    assert has(lambda p, q, x: p == q and max(p) < 1)
    assert has(lambda p, q, x: p[x] == 0 and max(p) < 1)
    assert has(lambda p, q, x: any(a > 0 == b for a, b in zip(p, q, strict=True)) and max(q) < 1)
    assert has(lambda p, q, x: max(p) == 1 and p != q)
    assert has(lambda p, q, x: max(q) == 1 and p != q)
    assert has(lambda p, q, x: max(q) == 1 and p == q)
    assert has(lambda p, q, x: not any(a and b for a, b in zip(p, q, strict=True)))
    assert {c.to_json()["float64"] for c in ALL} == {True, False}
    assert any(c.target[0] != c.target[1] for c in ALL if c.tokens)


def _turns(case: Case) -> list[tuple[Fraction, Fraction]]:
    """Return each coin that the call comes to, with the thresholds of its decision between which it lies."""
    found = []
    for i, x in enumerate(case.tokens):
        ratio = acceptance_ratio(_exact(case.target[i]), _exact(case.draft[i]))[x]
        found.append((case.coins[i], Fraction(int(ratio.p), int(ratio.q))))
    return found


def _exact(row: tuple[Fraction, ...]) -> tuple[Any, ...]:
    return tuple(map(proofs.exact, row))


def test_coins_lie_at_thresholds_of_acceptance_and_on_either_side() -> None:
    beside = Counter[str]()
    for case in ALL:
        for coin, ratio in _turns(case)[: len(case.emitted)]:
            if 0 < ratio < 1:
                beside["at"] += coin == ratio
                beside["below"] += 0 < ratio - coin <= STEP
                beside["above"] += 0 < coin - ratio <= STEP
            beside["zero at p = 0"] += coin == ratio == 0
    assert min(beside[name] for name in ("at", "below", "above", "zero at p = 0")) > 20


def test_coins_lie_at_thresholds_of_the_last_draw_and_on_either_side() -> None:
    beside = Counter[tuple[str, bool]]()
    for case in ALL:
        at = len(case.emitted) - 1
        full = at == len(case.tokens) and case.coins[at] != Fraction(1, 2)
        replaced = at < len(case.tokens) and case.emitted[at] != case.tokens[at]
        if not full and not replaced:
            continue
        exact = _exact(case.target[at])
        row = exact if full else residual_distribution(exact, _exact(case.draft[at]))
        coin = case.coins[at if full else at + 1]
        for mark in itertools.accumulate(Fraction(int(x.p), int(x.q)) for x in row):
            beside["at", full] += coin == mark
            beside["below", full] += 0 < mark - coin <= STEP
        beside["zero", full] += coin == 0
    assert all(beside[name, full] > 20 for name in ("at", "below", "zero") for full in (True, False))


class Scripted:
    """Stands in for a generator: each draw takes the next coin, and an option is drawn as the header says."""

    def __init__(self, coins: tuple[Fraction, ...]) -> None:
        self._coins = list(map(float, coins))

    def random(self) -> float:
        return self._coins.pop(0)

    def choice(self, size: int, p: Any) -> int:
        return int(np.argmax(np.cumsum(p) > self._coins.pop(0) * np.sum(p)))


def test_fast_sampler_emits_the_same_where_floats_are_exact() -> None:
    """A residual that is divided by its mass rounds, unless that is a power of two."""
    compared = 0
    for case in ALL:
        record, at = case.to_json(), len(case.emitted) - 1
        rounds = at < len(case.tokens) and not _is_power(sum(max(p - q, Fraction(0)) for p, q in _pairs(case, at)))
        if record["float64"] and not rounds:
            rng: Any = Scripted(case.coins)
            assert verify(_floats(case.target), _floats(case.draft), case.tokens, rng) == list(case.emitted)
            compared += 1
    assert compared > 800


def _floats(rows: tuple[tuple[Fraction, ...], ...]) -> list[list[float]]:
    return [[float(x) for x in row] for row in rows]


def _pairs(case: Case, at: int) -> Any:
    return zip(case.target[at], case.draft[at], strict=True)


def _is_power(x: Fraction) -> bool:
    return x.numerator == 1 and x.denominator & (x.denominator - 1) == 0


def test_convention_is_lossless_over_real_coins() -> None:
    """With undrawn coins in place of numbers, the law of what is emitted is the target's."""

    def verify(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        p, q = ([tuple(row) for row in table] for table in (target, draft))
        return list(emitted_by_rule(p, q, [int(x) for x in tokens], [rng.random() for _ in range(len(tokens) + 1)]))

    verdict = proofs.check(verify, gamma=(0, 1, 2), vocabulary=(2, 3), arithmetic="exact", paths=0)
    assert verdict, verdict
    assert verdict.worst == 0


def test_conditional_law_is_the_prefix_rule() -> None:
    """On a grid of coins fine enough for the rows, by counting."""
    target: list[tuple[Fraction, ...]] = [(Fraction(1, 4), Fraction(3, 4)), (Fraction(1, 2), Fraction(1, 2))]
    draft: list[tuple[Fraction, ...]] = [(Fraction(1, 2), Fraction(1, 2))]
    law = Counter[Prefix]()
    grid = [Fraction(k, 4) for k in range(4)]
    for x, first, second in itertools.product((0, 1), grid, grid):
        law[emitted_by_rule(target, draft, (x,), (first, second))] += 1
    assert law == {(0, 0): 4, (0, 1): 4, (1,): 8, (1, 0): 8, (1, 1): 8}


def test_record_is_text_and_small_numbers() -> None:
    case = Case("a", ((ONE, ONE - 1),), (), (), (Fraction(1, 3),))
    assert case.to_json() == {
        "name": "a", "target": [["1/1", "0/1"]], "draft": [], "tokens": [], "coins": ["1/3"], "emitted": [0],
        "float64": False,
    }  # fmt: skip


def test_header_says_what_a_port_must_know() -> None:
    assert {"format", "accept", "replacement", "bonus", "draw", "coins"} <= set(HEADER)
