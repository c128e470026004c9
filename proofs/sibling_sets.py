"""The set of drafted siblings: its law, and the best that any lossless rule can accept of it.

For a law of the set S of drafted tokens the greatest probability of emitting one of them, over all lossless rules, is
the least of ``1 + p(H) - Pr(S subset of H)`` over the sets H of tokens (a maximum flow, see `proofs.sibling_flow`).
"""

from collections import defaultdict
from typing import Any

from sympy import Rational
from sympy.external.gmpy import MPQ

from proofs.errors import ProofsError
from proofs.processes import Process, Weights, as_rational, check_processes
from proofs.sibling_draws import check_siblings_drawn, left_to_draw, zero

__all__ = ["optimal_acceptance", "set_law"]

GREATEST_VOCABULARY = 16  # without replacement all sets of tokens are gone through
_GREATEST_LAW = 2**16  # sets of siblings


def optimal_acceptance(target: Any, draft: Any, k: int, replacement: bool = True) -> Rational:
    r"""The greatest acceptance probability of any lossless rule for k siblings.

    .. math:: \min_{H \subseteq V} 1 + p(H) - \Pr(S \subseteq H), \qquad
              \Pr(S \subseteq H) = q(H)^k \text{ with replacement}

    With replacement the tokens are sorted by p/q and only the prefixes H of that order are looked at, which takes any
    V. *Why they suffice.* On the cube :math:`0 \le h \le 1` the function :math:`p \cdot h - (q \cdot h)^k` is concave,
    because :math:`s^k` is convex for s >= 0 and k >= 1, so its minimum over the cube is at a vertex: a set. Look at the
    same minimum by the value of :math:`s = q \cdot h`. For fixed s the least :math:`p \cdot h` takes tokens in the
    order of p/q, the last one in part (exchange mass between two tokens that are out of order and p falls, q
    stays). As a function of s it is piecewise linear with its corners at the prefixes; minus :math:`s^k` it is
    concave between two corners, so the minimum is at a corner. Tokens with q = 0 cost and win nothing: never in H.

    Parameters
    ----------
    target, draft : row of V exact numbers
        p and q. A callable prefix -> row is asked for its first row.
    k : int
        Number of siblings, without replacement at most V.
    replacement : bool
        Whether they are independent; else each is drawn from the row without those before it, and from the uniform
        row over the others once the support of `draft` is used up. All sets of tokens are then gone through, V at
        most 16.

    Returns
    -------
    sympy.Rational
        0 with k = 0, 1 - TV with k = 1, 1 with k = V without replacement.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.
    ProofsError
        If `k` is negative, or without replacement above V, or V is then above 16.

    References
    ----------
    Optimal transport with membership cost, after Sun et al., arXiv:2310.15141, and Khisti et al., arXiv:2410.18234
    (source unverified); derived here, and held to brute force over all sets by the tests.

    Examples
    --------
    >>> i5 = ["2/5", "3/10", "1/5", "1/10"], ["1/10", "1/5", "3/10", "2/5"]
    >>> optimal_acceptance(*i5, 2), optimal_acceptance(*i5, 2, replacement=False)
    (79/100, 701/840)
    """
    first, second = check_processes(target, draft)
    p, q = first.weights(()), second.weights(())
    count = check_siblings_drawn(k, len(p), replacement)
    return as_rational(_least_prefix(p, q, count) if replacement else _least_set(p, q, count))


def set_law(draft: Any, k: int, replacement: bool = True) -> dict[frozenset[int], Rational]:
    """Law of the set of k siblings.

    Parameters
    ----------
    draft : row of V exact numbers
        A callable prefix -> row is asked for its first row.
    k, replacement
        As in `optimal_acceptance`.

    Returns
    -------
    dict
        frozenset -> sympy.Rational, where positive: at most 65,536 sets. With k = 0 the empty set has mass one.

    Raises
    ------
    InexactError, NotADistributionError
        If an entry is not exact or the row is no distribution.
    ProofsError
        If `k` is negative, or without replacement above V, or there are more sets.

    Examples
    --------
    >>> {tuple(sorted(tokens)): mass for tokens, mass in set_law(["1/3", "2/3"], 2).items()}
    {(0,): 1/9, (0, 1): 4/9, (1,): 4/9}
    """
    q = Process(draft, "draft").weights(())
    law = _sets(q, check_siblings_drawn(k, len(q), replacement), replacement)
    return {tokens: as_rational(mass) for tokens, mass in law.items()}


def _least_prefix(p: Weights, q: Weights, k: int) -> MPQ:
    drawn = [x for x in range(len(q)) if q[x]]
    inside = wanted = MPQ(0)
    least = 1 - inside**k  # the empty prefix; 0**0 is 1, as no sibling lies outside of it
    for x in sorted(drawn, key=lambda x: p[x] / q[x]):
        wanted, inside = wanted + p[x], inside + q[x]
        least = min(least, 1 + wanted - inside**k)
    return least


def _least_set(p: Weights, q: Weights, k: int) -> MPQ:
    if len(p) > GREATEST_VOCABULARY:
        raise ProofsError(
            f"target has {len(p)} tokens; expected at most {GREATEST_VOCABULARY} without replacement, where all sets "
            "of tokens are gone through. With replacement any V will do."
        )
    inside = [MPQ(0)] * 2 ** len(p)  # by set of tokens as a bit mask
    for tokens, mass in _sets(q, k, replacement=False).items():
        inside[sum(1 << x for x in tokens)] += mass
    wanted = [MPQ(0)]
    for x, a in enumerate(p):
        wanted += [mass + a for mass in wanted]
        for mask in range(len(inside)):
            if mask >> x & 1:
                inside[mask] += inside[mask ^ 1 << x]
    return min(1 + a - b for a, b in zip(wanted, inside, strict=True))


def _sets(q: Weights, k: int, replacement: bool) -> dict[frozenset[int], MPQ]:
    law = {frozenset[int](): MPQ(1)}
    for _ in range(k):
        grown: dict[frozenset[int], MPQ] = defaultdict(zero)
        for tokens, mass in law.items():
            for x, chance in enumerate(q if replacement else left_to_draw(q, tokens)):
                if chance:
                    grown[tokens | {x}] += mass * chance
            if len(grown) > _GREATEST_LAW:
                raise ProofsError(
                    f"k = {k} siblings over V = {len(q)} tokens make more than {_GREATEST_LAW} sets; expected fewer. "
                    "Lump tokens, or draw fewer siblings."
                )
        law = dict(grown)
    return law
