"""Whether a verifier has one law: nobody is called biased for coins that somebody else tossed."""

from itertools import chain, repeat

from proofs.battery_runs import applies
from proofs.engine.laws import Law
from proofs.examination import Examined
from proofs.plans import Plan

__all__ = ["has_one_law"]

_AGAIN = 12  # times for the input that is to be shown
_PATHS = 10_000  # in all


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


def _agree(one: Law, other: Law) -> bool:
    return dict(one) == dict(other) and one.crashes == other.crashes
