"""Pairs of requests for verifiers of batches: rows that differ, so that what one request does to the other shows."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from proofs.battery import Dependent
from proofs.inputs import Input, Table
from proofs.sequences import Prefix, Process, Row

__all__ = ["alone", "cyclic", "pairs"]

Processes = tuple[Process, Process]

# The paths of the two requests multiply: three tokens in one of them, two in the other. All are k/8, which every
# dtype holds.
_WIDE = (((1, 3, 4), (4, 2, 2)), ((5, 1, 2), (1, 4, 3)))
_NARROW = (((2, 6), (6, 2)), ((5, 3), (1, 7)))
_LONG = 3  # drafted tokens, from which on both requests have two tokens


def alone(found: Input) -> Input:
    """Return an input as the one request of a batch."""
    return replace(found, batched=True)


def pairs(gamma: int, vocabulary: int) -> list[Input]:
    """Return the pairs of requests that a verifier of batches is tried on.

    Parameters
    ----------
    gamma, vocabulary : int
        Of both requests; with one token there is one pair.
    """
    if vocabulary == 1:
        one = Table((Fraction(1),))
        return [_pair("one token", (one, one), (one, one), gamma, vocabulary)]
    wide = _embedded(_WIDE if vocabulary > 2 and gamma < _LONG else _NARROW, vocabulary)
    narrow = _embedded(_NARROW[::-1], vocabulary)
    found = {
        "rows by position, rows that depend on the prefix": (_by_position(wide, gamma), _by_prefix(narrow)),
        "a draft that is always kept, one that never is": (_kept(wide), _rejected(vocabulary)),
    }
    both = [
        _pair(name + words, *requests, gamma, vocabulary)
        for name, (one, other) in found.items()
        for words, requests in (("", (one, other)), (", exchanged", (other, one)))
    ]
    if gamma < 2:
        both.append(
            _pair("rows of several tokens", _by_position(wide, gamma), _by_prefix(wide[::-1]), gamma, vocabulary)
        )
    return both


def cyclic(inputs: Sequence[Input]) -> Iterator[Input]:
    """Pair each input with the next of as many tokens, and the last with the first; a single one with itself, turned.

    Parameters
    ----------
    inputs : sequence of Input
        Of one gamma.
    """
    for size in dict.fromkeys(found.vocabulary for found in inputs):
        same = [found for found in inputs if found.vocabulary == size]
        for at, one in enumerate(same):
            other = same[(at + 1) % len(same)]
            beside = (other.target, other.draft) if len(same) > 1 else (_Turned(one.target), _Turned(one.draft))
            name = f"{one.name} beside {other.name if len(same) > 1 else 'itself with its tokens turned'}"
            yield replace(one, name=name, batched=True, others=(beside,))


def _pair(name: str, one: Processes, other: Processes, gamma: int, vocabulary: int) -> Input:
    return Input(f"two requests: {name}", *one, gamma, vocabulary, batched=True, others=(other,))


def _embedded(rows: Sequence[tuple[Sequence[int], Sequence[int]]], vocabulary: int) -> list[tuple[Row, Row]]:
    """Return rows of two or three tokens as rows of the vocabulary, with tokens of probability zero."""

    def row(counts: Sequence[int]) -> Row:
        gap = [0] * (vocabulary - len(counts))
        return tuple(Fraction(count, sum(counts)) for count in (*counts[:-1], *gap, counts[-1]))

    return [(row(p), row(q)) for p, q in rows]


def _by_position(rows: Sequence[tuple[Row, Row]], gamma: int) -> Processes:
    chosen = [rows[at % len(rows)] for at in range(gamma + 1)]
    return Table(tuple(p for p, _ in chosen)), Table(tuple(q for _, q in chosen))


def _by_prefix(rows: Sequence[tuple[Row, Row]]) -> Processes:
    return Dependent([p for p, _ in rows], (1, 1)), Dependent([q for _, q in rows], (2, 1))


def _kept(rows: Sequence[tuple[Row, Row]]) -> Processes:
    return Table(rows[0][0]), Table(rows[0][0])


def _rejected(vocabulary: int) -> Processes:
    zeros = [Fraction(0)] * (vocabulary - 1)
    return Table((*zeros, Fraction(1))), Table((Fraction(1), *zeros))


@dataclass(frozen=True)
class _Turned:
    """A process whose tokens bear the names of their successors."""

    process: Process

    def __call__(self, prefix: Prefix) -> Row:
        """Return the row after `prefix`."""
        size = len(self.process(()))
        row = self.process(tuple((token - 1) % size for token in prefix))
        return (row[-1], *row[:-1])
