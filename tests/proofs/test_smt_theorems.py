"""The SMT goals: proved for the token rule, not for wrong formulas, and what the command makes of them."""

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import z3  # type: ignore[import-untyped]

from proofs import command_line, smt_theorems
from proofs.runner import Registry
from proofs.smt import FORMULAS, Formulas, Problem, number
from proofs.smt_results import NO_SMT_FORM, SmtRun
from proofs.smt_theorems import STATEMENTS, examine
from proofs.theorems import THEOREMS
from proofs.verdicts import Outcome, conclude

GOLDEN = Path(__file__).parents[1] / "data" / "proofs_output.txt"
ONE, ZERO = z3.RealVal(1), z3.RealVal(0)


def test_every_theorem_has_an_smt_form_or_says_why_not() -> None:
    assert STATEMENTS.keys() | NO_SMT_FORM.keys() == {theorem.id for theorem in THEOREMS}
    assert not STATEMENTS.keys() & NO_SMT_FORM.keys()
    assert all(NO_SMT_FORM.values())


@pytest.mark.parametrize("theorem", STATEMENTS)
def test_goals_are_proved_and_controls_refuted(theorem: str) -> None:
    result = examine(theorem)
    assert not result.problems
    assert result.finding.outcome is Outcome.AS_CLAIMED
    assert {goal.answer for goal in result.goals} == {"proved"}
    assert {control.answer for control in result.controls} == {"refuted"}
    assert not any(goal.vacuous for goal in (*result.goals, *result.controls))
    assert len(result.goals) >= 4
    assert len(result.controls) >= 2


def _everything(**more: Any) -> Formulas:
    return replace(FORMULAS, accept=lambda p, q: ONE, kept=lambda p, q: q, **more)


# A wrong formula, a theorem and the goal that it breaks; None for a theorem that stays true.
WRONG: list[tuple[str, Formulas, dict[str, str | None]]] = [
    (
        "keeps every drafted token",
        _everything(),
        {
            "lossless": "A + R = P [one more token]",
            "alpha_is_one_minus_tv": "2 A + D = P + Q [one more token]",
            "disjoint_supports": "A = 0 [one more token]",
            "one_hot_draft": "A = p(x) times the number of x [one more token]",
            "token_never_wanted": "q(x) a(x) = 0",
            "identical_draft": None,
            "one_hot_target": "A = q(x) times the number of x [one more token]",
        },
    ),
    (
        "keeps with min(1, q/p)",
        replace(FORMULAS, accept=lambda p, q: FORMULAS.accept(q, p)),
        {"lossless": "q(x) a(x) = min(p(x), q(x))", "one_hot_draft": "q(x) a(x) = min(p(x), q(x))"},
    ),
    (
        "takes 0 for the ratio where q = 0",
        replace(FORMULAS, accept=lambda p, q: z3.If(q == 0, 0, FORMULAS.accept(p, q))),
        {"token_never_proposed": "a(x) = 1", "lossless": None, "distribution": None},
    ),
    (
        "TV without the half",
        replace(FORMULAS, total_variation=lambda distance: distance),
        {"alpha_is_one_minus_tv": "A = 1 - TV", "lossless": None},
    ),
    (
        "p - q for |p - q|",
        replace(FORMULAS, distance=lambda p, q: p - q),
        {"alpha_is_one_minus_tv": "the distance is |p - q|"},
    ),
    (
        "residual not divided by its sum",
        replace(FORMULAS, replace=lambda p, part, mass: z3.If(mass == 0, p, part)),
        {"lossless": "dist(x) = p(x)", "distribution": "M > 0: M sum r = R [one more token]", "completion": None},
    ),
    (
        "residual p",
        replace(FORMULAS, replace=lambda p, part, mass: p),
        {"lossless": "dist(x) = p(x)", "optimal": "own coupling: c(x, x) = q(x) a(x)", "disjoint_supports": None},
    ),
    (
        "zero residual where p = q",
        replace(FORMULAS, replace=lambda p, part, mass: z3.If(mass == 0, 0, part / mass)),
        {"distribution": "M = 0: sum r = P [one more token]", "lossless": None},
    ),
    (
        "divides where the mass is zero",
        replace(FORMULAS, replace=lambda p, part, mass: part / mass),
        {"identical_draft": "r(x) = p(x)", "distribution": "r(x) >= 0", "token_never_wanted": "r(x) = 0"},
    ),
    (
        "residual |p - q|",
        replace(FORMULAS, excess=FORMULAS.distance),
        {"lossless": "A + R = P [one more token]", "token_never_wanted": "r(x) = 0", "one_hot_draft": None},
    ),
    (
        "replacement without the probability of a rejection",
        replace(FORMULAS, emit=lambda kept, rejected, replacement: kept + replacement),
        {
            "lossless": "dist(x) = p(x)",
            "distribution": "sum dist = A + J sum r [one more token]",
            "token_never_proposed": "dist(x) = (1 - A) r(x)",
            "completion": "J > 0: dist(x) = p(x)",
        },
    ),
    (
        "couples independently",
        replace(FORMULAS, joint=lambda q, kept, replacement, same: q * replacement),
        {"optimal": "own coupling: c(x, y) = (q(x) - q(x) a(x)) r(y)", "lossless": None},
    ),
    (
        "p - 2 q a for p - q a",
        replace(FORMULAS, shortfall=lambda p, kept: p - 2 * kept),
        {"completion": "q a <= p: p - q a >= 0, so that a residual is returned", "lossless": None},
    ),
    (
        "keeps iff p >= q",
        replace(FORMULAS, accept=lambda p, q: z3.If(q <= p, ONE, ZERO), kept=lambda p, q: z3.If(q <= p, q, ZERO)),
        {"merging_never_lowers_alpha": "merging two tokens does not lower A", "identical_draft": None},
    ),
]
CASES = [(fault, formulas, theorem, goal) for fault, formulas, goals in WRONG for theorem, goal in goals.items()]


@pytest.mark.parametrize(("fault", "formulas", "theorem", "goal"), CASES, ids=[f"{c[0]}-{c[2]}" for c in CASES])
def test_wrong_formula_breaks_the_goals_that_speak_of_it(
    fault: str, formulas: Formulas, theorem: str, goal: str | None
) -> None:
    result = examine(theorem, formulas)
    refuted = [stated.claim for stated in result.goals if stated.answer == "refuted"]
    if goal is None:
        assert all(stated.answer == "proved" for stated in result.goals)
    else:
        assert goal in refuted
        assert result.finding.outcome is Outcome.DIFFERS


def _stated(monkeypatch: pytest.MonkeyPatch, state: Callable[[Problem], None]) -> None:
    monkeypatch.setattr(smt_theorems, "STATEMENTS", {"lossless": state})


def _vacuous(problem: Problem) -> None:
    problem.goal("anything", (problem.p > 0, problem.p < 0), problem.p == 7)
    problem.control("nothing", (), problem.p == 7)


def _undecided(problem: Problem) -> None:
    problem.goal("exponential", (), 2**problem.p != 3 * problem.p)
    problem.control("nothing", (), problem.p == 7)


def _true_control(problem: Problem) -> None:
    problem.goal("same", (), problem.p == problem.p)
    problem.control("same again", (), problem.p == problem.p)


@pytest.mark.parametrize(
    ("state", "status", "line"),
    [
        (_vacuous, 1, "    the hypotheses are contradictory: anything"),
        (_undecided, 5, "    unknown: exponential"),
        (_true_control, 1, "    false and yet proved: same again"),
        (lambda problem: None, 5, "    no goal was stated"),
    ],
)
def test_goals_that_show_nothing_decide_the_verdict(
    state: Callable[[Problem], None],
    status: int,
    line: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    _stated(monkeypatch, state)
    assert command_line.main(["--smt", "--only", "lossless"]) == status
    out = capsys.readouterr().out.splitlines()
    assert "  NOT PROVED lossless" in out
    assert line in out
    assert out[-1].startswith("FAILED: 1 of 14" if status == 1 else "UNVERIFIED: 1 of 14")
    assert "; SMT goals proved for 0 of 1 theorems (SMT, lossless: " in out[-1]


def test_goals_that_run_out_of_time_are_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    def hard(problem: Problem) -> None:
        cubes = [z3.ToReal(z3.Int(name)) ** 3 for name in "abc"]
        problem.goal("no three cubes sum to 114", (), z3.Sum(cubes) != 114)
        problem.control("zero", (), number("x") == 0)

    _stated(monkeypatch, hard)
    run = SmtRun(("lossless",))
    list(smt_theorems.execute(run, timeout=1))
    assert run.results[0].goals[0].answer == "unknown"
    assert conclude(run.findings, run.scope).outcome is Outcome.UNVERIFIED


def _interrupting(*_: Any) -> Any:
    raise KeyboardInterrupt


def test_interrupted_solver_exits_with_5(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    _stated(monkeypatch, _interrupting)
    assert command_line.main(["--smt", "--only", "lossless"]) == 5
    out = capsys.readouterr().out
    assert "  NOT RUN  lossless" in out
    assert out.splitlines()[-1].endswith("(the SMT goals were asked for and not run; interrupted)")


def test_solver_is_not_asked_after_an_interrupt(
    registry: Callable[..., Registry], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def fail(problem: Problem) -> None:
        raise AssertionError("asked")

    _stated(monkeypatch, fail)
    assert command_line.main(["--smt"], registry=registry(holds=_interrupting)) == 5
    assert "  NOT RUN  lossless" in capsys.readouterr().out


@pytest.fixture(scope="module")
def whole_run(tmp_path_factory: pytest.TempPathFactory) -> tuple[subprocess.CompletedProcess[str], Any]:
    directory = tmp_path_factory.mktemp("smt")
    command = [sys.executable, "-O", "-m", "proofs", "--smt", "--json", "run.json"]
    run = subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=300, check=False)
    return run, json.loads((directory / "run.json").read_text(encoding="ascii"))


def test_section_stands_between_the_mutants_and_the_steps_in_words(
    whole_run: tuple[subprocess.CompletedProcess[str], Any],
) -> None:
    """The rest of the output is that of the run without it, to the byte."""
    run, _ = whole_run
    assert run.returncode == 0
    lines, plain = run.stdout.splitlines(), GOLDEN.read_text(encoding="ascii").splitlines()
    start, words = (next(i for i, line in enumerate(lines) if line.startswith(s)) for s in ("SMT goals: ", "Argued in"))
    assert lines[: start - 1] + lines[words - 1 : -1] == plain[:-1]
    assert lines[-1] == f"{plain[-1]}; SMT goals proved for 12 of 12 theorems"
    section = "\n".join(lines[start:words])
    for theorem in STATEMENTS:
        assert f"\n  proved   {theorem}: " in section
    for theorem in NO_SMT_FORM:
        assert f"\n  no form  {theorem}: " in section
    assert "the induction rule, which z3 does not check" in " ".join(section.split())
    assert "z3-solver" in run.stderr


def test_json_holds_the_goals(whole_run: tuple[subprocess.CompletedProcess[str], Any]) -> None:
    _, document = whole_run
    assert document["verdict"]["word"] == "VERIFIED"
    smt = document["smt"]
    assert [theorem["id"] for theorem in smt["theorems"]] == [t.id for t in THEOREMS if t.id in STATEMENTS]
    assert smt["no_smt_form"] == NO_SMT_FORM
    assert "induction" in smt["not_checked"]
    for theorem in smt["theorems"]:
        assert theorem["proved"] is True
        assert all(goal["answer"] == "proved" and goal["vacuous"] is False for goal in theorem["goals"])
        assert all(control["answer"] == "refuted" for control in theorem["controls"])
    assert document["versions"]["z3-solver"]


def test_theorem_without_smt_form_selected_alone_exits_with_5(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["--smt", "--only", "single_token"]) == 5
    out = capsys.readouterr().out
    assert "\n  no form  single_token: " in out
    assert "no SMT goal was run: there is no SMT form" in out.splitlines()[-1]


def test_rows_take_no_smt(capsys: pytest.CaptureFixture[str]) -> None:
    assert command_line.main(["--smt", "rows", "x.npz"]) == 2
    assert "rows takes none of them" in capsys.readouterr().err


def _without_solver(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    code = "import sys; sys.modules['z3'] = None; from proofs.command_line import main; sys.exit(main(sys.argv[1:]))"
    command = [sys.executable, "-c", code, *arguments]
    return subprocess.run(command, cwd=cwd, capture_output=True, text=True, timeout=300, check=False)


def test_without_the_solver_the_goals_are_unverified(tmp_path: Path) -> None:
    run = _without_solver("--smt", "--only", "one_hot_draft", "--json", "run.json", cwd=tmp_path)
    assert run.returncode == 5
    assert "specdec: --smt needs z3, which is not installed" in run.stderr
    assert "Traceback" not in run.stderr
    last = run.stdout.splitlines()[-1]
    assert last.startswith("UNVERIFIED: 1 of 14 theorems proved and checked")
    assert last.endswith("SMT goals proved for 0 of 1 theorems (the SMT goals were asked for and not run)")
    assert "  NOT RUN  one_hot_draft" in run.stdout
    smt = json.loads((tmp_path / "run.json").read_text(encoding="ascii"))["smt"]
    assert smt["theorems"] == []
    assert smt["asked"] == ["one_hot_draft"]


def test_run_that_did_not_ask_is_the_same_without_the_solver(tmp_path: Path) -> None:
    run = _without_solver("--only", "single_token", cwd=tmp_path)
    assert run.returncode == 0
    command = [sys.executable, "-m", "proofs", "--only", "single_token"]
    assert run.stdout == subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
