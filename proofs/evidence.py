"""What can be found in the exact law of one call: excess, breaches of structure, the drafts' real law, its nodes."""

from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from proofs.sequences import CallLaw, Prefix, Process, Row, checked_rows, exact_sum, sequence_law

__all__ = [
    "Breach",
    "Changed",
    "DrafterDifference",
    "Excess",
    "Node",
    "changed_row",
    "changed_target",
    "draft_masses",
    "drafter_difference",
    "find_breaches",
    "greatest_excess",
    "nodes",
]

ZERO = Fraction(0)


@dataclass(frozen=True)
class Excess:
    """A sequence with more mass than the target allows."""

    sequence: Prefix
    mass: Fraction
    allowed: Fraction


@dataclass(frozen=True)
class Breach:
    """A path that emits, and goes on after, a token that was not drafted.

    Attributes
    ----------
    tokens, emitted : tuple of int
        Drafted and emitted.
    position : int
        Where they part first.
    mass : Fraction
    """

    tokens: Prefix
    emitted: Prefix
    position: int
    mass: Fraction


@dataclass(frozen=True)
class Changed:
    """A row that the verifier never saw, changed so that its law is seen to be wrong.

    On the paths of a breach the drafts part from the emitted tokens before `prefix` ends, so no row
    that the verifier was given stands after `prefix`. Whatever it does, those paths keep their mass
    when this row changes. Drafts that go through `prefix` do see the row: they count for nothing
    here, and can take no mass away.

    Attributes
    ----------
    prefix : tuple of int
        The place of the row.
    token : int
        What was emitted there; its probability is zero in the changed row.
    row : tuple of Fraction
        The changed row.
    sequence : tuple of int
        A sequence of gamma + 1 tokens, of probability zero under the changed target.
    mass : Fraction
        What `sequence` has at least, from the paths of the breach alone.
    """

    prefix: Prefix
    token: int
    row: Row
    sequence: Prefix
    mass: Fraction


@dataclass(frozen=True)
class DrafterDifference:
    """The drafts do not come from the row that the verifier is told.

    Attributes
    ----------
    prefix : tuple of int
        Drafted before.
    actual, reported : tuple of Fraction
        The law of the next draft, and the draft's row. `actual` has less than mass one where
        something was drafted that is no token.
    """

    prefix: Prefix
    actual: Row
    reported: Row


@dataclass(frozen=True)
class Node:
    """What comes after one emitted prefix x^i.

    Attributes
    ----------
    prefix : tuple of int
    kept : mapping, token x -> Fraction
        a_{i+1}(x^i x): x is emitted and another token after it.
    stopped : mapping, token -> Fraction
        The token is emitted and is the last one.
    """

    prefix: Prefix
    kept: Mapping[int, Fraction]
    stopped: Mapping[int, Fraction]

    @property
    def reached(self) -> Fraction:
        """a_i(x^i): more tokens than the prefix are emitted, and begin with it."""
        return exact_sum(self.kept.values()) + exact_sum(self.stopped.values())


def nodes(law: CallLaw) -> list[Node]:
    """Return the nodes that have mass, the shortest prefixes first.

    The sequence law is the target's if and only if, at every node and for every token y, kept and
    stopped mass of y add up to ``reached * p(y | prefix)``.
    """
    kept: dict[Prefix, dict[int, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    stopped: dict[Prefix, dict[int, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for (_, emitted), mass in law.items():
        for i, token in enumerate(emitted):
            (kept if i + 1 < len(emitted) else stopped)[emitted[:i]][token] += mass
    prefixes = sorted({*kept, *stopped}, key=lambda prefix: (len(prefix), prefix))
    return [Node(prefix, dict(kept[prefix]), dict(stopped[prefix])) for prefix in prefixes]


def greatest_excess(found: Mapping[Prefix, Fraction], allowed: Mapping[Prefix, Fraction]) -> Excess | None:
    """Return the sequence with the greatest excess, the first of several; None where there is no excess."""
    sequence = max(sorted(found), key=lambda y: found[y] - allowed.get(y, ZERO), default=None)
    if sequence is None or found[sequence] <= allowed.get(sequence, ZERO):
        return None
    return Excess(sequence, found[sequence], allowed.get(sequence, ZERO))


def find_breaches(law: CallLaw) -> tuple[Breach, ...]:
    """Return every path whose emitted tokens but the last are not the drafted ones, the greatest mass first."""
    found = [
        Breach(tokens, emitted, position, mass)
        for (tokens, emitted), mass in law.items()
        if mass and (position := _parting(tokens, emitted)) is not None
    ]
    return tuple(sorted(found, key=lambda breach: (-breach.mass, breach.tokens, breach.emitted)))


def changed_row(breaches: tuple[Breach, ...], target: Process, gamma: int, vocabulary: int) -> Changed | None:
    """Find the unseen row that shows a breach best.

    Parameters
    ----------
    breaches : tuple of Breach
    target : callable, prefix -> row
    gamma, vocabulary : int

    Returns
    -------
    Changed or None
        None where no breach emits tokens of the vocabulary alone up to the unseen row and one
        further: such a breach has mass on a sequence of probability zero as it is. None for V = 1
        too, where every target is the same.
    """
    rows = checked_rows(target, vocabulary, "target")
    places: dict[Prefix, dict[tuple[Prefix, Prefix], Fraction]] = defaultdict(dict)
    for breach in breaches:
        place = breach.emitted[: breach.position + 2]
        if rows.holds(place) and vocabulary > 1:
            places[place][breach.tokens, breach.emitted] = breach.mass
    if not places:
        return None
    place = max(sorted(places), key=lambda y: exact_sum(places[y].values()))
    prefix, token = place[:-1], place[-1]
    row = _without(rows(prefix), token)
    # These paths are past `prefix`: what completes them is the same for both targets.
    on_paths = sequence_law(places[place], rows, gamma, vocabulary)
    sequence = max(sorted(on_paths), key=lambda y: on_paths[y])
    return Changed(prefix, token, row, sequence, on_paths[sequence])


def changed_target(target: Process, changed: Changed) -> Callable[[Prefix], Row]:
    """Return the target with one row changed.

    Parameters
    ----------
    target : callable, prefix -> row
    changed : Changed

    Returns
    -------
    callable, prefix -> row
        The verifier's law differs from this target's, whatever it is on `target`.
    """
    return _Replaced(target, changed.prefix, changed.row)


def draft_masses(law: CallLaw) -> dict[Prefix, Fraction]:
    """Return the joint law of the drafted tokens, as they are in the law of the call."""
    masses: dict[Prefix, Fraction] = defaultdict(Fraction)
    for (tokens, _), mass in law.items():
        masses[tokens] += mass
    return dict(masses)


def drafter_difference(
    drafted: Mapping[Prefix, Fraction], draft: Process, gamma: int, vocabulary: int, tolerance: Fraction = ZERO
) -> DrafterDifference | None:
    """Compare the drafts with the rows that they are said to come from.

    Parameters
    ----------
    drafted : mapping, tokens -> Fraction
        The whole joint law of the gamma drafted tokens.
    draft : callable, prefix -> row
    gamma, vocabulary : int
    tolerance : Fraction
        Difference of mass that is overlooked at each prefix.

    Returns
    -------
    DrafterDifference or None
        The first prefix, the shortest first, after which the drafts have another law.
    """
    rows = checked_rows(draft, vocabulary, "draft")
    after: dict[Prefix, dict[int, Fraction]] = defaultdict(lambda: defaultdict(Fraction))
    for tokens, mass in drafted.items():
        for i in range(gamma):
            after[tokens[:i]][tokens[i]] += mass
    for prefix in sorted(filter(rows.holds, after), key=lambda prefix: (len(prefix), prefix)):
        reached = exact_sum(after[prefix].values())
        surplus = exact_sum(max(ZERO, m - reached * rows.chance(prefix, x)) for x, m in after[prefix].items())
        if surplus > tolerance:
            actual = tuple(after[prefix].get(x, ZERO) / reached for x in range(vocabulary))
            return DrafterDifference(prefix, actual, rows(prefix))
    return None


@dataclass(frozen=True)
class _Replaced:
    """A process with the row after one prefix exchanged; a class, so that it can be pickled."""

    process: Process
    prefix: Prefix
    row: Row

    def __call__(self, prefix: Prefix) -> Row:
        return self.row if prefix == self.prefix else tuple(self.process(prefix))


def _parting(tokens: Prefix, emitted: Prefix) -> int | None:
    """First position at which something else than the draft is emitted and followed by more."""
    return next((i for i, token in enumerate(emitted[:-1]) if token != tokens[i]), None)


def _without(row: Row, token: int) -> Row:
    """Move the mass of a token to the next one: dyadic rows stay dyadic."""
    other = (token + 1) % len(row)
    moved = list(row)
    moved[other], moved[token] = moved[other] + moved[token], ZERO
    return tuple(moved)
