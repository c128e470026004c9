"""The best that any lossless rule can accept, for the drafts as they really are distributed.

A rule that reports more than this is not lossless: the bounds are gates for every verdict.
"""

from collections import defaultdict
from collections.abc import Mapping, Sequence
from fractions import Fraction

from proofs.errors import NotADistributionError, ProofsError, ShapeError
from proofs.sequences import Prefix, Process, Rows, exact_sum

__all__ = ["block_optimum", "sibling_optimum", "sibling_sets"]

ZERO = Fraction(0)
GREATEST_VOCABULARY = 16  # the subsets of more tokens are too many to go through


def block_optimum(target: Process, draft_law: Mapping[Prefix, Fraction], gamma: int) -> Fraction:
    """Greatest expected number of accepted tokens of a lossless call that keeps a prefix of one draft.

    The greatest mass of keeping the prefix x^i, with a_0 = 1, is
    ``a_{i+1}(x^i x) = min(Q(x^i x), a_i(x^i) p(x | x^i))``, and all of them are reached at once.

    Parameters
    ----------
    target : callable, prefix -> row
    draft_law : mapping, tokens -> Fraction
        Joint law Q of the gamma drafted tokens. A drafted int outside the vocabulary is never kept.
        With less than mass one the result is what the known drafts can reach.
    gamma : int
        With 0 nothing is drafted and the optimum is 0.

    Returns
    -------
    Fraction
        The sum of a_i over i >= 1 and all prefixes.

    Raises
    ------
    ShapeError, NotADistributionError
        If a draft has not `gamma` tokens, a mass is negative, or they sum to more than one.
    """
    drafted = _prefix_masses(draft_law, gamma)
    best: dict[Prefix, Fraction] = {(): Fraction(1)}
    for prefix in sorted(drafted, key=len):
        before = best[prefix[:-1]]
        # A prefix that is never kept may hold what is no token: its row is not asked for.
        allowed = before * _chance(target(prefix[:-1]), prefix[-1]) if before else ZERO
        best[prefix] = min(drafted[prefix], allowed)
    return exact_sum(best.values()) - 1


def sibling_optimum(target: Sequence[Fraction], draft_sets: Mapping[frozenset[int], Fraction]) -> Fraction:
    """Greatest acceptance probability of a lossless rule that keeps one of several drafts.

    A maximum flow from sets through their members to the target's tokens; by minimum cuts it is the
    least of ``1 + p(H) - Pr(S subset of H)`` over the sets H of tokens.

    Parameters
    ----------
    target : sequence of V Fraction
        The target's row, V at most 16.
    draft_sets : mapping, frozenset -> Fraction
        Law of the set S of drafted tokens. The empty set is never accepted; an int outside the
        vocabulary is no token. With less than mass one the result is what the known sets can reach.

    Returns
    -------
    Fraction

    Raises
    ------
    ProofsError
        If V is too large.
    NotADistributionError
        If `target` is no distribution, a mass is negative, or they sum to more than one.
    """
    if len(target) > GREATEST_VOCABULARY:
        raise ProofsError(f"target has {len(target)} tokens; expected at most {GREATEST_VOCABULARY}.")
    row = Rows(lambda _: target, len(target), "target")(())
    mass = _checked_mass(draft_sets, "draft_sets")
    inside = {tokens: frozenset(x for x in tokens if 0 <= x < len(row)) for tokens in draft_sets}
    # Shrinking H to the union of the sets inside it makes p(H) no greater and keeps the rest.
    unions = {frozenset[int]()}
    for tokens in set(inside.values()):
        unions |= {union | tokens for union in unions}
    return min(
        mass
        + exact_sum(row[x] for x in union)
        - exact_sum(draft_sets[tokens] for tokens, kept in inside.items() if kept <= union)
        for union in unions
    )


def sibling_sets(draft: Sequence[Fraction], k: int, replacement: bool = True) -> dict[frozenset[int], Fraction]:
    """Law of the set of k drafted tokens.

    Parameters
    ----------
    draft : sequence of Fraction
        The row that each is drawn from.
    k : int
        Number of drafts; with 0 the empty set has mass one.
    replacement : bool
        Drawn independently; otherwise one after the other, the row renormalised without those before.

    Returns
    -------
    dict
        frozenset -> Fraction, where positive.

    Raises
    ------
    ProofsError
        If `k` is negative, or without replacement above the number of tokens of positive probability.
    ShapeError, NotADistributionError
        If `draft` is no distribution.
    """
    row = Rows(lambda _: draft, len(draft), "draft")(())
    support = [x for x, chance in enumerate(row) if chance]
    if k < 0 or (not replacement and k > len(support)):
        bound = "0 or more" if replacement else f"0 to {len(support)}, the number of tokens with mass in draft"
        raise ProofsError(f"k is {k}; expected {bound}.")
    law = {frozenset[int](): Fraction(1)}
    for _ in range(k):
        law = _with_one_more(law, row, replacement)
    return law


def _with_one_more(
    law: Mapping[frozenset[int], Fraction], row: Sequence[Fraction], replacement: bool
) -> dict[frozenset[int], Fraction]:
    grown: dict[frozenset[int], Fraction] = defaultdict(Fraction)
    for tokens, mass in law.items():
        left = Fraction(1) if replacement else 1 - exact_sum(row[x] for x in tokens)
        for x, chance in enumerate(row):
            if chance and (replacement or x not in tokens):
                grown[tokens | {x}] += mass * chance / left
    return dict(grown)


def _prefix_masses(draft_law: Mapping[Prefix, Fraction], gamma: int) -> dict[Prefix, Fraction]:
    _checked_mass(draft_law, "draft_law")
    masses: dict[Prefix, Fraction] = defaultdict(Fraction)
    for tokens, mass in draft_law.items():
        if len(tokens) != gamma:
            raise ShapeError(f"draft_law has {len(tokens)} tokens in {tokens}; expected gamma = {gamma}.")
        for length in range(1, gamma + 1):
            masses[tokens[:length]] += mass
    return masses


def _checked_mass(law: Mapping[Prefix, Fraction] | Mapping[frozenset[int], Fraction], name: str) -> Fraction:
    negative = [(key, mass) for key, mass in law.items() if mass < 0]
    if negative:
        raise NotADistributionError(f"{name}[{negative[0][0]}] is {negative[0][1]}; expected masses >= 0.")
    total = exact_sum(law.values())
    if total > 1:
        raise NotADistributionError(f"{name} sums to {total}; expected at most 1.")
    return total


def _chance(row: Sequence[Fraction], token: int) -> Fraction:
    return row[token] if 0 <= token < len(row) else ZERO
