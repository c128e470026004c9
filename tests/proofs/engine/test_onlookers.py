"""Names that look at the caller are found, in order; names of ordinary code are not."""

import pytest

from proofs.engine.onlookers import onlookers
from proofs.engine.state import Reach
from tests.proofs.engine.grids import kinds, law, reasons

ORDINARY = (
    "argmax",
    "type",
    "isinstance",
    "modules",
    "sys",
    "globals",
    "vars",
    "frame",
    "f_code",
    "dtype",
    "__class__",
)


@pytest.mark.parametrize(
    "name", ["_getframe", "currentframe", "f_back", "tb_frame", "settrace", "setprofile", "get_referrers", "isfunction"]
)
def test_name_that_looks_is_found(name: str) -> None:
    assert onlookers([name]) == (name,)
    assert onlookers(["argmax", name, name]) == (name,)


@pytest.mark.parametrize("name", ORDINARY)
def test_ordinary_name_is_not(name: str) -> None:
    assert onlookers([name]) == ()
    assert onlookers([name.upper()]) == ()


def test_nothing_is_found_in_nothing() -> None:
    assert onlookers(()) == ()


def test_names_come_in_order_each_once() -> None:
    assert onlookers(iter(["inspect", "f_back", "_getframe", "f_back"])) == ("_getframe", "f_back", "inspect")


def test_table_of_modules_needs_both_names() -> None:
    assert onlookers({"sys", "modules"}) == ("sys.modules",)
    assert onlookers(["modules", "x", "sys", "gettrace"]) == ("gettrace", "sys.modules")


def test_names_are_those_of_the_code_that_is_reached() -> None:
    def inner() -> object:
        import inspect

        return inspect.currentframe()

    def outer() -> object:
        return inner()

    assert onlookers(Reach(outer).names) == ("currentframe", "inspect")


def test_program_that_looks_is_marked_though_its_law_is_found() -> None:
    def looks(rng: object) -> int:
        import sys

        return 1 if sys._getframe(0) else 0

    found = law(looks)
    assert dict(found) == {1: 1}
    assert {kind.name for kind in kinds(found)} == {"OPAQUE"}
    assert reasons(found) == "the program looks at its surroundings: _getframe"
