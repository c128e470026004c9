"""Laws of one call of a verifier by plain enumeration on ``Fraction``: right rules and famous faults.

Written from the definitions, sharing no code with the packages.
"""

from collections.abc import Callable, Mapping
from fractions import Fraction
from itertools import product

Row = tuple[Fraction, ...]
Prefix = tuple[int, ...]
Process = Callable[[Prefix], Row]
CallLaw = dict[tuple[Prefix, Prefix], Fraction]
ZERO, ONE = Fraction(0), Fraction(1)


def always(row: Row) -> Process:
    return lambda prefix: row


def by_prefix(rows: Mapping[Prefix, Row], otherwise: Row) -> Process:
    return lambda prefix: rows.get(prefix, otherwise)


def drafts(draft: Process, gamma: int, vocabulary: int) -> dict[Prefix, Fraction]:
    law = {}
    for tokens in product(range(vocabulary), repeat=gamma):
        mass = ONE
        for i, x in enumerate(tokens):
            mass *= draft(tokens[:i])[x]
        if mass:
            law[tokens] = mass
    return law


def ratio(p: Row, q: Row, x: int) -> Fraction:
    return min(ONE, p[x] / q[x]) if q[x] else ONE


def normalised(weights: Row, otherwise: Row) -> Row:
    total = sum(weights)
    return tuple(w / total for w in weights) if total else otherwise


def residual(p: Row, q: Row, x: int) -> Row:
    return normalised(tuple(max(ZERO, a - b) for a, b in zip(p, q, strict=True)), p)


def chain(
    target: Process,
    draft: Process,
    gamma: int,
    vocabulary: int,
    *,
    keep: Callable[[Row, Row, int], Fraction] = ratio,
    replacement: Callable[[Row, Row, int], Row] = residual,
    bonus: Callable[[Prefix], Row] | None = None,
    really: Process | None = None,
) -> CallLaw:
    """Token after token: kept, or replaced and stopped; `really` is what the drafter draws from."""
    law: CallLaw = {}
    for tokens, mass in drafts(really or draft, gamma, vocabulary).items():
        kept = mass
        for i, x in enumerate(tokens):
            p, q = target(tokens[:i]), draft(tokens[:i])
            chance = keep(p, q, x)
            _add(law, tokens, tokens[:i], replacement(p, q, x), kept * (1 - chance))
            kept *= chance
        _add(law, tokens, tokens, (bonus or target)(tokens), kept)
    return law


def match(target: Process, draft: Process, gamma: int, vocabulary: int, really: Process | None = None) -> CallLaw:
    """Draw from the target whatever is drafted, keep while the two agree."""
    law: CallLaw = {}
    for tokens, mass in drafts(really or draft, gamma, vocabulary).items():
        kept = mass
        for i, x in enumerate(tokens):
            row = target(tokens[:i])
            _add(law, tokens, tokens[:i], tuple(ZERO if y == x else c for y, c in enumerate(row)), kept)
            kept *= row[x]
        _add(law, tokens, tokens, target(tokens), kept)
    return law


def block(target: Process, draft: Process, gamma: int, vocabulary: int, *, stops_early: bool = False) -> CallLaw:
    """Block verification; `stops_early` takes the first failed coin for the end of the block."""
    law: CallLaw = {}
    for tokens, mass in drafts(draft, gamma, vocabulary).items():
        capped, coins = _block_coins(target, draft, tokens)
        for tau in range(gamma + 1):
            chance = mass * _stops_at(tau, coins, stops_early)
            p = target(tokens[:tau])
            if tau < gamma:
                q = draft(tokens[:tau])
                p = normalised(tuple(max(ZERO, capped[tau] * a - b) for a, b in zip(p, q, strict=True)), p)
            _add(law, tokens, tokens[:tau], p, chance)
    return law


def blind(target: Process, draft: Process, vocabulary: int) -> CallLaw:
    """Two drafts; after a rejection at the first a second token from the row after the *drafted* one."""
    law: CallLaw = {}
    for (tokens, emitted), mass in chain(target, draft, 2, vocabulary).items():
        if len(emitted) > 1 or emitted[0] == tokens[0]:
            _add(law, tokens, emitted[:-1], tuple(ONE if y == emitted[-1] else ZERO for y in range(vocabulary)), mass)
        else:
            _add(law, tokens, emitted, target(tokens[:1]), mass)
    return law


def _block_coins(target: Process, draft: Process, tokens: Prefix) -> tuple[list[Fraction], list[Fraction]]:
    gamma, capped, coins = len(tokens), [ONE], [ONE]
    for i in range(1, gamma + 1):
        before, x = tokens[: i - 1], tokens[i - 1]
        capped.append(min(ONE, capped[-1] * target(before)[x] / draft(before)[x]))
        if i == gamma:
            coins.append(capped[i])
            continue
        rows = zip(target(tokens[:i]), draft(tokens[:i]), strict=True)
        surplus = sum((max(ZERO, capped[i] * a - b) for a, b in rows), ZERO)
        below = surplus + 1 - capped[i]
        coins.append(surplus / below if below else ONE)
    return capped, coins


def _stops_at(tau: int, coins: list[Fraction], early: bool) -> Fraction:
    chance = ONE
    if early:
        for coin in coins[: tau + 1]:
            chance *= coin
        return chance * (1 - coins[tau + 1]) if tau + 1 < len(coins) else chance
    for coin in coins[tau + 1 :]:
        chance *= 1 - coin
    return chance * coins[tau]


def _add(law: CallLaw, tokens: Prefix, before: Prefix, row: Row, mass: Fraction) -> None:
    for y, chance in enumerate(row):
        if mass * chance:
            key = (tokens, (*before, y))
            law[key] = law.get(key, ZERO) + mass * chance


def first_token(law: CallLaw, vocabulary: int) -> Row:
    return tuple(sum((m for (_, e), m in law.items() if e[0] == y), ZERO) for y in range(vocabulary))


def completed(law: CallLaw, target: Process, length: int, vocabulary: int) -> dict[Prefix, Fraction]:
    """Law of the first `length` tokens, sequence by sequence, as losslessness is defined."""
    found = {}
    for y in product(range(vocabulary), repeat=length):
        mass = ZERO
        for (_, emitted), share in law.items():
            if emitted == y[: len(emitted)]:
                for i in range(len(emitted), length):
                    share *= target(y[:i])[y[i]]
                mass += share
        if mass:
            found[y] = mass
    return found
