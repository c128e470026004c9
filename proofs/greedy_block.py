r"""Greedy block verification over exact rationals: one call with the most accepted tokens, a target that it changes.

With :math:`R_i = P(x^i) / Q(x^i)`, the ratio of the joint laws of the first i drafted tokens, never capped, the odds
are :math:`h_i = \min\bigl(1, \sum_x (R_i P_i(x) - Q_i(x))_+ / \sum_x (Q_i(x) - R_i P_i(x))_+\bigr)` inside the block
and :math:`h_\gamma = \min(1, R_\gamma)`; the largest i whose coin is kept is accepted, and the last token comes from
:math:`(R_i P_i - Q_i)_+`, normalised. So at least i tokens are accepted, and are :math:`x^i`, with probability
:math:`\min(P(x^i), Q(x^i))`.

One call is not lossless: it leaves :math:`(P(v) - Q(v))_+` to be said of every prefix v, and too little or too much
of that is said if the target's own tokens follow. For the remaining positions of the block the target is therefore
changed: after a prefix v that is shorter than the block its row is :math:`(P(v x) - Q(v x))_+` over the next tokens
x, normalised, with P and Q the joint laws from where the block began. Positions behind the block are as they were. The
next call verifies against the changed target and may change it again.

Why the mass comes out right: at v with :math:`\min(P, Q)(v)` accepted and :math:`(P - Q)_+(v)` left, the calls that end
at v and those that are past it both draw from the row above, and their masses add up to
:math:`P(v) - \sum_x \min(P, Q)(v x) = \sum_x (P - Q)_+(v x)`: exactly what is left one token later.

Source: after Sun et al., arXiv:2403.10444, the appendix on greedy block verification (source unverified); derived and
checked by enumeration here.
"""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from sympy import Rational
from sympy.external.gmpy import MPQ

from proofs.block_rule import residual
from proofs.distributions import Row
from proofs.path_law import check_prefix
from proofs.processes import Prefix, Process, Weights, as_rational, check_count, check_processes

__all__ = ["ceiling", "greedy_emitted_law", "greedy_sequence_law", "modified_row"]

ZERO, ONE = MPQ(0), MPQ(1)
Masses = dict[Prefix, MPQ]
RowOf = Callable[[Prefix], Weights]


class _Node(NamedTuple):
    """A drafted path, with its joint probabilities in the target and in the draft."""

    path: Prefix
    wanted: MPQ
    drafted: MPQ


def ceiling(target: Any, draft: Any, gamma: int) -> Rational:
    r"""Most accepted tokens that any call can expect: :math:`\sum_{i=1}^{\gamma} (1 - TV(P_i, Q_i))`.

    P_i and Q_i are the joint laws of the first i tokens. A call whose accepted prefixes have no more mass than the
    target gives them accepts no more, whatever later calls do; greedy block verification accepts as many.

    Parameters
    ----------
    target, draft : row of V exact numbers, or callable prefix -> row
        A row stands for every prefix. Rows after prefixes that only one of the two can produce may be missing.
    gamma : int
        Number of drafted tokens.

    Returns
    -------
    sympy.Rational
        0 with gamma = 0.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError, ProofsError
        If a row that is reached is missing or no distribution; if gamma is no number of tokens.

    Examples
    --------
    >>> ceiling(["1/3", "2/3"], ["2/3", "1/3"], 2)
    4/3
    """
    rows, below = check_processes(target, draft)
    total, level = ZERO, [_Node((), ONE, ONE)]
    for _ in range(check_count(gamma, "gamma")):
        level = [child for node in level for child in _children(rows.weights, below, node)]
        total += sum((min(node.wanted, node.drafted) for node in level), ZERO)
    return as_rational(total)


def greedy_emitted_law(target: Any, draft: Any, gamma: int) -> dict[Prefix, Rational]:
    """Exact law of the tokens that one greedy call emits.

    Found from the algorithm, coin by coin. It is not the law of a lossless call: what follows must come from the
    changed target (`modified_row`).

    Parameters
    ----------
    target, draft : row of V exact numbers, or callable prefix -> row
        As `ceiling` takes them.
    gamma : int

    Returns
    -------
    dict
        Tuple of 1 to gamma + 1 emitted tokens -> Rational, where positive. With gamma = 0 the target's own next token.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError, ProofsError
        If a row that is reached is missing or no distribution; if gamma is no number of tokens.

    Examples
    --------
    >>> greedy_emitted_law(["1/3", "2/3"], ["2/3", "1/3"], 1)
    {(1,): 1/3, (0, 0): 1/9, (0, 1): 2/9, (1, 0): 1/9, (1, 1): 2/9}
    """
    rows, below = check_processes(target, draft)
    law = _call(rows.weights, below, (), check_count(gamma, "gamma"))
    return {emitted: as_rational(mass) for emitted, mass in law.items()}


def modified_row(target: Any, draft: Any, gamma: int, prefix: Prefix) -> Row:
    r"""Row of the target, as one greedy call has changed it: :math:`(P(v x) - Q(v x))_+` over x, normalised.

    Parameters
    ----------
    target, draft : row of V exact numbers, or callable prefix -> row
    gamma : int
        Of the call that began at the empty prefix.
    prefix : tuple of int
        The v of the formula: what that call emitted, and what came since.

    Returns
    -------
    tuple of V sympy.Rational
        The target's own row for a prefix of gamma tokens or more, and where no mass is left.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError, ProofsError
        If a row that is asked for is missing or no distribution; if gamma or the prefix is none.

    Examples
    --------
    >>> modified_row(["1/3", "2/3"], ["2/3", "1/3"], 2, (1,))
    (0, 1)
    """
    rows, below = check_processes(target, draft)
    changed = _changed(rows.weights, below, (), check_count(gamma, "gamma"))
    return tuple(map(as_rational, changed(check_prefix(prefix, rows.vocabulary))))


def greedy_sequence_law(target: Any, draft: Any, gamma: int, calls: int, length: int) -> dict[Prefix, Rational]:
    """Exact law of the first tokens of a text that begins with some greedy calls.

    Every call drafts gamma tokens and verifies them against the target as the calls before have changed it; after the
    last the text goes on by sampling from what the target is then.

    Parameters
    ----------
    target, draft : row of V exact numbers, or callable prefix -> row
        The draft is the same process in every call.
    gamma, calls : int
        Tokens drafted in each call, and the number of calls.
    length : int
        Number of tokens of which the law is wanted.

    Returns
    -------
    dict
        Tuple of `length` tokens -> Rational, where positive: the target's own law. With length = 0 the empty tuple.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError, ProofsError
        If a row that is reached is missing or no distribution; if a number is none.

    Examples
    --------
    >>> greedy_sequence_law(["1/3", "2/3"], ["2/3", "1/3"], 2, 2, 2)
    {(0, 0): 1/9, (0, 1): 2/9, (1, 0): 2/9, (1, 1): 4/9}
    """
    rows, below = check_processes(target, draft)
    wanted = check_count(length, "length", what="tokens")
    count = check_count(gamma, "gamma")
    law: Masses = {}
    pending: list[tuple[Prefix, RowOf, int, MPQ]] = [((), rows.weights, check_count(calls, "calls", what="calls"), ONE)]
    while pending:
        text, row_of, left, mass = pending.pop()
        if len(text) >= wanted:
            law[text[:wanted]] = law.get(text[:wanted], ZERO) + mass
            continue
        after = _changed(row_of, below, text, count) if left else row_of
        pieces = _call(row_of, below, text, count) if left else {(y,): share for y, share in enumerate(row_of(text))}
        pending += [(text + y, after, max(left - 1, 0), mass * share) for y, share in pieces.items() if share]
    return {text: as_rational(law[text]) for text in sorted(law)}


def _call(row_of: RowOf, draft: Process, start: Prefix, gamma: int) -> Masses:
    """Law of what a call emits that begins after `start`."""
    levels = [[_Node((), ONE, ONE)]]
    for _ in range(gamma):
        levels.append([child for node in levels[-1] for child in _children(row_of, draft, node, start)])
    ends: list[tuple[_Node, MPQ]] = []
    beyond: Masses = {}  # mass that accepts more than the path
    for level in reversed(levels):
        reached: Masses = {}
        for node in reversed(level):
            more = beyond.get(node.path, ZERO)
            here = (node.drafted - more) * _chance(row_of, draft, node, start, gamma)
            ends.append((node, here))
            reached[node.path[:-1]] = reached.get(node.path[:-1], ZERO) + more + here
        beyond = reached
    law: Masses = {}
    for node, mass in reversed(ends):
        at = start + node.path
        last = row_of(at)
        if mass and len(node.path) < gamma:
            last = residual(node.wanted / node.drafted, last, draft.weights(at))
        law |= {(*node.path, y): mass * share for y, share in enumerate(last if mass else ()) if share}
    return law


def _children(row_of: RowOf, draft: Process, node: _Node, start: Prefix = ()) -> Iterator[_Node]:
    """Paths one token longer that both processes can produce: behind the others no coin is kept."""
    at = start + node.path
    for x, (p, q) in enumerate(zip(row_of(at), draft.weights(at), strict=True)):
        if p and q:
            yield _Node((*node.path, x), node.wanted * p, node.drafted * q)


def _chance(row_of: RowOf, draft: Process, node: _Node, start: Prefix, gamma: int) -> MPQ:
    """Return the odds of the coin at a drafted path."""
    if not node.path:
        return ONE
    if len(node.path) == gamma:
        return min(ONE, node.wanted / node.drafted)
    at = start + node.path
    return _odds(node.wanted, node.drafted, row_of(at), draft.weights(at))


def _odds(wanted: MPQ, drafted: MPQ, target: Weights, draft: Weights) -> MPQ:
    """Return h_i inside the block; 1 where it is 0/0: no law depends on it, a later coin is then kept for certain."""
    gains = [wanted * p - drafted * q for p, q in zip(target, draft, strict=True)]
    above, below = sum((g for g in gains if g > 0), ZERO), sum((-g for g in gains if g < 0), ZERO)
    return ONE if above >= below else above / below


def _changed(row_of: RowOf, draft: Process, start: Prefix, gamma: int) -> RowOf:
    """Return the target after a greedy call that began after `start`."""
    masses: dict[Prefix, tuple[MPQ, MPQ]] = {start: (ONE, ONE)}
    known: dict[Prefix, Weights] = {}

    def joint(prefix: Prefix) -> tuple[MPQ, MPQ]:
        for length in range(len(start), len(prefix)):
            before, x = prefix[:length], prefix[length]
            if (*before, x) not in masses:
                wanted, drafted = masses[before]
                # A row of the draft that no draft gets to need not exist.
                below = drafted * draft.weights(before)[x] if drafted else ZERO
                masses[*before, x] = (wanted * row_of(before)[x], below)
        return masses[prefix]

    def changed(prefix: Prefix) -> Weights:
        if len(prefix) >= len(start) + gamma:
            return row_of(prefix)
        if prefix not in known:
            wanted, drafted = joint(prefix)
            row = row_of(prefix)
            known[prefix] = residual(wanted / drafted, row, draft.weights(prefix)) if drafted else row
        return known[prefix]

    return changed
