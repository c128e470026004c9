from fractions import Fraction

import pytest

from tests.zoo.table import Result, read, render

LINE = '{"package": "a", "version": "1", "computes": "x | y", "verdict": "biased", "distances": {"1": "1/28"}}'


def test_table_is_aligned_and_escapes_bars() -> None:
    lines = render(read([LINE, ""])).splitlines()
    assert len(lines) == 3
    assert len({len(line) for line in lines}) == 1
    assert "x \\| y" in lines[2]
    assert "1/28" in lines[2]


def test_numbers() -> None:
    cells = Result("a", "1", "x", "lossless", {1: Fraction(1, 10**7), 2: 2.5e-8}).cells()
    assert cells[4:6] == ("1.00e-07", "2.50e-08")
    assert Result("a", "1", "x", "lossless", {1: Fraction(0)}).cells()[4:6] == ("0", "")


def test_distances_are_read_as_they_are_written() -> None:
    (result,) = read([LINE.replace('"1/28"}', '"1/28", "2": 0.25}')])
    assert result.distances == {1: Fraction(1, 28), 2: 0.25}
    assert isinstance(result.distances[1], Fraction)


def test_unknown_field_is_an_error() -> None:
    with pytest.raises(TypeError):
        read([LINE.replace('"package"', '"pack"')])


def test_empty_table_is_its_head() -> None:
    assert len(render([]).splitlines()) == 2
