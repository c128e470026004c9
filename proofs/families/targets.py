"""The definition of the target: one transformation at every position, and what each step of it keeps."""

from dataclasses import replace
from typing import Any

from sympy import Rational, S

from proofs import target_rows
from proofs.distributions import Row
from proofs.families import target_claims as claims
from proofs.families.target_claims import TargetRule
from proofs.mutants import Mutant
from proofs.target_rows import transform
from proofs.theorems import Theorem

__all__ = ["ABOUT", "MUTANTS", "THEOREMS"]

_NAME = "target definition"
ABOUT = (
    "The target is the law after temperature, truncation, penalties and masks, in a stated order; a decoder is "
    "lossless for it if it transforms every row that it reads in the same way."
)
RULE = TargetRule()
_HERE = "stated here"


def _theorem(name: str, statement: str, latex: str, domain: Any, holds: Any, **rest: Any) -> Theorem:
    return Theorem(name, statement, latex, _HERE, domain, holds, None, about=_NAME, rule=RULE, **rest)


_DECODERS = (
    "raw_on_verified_positions",
    "raw_at_the_bonus",
    "raw_draft_in_ratio",
    "raw_draft_in_residual",
    "raw_draft_drawn",
    "steps_reversed_on_verified_positions",
    "last_step_dropped_at_the_bonus",
)

THEOREMS: tuple[Theorem, ...] = (
    _theorem(
        "lossless_for_the_transformed_target",
        "For all targets, drafts, gamma and steps: if the same steps are applied to the target's row at every verified "
        "position and at the bonus, and one draft row is drawn from, in the ratio and in the residual, then one call "
        "and the transformed target after it emit gamma + 1 tokens by the law of the transformed target.",
        r"\forall P, Q, \gamma, T:\ \mathrm{Law}(Y_1, \dots, Y_{\gamma + 1}) = \prod_i T(P(\cdot \mid y^{i-1}))(y_i)",
        claims.DECODINGS,
        claims.lossless_for_the_transformed_target,
        refutes=_DECODERS,
        sole="raw_on_verified_positions",
    ),
    _theorem(
        "temperatures_multiply",
        "For all p: temperature 1 changes nothing, temperature 1/2 and then 1/3 is temperature 1/6, and at 1/2 two "
        "tokens are in the ratio of their squares.",
        r"\forall p, a, b:\ T_{1/a} T_{1/b} = T_{1/(ab)},\ T_{1/2}(p)(x) : T_{1/2}(p)(y) = p(x)^2 : p(y)^2",
        claims.ROWS,
        claims.temperatures_multiply,
        refutes=("temperature_adds_a_power",),
        sole="temperature_adds_a_power",
    ),
    _theorem(
        "top_k_keeps_k",
        "For all p and k: top-k keeps k of the tokens with mass (or all), of equals the lower ids, or by the other "
        "name all the equals, in the ratio that they have.",
        r"\forall p, k:\ |supp| = \min(k, |supp\ p|),\ x \in supp,\ y \notin supp \implies p(x) \ge p(y)",
        claims.ROWS,
        claims.top_k_keeps_k,
        refutes=("top_k_drops_ties",),
        sole="top_k_drops_ties",
    ),
    _theorem(
        "top_p_keeps_the_least",
        "For all p and P: top-p keeps the shortest run of the greatest tokens whose mass is at least P, or by the "
        "other name more than P (or 1), in the ratio that they have.",
        r"\forall p, P:\ p(K) \ge P > p(K \setminus \min K), \text{ or } p(K) > P \ge p(K \setminus \min K)",
        claims.ROWS,
        claims.top_p_keeps_the_least,
        refutes=("top_p_drops_the_crossing_token", "top_p_boundaries_exchanged", "top_p_not_renormalised"),
        sole="top_p_drops_the_crossing_token",
    ),
    _theorem(
        "min_p_keeps_its_fraction",
        "For all p and f: min-p keeps exactly the tokens with p(x) >= f max p, in the ratio that they have.",
        r"\forall p, f:\ x \in supp \iff p(x) \ge f \max p",
        claims.ROWS,
        claims.min_p_keeps_its_fraction,
        refutes=("min_p_strictly",),
        sole="min_p_strictly",
    ),
)


def _raw(row: Any, _: Any) -> Row:
    return transform(row, ())


def _reversed(row: Any, steps: Any) -> Row:
    return transform(row, steps[::-1])


def _without_last(row: Any, steps: Any) -> Row:
    return transform(row, steps[:-1])


def _adds_a_power(row: Any, value: Any) -> Row:
    return target_rows.temperature(row, 1 / (1 / Rational(value) + (value != 1)))


def _drops_ties(row: Any, k: int, ties: str = "lowest") -> Row:
    least = sorted(row, reverse=True)[: k + 1][-1]
    above = [x for x, mass in enumerate(row) if mass > least]
    return target_rows.mask(row, above) if above and k < len(row) else target_rows.top_k(row, k, ties)


def _drops_crossing(row: Any, mass: Any, boundary: str = ">=") -> Row:
    kept = target_rows.top_p(row, mass, boundary)
    tokens = sorted((x for x, chance in enumerate(kept) if chance != 0), key=lambda x: -row[x])
    return target_rows.mask(row, tokens[:-1] or tokens)


def _exchanged(row: Any, mass: Any, boundary: str = ">=") -> Row:
    return target_rows.top_p(row, mass, ">" if boundary == ">=" else ">=")


def _not_renormalised(row: Any, mass: Any, boundary: str = ">=") -> Row:
    kept = target_rows.top_p(row, mass, boundary)
    return tuple(a if chance != 0 else S.Zero for a, chance in zip(row, kept, strict=True))


def _strictly(row: Any, fraction: Any) -> Row:
    above = [x for x, mass in enumerate(row) if mass > fraction * max(row)]
    return target_rows.mask(row, above or [row.index(max(row))])


def _mutant(name: str, fault: str, source: str, **functions: Any) -> Mutant:
    return Mutant(name, fault, source, replace(RULE, **functions), about=_NAME)


_MADE = "made here"
MUTANTS: tuple[Mutant, ...] = (
    _mutant("raw_on_verified_positions", "the steps are applied at the bonus alone", _MADE, verified=_raw),
    _mutant("raw_at_the_bonus", "the bonus is drawn from the row before the steps", _MADE, bonus=_raw),
    _mutant(
        "raw_draft_in_ratio",
        "drafts from processed rows, reports raw ones to the ratio",
        "huggingface/transformers 47932",
        ratio=_raw,
    ),
    _mutant("raw_draft_in_residual", "the residual subtracts the raw draft", _MADE, residual=_raw),
    _mutant("raw_draft_drawn", "drafts from the raw row, judged by the processed one", _MADE, drawn=_raw),
    _mutant("steps_reversed_on_verified_positions", "top-p before temperature", _MADE, verified=_reversed),
    _mutant("last_step_dropped_at_the_bonus", "a truncation that the bonus forgets", _MADE, bonus=_without_last),
    _mutant("temperature_adds_a_power", "one power too many", _MADE, temperature=_adds_a_power),
    _mutant("top_k_drops_ties", "keeps only what is above the next entry", _MADE, top_k=_drops_ties),
    _mutant("top_p_drops_the_crossing_token", "stops before the threshold", _MADE, top_p=_drops_crossing),
    _mutant("top_p_boundaries_exchanged", "each boundary under the other's name", _MADE, top_p=_exchanged),
    _mutant("top_p_not_renormalised", "leaves the kept entries as they were", _MADE, top_p=_not_renormalised),
    _mutant("min_p_strictly", "drops an entry on the threshold", _MADE, min_p=_strictly),
)
