"""The declared laws of lossy rules, held to enumeration that shares no code with them."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational

import proofs
from proofs import lossy_rules
from proofs.errors import InexactError, NotADistributionError, ProofsError, ShapeError
from proofs.strategies import pairs
from tests import lossy_enumeration as brute
from tests.enumeration import NAMED, Row, rows

BRUTE: dict[str, Callable[..., Any]] = {
    "lenience": brute.lenience,
    "synthetic": brute.synthetic,
    "ensemble": brute.ensemble,
    "sglang_thresholds": brute.sglang,
    "relaxed": brute.relaxed,
    "typical": brute.typical,
}
# One set of arguments at least for every variant that has a name, and both ends of every range.
ARGUMENTS: dict[str, list[tuple[Any, ...]]] = {
    "lenience": [("1", "difference"), ("3/4", "difference"), ("3/4", "scaled"), ("1/100", "scaled"), ("1", "scaled")],
    "synthetic": [("0",), ("1/3",), ("1",)],
    "ensemble": [("0",), ("1/3",), ("1",)],
    "sglang_thresholds": [("1", "1"), ("1", "1/3"), ("1/3", "1"), ("0", "1/2"), ("2/5", "3/5")],
    "relaxed": [
        (1, "1", "top"), (2, "1/3", "top"), (2, "1/3", "target"), (2, "1/3", "kept"), (9, "1/6", "kept"),
        (9, "0", "top"),
    ],
    "typical": [
        ("0", "0", "target"), ("1", "1", "kept"), ("1", "1", "top"), ("1", "1/2", "target"), ("1/3", "1", "kept"),
    ],
}  # fmt: skip
CALLS = [(rule, arguments) for rule, calls in ARGUMENTS.items() for arguments in calls]
NAMES = ("difference", "scaled", "top", "target", "kept")


def _read(arguments: tuple[Any, ...]) -> list[Any]:
    return [value if isinstance(value, int) or value in NAMES else Fraction(value) for value in arguments]


def _enumerated(rule: str, p: Row, q: Row, arguments: tuple[Any, ...]) -> Any:
    law, alpha = brute.enumerated(p, q, *BRUTE[rule](*_read(arguments)))
    return tuple(map(proofs.exact, law)), proofs.exact(alpha)


# Law and acceptance by tests.lossy_enumeration, written down.
GOLDEN = {
    ("lenience", ("3/4", "difference"), "I2"): "4/9 5/9 | 7/9",
    ("lenience", ("3/4", "difference"), "I3"): "4/9 1/3 2/9 | 13/18",
    ("lenience", ("3/4", "difference"), "I5"): "13/40 11/40 4/15 2/15 | 7/10",
    ("lenience", ("3/4", "difference"), "B0"): "1/6 13/36 17/36 | 2/3",
    ("lenience", ("3/4", "scaled"), "I2"): "4/9 5/9 | 7/9",
    ("lenience", ("3/4", "scaled"), "I3"): "13/33 38/99 2/9 | 13/18",
    ("lenience", ("3/4", "scaled"), "I5"): "29/95 28/95 4/15 2/15 | 7/10",
    ("lenience", ("3/4", "scaled"), "B0"): "1/6 3/8 11/24 | 2/3",
    ("lenience", ("1/2", "difference"), "I2"): "2/3 1/3 | 1",
    ("lenience", ("1/2", "difference"), "I3"): "1/3 1/3 1/3 | 5/6",
    ("lenience", ("1/2", "difference"), "I5"): "1/4 1/4 3/10 1/5 | 4/5",
    ("lenience", ("1/2", "difference"), "B0"): "1/4 1/3 5/12 | 3/4",
    ("lenience", ("1/2", "scaled"), "I2"): "2/3 1/3 | 1",
    ("lenience", ("1/2", "scaled"), "I3"): "2/7 8/21 1/3 | 5/6",
    ("lenience", ("1/2", "scaled"), "I5"): "13/60 4/15 19/60 1/5 | 4/5",
    ("lenience", ("1/2", "scaled"), "B0"): "1/4 7/20 2/5 | 3/4",
    ("synthetic", ("1/2",), "I2"): "1/2 1/2 | 1/2",
    ("synthetic", ("1/2",), "I3"): "1/3 1/3 1/3 | 1/2",
    ("synthetic", ("1/2",), "I5"): "1/4 1/4 1/4 1/4 | 1/2",
    ("synthetic", ("1/2",), "B0"): "5/16 5/16 3/8 | 1/2",
    ("ensemble", ("3/4",), "I2"): "5/12 7/12 | 3/4",
    ("ensemble", ("3/4",), "I3"): "5/12 1/3 1/4 | 3/4",
    ("ensemble", ("3/4",), "I5"): "13/40 11/40 9/40 7/40 | 7/10",
    ("ensemble", ("3/4",), "B0"): "7/32 11/32 7/16 | 23/32",
    ("sglang_thresholds", ("1", "1/2"), "I2"): "4/9 5/9 | 7/9",
    ("sglang_thresholds", ("1", "1/2"), "I3"): "9/20 16/45 7/36 | 5/9",
    ("sglang_thresholds", ("1", "1/2"), "I5"): "451/1260 73/240 139/630 197/1680 | 2/5",
    ("sglang_thresholds", ("1", "1/2"), "B0"): "11/80 39/112 18/35 | 9/16",
    ("sglang_thresholds", ("2/5", "1"), "I2"): "2/9 7/9 | 5/9",
    ("sglang_thresholds", ("2/5", "1"), "I3"): "7/12 5/18 5/36 | 13/36",
    ("sglang_thresholds", ("2/5", "1"), "I5"): "23/50 27/100 9/50 9/100 | 13/50",
    ("sglang_thresholds", ("2/5", "1"), "B0"): "3/32 9/32 5/8 | 13/32",
    ("relaxed", (2, "1/5", "top"), "I2"): "0 1 | 1/3",
    ("relaxed", (2, "1/5", "top"), "I3"): "2/3 1/3 0 | 1/2",
    ("relaxed", (2, "1/5", "top"), "I5"): "4/5 1/5 0 0 | 3/10",
    ("relaxed", (2, "1/5", "top"), "B0"): "0 1/4 3/4 | 1/2",
    ("relaxed", (2, "1/5", "target"), "I2"): "2/9 7/9 | 1/3",
    ("relaxed", (2, "1/5", "target"), "I3"): "5/12 1/2 1/12 | 1/2",
    ("relaxed", (2, "1/5", "target"), "I5"): "19/50 41/100 7/50 7/100 | 3/10",
    ("relaxed", (2, "1/5", "target"), "B0"): "1/16 7/16 1/2 | 1/2",
    ("relaxed", (3, "1/3", "kept"), "I2"): "2/3 1/3 | 1",
    ("relaxed", (3, "1/3", "kept"), "I3"): "1/6 1/3 1/2 | 1",
    ("relaxed", (3, "1/3", "kept"), "I5"): "5/18 1/3 7/18 0 | 3/5",
    ("relaxed", (3, "1/3", "kept"), "B0"): "0 13/28 15/28 | 1/2",
    ("typical", ("1/2", "1/2", "target"), "I2"): "2/3 1/3 | 1",
    ("typical", ("1/2", "1/2", "target"), "I3"): "5/12 1/2 1/12 | 1/2",
    ("typical", ("1/2", "1/2", "target"), "I5"): "13/50 8/25 19/50 1/25 | 3/5",
    ("typical", ("1/2", "1/2", "target"), "B0"): "1/16 7/16 1/2 | 1/2",
    ("typical", ("3/10", "9/10", "kept"), "I2"): "2/3 1/3 | 1",
    ("typical", ("3/10", "9/10", "kept"), "I3"): "7/15 8/15 0 | 1/2",
    ("typical", ("3/10", "9/10", "kept"), "I5"): "1/2 1/2 0 0 | 3/10",
    ("typical", ("3/10", "9/10", "kept"), "B0"): "0 13/28 15/28 | 1/2",
    ("typical", ("3/10", "9/10", "top"), "I2"): "2/3 1/3 | 1",
    ("typical", ("3/10", "9/10", "top"), "I3"): "2/3 1/3 0 | 1/2",
    ("typical", ("3/10", "9/10", "top"), "I5"): "4/5 1/5 0 0 | 3/10",
    ("typical", ("3/10", "9/10", "top"), "B0"): "0 1/4 3/4 | 1/2",
}


@pytest.mark.parametrize("key", GOLDEN, ids=str)
def test_golden_values(key: Any) -> None:
    rule, arguments, name = key
    law, alpha = GOLDEN[key].split("|")
    emitted = getattr(lossy_rules, rule)(*NAMED[name], *arguments)
    assert emitted == (tuple(map(proofs.exact, law.split())), proofs.exact(alpha.strip()))


def test_golden_values_are_many() -> None:
    assert len(GOLDEN) >= 50


@pytest.mark.parametrize(("rule", "arguments"), CALLS, ids=str)
def test_every_pair_of_a_grid_against_enumeration(rule: str, arguments: tuple[Any, ...]) -> None:
    """For all p, q with probabilities k/3 at V = 3 and k/4 at V = 2 and 1: law and alpha, zeros and ties included."""
    function = getattr(lossy_rules, rule)
    for vocabulary, grid in ((1, 1), (2, 4), (3, 3)):
        for p in rows(vocabulary, grid):
            for q in rows(vocabulary, grid):
                assert function(p, q, *arguments) == _enumerated(rule, p, q, arguments), (p, q)


@settings(max_examples=60)
@given(pairs(), st.sampled_from(CALLS))
def test_law_is_what_enumeration_gives(pair: tuple[Row, Row], call: tuple[str, tuple[Any, ...]]) -> None:
    """For all p, q and every rule: law and alpha are those of the keep-probabilities and replacements, enumerated."""
    rule, arguments = call
    emitted = getattr(lossy_rules, rule)(*pair, *arguments)
    assert emitted == _enumerated(rule, *pair, arguments)
    assert sum(emitted.dist) == 1
    assert min(emitted.dist) >= 0


@given(pairs(), pairs())
def test_cascade_is_the_token_rule_against_the_declared_row(first: tuple[Row, Row], second: tuple[Row, Row]) -> None:
    """For all p, pi, q over as many tokens: the law is pi, and alpha = 1 - TV(pi, q)."""
    (declared, draft), target = first, first[1]
    emitted = lossy_rules.cascade(target, declared, draft)
    assert emitted.dist == tuple(map(proofs.exact, declared))
    assert emitted.alpha == 1 - proofs.total_variation(declared, draft)
    assert lossy_rules.cascade(second[0], *second) == proofs.emitted_distribution(*second)


@given(pairs())
def test_rules_that_are_the_token_rule_in_a_corner(pair: tuple[Row, Row]) -> None:
    """For all p, q: lenience 1, either residual, ensemble 1 and the target declared are the token rule."""
    expected = proofs.emitted_distribution(*pair)
    assert lossy_rules.lenience(*pair, 1) == lossy_rules.lenience(*pair, 1, "scaled") == expected
    assert lossy_rules.ensemble(*pair, 1) == lossy_rules.cascade(pair[0], *pair) == expected


@given(pairs())
def test_thresholds_of_one_are_the_match_rule(pair: tuple[Row, Row]) -> None:
    """For all p, q: SGLang's thresholds at 1 are lossless, with alpha = sum p q."""
    law, alpha = lossy_rules.sglang_thresholds(*pair, 1, 1)
    assert law == tuple(map(proofs.exact, pair[0]))
    assert alpha == proofs.exact(sum((a * b for a, b in zip(*pair, strict=True)), Fraction(0)))


def test_relaxed_is_greedy_at_its_strictest() -> None:
    p, q = NAMED["I5"]
    assert lossy_rules.relaxed(p, q, 1, 0) == lossy_rules.relaxed(p, q, 9, 0)
    assert lossy_rules.relaxed(p, q, 1, 0).dist == (1, 0, 0, 0)


def test_of_equal_tokens_the_lower_id_is_first() -> None:
    tied = ["1/4", "1/2", "1/4"]
    assert lossy_rules.relaxed_tokens(tied, 2, 1) == (True, True, False)
    assert lossy_rules.relaxed_tokens(["1/2", "1/2"], 1, 1) == (True, False)
    assert lossy_rules.relaxed(["1/2", "1/2"], ["0", "1"], 1, 1).dist == (1, 0)


def test_entry_on_the_threshold() -> None:
    """Relaxed keeps p(x) = max - delta, typical does not keep p(x) = epsilon or p(x) = exp(-H)."""
    assert lossy_rules.relaxed_tokens(["1/2", "3/8", "1/8"], 3, "1/8") == (True, True, False)
    assert lossy_rules.typical_tokens(["1/2", "1/2"], "1/2", 1) == (False, False)
    assert lossy_rules.typical_tokens(["1/2", "1/2"], "1/2", "999999/1000000") == (True, True)


def test_one_token_and_one_hot_rows() -> None:
    for rule, arguments in CALLS:
        assert getattr(lossy_rules, rule)([1], [1], *arguments).dist == (1,)
    assert lossy_rules.typical([1, 0], [0, 1], "1/2", "1/2") == ((1, 0), 0)
    assert lossy_rules.sglang_thresholds([1, 0], [0, 1], 1, 1) == ((1, 0), 0)
    assert lossy_rules.sglang_thresholds([1, 0], [1, 0], 1, 1) == ((1, 0), 1)
    assert lossy_rules.lenience([1, 0], [0, 1], "1/2") == ((1, 0), 0)


def test_results_are_rationals_in_tuples() -> None:
    for rule, arguments in CALLS:
        dist, alpha = getattr(lossy_rules, rule)(*NAMED["I3"], *arguments)
        assert isinstance(dist, tuple)
        assert all(isinstance(x, Rational) for x in (*dist, alpha)), rule


HALF = ["1/2", "1/2"]
REFUSED: dict[str, tuple[str, tuple[Any, ...], type[ValueError], str]] = {
    "lenience 0": ("lenience", (HALF, HALF, 0), ProofsError, "leniency = 0; expected 0 < leniency <= 1"),
    "lenience above 1": ("lenience", (HALF, HALF, "5/4"), ProofsError, "leniency = 5/4; expected"),
    "lenience in floats": ("lenience", (HALF, HALF, 0.5), InexactError, "leniency: 0.5 .float"),
    "unknown residual": (
        "lenience",
        (HALF, HALF, 1, "p-q"),
        ProofsError,
        "residual = 'p-q'; expected one of difference",
    ),
    "residual of no type": ("lenience", (HALF, HALF, 1, None), ProofsError, "residual = None"),
    "negative rate": ("synthetic", (HALF, HALF, "-1/2"), ProofsError, "rate = -1/2; expected 0 <= rate <= 1"),
    "weight above 1": ("ensemble", (HALF, HALF, 2), ProofsError, "weight = 2"),
    "accumulated threshold 0": (
        "sglang_thresholds",
        (HALF, HALF, 1, 0),
        ProofsError,
        "threshold_acc = 0; expected 0 <",
    ),
    "single threshold": ("sglang_thresholds", (HALF, HALF, "9/8", 1), ProofsError, "threshold_single = 9/8"),
    "no tokens": ("relaxed", (HALF, HALF, 0, 0), ProofsError, "top_n = 0; expected a number of tokens, 1 or more"),
    "half a token": ("relaxed", (HALF, HALF, Fraction(1, 2), 0), ProofsError, "top_n = 1/2 is no integer"),
    "negative delta": ("relaxed", (HALF, HALF, 1, -1), ProofsError, "delta = -1"),
    "unknown replacement": ("relaxed", (HALF, HALF, 1, 0, "argmax"), ProofsError, "replacement = 'argmax'"),
    "epsilon": ("typical", (HALF, HALF, 2, 1), ProofsError, "epsilon = 2"),
    "lengths": ("typical", (HALF, [1], 1, 1), ShapeError, "target has 2 tokens and draft has 1"),
    "declared lengths": ("cascade", (HALF, [1], HALF), ShapeError, "declared has 1 tokens and draft has 2"),
    "target of a cascade": ("cascade", (["1/2"], HALF, HALF), NotADistributionError, "target sums to 1/2"),
    "floats": ("ensemble", ([0.5, 0.5], HALF, 1), InexactError, r"target\[0\]"),
    "draft off one": ("synthetic", (HALF, ["1/2", "1/4"], 1), NotADistributionError, "draft sums to 3/4"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_bad_call_is_refused(kind: str) -> None:
    rule, arguments, error, message = REFUSED[kind]
    with pytest.raises(error, match=message):
        getattr(lossy_rules, rule)(*arguments)
