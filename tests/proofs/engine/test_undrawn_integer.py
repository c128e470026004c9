"""An undrawn integer is a seed and nothing else."""

import math
import operator
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tests.proofs.engine.grids import law


@pytest.mark.parametrize(
    "use",
    [
        *(int, float, complex, bool, hash, repr, str, len, list, abs, round, math.floor, operator.index),
        *(lambda s, f=f: f(s, 1) for f in (operator.add, operator.mod, operator.and_, operator.pow, operator.lshift)),
        *(lambda s, f=f: f(1, s) for f in (operator.sub, operator.floordiv, operator.or_, operator.lt, operator.eq)),
        lambda s: s == 3,
        lambda s: s != s,
        lambda s: -s,
        lambda s: f"{s}",
        lambda s: range(s),
        lambda s: [0][s],
        lambda s: np.array([s], dtype=np.int64),
        lambda s: np.int64(s),
        lambda s: np.add(s, 1),
        lambda s: s.item(),
        lambda s: np.random.SeedSequence(s),
        lambda s: np.random.PCG64(s),
        lambda s: np.random.seed(s),
    ],
)
def test_any_other_use_is_refused(use: Callable[[Any], Any]) -> None:
    def run(rng: Any) -> int:
        seed = rng.integers(2**63)
        try:
            use(seed)
        except BaseException:
            return 0
        return 1

    found = law(run)
    assert (found.refused, len(found), found.crashes) == (1, 0, ())
    assert __file__ in found.marks[0].place


def test_in_the_outcome_it_is_refused() -> None:
    assert law(lambda rng: rng.integers(2**63)).refused == 1
