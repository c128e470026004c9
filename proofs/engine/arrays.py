"""Arrays of exact numbers that a NumPy program takes for arrays of floats."""

from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any, Final, SupportsIndex, TypeAlias

import numpy as np

from proofs.engine.elementwise import LOOPS, TESTS, TRUTHS, as_elements, exact_element, masked, ranks, with_initial
from proofs.engine.scalar_base import Number
from proofs.engine.scalars import ExactNumber, LogNumber, exact_number, is_exact
from proofs.engine.signals import Kind, mark, refuse

__all__ = ["ExactArray", "adopt", "exact_array"]

Array: TypeAlias = np.ndarray[Any, Any]


def exact_array(values: Any, shape: tuple[int, ...] | None = None) -> "ExactArray":
    """Return an array of exact numbers.

    Parameters
    ----------
    values : array or nested sequence of rationals or floats
        Floats stand for their exact values.
    shape : tuple of int, optional
        Needed where nothing in `values` tells it: zero rows of V tokens.

    Returns
    -------
    ExactArray
        A new array; with zero elements where `values` is empty.

    Raises
    ------
    TypeError, ValueError
        If an element is no number with an exact value; if the shape does not fit.
    """
    array = np.array(values, dtype=object)
    for index, value in np.ndenumerate(array):
        try:
            array[index] = exact_element(value)
        except TypeError as error:
            raise TypeError(f"values{list(index)}: {error}; give rationals or floats in rows of one length") from None
    return array.reshape(array.shape if shape is None else shape).view(ExactArray)


def adopt(result: Any) -> Any:
    """Return what came out of a NumPy function as it is among exact arrays.

    Arrays of objects that are all numbers become exact arrays, in place of base arrays where the rules of NaN are
    those of Python; tuples and lists are looked through; everything else stays as it is.
    """
    if isinstance(result, np.ndarray):
        return _adopted_array(result)
    if type(result) in (tuple, list):
        return type(result)(map(adopt, result))
    return result


def _adopted_array(array: Array) -> Array:
    if array.dtype != object:
        return array.view(np.ndarray) if isinstance(array, ExactArray) else array
    try:
        elements = as_elements(array)
    except TypeError:
        return array.view(np.ndarray)  # undrawn numbers, text: not ours
    return elements.view(ExactArray)


def _is_foreign(value: Any) -> bool:
    # A class that overrides NumPy in ways of its own, such as undrawn numbers, must get its turn.
    if isinstance(value, np.ndarray):
        return type(value).__array_ufunc__ not in (ExactArray.__array_ufunc__, np.ndarray.__array_ufunc__)
    return not (
        value is None or isinstance(value, (list, tuple)) or is_exact(value) or ExactNumber.operand(value) is not None
    )


class ExactArray(np.ndarray[Any, Any]):
    """An array of exact numbers: it counts as an array of float64 does, and nothing rounds.

    Its dtype is object. What leaves it for floats (``astype(float)``, assignment to an array of floats, a function that
    has no exact counterpart) leaves a mark on the path.
    """

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
        return apply(ufunc, method, inputs, options)

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
        return call(func, types, args, kwargs)

    def __setitem__(self, key: Any, value: Any) -> None:
        super().__setitem__(key, value if is_exact(value) else _storable(value))

    def astype(self, dtype: Any, *args: Any, **options: Any) -> Any:
        """Return the array in another dtype: a leak for floats, exact for whole numbers and truth values."""
        if np.dtype(dtype) == np.float32:
            mark(Kind.SINGLE, "exact numbers are cast to float32")
        return adopt(super().astype(dtype, *args, **options))

    def argmax(self, *args: Any, **options: Any) -> Any:
        """Return where the greatest element is, the first NaN or the first of equals."""
        return ranks(self).argmax(*args, **options)

    def argmin(self, *args: Any, **options: Any) -> Any:
        """Return where the least element is, the first NaN or the first of equals."""
        return ranks(self).argmin(*args, **options)

    def argsort(self, *args: Any, **options: Any) -> Any:
        """Return the order of the elements, NaN last, ties as NumPy orders those of floats."""
        return ranks(self).argsort(*args, **options)

    def argpartition(self, *args: Any, **options: Any) -> Any:
        """Return a partition, as NumPy makes it of floats."""
        return ranks(self).argpartition(*args, **options)

    def sort(self, axis: Any = -1, *args: Any, **options: Any) -> None:
        """Sort in place, NaN last."""
        self[...] = np.take_along_axis(self, self.argsort(axis, *args, **options), axis)

    def partition(self, kth: Any, axis: Any = -1, **options: Any) -> None:  # type: ignore[override]
        """Partition in place, as NumPy does floats."""
        self[...] = np.take_along_axis(self, self.argpartition(kth, axis, **options), axis)

    def searchsorted(self, v: Any, side: Any = "left", sorter: Any = None) -> Any:
        """Return where values belong in a sorted array, NaN last."""
        if _is_foreign(v):
            return self._search_for(v, side, sorter)
        values = as_elements(v)
        order = ranks(np.concatenate([self.view(np.ndarray), values.ravel()]))
        found = np.searchsorted(order[: self.size], order[self.size :].reshape(values.shape), side, sorter)
        return found if values.ndim else np.intp(found)

    def _search_for(self, v: Any, side: Any, sorter: Any) -> Any:
        if hasattr(v, "__array_function__"):
            return np.searchsorted(self, v, side, sorter)
        return self.view(np.ndarray).searchsorted(v, side, sorter)

    def round(self, decimals: SupportsIndex = 0, out: Any = None) -> Any:
        """Return the elements rounded to decimals, exactly, halves to even."""
        result = np.frompyfunc(lambda number: number.round(int(decimals)), 1, 1)(self.view(np.ndarray))
        return _delivered(adopt(result), out)

    def dot(self, b: Any, out: Any = None) -> Any:
        """Return the product of rows or matrices."""
        return _delivered(np.dot(self, b), out)

    def fill(self, value: Any) -> None:
        """Set every element."""
        self[...] = value

    def put(self, ind: Any, v: Any, mode: Any = "raise") -> None:
        """Set the elements at flat indices."""
        super().put(ind, _storable(v), mode)

    def nonzero(self) -> tuple[Array, ...]:
        """Return the indices of the elements other than zero."""
        return tuple(index.view(np.ndarray) for index in super().nonzero())


def _storable(value: Any) -> Any:
    try:
        return as_elements(value) if isinstance(value, (np.ndarray, list, tuple)) else exact_element(value)
    except TypeError:
        refuse(f"a {type(value).__name__} was stored in an array of exact numbers")


def _delivered(result: Any, out: Any) -> Any:
    if out is None:
        return result
    out[...] = result
    return out


def apply(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """Compute a universal function of exact arrays and what NumPy may mix with them; see ``__array_ufunc__``."""
    if method == "__call__" and not options and ufunc in LOOPS and _QUICK.issuperset(map(type, inputs)):
        # What nearly every call is: nothing to look at twice.
        return _wrapped_quickly(ufunc, LOOPS[ufunc](*map(as_elements, inputs)))
    outs = options.pop("out", ())
    if not _QUICK.issuperset(map(type, (*inputs, *outs))) and any(map(_is_foreign, (*inputs, *outs))):
        return NotImplemented
    # The dtype of a float is how much it rounds: here, not at all.
    options = {name: value for name, value in options.items() if name not in _ABOUT_DTYPES}
    if options.get("where") is True:
        del options["where"]  # the sums and extremes of an array always say so
    if method == "at":
        return _apply_at(ufunc, *inputs)
    where = options.get("where", True) if method == "__call__" else True
    return _stored(_computed(ufunc, method, inputs, options), outs, where)


def _computed(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    loop = ufunc if ufunc in TRUTHS else LOOPS.get(ufunc) or TESTS.get(ufunc)
    if loop is None:
        # A ufunc for objects alone is the program's own function, by vectorize or frompyfunc: it gets the elements.
        if set("".join(ufunc.types)) <= set("O->"):
            return adopt(getattr(ufunc, method)(*map(_base, inputs), **options))
        return _through_floats(ufunc, method, inputs, options)
    indices = inputs[1:] if method == "reduceat" else ()
    try:
        operands = list(map(as_elements, inputs[:1] if indices else inputs))
    except TypeError:
        # Undrawn numbers among the elements: their own operators meet those of the exact ones.
        return adopt(getattr(ufunc, method)(*map(_base, inputs), **options))
    if ufunc in TRUTHS:
        return getattr(ufunc, method)(*(operand.astype(bool) for operand in operands), *indices, **options)
    if method == "__call__" and "where" in options:
        return _wrapped(masked(loop, operands, options["where"]), ufunc in TESTS)
    if method == "reduce":
        options = with_initial(ufunc, options)
    return _wrapped(getattr(loop, method)(*operands, *indices, **options), ufunc in TESTS)


def _wrapped_quickly(ufunc: np.ufunc, result: Any) -> Any:
    # Numbers of exact arithmetic give such numbers; a product over no elements alone is False.
    if type(result) is np.ndarray and ufunc is not np.matmul and ufunc is not np.vecdot:
        return result.view(ExactArray) if result.dtype == object else result
    return _wrapped(result, False)


def _wrapped(result: Any, is_test: bool) -> Any:
    if is_test:
        return result.astype(bool) if isinstance(result, np.ndarray) else np.bool_(result)
    # NumPy sums nothing to the int 0.
    return exact_number(result) if type(result) in (int, float, bool) else adopt(result)


def _stored(result: Any, outs: tuple[Any, ...], where: Any) -> Any:
    if result is NotImplemented or all(out is None for out in outs):
        return result
    results = result if isinstance(result, tuple) else (result,)
    for out, one in zip(outs, results, strict=True):
        if out is not None:
            _copy(out, one, where)
    return outs[0] if len(outs) == 1 else outs


def _copy(out: Array, values: Any, where: Any = True) -> None:
    if out.dtype != object and out.dtype != bool:
        mark(Kind.LEAK, f"exact numbers were written into an array of {out.dtype}")
    source = _storable(values) if isinstance(out, ExactArray) else np.asarray(values)
    np.copyto(out.view(np.ndarray), source, where=where, casting="unsafe")


def _apply_at(ufunc: np.ufunc, array: Any, indices: Any, *values: Any) -> None:
    loop = LOOPS.get(ufunc)
    if loop is not None and isinstance(array, ExactArray):
        loop.at(array.view(np.ndarray), indices, *map(as_elements, values))
        return
    mark(Kind.LEAK, f"{ufunc.__name__}.at put exact numbers into an array of {array.dtype}")
    copied = _floats(array)
    ufunc.at(copied, indices, *map(_floats, values))
    array[...] = copied


def _through_floats(ufunc: np.ufunc, method: str, inputs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    mark(Kind.LEAK, f"numpy.{ufunc.__name__} has no exact counterpart")
    return _from_floats(getattr(ufunc, method)(*map(_floats, inputs), **options))


def _floats(value: Any) -> Any:
    if type(value) in (list, tuple):
        return type(value)(map(_floats, value))
    return np.asarray(value, dtype=float) if is_exact(value) or isinstance(value, ExactArray) else value


def _from_floats(result: Any) -> Any:
    if isinstance(result, tuple):
        return tuple(map(_from_floats, result))
    is_float = isinstance(result, (np.ndarray, np.generic)) and np.issubdtype(result.dtype, np.floating)
    return _wrapped(as_elements(result)[()], False) if is_float else result


def _base(value: Any) -> Any:
    return value.view(np.ndarray) if isinstance(value, ExactArray) else as_elements(value) if is_exact(value) else value


def call(func: Callable[..., Any], types: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """Call a NumPy function that got an exact array or number; see ``__array_function__``."""
    if not all(issubclass(kind, _EXACT) or kind.__array_function__ is np.ndarray.__array_function__ for kind in types):
        return NotImplemented
    args = tuple(map(_as_array, args))
    kwargs = {name: _as_array(value) for name, value in kwargs.items()}
    if func in _FUNCTIONS:
        return _FUNCTIONS[func](*args, **kwargs)
    try:
        result = np.ndarray.__array_function__(_NO_ARRAY, func, (np.ndarray,), args, kwargs)
    except (AttributeError, TypeError):
        mark(Kind.LEAK, f"numpy.{func.__name__} has no exact counterpart")
        floats = {name: _floats(value) for name, value in kwargs.items()}
        return adopt(_from_floats(func(*map(_floats, args), **floats)))
    for argument in args if func in _CHANGING else ():
        if isinstance(argument, ExactArray):
            argument[...] = argument.view(np.ndarray)
    return adopt(result)


def _as_array(value: Any) -> Any:
    return as_elements(value).view(ExactArray) if is_exact(value) else value


def _like(fill: Any) -> Callable[..., Any]:
    def build(a: Any, dtype: Any = None, *_rest: Any, shape: Any = None, **_options: Any) -> Any:
        if dtype is not None and np.dtype(dtype).kind not in "fO":
            return np.full(np.shape(a) if shape is None else shape, fill, dtype)
        result = np.empty(np.shape(a) if shape is None else shape, object).view(ExactArray)
        result[...] = fill
        return result

    return build


def _full_like(a: Any, fill_value: Any, *args: Any, **options: Any) -> Any:
    return _like(fill_value)(a, *args, **options)


def _nan_to_num(x: Any, copy: bool = True, nan: Any = 0.0, posinf: Any = None, neginf: Any = None) -> Any:
    greatest = np.finfo(float).max
    above, below = greatest if posinf is None else posinf, -greatest if neginf is None else neginf
    array = as_elements(x).view(ExactArray)
    result = np.where(np.isnan(array), nan, np.where(array == np.inf, above, np.where(array == -np.inf, below, array)))
    if copy:
        return result[()]
    array[...] = result
    return array


def _copyto(dst: Array, src: Any, *_casting: Any, where: Any = True, **_options: Any) -> None:
    _copy(dst, src, where)


_QUICK = frozenset({ExactArray, ExactNumber, LogNumber, int, float, bool, np.float64})
_ABOUT_DTYPES = ("dtype", "casting", "order", "subok")
_EXACT = (ExactArray, ExactNumber, LogNumber)
_NO_ARRAY = np.empty(0)
_CHANGING = (np.putmask, np.place, np.put, np.fill_diagonal, np.put_along_axis)
_FUNCTIONS: Final[Mapping[Any, Callable[..., Any]]] = MappingProxyType(
    {
        np.zeros_like: _like(0),
        np.ones_like: _like(1),
        np.empty_like: _like(np.nan),
        np.full_like: _full_like,
        np.nan_to_num: _nan_to_num,
        np.copyto: _copyto,
    }
)


def _ufunc_of_a_number(_self: Any, ufunc: np.ufunc, method: str, *inputs: Any, **options: Any) -> Any:
    return apply(ufunc, method, inputs, options)


def _function_of_a_number(_self: Any, func: Any, types: Any, args: Any, kwargs: Any) -> Any:
    return call(func, types, args, kwargs)


# Given to the numbers here, for they know no arrays: ``np.minimum(1, x)`` must know NaN as it does among arrays.
Number.__array_ufunc__ = _ufunc_of_a_number
Number.__array_function__ = _function_of_a_number
