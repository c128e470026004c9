"""The one place that turns findings into a verdict: the printed word and the exit status are one value."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import IntEnum, StrEnum
from fractions import Fraction

from proofs.errors import ProofsError

__all__ = ["Conclusion", "Finding", "Outcome", "Status", "combine", "conclude", "decide", "decide_within"]


class Outcome(IntEnum):
    """What a finding means; the value is the exit status."""

    AS_CLAIMED = 0
    DIFFERS = 1
    BAD_INPUT = 2
    OWN_ERROR = 3
    UNVERIFIED = 5


class Status(StrEnum):
    """The verdict on a verifier; the word is the value."""

    LOSSLESS = "lossless"
    BIASED = "biased"
    UNVERIFIED = "unverified"

    @property
    def outcome(self) -> Outcome:
        """What the verdict means for the run; its value is the exit status."""
        return _OUTCOMES[self]


_OUTCOMES = {
    Status.LOSSLESS: Outcome.AS_CLAIMED,
    Status.BIASED: Outcome.DIFFERS,
    Status.UNVERIFIED: Outcome.UNVERIFIED,
}

_WORDS = {
    Outcome.AS_CLAIMED: "VERIFIED",
    Outcome.DIFFERS: "FAILED",
    Outcome.BAD_INPUT: "BAD INPUT",
    Outcome.OWN_ERROR: "ERROR",
    Outcome.UNVERIFIED: "UNVERIFIED",
}

_SHOWN = 3  # reasons on the last line; the lines above it have them all

# The greatest harm first: of several findings the first of these decides.
_HARM = (
    Outcome.OWN_ERROR,
    Outcome.DIFFERS,
    Outcome.BAD_INPUT,
    Outcome.UNVERIFIED,
    Outcome.AS_CLAIMED,
)


@dataclass(frozen=True)
class Finding:
    """One thing that was looked at, and what came of it."""

    outcome: Outcome
    text: str


@dataclass(frozen=True)
class Conclusion:
    """The verdict on a run.

    Attributes
    ----------
    outcome : Outcome
    scope : str
        What was covered, in words; never more than was done.
    reasons : tuple of str
        The findings that decided, where not everything is as claimed.
    """

    outcome: Outcome
    scope: str
    reasons: tuple[str, ...]

    @property
    def word(self) -> str:
        """The printed verdict."""
        return _WORDS[self.outcome]

    @property
    def exit_status(self) -> int:
        """The status of the process."""
        return int(self.outcome)

    def to_json(self) -> dict[str, str | int | list[str]]:
        """Return the verdict as JSON values."""
        return {
            "word": self.word,
            "exit_status": self.exit_status,
            "scope": self.scope,
            "reasons": list(self.reasons),
        }

    def __str__(self) -> str:
        shown = [*self.reasons[:_SHOWN], *([f"{more} more"] if (more := len(self.reasons) - _SHOWN) > 0 else [])]
        because = f" ({'; '.join(shown)})" if shown else ""
        return f"{self.word}: {self.scope}{because}"


def conclude(findings: Iterable[Finding], scope: str) -> Conclusion:
    """Weigh the findings: the greatest harm wins, and no finding at all is UNVERIFIED."""
    found = list(findings)
    if not found:
        return Conclusion(Outcome.UNVERIFIED, scope, ("nothing was checked",))
    outcome = min((finding.outcome for finding in found), key=_HARM.index)
    if outcome is Outcome.AS_CLAIMED:
        return Conclusion(outcome, scope, ())
    return Conclusion(outcome, scope, tuple(f.text for f in found if f.outcome is outcome))


def decide(*, excess: bool, forbidden: bool, missing: Fraction, equal: bool, reasons: Sequence[str] = ()) -> Status:
    """Decide on one verifier and one input: the only place where the three words are chosen.

    Parameters
    ----------
    excess : bool
        Whether sequences have more mass already than the target allows. In exact arithmetic any
        excess, in float arithmetic a sum of excesses beyond the tolerance.
    forbidden : bool
        Whether there is mass on a sequence of target probability zero; no tolerance applies.
    missing : Fraction
        Mass of crashed, unexplored and unsupported paths. No tolerance applies: a crash of mass
        2**-53 is a crash.
    equal : bool
        Whether the laws are equal, in float arithmetic within the tolerance.
    reasons : sequence of str
        What speaks against vouching for the law (marks, an incomplete battery). They cannot mend
        an excess.

    Returns
    -------
    Status

    Raises
    ------
    ProofsError
        If `missing` is negative.
    """
    _check_missing(missing)
    if excess or forbidden:
        return Status.BIASED
    if equal and not missing and not reasons:
        return Status.LOSSLESS
    return Status.UNVERIFIED


def decide_within(
    total_variation: Fraction, bound: Fraction, *, missing: Fraction, reasons: Sequence[str] = ()
) -> Outcome:
    """Decide on a verifier that is lossy on purpose; it is never called lossless.

    Parameters
    ----------
    total_variation : Fraction
        Distance from the target; where mass is missing, the least that any completion has.
    bound : Fraction
        The greatest distance that was declared.
    missing : Fraction
        Mass of crashed, unexplored and unsupported paths.
    reasons : sequence of str
        What speaks against vouching for the law.

    Returns
    -------
    Outcome
        ``DIFFERS`` where the distance exceeds the bound, ``AS_CLAIMED`` where it does not and nothing
        is missing, else ``UNVERIFIED``.

    Raises
    ------
    ProofsError
        If `missing` or `bound` is negative.
    """
    _check_missing(missing)
    if bound < 0:
        raise ProofsError(f"bound is {bound}; expected a total variation >= 0, such as 1/100.")
    if total_variation > bound:
        return Outcome.DIFFERS
    return Outcome.UNVERIFIED if missing or reasons else Outcome.AS_CLAIMED


def combine(statuses: Iterable[Status]) -> Status:
    """Decide over many inputs: one biased is biased, none tried is unverified.

    Parameters
    ----------
    statuses : iterable of Status

    Returns
    -------
    Status
        ``LOSSLESS`` only where there was an input and every one of them is.
    """
    found = set(statuses)
    if Status.BIASED in found:
        return Status.BIASED
    return Status.LOSSLESS if found == {Status.LOSSLESS} else Status.UNVERIFIED


def _check_missing(missing: Fraction) -> None:
    if missing < 0:
        raise ProofsError(f"missing is {missing}; expected a mass >= 0: the law has more than mass one.")
