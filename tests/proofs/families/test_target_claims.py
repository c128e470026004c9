"""What the claims on target definitions say, and the engine on a decoder that transforms its rows."""

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from sympy import Rational

import proofs
from proofs import target_rows
from proofs.cases import ProcessCase
from proofs.domains import NAMED
from proofs.families import target_claims
from proofs.families.target_claims import DECODINGS, ROWS, STEPS, TargetRule

RULE = TargetRule()
I5 = ProcessCase((NAMED["I5"].p,), (NAMED["I5"].q,), (1, "temperature 1/2, then top-p 3/4"))


def test_holds_for_the_right_decoder_at_gamma_three() -> None:
    for name, _ in STEPS:
        case = ProcessCase((NAMED["B0"].p,), (NAMED["B0"].q,), (3, name))
        assert target_claims.lossless_for_the_transformed_target(RULE, case) is None


def test_difference_is_said_in_words() -> None:
    raw = replace(RULE, verified=lambda row, _: target_rows.transform(row, ()))
    said = target_claims.lossless_for_the_transformed_target(raw, I5)
    assert said is not None
    assert said.startswith("tokens (0, 0) with probability ")


def test_law_of_a_wrong_decoder_by_hand() -> None:
    """Gamma 1 on B0, the target raw where it is verified: the first token by p, the second by its squares."""
    raw = replace(RULE, verified=lambda row, _: target_rows.transform(row, ()))
    case = ProcessCase((NAMED["B0"].p,), (NAMED["B0"].q,), (1, "temperature 1/2"))
    steps = dict(STEPS)["temperature 1/2"]
    declared = target_claims._cached(case.target_row, target_rows.transform, steps)
    law = target_claims._law(target_claims._Decoder(raw, case, steps, declared), 1)
    p = [Fraction(1, 8), Fraction(3, 8), Fraction(1, 2)]
    cold = [x * x / sum(y * y for y in p) for x in p]
    found = {sequence: Fraction(int(mass.numerator), int(mass.denominator)) for sequence, mass in law.items()}
    assert found == {(x, y): p[x] * cold[y] for x, y in product(range(3), repeat=2)}


@pytest.mark.parametrize("domain", [DECODINGS, ROWS], ids=["decodings", "rows"])
def test_grids_begin_with_the_smallest(domain: Any) -> None:
    sizes = [case.size for case in domain.grid()]
    assert sizes == sorted(sizes)


def test_lists_of_steps_differ_from_their_reverses() -> None:
    rows = [row for case in DECODINGS.grid() for row in case.target]
    for _, steps in STEPS:
        if len(steps) > 1:
            forth, back = ([target_rows.transform(row, order) for row in rows] for order in (steps, steps[::-1]))
            assert forth != back


def _token_rule(transform: Callable[..., Any], at_the_bonus: Callable[..., Any]) -> Callable[..., Any]:
    """The token rule as people write it, with the target's rows transformed inside."""

    def verify(target: Any, draft: Any, tokens: Any, rng: Any) -> list[int]:
        for i, x in enumerate(tokens):
            p, q = transform(target[i]), draft[i]
            if not rng.random() * q[x] < p[x]:
                gains = np.maximum(p - q, 0)
                row = gains / gains.sum() if gains.any() else p
                return [*tokens[:i].tolist(), int(rng.choice(len(row), p=row))]
        row = at_the_bonus(target[-1])
        return [*tokens.tolist(), int(rng.choice(len(row), p=row))]

    return verify


def _squares(row: Any) -> Any:
    return row * row / (row * row).sum()


def _top_two(row: Any) -> Any:
    kept = np.zeros_like(row)
    best = np.argsort(-row, kind="stable")[:2]
    kept[best] = row[best]
    return kept / kept.sum()


def _raw(row: Any) -> Any:
    return row


KINDS: dict[str, tuple[Callable[..., Any], tuple[Any, ...]]] = {
    "squares": (_squares, (("temperature", "1/2"),)),
    "top two": (_top_two, (("top_k", 2),)),
    "squares of the top two": (lambda row: _squares(_top_two(row)), (("top_k", 2), ("temperature", "1/2"))),
}


@pytest.mark.parametrize("kind", KINDS)
def test_engine_agrees_that_the_same_steps_everywhere_are_lossless(kind: str) -> None:
    """On the core battery, gamma 0 to 2, exactly: lossless for the transformed target, biased if a place is raw."""
    transform, steps = KINDS[kind]

    def declared(row: Any, _: Any) -> list[Fraction]:
        return [Fraction(int(x.p), int(x.q)) for x in target_rows.transform(row, steps)]

    options: dict[str, Any] = {"arithmetic": "exact", "target_of": declared, "paths": 0}
    right = proofs.check(_token_rule(transform, transform), gamma=(0, 1, 2), **options)
    assert right, right
    for wrong in (_token_rule(_raw, transform), _token_rule(transform, _raw)):
        assert proofs.check(wrong, gamma=1, **options).status.value == "biased"


def test_rational_rows_stay_rational() -> None:
    assert target_claims.temperatures_multiply(RULE, next(ROWS.grid())) is None
    assert target_claims.top_k_keeps_k(replace(RULE, top_k=lambda p, k, ties: p), list(ROWS.grid())[-8]) is not None
    assert all(isinstance(x, Rational) for case in ROWS.grid() for x in case.p)
