"""Chains of drafted tokens by brute force, on ``Fraction`` alone: every draft, every coin, every last token.

Shares no code with the packages: it is what they are held to. Run ``python -m tests.chain_enumeration`` to print the
golden values of ``tests/proofs/test_chain_rule.py``.
"""

from collections.abc import Callable
from fractions import Fraction
from itertools import product

from tests.enumeration import NAMED, Row

__all__ = ["CHAINS", "Block", "Rows", "always", "call_law", "chances_along", "first_tokens", "kept_law"]

Block = tuple[int, ...]
Rows = Callable[[Block], Row]


def always(row: Row) -> Rows:
    return lambda prefix: row


def _row(*counts: int) -> Row:
    return tuple(Fraction(k, sum(counts)) for k in counts)


def _markov(*rows: Row) -> Rows:
    """The first row stands at the beginning, the others after each token."""
    return lambda prefix: rows[prefix[-1] + 1] if prefix else rows[0]


# Two Markov pairs: M2 with zeros on either side, M3 whose residuals have one, two and no tokens.
M2 = (
    _markov(_row(1, 3), _row(1, 1), _row(0, 1)),
    _markov(_row(1, 1), _row(3, 1), _row(1, 2)),
)
M3 = (
    _markov(_row(1, 3, 4), _row(2, 1, 1), _row(1, 1, 0), _row(1, 2, 3)),
    _markov(_row(2, 1, 1), _row(1, 1, 2), _row(0, 1, 1), _row(1, 2, 3)),
)
# A target that looks at the whole prefix, where one that looks at the last token sees no difference.
PARITY = (
    lambda prefix: _row(1, 3) if sum(prefix) % 2 else _row(2, 1),
    lambda prefix: _row(1, 1) if len(prefix) % 2 else _row(1, 4),
)

CHAINS: dict[str, tuple[int, Rows, Rows]] = {
    **{name: (len(p), always(p), always(q)) for name, (p, q) in NAMED.items()},
    "M2": (2, *M2),
    "M3": (3, *M3),
    "parity": (2, *PARITY),
    "equal": (2, always(_row(1, 2)), always(_row(1, 2))),
    "disjoint": (3, always(_row(1, 2, 0)), always(_row(0, 0, 1))),
    "one-hot target": (3, always(_row(0, 1, 0)), always(_row(1, 1, 1))),
    "one-hot draft": (3, always(_row(1, 1, 2)), always(_row(0, 0, 1))),
    "single": (1, always(_row(1)), always(_row(1))),
}


def chances_along(target: Rows, draft: Rows, tokens: Block) -> list[Fraction]:
    """Probability that exactly i of the given tokens are kept, i of 0 to gamma, by going through all coins."""
    gamma = len(tokens)
    chances = [Fraction(0)] * (gamma + 1)
    for coins in product((True, False), repeat=gamma):
        weight = Fraction(1)
        for i in range(gamma):
            p, q = target(tokens[:i])[tokens[i]], draft(tokens[:i])[tokens[i]]
            heads = Fraction(1) if p >= q > 0 else p / q if q else Fraction(p > 0)
            weight *= heads if coins[i] else 1 - heads
        kept = 0
        while kept < gamma and coins[kept]:
            kept += 1
        chances[kept] += weight
    return chances


def call_law(size: int, target: Rows, draft: Rows, gamma: int) -> dict[Block, Fraction]:
    """Law of the emitted tokens."""
    law: dict[Block, Fraction] = {}
    for tokens in product(range(size), repeat=gamma):
        drafted = Fraction(1)
        for i in range(gamma):
            drafted *= draft(tokens[:i])[tokens[i]]
        if drafted == 0:
            continue
        for kept, chance in enumerate(chances_along(target, draft, tokens)):
            if chance == 0:
                continue
            before = tokens[:kept]
            weights = list(target(before))
            if kept < gamma:
                weights = [p - q if p > q else Fraction(0) for p, q in zip(weights, draft(before), strict=True)]
            for y in range(size):
                mass = drafted * chance * weights[y] / sum(weights)
                if mass:
                    law[(*before, y)] = law.get((*before, y), Fraction(0)) + mass
    return law


def kept_law(size: int, target: Rows, draft: Rows, gamma: int) -> list[Fraction]:
    """Law of the number of kept tokens: one less than were emitted."""
    chances = [Fraction(0)] * (gamma + 1)
    for block, mass in call_law(size, target, draft, gamma).items():
        chances[len(block) - 1] += mass
    return chances


def first_tokens(law: dict[Block, Fraction], prefix: Block) -> Fraction:
    """Probability that what is emitted begins so."""
    return sum((mass for block, mass in law.items() if block[: len(prefix)] == prefix), Fraction(0))


def main() -> int:
    """Print E[kept] for gamma of 1 to 3 and the law for gamma of 2, chain by chain."""
    for name, (size, target, draft) in CHAINS.items():
        laws = [kept_law(size, target, draft, gamma) for gamma in range(4)]
        expected = [str(sum(i * chance for i, chance in enumerate(law))) for law in laws[1:]]
        print(f'    "{name}": ({expected}, {[str(chance) for chance in laws[2]]}),'.replace("'", '"'))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
