"""The Coq library in `proofs/coq`: what it states, and compiling it.

Nothing that an earlier run has left is trusted: the sources are copied to a new directory and compiled there, one after
the other, and every theorem is asked for the axioms that it rests on. The hashes of sources and objects are those of
this run.
"""

import hashlib
import re
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path

from proofs.coq_results import CoqRun
from proofs.verdicts import Finding, Outcome

__all__ = [
    "COQ",
    "FLAGS",
    "FOLDER",
    "MATHCOMP",
    "compile_file",
    "compile_library",
    "sources",
    "stated",
    "stated_among",
    "write_sources",
]

FOLDER = Path(__file__).parent / "coq"
COQ, MATHCOMP = "8.16", "1.15"  # what the sources are written for
FLAGS = ("-q", "-Q", ".", "SpecDec", "-w", "-notation-overridden,-ambiguous-paths")
_SECONDS = 600  # for one file; the slowest takes a few
_PROJECT = "_CoqProject"
_STOPPED = ("User interrupt", "ut of memory", "Stack overflow")
_CLOSED = "Closed under the global context"


def sources() -> dict[str, str]:
    """Return the text of every file of the library, in the order in which they are compiled."""
    project = (FOLDER / _PROJECT).read_text(encoding="ascii")
    names = [line for line in project.splitlines() if line.endswith(".v")]
    return {name: (FOLDER / name).read_text(encoding="utf-8") for name in names}


def stated(texts: dict[str, str] | None = None) -> dict[str, str]:
    """Return the name of every theorem of the library, with its file.

    Parameters
    ----------
    texts : mapping of file name to text, optional
        The library's own files by default.

    Returns
    -------
    dict
    """
    known = sources() if texts is None else texts
    return {name: file for file, text in known.items() for name in re.findall(r"^Theorem (\w+)", text, re.MULTILINE)}


def write_sources(directory: Path, texts: dict[str, str]) -> None:
    """Put the files into a directory."""
    for name, text in texts.items():
        (directory / name).write_text(text, encoding="utf-8")


def compile_file(directory: Path, name: str) -> tuple[int, str]:
    """Compile one file where it is, and return coqc's status and what it printed; -1 where it took too long.

    Parameters
    ----------
    directory : Path
    name : str

    Returns
    -------
    int, str

    Raises
    ------
    FileNotFoundError
        If there is no coqc.
    """
    command = ["coqc", *FLAGS, name]
    try:
        done = subprocess.run(
            command, cwd=directory, capture_output=True, text=True, timeout=_SECONDS, check=False, errors="replace"
        )
    except subprocess.TimeoutExpired:
        return -1, f"not done after {_SECONDS} s"
    return done.returncode, done.stdout + done.stderr


def stated_among(theorems: Iterable[str]) -> CoqRun:
    """Return a run in which nothing is compiled yet: which of these theorems the library states."""
    files = stated()
    return CoqRun({name: files[name] for name in theorems if name in files})


def compile_library(run: CoqRun, progress: Callable[[str], None]) -> None:
    """Compile the library, and fill in which of the run's theorems it machine-checks.

    Nothing is checked, and the reason is among the run's findings, where Coq or its library is missing, a file is
    refused, or a theorem rests on an axiom.

    Parameters
    ----------
    run : CoqRun
        As `stated_among` returns it.
    progress : callable
        Is told, in words, of what is done.
    """
    run.wanted, version = True, _version()
    if version is None:
        missing = f"--coq needs Coq {COQ} with mathcomp {MATHCOMP}: there is no coqc"
        run.findings.append(Finding(Outcome.UNVERIFIED, missing))
        return
    run.version = version
    with tempfile.TemporaryDirectory() as place:
        _compile(run, Path(place), sources(), progress)


def _version() -> str | None:
    if shutil.which("coqc") is None:
        return None
    done = subprocess.run(["coqc", "--print-version"], capture_output=True, text=True, check=False, timeout=60)
    words = done.stdout.split()
    return words[0] if done.returncode == 0 and words else None


def _compile(run: CoqRun, directory: Path, texts: dict[str, str], progress: Callable[[str], None]) -> None:
    write_sources(directory, texts)
    for name in texts:
        status, printed = compile_file(directory, name)
        if status:
            run.findings.append(_refusal(run, name, status, printed))
            return
        if not (directory / f"{name}o").is_file():
            run.findings.append(Finding(Outcome.UNVERIFIED, f"coqc left no object of {name}"))
            return
        run.sources[name] = _sha256(directory / name)
        run.objects[f"{name}o"] = _sha256(directory / f"{name}o")
        progress(f"compiled: {name}")
    if any(run.sources[name] != hashlib.sha256(text.encode()).hexdigest() for name, text in texts.items()):
        run.findings.append(Finding(Outcome.UNVERIFIED, "the sources changed while they were compiled"))
        return
    run.uses = _uses(texts)
    _look_at_axioms(run, directory, stated(texts))


def _uses(texts: dict[str, str]) -> dict[str, tuple[str, ...]]:
    """Return what each file stands on; the files come in an order in which they compile."""
    found: dict[str, tuple[str, ...]] = {}
    for name, text in texts.items():
        lines = re.findall(r"^From SpecDec Require Import ([\w ]+)\.$", text, re.MULTILINE)
        direct = {f"{module}.v" for line in lines for module in line.split()}
        behind = direct.union(*(found[file] for file in direct))
        found[name] = tuple(file for file in texts if file in behind)
    return found


def _refusal(run: CoqRun, name: str, status: int, printed: str) -> Finding:
    """Only what Coq itself refuses speaks against a proof."""
    message = " ".join(printed.split())[:300]
    if status < 0 or any(word in printed for word in _STOPPED):
        return Finding(Outcome.UNVERIFIED, f"coqc was stopped at {name}: {message or 'without a word'}")
    if "with prefix mathcomp" in message:
        return Finding(Outcome.UNVERIFIED, f"Coq does not find mathcomp {MATHCOMP}")
    if not f"{run.version}.".startswith(f"{COQ}."):
        return Finding(Outcome.UNVERIFIED, f"Coq {run.version}, not {COQ}, refuses {name}: {message}")
    return Finding(Outcome.DIFFERS, f"Coq refuses {name}: {message}")


def _look_at_axioms(run: CoqRun, directory: Path, theorems: dict[str, str]) -> None:
    """Ask for what each theorem rests on, and keep those that rest on nothing."""
    modules = " ".join(sorted({file.removesuffix(".v") for file in theorems.values()}))
    lines = [f"From SpecDec Require {modules}."]
    for name, file in theorems.items():
        lines += [
            f'Goal True. idtac "@ {name}". Abort.',
            f"Print Assumptions SpecDec.{file.removesuffix('.v')}.{name}.",
        ]
    (directory / "Assumptions.v").write_text("\n".join(lines) + "\n", encoding="ascii")
    status, printed = compile_file(directory, "Assumptions.v")
    if status:
        message = " ".join(printed.split())[:200]
        run.findings.append(Finding(Outcome.UNVERIFIED, f"the axioms were not listed: {message}"))
        return
    said = {part.split("\n", 1)[0].strip(): part.split("\n", 1)[1].strip() for part in printed.split("@ ")[1:]}
    run.checked = {name: file for name, file in theorems.items() if said.get(name) == _CLOSED}
    for name in theorems:
        if name not in run.checked:
            rests = " ".join(said.get(name, "nothing was printed").split())[:200]
            run.findings.append(Finding(Outcome.DIFFERS, f"{name} does not stand without axioms in Coq: {rests}"))


def _sha256(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
