import json
from dataclasses import replace

import pytest

from proofs.certificates import certificate_of_run, pair_claims, run_certificate, theorem_claim
from proofs.errors import ProofsError
from proofs.mutants import MUTANTS
from proofs.runner import REGISTRY, Run, examine, execute, select
from proofs.sealing import certificate_digest


@pytest.fixture(scope="module")
def run() -> Run:
    found = Run(REGISTRY, select(REGISTRY, "lossless"))
    for _ in execute(found, 1):
        pass
    return found


def test_claims(run: Run) -> None:
    made = certificate_of_run(run)
    assert [claim["id"] for claim in made["claims"]] == ["lossless", "I2", "I3", "I5", "B0", "R3"]
    theorem, pair = made["claims"][:2]
    assert [entry["kind"] for entry in theorem["evidence"]] == ["proved", "checked", "refutes"]
    assert theorem["reach"]["grid"] == 834
    assert pair["law"] == ["1/3", "2/3"]
    assert (pair["alpha"], pair["total_variation"], pair["residual"]) == ("2/3", "1/3", ["0/1", "1/1"])
    assert made["selected"] == "lossless"


def test_what_hypothesis_drew_is_no_part(run: Run) -> None:
    other = replace(run, theorems=[replace(result, asked=7, drawn=9) for result in run.theorems])
    assert run_certificate(other) == run_certificate(run)
    assert certificate_digest(run_certificate(run)) == json.loads(run_certificate(run))["sha256"]


def test_machine_checked_is_apart(run: Run) -> None:
    made = certificate_of_run(run, {"lossless": {"TokenRule.v": "a" * 64}, "other": {"x.v": "b" * 64}})
    assert made["claims"][0].pop("machine_checked") == {"TokenRule.v": "a" * 64}
    assert made == certificate_of_run(run)


def test_nothing_to_certify(run: Run) -> None:
    with pytest.raises(ProofsError, match="nothing to certify"):
        certificate_of_run(Run(REGISTRY, select(REGISTRY, "lossless")))
    with pytest.raises(ProofsError, match="not reached"):
        certificate_of_run(replace(run, mutants=run.mutants[1:]))
    broken = replace(run.theorems[0].theorem, rule=MUTANTS[0].rule)
    with pytest.raises(ProofsError, match="does not hold"):
        certificate_of_run(replace(run, theorems=[examine(broken, 1)]))


def test_of_a_theorem_without_a_proof() -> None:
    theorem = next(theorem for theorem in REGISTRY.theorems if theorem.prove is None and not theorem.domain.named)
    claim = theorem_claim(examine(theorem))
    assert [entry["kind"] for entry in claim["evidence"]] == ["checked", "refutes"]
    assert claim["inputs"] == []


def test_pairs_have_the_target_as_law() -> None:
    for claim in pair_claims():
        assert claim["law"] == claim["inputs"]["p"]
