"""The examples: compiled where there is a compiler, run, and their verdicts."""

import itertools
import os
import shutil
import subprocess
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import proofs
from proofs.exec_verifier import External, external
from proofs.vectors import cases
from tests.external.coins import INPUT, ZERO, FixedCoins, on_grid

SOURCE = Path(__file__).parents[1] / "examples" / "external_verifier.cpp"
COMPILER = next(filter(None, map(shutil.which, ("g++", "c++", "clang++"))), None)

pytestmark = [
    pytest.mark.skipif(COMPILER is None, reason="no C++ compiler: looked for g++, c++ and clang++"),
    pytest.mark.skipif(os.name == "nt", reason="processes and pipes of POSIX"),
]
OPTIONS = ["-std=c++17", "-O2", "-ffp-contract=off", "-Wall", "-Wextra", "-Werror"]


def _compiled(source: str, directory: Path, *options: str) -> Path:
    (directory / "mine.cpp").write_text(source, encoding="utf-8")
    subprocess.run([str(COMPILER), *OPTIONS, *options, "mine.cpp", "-o", "mine"], cwd=directory, check=True)
    return directory / "mine"


@pytest.fixture(scope="module")
def program(tmp_path_factory: pytest.TempPathFactory) -> Iterator[External]:
    path = _compiled(SOURCE.read_text(encoding="utf-8"), tmp_path_factory.mktemp("built"))
    with external([str(path)]) as verify:
        yield verify


def test_comment_in_the_source_has_the_command() -> None:
    (line,) = (line for line in SOURCE.read_text(encoding="utf-8").splitlines() if "-o external_verifier" in line)
    assert line == "//     c++ -std=c++17 -O2 -ffp-contract=off examples/external_verifier.cpp -o external_verifier"


def test_law_on_a_grid_of_coins_is_the_targets(program: External) -> None:
    verdict = proofs.check(on_grid(program), gamma=(0, 1), inputs=[INPUT, ZERO], arithmetic="float64")
    assert verdict, verdict
    assert verdict.worst == 0


def test_golden_cases(program: External) -> None:
    """Every case that float64 holds exactly."""
    compared = 0
    for case in itertools.islice(cases(), 0, None, 3):
        if case.to_json()["float64"]:
            target, draft = (np.array([list(map(float, row)) for row in table]) for table in (case.target, case.draft))
            coins = FixedCoins(list(map(float, case.coins)))
            assert program(target, draft, np.array(case.tokens, dtype=np.int64), coins) == list(case.emitted)
            compared += 1
    assert compared > 400


@pytest.mark.parametrize(
    ("old", "new", "mass"),
    [
        ("request.coins.at(i) * q.at(x) < p.at(x)", "request.coins.at(i) * q.at(x) <= p.at(x)", Fraction(1, 32)),
        ("std::max(p[y] - q.at(y), 0.0)", "p[y]", Fraction(0)),
        ("request.target.at(gamma), request", "request.target.at(0), request", None),
    ],
)
def test_changed_example_is_biased(old: str, new: str, mass: Fraction | None, tmp_path: Path) -> None:
    source = SOURCE.read_text(encoding="utf-8")
    assert source.count(old) == 1
    rows: Any = ZERO if mass is not None else ([ZERO[0], INPUT[0]], ZERO[1])
    with external([str(_compiled(source.replace(old, new), tmp_path, "-O0"))]) as verify:
        verdict = proofs.check(on_grid(verify), gamma=1, inputs=[rows], arithmetic="float64", shrink=False)
    assert verdict.status.value == "biased"
    assert verdict.counterexample is not None
    found = sum(m for y, m in verdict.counterexample.law.items() if y[0] == 2)
    assert mass is None or found == mass


def test_what_is_no_request_ends_it_and_the_reason_is_on_stderr(tmp_path: Path) -> None:
    path = _compiled(SOURCE.read_text(encoding="utf-8"), tmp_path)
    for line, words in (("hello", "expected { before hello"), ('{"id": 1, "new": 2}', "a name that is not known: new")):
        run = subprocess.run([str(path)], input=line + "\n", capture_output=True, text=True, check=False, timeout=20)
        assert (run.returncode, run.stderr) == (1, f"no request: {words}\n")
        assert len(run.stdout.splitlines()) == 1


def test_error_of_the_verifier_is_an_answer(program: External) -> None:
    with pytest.raises(RuntimeError, match="a row without mass"):
        program(np.zeros((1, 2)), np.zeros((0, 2)), np.zeros(0, dtype=np.int64), FixedCoins([0.5]))
