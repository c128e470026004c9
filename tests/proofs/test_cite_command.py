"""The command ``cite``: what it prints, that it cites nothing from a run that is not as claimed, its macros."""

import hashlib
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

import specdec
from proofs import cite_command, command_line, derivations
from proofs.console import Interrupts
from proofs.mutants import MUTANTS
from proofs.runner import REGISTRY, Registry, select
from tests.latex_structure import problems
from tests.proofs.conftest import never_equal, proof_slips_through, run_proofs, the_rule_itself

DATA = Path(__file__).parents[1] / "data"
Build = Callable[..., Registry]
SINGLE = ["cite", "--theorem", "single_token"]
VERIFIED = (
    f"VERIFIED: 1 of 14 theorems proved and checked, 0 of 71 others checked, 3 of 3 mutants refuted; "
    f"{len(REGISTRY.theorems) - 1} theorems and {len(REGISTRY.mutants) - 3} mutants not selected"
)


def test_theorem_is_cited_in_latex(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(SINGLE) == 0
    out = capsys.readouterr().out
    assert problems(out) == []
    assert "\\begin{theorem}[single\\_token]\n" in out
    assert f"specdec-proofs {specdec.__version__}~\\cite{{specdec-proofs}}" in out
    assert "in the same run $3$ mutants" in out
    assert out.splitlines()[-1] == f"% {VERIFIED}"


def test_every_format_ends_with_the_verdict_in_a_comment(capsys: pytest.CaptureFixture[str]) -> None:
    digests = set()
    for form, start, end in (("latex", "% ", ""), ("bibtex", "% ", ""), ("markdown", "<!-- ", " -->")):
        assert command_line.main([*SINGLE, "--format", form]) == 0
        out = capsys.readouterr().out
        assert out.splitlines()[-1] == f"{start}{VERIFIED}{end}"
        digests |= set(re.findall("[0-9a-f]{64}", out))
    assert len(digests) == 1


def test_claim_that_is_checked_alone_is_no_theorem(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["cite", "--theorem", "gumbel_one_way"]) == 0
    out = capsys.readouterr().out
    assert "\\begin{claim}[gumbel\\_one\\_way: checked, not proved, {\\cite" not in out
    assert "\\begin{claim}[gumbel\\_one\\_way: checked, not proved]" in out
    assert "{theorem}" not in out
    assert "which is no proof" in out


def test_bytes_are_the_same_in_every_process(tmp_path: Path) -> None:
    """Whatever the hash seed, under -O too, with SymPy's own integers or gmpy2's."""
    runs = [
        run_proofs(*SINGLE, cwd=tmp_path, PYTHONHASHSEED="1"),
        run_proofs(*SINGLE, cwd=tmp_path, python=("-O",), PYTHONHASHSEED="2", SYMPY_GROUND_TYPES="python"),
    ]
    assert [run.returncode for run in runs] == [0, 0]
    assert runs[0].stdout == runs[1].stdout
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("changes", "mutant", "status"),
    [
        ({"holds": never_equal}, MUTANTS[0], 1),
        ({}, the_rule_itself(), 1),
        ({}, proof_slips_through(), 1),
        ({"prove": lambda kernel: replace(derivations.lossless(kernel), goals=())}, MUTANTS[0], 1),
        ({"refutes": ("accept_everything", "not_there")}, MUTANTS[0], 5),
    ],
)
def test_nothing_is_cited_from_a_run_that_is_not_as_claimed(
    registry: Build, changes: dict[str, object], mutant: object, status: int, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = replace(REGISTRY.theorems[0], **({"refutes": ("accept_everything",)} | changes))  # type: ignore[arg-type]
    whole = Registry((changed,), (mutant,))  # type: ignore[arg-type]
    for arguments in (["cite", "--theorem", "lossless"], ["cite", "--format", "bibtex"]):
        assert command_line.main(arguments, whole) == status
        captured = capsys.readouterr()
        assert captured.out.count("\n") == 1
        assert captured.out.startswith("FAILED: " if status == 1 else "UNVERIFIED: ")
        assert "specdec: nothing is cited" in captured.err


def test_theorem_that_does_not_exist_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["cite", "--theorem", "\x1b[0m"]) == 2
    captured = capsys.readouterr()
    assert captured.out == "BAD INPUT: nothing was checked (see stderr)\n"
    assert "--theorem '\\x1b[0m': no such theorem; expected one of lossless, " in captured.err


@pytest.mark.skipif(os.name == "nt", reason="there is no SIGINT to a process group")
def test_interrupted_run_is_not_cited(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "proofs", "cite"]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    assert process.stderr.readline().startswith("done: ")
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 5
    assert out.startswith("UNVERIFIED: ")
    assert out.count("\n") == 1
    assert "nothing is cited" in err


def test_interrupt_that_was_swallowed_is_not_cited(registry: Build, capsys: pytest.CaptureFixture[str]) -> None:
    """All results are there, and Ctrl-C was pressed: the run is not whole."""
    interrupts = Interrupts()
    interrupts.seen = True
    arguments = type("Arguments", (), {"theorem": "single_token", "format": "latex", "by_coq": False})()
    conclusion, frame = cite_command.check(arguments, select(REGISTRY, "single_token"), interrupts)
    assert (conclusion.exit_status, frame) == (5, "{}")
    assert capsys.readouterr().out == ""


def test_closed_output_is_unverified(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "proofs", *SINGLE]
    with open("/dev/full", "w", encoding="ascii") as full:
        run = subprocess.run(command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert run.returncode == 5


@pytest.fixture(scope="module")
def rows(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("rows") / "rows.json"
    assert command_line.main(["rows", str(DATA / "real_rows.npz"), "--json", str(path)]) == 0
    return path


def test_macros_of_rows_are_written(rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    target = tmp_path / "numbers.tex"
    assert command_line.main(["cite", "--macros", str(target), "--from", str(rows)]) == 0
    text = target.read_text(encoding="ascii")
    number = text.count("\\newcommand")
    assert capsys.readouterr().out == (
        f"{number} macros written; nothing was checked again. The run that wrote the result said VERIFIED.\n"
    )
    arguments = re.findall(r"^\\newcommand\{\\[A-Za-z]+\}\{(.*)\}$", text, flags=re.MULTILINE)
    assert len(arguments) == number
    assert all(problems(argument) == [] for argument in arguments)
    digest = hashlib.sha256(rows.read_bytes()).hexdigest()
    assert f"% sha256 of the result file: {digest}\n" in text
    assert "\\newcommand{\\SpecdecRows}{50}\n" in text
    assert "\\newcommand{\\SpecdecAlphaMean}{0.654155}\n" in text
    before = target.read_bytes()
    assert command_line.main(["cite", "--macros", str(target), "--from", str(rows)]) == 0
    assert target.read_bytes() == before


def test_macros_of_a_biased_verifier_keep_its_status(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code = "def verify(target, draft, tokens, rng):\n    return [int(tokens[0])]\n"
    (tmp_path / "mine.py").write_text(code, encoding="ascii")
    result, target = str(tmp_path / "a.json"), tmp_path / "a.tex"
    spec = f"{tmp_path / 'mine.py'}:verify"
    assert command_line.main(["check", spec, "--gamma", "1", "--json", result]) == 1
    capsys.readouterr()
    assert command_line.main(["cite", "--macros", str(target), "--from", result, "--prefix", "Mine"]) == 1
    assert "said FAILED.\n" in capsys.readouterr().out
    assert "\\newcommand{\\MineStatus}{biased}\n" in target.read_text(encoding="ascii")


def test_macros_are_not_written_where_something_is_wrong(
    rows: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    changed = json.loads(rows.read_text(encoding="ascii"))
    changed["rows"][0]["alpha"] = "2/1"
    wrong = tmp_path / "wrong.json"
    wrong.write_text(json.dumps(changed), encoding="ascii")
    own = tmp_path / "own.json"
    own.write_bytes(rows.read_bytes())
    target = str(tmp_path / "numbers.tex")
    for arguments, words in (
        ([target, "--from", str(wrong)], "rows.0.alpha is '2/1'; expected at most 1"),
        ([target, "--from", str(tmp_path / "nothing.json")], "cannot be read"),
        ([target, "--from", str(rows), "--prefix", "a1"], "prefix is 'a1'"),
        ([str(own), "--from", str(own)], "is the result, which it would overwrite"),
        ([str(tmp_path), "--from", str(rows)], "cannot be written"),
        ([str(tmp_path / "no" / "a.tex"), "--from", str(rows)], "its directory does not exist"),
        (["a\0b", "--from", str(rows)], "cannot be written"),
        (["", "--from", str(rows)], "cannot be written"),
    ):
        assert command_line.main(["cite", "--macros", *arguments]) == 2
        captured = capsys.readouterr()
        assert captured.out == "BAD INPUT: nothing was checked (see stderr)\n"
        assert words in captured.err
        assert "Traceback" not in captured.err
    assert not Path(target).exists()
    assert own.read_bytes() == rows.read_bytes()


def test_empty_run_is_not_cited(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["cite"], Registry((), ())) == 5
    assert capsys.readouterr().out.startswith("UNVERIFIED: ")


def test_run_is_told_on_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    command_line.main(SINGLE)
    assert capsys.readouterr().err.splitlines()[0] == "done: single_token"
