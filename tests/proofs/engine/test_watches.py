"""Each watch: quiet while nothing changes, quiet over equal plain values, never blind afterwards."""

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from proofs.engine.watches import ABSENT, Identities, Members, Names, Namespace, Reading, Values, Watch, is_plain


def changed(watch: Watch) -> str | None:
    return None if watch.same() else watch.change()


@pytest.mark.parametrize(
    ("old", "new", "equal"),
    [
        (1.5, float("1.5"), True),
        (10**30, 10**29 * 10, True),
        (float("nan"), math.nan, True),
        ((1.5, ("a" * 3,)), (float("1.5"), ("aa" + "a",)), True),
        (np.float32(2), np.float32(2), True),
        (0.0, -0.0, False),
        (1, True, False),
        (1, 1.0, False),
        (np.float32(2), np.float64(2), False),
        ((1, 0.0), (1, -0.0), False),
        (0j, -0j, False),
        ([], [], False),
        (None, ABSENT, False),
        (None, 0, False),
        (None, math, True),
        (1, math, False),
    ],
)
@pytest.mark.parametrize("kind", ["values", "names", "namespace"])
def test_equal_plain_values_are_no_change(old: Any, new: Any, equal: bool, kind: str) -> None:
    held = {"x": old}
    makers: dict[str, Callable[[], Watch]] = {
        "values": lambda: Values("{}", lambda: [held["x"]], ["x"]),
        "names": lambda: Names("{}", held, ["x"]),
        "namespace": lambda: Namespace("{}", lambda: held),
    }
    watch = makers[kind]()
    assert watch.same()
    held["x"] = new
    assert changed(watch) == (None if equal else "'x'")
    held["x"] = object()
    assert changed(watch) == "'x'"


def test_names_that_come_and_go() -> None:
    held: dict[str, Any] = {"x": None}
    watch = Names("the global {}", held, ["x", "y"])
    assert watch.same()
    held["z"] = 1
    assert watch.same()
    held["y"] = None
    assert changed(watch) == "the global 'y'"
    del held["y"], held["x"]
    assert changed(watch) == "the global 'x'"


def test_namespace_lets_allowed_names_change_and_no_others() -> None:
    held: dict[Any, Any] = {"x": 1}
    watch = Namespace("attribute {}", lambda: held, frozenset({"x", "y"}))
    held.update(x=[], y=2)
    assert changed(watch) is None
    held[3] = 4
    assert changed(watch) == "attribute 3"


def test_members_may_come_back_in_another_order() -> None:
    held: list[Any] = [one := object(), two := object()]
    watch = Members("the set", lambda: tuple(held))
    held[:] = [two, one]
    assert changed(watch) is None
    held[:] = [two, object()]
    assert changed(watch) == "the set"


def test_identities_take_no_equal_value() -> None:
    held: list[Any] = [1.5]
    watch = Identities("the iterator", lambda: list(held))
    held[0] = float("1.5")
    assert changed(watch) == "the iterator"


def test_reading_compares_what_it_reads() -> None:
    held = [1]
    watch = Reading("the count", lambda: held[0])
    held[0] = 2
    assert changed(watch) == "the count"


def test_what_is_plain() -> None:
    assert all(map(is_plain, (1, "a", (1, (2.0, None)), frozenset({1}), np.float64(1), 3j, range(3), ...)))
    assert not any(map(is_plain, ([], (1, []), np.zeros(2), object(), len, {}, ABSENT)))
