"""The shadow of a storage: views share it, and what lies in its places says nothing."""

from typing import Any

import numpy as np
import pytest
import torch

from proofs.engine.signals import Refusal
from proofs.engine.torch_shadows import ABSENT, Shadows, is_plain


def _ids(*numbers: int) -> torch.Tensor:
    return torch.tensor(numbers, dtype=torch.int64)


def _with(tensor: torch.Tensor, *numbers: int) -> Shadows:
    shadows = Shadows()
    shadows.put(tensor, _ids(*numbers).reshape(tensor.shape))
    return shadows


def test_without_undrawn_elements_there_is_no_shadow() -> None:
    shadows, tensor = Shadows(), torch.zeros(2)
    shadows.put(tensor, _ids(ABSENT, ABSENT))
    assert not shadows
    assert shadows.of(tensor) is None
    assert shadows.undrawn(tensor) is None
    assert not shadows.holds(tensor)
    assert shadows.ids(tensor).tolist() == [ABSENT, ABSENT]
    assert tensor.tolist() == [0.0, 0.0]


def test_views_share_it() -> None:
    tensor = torch.zeros(2, 3)
    shadows = _with(tensor, 0, ABSENT, 1, 2, ABSENT, 3)
    assert shadows
    assert shadows.ids(tensor.t()).tolist() == [[0, 2], [ABSENT, ABSENT], [1, 3]]
    assert shadows.ids(tensor[1, 1:]).tolist() == [ABSENT, 3]
    assert shadows.ids(tensor.as_strided((2,), (5,), 0)).tolist() == [0, 3]
    assert shadows.ids(tensor[0].expand(2, 3)).tolist() == [[0, ABSENT, 1]] * 2
    assert shadows.undrawn(tensor[:, 1]) is None
    assert shadows.holds(tensor[:, 1])
    assert shadows.of(tensor.clone()) is None


def test_writing_through_a_view_is_seen_in_the_whole() -> None:
    tensor = torch.zeros(4)
    shadows = _with(tensor, 0, 1, 2, 3)
    shadows.put(tensor[::2], _ids(ABSENT, 7))
    assert shadows.ids(tensor).tolist() == [ABSENT, 1, 7, 3]
    shadows.forget(tensor[2:])
    assert shadows.ids(tensor).tolist() == [ABSENT, 1, ABSENT, ABSENT]


def test_poison_lies_in_the_places_of_undrawn_elements_alone() -> None:
    tensor = torch.tensor([0.25, 0.5])
    _with(tensor, ABSENT, 0)
    assert tensor[0] == 0.25
    assert tensor[1] != tensor[1]


def test_poison_differs_by_turns() -> None:
    found = []
    for turn in range(4):
        tensor = torch.ones(1)
        Shadows(turn).poison(tensor)
        found.append(str(tensor.item()))
    assert found == ["nan", "0.0", "0.984375", "nan"]


@pytest.mark.parametrize("dtype", [torch.int64, torch.bool, torch.uint8])
def test_poison_of_whole_numbers(dtype: torch.dtype) -> None:
    tensor = torch.zeros(2, dtype=dtype)
    Shadows().poison(tensor)
    assert tensor.tolist() == [1, 1]


def test_elements_are_numbered() -> None:
    shadows = Shadows()
    assert [shadows.add("a"), shadows.add("b")] == [0, 1]
    assert shadows.elements == ["a", "b"]


def test_numbers_and_elements_are_delivered() -> None:
    shadows, tensor = Shadows(), torch.zeros(2, 2)
    shadows.deliver(tensor, {0: 0.25, 3: "element"})
    assert shadows.ids(tensor).tolist() == [[ABSENT, ABSENT], [ABSENT, 0]]
    assert tensor[0].tolist() == [0.25, 0.0]
    assert shadows.elements == ["element"]


def test_decisions_are_delivered_into_a_tensor_that_is_not_contiguous() -> None:
    whole = torch.zeros(2, 2, dtype=torch.bool)
    shadows = Shadows()
    shadows.deliver(whole.t(), {1: True})
    assert whole.tolist() == [[False, False], [True, False]]
    assert not shadows


def test_other_reading_of_the_memory_is_refused() -> None:
    tensor = torch.zeros(2)
    shadows = _with(tensor, 0, 1)
    with pytest.raises(Refusal, match="float32 is read as torch.int32"):
        shadows.of(tensor.view(torch.int32))


def test_resized_memory_is_refused() -> None:
    tensor = torch.zeros(2)
    shadows = _with(tensor, 0, 1)
    tensor.resize_(1000)
    with pytest.raises(Refusal, match="resized"):
        shadows.of(tensor)


def test_memory_that_something_else_reads_is_refused() -> None:
    shadows, tensor = Shadows(), torch.zeros(2)
    shadows.exported(tensor)
    with pytest.raises(Refusal, match="NumPy or a pointer"):
        shadows.put(tensor[:1], _ids(0))
    shadows.put(tensor, _ids(ABSENT, ABSENT))


def test_storage_is_kept_alive() -> None:
    """Else its address could be that of another one."""
    shadows = Shadows()
    for _ in range(20):
        tensor = torch.zeros(64)
        assert shadows.of(tensor) is None
        shadows.put(tensor, torch.arange(64))
        del tensor


def test_tensor_without_elements() -> None:
    shadows, tensor = Shadows(), torch.zeros(0)
    shadows.put(tensor, _ids())
    assert not shadows
    assert shadows.undrawn(tensor) is None


def test_numbers_and_other_layouts_are_not_plain() -> None:
    class Mine(torch.Tensor):
        pass

    class Wrapping(torch.Tensor):
        @classmethod
        def __torch_dispatch__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:  # type: ignore[override]
            return func(*args, **(kwargs or {}))

    assert is_plain(torch.zeros(1))
    assert is_plain(torch.nn.Parameter(torch.zeros(1)))
    assert is_plain(torch.zeros(1).as_subclass(Mine))
    assert not is_plain(torch.zeros(1).as_subclass(Wrapping))
    assert not is_plain(torch.zeros(1, device="meta"))
    assert not is_plain(torch.eye(2).to_sparse())
    assert not is_plain(np.zeros(1))
    assert not is_plain(0.5)
