"""Programs that are asked line by line: answers, limits of time and size, and how each of them ends."""

import os
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from proofs.exec_process import ExecError, LineProcess

Start = Callable[..., LineProcess]

ECHO = "import sys\nfor line in sys.stdin:\n    print(line.rstrip()[::-1], flush=True)"
pytestmark = pytest.mark.skipif(os.name == "nt", reason="processes and pipes of POSIX")


@pytest.fixture
def start() -> Iterator[Start]:
    made: list[LineProcess] = []

    def started(code: str) -> LineProcess:
        made.append(LineProcess([sys.executable, "-c", code]))
        return made[-1]

    yield started
    for process in made:
        process.end(at_once=True)


def _lives(pid: int) -> bool:
    """Tell whether a process runs; one that has ended and that nobody has waited for does not."""
    try:
        with open(f"/proc/{pid}/stat", encoding="ascii") as file:
            return file.read().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_lines_come_back_one_for_one(start: Start) -> None:
    process = start(ECHO)
    assert [process.ask(line, 20) for line in (b"abc\n", b"\n", b"xy\n")] == [b"cba", b"", b"yx"]
    assert process.end() == 0
    assert process.last_errors() == []


def test_long_lines_pass_both_ways_at_once(start: Start) -> None:
    """Neither pipe holds so much: a program that writes before it has read all must not wait for us."""
    process = start("import sys\nfor line in sys.stdin:\n    print('y' * 900_000, flush=True)")
    assert process.ask(b"x" * 3_000_000 + b"\n", 20) == b"y" * 900_000


def test_stderr_is_read_all_the_while_and_its_end_kept(start: Start) -> None:
    process = start("import sys\ninput()\nprint('e' * 9 + chr(10), file=sys.stderr, end='') if 0 else None\n"
                    "[print(k, file=sys.stderr) for k in range(100_000)]\nprint('done')")  # fmt: skip
    assert process.ask(b"\n", 20) == b"done"
    process.end()
    assert process.last_errors(2) == ["99998", "99999"]


def test_greeting_is_waited_for_without_asking(start: Start) -> None:
    assert start("print('hello')\ninput()").ask(b"", 20) == b"hello"


@pytest.mark.parametrize(
    "code", ["import time; time.sleep(60)", "import time\nwhile 1: print(' ', end='', flush=True); time.sleep(.02)"]
)
def test_limit_is_for_the_whole_line(start: Start, code: str) -> None:
    process, begin = start(code), time.monotonic()
    with pytest.raises(ExecError, match=r"^gave no answer within 0\.3 s$"):
        process.ask(b"\n", 0.3)
    assert 0.3 <= time.monotonic() - begin < 5


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("input()", r"ended with exit status 0"),
        ("input(); raise SystemExit(7)", r"ended with exit status 7"),
        ("import os; input(); os.kill(os.getpid(), 9)", r"ended by signal 9"),
        ("input(); print('half', end='')", r"ended with exit status 0, in the middle of 'half'"),
        ("import os, time; input(); os.close(1); time.sleep(60)", r"closed its standard output"),
        ("input(); print('one'); print('two')", r"wrote more than one line: 'one', then 'two\\n'"),
        ("input(); print('z' * 2_000_000)", r"wrote more than 1048576 bytes for one answer: 'z{80}'\.\.\."),
    ],
)
def test_what_is_no_answer(start: Start, code: str, words: str) -> None:
    process = start(f"import sys; sys.stdout = open(1, 'w', buffering=1 << 22, closefd=False)\n{code}")
    with pytest.raises(ExecError, match=f"^{words}$"):
        process.ask(b"\n", 20)
    process.end(at_once=True)
    assert not _lives(process.pid)


def test_program_that_has_left_already(start: Start) -> None:
    process = start("raise SystemExit(4)")
    time.sleep(0.3)
    with pytest.raises(ExecError, match="^ended with exit status 4$"):
        process.ask(b"x" * 1_000_000 + b"\n", 20)


def test_end_waits_for_a_program_that_leaves(start: Start) -> None:
    process = start("import sys, time\nsys.stdin.read()\ntime.sleep(.2)\nprint('bye', file=sys.stderr)\nsys.exit(5)")
    assert [process.end(), process.end()] == [5, 5]
    assert process.last_errors() == ["bye"]


def test_end_kills_what_stays_and_its_children(start: Start) -> None:
    code = "import subprocess, sys, time\np = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
    process = start(code + "print(p.pid, flush=True)\nsys.stdin.read()\ntime.sleep(60)")
    child = int(process.ask(b"", 20))
    assert _lives(child)
    begin = time.monotonic()
    assert process.end() == -9
    assert time.monotonic() - begin < 10
    time.sleep(0.2)
    assert not _lives(process.pid)
    assert not _lives(child)


def test_children_of_a_program_that_leaves_are_ended(start: Start) -> None:
    code = "import subprocess, sys\np = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
    process = start(code + "print(p.pid, flush=True)\nsys.stdin.read()")
    child = int(process.ask(b"", 20))
    assert process.end() == 0
    time.sleep(0.2)
    assert not _lives(child)


def test_program_has_a_session_of_its_own(start: Start) -> None:
    process = start("import os\nprint(os.getsid(0) == os.getpgid(0) == os.getpid(), flush=True)\ninput()")
    assert process.ask(b"", 20) == b"True"
    assert os.getpgid(process.pid) == process.pid != os.getpgid(0)


def test_what_cannot_be_started() -> None:
    with pytest.raises(FileNotFoundError):
        LineProcess(["./no such program"])
