"""Siblings, several drafts for one position: their theorems, on finite grids; the mutants are next door."""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from typing import Any

from sympy import Rational, S

from proofs.cases import Case
from proofs.distributions import Row
from proofs.domains import NAMED, Domain, compositions
from proofs.families import sibling_claims
from proofs.families.sibling_model import SIBLING_RULE
from proofs.families.sibling_mutants import FAMILY, MUTANTS
from proofs.theorems import Theorem

__all__ = ["ABOUT", "MUTANTS", "THEOREMS"]

ABOUT = (
    "k siblings are drafted for one position, with or without replacement, and one token is emitted. Recursive "
    "rejection tries them in turn by the token rule, each rejection putting the residual in the target's place; K-SEQ "
    "tries all against p / rho; fixed candidates are kept with what the target gives them. The acceptance is the "
    "probability that a sibling is kept; the optimum is the greatest one of any lossless rule."
)

_SPECINFER = "after Miao et al. 2023, arXiv:2305.09781 (source unverified)"
_SPECTR = "after Sun et al. 2023, arXiv:2310.15141 (source unverified)"
_HERE = "stated here"
_GRID = "probabilities k/4 with V = 1 and 2, k/3 with V = 3, and the named pairs"


def _rows(vocabulary: int, grid: int) -> list[Row]:
    return [tuple(Rational(k, grid) for k in counts) for counts in compositions(grid, vocabulary)]


@cache
def _pairs() -> tuple[Case, ...]:
    grids = ((1, 4), (2, 4), (3, 3))
    cases = [Case(p, q) for sizes in grids for p, q in product(_rows(*sizes), repeat=2)]
    return tuple(sorted([*cases, *NAMED.values()], key=lambda case: case.size))


def _with(words: str, extra: str, values: Callable[[Case], Iterator[tuple[Any, ...]]]) -> Domain:
    def grid() -> Iterator[Case]:
        return (Case(case.p, case.q, more) for case in _pairs() for more in values(case))

    return Domain(f"{words}, {_GRID}", grid, False, None, extra)


def _candidates() -> Iterator[Case]:
    for vocabulary, count in ((1, 2), (2, 3), (3, 2)):
        for row in _rows(vocabulary, 4):
            for tokens in (t for k in range(count + 1) for t in product(range(vocabulary), repeat=k)):
                yield Case(row, row, (tokens,))


_FACTORS = (S.One, Rational(3, 2), Rational(2), Rational(3))
SIBLINGS = _with(
    "pairs and k = 1 to 3, with replacement and (k at most V) without", "k", lambda case: iter(((1,), (2,), (3,)))
)
INDEPENDENT = _with("pairs and k = 1 to 3, with replacement", "k", lambda case: iter(((1,), (2,), (3,))))
ONE = _with("pairs", "k", lambda case: iter(((1,),)))
PAIRS = _with("pairs", "", lambda case: iter(((),)))
RHO = _with("pairs, k = 2 and 3, rho = 1, 3/2, 2 and 3", "(k, rho)", lambda case: iter(product((2, 3), _FACTORS)))
COUNTS = _with("pairs and k = 1 to 3, rho tried at 1, 5/4, 3/2, 2 and k", "k", lambda case: iter(((1,), (2,), (3,))))
CANDIDATES = Domain(
    "targets and tuples of candidates, repeated ones too: up to 3 with V = 2, up to 2 with V = 1 and 3, "
    "probabilities k/4",
    _candidates,
    False,
    None,
    "candidates",
)


def _theorem(name: str, statement: str, latex: str, source: str, domain: Domain, **more: Any) -> Theorem:
    holds, refutes = more.pop("holds"), more.pop("refutes")
    return Theorem(
        name, statement, latex, source, domain, holds, None, refutes, about=FAMILY, rule=SIBLING_RULE, **more
    )


THEOREMS: tuple[Theorem, ...] = (
    _theorem(
        "siblings_lossless",
        "For all p, q and k, with and without replacement: recursive rejection emits token x with probability p(x).",
        r"\forall p, q, k\ \forall x:\ \Pr(Y = x) = p(x)",
        _SPECINFER,
        SIBLINGS,
        holds=sibling_claims.lossless,
        refutes=(
            "sibling_residual_unnormalised",
            "sibling_update_forgotten",
            "sibling_last_residual_skipped",
            "sibling_last_from_target",
            "sibling_raw_draft",
            "sibling_struck_though_independent",
        ),
        sole="sibling_last_residual_skipped",
    ),
    _theorem(
        "siblings_closed_form_is_sampler",
        "For all p, q and k, with and without replacement: law and acceptance in closed form are those of the sampler, "
        "over every sequence of siblings, coin and last token.",
        r"\forall p, q, k, x:\ dist(x) = \sum_s \Pr(S = s) \Pr(Y = x \mid s),\ \alpha = \Pr(\text{kept})",
        _HERE,
        SIBLINGS,
        holds=sibling_claims.closed_form_is_sampler,
        refutes=(
            "sibling_law_of_independent_draws",
            "sibling_independent_tries",
        ),
        sole="sibling_law_of_independent_draws",
    ),
    _theorem(
        "sibling_acceptance_is_product",
        "For all p, q and k, with replacement: the residuals r_1 = p, r_2, .. are distributions, and a sibling is kept "
        "with probability 1 - TV(r_1, q) .. TV(r_k, q).",
        r"\forall p, q, k:\ \alpha = 1 - \prod_{j \le k} TV(r_j, q)",
        _SPECINFER,
        INDEPENDENT,
        holds=sibling_claims.acceptance_is_product,
        refutes=(
            "sibling_residual_unnormalised",
            "sibling_update_forgotten",
            "sibling_struck_though_independent",
            "sibling_independent_tries",
            "sibling_residuals_reported_unnormalised",
        ),
        sole="sibling_residuals_reported_unnormalised",
    ),
    _theorem(
        "siblings_never_above_optimum",
        "For all p, q and k: neither recursive rejection, with and without replacement, nor K-SEQ with rho = k keeps "
        "a sibling more often than the least of 1 + p(H) - Pr(S subset of H) over the sets H of tokens.",
        r"\forall p, q, k:\ \alpha \le \min_H 1 + p(H) - \Pr(S \subseteq H)",
        _SPECTR,
        SIBLINGS,
        holds=sibling_claims.never_above_optimum,
        refutes=(
            "sibling_update_forgotten",
            "sibling_raw_draft",
            "sibling_struck_though_independent",
            "sibling_optimum_of_independent_draws",
            "sibling_optimum_of_a_hit",
            "kseq_rho_one",
        ),
        shared="follows from siblings_lossless, kseq_lossless_iff_admissible and sibling_optimum_is_flow: what a "
        "lossless rule keeps is a flow",
    ),
    _theorem(
        "sibling_optimum_is_flow",
        "For all p, q and k, with and without replacement: the optimum is the value of a flow from the sets of "
        "siblings through their members to the tokens and of a cut, both checked, and the least over all sets H.",
        r"\forall p, q, k:\ \max_f |f| = \min_H 1 + p(H) - \Pr(S \subseteq H)",
        f"{_SPECTR}; max-flow min-cut",
        SIBLINGS,
        holds=sibling_claims.optimum_is_flow,
        refutes=(
            "sibling_optimum_of_independent_draws",
            "sibling_optimum_of_a_hit",
            "sibling_optimum_in_target_order",
            "sibling_sets_distinct_by_chance",
            "sibling_flow_first_come",
        ),
        sole="sibling_flow_first_come",
    ),
    _theorem(
        "one_sibling",
        "For all p, q: with k = 1 recursive rejection, with and without replacement, K-SEQ with rho = 1 and the "
        "optimum accept with probability 1 - TV(p, q).",
        r"\forall p, q:\ k = 1 \implies \alpha = 1 - TV(p, q)",
        _HERE,
        ONE,
        holds=sibling_claims.one_sibling,
        refutes=("sibling_optimum_in_target_order",),
        shared="the case k = 1 of sibling_acceptance_is_product, kseq_acceptance and sibling_optimum_is_flow",
    ),
    _theorem(
        "more_siblings_never_hurt",
        "For all p, q and k, with and without replacement: with k siblings acceptance and optimum are at least those "
        "with k - 1.",
        r"\forall p, q, k:\ \alpha_k \ge \alpha_{k-1},\ \alpha^*_k \ge \alpha^*_{k-1}",
        _HERE,
        SIBLINGS,
        holds=sibling_claims.grows_with_siblings,
        refutes=("sibling_optimum_of_a_hit",),
        shared="follows from sibling_optimum_is_flow, and for samplers that try in turn from what they are: one try "
        "more takes nothing back",
    ),
    _theorem(
        "support_used_up",
        "For all p, q, without replacement: with as many siblings as q has tokens, acceptance and optimum are p of the "
        "support of q; with k = V they are 1.",
        r"\forall p, q:\ k = |\{q > 0\}| \implies \alpha = p(\{q > 0\}),\quad k = V \implies \alpha = 1",
        _HERE,
        PAIRS,
        holds=sibling_claims.support_used_up,
        refutes=(
            "sibling_residual_unnormalised",
            "sibling_update_forgotten",
            "sibling_raw_draft",
            "sibling_optimum_of_independent_draws",
            "sibling_optimum_of_a_hit",
        ),
        shared="follows from siblings_lossless and sibling_optimum_is_flow: what is emitted of the support was drafted",
    ),
    _theorem(
        "kseq_lossless_iff_admissible",
        "For all p, q, k and rho >= 1: K-SEQ emits token x with probability p(x) for every x iff "
        "min(q, p/rho) (1 - (1 - beta)**k) / beta <= p everywhere, which rho >= k implies.",
        r"\forall p, q, k, \rho:\ \bigl(\forall x: \Pr(Y = x) = p(x)\bigr) \iff"
        r" \min(q, p/\rho)\, \frac{1 - (1 - \beta)^k}{\beta} \le p",
        _SPECTR,
        RHO,
        holds=sibling_claims.kseq_lossless_iff_admissible,
        refutes=(
            "kseq_rho_one",
            "kseq_residual_without_factor",
            "kseq_every_rho_admissible",
        ),
        sole="kseq_residual_without_factor",
    ),
    _theorem(
        "kseq_acceptance",
        "For all p, q, k and rho >= 1: K-SEQ keeps a sibling with probability 1 - (1 - beta)**k, beta the sum of "
        "min(q, p/rho).",
        r"\forall p, q, k, \rho:\ \alpha = 1 - (1 - \beta)^k,\ \beta = \sum_x \min(q(x), p(x)/\rho)",
        _SPECTR,
        RHO,
        holds=sibling_claims.kseq_keeps,
        refutes=(
            "kseq_rho_one",
            "kseq_union_bound",
        ),
        sole="kseq_union_bound",
    ),
    _theorem(
        "least_admissible_rho",
        "For all p, q and k: what is larger than an admissible rho is admissible, and the bounds given for the least "
        "one hold it; where they are equal it is 1 or solves rho = G(rho).",
        r"\forall p, q, k:\ \rho \text{ admissible}, \rho' \ge \rho \implies \rho' \text{ admissible},\quad"
        r" \rho^* = 1 \text{ or } \rho^* = G(\rho^*)",
        _HERE,
        COUNTS,
        holds=sibling_claims.admissible_rho_is_least,
        refutes=(
            "kseq_every_rho_admissible",
            "kseq_least_rho_is_k",
        ),
        sole="kseq_least_rho_is_k",
    ),
    _theorem(
        "fixed_candidates",
        "For all p and candidates, given which, repeated ones skipped: token x is emitted with probability p(x), and a "
        "candidate is kept with probability p(S), S the set of them.",
        r"\forall p\ \forall S:\ \Pr(Y = x \mid S) = p(x),\ \alpha = p(S)",
        "after Li et al. 2024, arXiv:2406.16858 (source unverified)",
        CANDIDATES,
        holds=sibling_claims.candidates_lossless,
        refutes=("candidate_counts_twice",),
        sole="candidate_counts_twice",
    ),
)
