"""The rows and tokens along a drafted path: what is taken and what is refused."""

from typing import Any

import numpy as np
import pytest
from sympy.external.gmpy import MPQ

from proofs.errors import InexactError, NotADistributionError, ProofsError, ShapeError
from proofs.path_law import PathLaw, check_path, check_prefix

HALF = ["1/2", "1/2"]


def test_rows_become_the_ground_type_and_tokens_ints() -> None:
    rows, below, tokens = check_path([HALF, [1, 0]], (HALF,), np.array([1]))
    assert rows == [(MPQ(1, 2), MPQ(1, 2)), (MPQ(1), MPQ(0))]
    assert below == [(MPQ(1, 2), MPQ(1, 2))]
    assert tokens == [1]
    assert type(tokens[0]) is int


def test_law_is_a_pair_with_names() -> None:
    assert PathLaw((1,), ((1, 0),))._asdict() == {"stops": (1,), "last": ((1, 0),)}


REFUSED: dict[str, tuple[Any, Any, Any, type[Exception], str]] = {
    "no bonus row": (
        [HALF],
        [HALF],
        [0],
        ShapeError,
        "target has 1 rows and draft has 1 for 1 tokens; expected 2 and 1",
    ),
    "row too many": ([HALF, HALF], [HALF, HALF], [0], ShapeError, "draft has 2 for 1 tokens"),
    "other tokens": ([HALF, [1]], [HALF], [0], ShapeError, r"target\[1\] has 1 tokens; expected 2"),
    "other draft": ([HALF, HALF], [[1]], [0], ShapeError, r"draft\[0\] has 1 tokens; expected 2"),
    "out of range": ([HALF, HALF], [HALF], [2], ProofsError, r"tokens\[0\] = 2 is not a token; .* V - 1 = 1"),
    "padding": ([HALF, HALF], [HALF], [-1], ProofsError, r"tokens\[0\] = -1 is not a token"),
    "bool": ([HALF, HALF], [HALF], [True], ProofsError, r"tokens\[0\] = True is not a token"),
    "float token": ([HALF, HALF], [HALF], [0.0], ProofsError, r"tokens\[0\] = 0.0 is not a token"),
    "no tokens": ([HALF, HALF], [HALF], None, ShapeError, "tokens is a NoneType; expected gamma drafted tokens"),
    "no rows": (3, [HALF], [0], ShapeError, "target is a int; expected a list of rows"),
    "one row": (HALF, [], [0], NotADistributionError, r"target\[0\] is a str; expected a row"),
    "floats": ([[0.5, 0.5], HALF], [HALF], [0], InexactError, r"target\[0\]\[0\]: 0.5"),
    "sum": ([HALF, HALF], [["1/2", "1/3"]], [0], NotADistributionError, r"draft\[0\] sums to 5/6"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_bad_path_is_refused(kind: str) -> None:
    target, draft, tokens, error, message = REFUSED[kind]
    with pytest.raises(error, match=message):
        check_path(target, draft, tokens)


def test_prefix_becomes_a_tuple_of_ints() -> None:
    assert check_prefix(np.array([1, 0]), 2) == (1, 0)
    assert check_prefix([], 1) == ()
    with pytest.raises(ProofsError, match=r"v\[1\] = 2 is not a token"):
        check_prefix((0, 2), 2, "v")
