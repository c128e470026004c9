"""What lies beside the storage of a tensor: for each element the undrawn number that it stands for.

A tensor with undrawn elements is an ordinary tensor, whose memory holds poison in their places. The shadow belongs
to the storage, not to the tensor, so that views, in-place operators and buffers alias as they do in torch. What is
read around the shadow is another number on the next path, and in the replay: it shows in the outcome.
"""

from collections.abc import Mapping
from typing import Any

import torch

from proofs.engine.signals import refuse

__all__ = ["ABSENT", "Shadows", "is_plain"]

ABSENT = -1  # the place of an element that is a number, and lies in the tensor itself

# The methods themselves, whatever stands in their places while a program is run.
_storage = torch.Tensor.untyped_storage
_memory = torch.UntypedStorage.data_ptr
# By turns: what comparisons say of a NaN, of a number that is too small and of one that is too large differs.
_POISONS = (float("nan"), 0.0, 0.984375)


class _Shadow:
    """The elements of one storage; it keeps the storage alive, so that its address is no other's."""

    __slots__ = ("dtype", "ids", "keeper")

    def __init__(self, tensor: Any, length: int) -> None:
        self.keeper = tensor
        self.dtype = tensor.dtype
        self.ids = torch.full((length,), ABSENT, dtype=torch.int64)


class Shadows:
    """The shadows of one path, and the elements that their numbers name."""

    def __init__(self, turn: int = 0) -> None:
        self._poison = _POISONS[turn % len(_POISONS)]
        self.elements: list[Any] = []
        self._of: dict[int, _Shadow] = {}
        self._exported: dict[int, Any] = {}

    def __bool__(self) -> bool:
        return bool(self._of)

    def of(self, tensor: Any) -> Any:
        """Return the elements of a tensor as a tensor of numbers, a view of the shadow; None if all are plain.

        A tensor that is another reading of the same memory is refused.
        """
        if not self._of or not is_plain(tensor):
            return None
        shadow = self._of.get(_storage(tensor)._cdata)
        if shadow is None:
            return None
        if shadow.dtype != tensor.dtype:
            refuse(f"the memory of undrawn numbers of {shadow.dtype} is read as {tensor.dtype}")
        if shadow.ids.numel() * tensor.element_size() != _storage(tensor).nbytes():
            refuse("the memory of undrawn numbers was resized")
        return shadow.ids.as_strided(tensor.size(), tensor.stride(), tensor.storage_offset())

    def ids(self, tensor: Any) -> Any:
        """Return as `of` does, and a tensor of absent elements where all are plain."""
        found = self.of(tensor)
        return torch.full(tensor.shape, ABSENT, dtype=torch.int64) if found is None else found

    def holds(self, tensor: Any) -> bool:
        """Tell whether the memory of a tensor has a shadow."""
        return is_plain(tensor) and _storage(tensor)._cdata in self._of

    def undrawn(self, tensor: Any) -> Any:
        """Return as `of` does, and None where no element of the tensor is undrawn."""
        ids = self.of(tensor)
        return None if ids is None or not bool((ids != ABSENT).any()) else ids

    def put(self, tensor: Any, ids: Any) -> None:
        """Let the elements of a tensor be those of these numbers."""
        mine = self.of(tensor)
        if mine is None:
            if not bool((ids != ABSENT).any()):
                return
            mine = self._made(tensor)
        mine.copy_(ids)
        self.poison(tensor, mine != ABSENT)

    def deliver(self, tensor: Any, made: Mapping[int, Any]) -> None:
        """Let elements of a tensor, by their places in its flat order, be numbers or new undrawn elements."""
        tensor = tensor.detach()
        ids = torch.full((tensor.numel(),), ABSENT, dtype=torch.int64)
        numbers = {at: each for at, each in made.items() if isinstance(each, int | float)}
        for at in made.keys() - numbers.keys():
            ids[at] = self.add(made[at])
        if numbers:
            flat = tensor.flatten().clone()  # a view may have other strides, which cannot be copied back
            flat[list(numbers)] = torch.tensor(list(numbers.values()), dtype=tensor.dtype)
            tensor.copy_(flat.reshape(tensor.shape))
        self.put(tensor, ids.reshape(tensor.shape))

    def forget(self, tensor: Any) -> None:
        """Let every element of a tensor be a number again."""
        mine = self.of(tensor)
        if mine is not None:
            mine.fill_(ABSENT)

    def _made(self, tensor: Any) -> Any:
        storage = _storage(tensor)
        if _memory(storage) in self._exported:
            refuse("undrawn numbers are written into memory that NumPy or a pointer sees")
        self._of[storage._cdata] = _Shadow(tensor, storage.nbytes() // tensor.element_size())
        return self.of(tensor)

    def add(self, element: Any) -> int:
        """Return the number of a new element."""
        self.elements.append(element)
        return len(self.elements) - 1

    def exported(self, tensor: Any) -> None:
        """Remember that something reads the memory of a tensor without torch."""
        self._exported[_memory(_storage(tensor))] = tensor

    def poison(self, tensor: Any, where: Any = None) -> None:
        """Fill a tensor, or the places in it, with what no right program reads."""
        worst = self._poison if tensor.dtype.is_floating_point else 1
        if where is None:
            tensor.fill_(worst)
        else:
            tensor.masked_fill_(where, worst)


def is_plain(tensor: Any) -> bool:
    """Tell whether a value is an ordinary tensor, with memory on this machine; a subclass that dispatches is not."""
    ordinary = type(tensor) is torch.Tensor or (
        isinstance(tensor, torch.Tensor) and type(tensor).__torch_dispatch__ is torch.Tensor.__torch_dispatch__
    )
    return ordinary and tensor.device.type == "cpu" and tensor.layout is torch.strided
