"""Which of torch's operators may meet undrawn numbers, and how: by the names that the dispatcher gives them."""

from collections.abc import Mapping
from functools import cache
from types import MappingProxyType
from typing import Any, NamedTuple

import torch

__all__ = [
    "COMPARISONS", "DECIDED", "ELEMENTWISE", "FILLS", "MOVES", "RACES", "WITHOUT_DATA", "Operation", "functional",
    "is_random", "mutated", "name_of", "tensors_in",
]  # fmt: skip

# Operators that move elements, and the places of the operands that are moved; a number in such a place is one too.
MOVES: Mapping[str, tuple[int, ...]] = MappingProxyType(
    {
        "clone": (0,), "index": (0,), "gather": (0,), "index_select": (0,), "cat": (0,), "stack": (0,),
        "where": (1, 2), "masked_select": (0,), "take": (0,), "repeat": (0,), "roll": (0,), "flip": (0,),
        "masked_fill": (0, 2), "masked_scatter": (0, 2), "scatter": (0, 3), "index_put": (0, 2), "index_copy": (0, 3),
        "index_fill": (0, 3), "constant_pad_nd": (0, 2), "select_scatter": (0, 1), "slice_scatter": (0, 1),
        "_unsafe_view": (0,), "expand_copy": (0,), "view_copy": (0,), "rot90": (0,), "unfold_copy": (0,),
        "contiguous": (0,), "_reshape_copy": (0,), "put": (0, 2), "diagonal_scatter": (0, 1), "block_diag": (0,),
    }
)  # fmt: skip

# Functions of one element that are monotone in it, the others being numbers.
ELEMENTWISE = frozenset(
    (
        *("add", "sub", "rsub", "mul", "div", "neg", "reciprocal", "abs", "square", "sqrt", "relu", "positive"),
        *("clamp", "clamp_min", "clamp_max", "minimum", "maximum", "fmin", "fmax", "pow"),
        *("log", "log1p", "log2", "log10", "exp", "exp2", "expm1", "sigmoid", "tanh"),
    )
)
COMPARISONS = frozenset(("lt", "le", "gt", "ge", "eq", "ne"))
# Functions of one element that take few values, and are decided at once.
DECIDED = frozenset(("isnan", "isinf", "isposinf", "isneginf", "floor", "ceil", "trunc", "round", "sign"))
RACES = frozenset(("argmax", "argmin", "max", "min", "amax", "amin", "topk", "sort", "argsort"))
# What looks at shape and dtype alone.
WITHOUT_DATA = frozenset(
    (
        *("empty_like", "zeros_like", "ones_like", "full_like", "new_empty", "new_zeros", "new_ones", "new_full"),
        *("new_empty_strided", "sym_size", "sym_stride", "sym_numel", "sym_storage_offset", "is_same_size"),
        *("record_stream", "sym_is_contiguous"),
    )
)
FILLS = frozenset(("fill_", "zero_", "copy_"))

_RANDOM = torch.Tag.nondeterministic_seeded


class Operation(NamedTuple):
    """An operator with the arguments of one call.

    Attributes
    ----------
    func : operator
        Of ``torch.ops``.
    name : str
        As `name_of` gives it.
    args : tuple
    kwargs : dict
    """

    func: Any
    name: str
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def run(self) -> Any:
        """Run it as it is."""
        return self.func(*self.args, **self.kwargs)

    def named(self) -> dict[str, Any]:
        """Return the arguments by their names, with the defaults of those that were not given."""
        arguments = self.func._schema.arguments
        found = {a.name: a.default_value for a in arguments if a.has_default_value()}
        return found | {a.name: value for a, value in zip(arguments, self.args, strict=False)} | self.kwargs

    def tensors(self) -> list[Any]:
        """Return the tensors among the arguments."""
        return tensors_in((self.args, self.kwargs))


def tensors_in(value: Any) -> list[Any]:
    """Return the tensors in a value, those in lists, tuples and dictionaries included."""
    if isinstance(value, torch.Tensor):
        return [value]
    if isinstance(value, dict):
        value = list(value.values())
    return [tensor for each in value for tensor in tensors_in(each)] if isinstance(value, list | tuple) else []


@cache
def name_of(func: Any) -> str:
    """Return the name of an operator of torch without its namespace and overload, with the namespace of others."""
    name: str = func._schema.name
    return name.removeprefix("aten::")


@cache
def is_random(func: Any) -> bool:
    """Tell whether torch says of an operator that it draws random numbers."""
    return _RANDOM in func.tags


@cache
def mutated(func: Any) -> tuple[tuple[int | None, str], ...]:
    """Return places and names of the arguments that an operator writes to; the place of a keyword is None."""
    found = []
    for at, argument in enumerate(func._schema.arguments):
        if argument.alias_info is not None and argument.alias_info.is_write:
            found.append((None if argument.kwarg_only else at, argument.name))
    return tuple(found)


@cache
def functional(func: Any) -> Any:
    """Return the operator that computes what an in-place or an out= operator writes; None if there is none."""
    name = name_of(func)
    packet = getattr(torch.ops.aten, name.removesuffix("_"), None)
    if packet is None or "::" in name:
        return None
    written = {argument for _, argument in mutated(func) if argument != "self"}
    wanted = [(a.name, str(a.type)) for a in func._schema.arguments if a.name not in written]
    for overload in packet.overloads():
        candidate = getattr(packet, overload)
        if not mutated(candidate) and [(a.name, str(a.type)) for a in candidate._schema.arguments] == wanted:
            return candidate
    return None
