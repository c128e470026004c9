"""The library's files, and what is made of what coqc says; coqc itself is played by a script."""

import hashlib
import json
import re
import stat
import sys
from pathlib import Path

import pytest

from proofs import coq_library, recheck
from proofs.command_line import main
from proofs.coq_library import FOLDER, compile_library, sources, stated, stated_among
from proofs.coq_results import CoqRun
from proofs.runner import REGISTRY
from proofs.verdicts import Outcome

IDS = [theorem.id for theorem in REGISTRY.theorems]


def test_project_lists_every_file_in_an_order_that_compiles() -> None:
    texts = sources()
    assert set(texts) == {path.name for path in FOLDER.glob("*.v")}
    seen: set[str] = set()
    for name, text in texts.items():
        used = re.findall(r"^From SpecDec Require Import ([\w ]+)\.$", text, re.MULTILINE)
        assert {module for line in used for module in line.split()} <= seen
        seen.add(name.removesuffix(".v"))


def test_theorems_bear_ids_of_the_registry() -> None:
    """What the registry names is a theorem there, and not the name of something less."""
    assert {theorem.id for theorem in REGISTRY.theorems[:14]} <= set(stated())
    less = [
        name for text in sources().values() for name in re.findall(r"^(?:Lemma|Corollary) (\w+)", text, re.MULTILINE)
    ]
    assert not set(less) & set(IDS)


def test_names_are_theorems_once() -> None:
    names = [name for text in sources().values() for name in re.findall(r"^Theorem (\w+)", text, re.MULTILINE)]
    assert len(names) == len(set(names))


@pytest.mark.parametrize("name", sources())
def test_nothing_is_assumed(name: str) -> None:
    """Coq is asked too, where it runs: this holds wherever the tests do."""
    words = "Axiom|Axioms|Parameter|Parameters|Conjecture|Admitted|admit|give_up|Unset Guard|bypass_check|Unsafe"
    assert not re.search(rf"^\s*(?:#\[.*\]\s*)?(?:{words})\b|\b(?:Admitted|admit)\.", sources()[name], re.MULTILINE)


@pytest.mark.parametrize("name", sources())
def test_header_says_what_is_proved(name: str) -> None:
    text = sources()[name]
    assert text.startswith("(* ")
    assert max(map(len, text.splitlines())) <= 120


FAKE = """\
#!{python}
import pathlib, sys
if "--print-version" in sys.argv:
    print("{version} 4.13.1")
    sys.exit(0)
name = sys.argv[-1]
if name == "Assumptions.v":
    for line in pathlib.Path(name).read_text().splitlines():
        if "idtac" in line:
            print("@", line.split('"')[1].removeprefix("@ "))
            print({said!r})
    sys.exit(0)
{broken}
pathlib.Path(name + "o").write_text("object of " + name)
"""


def fake(
    directory: Path,
    monkeypatch: pytest.MonkeyPatch,
    said: str = "Closed under the global context",
    broken: str = "",
    version: str = "8.16.1",
) -> None:
    """Put a coqc in the way that says this."""
    path = directory / "coqc"
    path.write_text(FAKE.format(python=sys.executable, version=version, said=said, broken=broken))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setenv("PATH", str(directory))


def run() -> CoqRun:
    found = stated_among(IDS)
    compile_library(found, lambda line: None)
    return found


def told(found: CoqRun) -> list[tuple[Outcome, str]]:
    return [(finding.outcome, finding.text) for finding in found.findings]


def test_all_compiled_and_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, monkeypatch)
    found = run()
    assert told(found) == []
    assert found.machine_checked == found.stated != {}
    assert set(found.sources) == set(sources())


def test_without_coqc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    found = run()
    assert not found.machine_checked
    assert told(found) == [(Outcome.UNVERIFIED, "--coq needs Coq 8.16 with mathcomp 1.15: there is no coqc")]


@pytest.mark.parametrize(
    ("broken", "outcome", "words"),
    [
        (
            "if name == 'ChainRule.v': print('Error: no'); sys.exit(1)",
            Outcome.DIFFERS,
            "Coq refuses ChainRule.v: Error",
        ),
        ("sys.exit('path ssreflect with prefix mathcomp.')", Outcome.UNVERIFIED, "does not find mathcomp 1.15"),
        ("import os, signal; os.kill(os.getpid(), signal.SIGKILL)", Outcome.UNVERIFIED, "coqc was stopped"),
        ("print('Error: User interrupt.'); sys.exit(1)", Outcome.UNVERIFIED, "coqc was stopped"),
        ("print('Fatal error: out of memory'); sys.exit(2)", Outcome.UNVERIFIED, "coqc was stopped"),
        ("sys.exit(0)", Outcome.UNVERIFIED, "left no object"),
    ],
)
def test_refused(broken: str, outcome: Outcome, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, monkeypatch, broken=broken)
    found = run()
    assert not found.machine_checked
    ((was, text),) = told(found)
    assert was is outcome
    assert words in text


def test_another_version_that_refuses_shows_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, monkeypatch, broken="print('Error: no'); sys.exit(1)", version="8.19.0")
    assert told(run())[0][0] is Outcome.UNVERIFIED


def test_that_takes_too_long(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(coq_library, "_SECONDS", 0.5)
    fake(tmp_path, monkeypatch, broken="import time; time.sleep(60)")
    assert told(run()) == [(Outcome.UNVERIFIED, "coqc was stopped at Distribution.v: not done after 0.5 s")]


@pytest.mark.parametrize("said", ["Axioms:\ncheat : False", "", "Closed under the global context\nAxioms:\ncheat"])
def test_axioms_are_no_proof(said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, monkeypatch, said=said)
    found = run()
    assert not found.machine_checked
    assert {outcome for outcome, _ in told(found)} == {Outcome.DIFFERS}


def test_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    fake(tmp_path, monkeypatch)
    assert main(["--coq", "--only", "single_token"]) == 0
    printed = capsys.readouterr().out
    assert "machine-checked for every V, without axioms: proofs/coq/TokenRule.v" in printed
    assert printed.splitlines()[-1].endswith("; 1 of 1 theorems machine-checked by Coq 8.16.1")


def test_command_line_without_coqc(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    assert main(["--coq", "--only", "single_token"]) == 5
    printed = capsys.readouterr().out
    assert "machine-checked for" not in printed
    assert "not run here" in printed
    assert printed.splitlines()[-1].startswith("UNVERIFIED")


def test_command_line_of_a_theorem_that_is_not_stated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    fake(tmp_path, monkeypatch)
    assert main(["--coq", "--only", "chain_best_gamma"]) == 5
    assert "nothing was machine-checked" in capsys.readouterr().out


def test_sources_behind_a_theorem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake(tmp_path, monkeypatch)
    found = run()
    assert list(found.evidence["lossless"]) == ["Distribution.v", "TokenRule.v"]
    assert list(found.evidence["block_lossless"]) == ["Distribution.v", "TokenRule.v", "ChainRule.v", "BlockRule.v"]
    digest = hashlib.sha256(sources()["TokenRule.v"].encode()).hexdigest()
    assert found.evidence["lossless"]["TokenRule.v"] == digest
    assert found.sentences["lossless"] == (
        "machine-checked in Coq 8.16.1 for every input and every V, without axioms (proofs/coq/TokenRule.v)"
    )


def test_citation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A theorem that is checked alone may be called one where Coq has compiled its proof in the same run."""
    fake(tmp_path, monkeypatch)
    assert main(["cite", "--coq", "--theorem", "block_lossless"]) == 0
    printed = capsys.readouterr().out
    assert "\\begin{theorem}[block\\_lossless" in printed
    assert "machine-checked in Coq 8.16.1" in printed
    assert main(["cite", "--theorem", "block_lossless"]) == 0
    printed = capsys.readouterr().out
    assert "\\begin{claim}[block\\_lossless" in printed
    assert "machine-checked" not in printed


@pytest.mark.parametrize("broken", [None, "print('Error: no'); sys.exit(1)"])
def test_nothing_is_cited_without_what_was_asked_for(
    broken: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    if broken is None:
        monkeypatch.setenv("PATH", str(tmp_path))
    else:
        fake(tmp_path, monkeypatch, broken=broken)
    assert main(["cite", "--coq", "--theorem", "lossless"]) == (5 if broken is None else 1)
    assert len(capsys.readouterr().out.splitlines()) == 1


@pytest.mark.parametrize("option", ["--macros", "--certificate"])
def test_options_that_run_nothing(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["cite", "--coq", option, "x", *(["--from", "y"] if option == "--macros" else [])]) == 2
    assert "--coq belongs to a run" in capsys.readouterr().err


def test_certificate(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """The sources behind a machine-checked theorem stand in the certificate, and only there; the recheck lists them."""
    fake(tmp_path, monkeypatch)
    plain, checked = tmp_path / "plain.json", tmp_path / "checked.json"
    assert main(["certify", "--only", "block_lossless", "--out", str(plain)]) == 0
    assert main(["certify", "--coq", "--only", "block_lossless", "--out", str(checked)]) == 0
    claim, other = (json.loads(path.read_text())["claims"][0] for path in (checked, plain))
    digest = hashlib.sha256(sources()["BlockRule.v"].encode()).hexdigest()
    assert claim.pop("machine_checked")["BlockRule.v"] == digest
    assert claim == other
    capsys.readouterr()
    assert recheck.main([str(checked)]) == 5  # nothing of a family is computed again
    assert "machine-checked sources" in capsys.readouterr().out.splitlines()[-1]


def test_certificate_of_no_run(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["certify", "--coq", "--rows", "x.jsonl", "--out", "y.json"]) == 2
    assert "--coq belongs to the proof run" in capsys.readouterr().err
