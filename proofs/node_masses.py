r"""Rules of one call by what they accept: when such a call is lossless, and how much it can accept.

A rule that keeps a prefix of one drafted block and adds one token is described by its node masses
:math:`a(x^i) = \Pr(\tau \ge i, X^i = x^i)`: the probability that the first i tokens are drafted and accepted, with
:math:`a() = 1`. A call, followed by the target's own sampling, has the target's law on sequences iff at every node

.. math:: a(v x) \le a(v)\, p(x \mid v) \quad \text{for all } x

and the last token, given the stop at v, is proportional to :math:`a(v) p(\cdot \mid v) - a(v \cdot)`. Why: of the mass
P(v) that the target gives to v, a(v) is accepted so far and P(v) - a(v) has ended before and is continued by the
target; one token later P(v) p(x | v) must be a(v x), what stops at v and draws x, and (P(v) - a(v)) p(x | v).

Since nothing is accepted that was not drafted, :math:`a \le Q`. The recursion is monotone in a(v), so that
:math:`a(v x) = \min(Q(v x), a(v) p(x \mid v))` is the greatest of all at every node at once: block verification.

Source: stated here, after Sun et al., arXiv:2403.10444 (source unverified).
"""

from collections.abc import Mapping
from typing import Any

from sympy import Rational
from sympy.external.gmpy import MPQ

from proofs.errors import ProofsError
from proofs.path_law import check_prefix
from proofs.processes import Prefix, Process, as_rational, check_count, check_processes
from proofs.rationals import exact, shown

__all__ = ["broken_node", "completed_law", "greatest_masses"]

ZERO, ONE = MPQ(0), MPQ(1)


def broken_node(target: Any, masses: Mapping[Prefix, Any], draft: Any = None) -> Prefix | None:
    """Return a shortest prefix whose mass no lossless call can have, or None where the masses belong to one.

    Parameters
    ----------
    target : row of V exact numbers, or callable prefix -> row
    masses : mapping, prefix -> exact number
        Probability that the prefix is drafted and accepted. What is left out is 0, the empty prefix 1.
    draft : row or callable, optional
        What the tokens are drafted from: nothing can be accepted more often than it is drafted.

    Returns
    -------
    tuple of int, or None
        Among several of one length the first in lexicographic order. Without masses None: accepting nothing is
        lossless.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError, ProofsError
        If a row that is asked for is missing or no distribution, or a mass or a prefix is none.

    Examples
    --------
    >>> third = ["1/3", "2/3"]
    >>> broken_node(third, {(0,): "1/3", (1,): "1/3", (0, 0): "1/9"}) is None
    True
    >>> broken_node(third, {(0,): "1/3", (1,): "1/3", (1, 0): "2/9", (1, 1): "1/9"})
    (1, 0)
    """
    rows, below = check_processes(target, target if draft is None else draft)
    weights = _checked_masses(masses, rows.vocabulary)
    drafted: dict[Prefix, MPQ] = {(): ONE}
    for prefix in sorted(weights, key=lambda v: (len(v), v)):
        before = weights.get(prefix[:-1], ZERO)
        if prefix and weights[prefix] > (before and before * rows.weights(prefix[:-1])[prefix[-1]]):
            return prefix
        if draft is not None and weights[prefix] > _joint(below, prefix, drafted):
            return prefix
    return None


def completed_law(target: Any, masses: Mapping[Prefix, Any], gamma: int) -> dict[Prefix, Rational]:
    """Law of the tokens that the one lossless call with these node masses emits.

    Parameters
    ----------
    target : row of V exact numbers, or callable prefix -> row
    masses : mapping, prefix -> exact number
        As `broken_node` takes them.
    gamma : int
        Number of drafted tokens: the longest prefix that is accepted.

    Returns
    -------
    dict
        Tuple of 1 to gamma + 1 emitted tokens -> Rational, where positive.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError, ProofsError
        If no lossless call has these masses, a prefix is longer than gamma, or an argument is none.

    Examples
    --------
    >>> completed_law(["1/3", "2/3"], {(0,): "1/3", (1,): "1/3"}, 1)
    {(1,): 1/3, (0, 0): 1/9, (0, 1): 2/9, (1, 0): 1/9, (1, 1): 2/9}
    """
    rows, _ = check_processes(target, target)
    count = check_count(gamma, "gamma")
    broken = broken_node(rows, masses)
    if broken is not None:
        raise ProofsError(f"masses[{broken}] = {shown(masses[broken])} is more than a lossless call can accept there.")
    weights = _checked_masses(masses, rows.vocabulary)
    if any(len(prefix) > count for prefix in weights):
        raise ProofsError(f"masses has a prefix of {max(map(len, weights))} tokens; expected at most gamma = {count}.")
    law = {}
    for prefix in sorted(weights, key=lambda v: (len(v), v)):
        for x, chance in enumerate(rows.weights(prefix) if weights[prefix] else ()):
            stopped = weights[prefix] * chance - (weights.get((*prefix, x), ZERO) if len(prefix) < count else ZERO)
            if stopped:
                law[*prefix, x] = as_rational(stopped)
    return law


def greatest_masses(target: Any, draft: Any, gamma: int) -> dict[Prefix, Rational]:
    r"""Greatest node masses of a lossless call: :math:`a(v x) = \min(Q(v x), a(v) p(x \mid v))`.

    Parameters
    ----------
    target, draft : row of V exact numbers, or callable prefix -> row
    gamma : int

    Returns
    -------
    dict
        Prefix of 0 to gamma tokens -> Rational, where positive. Their sum without the empty prefix is the greatest
        expected number of accepted tokens.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError, ProofsError
        If a row that is reached is missing or no distribution; if gamma is no number of tokens.

    Examples
    --------
    >>> greatest_masses(["1/3", "2/3"], ["2/3", "1/3"], 1)
    {(): 1, (0,): 1/3, (1,): 1/3}
    """
    rows, below = check_processes(target, draft)
    found: dict[Prefix, MPQ] = {}
    level: dict[Prefix, tuple[MPQ, MPQ]] = {(): (ONE, ONE)}  # accepted and drafted mass
    for length in range(check_count(gamma, "gamma") + 1):
        found |= {prefix: accepted for prefix, (accepted, _) in level.items()}
        if length < gamma:
            level = {
                (*prefix, x): (min(drafted * q, accepted * p), drafted * q)
                for prefix, (accepted, drafted) in level.items()
                for x, (p, q) in enumerate(zip(rows.weights(prefix), below.weights(prefix), strict=True))
                if p and q
            }
    return {prefix: as_rational(mass) for prefix, mass in found.items()}


def _joint(draft: Process, prefix: Prefix, known: dict[Prefix, MPQ]) -> MPQ:
    """Return the probability that the prefix is drafted; rows behind what is never drafted need not exist."""
    if prefix not in known:
        before = _joint(draft, prefix[:-1], known)
        known[prefix] = before * draft.weights(prefix[:-1])[prefix[-1]] if before else ZERO
    return known[prefix]


def _checked_masses(masses: Mapping[Prefix, Any], vocabulary: int) -> dict[Prefix, MPQ]:
    if not isinstance(masses, Mapping):
        raise ProofsError(f"masses is a {type(masses).__name__}; expected a mapping from prefixes to probabilities.")
    weights: dict[Prefix, MPQ] = {(): ONE}
    for key, value in masses.items():
        prefix = check_prefix(key, vocabulary, f"{key!r} in masses")
        mass = exact(value)
        if not 0 <= mass <= 1 or (not prefix and mass != 1):
            bound = "1, for nothing has to be accepted" if not prefix else "a probability"
            raise ProofsError(f"masses[{prefix}] = {shown(mass)}; expected {bound}.")
        weights[prefix] = MPQ(mass.p, mass.q)
    return weights
