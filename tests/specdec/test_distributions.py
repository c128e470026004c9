"""What the door accepts, what it refuses and what it says then."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

import specdec
from specdec.distributions import check_pair, check_rows
from specdec.errors import NotADistributionError, ShapeError
from tests.enumeration import NAMED

GOOD = [0.5, 0.5]
MASKED: Any = np.ma.masked_array([0.5, 0.5, 9.0], mask=[False, False, True])

REFUSED: dict[str, tuple[Any, str]] = {
    "nan": ([np.nan, 1.0], "p[0] = nan is not a probability"),
    "infinity": ([0.0, np.inf], "p[1] = inf is not a probability"),
    "minus infinity": ([-np.inf, 1.0], "p[0] = -inf is not a probability"),
    "negative": ([[0.5, 0.5], [1.5, -0.5]], "p[1, 1] = -0.5 is not a probability"),
    "counts": ([3.0, 1.0], "p[0] = 3.0 is not a probability"),
    "sum": ([0.5, 0.25], "p sums to 0.75, not 1 (tolerance sqrt(eps) = 1.49e-08 for float64)"),
    "sum of one row": ([[0.5, 0.5], [0.5, 0.625]], "row [1] of p sums to 1.125"),
    "zeros": ([0.0, 0.0], "p sums to 0.0"),
    "empty": ([], "p has shape (0,): its rows hold no token"),
    "rows without tokens": (np.empty((2, 0)), "p has shape (2, 0): its rows hold no token"),
    "0-d": (1.0, "p is the single number 1.0"),
    "bool": ([True, False], "p has dtype bool"),
    "complex": ([0.5 + 0j, 0.5], "p has dtype complex128"),
    "text": (["0.5", "0.5"], "p has dtype <U3"),
    "bytes": ([b"a", b"b"], "p has dtype |S1"),
    "ragged": ([[0.5, 0.5], [1.0]], "p cannot be read as an array of floats"),
    "object": ([None, 1.0], "p has dtype object"),
    "fractions": ([Fraction(1, 2), Fraction(1, 2)], "proofs.emitted_distribution computes with them exactly"),
    "longdouble": (np.array([0.5, 0.5], np.longdouble), "Convert with astype(float)"),
    "float16": (np.array([0.5, 0.5], np.float16), "`python -m proofs rows FILE`"),
    "masked": (MASKED, "p is a masked array"),
    "masked in a list": ([MASKED], "p is a masked array"),
    "dates": (np.array(["2026-01-01"], dtype="datetime64[D]"), "p has dtype datetime64[D]"),
    "structured": (np.zeros(2, dtype=[("a", "f8")]), "p has dtype [('a', '<f8')]"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_refused_argument_is_named_with_index_value_and_next_step(kind: str) -> None:
    values, message = REFUSED[kind]
    with pytest.raises(NotADistributionError) as refusal:
        check_rows(values, "p")
    assert message in str(refusal.value)


@pytest.mark.parametrize("function", sorted(name for name in specdec.__all__ if name.islower()))
def test_every_function_refuses_either_argument(function: str) -> None:
    call = getattr(specdec, function)
    with pytest.raises(NotADistributionError, match=r"^p sums to 0\.75"):
        call([0.5, 0.25], GOOD)
    with pytest.raises(NotADistributionError, match=r"^q\[0\] = nan"):
        call(GOOD, [np.nan, 1.0])
    with pytest.raises(ShapeError, match=r"p has shape \(2,\) and q has shape \(1, 2\)"):
        call(GOOD, [GOOD])


def test_unreadable_object_is_refused_with_its_reason() -> None:
    class Stubborn:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            raise RuntimeError("lives on another device")

    with pytest.raises(NotADistributionError, match=r"\(RuntimeError: lives on another device\)"):
        check_rows(Stubborn(), "draft")

    class Mute:
        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            raise TypeError

    with pytest.raises(NotADistributionError, match=r"\(TypeError: \)"):
        check_rows(Mute(), "draft")


def test_nothing_depends_on_the_error_state_of_numpy() -> None:
    with np.errstate(all="raise"):
        assert specdec.total_variation([1.0, 5e-324], [1.0, 0.0]) == 0
        with pytest.raises(NotADistributionError, match="sums to"):
            check_rows([0.999999, 1e-320], "p")


@pytest.mark.parametrize(("narrow", "wide"), [("float32", "float64"), ("float16", "float32"), ("float16", "float64")])
def test_widened_row_is_recognised(narrow: str, wide: str) -> None:
    row = [0.3, 0.3, 0.4] if narrow == "float32" else [0.12505] * 7 + [0.12465]
    widened = np.array(row, dtype=narrow).astype(wide)
    with pytest.raises(NotADistributionError, match=f"All its values are {narrow} numbers: a {narrow} row widened"):
        check_rows(widened, "p")


def test_widened_bfloat16_row_is_recognised() -> None:
    bits = np.array([0.1, 0.2, 0.7], dtype=np.float32).view(np.uint32) & 0xFFFF0000
    with pytest.raises(NotADistributionError, match="All its values are bfloat16 numbers"):
        check_rows(bits.view(np.float32), "p")


def test_defect_that_rounding_cannot_explain_is_not_blamed_on_rounding() -> None:
    with pytest.raises(NotADistributionError, match="After top-k or top-p truncation"):
        check_rows([0.5, 0.25], "p")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_tolerance_is_sqrt_eps_of_the_dtype(dtype: str) -> None:
    """The bound of numpy.random.Generator.choice: just inside passes, just outside does not."""
    tolerance = float(np.sqrt(np.finfo(dtype).eps))
    check_rows(np.array([0.5, 0.5 + 0.99 * tolerance], dtype), "p")
    with pytest.raises(NotADistributionError):
        check_rows(np.array([0.5, 0.5 + 1.01 * tolerance], dtype), "p")


def test_each_row_of_a_mixed_pair_is_held_to_its_own_tolerance() -> None:
    loose = np.array([0.3, 0.3, 0.4], dtype=np.float32)
    target, draft = check_pair(loose, np.array([0.25, 0.25, 0.5]))
    assert target.dtype == draft.dtype == np.float64
    assert (target == loose).all()


def test_dtypes_follow_result_type_and_integers_become_float64() -> None:
    single, double = np.array([0.5, 0.5], np.float32), np.array([0.5, 0.5])
    pairs: list[tuple[Any, Any, Any]] = [
        (single, single, np.float32),
        (single, double, np.float64),
        ([1, 0], [0, 1], np.float64),
        (np.array([1, 0], np.int8), single, np.float64),
        (single.astype(">f4"), single, np.float32),
    ]
    for p, q, expected in pairs:
        target, draft = check_pair(p, q)
        assert target.dtype == draft.dtype == expected
        assert target.dtype.isnative


def test_batches_of_no_rows_are_empty() -> None:
    nothing = np.empty((0, 3))
    assert specdec.total_variation(nothing, nothing).shape == (0,)
    assert specdec.emitted_distribution(nothing, nothing).dist.shape == (0, 3)


def test_inputs_are_neither_changed_nor_returned() -> None:
    p, q = np.array([0.25, 0.75]), np.array([0.5, 0.5])
    for result in (specdec.residual_distribution(p, q), specdec.emitted_distribution(p, p).dist):
        assert not np.shares_memory(result, p)
    assert p.tolist() == [0.25, 0.75]
    assert q.tolist() == [0.5, 0.5]


def test_strided_and_transposed_rows_give_the_same_bits() -> None:
    rng = np.random.default_rng(1)
    p, q = rng.dirichlet(np.ones(1000), size=8), rng.dirichlet(np.ones(1000), size=8)
    assert (specdec.total_variation(np.asfortranarray(p), q) == specdec.total_variation(p, q)).all()
    doubled = np.repeat(p, 2, axis=-1)
    assert (specdec.total_variation(doubled[:, ::2], q) == specdec.total_variation(p, q)).all()


@pytest.mark.parametrize(("name", "expected"), [("I2", 1 / 3), ("I3", 1 / 3), ("I5", 0.4), ("B0", 0.375)])
def test_total_variation_of_named_pairs(name: str, expected: float) -> None:
    p, q = (np.array(row, dtype=float) for row in NAMED[name])
    # Entries such as 1/3 are rounded before the function sees them.
    assert specdec.total_variation(p, q) == pytest.approx(expected, abs=4 * np.finfo(float).eps)
    assert specdec.total_variation(p, q) == specdec.total_variation(q, p)
