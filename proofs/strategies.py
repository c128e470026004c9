"""Hypothesis strategies for rows and pairs of rows, as tuples of ``Fraction``.

Valid data are built, never filtered for. Rows come from cuts of the interval [0, n] into V
pieces with a small common denominator n, so that zeros, ties, one-hot rows and equal rows are
common and a failing example shrinks to few tokens and small fractions.
"""

from collections.abc import Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any

from hypothesis import strategies as st

__all__ = [
    "couplings",
    "disjoint_pairs",
    "distributions",
    "one_hot_pairs",
    "pairs",
    "pairs_with_acceptance",
    "pairs_with_zero",
]

Fractions = tuple[Fraction, ...]
Pair = tuple[Fractions, Fractions]
Draw = Any

MAX_VOCABULARY = 8
MAX_DENOMINATOR = 60


def _row(cuts: Sequence[int], denominator: int) -> Fractions:
    edges = [0, *sorted(cuts), denominator]
    return tuple(Fraction(b - a, denominator) for a, b in pairwise(edges))


@st.composite
def distributions(draw: Draw, vocabulary: int | None = None, max_vocabulary: int = MAX_VOCABULARY) -> Fractions:
    """Distributions over a few tokens.

    Parameters
    ----------
    vocabulary : int, optional
        Number of tokens; otherwise 1 to `max_vocabulary`.
    max_vocabulary : int

    Returns
    -------
    strategy of tuple of Fraction
        Non-negative, exact sum one, denominators of at most 60. Shrinks to ``(1,)``, or with a
        given vocabulary to a row with one token of probability one.
    """
    denominator = draw(st.integers(1, MAX_DENOMINATOR))
    size = vocabulary if vocabulary is not None else draw(st.integers(1, max_vocabulary))
    return _row(draw(st.lists(st.integers(0, denominator), min_size=size - 1, max_size=size - 1)), denominator)


@st.composite
def pairs(draw: Draw, max_vocabulary: int = MAX_VOCABULARY) -> Pair:
    """(target, draft) over one vocabulary of 1 to `max_vocabulary` tokens.

    About a third of the cuts coincide, so that tokens tie and rows are equal at times; zeros,
    one-hot rows and disjoint rows come up as well. Both have one common denominator.

    Returns
    -------
    strategy of (tuple of Fraction, tuple of Fraction)
    """
    denominator = draw(st.integers(1, MAX_DENOMINATOR))
    cut = st.integers(0, denominator)
    both = st.one_of(cut.map(lambda c: (c, c)), st.tuples(cut, cut), st.tuples(cut, cut))
    cuts = draw(st.lists(both, max_size=max_vocabulary - 1))
    return _row([a for a, _ in cuts], denominator), _row([b for _, b in cuts], denominator)


@st.composite
def pairs_with_zero(draw: Draw, where: str) -> Pair:
    """(target, draft) over 2 to 8 tokens, one of which `where` never produces.

    Parameters
    ----------
    where : {"target", "draft"}
        The row that has the zero, at any place.
    """
    other = draw(distributions(vocabulary=draw(st.integers(2, MAX_VOCABULARY))))
    row = draw(distributions(vocabulary=len(other) - 1))
    at = draw(st.integers(0, len(row)))
    return _placed((*row[:at], Fraction(0), *row[at:]), other, where)


@st.composite
def disjoint_pairs(draw: Draw) -> Pair:
    """(target, draft) over 2 to 6 tokens with none in common, the order of the tokens mixed."""
    p, q = draw(distributions(max_vocabulary=3)), draw(distributions(max_vocabulary=3))
    tokens = [*((x, Fraction(0)) for x in p), *((Fraction(0), x) for x in q)]
    mixed = draw(st.permutations(tokens))
    return tuple(a for a, _ in mixed), tuple(b for _, b in mixed)


@st.composite
def one_hot_pairs(draw: Draw, where: str) -> Pair:
    """(target, draft) over 1 to 8 tokens in which `where` always produces one token.

    Parameters
    ----------
    where : {"target", "draft"}
    """
    other = draw(distributions())
    at = draw(st.integers(0, len(other) - 1))
    return _placed(tuple(Fraction(int(x == at)) for x in range(len(other))), other, where)


def _placed(special: Fractions, other: Fractions, where: str) -> Pair:
    if where not in ("target", "draft"):
        raise ValueError(f"where = {where!r}; expected 'target' or 'draft'")
    return (special, other) if where == "target" else (other, special)


@st.composite
def pairs_with_acceptance(draw: Draw) -> tuple[Fractions, Fractions, Fractions]:
    """(target, draft, keep-probabilities); half of the time every q a <= p, so that completion is possible."""
    p, q = draw(pairs())
    keep = [Fraction(draw(st.integers(0, 6)), 6) for _ in p]
    if draw(st.booleans()):
        keep = [a * (min(Fraction(1), x / y) if y else 1) for a, x, y in zip(keep, p, q, strict=True)]
    return p, q, tuple(keep)


@st.composite
def couplings(draw: Draw) -> tuple[Fractions, ...]:
    """A joint law of (drafted, emitted) over 1 to 4 tokens, as rows."""
    size = draw(st.integers(1, 4))
    cells = draw(distributions(vocabulary=size * size))
    return tuple(cells[i * size : (i + 1) * size] for i in range(size))
