"""Undrawn arrays move, are copied and are written into as arrays of floats are."""

import bisect
import copy
import math
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from proofs.engine.choices import Arithmetic, Path
from proofs.engine.draws import Exploring
from proofs.engine.undrawn_base import FLOAT32, numbers_in
from tests.proofs.engine.grids import coarse, counted, explored, law

PROGRAMS: dict[str, Callable[[Any], Any]] = {}


def program(function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    PROGRAMS[function.__name__] = function
    return function


def _below(values: Any, edge: Any = 0.4) -> Any:
    return tuple(np.asarray(values < edge).ravel().tolist())


@program
def view_in_place(rng: Any) -> Any:
    u = rng.random(2)
    other = u[:1]
    u[0:] *= 2
    other -= 0.25
    return _below(u)


@program
def in_place_narrow(rng: Any) -> Any:
    u = rng.random(2, dtype=np.float32)
    u += np.array([0.1, 0.3])
    u /= 3
    return _below(u, 0.2), str(u.dtype)


@program
def in_place_number(rng: Any) -> Any:
    u = v = rng.random()
    v *= 2
    return bool(u < 0.4), bool(v < 0.4)


@program
def out_argument(rng: Any) -> Any:
    u = rng.random(2)
    np.multiply(u, 0.5, out=u)
    np.clip(u, 0.1, 0.3, out=u)
    mask = np.zeros(2, dtype=bool)
    np.less(u, 0.2, out=mask)
    return tuple(mask.tolist())


@program
def out_of_numbers(rng: Any) -> Any:
    u = rng.random(2)
    np.subtract([0.5, 0.25], 0.25, out=u)
    return _below(u, 0.1)


@program
def fancy_index(rng: Any) -> Any:
    u = rng.random(2)
    return _below(u[[1, 0, 1]]), _below(u[np.array([False, True])])


@program
def newaxis(rng: Any) -> Any:
    u = rng.random(2)
    return (u[:, None] < np.array([0.3, 0.6])).shape, _below(u[None, ::-1], [0.3, 0.6])


@program
def iterate(rng: Any) -> Any:
    return tuple(bool(x < 0.3) for x in rng.random(2)), len(rng.random((0, 3)))


@program
def shapes(rng: Any) -> Any:
    u = rng.random((1, 2))
    v = u.T.reshape(2).ravel()
    return u.shape, u.ndim, u.size, u.T.shape, _below(v), _below(u.swapaxes(0, 1)), u.squeeze().shape


@program
def take_one(rng: Any) -> Any:
    u = rng.random(2)
    return bool(u.take(1) < 0.4), bool(np.take(u, 0) * np.float32(0.1) < 0.05)


@program
def repeat(rng: Any) -> Any:
    return _below(rng.random(2).repeat(2)), _below(rng.random((0,)).flatten())


@program
def assign_number(rng: Any) -> Any:
    u = rng.random(2, dtype=np.float32)
    u[0] = 0.1
    return bool(u[0] == np.float32(0.1)), bool(np.float64(u[0]) > 0.1), _below(u)


@program
def assign_wider(rng: Any) -> Any:
    u = rng.random(1, dtype=np.float32)
    u[:] = rng.random(1) * 0.1
    return tuple(bool(u[0] * 10 <= edge) for edge in (0.25, np.float32(0.7)))


@program
def item_is_a_python_float(rng: Any) -> Any:
    u = (rng.random(2, dtype=np.float32) * np.float32(0.1)).tolist()[1]
    return bool(u * 3 < 0.1), bool(u * np.float32(3) < np.float32(0.1))


@program
def item(rng: Any) -> Any:
    u = rng.random((1, 2))
    return bool(u.item(1) < 0.3), bool(u.item((0, 1)) < 0.6), [[x < 0.5 for x in row] for row in u.tolist()] == [[]]


@program
def item_of_a_number(rng: Any) -> Any:
    mixed = np.where([True, False], rng.random(2, dtype=np.float32), 0.5)
    return type(mixed[1]).__name__, type(mixed[1].item()).__name__, type(mixed.tolist()[1]).__name__


@program
def cast(rng: Any) -> Any:
    u = rng.random(1)
    v = (u * 0.1).astype(np.float32)
    return str(v.dtype), bool(v[0] <= np.float32(0.04)), bool((v.astype(np.float64) * 3)[0] < 0.12)


@program
def cast_is_a_copy(rng: Any) -> Any:
    u = rng.random(1)
    v, w, x = u.astype(np.float64), +u, abs(u)
    v *= 2
    w *= 3
    x *= 4
    return tuple(bool(y[0] < 0.5) for y in (u, v, w, x))


@program
def copies_are_the_same_draw(rng: Any) -> Any:
    u = rng.random(1)
    same = [u.copy(), copy.copy(u), copy.deepcopy(u), pickle.loads(pickle.dumps(u)), np.copy(u)]
    same[0] *= 2
    return tuple(bool(v[0] < 0.4) for v in (u, *same))


@program
def number_copies(rng: Any) -> Any:
    u = rng.random()
    again = pickle.loads(pickle.dumps(copy.deepcopy(u)))
    return bool(again * np.float32(0.1) < np.float32(0.05)), bool(u < 0.5)


@pytest.mark.parametrize("name", PROGRAMS)
def test_arrays_behave_as_those_of_numpy(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with coarse(monkeypatch, 16):
        assert explored(PROGRAMS[name], arithmetic="float64") == counted(PROGRAMS[name], 16, coins=2)


@pytest.mark.parametrize(
    "use",
    [
        lambda u: u[0],
        lambda u: len(u),
        lambda u: list(u),
        lambda u: math.floor(np.ones(2) * u),
        lambda u: (1.0 + u)[:],
        lambda u: np.ones(2)[np.array([0.0])],
    ],
)
def test_python_floats_have_no_items(monkeypatch: pytest.MonkeyPatch, use: Callable[[Any], Any]) -> None:
    def run(rng: Any) -> bool:
        return bool(use(rng.random()))

    with coarse(monkeypatch, 4):
        assert explored(run, arithmetic="float64") == counted(run, 4)


def test_a_pickle_means_nothing_outside_its_path() -> None:
    path = Path((), Arithmetic.EXACT, 10)
    pickled = pickle.dumps(Exploring(path).source("rng").random())
    with pytest.raises(ValueError, match="outside the path"):
        pickle.loads(pickled)


@pytest.mark.parametrize("dtype", [int, object, np.float16, complex, "U5"])
def test_casts_to_what_is_no_float_are_refused(dtype: Any) -> None:
    assert law(lambda rng: rng.random(1).astype(dtype) is None).refused == 1


def test_numbers_are_in_the_dtype_of_the_operation() -> None:
    assert [type(x) for x in numbers_in([0.1, 1], FLOAT32)] == [np.float32] * 2
    assert type(numbers_in(np.float32(0.1), np.dtype(np.float64)).item()) is float
    assert numbers_in(np.True_, FLOAT32).item() == 1


# --- beside tensors


def _tensors() -> Any:
    return pytest.importorskip("torch")


MIXED: dict[str, Callable[[Any, Any], Any]] = {
    "number below a tensor": lambda u, torch: u < torch.tensor(0.3),
    "tensor above a number": lambda u, torch: torch.tensor(0.3) > u,
    "tensor with an axis": lambda u, torch: torch.tensor([0.3]) >= u,
    "not above": lambda u, torch: u <= torch.tensor([0.3]),
    "float64": lambda u, torch: u < torch.tensor(0.3, dtype=torch.float64),
    "bfloat16": lambda u, torch: u < torch.tensor([0.3], dtype=torch.bfloat16),
    "method": lambda u, torch: torch.tensor(0.3).gt(u),
    "function": lambda u, torch: torch.gt(torch.tensor(0.3), u),
    "product": lambda u, torch: u * torch.tensor(0.7) < 0.21,
    "reflected product": lambda u, torch: torch.tensor(0.7) * u < torch.tensor(0.21),
    "sum": lambda u, torch: u + torch.tensor(0.7) < 1,
    "difference": lambda u, torch: torch.tensor(1.0) - u < 0.3,
    "quotient": lambda u, torch: u / torch.tensor(0.7) < 0.3,
    "item": lambda u, torch: u < torch.tensor(0.3).item(),
    "equal": lambda u, torch: torch.tensor(0.25) == u,
}


@pytest.mark.parametrize("name", MIXED)
def test_number_of_the_generator_meets_tensors_as_a_float_does(name: str) -> None:
    """Torch takes a Python number in the dtype of the tensor: held against floats one by one."""
    torch, grid = _tensors(), 2**53
    decide = MIXED[name]

    def at(k: int) -> bool:
        return bool(decide(k / grid, torch))

    found = law(lambda rng: bool(decide(rng.random(), torch)), arithmetic="torch.float32")
    assert found.missing == 0, found.marks
    if name == "equal":
        low, high = _switches(lambda k: k / grid, torch, grid)
        assert dict(found) == {True: Fraction(high - low, grid), False: 1 - Fraction(high - low, grid)}
    else:
        first = at(0)
        switch = bisect.bisect_left(range(grid), True, key=lambda k: at(k) != first)
        share = Fraction(switch, grid)
        assert dict(found) == {first: share, not first: 1 - share}


def _switches(value: Any, torch: Any, grid: int) -> tuple[int, int]:
    quarter = torch.tensor(0.25)
    low = bisect.bisect_left(range(grid), True, key=lambda k: bool(quarter <= value(k)))
    return low, bisect.bisect_left(range(grid), True, key=lambda k: bool(quarter < value(k)))


@pytest.mark.parametrize("function", ["clamp", "log", "argmax", "minimum"])
def test_functions_of_torch_refuse_what_is_no_tensor(function: str) -> None:
    torch = _tensors()

    def decide(rng: Any) -> Any:
        return bool(getattr(torch, function)(*([torch.zeros(1)] * (function == "minimum")), rng.random()) < 1)

    found = law(decide, arithmetic="torch.float32")
    assert found.refused == 1
