"""The battery holds the inputs that tell right from wrong, the same in every run."""

from fractions import Fraction
from itertools import islice, product

import numpy as np
import pytest

from proofs.battery import SINGLE, beyond, core, dyadic
from proofs.inputs import Input
from tests.enumeration import NAMED, rows

SIZES = (1, 2, 3, 4, 5)


def _rows(found: Input) -> list[tuple[Fraction, ...]]:
    prefixes = [p for n in range(found.gamma + 1) for p in product(range(found.vocabulary), repeat=n)]
    drafted = [p for p in prefixes if len(p) < found.gamma]
    return [tuple(found.target(p)) for p in prefixes] + [tuple(found.draft(p)) for p in drafted]


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize(("gamma", "size"), list(product((0, 1, 2, 3), SIZES)))
def test_every_row_is_a_distribution_over_the_vocabulary_asked_for(gamma: int, size: int, exact: bool) -> None:
    for found in core(gamma, size, exact=exact):
        assert (found.gamma, found.vocabulary) == (gamma, size)
        for row in _rows(found):
            assert (len(row), sum(row), min(row) >= 0) == (size, 1, True)
            assert exact or all(Fraction(float(x)) == x for x in row)


def test_float32_holds_its_rows_too() -> None:
    for found in core(2, 3, exact=False, fineness=SINGLE):
        assert all(Fraction(float(np.float32(x))) == x for row in _rows(found) for x in row)


@pytest.mark.parametrize("exact", [True, False])
def test_masses_and_differences_below_any_threshold_are_there(exact: bool) -> None:
    """A floor of 1e-12, an epsilon or an allclose decides about them."""
    found = {f.name: (f.target(()), f.draft(())) for f in core(2, 3, exact=exact)}
    p, q = found["small masses"]
    assert 0 < p[0] < 1e-12 < q[0]
    assert 0 < q[-1] < 1e-12 < p[-1]
    p, q = found["rows that hardly differ"]
    assert 0 < max(abs(a - b) for a, b in zip(p, q, strict=True)) < 1e-12


def test_named_pairs_are_there_by_name() -> None:
    named = {size: {found.name: found for found in core(2, size, exact=True)} for size in SIZES}
    for size, names in ((2, ["I2"]), (3, ["I3", "B0"]), (4, ["I5"])):
        for name in names:
            found = named[size][name]
            assert (tuple(found.target(())), tuple(found.draft(()))) == NAMED[name]


@pytest.mark.parametrize("exact", [True, False])
@pytest.mark.parametrize("size", [2, 3, 4, 5])
def test_edges_are_there(size: int, exact: bool) -> None:
    """Disjoint supports, equal rows, one-hot rows, q(x) = 0 < p(x), p(x) = 0 < q(x)."""
    pairs = [(found.target(()), found.draft(())) for found in core(1, size, exact=exact)]
    assert any(all(not a or not b for a, b in zip(p, q, strict=True)) for p, q in pairs)
    assert any(p == q and all(p) for p, q in pairs)
    assert any(max(p) == 1 and all(q) for p, q in pairs)
    assert any(max(q) == 1 and all(p) for p, q in pairs)
    assert any(all(p) and not all(q) and max(q) < 1 for p, q in pairs) or size == 2
    assert any(all(q) and not all(p) and max(p) < 1 for p, q in pairs) or size == 2


def test_rows_that_depend_on_the_prefix_differ_after_every_token_and_at_every_position() -> None:
    """A stale row shows: no two of the rows that one call can confuse are equal."""
    found = next(f for f in core(2, 3, exact=True) if f.name == "inner rows that depend on the prefix")
    for process, longest in ((found.target, 2), (found.draft, 1)):
        for length in range(1, longest + 1):
            for prefix in product(range(3), repeat=length):
                others = {process((*prefix[:-1], token)) for token in range(3)}
                assert len(others) == 3
                assert process(prefix) != process(prefix[:-1])


def test_dyadic_rows_keep_zeros_ties_and_sums() -> None:
    for row in rows(4, 7):
        found = dyadic(row)
        assert sum(found) == 1
        assert [x == 0 for x in found] == [x == 0 for x in row]
        assert all(4096 % x.denominator == 0 for x in found)
        assert all(abs(a - b) < Fraction(1, 1024) for a, b in zip(found, row, strict=True))
    assert dyadic((Fraction(1, 1024), Fraction(1023, 1024))) == (Fraction(1, 1024), Fraction(1023, 1024))


def test_what_comes_beyond_covers_the_grid_and_then_hypothesis_draws() -> None:
    whole = list(islice(beyond((1,), (3,), exact=True), 1600))
    assert [f.name for f in whole[:200]] == ["grid k/6"] * 100 + ["drawn by Hypothesis"] * 100
    grid = [f for f in whole if f.name == "grid k/6"]
    assert len(grid) == 784
    assert {(f.target(()), f.draft(())) for f in grid} == set(product(rows(3, 6), rows(3, 6)))
    drawn = list(islice(beyond((1, 2), (4,), exact=False), 150))
    assert {f.name for f in drawn} == {"drawn by Hypothesis"}
    assert {f.gamma for f in drawn} == {1, 2}
    for found in drawn:
        assert all(float(x) == x and sum(row) == 1 for row in _rows(found) for x in row)


def test_battery_is_the_same_in_every_run() -> None:
    for exact in (True, False):
        first, again = (list(islice(beyond((1, 2), (3, 4), exact=exact), 500)) for _ in range(2))
        assert [_rows(f) for f in first] == [_rows(f) for f in again]
