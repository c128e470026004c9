"""What the law of a batch says of each of its requests: its own law, and its law given what the others came to.

The requests of a batch have nothing to do with each other. So each must be lossless by itself, and as much so
given any outcome of the others: a coin that two requests share leaves every law of one request right.
"""

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import Any, NamedTuple

from proofs.sequences import Prefix

__all__ = ["Part", "apart", "given", "part_words"]

Outcome = tuple[Prefix, Prefix]
Masses = dict[Outcome, Fraction]


class Part(NamedTuple):
    """The law of one request.

    Attributes
    ----------
    place : int
        Of the request in its batch.
    masses : dict of (tokens, emitted) -> Fraction
        They sum to one with what is missing.
    others : tuple of (tokens, emitted), or None
        The outcomes of the other requests that it is given; None for the request by itself.
    """

    place: int
    masses: Masses
    others: tuple[Outcome, ...] | None = None


def apart(law: Mapping[Any, Fraction], count: int) -> list[Part]:
    """Return the law of each request by itself.

    Parameters
    ----------
    law : mapping, outcomes of all requests -> mass
    count : int
        Number of requests.
    """
    found = [Part(place, {}) for place in range(count)]
    for outcomes, mass in law.items():
        for part, outcome in zip(found, outcomes, strict=True):
            part.masses[outcome] = part.masses.get(outcome, Fraction(0)) + mass
    return found


def given(law: Mapping[Any, Fraction], count: int) -> Iterator[Part]:
    """Yield the laws of each request given the outcome of the others, each different law of a request once.

    What is missing from `law` may all belong to any one outcome of the others: it is missing from the law that is
    given this outcome, so that no completion of `law` makes a mass smaller than it is here.

    Parameters
    ----------
    law : mapping, outcomes of all requests -> mass
    count : int
    """
    missing = 1 - sum(law.values(), Fraction(0))
    for place in range(count):
        seen: list[Masses] = []
        for others, masses in _by_others(law, place).items():
            whole = sum(masses.values(), missing)
            part = {outcome: mass / whole for outcome, mass in masses.items()}
            if part not in seen:
                seen.append(part)
                yield Part(place, part, others)


def _by_others(law: Mapping[Any, Fraction], place: int) -> dict[tuple[Outcome, ...], Masses]:
    found: dict[tuple[Outcome, ...], Masses] = {}
    for outcomes, mass in law.items():
        if mass:
            others = (*outcomes[:place], *outcomes[place + 1 :])
            masses = found.setdefault(others, {})
            masses[outcomes[place]] = masses.get(outcomes[place], Fraction(0)) + mass
    return found


def part_words(place: int, others: tuple[Outcome, ...] | None) -> str:
    """Say of which request a law is, and given what.

    Parameters
    ----------
    place : int
    others : tuple of (tokens, emitted), or None
    """
    if others is None:
        return f"request {place} by itself"
    places = [at for at in range(len(others) + 1) if at != place]
    outcomes = (
        f"request {at} drafted {tokens} and emitted {emitted}"
        for at, (tokens, emitted) in zip(places, others, strict=True)
    )
    return f"request {place} given that {' and '.join(outcomes)}"
