"""Couplings of draft and target: maximal, by shared noise (Gumbel), by shared samples (weighted MinHash)."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from sympy import Rational, S

from proofs import coupling_rule, gumbel_rule, match_rule, token_rule
from proofs.cases import Case
from proofs.distributions import Row, distance_token, show_row
from proofs.domains import pairs_where
from proofs.mutants import Mutant
from proofs.theorems import Theorem

__all__ = ["ABOUT", "COUPLINGS", "MUTANTS", "THEOREMS", "Couplings"]

ABOUT = (
    "Drafter and verifier each draw a token with their own law and share what they draw it from: noise in a race "
    "(Gumbel) or samples (weighted MinHash); the draft is kept iff both tokens are one."
)

Joint = tuple[Row, ...]


def _columns(joint: Joint) -> Row:
    return tuple(sum(column, S.Zero) for column in zip(*joint, strict=True))


def _keep_iff_equal(p: Row, q: Row) -> Row:
    return _columns(gumbel_rule.coupling(p, q))


@dataclass(frozen=True)
class Couplings:
    """Joint laws of (drafted, emitted), what they accept, and the law of what shared noise emits."""

    gumbel: Callable[[Row, Row], Joint] = gumbel_rule.coupling
    gumbel_match: Callable[[Row, Row], Rational] = coupling_rule.gumbel_match
    gumbel_emitted: Callable[[Row, Row], Row] = _keep_iff_equal
    minhash: Callable[[Row, Row], Joint] = coupling_rule.minhash_coupling
    minhash_match: Callable[[Row, Row], Rational] = coupling_rule.minhash_match
    minhash_agreement: Callable[[Row, Row], Rational] = coupling_rule.minhash_agreement
    maximal_match: Callable[[Row, Row], Rational] = coupling_rule.maximal_match


COUPLINGS = Couplings()


# Claims.


def _marginals(name: str, joint: Joint, case: Case) -> str | None:
    if any(value < 0 for row in joint for value in row):
        return f"{name}: a negative mass"
    drafted, emitted = tuple(sum(row, S.Zero) for row in joint), _columns(joint)
    if (drafted, emitted) != (case.q, case.p):
        return f"{name}: the drafted token has the law {show_row(drafted)}, the emitted one {show_row(emitted)}"
    return None


def _diagonal(joint: Joint) -> Rational:
    return sum((joint[x][x] for x in range(len(joint))), S.Zero)


def _distance(case: Case) -> Rational:
    return sum(map(distance_token, case.p, case.q), S.Zero) / 2


def _gumbel_marginals(rule: Couplings, case: Case) -> str | None:
    return _marginals("shared noise", rule.gumbel(case.p, case.q), case)


def _gumbel_emitted(rule: Couplings, case: Case) -> str | None:
    law = rule.gumbel_emitted(case.p, case.q)
    return None if law == case.p else f"with shared noise the law is {show_row(law)}, not p"


def _gumbel_diagonal(rule: Couplings, case: Case) -> str | None:
    found, mass = rule.gumbel_match(case.p, case.q), _diagonal(rule.gumbel(case.p, case.q))
    return None if found == mass else f"{found} is reported, the joint law has {mass} on its diagonal"


def _gumbel_bounds(rule: Couplings, case: Case) -> str | None:
    found, distance = rule.gumbel_match(case.p, case.q), _distance(case)
    least, most = (1 - distance) / (1 + distance), 1 - distance
    return None if least <= found <= most else f"{found} is not between {least} and {most}"


def _gumbel_support(rule: Couplings, case: Case) -> str | None:
    p, q = case.p, case.q
    for x, row in enumerate(rule.gumbel(p, q)):
        for y, mass in enumerate(row):
            if x != y and (mass > 0) != (q[x] * p[y] > q[y] * p[x]):
                return f"drafting {x} and emitting {y} has mass {mass}"
    return None


def _minhash_marginals(rule: Couplings, case: Case) -> str | None:
    return _marginals("shared samples", rule.minhash(case.p, case.q), case)


def _minhash_sample(rule: Couplings, case: Case) -> str | None:
    common = sum((min(a, b) for a, b in zip(case.p, case.q, strict=True)), S.Zero)
    either = sum((max(a, b) for a, b in zip(case.p, case.q, strict=True)), S.Zero)
    distance = _distance(case)
    expected = common / either
    found = rule.minhash_match(case.p, case.q)
    if found != expected or expected != (1 - distance) / (1 + distance):
        return f"{found} is reported, sum min / sum max is {expected}"
    return None


def _minhash_token(rule: Couplings, case: Case) -> str | None:
    found, mass = rule.minhash_agreement(case.p, case.q), _diagonal(rule.minhash(case.p, case.q))
    return None if found == mass else f"{found} is reported, the joint law has {mass} on its diagonal"


def _ordered(rule: Couplings, case: Case) -> str | None:
    p, q = case.p, case.q
    found = (rule.maximal_match(p, q), rule.gumbel_match(p, q), rule.minhash_agreement(p, q), rule.minhash_match(p, q))
    return None if list(found) == sorted(found, reverse=True) else f"{show_row(found)} does not descend"


def _token_by_token(rule: Couplings, case: Case) -> str | None:
    # Proof for p_i >= q_i (else exchange p and q), t = q_i / p_i, S(c) = sum max(q, c p): to show is
    # S(t) (1 + p_i - q_i) <= S(1). Let e = sum over q_j < t p_j of t p_j - q_j, so that S(t) = 1 + e, and s the
    # p-mass of q_j <= t p_j. Then s - p_i >= e / t >= e >= p_i e, so s >= p_i S(t), and convexity gives
    # S(1) - S(t) >= (1 - t) s >= (1 - t) p_i S(t) = (p_i - q_i) S(t).
    races, samples = rule.gumbel(case.p, case.q), rule.minhash(case.p, case.q)
    for x in range(len(case.p)):
        if races[x][x] < samples[x][x]:
            return f"races agree on {x} with probability {races[x][x]}, samples with {samples[x][x]}"
    return None


# What a rule does must not depend on the order of the tokens, but where ties are broken.
_PAIRS = pairs_where(
    "pairs, at V = 3 those with p descending",
    lambda case: len(case.p) < 3 or list(case.p) == sorted(case.p, reverse=True),
    lambda strategies: strategies.pairs(),
    named=True,
)


# Mutants.

_HERE = "made here"


def _mutant(name: str, fault: str, **parts: Callable[..., Any]) -> Mutant:
    return Mutant(name, fault, _HERE, replace(COUPLINGS, **parts), about="couplings")


def _sum_of_terms(p: Row, q: Row, least: Callable[..., Any], zeros: bool) -> Rational:
    total = S.Zero
    for a, b in zip(p, q, strict=True):
        if a != 0 and b != 0:
            total += 1 / sum((least(c / a, d / b) for c, d in zip(p, q, strict=True)), S.Zero)
        elif zeros and (a != 0 or b != 0):
            # Where one quotient divides by zero, the other alone is left: 1 / sum_j p_j / p_i.
            total += a + b
    return total


def _noise_for_residual(p: Row, q: Row) -> Row:
    """Token rule with a coin of its own, but the replacement's race uses the draft's noise."""
    keep, residual = token_rule.acceptance_ratio(p, q), token_rule.residual_distribution(p, q)
    races = gumbel_rule.coupling(residual, q)
    return tuple(
        q[y] * keep[y] + sum((races[x][y] * (1 - keep[x]) for x in range(len(p))), S.Zero) for y in range(len(p))
    )


def _stopped_side_again(p: Row, q: Row) -> Joint:
    """When one side has stopped, the other takes its residual: that is another coupling, with a sample too many."""
    residual, lost = token_rule.residual_distribution(p, q), token_rule.residual_distribution(q, p)
    joint = coupling_rule.minhash_coupling(p, q)
    distance = sum(map(distance_token, p, q), S.Zero) / 2
    return tuple(
        tuple((joint[x][y] + distance * lost[x] * residual[y]) / (1 + distance) for y in range(len(p)))
        for x in range(len(p))
    )


def _half_apart(p: Row, q: Row) -> Joint:
    joint = gumbel_rule.coupling(p, q)
    return tuple(tuple(mass if x == y else mass / 2 for y, mass in enumerate(row)) for x, row in enumerate(joint))


MUTANTS: tuple[Mutant, ...] = (
    _mutant(
        "gumbel_min_for_max",
        "takes the smaller quotient for the larger in the formula",
        gumbel_match=lambda p, q: _sum_of_terms(p, q, min, zeros=False),
    ),
    _mutant(
        "gumbel_zero_terms",
        "counts tokens that one side gives probability zero",
        gumbel_match=lambda p, q: _sum_of_terms(p, q, max, zeros=True),
    ),
    _mutant("gumbel_maximal_claimed", "reports 1 - TV for shared noise", gumbel_match=coupling_rule.maximal_match),
    _mutant(
        "shared_noise_residual", "draws the residual with the noise of the draft", gumbel_emitted=_noise_for_residual
    ),
    _mutant("fresh_noise", "lets the two races draw noise of their own", gumbel=match_rule.coupling),
    _mutant(
        "gumbel_rows_exchanged",
        "has the drafted token for the emitted one",
        gumbel=lambda p, q: gumbel_rule.coupling(q, p),
    ),
    _mutant(
        "minhash_samples_for_noise",
        "takes the law of shared samples for that of noise",
        gumbel=coupling_rule.minhash_coupling,
    ),
    _mutant(
        "gumbel_half_apart", "halves the masses of two winners, as if either order could come up", gumbel=_half_apart
    ),
    _mutant(
        "minhash_rows_exchanged",
        "has the drafted token for the emitted one",
        minhash=lambda p, q: coupling_rule.minhash_coupling(q, p),
    ),
    _mutant("minhash_residual", "draws residuals for half of the mass that stopped apart", minhash=_stopped_side_again),
    _mutant(
        "minhash_sample_for_token",
        "reports the probability of one sample as that of one token",
        minhash_agreement=coupling_rule.minhash_match,
    ),
    _mutant(
        "minhash_over_two",
        "divides the common mass by two, not by the mass of either row",
        minhash_match=lambda p, q: token_rule.acceptance_probability(p, q) / 2,
    ),
    _mutant("maximal_of_independent", "reports sum p q as the best there is", maximal_match=match_rule.acceptance),
)

_DALIRI = "Daliri, Musco, Suresh 2024, arXiv:2408.07978 (source unverified)"
_HERE_TOO = "stated here"


def _theorem(*parts: Any, **options: Any) -> Theorem:
    name, statement, latex, source, holds, refutes = parts
    return Theorem(
        name, statement, latex, source, _PAIRS, holds, None, refutes, about="couplings", rule=COUPLINGS, **options
    )


THEOREMS: tuple[Theorem, ...] = (
    _theorem(
        "gumbel_marginals",
        "For all p, q: with shared noise the drafted token has the law q and the target's token the law p.",
        r"\forall p, q:\ \sum_y \Pr(x, y) = q(x),\ \sum_x \Pr(x, y) = p(y)",
        _DALIRI,
        _gumbel_marginals,
        ("gumbel_rows_exchanged", "gumbel_half_apart"),
        sole="gumbel_half_apart",
    ),
    _theorem(
        "shared_noise_under_keep_iff_equal",
        "For all p, q: with shared noise and the draft kept iff both races have one winner, the emitted token has the "
        "law p.",
        r"\forall p, q\ \forall y:\ \Pr(\arg\min_i E_i / p_i = y) = p(y)",
        _DALIRI,
        _gumbel_emitted,
        ("shared_noise_residual",),
        sole="shared_noise_residual",
    ),
    _theorem(
        "gumbel_match_is_diagonal",
        "For all p, q: both races have one winner with probability sum_i 1 / sum_j max(p_j/p_i, q_j/q_i), terms with a "
        "zero being 0: the mass on the diagonal of the joint law.",
        r"\forall p, q:\ \Pr(x = y) = \sum_i \Bigl(\sum_j \max(p_j / p_i, q_j / q_i)\Bigr)^{-1}",
        _DALIRI,
        _gumbel_diagonal,
        (
            "gumbel_min_for_max",
            "gumbel_zero_terms",
            "gumbel_maximal_claimed",
            "fresh_noise",
            "minhash_samples_for_noise",
        ),
        sole="gumbel_maximal_claimed",
    ),
    _theorem(
        "gumbel_between_its_bounds",
        "For all p, q: (1 - TV)/(1 + TV) <= Pr(one winner) <= 1 - TV.",
        r"\forall p, q:\ \frac{1 - TV}{1 + TV} \le \Pr(x = y) \le 1 - TV",
        _DALIRI,
        _gumbel_bounds,
        ("gumbel_min_for_max", "gumbel_zero_terms"),
        shared="follows from gumbel_match_is_diagonal: what is reported of the right joint law lies between them",
    ),
    _theorem(
        "gumbel_one_way",
        "For all p, q and two tokens x, y: with shared noise x is drafted and y emitted with positive probability iff "
        "q(x) p(y) > q(y) p(x); never both ways.",
        r"\forall p, q\ \forall x \ne y:\ \Pr(x, y) > 0 \iff q(x)p(y) > q(y)p(x)",
        _HERE_TOO,
        _gumbel_support,
        ("fresh_noise", "gumbel_rows_exchanged", "minhash_samples_for_noise"),
        shared="over three tokens the marginals and the diagonal leave no other joint law",
    ),
    _theorem(
        "minhash_marginals",
        "For all p, q: with shared samples the drafted token has the law q and the emitted one the law p.",
        r"\forall p, q:\ \sum_y \Pr(x, y) = q(x),\ \sum_x \Pr(x, y) = p(y)",
        _DALIRI,
        _minhash_marginals,
        ("minhash_rows_exchanged", "minhash_residual"),
        sole="minhash_rows_exchanged",
    ),
    _theorem(
        "minhash_one_sample",
        "For all p, q: both sides stop at one sample with probability sum min(p, q) / sum max(p, q), which is "
        "(1 - TV)/(1 + TV).",
        r"\forall p, q:\ \frac{\sum \min(p, q)}{\sum \max(p, q)} = \frac{1 - TV}{1 + TV}",
        _DALIRI,
        _minhash_sample,
        ("minhash_over_two",),
        sole="minhash_over_two",
    ),
    _theorem(
        "minhash_one_token",
        "For all p, q: both sides name one token with probability (1 - TV + sum |p - q| min(p, q)) / (1 + TV): they "
        "can stop at different samples of it.",
        r"\forall p, q:\ \Pr(x = y) = \frac{1 - TV + \sum |p - q| \min(p, q)}{1 + TV}",
        _HERE_TOO,
        _minhash_token,
        ("minhash_residual", "minhash_sample_for_token"),
        sole="minhash_sample_for_token",
    ),
    _theorem(
        "couplings_in_order",
        "For all p, q: the maximal coupling accepts at least as much as shared noise, that as shared samples, and that "
        "as (1 - TV)/(1 + TV).",
        r"\forall p, q:\ 1 - TV \ge \Pr_{Gumbel} \ge \Pr_{MinHash} \ge \frac{1 - TV}{1 + TV}",
        _HERE_TOO,
        _ordered,
        ("gumbel_min_for_max", "gumbel_zero_terms", "maximal_of_independent"),
        sole="maximal_of_independent",
    ),
    _theorem(
        "noise_above_samples_by_token",
        "For all p, q and every token: shared noise agrees on it at least as often as shared samples.",
        r"\forall p, q\ \forall x:\ \Pr_{Gumbel}(x, x) \ge \Pr_{MinHash}(x, x)",
        _HERE_TOO,
        _token_by_token,
        ("fresh_noise",),
        shared="a joint law with less on its diagonal breaks gumbel_match_is_diagonal",
    ),
)
