"""Parameters at the door of the fast rules."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from specdec.errors import SpecdecError
from specdec.parameters import check_fraction, check_name, check_number


def test_what_is_taken() -> None:
    for value in (0, 1, 0.375, np.float32(0.375), np.int64(1), np.array(0.375), Fraction(3, 8)):
        number = check_fraction(value, "rate")
        assert type(number) is float
        assert number == float(value)
    assert check_number(3.5, "value", "a number of at least 0") == 3.5
    check_name("top", "replacement", ("top", "target"))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (0, "rate = 0.0; expected 0 < rate <= 1"),
        (-0.5, "rate = -0.5"),
        (1.5, "rate = 1.5; expected 0 < rate <= 1"),
        (float("nan"), "rate = nan"),
        (float("inf"), "rate = inf"),
        (True, "rate = True is no number"),
        (np.True_, "is no number"),
        ("0.5", "rate = '0.5' is no number"),
        (None, "rate = None is no number"),
        (1j, "rate = 1j is no number"),
        ([0.5], "one number for all rows"),
        (10**400, "is no number"),
    ],
)
def test_what_is_refused(value: Any, message: str) -> None:
    with pytest.raises(SpecdecError, match=message):
        check_fraction(value, "rate", positive=True)


def test_unknown_names_are_refused() -> None:
    for value in ("best", None, 1, ["top"]):
        with pytest.raises(SpecdecError, match="expected one of top, target"):
            check_name(value, "replacement", ("top", "target"))
