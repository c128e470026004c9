"""Text and JSON of results, in the forms that a golden run does not show."""

from dataclasses import replace
from typing import Any

from proofs import report, runner
from proofs.coq_results import CoqRun
from proofs.domains import NAMED
from proofs.induction import Goal, Proof
from proofs.runner import REGISTRY, MutantResult, Run, TheoremResult
from proofs.verdicts import conclude

LOSSLESS = REGISTRY.theorems[0]
GOOD = TheoremResult(LOSSLESS, Proof((Goal("a", True),), ("folds",)), 834, 5, 100, 97, None)


def _text(result: TheoremResult | MutantResult) -> str:
    return "\n".join(report.result_lines(result))


def test_checked_is_never_called_proved() -> None:
    """A failed proof is printed as such though every check passed, and so is one without goals."""
    failed = _text(replace(GOOD, proof=Proof((Goal("one is two", False),), ())))
    assert "NOT PROVED: one is two" in failed
    assert "  proved" not in failed
    assert "NOT PROVED: no goal was stated" in _text(replace(GOOD, proof=Proof((), ())))


def test_numbers_are_those_asked_for() -> None:
    """What Hypothesis really ran may differ between versions: it stays out of the text."""
    assert "834 pairs, probabilities k/6, V = 1 to 3; 5 named pairs; 100 asked of Hypothesis" in _text(GOOD)
    assert "97" not in _text(GOOD)
    assert report._theorem_json(GOOD, CoqRun())["checked"]["hypothesis_ran"] == 97


def test_steps_in_words_are_spelled_out() -> None:
    run = Run(REGISTRY, REGISTRY, [GOOD])
    text = "\n".join(report.closing_lines(run))
    assert "Argued in words, not by the machine:" in text
    assert "folds" in text
    assert "induction" not in text.split()


def test_counterexample_shows_rows_and_difference() -> None:
    text = _text(replace(GOOD, counterexample=(NAMED["B0"], "dist (1, 0, 0), TV 7/8")))
    assert "  FAILS    p (1/8, 3/8, 1/2) q (1/2, 1/4, 1/4): dist (1, 0, 0), TV 7/8" in text
    assert "checked" not in text


def test_mutant_that_one_theorem_misses_is_shown_with_both() -> None:
    witness = (NAMED["B0"], "TV 1/8")
    text = _text(MutantResult(REGISTRY.mutants[0], {"lossless": witness, "optimal": None}))
    assert "  refuted  lossless: p (1/8, 3/8, 1/2)" in text
    assert "  SURVIVES optimal" in text


def test_json_holds_rationals_as_text_and_no_floats() -> None:
    run = Run(REGISTRY, REGISTRY)
    selected = runner.select(REGISTRY, "completion")
    run.mutants.append(runner.refute(selected.mutants[0], list(selected.theorems)))

    def floats(value: Any) -> list[Any]:
        children = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
        return [value] if isinstance(value, float) else [x for child in children for x in floats(child)]

    document = report.to_json(run, conclude(run.findings, run.scope))
    assert not floats(document)
    witness = document["mutants"][0]["witnesses"]["completion"]
    assert witness["extra"] == ["0/1", "1/1"]
