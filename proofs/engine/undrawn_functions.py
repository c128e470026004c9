"""NumPy's functions of arrays that undrawn numbers answer to: searches, races, joins and moves."""

import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from proofs.engine.signals import refuse
from proofs.engine.undrawn_base import FLOAT64, UndrawnBase, numbers_in
from proofs.engine.undrawn_ufuncs import common_dtype, is_less

__all__ = ["FUNCTIONS"]


def _searchsorted(a: Any, v: Any, side: str = "left", sorter: None = None) -> Any:
    if isinstance(a, UndrawnBase) or sorter is not None:
        refuse("np.searchsorted in undrawn numbers")
    if side not in ("left", "right"):
        raise ValueError(f"search side must be 'left' or 'right' (got '{side}')")
    cdf = np.asanyarray(a)
    dtype = common_dtype(cdf, FLOAT64 if v.weak else v.dtype)
    edges, wanted = numbers_in(cdf, dtype), v.cast(dtype)
    if not all(bool(x <= y) for x, y in itertools.pairwise(edges)):
        refuse("np.searchsorted in a row that does not ascend")
    found = np.empty(v.shape, dtype=np.int64)
    for at in np.ndindex(*v.shape):
        found[at] = _place(edges, wanted[at], right=side == "right")
    return found if v.shape else np.int64(found[()])


def _place(edges: Any, element: Any, *, right: bool) -> int:
    for at, edge in enumerate(edges):
        if is_less(element, edge, equal=not right):
            return at
    return len(edges)


def _digitize(x: Any, bins: Any, right: bool = False) -> Any:
    return _searchsorted(bins, x, side="left" if right else "right")


def _where(condition: Any, x: Any, y: Any) -> Any:
    if isinstance(condition, UndrawnBase):
        refuse("np.where on the truth of undrawn numbers")
    dtype = common_dtype(x, y)
    number = x if isinstance(x, UndrawnBase) else y
    parts = [z.cast(dtype) if isinstance(z, UndrawnBase) else numbers_in(z, dtype) for z in (x, y)]
    return number.like(np.asarray(np.where(condition, *parts), dtype=object), dtype)


def _clip(a: Any, a_min: Any = None, a_max: Any = None, out: Any = None, **bounds: Any) -> Any:
    least, most = bounds.pop("min", a_min), bounds.pop("max", a_max)
    if bounds:
        refuse(f"np.clip of an undrawn number with {', '.join(bounds)}")
    result = np.positive(a) if least is None else np.maximum(a, least)
    result = result if most is None else np.minimum(result, most)
    return result if out is None else np.positive(result, out=out)


def _joined(function: Any) -> Callable[..., Any]:
    def apply(arrays: Any, *args: Any, **options: Any) -> Any:
        if set(options) - {"axis"}:
            refuse(f"np.{function.__name__} of undrawn numbers with {', '.join(options)}")
        # Whatever is joined is made an array first, so that no Python float is weak.
        strong = [z if isinstance(z, UndrawnBase) else np.asanyarray(z) for z in arrays]
        dtype = common_dtype(*[FLOAT64 if isinstance(z, UndrawnBase) and z.weak else z.dtype for z in strong])
        parts = [z.cast(dtype) if isinstance(z, UndrawnBase) else numbers_in(z, dtype) for z in strong]
        number = next(z for z in arrays if isinstance(z, UndrawnBase))
        return number.like(function(parts, *args, **options), dtype)

    return apply


def _moved(function: Any) -> Callable[..., Any]:
    def apply(a: Any, *args: Any, **options: Any) -> Any:
        if not isinstance(a, UndrawnBase):
            refuse(f"np.{function.__name__} with an undrawn number that is not its first argument")
        return a.delivered(function(a.elements, *args, **options))

    return apply


def _like(function: Any) -> Callable[..., Any]:
    def apply(a: Any, *args: Any, dtype: Any = None, **options: Any) -> Any:
        model = np.empty(a.shape, dtype=a.dtype)
        return function(model, *args, dtype=dtype, **options)

    return apply


FUNCTIONS: dict[Any, Callable[..., Any]] = {
    np.searchsorted: _searchsorted,
    np.digitize: _digitize,
    np.where: _where,
    np.clip: _clip,
    np.argmax: lambda a, axis=None, out=None, **options: a.argmax(axis, out, **options),
    np.argmin: lambda a, axis=None, out=None, **options: a.argmin(axis, out, **options),
    np.argsort: lambda a, axis=-1, kind=None, order=None, **options: a.argsort(axis, **options),
    np.shape: lambda a: a.shape,
    np.ndim: lambda a: a.ndim,
    np.size: lambda a, axis=None: a.size if axis is None else a.shape[axis],
    np.copy: lambda a, **options: a.copy(),
}
FUNCTIONS |= {f: _joined(f) for f in (np.concatenate, np.stack, np.hstack, np.vstack)}
FUNCTIONS |= {f: _like(f) for f in (np.zeros_like, np.ones_like, np.full_like)}
FUNCTIONS |= {
    f: _moved(f)
    for f in (
        *(np.reshape, np.ravel, np.squeeze, np.expand_dims, np.transpose, np.swapaxes, np.moveaxis, np.take),
        *(np.repeat, np.tile, np.flip, np.roll, np.atleast_1d, np.broadcast_to),
    )
}
