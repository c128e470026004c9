"""A chain of gamma drafted tokens under the token rule, with its bonus token: theorems about whole calls, and mutants.

Every claim is checked on finite grids in exact rationals; none is proved here for every target and draft.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from sympy import S

from proofs import efficiency
from proofs.families import chain_claims as claims
from proofs.families import chain_faults as faults
from proofs.families.chain_model import CHAIN, Sampler, rule_of_sampler, sampler_of
from proofs.mutants import Mutant
from proofs.theorems import Theorem

__all__ = ["ABOUT", "MUTANTS", "THEOREMS"]

ABOUT = (
    "The draft proposes gamma tokens; each is kept with min(1, p/q) until one is rejected, which is replaced from the "
    "residual and ends the call; after gamma kept tokens the target gives a bonus token."
)

_LEVIATHAN = "Leviathan, Kalman, Matias 2023, arXiv:2211.17192"
_CHEN = "Chen et al. 2023, arXiv:2302.01318"
_UNVERIFIED = "(source unverified)"
_HERE = "stated here"
_MADE_HERE = "made here"


def _theorem(*parts: Any, **options: Any) -> Theorem:
    name, statement, latex, source, domain, holds = parts
    return Theorem(name, statement, latex, source, domain, holds, None, about="chain", rule=CHAIN, **options)


THEOREMS: tuple[Theorem, ...] = (
    _theorem(
        "chain_lossless",
        "For all targets, drafts and gamma: one call, then the target's own tokens up to gamma + 1, has the target's "
        "law on sequences.",
        r"\forall p, q, \gamma\ \forall y \in V^{\gamma+1}:\ \sum_{e \preceq y} \Pr(e)\, P(y \mid e) = P(y)",
        f"{_LEVIATHAN}, Appendix A.1 {_UNVERIFIED}; {_CHEN}, Theorem 1 {_UNVERIFIED}",
        claims.CHAINS,
        claims.lossless,
        refutes=(
            "chain_keeps_everything",
            "chain_ratio_of_the_previous_position",
            "chain_one_coin",
            "chain_no_stop",
            "chain_replacement_from_target",
            "chain_residual_of_the_next_draft_row",
            "chain_residual_of_the_first_position",
            "chain_bonus_from_draft",
            "chain_stale_bonus",
        ),
        shared="follows from chain_prefix_law, which gives the law of every emitted block: what breaks it breaks that",
    ),
    _theorem(
        "chain_law_is_the_samplers",
        "For all targets, drafts and gamma: the law of the emitted tokens is that of the sampler, over all drafted "
        "tokens, coins and last tokens.",
        r"\forall p, q, \gamma:\ \Pr(e) = \sum_{x \in V^\gamma} Q(x) \Pr(e \mid x)",
        _HERE,
        claims.CHAINS,
        claims.law_is_the_samplers,
        refutes=("chain_whole_blocks",),
        shared="follows from chain_path_law and chain_prefix_law: a law that is not the sampler's breaks one of them",
    ),
    _theorem(
        "chain_path_law",
        "For all targets, drafts, gamma and all tokens that can be drafted: the sampler keeps exactly i of them with "
        "probability (1 - a_i) prod_{j < i} a_j, then emits the residual of position i, or the bonus.",
        r"\forall x:\ \Pr(\tau = i, Y = y \mid x) = (1 - a_{i+1})\, r_{i+1}(y) \prod_{j \le i} a_j,\ i < \gamma",
        f"after {_LEVIATHAN}, Algorithm 1 {_UNVERIFIED}",
        claims.CHAINS,
        claims.path_is_the_samplers,
        refutes=(
            "chain_keeps_everything",
            "chain_ratio_of_the_previous_position",
            "chain_one_coin",
            "chain_no_stop",
            "chain_replacement_from_target",
            "chain_residual_of_the_next_draft_row",
            "chain_residual_of_the_first_position",
            "chain_bonus_from_draft",
            "chain_stale_bonus",
            "chain_keep_iff_p_covers_q",
            "chain_unreached_stops",
        ),
        sole="chain_unreached_stops",
    ),
    _theorem(
        "chain_prefix_law",
        "For all targets, drafts, gamma and w of k <= gamma + 1 tokens that can be reached: what is emitted begins "
        "with w with probability prod_{i < k} min(p_i, q_i)(w_i) p_k(w_k).",
        r"\forall w:\ \Pr(w \preceq e) = \prod_{i<k} \min(p_i, q_i)(w_i)\, p_k(w_k)",
        _HERE,
        claims.CHAINS,
        claims.prefix_law,
        refutes=(
            "chain_keeps_everything",
            "chain_ratio_of_the_previous_position",
            "chain_one_coin",
            "chain_no_stop",
            "chain_replacement_from_target",
            "chain_residual_of_the_next_draft_row",
            "chain_residual_of_the_first_position",
            "chain_bonus_from_draft",
            "chain_stale_bonus",
            "chain_keep_iff_p_covers_q",
            "chain_whole_blocks",
            "chain_tokens_given_their_number",
        ),
        sole="chain_tokens_given_their_number",
    ),
    _theorem(
        "chain_accepted_law",
        "For all targets, drafts and gamma: at least i drafted tokens are kept with probability the sum over x^i of "
        "prod min(p_j, q_j), which gives the law of tau and of the number of emitted tokens, tau + 1.",
        r"\Pr(\tau \ge i) = \sum_{x^i} \prod_{j \le i} \min(p_j, q_j)(x_j),\ |e| = \tau + 1",
        f"after {_LEVIATHAN}, Section 3 {_UNVERIFIED}",
        claims.CHAINS,
        claims.accepted,
        refutes=(
            "chain_keeps_everything",
            "chain_ratio_of_the_previous_position",
            "chain_one_coin",
            "chain_no_stop",
            "chain_keep_iff_p_covers_q",
            "chain_whole_blocks",
            "chain_geometric_law",
        ),
        sole="chain_geometric_law",
    ),
    _theorem(
        "chain_expected_accepted",
        "For all targets, drafts and gamma: E[tau] is the sum of the joint minima over prefixes of 1 to gamma tokens.",
        r"E[\tau] = \sum_{i=1}^{\gamma} \sum_{x^i} \prod_{j \le i} \min(p_j, q_j)(x_j)",
        _HERE,
        claims.CHAINS,
        claims.expected_is_sum_of_minima,
        refutes=(
            "chain_keeps_everything",
            "chain_ratio_of_the_previous_position",
            "chain_one_coin",
            "chain_no_stop",
            "chain_keep_iff_p_covers_q",
            "chain_counts_the_bonus",
            "chain_share_of_gamma",
            "chain_expects_the_first_alpha",
        ),
        sole="chain_expects_the_first_alpha",
    ),
    _theorem(
        "chain_monotone_in_gamma",
        "For all targets, drafts and gamma: the last drafted token adds to E[tau] at least 0 and at most what the "
        "token before it added.",
        r"0 \le E_\gamma[\tau] - E_{\gamma-1}[\tau] \le E_{\gamma-1}[\tau] - E_{\gamma-2}[\tau] \le 1",
        _HERE,
        claims.CHAINS,
        claims.monotone,
        refutes=("chain_share_of_gamma",),
        shared="follows from chain_expected_accepted: a sum that gains what that says is monotone",
    ),
    _theorem(
        "chain_constant_rows",
        "For all p, q that are the rows of every position and all gamma: Pr(tau = i) = alpha^i (1 - alpha) for "
        "i < gamma, Pr(tau = gamma) = alpha^gamma, and E[tau] + 1 = (1 - alpha^(gamma + 1))/(1 - alpha).",
        r"E[\tau] + 1 = \frac{1 - \alpha^{\gamma+1}}{1 - \alpha}",
        f"{_LEVIATHAN}, Equation 1 {_UNVERIFIED}",
        claims.CONSTANT,
        claims.geometric,
        refutes=(
            "chain_keeps_everything",
            "chain_one_coin",
            "chain_no_stop",
            "chain_keep_iff_p_covers_q",
            "chain_counts_the_bonus",
            "chain_share_of_gamma",
            "chain_tokens_without_bonus",
        ),
        sole="chain_tokens_without_bonus",
    ),
    _theorem(
        "chain_best_gamma",
        "For all alpha and costs c: the speed-up is E[tokens]/(gamma c + 1), rises to its greatest value and never "
        "again, and the best gamma is the first that reaches it.",
        r"\gamma^* = \min \arg\max_\gamma \frac{1 - \alpha^{\gamma+1}}{(1 - \alpha)(\gamma c + 1)}",
        f"{_LEVIATHAN}, Theorem 3.8 {_UNVERIFIED}",
        claims.SPEEDS,
        claims.speed,
        refutes=(
            "chain_drafts_at_once",
            "chain_longest_of_the_best",
        ),
        sole="chain_longest_of_the_best",
    ),
)


def _of_sampler(name: str, fault: str, source: str, sampler: Sampler) -> Mutant:
    return Mutant(name, fault, source, rule_of_sampler(sampler), about="chain")


def _liar(name: str, fault: str, **closed_forms: Callable[..., Any]) -> Mutant:
    return Mutant(name, fault, _MADE_HERE, replace(CHAIN, **closed_forms), about="chain")


MUTANTS: tuple[Mutant, ...] = (
    _of_sampler(
        "chain_keeps_everything",
        "keeps every drafted token",
        "huggingface/transformers#28508",
        sampler_of(keep=lambda *_: S.One),
    ),
    _of_sampler(
        "chain_ratio_of_the_previous_position",
        "compares token i with the rows of position i - 1",
        _MADE_HERE,
        sampler_of(keep=faults.previous_ratio),
    ),
    _of_sampler(
        "chain_one_coin",
        "compares every ratio of a call with one uniform",
        _MADE_HERE,
        faults.one_coin,
    ),
    _of_sampler(
        "chain_no_stop",
        "replaces a rejected token and goes on with those drafted behind it",
        _MADE_HERE,
        faults.goes_on,
    ),
    _of_sampler(
        "chain_replacement_from_target",
        "draws the replacement from p",
        "ShopeeLLM/Spec-RL#14",
        faults.ends(lambda target, draft, tokens, i: target(tokens[:i])),
    ),
    _of_sampler(
        "chain_residual_of_the_next_draft_row",
        "subtracts the draft's row of the next position",
        "openvinotoolkit/openvino.genai#4190",
        faults.ends(faults.residual_of_next_draft),
    ),
    _of_sampler(
        "chain_residual_of_the_first_position",
        "draws the replacement from the residual of the first position",
        _MADE_HERE,
        faults.ends(lambda target, draft, tokens, i: faults.residual(target, draft, tokens, 0)),
    ),
    _of_sampler(
        "chain_bonus_from_draft",
        "draws the bonus token from q",
        _MADE_HERE,
        faults.ends(faults.residual, lambda target, draft, tokens: draft(tokens)),
    ),
    _of_sampler(
        "chain_stale_bonus",
        "draws the bonus token from the row of the last verified position",
        _MADE_HERE,
        faults.ends(faults.residual, lambda target, draft, tokens: target(tokens[:-1])),
    ),
    _of_sampler(
        "chain_keep_iff_p_covers_q",
        "keeps iff p >= q, replaces from p - q 1[q <= p]: the right law, a smaller E[tau]",
        _MADE_HERE,
        sampler_of(faults.covers, faults.shortfall),
    ),
    _liar(
        "chain_whole_blocks",
        "reports the target's law on gamma + 1 tokens as that of a call",
        emitted_law=faults.whole_blocks,
    ),
    _liar("chain_unreached_stops", "leaves out the chance that a position is reached", path_law=faults.unreached),
    _liar(
        "chain_tokens_given_their_number",
        "takes the tokens of a call, given that there are k of them, for k tokens of the target",
        prefix_probability=faults.independent_of_length,
    ),
    _liar(
        "chain_geometric_law", "takes alpha of the first position for all of them", accepted_law=faults.geometric_law
    ),
    _liar("chain_counts_the_bonus", "counts the last token as an accepted one", expected_accepted=faults.with_bonus),
    _liar("chain_share_of_gamma", "divides E[tau] by gamma", expected_accepted=faults.share),
    _liar(
        "chain_expects_the_first_alpha",
        "computes E[tau] from alpha of the first position",
        expected_accepted=faults.first_alpha,
    ),
    _liar(
        "chain_tokens_without_bonus",
        "takes (1 - alpha^gamma)/(1 - alpha) for the expected tokens",
        expected_tokens=lambda alpha, gamma: efficiency.expected_tokens(alpha, gamma) - alpha**gamma,
    ),
    _liar(
        "chain_drafts_at_once",
        "counts the time of one call of the draft, whatever gamma",
        speedup=lambda alpha, gamma, cost: efficiency.expected_tokens(alpha, gamma) / (1 + cost),
    ),
    _liar(
        "chain_longest_of_the_best",
        "takes the greatest gamma among equally fast ones",
        best_gamma=faults.last_of_the_best,
    ),
)
