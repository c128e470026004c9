"""Where decisions switch over real coins: the chain inverted exactly, and the law that comes of it."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any, NamedTuple

import pytest
import torch

from proofs.engine.torch_reals import real_switch
from tests.proofs.engine.torch_programs import law_of

F = Fraction
R = torch.rand


class _Step(NamedTuple):
    form: Any = None
    name: str = "lt"
    threshold: Any = None


def _switch(*links: tuple[str, float], at: Any = 0.5, name: str = "lt", change: tuple[Any, Any] = (True, False)) -> Any:
    return real_switch([_Step(form=(link,)) for link in links], _Step(name=name, threshold=at), *change)


@pytest.mark.parametrize(
    ("links", "expected"),
    [
        ([], F(1, 2)),
        ([("add", 0.25)], F(1, 4)),
        ([("rsub", 1.0)], F(1, 2)),
        ([("rsub", 0.75)], F(1, 4)),
        ([("mul", 3.0)], F(1, 6)),
        ([("mul", 0.0)], None),
        ([("div", 1.5)], F(3, 4)),
        ([("rdiv", 0.25)], F(1, 2)),
        ([("neg", 0)], F(0)),
        ([("cast64", 0)], F(1, 2)),
        ([("log", 0)], None),
        ([("mul", 3.0), ("add", -0.25)], F(1, 4)),
        ([("add", 3.0)], F(0)),
        ([("mul", 0.25)], F(1)),
    ],
)
def test_chain_is_inverted(links: Any, expected: Any) -> None:
    assert _switch(*links) == expected


def test_division_has_no_inverse_at_zero() -> None:
    assert _switch(("rdiv", 0.25), at=0.0) is None


def test_step_of_several_links_is_inverted_from_its_end() -> None:
    assert real_switch([_Step(form=(("mul", 2.0), ("rsub", 1.0)))], _Step(threshold=0.5), True, False) == F(1, 4)


@pytest.mark.parametrize("threshold", [float("inf"), float("-inf"), None])
def test_decision_without_a_finite_threshold_has_none(threshold: Any) -> None:
    assert _switch(at=threshold) is None


def test_step_that_is_not_known_has_none() -> None:
    assert real_switch([_Step(form=None)], _Step(threshold=0.5), True, False) is None


@pytest.mark.parametrize(
    ("before", "after", "expected"),
    [(0, 1, F(1, 4)), (0, 3, F(1, 4)), (2, 3, F(3, 4)), (3, 2, F(3, 4)), (2, 0, F(1, 2))],
)
def test_search_passes_the_entry_next_to_where_it_was(before: int, after: int, expected: Fraction) -> None:
    assert _switch(at=(0.25, 0.5, 0.75), name="searchsorted", change=(before, after)) == expected


@pytest.mark.parametrize(
    ("name", "before", "after", "expected"),
    [
        ("floor", 1.0, 2.0, 2), ("floor", 1.0, 4.0, 2), ("floor", 1.0, 0.0, 1), ("floor", -1.0, 0.0, 0),
        ("ceil", 1.0, 2.0, 1), ("ceil", 1.0, 0.0, 0), ("ceil", 0.0, 1.0, 0),
        ("trunc", 0.0, 1.0, 1), ("trunc", 0.0, -1.0, -1), ("trunc", 1.0, 2.0, 2), ("trunc", 1.0, 0.0, 1),
        ("trunc", -1.0, 0.0, -1), ("trunc", -1.0, -2.0, -2), ("_to_copy", 1, 2, 2), ("_to_copy", -1, 0, -1),
    ],
)  # fmt: skip
def test_whole_number_changes_at_a_whole_number(name: str, before: Any, after: Any, expected: int) -> None:
    found = _switch(("mul", 8.0), ("add", -4.0), at=None, name=name, change=(before, after))
    assert found == F(expected + 4, 8)


def test_infinity_is_no_whole_number() -> None:
    assert _switch(at=None, name="floor", change=(float("-inf"), -3.0)) is None


PROGRAMS: list[tuple[Callable[[], Any], dict[Any, Fraction]]] = [
    (lambda: bool(R(1) < 0.25), {True: F(1, 4), False: F(3, 4)}),
    (lambda: bool(R(1) <= 0.25), {True: F(1, 4), False: F(3, 4)}),
    (lambda: bool(R(1) * 3 < 1), {True: F(1, 3), False: F(2, 3)}),
    (lambda: bool(1 - R(1) < 1 / 4), {True: F(1, 4), False: F(3, 4)}),
    (lambda: bool(R(1) * 7 < 3), {True: F(3, 7), False: F(4, 7)}),
    (lambda: bool(R(1) / 5 - 0.125 > 0), {False: F(5, 8), True: F(3, 8)}),
    (lambda: bool(R(1) == 0.5), {False: F(1)}),
    (lambda: bool(R(1) <= 0), {False: F(1)}),
    (lambda: bool(1 / R(1) > 3), {True: F(1, 3), False: F(2, 3)}),
    (lambda: bool(R(1).double() * 3 < 1), {True: F(1, 3), False: F(2, 3)}),
    (lambda: bool(R(1, dtype=torch.float64) * 3 < 1), {True: F(1, 3), False: F(2, 3)}),
    (lambda: int(R(1) * 3), {0: F(1, 3), 1: F(1, 3), 2: F(1, 3)}),
    (lambda: int((R(1) * 3).long()), {0: F(1, 3), 1: F(1, 3), 2: F(1, 3)}),
    (lambda: int((-R(1) * 3).floor()), {-1: F(1, 3), -2: F(1, 3), -3: F(1, 3)}),
    (lambda: int((R(1) * 3).ceil()), {1: F(1, 3), 2: F(1, 3), 3: F(1, 3)}),
    (lambda: int(torch.searchsorted(torch.tensor([1.0, 2.0]), 3 * R(1))), {0: F(1, 3), 1: F(1, 3), 2: F(1, 3)}),
    (lambda: int(torch.searchsorted(torch.tensor([1.0, 2.0]), 3 - 3 * R(1))), {0: F(1, 3), 1: F(1, 3), 2: F(1, 3)}),
    (lambda: int(torch.bernoulli(torch.tensor([0.125]))), {1: F(1, 8), 0: F(7, 8)}),
    (lambda: int(torch.randint(3, (1,))), {0: F(1, 3), 1: F(1, 3), 2: F(1, 3)}),
]  # fmt: skip


@pytest.mark.parametrize(("program", "expected"), PROGRAMS)
def test_law_over_real_coins_is_exact(program: Callable[[], Any], expected: dict[Any, Fraction]) -> None:
    found = law_of(program)
    assert found.missing == 0
    assert {outcome: mass for outcome, mass in found.over_reals.items() if mass} == expected


def test_two_decisions_on_one_real_coin_belong_together() -> None:
    def program() -> Any:
        u = R(1)
        return bool(u * 3 < 1), bool(u * 3 < 2), bool(u * 6 > 1)

    found = law_of(program)
    assert dict(found.over_reals) == {
        (True, True, False): F(1, 6),
        (True, True, True): F(1, 6),
        (False, True, True): F(1, 3),
        (False, False, True): F(1, 3),
    }
