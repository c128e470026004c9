"""The rows and tokens along drafted paths: what is taken and what is refused."""

from typing import Any

import numpy as np
import pytest

from specdec.errors import NotADistributionError, ShapeError, TokenError
from specdec.path_law import PathLaw, check_path

ROW = [0.5, 0.5]


def test_arrays_are_returned_as_they_are() -> None:
    target, draft = np.full((4, 3, 2), 0.5, np.float32), np.full((4, 2, 2), 0.5)
    rows, below, tokens = check_path(target, draft, np.zeros((4, 2), np.int32))
    assert rows is target
    assert below is draft
    assert tokens.dtype == np.int64


def test_nothing_drafted_takes_any_empty_draft() -> None:
    drafts: list[Any] = [[], np.empty((0, 2)), np.empty((0, 5))]
    for draft in drafts:
        assert check_path([ROW], draft, [])[1].shape == (0, 2)
    assert check_path(np.full((3, 1, 2), 0.5), [], np.empty((3, 0)))[1].shape == (3, 0, 2)


def test_law_is_a_pair_with_names() -> None:
    assert PathLaw(np.ones(1), np.ones((1, 1)))._fields == ("stops", "last")


REFUSED: dict[str, tuple[Any, Any, Any, type[ValueError], str]] = {
    "no bonus row": ([ROW], [ROW], [0], ShapeError, "one row of the target for each drafted token and one"),
    "one row for the target": (ROW, [ROW], [0], ShapeError, "target has shape"),
    "no axis of tokens": ([ROW, ROW], [ROW], 0, ShapeError, "tokens is the single value 0"),
    "other batch": (
        [[ROW, ROW]],
        [[ROW]],
        [0],
        ShapeError,
        r"tokens has shape \(1,\) and target has shape \(1, 2, 2\)",
    ),
    "draft of other tokens": (
        [ROW, ROW],
        [[0.5, 0.25, 0.25]],
        [0],
        ShapeError,
        r"expected \(..., gamma, V\) = \(1, 2\)",
    ),
    "draft too long": ([ROW, ROW], [ROW, ROW], [0], ShapeError, r"draft has shape \(2, 2\)"),
    "draft forgotten": ([ROW, ROW], [], [0], NotADistributionError, "draft has shape"),
    "too large": ([ROW, ROW], [ROW], [2], TokenError, r"tokens\[0\] = 2 is not a token; .* V - 1 = 1"),
    "padding": ([[ROW, ROW]], [[ROW]], [[-1]], TokenError, r"tokens\[0, 0\] = -1 is not a token.*Padding"),
    "float tokens": ([ROW, ROW], [ROW], [0.0], TokenError, "tokens has dtype float64"),
    "bool tokens": ([ROW, ROW], [ROW], [True], TokenError, "tokens has dtype bool"),
    "masked": ([ROW, ROW], [ROW], np.ma.masked_array([0], mask=[True]), TokenError, "tokens is a masked array"),
    "ragged": ([ROW, ROW], [ROW], [[0], [0, 1]], TokenError, "tokens cannot be read"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_bad_path_is_refused(kind: str) -> None:
    target, draft, tokens, error, message = REFUSED[kind]
    with pytest.raises(error, match=message):
        check_path(target, draft, tokens)
