r"""What a target row is: exact transformations of rows, in a stated order.

The target of a verifier is the law after all processing, and so is the draft. An engine works on logits l; here a row
holds the weights :math:`w = e^l`, of which a distribution is the case with the sum one. Adding to a logit multiplies a
weight, dividing logits by a temperature T raises weights to the power 1 / T, :math:`-\infty` is the weight 0, and
softmax is division by the sum.

Every function takes a row of V exact weights, non-negative and not all 0, and returns a distribution. All but
`repetition_penalty` give the same for a row and for any multiple of it. `transform` applies several in the order that
is written, and divides by the sum once, at the end.
"""

from collections.abc import Callable
from typing import Any

from sympy.external.gmpy import MPQ

from proofs.distributions import Row, exact_row
from proofs.processes import Process, as_rational
from proofs.row_steps import STEPS, check_mass, read_steps

__all__ = [
    "logit_bias",
    "mask",
    "min_p",
    "repetition_penalty",
    "temperature",
    "top_k",
    "top_p",
    "transform",
    "transform_process",
]


def temperature(row: Any, value: Any) -> Row:
    r"""Divide the logits by a temperature: :math:`w^{1/T}`, normalised.

    Parameters
    ----------
    row : row of V exact weights
    value : exact number above 0
        T. With T = 1/n, n whole, every row stays rational. With T = b/a in lowest terms it does iff the ratios of its
        entries are b-th powers of rational numbers.

    Returns
    -------
    tuple of sympy.Rational, length V
        With T = 1 the row divided by its sum. An entry 0 stays 0.

    Raises
    ------
    InexactError, NotADistributionError
        If an entry is not exact, negative, or all are 0.
    ProofsError
        If T is not above 0 (greedy decoding is ``top_k(row, 1)``), or the result is not rational.

    Examples
    --------
    >>> temperature(["1/2", "1/3", "1/6"], "1/2")
    (9/14, 2/7, 1/14)
    >>> temperature(["4/5", "1/5"], 2)
    (2/3, 1/3)
    """
    return transform(row, [("temperature", value)])


def top_k(row: Any, k: Any, ties: str = "lowest") -> Row:
    """Keep the k greatest entries.

    Parameters
    ----------
    row : row of V exact weights
    k : int
        At least 1; from V on everything is kept.
    ties : {"lowest", "all"}
        Of entries equal to the k-th greatest, ``"lowest"`` keeps those with the lower ids, k in all; ``"all"`` keeps
        them all, which may be more than k.

    Returns
    -------
    tuple of sympy.Rational, length V

    Raises
    ------
    InexactError, NotADistributionError
        If an entry is not exact, negative, or all are 0.
    ProofsError
        If `k` is below 1, or `ties` none of the two.

    Examples
    --------
    >>> top_k(["1/4", "1/2", "1/4"], 2), top_k(["1/4", "1/2", "1/4"], 2, ties="all")
    ((1/3, 2/3, 0), (1/4, 1/2, 1/4))
    """
    return transform(row, [("top_k", k, ties)])


def top_p(row: Any, mass: Any, boundary: str = ">=") -> Row:
    """Keep the greatest entries until they have a mass.

    The entries are taken from the greatest down, of equals the lower id first, and the entry that crosses the threshold
    is kept. What differs between implementations is what crossing means.

    Parameters
    ----------
    row : row of V exact weights
    mass : exact number in (0, 1]
    boundary : {">=", ">"}
        ``">="`` stops as soon as the mass is reached (an entry is kept iff those before it have less than `mass`);
        ``">"`` only when it is exceeded (kept iff those before it have at most `mass`), so that an entry more is kept
        where the mass is met exactly, and everything at `mass` 1.

    Returns
    -------
    tuple of sympy.Rational, length V
        One entry at least is kept.

    Raises
    ------
    InexactError, NotADistributionError
        If an entry is not exact, negative, or all are 0.
    ProofsError
        If `mass` is not in (0, 1], or `boundary` none of the two.

    Examples
    --------
    >>> top_p(["1/2", "1/4", "1/4"], "3/4"), top_p(["1/2", "1/4", "1/4"], "3/4", ">")
    ((2/3, 1/3, 0), (1/2, 1/4, 1/4))
    """
    return transform(row, [("top_p", mass, boundary)])


def min_p(row: Any, fraction: Any) -> Row:
    """Keep the entries of at least a fraction of the greatest.

    Parameters
    ----------
    row : row of V exact weights
    fraction : exact number in [0, 1]
        With 0 everything is kept; with 1 the greatest and its equals. An entry on the threshold is kept.

    Returns
    -------
    tuple of sympy.Rational, length V

    Raises
    ------
    InexactError, NotADistributionError
        If an entry is not exact, negative, or all are 0.
    ProofsError
        If `fraction` is not in [0, 1].

    Examples
    --------
    >>> min_p(["1/2", "1/4", "1/4"], "1/2"), min_p(["1/2", "3/8", "1/8"], "1/2")
    ((1/2, 1/4, 1/4), (4/7, 3/7, 0))
    """
    return transform(row, [("min_p", fraction)])


def repetition_penalty(row: Any, tokens: Any, penalty: Any) -> Row:
    r"""Penalise tokens that were seen: a positive logit is divided by the penalty, another multiplied.

    In weights: :math:`w^{1/\theta}` where w > 1, else :math:`w^{\theta}`. It depends on where the logits have their
    zero, and so on the scale of the row: pass the weights :math:`e^l`, not the distribution, unless the logits are
    log-probabilities. Behind a temperature other than 1/n the scale is gone, and `transform` refuses it.

    Parameters
    ----------
    row : row of V exact weights
    tokens : iterable of int
        The tokens seen; one seen twice is penalised once.
    penalty : exact number above 0
        As for `temperature`, a result that is not rational is refused: a whole penalty is exact for weights up to 1.

    Returns
    -------
    tuple of sympy.Rational, length V
        With penalty 1 the row divided by its sum.

    Raises
    ------
    InexactError, NotADistributionError
        If an entry is not exact, negative, or all are 0.
    ProofsError
        If a token is out of range, `penalty` is not above 0, or the result is not rational.

    Examples
    --------
    >>> repetition_penalty([4, 1, "1/2"], [0, 2], 2)
    (8/13, 4/13, 1/13)
    """
    return transform(row, [("repetition_penalty", tokens, penalty)])


def logit_bias(row: Any, factors: Any) -> Row:
    r"""Add to logits: multiply weights by :math:`e^b`, the factors.

    Parameters
    ----------
    row : row of V exact weights
    factors : mapping token -> exact number at least 0
        0 is a bias of minus infinity. Presence and frequency penalties are factors too.

    Returns
    -------
    tuple of sympy.Rational, length V

    Raises
    ------
    InexactError, NotADistributionError
        If an entry is not exact, negative, or all are 0, before or after.
    ProofsError
        If a token is out of range or a factor negative.

    Examples
    --------
    >>> logit_bias(["1/2", "1/4", "1/4"], {0: "1/2", 2: 0})
    (1/2, 1/2, 0)
    """
    return transform(row, [("logit_bias", factors)])


def mask(row: Any, allowed: Any) -> Row:
    """Leave only some tokens.

    Parameters
    ----------
    row : row of V exact weights
    allowed : iterable of int

    Returns
    -------
    tuple of sympy.Rational, length V

    Raises
    ------
    InexactError, NotADistributionError
        If an entry is not exact, negative, or all are 0, before or after.
    ProofsError
        If a token is out of range.

    Examples
    --------
    >>> mask(["1/2", "1/4", "1/4"], [1, 2])
    (0, 1/2, 1/2)
    """
    return transform(row, [("mask", allowed)])


def transform(row: Any, steps: Any) -> Row:
    """Apply transformations in the order written, and divide by the sum.

    Parameters
    ----------
    row : row of V exact weights
    steps : iterable of tuples
        Each a name of `STEPS` and the arguments of the function of that name behind the row.

    Returns
    -------
    tuple of sympy.Rational, length V
        Without steps the row divided by its sum.

    Raises
    ------
    InexactError, NotADistributionError, ProofsError
        If the row, or an argument of a step, is refused; if a step leaves no mass; if there is no such step.

    Examples
    --------
    >>> row = ["2/5", "3/10", "1/5", "1/10"]
    >>> transform(row, [("temperature", "1/2"), ("top_p", "7/10")])
    (16/25, 9/25, 0, 0)
    >>> transform(row, [("top_p", "7/10"), ("temperature", "1/2")])
    (16/25, 9/25, 0, 0)
    >>> transform(row, [("top_p", "4/5"), ("temperature", "1/2")])
    (16/29, 9/29, 4/29, 0)
    """
    weights = check_mass(tuple(MPQ(entry.p, entry.q) for entry in exact_row(row, "row")), "row")
    for i, (name, *arguments) in enumerate(read_steps(steps)):
        weights = check_mass(STEPS[name](weights, *arguments), f"row after steps[{i}], {name},")
    total = sum(weights, MPQ(0))
    return tuple(as_rational(weight / total) for weight in weights)


def transform_process(rows: Any, steps: Any) -> Callable[[tuple[int, ...]], Row]:
    """Return a process with every row transformed: the same at every verified position and at the bonus.

    Parameters
    ----------
    rows : row of V exact numbers, or callable prefix -> row
    steps : iterable of tuples
        As of `transform`.

    Returns
    -------
    callable
        prefix -> row; each is transformed when it is asked for.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError, ProofsError
        Where a row is asked for that is no distribution or is refused by a step.

    Examples
    --------
    >>> transform_process(["1/2", "1/4", "1/4"], [("top_k", 2)])((0, 1))
    (2/3, 1/3, 0)
    """
    process, fixed = Process(rows, "rows"), read_steps(steps)
    return lambda prefix: transform(process.row(prefix), fixed)
