"""Controls are lossless and faults biased, with the laws that were enumerated without the engine."""

from fractions import Fraction
from typing import Any

import pytest

from proofs import check, check_siblings
from proofs.verdicts import Status
from tests.sampled import sampled
from tests.verifiers import (
    CONTROLS,
    FAULTS,
    SIBLING_CONTROLS,
    SIBLING_FAULTS,
    Control,
    Fault,
    SiblingControl,
    SiblingFault,
)

SAMPLE = 4  # of so many verifiers one is in every run; the heavy job has them all

# np.float64(u) wants the value of an undrawn number: nothing can be said, and nothing wrong is said.
NOT_FOLLOWED = {"float64 temporaries"}

# Log space ends in floats where a constant that is no logarithm is added: its law is right to rounding only.
IN_FLOATS = {"undeclared lenience: log space", "boundary kept, float64: vectorised"}

BEYOND = 300  # paths: the whole battery is run by the benchmark


@pytest.mark.parametrize("control", list(sampled(CONTROLS, SAMPLE)))
def test_control_is_lossless(control: Control) -> None:
    """A right verifier is lossless in whatever style it is written; it is never biased."""
    verdict = check(control.verify, gamma=control.gamma, drafter=control.drafter, paths=BEYOND)
    expected = Status.UNVERIFIED if control.name in NOT_FOLLOWED else Status.LOSSLESS
    assert verdict.status is expected, str(verdict)


@pytest.mark.parametrize("control", list(sampled(SIBLING_CONTROLS, SAMPLE)))
def test_sibling_control_is_lossless(control: SiblingControl) -> None:
    verdict = check_siblings(
        control.verify, k=control.k, replacement=control.replacement, drafter=control.drafter, paths=BEYOND
    )
    assert verdict, str(verdict)


def _first_token(law: Any, vocabulary: int) -> tuple[Fraction, ...]:
    found = [Fraction(0)] * vocabulary
    for (_, emitted), mass in law.items():
        found[emitted[0]] += mass
    return tuple(found)


@pytest.mark.parametrize("fault", list(sampled(FAULTS, SAMPLE)))
def test_fault_is_biased_with_its_exact_law(fault: Fault) -> None:
    """The law of the first token and the distance on gamma + 1 tokens are those that enumeration gives."""
    options: Any = {"gamma": fault.gamma, "drafter": fault.drafter, "inputs": [(fault.target, fault.draft)]}
    verdict = check(fault.verify, shrink=False, **options)
    assert verdict.status is Status.BIASED, str(verdict)
    assert verdict.counterexample is not None
    law = _first_token(verdict.counterexample.call_law, len(fault.law))
    if fault.name in IN_FLOATS:
        assert abs(verdict.worst - fault.total_variation) < Fraction(1, 2**48)  # rounding of a few operations
        assert all(abs(a - b) < Fraction(1, 2**48) for a, b in zip(law, fault.law, strict=True))
    else:
        assert (law, verdict.worst) == (fault.law, fault.total_variation)


@pytest.mark.parametrize("fault", list(sampled(FAULTS, SAMPLE)))
def test_fault_is_found_without_being_told_the_input(fault: Fault) -> None:
    """The core battery, run as a user runs it, shows every one of them."""
    gamma = tuple(sorted({0, fault.gamma} if fault.gamma == 0 else {1, 2, fault.gamma}))
    verdict = check(fault.verify, gamma=gamma, drafter=fault.drafter, paths=0)
    assert verdict.status is Status.BIASED, str(verdict)
    assert verdict.explanation


@pytest.mark.parametrize("fault", list(sampled(SIBLING_FAULTS, SAMPLE)))
def test_sibling_fault_is_biased_with_its_exact_law(fault: SiblingFault) -> None:
    options: Any = {"k": fault.k, "replacement": fault.replacement, "drafter": fault.drafter}
    verdict = check_siblings(fault.verify, inputs=[(fault.target, fault.draft)], shrink=False, **options)
    assert verdict.counterexample is not None
    law = _first_token(verdict.counterexample.call_law, len(fault.law))
    assert (verdict.status, law, verdict.worst) == (Status.BIASED, fault.law, fault.total_variation)
    assert check_siblings(fault.verify, paths=BEYOND, **options).status is Status.BIASED
