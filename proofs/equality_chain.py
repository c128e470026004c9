"""Chains that keep a drafted token iff the target's own token equals it: one law for every way to couple the two.

At each position the drafted token x and the target's token y have a joint law; y is emitted whatever it is, and the
chain goes on while y = x. All that the law of a call needs of the joint law is its diagonal, the row of masses
``Pr(x = y = i)``.
"""

from collections.abc import Callable, Iterator
from typing import Any

from sympy import Rational
from sympy.external.gmpy import MPQ

from proofs.processes import Prefix, Process, Weights, as_rational, check_count, check_processes

__all__ = ["Diagonal", "chain_accepted", "chain_law"]

Diagonal = Callable[[Weights, Weights], Weights]  # (target, draft) -> Pr(drafted and emitted token are both i)
Masses = dict[Prefix, MPQ]


def chain_law(target: Any, draft: Any, gamma: Any, diagonal: Diagonal) -> dict[Prefix, Rational]:
    """Law of the emitted tokens of one call: 1 to `gamma` + 1 of them, those of positive probability.

    Parameters
    ----------
    target, draft : row of V exact numbers, or callable prefix -> row
    gamma : int
    diagonal : callable
        No entry above the target's.

    Returns
    -------
    dict
        tuple of tokens -> Rational.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError, ProofsError
        If a row that is reached is no distribution over V tokens; if `gamma` is no number of tokens.
    """
    wanted, levels = _levels(target, draft, gamma, diagonal)
    law = {}
    for level, kept in levels:
        for prefix, mass in level.items():
            stays = kept(prefix) if kept else (MPQ(0),) * wanted.vocabulary
            for y, (p, d) in enumerate(zip(wanted.weights(prefix), stays, strict=True)):
                if p != d:
                    law[(*prefix, y)] = as_rational(mass * (p - d))
    return law


def chain_accepted(target: Any, draft: Any, gamma: Any, diagonal: Diagonal) -> Rational:
    """Expected number of drafted tokens that are kept: the sum of Pr(at least i kept) over i = 1 to `gamma`.

    Parameters and errors are those of `chain_law`.

    Returns
    -------
    Rational
        0 for `gamma` = 0.
    """
    wanted, drafted = check_processes(target, draft)
    count = check_count(gamma, "gamma")
    if wanted.constant and drafted.constant:  # the masses of all prefixes of one length together: a geometric sum
        rate = sum(diagonal(wanted.weights(()), drafted.weights(())), MPQ(0))
        return as_rational(sum((rate**i for i in range(1, count + 1)), MPQ(0)))
    _, levels = _levels(wanted, drafted, count, diagonal)
    return as_rational(sum((sum(level.values(), MPQ(0)) for level, _ in levels), MPQ(0)) - 1)


def _levels(
    target: Any, draft: Any, gamma: Any, diagonal: Diagonal
) -> tuple[Process, Iterator[tuple[Masses, Callable[[Prefix], Weights] | None]]]:
    """Return the target, and for each length the masses of the kept prefixes and the diagonal after each of them."""
    wanted, drafted = check_processes(target, draft)
    count = check_count(gamma, "gamma")
    wanted.row(())  # without it nothing would be asked at gamma = 0 until the iterator is used
    fixed = diagonal(wanted.weights(()), drafted.weights(())) if wanted.constant and drafted.constant else None

    def kept(prefix: Prefix) -> Weights:
        return diagonal(wanted.weights(prefix), drafted.weights(prefix)) if fixed is None else fixed

    def levels() -> Iterator[tuple[Masses, Callable[[Prefix], Weights] | None]]:
        level: Masses = {(): MPQ(1)}
        for _ in range(count):
            rows = {prefix: kept(prefix) for prefix in level}
            yield level, rows.__getitem__
            level = {(*prefix, y): mass * d for prefix, mass in level.items() for y, d in enumerate(rows[prefix]) if d}
        yield level, None

    return wanted, levels()
