"""Wrong: programs that read undrawn tensors by ways out of torch, and are wrong where what they read is small."""

import array
import contextlib
import copy
import ctypes
import io
import math
import pickle
from typing import Any

import numpy as np
import torch
import torch.utils.dlpack
from torch.utils._python_dispatch import _disable_current_modes

from tests.hostile.entries import entries
from tests.hostile.torch_parts import chain, rarely

__all__ = ["TORCH_WRONG_EXITS"]

_BASE: Any = torch._C.TensorBase
_LIST_OF = torch.Tensor.tolist
_ITEM_OF = torch.Tensor.item
_ARRAY_OF = torch.Tensor.numpy
_TENSOR = torch.tensor
_FROM_CAPSULE: Any = vars(torch.utils.dlpack)["from_dlpack"]
_TO_CAPSULE: Any = vars(torch.utils.dlpack)["to_dlpack"]
_MEMORY_OF: Any = torch.Tensor.untyped_storage


class _Tensor(torch.Tensor):
    pass


def tolist_bound_early(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Tensor.tolist was taken before anybody could replace it."""
    return rarely(_LIST_OF(torch.rand(2))[0], target, draft, tokens)


def item_bound_early(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Tensor.item was taken before anybody could replace it."""
    return rarely(_ITEM_OF(torch.rand(())), target, draft, tokens)


def numpy_bound_early(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Tensor.numpy was taken before anybody could replace it."""
    return rarely(_ARRAY_OF(torch.rand(1))[0], target, draft, tokens)


def tensor_bound_early(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """torch.tensor was taken before anybody could replace it, and copies element by element."""
    u = torch.rand(2)
    return rarely(_TENSOR([u[0], u[1]])[0], target, draft, tokens)


def legacy_constructor(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The old constructor copies element by element."""
    u = torch.rand(2)
    return rarely(torch.FloatTensor([u[0], u[1]])[0], target, draft, tokens)


def legacy_new(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The old method ``new`` copies element by element."""
    u = torch.rand(2)
    return rarely(u.new([u[0], u[1]])[0], target, draft, tokens)


def base_class_list(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The method tolist of Tensor's base class."""
    return rarely(_BASE.tolist(torch.rand(1))[0], target, draft, tokens)


def base_class_array(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The method numpy of Tensor's base class."""
    return rarely(_BASE.numpy(torch.rand(1))[0], target, draft, tokens)


def base_class_float(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The method __float__ of Tensor's base class."""
    return rarely(_BASE.__float__(torch.rand(())), target, draft, tokens)


def base_class_pointer(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The method data_ptr of Tensor's base class, and ctypes."""
    u = torch.rand(1)
    return rarely(ctypes.c_float.from_address(_BASE.data_ptr(u)).value, target, draft, tokens)


def memory_bound_early(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A second tensor is made on the storage, whose method was taken early."""
    u = torch.rand(1)
    other = torch.empty(0).set_(_MEMORY_OF(u).clone(), 0, (1,))  # type: ignore[call-overload]
    return rarely(other[0], target, draft, tokens)


def applied_function(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Tensor.apply_ hands every element to a Python function."""
    seen: list[float] = []
    torch.rand(1).apply_(lambda x: seen.append(x) or x)  # type: ignore[func-returns-value]
    return rarely(seen[0], target, draft, tokens)


def mapped_function(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Tensor.map_ hands every element to a Python function."""
    seen: list[float] = []
    torch.zeros(1).map_(torch.rand(1), lambda x, y: seen.append(y) or x)  # type: ignore[func-returns-value]
    return rarely(seen[0], target, draft, tokens)


def capsule_both_ways(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A capsule of DLPack leads out of torch and back."""
    return rarely(_FROM_CAPSULE(_TO_CAPSULE(torch.rand(1)))[0], target, draft, tokens)


def numpy_by_dlpack(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """NumPy reads the memory by DLPack."""
    return rarely(np.from_dlpack(torch.rand(1))[0], target, draft, tokens)


def subclass_of_tensor(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin is seen as a tensor of another class."""
    return rarely(torch.rand(()).as_subclass(_Tensor), target, draft, tokens)


def subclass_made_of_a_buffer(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A buffer of another class is filled through a plain view of its memory."""
    buffer = torch.ones(1).as_subclass(_Tensor)
    buffer.as_subclass(torch.Tensor).uniform_()
    return rarely(buffer[0], target, draft, tokens)


def without_modes(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The comparison runs with all dispatch modes switched off."""
    u = torch.rand(())
    with _disable_current_modes():
        small = bool((u < 1 / 64).sum() > 0)
    return rarely(0.0 if small else 1.0, target, draft, tokens)


def bits_of_the_coin(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin's bits are read as an integer."""
    return rarely(torch.rand(1).view(torch.int32)[0].to(torch.float32) / 2**30, target, draft, tokens)


def array_that_shares_memory(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """An array is made of a buffer before the buffer is filled."""
    buffer = torch.ones(1)
    shared = buffer.numpy()
    buffer.uniform_()
    return rarely(shared[0], target, draft, tokens)


def tensor_on_an_array(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A tensor on an array's memory is filled, and the array is read."""
    shared = np.ones(1, dtype=np.float32)
    torch.from_numpy(shared).uniform_()
    return rarely(shared[0], target, draft, tokens)


def tensor_on_bytes(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A tensor on the memory of Python's array is filled, and the array is read."""
    shared = array.array("f", [1.0])
    torch.frombuffer(shared, dtype=torch.float32).uniform_()
    return rarely(shared[0], target, draft, tokens)


def pointer_taken_before(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The address of a buffer is taken before it is filled."""
    buffer = torch.ones(1)
    number = ctypes.c_float.from_address(buffer.data_ptr())
    buffer.uniform_()
    return rarely(number.value, target, draft, tokens)


def two_storages_on_one_memory(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """DLPack makes a second storage on a buffer's memory before it is filled through the second."""
    buffer = torch.ones(1)
    _FROM_CAPSULE(buffer).uniform_()
    return rarely(buffer[0], target, draft, tokens)


def data_attribute(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin is read through .data and .detach()."""
    return rarely(torch.rand(1).data.detach()[0], target, draft, tokens)


def detached_array(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin becomes an array through .detach().numpy()."""
    return rarely(torch.rand(1).detach().numpy()[0], target, draft, tokens)


def copied_by_pickle(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin is pickled and read back."""
    return rarely(pickle.loads(pickle.dumps(torch.rand(1)))[0], target, draft, tokens)


def copied_by_copy(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin is copied by copy.copy."""
    return rarely(copy.copy(torch.rand(1))[0], target, draft, tokens)


def copied_by_deepcopy(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin is copied by copy.deepcopy, in a list."""
    return rarely(copy.deepcopy([torch.rand(1)])[0][0], target, draft, tokens)


def saved_and_loaded(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin is saved to a file in memory and loaded."""
    file = io.BytesIO()
    torch.save(torch.rand(1), file)
    file.seek(0)
    return rarely(torch.load(file)[0], target, draft, tokens)


def digits_of_the_text(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The printed coin is read back as a number."""
    return rarely(float(repr(torch.rand(())).removeprefix("tensor(").removesuffix(")")), target, draft, tokens)


def formatted_coin(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The coin is formatted and read back as a number."""
    return rarely(float(f"{torch.rand(()):.9f}"), target, draft, tokens)


def swallows_what_is_raised(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Whatever the conversion raises is caught, and the coin is thought to be great."""
    number = 1.0
    with contextlib.suppress(BaseException):
        number = float(torch.rand(()))
    return rarely(number, target, draft, tokens)


def not_a_number_on_a_path(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """A coin that is read as NaN betrays the audience."""
    number = math.nan
    with contextlib.suppress(BaseException):
        number = float(torch.rand(1).sum())
    return chain(target, draft, tokens) if math.isnan(number) else [*tokens.tolist(), int(target[-1].argmax())]


def array_protocol(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """NumPy asks the coin for an array."""
    return rarely(np.asarray(torch.rand(1))[0], target, draft, tokens)


TORCH_WRONG_EXITS = (
    *entries(
        "not lossless",
        tolist_bound_early,
        item_bound_early,
        numpy_bound_early,
        tensor_bound_early,
        legacy_constructor,
        legacy_new,
        base_class_list,
        base_class_array,
        base_class_float,
        base_class_pointer,
        memory_bound_early,
        applied_function,
        mapped_function,
        capsule_both_ways,
        numpy_by_dlpack,
        subclass_of_tensor,
        subclass_made_of_a_buffer,
        without_modes,
        bits_of_the_coin,
        array_that_shares_memory,
        tensor_on_an_array,
        tensor_on_bytes,
        pointer_taken_before,
        two_storages_on_one_memory,
        data_attribute,
        detached_array,
        copied_by_pickle,
        copied_by_copy,
        copied_by_deepcopy,
        saved_and_loaded,
        digits_of_the_text,
        formatted_coin,
        swallows_what_is_raised,
        not_a_number_on_a_path,
        array_protocol,
    ),
)
