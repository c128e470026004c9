"""Counts and tokens at the door."""

from typing import Any

import numpy as np
import pytest

from specdec.arguments import as_integers, check_count, check_siblings_drawn, check_tokens
from specdec.errors import SpecdecError, TokenError


@pytest.mark.parametrize("value", [True, np.True_, "2", 1.5, None, np.array([1])])
def test_count_that_is_no_integer_is_refused(value: Any) -> None:
    with pytest.raises(SpecdecError, match="k = .* is no integer; expected a number of drafts, 0 or more"):
        check_count(value, "k", what="drafts")


def test_count_below_its_bound_is_refused() -> None:
    assert check_count(np.int64(3), "k") == 3
    with pytest.raises(SpecdecError, match="k = 0; expected a number of siblings, 1 or more"):
        check_count(0, "k", 1, "siblings")


def test_empty_tokens_are_integers() -> None:
    assert as_integers([]).dtype == np.int64
    assert as_integers(np.empty((3, 0))).shape == (3, 0)


def test_first_token_out_of_range_is_named() -> None:
    assert check_tokens(np.array([[0, 1]], np.uint8), 2).dtype == np.int64
    with pytest.raises(TokenError, match=r"tokens\[0, 1\] = -1 is not a token.* V - 1 = 2"):
        check_tokens([[0, -1], [3, 0]], 3)
    with pytest.raises(TokenError, match="tokens = 18446744073709551615 is not a token"):
        check_tokens(np.uint64(2**64 - 1), 3)


def test_siblings_without_replacement_are_at_most_all_tokens() -> None:
    assert check_siblings_drawn(3, 2, True) == 3
    assert check_siblings_drawn(2, 2, False) == 2
    with pytest.raises(SpecdecError, match="k = 3 without replacement; expected at most V = 2"):
        check_siblings_drawn(3, 2, False)
    with pytest.raises(SpecdecError, match="replacement = 'no'; expected True"):
        check_siblings_drawn(1, 2, "no")
    with pytest.raises(SpecdecError, match=r"replacement = array.*; expected True"):
        check_siblings_drawn(1, 2, np.array([True, False]))
