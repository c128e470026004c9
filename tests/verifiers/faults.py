"""Verifiers that are not lossless, with the law that each has on the smallest input that shows it.

`KINDS` and `SIBLING_KINDS` hold the input and the exact numbers, one line a kind; `FAULTS` and `SIBLING_FAULTS` add
the spellings.
"""

from fractions import Fraction
from typing import NamedTuple

from tests.verifiers import blocks, chains, log_space, siblings
from tests.verifiers import wrong_keeps as keeps
from tests.verifiers import wrong_residuals as residuals
from tests.verifiers import wrong_rows as rows
from tests.verifiers.records import (
    B0,
    I2,
    I3,
    I5,
    Drafter,
    Fault,
    Row,
    Rows,
    SiblingFault,
    Verify,
    draw_from_top_two,
    draw_largest,
    row,
)

__all__ = ["FAULTS", "KINDS", "SIBLING_FAULTS", "SIBLING_KINDS", "Kind", "SiblingKind"]

HERE = "made here"


class Kind(NamedTuple):
    """Where a fault was seen, an input, the law of the first token and the distance on gamma + 1 tokens."""

    source: str
    target: Rows
    draft: Rows
    gamma: int
    law: Row
    total_variation: Fraction
    drafter: Drafter | None = None


class SiblingKind(NamedTuple):
    """The same for one token with k siblings."""

    source: str
    target: Row
    draft: Row
    k: int
    replacement: bool
    law: Row
    total_variation: Fraction


def _same(
    pair: tuple[Row, Row], gamma: int, source: str, law: str, distance: str, drafter: Drafter | None = None
) -> Kind:
    """The same rows at every position."""
    p, q = pair
    return Kind(source, (p,) * (gamma + 1), (q,) * gamma, gamma, row(law), Fraction(distance), drafter)


def _after_zero(prefix: tuple[int, ...]) -> Row:
    return row("1/2 1/4 1/4") if prefix[-1:] == (0,) else B0[0]


def _epsilon(size: Fraction, source: str) -> Kind:
    """B0: token 0 is kept too rarely, and the difference goes to the residual (0, 1/3, 2/3)."""
    kept = Fraction(1, 2) * Fraction(1, 8) / (Fraction(1, 2) + size)
    lost = Fraction(1, 2) - kept
    law = (kept, Fraction(1, 4) + lost / 3, Fraction(1, 4) + lost * 2 / 3)
    return Kind(source, (B0[0],) * 2, (B0[1],), 1, law, Fraction(1, 8) - kept)


_MOVING = (B0[0], row("1/2 1/4 1/4"), row("1/4 1/4 1/2"))
_MOVING_DRAFT = (B0[1], row("1/8 3/8 1/2"))
_UNSEEN = (row("1/2 1/4 1/4"), row("1/4 3/4 0"))
_HOT = (row("1/4 3/4"), row("1 0"))
_DISJOINT = (row("0 1"), row("1 0"))
_ONLY_ZERO = (row("1/8 1/8 3/4"), row("1/4 1/2 1/4"))
_SIGNED = (row("1/2 1/8 3/8"), row("1/4 1/2 1/4"))

KINDS: dict[str, Kind] = {
    "always keep": _same(B0, 1, "huggingface/transformers 28508; vllm-ascend 13730", "1/2 1/4 1/4", "3/8"),
    "greedy drafter": _same(
        B0, 1, "huggingface/transformers 32867; jaymody/speculative-sampling 3", "1/4 1/4 1/2", "1/8", draw_largest
    ),
    "drafter draws from the top two": _same(
        B0, 1, "huggingface/transformers 47932", "1/6 1/2 1/3", "1/6", draw_from_top_two
    ),
    "correction from p": _same(B0, 1, "ShopeeLLM/Spec-RL 14", "11/64 25/64 7/16", "1/16"),
    "residual at the drafted token only": _same(B0, 1, "a package on the public index", "1/8 23/56 13/28", "1/28"),
    "row off by one in the correction": Kind(
        "openvino.genai 4190", (B0[0],) * 3, (B0[1], row("1/4 1/2 1/4")), 2, row("1/8 1/4 5/8"), Fraction(1, 8)
    ),
    "input changed before the test": _same(_HOT, 1, "vllm-ascend 2881", "0 1", "1/4"),
    "boundary kept, 16 points": _same(_DISJOINT, 1, "sgl-project/sglang 35771", "1/16 15/16", "1/16"),
    "boundary kept, float64": _same(
        _DISJOINT, 1, "float64 coins; none in exact arithmetic", f"1/{2**53} {2**53 - 1}/{2**53}", f"1/{2**53}"
    ),
    "inverted ratio": _same(B0, 1, HERE, "1/2 17/72 19/72", "3/8"),
    "absolute residual": _same(B0, 1, HERE, "5/16 5/16 3/8", "3/16"),
    "reversed residual": _same(B0, 1, HERE, "1/2 1/4 1/4", "3/8"),
    "argmax residual": _same(B0, 1, HERE, "1/8 1/4 5/8", "1/8"),
    "block stops at the first failed coin": _same(I2, 2, "review comment, vllm-ascend 11985", "0 1", "1/3"),
    "block with one coin": _same(I5, 2, HERE, "169/400 123/400 17/100 1/10", "3/100"),
    "block with the residual of the token rule": _same(I5, 2, HERE, "2/5 3/10 1/5 1/10", "1/80"),
    "block without the cap": _same(I5, 2, HERE, "2/5 3/10 1/5 1/10", "7/100"),
    "bonus from q": _same(I3, 1, HERE, "1/2 1/3 1/6", "2/9"),
    "bonus from the previous row": Kind(HERE, (B0[0], row("1/2 1/4 1/4")), (B0[1],), 1, B0[0], Fraction(15, 64)),
    "greedy bonus": _same(B0, 1, HERE, "1/8 3/8 1/2", "5/16"),
    "top two at the bonus": _same(B0, 1, HERE, "1/8 3/8 1/2", "5/64"),
    "coin reused for the bonus": _same(B0, 1, HERE, "1/8 3/8 1/2", "1/16"),
    "coin reused for the residual": _same(B0, 1, HERE, "1/8 7/24 7/12", "1/12"),
    "one coin for all positions": _same(B0, 2, HERE, "1/8 3/8 1/2", "3/64"),
    "running product of ratios": _same(B0, 2, HERE, "1/8 3/8 1/2", "1/16"),
    "kept coins counted": _same(B0, 2, HERE, "23/64 19/64 11/32", "15/64"),
    "duplicates kept": _same(B0, 2, HERE, "1/8 3/8 1/2", "3/64"),
    "first residual everywhere": Kind(HERE, _MOVING, _MOVING_DRAFT, 2, B0[0], Fraction(15, 64)),
    "stale row": Kind(HERE, _MOVING, _MOVING_DRAFT, 2, B0[0], Fraction(9, 256)),
    "goes on after a correction": Kind(HERE, _after_zero, (B0[1],) * 2, 2, B0[0], Fraction(99, 512)),
    "residual masked by the draft": _same(_UNSEEN, 1, HERE, "3/4 1/4 0", "1/4"),
    "token 0 taken for no rejection": _same(_ONLY_ZERO, 1, HERE, "9/64 9/64 23/32", "1/32"),
    "residual not clamped": _same(_SIGNED, 1, HERE, "5/8 1/8 1/4", "1/8"),
    "residual into multinomial as it is": _same(B0, 1, HERE, "1/8 19/64 37/64", "5/64"),
    "residual into the CDF as it is": _same(B0, 1, HERE, "23/64 19/64 11/32", "15/64"),
    "uniform over the gains": _same(B0, 1, HERE, "1/8 7/16 7/16", "1/16"),
    "epsilon 2^-10": _epsilon(Fraction(1, 1024), HERE),
    "epsilon 1e-10": _epsilon(Fraction(1e-10), "written as q + 1e-10 in several engines"),
    "undeclared lenience": _same(I3, 1, "lenience 3/4", "4/9 1/3 2/9", "1/18"),
    "keep where p >= q, token rule's residual": _same(B0, 1, HERE, "0 5/12 7/12", "1/8"),
    "flipped comparison": _same(B0, 1, HERE, "3/8 5/24 5/12", "1/4"),
    "greedy on a soft target": _same(B0, 1, HERE, "0 0 1", "1/2"),
    "leak": _same(B0, 1, HERE, "35/256 95/256 63/128", "3/256"),
    "left side of the CDF": Kind(HERE, (row("0 1"),), (), 0, row("1/8 7/8"), Fraction(1, 8)),
}

SIBLING_KINDS: dict[str, SiblingKind] = {
    "residual not updated between drafts": SiblingKind(
        HERE, *I5, 2, True, row("13/50 8/25 7/25 7/50"), Fraction(7, 50)
    ),
    "last residual skipped": SiblingKind(HERE, *I5, 2, True, row("7/20 7/20 1/5 1/10"), Fraction(1, 20)),
    "draft not renormalised": SiblingKind(HERE, *I5, 2, False, row("699/1960 673/1960 1/5 1/10"), Fraction(17, 392)),
    "duplicate counted twice": SiblingKind(
        HERE, row("1/4 3/4"), row("2/3 1/3"), 2, True, row("1/3 2/3"), Fraction(1, 12)
    ),
    "K-SEQ with rho 1": SiblingKind(HERE, *I5, 2, True, row("101/350 51/175 7/25 7/50"), Fraction(3, 25)),
}

_SPELLINGS: dict[str, dict[str, Verify]] = {
    "always keep": {"no test": keeps.keep_all, "coins never filled": keeps.keep_coin_fixed_at_zero},
    "greedy drafter": {
        "scalar": chains.scalar_loop,
        "vectorised": chains.vectorised_searchsorted,
        "log space": log_space.gumbel_race,
    },
    "drafter draws from the top two": {"scalar": chains.in_place_residual, "race": log_space.exponential_race},
    "correction from p": {
        "choice": residuals.from_the_target_choice,
        "loop": residuals.from_the_target_loop,
        "race": residuals.from_the_target_race,
    },
    "residual at the drafted token only": {
        "copy": residuals.drafted_token_only,
        "mask": residuals.drafted_token_only_masked,
    },
    "row off by one in the correction": {"loop": rows.next_draft_row, "shifted array": rows.next_draft_row_rolled},
    "input changed before the test": {"loop": keeps.input_changed_loop, "view": keeps.input_changed_masked},
    "boundary kept, 16 points": {"integers": keeps.boundary_integer_coin},
    "boundary kept, float64": {"vectorised": keeps.boundary_float_coin},
    "inverted ratio": {
        "scalar": keeps.inverted_scalar,
        "vectorised": keeps.inverted_vectorised,
        "log space": keeps.inverted_log_space,
    },
    "absolute residual": {
        "vectorised": residuals.absolute_difference,
        "scalar": residuals.absolute_difference_scalar,
    },
    "reversed residual": {"choice": residuals.reversed_difference, "CDF": residuals.reversed_difference_cdf},
    "argmax residual": {"log coins": residuals.argmax_residual, "scalar": residuals.argmax_residual_scalar},
    "block stops at the first failed coin": {
        "loop": blocks.block_stops_early,
        "cumprod": blocks.block_stops_early_vectorised,
    },
    "block with one coin": {"loop": blocks.block_one_coin},
    "block with the residual of the token rule": {"loop": blocks.block_residual_of_the_token_rule},
    "block without the cap": {"loop": blocks.block_uncapped},
    "bonus from q": {"choice": rows.bonus_from_the_draft, "race": rows.bonus_from_the_draft_race},
    "bonus from the previous row": {"choice": rows.bonus_from_previous_row},
    "greedy bonus": {"argmax": rows.bonus_greedy},
    "top two at the bonus": {"argsort": rows.bonus_top_two},
    "coin reused for the bonus": {"loop": rows.coin_reused_for_bonus},
    "coin reused for the residual": {
        "loop": rows.coin_reused_for_residual,
        "one coin too few": rows.coin_reused_for_residual_cdf,
    },
    "one coin for all positions": {"loop": rows.one_coin_for_all, "broadcast": rows.one_coin_for_all_vectorised},
    "running product of ratios": {"cumprod": keeps.cumulative_product},
    "kept coins counted": {"sum": rows.count_kept_coins},
    "duplicates kept": {"loop": keeps.keep_duplicates},
    "first residual everywhere": {"hoisted": rows.first_residual_everywhere},
    "stale row": {"cache": rows.stale_row},
    "goes on after a correction": {"loop": rows.go_on_after_a_correction},
    "residual masked by the draft": {"where": residuals.masked_by_the_draft},
    "token 0 taken for no rejection": {"if": residuals.zero_is_falsy},
    "residual not clamped": {"CDF": residuals.not_clamped},
    "residual into multinomial as it is": {"multinomial": residuals.not_normalised_multinomial},
    "residual into the CDF as it is": {"CDF": residuals.not_normalised_cdf},
    "uniform over the gains": {"choice": residuals.uniform_over_gains},
    "epsilon 2^-10": {"vectorised": keeps.epsilon_vectorised, "scalar": keeps.epsilon_scalar},
    "epsilon 1e-10": {"scalar": keeps.epsilon_tiny},
    "undeclared lenience": {"scalar": keeps.lenient, "log space": keeps.lenient_log_space},
    "keep where p >= q, token rule's residual": {"loop": keeps.target_above_with_token_rule_residual},
    "flipped comparison": {"loop": keeps.flipped_comparison},
    "greedy on a soft target": {"argmax": keeps.greedy_on_a_soft_target},
    "leak": {"integers": keeps.leak},
    "left side of the CDF": {"searchsorted": rows.left_side_of_the_cdf},
}

_SIBLING_SPELLINGS: dict[str, dict[str, Verify]] = {
    "residual not updated between drafts": {
        "loop": siblings.forget_the_update,
        "vectorised": siblings.forget_the_update_vectorised,
    },
    "last residual skipped": {"loop": siblings.last_residual_skipped},
    "draft not renormalised": {"loop": siblings.without_renormalising},
    "duplicate counted twice": {"one coin": siblings.count_duplicates_twice},
    "K-SEQ with rho 1": {"loop": siblings.k_seq_rho_one},
}

FAULTS: tuple[Fault, ...] = tuple(
    Fault(f"{kind}: {spelling}", kind, verify, *KINDS[kind])
    for kind, spellings in _SPELLINGS.items()
    for spelling, verify in spellings.items()
)

SIBLING_FAULTS: tuple[SiblingFault, ...] = tuple(
    SiblingFault(f"{kind}: {spelling}", kind, verify, *SIBLING_KINDS[kind])
    for kind, spellings in _SIBLING_SPELLINGS.items()
    for spelling, verify in spellings.items()
)
