"""From an input on which a verifier is biased to the smallest one that shows it, with its laws and a path."""

from dataclasses import replace
from typing import Any

from proofs.battery_runs import applies
from proofs.engine.choices import Arithmetic
from proofs.evidence import changed_target
from proofs.examination import Examined
from proofs.inputs import Input
from proofs.plans import Plan
from proofs.sequences import Prefix, sequence_law, target_law
from proofs.shrinking import shrink
from proofs.verdict import Counterexample, RequestInBatch, snippet
from proofs.verdicts import Status

__all__ = ["counterexample", "smallest"]

_PATHS = 20_000  # spent on making a counterexample smaller


def smallest(plan: Plan, found: Examined) -> Examined:
    """Return a smaller counterexample, examined; the found one where none is smaller or shrinking is off."""
    if found.judgement.changed is not None:
        found = _with_changed_row(plan, found)
    if not plan.shrinks:
        return found
    best, paths = [found], 0
    with plan.bench.open(plan.question, plan.allow_state, spread=False) as results:

        def still_biased(candidate: Input) -> bool:
            nonlocal paths
            if not applies(plan, candidate) or paths > _PATHS:
                return False
            again = next(results([candidate], found.arithmetic))
            if isinstance(again, str):
                return False
            paths += again.law.paths
            # A breach of structure is biased whatever the laws are; a counterexample shows laws that differ.
            if again.judgement.status is Status.BIASED and again.judgement.total_variation:
                best.append(again)
            return best[-1] is again

        least = 1 if min(plan.gammas) > 0 else 0
        shrink(found.input, still_biased, dyadic=found.arithmetic is not Arithmetic.EXACT, least_gamma=least)
    return best[-1]


def _with_changed_row(plan: Plan, found: Examined) -> Examined:
    """Return the result with the row changed that the verifier never saw, so that the laws differ."""
    changed = found.judgement.changed
    if changed is None:
        return found
    again = _with_target(found.input, found.place, changed_target(found.request.target, changed))
    with plan.bench.open(plan.question, plan.allow_state, spread=False) as results:
        examined = next(results([again], found.arithmetic))
    return found if isinstance(examined, str) else examined


def _with_target(found: Input, place: int, target: Any) -> Input:
    if place == 0:
        return replace(found, target=target)
    others = list(found.others)
    others[place - 1] = target, others[place - 1][1]
    return replace(found, others=tuple(others))


def counterexample(plan: Plan, found: Examined) -> Counterexample:
    """Return the input of a biased result with its laws, written down."""
    target, draft = found.request.tables()
    gamma = found.input.gamma if plan.question.siblings is None else 0
    path = _path(found)
    one_call = found.law if plan.question.siblings is None else found.law.marginal(lambda outcome: ((), outcome[1]))
    return Counterexample(
        target,
        draft,
        gamma,
        found.input.vocabulary,
        law=sequence_law(one_call, found.target, gamma, found.input.vocabulary),
        expected=target_law(found.target, gamma + 1, found.input.vocabulary),
        call_law=dict(found.law),
        total_variation=found.judgement.total_variation,
        path=path,
        coins=None if path is None else found.law.coins.get(path[:2]),
        snippet=snippet(found.input, _options(plan, found)),
        batch=_batch(found) if found.input.others else None,
    )


def _path(found: Examined) -> Any:
    """Return a call towards the sequence of greatest excess: one that is wrong by itself, or the heaviest."""
    excess = found.judgement.excess
    if excess is None:
        return None
    leading = [
        (mass, tokens, emitted)
        for (tokens, emitted), mass in found.law.items()
        if excess.sequence[: len(emitted)] == emitted
    ]
    if not leading:
        return None
    mass, tokens, emitted = max(leading, key=lambda call: (not _possible(found, call[2]), call))
    return tokens, emitted, excess.sequence, mass


def _possible(found: Examined, emitted: Prefix) -> bool:
    """Tell whether the target gives every one of the tokens a probability."""
    rows = (found.target(emitted[:at]) for at in range(len(emitted)))
    return all(0 <= token < len(row) and row[token] for token, row in zip(emitted, rows, strict=True))


def _batch(found: Examined) -> RequestInBatch:
    return RequestInBatch(tuple(each.tables() for each in found.input.requests), found.place, found.others)


def _options(plan: Plan, found: Examined) -> dict[str, Any]:
    arithmetic = {} if found.arithmetic is Arithmetic.EXACT else {"arithmetic": found.arithmetic.value}
    return arithmetic | ({"factory": True} if plan.question.factory else {})
