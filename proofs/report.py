"""Text and JSON of a proof run. Deterministic: no times, paths or versions in the text."""

import re
import textwrap
from collections.abc import Iterator
from typing import Any

from proofs.distributions import show_row
from proofs.domains import Case
from proofs.induction import WORDS
from proofs.runner import MutantResult, Run, TheoremResult
from proofs.smt_results import NOT_CHECKED, Goal, SmtResult, SmtRun
from proofs.verdicts import Conclusion

__all__ = [
    "SCHEMA",
    "closing_lines",
    "opening_lines",
    "result_lines",
    "smt_closing_lines",
    "smt_opening_lines",
    "smt_result_lines",
    "to_json",
]

SCHEMA = "specdec-proofs/run/1"
_WIDTH = 110


def opening_lines() -> Iterator[str]:
    """Say what the run is about and what its words mean."""
    for text in (
        "One draft position, a vocabulary of V tokens: p is the law of the target, q the law of the draft. The token "
        "rule keeps the drafted token x with probability a(x) = min(1, p(x)/q(x)), its ratio, and otherwise draws a "
        "replacement from the residual r = (p - q)+ divided by its sum (p where p = q). dist is the law of the emitted "
        "token, alpha the probability that the drafted one is kept, TV half the sum of |p - q|; the rule's maximal "
        "coupling is the joint law of drafted and emitted token.",
        "proved: for all p and q and every V that the statement speaks of, by goals that SymPy decides on symbols; "
        "the steps argued in words are listed at the end. checked: in exact rationals on the cases named, with zero "
        "tolerance. A mutant is the rule, or a report about it, made wrong: the theorems named must fail on it.",
    ):
        yield from _wrapped("", text)


def result_lines(result: TheoremResult | MutantResult) -> Iterator[str]:
    """Lines of one result, evidence and reach first."""
    yield ""
    yield from _theorem_lines(result) if isinstance(result, TheoremResult) else _mutant_lines(result)


def smt_opening_lines() -> Iterator[str]:
    """Say what the SMT goals are."""
    yield ""
    text = (
        "for all p and q and every V, decided by z3 over the reals. Proved takes all of: hypotheses that can be met, "
        "the answer that the conclusion cannot fail under them (unknown is none), and negative controls, false claims "
        "under the same hypotheses, that come back refuted."
    )
    yield from _wrapped("SMT goals: ", text, indent=0)


def smt_result_lines(result: SmtResult) -> Iterator[str]:
    """One line for a theorem that is proved, or everything that keeps it from being so."""
    if result.problems:
        yield f"  NOT PROVED {result.theorem}"
        for problem in result.problems:
            yield from _wrapped("    ", problem)
    else:
        counts = f"{len(result.goals)} goals, {len(result.controls)} negative controls refuted"
        yield f"  proved   {result.theorem}: {counts}"


def smt_closing_lines(run: SmtRun) -> Iterator[str]:
    """Say which theorems have no SMT form, what was not run, and what the solver does not check."""
    for theorem, reason in run.without.items():
        yield from _wrapped("  no form  ", f"{theorem}: {reason}")
    done = {result.theorem for result in run.results}
    if missing := [theorem for theorem in run.stated if theorem not in done]:
        yield from _wrapped("  NOT RUN  ", ", ".join(missing))
    for step in NOT_CHECKED.values():
        yield from _wrapped("  in words ", step)


def closing_lines(run: Run) -> Iterator[str]:
    """Spell out the steps that the proofs rely on in words; the verdict is the caller's last line."""
    used = sorted({word for result in run.theorems for word in result.proof.words})
    if used:
        yield ""
        yield "Argued in words, not by the machine:"
        for word in used:
            yield from _wrapped(f"  {word:<11} ", WORDS[word])
    yield ""


def to_json(run: Run, conclusion: Conclusion) -> dict[str, Any]:
    """Return the run as JSON values; every rational is a string "num/den"."""
    document = {
        "schema": SCHEMA,
        "verdict": conclusion.to_json(),
        "theorems": [_theorem_json(result) for result in run.theorems],
        "mutants": [_mutant_json(result) for result in run.mutants],
        "words": {word: WORDS[word] for result in run.theorems for word in result.proof.words},
    }
    return document if run.smt is None else document | {"smt": _smt_json(run.smt)}


def _theorem_lines(result: TheoremResult) -> Iterator[str]:
    theorem, proof = result.theorem, result.proof
    yield theorem.id
    yield from _wrapped("  ", theorem.statement)
    yield from _wrapped("  source   ", theorem.source)
    if proof.complete:
        words = f"; in words: {', '.join(proof.words)}" if proof.words else ""
        yield from _wrapped("  proved   ", f"{len(proof.goals)} goals by SymPy{words}")
    else:
        yield f"  NOT PROVED: {proof.failed or 'no goal was stated'}"
    if result.counterexample is None:
        named = f"; {result.named} named pairs" if result.named else ""
        asked = f"; {result.asked} asked of Hypothesis" if result.asked else ""
        yield from _wrapped("  checked  ", f"{result.grid} {theorem.domain.words}{named}{asked}")
    else:
        yield f"  FAILS    {_case(*result.counterexample, theorem.domain.extra)}"


def _mutant_lines(result: MutantResult) -> Iterator[str]:
    mutant, smallest = result.mutant, result.smallest
    yield from _wrapped(f"mutant {mutant.id}: ", f"{mutant.fault} [{mutant.source}]", indent=2)
    for theorem, witness in result.witnesses.items():
        if witness is None:
            yield f"  SURVIVES {theorem}: no case of its grid tells it from the rule"
    if smallest is not None:
        theorem, case, difference = smallest
        yield f"  refuted  {theorem}: {_case(case, difference, result.extras.get(theorem, ''))}"
        others = [name for name, witness in result.witnesses.items() if witness is not None and name != theorem]
        if others:
            yield from _wrapped("  also by  ", ", ".join(others))
    for theorem, goal in result.unproved.items():
        if goal is None:
            yield f"  PROVED   {theorem}: its proof goes through for this mutant"


def _case(case: Case, difference: str, extra: str) -> str:
    cells = [show_row(cell) if isinstance(cell, tuple) else str(cell) for cell in case.extra]
    return f"p {show_row(case.p)} q {show_row(case.q)}{f' {extra} {show_row(cells)}' if cells else ''}: {difference}"


def _wrapped(lead: str, text: str, indent: int | None = None) -> Iterator[str]:
    """Wrap a text behind its lead, never inside a formula such as ``a = b``."""
    joined = re.sub(r" (=|<=|>=|<|>|\+|-|/) ", "\x00\\1\x00", text)
    following = " " * (len(lead) if indent is None else indent)
    for line in textwrap.wrap(joined, _WIDTH, initial_indent=lead, subsequent_indent=following):
        yield line.replace("\x00", " ")


def _theorem_json(result: TheoremResult) -> dict[str, Any]:
    theorem, proof = result.theorem, result.proof
    return {
        "id": theorem.id,
        "statement": theorem.statement,
        "latex": theorem.latex,
        "source": theorem.source,
        "proved": {
            "complete": proof.complete,
            "goals": [{"claim": goal.claim, "holds": goal.holds} for goal in proof.goals],
            "in_words": list(proof.words),
        },
        "checked": {
            "domain": theorem.domain.words,
            "grid": result.grid,
            "named": result.named,
            "hypothesis_asked": result.asked,
            "hypothesis_ran": result.drawn,
            "counterexample": _case_json(result.counterexample),
        },
        "refutes": list(theorem.refutes),
    }


def _mutant_json(result: MutantResult) -> dict[str, Any]:
    return {
        "id": result.mutant.id,
        "fault": result.mutant.fault,
        "source": result.mutant.source,
        "witnesses": {theorem: _case_json(witness) for theorem, witness in result.witnesses.items()},
        "proof_fails_at": result.unproved,
    }


def _smt_json(run: SmtRun) -> dict[str, Any]:
    def goals(stated: tuple[Goal, ...]) -> list[dict[str, Any]]:
        return [goal._asdict() for goal in stated]

    return {
        "theorems": [
            {
                "id": result.theorem,
                "proved": not result.problems,
                "goals": goals(result.goals),
                "controls": goals(result.controls),
            }
            for result in run.results
        ],
        "asked": list(run.asked),
        "no_smt_form": run.without,
        "not_checked": NOT_CHECKED,
    }


def _case_json(found: tuple[Case, str] | None) -> dict[str, Any] | None:
    if found is None:
        return None
    case, difference = found
    return {"p": _texts(case.p), "q": _texts(case.q), "extra": _texts(case.extra), "difference": difference}


def _texts(values: Any) -> Any:
    return [_texts(v) if isinstance(v, tuple) else f"{v.p}/{v.q}" for v in values]
