"""What both kinds of exact numbers share with a NumPy scalar."""

import copy
import pickle
from fractions import Fraction
from typing import Any

import pytest

from proofs.engine.scalar_base import Number
from proofs.engine.scalars import exact_number
from proofs.engine.signals import Kind, Mark, collecting

HALF, LN = exact_number(Fraction(1, 2)), exact_number(Fraction(1, 2)).log()
NUMBERS = [HALF, LN, exact_number(float("inf"))]


@pytest.mark.parametrize("number", NUMBERS)
def test_number_is_a_scalar_and_its_own_copy(number: Any) -> None:
    assert (number.ndim, number.shape, number.size, number.imag) == (0, (), 1, 0)
    for same in (number.item(), number.tolist(), number.copy(), number.real, number.conjugate(), +number):
        assert same is number
    assert number.sum(axis=-1) is number
    assert copy.copy(number) is copy.deepcopy(number) is number
    assert pickle.loads(pickle.dumps(number)) == number


@pytest.mark.parametrize("number", NUMBERS)
@pytest.mark.parametrize("leave", [float, complex, "%.3f".__mod__])
def test_every_way_to_a_float_is_marked(number: Any, leave: Any) -> None:
    marks: list[Mark] = []
    with collecting(marks):
        leave(number)
    assert [mark.kind for mark in marks] == [Kind.LEAK]
    assert marks[0].place.startswith(__file__)


def test_printing_leaves_no_mark() -> None:
    marks: list[Mark] = []
    with collecting(marks):
        assert f"{HALF} {HALF:.2f} {HALF!r} {LN} {LN:.3f}" == "1/2 0.50 1/2 ln(1/2) -0.693"
    assert marks == []


def test_base_asks_for_what_a_kind_of_number_must_say() -> None:
    for ask in (Number.exact, Number.operand):
        with pytest.raises(NotImplementedError):
            ask(1)
    for question in (Number().approximate, Number().stand_in, Number().round):
        with pytest.raises(NotImplementedError):
            question()
