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
    "altered",
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
        "residual_distribution": lambda p, q: _averaged_replacement(sampler, p, q),
    }
    return Rule(sampler, **(defaults | closed_forms))


def _averaged_replacement(sampler: Sampler, p: Row, q: Row) -> Row:
    """Law of the replacement given a rejection, whichever token was rejected; p where nothing is."""
    keep = sampler.keep(p, q)
    rejected = [drafted * (1 - a) for drafted, a in zip(sampler.draft(p, q), keep, strict=True)]
    mass = sum(rejected, S.Zero)
    if mass == 0:
        return p
    rows = [(chance, sampler.replacement(p, q, x)) for x, chance in enumerate(rejected) if chance != 0]
    return tuple(sum((chance * row[y] for chance, row in rows), S.Zero) / mass for y in range(len(p)))


def rule_of_kernel(kernel: Kernel) -> Rule:
    """Return the rule whose closed forms fold a kernel, every function of it, over rows."""

    def keep(p: Row, q: Row) -> Row:
        return tuple(map(kernel.accept, p, q))

    def residual(p: Row, q: Row) -> Row:
        excess = tuple(map(kernel.excess, p, q))
        mass = sum(excess, S.Zero)
        return tuple(kernel.replace(a, e, mass) for a, e in zip(p, excess, strict=True))

    def alpha(p: Row, q: Row) -> Any:
        return sum((b * a for b, a in zip(q, keep(p, q), strict=True)), S.Zero)

    def emitted(p: Row, q: Row) -> EmittedDistribution:
        accept = keep(p, q)
        rejected = sum((b * (1 - a) for b, a in zip(q, accept, strict=True)), S.Zero)
        tokens = zip(q, accept, residual(p, q), strict=True)
        return EmittedDistribution(tuple(kernel.emit(b, a, rejected, r) for b, a, r in tokens), alpha(p, q))

    def coupling(p: Row, q: Row) -> tuple[Row, ...]:
        replaced = residual(p, q)
        return tuple(
            tuple(kernel.joint(b, a, r, same=x == y) for y, r in enumerate(replaced))
            for x, (b, a) in enumerate(zip(q, keep(p, q), strict=True))
        )

    def completing(p: Row, q: Row, accept: Row) -> Row | None:
        shortfall = tuple(map(kernel.shortfall, p, q, accept))
        if any(s < 0 for s in shortfall):
            return None
        rejected = 1 - sum((b * a for b, a in zip(q, accept, strict=True)), S.Zero)
        return tuple(kernel.complete(a, s, rejected) for a, s in zip(p, shortfall, strict=True))

    return Rule(
        Sampler(_draft, keep, lambda p, q, _: residual(p, q)),
        emitted_distribution=emitted,
        acceptance_probability=alpha,
        acceptance_ratio=keep,
        residual_distribution=residual,
        maximal_coupling=coupling,
        total_variation=lambda p, q: sum(map(kernel.distance, p, q), S.Zero) / 2,
        completing_residual=completing,
    )


def _draft(_: Row, q: Row) -> Row:
    return q


def _replacement(p: Row, q: Row, _: int) -> Row:
    return token_rule.residual_distribution(p, q)


KERNEL = Kernel()
TOKEN_RULE = Rule(Sampler(_draft, token_rule.acceptance_ratio, _replacement))


def altered(**parts: Any) -> Rule:
    """Return the token rule with some of its closed forms exchanged."""
    return replace(TOKEN_RULE, **parts)
