"""Wrong: faults that need more than one token, more than one row or a coin at its end to show."""

from typing import Any

import numpy as np

from tests.hostile.entries import Entry, entries
from tests.hostile.parts import chain, draw, everything, first_maximum, pick, replacement, residual

__all__ = ["WRONG_POSITIONS"]


def second_position_only(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The token at the second position is kept without a coin."""
    for i, x in enumerate(tokens.tolist()):
        if i != 1 and not rng.random() * draft[i, x] < target[i, x]:
            return [*tokens[:i].tolist(), replacement(target[i], draft[i], rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def long_drafts_only(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Right for one drafted token; two are kept together or not at all, by the second's coin."""
    if len(tokens) == 1:
        return chain(target, draft, tokens, rng)
    if rng.random() * draft[1, tokens[1]] < target[1, tokens[1]]:
        return everything(target, tokens, rng)
    return [replacement(target[0], draft[0], rng)]


def stale_row_in_the_correction(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The replacement is drawn from the residual of the next position."""
    for i, x in enumerate(tokens.tolist()):
        if not rng.random() * draft[i, x] < target[i, x]:
            return [*tokens[:i].tolist(), replacement(target[i], draft[min(i + 1, len(draft) - 1)], rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def first_row_in_every_correction(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Every replacement is drawn from the first position's residual."""
    for i, x in enumerate(tokens.tolist()):
        if not rng.random() * draft[i, x] < target[i, x]:
            return [*tokens[:i].tolist(), replacement(target[0], draft[0], rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def bonus_from_the_draft(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The bonus token is drawn from the last draft row."""
    emitted = chain(target, draft, tokens, rng)
    return emitted if len(emitted) <= len(tokens) else [*tokens.tolist(), draw(draft[-1], rng)]


def bonus_from_a_stale_row(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The bonus token is drawn from the row before its own."""
    emitted = chain(target, draft, tokens, rng)
    return emitted if len(emitted) <= len(tokens) else [*tokens.tolist(), draw(target[-2], rng)]


def greedy_bonus(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The bonus token is the most likely one."""
    emitted = chain(target, draft, tokens, rng)
    return emitted if len(emitted) <= len(tokens) else [*tokens.tolist(), first_maximum(target[-1])]


def leak_of_a_thousandth(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """One call in a thousand keeps everything."""
    if rng.random() * 1000 < 1:
        return everything(target, tokens, rng)
    return chain(target, draft, tokens, rng)


def later_success_keeps_all(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The last coin that succeeds keeps all tokens before it: block verification without its ratios."""
    kept = 0
    for i, x in enumerate(tokens.tolist()):
        if rng.random() * draft[i, x] < target[i, x]:
            kept = i + 1
    last = draw(target[-1], rng) if kept == len(tokens) else replacement(target[kept], draft[kept], rng)
    return [*tokens[:kept].tolist(), last]


def _block(target: Any, draft: Any, tokens: Any, rng: Any, *, cap: bool, stop: bool, scale: bool) -> list[int]:
    kept, weight, scales = 0, 1, [1]
    for i, x in enumerate(tokens.tolist()):
        weight = weight * target[i, x] / draft[i, x]
        weight = min(weight, 1) if cap else weight
        scales.append(weight)
        height = weight if i + 1 == len(tokens) else _block_height(weight, target[i + 1], draft[i + 1])
        if rng.random() < height:
            kept = i + 1
        elif stop:
            break
    if kept == len(tokens):
        return [*tokens.tolist(), draw(target[-1], rng)]
    p = scales[kept] * target[kept] if scale else target[kept]
    return [*tokens[:kept].tolist(), replacement(p, draft[kept], rng)]


def _block_height(weight: Any, p: Any, q: Any) -> Any:
    left = sum(np.maximum(weight * p - q, 0))
    return 1 if left + 1 == weight else left / (left + 1 - weight)


def block_rule_stops_early(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Block verification that stops at the first coin that fails."""
    return _block(target, draft, tokens, rng, cap=True, stop=True, scale=True)


def block_rule_uncapped(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Block verification with the whole product of ratios, not cut at one."""
    return _block(target, draft, tokens, rng, cap=False, stop=False, scale=True)


def block_rule_plain_residual(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Block verification with the token rule's residual."""
    return _block(target, draft, tokens, rng, cap=True, stop=False, scale=False)


def impatient_retries(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The residual is drawn by retries from the target, of which the third is taken whatever it is."""
    for i, x in enumerate(tokens.tolist()):
        if rng.random() * draft[i, x] < target[i, x]:
            continue
        y = 0
        for _ in range(3):
            y = draw(target[i], rng)
            if rng.random() * target[i, y] < target[i, y] - draft[i, y]:
                break
        return [*tokens[:i].tolist(), y]
    return [*tokens.tolist(), draw(target[-1], rng)]


def coarse_coin(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The coin is one of ten numbers."""
    for i, x in enumerate(tokens.tolist()):
        if not int(rng.integers(10)) * draft[i, x] < 10 * target[i, x]:
            return [*tokens[:i].tolist(), replacement(target[i], draft[i], rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def forgotten_permutation(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Replacements are drawn from the sorted residual, and the rank is returned for the token."""
    for i, x in enumerate(tokens.tolist()):
        if not rng.random() * draft[i, x] < target[i, x]:
            return [*tokens[:i].tolist(), draw(sorted(residual(target[i], draft[i]), reverse=True), rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def ignores_the_draft(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Every position is drawn from the row it was given, whether the tokens before it were the drafted ones or not."""
    return [draw(p, rng) for p in target]


def goes_on_after_a_replacement(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """After a replaced token one more is drawn from a row that is meant for another prefix."""
    emitted = chain(target, draft, tokens, rng)
    return emitted if len(emitted) > len(tokens) else [*emitted, draw(target[len(emitted)], rng)]


def peeks_at_the_next_token(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The first token of two is dropped where the second is an unlikely one, and its own coin is not asked."""
    if len(tokens) == 2 and target[1, tokens[1]] < draft[1, tokens[1]]:
        return [draw(target[0], rng)]
    return chain(target, draft, tokens, rng)


def bonus_avoids_repeating(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The bonus is drawn once more where it repeats the first token."""
    emitted = chain(target, draft, tokens, rng)
    if len(emitted) > len(tokens) and emitted[-1] == emitted[0]:
        return [*emitted[:-1], draw(target[-1], rng)]
    return emitted


def uniform_of_the_first_draws_the_second(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The match rule for one position; the token after it is drawn with the same uniform."""
    u = rng.random()
    y = pick(target[0], u * sum(target[0]))
    return [y, pick(target[1], u * sum(target[1]))] if y == tokens[0] else [y]


def right_marginals(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Going on does not depend on the first token, so each position has its right marginal; the joint law is wrong."""
    u = rng.random()
    p, q = target[0], draft[0]
    y = pick(p, u * sum(p))
    least = min(q[p > 0])
    if y != tokens[0] or not rng.random() * q[y] < least:
        return [y]
    return [y, pick(target[1], u * sum(target[1]))]


def smallest_coin_passes(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A token of no mass is kept when the coin is exactly 0."""
    for i, x in enumerate(tokens.tolist()):
        if not rng.random() <= target[i, x] / draft[i, x]:
            return [*tokens[:i].tolist(), replacement(target[i], draft[i], rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def searches_from_the_left(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The inverse CDF takes the first token at or above the coin, which at 0 is one of no mass."""
    cdf = np.cumsum(target[0])
    return [int(np.searchsorted(cdf, rng.random() * cdf[-1], side="left"))]


def rounded_rows(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The target is rounded to two digits first."""
    return chain(np.round(target * 100) / 100, draft, tokens, rng)


WRONG_POSITIONS = (
    *entries(
        "biased",
        second_position_only,
        long_drafts_only,
        stale_row_in_the_correction,
        first_row_in_every_correction,
        bonus_from_the_draft,
        bonus_from_a_stale_row,
        greedy_bonus,
        leak_of_a_thousandth,
        later_success_keeps_all,
        block_rule_stops_early,
        block_rule_uncapped,
        block_rule_plain_residual,
        impatient_retries,
        coarse_coin,
        forgotten_permutation,
        ignores_the_draft,
        goes_on_after_a_replacement,
        peeks_at_the_next_token,
        bonus_avoids_repeating,
        uniform_of_the_first_draws_the_second,
        right_marginals,
    ),
    *entries(
        "not lossless",
        smallest_coin_passes,
        searches_from_the_left,
        rounded_rows,
    ),
    Entry(
        "smallest_coin_passes_in_floats",
        smallest_coin_passes,
        "A token of no mass is kept when the coin is exactly 0, one draw in 2**53.",
        "biased",
        options={"arithmetic": "float64"},
    ),
    Entry(
        "searches_from_the_left_in_floats",
        searches_from_the_left,
        "The inverse CDF emits a token of no mass when the coin is exactly 0.",
        "biased",
        options={"arithmetic": "float64"},
    ),
)
