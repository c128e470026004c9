"""Text and JSON of a proof run. Deterministic: no times, paths or versions in the text."""

import textwrap
from collections.abc import Iterator
from typing import Any

from proofs.claims import show
from proofs.domains import Case
from proofs.induction import WORDS
from proofs.runner import MutantResult, Run, TheoremResult
from proofs.verdicts import Conclusion

__all__ = ["SCHEMA", "closing_lines", "opening_lines", "result_lines", "to_json"]

SCHEMA = "specdec-proofs/run/1"
_WIDTH = 110


def opening_lines() -> Iterator[str]:
    """What the run is about."""
    yield "Token rule: keep the drafted token x with probability a(x) = min(1, p(x)/q(x)); after a rejection draw the"
    yield "replacement from r = (p - q)+, normalised. p is the target, q the draft, over V tokens. Exact rationals,"
    yield "zero tolerance."


def result_lines(result: TheoremResult | MutantResult) -> Iterator[str]:
    """Lines of one result, evidence and reach first."""
    yield ""
    yield from _theorem_lines(result) if isinstance(result, TheoremResult) else _mutant_lines(result)


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
    return {
        "schema": SCHEMA,
        "verdict": {
            "word": conclusion.word,
            "exit_status": conclusion.exit_status,
            "scope": conclusion.scope,
            "reasons": list(conclusion.reasons),
        },
        "theorems": [_theorem_json(result) for result in run.theorems],
        "mutants": [_mutant_json(result) for result in run.mutants],
        "words": {word: WORDS[word] for result in run.theorems for word in result.proof.words},
    }


def _theorem_lines(result: TheoremResult) -> Iterator[str]:
    theorem, proof = result.theorem, result.proof
    yield theorem.id
    yield from _wrapped("  ", theorem.statement)
    yield from _wrapped("  source   ", theorem.source)
    if proof.complete:
        words = f"; in words: {', '.join(proof.words)}" if proof.words else ""
        yield f"  proved   every p, q and V: {len(proof.goals)} goals by SymPy{words}"
    else:
        yield f"  NOT PROVED: {proof.failed or 'no goal was stated'}"
    if result.counterexample is None:
        named = f"; {result.named} named pairs" if result.named else ""
        asked = f"; {result.asked} asked of Hypothesis" if result.asked else ""
        yield from _wrapped("  checked  ", f"{result.grid} {theorem.domain.words}{named}{asked}")
    else:
        yield f"  FAILS    {_case(*result.counterexample)}"


def _mutant_lines(result: MutantResult) -> Iterator[str]:
    mutant = result.mutant
    yield f"mutant {mutant.id}: {mutant.fault} [{mutant.source}]"
    for theorem, witness in result.witnesses.items():
        if witness is None:
            yield f"  SURVIVES {theorem}: no case of its grid tells it from the rule"
    first = next((item for item in result.witnesses.items() if item[1] is not None), None)
    if first is not None and first[1] is not None:
        yield f"  refuted  {first[0]}: {_case(*first[1])}"
    others = [theorem for theorem, witness in result.witnesses.items() if witness is not None][1:]
    if others:
        yield from _wrapped("  also by  ", ", ".join(others))
    for theorem, goal in result.unproved.items():
        if goal is None:
            yield f"  PROVED   {theorem}: its proof goes through for this mutant"


def _case(case: Case, difference: str) -> str:
    extra = ""
    if case.extra:
        cells = [show(cell) if isinstance(cell, tuple) else str(cell) for cell in case.extra]
        extra = f" with {show(cells)}"
    return f"p {show(case.p)} q {show(case.q)}{extra}: {difference}"


def _wrapped(lead: str, text: str) -> Iterator[str]:
    yield from textwrap.wrap(text, _WIDTH, initial_indent=lead, subsequent_indent=" " * len(lead))


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
        "refuted_by": {theorem: _case_json(witness) for theorem, witness in result.witnesses.items()},
        "proof_fails_at": result.unproved,
    }


def _case_json(found: tuple[Case, str] | None) -> dict[str, Any] | None:
    if found is None:
        return None
    case, difference = found
    return {"p": _texts(case.p), "q": _texts(case.q), "extra": _texts(case.extra), "difference": difference}


def _texts(values: Any) -> Any:
    return [_texts(v) if isinstance(v, tuple) else f"{v.p}/{v.q}" for v in values]
