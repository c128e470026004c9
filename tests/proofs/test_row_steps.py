"""The steps one by one, on exact weights that are not normalised."""

import pytest
from sympy.external.gmpy import MPQ

from proofs.errors import NotADistributionError, ProofsError
from proofs.row_steps import STEPS, check_mass, read_steps

WEIGHTS = (MPQ(9), MPQ(3), MPQ(3), MPQ(0))


def test_scale_is_kept() -> None:
    """Weights 9, 3, 3 at temperature 1/2 are 81, 9, 9, of which a penalty of 2 on two makes 9 and 3 again."""
    cold = STEPS["temperature"](WEIGHTS, "1/2")
    assert cold == (81, 9, 9, 0)
    assert STEPS["repetition_penalty"](cold, [0, 1], 2) == (9, 3, 9, 0)
    assert STEPS["temperature"](WEIGHTS, 1) == WEIGHTS


def test_what_is_kept_is_left_as_it_is() -> None:
    assert STEPS["top_k"](WEIGHTS, 2) == (9, 3, 0, 0)
    assert STEPS["top_k"](WEIGHTS, 2, "all") == WEIGHTS
    assert STEPS["top_p"](WEIGHTS, "3/5") == (9, 0, 0, 0)
    assert STEPS["top_p"](WEIGHTS, "3/5", ">") == (9, 3, 0, 0)
    assert STEPS["min_p"](WEIGHTS, "1/3") == (9, 3, 3, 0)
    assert STEPS["mask"](WEIGHTS, [1]) == (0, 3, 0, 0)
    assert STEPS["logit_bias"](WEIGHTS, {1: "1/3"}) == (9, 1, 3, 0)


def test_steps_are_read() -> None:
    assert read_steps([["top_k", 2], ("top_p", "1/2", ">")]) == (("top_k", 2), ("top_p", "1/2", ">"))
    assert read_steps([]) == ()
    with pytest.raises(ProofsError, match="expects 1 or 2"):
        read_steps(["top_k"])


def test_weights_without_mass_are_refused() -> None:
    assert check_mass(WEIGHTS, "row") == WEIGHTS
    with pytest.raises(NotADistributionError, match="row has no mass left"):
        check_mass((MPQ(0),), "row")


def test_table_cannot_be_changed() -> None:
    with pytest.raises(TypeError):
        STEPS["top_k"] = STEPS["top_p"]  # type: ignore[index]
