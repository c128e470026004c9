"""Drawing without replacement."""

import numpy as np
import pytest
from sympy.external.gmpy import MPQ

from proofs.errors import ProofsError
from proofs.sibling_draws import check_siblings_drawn, left_to_draw

Q = (MPQ(1, 2), MPQ(1, 3), MPQ(1, 6), MPQ(0))


def test_row_loses_what_was_drawn() -> None:
    assert left_to_draw(Q, set()) == Q
    assert left_to_draw(Q, {0}) == (0, MPQ(2, 3), MPQ(1, 3), 0)
    assert left_to_draw(Q, {0, 1}) == (0, 0, 1, 0)


def test_others_are_uniform_once_the_support_is_used_up() -> None:
    assert left_to_draw(Q, {0, 1, 2}) == (0, 0, 0, 1)
    assert left_to_draw((MPQ(1), MPQ(0), MPQ(0)), {0}) == (0, MPQ(1, 2), MPQ(1, 2))


def test_counts() -> None:
    assert check_siblings_drawn(3, 2, True) == 3
    assert check_siblings_drawn(2, 2, False) == 2
    with pytest.raises(ProofsError, match="k = 3 without replacement; expected at most V = 2"):
        check_siblings_drawn(3, 2, False)
    with pytest.raises(ProofsError, match="k = -1; expected a number of siblings"):
        check_siblings_drawn(-1, 2, False)
    with pytest.raises(ProofsError, match="replacement = None; expected True"):
        check_siblings_drawn(1, 2, None)
    with pytest.raises(ProofsError, match=r"replacement = .*; expected True"):
        check_siblings_drawn(1, 2, np.array([True, False]))
