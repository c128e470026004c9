"""Text and JSON of a proof run. Deterministic: no times, paths or versions in the text."""

import re
import textwrap
from collections.abc import Iterator
from typing import Any

from proofs.cases import Witness
from proofs.coq_results import CoqRun
from proofs.families import FAMILIES
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
TOKEN_RULE = "token rule"  # the family that the run's first words are about


def opening_lines() -> Iterator[str]:
    """Say what the run is about and what its words mean."""
    for text in (
        "The token rule: one draft position, a vocabulary of V tokens: p is the law of the target, q the law of the "
        "draft. The token rule keeps the drafted token x with probability a(x) = min(1, p(x)/q(x)), its ratio, and "
        "otherwise draws a replacement from the residual r = (p - q)+ divided by its sum (p where p = q). dist is the "
        "law of the emitted token, alpha the probability that the drafted one is kept, TV half the sum of |p - q|; the "
        "rule's maximal coupling is the joint law of drafted and emitted token.",
        "proved: for all p and q and every V that the statement speaks of, by goals that SymPy decides on symbols; "
        "the steps argued in words are listed at the end. checked: in exact rationals on the cases named, with zero "
        "tolerance. A mutant is the rule, or a report about it, made wrong: the theorems named must fail on it.",
        "The families of the other rules follow the token rule; their theorems are checked, and SymPy proves none of "
        "them. coq: a theorem of that name is stated and proved in the library for every V; it is machine-checked only "
        "where Coq compiled the library in this run (--coq).",
    ):
        yield from _wrapped("", text)


def result_lines(
    result: TheoremResult | MutantResult,
    before: TheoremResult | MutantResult | None = None,
    coq: CoqRun | None = None,
) -> Iterator[str]:
    """Lines of one result, evidence and reach first; what its family is about, where the result before has another."""
    run = CoqRun() if coq is None else coq
    yield ""
    if isinstance(result, TheoremResult):
        yield from _family_lines(result.theorem.about, before)
    yield from _theorem_lines(result, run) if isinstance(result, TheoremResult) else _mutant_lines(result)


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
    used = sorted({word for result in run.theorems if result.proof is not None for word in result.proof.words})
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
        "theorems": [_theorem_json(result, run.coq) for result in run.theorems],
        "mutants": [_mutant_json(result) for result in run.mutants],
        "words": {word: WORDS[word] for result in run.theorems if result.proof for word in result.proof.words},
    }
    if run.coq.wanted:
        document["coq"] = {"version": run.coq.version, "sources": run.coq.sources, "objects": run.coq.objects}
    return document if run.smt is None else document | {"smt": _smt_json(run.smt)}


def _family_lines(about: str, before: TheoremResult | MutantResult | None) -> Iterator[str]:
    same = isinstance(before, TheoremResult) and before.theorem.about == about
    for family in [] if same else FAMILIES:
        if family.THEOREMS[0].about == about:
            yield from _wrapped(f"{about[0].upper()}{about[1:]}: ", family.ABOUT, indent=0)
            yield ""


def _theorem_lines(result: TheoremResult, coq: CoqRun) -> Iterator[str]:
    theorem, proof = result.theorem, result.proof
    yield theorem.id if theorem.about == TOKEN_RULE else f"{theorem.id} ({theorem.about})"
    yield from _wrapped("  ", theorem.statement)
    yield from _wrapped("  source   ", theorem.source)
    if proof is None:
        pass  # the line of what was checked is all the evidence
    elif proof.complete:
        words = f"; in words: {', '.join(proof.words)}" if proof.words else ""
        yield from _wrapped("  proved   ", f"{len(proof.goals)} goals by SymPy{words}")
    else:
        yield f"  NOT PROVED: {proof.failed or 'no goal was stated'}"
    if words := coq.words(theorem.id):
        yield from _wrapped("  coq      ", words)
    if result.counterexample is None:
        named = f"; {result.named} named pairs" if result.named else ""
        asked = f"; {result.asked} asked of Hypothesis" if result.asked else ""
        yield from _wrapped("  checked  ", f"{result.grid} {theorem.domain.words}{named}{asked}")
    else:
        yield f"  FAILS    {_witness(*result.counterexample, theorem.domain.extra)}"


def _mutant_lines(result: MutantResult) -> Iterator[str]:
    mutant, smallest = result.mutant, result.smallest
    family = "" if mutant.about == TOKEN_RULE else f" ({mutant.about})"
    yield from _wrapped(f"mutant {mutant.id}{family}: ", f"{mutant.fault} [{mutant.source}]", indent=2)
    for theorem, witness in result.witnesses.items():
        if witness is None:
            yield f"  SURVIVES {theorem}: no case of its grid tells it from the rule"
    if smallest is not None:
        theorem, case, difference = smallest
        yield f"  refuted  {theorem}: {_witness(case, difference, result.extras.get(theorem, ''))}"
        others = [name for name, witness in result.witnesses.items() if witness is not None and name != theorem]
        if others:
            yield from _wrapped("  also by  ", ", ".join(others))
    for theorem, goal in result.unproved.items():
        if goal is None:
            yield f"  PROVED   {theorem}: its proof goes through for this mutant"


def _witness(case: Any, difference: str, extra: str) -> str:
    return f"{case.show(extra)}: {difference}"


def _wrapped(lead: str, text: str, indent: int | None = None) -> Iterator[str]:
    """Wrap a text behind its lead, never inside a formula such as ``a = b``."""
    joined = re.sub(r" (=|<=|>=|<|>|\+|-|/) ", "\x00\\1\x00", text)
    following = " " * (len(lead) if indent is None else indent)
    for line in textwrap.wrap(joined, _WIDTH, initial_indent=lead, subsequent_indent=following):
        yield line.replace("\x00", " ")


def _theorem_json(result: TheoremResult, coq: CoqRun) -> dict[str, Any]:
    theorem, proof = result.theorem, result.proof
    return {
        "id": theorem.id,
        "statement": theorem.statement,
        "latex": theorem.latex,
        "source": theorem.source,
        "about": theorem.about,
        "proved": proof
        and {
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
        "machine_checked": None
        if theorem.id not in coq.stated
        else {"file": coq.stated[theorem.id], "in_this_run": theorem.id in coq.machine_checked},
        "refutes": list(theorem.refutes),
    }


def _mutant_json(result: MutantResult) -> dict[str, Any]:
    return {
        "id": result.mutant.id,
        "about": result.mutant.about,
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


def _case_json(found: Witness | None) -> dict[str, Any] | None:
    return None if found is None else {**found[0].to_json(), "difference": found[1]}
