"""Laws of sibling rules by brute force, on ``Fraction`` alone. Shares no code with the packages.

``python -m tests.sibling_enumeration`` prints the golden values of the tests.
"""

from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

from tests.enumeration import NAMED, Row

ZERO, ONE = Fraction(0), Fraction(1)
Tokens = tuple[int, ...]
Joint = dict[tuple[Tokens, int], Fraction]

# The rows after one token of a Markov pair, and families of zeros that the named pairs do not have.
MORE: dict[str, tuple[Row, Row]] = {
    "M0": ((Fraction(1, 5), Fraction(3, 10), Fraction(1, 2)), (Fraction(1, 4), Fraction(1, 4), Fraction(1, 2))),
    "M1": ((Fraction(7, 10), Fraction(1, 10), Fraction(1, 5)), (Fraction(1, 3), Fraction(1, 2), Fraction(1, 6))),
    "M2": ((Fraction(2, 5), Fraction(1, 5), Fraction(2, 5)), (Fraction(1, 10), Fraction(3, 10), Fraction(3, 5))),
    "zero of q": ((Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)), (ZERO, Fraction(1, 3), Fraction(2, 3))),
    "zero of p": ((ZERO, Fraction(1, 3), Fraction(2, 3)), (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))),
    "equal": ((Fraction(1, 2), Fraction(1, 3), Fraction(1, 6)),) * 2,
    "disjoint": ((Fraction(1, 2), Fraction(1, 2), ZERO, ZERO), (ZERO, ZERO, Fraction(1, 3), Fraction(2, 3))),
    "one-hot p": ((ZERO, ONE, ZERO), (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))),
    "one-hot q": ((Fraction(1, 2), Fraction(1, 4), Fraction(1, 4)), (ZERO, ONE, ZERO)),
    "single": ((ONE,), (ONE,)),
}
PAIRS = NAMED | MORE


def left_to_draw(q: Row, before: Tokens) -> Row:
    """The row without the tokens before; once its support is used up, the uniform row over the others."""
    left = [ZERO if x in before else q[x] for x in range(len(q))]
    if not any(left):
        left = [ZERO if x in before else ONE for x in range(len(q))]
    return tuple(m / sum(left) for m in left)


def drafts(q: Row, k: int, replacement: bool, before: Tokens = ()) -> Iterator[tuple[Tokens, Fraction]]:
    """Every tuple of k siblings of positive probability."""
    if len(before) == k:
        yield before, ONE
        return
    row = q if replacement else left_to_draw(q, before)
    for x in range(len(q)):
        if row[x]:
            for tokens, weight in drafts(q, k, replacement, (*before, x)):
                yield tokens, row[x] * weight


def kept_and_last(p: Row, q: Row, tokens: Tokens, replacement: bool) -> tuple[list[Fraction], Fraction, Row]:
    """Of recursive rejection, given the siblings: mass kept at each, mass of keeping none, the last residual."""
    kept, alive, r = [], ONE, p
    for j, x in enumerate(tokens):
        row = q if replacement else left_to_draw(q, tokens[:j])
        keep = ONE if r[x] >= row[x] else r[x] / row[x]
        kept.append(alive * keep)
        alive *= 1 - keep
        gains = [a - b if a > b else ZERO for a, b in zip(r, row, strict=True)]
        r = tuple(g / sum(gains) for g in gains) if sum(gains) else r
    return kept, alive, r


def recursive_joint(p: Row, q: Row, k: int, replacement: bool) -> Joint:
    joint: Joint = {}
    for tokens, weight in drafts(q, k, replacement):
        kept, alive, last = kept_and_last(p, q, tokens, replacement)
        for x, mass in [*zip(tokens, kept, strict=True), *((y, alive * m) for y, m in enumerate(last))]:
            if weight * mass:
                joint[tokens, x] = joint.get((tokens, x), ZERO) + weight * mass
    return joint


def recursive(p: Row, q: Row, k: int, replacement: bool) -> tuple[Row, Fraction]:
    """Law of the emitted token and probability that a sibling is kept."""
    law = [ZERO] * len(p)
    for (_, y), mass in recursive_joint(p, q, k, replacement).items():
        law[y] += mass
    accepted = ZERO
    for tokens, weight in drafts(q, k, replacement):
        accepted += weight * sum(kept_and_last(p, q, tokens, replacement)[0])
    return tuple(law), accepted


def kseq(p: Row, q: Row, k: int, rho: Fraction) -> tuple[Row, Fraction]:
    """K-SEQ over every tuple of siblings; its last row is what the law lacks, averaged, cut at zero and scaled."""
    law, none, accepted = [ZERO] * len(p), ZERO, ZERO
    for tokens, weight in drafts(q, k, True):
        for x in tokens:
            keep = min(ONE, p[x] / (rho * q[x]))
            law[x] += weight * keep
            accepted += weight * keep
            weight *= 1 - keep
        none += weight
    lacks = [max(a - b, ZERO) for a, b in zip(p, law, strict=True)]
    last = [m / sum(lacks) for m in lacks] if sum(lacks) else list(p)
    return tuple(a + none * b for a, b in zip(law, last, strict=True)), accepted


def can_be_completed(p: Row, q: Row, k: int, rho: Fraction) -> bool:
    """Whether K-SEQ keeps no token more often than the target emits it."""
    law = [ZERO] * len(p)
    for tokens, weight in drafts(q, k, True):
        for x in tokens:
            keep = min(ONE, p[x] / (rho * q[x]))
            law[x] += weight * keep
            weight *= 1 - keep
    return all(a <= b for a, b in zip(law, p, strict=True))


def best(p: Row, q: Row, k: int, replacement: bool) -> Fraction:
    """The least of 1 + p(H) - Pr(all siblings in H), over every set H of tokens."""
    drawn = list(drafts(q, k, replacement))
    tokens = range(len(p))
    return min(
        ONE + sum(p[x] for x in chosen) - sum(w for s, w in drawn if set(s) <= set(chosen))
        for size in range(len(p) + 1)
        for chosen in combinations(tokens, size)
    )


if __name__ == "__main__":
    for name, (p, q) in PAIRS.items():
        for k in range(1, min(len(p), 3) + 1):
            with_, without = (recursive(p, q, k, again)[1] for again in (True, False))
            optima = best(p, q, k, True), best(p, q, k, False)
            sequential = kseq(p, q, k, Fraction(k))[1]
            print(f'    ("{name}", {k}): "{with_} {without} {optima[0]} {optima[1]} {sequential}",')
