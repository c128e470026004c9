"""What a verdict prints, and its JSON, to the letter; it never prints its word without the scope."""

import json
from fractions import Fraction
from typing import Any

import pytest

import proofs
from proofs.inputs import Input, Table, as_process
from proofs.verdict import Acceptance, Counterexample, NotLossless, Verdict, shown, snippet
from proofs.verdicts import Status

HALF, THIRD, SIXTH = Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)
ROW = (HALF, HALF)
LAW = {(0,): Fraction(2, 3), (1,): Fraction(1, 4), (2,): Fraction(1, 12)}
EXPECTED = {(0,): HALF, (1,): HALF}


def _found(**changes: Any) -> Counterexample:
    given: dict[str, Any] = {
        "target": Table(ROW),
        "draft": Table((ROW, (THIRD, 2 * THIRD))),
        "gamma": 2,
        "vocabulary": 2,
        "law": LAW,
        "expected": EXPECTED,
        "call_law": {((), (0,)): Fraction(1)},
        "total_variation": Fraction(1, 4),
        "path": ((0, 1), (0,), (0,), SIXTH),
        "snippet": "first line\n  second = 'line'",
        **changes,
    }
    return Counterexample(**given)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(3, 8), "3/8"),
        (Fraction(0), "0"),
        (Fraction(1, 10**37), "1/10000000000000000000000000000000000000"),
        (Fraction(1, 10**38), "1e-38 (rounded)"),
        (Fraction(2 * 10**60 + 1, 3 * 10**60), "0.666667 (rounded)"),
    ],
)
def test_long_fraction_is_rounded_and_said_to_be(value: Fraction, text: str) -> None:
    assert shown(value) == text


def test_counterexample_shows_input_law_distance_and_path() -> None:
    assert _found().lines() == [
        "gamma 2",
        'target ["1/2", "1/2"]',
        'draft  [["1/2", "1/2"], ["1/3", "2/3"]]',
        "(1,): 1/4, target 1/2",
        "(0,): 2/3, target 1/2",
        "(2,): 1/12, target 0",
        "TV 1/4",
        "a path: drafted (0, 1), emitted (0,), towards (0,), probability 1/6",
    ]


def test_rows_by_prefix_are_shown_by_prefix() -> None:
    rows: dict[tuple[int, ...], Any] = {(): ROW, (0,): (THIRD, 2 * THIRD)}
    assert _found(target=Table(rows)).lines()[1] == 'target {(): ["1/2", "1/2"], (0,): ["1/3", "2/3"]}'


def test_counterexample_without_a_path_or_a_draft() -> None:
    lines = _found(path=None, draft=Table(())).lines()
    assert lines[-1] == "TV 1/4"
    assert lines[2] == "draft  []"


def test_six_sequences_are_shown_and_the_rest_counted() -> None:
    expected = {(y,): Fraction(1, 8) for y in range(8)}
    law = {**expected, (0,): Fraction(0), (7,): Fraction(1, 4)}
    lines = _found(law=law, expected=expected).lines()
    assert lines[3:6] == ["(0,): 0, target 1/8", "(7,): 1/4, target 1/8", "and 6 more sequences"]
    assert _found(law={(0,): HALF, (1,): THIRD}).lines()[3:5] == ["(1,): 1/3, target 1/2", "and 1 more sequences"]
    law = {(y,): Fraction(k, 36) for y, k in enumerate(range(1, 9))}
    assert _found(law=law, expected={}).lines()[3] == "(7,): 2/9, target 0"
    assert _found(law=law, expected={}).lines()[8:10] == ["(2,): 1/12, target 0", "and 2 more sequences"]


# --- the snippet


def _ran(source: str) -> list[dict[str, Any]]:
    calls: list[dict[str, Any]] = []

    class Stub:
        @staticmethod
        def check(verify: Any, **options: Any) -> str:
            assert verify == "mine"
            calls.append(options)
            return ""

    exec(source, {"proofs": Stub, "verify": "mine"})
    return calls


@pytest.mark.parametrize(
    ("target", "draft", "gamma"),
    [
        (["1/2", "1/2"], ["1/3", "2/3"], 1),
        ([["1/2", "1/2"], ["1/6", "5/6"]], ["1/3", "2/3"], 1),
        (lambda prefix: ["1/2", "1/2"] if sum(prefix) else ["1/4", "3/4"], ["1/3", "2/3"], 2),
        (["1/2", "1/2"], [], 0),
    ],
)
def test_snippet_holds_the_same_input(target: Any, draft: Any, gamma: int) -> None:
    found = Input("it", as_process(target, "target"), as_process(draft, "draft"), gamma, 2)
    (options,) = _ran(snippet(found, {"arithmetic": "float64"}))
    ((again_target, again_draft),) = options.pop("inputs")
    assert options == {"gamma": gamma, "arithmetic": "float64"}
    again = Input("it", as_process(again_target, "target"), as_process(again_draft, "draft"), gamma, 2)
    assert again.tables() == found.tables()


def test_snippet_is_short_where_nothing_is_given() -> None:
    found = Input("it", Table(ROW), Table(ROW), 1, 2)
    assert snippet(found, {}) == (
        'target = ["1/2", "1/2"]\ndraft = ["1/2", "1/2"]\n'
        "print(proofs.check(verify, gamma=1, inputs=[(target, draft)]))"
    )


# --- the verdict


def test_verdict_is_printed_in_order_with_its_scope() -> None:
    verdict = Verdict(
        Status.BIASED,
        "the scope",
        "the reason",
        ("it is so.",),
        _found(path=None, law={}, expected={}),
        notes=("one", "two"),
    )
    assert str(verdict).splitlines() == [
        "biased: the reason",
        "scope: the scope",
        "it is so.",
        "counterexample:",
        "  gamma 2",
        '  target ["1/2", "1/2"]',
        '  draft  [["1/2", "1/2"], ["1/3", "2/3"]]',
        "  TV 1/4",
        "note: one",
        "note: two",
        "to see it again:",
        "  first line",
        "    second = 'line'",
    ]


@pytest.mark.parametrize("status", list(Status))
def test_word_is_never_printed_without_the_scope(status: Status) -> None:
    assert bool(Verdict(status, "so far", "why")) is (status is Status.LOSSLESS)
    assert str(Verdict(status, "so far", "why")) == f"{status.value}: why\nscope: so far"


def test_long_lines_are_wrapped_and_the_snippet_is_not() -> None:
    long = _found(snippet="x = " + "1 + " * 50 + "1", path=None)
    lines = str(Verdict(Status.BIASED, "word " * 40, "why", counterexample=long)).splitlines()
    assert max(map(len, lines[:-1])) <= 100
    assert lines[2].startswith("    word")
    assert lines[-1] == "  " + long.snippet
    assert str(Verdict(Status.BIASED, "x" * 150, "why")).splitlines()[-1].strip() == "x" * 150


def test_json_of_a_biased_verdict_is_whole() -> None:
    rows: dict[tuple[int, ...], Any] = {(): ROW, (0,): (THIRD, 2 * THIRD)}
    acceptance = (Acceptance("I2, gamma 1", THIRD, HALF),)
    verdict = Verdict(
        Status.BIASED, "scope", "why", ("so",), _found(target=Table(rows)), Fraction(1, 4), acceptance, 3, 7, ("note",)
    )
    document = verdict.to_json()
    assert json.loads(json.dumps(document)) == document
    assert document == {
        "status": "biased",
        "exit_status": 1,
        "scope": "scope",
        "reason": "why",
        "explanation": ["so"],
        "worst": "1/4",
        "inputs": 3,
        "paths": 7,
        "notes": ["note"],
        "acceptance": [{"input": "I2, gamma 1", "expected": "1/3", "best": "1/2"}],
        "counterexample": {
            "gamma": 2,
            "vocabulary": 2,
            "target": [{"prefix": [], "row": ["1/2", "1/2"]}, {"prefix": [0], "row": ["1/3", "2/3"]}],
            "draft": [["1/2", "1/2"], ["1/3", "2/3"]],
            "law": [
                {"sequence": [0], "probability": "2/3"},
                {"sequence": [1], "probability": "1/4"},
                {"sequence": [2], "probability": "1/12"},
            ],
            "expected": [{"sequence": [0], "probability": "1/2"}, {"sequence": [1], "probability": "1/2"}],
            "total_variation": "1/4",
            "coins": None,
            "snippet": "first line\n  second = 'line'",
            "batch": None,
        },
    }


@pytest.mark.parametrize(("status", "code"), [(Status.LOSSLESS, 0), (Status.BIASED, 1), (Status.UNVERIFIED, 5)])
def test_json_says_the_exit_status_and_no_counterexample(status: Status, code: int) -> None:
    document = Verdict(status, "scope", "why").to_json()
    assert (document["exit_status"], document["worst"], document["counterexample"]) == (code, "0/1", None)


def test_error_is_the_verdict() -> None:
    verdict = Verdict(Status.UNVERIFIED, "scope", "why")
    error = NotLossless(verdict)
    assert isinstance(error, AssertionError)
    assert error.verdict is verdict
    assert str(error) == str(verdict)
    assert proofs.NotLossless is NotLossless
