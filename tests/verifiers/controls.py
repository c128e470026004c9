"""Verifiers that are lossless: `CONTROLS` for blocks, `SIBLING_CONTROLS` for several drafts of one token."""

from tests.verifiers import blocks, chains, log_space, matches, siblings
from tests.verifiers.records import Control, SiblingControl, draw_largest, draw_largest_siblings

__all__ = ["CONTROLS", "SIBLING_CONTROLS"]

TOKEN_RULE = "the token rule"
T2 = "T2: the target's own token, whatever was drafted"

CONTROLS: tuple[Control, ...] = (
    Control("scalar loop", chains.scalar_loop, TOKEN_RULE),
    Control("vectorised, searchsorted", chains.vectorised_searchsorted, TOKEN_RULE),
    Control("padded, all residuals", chains.padded_all_residuals, TOKEN_RULE),
    Control("multinomial over the support", chains.multinomial_support, TOKEN_RULE),
    Control("in-place residual", chains.in_place_residual, TOKEN_RULE),
    Control("break, argmax of the CDF", chains.cdf_argmax_break, TOKEN_RULE),
    Control("float32 throughout", chains.float32_throughout, "rounds in float32, coins on the grid k/2^24"),
    Control("float64 temporaries", chains.float64_temporaries, "rounds in float64"),
    Control("binomial coins, recursion", chains.bernoulli_tuple, TOKEN_RULE),
    Control("one coin rescaled", chains.rescaled_coin, "what is left of a coin is uniform again"),
    Control("residual by rejected token", chains.token_by_token_residual, "T1: right on average over the rejections"),
    Control("log space, Gumbel race", log_space.gumbel_race, TOKEN_RULE),
    Control("log space, scalar", log_space.log_coin_scalar, "rounds in float64"),
    Control("exponential race, argmax", log_space.exponential_race, TOKEN_RULE),
    Control("exponential race, argmin", log_space.quickest_arrival, TOKEN_RULE),
    Control("race of -log u", log_space.log_uniform_race, TOKEN_RULE),
    Control("block, scalar", blocks.block_scalar, "block verification"),
    Control("block, vectorised", blocks.block_vectorised, "block verification by T6"),
    Control("match, loop", matches.match_loop, T2),
    Control("match, one sweep", matches.match_in_one_sweep, T2),
    Control("match, compared afterwards", matches.match_one_sample_a_row, T2),
    Control("match, race", matches.match_by_race, T2),
    Control("match, greedy drafter", matches.match_loop, T2, drafter=draw_largest),
    Control("one-hot draft", matches.one_hot_argmax, "keep-probability p(x*)", drafter=draw_largest),
    Control(
        "one-hot draft, own row", matches.one_hot_row, "the token rule against a one-hot row", drafter=draw_largest
    ),
    Control("one-hot draft, drawn", matches.one_hot_argmax, "right for a drawn token too"),
    Control("keep iff p >= q", matches.keep_where_target_is_above, "T1: its own residual p - q [q <= p]"),
    Control("always reject", matches.always_reject, "the target alone"),
    Control("never the last", matches.never_the_last, "the last draft is thrown away, the call ends early"),
)

SIBLING_CONTROLS: tuple[SiblingControl, ...] = (
    SiblingControl("with replacement", siblings.with_replacement, "recursive rejection"),
    SiblingControl("with replacement, weights", siblings.with_replacement_cdf, "unnormalised residuals"),
    SiblingControl("without replacement", siblings.without_replacement, "q renormalised", replacement=False),
    SiblingControl("without, masked", siblings.without_replacement_masked, "q renormalised", replacement=False),
    SiblingControl("K-SEQ", siblings.k_seq, "rho = k"),
    SiblingControl("K-SEQ, geometric sum", siblings.k_seq_geometric, "rho = k"),
    SiblingControl("match a set", siblings.match_a_set, T2),
    SiblingControl("match a set, race", siblings.match_a_set_by_race, T2),
    SiblingControl(
        "fixed candidates",
        siblings.deterministic_siblings,
        "T2 with a set",
        replacement=False,
        drafter=draw_largest_siblings,
    ),
    SiblingControl(
        "q set to 1", siblings.distinct_with_draft_one, "distinct", replacement=False, drafter=draw_largest_siblings
    ),
    SiblingControl(
        "q set to 1, duplicates skipped", siblings.distinct_with_draft_one, "drawn siblings, duplicates skipped"
    ),
)
