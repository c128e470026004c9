"""The verdict on the exact law of one call, on one input: status, distance, evidence, explanation.

Pure functions on ``Fraction``. A call is lossless if what it emits, completed by the target's own
sampling, has the target's law on gamma + 1 tokens, and all emitted tokens but the last are drafted.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import NamedTuple

from proofs import explanation as say
from proofs.errors import NotADistributionError, ProofsError
from proofs.evidence import (
    Breach,
    Changed,
    DrafterDifference,
    Excess,
    changed_row,
    changed_target,
    draft_masses,
    drafter_difference,
    find_breaches,
    greatest_excess,
    nodes,
)
from proofs.optimum import block_optimum
from proofs.sequences import CallLaw, Prefix, Process, Rows, exact_sum, sequence_law, target_law
from proofs.verdicts import Outcome, Status, decide, decide_within

__all__ = [
    "ContradictionError",
    "Judgement",
    "Within",
    "changed_target",
    "judge",
    "sequence_law",
    "target_law",
    "within",
]

ZERO = Fraction(0)
_BEATS = "more tokens are accepted than a law so close to the target's can have: an error of this package"


class ContradictionError(RuntimeError):
    """Equal laws that accept more than is possible: an error of this package, never of the verifier."""


@dataclass(frozen=True)
class Judgement:
    """What the law of one call shows on one input.

    Attributes
    ----------
    status : Status
    total_variation : Fraction
        Between the laws on gamma + 1 tokens: exact where no mass is missing; otherwise the least that
        any completion of the law has, and `missing` more is the most.
    excess : Excess or None
        The sequence whose mass exceeds the target's most; None where none does.
    forbidden : Fraction
        Mass on sequences of target probability zero.
    breaches : tuple of Breach
        Paths on which emitted tokens but the last are not the drafted ones, the greatest mass first.
    changed : Changed or None
        The unseen row that shows a breach; `changed_target` makes the target with it.
    expected_accepted : Fraction
        E[emitted tokens] - 1; with missing mass, what the known paths contribute.
    optimum : Fraction or None
        The greatest that a lossless call can accept with the drafts' actual law; None where mass is
        missing, and with it some of that law.
    drafter : DrafterDifference or None
        Where the drafts do not come from the reported rows; None too where mass is missing.
    missing : Fraction
    reasons : tuple of str
        What speaks against vouching for the law.
    explanation : tuple of str
        Sentences, the weightiest first; empty where there is nothing to say.
    tolerance : Fraction
        What was put down to rounding.
    """

    status: Status
    total_variation: Fraction
    excess: Excess | None
    forbidden: Fraction
    breaches: tuple[Breach, ...]
    changed: Changed | None
    expected_accepted: Fraction
    optimum: Fraction | None
    drafter: DrafterDifference | None
    missing: Fraction
    reasons: tuple[str, ...]
    explanation: tuple[str, ...] = ()
    tolerance: Fraction = ZERO


class Within(NamedTuple):
    """What a verifier that is lossy on purpose comes to; AS_CLAIMED, DIFFERS or UNVERIFIED."""

    total_variation: Fraction
    outcome: Outcome


class _Laws(NamedTuple):
    """What the judgement is made from."""

    call: CallLaw
    found: Mapping[Prefix, Fraction]
    allowed: Mapping[Prefix, Fraction]


def judge(
    law: CallLaw,
    target: Process,
    draft: Process,
    gamma: int,
    vocabulary: int,
    *,
    missing: Fraction = ZERO,
    tolerance: Fraction = ZERO,
    reasons: Sequence[str] = (),
) -> Judgement:
    """Judge the exact law of one call.

    Parameters
    ----------
    law : mapping, (tokens, emitted) -> Fraction
        Masses of the gamma drafted and the 1 to gamma + 1 emitted tokens; with `missing` they sum to
        one. An emitted int outside 0 to V - 1 is a token of target probability zero.
    target, draft : callable, prefix -> row
        Rows of V probabilities for every prefix; `draft` is what the verifier is told.
    gamma : int
        With 0 nothing is drafted: the emitted token has to have the target's law.
    vocabulary : int
    missing : Fraction
        Mass of crashed, unexplored and unsupported paths.
    tolerance : Fraction
        Total variation that is put down to rounding; 0 in exact arithmetic. Mass on sequences of
        target probability zero, breaches and missing mass are never tolerated.
    reasons : sequence of str
        What speaks against vouching for the law; with one the status is not lossless.

    Returns
    -------
    Judgement

    Raises
    ------
    ProofsError
        If the masses do not sum to one with `missing`, a length does not fit, a row is no
        distribution over the vocabulary, or `missing` or `tolerance` is negative.
    ContradictionError
        If equal laws accept more than is possible, in exact arithmetic.
    """
    _check_numbers(law, missing, tolerance)
    rows, draft_rows = Rows(target, vocabulary, "target"), Rows(draft, vocabulary, "draft")
    call = {key: mass for key, mass in law.items() if mass}
    laws = _Laws(call, sequence_law(call, rows, gamma, vocabulary), target_law(rows, gamma + 1, vocabulary))
    judgement = _weighed(laws, rows, draft_rows, gamma, missing, tolerance, tuple(reasons))
    return replace(judgement, explanation=tuple(_sentences(judgement, laws, rows, gamma, tolerance)))


def within(
    law: CallLaw,
    target: Process,
    gamma: int,
    vocabulary: int,
    bound: Fraction,
    missing: Fraction = ZERO,
    *,
    reasons: Sequence[str] = (),
) -> Within:
    """Compare the law of a verifier that is lossy on purpose with the bound that it declares.

    Parameters
    ----------
    law : mapping, (tokens, emitted) -> Fraction
    target : callable, prefix -> row
    gamma, vocabulary : int
    bound : Fraction
        The greatest total variation on gamma + 1 tokens.
    missing : Fraction
        Mass of crashed, unexplored and unsupported paths.
    reasons : sequence of str
        What speaks against vouching for the law.

    Returns
    -------
    Within
        The distance (with missing mass, the least that any completion has) and what it means: a token
        of target probability zero counts by its mass alone.

    Raises
    ------
    ProofsError
        As `judge` does, and if `bound` is negative.
    """
    _check_numbers(law, missing, ZERO)
    rows = Rows(target, vocabulary, "target")
    found = sequence_law(law, rows, gamma, vocabulary)
    distance = _excess_mass(found, target_law(rows, gamma + 1, vocabulary))
    return Within(distance, decide_within(distance, bound, missing=missing, reasons=reasons))


def _weighed(
    laws: _Laws,
    rows: Rows,
    draft: Rows,
    gamma: int,
    missing: Fraction,
    tolerance: Fraction,
    reasons: tuple[str, ...],
) -> Judgement:
    distance = _excess_mass(laws.found, laws.allowed)
    forbidden = exact_sum(mass for y, mass in laws.found.items() if y not in laws.allowed)
    breaches, drafted = find_breaches(laws.call), draft_masses(laws.call)
    expected = exact_sum(mass * (len(emitted) - 1) for (_, emitted), mass in laws.call.items())
    optimum = None if missing else block_optimum(rows, drafted, gamma)
    if optimum is not None and not breaches and distance <= tolerance:
        reasons += _gate(expected - optimum, distance, gamma, tolerance)
    return Judgement(
        status=decide(
            excess=distance > tolerance,
            forbidden=bool(forbidden or breaches),
            missing=missing,
            equal=distance <= tolerance,
            reasons=reasons,
        ),
        total_variation=distance,
        excess=greatest_excess(laws.found, laws.allowed) if distance else None,
        forbidden=forbidden,
        breaches=breaches,
        changed=changed_row(breaches, rows, gamma, rows.vocabulary),
        expected_accepted=expected,
        optimum=optimum,
        drafter=None if missing else drafter_difference(drafted, draft, gamma, rows.vocabulary, tolerance),
        missing=missing,
        reasons=reasons,
        tolerance=tolerance,
    )


def _gate(lead: Fraction, distance: Fraction, gamma: int, tolerance: Fraction) -> tuple[str, ...]:
    """Hold the accepted tokens to what is possible at this distance from the target.

    At distance d a node keeps at most ``a_i p`` and what the laws of i and i + 1 tokens differ by, so
    that E[accepted] exceeds the optimum by at most ``d + 3 d + ... + (2 gamma - 1) d = gamma**2 d``:
    rounding alone is never blamed, and equal laws have no lead at all.
    """
    if lead <= gamma**2 * distance:
        return ()
    if not tolerance:
        raise ContradictionError(f"{_BEATS}; please report it: the laws are equal, the lead is {lead}.")
    return (f"{_BEATS} (lead {lead})",)


def _sentences(judgement: Judgement, laws: _Laws, rows: Rows, gamma: int, tolerance: Fraction) -> list[str]:
    sentences = list(say.breach_sentences(judgement.breaches, judgement.changed))
    if judgement.status is Status.BIASED and not judgement.breaches:
        sentences += _faults(judgement, laws, rows, gamma, tolerance)
    if judgement.status is Status.BIASED and judgement.excess is not None:
        sentences.append(say.excess_sentence(judgement.excess))
    if judgement.drafter is not None:
        sentences.append(say.drafter_sentence(judgement.drafter))
    if judgement.missing:
        sentences.append(say.missing_sentence(judgement.missing))
    best = judgement.optimum
    if judgement.status is Status.LOSSLESS and best is not None and judgement.expected_accepted < best:
        sentences.append(say.slow_sentence(judgement.expected_accepted, best))
    return sentences


def _faults(judgement: Judgement, laws: _Laws, rows: Rows, gamma: int, tolerance: Fraction) -> list[str]:
    """Say what is wrong with a law of right structure: what can be said while mass is missing, then the rest."""
    found = nodes(laws.call)
    too_high = say.acceptance_sentence(found, rows, judgement.missing, tolerance)
    sentences = [say.forbidden_sentence(found, rows) if judgement.forbidden else None, too_high]
    if not judgement.missing and judgement.total_variation > tolerance:
        if too_high is None:
            sentences.append(say.stop_sentence(found, rows, gamma, tolerance))
        sentences.append(say.joint_sentence(laws.found, laws.allowed, gamma + 1, tolerance))
    return [sentence for sentence in sentences if sentence]


def _excess_mass(found: Mapping[Prefix, Fraction], allowed: Mapping[Prefix, Fraction]) -> Fraction:
    """Sum of what exceeds the target: the total variation, or with missing mass the least of any completion."""
    if found == allowed:
        return ZERO
    return exact_sum(max(ZERO, mass - allowed.get(y, ZERO)) for y, mass in found.items())


def _check_numbers(law: CallLaw, missing: Fraction, tolerance: Fraction) -> None:
    if missing < 0 or tolerance < 0:
        raise ProofsError(f"missing is {missing} and tolerance {tolerance}; expected numbers >= 0.")
    total = exact_sum(law.values()) + missing
    if total != 1:
        raise NotADistributionError(
            f"law and missing sum to {total}; expected exactly 1: count what is not in the law as missing."
        )
