r"""The match rule over exact rationals: the twin of `specdec.match_rule`.

The target's own token :math:`Y \sim p` is drawn, independently of what was drafted, and emitted; the drafted tokens
count as accepted while they are what was drawn. The draft law is never read, so the law is the target's for every
drafter, honest or not, and what is accepted is :math:`E[p(S)]` over the set S of drafted tokens. With a draft that is
certain (n-gram, prompt lookup, greedy drafting) the token rule is the same thing; with a drawn one it accepts more,
:math:`\sum \min(p, q)` against :math:`\sum p q`.

Greedy decoding (temperature 0) is the target law with mass one on the argmax; `greedy_row` makes that row, and says how
ties break.

Rows are V exact numbers (what `proofs.exact` takes), non-negative with the exact sum one. The laws of whole calls take
rows or callables from the accepted prefix (a tuple) to a row; `acceptance` and `coupling`, which look at one position,
ask a callable for its first row.

Source: after the verification by sampling of Transformers, llama.cpp and mlx-lm; stated here (no paper's equation).
"""

from collections.abc import Callable, Iterable
from typing import Any

from sympy import Rational, S

from proofs.distributions import Row, check_rows
from proofs.equality_chain import chain_accepted, chain_law
from proofs.errors import ProofsError, ShapeError
from proofs.path_law import check_token
from proofs.processes import Prefix, Process, Weights, check_count, first_rows
from proofs.rationals import shown

__all__ = [
    "acceptance",
    "coupling",
    "emitted_law",
    "expected_accepted",
    "greedy_process",
    "greedy_row",
    "one_hot",
    "path_acceptance",
    "set_acceptance",
]


def acceptance(target: Any, draft: Any, k: int = 1) -> Rational:
    r"""Probability that the target's token is among k independent drafts.

    .. math:: \Pr(Y \in S) = \sum_x p(x) \bigl(1 - (1 - q(x))^k\bigr), \quad \text{for } k = 1: \sum_x p(x) q(x)

    Parameters
    ----------
    target, draft : row of V exact numbers
    k : int
        Number of drafts, each drawn from `draft`.

    Returns
    -------
    Rational
        0 for k = 0 and for disjoint supports; p(x) for a draft that always proposes x. At most 1 - TV for k = 1.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError, ProofsError
        If an entry is not exact, a row no distribution, the lengths differ, `k` is negative or no integer.

    Examples
    --------
    >>> acceptance(["1/8", "3/8", "1/2"], ["1/2", "1/4", "1/4"])
    9/32
    """
    p, q = first_rows(target, draft)
    count = check_count(k, "k", what="drafts")
    return sum((a * (1 - (1 - b) ** count) for a, b in zip(p, q, strict=True)), S.Zero)


def set_acceptance(target: Any, tokens: Any) -> Rational:
    r"""Probability :math:`p(S)` that the target's token is one of the given tokens.

    The tokens are fixed given the prefix: proposed by a lookup, an n-gram, the top of the draft; or they are drawn, and
    this is the probability given the draw.

    Parameters
    ----------
    target : row of V exact numbers
    tokens : int or iterable of int
        One token or several; a token named twice counts once.

    Returns
    -------
    Rational
        0 for no tokens, 1 for all of them.

    Raises
    ------
    InexactError, NotADistributionError, ProofsError
        If `target` is no exact distribution, or a token is no integer between 0 and V - 1.

    Examples
    --------
    >>> set_acceptance(["1/8", "3/8", "1/2"], [0, 2])
    5/8
    """
    p = check_rows(target, "target")
    return sum((p[x] for x in set(_tokens(tokens, len(p)))), S.Zero)


def path_acceptance(target: Any, tokens: Any) -> Row:
    r"""Probabilities :math:`\prod_{j \le i} p_j(x_j)` that the drafted tokens are kept up to each position.

    Parameters
    ----------
    target : sequence of gamma + 1 rows of V exact numbers
        Row i is the target's law after ``tokens[:i]``; the last one, for the bonus token, is checked alone.
    tokens : sequence of gamma ints
        The drafted tokens, however they came about.

    Returns
    -------
    tuple of Rational, length gamma
        Entry i is Pr(``tokens[:i + 1]`` are kept); they sum to the expected number of kept tokens. Empty for gamma = 0.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError, ProofsError
        If a row is no exact distribution, there is not one more row than tokens, or a token is none.

    Examples
    --------
    >>> path_acceptance([["1/3", "2/3"], ["1/2", "1/2"], [1, 0]], [1, 0])
    (2/3, 1/3)
    """
    rows = [check_rows(row, f"target[{i}]") for i, row in enumerate(_listed(target, "target"))]
    drafted = _listed(tokens, "tokens")
    if len(rows) != len(drafted) + 1 or len({len(row) for row in rows}) != 1:
        raise ShapeError(
            f"target has rows of {[len(row) for row in rows]} tokens beside {len(drafted)} drafted tokens; expected "
            "gamma + 1 rows over the same V tokens: one for each drafted token and one for the bonus token."
        )
    kept, reach = [], S.One
    for row, x in zip(rows, _tokens(drafted, len(rows[0])), strict=False):
        reach *= row[x]
        kept.append(reach)
    return tuple(kept)


def coupling(target: Any, draft: Any) -> tuple[Row, ...]:
    r"""Joint law :math:`q(x) p(y)` of the drafted and the emitted token: they are independent.

    Parameters
    ----------
    target, draft : row of V exact numbers

    Returns
    -------
    tuple of V rows of V Rational
        Entry ``[x][y]`` is Pr(drafted x, emitted y).

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.

    Examples
    --------
    >>> coupling(["1/4", "3/4"], [0, 1])
    ((0, 0), (1/4, 3/4))
    """
    p, q = first_rows(target, draft)
    return tuple(tuple(b * a for a in p) for b in q)


def one_hot(token: int, vocabulary: int) -> Row:
    """Law of a draft that is certain.

    Parameters
    ----------
    token, vocabulary : int
        The token, between 0 and `vocabulary` - 1.

    Returns
    -------
    tuple of Rational, length `vocabulary`

    Raises
    ------
    ProofsError
        If there are no such tokens.

    Examples
    --------
    >>> one_hot(1, 3)
    (0, 1, 0)
    """
    size = check_count(vocabulary, "vocabulary", 1, "tokens")
    (at,) = _tokens((token,), size, "token")
    return tuple(S.One if x == at else S.Zero for x in range(size))


def greedy_row(row: Any, ties: Any = "lowest") -> Row:
    """Law of greedy decoding (temperature 0): mass one on the likeliest token, ties broken in a stated order.

    Which of several likeliest tokens is taken is not part of the row. A verifier that breaks ties otherwise than the
    baseline does emits other text.

    Parameters
    ----------
    row : row of V exact numbers
    ties : {"lowest", "highest"} or permutation of the V tokens
        Which of equals is taken: that of lowest index (``numpy.argmax``), of highest, or the first in the order given.

    Returns
    -------
    tuple of Rational, length V
        The row itself if it is one-hot.

    Raises
    ------
    InexactError, NotADistributionError, ProofsError
        If `row` is no exact distribution or `ties` is no order.

    Examples
    --------
    >>> greedy_row(["2/5", "1/5", "2/5"]), greedy_row(["2/5", "1/5", "2/5"], ties="highest")
    ((1, 0, 0), (0, 0, 1))
    """
    entries = check_rows(row, "row")
    order = _order(ties, len(entries))
    best = max(entries)
    return one_hot(next(x for x in order if entries[x] == best), len(entries))


def greedy_process(target: Any, ties: Any = "lowest") -> Callable[[Prefix], Row]:
    """Greedy decoding of a process: the callable prefix -> `greedy_row` of the target's row.

    Parameters
    ----------
    target : row of V exact numbers, or callable prefix -> row
    ties : {"lowest", "highest"} or permutation of the V tokens

    Returns
    -------
    callable
        What the laws of processes take as `target`, and as the `draft` of a drafter that takes its likeliest token.

    Raises
    ------
    InexactError, NotADistributionError, ProofsError
        When it is called: as `greedy_row`, and if there is no row after the prefix.

    Examples
    --------
    >>> emitted_law(greedy_process(["1/4", "3/4"]), ["1/2", "1/2"], 1)
    {(1,): 1/2, (1, 1): 1/2}
    """
    process = Process(target, "target")
    return lambda prefix: greedy_row(process.row(prefix), ties)


def emitted_law(target: Any, draft: Any, gamma: int) -> dict[Prefix, Rational]:
    r"""Law of the emitted tokens of one call of the match rule.

    At each position the target's token is drawn and emitted; the call ends when it is not the drafted one, or with the
    bonus token behind `gamma` kept ones:

    .. math:: \Pr(x^i y) = \prod_{j \le i} p_j(x_j) q_j(x_j) \cdot p_{i+1}(y) \, (1 - q_{i+1}(y)), \quad i < \gamma.

    Parameters
    ----------
    target, draft : row of V exact numbers, or callable prefix -> row
        `draft` is the law of the next drafted token; `one_hot` rows for drafts that are certain.
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
    {(0,): 1/9, (1,): 4/9, (0, 0): 2/27, (0, 1): 4/27, (1, 0): 2/27, (1, 1): 4/27}
    """
    return chain_law(target, draft, gamma, _both)


def expected_accepted(target: Any, draft: Any, gamma: int) -> Rational:
    r"""Expected number of drafted tokens that one call of the match rule keeps.

    .. math:: E[\tau] = \sum_{i=1}^{\gamma} \sum_{x^i} \prod_{j \le i} p_j(x_j) q_j(x_j)

    Parameters
    ----------
    target, draft : row of V exact numbers, or callable prefix -> row
    gamma : int
        Number of drafted tokens.

    Returns
    -------
    Rational
        0 for gamma = 0; for one target row and one draft row the sum of :math:`(\sum p q)^i`.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError, ProofsError
        If a row that is reached is missing or no distribution over V tokens; if `gamma` is negative or no integer.

    Examples
    --------
    >>> expected_accepted(["1/3", "2/3"], ["2/3", "1/3"], 2)
    52/81
    """
    return chain_accepted(target, draft, gamma, _both)


def _both(target: Weights, draft: Weights) -> Weights:
    return tuple(p * q for p, q in zip(target, draft, strict=True))


def _order(ties: Any, vocabulary: int) -> Iterable[int]:
    if isinstance(ties, str):
        if ties not in ("lowest", "highest"):
            raise ProofsError(f"ties = {shown(ties)!r} is no order; {_ORDERS}.")
        return range(vocabulary) if ties == "lowest" else reversed(range(vocabulary))
    order = _tokens(_listed(ties, "ties"), vocabulary, "ties")
    if sorted(order) != list(range(vocabulary)):
        raise ProofsError(f"ties does not name each of the V = {vocabulary} tokens once; {_ORDERS}.")
    return order


_ORDERS = 'expected "lowest", "highest" or a permutation of the tokens'


def _listed(values: Any, name: str) -> list[Any]:
    try:
        return list(values)
    except TypeError as error:
        raise ShapeError(f"{name} is a {type(values).__name__}; expected a sequence.") from error


def _tokens(tokens: Any, vocabulary: int, name: str = "tokens") -> list[int]:
    """Return one token or several as ints between 0 and V - 1; the error names the first that is none."""
    try:
        several = [tokens] if isinstance(tokens, str) else list(tokens)
    except TypeError:
        several = [tokens]
    return [check_token(x, f"{name}[{i}]", vocabulary) for i, x in enumerate(several)]
