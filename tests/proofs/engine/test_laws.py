"""A law is a mapping of exact masses; what is missing is stated, and kept by everything that is made of it."""

from fractions import Fraction
from typing import Any

import pytest

from proofs.engine.laws import Crash, Law
from proofs.engine.signals import Kind, Mark

HALF, QUARTER, EIGHTH = Fraction(1, 2), Fraction(1, 4), Fraction(1, 8)
CRASHES = (Crash("ValueError", "mine.py:3", EIGHTH),)
MARKS = (Mark(Kind.REFUSED, "why", "mine.py:7"),)


def _law(masses: dict[Any, Fraction], **missing: Fraction) -> Law:
    given: dict[str, Any] = {"remaining": Fraction(0), "refused": Fraction(0), **missing}
    return Law(masses, paths=5, crashes=CRASHES, marks=MARKS, **given)


def test_it_is_a_mapping_of_fractions_of_its_own() -> None:
    masses = {"a": HALF, "b": QUARTER}
    found = _law(masses)
    masses["c"] = EIGHTH
    assert (dict(found), len(found), list(found)) == ({"a": HALF, "b": QUARTER}, 2, ["a", "b"])
    assert {type(mass) for mass in found.values()} == {Fraction}
    with pytest.raises(KeyError):
        found["c"]


def test_total_and_missing_are_exact() -> None:
    found = _law({"a": HALF, "b": QUARTER}, remaining=EIGHTH)
    assert (found.total, found.missing) == (Fraction(3, 4), QUARTER)
    assert (_law({}).total, _law({}).missing) == (Fraction(0), Fraction(1))
    assert type(_law({}).total) is Fraction


def test_printed_it_names_what_is_missing_and_nothing_if_nothing_is() -> None:
    assert repr(_law({True: QUARTER, False: 3 * QUARTER})) == "Law({True: 1/4, False: 3/4}, paths=5)"
    assert repr(_law({"a": QUARTER})) == "Law({'a': 1/4}, paths=5, missing 3/4)"


def test_marginal_adds_masses_and_keeps_everything_else() -> None:
    found = _law({0: HALF, 1: EIGHTH, 2: EIGHTH}, remaining=Fraction(1, 16), refused=Fraction(1, 32))
    marginal = found.marginal(lambda x: x % 2)
    assert dict(marginal) == {0: HALF + EIGHTH, 1: EIGHTH}
    assert (marginal.paths, marginal.crashes, marginal.marks) == (5, CRASHES, MARKS)
    assert (marginal.remaining, marginal.refused) == (Fraction(1, 16), Fraction(1, 32))
    with pytest.raises(ZeroDivisionError):
        found.marginal(lambda x: 1 // x)


def test_total_variation_counts_the_outcomes_of_both() -> None:
    found = _law({0: HALF, 1: QUARTER})
    assert found.total_variation({0: QUARTER, 1: HALF, 7: QUARTER}) == Fraction(3, 8)
    assert found.total_variation({0: Fraction(1)}) == Fraction(3, 8)
    assert found.total_variation({}) == Fraction(3, 8)
    assert found.total_variation(found) == 0
    assert type(found.total_variation(found)) is Fraction


def test_a_float_is_no_probability() -> None:
    with pytest.raises(TypeError, match=r"other\[0\] = 0.5 is a float; expected a Fraction or an int"):
        _law({0: HALF}).total_variation({0: 0.5})  # type: ignore[dict-item]
