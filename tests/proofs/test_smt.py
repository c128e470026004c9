"""The solver's answers, and the terms that it is given."""

from itertools import product
from typing import Any

import pytest
import z3  # type: ignore[import-untyped]
from sympy import Rational

from proofs import completion, distributions, token_rule
from proofs.smt import FORMULAS, Problem, Statement, all_of, any_of, decide, number
from proofs.smt_results import Goal

X = number("x")
CUBES = z3.ToReal(z3.Int("a")) ** 3 + z3.ToReal(z3.Int("b")) ** 3 + z3.ToReal(z3.Int("c")) ** 3


def test_true_conclusion_is_proved() -> None:
    assert decide(Statement("x", (X > 1,), X * X > 1)) == Goal("x", "proved")


def test_false_conclusion_is_refuted() -> None:
    assert decide(Statement("x", (X > 1,), X > 2)) == Goal("x", "refuted")


@pytest.mark.parametrize("conclusion", [X > 2, X <= 2])
def test_contradictory_hypotheses_are_vacuous(conclusion: Any) -> None:
    assert decide(Statement("x", (X > 1, X * X < 1), conclusion)).vacuous


def test_what_the_solver_cannot_decide_is_unknown() -> None:
    exponential = Statement("x", (), 2**X != 3 * X)
    assert decide(exponential) == Goal("x", "unknown")


def test_hypotheses_that_the_solver_cannot_decide_make_it_unknown() -> None:
    """Even where the conclusion cannot fail."""
    assert decide(Statement("x", (2**X == 3 * X,), X == X)) == Goal("x", "unknown")


def test_question_that_takes_longer_than_the_timeout_is_unknown() -> None:
    assert decide(Statement("x", (), CUBES != 114), timeout=1) == Goal("x", "unknown")


@pytest.mark.parametrize("timeout", [0, -1])
def test_timeout_that_is_none_is_refused(timeout: int) -> None:
    with pytest.raises(ValueError, match="expected at least 1 millisecond"):
        decide(Statement("x", (), X == X), timeout)


def test_connectives() -> None:
    assert decide(Statement("all", (X > 1,), all_of(X > 0, X > 2))).answer == "refuted"
    assert decide(Statement("any", (X > 1,), any_of(X < 0, X > 0))).answer == "proved"


def test_induction_fails_at_the_empty_row_or_at_one_more_token() -> None:
    problem = Problem(FORMULAS)
    problem.induction("constant", lambda sums: sums["A"] == sums["A"] + 1, problem.token)
    problem.induction("A >= Q", lambda sums: sums["A"] >= sums["Q"], problem.token)
    assert [decide(goal).answer for goal in problem.goals[:1]] == ["refuted"]
    assert [decide(goal).answer for goal in problem.goals[2:]] == ["proved", "refuted"]


def _value(term: Any) -> Rational:
    value = z3.simplify(term if z3.is_expr(term) else z3.RealVal(term))
    return Rational(value.numerator_as_long(), value.denominator_as_long())


GRID = [Rational(k, 6) for k in range(7)]


@pytest.mark.parametrize("p", GRID, ids=str)
def test_terms_are_the_functions_that_sympy_runs(p: Rational) -> None:
    """On numbers, as z3 computes them: every pair of multiples of 1/6, and every third one beside it."""
    for q, other in product(GRID, GRID):
        a, b, c = (z3.RealVal(str(value)) for value in (p, q, other))
        keep = token_rule.accept_token(p, q)
        kept = z3.RealVal(str(q * keep))
        assert _value(FORMULAS.accept(a, b)) == keep
        assert _value(FORMULAS.kept(a, b)) == q * keep
        assert _value(FORMULAS.excess(a, b)) == token_rule.excess_token(p, q)
        assert _value(FORMULAS.distance(a, b)) == distributions.distance_token(p, q)
        assert _value(FORMULAS.replace(a, b, c)) == token_rule.replace_token(p, q, other)
        assert _value(FORMULAS.complete(a, b, c)) == completion.complete_token(p, q, other)
        assert _value(FORMULAS.emit(kept, a, c)) == token_rule.emit_token(q, keep, p, other)
        assert _value(FORMULAS.shortfall(a, kept)) == completion.shortfall_token(p, q, keep)
        for same in (False, True):
            joint = token_rule.joint_token(q, keep, other, same=same)
            assert _value(FORMULAS.joint(b, kept, c, same=same)) == joint
