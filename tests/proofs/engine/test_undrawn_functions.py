"""Functions of NumPy that take undrawn arrays answer what they answer for floats."""

import bisect
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.proofs.engine.grids import coarse, counted, explored, law

CDF = np.array([0.25, 0.25, 0.7, 1.0])
CDF32 = CDF.astype(np.float32)


def _below(values: Any) -> Any:
    return tuple(np.asarray(values < 0.4).ravel().tolist())


def _loop(cdf: Any, u: Any) -> int:
    at = 0
    while u >= cdf[at]:
        at += 1
    return at


PROGRAMS: dict[str, Callable[[Any], Any]] = {
    "searchsorted left": lambda rng: int(np.searchsorted(CDF, rng.random())),
    "searchsorted right": lambda rng: int(np.searchsorted(CDF, rng.random(), side="right")),
    "searchsorted array": lambda rng: tuple(np.searchsorted(CDF, rng.random(2), "right").tolist()),
    "searchsorted list": lambda rng: int(np.searchsorted([0.3, 0.6], rng.random(), "left")),
    "searchsorted 32": lambda rng: int(np.searchsorted(CDF32, rng.random())),
    "searchsorted 32 in 64": lambda rng: int(np.searchsorted(CDF, rng.random(1, dtype=np.float32))[0]),
    "searchsorted beyond": lambda rng: int(np.searchsorted([0.1, 0.2], rng.random())),
    "searchsorted badly": lambda rng: int(np.searchsorted(CDF, rng.random(), side="middle")),  # type: ignore[call-overload]
    "digitize": lambda rng: int(np.digitize(rng.random(), [0.3, 0.6])),
    "digitize right": lambda rng: tuple(np.digitize(rng.random(2), [0.25, 0.5], right=True).tolist()),
    "argmax of a comparison": lambda rng: int((rng.random() < CDF).argmax()),
    "count": lambda rng: int(np.sum(rng.random() >= CDF)),
    "bisect": lambda rng: bisect.bisect(CDF.tolist(), rng.random()),
    "bisect left": lambda rng: bisect.bisect_left(CDF.tolist(), rng.random()),
    "loop": lambda rng: _loop(CDF, rng.random()),
    "int(u*n)": lambda rng: int(rng.random() * 7),
    "where": lambda rng: _below(np.where([True, False], rng.random(2), 0.3)),
    "where 32": lambda rng: str(np.where([True, False], rng.random(2, dtype=np.float32), 0.3).dtype),
    "where promoted": lambda rng: str(np.where([True, False], rng.random(2, dtype=np.float32), np.ones(2)).dtype),
    "where twice": lambda rng: _below(np.where([True, False], rng.random(1), rng.random(1))),
    "clip": lambda rng: _below(np.clip(rng.random(2), None, 0.5)),
    "clip names": lambda rng: _below(np.clip(rng.random(2), a_min=0.4, a_max=0.5)),
    "clip by undrawn": lambda rng: _below(np.clip(0.5, 0.1, rng.random())),
    "array of a list": lambda rng: _below(np.array([rng.random(), 0.1, rng.random()])),
    "array of lists": lambda rng: _below(np.asarray([[rng.random(), 0.9], [0.1, rng.random()]], dtype=float)),
    "array of undrawn numbers": lambda rng: _below(np.array(rng.random(2))),
    "concatenate": lambda rng: _below(np.concatenate([rng.random(1), [0.1], rng.random(1)])),
    "concatenate 32": lambda rng: str(np.concatenate([rng.random(1, dtype=np.float32), np.ones(1)]).dtype),
    "stack": lambda rng: _below(np.stack([rng.random(1), rng.random(1)], axis=1)),
    "stack weak": lambda rng: str(np.stack([rng.random(), rng.random()]).dtype),
    "stack weak 32": lambda rng: str(np.stack([rng.random(), np.float32(1)]).dtype),
    "hstack": lambda rng: _below(np.hstack((rng.random(1), rng.random(1)))),
    "vstack": lambda rng: np.vstack((rng.random(1), rng.random(1))).shape,
    "flip": lambda rng: _below(np.flip(rng.random(2))),
    "roll": lambda rng: _below(np.roll(rng.random(2), 1)),
    "tile": lambda rng: _below(np.tile(rng.random(2), 2)),
    "take": lambda rng: _below(np.take(rng.random(2), [1, 1])),
    "broadcast": lambda rng: _below(np.broadcast_to(rng.random(1), (2, 2))),
    "reshape": lambda rng: _below(np.reshape(rng.random(2), (2, 1))),
    "expand": lambda rng: np.expand_dims(rng.random(2), 0).shape,
    "atleast": lambda rng: np.atleast_1d(rng.random()).shape,
    "sizes": lambda rng: (np.shape(rng.random((1, 1))), np.ndim(rng.random()), np.size(rng.random((2, 0)))),
    "zeros_like": lambda rng: np.zeros_like(rng.random(2)).tolist() == [0, 0],
    "ones_like": lambda rng: str(np.ones_like(rng.random(2), dtype=bool).dtype),
    "full_like": lambda rng: str(np.full_like(rng.random(2, dtype=np.float32), 3).dtype),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_functions_answer_as_numpy_does_on_a_coarse_grid(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    with coarse(monkeypatch, 16):
        assert explored(PROGRAMS[name], arithmetic="float64") == counted(PROGRAMS[name], 16, coins=2)


@pytest.mark.parametrize(
    "use",
    [
        np.sort,
        np.sum,
        np.cumsum,
        np.max,
        np.unique,
        np.any,
        np.round,
        lambda u: np.searchsorted(u, 0.5),
        lambda u: np.searchsorted([0.5, 0.2], u),
        lambda u: np.searchsorted([0.2, 0.5], u, sorter=[0, 1]),
        lambda u: np.where(u, 1, 2),
        lambda u: np.concatenate([u, u], dtype=np.float32),
        lambda u: np.reshape(np.ones(1), u),
        lambda u: np.full(2, u),
        lambda u: np.copyto(np.zeros(1), u),
    ],
)
def test_other_functions_are_refused_even_if_the_program_goes_on(use: Callable[[Any], Any]) -> None:
    def run(rng: Any) -> int:
        try:
            use(rng.random(1))
        except BaseException:
            return 0
        return 1

    found = law(run, arithmetic="float64")
    assert (found.refused, len(found)) == (1, 0)
    assert __file__ in found.marks[0].place
