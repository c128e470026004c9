"""Parameters at the door of the exact rules."""

from fractions import Fraction
from typing import Any

import pytest

from proofs.errors import InexactError, ProofsError
from proofs.parameters import check_fraction, check_name, check_number
from proofs.processes import as_rational
from proofs.rationals import exact


def test_what_is_taken() -> None:
    for value in (0, 1, "3/8", Fraction(3, 8)):
        assert as_rational(check_fraction(value, "rate")) == exact(value)
    assert as_rational(check_number("7/2", "value", "a number of at least 0")) == exact("7/2")
    check_name("top", "replacement", ("top", "target"))


@pytest.mark.parametrize(
    ("value", "error", "message"),
    [
        (-1, ProofsError, "rate = -1; expected 0 < rate <= 1"),
        (0, ProofsError, "rate = 0; expected 0 < rate <= 1"),
        ("9/8", ProofsError, "rate = 9/8; expected 0 < rate <= 1"),
        (0.5, InexactError, "rate: 0.5 .float. is not an exact rational"),
        (None, InexactError, "rate: None"),
        (True, InexactError, "rate: True"),
        ("0.5", InexactError, "rate: '0.5'"),
    ],
)
def test_what_is_refused(value: Any, error: type[ValueError], message: str) -> None:
    with pytest.raises(error, match=message):
        check_fraction(value, "rate", positive=True)


def test_unknown_names_are_refused() -> None:
    for value in ("best", None, 1, ["top"]):
        with pytest.raises(ProofsError, match="expected one of top, target"):
            check_name(value, "replacement", ("top", "target"))
