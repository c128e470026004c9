"""A call drafts exactly, hands over fresh rows, and takes the tokens as they are."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from proofs.engine.arrays import ExactArray
from proofs.engine.calls import Call, SiblingCall, emitted_tokens
from proofs.engine.choices import Arithmetic
from proofs.engine.exploration import Explorer
from proofs.engine.signals import Kind, Mark, Refusal, collecting
from tests.call_laws import always, by_prefix, chain, drafts
from tests.enumeration import NAMED
from tests.proofs.engine.grids import kinds, reasons

F = Fraction
B0 = NAMED["B0"]
DYADIC = (F(1, 8), F(3, 8), F(1, 2)), (F(1, 2), F(1, 4), F(1, 4))


def _law(program: Any, arithmetic: Arithmetic = Arithmetic.EXACT) -> Any:
    # What a user hands over is looked at; the call itself, which keeps arrays, is not.
    with Explorer((program._begin(),), ("seen",)) as explorer:
        return explorer.explore(program, arithmetic)


def _token_rule(target: Any, draft: Any, tokens: Any, rng: Any) -> list[int]:
    emitted: list[int] = []
    for i, x in enumerate(tokens):
        if not rng.random() * draft[i, x] < target[i, x]:
            residual = np.maximum(target[i] - draft[i], 0)
            return [*emitted, int(rng.choice(len(residual), p=residual / residual.sum()))]
        emitted.append(int(x))
    return [*emitted, int(rng.choice(target.shape[1], p=target[-1]))]


@pytest.mark.parametrize("gamma", [0, 1, 2])
def test_the_law_of_a_call_is_that_of_enumeration(gamma: int) -> None:
    target, draft = by_prefix({(): B0[0], (0,): B0[1]}, B0[0]), by_prefix({(1,): B0[0]}, B0[1])
    found = _law(Call(_token_rule, target, draft, gamma, 3, Arithmetic.EXACT))
    assert dict(found) == chain(target, draft, gamma, 3)


def test_the_law_of_a_call_in_floats_drafts_exactly() -> None:
    found = _law(Call(_token_rule, always(DYADIC[0]), always(DYADIC[1]), 1, 3, Arithmetic.FLOAT64), Arithmetic.FLOAT64)
    assert {x[0]: m for x, m in found.marginal(lambda outcome: outcome[0]).items()} == dict(enumerate(DYADIC[1]))
    expected = chain(always(DYADIC[0]), always(DYADIC[1]), 1, 3)
    assert set(found) == set(expected)
    assert found.total_variation(expected) < F(4, 2**53)


@pytest.mark.parametrize(
    ("arithmetic", "kind", "dtype"),
    [
        (Arithmetic.EXACT, ExactArray, "object"),
        (Arithmetic.FLOAT64, np.ndarray, "float64"),
        (Arithmetic.FLOAT32, np.ndarray, "float32"),
    ],
)
def test_what_a_verifier_is_handed(arithmetic: Arithmetic, kind: type, dtype: str) -> None:
    seen: list[Any] = []

    def verify(target: Any, draft: Any, tokens: Any, rng: Any) -> list[int]:
        seen.append((type(target), str(target.dtype), target.shape, draft.shape, str(tokens.dtype), tokens.tolist()))
        return [0]

    _law(Call(verify, always(DYADIC[0]), always(DYADIC[1]), 2, 3, arithmetic), arithmetic)
    assert seen[0] == (kind, dtype, (3, 3), (2, 3), "int64", [0, 0])
    replayed = "float64" if arithmetic is Arithmetic.EXACT else dtype
    assert seen[1] == (np.ndarray, replayed, (3, 3), (2, 3), "int64", [0, 0])
    seen.clear()
    _law(Call(verify, always(DYADIC[0]), always(DYADIC[1]), 0, 3, arithmetic), arithmetic)
    assert seen[0][2:] == ((1, 3), (0, 3), "int64", [])


def test_changes_in_place_are_noted_and_seen_by_nobody_else() -> None:
    def verify(target: Any, draft: Any, tokens: Any, rng: Any) -> list[int]:
        assert target[1, 2] == F(1, 2)
        assert draft[0, 1] == F(1, 4)
        target[1, 2] = 0
        draft[0, 1] = 0
        tokens[0] = 2
        return [0]

    found = _law(Call(verify, always(DYADIC[0]), always(DYADIC[1]), 1, 3, Arithmetic.EXACT))
    assert (found.total, found.crashes) == (1, ())
    assert kinds(found) == {Kind.NOTE}
    for place in ("target[1, 2]", "draft[0, 1]", "tokens[0]"):
        assert f"{place} was changed in place" in reasons(found)


def test_a_drafter_draws_its_own_law() -> None:
    def drafter(prefix: Any, row: Any, rng: Any) -> Any:
        assert row.shape == (3,)
        return np.int64(len(prefix)) if rng.random() < 0.25 else 2

    call = Call(
        lambda target, draft, tokens, rng: [int(tokens[-1])],
        always(B0[0]),
        always(B0[1]),
        2,
        3,
        Arithmetic.EXACT,
        drafter,
    )
    really = by_prefix({(): (F(1, 4), F(0), F(3, 4))}, (F(0), F(1, 4), F(3, 4)))
    assert dict(_law(call).marginal(lambda outcome: outcome[0])) == drafts(really, 2, 3)


@pytest.mark.parametrize("token", [3, -1, True, 1.0, None])
def test_what_a_drafter_may_not_return(token: Any) -> None:
    call = Call(_token_rule, always(B0[0]), always(B0[1]), 1, 3, Arithmetic.EXACT, lambda prefix, row, rng: token)
    found = _law(call)
    assert (found.refused, "the drafter returned" in reasons(found)) == (1, True)


class _Lying(int):
    def __int__(self) -> int:
        return 0

    def __eq__(self, other: object) -> bool:
        return True

    __hash__ = int.__hash__


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        ([1], (1,)),
        ((1, 2), (1, 2)),
        (np.array([1, -1]), (1,)),
        ([2, -1, -1], (2,)),
        ([np.int64(1), np.uint8(2)], (1, 2)),
        ([7, -5], (7, -5)),
        ([_Lying(3)], (3,)),
    ],
)
def test_tokens_are_taken(result: Any, expected: tuple[int, ...]) -> None:
    found = emitted_tokens(result, 3)
    assert found == expected
    assert [type(token) for token in found] == [int] * len(found)


@pytest.mark.parametrize(
    ("result", "reason"),
    [
        ([], "no token"),
        ([-1, -1], "no token"),
        ([1, -1, 2], "before a token, at 1"),
        ([0, 1, 2, 0], "4 tokens; expected at most gamma \\+ 1 = 3"),
        (1, "returned int; expected a flat list"),
        (None, "returned NoneType"),
        ("12", "returned str"),
        (iter([1]), "expected a flat list"),
        ([[1, 2]], "returned list at 0"),
        ([1.0], "returned float at 0"),
        ([0, True], "returned bool at 1"),
        ([np.bool_(True)], "returned bool"),
        (np.array([1.0]), "array of float64"),
        (np.array([[1]]), r"shape \(1, 1\)"),
        (np.array([True]), "array of bool"),
    ],
)
def test_what_is_no_row_of_tokens_is_refused(result: Any, reason: str) -> None:
    marks: list[Mark] = []
    with collecting(marks), pytest.raises(Refusal, match=reason):
        emitted_tokens(result, 3)
    assert [mark.kind for mark in marks] == [Kind.REFUSED]


@pytest.mark.parametrize("replacement", [True, False])
def test_siblings_are_drafted_with_and_without_replacement(replacement: bool) -> None:
    q = B0[1]
    call = SiblingCall(
        lambda target, draft, tokens, rng: int(tokens[1]), B0[0], q, 2, Arithmetic.EXACT, replacement=replacement
    )
    expected = {}
    for x in range(3):
        for y in range(3):
            second = q[y] if replacement else F(0) if x == y else q[y] / (1 - q[x])
            if second:
                expected[((x, y), (y,))] = q[x] * second
    assert dict(_law(call)) == expected


def test_a_drafter_of_siblings_gives_k_tokens() -> None:
    def drafter(row: Any, k: int, rng: Any) -> list[int]:
        return [int(rng.choice(3, p=row)) for _ in range(k)]

    def verify(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        return np.int64(tokens[0])

    found = _law(SiblingCall(verify, B0[0], B0[1], 2, Arithmetic.EXACT, drafter))
    assert [found.marginal(lambda outcome: outcome[1])[(y,)] for y in range(3)] == list(B0[1])
    short = _law(SiblingCall(verify, B0[0], B0[1], 2, Arithmetic.EXACT, lambda row, k, rng: [0]))
    assert (short.refused, "returned 1 tokens; expected k = 2" in reasons(short)) == (1, True)


def test_a_sibling_verifier_returns_one_token_and_changes_are_noted() -> None:
    def verify(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
        target[1] = 0
        return [0] if tokens[0] else 0

    found = _law(SiblingCall(verify, B0[0], B0[1], 1, Arithmetic.EXACT))
    assert (found.refused, found.total) == (F(1, 2), F(1, 2))
    assert "target[1] was changed in place" in reasons(found)
