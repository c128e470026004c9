"""Torch is intercepted while paths run, every path from one state, and everything is put back."""

import ctypes
from fractions import Fraction
from typing import Any

import pytest
import torch

from proofs.engine.choices import CURRENT, Arithmetic, Path
from proofs.engine.draws import Exploring
from proofs.engine.exploration import law
from proofs.engine.signals import Kind, Mark, Refusal, collecting, refuse
from proofs.engine.torch_exits import exits
from proofs.engine.torch_random import state_of
from proofs.engine.torch_source import TorchSource
from tests.proofs.engine.torch_programs import exactly, law_of, reasons

F = Fraction
QUARTER = {True: F(1, 4), False: F(3, 4)}
PRIVATE = torch.Generator()


def _path() -> Path:
    return Path((), Arithmetic.TORCH32, 10)


def _peek(tensor: Any) -> float:
    address = vars(torch._C.TensorBase)["data_ptr"](tensor)
    return ctypes.c_float.from_address(address).value


def _run(source: TorchSource, program: Any) -> list[Mark]:
    marks: list[Mark] = []
    path = _path()
    token = CURRENT.set(path)
    try:
        with collecting(marks), source.running(Exploring(path), path, replaying=False):
            program()
    finally:
        CURRENT.reset(token)
    return marks


def test_methods_are_put_back() -> None:
    places = [(owner, name) for owner, name, _ in exits(lambda: None)]
    before, found = [vars(owner).get(name) for owner, name in places], list[Any]()
    source = TorchSource()
    with source.installed():
        _run(source, lambda: found.extend(vars(owner).get(name) for owner, name in places))
    assert all(stand_in is not old for stand_in, old in zip(found, before, strict=True))
    assert [vars(owner).get(name) for owner, name in places] == before


def test_methods_are_put_back_after_an_error() -> None:
    before = torch.Tensor.item
    with pytest.raises(KeyError), TorchSource().installed():
        raise KeyError
    assert torch.Tensor.item is before


def test_generators_are_moved_away_and_put_back() -> None:
    torch.manual_seed(3)
    PRIVATE.manual_seed(3)
    before = state_of(torch.default_generator), state_of(PRIVATE)
    with TorchSource([PRIVATE]).installed():
        assert state_of(torch.default_generator) != before[0]
        assert state_of(PRIVATE) != before[1]
        assert state_of(PRIVATE) == state_of(torch.default_generator)  # equal states stay equal
    assert (state_of(torch.default_generator), state_of(PRIVATE)) == before


def test_states_differ_in_a_replay() -> None:
    """What a program reads out of them is another thing there."""
    found = law_of(lambda: state_of(torch.default_generator))
    assert found.missing == 1
    assert {mark.kind for mark in found.marks} == {Kind.LEAK}


def test_seed_that_a_program_reads_is_the_process_own() -> None:
    torch.manual_seed(5)
    assert law_of(torch.initial_seed).missing in (0, 1)


def test_every_path_begins_in_one_state() -> None:
    source, found = TorchSource(), []
    with source.installed():
        for _ in range(2):
            _run(source, lambda: found.append((state_of(torch.default_generator), torch.rand(1))[0]))
    assert found[0] == found[1]


def test_generator_that_no_draw_led_somewhere_is_marked() -> None:
    source = TorchSource()
    with source.installed():
        odd = torch.Generator().manual_seed(1)
        torch.rand(3, generator=odd)
        assert {mark.kind for mark in _run(source, lambda: torch.rand(2))} == {Kind.GRID, Kind.SINGLE}
        marks = _run(source, lambda: torch.set_rng_state(odd.get_state()))
        assert [mark.kind for mark in marks] == [Kind.HIDDEN]
        assert _run(source, lambda: torch.manual_seed(4)) == []


def test_it_is_looked_at_after_an_error_too() -> None:
    marks: list[Mark] = []
    source = TorchSource()
    odd = torch.Generator().manual_seed(1)
    torch.rand(3, generator=odd)

    def failing() -> None:
        torch.set_rng_state(odd.get_state())
        raise KeyError

    with source.installed():
        path = _path()
        with pytest.raises(KeyError), collecting(marks), source.running(Exploring(path), path, replaying=False):
            failing()
        assert [mark.kind for mark in marks] == [Kind.HIDDEN]
        marks.clear()
        with pytest.raises(Refusal), collecting(marks), source.running(Exploring(path), path, replaying=False):
            refuse("enough")
        assert [mark.reason for mark in marks] == ["enough"]


def test_seeds_of_a_path_and_its_replay_are_compared() -> None:
    marks: list[Mark] = []
    source = TorchSource()
    with source.installed(), collecting(marks):
        for seed, replaying in ((1, False), (1, True), (1, False), (2, True)):
            path = _path()
            with source.running(Exploring(path), path, replaying=replaying):
                torch.rand(1, generator=torch.Generator().manual_seed(seed))
            assert (Kind.HIDDEN in {mark.kind for mark in marks}) == (seed == 2)


def test_poison_takes_turns_from_path_to_path() -> None:
    """What is read around the shadow: the memory itself."""
    source, found = TorchSource(), []
    with source.installed():
        for _ in range(6):
            _run(source, lambda: found.append(str(_peek(torch.rand(1)))))
    assert sorted(set(found)) == ["0.0", "0.984375", "nan"]


def test_value_read_around_the_shadow_is_not_believed() -> None:
    def program() -> Any:
        u = torch.rand(1)
        return bool(u < 0.5), str(_peek(u))

    def item() -> Any:
        return vars(torch._C.TensorBase)["item"](torch.rand(1)) < 0.5

    assert law_of(program).missing == 1
    assert law_of(item).refused == 1


def test_outside_of_a_path_torch_is_itself() -> None:
    source = TorchSource()
    with source.installed():
        u = torch.rand(1)
        assert isinstance(u.item(), float)
        assert u.numpy()[0] == u.item()


# --- whole laws


def test_law_is_the_same_twice() -> None:
    program = lambda: tuple((torch.rand(2) < torch.tensor([0.25, 0.3])).tolist())  # noqa: E731
    assert exactly(program) == exactly(program)


def test_replay_takes_other_witnesses_from_path_to_path() -> None:
    """A program that reads its coin in another way is found out on one of its paths."""
    hidden: list[float] = []

    def program() -> Any:
        u = torch.rand(3)
        return tuple((u < 0.5).tolist()), len(hidden)

    assert exactly(program).keys() == {(a, 0) for a, _ in exactly(program)}


def test_crash_has_its_exact_mass() -> None:
    def program() -> Any:
        return [1, 2, 3][int(torch.rand(1) * 4)]

    found = law_of(program)
    assert dict(found) == {1: F(1, 4), 2: F(1, 4), 3: F(1, 4)}
    assert [(crash.exception, crash.probability) for crash in found.crashes] == [("IndexError", F(1, 4))]


def test_loops_end_at_a_bound_with_the_mass_that_is_left() -> None:
    def program() -> Any:
        count = 0
        while torch.rand(1) >= 0.5:
            count += 1
        return count

    found = law(lambda rng: program(), arithmetic="torch.float32", max_paths=5)
    assert dict(found) == {at: F(1, 2 ** (at + 1)) for at in range(5)}
    assert found.remaining == F(1, 32)


def test_token_rule_is_exact() -> None:
    """Target (1, 2, 5) / 8, draft (4, 2, 2) / 8: the law of what a verifier of one token emits."""
    p, q = torch.tensor([0.125, 0.25, 0.625]), torch.tensor([0.5, 0.25, 0.25])

    def program() -> Any:
        token = int(torch.multinomial(q, 1))
        if torch.rand(1) < p[token] / q[token]:
            return token
        return int(torch.multinomial(torch.clamp(p - q, min=0), 1))

    assert exactly(program) == {0: F(1, 8), 1: F(1, 4), 2: F(5, 8)}


def test_token_of_probability_zero_is_kept_on_coin_zero() -> None:
    p, q = torch.tensor([0.0, 1.0]), torch.tensor([0.5, 0.5])

    def program() -> Any:
        token = int(torch.multinomial(q, 1))
        return token if torch.rand(1) <= p[token] / q[token] else 1

    assert exactly(program) == {0: F(1, 2**25), 1: 1 - F(1, 2**25)}
    assert {y: mass for y, mass in law_of(program).over_reals.items() if mass} == {1: F(1)}


def test_batch_of_two_rows_is_independent() -> None:
    p = torch.tensor([[0.25, 0.75], [0.5, 0.5]])

    def program() -> Any:
        u = torch.rand(2, 1)
        return tuple((u >= p.cumsum(1)).sum(1).tolist())

    assert exactly(program) == {(0, 0): F(1, 8), (0, 1): F(1, 8), (1, 0): F(3, 8), (1, 1): F(3, 8)}


def test_program_of_numpy_and_torch() -> None:
    def program(rng: Any) -> Any:
        return bool(rng.random() < 0.25), bool(torch.rand(1) < 0.25)

    found = law(program, arithmetic="torch.float32")
    assert found.missing == 0, reasons(found)
    assert dict(found) == {(a, b): QUARTER[a] * QUARTER[b] for a in QUARTER for b in QUARTER}


def test_program_without_torch_is_not_touched() -> None:
    assert exactly(lambda: 1) == {1: F(1)}
