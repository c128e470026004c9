"""The library as a whole: what the proof run says of it, what Coq's own checker says, and what is refused."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from proofs import coq_library
from proofs.coq_library import compile_library, sources, stated, stated_among
from proofs.runner import REGISTRY
from proofs.verdicts import Outcome

pytestmark = pytest.mark.coq

IDS = [theorem.id for theorem in REGISTRY.theorems]


def test_proof_run_machine_checks_what_is_stated(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "proofs", "--coq", "--json", str(tmp_path / "run.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    known = set(IDS) & set(stated())
    assert f"; {len(known)} of {len(known)} theorems machine-checked by Coq 8.16" in done.stdout.splitlines()[-1]
    document = json.loads((tmp_path / "run.json").read_text())
    assert known == {
        theorem["id"] for theorem in document["theorems"] if (theorem["machine_checked"] or {}).get("in_this_run")
    }
    assert set(document["coq"]["sources"]) == set(sources())
    assert {name.removesuffix("o") for name in document["coq"]["objects"]} == set(sources())


def test_coqchk_finds_no_axiom(compiled: Path) -> None:
    """The kernel alone reads the objects again, with all that they use."""
    modules = [f"SpecDec.{name.removesuffix('.v')}" for name in sources()]
    command = ["coqchk", "-silent", "-o", "-Q", ".", "SpecDec", *modules]
    done = subprocess.run(command, cwd=compiled, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    summary = " ".join((done.stdout + done.stderr).split())
    for trusted in (
        "Axioms:",
        "Constants/Inductives relying on type-in-type:",
        "Constants/Inductives relying on unsafe (co)fixpoints:",
        "Inductives whose positivity is assumed:",
    ):
        assert f"{trusted} <none>" in summary


@pytest.mark.parametrize(
    ("wrong", "outcome", "words"),
    [
        (
            "Axiom cheat : False.\nTheorem lossless : 1 = 2. Proof. case: cheat. Qed.\n",
            Outcome.DIFFERS,
            "without axioms",
        ),
        ("Theorem lossless : 1 = 2. Proof. Admitted.\n", Outcome.DIFFERS, "without axioms"),
        ("Theorem lossless : 1 = 2. Proof. by []. Qed.\n", Outcome.DIFFERS, "Coq refuses Cheat.v"),
        ("(*\nTheorem lossless : 1 = 2.\n*)\n", Outcome.UNVERIFIED, "axioms were not listed"),
    ],
)
def test_what_is_not_proved_is_not_machine_checked(
    wrong: str, outcome: Outcome, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = {"Cheat.v": f"From mathcomp Require Import ssreflect ssrbool.\n{wrong}"}
    monkeypatch.setattr(coq_library, "sources", lambda: texts)
    run = stated_among(["lossless"])
    compile_library(run, lambda line: None)
    assert not run.machine_checked
    assert [finding.outcome for finding in run.outcomes] == [outcome]
    assert words in run.outcomes[0].text
