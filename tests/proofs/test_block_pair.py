"""Two drafted tokens without enumerating pairs: the general law's own value."""

import pytest
from hypothesis import given

from proofs.block_pair import expected_accepted_of_two
from proofs.block_rule import expected_accepted
from proofs.errors import InexactError, NotADistributionError, ShapeError
from proofs.strategies import pairs
from tests.enumeration import Row


@given(pairs())
def test_value_is_that_of_the_general_law(drawn: tuple[Row, Row]) -> None:
    """For all p and q: E[tau] of block verification with gamma = 2 and constant rows."""
    target, draft = drawn
    assert expected_accepted_of_two(target, draft) == expected_accepted(target, draft, 2)


@pytest.mark.parametrize(
    ("target", "draft", "value"),
    [
        (["1/3", "2/3"], ["2/3", "1/3"], "11/9"),
        (["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"], "7/6"),
        (["2/5", "3/10", "1/5", "1/10"], ["1/10", "1/5", "3/10", "2/5"], "103/100"),
        (["1/2", "1/2", "0"], ["1/2", "1/2", "0"], "2"),
        (["1", "0"], ["0", "1"], "0"),
        (["1"], ["1"], "2"),
        (["0", "1"], ["1/4", "3/4"], "21/16"),  # 3/4 + 3/4 * 3/4
    ],
)
def test_golden_values(target: list[str], draft: list[str], value: str) -> None:
    assert str(expected_accepted_of_two(target, draft)) == value


def test_bad_rows_are_refused() -> None:
    with pytest.raises(InexactError, match=r"target\[0\]: 0.5"):
        expected_accepted_of_two([0.5, 0.5], ["1/2", "1/2"])
    with pytest.raises(NotADistributionError, match="draft sums to 1/2"):
        expected_accepted_of_two(["1/2", "1/2"], ["1/2", "0"])
    with pytest.raises(ShapeError, match="draft has 1 tokens; expected 2"):
        expected_accepted_of_two(["1/2", "1/2"], ["1"])
