"""Cases are shown, sized and written as they are."""

from sympy import Rational

from proofs.cases import Case, ProcessCase

HALF = (Rational(1, 2), Rational(1, 2))
THIRDS = (Rational(1, 3), Rational(2, 3))
ONE = (Rational(1), Rational(0))


def test_markov_rows_stand_after_their_tokens() -> None:
    case = ProcessCase((HALF, THIRDS, ONE), (HALF,), (2,))
    assert [case.target_row(prefix) for prefix in ((), (0,), (1, 0), (0, 1))] == [HALF, THIRDS, THIRDS, ONE]
    assert {case.draft_row(prefix) for prefix in ((), (0,), (1, 1))} == {HALF}


def test_cases_are_shown_in_one_line() -> None:
    assert Case(HALF, ONE).show() == "p (1/2, 1/2) q (1, 0)"
    assert Case(HALF, ONE, (Rational(1), Rational(0))).show("keep") == "p (1/2, 1/2) q (1, 0) keep (1, 0)"
    assert Case(HALF, ONE, (HALF, ONE)).show("coupling") == "p (1/2, 1/2) q (1, 0) coupling ((1/2, 1/2), (1, 0))"
    assert ProcessCase((HALF,), (THIRDS,), (2,)).show("gamma") == "target (1/2, 1/2) draft (1/3, 2/3) gamma 2"
    shown = ProcessCase((HALF, THIRDS, ONE), (HALF,)).show()
    assert shown == "target ((1/2, 1/2), (1/3, 2/3), (1, 0)) draft (1/2, 1/2)"


def test_size_goes_by_tokens_rows_and_denominators() -> None:
    cases: list[Case | ProcessCase] = [
        Case(HALF, ONE),
        Case(THIRDS, ONE),
        ProcessCase((HALF, HALF, ONE), (ONE,)),
        Case((*HALF, Rational(0)), (*ONE, Rational(0))),
    ]
    assert sorted([cases[2], cases[0], cases[3], cases[1]], key=lambda case: case.size) == cases
    assert Case(HALF, ONE).size == ProcessCase((HALF,), (ONE,), (3,)).size == (2, 2, [2, 1])


def test_json_holds_fractions_as_texts() -> None:
    case = ProcessCase((HALF,), (ONE,), (2, THIRDS, "strict"))
    assert case.to_json() == {
        "target": [["1/2", "1/2"]],
        "draft": [["1/1", "0/1"]],
        "extra": ["2", ["1/3", "2/3"], "strict"],
    }
    assert Case(HALF, ONE).to_json() == {"p": ["1/2", "1/2"], "q": ["1/1", "0/1"], "extra": []}
