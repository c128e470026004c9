"""Where values leave torch: lazy numbers that are right, or a refusal; never a number that was read around them."""

import copy
import io
import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch

from proofs.engine.signals import Kind
from proofs.engine.torch_exits import exits
from tests.proofs.engine.torch_programs import by_bisection, exactly, is_refused, law_of, reasons, swallowing

F = Fraction
QUARTER = {True: F(1, 4), False: F(3, 4)}


@pytest.mark.parametrize(
    "program",
    [
        lambda: torch.rand(1).item() < 0.25, lambda: torch.rand(2).tolist()[1] < 0.25,
        lambda: torch.rand(()).tolist() < 0.25,  # type: ignore[operator]
        lambda: torch.rand(2, 1).tolist()[1][0] < 0.25, lambda: next(iter(torch.rand(1))).item() < 0.25,
        lambda: torch.rand(1)[0].item() * 4 < 1, lambda: 1 - torch.rand(1).item() > 0.75,
        lambda: int(torch.rand(1) * 4) < 1,
        lambda: int(torch.rand(1).item() * 4) == 0, lambda: int(torch.rand(1).mul(4).item()) == 0,
        lambda: bool(torch.rand(1) < 0.25), lambda: (torch.rand(1) < 0.25).item(),
        lambda: (torch.rand(1) < 0.25).all().item(), lambda: torch.tensor(0.25) > torch.rand(1).item(),
        lambda: torch.tensor([0.25]).gt(torch.rand(1).item()).item(), lambda: torch.rand(1).item() < np.float64(0.25),
        lambda: torch.rand(1).data.item() < 0.25, lambda: (torch.rand(1) < 0.25).numpy()[0],
        lambda: np.asarray(torch.rand(1) < 0.25)[0], lambda: [1, 0][(torch.rand(1) >= 0.25).long()] == 1,
        lambda: (torch.rand(1) < 0.25).nonzero().numel() == 1, lambda: torch.rand(1).float().double().item() < 0.25,
        lambda: torch.tensor(torch.rand(1)).item() < 0.25, lambda: torch.as_tensor([torch.rand(1)[0], 0.5])[0] < 0.25,
        lambda: torch.asarray(torch.rand(1)) < 0.25, lambda: torch.tensor([[torch.rand(())]])[0, 0] < 0.25,
        lambda: torch.rand(1).new_tensor(0.25) > torch.rand(1), lambda: math.floor(torch.rand(1).item() * 4) == 0,
    ],
)  # fmt: skip
def test_way_out_that_is_followed(program: Any) -> None:
    assert exactly(lambda: bool(program())) == QUARTER


@pytest.mark.parametrize(("dtype", "bits"), [(torch.float32, 24), (torch.float64, 53)], ids=str)
def test_python_number_compares_in_float64(dtype: torch.dtype, bits: int) -> None:
    """A float32 coin above 0.3 as float32 may be below 0.3 as float64, or not: by its value."""
    expected = by_bisection(lambda u: u.item() < 0.3, bits, dtype)
    assert exactly(lambda: torch.rand(1, dtype=dtype).item() < 0.3) == expected
    expected = by_bisection(lambda u: (u * 0.7).item() * 3 < 0.63, bits, dtype)
    assert exactly(lambda: (torch.rand(1, dtype=dtype) * 0.7).item() * 3 < 0.63) == expected


def test_list_holds_numbers_and_undrawn_ones() -> None:
    def program() -> Any:
        values = torch.cat([torch.tensor([0.5]), torch.rand(1)]).tolist()
        return values[0], values[1] < 0.25

    assert exactly(program) == {(0.5, True): F(1, 4), (0.5, False): F(3, 4)}


def test_noise_leaves_as_noise() -> None:
    def program() -> Any:
        noise = torch.empty(2).exponential_().tolist()
        return noise[0] * 3 < noise[1]

    assert exactly(program) == QUARTER


def test_errors_of_the_methods_are_the_programs_own() -> None:
    graded = torch.ones(1, requires_grad=True)
    programs: list[Any] = [lambda: torch.rand(2).item(), lambda: torch.zeros(2).item(), lambda: int(torch.rand(2))]
    programs += [lambda: graded.mul(2).numpy(), lambda: torch.tensor("text"), lambda: torch.rand(2).tolist()[2]]
    for program in programs:
        found = law_of(program)
        assert found.refused == 0, reasons(found)
        assert [crash.probability for crash in found.crashes] == [1]


torch_: Any = torch
REFUSED: dict[str, Any] = {
    "float": float, "bool": bool, "index": lambda u: range(3)[u], "complex": complex, "repr": repr, "str": str,
    "format": lambda u: f"{u:.2f}", "format of one": lambda u: f"{u}", "print": lambda u: print(u, file=io.StringIO()),
    "numpy": lambda u: u.numpy(), "asarray": np.asarray, "array": np.array, "force": lambda u: u.numpy(force=True),
    "pointer": lambda u: u.data_ptr(), "storage": lambda u: u.untyped_storage(), "typed": lambda u: u.storage(),
    "dlpack": lambda u: torch_.utils.dlpack.to_dlpack(u), "from_dlpack": torch_.from_dlpack,
    "numpy dlpack": np.from_dlpack,
    "pickle": pickle.dumps, "deepcopy": copy.deepcopy, "copy": copy.copy, "save": lambda u: torch.save(u, io.BytesIO()),
    "apply": lambda u: u.apply_(lambda x: x + 1), "map": lambda u: u.map_(torch.ones(1), lambda x, y: x),
    "shared": lambda u: u.share_memory_(), "tensor of an item": lambda u: torch.tensor(u.item()),
    "tensor of items": lambda u: torch.tensor(u.tolist()), "full": lambda u: torch.full((1,), u.item()),
    "fill of an item": lambda u: torch.zeros(1).fill_(u.item()), "arange": lambda u: torch.arange(0, u.item()),
    "setitem": lambda u: torch.zeros(1).__setitem__(0, u.item()),
    "new_tensor": lambda u: torch.zeros(1).new_tensor([u[0]]),
    "float of an item": lambda u: float(u.item()),
    "equal": lambda u: torch.equal(u, torch.zeros(1)), "allclose": lambda u: torch.allclose(u, torch.zeros(1)),
    "nonzero": lambda u: u.is_nonzero(),
    "round": lambda u: round(u.item(), 3),
    "hex": lambda u: u.item().hex(), "where": lambda u: torch.where(torch.tensor([True]), u.item(), 0.0),
}  # fmt: skip


class _Mine(torch.Tensor):
    pass


@pytest.mark.parametrize("name", REFUSED)
def test_way_out_that_is_refused_whatever_the_program_catches(name: str) -> None:
    def program() -> Any:
        return swallowing(lambda: REFUSED[name](torch.rand(1)) is None or torch.zeros(1) < 1)

    found = law_of(program)
    assert found.missing == 1, reasons(found)
    assert {mark.kind for mark in found.marks} & {Kind.REFUSED, Kind.LEAK}


def test_decided_tensors_leave_freely() -> None:
    def program() -> Any:
        low = torch.rand(1) < 0.25
        copies = copy.deepcopy(low), pickle.loads(pickle.dumps(low)), copy.copy(low)
        return repr(low), f"{low[0]}", float(low), low.numpy()[0].item(), *(each.item() for each in copies)

    assert exactly(program) == {
        ("tensor([True])", "True", 1.0, True, True, True, True): F(1, 4),
        ("tensor([False])", "False", 0.0, False, False, False, False): F(3, 4),
    }


def test_undrawn_numbers_in_memory_that_numpy_sees_are_refused() -> None:
    def from_array() -> Any:
        array = np.zeros(1, dtype=np.float32)
        torch.from_numpy(array).copy_(torch.rand(1))
        return bool(array[0] < 0.25)

    def seen_before() -> Any:
        buffer = torch.zeros(1)
        array = buffer.numpy()
        buffer.uniform_()
        return bool(array[0] < 0.25)

    def as_tensor() -> Any:
        array = np.zeros(1, dtype=np.float32)
        torch.as_tensor(array).uniform_()
        return bool(array[0] < 0.25)

    def pointed_at() -> Any:
        buffer = torch.zeros(1)
        address = buffer.data_ptr()
        buffer.uniform_()
        return address == 0

    for program in (from_array, seen_before, as_tensor, pointed_at):
        assert is_refused(program, "NumPy or a pointer")


def test_modes_cannot_be_switched_off_while_there_are_undrawn_numbers() -> None:
    from torch.utils import _python_dispatch

    def program() -> Any:
        u = torch.rand(1)
        with _python_dispatch._disable_current_modes():
            return bool(u.add(1) < 2)

    assert is_refused(program, "dispatch modes are switched off")


def test_undrawn_number_outlives_no_path() -> None:
    kept: list[Any] = []

    def program() -> Any:
        kept.append(torch.rand(1))
        return 0

    found = law_of(program)
    assert found.missing == 1
    assert "changed during a run" in reasons(found)
    assert isinstance(kept[0].item(), float)


def test_nothing_is_other_outside_of_a_path() -> None:
    names = {name for _, name, _ in exits(lambda: None)}
    assert {"item", "tolist", "numpy", "data_ptr", "__deepcopy__", "tensor", "from_numpy", "to_dlpack"} <= names
    for owner, name, stand_in in exits(lambda: None):
        assert stand_in.__name__ == getattr(owner, name).__name__
        if name == "item":
            assert stand_in(torch.tensor(0.25)) == 0.25
        if name == "tensor":
            assert stand_in([0.25]).tolist() == [0.25]
        if name == "numpy":
            assert stand_in(torch.tensor([0.25])).tolist() == [0.25]
