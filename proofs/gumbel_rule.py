r"""The Gumbel coupling over exact rationals: the twin of `specdec.gumbel_rule`.

Drafter and verifier race with the same noise: exponentials :math:`E_i`, one a token; the drafted token is
:math:`x = \arg\min E_i / q_i`, the target's :math:`y = \arg\min E_i / p_i` (the same as adding one sample of Gumbel
noise to both rows of logits). The target's token is emitted whatever it is, so its law is p; the draft is kept iff
:math:`x = y`.

What is said of one position asks a callable prefix -> row for its first row.

All probabilities are rational. With :math:`t_i = q_i / p_i` (infinite where :math:`p_i = 0`) and
:math:`S(c) = \sum_i \max(q_i, c \, p_i)`,

.. math:: \Pr(x = y = i) = \frac{q_i}{S(t_i)} = \frac{1}{\sum_j \max(p_j / p_i, q_j / q_i)}, \qquad
          \Pr(i, j) = q_i p_j \Bigl(\int_{t_j}^{t_i} \frac{dc}{S(c)^2}\Bigr)_+ \text{ for } i \ne j.

Proof of the second: let A and B be the winning times of the two races; with density
:math:`q_i p_j e^{-q_i A - p_j B}` the exponentials of the winners i and j are :math:`q_i A` and :math:`p_j B`, and
every other token loses both races iff its own is above :math:`\max(q_k A, p_k B)`. Neither winner wins the other race
iff :math:`c = B / A` lies between :math:`t_j` and :math:`t_i`, and there :math:`\int A e^{-A S(c)} dA = 1 / S(c)^2`.

Source: Daliri, Musco and Suresh, "Coupling without Communication and Drafter-Invariant Speculative Decoding",
arXiv:2408.07978 (source unverified); the joint law is derived here.
"""

from itertools import pairwise
from typing import Any

from sympy import Rational
from sympy.external.gmpy import MPQ

from proofs.distributions import Row
from proofs.equality_chain import chain_accepted, chain_law
from proofs.processes import Prefix, Weights, as_rational, first_rows

__all__ = ["coupling", "emitted_law", "expected_accepted", "match_probability", "match_row"]


def match_probability(target: Any, draft: Any) -> Rational:
    r"""Probability that two races with the same noise have one winner.

    .. math:: \Pr(x = y) = \sum_i \frac{1}{\sum_j \max(p_j / p_i, q_j / q_i)}

    where a term with :math:`p_i = 0` or :math:`q_i = 0` is 0. It lies between (1 - TV) / (1 + TV) and 1 - TV.

    Parameters
    ----------
    target, draft : row of V exact numbers

    Returns
    -------
    Rational
        1 where the rows are equal, 0 for disjoint supports, p(x) for a draft that always proposes x.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.

    References
    ----------
    Daliri et al., arXiv:2408.07978 (source unverified).

    Examples
    --------
    >>> match_probability(["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"])
    7/12
    """
    return as_rational(sum(diagonal(*_weights(target, draft)), MPQ(0)))


def match_row(target: Any, draft: Any) -> Row:
    r"""Probabilities :math:`\Pr(x = y = i)` that both races are won by token i.

    Parameters
    ----------
    target, draft : row of V exact numbers

    Returns
    -------
    tuple of Rational, length V
        0 where either row is 0; nowhere above min(p, q). Sums to `match_probability`.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.

    Examples
    --------
    >>> match_row(["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"])
    (1/6, 1/4, 1/6)
    """
    return tuple(map(as_rational, diagonal(*_weights(target, draft))))


def coupling(target: Any, draft: Any) -> tuple[Row, ...]:
    """Joint law of the winners of two races with the same noise.

    Parameters
    ----------
    target, draft : row of V exact numbers

    Returns
    -------
    tuple of V rows of V Rational
        Entry ``[x][y]`` is Pr(drafted x, emitted y); rows sum to `draft`, columns to `target`. Of ``[x][y]`` and
        ``[y][x]`` at most one is positive. Diagonal where the rows are equal.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.

    Examples
    --------
    >>> coupling(["1/2", "1/3", "1/6"], ["1/6", "1/3", "1/2"])
    ((1/6, 0, 0), (1/12, 1/4, 0), (1/4, 1/12, 1/6))
    """
    p, q = _weights(target, draft)
    same, place, integral = diagonal(p, q), _times(p, q), _integrals(p, q)
    return tuple(
        tuple(
            as_rational(same[x] if x == y else _apart(q[x], p[y], place[y], place[x], integral)) for y in range(len(p))
        )
        for x in range(len(q))
    )


def emitted_law(target: Any, draft: Any, gamma: int) -> dict[Prefix, Rational]:
    """Law of the emitted tokens of one call that keeps drafted tokens while they win the target's race too.

    The noise of a position is shared by drafter and verifier; that of different positions is independent.

    Parameters
    ----------
    target, draft : row of V exact numbers, or callable prefix -> row
    gamma : int
        Number of drafted tokens.

    Returns
    -------
    dict
        Emitted tokens (a tuple of 1 to gamma + 1) -> Rational, where positive. For gamma = 0 the target's row.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError, ProofsError
        If a row that is reached is missing or no distribution over V tokens; if `gamma` is negative or no integer.

    Examples
    --------
    >>> emitted_law(["1/3", "2/3"], ["2/3", "1/3"], 1)
    {(1,): 1/3, (0, 0): 1/9, (0, 1): 2/9, (1, 0): 1/9, (1, 1): 2/9}
    """
    return chain_law(target, draft, gamma, diagonal)


def expected_accepted(target: Any, draft: Any, gamma: int) -> Rational:
    """Expected number of drafted tokens that one call with shared noise keeps.

    Parameters
    ----------
    target, draft : row of V exact numbers, or callable prefix -> row
    gamma : int
        Number of drafted tokens.

    Returns
    -------
    Rational
        0 for gamma = 0; for one target row and one draft row the sum of the powers of `match_probability`.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError, ProofsError
        If a row that is reached is missing or no distribution over V tokens; if `gamma` is negative or no integer.

    Examples
    --------
    >>> expected_accepted(["1/3", "2/3"], ["2/3", "1/3"], 2)
    10/9
    """
    return chain_accepted(target, draft, gamma, diagonal)


def diagonal(target: Weights, draft: Weights) -> Weights:
    """`match_row` of numbers of the ground type that the caller has checked."""
    return tuple(_both_win(target, draft, p, q) if p and q else MPQ(0) for p, q in zip(target, draft, strict=True))


def _both_win(target: Weights, draft: Weights, p: MPQ, q: MPQ) -> MPQ:
    return 1 / sum((max(a / p, b / q) for a, b in zip(target, draft, strict=True)), MPQ(0))


def _weights(target: Any, draft: Any) -> tuple[Weights, Weights]:
    p, q = ([MPQ(entry.p, entry.q) for entry in row] for row in first_rows(target, draft))
    return tuple(p), tuple(q)


# An infinite t stands as None: no number of the ground type is infinite.


def _times(target: Weights, draft: Weights) -> list[MPQ | None]:
    return [q / p if p else None for p, q in zip(target, draft, strict=True)]


def _integrals(target: Weights, draft: Weights) -> dict[MPQ | None, MPQ]:
    """Return the integral of 1 / S(c)^2 from 0 to each breakpoint t_i, and to infinity (None)."""
    points = sorted({MPQ(0)} | {t for t in _times(target, draft) if t is not None})
    found: dict[MPQ | None, MPQ] = {points[0]: MPQ(0)}
    for low, high in pairwise(points):
        # S is linear in between, and the integral of 1 / (a + b c)^2 is the difference over the product of the ends.
        found[high] = found[low] + (high - low) / (_total(target, draft, low) * _total(target, draft, high))
    # Beyond the last one S(c) is c plus what the draft gives tokens of no target mass, and 1 / (a + c) is left.
    found[None] = found[points[-1]] + 1 / _total(target, draft, points[-1])
    return found


def _total(target: Weights, draft: Weights, c: MPQ) -> MPQ:
    return sum((max(q, c * p) for p, q in zip(target, draft, strict=True)), MPQ(0))


def _apart(q: MPQ, p: MPQ, low: MPQ | None, high: MPQ | None, integral: dict[MPQ | None, MPQ]) -> MPQ:
    between = integral[high] - integral[low]
    return q * p * between if between > 0 else MPQ(0)
