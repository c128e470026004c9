"""The prover refuses what does not follow: each test states something false, undefined or undecided."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from sympy import Float, S, Symbol

from proofs.induction import Derivation, Proof, Token, Trace, Traced, Unsound, plain, token_cases

A = Symbol("a", nonnegative=True)
D = Symbol("d", positive=True)


def _swallows(a: Any) -> Any:
    """Ask what cannot be decided, and hide that there was no answer."""
    try:
        return 1 if a > 0 else 2
    except BaseException:
        return 1


def _complete(state: Callable[[Derivation], None]) -> bool:
    derivation = Derivation()
    state(derivation)
    return derivation.proof().complete


def test_a_proof_without_goals_is_not_complete() -> None:
    assert not Proof((), ()).complete
    assert not Derivation().proof().complete


@pytest.mark.parametrize(
    ("state", "follows"),
    [
        (lambda d: d.zero("", A - A), True),
        (lambda d: d.zero("", (A + D) ** 2 - A**2 - 2 * A * D - D**2), True),
        (lambda d: d.zero("", A), False),
        (lambda d: d.zero("", S.NaN), False),
        (lambda d: d.zero("", S.ComplexInfinity), False),
        (lambda d: d.equal("", 1, 1 + A), False),
        (lambda d: d.nonnegative("", A * D / (A + D)), True),
        (lambda d: d.nonnegative("", A - D), False),
        (lambda d: d.nonnegative("", Symbol("x")), False),
        (lambda d: d.nonnegative("", S.NaN), False),
        (lambda d: d.positive("", D), True),
        (lambda d: d.positive("", A), False),
        (lambda d: d.positive("", -D), False),
        (lambda d: d.nonnegative("", 1 / (A - D)), False),
        (lambda d: d.zero("", Float(0)), False),
        (lambda d: d.zero("", 0.0), False),
        (lambda d: d.zero("", "0"), False),
        (lambda d: d.zero("", None), False),
        (lambda d: d.positive("", S.Infinity), False),
    ],
)
def test_goals_hold_only_where_they_follow(state: Callable[[Derivation], None], follows: bool) -> None:
    assert _complete(state) is follows


def test_one_failed_goal_fails_the_proof_and_is_named() -> None:
    derivation = Derivation()
    derivation.zero("first", S.Zero)
    derivation.zero("second", S.One)
    derivation.zero("third", S.Zero)
    assert not derivation.proof().complete
    assert derivation.proof().failed == "second"


@pytest.mark.parametrize(
    ("function", "values", "reason"),
    [
        (lambda a: a / a, (A,), "no division by zero"),
        (lambda a: 1 / a, (A,), "no division by zero"),
        (lambda a: a / 0, (D,), "no division by zero"),
        (lambda a, d: a if a <= d else d, (A, D), "decided and exact"),
        (lambda a: 1 if a == 0 else 2, (A,), "decided and exact"),
        (lambda a: 1 if a else 2, (A,), "decided and exact"),
        (lambda a, d: max(a, d), (A, D), "decided and exact"),
        (lambda d: 1.0, (D,), "decided and exact (1.0 is not an exact number)"),
        (lambda d: d * 1.0, (D,), "decided and exact"),
        (lambda d: d + Float("1e-17") * d, (D,), "decided and exact"),
        (lambda d: "1", (D,), "decided and exact"),
        (lambda d: True, (D,), "decided and exact"),
        (lambda d: None, (D,), "decided and exact"),
        (lambda d: S.NaN, (D,), "decided and exact"),
        (lambda d: S.ComplexInfinity, (D,), "decided and exact"),
        (lambda d: d * S.Infinity, (D,), "decided and exact"),
        (_swallows, (A,), "decided and exact"),
    ],
)
def test_undefined_or_undecided_code_fails_and_yields_nan(
    function: Callable[..., Any], values: tuple[Any, ...], reason: str
) -> None:
    derivation = Derivation()
    result = derivation.run("f", function, *values)
    assert result is S.NaN
    assert reason in str(derivation.proof().failed)
    derivation.zero("anything of it", result)
    assert not derivation.proof().goals[-1].holds


def test_division_by_what_cannot_be_zero_is_fine() -> None:
    derivation = Derivation()
    assert derivation.run("f", lambda a, d: a / (a + d), A, D) == A / (A + D)
    assert derivation.proof().goals == ()


def test_truth_of_a_number_is_whether_it_is_zero() -> None:
    """As of a Fraction: a symbolic zero is false, and an undecided one is no answer."""
    derivation = Derivation()
    assert derivation.run("f", lambda a: 1 if a else 2, S.Zero) == 2
    assert derivation.run("f", lambda a: 1 if a else 2, D) == 1
    assert derivation.run("f", lambda a: 1 if not a - a else 2, A) == 1


def test_ordinary_arithmetic_is_traced() -> None:
    derivation = Derivation()
    assert derivation.run("f", lambda d: abs(-d) - 1 + (2 - d) * 3 / (1 + d), D) == D - 1 + (2 - D) * 3 / (1 + D)
    assert derivation.run("f", lambda d: abs(d), -D) == D
    assert plain(3) == 3


def test_claim_stated_twice_must_hold_twice() -> None:
    derivation = Derivation()
    derivation.zero("same", S.Zero)
    derivation.zero("same", S.One)
    derivation.zero("same", S.Zero)
    assert derivation.proof().goals == (("same", False),)


def test_induction_over_nothing_is_refused() -> None:
    def steps(token: Token) -> Mapping[str, Any]:
        return {"P": token.p, "Q": token.q}

    derivation = Derivation()
    for invariant in ({}, {"P": 0}, {"P": 1, "Q": 0}):
        with pytest.raises(ValueError, match="an induction needs tokens"):
            derivation.induction("nothing", invariant, steps)
    with pytest.raises(ValueError, match="an induction needs tokens"):
        derivation.induction("nothing", {"P": 1}, steps, lambda: [])
    with pytest.raises(KeyError):
        derivation.induction("not a sum", {"R": 1}, steps)
    for relation in ("<= 0", "> 0", "== 0"):
        with pytest.raises(KeyError):
            derivation.induction("another relation", {"P": 1}, steps, relation=relation)
    assert not derivation.proof().goals


@pytest.mark.parametrize("relation", ["= 0", ">= 0"])
def test_false_invariants_are_refused(relation: str) -> None:
    """Sum p = sum q and sum p <= sum q are false; the step fails at the first case with p > q."""

    def steps(token: Token) -> Mapping[str, Any]:
        return {"P": token.p, "Q": token.q}

    derivation = Derivation()
    derivation.induction("false", {"P": -1, "Q": 1}, steps, relation=relation)
    assert derivation.proof().failed == "false [one more token, p > q = 0]"
    assert not derivation.proof().complete


def test_traced_numbers_decide_by_sign() -> None:
    a, d = Traced(A, Trace()), Traced(D, Trace())
    assert d > 0
    assert d >= 0
    assert a >= 0
    assert a + 0 >= 0
    assert a + d > a
    assert not a + d < a
    assert d != 0
    assert (d == 0) is False
    assert 0 * a == 0
    questions: list[Callable[[], bool]] = [lambda: a > 0, lambda: a < d, lambda: a == d, lambda: a <= 0]
    for question in questions:
        with pytest.raises(Unsound):
            question()


def test_cases_are_exhaustive_and_exclusive() -> None:
    """Every pair k/4, k/4 of one token is an instance of exactly one case."""

    def fits(token: Token, p: int, q: int) -> bool:
        gap = p - q
        return bool(
            (token.p == 0) == (p == 0)
            and (token.q == 0) == (q == 0)
            and (token.above != 0) == (gap > 0)
            and (token.below != 0) == (gap < 0)
        )

    for p in range(5):
        for q in range(5):
            assert sum(fits(token, p, q) for token in token_cases()) == 1


def test_steps_in_words_must_be_known() -> None:
    with pytest.raises(KeyError, match="handwaving"):
        Derivation("handwaving")
