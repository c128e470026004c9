"""Which exceptions are a program's own, and which stem from what stands in for numbers, or from the machine."""

from typing import Any

import numpy as np
import pytest
import torch

from proofs.engine import torch_exits, torch_rules
from proofs.engine.arrays import exact_array
from proofs.engine.foreign import not_the_programs


def _any(value: Any) -> Any:
    return value


def _raised(act: Any) -> BaseException:
    try:
        act()
    except Exception as error:
        return error
    raise LookupError("nothing was raised")


@pytest.mark.parametrize(
    "act",
    [
        lambda: [][0], lambda: 1 / 0, lambda: torch.zeros(2)[5], lambda: torch.zeros(2) + torch.zeros(3),
        lambda: np.zeros(2).reshape(3), lambda: int("x"), lambda: _any(np.zeros(2)).nothing,
        lambda: _any(torch.zeros(2)).nothing,
        lambda: _any({})["Undrawn"], lambda: _any(np.zeros(2)).shapes,
    ],
)  # fmt: skip
def test_errors_of_a_program_are_its_own(act: Any) -> None:
    assert not_the_programs(_raised(act)) == ""


@pytest.mark.parametrize(
    "name", ["ExactArray", "ExactNumber", "LogNumber", "UndrawnInteger", "Undrawn", "RandomSource"]
)
@pytest.mark.parametrize("kind", [TypeError, RuntimeError, ValueError, AttributeError])
def test_errors_that_name_a_class_of_ours_are_not(name: str, kind: type[Exception]) -> None:
    found = not_the_programs(kind(f"must be real number, not {name}"))
    assert found.startswith(f"{kind.__name__} about {name}")
    assert "must be real number" in found


def test_another_kind_of_error_may_name_anything() -> None:
    assert not_the_programs(KeyError("Undrawn")) == ""
    assert not_the_programs(AssertionError("ExactArray")) == ""


@pytest.mark.parametrize(
    "text",
    [
        "Torch not compiled with CUDA enabled", "No CUDA GPUs are available", "CUDA error: no kernel image",
        "Found no NVIDIA driver on your system", "No HIP GPUs are available",
    ],
)  # fmt: skip
def test_device_that_is_not_there_is_no_fault_of_the_program(text: str) -> None:
    assert not_the_programs(RuntimeError(f"{text}\nmore")) == f"the program wants a device that is not there: {text}"
    assert not_the_programs(AssertionError(text)) != ""


def test_device_of_torch_that_is_not_there() -> None:
    if torch.cuda.is_available():
        pytest.skip("it is there")
    assert "device that is not there" in not_the_programs(_raised(lambda: torch.zeros(1, device="cuda")))


@pytest.mark.parametrize("array", [np.zeros(2), np.zeros(2, np.float32), exact_array([0, 1], (2,)), np.float64(1)])
@pytest.mark.parametrize("name", ["unsqueeze", "numel", "float", "log_softmax", "detach"])
def test_verifier_that_wants_tensors_is_told_so(array: Any, name: str) -> None:
    found = not_the_programs(_raised(lambda: getattr(array, name)))
    assert found.startswith("the verifier wants tensors")
    assert 'arithmetic="torch.float32"' in found


def test_function_of_torch_that_got_an_array_is_told_so() -> None:
    found = not_the_programs(_raised(lambda: torch.clamp(np.zeros(2), min=0)))  # type: ignore[call-overload]
    assert found.startswith("the verifier wants tensors")
    exact: Any = exact_array([0, 1], (2,))
    assert not_the_programs(_raised(lambda: torch.log(exact))).startswith("the verifier wants tensors")


def test_only_the_first_line_is_told() -> None:
    found = not_the_programs(TypeError("about Undrawn\nsecond line"))
    assert "second line" not in found
    assert len(not_the_programs(TypeError("Undrawn" + "x" * 1000))) < 300


def _from(module: Any) -> BaseException:
    """Return an error whose innermost frame lies in the file of a module."""
    return _raised(lambda: eval(compile("1 / 0", str(module.__file__), "eval")))


def test_errors_of_the_rules_for_torch_are_ours() -> None:
    found = not_the_programs(_from(torch_rules))
    assert found.startswith("an error of the engine's rules for torch: ZeroDivisionError")


def test_errors_of_methods_that_are_stood_in_for_are_the_programs() -> None:
    assert not_the_programs(_from(torch_exits)) == ""
    assert not_the_programs(_from(pytest)) == ""
