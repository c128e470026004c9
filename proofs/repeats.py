"""Whether a verifier has one law: nobody is called biased for coins that somebody else tossed."""

from dataclasses import replace
from itertools import chain, repeat

from proofs.battery_runs import applies
from proofs.engine.laws import Law
from proofs.engine.signals import Kind
from proofs.examination import Examined
from proofs.plans import Plan

__all__ = ["has_one_law", "is_swept_finely"]

_AGAIN = 12  # times for the input that is to be shown
_PATHS = 10_000  # in all
_FINEST = 2**12  # probes of a coin


def has_one_law(plan: Plan, found: Examined) -> bool:
    """Explore the input again, and every input of the core twice, and tell whether the laws are the same.

    A compiled extension can draw its own randomness out of everybody's sight. A law that comes out otherwise the
    second time is not the verifier's law, and what it shows is no bias.

    Parameters
    ----------
    plan : Plan
    found : Examined
        The result that would be called biased.
    """
    twice = (each for each in plan.core(found.arithmetic) if applies(plan, each) for _ in range(2))
    before: Law | None = None
    paths = 0
    with plan.bench.open(plan.question, plan.allow_state, spread=False) as results:
        for at, again in enumerate(results(chain(repeat(found.input, _AGAIN), twice), found.arithmetic)):
            if isinstance(again, str):
                return True  # broken off: nothing speaks against it
            expected = found.law if at < _AGAIN else before if (at - _AGAIN) % 2 else again.law
            if expected is not None and not _agree(expected, again.law):
                return False
            before = again.law
            paths += again.law.paths
            if paths > _PATHS and at:
                return True
    return True


def is_swept_finely(plan: Plan, found: Examined) -> bool:
    """Tell whether a swept law stays what it is with so many more probes that a piece as large as its bias would show.

    What was missed would count for the outcome around it. A token that the target never emits needs no such look:
    concrete coins emit it.

    Parameters
    ----------
    plan : Plan
    found : Examined
        The result that would be called biased.
    """
    judged = found.judgement
    if not found.marked(Kind.SWEPT) or judged.breaches or judged.excess is None or not judged.excess.allowed:
        return True
    density = min(_FINEST, 1 << int(4 / judged.total_variation).bit_length()) if judged.total_variation else _FINEST
    if density <= plan.question.density:
        return True
    with plan.bench.open(replace(plan.question, density=density), plan.allow_state, spread=False) as results:
        again = next(results([found.input], found.arithmetic))
    return isinstance(again, str) or _agree(found.law, again.law)


def _agree(one: Law, other: Law) -> bool:
    return dict(one) == dict(other) and one.crashes == other.crashes
