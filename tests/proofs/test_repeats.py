"""Who has another law every time is called neither right nor wrong."""

import ssl
from fractions import Fraction
from typing import Any

import numpy as np

from proofs import check
from proofs.engine.choices import Arithmetic
from proofs.engine.signals import Kind, Mark
from proofs.inputs import Input
from proofs.plans import DEFAULTS, plan_of
from proofs.repeats import has_one_law, is_swept_finely
from proofs.verdicts import Status
from tests.proofs.examined import HALF, Scripted, made, nothing


def tossed_elsewhere(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The token rule with coins from a compiled library, which nobody watches."""
    for i, x in enumerate(tokens):
        if not int.from_bytes(ssl.RAND_bytes(6), "big") / 2**48 * draft[i, x] < target[i, x]:
            residual = np.maximum(target[i] - draft[i], 0)
            return [*tokens[:i], int(rng.choice(len(residual), p=residual / residual.sum()))]
    return [*tokens, int(rng.choice(target.shape[1], p=target[-1]))]


def test_right_verifier_with_coins_that_nobody_sees_is_unverified() -> None:
    for arithmetic in ("auto", "float64"):
        for _ in range(5):
            verdict = check(tossed_elsewhere, arithmetic=arithmetic, paths=0)
            assert verdict.status is Status.UNVERIFIED, str(verdict)
    assert "explored again" in verdict.reason or "replay" in verdict.scope


def _plan(script: Any) -> Any:
    return plan_of(nothing, **{**DEFAULTS, "bench": Scripted(script), "gamma": 0, "vocabulary": 2})


def test_same_law_every_time_is_one_law() -> None:
    def steady(found: Input, arithmetic: Arithmetic) -> Any:
        return made(HALF / 2, of=found)

    assert has_one_law(_plan(steady), made(HALF / 2))


def test_another_law_of_the_input_or_of_any_of_the_core_is_seen() -> None:
    calls: list[str] = []

    def of_the_input(found: Input, arithmetic: Arithmetic) -> Any:
        return made(HALF, of=found)

    def of_the_core(found: Input, arithmetic: Arithmetic) -> Any:
        calls.append(found.name)
        return made(HALF / 2 if found.name == "made" or calls.count(found.name) == 1 else HALF, of=found)

    assert not has_one_law(_plan(of_the_input), made(HALF / 2))
    assert not has_one_law(_plan(of_the_core), made(HALF / 2))


def test_what_is_broken_off_speaks_against_nobody() -> None:
    assert has_one_law(_plan(lambda found, arithmetic: "interrupted"), made(HALF / 2))


SMALL = Fraction(1, 2**10)
SWEPT = (Mark(Kind.SWEPT, "swept", ""),)


def test_a_swept_law_must_stay_itself_under_more_probes() -> None:
    shares = {"steady": HALF - SMALL, "moves": HALF}
    for word, expected in (("steady", True), ("moves", False)):
        plan = _plan(lambda found, arithmetic, word=word: made(shares[word], of=found, marks=SWEPT))
        assert is_swept_finely(plan, made(HALF - SMALL, marks=SWEPT)) is expected


def test_a_law_that_was_not_swept_or_a_large_bias_is_not_looked_at_again() -> None:
    plan = _plan(lambda found, arithmetic: "never asked")
    assert is_swept_finely(plan, made(HALF - SMALL))
    assert is_swept_finely(plan, made(HALF / 2, marks=SWEPT))
    assert plan.bench.asked == []


def test_more_probes_that_are_broken_off_speak_against_nobody() -> None:
    plan = _plan(lambda found, arithmetic: "interrupted")
    assert is_swept_finely(plan, made(HALF - SMALL, marks=SWEPT))
    assert len(plan.bench.asked) == 1
