"""Right: rules that are lossless and do not look it."""

from typing import Any

import numpy as np

from tests.hostile.entries import entries
from tests.hostile.parts import chain, draw, first_maximum, pick, replacement, residual

__all__ = ["RIGHT_RULES"]


def match_rule(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Draws from the target and goes on while the draft agrees; never looks at the draft rows."""
    emitted: list[int] = []
    for i, p in enumerate(target):
        emitted.append(draw(p, rng))
        if i < len(tokens) and emitted[-1] != tokens[i]:
            break
    return emitted


def always_fresh(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Ignores the draft and gives one token of the target's."""
    return [draw(target[0], rng)]


def at_most_one_kept(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Verifies the first token only, and never gives more than two."""
    return chain(target[:2], draft[:1], tokens[:1], rng)


def gives_up_by_a_coin(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Throws the draft away every third time, whatever it is."""
    if rng.random() * 3 < 1:
        return [draw(target[0], rng)]
    return chain(target, draft, tokens, rng)


def keep_iff_likelier(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Keeps a token iff p >= q, without a coin, and replaces by p - q[q <= p]."""
    for i, x in enumerate(tokens.tolist()):
        p, q = target[i], draft[i]
        if p[x] < q[x]:
            return [*tokens[:i].tolist(), draw(p - q * (q <= p), rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def half_as_eager(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Keeps with min(1, p/q)/2 and replaces by p - min(p, q)/2."""
    for i, x in enumerate(tokens.tolist()):
        p, q = target[i], draft[i]
        if not 2 * rng.random() * q[x] < min(p[x], q[x]):
            return [*tokens[:i].tolist(), draw(2 * p - np.minimum(p, q), rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def never_the_likeliest(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Rejects the target's likeliest token always, and makes up for it in the residual."""
    for i, x in enumerate(tokens.tolist()):
        p, kept = target[i], np.minimum(target[i], draft[i])
        kept[first_maximum(p)] = 0
        if not rng.random() * draft[i, x] < kept[x]:
            return [*tokens[:i].tolist(), draw(p - kept, rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def _block_coins(target: Any, draft: Any, tokens: Any) -> tuple[list[Any], list[Any]]:
    """Return the weight after each prefix and the height of each position's coin."""
    weights: list[Any] = [1]
    heights: list[Any] = []
    for i, x in enumerate(tokens.tolist()):
        weights.append(min(1, weights[-1] * target[i, x] / draft[i, x]))
        if i + 1 == len(tokens):
            heights.append(weights[-1])
            break
        left = sum(np.maximum(weights[-1] * target[i + 1] - draft[i + 1], 0))
        heights.append(1 if weights[-1] == 1 else left / (left + 1 - weights[-1]))
    return weights, heights


def _block_end(target: Any, draft: Any, tokens: Any, rng: Any, weight: Any, kept: int) -> list[int]:
    if kept == len(tokens):
        return [*tokens.tolist(), draw(target[-1], rng)]
    return [*tokens[:kept].tolist(), replacement(weight * target[kept], draft[kept], rng)]


def block_rule(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Block verification: the last coin that succeeds keeps everything before it."""
    weights, heights = _block_coins(target, draft, tokens)
    kept = 0
    for i, height in enumerate(heights):
        if rng.random() < height:
            kept = i + 1
    return _block_end(target, draft, tokens, rng, weights[kept], kept)


def block_rule_backwards(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Block verification from the last position, so that the first success ends it."""
    weights, heights = _block_coins(target, draft, tokens)
    for kept in range(len(tokens), 0, -1):
        if rng.random() < heights[kept - 1]:
            return _block_end(target, draft, tokens, rng, weights[kept], kept)
    return _block_end(target, draft, tokens, rng, 1, 0)


def _excess(left: Any, position: Any) -> int:
    # `position` in [0, 1) by ideal arithmetic; a rounding to 1 belongs to the last token that has mass.
    height = position * sum(left)
    return pick(left, height)


def one_uniform_recycled(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """One uniform serves everything: what a decision has left of it is stretched to [0, 1) again."""
    u = rng.random()
    for i, x in enumerate(tokens.tolist()):
        p, q = target[i], draft[i]
        ratio = min(1, p[x] / q[x])
        if not u < ratio:
            return [*tokens[:i].tolist(), _excess(residual(p, q), (u - ratio) / (1 - ratio))]
        u = u / ratio
    return [*tokens.tolist(), _excess(target[-1], u)]


def joint_inverse_cdf(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """One uniform a position: below p/q it keeps the token, above it its place between p and q picks the other."""
    for i, x in enumerate(tokens.tolist()):
        p, q = target[i], draft[i]
        height = rng.random() * q[x]
        if not height < p[x]:
            return [*tokens[:i].tolist(), _excess(residual(p, q), (height - p[x]) / (q[x] - p[x]))]
    return [*tokens.tolist(), draw(target[-1], rng)]


def transported_residual(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The replacement depends on the rejected token: both are at the same height in their cumulative sums."""
    for i, x in enumerate(tokens.tolist()):
        p, q = target[i], draft[i]
        if rng.random() * q[x] < p[x]:
            continue
        surplus = np.maximum(q - p, 0)
        height = (sum(surplus[:x]) + rng.random() * surplus[x]) / sum(surplus)
        return [*tokens[:i].tolist(), _excess(residual(p, q), height)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def two_coins_for_one(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The ratio is split into two factors with a coin for each."""
    for i, x in enumerate(tokens.tolist()):
        p, q = target[i], draft[i]
        ratio = min(1, p[x] / q[x])
        first = (1 + ratio) / 2
        if rng.random() < first and rng.random() < ratio / first:
            continue
        return [*tokens[:i].tolist(), replacement(p, q, rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def alias_table(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Replacements by the alias method: an integer and a coin."""
    for i, x in enumerate(tokens.tolist()):
        if rng.random() * draft[i, x] < target[i, x]:
            continue
        share, alias = _alias(residual(target[i], draft[i]))
        j = int(rng.integers(len(share)))
        return [*tokens[:i].tolist(), j if rng.random() < share[j] else alias[j]]
    return [*tokens.tolist(), draw(target[-1], rng)]


def _alias(row: Any) -> tuple[list[Any], list[int]]:
    size, total = len(row), sum(row)
    mass = [size * x / total for x in row]
    share: list[Any] = [1] * size
    alias = list(range(size))
    open_ = set(range(size))
    while small := [j for j in sorted(open_) if mass[j] < 1]:
        j, k = small[0], max(sorted(open_), key=lambda token: mass[token])
        share[j], alias[j] = mass[j], k
        mass[k] = mass[k] - (1 - mass[j])
        open_.discard(j)
    return share, alias


def patient_retries(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Replacements by retries from the target until one is taken, however long that lasts."""
    for i, x in enumerate(tokens.tolist()):
        if rng.random() * draft[i, x] < target[i, x]:
            continue
        while True:
            y = draw(target[i], rng)
            if rng.random() * target[i, y] < target[i, y] - draft[i, y]:
                return [*tokens[:i].tolist(), y]
    return [*tokens.tolist(), draw(target[-1], rng)]


def not_a_number_rejects(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """0/0 rejects everything where p and q are equal; the replacement then comes from p, which is right."""
    for i, x in enumerate(tokens.tolist()):
        p, q = target[i], draft[i]
        with np.errstate(invalid="ignore"):
            whole = np.maximum(p - q, 0).sum() / np.maximum(p - q, 0).sum()
            kept = rng.random() * q[x] < p[x] * whole
        if not kept:
            return [*tokens[:i].tolist(), replacement(p, q, rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def unreachable_nonsense(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Computes the normalised residual of every row first, which is 0/0 where nothing can be rejected."""
    with np.errstate(invalid="ignore"):
        left = np.maximum(target[:-1] - draft, 0)
        left = left / left.sum(axis=1, keepdims=True)
    for i, x in enumerate(tokens.tolist()):
        if not rng.random() * draft[i, x] < target[i, x]:
            return [*tokens[:i].tolist(), pick(left[i], rng.random() * sum(left[i]))]
    return [*tokens.tolist(), draw(target[-1], rng)]


def sure_tokens_need_no_coin(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Draws a coin only where p < q, so that the number of draws depends on the rows."""
    for i, x in enumerate(tokens.tolist()):
        p, q = target[i], draft[i]
        if p[x] < q[x] and not rng.random() * q[x] < p[x]:
            return [*tokens[:i].tolist(), replacement(p, q, rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def one_noise_for_either_end(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The last uniform is drawn first and serves the replacement or the bonus, of which only one is ever needed."""
    last = rng.random()
    for i, x in enumerate(tokens.tolist()):
        if not rng.random() * draft[i, x] < target[i, x]:
            left = residual(target[i], draft[i])
            return [*tokens[:i].tolist(), pick(left, last * sum(left))]
    return [*tokens.tolist(), pick(target[-1], last * sum(target[-1]))]


RIGHT_RULES = (
    *entries(
        "lossless",
        match_rule,
        always_fresh,
        at_most_one_kept,
        gives_up_by_a_coin,
        keep_iff_likelier,
        half_as_eager,
        never_the_likeliest,
        block_rule,
        block_rule_backwards,
        one_uniform_recycled,
        joint_inverse_cdf,
        transported_residual,
        two_coins_for_one,
        alias_table,
        not_a_number_rejects,
        unreachable_nonsense,
        sure_tokens_need_no_coin,
        one_noise_for_either_end,
    ),
    *entries("not biased", patient_retries),
)
