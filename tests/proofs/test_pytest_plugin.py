"""The pytest plugin, in sessions of its own, found through its entry point as in an installed wheel."""

import os
import subprocess
import sys
import tomllib
from importlib.util import find_spec
from pathlib import Path

import pytest

pytest_plugins = ["pytester"]

ROOT = Path(__file__).parents[2]

VERIFIERS = """
    import numpy as np

    def right(target, draft, tokens, rng):
        for i, t in enumerate(tokens):
            if rng.random() * draft[i, t] >= target[i, t]:
                rest = np.maximum(target[i] - draft[i], 0)
                return [*tokens[:i], rng.choice(len(rest), p=rest / rest.sum())]
        return [*tokens, rng.choice(len(target[-1]), p=target[-1])]

    def sloppy(target, draft, tokens, rng):
        return [*tokens, rng.choice(len(target[-1]), p=target[-1])]

    def crashing(target, draft, tokens, rng):
        raise ZeroDivisionError
"""


class Session:
    """A directory with a wheel's metadata on the path, in which pytest is run."""

    def __init__(self, pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> None:
        self._pytester = pytester
        site = pytester.mkdir("site")
        _write_metadata(site)
        path = [str(site), str(ROOT), os.environ.get("PYTHONPATH", "")]
        monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, path)))
        for name in ("PYTEST_ADDOPTS", "PYTEST_PLUGINS", "PYTEST_DISABLE_PLUGIN_AUTOLOAD"):
            monkeypatch.delenv(name, raising=False)
        pytester.makepyfile(verifiers=VERIFIERS)

    def run(self, tests: str, *arguments: str, python: tuple[str, ...] = ()) -> pytest.RunResult:
        self._pytester.makepyfile(test_it="from verifiers import *\n\n" + tests)
        return self._pytester.run(sys.executable, *python, "-m", "pytest", *arguments, timeout=120)

    def script(self, text: str) -> pytest.RunResult:
        return self._pytester.run(sys.executable, self._pytester.makepyfile(script=text), timeout=120)


def _write_metadata(site: Path) -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    directory = site / "specdec_proofs-0.dist-info"
    directory.mkdir()
    (directory / "METADATA").write_text("Metadata-Version: 2.3\nName: specdec-proofs\nVersion: 0\n", encoding="utf-8")
    entries = "".join(f"{name} = {place}\n" for name, place in project["entry-points"]["pytest11"].items())
    (directory / "entry_points.txt").write_text(f"[pytest11]\n{entries}", encoding="utf-8")
    files = [path.relative_to(ROOT) for package in ("proofs", "specdec") for path in (ROOT / package).rglob("*.py")]
    (directory / "RECORD").write_text("".join(f"{file.as_posix()},,\n" for file in files), encoding="utf-8")


@pytest.fixture
def session(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Session:
    return Session(pytester, monkeypatch)


RIGHT = "def test_right(assert_lossless):\n    assert_lossless(right, gamma=1, vocabulary=2, paths=0)\n"
SLOPPY = "def test_sloppy(assert_lossless):\n    assert_lossless(sloppy, gamma=1)\n"
CRASHING = "def test_crashing(assert_lossless):\n    assert_lossless(crashing, gamma=1)\n"


def test_lossless_passes_and_warns_of_nothing(session: Session) -> None:
    session.run(RIGHT, "-W", "error").assert_outcomes(passed=1)


def test_fixtures_are_the_functions_of_the_package(session: Session) -> None:
    result = session.run(
        "import proofs\n"
        "def test_same(assert_lossless, assert_within):\n"
        "    assert assert_lossless is proofs.assert_lossless\n"
        "    assert assert_within is proofs.assert_within\n"
    )
    result.assert_outcomes(passed=1)


@pytest.mark.parametrize("style", ["auto", "long", "short", "line", "native"])
def test_biased_fails_with_the_verdict_and_no_frame_of_ours(session: Session, style: str) -> None:
    result = session.run(SLOPPY, f"--tb={style}", "--showlocals")
    result.assert_outcomes(failed=1)
    text = result.stdout.str()
    assert "biased: (0, 1) has probability 1, the target's is 0" in text
    assert "checking.py" not in text
    assert "verdict = " not in text
    if style != "line":
        assert "to see it again:" in text
        assert "assert_lossless(sloppy, gamma=1)" in text


def test_unverified_fails_and_is_not_skipped(session: Session) -> None:
    result = session.run(
        CRASHING + "\nimport pytest\n"
        "def skipping(target, draft, tokens, rng):\n    pytest.skip('not today')\n"
        "def test_skipping(assert_lossless):\n    assert_lossless(skipping, gamma=1)\n"
    )
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(
        ["E*unverified: ZeroDivisionError with probability 1 *", "E*unverified: Skipped with *"]
    )


def test_bound_is_kept_or_exceeded(session: Session) -> None:
    result = session.run(
        "def test_kept(assert_within):\n    assert_within(sloppy, 1, gamma=1, vocabulary=2, paths=0)\n"
        "def test_exceeded(assert_within):\n    assert_within(sloppy, '1/3', gamma=1)\n"
        "def test_unverified(assert_within):\n    assert_within(crashing, 1, gamma=1)\n"
    )
    result.assert_outcomes(passed=1, failed=2)
    result.stdout.fnmatch_lines(["E*beyond the bound 1/3*", "E*unverified: ZeroDivisionError*"])


def test_wrong_arguments_are_named_without_a_frame_of_ours(session: Session) -> None:
    result = session.run(
        "def test_negative(assert_lossless):\n    assert_lossless(right, gamma=-1)\n"
        "def test_unknown(assert_lossless):\n    assert_lossless(right, gama=1)\n"
        "def test_unknown_within(assert_within):\n    assert_within(right, gama=1)\n"
    )
    result.assert_outcomes(failed=3)
    text = result.stdout.str()
    assert "gamma = -1; expected an int of at least 0." in text
    assert "unexpected keyword argument 'gama'" in text
    assert "gama is no option of a check" in text
    assert "__tracebackhide__" not in text
    assert "_check(" not in text


def test_errors_of_other_code_keep_their_traceback(session: Session) -> None:
    result = session.run(
        "def deep(row, draft):\n    raise LookupError('in the declared target')\n"
        "def test_other(assert_lossless):\n    assert_lossless(right, gamma=1, target_of=deep)\n"
        "def test_plain():\n    assert 1 == 2\n"
    )
    result.assert_outcomes(failed=2)
    result.stdout.fnmatch_lines(["*LookupError: in the declared target*", "E *assert 1 == 2"])


def test_function_without_the_fixture_shows_no_frame_of_ours_either(session: Session) -> None:
    result = session.run("import proofs\ndef test_sloppy():\n    proofs.assert_lossless(sloppy, gamma=-1)\n")
    result.assert_outcomes(failed=1)
    assert "checking.py" not in result.stdout.str()


def test_switched_off_the_fixtures_are_unknown(session: Session) -> None:
    result = session.run(RIGHT, "-p", "no:specdec")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*fixture 'assert_lossless' not found*"])


@pytest.mark.skipif(find_spec("xdist") is None, reason="needs pytest-xdist")
def test_distributed_over_processes(session: Session) -> None:
    result = session.run(RIGHT + SLOPPY + CRASHING, "-n", "2", "-W", "error")
    result.assert_outcomes(passed=1, failed=2)
    text = result.stdout.str()
    assert "to see it again:" in text
    assert "unverified: ZeroDivisionError" in text
    assert "checking.py" not in text


def test_optimised_python_fails_the_same_tests(session: Session) -> None:
    result = session.run(RIGHT + SLOPPY + CRASHING, python=("-O",))
    result.assert_outcomes(passed=1, failed=2, warnings=1)  # pytest's own, on assert statements


def test_session_without_a_check_imports_nothing_heavy(session: Session) -> None:
    result = session.run(
        "import sys\n"
        "def test_failing():\n    raise ValueError\n"
        "def test_loaded():\n"
        "    heavy = {'sympy', 'hypothesis', 'torch', 'proofs.checking', 'proofs.verdict', 'proofs.engine'}\n"
        "    assert 'proofs.pytest_plugin' in sys.modules and heavy.isdisjoint(sys.modules)\n",
        "-p",
        "no:hypothesispytest",
    )
    result.assert_outcomes(passed=1, failed=1)


def test_plugin_that_is_imported_already_does_not_warn(session: Session) -> None:
    """As in a script or a notebook that has used the package before it runs pytest."""
    session.run(RIGHT)
    result = session.script(
        "import proofs, proofs.pytest_plugin, specdec, pytest, sys\n"
        "sys.exit(pytest.main(['-W', 'error', '-p', 'specdec', 'test_it.py']))\n"
    )
    assert result.ret == 0
    result.assert_outcomes(passed=1)


def test_import_takes_less_than_five_milliseconds() -> None:
    code = "import pytest, time; t = time.perf_counter(); import proofs.pytest_plugin; print(time.perf_counter() - t)"
    runs = [subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True) for _ in range(5)]
    assert min(float(run.stdout) for run in runs) < 0.005
