"""What goes wrong with chains: parts of samplers and closed forms that are not those of the rule.

The functions of `proofs.families.chain`'s mutants, by what each does instead.
"""

from collections.abc import Callable
from typing import Any

from sympy import S

from proofs import chain_rule, efficiency
from proofs.distributions import Row
from proofs.families.chain_model import Law, Rows, Sampler, alpha_after, keep_token, sampler_of
from proofs.path_law import PathLaw
from proofs.processes import Prefix
from proofs.token_rule import acceptance_ratio, residual_distribution

__all__ = [
    "covers",
    "ends",
    "first_alpha",
    "geometric_law",
    "goes_on",
    "independent_of_length",
    "last_of_the_best",
    "one_coin",
    "previous_ratio",
    "residual",
    "residual_of_next_draft",
    "share",
    "shortfall",
    "unreached",
    "whole_blocks",
    "with_bonus",
]


def previous_ratio(target: Rows, draft: Rows, tokens: Prefix, i: int) -> Any:
    """Compare a token with the rows of the position before its own."""
    before = tokens[: max(i - 1, 0)]
    return acceptance_ratio(target(before), draft(before))[tokens[i]]


def covers(target: Rows, draft: Rows, tokens: Prefix, i: int) -> Any:
    """Keep iff p >= q."""
    return S.One if draft(tokens[:i])[tokens[i]] <= target(tokens[:i])[tokens[i]] else S.Zero


def shortfall(target: Rows, draft: Rows, tokens: Prefix, i: int) -> Row:
    """Normalise p - q 1[q <= p], the residual of keeping iff p >= q."""
    p = target(tokens[:i])
    left = [a - b if b <= a else a for a, b in zip(p, draft(tokens[:i]), strict=True)] if i < len(tokens) else p
    return tuple(value / sum(left, S.Zero) for value in left)


def ends(replacement: Callable[..., Row], bonus: Callable[..., Row] = lambda target, draft, x: target(x)) -> Sampler:
    """Return the sampler with another law of the last token."""

    def last(target: Rows, draft: Rows, tokens: Prefix, i: int) -> Row:
        return replacement(target, draft, tokens, i) if i < len(tokens) else bonus(target, draft, tokens)

    return sampler_of(last=last)


def residual(target: Rows, draft: Rows, tokens: Prefix, i: int) -> Row:
    """The right replacement."""
    return residual_distribution(target(tokens[:i]), draft(tokens[:i]))


def residual_of_next_draft(target: Rows, draft: Rows, tokens: Prefix, i: int) -> Row:
    """Subtract the draft's row of the next position, where there is one."""
    return residual_distribution(target(tokens[:i]), draft(tokens[: min(i + 1, len(tokens) - 1)]))


def goes_on(target: Rows, draft: Rows, tokens: Prefix) -> Law:
    """Replace every rejected token and verify those behind it, against the rows of the drafted prefix."""
    law: Law = {(): S.One}
    for i, x in enumerate(tokens):
        kept, row = keep_token(target, draft, tokens, i), residual(target, draft, tokens, i)
        chances = [(1 - kept) * chance + (kept if y == x else 0) for y, chance in enumerate(row)]
        law = {(*block, y): mass * chance for block, mass in law.items() for y, chance in enumerate(chances)}
    bonus = target(tokens)
    return {(*block, y): mass * chance for block, mass in law.items() for y, chance in enumerate(bonus)}


def one_coin(target: Rows, draft: Rows, tokens: Prefix) -> Law:
    """Compare every ratio with one uniform: the least of them decides, not their product."""
    law: Law = {}
    reached = S.One
    for i in range(len(tokens) + 1):
        going = min(reached, keep_token(target, draft, tokens, i)) if i < len(tokens) else S.Zero
        row = residual(target, draft, tokens, i) if i < len(tokens) else target(tokens)
        law |= {(*tokens[:i], y): (reached - going) * chance for y, chance in enumerate(row)}
        reached = going
    return law


def unreached(target: Any, draft: Any, tokens: Prefix) -> PathLaw:
    """Take the chance of rejecting a token for that of reaching and rejecting it."""
    ratios = [acceptance_ratio(p, q)[x] for p, q, x in zip(target, draft, tokens, strict=False)]
    right = chain_rule.path_law(target, draft, tokens)
    return right._replace(stops=(*(1 - ratio for ratio in ratios), right.stops[-1]))


def whole_blocks(target: Rows, _: Rows, gamma: int) -> Law:
    """Report the target's law on gamma + 1 tokens, as if every call emitted so many."""
    return chain_rule.emitted_law(target, target, gamma)


def independent_of_length(target: Rows, draft: Rows, gamma: int, prefix: Prefix) -> Any:
    """Take the tokens, given that there are so many of them, for tokens of the target."""
    chance = sum(chain_rule.accepted_law(target, draft, gamma)[len(prefix) - 1 :], S.Zero)
    for i, token in enumerate(prefix):
        chance *= target(prefix[:i])[token]
    return chance


def geometric_law(target: Rows, draft: Rows, gamma: int) -> Row:
    """Take alpha of the first position for that of all."""
    alpha = alpha_after(target, draft, ())
    return (*(alpha**i * (1 - alpha) for i in range(gamma)), alpha**gamma)


def with_bonus(target: Rows, draft: Rows, gamma: int) -> Any:
    """Count the last token as an accepted one."""
    return chain_rule.block_efficiency(target, draft, gamma)


def share(target: Rows, draft: Rows, gamma: int) -> Any:
    """Divide E[tau] by gamma."""
    return chain_rule.expected_accepted(target, draft, gamma) / max(gamma, 1)


def first_alpha(target: Rows, draft: Rows, gamma: int) -> Any:
    """Compute E[tau] from alpha of the first position."""
    return sum((i * chance for i, chance in enumerate(geometric_law(target, draft, gamma))), S.Zero)


def last_of_the_best(alpha: Any, cost: Any, most: int) -> int:
    """Take the greatest gamma among equally fast ones."""
    speeds = [efficiency.speedup(alpha, gamma, cost) for gamma in range(most + 1)]
    return max(range(most + 1), key=lambda gamma: (speeds[gamma], gamma))
