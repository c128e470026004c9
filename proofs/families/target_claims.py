"""What the theorems on target definitions say of one input: a decoder in its parts, and the steps alone."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any

from sympy import Rational, S
from sympy.external.gmpy import MPQ

from proofs import target_rows
from proofs.cases import Case, ProcessCase
from proofs.distributions import Row, show_row
from proofs.domains import NAMED, Domain, compositions, sixths
from proofs.processes import Prefix, Weights, as_rational

__all__ = [
    "DECODINGS",
    "ROWS",
    "STEPS",
    "TargetRule",
    "lossless_for_the_transformed_target",
    "min_p_keeps_its_fraction",
    "temperatures_multiply",
    "top_k_keeps_k",
    "top_p_keeps_the_least",
]

Transform = Callable[[Any, Any], Row]


@dataclass(frozen=True)
class TargetRule:
    """A decoder by the token rule: what it does to a row (row, steps) in each place; and the steps it is made of.

    Attributes
    ----------
    verified, bonus : callable
        The target's row at a verified position, and at the bonus.
    drawn, ratio, residual : callable
        The draft's row that tokens are drawn from, in the acceptance ratio and in the residual.
    temperature, top_k, top_p, min_p : callable
        The steps alone, as in `proofs.target_rows`.
    """

    verified: Transform = target_rows.transform
    bonus: Transform = target_rows.transform
    drawn: Transform = target_rows.transform
    ratio: Transform = target_rows.transform
    residual: Transform = target_rows.transform
    temperature: Callable[..., Row] = target_rows.temperature
    top_k: Callable[..., Row] = target_rows.top_k
    top_p: Callable[..., Row] = target_rows.top_p
    min_p: Callable[..., Row] = target_rows.min_p


# Lists of steps, by what a case calls them. Each says something other than its reverse on some row of the grid.
STEPS: tuple[tuple[str, tuple[tuple[Any, ...], ...]], ...] = (
    ("temperature 1/2", (("temperature", "1/2"),)),
    ("temperature 1/2, then top-p 3/4", (("temperature", "1/2"), ("top_p", "3/4"))),
    ("top-k 2, then top-p 1/2", (("top_k", 2), ("top_p", "1/2"))),
    ("bias 2 on token 0, then min-p 3/5", (("logit_bias", {0: 2}), ("min_p", "3/5"))),
)
_GAMMAS = (0, 1, 2)
_MARKOV = (
    ProcessCase(
        tuple(tuple(map(Rational, row.split())) for row in ("1/2 1/3 1/6", "1/6 1/2 1/3", "1/4 1/4 1/2", "2/3 0 1/3")),
        tuple(tuple(map(Rational, row.split())) for row in ("1/6 1/3 1/2", "1/2 1/2 0", "1/3 1/3 1/3", "1/6 2/3 1/6")),
    ),
)


def _processes() -> Iterator[ProcessCase]:
    rows = [((S.One,), (S.One,)), (NAMED["I2"].p, NAMED["I2"].q)]
    rows += [(sixths((3, 3)), sixths((0, 6))), (sixths((6, 0)), sixths((3, 3)))]
    rows += [(NAMED[name].p, NAMED[name].q) for name in ("I3", "B0", "I5")]
    yield from (ProcessCase((p,), (q,)) for p, q in rows)
    yield from _MARKOV


def _decodings() -> Iterator[ProcessCase]:
    for case in _processes():
        for gamma, (name, _) in product(_GAMMAS, STEPS):
            if len(case.target[0]) < 4 or gamma < 2:
                yield ProcessCase(case.target, case.draft, (gamma, name))


DECODINGS = Domain(
    "processes, gamma and steps: one row for every prefix at V = 1, 2 (I2, a one-hot draft, a one-hot target), 3 (I3, "
    "B0) and 4 (I5), and a Markov pair at V = 3; gamma 0 to 2, 0 and 1 at V = 4; four lists of one or two steps",
    lambda: iter(sorted(_decodings(), key=lambda case: case.size)),
    False,
    None,
    "gamma and steps",
)


def _rows() -> Iterator[Case]:
    for vocabulary in (1, 2, 3):
        for counts in compositions(6, vocabulary):
            yield from (Case(sixths(counts), sixths(counts), (Rational(k, 6), k)) for k in (1, 2, 4, 6))


ROWS = Domain(
    "rows with probabilities k/6, V = 1 to 3, with a threshold n/6 and a number n of 1, 2, 4 and 6",
    lambda: iter(sorted(_rows(), key=lambda case: case.size)),
    False,
    None,
    "threshold and number",
)


def lossless_for_the_transformed_target(rule: TargetRule, case: ProcessCase) -> str | None:
    """The law of gamma + 1 tokens is that of the transformed target."""
    gamma, name = case.extra
    steps = dict(STEPS)[name]
    declared = _cached(case.target_row, target_rows.transform, steps)
    law = _law(_Decoder(rule, case, steps, declared), gamma)
    for sequence in product(range(len(declared(()))), repeat=gamma + 1):
        expected = MPQ(1)
        for i, token in enumerate(sequence):
            expected *= declared(sequence[:i])[token]
        if law.get(sequence, MPQ(0)) != expected:
            emitted = as_rational(law.get(sequence, MPQ(0)))
            return f"tokens {show_row(sequence)} with probability {emitted}, declared {as_rational(expected)}"
    return None


class _Decoder:
    """The rows of a decoder along its prefixes, each transformed once."""

    def __init__(self, rule: TargetRule, case: ProcessCase, steps: Any, declared: Callable[[Prefix], Weights]) -> None:
        self.declared = declared
        self.verified, self.bonus = (_cached(case.target_row, f, steps) for f in (rule.verified, rule.bonus))
        self.drawn, self.ratio, self.residual = (
            _cached(case.draft_row, f, steps) for f in (rule.drawn, rule.ratio, rule.residual)
        )


def _cached(rows: Callable[[Prefix], Row], function: Transform, steps: Any) -> Callable[[Prefix], Weights]:
    known: dict[Row, Weights] = {}

    def row(prefix: Prefix) -> Weights:
        given = rows(prefix)
        if given not in known:
            known[given] = tuple(MPQ(x.p, x.q) for x in function(given, steps))
        return known[given]

    return row


def _law(decoder: _Decoder, gamma: int) -> dict[Prefix, MPQ]:
    """Law of one call, completed by the declared target to gamma + 1 tokens."""
    kept: dict[Prefix, MPQ] = {(): MPQ(1)}
    stopped: dict[Prefix, MPQ] = {}
    for _ in range(gamma):
        kept, emitted = _verified(decoder, kept)
        stopped = _continued(decoder.declared, stopped)
        for prefix, mass in emitted.items():
            stopped[prefix] = stopped.get(prefix, MPQ(0)) + mass
    law = _continued(decoder.declared, stopped)
    for prefix, mass in _continued(decoder.bonus, kept).items():
        law[prefix] = law.get(prefix, MPQ(0)) + mass
    return law


def _verified(decoder: _Decoder, kept: dict[Prefix, MPQ]) -> tuple[dict[Prefix, MPQ], dict[Prefix, MPQ]]:
    """Prefixes with one more kept token, and those that a replacement ends."""
    longer, ended = dict[Prefix, MPQ](), dict[Prefix, MPQ]()
    for prefix, mass in kept.items():
        p, q = decoder.verified(prefix), decoder.ratio(prefix)
        keep = [MPQ(1) if b <= a else a / b for a, b in zip(p, q, strict=True)]
        drafted = [mass * chance for chance in decoder.drawn(prefix)]
        longer |= {(*prefix, x): m * k for x, (m, k) in enumerate(zip(drafted, keep, strict=True)) if m and k}
        rejected = sum((m * (1 - k) for m, k in zip(drafted, keep, strict=True)), MPQ(0))
        gains = [max(MPQ(0), a - b) for a, b in zip(p, decoder.residual(prefix), strict=True)]
        total = sum(gains, MPQ(0))
        instead = [gain / total for gain in gains] if total else p
        ended |= {(*prefix, y): rejected * chance for y, chance in enumerate(instead) if rejected and chance}
    return longer, ended


def _continued(rows: Callable[[Prefix], Weights], law: dict[Prefix, MPQ]) -> dict[Prefix, MPQ]:
    return {
        (*prefix, y): mass * chance for prefix, mass in law.items() for y, chance in enumerate(rows(prefix)) if chance
    }


def temperatures_multiply(rule: TargetRule, case: Case) -> str | None:
    """Temperature 1/2 and then 1/3 is 1/6, and 1 changes nothing; the squares of two entries are in the law's ratio."""
    p, half, third = case.p, Rational(1, 2), Rational(1, 3)
    once, twice = rule.temperature(p, Rational(1, 6)), rule.temperature(rule.temperature(p, half), third)
    if once != twice:
        return f"{show_row(once)} at once, {show_row(twice)} in two steps"
    if rule.temperature(p, 1) != p:
        return f"temperature 1 gives {show_row(rule.temperature(p, 1))}"
    cold = rule.temperature(p, half)
    wrong = [(x, y) for x, y in product(range(len(p)), repeat=2) if cold[x] * p[y] ** 2 != cold[y] * p[x] ** 2]
    return f"tokens {wrong[0]} are not in the ratio of their squares" if wrong else None


def top_k_keeps_k(rule: TargetRule, case: Case) -> str | None:
    """Exactly min(k, V) tokens without ties, no token lighter than one dropped; with all ties no equal one dropped."""
    p, k = case.p, case.extra[1]
    for ties in ("lowest", "all"):
        row = rule.top_k(p, k, ties)
        kept = [x for x in range(len(p)) if row[x] != 0]
        dropped = [x for x in range(len(p)) if row[x] == 0 and p[x] != 0]
        heavy = sum(1 for mass in p if mass != 0)
        if len(kept) < min(k, heavy) or (ties == "lowest" and len(kept) > k):
            return f"{ties}: {len(kept)} tokens kept of {heavy}, k {k}"
        for x, y in product(kept, dropped):
            if p[x] < p[y] or (p[x] == p[y] and (ties == "all" or y < x)):
                return f"{ties}: token {x} kept, token {y} dropped"
        if difference := _is_share(p, row):
            return difference
    return None


def top_p_keeps_the_least(rule: TargetRule, case: Case) -> str | None:
    """What is kept has the mass, and without its lightest token has not; by the other name it has more."""
    p, threshold = case.p, case.extra[0]
    for boundary in (">=", ">"):
        row = rule.top_p(p, threshold, boundary)
        kept = sorted((mass for mass, chance in zip(p, row, strict=True) if chance != 0), reverse=True)
        mass, before = sum(kept, S.Zero), sum(kept[:-1], S.Zero)
        reached = mass >= threshold if boundary == ">=" else mass > threshold or mass == 1
        early = before >= threshold if boundary == ">=" else before > threshold
        if not reached or early:
            return f"{boundary}: mass {mass}, {before} without the lightest, threshold {threshold}"
        if difference := _is_share(p, row):
            return difference
    return None


def min_p_keeps_its_fraction(rule: TargetRule, case: Case) -> str | None:
    """Exactly the tokens of at least the fraction of the greatest are kept."""
    p, fraction = case.p, case.extra[0]
    row = rule.min_p(p, fraction)
    for x, mass in enumerate(p):
        if (row[x] != 0) is not bool(mass >= fraction * max(p)):
            return f"token {x} of {mass} comes out as {row[x]}, fraction {fraction}"
    return _is_share(p, row)


def _is_share(p: Row, row: Row) -> str | None:
    kept = sum((mass for mass, chance in zip(p, row, strict=True) if chance != 0), S.Zero)
    expected = tuple(mass / kept if chance != 0 else S.Zero for mass, chance in zip(p, row, strict=True))
    return None if row == expected else f"{show_row(row)}, expected {show_row(expected)}"
