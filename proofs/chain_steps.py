"""A chain of drafted tokens as a process: prefixes that may be kept with their masses, what happens to the next token.

In the ground type of SymPy, of which the laws of whole calls need products by the million. Every pair of rows is worked
out once, and every prefix is passed once.
"""

from collections.abc import Iterator
from typing import Any, NamedTuple, TypeAlias

from sympy.external.gmpy import MPQ

from proofs.processes import Prefix, Weights, check_count, check_processes

__all__ = ["ONE", "ZERO", "Chain", "Step"]

ZERO, ONE = MPQ(0, 1), MPQ(1, 1)


# Token, numerator and denominator, where the probability is positive: what laws over tuples multiply.
Ends: TypeAlias = tuple[tuple[int, int, int], ...]


class Step(NamedTuple):
    """What happens to one drafted token: masses of (token kept) and (token in place of one that was not)."""

    kept: tuple[tuple[int, MPQ], ...]
    replaced: Ends
    accepted: MPQ
    rejected: MPQ


class Chain:
    """Target, draft and gamma, checked, with every pair of rows worked out once."""

    def __init__(self, target: Any, draft: Any, gamma: Any) -> None:
        self.gamma = check_count(gamma, "gamma")
        self.target, self.draft = check_processes(target, draft)
        self.constant = self.target.constant and self.draft.constant
        # By identity, which is cheap and enough: a process hands out one object for rows that are one object. The rows
        # are kept so that no other takes their place in memory.
        self._steps: dict[tuple[int, int], tuple[Weights, Weights, Step]] = {}
        self._bonus: dict[int, tuple[Weights, Ends]] = {}

    def step(self, prefix: Prefix) -> Step:
        """Return what happens to the token drafted after a prefix."""
        p, q = self.target.weights(prefix), self.draft.weights(prefix)
        pair = id(p), id(q)
        if pair not in self._steps:
            self._steps[pair] = p, q, _step(p, q)
        return self._steps[pair][2]

    def kept(self, most: int) -> Iterator[tuple[Prefix, MPQ]]:
        """Go through the prefixes of 0 to `most` tokens that may be kept, the shortest first, each with its mass."""
        alive: dict[Prefix, MPQ] = {(): ONE}
        for length in range(most + 1):
            yield from alive.items()
            if length < most:
                alive = {
                    (*prefix, token): mass * chance
                    for prefix, mass in alive.items()
                    for token, chance in self.step(prefix).kept
                }

    def steps(self) -> Iterator[tuple[int, MPQ, Step]]:
        """Go through what happens to drafted tokens: how many were kept before, with what mass, and the step."""
        if not self.constant:
            yield from ((len(prefix), mass, self.step(prefix)) for prefix, mass in self.kept(self.gamma - 1))
        elif self.gamma:  # all prefixes of one length go on alike
            step = self.step(())
            yield from ((i, step.accepted**i, step) for i in range(self.gamma))

    def last(self, prefix: Prefix) -> Ends:
        """Return the probabilities of the tokens that may end a call whose kept tokens are the prefix."""
        if len(prefix) < self.gamma:
            return self.step(prefix).replaced
        row = self.target.weights(prefix)
        if id(row) not in self._bonus:
            self._bonus[id(row)] = row, _ends(row)
        return self._bonus[id(row)][1]

    def emitted(self, prefix: Prefix, token: int) -> MPQ:
        """Return the probability that a token comes after a prefix that was kept, whether it is kept or the last."""
        kept = self.step(prefix).kept if len(prefix) < self.gamma else ()
        chances = [chance for other, chance in kept if other == token]
        return sum(chances, ZERO) + sum(
            (MPQ(top, bottom) for other, top, bottom in self.last(prefix) if other == token), ZERO
        )


def _step(p: Weights, q: Weights) -> Step:
    """The token rule on numbers of the ground type, of which the laws need products by the million."""
    ratios = [ONE if b <= a else a / b for a, b in zip(p, q, strict=True)]
    kept = [b * ratio for b, ratio in zip(q, ratios, strict=True)]
    rejected = sum((b * (1 - ratio) for b, ratio in zip(q, ratios, strict=True)), ZERO)
    excess = [a - b if b < a else ZERO for a, b in zip(p, q, strict=True)]
    scale = rejected / sum(excess, ZERO) if rejected else ZERO
    return Step(
        tuple((x, mass) for x, mass in enumerate(kept) if mass),
        _ends(tuple(mass * scale for mass in excess)),
        sum(kept, ZERO),
        rejected,
    )


def _ends(row: Weights) -> Ends:
    return tuple((token, int(chance.numerator), int(chance.denominator)) for token, chance in enumerate(row) if chance)
