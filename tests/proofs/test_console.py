"""Output that cannot be delivered, and Ctrl-C that somebody swallows."""

import contextlib
import io
import signal
import threading
from pathlib import Path
from typing import Any

import pytest

from proofs import console


class Broken:
    """A stream that is full."""

    def write(self, text: str) -> int:
        raise OSError("no space")

    def flush(self) -> None:
        raise OSError("no space")


def test_undelivered_output_is_raised(monkeypatch: pytest.MonkeyPatch) -> None:
    for stream in (Broken(), None):
        monkeypatch.setattr("sys.stdout", stream)
        with pytest.raises(console.Undelivered):
            console.say(["a line"])
    monkeypatch.setattr("sys.stdout", Broken())
    with pytest.raises(console.Undelivered):
        console.flush()


def test_notes_that_nobody_reads_are_dropped(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr", None)
    console.note("lost")
    assert capsys.readouterr().out == ""


def test_swallowed_interrupt_is_remembered() -> None:
    with console.Interrupts() as interrupts:
        assert not interrupts.seen
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
        assert interrupts.seen
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_handler_of_somebody_else_is_left_alone() -> None:
    mine: Any = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with console.Interrupts():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, mine)


def test_other_threads_install_nothing() -> None:
    seen: list[bool] = []

    def work() -> None:
        with console.Interrupts() as interrupts:
            seen.append(interrupts.seen)

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert seen == [False]


class Terminal(io.StringIO):
    """A stream that says it is one."""

    def isatty(self) -> bool:
        return True


def test_progress_is_for_terminals_and_not_too_often(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    for stream, shown in ((Terminal(), "\r2 rows\r4 rows"), (io.StringIO(), "")):
        monkeypatch.setattr("sys.stderr", stream)
        progress = console.Progress()
        for rows in range(1, 6):
            now[0] += 0.15
            progress.show(rows)
        assert stream.getvalue() == shown
        progress.end()
        assert stream.getvalue().rstrip(" \r") == shown


def test_somebody_elses_output_goes_to_stderr_and_never_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    aside = console.Aside()
    print("heard", file=aside, flush=True)
    aside.close()
    print("again", file=aside)
    assert capsys.readouterr() == ("", "heard\nagain\n")
    monkeypatch.setattr("sys.stderr", None)
    print("lost", file=aside)


def test_one_file_has_several_names(tmp_path: Path) -> None:
    file, link = tmp_path / "file", tmp_path / "link"
    file.write_text("x", encoding="ascii")
    link.symlink_to(file)
    assert console.same_file(str(file), str(link))
    assert console.same_file(str(tmp_path / ".." / tmp_path.name / "file"), str(file))
    for other in (str(tmp_path), str(tmp_path / "missing"), "a\0b"):
        assert not console.same_file(str(file), other)
