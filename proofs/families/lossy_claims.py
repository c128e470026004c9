"""What the theorems on declared lossy rules say of one input, and the inputs that they are asked about."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from functools import cache
from itertools import product
from typing import Any

from sympy import Rational, S, oo

from proofs import lossy_reports, lossy_rules
from proofs.cases import Case
from proofs.distributions import Row, show_row, total_variation
from proofs.domains import NAMED, Domain, compositions
from proofs.lossy_reports import LossyReport
from proofs.token_rule import EmittedDistribution, emitted_distribution

__all__ = [
    "LossyRules",
    "above",
    "least",
    "mixture",
    "sampled",
    "bound_holds",
    "cascade_declared",
    "ensemble_keeps_more",
    "ensemble_mixture",
    "lenience_law",
    "lenience_monotone",
    "lenience_one",
    "relaxed_law",
    "report_is_tight",
    "sglang_law",
    "sglang_lossless",
    "synthetic_distance",
    "typical_decision",
    "typical_law",
    *("LENIENCY", "RATE", "WEIGHT", "BUDGET", "THRESHOLDS", "RELAXED", "TYPICAL", "ALONE", "BOUNDED", "DECISIONS"),
]

Emit = Callable[..., EmittedDistribution]


@dataclass(frozen=True)
class LossyRules:
    """The rules and the report about them, as functions of rows."""

    lenience: Emit = lossy_rules.lenience
    synthetic: Emit = lossy_rules.synthetic
    ensemble: Emit = lossy_rules.ensemble
    cascade: Emit = lossy_rules.cascade
    sglang_thresholds: Emit = lossy_rules.sglang_thresholds
    relaxed: Emit = lossy_rules.relaxed
    typical: Emit = lossy_rules.typical
    typical_tokens: Callable[..., tuple[bool, ...]] = lossy_rules.typical_tokens
    acceptance_bound: Callable[..., Rational] = lossy_reports.acceptance_bound
    lossy_report: Callable[..., LossyReport] = lossy_reports.lossy_report


# Inputs: few enough that every theorem is asked of every mutant in seconds.

_THREE = ("1 0 0", "0 1/2 1/2", "1/2 1/3 1/6", "1/6 1/3 1/2", "1/3 1/3 1/3")
_PAIRS_WORDS = (
    "V = 1, V = 2 with probabilities k/3, V = 3 with five rows (one-hot, uniform, with zeros, skewed) in all pairs, "
    "I5 and B0"
)


def _pairs() -> Iterator[tuple[Row, Row]]:
    yield (S.One,), (S.One,)
    thirds = [tuple(Rational(k, 3) for k in counts) for counts in compositions(3, 2)]
    yield from product(thirds, repeat=2)
    yield from product([tuple(map(Rational, row.split())) for row in _THREE], repeat=2)
    yield from ((NAMED[name].p, NAMED[name].q) for name in ("B0", "I5"))


def _domain(what: str, *parameters: tuple[Any, ...]) -> Domain:
    def grid() -> Iterator[Case]:
        cases = (Case(p, q, extra) for p, q in _pairs() for extra in parameters)
        return iter(sorted(cases, key=lambda case: case.size))

    values = "; ".join(", ".join(map(str, extra)) for extra in parameters)
    words = f"pairs and parameters ({what}: {values})" if what else "pairs"
    return Domain(f"{words}, {_PAIRS_WORDS}", grid, False, None, what)


def _r(*texts: str) -> tuple[Rational, ...]:
    return tuple(map(Rational, texts))


LENIENCY = _domain("leniency", *map(_r, ("1/4", "3/4")))
RATE = _domain("rate", *map(_r, ("1/3", "1")))
WEIGHT = _domain("weight", *map(_r, ("1/3", "1")))
BUDGET = _domain("parameter of every rule", *map(_r, ("1/3",)))
THRESHOLDS = _domain("thresholds", *(_r(*pair.split()) for pair in ("1 1/2", "1/2 3/4")))
RELAXED = _domain("top N and delta", *((n, Rational(d)) for n, d in ((1, "1"), (2, "1/6"))))
TYPICAL = _domain("epsilon and delta", _r("1/3", "1/2"))
ALONE = _domain("", ())
BOUNDED = replace(
    BUDGET,
    words=f"{BUDGET.words}, without those of V = 2",
    grid=lambda: (case for case in BUDGET.grid() if len(case.p) != 2),
)
_TWICE = _domain("epsilon and delta", _r("1", "1"), _r("1/3", "1/2"))
DECISIONS = replace(
    _TWICE,
    words=f"{_TWICE.words}, those with target and draft equal",
    grid=lambda: (case for case in _TWICE.grid() if case.p == case.q),
)


# Claims.


def sampled(q: Row, keep: Callable[[int], Rational], instead: Callable[[int], Row]) -> EmittedDistribution:
    """Law and acceptance by every drafted token, both sides of the coin and every replacement."""
    law, alpha = [S.Zero] * len(q), S.Zero
    for x, drafted in enumerate(q):
        if drafted != 0:
            kept = drafted * keep(x)
            law[x], alpha = law[x] + kept, alpha + kept
            if kept != drafted:
                law = [mass + (drafted - kept) * chance for mass, chance in zip(law, instead(x), strict=True)]
    return EmittedDistribution(tuple(law), alpha)


def _differs(emitted: EmittedDistribution, law: Row, alpha: Rational) -> str | None:
    if emitted.dist != law:
        return f"law {show_row(emitted.dist)}, declared {show_row(law)}"
    return None if emitted.alpha == alpha else f"alpha {emitted.alpha}, declared {alpha}"


def _always(weights: Row) -> Callable[[int], Row]:
    """Replacements that do not depend on the rejected token; asked for only where something is rejected."""
    return lambda x: _share(weights)


def _share(weights: Row) -> Row:
    return tuple(weight / sum(weights, S.Zero) for weight in weights)


def least(a: Rational, b: Rational) -> Rational:
    """Return the smaller number; SymPy's Min is slow."""
    return a if a < b else b


def mixture(p: Row, q: Row, of_draft: Rational) -> Row:
    """Return the row (1 - w) p + w q."""
    return tuple((1 - of_draft) * a + of_draft * b for a, b in zip(p, q, strict=True))


def lenience_law(rule: LossyRules, case: Case) -> str | None:
    """Both residuals, each the sampler's law."""
    (p, q), (scale,) = case[:2], case.extra
    for residual, factor in (("difference", S.One), ("scaled", scale)):
        gains = tuple(a - factor * b if a > factor * b else S.Zero for a, b in zip(p, q, strict=True))
        law, alpha = sampled(q, lambda x: least(S.One, p[x] / (scale * q[x])), _always(gains))
        if difference := _differs(rule.lenience(p, q, scale, residual), law, alpha):
            return f"{residual}: {difference}"
    return None


def lenience_one(rule: LossyRules, case: Case) -> str | None:
    """Leniency 1 is the token rule, with either residual."""
    expected = emitted_distribution(case.p, case.q)
    found = (_differs(rule.lenience(case.p, case.q, 1, name), *expected) for name in ("difference", "scaled"))
    return next((difference for difference in found if difference), None)


def lenience_monotone(rule: LossyRules, case: Case) -> str | None:
    """A smaller l keeps as much or more."""
    scales = (case.extra[0] / 2, case.extra[0], S.One)
    kept = [rule.lenience(case.p, case.q, scale).alpha for scale in scales]
    return None if kept[0] >= kept[1] >= kept[2] else f"alpha {show_row(kept)} at l {show_row(scales)}"


def synthetic_distance(rule: LossyRules, case: Case) -> str | None:
    """Law (1 - r) p + r q, alpha r, TV exactly r TV(p, q)."""
    (p, q), (rate,) = case[:2], case.extra
    emitted = rule.synthetic(p, q, rate)
    distance, declared = total_variation(p, emitted.dist), rate * total_variation(p, q)
    if distance != declared:
        return f"TV {distance}, declared {declared}"
    return _differs(emitted, mixture(p, q, rate), rate)


def ensemble_mixture(rule: LossyRules, case: Case) -> str | None:
    """Law w p + (1 - w) q, alpha 1 - w TV(p, q)."""
    (p, q), (weight,) = case[:2], case.extra
    return _differs(rule.ensemble(p, q, weight), mixture(p, q, 1 - weight), 1 - weight * total_variation(p, q))


def ensemble_keeps_more(rule: LossyRules, case: Case) -> str | None:
    """Of two rules with one law the ensemble keeps at least as much."""
    (p, q), (rate,) = case[:2], case.extra
    plain, best = rule.synthetic(p, q, rate), rule.ensemble(p, q, 1 - rate)
    if plain.dist != best.dist:
        return f"laws {show_row(plain.dist)} and {show_row(best.dist)}"
    return None if plain.alpha <= best.alpha else f"alpha {best.alpha}, of synthetic {plain.alpha}"


def cascade_declared(rule: LossyRules, case: Case) -> str | None:
    """Declared are the uniform row, the draft and the target."""
    p, q = case[:2]
    for declared in ((Rational(1, len(p)),) * len(p), q, p):
        if difference := _differs(rule.cascade(p, declared, q), declared, 1 - total_variation(declared, q)):
            return f"declared {show_row(declared)}: {difference}"
    return None


def sglang_law(rule: LossyRules, case: Case) -> str | None:
    """The sampler's law."""
    return _thresholds(rule, case, *case.extra)


def sglang_lossless(rule: LossyRules, case: Case) -> str | None:
    """With both thresholds 1 the law is the target's."""
    law = rule.sglang_thresholds(case.p, case.q, 1, 1).dist
    return None if law == case.p else f"law {show_row(law)}"


def _thresholds(rule: LossyRules, case: Case, single: Rational, total: Rational) -> str | None:
    p, q = case[:2]
    expected = sampled(
        q,
        lambda x: S.One if p[x] >= single else least(S.One, p[x] / total),
        lambda x: _share(tuple(S.Zero if y == x else mass for y, mass in enumerate(p))),
    )
    return _differs(rule.sglang_thresholds(p, q, single, total), *expected)


def relaxed_law(rule: LossyRules, case: Case) -> str | None:
    """Keep x with fewer than N tokens before it, within delta of the greatest; else the first token."""
    (p, q), (count, delta) = case[:2], case.extra
    ahead = [sum(bool(b > a) or (b == a and y < x) for y, b in enumerate(p)) for x, a in enumerate(p)]
    top = tuple(S.One if n == 0 else S.Zero for n in ahead)
    expected = sampled(q, lambda x: S.One if ahead[x] < count and p[x] >= max(p) - delta else S.Zero, lambda x: top)
    return _differs(rule.relaxed(p, q, count, delta), *expected)


def typical_decision(rule: LossyRules, case: Case) -> str | None:
    """The tokens kept are those that a hundred digits more than needed keep."""
    epsilon, delta = case.extra
    expected = tuple(a > epsilon or above(case.p, a, delta) for a in case.p)
    found = rule.typical_tokens(case.p, epsilon, delta)
    return None if found == expected else f"keeps {show_row(found)}, by 150 digits {show_row(expected)}"


@cache
def above(p: Row, entry: Rational, delta: Rational) -> bool:
    """Whether ln p(x) + H - ln delta is above 0 by more than the last third of 150 digits."""
    context = Context(prec=150)

    def times_log(factor: Rational, value: Rational) -> Decimal:
        log = context.subtract(Decimal(int(value.p)).ln(context), Decimal(int(value.q)).ln(context))
        return context.divide(context.multiply(Decimal(int(factor.p)), log), Decimal(int(factor.q)))

    if entry == 0:
        return False
    excess = context.subtract(times_log(S.One, entry), times_log(S.One, delta))
    for mass in p:
        if mass != 0:
            excess = context.subtract(excess, times_log(mass, mass))
    return excess > Decimal("1e-100")


def typical_law(rule: LossyRules, case: Case) -> str | None:
    """Every variant that has a name: what is emitted after a rejection."""
    (p, q), kept = case[:2], lossy_rules.typical_tokens(case.p, *case.extra)
    rows = {"target": p, "top": tuple(S.One if x == p.index(max(p)) else S.Zero for x in range(len(p)))}
    if any(kept):
        rows["kept"] = _share(tuple(a if stays else S.Zero for a, stays in zip(p, kept, strict=True)))
    for name, row in rows.items():
        expected = sampled(q, lambda x: S.One if kept[x] else S.Zero, _always(row))
        if difference := _differs(rule.typical(p, q, *case.extra, name), *expected):
            return f"{name}: {difference}"
    return None


def bound_holds(rule: LossyRules, case: Case) -> str | None:
    """No rule keeps more than 1 - TV(p, q) + TV(p, law); with budget 0 that is the token rule."""
    p, q = case[:2]
    for name, emitted in _every(rule, case):
        bound = rule.acceptance_bound(p, q, total_variation(p, emitted.dist))
        if emitted.alpha > bound:
            return f"{name} keeps {emitted.alpha}, bound {bound}"
    alpha, bound = emitted_distribution(p, q).alpha, rule.acceptance_bound(p, q, 0)
    return None if alpha == bound else f"bound {bound} with budget 0, token rule {alpha}"


def _every(rule: LossyRules, case: Case) -> Iterator[tuple[str, EmittedDistribution]]:
    (p, q), (value,) = case[:2], case.extra
    yield "lenience", rule.lenience(p, q, value)
    yield "lenience, scaled", rule.lenience(p, q, value, "scaled")
    yield "synthetic", rule.synthetic(p, q, value)
    yield "ensemble", rule.ensemble(p, q, value)
    yield "cascade", rule.cascade(p, q, q)
    yield "thresholds", rule.sglang_thresholds(p, q, value, value)
    yield "relaxed", rule.relaxed(p, q, 2, value)
    yield "typical", rule.typical(p, q, value, value)


def report_is_tight(rule: LossyRules, case: Case) -> str | None:
    """The distance, and ratios that hold at every token and are met at one."""
    p, q = case[:2]
    emitted = emitted_distribution(q, q)  # always keep: the law is the draft's
    report = rule.lossy_report(p, q, emitted)
    ratios = [oo if a == 0 else b / a for a, b in zip(p, q, strict=True) if (a, b) != (0, 0)]
    expected = (total_variation(p, q), min(ratios), max(ratios))
    return None if report[:3] == expected else f"report {show_row(report[:3])}, expected {show_row(expected)}"
