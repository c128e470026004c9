"""The verdict in words: what was covered, why, and what is shown of the input that decided."""

from collections.abc import Sequence
from fractions import Fraction

from proofs.batches import part_words
from proofs.battery_runs import Run
from proofs.counterexamples import counterexample, smallest
from proofs.engine.choices import Arithmetic
from proofs.examination import Examined, default_tolerance
from proofs.plans import Plan
from proofs.repeats import has_one_law, is_swept_finely
from proofs.verdict import Verdict, shown
from proofs.verdicts import Status, combine

__all__ = ["conclude_on", "joined"]

_ROUNDING = Fraction(1, 2**16)  # of accepted tokens, in float32 too: far above what rounding costs, far below a fault


def conclude_on(plan: Plan, *runs: Run) -> Verdict:
    """Return the verdict over the runs, with the counterexample made smaller where there is one."""
    whole = [run for run in runs if run.left is None]
    status = combine([run.status for run in whole])
    deciding = next((run for run in whole if run.status is status), runs[-1])
    shown_input = deciding.biased if status is Status.BIASED else deciding.unverified
    found_counterexample = None
    explanation: list[str] = []
    if status is Status.BIASED and shown_input is not None and not has_one_law(plan, shown_input):
        seen = "explored again, it has another law: it has randomness or state that was not seen"
        return _of_two_laws(plan, shown_input, runs, seen)
    if status is Status.BIASED and shown_input is not None and not is_swept_finely(plan, shown_input):
        seen = "swept with more probes, it has another law: pieces of the coins were missed"
        return _of_two_laws(plan, shown_input, runs, seen)
    if status is Status.BIASED and shown_input is not None:
        shown_input = smallest(plan, shown_input)
        found_counterexample = counterexample(plan, shown_input)
    if status is not Status.LOSSLESS and shown_input is not None:
        explanation = list(shown_input.judgement.explanation)
    return Verdict(
        status,
        _scope(plan, runs),
        _reason(plan, status, shown_input, deciding),
        explanation=(
            *explanation,
            *_distances(status, deciding),
            *(_pace(status, deciding) if plan.question.bound is None else []),
        ),
        counterexample=found_counterexample,
        worst=max(run.worst for run in runs),
        acceptance=tuple(deciding.acceptance),
        inputs=sum(len(run.statuses) for run in runs),
        paths=sum(run.paths for run in runs),
        notes=(*dict.fromkeys(note for run in runs for note in run.notes), *_blind_spot(plan, status)),
    )


def _of_two_laws(plan: Plan, found: Examined, runs: Sequence[Run], reason: str) -> Verdict:
    return Verdict(
        combine([Status.UNVERIFIED]),
        _scope(plan, runs),
        reason,
        explanation=(f"What looked like a bias on [{found.input.name}] is not the same every time.",),
        inputs=sum(len(run.statuses) for run in runs),
        paths=sum(run.paths for run in runs),
        notes=tuple(dict.fromkeys(note for run in runs for note in run.notes)),
    )


def _blind_spot(plan: Plan, status: Status) -> list[str]:
    """Say where lengths that code can mix up were equal in every call of several positions."""
    several = [gamma for gamma in plan.gammas if gamma > 1]
    if status is not Status.LOSSLESS or plan.inputs is not None or plan.question.siblings is not None or not several:
        return []
    if any(size not in (gamma, gamma + 1) for gamma in several for size in plan.vocabularies):
        return []
    return [
        "gamma or gamma + 1 equals V wherever there are several positions: code that mixes up the two lengths does "
        f"not show; gamma=(1, 2, 3) and vocabulary=({plan.vocabularies[0]}, {max(several) + 2}) look at it"
    ]


_ARITHMETICS = {
    Arithmetic.EXACT: "exact arithmetic, real uniforms",
    Arithmetic.FLOAT64: "float64 arithmetic on {rows}, uniforms k/2^53",
    Arithmetic.FLOAT32: "float32 arithmetic on {rows}, uniforms k/2^24 or k/2^53",
    **{found: f"tensors of {found.value} on {{rows}}" for found in Arithmetic if found.is_torch},
}


def _reason(plan: Plan, status: Status, found: Examined | None, run: Run) -> str:
    bound = plan.question.bound
    if status is Status.LOSSLESS and bound is not None:
        how = "swept, " if run.swept else ""
        return (
            f"{how}total variation {shown(run.worst)} at most on {len(run.statuses)} inputs, within the bound {bound}"
        )
    if status is Status.LOSSLESS:
        return f"{'swept, ' if run.swept else ''}the law is the target's on every one of {len(run.statuses)} inputs"
    if found is None:
        return f"{run.broken_off} after {len(run.statuses)} inputs" if run.broken_off else "nothing was tried"
    judged = found.judgement
    place = f"{found.input.name}, gamma {found.input.gamma}, V = {found.input.vocabulary}{_request_words(found)}"
    if status is Status.UNVERIFIED:
        return f"{judged.reasons[0] if judged.reasons else 'the law is not known'} [{place}]"
    if bound is not None:
        return f"total variation {shown(judged.total_variation)} is beyond the bound {bound} [{place}]"
    excess = judged.excess
    if judged.breaches or excess is None:
        return f"emitted tokens are not the drafted ones [{place}]"
    return (
        f"{excess.sequence} has probability {shown(excess.mass)}, the target's is {shown(excess.allowed)}; "
        f"total variation {shown(judged.total_variation)} [{place}]"
    )


def _distances(status: Status, run: Run) -> list[str]:
    """Say apart what is exact over real coins, what is exact on their grid, and what is left to rounding."""
    if status is not Status.LOSSLESS or not run.grids:
        return []
    count = len(run.statuses)
    return [
        f"Exactly the target's law on {run.exact_on_grid} of {count} inputs as the coins lie on their grids, and on "
        f"{run.exact_over_reals} of {count} if they were real numbers (total variation "
        f"{_brief(run.worst_over_reals)} at most). Put down to rounding: {_brief(run.worst)} at most."
    ]


def _brief(distance: Fraction) -> str:
    return str(distance) if distance.denominator <= 10**6 else f"{float(distance):.2g} (rounded)"


def _request_words(found: Examined) -> str:
    if not found.input.others or found.judgement.status is Status.UNVERIFIED:
        return ""
    return f", {part_words(found.place, found.others)}"


def _pace(status: Status, run: Run) -> list[str]:
    """Say once that a right verifier is slower than it could be, on the input where the most is given away."""
    rounding = 0 if run.arithmetic is Arithmetic.EXACT else _ROUNDING
    slow = [a for a in run.acceptance if a.best - a.expected > rounding]
    if status is not Status.LOSSLESS or not slow:
        return []
    most = max(slow, key=lambda a: a.best - a.expected)
    return [
        f"Right, but not the fastest: on [{most.input}] it accepts {shown(most.expected)} tokens a call; the best "
        f"lossless rule accepts {shown(most.best)}. Slower than the best on {len(slow)} of {len(run.acceptance)} "
        "inputs."
    ]


def _scope(plan: Plan, runs: Sequence[Run]) -> str:
    parts = [_scope_of(plan, run) for run in runs]
    question = plan.question
    drafts = "drafts by the caller's drafter" if question.drafter else "drafts drawn from the rows"
    if question.siblings is not None:
        drafts += f", {question.siblings} siblings {'with' if question.replacement else 'without'} replacement"
    if question.factory:
        drafts += "; the verifier is made anew for every path"
    extra = [f"allowed to change: {', '.join(plan.allow_state)}"] if plan.allow_state else []
    if question.target_of is not None:
        extra.append("held to the declared target")
    replayed = "every path replayed in floats"
    if any(run.swept for run in runs):
        replayed = "every path without coins replayed in floats, and points of the swept boxes run again"
    return "; ".join([*parts, drafts, replayed, *extra])


def _scope_of(plan: Plan, run: Run) -> str:
    sizes = f"gamma {', '.join(map(str, plan.gammas))}" if plan.question.siblings is None else "one call"
    vocabularies = "" if plan.inputs is not None else f", V = {', '.join(map(str, plan.vocabularies))}"
    if run.left is not None:
        return f"exact arithmetic was left after {run.paths} paths: {run.left}"
    rows = "dyadic rows" if plan.inputs is None else "the caller's rows as floats"
    what = _ARITHMETICS[run.arithmetic].format(rows=rows)
    if run.arithmetic is not Arithmetic.EXACT:
        what += f", tolerance {_tolerance_text(plan, run)}"
    if run.swept:
        what += f", coins swept ({plan.question.density} first probes of each)"
    if run.grids:
        what += f", {', '.join(run.grids)}"
    core = f"{run.core} inputs {'of the core battery' if plan.inputs is None else 'of the caller'}"
    core += _batches_text(plan, run)
    alone = " with B = 1" if plan.batches else ""
    beyond = [f"{count} {name}{alone}" for name, count in run.beyond.items()]
    end = f", then {run.broken_off}" if run.broken_off else ""
    return f"{what}, {sizes}{vocabularies}: {', '.join([core, *beyond])}, {run.paths} paths{end}"


def _batches_text(plan: Plan, run: Run) -> str:
    """Say what was run with how many requests in a batch; nothing where there is no batch."""
    if not plan.batches:
        return ""
    words = {
        1: "{} with B = 1",
        2: "{} pairs of requests with B = 2, each held to its law given what the other one came to",
    }
    return " (" + ", ".join(words[size].format(run.batches.get(size, 0)) for size in plan.batches) + ")"


def _tolerance_text(plan: Plan, run: Run) -> str:
    if plan.question.tolerance is not None:
        return str(plan.question.tolerance)
    size = max(plan.vocabularies)
    single = run.single and run.arithmetic in (Arithmetic.FLOAT64, Arithmetic.TORCH64)
    rounding = Arithmetic.FLOAT32 if single else run.arithmetic
    text = f"{float(default_tolerance(rounding, max(plan.gammas), size)):.2g} at most"
    return text + (
        (" (coins of float32)" if run.swept or run.grids else " (the code rounds to float32)") if single else ""
    )


def joined(parts: Sequence[Verdict]) -> Verdict:
    """Return the verdict over several k: the worst word, everything that was covered."""
    status = combine([part.status for part in parts])
    deciding = next(part for part in parts if part.status is status)
    return Verdict(
        status,
        " | ".join(part.scope for part in parts),
        deciding.reason,
        explanation=deciding.explanation,
        counterexample=deciding.counterexample,
        worst=max(part.worst for part in parts),
        acceptance=tuple(a for part in parts for a in part.acceptance),
        inputs=sum(part.inputs for part in parts),
        paths=sum(part.paths for part in parts),
        notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
    )
