"""Right: other lossless rules, with tensors."""

from typing import Any

import torch

from tests.hostile.entries import entries
from tests.hostile.torch_parts import draw, residual

__all__ = ["TORCH_RIGHT_RULES"]


def match_rule(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Draws from the target, and goes on while the draft agrees."""
    drawn = torch.multinomial(target, 1).squeeze(-1)
    agrees = drawn[:-1] == tokens
    return drawn[: int(agrees.int().cumprod(0).sum()) + 1]


def match_rule_by_races(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The same, with races, one row at a time."""
    emitted: list[int] = []
    for i, row in enumerate(target):
        emitted.append(int((row / torch.empty_like(row).exponential_()).argmax()))
        if i < len(tokens) and emitted[-1] != tokens[i]:
            break
    return emitted


def always_fresh(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Ignores the draft."""
    return [draw(target[0])]


def keep_iff_likelier(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Keeps a token iff p >= q, without a coin, and replaces by p - q[q <= p]."""
    for i, x in enumerate(tokens.tolist()):
        p, q = target[i], draft[i]
        if p[x] < q[x]:
            return [*tokens[:i].tolist(), draw(p - q * (q <= p))]
    return [*tokens.tolist(), draw(target[-1])]


def half_as_eager(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Keeps with half the probability, and makes up for it."""
    least = torch.minimum(target[:-1], draft)
    for i, x in enumerate(tokens.tolist()):
        if not 2 * torch.rand(()) * draft[i, x] < least[i, x]:
            return [*tokens[:i].tolist(), draw(2 * target[i] - least[i])]
    return [*tokens.tolist(), draw(target[-1])]


def block_rule(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """Block verification, in double precision."""
    p, q, gamma, kept, best = target.double(), draft.double(), len(tokens), 0, torch.ones((), dtype=torch.float64)
    weight = best
    for i, x in enumerate(tokens.tolist()):
        weight = (weight * p[i, x] / q[i, x]).clamp(max=1)
        left = (weight * p[i + 1] - q[i + 1]).clamp(min=0).sum() if i + 1 < gamma else weight
        height = weight if i + 1 == gamma or weight == 1 else left / (left + 1 - weight)
        if torch.rand((), dtype=torch.float64) < height:
            kept, best = i + 1, weight
    row = p[-1] if kept == gamma else residual(best * p[kept], q[kept])
    return [*tokens[:kept].tolist(), draw(row)]


def _greedy(prefix: Any, row: Any, rng: Any) -> int:
    return int(max(range(len(row)), key=lambda x: row[x]))


def one_hot_draft(target: Any, draft: Any, tokens: Any, rng: Any = None) -> Any:
    """The drafter is greedy, and the rule knows: it keeps with the target's mass."""
    for i, x in enumerate(tokens.tolist()):
        if not torch.rand(()) < target[i, x]:
            left = target[i].clone()
            left[x] = 0
            return [*tokens[:i].tolist(), draw(left)]
    return [*tokens.tolist(), draw(target[-1])]


TORCH_RIGHT_RULES = (
    *entries(
        "lossless",
        match_rule,
        match_rule_by_races,
        always_fresh,
        keep_iff_likelier,
        half_as_eager,
        block_rule,
    ),
    *entries("lossless", one_hot_draft, drafter=_greedy),
)
