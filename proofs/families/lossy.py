"""Declared lossy rules: their laws, their distances, and the acceptance that a distance allows."""

from dataclasses import replace
from decimal import Decimal
from typing import Any

from sympy import Rational, S

from proofs import lossy_reports, lossy_rules
from proofs.distributions import Row
from proofs.domains import Domain
from proofs.families import lossy_claims as claims
from proofs.families.lossy_claims import LossyRules, above, least, mixture, sampled
from proofs.lossy_reports import LossyReport
from proofs.mutants import Mutant
from proofs.theorems import Theorem
from proofs.token_rule import EmittedDistribution, acceptance_ratio, emitted_distribution, residual_distribution

__all__ = ["ABOUT", "MUTANTS", "THEOREMS"]

_NAME = "declared lossy rules"
ABOUT = (
    "Lossy rules keep more than the token rule and declare the law that they emit instead of the target's: none is "
    "called lossless, and none broken, for emitting what it declares."
)

RULES = LossyRules()

_LEVIATHAN = "Leviathan, Kalman, Matias 2023, arXiv:2211.17192, appendix (source unverified)"
_MEDUSA = "Cai et al. 2024, arXiv:2401.10774 (source unverified)"
_SGLANG = "after the target-only kernel of SGLang"
_HERE = "stated here"


def _theorem(name: str, statement: str, latex: str, source: str, domain: Domain, holds: Any, **rest: Any) -> Theorem:
    return Theorem(name, statement, latex, source, domain, holds, None, about=_NAME, rule=RULES, **rest)


THEOREMS: tuple[Theorem, ...] = (
    _theorem(
        "lenience_law",
        "For all p, q and l in (0, 1]: lenience keeps x with probability min(1, p(x) / (l q(x))) and replaces it from "
        "(p - q)+ normalised, or by the other name from (p - l q)+ normalised: the law is that sampler's.",
        r"\forall p, q, l:\ dist = q a + (1 - \alpha) r,\ a = \min(1, p / (l q)),\ r \propto (p - q)_+"
        r" \text{ or } (p - l q)_+",
        _LEVIATHAN,
        claims.LENIENCY,
        claims.lenience_law,
        refutes=("leniency_inverted", "lenience_residuals_exchanged"),
        sole="lenience_residuals_exchanged",
    ),
    _theorem(
        "lenience_one_is_token_rule",
        "For all p, q: with l = 1 lenience is the token rule, with either residual.",
        r"\forall p, q:\ l = 1 \implies dist = p,\ \alpha = 1 - TV(p, q)",
        _LEVIATHAN,
        claims.ALONE,
        claims.lenience_one,
        refutes=("lenience_never_strict",),
        sole="lenience_never_strict",
    ),
    _theorem(
        "lenience_keeps_more",
        "For all p, q and l <= l' in (0, 1]: lenience l keeps at least as much as lenience l'.",
        r"\forall p, q\ \forall l \le l':\ \alpha_l \ge \alpha_{l'}",
        _HERE,
        claims.LENIENCY,
        claims.lenience_monotone,
        refutes=("leniency_inverted",),
        shared="alpha is the sum of min(q, p / l): a rule that breaks it breaks lenience_law at l or l'",
    ),
    _theorem(
        "synthetic_distance",
        "For all p, q and r in [0, 1]: synthetic acceptance emits (1 - r) p + r q, keeps with probability r, and is at "
        "a total variation of exactly r TV(p, q) from the target.",
        r"\forall p, q, r:\ dist = (1 - r) p + r q,\ \alpha = r,\ TV(p, dist) = r\, TV(p, q)",
        _HERE,
        claims.RATE,
        claims.synthetic_distance,
        refutes=("synthetic_from_the_residual", "synthetic_always_keeps", "synthetic_counts_matches_alone"),
        sole="synthetic_counts_matches_alone",
    ),
    _theorem(
        "ensemble_mixture",
        "For all p, q and w in [0, 1]: ensemble verification emits w p + (1 - w) q and keeps with probability "
        "1 - w TV(p, q); with w = 1 it is lossless.",
        r"\forall p, q, w:\ dist = w p + (1 - w) q,\ \alpha = 1 - w\, TV(p, q)",
        "after assistant_ensemble_weight of Hugging Face Transformers",
        claims.WEIGHT,
        claims.ensemble_mixture,
        refutes=("ensemble_weight_of_the_draft", "ensemble_residual_of_the_target", "ensemble_by_a_coin"),
        sole="ensemble_by_a_coin",
    ),
    _theorem(
        "ensemble_keeps_more_than_synthetic",
        "For all p, q and r in [0, 1]: synthetic acceptance r and the ensemble of weight 1 - r emit one law, and the "
        "ensemble keeps at least as much.",
        r"\forall p, q, r:\ dist_{syn} = dist_{ens},\ \alpha_{syn} = r \le 1 - (1 - r) TV(p, q) = \alpha_{ens}",
        _HERE,
        claims.RATE,
        claims.ensemble_keeps_more,
        refutes=(
            "ensemble_residual_of_the_target",
            "ensemble_weight_of_the_draft",
            "synthetic_always_keeps",
            "synthetic_from_the_residual",
        ),
        shared="follows from synthetic_distance and ensemble_mixture",
    ),
    _theorem(
        "cascade_declared",
        "For all p, pi, q: the cascade emits the declared row pi and keeps with probability 1 - TV(pi, q).",
        r"\forall p, \pi, q:\ dist = \pi,\ \alpha = 1 - TV(\pi, q)",
        "Narasimhan et al. (source unverified)",
        claims.ALONE,
        claims.cascade_declared,
        refutes=("cascade_residual_of_the_target",),
        sole="cascade_residual_of_the_target",
    ),
    _theorem(
        "sglang_law",
        "For all p, q and thresholds s, t: x is kept if p(x) >= s, else with probability min(1, p(x) / t), and "
        "replaced from p without x: the law is that sampler's.",
        r"\forall p, q, s, t:\ a(x) = 1[p(x) \ge s] \vee \min(1, p(x) / t),\ r_x \propto p\, 1[\cdot \ne x]",
        _SGLANG,
        claims.THRESHOLDS,
        claims.sglang_law,
        refutes=("sglang_accumulated_ignored", "sglang_replaces_from_target"),
        sole="sglang_accumulated_ignored",
    ),
    _theorem(
        "sglang_lossless_at_one",
        "For all p, q: with both thresholds 1 the law is p, whatever the draft.",
        r"\forall p, q:\ s = t = 1 \implies dist = p",
        _SGLANG,
        claims.ALONE,
        claims.sglang_lossless,
        refutes=("sglang_replaces_from_target",),
        shared="sglang_law at the thresholds 1",
    ),
    _theorem(
        "relaxed_law",
        "For all p, q, N and delta: x is kept iff it is among the N greatest of p (of equals the lower id first) and "
        "p(x) >= max p - delta, and replaced by the greatest: the law is that sampler's.",
        r"\forall p, q, N, \delta:\ a(x) = 1[x \in top_N(p),\ p(x) \ge \max p - \delta],\ r = 1_{\arg\max p}",
        "after the relaxed acceptance of TensorRT-LLM",
        claims.RELAXED,
        claims.relaxed_law,
        refutes=("relaxed_strictly", "relaxed_without_top_n", "relaxed_replaces_from_target"),
        sole="relaxed_strictly",
    ),
    _theorem(
        "typical_decision",
        "For all p, epsilon and delta: the tokens kept are exactly those with p(x) > min(epsilon, delta exp(-H(p))), "
        "equality included: the decision is that of 150 digits.",
        r"\forall p, \varepsilon, \delta:\ x \text{ kept} \iff p(x) > \min(\varepsilon, \delta e^{-H(p)})",
        _MEDUSA,
        claims.DECISIONS,
        claims.typical_decision,
        refutes=("typical_at_least", "typical_entropy_in_bits"),
        sole="typical_at_least",
    ),
    _theorem(
        "typical_law",
        "For all p, q, epsilon and delta: typical acceptance keeps the tokens of typical_decision and replaces the "
        "others from p, from p on what it keeps, or by the greatest, as named: the law is that sampler's.",
        r"\forall p, q:\ dist = q\, 1[kept] + q(\overline{kept})\, r",
        _MEDUSA,
        claims.TYPICAL,
        claims.typical_law,
        refutes=("typical_replaces_from_kept",),
        sole="typical_replaces_from_kept",
    ),
    _theorem(
        "acceptance_bound",
        "For all p, q and every lossy rule here: alpha <= 1 - TV(p, q) + TV(p, law), and with budget 0 the bound is "
        "the token rule's alpha.",
        r"\forall p, q:\ \alpha \le 1 - TV(p, q) + TV(p, dist)",
        "the triangle inequality; stated here",
        claims.BOUNDED,
        claims.bound_holds,
        refutes=("bound_without_budget", "synthetic_always_keeps"),
        sole="bound_without_budget",
    ),
    _theorem(
        "report_is_tight",
        "For all p, q: the report on keeping everything gives TV(p, q) and the least and greatest of q(x) / p(x), "
        "infinite where q(x) > 0 = p(x).",
        r"\forall p, q:\ \min_x q(x)/p(x) \le dist(x)/p(x) \le \max_x q(x)/p(x),\ q(x) > 0 = p(x) \implies \infty",
        _HERE,
        claims.ALONE,
        claims.report_is_tight,
        refutes=("ratio_of_new_tokens_left_out",),
        sole="ratio_of_new_tokens_left_out",
    ),
)


# Mutants.


def _keeping(q: Row, keep: Row, instead: Row) -> EmittedDistribution:
    return sampled(q, lambda x: keep[x], lambda x: instead)


def _exchanged(p: Row, q: Row, scale: Any, residual: str = "difference") -> EmittedDistribution:
    return lossy_rules.lenience(p, q, scale, "difference" if residual == "scaled" else "scaled")


def _inverted(p: Row, q: Row, scale: Any, _: str = "difference") -> EmittedDistribution:
    keep = tuple(S.One if b == 0 else least(S.One, scale * a / b) for a, b in zip(p, q, strict=True))
    return _keeping(q, keep, residual_distribution(p, q))


def _never_strict(p: Row, q: Row, scale: Any, residual: str = "difference") -> EmittedDistribution:
    return lossy_rules.lenience(p, q, least(Rational(scale), Rational(7, 8)), residual)


def _from_residual(p: Row, q: Row, rate: Any) -> EmittedDistribution:
    return _keeping(q, (rate,) * len(p), residual_distribution(p, q))


def _always_keeps(p: Row, q: Row, rate: Any) -> EmittedDistribution:
    return lossy_rules.synthetic(p, q, rate)._replace(alpha=S.One)


def _matches_alone(p: Row, q: Row, rate: Any) -> EmittedDistribution:
    emitted = lossy_rules.synthetic(p, q, rate)
    return emitted._replace(alpha=emitted.alpha * emitted_distribution(p, q).alpha)


def _by_a_coin(p: Row, q: Row, weight: Any) -> EmittedDistribution:
    return lossy_rules.synthetic(p, q, 1 - weight)


def _weight_of_draft(p: Row, q: Row, weight: Any) -> EmittedDistribution:
    return lossy_rules.ensemble(p, q, 1 - weight)


def _ensemble_target_residual(p: Row, q: Row, weight: Any) -> EmittedDistribution:
    return _keeping(q, acceptance_ratio(mixture(p, q, 1 - weight), q), p)


def _cascade_target_residual(p: Row, declared: Row, q: Row) -> EmittedDistribution:
    return _keeping(q, acceptance_ratio(declared, q), residual_distribution(p, q))


def _accumulated_ignored(p: Row, q: Row, single: Any, _: Any) -> EmittedDistribution:
    return lossy_rules.sglang_thresholds(p, q, single, 1)


def _thresholds_from_target(p: Row, q: Row, single: Any, total: Any) -> EmittedDistribution:
    keep = tuple(S.One if a >= single else least(S.One, a / total) for a in p)
    return _keeping(q, keep, p)


def _strictly(p: Row, q: Row, count: int, delta: Any, replacement: str = "top") -> EmittedDistribution:
    kept = lossy_rules.relaxed_tokens(p, count, delta)
    keep = tuple(S.One if k and a > max(p) - delta else S.Zero for k, a in zip(kept, p, strict=True))
    return _keeping(q, keep, lossy_rules.relaxed(p, p, 1, 0, replacement).dist)


def _without_top_n(p: Row, q: Row, _: int, delta: Any, replacement: str = "top") -> EmittedDistribution:
    return lossy_rules.relaxed(p, q, len(p), delta, replacement)


def _relaxed_from_target(p: Row, q: Row, count: int, delta: Any, _: str = "top") -> EmittedDistribution:
    return lossy_rules.relaxed(p, q, count, delta, "target")


def _at_least(p: Row, epsilon: Any, delta: Any) -> tuple[bool, ...]:
    return tuple(a >= epsilon or (a != 0 and not above(p, a, delta) and not _below(p, a, delta)) or above(p, a, delta)
                 for a in p)  # fmt: skip


def _below(p: Row, entry: Rational, delta: Rational) -> bool:
    return not above(p, entry, delta * Rational(10**60 - 1, 10**60))


def _in_bits(p: Row, epsilon: Any, delta: Any) -> tuple[bool, ...]:
    entropy = -sum(float(a) * float(Decimal(float(a)).ln()) / 0.6931471805599453 for a in p if a != 0)
    threshold = float(delta) * 2.718281828459045**-entropy
    return tuple(bool(a > epsilon or float(a) > threshold) for a in p)


def _typical_from_kept(p: Row, q: Row, epsilon: Any, delta: Any, replacement: str = "target") -> EmittedDistribution:
    return lossy_rules.typical(p, q, epsilon, delta, "kept" if replacement == "target" else replacement)


def _no_budget(p: Row, q: Row, _: Any) -> Rational:
    return lossy_reports.acceptance_bound(p, q, 0)


def _ratios_where_target(p: Row, q: Row, emitted: EmittedDistribution) -> LossyReport:
    ratios = [b / a for a, b in zip(p, emitted.dist, strict=True) if a != 0]
    return lossy_reports.lossy_report(p, q, emitted)._replace(least_ratio=min(ratios), greatest_ratio=max(ratios))


def _mutant(name: str, fault: str, source: str, **functions: Any) -> Mutant:
    return Mutant(name, fault, source, replace(RULES, **functions), about=_NAME)


_MADE = "made here"
MUTANTS: tuple[Mutant, ...] = (
    _mutant(
        "lenience_residuals_exchanged",
        "each residual under the other's name",
        "two laws under one word",
        lenience=_exchanged,
    ),
    _mutant("leniency_inverted", "keeps with l p / q: stricter, not more lenient", _MADE, lenience=_inverted),
    _mutant("lenience_never_strict", "a leniency of more than 7/8 is taken for 7/8", _MADE, lenience=_never_strict),
    _mutant("synthetic_from_the_residual", "replaces from (p - q)+, not from p", _MADE, synthetic=_from_residual),
    _mutant("synthetic_always_keeps", "reports alpha 1 for its law", _MADE, synthetic=_always_keeps),
    _mutant(
        "synthetic_counts_matches_alone",
        "reports as kept what the token rule would have kept too",
        _MADE,
        synthetic=_matches_alone,
    ),
    _mutant("ensemble_by_a_coin", "takes the draft by a coin: the same law, less kept", _MADE, ensemble=_by_a_coin),
    _mutant("ensemble_weight_of_the_draft", "w weighs the draft, not the target", _MADE, ensemble=_weight_of_draft),
    _mutant("ensemble_residual_of_the_target", "replaces from p", _MADE, ensemble=_ensemble_target_residual),
    _mutant(
        "cascade_residual_of_the_target",
        "replaces from (p - q)+, not (pi - q)+",
        _MADE,
        cascade=_cascade_target_residual,
    ),
    _mutant(
        "sglang_accumulated_ignored", "threshold_acc is taken for 1", _MADE, sglang_thresholds=_accumulated_ignored
    ),
    _mutant(
        "sglang_replaces_from_target",
        "the rejected token may come back",
        _MADE,
        sglang_thresholds=_thresholds_from_target,
    ),
    _mutant("relaxed_strictly", "p(x) > max p - delta", _MADE, relaxed=_strictly),
    _mutant("relaxed_without_top_n", "any token within delta is kept", _MADE, relaxed=_without_top_n),
    _mutant("relaxed_replaces_from_target", "draws from p, not the greatest", _MADE, relaxed=_relaxed_from_target),
    _mutant("typical_at_least", "keeps an entry on the threshold", _MADE, typical_tokens=_at_least),
    _mutant("typical_entropy_in_bits", "exp of an entropy in bits", _MADE, typical_tokens=_in_bits),
    _mutant("typical_replaces_from_kept", "replaces from what it keeps", _MADE, typical=_typical_from_kept),
    _mutant("bound_without_budget", "the bound of lossless rules", _MADE, acceptance_bound=_no_budget),
    _mutant("ratio_of_new_tokens_left_out", "ratios only where p > 0", _MADE, lossy_report=_ratios_where_target),
)
