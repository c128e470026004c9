"""What is found in a law, on laws small enough to read."""

import pickle
from fractions import Fraction

import pytest

from proofs.evidence import (
    Breach,
    DrafterDifference,
    Excess,
    changed_row,
    changed_target,
    draft_masses,
    drafter_difference,
    find_breaches,
    greatest_excess,
    nodes,
)
from tests.call_laws import CallLaw, always, by_prefix, drafts

HALF, QUARTER, EIGHTH = Fraction(1, 2), Fraction(1, 4), Fraction(1, 8)
ZERO, ONE = Fraction(0), Fraction(1)

Masses = dict[tuple[int, ...], Fraction]


def test_nodes_hold_what_goes_on_and_what_stops() -> None:
    law: CallLaw = {
        ((0, 1), (0, 1, 1)): HALF,
        ((0, 1), (0, 0)): QUARTER,
        ((1, 1), (0,)): EIGHTH,
        ((0, 0), (0, 0)): EIGHTH,
    }
    root, once, twice = nodes(law)
    assert (root.prefix, root.kept, root.stopped, root.reached) == ((), {0: 7 * EIGHTH}, {0: EIGHTH}, ONE)
    assert (once.prefix, once.kept, once.stopped, once.reached) == ((0,), {1: HALF}, {0: 3 * EIGHTH}, 7 * EIGHTH)
    assert (twice.prefix, twice.kept, twice.stopped, twice.reached) == ((0, 1), {}, {1: HALF}, HALF)
    assert nodes({}) == []


def test_greatest_excess_is_the_first_of_the_greatest() -> None:
    allowed: Masses = {(0,): HALF, (1,): HALF}
    assert greatest_excess(allowed, allowed) is None
    assert greatest_excess({}, allowed) is None
    assert greatest_excess({(0,): QUARTER}, allowed) is None
    found: Masses = {(2,): QUARTER, (1,): 3 * QUARTER, (0,): ZERO}
    assert greatest_excess(found, allowed) == Excess((1,), 3 * QUARTER, HALF)
    assert greatest_excess({(2,): QUARTER}, allowed) == Excess((2,), QUARTER, ZERO)


def test_a_breach_is_a_token_that_was_not_drafted_and_is_not_the_last() -> None:
    law: CallLaw = {
        ((0, 1), (0, 1, 0)): QUARTER,
        ((0, 1), (0, 0)): EIGHTH,
        ((0, 1), (1,)): EIGHTH,
        ((0, 1), (0, 0, 1)): EIGHTH,
        ((1, 1), (0, 1)): QUARTER,
        ((1, 0), (0, 1, 1)): EIGHTH,
        ((1, 0), (0, 0, 0)): ZERO,
    }
    assert find_breaches(law) == (
        Breach((1, 1), (0, 1), 0, QUARTER),
        Breach((0, 1), (0, 0, 1), 1, EIGHTH),
        Breach((1, 0), (0, 1, 1), 0, EIGHTH),
    )


def test_changed_row_is_that_after_the_breach_with_the_most_mass() -> None:
    third = (Fraction(1, 3),) * 3
    target = by_prefix({(0,): (HALF, ZERO, HALF)}, third)
    breaches = (
        Breach((1, 1), (0, 0), 0, EIGHTH),
        Breach((2, 1), (0, 0, 2), 0, EIGHTH),
        Breach((0, 1), (0, 2, 1), 1, 3 * EIGHTH / 2),
    )
    changed = changed_row(breaches, target, 2, 3)
    assert changed is not None
    assert (changed.prefix, changed.token, changed.row) == ((0,), 0, (ZERO, HALF, HALF))
    # An eighth is on (0, 0, 2) as it is, a third of another eighth comes by completion.
    assert (changed.sequence, changed.mass) == ((0, 0, 2), EIGHTH + EIGHTH / 3)
    other = changed_target(target, changed)
    assert [other(prefix) for prefix in ((), (0,), (0, 0))] == [third, (ZERO, HALF, HALF), third]


@pytest.mark.parametrize("token", [0, 1, 2])
def test_changed_row_stays_a_dyadic_distribution_without_the_token(token: int) -> None:
    row = (HALF, QUARTER, QUARTER)
    emitted = (0, token)
    changed = changed_row((Breach((1,), emitted, 0, ONE),), always(row), 1, 3)
    assert changed is not None
    assert changed.row[token] == 0
    assert sum(changed.row) == 1
    assert {entry.denominator for entry in changed.row} <= {1, 2, 4}
    assert (changed.sequence, changed.mass) == (emitted, ONE)


def test_no_row_is_changed_where_there_is_none() -> None:
    assert changed_row((), always((HALF, HALF)), 1, 2) is None
    assert changed_row((Breach((1,), (0, 2), 0, ONE),), always((HALF, HALF)), 1, 2) is None
    assert changed_row((Breach((1,), (-1, 0), 0, ONE),), always((HALF, HALF)), 1, 2) is None
    assert changed_row((Breach((1,), (0, 0), 0, ONE),), always((ONE,)), 1, 1) is None


def _fair(prefix: tuple[int, ...]) -> tuple[Fraction, ...]:
    return (HALF, HALF)


def test_changed_target_can_be_sent_to_another_process() -> None:
    changed = changed_row((Breach((1,), (0, 0), 0, ONE),), _fair, 1, 2)
    assert changed is not None
    other = pickle.loads(pickle.dumps(changed_target(_fair, changed)))
    assert (other((0,)), other(())) == ((ZERO, ONE), (HALF, HALF))


def test_drafts_that_come_from_their_rows_show_no_difference() -> None:
    draft = by_prefix({(1,): (QUARTER, 3 * QUARTER)}, (HALF, HALF))
    assert drafter_difference(drafts(draft, 2, 2), draft, 2, 2) is None
    assert drafter_difference({(): ONE}, draft, 0, 2) is None
    wrong = drafter_difference(drafts(draft, 2, 2), always((HALF, HALF)), 2, 2)
    assert wrong == DrafterDifference((1,), (QUARTER, 3 * QUARTER), (HALF, HALF))


def test_drafter_difference_beyond_the_tolerance_and_outside_the_vocabulary() -> None:
    law: Masses = {(0,): HALF + EIGHTH, (1,): HALF - EIGHTH}
    assert drafter_difference(law, always((HALF, HALF)), 1, 2, EIGHTH) is None
    assert drafter_difference(law, always((HALF, HALF)), 1, 2, EIGHTH / 2) is not None
    outside = drafter_difference({(5, 0): HALF, (0, 0): HALF}, always((ONE, ZERO)), 2, 2)
    assert outside == DrafterDifference((), (HALF, ZERO), (ONE, ZERO))


def test_draft_masses_add_up_what_was_emitted() -> None:
    assert draft_masses({((0,), (0,)): HALF, ((0,), (1,)): QUARTER, ((1,), (1,)): QUARTER}) == {
        (0,): 3 * QUARTER,
        (1,): QUARTER,
    }
