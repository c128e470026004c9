"""Every way of calling torch's operators is seen, and what nobody has written says nothing."""

from fractions import Fraction
from typing import Any

import pytest
import torch

from proofs.engine.choices import Arithmetic, Path
from proofs.engine.draws import Exploring
from proofs.engine.signals import Kind, Refusal
from proofs.engine.torch_mode import Mode
from proofs.engine.torch_nodes import Switches
from proofs.engine.torch_random import Streams, TorchRandom, state_of
from proofs.engine.torch_rules import Rules
from proofs.engine.torch_shadows import Shadows
from tests.proofs.engine.torch_programs import exactly, is_refused, law_of, reasons, swallowing

F = Fraction
QUARTER = {True: F(1, 4), False: F(3, 4)}
aten: Any = torch.ops.aten


@pytest.mark.parametrize(
    "program",
    [
        lambda: torch.rand(1) < 0.25, lambda: torch.lt(torch.rand(1), 0.25), lambda: torch.rand(1).lt(0.25),
        lambda: aten.lt.Scalar(aten.rand.default([1]), 0.25), lambda: torch.rand(1).__lt__(0.25),
        lambda: torch.Tensor.lt(torch.rand(1), 0.25), lambda: torch.less(torch.rand(1), 0.25),
        lambda: torch.vmap(lambda u: u < 0.25)(torch.rand(1)), lambda: torch.jit.script(_scripted)(torch.rand(1)),
        lambda: torch.func.functional_call(_Below(), {}, (torch.rand(1),)), lambda: _Below()(torch.rand(1)),
        lambda: torch.utils.checkpoint.checkpoint(_Below(), torch.rand(1), use_reentrant=False),
    ],
)  # fmt: skip
def test_operators_are_seen_whichever_way_they_are_called(program: Any) -> None:
    found = law_of(lambda: bool(program()))
    assert dict(found) == QUARTER or found.missing == 1, reasons(found)


def _scripted(u: torch.Tensor) -> torch.Tensor:
    return u < 0.25


class _Below(torch.nn.Module):
    def forward(self, u: Any) -> Any:
        return u < 0.25


def test_plain_ways_are_followed() -> None:
    assert exactly(lambda: bool(aten.lt.Scalar(aten.rand.default([1]), 0.25))) == QUARTER
    assert exactly(lambda: bool(_Below()(torch.rand(1)))) == QUARTER


def test_operators_of_a_custom_library() -> None:
    @torch.library.custom_op("proofs_tests::below", mutates_args=())
    def below(u: torch.Tensor) -> torch.Tensor:
        return u < 0.25

    del below
    called: Any = lambda u: bool(torch.ops.proofs_tests.below(u))  # noqa: E731
    assert called(torch.zeros(1))
    assert is_refused(lambda: called(torch.rand(1)), "undrawn numbers are handed to proofs_tests::below")


# --- memory that nobody has written

EMPTIES: dict[str, Any] = {
    "empty": lambda: torch.empty(1),
    "empty_like": lambda: torch.empty_like(torch.zeros(1)),
    "new_empty": lambda: torch.zeros(1).new_empty(1),
    "empty_strided": lambda: torch.empty_strided((1,), (1,)),
    "Tensor": lambda: torch.Tensor(1),
    "of integers": lambda: torch.empty(1, dtype=torch.int64),
    "empty_permuted": lambda: torch.empty_permuted((1,), (0,)),
    "new_empty_strided": lambda: torch.zeros(1).new_empty_strided((1,), (1,)),
}


@pytest.mark.parametrize("name", EMPTIES)
def test_outcome_that_rests_on_it_is_not_believed(name: str) -> None:
    found = law_of(lambda: str(EMPTIES[name]().item()))
    assert found.missing == 1
    assert {mark.kind for mark in found.marks} == {Kind.LEAK}


@pytest.mark.parametrize("name", EMPTIES)
def test_writing_it_first_is_right(name: str) -> None:
    assert exactly(lambda: int(EMPTIES[name]().fill_(3))) == {3: F(1)}
    assert exactly(lambda: bool(EMPTIES[name]().double().copy_(torch.rand(1)) < 0.25)) == QUARTER


# --- operators that draw in secret


def test_tagged_operator_that_draws_nothing_runs() -> None:
    q = torch.ones(1, 1, 2, 2)

    def program() -> Any:
        found = torch.nn.functional.scaled_dot_product_attention(q, q, q)
        return bool(torch.rand(1) < found.mean() / 4)

    assert exactly(program) == QUARTER


def test_tagged_operator_that_draws_is_refused() -> None:
    q = torch.ones(1, 1, 2, 2)
    drop: Any = lambda: torch.nn.functional.scaled_dot_product_attention(q, q, q, dropout_p=0.5).sum() > 1  # noqa: E731
    found = law_of(lambda: bool(drop()))
    # Composed of dropout, whose coins are modelled, or refused: never one outcome that a drawn mask decides.
    assert found.refused == 1 or len(found) > 1


def test_refusal_cannot_be_caught() -> None:
    assert is_refused(lambda: swallowing(lambda: torch.randn(1) < 1), "torch.randn draws random numbers")


def test_unmodelled_operator_with_a_generator_is_refused() -> None:
    generator = torch.Generator()
    assert is_refused(lambda: bool(torch.randn(1, generator=generator) < 1), "torch.randn draws random numbers")


# --- the mode itself


class _Failing:
    def __init__(self, error: BaseException) -> None:
        self.error = error

    def run(self, func: Any, args: Any, kwargs: Any) -> Any:
        raise self.error


def _mode(rules: Any) -> tuple[Mode, Shadows, Any]:
    path = Path((), Arithmetic.TORCH32, 10)
    shadows, streams = Shadows(), Streams([state_of(torch.default_generator)])
    random = TorchRandom(Exploring(path), shadows, streams, replaying=False)
    chosen = Rules(path, shadows, Switches(), {}) if rules is None else rules
    return Mode(shadows, chosen, random, {}), shadows, path


def test_fault_of_a_rule_is_refused_and_no_error_of_torch() -> None:
    mode, shadows, _ = _mode(_Failing(KeyError("lost")))
    tensor = torch.zeros(2)
    shadows.put(tensor, torch.tensor([0, -1]))
    with mode, pytest.raises(Refusal, match="the rule for torch.add failed: KeyError: 'lost'"):
        tensor.add(1)


def test_error_of_the_operator_itself_is_raised() -> None:
    mode, shadows, _ = _mode(_Failing(KeyError("lost")))
    tensor = torch.zeros(2)
    shadows.put(tensor, torch.tensor([0, -1]))
    with mode, pytest.raises(RuntimeError, match="must match"):
        tensor.add(torch.zeros(3))


def test_refusals_of_rules_pass() -> None:
    mode, shadows, _ = _mode(_Failing(Refusal("why")))
    tensor = torch.zeros(1)
    shadows.put(tensor, torch.tensor([0]))
    with mode, pytest.raises(Refusal, match="why"):
        tensor.add(1)


def test_operators_on_numbers_run_as_they_are() -> None:
    mode, shadows, path = _mode(_Failing(KeyError("not asked")))
    with mode:
        assert torch.ones(2).add(1).tolist() == [2.0, 2.0]
        assert torch.rand(1).shape == (1,)  # puts a shadow
    assert bool(shadows)
    assert len(path.events) == 1


def test_replay_has_numbers_alone() -> None:
    shadows = Shadows()
    mode = Mode(
        shadows, None, TorchRandom(_Given(), shadows, Streams([state_of(torch.default_generator)]), replaying=True), {}
    )
    with mode:
        assert torch.rand(2).tolist() == [0.25, 0.25]
        assert torch.empty(2).tolist() == [2.0**15] * 2
        assert torch.empty(1, dtype=torch.float16).tolist() == [2.0**15]
        assert torch.empty(2, dtype=torch.int64).tolist() == [0, 0]
    assert not shadows


class _Given:
    """Draws of a replay: the coin at a quarter."""

    def grid(self, name: str, *, single: bool) -> None:
        self.name = name

    def coin(self, key: Any, size: int) -> int:
        return size // 4
