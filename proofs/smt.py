"""The proofs for every V once more, as goals that z3 decides over the reals.

A row is a list of tokens (p, q), a sum over the vocabulary a fold over it. A relation between sums
is two goals: it holds for the empty row, and one more token keeps it. That it then holds for rows
of any length is the induction rule: the solver does not check that step.

Every goal is asked twice: can its hypotheses be met, and can they be met while the conclusion
fails? Only "yes" and "no" together prove it. Beside the goals stand false claims under the same
hypotheses, which must come back refuted.

z3 gives x / 0 an arbitrary value: what is proved holds whatever that value is.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import z3  # type: ignore[import-untyped]

from proofs.smt_results import Answer, Goal

__all__ = [
    "FORMULAS",
    "TIMEOUT",
    "Formulas",
    "Problem",
    "Statement",
    "Term",
    "all_of",
    "any_of",
    "decide",
    "number",
]

Term = Any  # a z3 term: z3 has no types
TIMEOUT = 10_000  # milliseconds for one question; each takes some hundredths of a second


def _accept(p: Term, q: Term) -> Term:
    return z3.If(q <= p, 1, p / q)


def _kept(p: Term, q: Term) -> Term:
    return z3.If(q <= p, q, p)


def _excess(p: Term, q: Term) -> Term:
    return z3.If(q < p, p - q, 0)


def _distance(p: Term, q: Term) -> Term:
    return z3.If(q < p, p - q, q - p)


def _replace(p: Term, part: Term, mass: Term) -> Term:
    return z3.If(mass == 0, p, part / mass)


def _emit(kept: Term, rejected: Term, replacement: Term) -> Term:
    return kept + rejected * replacement


def _joint(q: Term, kept: Term, replacement: Term, *, same: bool) -> Term:
    away = (q - kept) * replacement
    return kept + away if same else away


def _shortfall(p: Term, kept: Term) -> Term:
    return p - kept


def _total_variation(distance: Term) -> Term:
    return distance / 2


@dataclass(frozen=True)
class Formulas:
    """The rule at one token as terms; the defaults are the token rule.

    Attributes
    ----------
    accept, kept : (p, q) -> term
        a(x), and q(x) a(x) multiplied out: min(p, q). That the two belong together is a goal.
    excess, distance : (p, q) -> term
    replace, complete : (p, part, mass) -> term
    emit : (kept, rejected, replacement) -> term
    joint : (q, kept, replacement, same) -> term
    shortfall : (p, kept) -> term
    total_variation : (sum of distances) -> term
    """

    accept: Callable[..., Term] = _accept
    kept: Callable[..., Term] = _kept
    excess: Callable[..., Term] = _excess
    distance: Callable[..., Term] = _distance
    replace: Callable[..., Term] = _replace
    complete: Callable[..., Term] = _replace
    emit: Callable[..., Term] = _emit
    joint: Callable[..., Term] = _joint
    shortfall: Callable[..., Term] = _shortfall
    total_variation: Callable[..., Term] = _total_variation


FORMULAS = Formulas()


def number(name: str) -> Term:
    """Some real number."""
    return z3.Real(name)


def all_of(*terms: Term) -> Term:
    """Every one of the terms holds."""
    return z3.And(*terms)


def any_of(*terms: Term) -> Term:
    """At least one of the terms holds."""
    return z3.Or(*terms)


class Statement(NamedTuple):
    """A conclusion that is to follow from hypotheses."""

    claim: str
    hypotheses: tuple[Term, ...]
    conclusion: Term


class Problem:
    """Collects the statements of one theorem: goals to be proved, and controls to be refuted.

    ``p``, ``q`` and what is made of them belong to one token; `total` names the sums over the row.
    """

    def __init__(self, formulas: Formulas) -> None:
        self.rule = formulas
        self.goals: list[Statement] = []
        self.controls: list[Statement] = []
        self.p, self.q = z3.Reals("p q")
        self.kept, self.excess = formulas.kept(self.p, self.q), formulas.excess(self.p, self.q)
        self.added = {"A": self.kept, "J": self.q - self.kept, "R": self.excess, "P": self.p, "Q": self.q}
        self.token = (self.p >= 0, self.q >= 0)
        self.ones = (self.total("P") == 1, self.total("Q") == 1)
        self.residual = formulas.replace(self.p, self.excess, self.total("R"))
        self.dist = formulas.emit(self.kept, self.total("J"), self.residual)

    def total(self, name: str) -> Term:
        """The sum of that name over the row."""
        return z3.Real(f"sum {name}")

    def goal(self, claim: str, hypotheses: tuple[Term, ...], conclusion: Term) -> None:
        """State what must be proved."""
        self.goals.append(Statement(claim, hypotheses, conclusion))

    def control(self, claim: str, hypotheses: tuple[Term, ...], conclusion: Term) -> None:
        """State what is false under the hypotheses, and must be refuted."""
        self.controls.append(Statement(claim, hypotheses, conclusion))

    def induction(
        self,
        claim: str,
        invariant: Callable[[Mapping[str, Term]], Term],
        given: tuple[Term, ...],
        **more: Term,
    ) -> Term:
        """State a relation between sums for every row, and return it for the row at hand.

        Parameters
        ----------
        claim : str
        invariant : callable sums -> term
        given : tuple of term
            What is known of the token that is added, and of numbers that do not depend on it.
        **more : term
            What the token adds to sums beyond A, J, R, P and Q.
        """
        added = self.added | more
        sums = {name: self.total(name) for name in added}
        after = {name: sums[name] + term for name, term in added.items()}
        # Nothing is assumed of the empty row: what is known of a token says nothing about it.
        self.goal(f"{claim} [empty row]", (), invariant({name: z3.RealVal(0) for name in added}))
        self.goal(f"{claim} [one more token]", (invariant(sums), *given), invariant(after))
        return invariant(sums)

    def member(self, name: str, term: Term, given: tuple[Term, ...]) -> Term:
        """State ``0 <= term at x <= sum`` for every x of every row, and return it for the row at hand."""
        total, there = self.total(name), z3.Real("term at x")
        within = z3.And(there >= 0, there <= total)
        least = self.induction(f"sum {name} >= 0", lambda sums: sums[name] >= 0, given, **{name: term})
        claim = f"the term at x is at most sum {name}"
        self.goal(f"{claim} [x is added]", (least, *given), z3.And(term >= 0, term <= total + term))
        self.goal(f"{claim} [x is there]", (within, *given), z3.And(there >= 0, there <= total + term))
        return z3.And(term >= 0, term <= total, total >= 0)

    def mixture(self) -> None:
        """State that the rule keeps with a probability, and that q a is what the sums add up."""
        accept = self.rule.accept(self.p, self.q)
        self.goal("0 <= a(x) <= 1", self.token, z3.And(accept >= 0, accept <= 1))
        self.goal("q(x) a(x) = min(p(x), q(x))", self.token, self.q * accept == self.kept)

    def facts(self) -> tuple[Term, ...]:
        """State the relations between the sums, and return all that is known of a token of a row."""
        self.mixture()
        return (
            *self.token,
            *self.ones,
            self.induction("A + R = P", lambda sums: sums["A"] + sums["R"] == sums["P"], self.token),
            self.induction("A + J = Q", lambda sums: sums["A"] + sums["J"] == sums["Q"], self.token),
            self.member("R", self.excess, self.token),
            self.member("J", self.q - self.kept, self.token),
        )

    def residual_sums(self) -> Term:
        """State that the residual sums to one, and return it for the row at hand.

        The mass of the excess is one number for the whole row, and in the end its sum.
        """
        mass, total = number("M"), self.total("r")
        replaced = self.rule.replace(self.p, self.excess, mass)
        scaled = self.induction(
            "M > 0: M sum r = R", lambda sums: mass * sums["r"] == sums["R"], (*self.token, mass > 0), r=replaced
        )
        self.goal("R > 0: sum r = 1", (scaled, mass > 0, mass == self.total("R")), total == 1)
        level = self.induction(
            "M = 0: sum r = P", lambda sums: sums["r"] == sums["P"], (*self.token, mass == 0), r=replaced
        )
        self.goal("R = 0: sum r = 1", (level, self.ones[0]), total == 1)
        return total == 1


def decide(statement: Statement, timeout: int = TIMEOUT) -> Goal:
    """Ask the solver whether the hypotheses can be met, and whether they can while the conclusion fails.

    Raises
    ------
    ValueError
        If the timeout is less than one millisecond: z3 takes 0 for no limit.
    """
    if timeout < 1:
        raise ValueError(f"timeout = {timeout}; expected at least 1 millisecond")
    possible = _satisfiable(statement.hypotheses, timeout)
    if possible is False:
        return Goal(statement.claim, "proved", vacuous=True)
    failing = _satisfiable((*statement.hypotheses, z3.Not(statement.conclusion)), timeout)
    answers: dict[bool | None, Answer] = {False: "proved", True: "refuted", None: "unknown"}
    return Goal(statement.claim, "unknown" if possible is None else answers[failing])


def _satisfiable(terms: tuple[Term, ...], timeout: int) -> bool | None:
    """Whether numbers can meet all the terms; None where the solver does not say."""
    solver = z3.Solver()
    # Ctrl-C is for the run to notice; the solver would take it and say "unknown".
    solver.set("timeout", timeout, "ctrl_c", False)
    solver.add(*terms)
    answer = solver.check()
    return None if answer == z3.unknown else bool(answer == z3.sat)
