r"""What a chain of gamma drafted tokens is worth, over exact rationals: the twin of `specdec.efficiency`.

Every drafted token is kept with the same probability alpha, whatever was kept before it, or the law of the number of
kept tokens is given (`proofs.chain_rule.accepted_law`). A call of the target costs 1, and so does its verification of
gamma + 1 positions; a call of the draft costs `cost`.

Source: after Leviathan, Kalman and Matias, arXiv:2211.17192, Equation 1, Theorems 3.8 and 3.11, Table 1 (source
unverified).
"""

from typing import Any

from sympy import Rational, S

from proofs.distributions import check_rows
from proofs.errors import ProofsError
from proofs.parameters import exact_number
from proofs.processes import check_count
from proofs.rationals import shown

__all__ = ["best_gamma", "expected_tokens", "expected_tokens_of", "operations_factor", "speedup", "speedup_of"]


def expected_tokens(alpha: Any, gamma: int) -> Rational:
    r"""Expected number of tokens that a call emits.

    .. math:: 1 + \alpha + \dots + \alpha^\gamma = \frac{1 - \alpha^{\gamma + 1}}{1 - \alpha}

    Parameters
    ----------
    alpha : exact number
        Probability that a drafted token is kept, 0 to 1.
    gamma : int
        Number of drafted tokens.

    Returns
    -------
    sympy.Rational
        gamma + 1 for alpha = 1; 1 for alpha = 0 or gamma = 0.

    Raises
    ------
    InexactError, ProofsError
        If a number is not exact, or out of its range.

    Examples
    --------
    >>> expected_tokens("2/3", 2)
    19/9
    """
    chance, count = _check_alpha(alpha), check_count(gamma, "gamma")
    return S.One * (count + 1) if chance == 1 else (1 - chance ** (count + 1)) / (1 - chance)


def speedup(alpha: Any, gamma: int, cost: Any) -> Rational:
    r"""How many times as fast as the target alone.

    .. math:: \frac{1 - \alpha^{\gamma + 1}}{(1 - \alpha)(\gamma c + 1)}

    Parameters
    ----------
    alpha : exact number
        Probability that a drafted token is kept, 0 to 1.
    gamma : int
        Number of drafted tokens.
    cost : exact number
        Time of a call of the draft over that of a call of the target, 0 or more.

    Returns
    -------
    sympy.Rational
        Below 1 where drafting costs more than it brings; 1 for gamma = 0.

    Raises
    ------
    InexactError, ProofsError
        If a number is not exact, or out of its range.

    Examples
    --------
    >>> speedup("4/5", 3, "1/10")
    738/325
    """
    tokens, count = expected_tokens(alpha, gamma), check_count(gamma, "gamma")
    return tokens / (count * _check_cost(cost) + 1)


def operations_factor(alpha: Any, gamma: int, cost: Any) -> Rational:
    r"""How many times as many arithmetic operations as the target alone.

    .. math:: \frac{(1 - \alpha)(\gamma \hat c + \gamma + 1)}{1 - \alpha^{\gamma + 1}}

    Parameters
    ----------
    alpha : exact number
        Probability that a drafted token is kept, 0 to 1.
    gamma : int
        Number of drafted tokens.
    cost : exact number
        Operations a token of the draft over those of the target, 0 or more.

    Returns
    -------
    sympy.Rational
        1 for gamma = 0, and for alpha = 1 and a draft that costs nothing.

    Raises
    ------
    InexactError, ProofsError
        If a number is not exact, or out of its range.

    Examples
    --------
    >>> operations_factor("4/5", 2, 0)
    75/61
    """
    tokens, count = expected_tokens(alpha, gamma), check_count(gamma, "gamma")
    return (count * _check_cost(cost) + count + 1) / tokens


def best_gamma(alpha: Any, cost: Any, most: int = 1024) -> int:
    r"""Number of drafted tokens with the greatest speed-up, of 0 to `most`; the least of those that share it.

    Parameters
    ----------
    alpha : exact number
        Probability that a drafted token is kept, 0 to 1.
    cost : exact number
        Time of a call of the draft over that of a call of the target, 0 or more.
    most : int
        Greatest number that is looked at.

    Returns
    -------
    int
        0 where drafting never helps: for alpha <= cost. `most` where the speed-up rises that far: with alpha = 1 and
        cost < 1, or alpha > 0 and cost = 0, it rises for ever.

    Raises
    ------
    InexactError, ProofsError
        If a number is not exact, or out of its range.

    Notes
    -----
    With T the expected tokens of gamma, the step from gamma to gamma + 1 gains iff
    :math:`D(\gamma) = \alpha^{\gamma+1} (1 + c \gamma) - c \, T(\gamma) > 0`, and
    :math:`D(\gamma + 1) - D(\gamma) = -(1 - \alpha) \alpha^{\gamma+1} (1 + c \gamma + c) \le 0`. So once a step gains
    nothing no later one does, and the first such gamma, found by bisection, is the best of all.

    Examples
    --------
    >>> best_gamma("4/5", "1/20"), best_gamma("1/2", "1/10")
    (8, 2)
    """
    chance, price, greatest = _check_alpha(alpha), _check_cost(cost), check_count(most, "most")
    bound = 1  # doubled before it is halved: powers beyond the answer may be too large to write down
    while bound < greatest and _gains(chance, bound, price):
        bound *= 2
    low, high = bound // 2, min(bound, greatest)
    while low < high:  # every gamma below low gains by another token; high does not, or is the greatest
        middle = (low + high) // 2
        if _gains(chance, middle, price):
            low = middle + 1
        else:
            high = middle
    return low


def expected_tokens_of(accepted: Any) -> Rational:
    """Expected number of tokens that a call emits, from the law of the number of drafted tokens that it keeps.

    Parameters
    ----------
    accepted : gamma + 1 exact numbers
        Entry i is the probability that exactly i are kept, as of `proofs.chain_rule.accepted_law`.

    Returns
    -------
    sympy.Rational
        1 for gamma = 0.

    Raises
    ------
    InexactError, NotADistributionError
        If an entry is not exact, or the row no distribution.

    Examples
    --------
    >>> expected_tokens_of(["1/3", "2/9", "4/9"])
    19/9
    """
    return sum(((i + 1) * chance for i, chance in enumerate(check_rows(accepted, "accepted"))), S.Zero)


def speedup_of(accepted: Any, cost: Any) -> Rational:
    """How many times as fast as the target alone, from the law of the number of drafted tokens that a call keeps.

    Parameters
    ----------
    accepted : gamma + 1 exact numbers
        Entry i is the probability that exactly i are kept. All gamma are drafted in every call.
    cost : exact number
        Time of a call of the draft over that of a call of the target, 0 or more.

    Returns
    -------
    sympy.Rational
        1 for gamma = 0.

    Raises
    ------
    InexactError, NotADistributionError, ProofsError
        If a number is not exact, the row no distribution, or the cost below 0.

    Examples
    --------
    >>> speedup_of(["1/3", "2/9", "4/9"], "1/18")
    19/10
    """
    row = check_rows(accepted, "accepted")
    return expected_tokens_of(row) / ((len(row) - 1) * _check_cost(cost) + 1)


def _gains(alpha: Rational, gamma: int, cost: Rational) -> bool:
    """Whether one more drafted token is faster; D > 0 in `best_gamma`, times 1 - alpha unless that is 0."""
    if alpha == 1:
        return bool(cost < 1)
    if cost == 0:
        return bool(alpha > 0)
    return bool(alpha ** (gamma + 1) * ((1 - alpha) * (1 + cost * gamma) + cost) > cost)


def _check_alpha(value: Any) -> Rational:
    alpha = exact_number(value, "alpha")
    if not 0 <= alpha <= 1:
        raise ProofsError(f"alpha = {shown(alpha)} is not a probability; expected a number between 0 and 1.")
    return alpha


def _check_cost(value: Any) -> Rational:
    cost = exact_number(value, "cost")
    if cost < 0:
        raise ProofsError(f"cost = {shown(cost)} is below 0; expected the draft's cost over the target's, 0 or more.")
    return cost
