r"""Siblings over exact rationals, several drafts for one position: the twin of `specdec.sibling_rule`.

*Recursive rejection.* Siblings x_1 .. x_k are drawn from the draft q, with replacement or without. With r_1 = p and
q_j the law that x_j was drawn from, x_j is kept with probability :math:`\min(1, r_j(x_j) / q_j(x_j))`; after a
rejection :math:`r_{j+1} \propto (r_j - q_j)_+`; when all are rejected the token is drawn from r_{k+1}. It is
lossless by k uses of the token rule, and not the best that can be done: `optimal_acceptance`.

*Without replacement* :math:`q_{j+1}` is q_j without x_j, normalised, and the uniform row over the tokens not yet drawn
once the support is used up. A residual then depends on what was drawn, and so do the laws here: they go through the
sequences of rejected siblings.

*K-SEQ* (`proofs.kseq_rule`) and *fixed candidates* (`set_acceptance`) are the other two rules. Every function takes
rows of V exact numbers (a callable prefix -> row is asked for its first row), non-negative with the exact sum one.

Sources: Miao et al., SpecInfer, arXiv:2305.09781 (with replacement); Jeon et al., RSD, arXiv:2402.14160, and Chen et
al., Sequoia, arXiv:2402.12374 (without); all of them source unverified.
"""

from collections import defaultdict
from itertools import accumulate
from operator import index
from typing import Any

from sympy import Rational, S
from sympy.external.gmpy import MPQ

from proofs.distributions import Row
from proofs.errors import ProofsError
from proofs.kseq_rule import admissible_rho, is_admissible, kseq_acceptance, kseq_law
from proofs.processes import Process, Weights, as_rational, check_processes
from proofs.rationals import shown
from proofs.sibling_draws import check_siblings_drawn, left_to_draw, zero
from proofs.sibling_sets import optimal_acceptance, set_law
from proofs.token_rule import EmittedDistribution

__all__ = [
    "acceptance",
    "admissible_rho",
    "is_admissible",
    "kseq_acceptance",
    "kseq_law",
    "optimal_acceptance",
    "recursive_joint",
    "recursive_law",
    "residuals",
    "set_acceptance",
    "set_law",
]

_GREATEST = 2**18  # numbers held: sequences of siblings times tokens

Tokens = tuple[int, ...]


def acceptance(target: Any, draft: Any, k: int, replacement: bool = True) -> Rational:
    r"""Probability that recursive rejection keeps one of k siblings.

    With replacement this is :math:`1 - \prod_j TV(r_j, q)`, which is a theorem and not how it is computed.

    Parameters
    ----------
    target, draft : row of V exact numbers
        p and q.
    k : int
        Number of siblings, without replacement at most V.
    replacement : bool
        Whether the siblings are independent.

    Returns
    -------
    sympy.Rational
        0 with k = 0 and 1 - TV with k = 1. Without replacement p of the support of q once that is used up,
        and 1 with k = V.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.
    ProofsError
        If `k` is negative, or without replacement above V, or there are too many sequences of siblings.

    References
    ----------
    After Miao et al., arXiv:2305.09781; Jeon et al., arXiv:2402.14160 (source unverified).

    Examples
    --------
    >>> i5 = ["2/5", "3/10", "1/5", "1/10"], ["1/10", "1/5", "3/10", "2/5"]
    >>> acceptance(*i5, 2), acceptance(*i5, 2, replacement=False)
    (18/25, 107/140)
    """
    return recursive_law(target, draft, k, replacement).alpha


def recursive_law(target: Any, draft: Any, k: int, replacement: bool = True) -> EmittedDistribution:
    """Exact law of the token that recursive rejection emits, and the probability that it is a sibling.

    Every sum is over what can happen, so that the law is found to be the target and not taken from it.

    Parameters
    ----------
    target, draft, k, replacement
        As in `acceptance`.

    Returns
    -------
    EmittedDistribution
        With k = 0 the target and 0. Where a residual equals the row of the next sibling everything is kept there, and
        what would follow has probability zero.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError, ProofsError
        As in `acceptance`; if without replacement the residuals that may come up, times V, are above 262,144.

    References
    ----------
    After Miao et al., arXiv:2305.09781; Jeon et al., arXiv:2402.14160 (source unverified).

    Examples
    --------
    >>> recursive_law(["1/3", "2/3"], ["2/3", "1/3"], 2)
    EmittedDistribution(dist=(1/3, 2/3), alpha=7/9)
    """
    p, q, count = _checked(target, draft, k, replacement)
    kept = [MPQ(0)] * len(p)
    states = {(p, frozenset[int]()): MPQ(1)}
    for _ in range(count):
        states = _tried(states, q, kept, replacement)
    dist = list(kept)
    for (residual, _), mass in states.items():
        dist = [a + mass * b for a, b in zip(dist, residual, strict=True)]
    return EmittedDistribution(tuple(map(as_rational, dist)), as_rational(sum(kept)))


def residuals(target: Any, draft: Any, k: int) -> tuple[Row, ...]:
    """The residuals r_1 .. r_{k+1} of recursive rejection with replacement: they do not depend on the siblings.

    Parameters
    ----------
    target, draft, k
        As in `acceptance`.

    Returns
    -------
    tuple of k + 1 rows
        The first is the target, the last what is drawn from when all siblings are rejected. A residual that equals
        the draft stays as it is: nothing is rejected there.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError, ProofsError
        As in `acceptance`.

    References
    ----------
    After Miao et al., arXiv:2305.09781 (source unverified).

    Examples
    --------
    >>> residuals(["2/5", "3/10", "1/5", "1/10"], ["1/10", "1/5", "3/10", "2/5"], 2)
    ((2/5, 3/10, 1/5, 1/10), (3/4, 1/4, 0, 0), (13/14, 1/14, 0, 0))
    """
    p, q, count = _checked(target, draft, k, True)
    rows = accumulate(range(count), lambda r, _: after_rejection(r, q), initial=p)
    return tuple(tuple(map(as_rational, row)) for row in rows)


def set_acceptance(target: Any, tokens: Any) -> Rational:
    """Probability p(S) that the rule for fixed candidates keeps one of the set S.

    Candidates x_1 .. x_k that are fixed given the prefix, all different, are kept with probability
    ``p(x_j) / (1 - p(x_1) - .. - p(x_{j-1}))`` in turn; the residual is the target off them. No rule keeps more.

    Parameters
    ----------
    target : row of V exact numbers
    tokens : sequence of k int
        Different ones: a candidate that counts twice makes the rule biased.

    Returns
    -------
    sympy.Rational
        0 without candidates.

    Raises
    ------
    InexactError, NotADistributionError
        If an entry is not exact or the row is no distribution.
    ProofsError
        If a token is no integer between 0 and V - 1, or comes twice.

    References
    ----------
    Draft trees of the likeliest tokens, after Li et al., EAGLE-2, arXiv:2406.16858 (source unverified).

    Examples
    --------
    >>> set_acceptance(["1/8", "3/8", "1/2"], [1, 2])
    7/8
    """
    row = Process(target, "target").row(())
    return sum((row[x] for x in _different(tokens, len(row))), S.Zero)


def recursive_joint(target: Any, draft: Any, k: int, replacement: bool = True) -> dict[tuple[Tokens, int], Rational]:
    """Exact joint law of the k siblings and the token that recursive rejection emits.

    Parameters
    ----------
    target, draft, k, replacement
        As in `acceptance`.

    Returns
    -------
    dict
        (siblings, emitted token) -> sympy.Rational, where positive. All k siblings are in the key, those behind
        the one that is kept too.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError, ProofsError
        As in `acceptance`; if the sequences of siblings, times V, are above 262,144.

    References
    ----------
    After Miao et al., arXiv:2305.09781; Jeon et al., arXiv:2402.14160 (source unverified).

    Examples
    --------
    >>> recursive_joint(["1/3", "2/3"], ["2/3", "1/3"], 1)
    {((0,), 0): 1/3, ((0,), 1): 1/3, ((1,), 1): 1/3}
    """
    p, q, count = _checked(target, draft, k, replacement)
    paths: dict[Tokens, tuple[MPQ, Weights, MPQ, Weights]] = {(): (MPQ(1), p, MPQ(1), (MPQ(0),) * len(p))}
    for _ in range(count):
        paths = _extended(paths, q, replacement)
    joint = {}
    for tokens, (drawn, residual, rejected, kept) in paths.items():
        for y, mass in enumerate(a + rejected * r for a, r in zip(kept, residual, strict=True)):
            if mass:
                joint[tokens, y] = as_rational(drawn * mass)
    return joint


def after_rejection(residual: Weights, row: Weights) -> Weights:
    """``(r - q)+`` normalised; r where it equals q, which nothing rejects."""
    gains = [a - b if b < a else MPQ(0) for a, b in zip(residual, row, strict=True)]
    mass = sum(gains)
    return tuple(gain / mass for gain in gains) if mass else residual


States = dict[tuple[Weights, frozenset[int]], MPQ]  # what is left to be emitted, tokens drawn -> probability


def _tried(states: States, q: Weights, kept: list[MPQ], replacement: bool) -> States:
    """Try one sibling in every state; add what is kept, and return the states after a rejection."""
    after: States = defaultdict(zero)
    for (residual, drawn), mass in states.items():
        row = q if replacement else left_to_draw(q, drawn)
        following = after_rejection(residual, row)
        for x, (a, b) in enumerate(zip(residual, row, strict=True)):
            kept[x] += mass * min(a, b)
        rejected = {x: mass * (b - a) for x, (a, b) in enumerate(zip(residual, row, strict=True)) if a < b}
        if replacement:  # what was drawn does not matter, and the row is not looked up for every token
            after[following, drawn] += sum(rejected.values())
        else:
            for x, share in rejected.items():
                after[following, drawn | {x}] += share
        _check_number(len(after) * len(q))
    return after


def _extended(paths: dict[Tokens, Any], q: Weights, replacement: bool) -> dict[Tokens, Any]:
    """Draw one more sibling behind every sequence: its probability, residual, Pr(all rejected), mass kept by token."""
    longer = {}
    for tokens, (drawn, residual, rejected, kept) in paths.items():
        row = q if replacement else left_to_draw(q, frozenset(tokens))
        following = after_rejection(residual, row)
        for x, chance in enumerate(row):
            if chance:
                ratio = min(MPQ(1), residual[x] / chance)
                now = (*kept[:x], kept[x] + rejected * ratio, *kept[x + 1 :])
                longer[(*tokens, x)] = drawn * chance, following, rejected * (1 - ratio), now
        _check_number(len(longer) * len(q))
    return longer


def _check_number(numbers: int) -> None:
    if numbers > _GREATEST:
        raise ProofsError(
            f"the sequences of siblings to go through, times V, are more than {_GREATEST}; expected fewer. "
            "Draw fewer siblings, or over fewer tokens."
        )


def _checked(target: Any, draft: Any, k: Any, replacement: Any) -> tuple[Weights, Weights, int]:
    first, second = check_processes(target, draft)
    p, q = first.weights(()), second.weights(())
    return p, q, check_siblings_drawn(k, len(p), replacement)


def _different(tokens: Any, vocabulary: int) -> list[int]:
    try:
        found = [index(x) for x in tokens]
    except TypeError as error:
        raise ProofsError(f"tokens = {shown(tokens)} are no sequence of integers; expected distinct tokens.") from error
    for i, x in enumerate(found):
        if not 0 <= x < vocabulary:
            raise ProofsError(f"tokens[{i}] = {x}; expected an integer between 0 and V - 1 = {vocabulary - 1}.")
        if x in found[:i]:
            raise ProofsError(
                f"tokens[{i}] = {x} is tokens[{found.index(x)}] again; expected distinct tokens. A candidate that "
                "counts twice is accepted too often: drop it."
            )
    return found
