"""What the theorems about chains of drafted tokens are checked on, and what each says of one case.

As for the token rule a claim returns None where it holds and the difference in words where it does not, asks a
`ChainRule` and never assumes that it is right. Every grid is finite and compared exactly.
"""

from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise, product
from typing import Any

from sympy import Rational, S

from proofs.cases import Case, ProcessCase
from proofs.domains import NAMED, Domain, compositions
from proofs.families.chain_model import ChainRule, Law, accepted_of, begins, drafted_blocks, law_of_sampler
from proofs.path_law import PathLaw

__all__ = [
    "CHAINS",
    "CONSTANT",
    "SPEEDS",
    "accepted",
    "expected_is_sum_of_minima",
    "geometric",
    "law_is_the_samplers",
    "lossless",
    "monotone",
    "path_is_the_samplers",
    "prefix_law",
    "speed",
]


def _row(*counts: int) -> tuple[Rational, ...]:
    return tuple(Rational(k, sum(counts)) for k in counts)


def _constant() -> Iterator[ProcessCase]:
    """One row each: V = 1 and 2 with probabilities k/4, V = 3 with k/2, named pairs, two edges of V = 3."""
    for vocabulary, grid in ((1, 4), (2, 4), (3, 2)):
        rows = [_row(*counts) for counts in compositions(grid, vocabulary)]
        yield from (ProcessCase((p,), (q,)) for p, q in product(rows, repeat=2))
    yield from (ProcessCase((NAMED[name].p,), (NAMED[name].q,)) for name in ("I2", "I3", "B0", "I5"))
    yield ProcessCase((_row(1, 2, 0),), (_row(0, 0, 1),))
    yield ProcessCase((_row(0, 1, 0),), (_row(1, 1, 1),))


# A row for the beginning and one after each token: every order of three rows for target and draft over two tokens, with
# a zero of either among them, and one pair over three tokens whose residuals hold one, two and no tokens.
_TARGETS = (_row(1, 3), _row(1, 1), _row(0, 1))
_DRAFTS = (_row(1, 1), _row(3, 1), _row(1, 2))
_THREE = (
    (_row(1, 3, 4), _row(2, 1, 1), _row(1, 1, 0), _row(1, 2, 3)),
    (_row(2, 1, 1), _row(1, 1, 2), _row(0, 1, 1), _row(1, 2, 3)),
)


def _markov() -> Iterator[ProcessCase]:
    turns = [(0, 1, 2), (1, 2, 0), (2, 0, 1)]
    for t, d in product(turns, repeat=2):
        yield ProcessCase(tuple(_TARGETS[i] for i in t), tuple(_DRAFTS[i] for i in d))
    yield ProcessCase(*_THREE)


def _with_gamma(cases: Iterable[ProcessCase]) -> Iterator[ProcessCase]:
    """Every case with 0 to 3 drafted tokens, or 0 to 2 beyond two tokens."""
    found = [
        ProcessCase(case.target, case.draft, (gamma,))
        for case in cases
        for gamma in range(4 if len(case.target[0]) <= 2 else 3)
    ]
    yield from sorted(found, key=lambda case: (case.size, case.extra))


def _speeds() -> Iterator[Case]:
    """Two tokens with alpha = k/6, and costs of the draft."""
    costs = [S.Zero, Rational(1, 20), Rational(1, 6), Rational(1, 3), S.One, Rational(2)]
    pairs = [((S.One, S.Zero), (Rational(k, 6), Rational(6 - k, 6))) for k in range(7)]
    cases = [Case(p, q, (cost,)) for p, q in pairs for cost in costs]
    yield from sorted(cases, key=lambda case: case.size)


_GAMMA = "gamma 0 to 3 at V = 1 and 2, 0 to 2 beyond"
_ROWS = "V = 1 and 2 with probabilities k/4, V = 3 with k/2, I2, I3, B0, I5, two edges of V = 3"
CHAINS = Domain(
    f"chains, {_GAMMA}: one row for every prefix ({_ROWS}), or a row for each last token (nine at V = 2, one at V = 3)",
    lambda: _with_gamma([*_constant(), *_markov()]),
    False,
    None,
    "gamma",
)
CONSTANT = Domain(
    f"chains of one row for every prefix, {_GAMMA}: {_ROWS}",
    lambda: _with_gamma(_constant()),
    False,
    None,
    "gamma",
)
SPEEDS = Domain(
    "values of alpha, k/6 at V = 2, each with costs 0, 1/20, 1/6, 1/3, 1 and 2, all gamma 0 to 12 tried",
    _speeds,
    False,
    None,
    "cost",
)


# --- the claims


def _asked(case: ProcessCase) -> tuple[Any, Any, int, int]:
    return case.target_row, case.draft_row, case.extra[0], len(case.target[0])


def _differs(name: str, found: Any, expected: Any) -> str | None:
    return None if found == expected else f"{name} {found}, expected {expected}"


def _laws_differ(name: str, found: Law, expected: Law) -> str | None:
    for block in sorted({*found, *expected}):
        if found.get(block, S.Zero) != expected.get(block, S.Zero):
            return f"{name} of {block} {found.get(block, S.Zero)}, expected {expected.get(block, S.Zero)}"
    return None


def _grown(law: Law, row: Callable[[Any], Any]) -> Law:
    return {
        (*block, y): mass * chance
        for block, mass in law.items()
        for y, chance in enumerate(row(block))
        if mass and chance
    }


def lossless(rule: ChainRule, case: ProcessCase) -> str | None:
    """One call, completed by the target, has the target's law."""
    target, draft, gamma, _ = _asked(case)
    expected: Law = {(): S.One}
    emitted = rule.emitted_law(target, draft, gamma)
    completed: Law = {}
    for length in range(1, gamma + 2):
        expected, completed = _grown(expected, target), _grown(completed, target)
        for block, mass in emitted.items():
            if len(block) == length:
                completed[block] = completed.get(block, S.Zero) + mass
    return _laws_differ("mass", completed, expected)


def law_is_the_samplers(rule: ChainRule, case: ProcessCase) -> str | None:
    """The law in closed form is that of the sampler."""
    target, draft, gamma, vocabulary = _asked(case)
    expected = law_of_sampler(rule.sampler, target, draft, gamma, vocabulary)
    return _laws_differ("mass", rule.emitted_law(target, draft, gamma), expected)


def path_is_the_samplers(rule: ChainRule, case: ProcessCase) -> str | None:
    """Given the drafted tokens, the stops and the last rows are the sampler's."""
    target, draft, gamma, vocabulary = _asked(case)
    for tokens in drafted_blocks(draft, gamma, vocabulary):
        rows = [target(tokens[:i]) for i in range(gamma + 1)], [draft(tokens[:i]) for i in range(gamma)]
        path = rule.path_law(*rows, tokens)
        difference = _laws_differ(
            f"drafted {tokens}: mass", _blocks_of(path, tokens), rule.sampler(target, draft, tokens)
        )
        if difference:
            return difference
        if any(sum(row, S.Zero) != 1 or min(row) < 0 for row in path.last):
            return f"drafted {tokens}: a last row is no distribution"
    return None


def _blocks_of(path: PathLaw, tokens: tuple[int, ...]) -> Law:
    return {
        (*tokens[:i], y): chance * share
        for i, (chance, row) in enumerate(zip(path.stops, path.last, strict=True))
        for y, share in enumerate(row)
    }


def _kept(case: ProcessCase, most: int) -> list[Law]:
    """Products of minima, by length: the probability that a prefix is drafted and kept."""
    laws: list[Law] = [{(): S.One}]
    for _ in range(most):
        laws.append(_grown(laws[-1], lambda prefix: map(min, case.target_row(prefix), case.draft_row(prefix))))
    return laws


def prefix_law(rule: ChainRule, case: ProcessCase) -> str | None:
    """A prefix of what is emitted: minima, and the target's own probability at its end."""
    target, draft, gamma, vocabulary = _asked(case)
    emitted = rule.emitted_law(target, draft, gamma)
    for kept in _kept(case, gamma):
        for before, y in product(kept, range(vocabulary)):
            expected = kept[before] * target(before)[y]
            for found in (rule.prefix_probability(target, draft, gamma, (*before, y)), begins(emitted, (*before, y))):
                if found != expected:
                    return f"Pr(begins with {(*before, y)}) {found}, expected {expected}"
    return None


def accepted(rule: ChainRule, case: ProcessCase) -> str | None:
    """The law of tau: minima up to it, and what is not kept behind."""
    target, draft, gamma, _ = _asked(case)
    reached = [sum(law.values(), S.Zero) for law in _kept(case, gamma)]
    expected = (*(a - b for a, b in pairwise(reached)), reached[-1])
    found = tuple(rule.accepted_law(target, draft, gamma))
    counted = accepted_of(rule.emitted_law(target, draft, gamma), gamma)
    return _differs("law of tau", found, expected) or _differs("lengths less one have law", counted, expected)


def expected_is_sum_of_minima(rule: ChainRule, case: ProcessCase) -> str | None:
    """E[tau] is the sum of the joint minima."""
    target, draft, gamma, _ = _asked(case)
    expected = sum((sum(law.values(), S.Zero) for law in _kept(case, gamma)[1:]), S.Zero)
    return _differs("E[tau]", rule.expected_accepted(target, draft, gamma), expected)


def monotone(rule: ChainRule, case: ProcessCase) -> str | None:
    """Of the first gamma drafted tokens each adds to E[tau], at most what the one before it added."""
    target, draft, gamma, _ = _asked(case)
    values = [rule.expected_accepted(target, draft, g) for g in range(gamma + 1)]
    gains = [S.One, *(b - a for a, b in pairwise(values))]
    if any(not 0 <= b <= a for a, b in pairwise(gains)):
        return f"E[tau] by gamma {tuple(values)}"
    return None


def geometric(rule: ChainRule, case: ProcessCase) -> str | None:
    """Constant rows: powers of alpha, and the closed form of the expected tokens."""
    target, draft, gamma, _ = _asked(case)
    alpha = sum(map(min, target(()), draft(())), S.Zero)
    law = (*(alpha**i * (1 - alpha) for i in range(gamma)), alpha**gamma)
    tokens = sum((alpha**i for i in range(gamma + 1)), S.Zero)
    return (
        _differs("law of tau", tuple(rule.accepted_law(target, draft, gamma)), law)
        or _differs("E[tau] + 1", rule.expected_accepted(target, draft, gamma) + 1, tokens)
        or _differs("expected tokens", rule.expected_tokens(alpha, gamma), tokens)
    )


def speed(rule: ChainRule, case: Case) -> str | None:
    """The speed-up by its definition, and the best gamma by trying all."""
    alpha, (cost,) = sum(map(min, case.p, case.q), S.Zero), case.extra
    times = [1 + gamma * cost for gamma in range(13)]
    speeds = [sum((alpha**i for i in range(g + 1)), S.Zero) / time for g, time in enumerate(times)]
    found = [rule.speedup(alpha, gamma, cost) for gamma in range(13)]
    rises = [bool(b > a) for a, b in pairwise(speeds)]
    if rises != sorted(rises, reverse=True):
        return f"the speed-up falls and rises: {speeds}"
    best = speeds.index(max(speeds))
    return _differs("speed-up by gamma", found, speeds) or _differs(
        "best gamma", rule.best_gamma(alpha, cost, 12), best
    )
