"""Block verification as it runs: the engine finds the law of the code, which is that of the formulas."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import proofs
from proofs import block_rule, greedy_block
from specdec.block_sampling import Layer, verify, verify_greedy
from specdec.errors import NotADistributionError, ShapeError, TokenError
from tests.block_enumeration import PAIRS, Prefix, Process, process_law


def _block(target: Process, draft: Process, gamma: int, rng: Any, after: Prefix = ()) -> tuple[Any, Any, Any]:
    """Draft gamma tokens, and return rows of fractions and the tokens."""
    tokens: list[int] = []
    for _ in range(gamma):
        row = np.array(draft((*after, *tokens)))
        tokens.append(int(rng.choice(len(row), p=row)))
    rows = np.array([target((*after, *tokens[:i])) for i in range(gamma + 1)])
    below = np.array([draft((*after, *tokens[:i])) for i in range(gamma)])
    return rows, below, np.array(tokens, dtype=np.int64)


@pytest.mark.parametrize(("name", "gamma"), [(name, gamma) for name in PAIRS for gamma in (0, 1, 2)])
def test_law_of_the_code_is_the_formula(name: str, gamma: int) -> None:
    target, draft, _ = PAIRS[name]
    law = proofs.law(lambda rng: tuple(verify(*_block(target, draft, gamma, rng), rng)))
    found = {emitted: mass for emitted, mass in law.items() if mass}
    assert found == {e: Fraction(str(m)) for e, m in block_rule.emitted_law(target, draft, gamma).items()}


@pytest.mark.parametrize("name", ["I2", "I3", "M2", "M3"])
def test_law_of_one_greedy_call_is_the_formula(name: str) -> None:
    target, draft, _ = PAIRS[name]
    law = proofs.law(lambda rng: tuple(verify_greedy(*_block(target, draft, 2, rng), rng)[0]))
    found = {emitted: mass for emitted, mass in law.items() if mass}
    assert found == {e: Fraction(str(m)) for e, m in greedy_block.greedy_emitted_law(target, draft, 2).items()}


def _greedy_text(target: Process, draft: Process, gammas: tuple[int, ...], length: int, rng: Any) -> Prefix:
    text: Prefix = ()
    state: tuple[Layer, ...] = ()
    for gamma in gammas:
        if len(text) < length:
            emitted, state = verify_greedy(*_block(target, draft, gamma, rng, text), rng, state)
            text += tuple(emitted)
    while len(text) < length:  # calls of as few drafts as the state allows say what the target is now
        gamma = max((layer.left for layer in state), default=0)
        emitted, state = verify_greedy(*_block(target, draft, gamma, rng, text), rng, state)
        text += tuple(emitted)
    return text[:length]


@pytest.mark.parametrize(
    ("name", "gammas", "length"),
    [("I2", (2,), 3), ("I2", (3,), 4), ("M2", (2, 2), 4), ("I3", (2,), 3), ("M2", (2, 3), 4)],
)
def test_greedy_calls_one_after_the_other_have_the_targets_law(name: str, gammas: tuple[int, ...], length: int) -> None:
    """For every sequence of `length` tokens, in exact arithmetic: the code carries its state from call to call."""
    target, draft, vocabulary = PAIRS[name]
    law = proofs.law(lambda rng: _greedy_text(target, draft, gammas, length, rng))
    assert {text: mass for text, mass in law.items() if mass} == process_law(target, length, vocabulary)


@pytest.mark.heavy
@pytest.mark.parametrize(("name", "gammas", "length"), [("M3", (3, 3), 4), ("I5", (2, 2), 4), ("M2", (3, 3, 3), 7)])
def test_longer_greedy_texts_have_the_targets_law(name: str, gammas: tuple[int, ...], length: int) -> None:
    target, draft, vocabulary = PAIRS[name]
    law = proofs.law(lambda rng: _greedy_text(target, draft, gammas, length, rng))
    assert {text: mass for text, mass in law.items() if mass} == process_law(target, length, vocabulary)


def _assert_lossless(gamma: Any, vocabulary: Any, arithmetic: str) -> None:
    verdict = proofs.check(verify, gamma=gamma, vocabulary=vocabulary, arithmetic=arithmetic, paths=0)
    assert verdict.status.value == "lossless", str(verdict)
    assert "exact arithmetic" in verdict.scope or arithmetic != "exact"
    assert verdict.acceptance
    if arithmetic == "exact":
        assert all(found.expected == found.best for found in verdict.acceptance)


@pytest.mark.parametrize(("gamma", "vocabulary"), [((0, 1, 2), 2), ((0, 1), 3), (3, 2), (1, 4)])
def test_lossless_in_exact_arithmetic_and_the_best_of_its_kind(gamma: Any, vocabulary: Any) -> None:
    _assert_lossless(gamma, vocabulary, "exact")


@pytest.mark.heavy
@pytest.mark.parametrize("vocabulary", [2, 3, 4])
def test_lossless_with_up_to_three_drafts(vocabulary: int) -> None:
    _assert_lossless((0, 1, 2, 3), vocabulary, "exact")


@pytest.mark.parametrize("arithmetic", ["float64", "float32"])
def test_lossless_in_floats(arithmetic: str) -> None:
    _assert_lossless((1, 2), 2, arithmetic)


def test_expected_number_of_the_battery_is_the_formula() -> None:
    verdict = proofs.check(
        verify, gamma=2, paths=0, inputs=[(["2/5", "3/10", "1/5", "1/10"], ["1/10", "1/5", "3/10", "2/5"])]
    )
    (found,) = verdict.acceptance
    assert found.expected == found.best == Fraction(103, 100)


def test_greedy_calls_without_their_state_are_biased() -> None:
    verdict = proofs.check(lambda *call: verify_greedy(*call)[0], gamma=2, vocabulary=2, arithmetic="exact", paths=0)
    assert verdict.status.value == "biased"


P = np.array([[1 / 8, 3 / 8, 1 / 2], [1 / 2, 1 / 4, 1 / 4], [1 / 4, 1 / 2, 1 / 4]])
Q = np.array([[1 / 2, 1 / 4, 1 / 4], [1 / 4, 1 / 4, 1 / 2]])


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_runs_are_reproducible_and_frequencies_close(dtype: str) -> None:
    """4,000 calls: the number accepted is within six standard deviations of its expectation."""
    rng = np.random.default_rng(11)
    p, q = P.astype(dtype), Q.astype(dtype)
    total, calls = 0, 4_000
    for _ in range(calls):
        tokens = [int(rng.choice(3, p=row)) for row in Q]
        emitted = verify(p, q, tokens, rng)
        total += len(emitted) - 1
        assert emitted[:-1] == tokens[: len(emitted) - 1]
        assert all(type(token) is int for token in emitted)
    expected = block_rule.expected_accepted(
        lambda prefix: list(map(Fraction, P[len(prefix)])), lambda prefix: list(map(Fraction, Q[len(prefix)])), 2
    )
    assert abs(total / calls - float(expected)) < 6 / calls**0.5
    runs = [[verify(p, q, [0, 2], np.random.default_rng(seed)) for seed in range(20)] for _ in range(2)]
    assert runs[0] == runs[1]


@pytest.mark.parametrize("call", [verify, lambda *arguments: verify_greedy(*arguments)[0]])
def test_edges(call: Any) -> None:
    rng = np.random.default_rng(2)
    same = np.full((4, 3), 1 / 3, np.float32)
    for _ in range(20):
        assert call(same, same[:3], [0, 1, 2], rng)[:3] == [0, 1, 2]
        assert call([[1.0]] * 3, [[1.0]] * 2, [0, 0], rng) == [0, 0, 0]
        assert call([[0.0, 1.0]] * 2, [[1.0, 0.0]], [0], rng) == [1]
        assert call([[0.0, 1.0]] * 3, [[0.5, 0.5]] * 2, [1, 0], rng) in ([1, 1], [1])  # a lone second coin fails
        assert call([[0.5, 0.5, 0.0]] * 2, [[0.0, 0.5, 0.5]], [2], rng)[0] in (0, 1)
    drafts: list[Any] = [[], np.empty((0, 2)), np.empty((0, 5))]
    for draft in drafts:
        assert call([[1.0, 0.0]], draft, [], rng) == [0]


@pytest.mark.parametrize("call", [verify, lambda *arguments: verify_greedy(*arguments)[0]])
def test_token_that_is_never_drafted_is_kept_iff_the_target_wants_it(call: Any) -> None:
    rng = np.random.default_rng(2)
    assert call([[0.5, 0.5], [1.0, 0.0]], [[0.0, 1.0]], [0], rng) == [0, 0]
    assert call([[0.0, 1.0], [1.0, 0.0]], [[0.0, 1.0]], [0], rng) == [1]
    assert call([[0.0, 0.5, 0.5]] * 3, [[0.0, 0.0, 1.0]] * 2, [0, 2], rng)[0] != 0


def test_state_is_what_is_left_of_the_block() -> None:
    rows, below = np.array([[0.25, 0.75]] * 4), np.array([[0.75, 0.25]] * 3)
    states = set()
    for seed in range(40):
        emitted, state = verify_greedy(rows, below, [0, 0, 0], np.random.default_rng(seed))
        states.add((tuple(emitted), tuple((float(x.target), float(x.draft), x.left) for x in state)))
    assert ((1,), ((1.0, 1 / 3, 2),)) in states
    assert all(state == () for emitted, state in states if len(emitted) >= 3)


def test_state_needs_as_many_drafts_as_it_changes_positions() -> None:
    with pytest.raises(
        ShapeError, match="the call before has changed the next 2 positions; expected at least 2 drafted"
    ):
        verify_greedy(P[:2], Q[:1], [0], np.random.default_rng(0), (Layer(1, 1, 2),))


ROW = [0.5, 0.5]
HALF = Fraction(1, 2)
REFUSED: dict[str, tuple[Any, Any, Any, type[ValueError], str]] = {
    "missing bonus row": ([ROW], [ROW], [0], ShapeError, "one row of the target for each drafted token"),
    "draft of another length": ([ROW, ROW], [ROW, ROW], [0], ShapeError, r"expected \(gamma, V\) = \(1, 2\)"),
    "token too large": ([ROW, ROW], [ROW], [2], TokenError, r"tokens\[0\] = 2 is not a token.*V - 1 = 1"),
    "padding": ([ROW, ROW, ROW], [ROW, ROW], [0, -1], TokenError, r"tokens\[1\] = -1 .*Padding"),
    "logits": ([[-1.0, 2.0], ROW], [ROW], [0], NotADistributionError, r"target\[0, 0\] = -1.0 is not a probability"),
    "draft off one": ([ROW, ROW], [[0.5, 0.25]], [0], NotADistributionError, r"row \[0\] of draft sums to 0.75"),
    "fractions off one": (
        np.array([[HALF, HALF], [HALF, HALF / 2]]), [ROW], [0], NotADistributionError, "object, and a row that"
    ),
    "negative fraction": (
        np.array([[HALF * 3, -HALF], [HALF, HALF]]), [ROW], [0], NotADistributionError, "target has an entry below 0"
    ),
    "objects": (np.array([[None, None]] * 2), [ROW], [0], NotADistributionError, "target has dtype object"),
    "list of fractions": ([[HALF, HALF]] * 2, [ROW], [0], NotADistributionError, "target has dtype object"),
}  # fmt: skip


@pytest.mark.parametrize("call", [verify, verify_greedy])
@pytest.mark.parametrize("kind", REFUSED)
def test_bad_call_is_refused(call: Any, kind: str) -> None:
    target, draft, tokens, error, message = REFUSED[kind]
    with pytest.raises(error, match=message):
        call(target, draft, tokens, np.random.default_rng(0))
