"""The tables name operators that there are, and what is read off their schemas is right."""

from typing import Any

import pytest
import torch

from proofs.engine.torch_random import MODELLED
from proofs.engine.torch_tables import (
    COMPARISONS,
    DECIDED,
    ELEMENTWISE,
    FILLS,
    MOVES,
    RACES,
    WITHOUT_DATA,
    Operation,
    functional,
    is_random,
    mutated,
    name_of,
    tensors_in,
)

aten: Any = torch.ops.aten
TABLES = (frozenset(MOVES), ELEMENTWISE, COMPARISONS, DECIDED, RACES, WITHOUT_DATA, FILLS)
PERHAPS_MISSING = {"contiguous", "_reshape_copy", "positive", "record_stream"}


@pytest.mark.parametrize("name", sorted(set.union(*map(set, TABLES)) - PERHAPS_MISSING))
def test_operator_exists(name: str) -> None:
    assert getattr(aten, name).overloads()


def test_no_operator_has_two_rules() -> None:
    for at, table in enumerate(TABLES):
        for other in TABLES[at + 1 :]:
            assert not table & other
        assert not table & set(MODELLED)


@pytest.mark.parametrize("name", sorted(MODELLED))
def test_modelled_operator_is_random(name: str) -> None:
    packet = getattr(aten, name)
    assert all(is_random(getattr(packet, overload)) for overload in packet.overloads() if "out" not in overload)


@pytest.mark.parametrize("name", sorted(ELEMENTWISE | COMPARISONS | DECIDED | RACES | set(MOVES)))
def test_operator_with_a_rule_is_not_random(name: str) -> None:
    packet = getattr(aten, name, None)
    assert packet is None or not any(is_random(getattr(packet, overload)) for overload in packet.overloads())


@pytest.mark.parametrize("name", sorted(MOVES))
def test_moved_operands_are_tensors_lists_or_numbers(name: str) -> None:
    packet = getattr(aten, name)
    for overload in packet.overloads():
        arguments = getattr(packet, overload)._schema.arguments
        if not mutated(getattr(packet, overload)) and "str" not in str(arguments[0].type) and "list" not in overload:
            for place in MOVES[name]:
                assert place >= len(arguments) or any(
                    kind in str(arguments[place].type) for kind in ("Tensor", "number", "Scalar", "int", "float")
                )


def test_names() -> None:
    assert name_of(aten.add.Tensor) == "add"
    assert name_of(aten.add_.Tensor) == "add_"
    assert name_of(torch.ops.prims.mul.default) == "prims::mul"


def test_random_operators() -> None:
    assert is_random(aten.rand.default)
    assert is_random(aten.native_dropout.default)
    assert not is_random(aten.add.Tensor)


@pytest.mark.parametrize(
    ("func", "expected"),
    [
        (aten.add.Tensor, ()),
        (aten.add_.Tensor, ((0, "self"),)),
        (aten.add.out, ((None, "out"),)),
        (aten.sort.values, ((None, "values"), (None, "indices"))),
        (aten.index_put_.default, ((0, "self"),)),
    ],
)
def test_written_arguments(func: Any, expected: Any) -> None:
    assert mutated(func) == expected


@pytest.mark.parametrize(
    ("func", "expected"),
    [
        (aten.add_.Tensor, aten.add.Tensor),
        (aten.add_.Scalar, aten.add.Scalar),
        (aten.mul.out, aten.mul.Tensor),
        (aten.clamp_.Tensor, aten.clamp.Tensor),
        (aten.masked_fill_.Scalar, aten.masked_fill.Scalar),
        (aten.index_put_.default, aten.index_put.default),
        (aten.scatter_.value, aten.scatter.value),
        (aten.lt.Scalar_out, aten.lt.Scalar),
        (aten.lt_.Tensor, aten.lt.Tensor),
        (aten.cat.out, aten.cat.default),
        (aten.resize_.default, None),
    ],
)
def test_operator_without_the_writing(func: Any, expected: Any) -> None:
    found = functional(func)
    assert found is expected or (expected is None and found is not None and not mutated(found))


def test_operation_names_its_arguments() -> None:
    called = Operation(aten.topk.default, "topk", (torch.tensor([1.0, 3.0, 2.0]), 2), {"largest": False})
    assert called.run()[1].tolist() == [0, 2]
    named = called.named()
    assert (named["k"], named["dim"], named["largest"], named["sorted"]) == (2, -1, False, True)
    assert named["self"] is called.args[0]
    assert called.tensors() == [called.args[0]]


def test_tensors_are_found_in_lists_and_dictionaries() -> None:
    a, b, c = (torch.tensor(x) for x in range(3))
    assert [int(x) for x in tensors_in(((a, [b, 3]), {"x": c, "y": "z"}))] == [0, 1, 2]
    assert tensors_in("text") == []
    assert tensors_in(None) == []
