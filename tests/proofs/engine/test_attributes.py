"""Attributes in dictionaries and in slots are watched, those that may change are not, and user's classes are told."""

from fractions import Fraction
from types import FunctionType, GetSetDescriptorType
from typing import Any

import numpy as np
import pytest

from proofs.engine.attributes import attributes, is_user_class, slots_of

NONE = frozenset[str]()


class Base:
    __slots__ = ("first",)


class Derived(Base):
    __slots__ = ("__dict__", "second")

    def __init__(self) -> None:
        self.first, self.second, self.third = 1, [2], "3"


class OfLibrary(Fraction):
    """Adds no slots of its own; those of Fraction are the library's affair, as it is walked into no further."""


def _change(value: Any, changes: dict[str, Any], allow: frozenset[str] = NONE) -> list[str | None]:
    """Return what the watches say of some changes."""
    watches, _ = attributes(value, "the thing", allow)
    assert all(watch.same() for watch in watches)
    for name, new in changes.items():
        setattr(value, name, new)
    return [watch.change() for watch in watches if not watch.same()]


def test_values_inside_are_returned_by_name() -> None:
    value = Derived()
    _, inside = attributes(value, "it", NONE)
    assert inside == {"third": "3", "first": 1, "second": [2]}
    assert inside["second"] is value.second


@pytest.mark.parametrize("name", ["first", "second", "third"])
def test_change_of_an_attribute_is_named(name: str) -> None:
    assert _change(Derived(), {name: object()}) == [f"attribute {name!r} of the thing"]


@pytest.mark.parametrize("name", ["first", "second", "third"])
def test_attribute_that_may_change_is_let_alone(name: str) -> None:
    assert [said for said in _change(Derived(), {name: object()}, frozenset({name})) if said] == []


def test_attribute_that_may_change_hides_no_other() -> None:
    said = _change(Derived(), {"first": object(), "second": object()}, frozenset({"first"}))
    assert said == ["attribute 'second' of the thing"]


def test_attribute_that_is_new_or_gone_is_named() -> None:
    value = Derived()
    watches, _ = attributes(value, "it", NONE)
    value.fourth = 4  # type: ignore[attr-defined]
    assert [watch.change() for watch in watches if not watch.same()] == ["attribute 'fourth' of it"]
    del value.fourth, value.first  # type: ignore[attr-defined]
    assert [watch.change() for watch in watches if not watch.same()] == ["attribute 'first' of it"]


def test_slot_that_is_empty_counts_as_such() -> None:
    value = Base()
    watches, _ = attributes(value, "it", NONE)
    assert [watch.same() for watch in watches] == [True]
    value.first = None  # type: ignore[attr-defined]
    assert [watch.change() for watch in watches] == ["attribute 'first' of it"]


def test_function_has_attributes_too() -> None:
    def function() -> None: ...

    assert _change(function, {"calls": 1}) == ["attribute 'calls' of the thing"]


@pytest.mark.parametrize("value", [3, "text", (1, 2), [1], None, object()])
def test_value_without_attributes_needs_no_watch(value: Any) -> None:
    assert attributes(value, "it", NONE) == ([], {})


@pytest.mark.parametrize(
    ("kind", "expected"),
    [
        (Base, True),
        (Derived, True),
        (OfLibrary, True),
        (type("Made", (), {"__module__": "mine"}), True),
        (int, False),
        (dict, False),
        (Fraction, False),
        (np.ndarray, False),
        (np.random.Generator, False),
    ],
)
def test_users_classes_are_told_from_those_of_libraries(kind: type, expected: bool) -> None:
    assert is_user_class(kind) is expected


def test_class_whose_module_is_a_descriptor_is_nobodys() -> None:
    odd = type("Odd", (), {"__module__": FunctionType.__code__})
    assert isinstance(odd.__module__, GetSetDescriptorType)
    assert not is_user_class(odd)


def test_slots_are_those_of_one_class() -> None:
    assert list(slots_of(Base)) == ["first"]
    assert list(slots_of(Derived)) == ["second"]
    assert list(slots_of(OfLibrary)) == []
