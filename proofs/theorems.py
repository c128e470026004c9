"""What a theorem is, and those of the token rule: how far each claim reaches, what it refutes."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from proofs import claims, derivations, domains
from proofs.domains import Domain
from proofs.induction import Proof
from proofs.rule import TOKEN_RULE, Kernel

__all__ = ["THEOREMS", "Theorem"]

_LEVIATHAN = "Leviathan, Kalman, Matias 2023, arXiv:2211.17192"
_CHEN = "Chen et al. 2023, arXiv:2302.01318"
_UNVERIFIED = "(source unverified)"
_HERE = "stated here"
_COROLLARY = (
    "follows from lossless and alpha_is_one_minus_tv: a rule that breaks it breaks one of those on the same pair"
)


@dataclass(frozen=True)
class Theorem:
    """One claim with its evidence.

    Attributes
    ----------
    id : str
        snake_case; valid as a name in Coq.
    statement, latex : str
        The claim with its quantifiers, in words and in LaTeX.
    source : str
    domain : Domain
        What it is checked on.
    holds : (rule, case) -> str or None
        The claim about one case: None, or the difference.
    prove : kernel -> Proof, or None
        The derivation for every p, q and V; None for what is checked alone.
    refutes : tuple of str
        Every mutant that it refutes on its grid.
    sole : str
        The mutant that no other theorem refutes, or "".
    shared : str
        Why there can be none, where `sole` is "".
    about : str
        The family: theorems of one family are asked of one rule and of its mutants.
    rule : object
        What the claim is made of; `holds` is asked of it and of the mutants of the same family.
    """

    id: str
    statement: str
    latex: str
    source: str
    domain: Domain
    holds: Callable[[Any, Any], str | None]
    prove: Callable[[Kernel], Proof] | None
    refutes: tuple[str, ...]
    sole: str = ""
    shared: str = ""
    about: str = "token rule"
    rule: Any = TOKEN_RULE


THEOREMS: tuple[Theorem, ...] = (
    Theorem(
        "lossless",
        "For all p, q and every token x: the emitted token is x with probability p(x).",
        r"\forall p, q\ \forall x:\ q(x)a(x) + \Bigl(\sum_y q(y)(1 - a(y))\Bigr) r(x) = p(x)",
        f"{_LEVIATHAN}, Appendix A.1 {_UNVERIFIED}; {_CHEN}, Theorem 1 {_UNVERIFIED}",
        domains.PAIRS,
        claims.lossless,
        derivations.lossless,
        (
            "accept_everything",
            "resample_from_p",
            "inverted_ratio",
            "absolute_residual",
            "reversed_residual",
            "unnormalised_residual",
            "residual_at_drafted_token",
            "argmax_residual",
            "greedy_drafter",
            "epsilon_in_ratio",
            "swapped",
            "off_by_one",
            "clipped_ratio",
            "unscaled_replacement",
        ),
        sole="residual_at_drafted_token",
    ),
    Theorem(
        "distribution",
        "For all p, q: the law of the emitted token and the residual are distributions, and 0 <= alpha <= 1.",
        r"\forall p, q:\ dist \ge 0,\ \sum_x dist(x) = 1,\ r \ge 0,\ \sum_x r(x) = 1,\ 0 \le \alpha \le 1",
        _HERE,
        domains.PAIRS,
        claims.distribution,
        derivations.distribution,
        (
            "unnormalised_residual",
            "zero_residual",
            "unscaled_replacement",
        ),
        sole="zero_residual",
    ),
    Theorem(
        "alpha_is_one_minus_tv",
        "For all p, q: the drafted token is kept with probability alpha = 1 - TV(p, q), TV half the sum of |p - q|.",
        r"\forall p, q:\ \sum_x q(x)a(x) = 1 - \tfrac12 \sum_x |p(x) - q(x)|",
        f"{_LEVIATHAN}, Theorem 3.5 {_UNVERIFIED}",
        domains.PAIRS,
        claims.alpha_is_one_minus_tv,
        derivations.alpha_is_one_minus_tv,
        (
            "accept_everything",
            "inverted_ratio",
            "greedy_drafter",
            "epsilon_in_ratio",
            "swapped",
            "off_by_one",
            "clipped_ratio",
            "keep_iff_p_covers_q",
            "mean_ratio",
            "target_weighted_ratio",
            "match_acceptance",
            "distance_without_half",
        ),
        sole="distance_without_half",
    ),
    Theorem(
        "completion",
        "For all p, q and keep-probabilities a: if q a <= p everywhere and sum q a < 1, the residual "
        "(p - q a) / (1 - sum q a) is a distribution, makes the law p and is the only residual independent of the "
        "rejected token that does; if sum q a = 1 nothing is rejected and the law is p; if q(x) a(x) > p(x) for some "
        "x, no residual makes the law p.",
        r"\forall p, q, a:\ \bigl(\exists r:\ qa + (1 - \textstyle\sum qa)\, r = p\bigr) \iff qa \le p,"
        r"\ \text{and } r = \frac{p - qa}{1 - \sum qa} \text{ alone does if } \textstyle\sum qa < 1",
        _HERE,
        domains.ACCEPTANCES,
        claims.completion,
        derivations.completion,
        (
            "excess_completion",
            "shortfall_without_acceptance",
        ),
        sole="excess_completion",
    ),
    Theorem(
        "optimal",
        "For all p, q and every coupling c of q and p: c keeps the drafted token with probability at most alpha, and "
        "the maximal coupling is a coupling that keeps it with probability alpha.",
        r"\forall p, q\ \forall c \in \Pi(q, p):\ \sum_x c(x, x) \le \alpha, \text{ with equality for the rule's own}",
        f"the coupling inequality; for speculative decoding Sun et al. 2023, arXiv:2310.15141 {_UNVERIFIED}",
        domains.COUPLINGS,
        claims.optimal,
        derivations.optimal,
        (
            "accept_everything",
            "resample_from_p",
            "inverted_ratio",
            "absolute_residual",
            "reversed_residual",
            "unnormalised_residual",
            "greedy_drafter",
            "epsilon_in_ratio",
            "swapped",
            "off_by_one",
            "clipped_ratio",
            "keep_iff_p_covers_q",
            "mean_ratio",
            "target_weighted_ratio",
            "match_acceptance",
            "independent_coupling",
        ),
        sole="independent_coupling",
    ),
    Theorem(
        "identical_draft",
        "For all p: with q = p nothing is rejected: alpha = 1, the law is p, and every value is finite.",
        r"\forall p:\ q = p \implies \alpha = 1,\ dist = p",
        _HERE,
        domains.EQUAL,
        claims.identical_draft,
        derivations.identical_draft,
        (
            "greedy_drafter",
            "epsilon_in_ratio",
            "clipped_ratio",
            "match_acceptance",
            "unscaled_replacement",
        ),
        shared=_COROLLARY,
    ),
    Theorem(
        "token_never_proposed",
        "For all p, q and x with q(x) = 0: the ratio is 1, x is drafted with probability 0 and emitted as a "
        "replacement alone, with probability (1 - alpha) r(x).",
        r"\forall p, q\ \forall x:\ q(x) = 0 \implies a(x) = 1,\ \Pr(x \text{ drafted}) = 0,"
        r"\ dist(x) = (1 - \alpha) r(x)",
        _HERE,
        domains.DRAFT_ZERO,
        claims.token_never_proposed,
        derivations.token_never_proposed,
        (
            "inverted_ratio",
            "epsilon_in_ratio",
            "swapped",
            "off_by_one",
            "clipped_ratio",
            "mean_ratio",
            "target_weighted_ratio",
            "match_acceptance",
            "zero_ratio",
            "unscaled_replacement",
        ),
        sole="zero_ratio",
    ),
    Theorem(
        "token_never_wanted",
        "For all p, q and x with p(x) = 0: x is emitted with probability exactly 0, and is never a replacement.",
        r"\forall p, q\ \forall x:\ p(x) = 0 \implies dist(x) = 0,\ r(x) = 0",
        _HERE,
        domains.TARGET_ZERO,
        claims.token_never_wanted,
        derivations.token_never_wanted,
        (
            "accept_everything",
            "inverted_ratio",
            "absolute_residual",
            "reversed_residual",
            "swapped",
            "off_by_one",
            "uniform_residual",
        ),
        sole="uniform_residual",
    ),
    Theorem(
        "disjoint_supports",
        "For all p, q without a common token: alpha = 0, and law and residual are p.",
        r"\forall p, q:\ pq = 0 \implies \alpha = 0,\ dist = r = p",
        _HERE,
        domains.DISJOINT,
        claims.disjoint_supports,
        derivations.disjoint_supports,
        (
            "accept_everything",
            "inverted_ratio",
            "absolute_residual",
            "reversed_residual",
            "argmax_residual",
            "swapped",
            "off_by_one",
            "mean_ratio",
            "target_weighted_ratio",
        ),
        shared=_COROLLARY + "; where all is rejected the residual is the law",
    ),
    Theorem(
        "one_hot_draft",
        "For all p and a draft that always proposes x: alpha = p(x).",
        r"\forall p\ \forall x:\ q = 1_x \implies \alpha = p(x)",
        _HERE,
        domains.ONE_HOT_DRAFT,
        claims.one_hot_draft,
        derivations.one_hot_draft,
        (
            "accept_everything",
            "inverted_ratio",
            "epsilon_in_ratio",
            "swapped",
            "off_by_one",
            "clipped_ratio",
            "keep_iff_p_covers_q",
            "mean_ratio",
            "target_weighted_ratio",
        ),
        shared=_COROLLARY,
    ),
    Theorem(
        "one_hot_target",
        "For all q and a target that always wants x: alpha = q(x).",
        r"\forall q\ \forall x:\ p = 1_x \implies \alpha = q(x)",
        _HERE,
        domains.ONE_HOT_TARGET,
        claims.one_hot_target,
        derivations.one_hot_target,
        (
            "accept_everything",
            "inverted_ratio",
            "greedy_drafter",
            "epsilon_in_ratio",
            "swapped",
            "off_by_one",
            "clipped_ratio",
            "mean_ratio",
            "target_weighted_ratio",
        ),
        shared=_COROLLARY,
    ),
    Theorem(
        "single_token",
        "With V = 1 the token is kept with probability 1 and the law is (1).",
        r"V = 1 \implies \alpha = 1,\ dist = (1)",
        _HERE,
        domains.SINGLE,
        claims.single_token,
        derivations.single_token,
        (
            "epsilon_in_ratio",
            "clipped_ratio",
            "unscaled_replacement",
        ),
        shared=_COROLLARY,
    ),
    Theorem(
        "merging_never_lowers_alpha",
        "For all p, q and every map f of the tokens: alpha of the laws of f(x) is at least alpha.",
        r"\forall p, q, f:\ \alpha(f_* p, f_* q) \ge \alpha(p, q)",
        f"monotonicity of TV under maps {_UNVERIFIED}",
        domains.MERGERS,
        claims.merging_never_lowers_alpha,
        derivations.merging_never_lowers_alpha,
        (
            "inverted_ratio",
            "greedy_drafter",
            "swapped",
            "off_by_one",
            "keep_iff_p_covers_q",
            "mean_ratio",
            "target_weighted_ratio",
            "dropped_token",
        ),
        sole="dropped_token",
    ),
    Theorem(
        "closed_form_is_sampler",
        "For all p, q: the sampler's keep-probabilities and replacements are probabilities, and law and alpha in "
        "closed form are the sampler's, over every drafted token, coin and replacement.",
        r"\forall p, q\ \forall y:\ dist(y) = q(y)a(y) + \sum_x q(x)(1 - a(x))\, r(y),\ \alpha = \Pr(\text{kept})",
        _HERE,
        domains.PAIRS,
        claims.closed_form_is_sampler,
        derivations.closed_form_is_sampler,
        (
            "unnormalised_residual",
            "mean_ratio",
            "target_weighted_ratio",
            "match_acceptance",
            "copied_law",
            "unscaled_replacement",
        ),
        sole="copied_law",
    ),
)
