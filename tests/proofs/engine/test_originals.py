"""Originals are known whatever they are bound to; harmless neighbours are not taken for them."""

import datetime
import math
import os
import random
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proofs.engine.originals import CLOCK_READINGS, from_opaque, is_global_generator, original_name


@pytest.mark.parametrize("name", [name for name in CLOCK_READINGS if hasattr(time, name)])
def test_every_clock_is_known(name: str) -> None:
    assert original_name(getattr(time, name)) == f"time.{name}"


@pytest.mark.parametrize(
    "value",
    [
        math.sqrt,
        time.sleep,
        os.getcwd,
        np.random.default_rng(1).random,
        np.random.Generator,
        np.random.default_rng(1),
        random.Random(1).random,
        datetime.timedelta,
        datetime.datetime(2020, 1, 1).isoformat,
        [].append,
        np.zeros(3),
        None,
        "time.time",
    ],
)
def test_harmless_things_are_not(value: Any) -> None:
    assert original_name(value) is None


def test_methods_of_the_global_generators_are_known() -> None:
    names = ("random", "rand", "choice", "shuffle", "seed")
    assert all(original_name(getattr(np.random, name)) for name in names)
    assert all(original_name(getattr(random, name)) for name in ("random", "choice", "shuffle", "seed"))
    assert is_global_generator(np.random.mtrand._rand)
    assert not is_global_generator(np.random.RandomState(1))
    assert not is_global_generator(np.zeros(3))


def test_libraries_are_opaque_and_files_of_the_same_name_are_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert all(map(from_opaque, ("math", "json.decoder", "numpy.linalg", "scipy", "torch.nn", "proofs.engine", "os")))
    assert not any(map(from_opaque, ("__main__", "user_code", "numpyro", "user.numpy", None, 3)))
    assert not from_opaque("code", str(tmp_path / "code.py"))
    assert from_opaque("code", str(Path(os.__file__).with_name("code.py")))
    assert from_opaque("dataclasses", "<string>")
    own = type(sys)("token")
    own.__file__ = str(tmp_path / "token.py")
    monkeypatch.setitem(sys.modules, "token", own)
    assert not from_opaque("token")
