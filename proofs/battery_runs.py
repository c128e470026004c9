"""The battery run on a verifier, in each arithmetic that it needs."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from proofs.engine.choices import Arithmetic
from proofs.engine.signals import Kind, Mark
from proofs.examination import Examined, Results
from proofs.inputs import Input
from proofs.plans import FLOATS, Plan
from proofs.verdict import Acceptance
from proofs.verdicts import Status, combine

__all__ = ["Run", "applies", "run_battery"]

_UNFINISHED = 3  # inputs that were not explored to their end


@dataclass
class Run:
    """What one arithmetic came to."""

    arithmetic: Arithmetic
    core: int = 0
    beyond: dict[str, int] = field(default_factory=dict)
    paths: int = 0
    left: Mark | None = None
    notes: dict[str, None] = field(default_factory=dict)
    acceptance: list[Acceptance] = field(default_factory=list)
    worst: Fraction = Fraction(0)
    statuses: list[Status] = field(default_factory=list)
    biased: Examined | None = None
    unverified: Examined | None = None
    boundary: Mark | None = None
    broken_off: str | None = None
    single: bool = False
    swept: bool = False
    unfinished: int = 0
    grids: dict[str, None] = field(default_factory=dict)
    exact_on_grid: int = 0
    exact_over_reals: int = 0
    worst_over_reals: Fraction = Fraction(0)
    batches: dict[int, int] = field(default_factory=dict)

    def add(self, found: Examined) -> None:
        """Take one input's result in."""
        judged = found.judgement
        self.paths += found.law.paths
        self.worst = max(self.worst, judged.total_variation)
        self.statuses.append(judged.status)
        self.notes.update(dict.fromkeys(str(mark) for mark in found.marked(Kind.NOTE)))
        self.swept = self.swept or bool(found.marked(Kind.SWEPT))
        self._add_grids(found)
        boundary = found.marked(Kind.BOUNDARY)
        self.boundary = self.boundary or (boundary[0] if boundary else None)
        if judged.drafter is not None:
            self.notes[f"the drafter does not draw from the row that it reports (input: {found.input.name})"] = None
        if judged.status is Status.BIASED and self._is_worse(found):
            self.biased = found
        if judged.status is Status.UNVERIFIED and self.unverified is None:
            self.unverified = found

    def _add_grids(self, found: Examined) -> None:
        self.grids.update(dict.fromkeys(mark.reason for mark in found.marked(Kind.GRID)))
        self.exact_on_grid += not found.judgement.missing and not found.judgement.total_variation
        if found.over_reals is None:
            self.exact_over_reals += not found.judgement.missing and not found.judgement.total_variation
        else:
            self.exact_over_reals += not found.judgement.missing and not found.over_reals
            self.worst_over_reals = max(self.worst_over_reals, found.over_reals)

    def _is_worse(self, found: Examined) -> bool:
        return self.biased is None or found.judgement.total_variation > self.biased.judgement.total_variation

    @property
    def status(self) -> Status:
        """Over all inputs."""
        return combine([*self.statuses, *([Status.UNVERIFIED] if self.broken_off else [])])


def run_battery(plan: Plan) -> list[Run]:
    """Run the battery in each arithmetic that the plan needs."""
    if plan.arithmetic in FLOATS:
        return [_run(plan, FLOATS[plan.arithmetic], plan.paths)]
    leaves = (Kind.LEAK,) if plan.arithmetic == "auto" else ()
    first = _run(plan, Arithmetic.EXACT, plan.paths, leaves)
    if plan.arithmetic == "exact" or first.biased is not None or first.broken_off:
        return [first]
    if first.left is not None:
        return [first, _run(plan, Arithmetic.FLOAT64, plan.paths, single=first.single)]
    # A comparison that only the coin 0 decides otherwise: exact arithmetic cannot see it, floats do.
    return [first, _run(plan, Arithmetic.FLOAT64, 0)] if first.boundary is not None else [first]


def _run(plan: Plan, arithmetic: Arithmetic, paths: int, leaves: Sequence[Kind] = (), *, single: bool = False) -> Run:
    run = Run(arithmetic, single=single)
    with plan.bench.open(plan.question, plan.allow_state, single=single) as results:
        ended = _run_core(plan, run, results, leaves)
        if not ended and plan.inputs is None and run.unverified is None and paths:
            _go_beyond(plan, run, results, paths, leaves)
    return run


def _run_core(plan: Plan, run: Run, results: Results, leaves: Sequence[Kind]) -> bool:
    """Run the core battery; tell whether that ends the run."""
    inputs = [(found, applies(plan, found)) for found in plan.core(run.arithmetic)]
    examined = results([found for found, fits in inputs if fits], run.arithmetic, leaves)
    for found, fits in inputs:
        if not fits:
            run.notes[f"left out, fewer tokens in the draft than siblings: {found.name}"] = None
        elif _take(plan, run, next(examined), core=True):
            return True
    return False


def _go_beyond(plan: Plan, run: Run, results: Results, paths: int, leaves: Sequence[Kind]) -> None:
    limit = run.paths + paths
    inputs = (found for found in plan.beyond(run.arithmetic) if applies(plan, found))
    for found in results(inputs, run.arithmetic, leaves):
        if _take(plan, run, found, core=False) or run.paths >= limit:
            return


def applies(plan: Plan, found: Input) -> bool:
    """Tell whether an input has as many tokens in its draft as siblings are drawn from it."""
    k = plan.question.siblings
    if k is None or plan.question.replacement or plan.question.drafter is not None:
        return True
    return sum(1 for x in found.checked[1](()) if x) >= k


def _acceptance(found: Examined) -> Iterator[Acceptance]:
    """Yield what is accepted, of each request by itself, and what could be."""
    name = f"{found.input.name}, gamma {found.input.gamma}, V = {found.input.vocabulary}"
    for place, judged in enumerate(found.alone or [found.judgement]):
        if judged.optimum is not None:
            which = f", request {place}" if len(found.alone) > 1 else ""
            yield Acceptance(name + which, judged.expected_accepted, judged.optimum)


def _take(plan: Plan, run: Run, found: Examined | str, *, core: bool) -> bool:
    """Take a result in; tell whether it ends the run."""
    if isinstance(found, str):
        run.broken_off = found
        return True
    leak = found.marked(Kind.LEAK)
    run.single = run.single or bool(found.marked(Kind.SINGLE))
    if (
        leak
        and plan.arithmetic == "auto"
        and run.arithmetic is Arithmetic.EXACT
        and found.judgement.status is not Status.BIASED
    ):
        run.left = leak[0]
        run.paths += found.law.paths
        return True
    run.add(found)
    if plan.record is not None:
        plan.record(run, found)
    if core:
        run.core += 1
        size = len(found.input.requests)
        run.batches[size] = run.batches.get(size, 0) + 1
        run.acceptance += _acceptance(found)
    else:
        run.beyond[found.input.name] = run.beyond.get(found.input.name, 0) + 1
    if plan.progress is not None:
        plan.progress(len(run.statuses), run.paths)
    # A core battery that is not whole ends as unverified: a few such inputs are enough.
    run.unfinished += bool(found.law.remaining)
    return run.unfinished >= _UNFINISHED or (found.judgement.status is Status.BIASED and not plan.worst)
