"""Runs theorems and mutants, one result at a time, so that an interrupted run shows what it covered."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from proofs.cases import Witness
from proofs.coq_results import CoqRun
from proofs.domains import NAMED
from proofs.families import FAMILIES
from proofs.induction import Proof
from proofs.mutants import MUTANTS, Mutant
from proofs.rule import KERNEL
from proofs.smt_results import SmtRun
from proofs.theorems import THEOREMS, Theorem
from proofs.verdicts import Finding, Outcome

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

__all__ = [
    "EXAMPLES",
    "REGISTRY",
    "MutantResult",
    "Registry",
    "Run",
    "TheoremResult",
    "examine",
    "execute",
    "refute",
    "select",
]

EXAMPLES = 100  # asked of Hypothesis for each theorem


@dataclass(frozen=True)
class Registry:
    """Theorems and the mutants that they must refute."""

    theorems: tuple[Theorem, ...] = (*THEOREMS, *(theorem for family in FAMILIES for theorem in family.THEOREMS))
    mutants: tuple[Mutant, ...] = (*MUTANTS, *(mutant for family in FAMILIES for mutant in family.MUTANTS))


REGISTRY = Registry()


@dataclass(frozen=True)
class TheoremResult:
    """Evidence for one theorem.

    Attributes
    ----------
    proof : Proof or None
        The derivation for every V; None for a theorem that is checked alone.
    grid, named : int
        Cases of the grid and named pairs that were checked, up to the first counterexample.
    asked, drawn : int
        Cases asked of Hypothesis, and those that it ran.
    counterexample : tuple of Case and str, or None
        A case in which the claim does not hold, and the difference.
    """

    theorem: Theorem
    proof: Proof | None
    grid: int
    named: int
    asked: int
    drawn: int
    counterexample: Witness | None

    @property
    def finding(self) -> Finding:
        """AS_CLAIMED iff a proof that is claimed is complete, something was checked and nothing contradicts."""
        name = self.theorem.id
        if self.counterexample:
            return Finding(Outcome.DIFFERS, f"{name} does not hold")
        if self.proof is not None and not self.proof.complete:
            return Finding(Outcome.DIFFERS, f"{name} is not proved")
        if not self.grid or (self.asked and not self.drawn):
            return Finding(Outcome.UNVERIFIED, f"{name} was checked on nothing")
        return Finding(Outcome.AS_CLAIMED, name)


@dataclass(frozen=True)
class MutantResult:
    """What each theorem that must refute a mutant made of it.

    Attributes
    ----------
    witnesses : mapping of theorem id to (Case, difference) or None
        The smallest case of the theorem's grid in which it fails; None if it survives.
    extras : mapping of theorem id to str
        What the extra part of its witness is.
    unproved : mapping of theorem id to str or None
        For a mutant with a kernel: the first goal of the theorem's proof that fails on it; None
        if the proof goes through.
    """

    mutant: Mutant
    witnesses: dict[str, Witness | None]
    extras: dict[str, str] = field(default_factory=dict)
    unproved: dict[str, str | None] = field(default_factory=dict)

    @property
    def smallest(self) -> tuple[str, Any, str] | None:
        """The smallest witness: its theorem (the first of the registry among equals), case and difference."""
        found = [(theorem, *witness) for theorem, witness in self.witnesses.items() if witness is not None]
        return min(found, key=lambda witness: witness[1].size, default=None)

    @property
    def finding(self) -> Finding:
        """AS_CLAIMED iff every theorem that must refute it has a witness, and no proof goes through."""
        name = self.mutant.id
        survived = [theorem for theorem, witness in self.witnesses.items() if witness is None]
        proved = [theorem for theorem, goal in self.unproved.items() if goal is None]
        if survived or not self.witnesses:
            return Finding(Outcome.DIFFERS, f"mutant {name} survives {', '.join(survived) or 'every theorem'}")
        if proved:
            return Finding(Outcome.DIFFERS, f"the proof of {', '.join(proved)} goes through for mutant {name}")
        return Finding(Outcome.AS_CLAIMED, name)


@dataclass
class Run:
    """The results so far, and how much was to be done.

    `smt` is None unless the SMT goals were asked for; `coq` says which theorems are stated in Coq, and what came of
    compiling them if that was asked for.
    """

    registry: Registry
    selected: Registry
    theorems: list[TheoremResult] = field(default_factory=list)
    mutants: list[MutantResult] = field(default_factory=list)
    smt: SmtRun | None = None
    coq: CoqRun = field(default_factory=CoqRun)

    @property
    def findings(self) -> list[Finding]:
        """What the verdict is made of; what was not reached is unverified."""
        results: list[TheoremResult | MutantResult] = [*self.theorems, *self.mutants]
        missing = len(self.selected.theorems) + len(self.selected.mutants) - len(results)
        found = [result.finding for result in results]
        known = {mutant.id for mutant in self.registry.mutants}
        for theorem in self.selected.theorems:
            if not theorem.refutes or not known.issuperset(theorem.refutes):
                found.append(Finding(Outcome.UNVERIFIED, f"{theorem.id} has mutants that were not run, or none"))
        if missing:
            found.append(Finding(Outcome.UNVERIFIED, f"{missing} theorems and mutants were not reached"))
        return [*found, *self.coq.outcomes, *([] if self.smt is None else self.smt.findings)]

    @property
    def scope(self) -> str:
        """What was covered, in words."""
        refuted = sum(result.finding.outcome is Outcome.AS_CLAIMED for result in self.mutants)
        held = self._held("theorems proved and checked", proved=True) + self._held("others checked", proved=False)
        return f"{held}{refuted} of {len(self.selected.mutants)} mutants refuted{self._left_out}{self._coq}{self._smt}"

    def _held(self, what: str, *, proved: bool) -> str:
        good = [result.theorem for result in self.theorems if result.finding.outcome is Outcome.AS_CLAIMED]
        held, stated = (sum((t.prove is not None) is proved for t in ts) for ts in (good, self.registry.theorems))
        return f"{held} of {stated} {what}, " if stated else ""

    @property
    def _coq(self) -> str:
        return f"; {self.coq.scope}" if self.coq.wanted else ""

    @property
    def _smt(self) -> str:
        return "" if self.smt is None else f"; {self.smt.scope}"

    @property
    def _left_out(self) -> str:
        theorems = len(self.registry.theorems) - len(self.selected.theorems)
        mutants = len(self.registry.mutants) - len(self.selected.mutants)
        return f"; {theorems} theorems and {mutants} mutants not selected" if theorems or mutants else ""


def select(registry: Registry, only: str | None) -> Registry:
    """Keep one theorem and the mutants that it must refute, or everything; `KeyError` for an unknown id."""
    if only is None:
        return registry
    theorems = tuple(theorem for theorem in registry.theorems if theorem.id == only)
    if not theorems:
        raise KeyError(only)
    return Registry(theorems, tuple(m for m in registry.mutants if m.id in theorems[0].refutes))


def execute(run: Run, examples: int = EXAMPLES) -> Iterator[TheoremResult | MutantResult]:
    """Do what was selected, adding each result to the run and yielding it."""
    for theorem in run.selected.theorems:
        result = examine(theorem, examples)
        run.theorems.append(result)
        yield result
    for mutant in run.selected.mutants:
        refutation = refute(mutant, [t for t in run.selected.theorems if mutant.id in t.refutes])
        run.mutants.append(refutation)
        yield refutation


def examine(theorem: Theorem, examples: int = EXAMPLES) -> TheoremResult:
    """Prove a theorem, check it on its grid and named pairs, and search with Hypothesis."""
    proof = None if theorem.prove is None else theorem.prove(KERNEL)
    grid, found = _first_difference(theorem, theorem.domain.grid())
    named, asked, drawn = 0, 0, 0
    if found is None and theorem.domain.named:
        named, found = _first_difference(theorem, iter(NAMED.values()))
    if found is None and theorem.domain.strategy is not None:
        asked = examples
        drawn, found = _search(theorem, theorem.domain.strategy(), examples)
    return TheoremResult(theorem, proof, grid, named, asked, drawn, found)


def refute(mutant: Mutant, theorems: list[Theorem]) -> MutantResult:
    """Find the smallest witness for each theorem, and the goal at which its proof fails on the mutant."""
    witnesses = {theorem.id: _witness(theorem, mutant) for theorem in theorems}
    kernel = mutant.kernel
    unproved = {} if kernel is None else {t.id: t.prove(kernel).failed for t in theorems if t.prove is not None}
    extras = {theorem.id: theorem.domain.extra for theorem in theorems}
    return MutantResult(mutant, witnesses, extras, unproved)


def _first_difference(theorem: Theorem, cases: Iterator[Any]) -> tuple[int, Witness | None]:
    count = 0
    for count, case in enumerate(cases, start=1):
        difference = theorem.holds(theorem.rule, case)
        if difference is not None:
            return count, (case, difference)
    return count, None


def _witness(theorem: Theorem, mutant: Mutant) -> Witness | None:
    for case in theorem.domain.grid():
        difference = theorem.holds(mutant.rule, case)
        if difference is not None:
            return case, difference
    return None


class _Counterexample(Exception):
    """Raised inside the property, so that Hypothesis shrinks the case."""


def _search(theorem: Theorem, strategy: "SearchStrategy[Any]", examples: int) -> tuple[int, Witness | None]:
    """Let Hypothesis look for a counterexample; the last one that it ran is the shrunk one."""
    from hypothesis import HealthCheck, Phase, Verbosity, given, settings

    drawn = 0
    found: list[Witness] = []

    @settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
        verbosity=Verbosity.quiet,
        print_blob=False,
        report_multiple_bugs=False,
    )
    @given(strategy)
    def holds(case: Any) -> None:
        nonlocal drawn
        drawn += 1
        difference = theorem.holds(theorem.rule, case)
        if difference is not None:
            found.append((case, difference))
            raise _Counterexample

    try:
        holds()
    except _Counterexample:
        return drawn, found[-1]
    return drawn, None
