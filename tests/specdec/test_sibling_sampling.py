"""The verifiers of siblings: their exact laws by running every path, and their refusals."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np
import pytest

import proofs
from proofs.sibling_flow import optimal_coupling
from proofs.sibling_rule import set_law
from proofs.verdicts import Status
from specdec.errors import NotADistributionError, ShapeError, SpecdecError, TokenError
from specdec.sibling_sampling import (
    verify_distinct,
    verify_kseq,
    verify_with_replacement,
    verify_without_replacement,
)
from tests import sibling_enumeration as brute
from tests.sibling_golden import GOLDEN
from tests.verifiers.records import draw_largest_siblings

Verify = Callable[..., int]
VERIFIERS: list[tuple[Verify, dict[str, Any]]] = [
    (verify_with_replacement, {}),
    (verify_without_replacement, {"replacement": False}),
    (verify_distinct, {}),
    (verify_distinct, {"replacement": False, "drafter": draw_largest_siblings}),
    (verify_kseq, {}),
]
NAMED = [name for name in brute.PAIRS if name != "single"]


@pytest.mark.parametrize(("verify", "options"), VERIFIERS)
@pytest.mark.parametrize("arithmetic", ["exact", "float64"])
def test_verifier_is_lossless(verify: Verify, options: dict[str, Any], arithmetic: str) -> None:
    verdict = proofs.check_siblings(verify, k=(1, 2), vocabulary=(2, 3), arithmetic=arithmetic, paths=0, **options)
    assert verdict.status is Status.LOSSLESS, str(verdict)


@pytest.mark.heavy
@pytest.mark.parametrize(("verify", "options"), VERIFIERS)
@pytest.mark.parametrize("arithmetic", ["exact", "float64", "float32"])
def test_verifier_is_lossless_with_four_tokens_and_three_siblings(
    verify: Verify, options: dict[str, Any], arithmetic: str
) -> None:
    for vocabulary in (2, 3, 4):
        k = tuple(n for n in (1, 2, 3) if n <= vocabulary or options.get("replacement", True))
        shared: dict[str, Any] = {"vocabulary": vocabulary, "arithmetic": arithmetic, "paths": 1000}
        verdict = proofs.check_siblings(verify, k=k, **shared, **options)
        assert verdict.status is Status.LOSSLESS, str(verdict)


def _accepted(verify: Verify, name: str, k: int, **options: Any) -> tuple[Fraction, Fraction]:
    verdict = proofs.check_siblings(verify, k=k, arithmetic="exact", inputs=[brute.PAIRS[name]], **options)
    assert verdict.status is Status.LOSSLESS, str(verdict)
    (found,) = verdict.acceptance
    return found.expected, found.best


@pytest.mark.parametrize("name", NAMED)
@pytest.mark.parametrize("k", [1, 2])
def test_accepted_are_those_of_the_formula(name: str, k: int) -> None:
    """The engine counts emitted siblings. What recursive rejection draws at the end is none."""
    with_, without, best, best_without, _ = map(Fraction, GOLDEN[name, k].split())
    assert _accepted(verify_with_replacement, name, k) == (with_, best)
    if k <= sum(map(bool, brute.PAIRS[name][1])):
        assert _accepted(verify_without_replacement, name, k, replacement=False) == (without, best_without)


@pytest.mark.parametrize("name", ["I3", "I5", "B0"])
def test_kseq_may_draw_a_sibling_at_the_end(name: str) -> None:
    """So that more siblings are emitted than kept, but not more than the optimum."""
    kept, best = Fraction(GOLDEN[name, 2].split()[4]), Fraction(GOLDEN[name, 2].split()[2])
    emitted, found = _accepted(verify_kseq, name, 2)
    assert kept <= emitted <= best == found


def test_fixed_candidates_are_kept_with_their_mass() -> None:
    p, _ = brute.PAIRS["I5"]
    expected, best = _accepted(verify_distinct, "I5", 2, replacement=False, drafter=draw_largest_siblings)
    assert expected == best == p[2] + p[3]  # the likeliest of q


def test_kseq_is_lossless_from_the_least_rho_on() -> None:
    """On I3 with k = 2 that is 3/2."""
    inputs = [brute.PAIRS["I3"]]
    for rho, status in ((Fraction(3, 2), Status.LOSSLESS), (2, Status.LOSSLESS), (Fraction(7, 5), Status.BIASED)):
        verdict = proofs.check_siblings(partial(verify_kseq, rho=rho), k=2, arithmetic="exact", inputs=inputs)
        assert verdict.status is status, str(verdict)


@pytest.mark.parametrize("name", ["I3", "I5", "B0", "zero of q", "one-hot p"])
@pytest.mark.parametrize("replacement", [True, False])
def test_flow_is_a_lossless_verifier_that_reaches_the_optimum(name: str, replacement: bool) -> None:
    p, q = brute.PAIRS[name]
    sets = set_law(q, 2, replacement)
    flow = {edge: Fraction(int(m.p), int(m.q)) for edge, m in optimal_coupling(p, sets).flow.items()}
    masses = {tokens: Fraction(int(m.p), int(m.q)) for tokens, m in sets.items()}
    lacking = [a - sum(m for (_, x), m in flow.items() if x == y) for y, a in enumerate(p)]

    def verify(target: Any, draft: Any, tokens: Any, rng: Any) -> int:
        drafted = frozenset(tokens.tolist())
        coin, below = rng.random() * masses[drafted], Fraction(0)
        for x in sorted(drafted):
            below += flow.get((drafted, x), Fraction(0))
            if coin < below:
                return int(x)
        coin, below = rng.random() * sum(lacking), Fraction(0)
        for y, mass in enumerate(lacking):
            below += mass
            if coin < below:
                return y
        return 0

    best = proofs.sibling_rule.optimal_acceptance(p, q, 2, replacement)
    expected = Fraction(int(best.p), int(best.q))
    assert _accepted(verify, name, 2, replacement=replacement) == (expected, expected)


def _duplicates_count_twice(target: Any, draft: Any, tokens: Any, rng: Any) -> int:
    coin, below = rng.random(), 0
    for x in tokens.tolist():
        below = below + target[x]
        if coin < below:
            return int(x)
    rest = target.copy()
    rest[tokens] = 0
    return int(rng.choice(len(rest), p=rest / rest.sum()))


def test_duplicate_counted_twice_has_the_law_of_the_rules() -> None:
    inputs = [((Fraction(1, 4), Fraction(3, 4)), (Fraction(2, 3), Fraction(1, 3)))]
    verdict = proofs.check_siblings(_duplicates_count_twice, k=2, arithmetic="exact", inputs=inputs, shrink=False)
    assert verdict.status is Status.BIASED
    assert verdict.counterexample is not None
    assert verdict.worst == Fraction(1, 12)
    right = proofs.check_siblings(verify_distinct, k=2, arithmetic="exact", inputs=inputs)
    assert right.status is Status.LOSSLESS


def test_float32_rows_that_are_a_little_off_one() -> None:
    """A float32 row may be as far from one as sqrt(eps) of float32 allows."""
    p, q = np.array([[0.5, 0.2501, 0.25], [0.0, 0.5, 0.5]], np.float32)
    rng = np.random.default_rng(1)
    for verify in (verify_with_replacement, verify_without_replacement, verify_distinct, verify_kseq):
        drawn = {verify(p, q, [1, 2], rng) for _ in range(60)}
        assert {0, 1} <= drawn <= {0, 1, 2}
        assert all(type(token) is int for token in drawn)
        assert verify(p, q, [], rng) in (0, 1, 2)


def test_support_used_up_goes_on_with_the_uniform_row() -> None:
    p, q = [0.0, 0.5, 0.5], [1.0, 0.0, 0.0]
    rng = np.random.default_rng(2)
    drawn = [verify_without_replacement(p, q, [0, 1 + int(rng.integers(2))], rng) for _ in range(200)]
    assert set(drawn) == {1, 2}


VERIFY = [verify for verify, _ in VERIFIERS if verify is not verify_distinct]
ROW = [0.5, 0.5]


@pytest.mark.parametrize("verify", VERIFY)
@pytest.mark.parametrize(
    ("target", "draft", "tokens", "error", "words"),
    [
        ([ROW], [ROW], [0], ShapeError, r"target has shape \(1, 2\), draft \(1, 2\) and tokens \(1,\)"),
        (ROW, [0.5, 0.25, 0.25], [0], ShapeError, r"expected \(V,\), \(V,\) and \(k,\)"),
        (ROW, ROW, [[0]], ShapeError, r"tokens \(1, 1\)"),
        (ROW, ROW, [2], TokenError, r"tokens\[0\] = 2 is not a token"),
        (ROW, ROW, [0.0], TokenError, "tokens has dtype float64"),
        (ROW, [0.5, 0.25], [0], NotADistributionError, "draft sums to 0.75"),
        ([-1.0, 2.0], ROW, [0], NotADistributionError, r"target\[0\] = -1.0"),
    ],
)
def test_bad_call_is_refused(verify: Verify, target: Any, draft: Any, tokens: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        verify(target, draft, tokens, np.random.default_rng(0))


def test_siblings_that_repeat_are_refused_without_replacement() -> None:
    with pytest.raises(TokenError, match=r"tokens\[1\] = 0 is tokens\[0\] again; expected distinct siblings"):
        verify_without_replacement(ROW, ROW, [0, 0], np.random.default_rng(0))


def test_rho_below_one_is_refused() -> None:
    for rho in (0, 0.5, float("nan"), np.inf):
        with pytest.raises(SpecdecError, match=r"rho = .*; expected a finite number of at least 1"):
            verify_kseq(ROW, ROW, [0], np.random.default_rng(0), rho=rho)
