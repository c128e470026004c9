r"""Block verification over exact rationals: the twin of `specdec.block_rule`, and the law of whole calls.

With :math:`P_i, Q_i` the rows after i drafted tokens, the weights of a drafted path are :math:`p_0 = 1` and
:math:`p_i = \min(1, p_{i-1} P_{i-1}(x_i) / Q_{i-1}(x_i))`. With :math:`Z_i = \sum_x (p_i P_i(x) - Q_i(x))_+` the odds
are :math:`h_i = Z_i / (Z_i + 1 - p_i)` for :math:`0 < i < \gamma` and :math:`h_\gamma = p_\gamma`. Every position has
a coin :math:`u_i` of its own, and the *largest* i with :math:`u_i < h_i` (else 0) is the number of accepted tokens: a
failed coin stops nothing. The last token comes from :math:`(p_i P_i - Q_i)_+`, normalised, or from
:math:`P_\gamma` when all are accepted.

Where :math:`Z_i + 1 - p_i = 0` the odds are taken to be 1. No law depends on that: then :math:`p_i = 1` and
:math:`P_i = Q_i`, so :math:`p_{i+1} = 1`, and a later coin is kept with certainty: either :math:`Z_j > 0` for the
next row that differs and :math:`h_j = Z_j / Z_j = 1`, or :math:`h_\gamma = p_\gamma = 1`. The call never ends at i.

Source: Sun et al., "Block Verification Accelerates Speculative Decoding", arXiv:2403.10444, Algorithm 2 (source
unverified).
"""

from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

from sympy import Rational
from sympy.external.gmpy import MPQ

from proofs.distributions import Row
from proofs.path_law import PathLaw, check_path
from proofs.processes import Prefix, Process, Weights, as_rational, check_count, check_processes

__all__ = ["accepted_law", "emitted_law", "expected_accepted", "path_law", "path_odds", "path_weights"]

ZERO, ONE = MPQ(0), MPQ(1)


def path_weights(target: Any, draft: Any, tokens: Any) -> Row:
    r"""Capped likelihood ratios :math:`p_0, \ldots, p_\gamma` along one drafted path.

    Parameters
    ----------
    target : gamma + 1 rows of V exact numbers
        Row i: the target's law after ``tokens[:i]``.
    draft : gamma rows of V exact numbers
        Row i: the law that ``tokens[i]`` was drawn from.
    tokens : gamma ints
        The drafted tokens, each between 0 and V - 1.

    Returns
    -------
    tuple of gamma + 1 sympy.Rational
        ``(1,)`` with nothing drafted. Entry i is Pr(at least i accepted, given the first i drafted tokens). After a
        token that the draft gives probability 0, which is never drafted, it is 1 if the target can get there, else 0.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError, ProofsError
        If a row is no distribution, the shapes do not fit, a token is out of range.

    Examples
    --------
    >>> path_weights([["1/3", "2/3"]] * 3, [["2/3", "1/3"]] * 2, [0, 1])
    (1, 1/2, 1)
    """
    return tuple(map(as_rational, _weights(*check_path(target, draft, tokens))))


def path_odds(target: Any, draft: Any, tokens: Any) -> Row:
    r"""Probability :math:`h_i` with which the coin of each position is kept, :math:`h_0 = 1` first.

    Parameters
    ----------
    target : gamma + 1 rows of V exact numbers
    draft : gamma rows of V exact numbers
    tokens : gamma ints
        As `path_weights` takes them.

    Returns
    -------
    tuple of gamma + 1 sympy.Rational
        1 where the formula is 0/0, which no law depends on (see the module).

    Raises
    ------
    InexactError, NotADistributionError, ShapeError, ProofsError
        If a row is no distribution, the shapes do not fit, a token is out of range.

    Examples
    --------
    >>> path_odds([["1/3", "2/3"]] * 3, [["2/3", "1/3"]] * 2, [0, 1])
    (1, 0, 1)
    """
    rows, below, drafted = check_path(target, draft, tokens)
    return tuple(map(as_rational, _odds(rows, below, _weights(rows, below, drafted))))


def path_law(target: Any, draft: Any, tokens: Any) -> PathLaw:
    """Law of the number of accepted tokens, and of the last token, given the drafted path.

    Parameters
    ----------
    target : gamma + 1 rows of V exact numbers
    draft : gamma rows of V exact numbers
    tokens : gamma ints
        As `path_weights` takes them.

    Returns
    -------
    PathLaw
        With nothing drafted ``stops`` is ``(1,)`` and ``last`` the target's row. Where no residual is left, and the
        call therefore never ends, the row of `last` is the target's.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError, ProofsError
        If a row is no distribution, the shapes do not fit, a token is out of range.

    Examples
    --------
    >>> path_law([["1/3", "2/3"]] * 3, [["2/3", "1/3"]] * 2, [0, 0])
    PathLaw(stops=(3/4, 0, 1/4), last=((0, 1), (1/3, 2/3), (1/3, 2/3)))
    """
    rows, below, drafted = check_path(target, draft, tokens)
    weights = _weights(rows, below, drafted)
    odds = _odds(rows, below, weights)
    stops, missed = [], ONE
    for chance in reversed(odds):
        stops.append(missed * chance)
        missed *= 1 - chance
    last = [*map(residual, weights, rows, below), rows[-1]]
    return PathLaw(tuple(map(as_rational, reversed(stops))), tuple(tuple(map(as_rational, row)) for row in last))


def emitted_law(target: Any, draft: Any, gamma: int) -> dict[Prefix, Rational]:
    """Exact law of the tokens that one call emits.

    Found from the algorithm: every drafted path, every coin, every last token; what paths share is computed once.

    Parameters
    ----------
    target, draft : row of V exact numbers, or callable prefix -> row
        A row stands for every prefix. Asked where a call can get to: rows after prefixes that the draft does not
        propose, or the target does not want, may be missing.
    gamma : int
        Number of drafted tokens.

    Returns
    -------
    dict
        Tuple of 1 to gamma + 1 emitted tokens -> Rational; those of probability zero are left out. With gamma = 0 the
        target's own next token.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError, ProofsError
        If a row that is reached is missing or no distribution; if gamma is no number of tokens.

    Examples
    --------
    >>> emitted_law(["1/3", "2/3"], ["2/3", "1/3"], 1)
    {(1,): 1/3, (0, 0): 1/9, (0, 1): 2/9, (1, 0): 1/9, (1, 1): 2/9}
    """
    rows, below = check_processes(target, draft)
    law = {}
    for stop in _stops(rows, below, check_count(gamma, "gamma")):
        last = rows.weights(stop.prefix)
        if len(stop.prefix) < gamma:
            last = residual(stop.weight, last, below.weights(stop.prefix))
        for y, chance in enumerate(last):
            if chance:
                law[*stop.prefix, y] = as_rational(stop.mass * chance)
    return law


def accepted_law(target: Any, draft: Any, gamma: int) -> Row:
    """Exact law of the number of accepted tokens.

    Parameters
    ----------
    target, draft : row of V exact numbers, or callable prefix -> row
        As `emitted_law` takes them.
    gamma : int

    Returns
    -------
    tuple of gamma + 1 sympy.Rational
        Entry i: the probability that i drafted tokens are accepted. ``(1,)`` with gamma = 0.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError, ProofsError
        If a row that is reached is missing or no distribution; if gamma is no number of tokens.

    Examples
    --------
    >>> accepted_law(["1/3", "2/3"], ["2/3", "1/3"], 2)
    (1/3, 1/9, 5/9)
    """
    rows, below = check_processes(target, draft)
    law = [ZERO] * (check_count(gamma, "gamma") + 1)
    for stop in _stops(rows, below, len(law) - 1):
        law[len(stop.prefix)] += stop.mass
    return tuple(map(as_rational, law))


def expected_accepted(target: Any, draft: Any, gamma: int) -> Rational:
    r"""Exact expected number of accepted tokens; block efficiency is one more.

    No lossless rule of one call and one drafted block accepts more: it is `proofs.optimum.block_optimum`.

    Parameters
    ----------
    target, draft : row of V exact numbers, or callable prefix -> row
        As `emitted_law` takes them.
    gamma : int

    Returns
    -------
    sympy.Rational
        0 with gamma = 0; gamma where target and draft are equal.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError, ProofsError
        If a row that is reached is missing or no distribution; if gamma is no number of tokens.

    Examples
    --------
    >>> expected_accepted(["1/3", "2/3"], ["2/3", "1/3"], 2)
    11/9
    """
    rows, below = check_processes(target, draft)
    total = ZERO
    for stop in _stops(rows, below, check_count(gamma, "gamma")):
        total += len(stop.prefix) * stop.mass
    return as_rational(total)


class _Node(NamedTuple):
    """A drafted prefix: its mass, and the path's weight there."""

    prefix: Prefix
    mass: MPQ
    weight: MPQ


def _stops(target: Process, draft: Process, gamma: int) -> list[_Node]:
    """Every way in which a call can end, with the mass of the calls that do; the shortest first."""
    levels = [[_Node((), ONE, ONE)]]
    for _ in range(gamma):
        levels.append([child for node in levels[-1] for child in _children(node, target, draft)])
    found: list[_Node] = []
    beyond: dict[Prefix, MPQ] = {}  # mass that accepts more than the prefix
    for level in reversed(levels):
        reached: dict[Prefix, MPQ] = {}
        for node in reversed(level):
            more = beyond.get(node.prefix, ZERO)
            here = (node.mass - more) * _chance(node, target, draft, gamma)
            if here:
                found.append(_Node(node.prefix, here, node.weight))
            reached[node.prefix[:-1]] = reached.get(node.prefix[:-1], ZERO) + more + here
        beyond = reached
    return found[::-1]


def _children(node: _Node, target: Process, draft: Process) -> Iterator[_Node]:
    """Paths one token longer; behind one that the target does not want no coin is kept."""
    for x, (p, q) in enumerate(zip(target.weights(node.prefix), draft.weights(node.prefix), strict=True)):
        if p and q:
            yield _Node((*node.prefix, x), node.mass * q, capped(node.weight, p, q))


def _chance(node: _Node, target: Process, draft: Process, gamma: int) -> MPQ:
    """Return the odds of the coin at a drafted prefix."""
    if not node.prefix:
        return ONE
    if len(node.prefix) == gamma:
        return node.weight
    return odds_inside(node.weight, target.weights(node.prefix), draft.weights(node.prefix))


# The rule, in its parts.


def capped(weight: MPQ, p: MPQ, q: MPQ) -> MPQ:
    """Return the path's next weight: min(1, weight p / q), without a division where the cap holds."""
    wanted = weight * p
    return (ONE if wanted else ZERO) if q <= wanted else wanted / q


def odds_inside(weight: MPQ, target: Weights, draft: Weights) -> MPQ:
    """Return h_i for 0 < i < gamma: 1 where it is 0/0."""
    surplus = sum((weight * p - q for p, q in zip(target, draft, strict=True) if q < weight * p), ZERO)
    below = surplus + 1 - weight
    return surplus / below if below else ONE


def residual(weight: MPQ, target: Weights, draft: Weights) -> Weights:
    """Return (weight P - Q)+, normalised; the target's row where nothing is left."""
    excess = [max(weight * p - q, ZERO) for p, q in zip(target, draft, strict=True)]
    mass = sum(excess, ZERO)
    return tuple(e / mass for e in excess) if mass else target


def _weights(target: Sequence[Weights], draft: Sequence[Weights], tokens: Sequence[int]) -> list[MPQ]:
    weights = [ONE]
    for p, q, x in zip(target, draft, tokens, strict=False):  # no token goes with the bonus row
        weights.append(capped(weights[-1], p[x], q[x]))
    return weights


def _odds(target: Sequence[Weights], draft: Sequence[Weights], weights: list[MPQ]) -> list[MPQ]:
    inside = map(odds_inside, weights[1:-1], target[1:-1], draft[1:])
    return [ONE, *inside, weights[-1]] if draft else [ONE]
