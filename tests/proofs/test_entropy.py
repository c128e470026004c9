"""Comparisons with delta exp(-H): never wrong, by integers or by logarithms between bounds."""

from decimal import Context, Decimal
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy.external.gmpy import MPQ

from proofs import entropy
from proofs.entropy import exceeds_typical
from proofs.errors import ProofsError
from proofs.strategies import distributions
from tests.enumeration import Row
from tests.lossy_enumeration import above_threshold


def _decided(row: Row, factor: Fraction) -> list[bool]:
    weights = tuple(MPQ(x.numerator, x.denominator) for x in row)
    above = exceeds_typical(weights, MPQ(factor.numerator, factor.denominator))
    return [above(weight) for weight in weights]


def _expected(row: Row, factor: Fraction) -> list[bool]:
    return [above_threshold(row, x, Fraction(1), factor) for x in range(len(row))]


@settings(max_examples=60)
@given(distributions(), st.fractions(0, 1, max_denominator=40))
def test_decision_is_that_of_many_digits(row: Row, factor: Fraction) -> None:
    """For all rows and delta in [0, 1]: p(x) > delta exp(-H) is decided as 200 digits decide it, equality included."""
    assert _decided(row, factor) == _expected(row, factor)


@settings(max_examples=60)
@given(distributions(), st.fractions(Fraction(1, 40), Fraction(39, 40), max_denominator=40))
def test_logarithms_decide_as_integers_do(row: Row, factor: Fraction) -> None:
    """For all rows and delta in (0, 1): with no integers allowed the decision is the same, or is not made."""
    small = _decided(row, factor)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entropy, "_INTEGER_BITS", -1)
        try:
            decided = _decided(row, factor)
        except ProofsError:  # both sides are equal, and no number of digits shows that
            return
        assert decided == small


def test_uniform_row_meets_its_threshold_exactly() -> None:
    """H of a uniform row is ln V, so that every entry equals exp(-H): not above, however many tokens there are."""
    for vocabulary in (1, 2, 7, 1000, 131_072):
        row = (Fraction(1, vocabulary),) * min(vocabulary, 10**6)
        assert not any(_decided(row, Fraction(1)))
        assert all(_decided(row, 1 - Fraction(1, 10**30)))


def test_large_denominators_are_decided_by_logarithms() -> None:
    tiny = Fraction(1, 2**60 + 33)
    row = (Fraction(1, 2) + tiny, Fraction(1, 4) - tiny, Fraction(1, 4))
    for factor in (Fraction(1), Fraction(2, 3), Fraction(1, 3)):
        assert _decided(row, factor) == _expected(row, factor)
    nearly = (Fraction(1, 2) + tiny, Fraction(1, 2) - tiny)  # exp(-H) is 1/2 but for a term of order tiny squared
    assert _decided(nearly, Fraction(1)) == [True, False]
    assert _decided(nearly, 1 - tiny**2) == _expected(nearly, 1 - tiny**2) == [True, False]


def test_what_cannot_be_decided_is_an_error() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(entropy, "_INTEGER_BITS", 0)
        patch.setattr(entropy, "_PRECISIONS", (30,))
        with pytest.raises(ProofsError, match="too close to an entry to decide by logarithms of 30 digits"):
            _decided((Fraction(1, 10) + Fraction(1, 10**40), Fraction(9, 10) - Fraction(1, 10**40)), _close())


@pytest.mark.parametrize("digits", [25, 29, 31, 35, 45, 59])
def test_precision_rises_until_it_decides(digits: int) -> None:
    """A threshold that agrees with an entry to that many digits, from either side."""
    row = (Fraction(1, 10) + Fraction(1, 10**40), Fraction(9, 10) - Fraction(1, 10**40))
    nudge = Fraction(1, 10**digits)
    assert _decided(row, _close() * (1 - nudge))[0]
    assert not _decided(row, _close() * (1 + nudge))[0]


def _close() -> Fraction:
    """A delta that makes the threshold agree with the first entry of that row to eighty digits."""
    context = Context(prec=80)
    tiny = Decimal("1e-40")
    p, rest = context.add(Decimal("0.1"), tiny), context.subtract(Decimal("0.9"), tiny)
    log = context.add(*(context.multiply(x, x.ln(context)) for x in (p, rest)))
    return Fraction(context.divide(p, log.exp(context)))


def test_zero_factor_keeps_what_has_mass() -> None:
    assert _decided((Fraction(1), Fraction(0)), Fraction(0)) == [True, False]
