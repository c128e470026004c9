"""The plain verifiers: lossless by their exact law, with the acceptance of the formulas; and their refusals."""

from collections.abc import Sequence
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

import proofs
from proofs import gumbel_rule, match_rule
from proofs.verdicts import Status
from specdec import match_sampling
from specdec.errors import NotADistributionError, ShapeError, SpecdecError, TokenError
from specdec.match_sampling import (
    draft_gumbel,
    verify_greedy,
    verify_gumbel,
    verify_lookup,
    verify_match,
    verify_match_set,
)
from tests.enumeration import NAMED, Row

CHAINS = (verify_match, verify_gumbel, verify_lookup)
HALF = [0.5, 0.5]


def _name(verify: Any) -> str:
    return str(verify.__name__)


@pytest.mark.parametrize(("gamma", "vocabulary"), [((0, 1, 2, 3), 2), ((0, 1, 2), 3)])
@pytest.mark.parametrize("verify", CHAINS, ids=_name)
def test_chain_is_lossless(verify: Any, gamma: tuple[int, ...], vocabulary: int) -> None:
    """For the whole core battery, in exact arithmetic; T2: the draft does not matter."""
    verdict = proofs.check(verify, gamma=gamma, vocabulary=vocabulary, arithmetic="exact", paths=0)
    assert verdict.status is Status.LOSSLESS, str(verdict)


@pytest.mark.parametrize("verify", CHAINS, ids=_name)
def test_chain_is_lossless_in_floats(verify: Any) -> None:
    verdict = proofs.check(verify, gamma=(0, 1), arithmetic="float64", paths=0)
    assert verdict.status is Status.LOSSLESS, str(verdict)


@pytest.mark.heavy
@pytest.mark.parametrize("verify", CHAINS, ids=_name)
def test_chain_is_lossless_over_four_tokens(verify: Any) -> None:
    verdict = proofs.check(verify, gamma=(0, 1, 2, 3), vocabulary=(2, 3, 4), arithmetic="exact", paths=2000)
    assert verdict.status is Status.LOSSLESS, str(verdict)


def _last(prefix: Any, row: Any, rng: Any) -> int:
    return len(row) - 1


def _again(prefix: Any, row: Any, rng: Any) -> int:
    return int(prefix[-1]) if prefix else 0


@pytest.mark.parametrize("drafter", [_last, _again])
@pytest.mark.parametrize("verify", CHAINS, ids=_name)
def test_dishonest_drafter_changes_nothing(verify: Any, drafter: Any) -> None:
    """A drafter that does not draw from its row, or copies what it drafted before."""
    verdict = proofs.check(verify, gamma=2, arithmetic="exact", drafter=drafter, paths=0)
    assert verdict.status is Status.LOSSLESS, str(verdict)


@pytest.mark.parametrize(("name", "gamma"), [("I2", 3), ("I3", 2), ("I5", 1), ("B0", 2)])
@pytest.mark.parametrize("verify", CHAINS, ids=_name)
def test_acceptance_of_a_chain_is_the_formula(verify: Any, gamma: int, name: str) -> None:
    """Tokens drafted from the row by whoever has noise of his own: the sum of (sum p q)^i, for all three."""
    verdict = proofs.check(verify, gamma=gamma, arithmetic="exact", inputs=[NAMED[name]], paths=0)
    (seen,) = verdict.acceptance
    assert proofs.exact(seen.expected) == match_rule.expected_accepted(*NAMED[name], gamma)
    assert verdict.status is Status.LOSSLESS


@pytest.mark.parametrize(("k", "vocabulary"), [(1, (2, 3, 4)), (2, (2, 3)), (3, 2)])
def test_match_with_siblings_is_lossless(k: int, vocabulary: Any) -> None:
    """Drawn with replacement, exact; and the acceptance on I3 is E[p(S)]."""
    verdict = proofs.check_siblings(verify_match_set, k=k, vocabulary=vocabulary, arithmetic="exact", paths=0)
    assert verdict.status is Status.LOSSLESS, str(verdict)
    on_input = proofs.check_siblings(verify_match_set, k=k, arithmetic="exact", inputs=[NAMED["I3"]])
    (seen,) = on_input.acceptance
    assert proofs.exact(seen.expected) == match_rule.acceptance(*NAMED["I3"], k)


@pytest.mark.heavy
def test_match_with_siblings_is_lossless_over_four_tokens() -> None:
    verdict = proofs.check_siblings(verify_match_set, k=(1, 2, 3), vocabulary=(2, 3, 4), arithmetic="exact", paths=500)
    assert verdict.status is Status.LOSSLESS, str(verdict)


def test_match_with_distinct_siblings_is_lossless() -> None:
    verdict = proofs.check_siblings(verify_match_set, k=(1, 2), replacement=False, arithmetic="exact", paths=0)
    assert verdict.status is Status.LOSSLESS, str(verdict)


def _greedy(ties: Any, row: Sequence[Fraction], _: Any) -> Any:
    return match_rule.greedy_row(row, ties)


ORDER = (1, 0, 2)


@pytest.mark.parametrize("ties", ["lowest", "highest", ORDER])
@pytest.mark.parametrize("arithmetic", ["exact", "float64"])
def test_greedy_follows_the_declared_target(ties: Any, arithmetic: str) -> None:
    """The target's own text at temperature 0, ties broken as the baseline breaks them; gamma 0 to 3."""
    options: Any = {"gamma": (0, 1, 2, 3), "arithmetic": arithmetic, "target_of": partial(_greedy, ties), "paths": 100}
    verdict = proofs.check(partial(verify_greedy, ties=ties), **options)
    assert verdict.status is Status.LOSSLESS, str(verdict)


def test_greedy_with_other_ties_is_biased() -> None:
    verdict = proofs.check(
        partial(verify_greedy, ties="highest"), gamma=1, arithmetic="exact", target_of=partial(_greedy, "lowest")
    )
    assert verdict.status is Status.BIASED


def _verified(verify: Any, p: Row, token: int, rng: Any) -> tuple[bool, int]:
    rows = np.array([p, p], dtype=object)
    emitted = verify(rows, None, [token], rng)
    return len(emitted) > 1, emitted[0]


@pytest.mark.parametrize("name", NAMED)
def test_lookup_has_the_joint_law_of_the_match_rule(name: str) -> None:
    """For every drafted token: kept or not, and what is emitted first, have one joint law by either verifier."""
    p, _ = NAMED[name]
    for token in range(len(p)):
        laws = [proofs.law(partial(_verified, verify, p, token)) for verify in (verify_match, verify_lookup)]
        assert dict(laws[0].items()) == dict(laws[1].items())
        assert sum(mass for (kept, _), mass in laws[0].items() if kept) == p[token]


def _shared(p: Any, q: Any, gamma: int, rng: Any) -> tuple[int, tuple[int, ...]]:
    seed = rng.integers(2**63)
    drafter, verifier = np.random.default_rng(seed), np.random.default_rng(seed)
    wanted, drafted = (np.array(row, dtype=object) for row in (p, q))
    tokens = [draft_gumbel(drafted, drafter) for _ in range(gamma)]
    emitted = verify_gumbel(np.array([wanted] * (gamma + 1)), None, tokens, verifier)
    return len(emitted) - 1, tuple(emitted)


@pytest.mark.parametrize(("name", "gamma"), [("I2", 1), ("I2", 2), ("I3", 1), ("I3", 2), ("B0", 2), ("I5", 1)])
def test_drafter_and_verifier_of_one_seed_have_the_gumbel_coupling(name: str, gamma: int) -> None:
    p, q = NAMED[name]
    law = proofs.law(partial(_shared, p, q, gamma))
    assert {emitted: mass for (_, emitted), mass in law.items()} == gumbel_rule.emitted_law(p, q, gamma)
    kept = sum((mass * count for (count, _), mass in law.items()), Fraction(0))
    assert kept == gumbel_rule.expected_accepted(p, q, gamma)


def test_equal_seeds_and_rows_keep_everything() -> None:
    """In floats: with the draft's rows equal to the target's all tokens are kept, whatever the seed."""
    rows = np.random.default_rng(1).dirichlet(np.ones(50), 4)
    for seed in range(50):
        drafter = np.random.default_rng(seed)
        tokens = [draft_gumbel(row, drafter) for row in rows[:3]]
        assert verify_gumbel(rows, None, tokens, np.random.default_rng(seed))[:3] == tokens


class _Zeros:
    """A generator whose noise is exactly 0, as float noise is once in 2^53."""

    def exponential(self, size: int) -> Any:
        return np.zeros(size)


def test_noise_of_zero_never_wins_for_a_token_of_probability_zero() -> None:
    zeros: Any = _Zeros()
    with np.errstate(divide="ignore"):
        assert draft_gumbel([0.0, 0.5, 0.5], zeros) == 1


def test_lookup_of_a_certain_token_that_rounds_below_one() -> None:
    """A row that sums to 1 - 1e-9, with one token: rejected by the last coin there is nothing else to emit."""

    class Last(np.random.Generator):
        def random(self, *args: Any, **options: Any) -> Any:
            return 1 - 2.0**-53

    rng = Last(np.random.PCG64(0))
    assert verify_lookup([[1 - 1e-9, 0.0], [0.0, 1.0]], None, [0], rng) == [0]


def test_seeded_generator_makes_it_reproducible() -> None:
    rows = np.random.default_rng(2).dirichlet(np.ones(3), 4)
    for verify in CHAINS:
        runs = [[verify(rows, None, [0, 1, 2], np.random.default_rng(seed)) for seed in range(60)] for _ in range(2)]
        assert runs[0] == runs[1]
        assert {len(emitted) for emitted in runs[0]} >= {1, 2}
        assert all(type(token) is int for emitted in runs[0] for token in emitted)


def test_nothing_drafted() -> None:
    rng = np.random.default_rng(0)
    for verify in (*CHAINS, verify_greedy):
        assert verify([[0.0, 1.0]], None, [], rng) == [1]
    assert verify_match_set([0.0, 1.0], None, [], rng) == 1


REFUSED: dict[str, tuple[Any, Any, type[ValueError], str]] = {
    "missing bonus row": ([HALF], [0], ShapeError, "one row of the target for each drafted token"),
    "one row for the target": (HALF, [0], ShapeError, "target has shape"),
    "tokens of two dimensions": ([HALF, HALF], [[0]], ShapeError, "tokens has shape"),
    "token too large": ([HALF, HALF], [2], TokenError, r"tokens\[0\] = 2 is not a token.*V - 1 = 1"),
    "padding": ([HALF, HALF, HALF], [0, -1], TokenError, r"tokens\[1\] = -1 .*Padding"),
    "float tokens": ([HALF, HALF], [0.0], TokenError, "tokens has dtype float64"),
    "logits": ([[-1.0, 2.0], HALF], [0], NotADistributionError, r"target\[0, 0\] = -1.0 is not a probability"),
    "sum": ([[0.5, 0.25], HALF], [0], NotADistributionError, r"row \[0\] of target sums to 0.75"),
}


@pytest.mark.parametrize("verify", [*CHAINS, verify_greedy], ids=_name)
@pytest.mark.parametrize("kind", REFUSED)
def test_bad_call_is_refused(kind: str, verify: Any) -> None:
    target, tokens, error, words = REFUSED[kind]
    with pytest.raises(error, match=words):
        verify(target, None, tokens, np.random.default_rng(0))


def test_bad_call_with_siblings_is_refused() -> None:
    rng = np.random.default_rng(0)
    with pytest.raises(ShapeError, match=r"expected \(k,\) and \(V,\)"):
        verify_match_set([HALF], None, [0], rng)
    with pytest.raises(ShapeError, match=r"expected \(k,\) and \(V,\)"):
        verify_match_set(HALF, None, 0, rng)
    with pytest.raises(TokenError, match=r"tokens\[1\] = 2 is not a token"):
        verify_match_set(HALF, None, [0, 2], rng)
    with pytest.raises(ShapeError, match=r"draft has shape \(1, 2\); expected \(V,\)"):
        draft_gumbel([HALF], rng)
    with pytest.raises(SpecdecError, match="ties = 'first' is no order"):
        verify_greedy([HALF], None, [], ties="first")


def test_every_public_name_is_tried_here() -> None:
    names = {_name(verify) for verify in (*CHAINS, verify_greedy, verify_match_set, draft_gumbel)}
    assert names == set(match_sampling.__all__)
