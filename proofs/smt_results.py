"""What a solver made of the SMT goals, and what that is worth. Needs no solver itself."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal, NamedTuple

from proofs.verdicts import Finding, Outcome

__all__ = ["NOT_CHECKED", "NO_SMT_FORM", "Answer", "Goal", "SmtResult", "SmtRun"]

Answer = Literal["proved", "refuted", "unknown"]

# The steps that the solver does not see.
NOT_CHECKED = {
    "induction": "z3 decides that a relation between sums holds for the empty row and that one more token keeps it; "
    "that it then holds for rows of any length is the induction rule, which z3 does not check",
    "terms": "the terms are the formulas of the rule written once more; z3 does not run the functions that SymPy runs, "
    "and what a coupling is and that maps are made of mergers is in words here as well",
}

NO_SMT_FORM = {
    "single_token": "there is one pair with V = 1; its values are computed, and nothing is left to decide",
    "closed_form_is_sampler": "it compares two programs, and the solver sees terms and no programs",
}


class Goal(NamedTuple):
    """One claim put to the solver.

    Attributes
    ----------
    claim : str
    answer : {"proved", "refuted", "unknown"}
        "unknown" also where the solver cannot tell whether the hypotheses can be met.
    vacuous : bool
        No numbers meet the hypotheses: whatever the answer, nothing was shown.
    """

    claim: str
    answer: Answer
    vacuous: bool = False


@dataclass(frozen=True)
class SmtResult:
    """The goals of one theorem, and the negative controls: false claims that the solver must refute.

    Attributes
    ----------
    theorem : str
        Its id.
    goals, controls : tuple of Goal
    """

    theorem: str
    goals: tuple[Goal, ...]
    controls: tuple[Goal, ...]

    @property
    def finding(self) -> Finding:
        """AS_CLAIMED iff all goals are proved, all controls refuted and no hypotheses are contradictory."""
        wrong, open_ = list(self._wrong()), list(self._open())
        if wrong:
            return Finding(Outcome.DIFFERS, f"SMT, {self.theorem}: {wrong[0]}")
        if open_:
            return Finding(Outcome.UNVERIFIED, f"SMT, {self.theorem}: {open_[0]}")
        return Finding(Outcome.AS_CLAIMED, f"SMT, {self.theorem}")

    @property
    def problems(self) -> tuple[str, ...]:
        """Everything that keeps the theorem from being proved."""
        return (*self._wrong(), *self._open())

    def _wrong(self) -> Iterator[str]:
        for goal in (*self.goals, *self.controls):
            if goal.vacuous:
                yield f"the hypotheses are contradictory: {goal.claim}"
        for goal in self.goals:
            if goal.answer == "refuted":
                yield f"refuted: {goal.claim}"
        for control in self.controls:
            if control.answer == "proved" and not control.vacuous:
                yield f"false and yet proved: {control.claim}"

    def _open(self) -> Iterator[str]:
        for goal in (*self.goals, *self.controls):
            if goal.answer == "unknown":
                yield f"unknown: {goal.claim}"
        if not self.goals:
            yield "no goal was stated"
        if not self.controls:
            yield "no negative control was stated"


@dataclass
class SmtRun:
    """The results so far, and how much was to be done.

    Attributes
    ----------
    asked : tuple of str
        Ids of the theorems whose SMT goals were asked for.
    results : list of SmtResult
    """

    asked: tuple[str, ...]
    results: list[SmtResult] = field(default_factory=list)

    @property
    def stated(self) -> tuple[str, ...]:
        """Those of the theorems that have an SMT form."""
        return tuple(theorem for theorem in self.asked if theorem not in NO_SMT_FORM)

    @property
    def without(self) -> dict[str, str]:
        """The others, and why they have none."""
        return {theorem: NO_SMT_FORM[theorem] for theorem in self.asked if theorem in NO_SMT_FORM}

    @property
    def findings(self) -> list[Finding]:
        """What the results say; goals that were asked for and not run are unverified."""
        found = [result.finding for result in self.results]
        missing = len(self.stated) - len(self.results)
        if not self.stated:
            found.append(Finding(Outcome.UNVERIFIED, "no SMT goal was run: there is no SMT form"))
        elif not self.results:
            found.append(Finding(Outcome.UNVERIFIED, "the SMT goals were asked for and not run"))
        elif missing:
            found.append(Finding(Outcome.UNVERIFIED, f"the SMT goals of {missing} theorems were not reached"))
        return found

    @property
    def scope(self) -> str:
        """What was covered, in words."""
        proved = sum(result.finding.outcome is Outcome.AS_CLAIMED for result in self.results)
        return f"SMT goals proved for {proved} of {len(self.stated)} theorems"
