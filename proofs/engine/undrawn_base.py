"""What an undrawn number consists of: elements that move as those of an ndarray do, a dtype, and whether it is weak."""

from collections.abc import Iterator
from typing import Any, Self

import numpy as np

from proofs.engine.choices import CURRENT, Path
from proofs.engine.nodes import Node
from proofs.engine.noise_nodes import NoiseNode
from proofs.engine.signals import refuse

__all__ = ["FLOAT32", "FLOAT64", "UndrawnBase", "boxed", "is_tensor", "is_undrawn", "numbers_in"]

FLOAT64 = np.dtype(np.float64)
FLOAT32 = np.dtype(np.float32)


class UndrawnBase:
    """An array, or a single number, of undrawn elements among which there may be numbers.

    Parameters
    ----------
    path : Path
    elements : ndarray of object
        Nodes, noise and concrete numbers; views of it are views of this array.
    dtype : dtype
        Of the array that it stands for.
    weak : bool
        Whether it stands for a Python float, which takes the dtype of what it meets.
    """

    __slots__ = ("dtype", "elements", "path", "weak")

    def __init__(self, path: Path, elements: Any, dtype: Any = FLOAT64, *, weak: bool = False) -> None:
        self.path = path
        self.elements = elements
        self.weak = weak
        self.dtype = dtype

    @property
    def shape(self) -> tuple[int, ...]:
        """As of an ndarray."""
        return tuple(self.elements.shape)

    @property
    def ndim(self) -> int:
        """As of an ndarray."""
        return int(self.elements.ndim)

    @property
    def size(self) -> int:
        """As of an ndarray."""
        return int(self.elements.size)

    @property
    def T(self) -> Self:  # noqa: N802
        """As of an ndarray."""
        return self.like(self.elements.T)

    @property
    def real(self) -> Self:
        """As of an ndarray."""
        return self

    def like(self, elements: Any, dtype: Any = None, *, weak: bool = False) -> Self:
        """Return other elements of the same path, in the same dtype unless told."""
        return type(self)(self.path, elements, self.dtype if dtype is None else dtype, weak=weak)

    def delivered(self, found: Any) -> Any:
        """Return what an array operation made of the elements: an array, or one element as a NumPy scalar."""
        if isinstance(found, np.ndarray):
            return self.like(found)
        if is_undrawn(found):
            return self.like(boxed(found))
        return self.dtype.type(found) if isinstance(found, float) else found

    def cast(self, dtype: Any) -> Any:
        """Return the elements in another float dtype; they are the same array where nothing changes."""
        if self.dtype == dtype:
            return self.elements
        step = "cast32" if dtype == FLOAT32 else "cast64"
        found = np.empty(self.shape, dtype=object)
        for at in np.ndindex(*self.shape):
            element = self.elements[at]
            found[at] = element.then(step) if is_undrawn(element) else _number(element, dtype)
        return found

    def __getitem__(self, index: Any) -> Any:
        self._no_weak("is not subscriptable")
        return self.delivered(self.elements[index])

    def __setitem__(self, index: Any, value: Any) -> None:
        self._no_weak("does not support item assignment")
        cast = value.cast(self.dtype) if isinstance(value, UndrawnBase) else numbers_in(value, self.dtype)
        # An array without axes would itself become an element.
        self.elements[index] = cast if cast.ndim else cast[()]

    def __len__(self) -> int:
        self._no_weak("has no len()")
        return len(self.elements)

    def __iter__(self) -> Iterator[Any]:
        self._no_weak("is not iterable")
        return (self[at] for at in range(len(self)))

    def _no_weak(self, what: str) -> None:
        if self.weak:
            raise TypeError(f"'float' object {what}")

    def astype(self, dtype: Any, **_: Any) -> Self:
        """Return the array rounded to another float dtype."""
        wanted = np.dtype(dtype)
        if wanted not in (FLOAT64, FLOAT32):
            refuse(f"an undrawn number is cast to {wanted}")
        return self.like(self.cast(wanted).copy(), wanted)

    def item(self, *index: Any) -> Any:
        """Return one element as the Python float that it stands for."""
        element = self.elements.item(*index)
        if not is_undrawn(element):
            return float(element) if isinstance(element, np.floating) else element
        return self.like(self.like(boxed(element)).cast(FLOAT64), FLOAT64, weak=True)

    def tolist(self) -> Any:
        """Return nested lists of undrawn Python floats."""
        if not self.shape:
            return self.item()
        return [self.like(row).tolist() if self.ndim > 1 else self.item(at) for at, row in enumerate(self.elements)]

    def copy(self, *_: Any, **__: Any) -> Self:
        """Return a copy: the same draws."""
        return self.like(self.elements.copy())

    @classmethod
    def __torch_function__(cls, func: Any, _: Any, args: Any = (), kwargs: Any = None) -> Any:
        # A tensor on the left asks here; what is asked of the number itself evaluates torch's own operator.
        name = getattr(func, "__name__", "an operator")
        if name in _REFLECTED and len(args) == 2 and not kwargs and isinstance(args[1], cls):
            return getattr(args[1], _REFLECTED[name])(args[0])
        return refuse(f"an undrawn number of the generator meets a tensor in torch.{name}: make the tensor a float")

    def __copy__(self) -> Self:
        return self.like(self.elements.copy(), weak=self.weak)

    def __deepcopy__(self, _: Any) -> Self:
        return self.__copy__()

    def __reduce__(self) -> Any:
        return _unpickled, (self.path.keep(self.__copy__()),)


# The operators of a tensor on the left of an undrawn number, as those of the number.
_REFLECTED = {
    "lt": "__gt__", "gt": "__lt__", "le": "__ge__", "ge": "__le__", "eq": "__eq__", "ne": "__ne__",
    "add": "__radd__", "mul": "__rmul__", "sub": "__rsub__", "div": "__rtruediv__",
}  # fmt: skip


def boxed(element: Any) -> Any:
    """Return an array without axes that holds one element."""
    box = np.empty((), dtype=object)
    box[()] = element
    return box


def is_undrawn(element: Any) -> bool:
    """Tell whether an element still stands for something that nobody has drawn."""
    return isinstance(element, Node | NoiseNode)


def numbers_in(value: Any, dtype: Any) -> Any:
    """Return a concrete operand as an array of objects, which are numbers in the dtype of the operation.

    Numbers of exact arithmetic stay what they are; float64 becomes Python's float, which is the same and faster.
    """
    if isinstance(value, list | tuple):
        value = np.asarray(value)
    if is_tensor(value):
        return _tensors_in(value)
    if isinstance(value, np.ndarray) and value.dtype == object:
        return value.view(np.ndarray)
    if isinstance(value, np.ndarray):
        return _objects(value.astype(dtype))
    return boxed(_number(value, dtype) if isinstance(value, int | float | np.number | np.bool_) else value)


def is_tensor(value: Any) -> bool:
    """Tell whether a value is a plain tensor of torch, which may not be loaded."""
    return type(value).__name__ == "Tensor" and type(value).__module__ == "torch"


def _tensors_in(tensor: Any) -> Any:
    """Return the elements as tensors without axes: what they meet is computed by torch, in its dtype."""
    found = np.empty(tensor.numel(), dtype=object)
    for at, element in enumerate(tensor.detach().reshape(-1).unbind()):
        if isinstance(element.item(), UndrawnBase):
            refuse("an undrawn number of the generator meets one of torch")
        found[at] = element
    return found.reshape(tuple(tensor.shape))


def _number(value: Any, dtype: Any) -> Any:
    # Exact numbers count as float64 already; they are numbers of no NumPy class.
    if not isinstance(value, int | float | np.number | np.bool_):
        return value
    return float(value) if dtype == FLOAT64 else dtype.type(value)


def _objects(array: Any) -> Any:
    if array.dtype == FLOAT64:
        return array.astype(object)
    found = np.empty(array.shape, dtype=object)
    for at in np.ndindex(*array.shape):
        found[at] = array[at]
    return found


def _unpickled(token: int) -> Any:
    path = CURRENT.get()
    if path is None:
        raise ValueError("an undrawn number was pickled; it means nothing outside the path that drew it")
    return path.kept[token].__copy__()
