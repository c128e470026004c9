"""Citations from a certificate: the same as from the run, and refused whatever was changed and sealed again."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import specdec
from proofs import command_line
from proofs.certificates import run_certificate, theorem_claim
from proofs.certified import _as_claimed, cite_certificate
from proofs.citation import PROVED, RunCitation, TheoremCitation
from proofs.errors import ProofsError
from proofs.runner import REGISTRY, Run, examine, execute, select
from proofs.sealing import certificate_digest, sealed

VERSION = specdec.__version__


def _run_of(theorem: str) -> Run:
    run = Run(REGISTRY, select(REGISTRY, theorem))
    list(execute(run))
    return run


@pytest.fixture(scope="module")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("certificate") / "cert.json"
    path.write_bytes(run_certificate(_run_of("single_token")))
    return path


def test_theorem_is_cited_with_the_digest_of_the_file(certificate: Path) -> None:
    cited = cite_certificate(str(certificate), "single_token", REGISTRY, VERSION)
    assert isinstance(cited, TheoremCitation)
    assert cited.digest == certificate_digest(certificate.read_bytes())
    assert cited.evidence.kind == PROVED
    assert cited.evidence.sentence.endswith(
        "checked in exact rationals, with zero tolerance, on 1 pair, the only one; in the same run 3 mutants of the "
        "rule or of a report about it failed on it."
    )


def test_command_prints_the_digest_of_the_run(certificate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["cite", "--theorem", "single_token"]) == 0
    run = capsys.readouterr().out.splitlines()
    assert command_line.main(["cite", "--theorem", "single_token", "--certificate", str(certificate)]) == 0
    found = capsys.readouterr().out.splitlines()
    assert found[-1] == "% No case was checked: the certificate is sealed, and its claims are those of this version."
    assert found[:-1] == run[:-1], "single_token asks nothing of Hypothesis"


def test_run_that_is_not_whole_is_not_cited_as_one(certificate: Path) -> None:
    with pytest.raises(ProofsError, match="it has no claim for theorem lossless"):
        cite_certificate(str(certificate), None, REGISTRY, VERSION)
    cited = cite_certificate(str(certificate), None, select(REGISTRY, "single_token"), VERSION)
    assert isinstance(cited, RunCitation)
    assert cited.sentence.startswith("Of 1 theorem in one run, 1 were proved")
    assert "; 3 mutants of the rules were refuted." in cited.sentence


Change = Callable[[dict[str, Any]], object]


def _claim(document: dict[str, Any]) -> dict[str, Any]:
    return next(claim for claim in document["claims"] if claim["id"] == "single_token")


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda d: d.update(schema="specdec-proofs/certificate/2"), "schema is"),
        (lambda d: d.update(kind="check"), "kind is 'check'; expected 'proof run'"),
        (lambda d: d.update(project="specdec-proofs 9.9"), "project is 'specdec-proofs 9.9'"),
        (lambda d: d.update(outcome="failed"), "outcome is 'failed'"),
        (lambda d: d.pop("outcome"), "outcome is None"),
        (lambda d: d.update(claims={}), "claims is no list"),
        (lambda d: d.update(claims=[1]), "claims is no list"),
        (lambda d: d["claims"].append(_claim(d)), "claimed twice"),
        (lambda d: d["claims"].remove(_claim(d)), "no claim for theorem single_token"),
        (lambda d: _claim(d).update(kind="pair"), "no claim for theorem single_token"),
        (lambda d: _claim(d).update(statement="All verifiers are lossless."), "not that of this version"),
        (lambda d: _claim(d)["reach"].update(grid=2), "not that of this version"),
        (lambda d: _claim(d)["evidence"].pop(0), "not that of this version"),
        (lambda d: _claim(d)["evidence"][0].update(goals=10**6), "not that of this version"),
        (lambda d: _claim(d)["evidence"].append({"kind": "proved", "goals": 1, "in_words": []}), "not that of this"),
        (lambda d: _claim(d).pop("evidence"), "has not the form of one"),
        (lambda d: _claim(d).update(evidence=[1]), "has not the form of one"),
        (lambda d: _claim(d).update(more=1), "not that of this version"),
    ],
)
def test_certificate_that_was_changed_and_sealed_again_is_refused(
    certificate: Path, tmp_path: Path, change: Change, words: str
) -> None:
    document = json.loads(certificate.read_bytes())
    del document["sha256"]
    change(document)
    (tmp_path / "cert.json").write_bytes(sealed(document))
    with pytest.raises(ProofsError, match=words):
        cite_certificate(str(tmp_path / "cert.json"), "single_token", REGISTRY, VERSION)


def test_machine_checked_evidence_of_a_file_is_not_repeated(certificate: Path, tmp_path: Path) -> None:
    """Only a run can tell that it holds."""
    document = json.loads(certificate.read_bytes())
    del document["sha256"]
    _claim(document)["evidence"].append({"kind": "machine-checked", "sources": {"A.v": "0" * 64}})
    (tmp_path / "cert.json").write_bytes(sealed(document))
    cited = cite_certificate(str(tmp_path / "cert.json"), "single_token", REGISTRY, VERSION)
    assert isinstance(cited, TheoremCitation)
    assert "achine" not in cited.evidence.sentence


def test_file_that_is_no_certificate_is_refused(
    certificate: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    data = certificate.read_bytes()
    broken = data.replace(b'"grid": 1', b'"grid": 2', 1)
    assert broken != data
    for content in (b"", b"[]", b"{}", b"[" * 100_000, data[:-1], data + b"\n", broken, b"\xff" + data):
        (tmp_path / "cert.json").write_bytes(content)
        arguments = ["cite", "--theorem", "single_token", "--certificate", str(tmp_path / "cert.json")]
        assert command_line.main(arguments) == 2
        captured = capsys.readouterr()
        assert captured.out == "BAD INPUT: nothing was checked (see stderr)\n"
        assert captured.err.startswith("specdec: --certificate ")
        assert "Traceback" not in captured.err
    for path in (tmp_path, tmp_path / "nothing", "a\0b"):
        with pytest.raises(ProofsError, match="cannot be read"):
            cite_certificate(str(path), "single_token", REGISTRY, VERSION)


def test_true_is_not_one(certificate: Path, tmp_path: Path) -> None:
    document = json.loads(certificate.read_bytes())
    del document["sha256"]
    _claim(document)["reach"]["grid"] = True
    (tmp_path / "cert.json").write_bytes(sealed(document))
    with pytest.raises(ProofsError, match="not that of this version"):
        cite_certificate(str(tmp_path / "cert.json"), "single_token", REGISTRY, VERSION)


def test_counts_are_those_of_a_run() -> None:
    """Of one theorem of each kind: proved with named pairs, with an extra part, checked alone."""
    for name in ("alpha_is_one_minus_tv", "optimal", "gumbel_one_way", "chain_best_gamma"):
        theorem = select(REGISTRY, name).theorems[0]
        assert theorem_claim(_as_claimed(theorem)) == theorem_claim(examine(theorem, 1))


def test_theorem_that_does_not_exist_is_refused(certificate: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["cite", "--theorem", "nothing", "--certificate", str(certificate)]) == 2
    assert "no such theorem" in capsys.readouterr().err
