"""The simulation's own arithmetic: laws that are right are within the bound, laws that are wrong are not."""

import json
import random
from collections import Counter
from fractions import Fraction
from math import inf, isclose

import pytest

from tests.zoo.inputs import B0, EDGES, INPUTS, MOVING, Input, eighths
from tests.zoo.simulate import BOUND, Coins, Outcome, against_law, against_target, main

DRAWS = 20_000


def _token_rule(rows: Input, source: random.Random, correct: bool = True) -> Outcome:
    """One draft, kept or replaced: from the residual, or else from the target."""
    p, q = rows.target(()), rows.draft(())
    (x,) = source.choices(range(3), [float(mass) for mass in q])
    if source.random() * float(q[x]) < p[x]:
        after = rows.target((x,))
        return (x,), (x, source.choices(range(3), [float(mass) for mass in after])[0])
    weights = (
        [float(max(a - b, Fraction(0))) for a, b in zip(p, q, strict=True)] if correct else [float(mass) for mass in p]
    )
    return (x,), (source.choices(range(3), weights)[0],)


@pytest.mark.parametrize("rows", INPUTS, ids=lambda rows: rows.name)
def test_right_verifier_is_within_the_bound(rows: Input) -> None:
    source = random.Random(1)
    found = against_target(Counter(_token_rule(rows, source) for _ in range(DRAWS)), rows, 2)
    assert found.chance()
    assert found.distance < 3 * found.noise


@pytest.mark.parametrize("rows", INPUTS, ids=lambda rows: rows.name)
def test_correction_from_the_target_is_beyond_it(rows: Input) -> None:
    source = random.Random(1)
    found = against_target(Counter(_token_rule(rows, source, correct=False) for _ in range(DRAWS)), rows, 2)
    assert found.sigma > BOUND


def test_crash_is_mass_that_is_missing() -> None:
    counts: Counter[Outcome] = Counter({((0,), (0, 1)): 900, ((0,), "TypeError"): 100})
    assert against_target(counts, B0, 2).crashed == pytest.approx(0.1)
    assert not against_target(counts, B0, 2).chance()


def test_continuations_are_the_targets() -> None:
    """Emitted exactly as the target would, whatever the length: no deviation but that of the sums."""
    counts: Counter[Outcome] = Counter({((), (x,)): int(8 * mass) for x, mass in enumerate(MOVING.target(()))})
    assert against_target(counts, MOVING, 3).sigma == 0


def test_longer_output_is_cut() -> None:
    counts: Counter[Outcome] = Counter({((), (x, 0, 0)): int(8 * mass) for x, mass in enumerate(B0.target(()))})
    assert against_target(counts, B0, 1).sigma == 0


def test_forbidden_token_is_infinitely_far_off() -> None:
    rows = Input("forbidden", [eighths(0, 4, 4)], [eighths(4, 2, 2)])
    counts: Counter[Outcome] = Counter({((), (0,)): 1, ((), (1,)): 50_000, ((), (2,)): 50_000})
    assert against_target(counts, rows, 1).sigma == inf


def test_one_rare_outcome_in_few_draws_is_chance() -> None:
    rows = Input("rare", [eighths(1, 3, 4)], [eighths(4, 2, 2)])
    counts: Counter[Outcome] = Counter({((), (0, 0, 0, 0)): 1, ((), ()): 99})
    assert against_target(counts, rows, 4).chance()
    assert not against_target(Counter({((), (0, 0, 0, 0)): 100, ((), ()): 9900}), rows, 4).chance()


def test_law_is_compared_outcome_by_outcome() -> None:
    law: dict[Outcome, Fraction] = {((0,), (1,)): Fraction(1, 4), ((1,), (1,)): Fraction(3, 4)}
    assert against_law({((0,), (1,)): 2500, ((1,), (1,)): 7500}, law).sigma == 0
    swapped = against_law({((0,), (1,)): 7500, ((1,), (1,)): 2500}, law)
    assert not swapped.chance()
    assert isclose(swapped.distance, 0.5)
    assert against_law({((0,), (2,)): 1, ((1,), (1,)): 7500}, law).where == ((0,), (2,))


def test_declared_law_takes_the_place_of_the_target() -> None:
    rows = MOVING.with_target(lambda p, q: p if q is None else q, 1)
    assert rows.target(()) == MOVING.draft(())
    assert rows.target((0,)) == MOVING.target((0,))
    assert rows.draft(()) == MOVING.draft(())


def test_rows_are_laws_and_differ_by_position() -> None:
    for rows in (*INPUTS, *EDGES):
        assert all(sum(row) == 1 for row in (*rows.target_rows, *rows.draft_rows))
        assert sum(rows.chance(sequence) for sequence in rows.sequences(3)) == 1
    assert len(set(MOVING.target_rows)) == 4
    assert len(set(MOVING.draft_rows)) == 3


def test_coins_lie_on_the_grid() -> None:
    coins = Coins(3).coins((4,), "float32")
    assert coins.dtype == "float32"
    assert all((float(coin) * 2**24).is_integer() and 0 <= coin < 1 for coin in coins)


def test_package_that_is_not_there_is_said_and_not_judged(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("tests.zoo.flashspec_step.IMPORTS", ("no_such_module_anywhere",))
    main(["flashspec_step", "--draws", "1"])
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert len(lines) == 4
    assert all("no_such_module_anywhere" in line["looks"] and "sigma" not in line for line in lines)
