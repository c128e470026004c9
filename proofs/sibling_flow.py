"""The best coupling of siblings and emitted token, as an exact maximum flow that certifies itself.

Mass flows from each set of drafted tokens through its members to the tokens that the target emits. A flow shows what a
lossless rule can accept, a cut that none accepts more; `check_certificate` looks at both and needs to trust neither.
"""

from collections.abc import Mapping
from math import lcm
from typing import Any, NamedTuple

from sympy import Integer, Rational, S

from proofs.distributions import Row
from proofs.errors import NotADistributionError, ProofsError
from proofs.parameters import exact_number
from proofs.processes import Process
from proofs.rationals import shown

__all__ = ["Certificate", "check_certificate", "optimal_coupling"]

Set = frozenset[int]
Edge = tuple[Set, int]


class Certificate(NamedTuple):
    """A greatest acceptance probability, with what proves it.

    Attributes
    ----------
    value : sympy.Rational
    flow : dict
        (set, token) -> sympy.Rational, where positive: the probability that the set is drafted and the token, one
        of its members, is kept. A lossless rule keeps x of a set S with probability ``flow[S, x] / Pr(S)`` and
        draws from what the target lacks otherwise.
    cut : frozenset of int
        The tokens H for which ``Pr(S not subset of H) + p(H)`` is the value.
    """

    value: Rational
    flow: dict[Edge, Rational]
    cut: Set


def optimal_coupling(target: Any, draft_sets: Mapping[Set, Any]) -> Certificate:
    """Find the greatest probability of emitting a drafted token, over all lossless rules, and prove it.

    Parameters
    ----------
    target : row of V exact numbers
        A callable prefix -> row is asked for its first row.
    draft_sets : mapping, frozenset of tokens -> exact number
        Law of the set of siblings (`proofs.sibling_rule.set_law`). The empty set is never accepted. With less than
        mass one the result is what the known sets can reach.

    Returns
    -------
    Certificate
        Of the many greatest flows one that depends on the order of `draft_sets` alone. Value 0 and an empty flow where
        no set holds a token that the target emits.

    Raises
    ------
    InexactError, NotADistributionError
        If an entry is not exact, the target no distribution, a mass is negative or they sum to more than one.
    ProofsError
        If a set holds what is no token.

    References
    ----------
    After Sun et al., arXiv:2310.15141 (source unverified), who solve it as a linear program. Shortest augmenting paths
    are after Edmonds and Karp, the cut after Ford and Fulkerson; all sums are of integers.

    Examples
    --------
    >>> sets = {frozenset({0}): "1/9", frozenset({0, 1}): "4/9", frozenset({1}): "4/9"}
    >>> certificate = optimal_coupling(["2/3", "1/3"], sets)
    >>> certificate.value, sorted(certificate.cut)
    (8/9, [1])
    >>> check_certificate(["2/3", "1/3"], sets, certificate)
    """
    row, sets = _checked(target, draft_sets)
    scale = lcm(*(int(mass.q) for mass in (*row, *sets.values())))
    network = _Network([int(a * scale) for a in row], {tokens: int(mass * scale) for tokens, mass in sets.items()})
    cut = network.saturate()
    flow = {edge: Rational(units, scale) for edge, units in network.flow.items() if units}
    return Certificate(sum(flow.values(), S.Zero), flow, cut)


def check_certificate(target: Any, draft_sets: Mapping[Set, Any], certificate: Certificate) -> str | None:
    """Check that the flow is one, and that flow and cut have the certificate's value: nothing is then greater.

    Parameters
    ----------
    target, draft_sets
        As in `optimal_coupling`.
    certificate : Certificate

    Returns
    -------
    str or None
        What is wrong; None where the value is proved. Nothing of `optimal_coupling` is used.

    Raises
    ------
    InexactError, NotADistributionError, ProofsError
        As in `optimal_coupling`.
    """
    row, sets = _checked(target, draft_sets)
    for (tokens, x), mass in certificate.flow.items():
        if tokens not in sets or x not in tokens:
            return f"the flow runs from {_words(tokens)} to token {x}, which is no member of a drafted set"
        if mass < 0:
            return f"the flow from {_words(tokens)} to token {x} is {mass}"
    for tokens, mass in sets.items():
        leaves = sum((part for (source, _), part in certificate.flow.items() if source == tokens), S.Zero)
        if leaves > mass:
            return f"the flow out of {_words(tokens)} is {leaves}, above its probability {mass}"
    for y, mass in enumerate(row):
        enters = sum((part for (_, x), part in certificate.flow.items() if x == y), S.Zero)
        if enters > mass:
            return f"the flow into token {y} is {enters}, above its probability {mass}"
    moved = sum(certificate.flow.values(), S.Zero)
    open_ = sum((mass for tokens, mass in sets.items() if not tokens <= certificate.cut), S.Zero)
    closed = open_ + sum((mass for y, mass in enumerate(row) if y in certificate.cut), S.Zero)
    if not moved == closed == certificate.value:
        return f"the flow is {moved}, the cut {closed}, the value {certificate.value}; expected one number"
    return None


class _Network:
    """Integer masses of sets, room of tokens, and what flows between them."""

    def __init__(self, room: list[int], left: dict[Set, int]) -> None:
        self.room = room
        self.left = left
        self.flow: dict[Edge, int] = {(tokens, x): 0 for tokens in left for x in sorted(tokens)}
        self._holders = [[tokens for tokens in left if x in tokens] for x in range(len(room))]

    def saturate(self) -> Set:
        """Augment along shortest paths until none is left; return the tokens that are then reached."""
        while True:
            came = self._search()
            ends = [x for x in came if self.room[x]]
            if not ends:
                return frozenset(came)
            self._augment(self._path(came, ends[0]))

    def _search(self) -> dict[int, tuple[Set, int | None]]:
        """Go breadth first from the sets with mass left, and stop at a token with room.

        Returns for every token reached the set before it and the token before that, None where the path begins.
        """
        came: dict[int, tuple[Set, int | None]] = {}
        queue: list[tuple[Set, int | None]] = [(tokens, None) for tokens, mass in self.left.items() if mass]
        seen = {tokens for tokens, _ in queue}
        for tokens, before in queue:
            for x in sorted(tokens - came.keys()):
                came[x] = tokens, before
                if self.room[x]:
                    return came
                behind = [s for s in self._holders[x] if s not in seen and self.flow[s, x]]  # whose flow can turn back
                seen.update(behind)
                queue += [(s, x) for s in behind]
        return came

    def _path(self, came: dict[int, tuple[Set, int | None]], end: int) -> list[tuple[Set, int, int | None]]:
        path = []
        at: int | None = end
        while at is not None:
            tokens, before = came[at]
            path.append((tokens, at, before))
            at = before
        return path

    def _augment(self, path: list[tuple[Set, int, int | None]]) -> None:
        (_, end, _), (first, _, _) = path[0], path[-1]
        turned = [self.flow[tokens, before] for tokens, _, before in path if before is not None]
        units = min(self.left[first], self.room[end], *turned)
        for tokens, x, before in path:
            self.flow[tokens, x] += units
            if before is not None:
                self.flow[tokens, before] -= units
        self.left[first] -= units
        self.room[end] -= units


def _checked(target: Any, draft_sets: Mapping[Set, Any]) -> tuple[Row, dict[Set, Rational]]:
    row = Process(target, "target").row(())
    sets = {tokens: exact_number(mass, f"draft_sets[{shown(tokens)}]") for tokens, mass in draft_sets.items()}
    for tokens, mass in sets.items():
        if not isinstance(tokens, frozenset):  # (0, 1) and (1, 0) would be two sets
            raise ProofsError(f"draft_sets has {shown(tokens)}; expected frozensets of tokens.")
        if not all(type(x) is int and 0 <= x < len(row) for x in tokens):
            raise ProofsError(f"draft_sets has {_words(tokens)}; expected sets of integers from 0 to {len(row) - 1}.")
        if mass < 0:
            raise NotADistributionError(f"draft_sets[{_words(tokens)}] = {shown(mass)}; expected a number >= 0.")
    if (total := sum(sets.values(), Integer(0))) > 1:
        raise NotADistributionError(f"draft_sets sums to {shown(total)}; expected at most 1.")
    return row, sets


def _words(tokens: Set) -> str:
    return "{" + ", ".join(map(str, sorted(tokens, key=str))) + "}"
