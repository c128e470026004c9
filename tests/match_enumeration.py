"""Match rules and couplings by brute force, on ``Fraction`` alone. Shares no code with the packages."""

from collections import defaultdict
from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations, product

Row = tuple[Fraction, ...]
Rows = Callable[[tuple[int, ...]], Sequence[Fraction]]
Joint = dict[tuple[int, int], Fraction]


def _row(text: str) -> Row:
    return tuple(Fraction(entry) for entry in text.split())


# A pair of first-order Markov processes: the row after the empty prefix, then after each last token.
MARKOV_TARGET = (_row("1/2 1/3 1/6"), _row("0 1/4 3/4"), _row("1/3 1/3 1/3"), _row("1 0 0"))
MARKOV_DRAFT = (_row("1/6 1/3 1/2"), _row("1/2 1/2 0"), _row("1/4 1/2 1/4"), _row("2/3 0 1/3"))


def markov(rows: Sequence[Row]) -> Rows:
    return lambda prefix: rows[1 + prefix[-1]] if prefix else rows[0]


def markov_target(prefix: tuple[int, ...]) -> Sequence[Fraction]:
    return markov(MARKOV_TARGET)(prefix)


def markov_draft(prefix: tuple[int, ...]) -> Sequence[Fraction]:
    return markov(MARKOV_DRAFT)(prefix)


def match_acceptance(p: Row, q: Row, k: int) -> Fraction:
    """Mass of the target's token being among k drafts: every list of drafts and every token."""
    found = Fraction(0)
    for drafts in product(range(len(p)), repeat=k):
        chance = Fraction(1)
        for x in drafts:
            chance *= q[x]
        found += sum((chance * p[y] for y in range(len(p)) if y in drafts), Fraction(0))
    return found


def match_law(
    target: Rows, draft: Rows, gamma: int, vocabulary: int
) -> tuple[dict[tuple[int, ...], Fraction], Fraction]:
    """Law and expected number of kept tokens of the match rule: every drafted block, every list of target tokens."""
    law: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    accepted = Fraction(0)
    for block in product(range(vocabulary), repeat=gamma):
        drafted = Fraction(1)
        for i, x in enumerate(block):
            drafted *= draft(block[:i])[x] if drafted else 0
        if not drafted:
            continue
        for own in product(range(vocabulary), repeat=gamma + 1):
            kept = 0
            while kept < gamma and own[kept] == block[kept]:
                kept += 1
            chance = drafted
            for i in range(gamma + 1):
                # Behind the first mismatch the tokens are drawn and thrown away, from any law.
                chance *= target(block[:i])[own[i]] if i <= kept and chance else Fraction(1, vocabulary)
            law[own[: kept + 1]] += chance
            accepted += chance * kept
    return {tokens: mass for tokens, mass in law.items() if mass}, accepted


def completed(
    law: dict[tuple[int, ...], Fraction], target: Rows, length: int, vocabulary: int
) -> dict[tuple[int, ...], Fraction]:
    """Law of `length` tokens: those of one call, then the target's own."""
    found: dict[tuple[int, ...], Fraction] = defaultdict(Fraction)
    for tokens, mass in law.items():
        for rest in product(range(vocabulary), repeat=length - len(tokens)):
            whole, chance = tokens + rest, mass
            for i in range(len(tokens), length):
                chance *= target(whole[:i])[whole[i]] if chance else 0
            found[whole] += chance
    return {tokens: mass for tokens, mass in found.items() if mass}


def target_law(target: Rows, length: int, vocabulary: int) -> dict[tuple[int, ...], Fraction]:
    """Law of `length` tokens of the target."""
    return completed({(): Fraction(1)}, target, length, vocabulary)


def race_law(p: Row, q: Row) -> Joint:
    """Joint law of the winners of two races with the same exponentials: the orthant is cut into simplicial cones.

    A cone with generators v_1..v_n holds the mass ``|det| / prod(sum of v_k)`` of n independent exponentials. It is
    halved along an edge that a comparison of two tokens cuts, until every cone lies on one side of all of them.
    """
    n = len(p)
    law: Joint = defaultdict(Fraction)
    forms = [_difference(n, i, j, row) for row in (q, p) for i in range(n) for j in range(i)]
    cones = [tuple(tuple(Fraction(int(i == j)) for j in range(n)) for i in range(n))]
    for form in forms:
        cones = [part for cone in cones for part in _halves(cone, form)]
    for cone in cones:
        inside = [sum(column, Fraction(0)) for column in zip(*cone, strict=True)]  # a point within the cone
        mass = abs(_determinant(cone))
        for generator in cone:
            mass /= sum(generator)
        law[_winner(inside, q), _winner(inside, p)] += mass
    return dict(law)


def _difference(n: int, i: int, j: int, row: Row) -> Row:
    """Coefficients of E_i row_j - E_j row_i: negative where i comes before j."""
    form = [Fraction(0)] * n
    form[i], form[j] = row[j], -row[i]
    return tuple(form)


def _halves(cone: tuple[Row, ...], form: Row) -> list[tuple[Row, ...]]:
    values = [sum((a * b for a, b in zip(form, v, strict=True)), Fraction(0)) for v in cone]
    above = [k for k, value in enumerate(values) if value > 0]
    below = [k for k, value in enumerate(values) if value < 0]
    if not above or not below:
        return [cone]
    a, b = above[0], below[0]
    cut = tuple(x * -values[b] + y * values[a] for x, y in zip(cone[a], cone[b], strict=True))
    return [part for k in (a, b) for part in _halves((*cone[:k], cut, *cone[k + 1 :]), form)]


def _determinant(rows: tuple[Row, ...]) -> Fraction:
    total = Fraction(0)
    for order in permutations(range(len(rows))):
        inversions = sum(order[i] > order[j] for i in range(len(order)) for j in range(i + 1, len(order)))
        term = Fraction((-1) ** inversions)
        for row, column in zip(rows, order, strict=True):
            term *= row[column]
        total += term
    return total


def _winner(noise: Sequence[Fraction], row: Row) -> int:
    return min((noise[i] / row[i], i) for i in range(len(row)) if row[i])[1]


def minhash_law(p: Row, q: Row, grid: int) -> Joint:
    """Joint law of the tokens of the first sample under each row, samples being cells (token, height k/grid)."""
    wanted = [(i, k) for i in range(len(p)) for k in range(int(p[i] * grid))]
    drafted = [(i, k) for i in range(len(q)) for k in range(int(q[i] * grid))]
    law: Joint = defaultdict(Fraction)
    either = sorted(set(wanted) | set(drafted))
    for first in either:
        for y in [first] if first in wanted else wanted:
            for x in [first] if first in drafted else drafted:
                others = (1 if first in wanted else len(wanted)) * (1 if first in drafted else len(drafted))
                law[x[0], y[0]] += Fraction(1, len(either) * others)
    return dict(law)
