"""Calls of several requests: what the verifier is handed, and what it may return."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import torch

from proofs.engine.arrays import ExactArray
from proofs.engine.batch_calls import BatchCall, emitted_rows
from proofs.engine.choices import Arithmetic
from proofs.engine.exploration import Explorer
from proofs.engine.laws import Law
from proofs.engine.signals import Kind, Refusal, collecting

HALF, THIRD = Fraction(1, 2), Fraction(1, 3)
FIRST = (lambda _: (HALF, HALF)), (lambda _: (Fraction(1, 4), Fraction(3, 4)))
SECOND = (lambda prefix: (Fraction(1), Fraction(0)) if prefix else (THIRD, 1 - THIRD)), (lambda _: (HALF, HALF))


def _law(verify: Any, *, gamma: int = 1, arithmetic: Arithmetic = Arithmetic.EXACT, **options: Any) -> Law:
    with Explorer((verify,)) as explorer:
        return explorer.explore(BatchCall(verify, [FIRST, SECOND], gamma, 2, arithmetic, **options), arithmetic)


def test_rows_and_tokens_are_stacked() -> None:
    seen: list[Any] = []

    def verify(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        shapes = target.shape == (2, 2, 2), draft.shape == (2, 1, 2), tokens.shape == (2, 1)
        mine = target[0, 0, 0] == HALF, draft[0, 0, 1] == Fraction(3, 4), target[1, 0, 0] * 3 == 1, target[1, 1, 0] == 1
        return [[0 if all(shapes) and tokens.dtype == np.int64 else 1], [0 if all(mine[:2]) and mine[3] else 1]]

    found = _law(verify)
    assert {emitted for outcomes in found for _, emitted in outcomes} == {(0,)}
    assert found.total == 1
    assert not seen


def test_drafts_are_drawn_from_the_rows_of_each_request() -> None:
    found = _law(lambda target, draft, tokens, rng: [[0], [0]])
    drafted = found.marginal(lambda outcomes: tuple(tokens for tokens, _ in outcomes))
    assert drafted[(0,), (1,)] == Fraction(1, 4) * HALF
    assert drafted[(1,), (0,)] == Fraction(3, 4) * HALF


def test_drafter_is_asked_for_one_request_after_the_other() -> None:
    found = _law(
        lambda target, draft, tokens, rng: tokens, drafter=lambda prefix, row, rng: int(row[0] < Fraction(3, 8))
    )
    assert dict(found) == {(((1,), (1,)), ((0,), (0,))): 1}


@pytest.mark.parametrize("arithmetic", [Arithmetic.EXACT, Arithmetic.FLOAT64, Arithmetic.TORCH32])
def test_nothing_is_drafted_at_gamma_zero(arithmetic: Arithmetic) -> None:
    def verify(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        fits = tuple(draft.shape) == (2, 0, 2) and tuple(tokens.shape) == (2, 0)
        return [[0], [1]] if fits else []

    assert dict(_law(verify, gamma=0, arithmetic=arithmetic)) == {(((), (0,)), ((), (1,))): 1}


def test_tensors_are_handed_over_and_back() -> None:
    def verify(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        kept = torch.rand(2) < target[:, 0, 0]
        return torch.stack([torch.where(kept, 0, 1), torch.full((2,), -1)], dim=1)

    found = _law(verify, arithmetic=Arithmetic.TORCH32)
    emitted = found.marginal(lambda outcomes: tuple(y for _, y in outcomes))
    third = Fraction(-(-(2**24) // 3), 2**24)  # the float32 above a third, on the grid of the coins
    assert abs(emitted[(0,), (0,)] - HALF * third) < Fraction(1, 2**24)
    assert emitted.total == 1


def test_a_change_in_place_is_noted() -> None:
    def verify(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        target[1, 0, 1] = 0
        return [[0], [0]]

    assert {mark.reason for mark in _law(verify).marks if mark.kind is Kind.NOTE} == {
        "target[1, 0, 1] was changed in place"
    }


def test_a_factory_makes_one_verifier_for_the_whole_batch() -> None:
    class Counting:
        calls = 0

        def __call__(self, target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
            self.calls += 1
            return [[self.calls], [self.calls]]

    found = _law(Counting, factory=True)
    assert {emitted for outcomes in found for _, emitted in outcomes} == {(1,)}
    assert found.total == 1


@pytest.mark.parametrize(
    "result",
    [
        [[1, 0], [2]],
        ((1, 0), (2, -1)),
        [np.array([1, 0]), np.array([2, -1, -1])],
        np.array([[1, 0, -1], [2, -1, -1]]),
        np.array([[1, 0], [2, -1]], dtype=np.int32),
        np.array([[1, 0], [2, -1]], dtype=object),
        torch.tensor([[1, 0, -1], [2, -1, -1]]),
        [torch.tensor([1, 0]), torch.tensor([2])],
        [[torch.tensor(1), 0], [torch.tensor(2)]],
    ],
    ids=str,
)
def test_rows_of_tokens(result: Any) -> None:
    assert emitted_rows(result, 2, 3) == ((1, 0), (2,))


class _List(list[Any]):
    pass


@pytest.mark.parametrize(
    ("result", "words"),
    [
        (None, "the verifier returned NoneType; expected a row of ints for each request"),
        (_List([[1], [2]]), "the verifier returned _List; expected a row of ints for each request"),
        (iter([[1], [2]]), "the verifier returned list_iterator; expected a row of ints for each request"),
        ([[1]], "the verifier returned 1 rows of tokens; expected 2, one for each request"),
        ([], "the verifier returned 0 rows of tokens; expected 2, one for each request"),
        ([[1], [2], [0]], "the verifier returned 3 rows of tokens; expected 2, one for each request"),
        (torch.tensor([[1]]), "the verifier returned 1 rows of tokens; expected 2, one for each request"),
        (np.array([1, 2]), "the verifier returned an array of shape (2,); expected a row for each request"),
        (torch.tensor([1, 2]), "the verifier returned a tensor of shape (2,); expected a row for each request"),
        (np.zeros((2, 2)), "the verifier returned an array of float64, shape (2,); expected a row of ints"),
        (torch.zeros(2, 2), "the verifier returned a tensor of torch.float32, shape (2,); expected a row of ints"),
        ([1, 2], "the verifier returned int; expected a flat list, tuple or array of ints"),
        ([[1], []], "the verifier returned no token"),
        (np.array([[1, 0], [-1, -1]]), "the verifier returned no token"),
        (np.array([[1, 0], [-1, 2]]), "the verifier returned -1, which is padding, before a token, at 0"),
        ([[0, 1, 0, 1], [0]], "the verifier returned 4 tokens; expected at most gamma + 1 = 3"),
    ],
)
def test_what_is_no_row_for_each_request_is_refused(result: Any, words: str) -> None:
    marks: list[Any] = []
    with collecting(marks), pytest.raises(Refusal):
        emitted_rows(result, 2, 3)
    assert [(mark.kind, mark.reason) for mark in marks] == [(Kind.REFUSED, words)]


def test_exact_arrays_of_tokens_are_rows_too() -> None:
    tokens = np.array([[1, 0], [2, -1]], dtype=object).view(ExactArray)
    assert emitted_rows(tokens, 2, 2) == ((1, 0), (2,))
