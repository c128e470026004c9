r"""A chain of drafted tokens under the token rule, over exact rationals: the laws of one whole call.

The draft proposes gamma tokens, each given those before it. Token by token the verifier keeps :math:`x_i` with
probability :math:`\min(1, p_i(x_i)/q_i(x_i))`; at the first rejection it draws a replacement from
:math:`(p_i - q_i)_+`, normalised, and stops; when all are kept it draws a *bonus* token from the target. So a call
emits 1 to gamma + 1 tokens, of which :math:`\tau` are drafted ones, and the *block efficiency* is
:math:`E[\tau] + 1`.

`path_law` is a function of rows and the twin of `specdec.chain_rule`: the law of a call whose drafted tokens are
known. The laws of whole processes average over them, and take `target` and `draft` as one row, the same after every
prefix, or as a callable from the accepted prefix (a tuple of tokens) to a row. Only rows after prefixes of
probability above zero are asked for, each prefix is worked out once, and no law is written down from what is proved
of it: that a call completed by the target has the target's law is a theorem.

A law over tuples has up to V^(gamma + 1) entries, and the expectations go through V^(gamma - 1) prefixes unless both
rows are constant.

Source: after Leviathan, Kalman and Matias, arXiv:2211.17192, Algorithm 1; Chen et al., arXiv:2302.01318,
Algorithm 2 (source unverified).
"""

from math import gcd
from typing import Any

from sympy import Rational, S

from proofs.chain_steps import ONE, ZERO, Chain
from proofs.distributions import Row
from proofs.path_law import PathLaw, check_path, check_prefix
from proofs.processes import Prefix, as_rational
from proofs.token_rule import accept_token, residual_law

__all__ = [
    "PathLaw",
    "accepted_law",
    "block_efficiency",
    "emitted_law",
    "expected_accepted",
    "path_law",
    "prefix_probability",
]


def path_law(target: Any, draft: Any, tokens: Any) -> PathLaw:
    r"""Law of one call, given the drafted tokens.

    .. math:: \Pr(\tau = i) = (1 - a_i) \prod_{j<i} a_j, \qquad a_j = \min\Bigl(1, \frac{p_j(x_j)}{q_j(x_j)}\Bigr),
              \qquad \Pr(\tau = \gamma) = \prod_j a_j

    Parameters
    ----------
    target : gamma + 1 rows of V exact numbers
        Row i is the target's law after ``tokens[:i]``; the last row is for the bonus token.
    draft : gamma rows of V exact numbers
        Row i is the law that ``tokens[i]`` was drawn from.
    tokens : gamma integers
        The drafted tokens. A token of target probability 0 is never kept; one of draft probability 0, which no
        honest draft proposes, is kept if the target gives it mass.

    Returns
    -------
    PathLaw
        ``(1,)`` and the bonus row for gamma = 0. Where ``p == q`` the residual is undefined and not needed: the row
        of `last` is that of the target.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError, ProofsError
        If an entry is not exact, a row no distribution, the numbers of rows, tokens and V do not fit, or a token is
        no integer between 0 and V - 1.

    Examples
    --------
    >>> p, q = ["1/8", "3/8", "1/2"], ["1/2", "1/4", "1/4"]
    >>> path_law([p, p], [q], [0])
    PathLaw(stops=(3/4, 1/4), last=((0, 1/3, 2/3), (1/8, 3/8, 1/2)))
    """
    weights, drawn, path = check_path(target, draft, tokens)
    wanted, drafted = ([tuple(map(as_rational, row)) for row in rows] for rows in (weights, drawn))
    reached, stops, last = S.One, [], []
    for p, q, x in zip(wanted, drafted, path, strict=False):
        keep = accept_token(p[x], q[x]) if p[x] != 0 else S.Zero
        stops.append(reached * (1 - keep))
        last.append(residual_law(p, q))
        reached *= keep
    return PathLaw((*stops, reached), (*last, wanted[-1]))


def emitted_law(target: Any, draft: Any, gamma: int) -> dict[Prefix, Rational]:
    r"""Law of the tokens that one call emits.

    .. math:: \Pr(x_1 \dots x_i y) = \Bigl(\prod_{j \le i} q_j(x_j) a_j(x_j)\Bigr)
              \Bigl(\sum_x q_{i+1}(x) (1 - a_{i+1}(x))\Bigr) r_{i+1}(y), \quad i < \gamma,

    with :math:`r` the residual, and the bonus row in place of the last two factors for :math:`i = \gamma`.

    Parameters
    ----------
    target, draft : row of V exact numbers, or callable prefix -> row
    gamma : int
        Number of drafted tokens.

    Returns
    -------
    dict
        Tuple of 1 to gamma + 1 tokens -> Rational, where above zero, the shortest first; the masses sum to one.
        The target's row for gamma = 0; one entry of gamma + 1 tokens for V = 1.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If a row that is reached is missing or no distribution over V tokens.
    ProofsError
        If `gamma` is no integer or negative.

    Examples
    --------
    >>> emitted_law(["1/3", "2/3"], ["2/3", "1/3"], 1)
    {(1,): 1/3, (0, 0): 1/9, (0, 1): 2/9, (1, 0): 1/9, (1, 1): 2/9}
    """
    chain = Chain(target, draft, gamma)
    law = {}
    for prefix, mass in chain.kept(chain.gamma):
        top, bottom = int(mass.numerator), int(mass.denominator)
        for token, over, under in chain.last(prefix):
            # Integers: products of the ground type would be taken apart for `Rational`, at a fifth more time.
            numerator, denominator = top * over, bottom * under
            common = gcd(numerator, denominator)
            law[*prefix, token] = Rational.from_coprime_ints(numerator // common, denominator // common)
    return law


def accepted_law(target: Any, draft: Any, gamma: int) -> Row:
    r"""Law of the number of drafted tokens that one call keeps.

    Parameters
    ----------
    target, draft : row of V exact numbers, or callable prefix -> row
        No row after gamma tokens is asked for.
    gamma : int
        Number of drafted tokens.

    Returns
    -------
    tuple of gamma + 1 sympy.Rational
        Entry i is :math:`\Pr(\tau = i)`: :math:`\alpha^i (1 - \alpha)` for i < gamma and :math:`\alpha^\gamma` for
        constant rows; ``(1,)`` for gamma = 0.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If a row that is reached is missing or no distribution over V tokens.
    ProofsError
        If `gamma` is no integer or negative.

    Examples
    --------
    >>> accepted_law(["1/3", "2/3"], ["2/3", "1/3"], 2)
    (1/3, 2/9, 4/9)
    """
    chain = Chain(target, draft, gamma)
    law = [ZERO] * chain.gamma + [ZERO if chain.gamma else ONE]
    for i, mass, step in chain.steps():
        law[i] += mass * step.rejected
        if i == chain.gamma - 1:
            law[-1] += mass * step.accepted
    return tuple(map(as_rational, law))


def expected_accepted(target: Any, draft: Any, gamma: int) -> Rational:
    r"""Expected number of drafted tokens that one call keeps.

    .. math:: E[\tau] = \sum_{i=1}^\gamma \sum_{x_1 \dots x_i} \prod_{j \le i} \min(p_j(x_j), q_j(x_j))

    Parameters
    ----------
    target, draft : row of V exact numbers, or callable prefix -> row
        No row after gamma tokens is asked for.
    gamma : int
        Number of drafted tokens.

    Returns
    -------
    sympy.Rational
        0 for gamma = 0 and for disjoint supports, gamma where the draft is the target;
        :math:`\alpha + \dots + \alpha^\gamma` for constant rows.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If a row that is reached is missing or no distribution over V tokens.
    ProofsError
        If `gamma` is no integer or negative.

    See Also
    --------
    proofs.efficiency : what that is worth in time.

    Examples
    --------
    >>> expected_accepted(["1/3", "2/3"], ["2/3", "1/3"], 2)
    10/9
    """
    chain = Chain(target, draft, gamma)
    return as_rational(sum((mass * step.accepted for _, mass, step in chain.steps()), ZERO))


def block_efficiency(target: Any, draft: Any, gamma: int) -> Rational:
    r"""Expected number of tokens that one call emits, :math:`E[\tau] + 1`.

    Parameters
    ----------
    target, draft : row of V exact numbers, or callable prefix -> row
    gamma : int
        Number of drafted tokens.

    Returns
    -------
    sympy.Rational
        1 for gamma = 0 and for disjoint supports, gamma + 1 where the draft is the target.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError, ProofsError
        As `expected_accepted` does.

    Examples
    --------
    >>> block_efficiency(["1/3", "2/3"], ["2/3", "1/3"], 2)
    19/9
    """
    return expected_accepted(target, draft, gamma) + 1


def prefix_probability(target: Any, draft: Any, gamma: int, prefix: Any) -> Rational:
    r"""Probability that the tokens which one call emits begin with `prefix`.

    Every token but the last is a drafted one that was kept, and the last is emitted in whichever way:

    .. math:: \Pr(w_1 \dots w_k) = \Bigl(\prod_{i<k} \min(p_i, q_i)(w_i)\Bigr) \, p_k(w_k).

    It is smaller than what the target gives the prefix, by the calls that ended before token k: that the emitted
    tokens, *given* that there are k of them, have the target's law is a common belief and false.

    Parameters
    ----------
    target, draft : row of V exact numbers, or callable prefix -> row
        Only the rows along the prefix are asked for.
    gamma : int
        Number of drafted tokens.
    prefix : sequence of int
        Tokens 0 to V - 1.

    Returns
    -------
    sympy.Rational
        1 for the empty prefix, 0 for more than gamma + 1 tokens.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If a row that is reached is missing or no distribution over V tokens.
    ProofsError
        If `gamma` is no integer or negative, or an element of `prefix` is no token.

    Examples
    --------
    >>> prefix_probability(["1/3", "2/3"], ["2/3", "1/3"], 1, (0, 1))
    2/9
    """
    chain = Chain(target, draft, gamma)
    path = check_prefix(prefix, chain.target.vocabulary)
    if not path:
        return S.One
    if len(path) > chain.gamma + 1:
        return S.Zero
    mass = ONE
    for i, token in enumerate(path[:-1]):
        mass *= dict(chain.step(path[:i]).kept).get(token, ZERO)
        if not mass:
            return S.Zero
    return as_rational(mass * chain.emitted(path[:-1], path[-1]))
