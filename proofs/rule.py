"""The token rule as one object, so that theorems can be asked of it and of its mutants alike.

`Kernel` is the rule at one token, what the proofs for every V run on symbols. `Rule` is what a
package built on the rule would offer: the closed forms over rows, and the sampler in its parts.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from sympy import S

from proofs import completion, distributions, token_rule
from proofs.distributions import Row
from proofs.token_rule import EmittedDistribution

__all__ = [
    "KERNEL",
    "TOKEN_RULE",
    "Kernel",
    "Rule",
    "Sampler",
    "law_of_sampler",
    "rule_of_kernel",
    "rule_of_sampler",
]

RowFunction = Callable[[Row, Row], Row]


@dataclass(frozen=True)
class Kernel:
    """The rule at one token; the defaults are the functions that `proofs.token_rule` folds."""

    accept: Callable[..., Any] = token_rule.accept_token
    excess: Callable[..., Any] = token_rule.excess_token
    replace: Callable[..., Any] = token_rule.replace_token
    emit: Callable[..., Any] = token_rule.emit_token
    joint: Callable[..., Any] = token_rule.joint_token
    distance: Callable[..., Any] = distributions.distance_token
    shortfall: Callable[..., Any] = completion.shortfall_token
    complete: Callable[..., Any] = completion.complete_token


class Sampler(NamedTuple):
    """What a verifier does with one drafted token.

    Attributes
    ----------
    draft : (p, q) -> row
        The law that the drafted token really has.
    keep : (p, q) -> row
        Probability of keeping each drafted token.
    replacement : (p, q, x) -> row
        Law of what is emitted when token x is rejected.
    """

    draft: RowFunction
    keep: RowFunction
    replacement: Callable[[Row, Row, int], Row]


@dataclass(frozen=True)
class Rule:
    """Closed forms over rows, and the sampler that they claim to describe."""

    sampler: Sampler
    emitted_distribution: Callable[[Row, Row], EmittedDistribution] = token_rule.emitted_distribution
    acceptance_probability: Callable[[Row, Row], Any] = token_rule.acceptance_probability
    acceptance_ratio: RowFunction = token_rule.acceptance_ratio
    residual_distribution: RowFunction = token_rule.residual_distribution
    maximal_coupling: Callable[[Row, Row], tuple[Row, ...]] = token_rule.maximal_coupling
    total_variation: Callable[[Row, Row], Any] = distributions.total_variation
    completing_residual: Callable[[Row, Row, Row], Row | None] = completion.completing_residual
    merge_tokens: Callable[[Row, int, int], Row] = distributions.merge_tokens


def law_of_sampler(sampler: Sampler, p: Row, q: Row) -> EmittedDistribution:
    """Law of a sampler by enumeration: every drafted token, both sides of the coin, every replacement."""
    dist = [S.Zero] * len(p)
    alpha = S.Zero
    keep = sampler.keep(p, q)
    for x, drafted in enumerate(sampler.draft(p, q)):
        dist[x] += drafted * keep[x]
        alpha += drafted * keep[x]
        rejected = drafted * (1 - keep[x])
        if rejected != 0:
            for y, chance in enumerate(sampler.replacement(p, q, x)):
                dist[y] += rejected * chance
    return EmittedDistribution(tuple(dist), alpha)


def rule_of_sampler(sampler: Sampler, **closed_forms: Any) -> Rule:
    """Return the rule whose closed forms are the sampler's own, unless given."""
    defaults: dict[str, Any] = {
        "emitted_distribution": lambda p, q: law_of_sampler(sampler, p, q),
        "acceptance_probability": lambda p, q: law_of_sampler(sampler, p, q).alpha,
        "acceptance_ratio": sampler.keep,
    }
    return Rule(sampler, **(defaults | closed_forms))


def rule_of_kernel(kernel: Kernel) -> Rule:
    """Return the rule that folds a kernel over rows as `proofs.token_rule` folds its own."""

    def keep(p: Row, q: Row) -> Row:
        return tuple(kernel.accept(a, b) for a, b in zip(p, q, strict=True))

    def residual(p: Row, q: Row) -> Row:
        excess = [kernel.excess(a, b) for a, b in zip(p, q, strict=True)]
        mass = sum(excess, S.Zero)
        return tuple(kernel.replace(a, e, mass) for a, e in zip(p, excess, strict=True))

    sampler = Sampler(_draft, keep, lambda p, q, _: residual(p, q))
    return rule_of_sampler(sampler, residual_distribution=residual)


def _draft(_: Row, q: Row) -> Row:
    return q


def _replacement(p: Row, q: Row, _: int) -> Row:
    return token_rule.residual_distribution(p, q)


KERNEL = Kernel()
TOKEN_RULE = Rule(Sampler(_draft, token_rule.acceptance_ratio, _replacement))


def altered(**parts: Any) -> Rule:
    """Return the token rule with some of its closed forms exchanged."""
    return replace(TOKEN_RULE, **parts)
