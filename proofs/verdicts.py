"""The one place that turns findings into a verdict: the printed word and the exit status are one value."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

__all__ = ["Conclusion", "Finding", "Outcome", "conclude"]


class Outcome(IntEnum):
    """What a finding means; the value is the exit status."""

    AS_CLAIMED = 0
    DIFFERS = 1
    BAD_INPUT = 2
    OWN_ERROR = 3
    UNVERIFIED = 5


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
