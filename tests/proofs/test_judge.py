"""Verdicts on laws that are enumerated by hand: right rules, famous faults, and random laws against T3."""

import pickle
from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs import judge as module
from proofs.errors import NotADistributionError, ProofsError, ShapeError
from proofs.judge import ContradictionError, changed_target, judge, within
from proofs.optimum import block_optimum
from proofs.strategies import distributions
from proofs.verdicts import Outcome, Status
from tests.call_laws import (
    CallLaw,
    Prefix,
    Process,
    Row,
    always,
    blind,
    block,
    by_prefix,
    chain,
    completed,
    drafts,
    first_token,
    match,
    normalised,
    ratio,
    residual,
)
from tests.enumeration import NAMED

ZERO, ONE = Fraction(0), Fraction(1)
HALF, QUARTER, EIGHTH = Fraction(1, 2), Fraction(1, 4), Fraction(1, 8)
B0 = NAMED["B0"]
MARKOV = by_prefix({(): NAMED["I3"][0], (0,): B0[0], (1,): (ZERO, ONE, ZERO), (2, 0): B0[1]}, (HALF, ZERO, HALF))
DRAFTS = by_prefix({(): NAMED["I3"][1], (1,): (ONE, ZERO, ZERO), (2,): (ZERO, HALF, HALF)}, B0[1])
EDGES = {
    "equal": (B0[0], B0[0]),
    "disjoint": ((ONE, ZERO, ZERO), (ZERO, HALF, HALF)),
    "one-hot target": ((ZERO, ONE, ZERO), B0[1]),
    "one-hot draft": (B0[0], (ZERO, ONE, ZERO)),
    "draft zero": (B0[0], (ZERO, HALF, HALF)),
    "target zero": ((ZERO, HALF, HALF), B0[0]),
}
RULES: dict[str, Callable[[Process, Process, int, int], CallLaw]] = {"chain": chain, "match": match, "block": block}


def row(*numbers: str) -> Row:
    return tuple(map(Fraction, numbers))


def distance(found: dict[Prefix, Fraction], allowed: dict[Prefix, Fraction]) -> Fraction:
    return sum((abs(found.get(y, ZERO) - allowed.get(y, ZERO)) for y in found | allowed), ZERO) / 2


# Right rules.


# The named pair of five tokens says nothing at two drafts that the smaller ones do not.
CASES = [(name, gamma) for name in (*NAMED, *EDGES) for gamma in (0, 1, 2) if (name, gamma) != ("R3", 2)]


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize(("name", "gamma"), CASES)
def test_right_rules_are_lossless(rule: str, name: str, gamma: int) -> None:
    p, q = (NAMED | EDGES)[name]
    judgement = judge(RULES[rule](always(p), always(q), gamma, len(p)), always(p), always(q), gamma, len(p))
    assert judgement.status is Status.LOSSLESS
    assert (judgement.total_variation, judgement.excess, judgement.forbidden) == (ZERO, None, ZERO)
    assert (judgement.breaches, judgement.changed, judgement.drafter) == ((), None, None)
    assert judgement.optimum == block_optimum(always(p), drafts(always(q), gamma, len(p)), gamma)
    assert (judgement.expected_accepted == judgement.optimum) == (judgement.explanation == ())
    if rule == "block":
        assert judgement.expected_accepted == judgement.optimum


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("gamma", [1, 2, 3])
def test_right_rules_are_lossless_where_rows_depend_on_the_prefix(rule: str, gamma: int) -> None:
    assert judge(RULES[rule](MARKOV, DRAFTS, gamma, 3), MARKOV, DRAFTS, gamma, 3).status is Status.LOSSLESS


def _keep_if_greater(p: Row, q: Row, x: int) -> Fraction:
    return Fraction(p[x] >= q[x])


def _its_residual(p: Row, q: Row, x: int) -> Row:
    return normalised(tuple(a - (b if b <= a else 0) for a, b in zip(p, q, strict=True)), p)


def test_slow_but_right_is_told_so() -> None:
    p, q = always(B0[0]), always(B0[1])
    judgement = judge(chain(p, q, 2, 3, keep=_keep_if_greater, replacement=_its_residual), p, q, 2, 3)
    assert judgement.status is Status.LOSSLESS
    assert judgement.explanation == (
        "It accepts 3/4 tokens a call on average; the best that a lossless one can do with these drafts is 17/16.",
    )


def test_match_rule_is_lossless_whatever_the_drafter_does() -> None:
    p, q, really = always(B0[0]), always(B0[1]), always(row("1", "0", "0"))
    judgement = judge(match(p, q, 2, 3, really), p, q, 2, 3)
    assert judgement.status is Status.LOSSLESS
    assert judgement.drafter is not None
    assert (judgement.drafter.prefix, judgement.drafter.actual, judgement.drafter.reported) == ((), really(()), B0[1])
    assert judgement.expected_accepted == judgement.optimum == Fraction(1, 8) + Fraction(1, 64)


# Faults, with the law on B0 of one drafted token.

ARGMAX = row("0", "0", "1")
FAULTS: dict[str, tuple[dict[str, Any], Row]] = {
    "always keep": ({"keep": lambda p, q, x: ONE}, B0[1]),
    "drafter is greedy": ({"really": always(row("1", "0", "0"))}, row("1/4", "1/4", "1/2")),
    "drafts from the top two": ({"really": always(row("2/3", "1/3", "0"))}, row("1/6", "1/2", "1/3")),
    "correction from p": ({"replacement": lambda p, q, x: p}, row("11/64", "25/64", "7/16")),
    "q subtracted at the drafted token": (
        {"replacement": lambda p, q, x: normalised(tuple(max(ZERO, a - q[x] * (y == x)) for y, a in enumerate(p)), p)},
        row("1/8", "23/56", "13/28"),
    ),
    "next row in the correction": (
        {"replacement": lambda p, q, x: residual(p, row("1/4", "1/2", "1/4"), x)},
        row("1/8", "1/4", "5/8"),
    ),
    "inverted ratio": ({"keep": lambda p, q, x: min(ONE, q[x] / p[x])}, row("1/2", "17/72", "19/72")),
    "absolute residual": (
        {"replacement": lambda p, q, x: normalised(tuple(abs(a - b) for a, b in zip(p, q, strict=True)), p)},
        row("5/16", "5/16", "3/8"),
    ),
    "reversed residual": ({"replacement": lambda p, q, x: residual(q, p, x)}, B0[1]),
    "argmax of the residual": ({"replacement": lambda p, q, x: ARGMAX}, row("1/8", "1/4", "5/8")),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_are_biased_by_the_law_that_they_have(fault: str) -> None:
    p, q = always(B0[0]), always(B0[1])
    parts, expected = FAULTS[fault]
    law = chain(p, q, 1, 3, **parts)
    assert first_token(law, 3) == expected
    judgement = judge(law, p, q, 1, 3)
    assert judgement.status is Status.BIASED
    assert judgement.total_variation == sum(abs(a - b) for a, b in zip(expected, B0[0], strict=True)) / 2
    assert judgement.excess is not None
    assert judgement.excess.mass > judgement.excess.allowed
    assert completed(law, p, 2, 3)[judgement.excess.sequence] == judgement.excess.mass
    assert (judgement.drafter is not None) == ("really" in parts)
    assert judgement.explanation


def test_acceptance_that_no_residual_repairs_is_named() -> None:
    p, q = always(B0[0]), always(B0[1])
    judgement = judge(chain(p, q, 1, 3, keep=lambda p, q, x: ONE), p, q, 1, 3)
    assert judgement.explanation == (
        "The acceptance is too high after (): token 0 is kept with mass 1/2, the target allows 1 * 1/8 = 1/8; "
        "no residual can repair it.",
        "The sequence (0, 2) has mass 1/4; the target allows 1/16.",
    )


def test_wrong_residual_is_shown_beside_the_right_one() -> None:
    p, q = always(B0[0]), always(B0[1])
    judgement = judge(chain(p, q, 1, 3, replacement=lambda p, q, x: p), p, q, 1, 3)
    assert judgement.explanation[0] == (
        "The acceptance is admissible. The replacement, after (), has on average the law (1/8, 3/8, 1/2); "
        "the only right one is (0, 1/3, 2/3)."
    )


def test_bonus_from_the_draft_is_named() -> None:
    p, q = map(always, NAMED["I3"])
    judgement = judge(chain(p, q, 1, 3, bonus=q), p, q, 1, 3)
    assert (judgement.status, judgement.total_variation) == (Status.BIASED, Fraction(2, 9))
    assert judgement.explanation[0] == (
        "The acceptance is admissible. The token after the last position, after (1,), has on average the law "
        "(1/6, 1/3, 1/2); the only right one is (1/2, 1/3, 1/6)."
    )


def test_block_rule_that_stops_at_the_first_failed_coin() -> None:
    p, q = map(always, NAMED["I2"])
    judgement = judge(block(p, q, 2, 2, stops_early=True), p, q, 2, 2)
    assert (judgement.status, judgement.total_variation) == (Status.BIASED, Fraction(1, 3))


def test_zero_mass_token_at_coin_zero_is_forbidden_in_every_arithmetic() -> None:
    coin = Fraction(1, 2**53)
    p, q = always(row("0", "1")), always(row("1", "0"))
    law = chain(p, q, 1, 2, keep=lambda p, q, x: max(coin, ratio(p, q, x)))
    judgement = judge(law, p, q, 1, 2, tolerance=Fraction(1, 2**30))
    assert (judgement.status, judgement.forbidden, judgement.total_variation) == (Status.BIASED, coin, coin)
    assert judgement.explanation == (
        "Token 0 after () has target probability zero and is emitted with mass 1/9007199254740992.",
        "The sequence (0, 1) has mass 1/9007199254740992; the target allows 0.",
    )


def test_token_outside_the_vocabulary_is_forbidden() -> None:
    p = always(B0[0])
    law: CallLaw = {((0,), (0, 3)): Fraction(1, 8), ((0,), (1,)): Fraction(3, 8), ((0,), (2,)): HALF}
    judgement = judge(law, p, p, 1, 3, tolerance=ONE)
    assert (judgement.status, judgement.forbidden) == (Status.BIASED, Fraction(1, 8))
    assert judgement.explanation[0] == "Token 3 after (0,) is outside the vocabulary and is emitted with mass 1/8."


def test_right_marginals_and_wrong_joint_law_are_told_apart() -> None:
    p = always((HALF, HALF))
    law: CallLaw = {((0,), (0, 0)): HALF, ((1,), (1, 1)): HALF}
    judgement = judge(law, p, p, 1, 2)
    assert (judgement.status, judgement.total_variation) == (Status.BIASED, HALF)
    assert "The law of every single position is right; the joint law of the sequence is wrong." in judgement.explanation
    uneven = judge({((0,), (0, 0)): HALF, ((1,), (1,)): HALF}, p, p, 1, 2)
    assert not any("every single position" in sentence for sentence in uneven.explanation)


def test_drafter_is_named_at_the_first_prefix_where_it_differs() -> None:
    p, q = always(B0[0]), always(B0[1])
    really = by_prefix({(2,): B0[0]}, B0[1])
    judgement = judge(chain(p, q, 2, 3, really=really), p, q, 2, 3)
    assert judgement.drafter is not None
    assert judgement.drafter.prefix == (2,)
    assert (judgement.drafter.actual, judgement.drafter.reported) == B0
    assert judgement.explanation[-1] == (
        "The drafter does not draw from the row it reports: after (2,) its drafts have the law (1/8, 3/8, 1/2), "
        "the reported row is (1/2, 1/4, 1/4)."
    )
    assert judgement.optimum == block_optimum(p, drafts(really, 2, 3), 2) != block_optimum(p, drafts(q, 2, 3), 2)


def test_acceptance_that_is_too_high_is_never_called_admissible() -> None:
    p, q = always(B0[0]), always(B0[1])
    judgement = judge(chain(p, q, 1, 3, bonus=q, **FAULTS["inverted ratio"][0]), p, q, 1, 3)
    assert [sentence.split(" ")[:4] for sentence in judgement.explanation] == [
        ["The", "acceptance", "is", "too"],
        ["The", "sequence", "(0,", "0)"],
    ]


# Structure.


def test_breach_with_equal_laws_is_biased_and_the_changed_row_shows_it() -> None:
    p, q = map(always, NAMED["I2"])
    judgement = judge(blind(p, q, 2), p, q, 2, 2)
    assert (judgement.status, judgement.total_variation, judgement.excess) == (Status.BIASED, ZERO, None)
    assert sum(breach.mass for breach in judgement.breaches) == Fraction(1, 3)
    assert all(breach.emitted[0] != breach.tokens[0] and breach.position == 0 for breach in judgement.breaches)
    changed = judgement.changed
    assert changed is not None
    assert (changed.prefix, changed.token, changed.row) == ((1,), 1, (ONE, ZERO))
    other = changed_target(p, changed)
    assert other((1,)) == (ONE, ZERO)
    assert [other(prefix) for prefix in ((), (0,), (1, 1))] == [p(())] * 3
    law = blind(other, q, 2)
    found, allowed = completed(law, other, 3, 2), completed({((), ()): ONE}, other, 3, 2)
    assert distance(found, allowed) > 0
    assert allowed.get(changed.sequence, ZERO) == 0 < changed.mass <= found[changed.sequence]
    again = judge(law, other, q, 2, 2)
    assert again.forbidden >= changed.mass
    assert judgement.explanation == (
        "Emitted tokens are not the drafted ones, with mass 1/3: drafted (0, 0), emitted (1, 1), whose token 1 at "
        "position 0 is not the last; no row was given for what follows it.",
        "With the target's row after (1,), which the verifier did not see, changed to (1, 0), the sequence (1, 1, 1) "
        "has mass at least 4/27; the target allows 0.",
    )


@pytest.mark.parametrize("name", ["I3", "B0", "I5"])
def test_changed_row_makes_the_laws_differ_on_other_inputs(name: str) -> None:
    p, q = map(always, NAMED[name])
    vocabulary = len(NAMED[name][0])
    changed = judge(blind(p, q, vocabulary), p, q, 2, vocabulary, tolerance=Fraction(1, 2**20)).changed
    assert changed is not None
    other = changed_target(p, changed)
    found = completed(blind(other, q, vocabulary), other, 3, vocabulary)
    assert completed({((), ()): ONE}, other, 3, vocabulary).get(changed.sequence, ZERO) == 0
    assert found[changed.sequence] >= changed.mass > 0


def test_breach_comes_before_what_is_said_of_the_acceptance() -> None:
    judgement = judge(blind(MARKOV, DRAFTS, 3), MARKOV, DRAFTS, 2, 3)
    assert judgement.total_variation > 0
    assert [sentence.split(" ")[0] for sentence in judgement.explanation] == ["Emitted", "With", "The"]
    assert judgement.explanation[-1].startswith("The sequence")


def test_drafts_that_see_the_changed_row_take_no_mass_away() -> None:
    """A verifier that is right wherever it sees the row, and blind where it does not."""
    p, q = always((HALF, HALF)), always((HALF, HALF))

    def verifier(target: Process) -> CallLaw:
        law = chain(target, q, 2, 2)
        moved = {key: mass for key, mass in law.items() if key[0] != (0, 0)}
        return moved | {((0, 0), (1, y)): QUARTER / 2 for y in range(2)}

    judgement = judge(verifier(p), p, q, 2, 2)
    changed = judgement.changed
    assert changed is not None
    assert changed.mass == Fraction(1, 16)
    other = changed_target(p, changed)
    assert completed(verifier(other), other, 3, 2)[changed.sequence] >= changed.mass
    assert judge(verifier(other), other, q, 2, 2).forbidden >= changed.mass


def test_breach_that_leaves_the_vocabulary_needs_no_changed_row() -> None:
    p = always(B0[0])
    judgement = judge({((0, 0), (5, 1)): ONE}, p, p, 2, 3)
    assert (judgement.status, judgement.forbidden, judgement.changed) == (Status.BIASED, ONE, None)
    assert len(judgement.breaches) == 1


def test_last_token_and_stopping_early_are_no_breach() -> None:
    """Rejecting, and keeping without a token of one's own, are both structurally right."""
    p, q = always(B0[0]), always(B0[1])
    shortened: CallLaw = {}
    for (tokens, emitted), mass in chain(p, q, 1, 3).items():
        shortened[tokens, emitted[:1]] = shortened.get((tokens, emitted[:1]), ZERO) + mass
    judgement = judge(shortened, p, q, 1, 3)
    assert (judgement.status, judgement.breaches, judgement.expected_accepted) == (Status.LOSSLESS, (), ZERO)


# Missing mass, tolerance, marks, the gate.


def _with_a_hole(law: CallLaw, key: tuple[Prefix, Prefix]) -> tuple[CallLaw, Fraction]:
    return {k: m for k, m in law.items() if k != key}, law[key]


def test_missing_mass_alone_is_unverified_and_never_tolerated() -> None:
    p, q = always(B0[0]), always(B0[1])
    law, missing = _with_a_hole(chain(p, q, 1, 3), ((0,), (0, 1)))
    judgement = judge(law, p, q, 1, 3, missing=missing, tolerance=ONE)
    assert (judgement.status, judgement.total_variation, judgement.missing) == (Status.UNVERIFIED, ZERO, missing)
    assert judgement.explanation == (
        f"Mass {missing} is missing: paths that crashed, were not explored or are not supported.",
    )
    assert judgement.optimum is None


def test_nothing_is_said_of_drafts_and_optimum_while_mass_is_missing() -> None:
    """Both drafts are kept on the only path that is known: above what its drafts alone could reach."""
    p = always((HALF, HALF))
    judgement = judge({((0, 0), (0, 0, 0)): EIGHTH}, p, p, 2, 2, missing=7 * EIGHTH)
    assert (judgement.status, judgement.expected_accepted) == (Status.UNVERIFIED, QUARTER)
    assert (judgement.optimum, judgement.drafter, judgement.reasons) == (None, None, ())


def test_excess_that_no_completion_repairs_is_biased_while_mass_is_missing() -> None:
    p, q = always(B0[0]), always(B0[1])
    law, missing = _with_a_hole(chain(p, q, 1, 3, keep=lambda p, q, x: ONE), ((2,), (2, 2)))
    judgement = judge(law, p, q, 1, 3, missing=missing, reasons=["a mark"])
    assert judgement.status is Status.BIASED
    assert judgement.total_variation == Fraction(3, 8)
    assert judgement.explanation[0].startswith("The acceptance is too high after (): token 0 is kept with mass 1/2")
    assert "the target allows 1 * 1/8 = 1/8" in judgement.explanation[0]


def test_lower_bound_with_missing_mass_is_reached_by_a_completion() -> None:
    p, q = always(B0[0]), always(B0[1])
    whole = chain(p, q, 1, 3, replacement=lambda p, q, x: p)
    allowed = completed({((), ()): ONE}, p, 2, 3)
    for key in whole:
        law, missing = _with_a_hole(whole, key)
        bound = judge(law, p, q, 1, 3, missing=missing).total_variation
        found = completed(law, p, 2, 3)
        room = {y: max(ZERO, mass - found.get(y, ZERO)) for y, mass in allowed.items()}
        best = {y: found.get(y, ZERO) + missing * r / sum(room.values()) for y, r in room.items()}
        assert bound == distance(best, allowed)
        assert bound <= distance(completed(whole, p, 2, 3), allowed) <= bound + missing


def _nudged(tilt: Fraction) -> CallLaw:
    p, q = always(B0[0]), always(B0[1])
    return chain(p, q, 2, 3, keep=lambda p, q, x: min(ONE, ratio(p, q, x) + tilt))


def test_tolerance_covers_rounding_and_the_exact_distance_is_reported() -> None:
    p, q, tilt = always(B0[0]), always(B0[1]), Fraction(1, 2**53)
    exactly, rounded = judge(_nudged(tilt), p, q, 2, 3), judge(_nudged(tilt), p, q, 2, 3, tolerance=4 * tilt)
    assert (exactly.status, rounded.status) == (Status.BIASED, Status.LOSSLESS)
    assert 0 < exactly.total_variation == rounded.total_variation <= 4 * tilt
    assert judge(_nudged(tilt), p, q, 2, 3, tolerance=rounded.total_variation).status is Status.LOSSLESS
    assert judge(_nudged(tilt), p, q, 2, 3, tolerance=rounded.total_variation / 2).status is Status.BIASED


def test_acceptance_above_the_optimum_by_rounding_is_not_held_against_the_verifier() -> None:
    p, q, tilt = always(B0[0]), always(B0[1]), Fraction(1, 2**53)
    law = chain(p, q, 1, 3, keep=lambda p, q, x: min(ONE, ratio(p, q, x) + tilt))
    judgement = judge(law, p, q, 1, 3, tolerance=4 * tilt)
    assert judgement.optimum is not None
    assert judgement.expected_accepted > judgement.optimum
    assert (judgement.status, judgement.reasons) == (Status.LOSSLESS, ())


def test_rounding_dust_does_not_hide_the_place_of_the_fault() -> None:
    p, q, tilt = always(B0[0]), always(B0[1]), Fraction(1, 2**53)
    law = chain(p, q, 1, 3, keep=lambda p, q, x: min(ONE, ratio(p, q, x) + tilt), bonus=q)
    judgement = judge(law, p, q, 1, 3, tolerance=16 * tilt)
    assert judgement.status is Status.BIASED
    assert judgement.explanation[0].startswith("The acceptance is admissible. The token after the last position")


def test_marks_keep_a_right_law_from_being_lossless() -> None:
    p, q = always(B0[0]), always(B0[1])
    judgement = judge(chain(p, q, 1, 3), p, q, 1, 3, reasons=["hidden state"])
    assert (judgement.status, judgement.reasons) == (Status.UNVERIFIED, ("hidden state",))


def test_equal_laws_above_the_optimum_are_an_error_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    p, q = always(B0[0]), always(B0[1])
    law = chain(p, q, 1, 3)
    monkeypatch.setattr(module, "block_optimum", lambda *arguments: HALF)
    with pytest.raises(ContradictionError, match="error of this package.*the lead is 1/8"):
        judge(law, p, q, 1, 3)
    judgement = judge(law, p, q, 1, 3, tolerance=Fraction(1, 2**40))
    assert judgement.status is Status.UNVERIFIED
    assert "error of this package (lead 1/8)" in judgement.reasons[0]
    assert not issubclass(ContradictionError, ValueError)
    monkeypatch.setattr(module, "block_optimum", lambda *arguments: ZERO)
    assert judge(blind(p, q, 3), p, q, 2, 3).status is Status.BIASED


def test_gate_allows_what_the_distance_can_explain_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    p, q, tilt = always(B0[0]), always(B0[1]), Fraction(1, 2**53)
    law = _nudged(tilt)
    before = judge(law, p, q, 2, 3, tolerance=4 * tilt)
    most = before.expected_accepted - 4 * before.total_variation
    for optimum, status in ((most, Status.LOSSLESS), (most - tilt / 2**53, Status.UNVERIFIED)):
        monkeypatch.setattr(module, "block_optimum", lambda *arguments, value=optimum: value)
        assert judge(law, p, q, 2, 3, tolerance=4 * tilt).status is status


def test_entries_without_mass_change_nothing() -> None:
    p, q = always(B0[0]), always(B0[1])
    law = chain(p, q, 2, 3)
    empty: CallLaw = {((0, 0), (1, 1, 1)): ZERO, ((7, 0), (7, 7)): ZERO, ((0, 0), (5,)): ZERO}
    assert judge(law | empty, p, q, 2, 3) == judge(law, p, q, 2, 3)


# Random laws, held to the definition and to the conditions at the nodes.


def _process(data: st.DataObject, depth: int, vocabulary: int) -> Process:
    rows = {
        prefix: data.draw(distributions(vocabulary))
        for length in range(depth)
        for prefix in product(range(vocabulary), repeat=length)
    }
    return rows.__getitem__


def _slowed(data: st.DataObject) -> tuple[Callable[[Row, Row, int], Fraction], Callable[[Row, Row, int], Row]]:
    """A lossless rule of its own: keeps less than it might, with the residual that completes it."""
    share = data.draw(st.sampled_from([ZERO, QUARTER, HALF, ONE]))
    only = data.draw(st.integers(0, 2))

    def keep(p: Row, q: Row, x: int) -> Fraction:
        return ratio(p, q, x) * (share if x == only else 1)

    def replacement(p: Row, q: Row, x: int) -> Row:
        return normalised(tuple(a - b * keep(p, q, y) for y, (a, b) in enumerate(zip(p, q, strict=True))), p)

    return keep, replacement


def _moved(data: st.DataObject, law: CallLaw, vocabulary: int) -> CallLaw:
    """Let a path emit another last token, or no more than its first."""
    tokens, emitted = data.draw(st.sampled_from(sorted(law)))
    mass = law.pop((tokens, emitted)) * data.draw(st.sampled_from([HALF, ONE]))
    last = (*emitted[:-1], data.draw(st.integers(0, vocabulary - 1)))
    key = (tokens, data.draw(st.sampled_from([last, emitted[:1]])))
    law[key] = law.get(key, ZERO) + mass
    rest = 1 - sum(law.values())
    if rest:
        law[tokens, emitted] = law.get((tokens, emitted), ZERO) + rest
    return law


def _conditions_hold(law: CallLaw, target: Process, gamma: int, vocabulary: int) -> bool:
    """T3 at every node: a_{i+1} <= a_i p, and what stops there is proportional to a_i p - a_{i+1}."""

    def reached(prefix: Prefix) -> Fraction:
        return sum((m for (_, e), m in law.items() if len(e) > len(prefix) and e[: len(prefix)] == prefix), ZERO)

    for length in range(gamma + 1):
        for prefix in product(range(vocabulary), repeat=length):
            for y in range(vocabulary):
                due = reached(prefix) * target(prefix)[y] - reached((*prefix, y))
                stopped = sum((m for (_, e), m in law.items() if e == (*prefix, y)), ZERO)
                if due < 0 or stopped != due:
                    return False
    return True


@settings(max_examples=150, deadline=None)
@given(st.data())
def test_lossless_means_the_conditions_of_t3_and_nothing_beats_the_optimum(data: st.DataObject) -> None:
    vocabulary, gamma = data.draw(st.sampled_from([(2, 1), (2, 2), (3, 1), (3, 2)]))
    target, draft = _process(data, gamma + 1, vocabulary), _process(data, gamma, vocabulary)
    keep, replacement = _slowed(data)
    law = chain(target, draft, gamma, vocabulary, keep=keep, replacement=replacement)
    changes = data.draw(st.integers(0, 2))
    for _ in range(changes):
        law = _moved(data, law, vocabulary)
    judgement = judge(law, target, draft, gamma, vocabulary)
    holds = _conditions_hold(law, target, gamma, vocabulary)
    assert judgement.status is (Status.LOSSLESS if holds else Status.BIASED)
    assert holds or changes
    found, allowed = completed(law, target, gamma + 1, vocabulary), drafts(target, gamma + 1, vocabulary)
    assert judgement.total_variation == distance(found, allowed)
    assert judgement.optimum is not None
    lead = judgement.expected_accepted - judgement.optimum
    assert judgement.breaches or lead <= gamma**2 * judgement.total_variation
    assert judgement.expected_accepted == sum((m * (len(e) - 1) for (_, e), m in law.items()), ZERO)
    assert holds or any(word in " ".join(judgement.explanation) for word in ("too high", "admissible", "zero"))


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_distance_above_the_optimum_has_the_stated_bound(data: st.DataObject) -> None:
    """What makes the gate safe in float arithmetic: any law of right structure, however wrong."""
    gamma = data.draw(st.integers(1, 3))
    target, draft = _process(data, gamma + 1, 2), _process(data, gamma, 2)
    tilt = data.draw(st.sampled_from([Fraction(1, 2**20), Fraction(1, 10), ONE]))
    law = chain(target, draft, gamma, 2, keep=lambda p, q, x: min(ONE, ratio(p, q, x) + tilt))
    judgement = judge(law, target, draft, gamma, 2)
    assert judgement.optimum is not None
    assert judgement.expected_accepted - judgement.optimum <= gamma**2 * judgement.total_variation


# Lossy on purpose.


def _synthetic(p: Row, q: Row, rate: Fraction) -> CallLaw:
    """Keep with a rate whatever is drafted, otherwise draw from the target."""
    return chain(always(p), always(q), 1, len(p), keep=lambda p, q, x: rate, replacement=lambda p, q, x: p)


def test_declared_loss_within_its_bound() -> None:
    p, q = NAMED["I3"]
    law = _synthetic(p, q, HALF)
    assert first_token(law, 3) == (Fraction(1, 3),) * 3
    assert within(law, always(p), 1, 3, Fraction(1, 6)) == (Fraction(1, 6), Outcome.AS_CLAIMED)
    assert within(law, always(p), 1, 3, Fraction(166, 1000)) == (Fraction(1, 6), Outcome.DIFFERS)
    assert within(law, always(p), 1, 3, HALF, reasons=["a mark"]).outcome is Outcome.UNVERIFIED
    assert judge(law, always(p), always(q), 1, 3).status is Status.BIASED


def test_declared_loss_with_missing_mass() -> None:
    p, q = NAMED["I3"]
    law, missing = _with_a_hole(_synthetic(p, q, HALF), ((0,), (0, 0)))
    found = within(law, always(p), 1, 3, HALF, missing)
    assert (found.total_variation, found.outcome) == (Fraction(1, 6), Outcome.UNVERIFIED)
    assert within(law, always(p), 1, 3, Fraction(1, 10), missing).outcome is Outcome.DIFFERS


def test_token_of_probability_zero_counts_by_its_mass_alone() -> None:
    law: CallLaw = {((), (0,)): Fraction(1, 100), ((), (1,)): Fraction(99, 100)}
    target = always((ZERO, ONE))
    assert within(law, target, 0, 2, Fraction(1, 100)) == (Fraction(1, 100), Outcome.AS_CLAIMED)
    assert within({((), (7,)): Fraction(1)}, target, 0, 2, HALF) == (ONE, Outcome.DIFFERS)


# Arguments.


def test_judgement_can_be_pickled() -> None:
    p, q = map(always, NAMED["I2"])
    judgement = judge(blind(p, q, 2), p, q, 2, 2)
    assert pickle.loads(pickle.dumps(judgement)) == judgement


def test_arguments_that_do_not_fit_are_refused() -> None:
    p, q = always(B0[0]), always(B0[1])
    law = chain(p, q, 1, 3)
    with pytest.raises(NotADistributionError, match="law and missing sum to 9/8; expected exactly 1"):
        judge(law, p, q, 1, 3, missing=Fraction(1, 8))
    with pytest.raises(NotADistributionError, match="law and missing sum to 0"):
        within({}, p, 1, 3, HALF)
    with pytest.raises(ShapeError, match="expected gamma = 2"):
        judge(law, p, q, 2, 3)
    with pytest.raises(ProofsError, match="tolerance -1; expected numbers >= 0"):
        judge(law, p, q, 1, 3, tolerance=Fraction(-1))
    with pytest.raises(ProofsError, match="bound is -1"):
        within(law, p, 1, 3, Fraction(-1))
    with pytest.raises(ShapeError, match=r"draft\(\(\)\) has 2 entries"):
        judge(law, p, always((HALF, HALF)), 1, 3)
