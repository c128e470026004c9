"""The command: its output to the byte, every exit status, and what it does when it is cut short."""

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from proofs import command_line
from proofs.runner import REGISTRY, Registry
from tests.proofs import conftest
from tests.proofs.conftest import run_proofs

Build = Callable[..., Registry]
DATA = Path(__file__).parents[1] / "data"
GOLDEN = DATA / "proofs_output.txt"


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], Path]:
    directory = tmp_path_factory.mktemp("run")
    return run_proofs("--json", "run.json", cwd=directory, SYMPY_GROUND_TYPES="python"), directory


def test_output_is_the_golden_file(whole_run: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    run, _ = whole_run
    assert run.returncode == 0
    assert run.stdout == GOLDEN.read_text(encoding="ascii")


def test_output_is_the_same_bytes_under_optimisation_and_other_ground_types(tmp_path: Path) -> None:
    """Under -O no assert runs; without SYMPY_GROUND_TYPES SymPy takes gmpy2 or flint where installed."""
    run = run_proofs(cwd=tmp_path, python=("-O",), PYTHONHASHSEED="1")
    assert run.stdout == GOLDEN.read_text(encoding="ascii")
    assert run.returncode == 0


def test_output_names_no_time_path_or_version(whole_run: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    run, directory = whole_run
    assert str(directory) not in run.stdout
    assert not re.search(r"\d+\.\d+\.\d+|[0-9] ?s(ec|\b)|sympy [0-9]", run.stdout)
    assert "sympy" in run.stderr


def test_working_directory_holds_the_json_alone(whole_run: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    _, directory = whole_run
    assert [path.name for path in directory.iterdir()] == ["run.json"]


def test_json_says_what_the_text_says(whole_run: tuple[subprocess.CompletedProcess[str], Path]) -> None:
    run, directory = whole_run
    document = json.loads((directory / "run.json").read_text(encoding="ascii"))
    assert document["schema"] == "specdec-proofs/run/1"
    assert document.keys() == {"schema", "verdict", "theorems", "mutants", "words", "versions"}
    verdict = document["verdict"]
    assert run.stdout.splitlines()[-1] == f"{verdict['word']}: {verdict['scope']}"
    assert verdict["exit_status"] == run.returncode
    assert [theorem["id"] for theorem in document["theorems"]] == [theorem.id for theorem in REGISTRY.theorems]
    for theorem in document["theorems"]:
        assert (theorem["proved"] is None) == (theorem["about"] != "token rule")
        if theorem["proved"] is not None:
            assert theorem["proved"]["complete"] is True
            assert all(goal["holds"] for goal in theorem["proved"]["goals"])
        assert theorem["checked"]["counterexample"] is None
        named = theorem["id"] if theorem["about"] == "token rule" else f"{theorem['id']} ({theorem['about']})"
        assert f"\n{named}\n" in run.stdout
    for mutant in document["mutants"]:
        for witness in mutant["witnesses"].values():
            rows = [witness["p"], witness["q"]] if "p" in witness else [*witness["target"], *witness["draft"]]
            assert all(re.fullmatch(r"-?\d+/\d+", value) for row in rows for value in row)
            assert witness["difference"]


def test_only_one_theorem(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["--only", "single_token"]) == 0
    last = capsys.readouterr().out.splitlines()[-1]
    others, mutants = len(REGISTRY.theorems) - 14, len(REGISTRY.mutants) - 3
    assert last == (
        f"VERIFIED: 1 of 14 theorems proved and checked, 0 of {others} others checked, 3 of 3 mutants refuted; "
        f"{13 + others} theorems and {mutants} mutants not selected"
    )


def test_false_theorem_exits_with_1(capsys: pytest.CaptureFixture[str], registry: Build) -> None:
    assert command_line.main([], registry=registry(holds=conftest.never_equal)) == 1
    out = capsys.readouterr().out
    assert "  FAILS    p (1) q (1): dist is p for V = 1" in out
    assert out.splitlines()[-1].startswith("FAILED: 0 of 1 theorems")
    assert "lossless does not hold" in out.splitlines()[-1]


def test_unproved_theorem_exits_with_1(capsys: pytest.CaptureFixture[str], registry: Build) -> None:
    def prove(kernel: Any) -> Any:
        from proofs.induction import Derivation

        derivation = Derivation()
        derivation.zero("one is zero", 1)
        return derivation.proof()

    assert command_line.main([], registry=registry(prove=prove)) == 1
    assert "  NOT PROVED: one is zero" in capsys.readouterr().out


def test_surviving_mutant_exits_with_1(capsys: pytest.CaptureFixture[str], registry: Build) -> None:
    assert command_line.main([], registry=registry(mutant=conftest.the_rule_itself())) == 1
    out = capsys.readouterr().out
    assert "  SURVIVES lossless: no case of its grid tells it from the rule" in out
    assert "mutant accept_everything survives lossless" in out.splitlines()[-1]


def test_mutant_that_is_proved_exits_with_1(capsys: pytest.CaptureFixture[str], registry: Build) -> None:
    assert command_line.main([], registry=registry(mutant=conftest.proof_slips_through())) == 1
    assert "  PROVED   lossless: its proof goes through for this mutant" in capsys.readouterr().out


def test_crash_of_ours_exits_with_3(capsys: pytest.CaptureFixture[str], registry: Build) -> None:
    def crash(rule: Any, case: Any) -> str | None:
        raise ZeroDivisionError("a fault of ours")

    assert command_line.main([], registry=registry(holds=crash)) == 3
    captured = capsys.readouterr()
    assert captured.out.splitlines()[-1].startswith("ERROR: no verdict")
    assert "a fault of ours" in captured.err


def test_interrupted_run_exits_with_5(capsys: pytest.CaptureFixture[str], registry: Build) -> None:
    def interrupt(rule: Any, case: Any) -> str | None:
        raise KeyboardInterrupt

    assert command_line.main([], registry=registry(holds=interrupt)) == 5
    last = capsys.readouterr().out.splitlines()[-1]
    assert last.startswith("UNVERIFIED: 0 of 1 theorems")
    assert "interrupted" in last


def test_empty_registry_exits_with_5(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main([], registry=Registry((), ())) == 5
    assert "nothing was checked" in capsys.readouterr().out


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_shows_what_was_covered(tmp_path: Path) -> None:
    with subprocess.Popen(
        [sys.executable, "-u", "-m", "proofs"], cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line.startswith("done"):
                break
        process.send_signal(signal.SIGINT)
        out, _ = process.communicate(timeout=60)
    assert process.returncode == 5
    assert re.match(r"UNVERIFIED: \d+ of 14 theorems", out.splitlines()[-1])
    assert "interrupted" in out.splitlines()[-1]


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
def test_ctrl_c_while_python_shuts_down_does_not_change_the_status(tmp_path: Path) -> None:
    late = "import atexit, os, signal; atexit.register(os.kill, os.getpid(), signal.SIGINT)"
    code = f"{late}; import sys; sys.argv = ['specdec', '--only', 'single_token']; import proofs.__main__"
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.stdout.splitlines()[-1].startswith("VERIFIED")
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--only", "nonsense"], "--only 'nonsense': no such theorem; expected one of lossless, "),
        (["--json", "no/such/run.json"], "cannot be written: its directory does not exist"),
        (["--json", "."], "cannot be written: expected the name of a file"),
        (["--json", ""], "cannot be written: expected the name of a file"),
        (["--json", "x" * 300 + "/run.json"], "cannot be written"),
    ],
)
def test_bad_input_exits_with_2_and_no_traceback(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert command_line.main(arguments) == 2
    captured = capsys.readouterr()
    assert message in captured.err
    assert "Traceback" not in captured.err
    assert captured.out == "BAD INPUT: nothing was checked (see stderr)\n"


@pytest.mark.parametrize(
    "arguments",
    [["--nonsense"], ["nonsense"], ["rows"], ["--only", "", "rows", "y"], ["rows", "--normalise", "round", "y"]],
)
def test_bad_usage_exits_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(arguments) == 2
    captured = capsys.readouterr()
    assert "usage: specdec" in captured.err
    assert captured.out == "BAD INPUT: nothing was checked (see stderr)\n"


@pytest.mark.parametrize("option", ["--help", "--version"])
def test_help_and_version_exit_with_0(option: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main([option]) == 0
    assert capsys.readouterr().out


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_json_that_cannot_be_written_exits_with_2(capsys: pytest.CaptureFixture[str], registry: Build) -> None:
    assert command_line.main(["--json", "/dev/full"], registry=registry()) == 2
    assert "the JSON file was not written" in capsys.readouterr().out.splitlines()[-1]


def test_json_keeps_the_file_that_is_there(tmp_path: Path, registry: Build) -> None:
    """A link, its target's permissions and a device are written to, not replaced."""
    target, link = tmp_path / "target.json", tmp_path / "link.json"
    target.write_text("old", encoding="ascii")
    target.chmod(0o640)
    link.symlink_to(target)
    assert command_line.main(["--json", str(link)], registry=registry()) == 0
    assert link.is_symlink()
    assert target.stat().st_mode & 0o777 == 0o640
    assert json.loads(target.read_text(encoding="ascii"))["verdict"]["word"] == "VERIFIED"
    assert command_line.main(["--json", os.devnull], registry=registry()) == 0


def test_interrupt_that_was_swallowed_is_not_forgotten(capsys: pytest.CaptureFixture[str], registry: Build) -> None:
    """Ctrl-C inside a callback of the interpreter raises where nobody sees it."""

    def swallow(rule: Any, case: Any) -> str | None:
        if len(case.p) == 1:
            with contextlib.suppress(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
        return None

    built = registry()
    theorem = replace(built.theorems[0], holds=swallow)
    assert command_line.main([], registry=replace(built, theorems=(theorem,), mutants=())) == 5
    assert "interrupted" in capsys.readouterr().out.splitlines()[-1]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_stray_exit_is_an_error_and_no_verdict(capsys: pytest.CaptureFixture[str], registry: Build) -> None:
    def leave(rule: Any, case: Any) -> str | None:
        raise SystemExit(0)

    assert command_line.main([], registry=registry(holds=leave)) == 3
    assert capsys.readouterr().out.splitlines()[-1].startswith("ERROR: no verdict")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
@pytest.mark.parametrize(("arguments", "status"), [(["--only", "single_token"], 0), (["--only", "x"], 2)])
def test_stderr_that_nobody_reads_changes_no_verdict(tmp_path: Path, arguments: list[str], status: int) -> None:
    with open("/dev/full", "wb") as full:
        run = subprocess.run(
            [sys.executable, "-m", "proofs", *arguments], cwd=tmp_path, stdout=subprocess.PIPE, stderr=full, check=False
        )
    assert run.returncode == status
    assert run.stdout.splitlines()[-1].startswith(b"VERIFIED" if status == 0 else b"BAD INPUT")


def test_output_that_nobody_receives_exits_with_5(tmp_path: Path) -> None:
    """A pipe whose reader has gone, and a full disk: what was not delivered is not verified."""
    script = "import os, sys; sys.stdout.flush(); from proofs.command_line import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", script, "--only", "single_token"]
    reader, writer = os.pipe()
    os.close(reader)
    gone = subprocess.run(command, cwd=tmp_path, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert gone.returncode == 5
    assert b"Traceback" not in gone.stderr
    if Path("/dev/full").exists():
        with open("/dev/full", "wb") as full:
            assert (
                subprocess.run(command, cwd=tmp_path, stdout=full, stderr=subprocess.PIPE, check=False).returncode == 5
            )


def test_console_command_is_the_same_program(tmp_path: Path) -> None:
    script = Path(sys.executable).with_name("specdec")
    run = subprocess.run([script, "--only", "single_token"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert run.returncode == 0
    assert run.stdout == run_proofs("--only", "single_token", cwd=tmp_path).stdout
