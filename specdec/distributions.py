"""Rows of probabilities: what is accepted at the door, and the distance between two of them."""

from typing import Any

import numpy as np
import numpy.typing as npt

from specdec.errors import NotADistributionError, ShapeError

__all__ = ["check_pair", "check_rows", "total_variation"]

Floats = npt.NDArray[np.floating[Any]]

_NATIVE = (np.dtype(np.float32), np.dtype(np.float64))
_TOLERANCES = {kind: float(np.sqrt(np.finfo(kind).eps)) for kind in (np.float32, np.float64)}

# Formats that rows are often computed in before somebody widens them: name, machine epsilon.
_NARROW_FORMATS = (("bfloat16", 2.0**-7), ("float16", 2.0**-10), ("float32", 2.0**-23))


def check_rows(values: npt.ArrayLike, name: str) -> Floats:
    """Return rows of probabilities as a C-contiguous float32 or float64 array, or say what is wrong.

    Parameters
    ----------
    values : array_like, shape (..., V)
        Probabilities over the same ``V >= 1`` tokens along the last axis.
    name : str
        What to call the argument in an error.

    Returns
    -------
    ndarray of float32 or float64, shape (..., V)
        The values as they are: never renormalised, never changed in place.
        Integers become float64. With no rows (a leading axis of length 0) it is empty.

    Raises
    ------
    NotADistributionError
        If an entry is NaN, infinite or negative, if a row's sum is further from one than
        ``sqrt(eps)`` of its dtype (the bound of :meth:`numpy.random.Generator.choice`), if
        there is no token, or if the dtype is none of float32, float64 and the integers.
    """
    array = as_rows(values, name)
    _check_entries(array, name)
    _check_sums(array, name, sum_tolerance(array.dtype))
    return array


def as_rows(values: npt.ArrayLike, name: str) -> Floats:
    """Read an argument as rows of floats without looking at the values: the first half of `check_rows`."""
    array = _as_floats(values, name)
    if array.ndim == 0:
        raise NotADistributionError(
            f"{name} is the single number {array!s}; expected a row of V >= 1 probabilities "
            f"or a batch of rows. Wrap it: a vocabulary of one token is [1.0]."
        )
    if array.shape[-1] == 0:
        raise NotADistributionError(
            f"{name} has shape {array.shape}: its rows hold no token, so they cannot sum to one; "
            "expected a last axis of V >= 1 probabilities."
        )
    return array


def sum_tolerance(dtype: np.dtype[Any]) -> float:
    """How far from one a row of this dtype may sum: sqrt(eps)."""
    return _TOLERANCES[dtype.type]


def check_pair(p: npt.ArrayLike, q: npt.ArrayLike, names: tuple[str, str] = ("p", "q")) -> tuple[Floats, Floats]:
    """Check both rows, that they have one shape, and bring them to one dtype.

    Each is held to the tolerance of its own dtype before the narrower one is widened.

    Raises
    ------
    NotADistributionError
        As `check_rows` does.
    ShapeError
        If the shapes differ. Nothing is broadcast: a target row paired with the wrong
        draft row is a fault that broadcasting would hide.
    """
    target, draft = check_rows(p, names[0]), check_rows(q, names[1])
    check_shapes(target, draft, names)
    dtype = np.result_type(target, draft)
    return target.astype(dtype, copy=False), draft.astype(dtype, copy=False)


def check_shapes(target: Floats, draft: Floats, names: tuple[str, str] = ("p", "q")) -> None:
    """Raise `ShapeError` unless both have one shape."""
    if target.shape != draft.shape:
        raise ShapeError(
            f"{names[0]} has shape {target.shape} and {names[1]} has shape {draft.shape}; expected "
            "one shape, rows over the same V tokens along the last axis. Nothing is broadcast: "
            "use numpy.broadcast_arrays first if that is what you mean."
        )


def total_variation(p: npt.ArrayLike, q: npt.ArrayLike) -> Any:
    r"""Total variation distance between two distributions.

    .. math:: TV(p, q) = \tfrac12 \sum_x |p(x) - q(x)|

    computed by that formula and never from the acceptance probability, so that the two
    can be compared (Leviathan et al. [1]_ call it :math:`D_{LK}`).

    Parameters
    ----------
    p, q : array_like of float, shape (..., V)
        Target and draft: rows that are finite, non-negative and sum to one.

    Returns
    -------
    ndarray of float, shape (...), or a NumPy scalar for a single row
        Between 0, where the rows are equal, and 1, where their supports are disjoint, up to
        rounding: within ``4 eps`` of the same formula over the floats as rationals on the
        inputs that the tests try.

    Raises
    ------
    NotADistributionError, ShapeError
        If a row is not a distribution; if the shapes differ.

    References
    ----------
    .. [1] Leviathan, Kalman and Matias, "Fast Inference from Transformers via Speculative
       Decoding", ICML 2023, arXiv:2211.17192, Definition 3.2 (source unverified).

    Examples
    --------
    >>> import specdec
    >>> float(specdec.total_variation([0.5, 0.25, 0.25], [0.25, 0.25, 0.5]))
    0.25
    """
    target, draft = check_pair(p, q)
    with np.errstate(under="ignore"):
        return np.abs(target - draft).sum(axis=-1) / 2


def _as_floats(values: npt.ArrayLike, name: str) -> Floats:
    """Read the argument as an array of a dtype that the formulas are stated for."""
    if type(values) is np.ndarray and values.dtype in _NATIVE and values.flags.c_contiguous:
        return values
    if is_masked(values):
        raise NotADistributionError(
            f"{name} is a masked array, whose masked entries would be read as numbers; expected a "
            "plain array. Fill it first: masked tokens have probability 0."
        )
    try:
        array = np.asarray(values)
    except (TypeError, ValueError, RuntimeError, OverflowError) as error:
        raise NotADistributionError(
            f"{name} cannot be read as an array of floats ({type(error).__name__}: {error}); expected "
            "rows of one length, all over the same V tokens."
        ) from error
    if array.dtype.kind in "iu":
        array = array.astype(np.float64)
    if array.dtype.type not in (np.float32, np.float64):
        raise NotADistributionError(f"{name} has dtype {array.dtype}; {_dtype_advice(array.dtype)}")
    # Sums are pairwise, and so accurate, only along a contiguous axis of native floats.
    return np.asarray(array, dtype=array.dtype.newbyteorder("="), order="C")


def is_masked(values: Any) -> bool:
    """Whether NumPy would read masked entries of an array, or of arrays in a list, as numbers."""
    arrays = values if isinstance(values, list | tuple) else (values,)
    return any(isinstance(array, np.ndarray) and hasattr(array, "mask") for array in arrays)


def _dtype_advice(dtype: np.dtype[Any]) -> str:
    if dtype == np.float16 or dtype.name == "bfloat16":
        return (
            "expected float32 or float64. For the exact law of half-precision rows save them with "
            "numpy.savez (bfloat16 widened to float32, which loses nothing) and run "
            "`python -m proofs rows FILE`."
        )
    if dtype.type is np.longdouble:
        return "expected float32 or float64. Convert with astype(float) if that rounding is what you want."
    if dtype.kind == "O":
        return (
            "expected float32 or float64. Fractions or integers of any size? "
            "proofs.emitted_distribution computes with them exactly."
        )
    return "expected float32 or float64 probabilities. Logits? Apply softmax first."


def _check_entries(array: Floats, name: str) -> None:
    """Every entry a number, not negative and not so large that the sum could overflow."""
    with np.errstate(invalid="ignore"):
        # A NaN makes the minimum NaN, which is not >= 0. Entries just above 1 are left to the sum.
        if array.size == 0 or (array.min() >= 0 and array.max() <= 2):
            return
        bad = ~((array >= 0) & (array <= 2))
    at = tuple(int(i) for i in np.argwhere(bad)[0])
    raise NotADistributionError(
        f"{name}{list(at)} = {array[at]!s} is not a probability; expected every entry of {name}, shape "
        f"{array.shape}, to lie between 0 and 1. Logits? Apply softmax first. Counts? Divide by their sum."
    )


def _check_sums(array: Floats, name: str, tolerance: float) -> None:
    total = array.sum(axis=-1)
    off = np.abs(total - 1) > tolerance
    if not off.any():
        return
    at = tuple(int(i) for i in np.argwhere(off)[0])
    where = f"row {list(at)} of {name}" if at else name
    narrow = _narrow_format(array[at], abs(float(total[at]) - 1))
    advice = (
        f"All its values are {narrow} numbers: a {narrow} row widened to {array.dtype} keeps the rounding "
        f"of {narrow}. " + _widened_advice(narrow, array.dtype)
        if narrow
        else "After top-k or top-p truncation, or a mask, renormalise before verifying."
    )
    raise NotADistributionError(
        f"{where} sums to {total[at]!s}, not 1 (tolerance sqrt(eps) = {tolerance:.3g} for {array.dtype}). "
        f"{name} has shape {array.shape} and is read along its last axis. {advice}"
    )


def _widened_advice(narrow: str, dtype: np.dtype[Any]) -> str:
    divide = f"divide it by its sum in {dtype} (row / row.sum())"
    return f"Pass the float32 row itself, or {divide}." if narrow == "float32" else divide.capitalize() + "."


def _narrow_format(row: Floats, defect: float) -> str | None:
    """Name the narrower float format that every value of the row fits, if its rounding explains the defect."""
    for name, eps in _NARROW_FORMATS:
        if eps > np.finfo(row.dtype).eps and defect <= np.sqrt(eps) and _fits(row, name):
            return name
    return None


def _fits(row: Floats, narrow: str) -> bool:
    with np.errstate(all="ignore"):  # what does not fit is not equal afterwards
        if narrow == "bfloat16":  # the upper half of a float32
            single = row.astype(np.float32)
            return bool((single == row).all() and not (single.view(np.uint32) & 0xFFFF).any())
        return bool((row.astype(narrow) == row).all())
