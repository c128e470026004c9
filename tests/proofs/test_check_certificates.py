from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest

from proofs.check_certificates import certificate_of_check, input_claim
from proofs.checking import check, verdict_on
from proofs.errors import ProofsError

CODE = {"function": "verify", "name": "mine.py", "sha256": "0" * 64}


def ignore_drafts(target: Any, draft: Any, tokens: Any, rng: Any) -> list[Any]:
    return [rng.choice(len(target[0]), p=target[0])]


def crash(target: Any, draft: Any, tokens: Any, rng: Any) -> list[Any]:
    if rng.random() < 0.25:
        raise ValueError
    return [rng.choice(len(target[0]), p=target[0])]


def leaves_exact(target: Any, draft: Any, tokens: Any, rng: Any) -> list[Any]:
    import numpy as np

    row = np.array([float(x) for x in target[0]])
    return [rng.choice(len(row), p=row)]


def far_token(target: Any, draft: Any, tokens: Any, rng: Any) -> list[Any]:
    return [10**12]


def made_of(verify: Any, **options: Any) -> dict[str, Any]:
    records: list[Any] = []
    asked = {"gamma": 1, "vocabulary": 2, "paths": 0, "shrink": False, "drawn": False, **options}
    verdict = verdict_on(verify, record=lambda run, found: records.append((run, found)), **asked)
    return certificate_of_check(verdict, records, code=CODE, redo="again")


def test_lossless() -> None:
    made = made_of(ignore_drafts)
    *inputs, verdict = made["claims"]
    assert made["outcome"] == verdict["status"] == "lossless"
    assert verdict["inputs"] == len(inputs)
    assert verdict["reach"] == {"arithmetic": ["exact"], "gamma": [1], "vocabulary": [2]}
    assert sum(map(Fraction, inputs[0]["law"].values())) == 1


def test_crash_is_missing_mass() -> None:
    made = made_of(crash)
    assert made["outcome"] == "unverified"
    assert made["claims"][0]["missing"] == {"crashed: ValueError": "1/4"}
    assert made["claims"][0]["reasons"] == ["crash"]


def test_run_that_left_its_arithmetic_is_no_part() -> None:
    made = made_of(leaves_exact)
    assert {claim["reach"]["arithmetic"] for claim in made["claims"][:-1]} == {"float64"}
    assert made["claims"][0]["tolerance"] != "0/1"


def test_grid_beyond_the_core_and_nothing_drawn() -> None:
    made = made_of(ignore_drafts, vocabulary=3, paths=300)
    names = {claim["reach"]["name"] for claim in made["claims"][:-1]}
    assert "grid k/6" in names
    assert "drawn by Hypothesis" not in names


def test_whole_grid_ends() -> None:
    made = made_of(ignore_drafts, vocabulary=2, paths=10**6)
    assert "grid k/6" not in {claim["reach"]["name"] for claim in made["claims"][:-1]}


def test_too_large() -> None:
    large: Any = SimpleNamespace(input=SimpleNamespace(gamma=6, vocabulary=8), judgement=None)
    with pytest.raises(ProofsError, match="sequences"):
        input_claim(large, 1)
    with pytest.raises(ProofsError, match="digits"):
        made_of(far_token)


@pytest.mark.parametrize("verify", [ignore_drafts, crash])
def test_recording_changes_no_verdict(verify: Any) -> None:
    plain = check(verify, gamma=1, vocabulary=2, paths=0)
    records: list[Any] = []
    recorded = verdict_on(verify, gamma=1, vocabulary=2, paths=0, record=lambda *found: records.append(found))
    assert (recorded.status, recorded.scope, recorded.worst) == (plain.status, plain.scope, plain.worst)
    assert len(records) == plain.inputs
