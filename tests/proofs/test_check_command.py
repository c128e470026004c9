"""The command ``check``: every exit status, what it says and writes, and what it does when it is cut short."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from proofs import command_line
from proofs.engine.sources import RandomSource
from tests.proofs.conftest import run_proofs

VERIFIERS = """
import time

import numpy as np

print("imported")


def right(target, draft, tokens, rng):
    for i, t in enumerate(tokens):
        if rng.random() * draft[i, t] >= target[i, t]:
            rest = np.maximum(target[i] - draft[i], 0)
            return [*tokens[:i], rng.choice(len(rest), p=rest / rest.sum())]
    return [*tokens, rng.choice(len(target[-1]), p=target[-1])]


def batches(target, draft, tokens, rng):
    return [right(*request, rng) for request in zip(target, draft, tokens)]


def one_row(target, draft, tokens, rng):
    return [right(target[0], *request, rng) for request in zip(draft, tokens)]


class Keeps:
    def __init__(self):
        self.seen = []

    def __call__(self, *given):
        self.seen.append(given)
        return right(*given)


def sloppy(target, draft, tokens, rng):
    return [*tokens, rng.choice(len(target[-1]), p=target[-1])]


def takes_coins(target, draft, tokens, rng):
    return [int((target[0].cumsum() > rng.coins(1)[0]).argmax())]


def crashing(target, draft, tokens, rng):
    raise ZeroDivisionError


def leaving(target, draft, tokens, rng):
    raise SystemExit(0)


def printing(target, draft, tokens, rng):
    print("in a call")
    return right(target, draft, tokens, rng)


def slow(target, draft, tokens, rng):
    if len(tokens) == 2:
        time.sleep(0.05)
    return right(target, draft, tokens, rng)


def swallowing(target, draft, tokens, rng):
    try:
        return slow(target, draft, tokens, rng)
    except BaseException as error:
        if isinstance(error, KeyboardInterrupt):
            return [7]
        raise


def first(target, draft, tokens, rng):
    return int(rng.choice(len(target), p=target))


def lying(prefix, row, rng):
    return 0


class Held:
    @staticmethod
    def right(target, draft, tokens, rng):
        return right(target, draft, tokens, rng)


VALUE = 3
"""

SMALL = ["--gamma", "1", "--vocabulary", "2", "--paths", "0"]


@pytest.fixture(autouse=True)
def _in_a_directory_with_verifiers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "verifiers_of_mine.py").write_text(VERIFIERS, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", list(sys.path))
    before = set(sys.modules)
    yield
    for name in set(sys.modules) - before:
        if "of_mine" in name:
            del sys.modules[name]


def _check(name: str, *options: str) -> int:
    return command_line.main(["check", f"verifiers_of_mine.py:{name}", *options])


@pytest.mark.parametrize(
    ("name", "options", "status", "last"),
    [
        ("right", SMALL, 0, "VERIFIED: lossless: exact arithmetic, real uniforms, gamma 1, V = 2: "),
        ("Held.right", SMALL, 0, "VERIFIED: lossless: "),
        ("sloppy", SMALL, 1, "FAILED: biased: exact arithmetic, real uniforms, gamma 1, V = 2: "),
        ("crashing", SMALL, 5, "UNVERIFIED: unverified: exact arithmetic"),
        ("leaving", SMALL, 5, "UNVERIFIED: unverified: exact arithmetic"),
        ("VALUE", SMALL, 2, "BAD INPUT: nothing was checked (see stderr)"),
        ("right", [*SMALL, "--arithmetic", "float64"], 0, "VERIFIED: lossless: float64 arithmetic on dyadic rows"),
        ("right", [*SMALL, "--arithmetic", "float32"], 5, "UNVERIFIED: unverified: float32 arithmetic on dyadic rows"),
        (
            "first",
            ["--siblings", "--paths", "0", "--arithmetic", "float32"],
            0,
            "VERIFIED: lossless: float32 arithmetic",
        ),
        ("sloppy", [*SMALL, "--within", "1"], 0, "VERIFIED: within the bound: exact arithmetic"),
        ("sloppy", [*SMALL, "--within", "1/3"], 1, "FAILED: biased: exact arithmetic"),
        ("crashing", [*SMALL, "--within", "1"], 5, "UNVERIFIED: unverified: exact arithmetic"),
        ("right", [*SMALL, "--drafter", "verifiers_of_mine.py:lying"], 1, "FAILED: biased: exact arithmetic"),
        ("right", [*SMALL, "--drafter", "verifiers_of_mine.py:none"], 2, "BAD INPUT: nothing was checked"),
        ("right", [*SMALL, "--max-paths", "1"], 5, "UNVERIFIED: unverified: exact arithmetic"),
        ("first", ["--siblings", "--paths", "0"], 0, "VERIFIED: lossless: exact arithmetic, real uniforms, one call"),
        ("first", ["--siblings", "-k", "2", "--without-replacement", "--paths", "0"], 0, "VERIFIED: lossless: "),
        ("right", ["--siblings", "--paths", "0"], 5, "UNVERIFIED: unverified: "),
    ],
)
def test_word_and_status(
    name: str, options: list[str], status: int, last: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _check(name, *options) == status
    captured = capsys.readouterr()
    assert captured.out.splitlines()[-1].startswith(last)
    assert "Traceback" not in captured.err


def test_output_is_the_verdict_between_two_lines(capsys: pytest.CaptureFixture[str]) -> None:
    from proofs import check
    from proofs.loading import load

    assert _check("sloppy", "--gamma", "1") == 1
    lines = capsys.readouterr().out.splitlines()
    verdict = check(load("verifiers_of_mine.py:sloppy"), gamma=1)
    assert lines[0] == "verifier: verifiers_of_mine.py:sloppy"
    assert lines[1:-1] == str(verdict).splitlines()
    assert lines[-1] == f"FAILED: biased: {verdict.scope} ({verdict.reason})"


def test_verifier_within_its_bound_is_never_called_lossless(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _check("right", *SMALL, "--within", "1/100", "--json", "out.json") == 0
    assert "lossless" not in capsys.readouterr().out
    document = json.loads((tmp_path / "out.json").read_text(encoding="ascii"))
    assert document["status"] == "within the bound"
    assert document["reason"] == "total variation 0 at most on 20 inputs, within the bound 1/100"
    assert "lossless" not in document["verdict"]["scope"]


def test_json_says_what_the_text_says(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--gamma", "1", "--tolerance", "1/1000", "--allow-state", "a", "b", "--worst", "--no-shrink"]
    assert _check("sloppy", *options, "--paths", "0", "--json", "out.json") == 1
    last = capsys.readouterr().out.splitlines()[-1]
    document = json.loads((tmp_path / "out.json").read_text(encoding="ascii"))
    verdict = document["verdict"]
    assert last == f"{verdict['word']}: {verdict['scope']} ({verdict['reasons'][0]})"
    assert verdict["exit_status"] == document["exit_status"] == 1
    assert (document["schema"], document["spec"]) == ("specdec-proofs/check/1", "verifiers_of_mine.py:sloppy")
    assert document["options"] == {
        "accept": None, "allow_state": ["a", "b"], "arithmetic": "auto", "batch": None, "drafter": None,
        "factory": False, "gamma": [1], "max_paths": 10000, "paths": 0, "shrink": False, "siblings": False,
        "tolerance": "1/1000", "vocabulary": [3], "within": None, "worst": True,
    }  # fmt: skip
    assert document["status"] == "biased"
    assert document["counterexample"]["vocabulary"] == 3
    assert document["worst"] == document["counterexample"]["total_variation"] == "1/1"


def test_swept_agreement_is_lossless_if_it_is_accepted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--gamma", "0", "--vocabulary", "2", "--paths", "0"]
    assert _check("takes_coins", *options) == 5
    assert 'agreement counts with accept="swept"' in " ".join(capsys.readouterr().out.split())
    outputs = []
    for jobs in ("1", "2"):
        assert _check("takes_coins", *options, "--accept", "swept", "--jobs", jobs, "--json", "out.json") == 0
        outputs.append(capsys.readouterr().out)
    assert outputs[0] == outputs[1]
    assert "lossless: swept, the law is the target's" in outputs[0]
    assert json.loads((tmp_path / "out.json").read_text())["options"]["accept"] == "swept"


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_factory_on_the_command_line(jobs: str, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--gamma", "1", "--paths", "0", "--arithmetic", "exact", "--jobs", jobs]
    assert _check("Keeps", *options, "--factory") == 0
    assert "the verifier is made anew for every path" in " ".join(capsys.readouterr().out.split())
    assert _check("right", *options, "--factory") == 2
    assert "with factory=True it makes the verifier" in capsys.readouterr().err


@pytest.mark.parametrize("jobs", ["1", "2"])
def test_batches_on_the_command_line(jobs: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    options = ["--gamma", "1", "--paths", "0", "--arithmetic", "exact", "--jobs", jobs, "--json", "out.json"]
    assert _check("batches", *options, "--batch", "1", "2") == 0
    assert "5 pairs of requests with B = 2" in " ".join(capsys.readouterr().out.split())
    assert json.loads((tmp_path / "out.json").read_text(encoding="ascii"))["options"]["batch"] == [1, 2]
    assert _check("one_row", *options, "--batch", "2") == 1
    document = json.loads((tmp_path / "out.json").read_text(encoding="ascii"))
    assert document["counterexample"]["batch"]["request"] == 1
    assert _check("one_row", *options, "--batch", "1") == 0


def test_more_processes_give_the_same_bytes(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for name, options in (
        ("right", ["--gamma", "1", "--paths", "50"]),
        ("sloppy", ["--gamma", "1"]),
        ("right", ["--gamma", "1", "--paths", "0", "--drafter", "verifiers_of_mine.py:lying", "--worst"]),
        ("first", ["--siblings", "--paths", "50"]),
    ):
        outputs = []
        for jobs in ("1", "2"):
            status = _check(name, *options, "--jobs", jobs, "--json", f"{jobs}.json")
            outputs.append((status, capsys.readouterr().out, (tmp_path / f"{jobs}.json").read_bytes()))
        assert outputs[0] == outputs[1]


def test_what_the_verifier_prints_goes_to_stderr(capsys: pytest.CaptureFixture[str]) -> None:
    assert _check("printing", *SMALL) == 0
    printed = capsys.readouterr()
    assert _check("right", *SMALL) == 0
    assert printed.out == capsys.readouterr().out.replace("right", "printing")
    assert printed.err.count("imported\n") == 1
    assert printed.err.count("in a call\n") > 30


@pytest.mark.parametrize("module", [False, True])
def test_file_that_cannot_be_imported_is_bad_input(module: bool, capsys: pytest.CaptureFixture[str]) -> None:
    for text, message in (
        ("raise RuntimeError('for a reason\\nof two lines')", "of two lines ("),
        ("import sys; sys.exit(0)", "SystemExit: 0 ("),
        ("def f(:", "SyntaxError: "),
    ):
        Path("bad_of_mine.py").write_text(text + f"  # {message}\n", encoding="utf-8")
        assert command_line.main(["check", "bad_of_mine:f" if module else "bad_of_mine.py:f"]) == 2
        captured = capsys.readouterr()
        assert captured.out == "BAD INPUT: nothing was checked (see stderr)\n"
        assert re.fullmatch(r"specdec: 'bad_of_mine(\.py)?' cannot be imported: .*\.\n", captured.err)
        assert message in captured.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["check"],
        ["check", "a:b", "--gamma", "x"],
        ["check", "a:b", "-k", "1"],
        ["--only", "lossless", "check", "a:b"],
        ["--smt", "check", "a:b"],
    ],
)
def test_bad_usage_exits_with_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(arguments) == 2
    captured = capsys.readouterr()
    assert "usage: specdec" in captured.err
    assert captured.out == "BAD INPUT: nothing was checked (see stderr)\n"


def test_help_says_that_the_file_is_executed(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["check", "--help"]) == 0
    assert "is EXECUTED" in capsys.readouterr().out


def test_error_of_ours_exits_with_3(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    def fail(*_: Any, **__: Any) -> None:
        raise LookupError("a fault of ours")

    monkeypatch.setattr("proofs.examination.judge", fail)
    assert _check("right", *SMALL) == 3
    captured = capsys.readouterr()
    assert captured.out.splitlines()[-1].startswith("ERROR: no verdict")
    assert "a fault of ours" in captured.err


def test_json_that_cannot_be_written_exits_with_2(capsys: pytest.CaptureFixture[str]) -> None:
    assert _check("right", *SMALL, "--json", "no/such/out.json") == 2
    assert "cannot be written: its directory does not exist" in capsys.readouterr().err
    if Path("/dev/full").exists():
        assert _check("right", *SMALL, "--json", "/dev/full") == 2
        assert "the JSON file was not written" in capsys.readouterr().out.splitlines()[-1]


def test_both_spellings_find_modules_of_the_current_directory(tmp_path: Path) -> None:
    """Files that are called like modules of the standard library take nobody's place."""
    for name in ("random", "tempfile", "statistics"):
        (tmp_path / f"{name}.py").write_text(VERIFIERS, encoding="utf-8")
    script = str(Path(sys.executable).with_name("specdec"))
    for spec in ("verifiers_of_mine:right", "random.py:right", f"{tmp_path / 'statistics.py'}:right"):
        outputs = set()
        for command in ([sys.executable, "-m", "proofs"], [script]):
            run = subprocess.run(
                [*command, "check", spec, *SMALL], cwd=tmp_path, capture_output=True, text=True, check=False
            )
            assert run.returncode == 0, run.stderr
            outputs.add(run.stdout)
        assert len(outputs) == 1
    run = run_proofs("check", "statistics:right", cwd=tmp_path)
    assert run.returncode == 2
    assert "'statistics' is a module of the standard library; for your file write ./statistics.py" in run.stderr


def test_nothing_but_the_json_is_left_behind(tmp_path: Path) -> None:
    run = run_proofs(
        "check", "verifiers_of_mine.py:right", "--gamma", "1", "--vocabulary", "2", "--paths", "300",
        "--json", "a b.json", cwd=tmp_path, PYTHONDONTWRITEBYTECODE="1",
    )  # fmt: skip
    assert run.returncode == 0
    assert "drawn by Hypothesis" in run.stdout
    assert {path.name for path in tmp_path.iterdir()} == {"verifiers_of_mine.py", "a b.json"}


@pytest.mark.skipif(os.name == "nt", reason="signals of POSIX")
@pytest.mark.parametrize(("name", "jobs"), [("slow", "1"), ("swallowing", "1"), ("slow", "2")])
def test_ctrl_c_shows_what_was_covered(tmp_path: Path, name: str, jobs: str) -> None:
    source = VERIFIERS.replace("time.sleep(0.05)", "print('slow', flush=True), time.sleep(0.05)")
    (tmp_path / "slow_of_mine.py").write_text(source, encoding="utf-8")
    command = [sys.executable, "-m", "proofs", "check", f"slow_of_mine.py:{name}", "--jobs", jobs, "--json", "out.json"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if line == "slow\n":
                break
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert process.returncode == 5
    assert "Traceback" not in err
    last = out.splitlines()[-1]
    covered = re.search(r"(\d+) inputs of the core battery, (\d+) paths, then interrupted", last)
    assert last.startswith("UNVERIFIED: unverified: exact arithmetic")
    assert covered is not None
    assert int(covered[1]) > 0
    assert int(covered[2]) > 0
    assert f"(interrupted after {covered[1]} inputs)" in last
    document = json.loads((tmp_path / "out.json").read_text(encoding="ascii"))
    assert (document["inputs"], document["paths"]) == (int(covered[1]), int(covered[2]))
    assert document["verdict"]["exit_status"] == 5


def test_interrupt_after_a_counterexample_does_not_hide_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from proofs import counterexamples
    from proofs.shrinking import shrink as right

    def interrupted(*given: Any, **options: Any) -> Any:
        monkeypatch.setattr("time.sleep", lambda seconds: signal.raise_signal(signal.SIGINT))
        return right(*given, **options)

    source = VERIFIERS.replace(
        "def sloppy(target, draft, tokens, rng):", "def sloppy(target, draft, tokens, rng):\n    time.sleep(0)"
    )
    Path("late_of_mine.py").write_text(source, encoding="utf-8")
    monkeypatch.setattr(counterexamples, "shrink", interrupted)
    assert command_line.main(["check", "late_of_mine.py:sloppy", "--gamma", "1"]) == 1
    assert capsys.readouterr().out.splitlines()[-1].startswith("FAILED: biased: ")


def test_output_that_nobody_receives_exits_with_5(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "proofs", "check", "verifiers_of_mine.py:printing", *SMALL]
    reader, writer = os.pipe()
    os.close(reader)
    gone = subprocess.run(command, cwd=tmp_path, stdout=writer, stderr=subprocess.PIPE, check=False)
    os.close(writer)
    assert gone.returncode == 5
    assert b"Traceback" not in gone.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_stderr_that_nobody_reads_changes_no_verdict(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "proofs", "check", "verifiers_of_mine.py:printing", *SMALL]
    with open("/dev/full", "wb") as full:
        run = subprocess.run(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=full, check=False)
    assert run.returncode == 0
    assert run.stdout.splitlines()[-1].startswith(b"VERIFIED: lossless: ")


def test_optimised_python_comes_to_the_same(tmp_path: Path) -> None:
    for name, status in (("right", 0), ("sloppy", 1), ("crashing", 5)):
        runs = [
            run_proofs("check", f"verifiers_of_mine.py:{name}", *SMALL, cwd=tmp_path, python=python)
            for python in ((), ("-O",))
        ]
        assert [run.returncode for run in runs] == [status, status]
        assert runs[0].stdout == runs[1].stdout


# --- programs

PROGRAM = f"{sys.executable} {Path(__file__).parents[1] / 'external' / 'program.py'}"
ONE_COIN = ["--gamma", "0"]
NO_PIPES = pytest.mark.skipif(os.name == "nt", reason="processes and pipes of POSIX")


def _check_program(behaviour: str, *options: str) -> int:
    return command_line.main(["check", "--exec", f"{PROGRAM} {behaviour}", *SMALL, *options])


@NO_PIPES
def test_program_that_is_biased_without_coins(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert _check_program("greedy", "--json", "out.json", "--exec-timeout", "20") == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"verifier: {PROGRAM} greedy"
    assert lines[-1].startswith("FAILED: biased: float64 arithmetic on dyadic rows")
    document = json.loads((tmp_path / "out.json").read_text(encoding="ascii"))
    assert document["spec"] == f"{PROGRAM} greedy"
    assert (document["options"]["exec"], document["options"]["exec_timeout"]) == (True, 20.0)
    assert document["options"]["arithmetic"] == "float64"


@NO_PIPES
def test_program_that_dies_is_unverified_and_its_stderr_shown(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["check", "--exec", f"{PROGRAM} die_without_coins", *SMALL, "--no-shrink"]) == 5
    captured = capsys.readouterr()
    assert captured.out.splitlines()[-1].startswith("UNVERIFIED: unverified: float64 arithmetic on dyadic rows")
    assert "(the external verifier ended with exit status 3 (request 1) (tokens [0], coins [])" in captured.out
    assert captured.err.endswith("the last lines of the program's stderr:\n  about to\n  leave\n")


@NO_PIPES
def test_program_that_hangs_is_unverified(capsys: pytest.CaptureFixture[str]) -> None:
    assert _check_program("hang_without_coins", "--exec-timeout", "0.5") == 5
    captured = capsys.readouterr()
    assert "the external verifier gave no answer within 0.5 s (request 1)" in captured.out
    assert captured.err == ""


@NO_PIPES
@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("./no-such-program", "--exec './no-such-program': './no-such-program' cannot be started: No such file"),
        (f"{PROGRAM} chatty", "the external verifier greeted with 'hello'; expected a JSON object on a line"),
        (f"{PROGRAM} stillborn", "ended with exit status 1, where its greeting was due; the last line of its stderr:"),
        ("", "the command is empty"),
    ],
)
def test_what_is_no_such_program_exits_with_2(command: str, words: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["check", "--exec", command, *SMALL]) == 2
    captured = capsys.readouterr()
    assert captured.out == "BAD INPUT: nothing was checked (see stderr)\n"
    assert words in captured.err


@NO_PIPES
def test_ctrl_c_ends_the_program_too(tmp_path: Path) -> None:
    command = [
        sys.executable,
        "-m",
        "proofs",
        "check",
        "--exec",
        f"{PROGRAM} waits_without_coins",
        "--exec-timeout",
        "60",
    ]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not (tmp_path / "pid").is_file() or not (tmp_path / "pid").read_text():
            time.sleep(0.05)
        pid = int((tmp_path / "pid").read_text())
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=30)
    assert process.returncode == 5
    assert out.splitlines()[-1].startswith("UNVERIFIED: ")
    assert "interrupted" in out.splitlines()[-1]
    assert "Traceback" not in err
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


@NO_PIPES
@pytest.mark.skipif(not hasattr(RandomSource, "coins"), reason="the law engine has no coins as arguments")
@pytest.mark.parametrize(
    ("behaviour", "options", "status", "word"),
    [
        ("right", ["--accept", "swept", *ONE_COIN], 0, "VERIFIED: lossless: "),
        ("right", ONE_COIN, 5, "UNVERIFIED: unverified: "),
        pytest.param(
            "in_fractions",
            ["--accept", "swept", *ONE_COIN, "--arithmetic", "float32"],
            0,
            "VERIFIED: lossless: ",
            marks=pytest.mark.heavy,
        ),
        ("sloppy", ["--accept", "swept", "--no-shrink"], 1, "FAILED: biased: "),
        pytest.param(
            "not_strict", ["--accept", "swept", "--no-shrink"], 1, "FAILED: biased: ", marks=pytest.mark.heavy
        ),
        ("hang", ["--accept", "swept", "--exec-timeout", "0.5"], 5, "UNVERIFIED: unverified: "),
        ("debug", ["--accept", "swept"], 5, "UNVERIFIED: unverified: "),
        ("lucky", ["--accept", "swept"], 5, "UNVERIFIED: unverified: "),
        ("crash", ["--accept", "swept", *ONE_COIN], 5, "UNVERIFIED: unverified: "),
        pytest.param("right", ["--accept", "swept"], 0, "VERIFIED: lossless: ", marks=pytest.mark.heavy),
    ],
)
def test_program_with_coins(
    behaviour: str, options: list[str], status: int, word: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert _check_program(behaviour, *options) == status
    out = capsys.readouterr().out
    assert out.splitlines()[-1].startswith(word)
    assert status or "swept" in out
