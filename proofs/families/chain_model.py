"""The chain as one object, so that theorems can be asked of it and of its mutants alike: a sampler and closed forms."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from typing import Any, TypeAlias

from sympy import Rational, S

from proofs import chain_rule, efficiency
from proofs.distributions import Row
from proofs.path_law import PathLaw
from proofs.processes import Prefix
from proofs.token_rule import acceptance_ratio, residual_distribution

__all__ = [
    "CHAIN",
    "ChainRule",
    "Law",
    "Rows",
    "Sampler",
    "accepted_of",
    "alpha_after",
    "begins",
    "drafted_blocks",
    "keep_token",
    "last_row",
    "law_of_sampler",
    "rule_of_sampler",
    "sampler_of",
]

Rows: TypeAlias = Callable[[Prefix], Row]
Law: TypeAlias = dict[Prefix, Any]
Sampler: TypeAlias = Callable[[Rows, Rows, Prefix], Law]  # (target, draft, drafted tokens) -> law of the emitted ones
Keep: TypeAlias = Callable[[Rows, Rows, Prefix, int], Any]
Last: TypeAlias = Callable[[Rows, Rows, Prefix, int], Row]


def keep_token(target: Rows, draft: Rows, tokens: Prefix, i: int) -> Any:
    """Probability of keeping the token at place i, given that those before it are kept."""
    return acceptance_ratio(target(tokens[:i]), draft(tokens[:i]))[tokens[i]]


def last_row(target: Rows, draft: Rows, tokens: Prefix, i: int) -> Row:
    """Law of the last token when exactly i are kept."""
    row = target(tokens[:i])
    return row if i == len(tokens) else residual_distribution(row, draft(tokens[:i]))


def sampler_of(keep: Keep = keep_token, last: Last = last_row) -> Sampler:
    """Return the sampler that tosses a coin for each token until one is rejected."""

    def sample(target: Rows, draft: Rows, tokens: Prefix) -> Law:
        law: Law = {}
        reached = S.One
        for i in range(len(tokens) + 1):
            kept = keep(target, draft, tokens, i) if i < len(tokens) else S.Zero
            if reached * (1 - kept) != 0:
                for y, chance in enumerate(last(target, draft, tokens, i)):
                    law[*tokens[:i], y] = reached * (1 - kept) * chance
            reached *= kept
        return law

    return sample


@dataclass(frozen=True)
class ChainRule:
    """A sampler, and the closed forms that claim to describe it and what it is worth."""

    sampler: Sampler
    path_law: Callable[..., PathLaw] = chain_rule.path_law
    emitted_law: Callable[..., Law] = chain_rule.emitted_law
    accepted_law: Callable[..., Row] = chain_rule.accepted_law
    expected_accepted: Callable[..., Any] = chain_rule.expected_accepted
    prefix_probability: Callable[..., Any] = chain_rule.prefix_probability
    expected_tokens: Callable[..., Any] = efficiency.expected_tokens
    speedup: Callable[..., Any] = efficiency.speedup
    best_gamma: Callable[..., int] = efficiency.best_gamma


CHAIN = ChainRule(sampler_of())


def drafted_blocks(draft: Rows, gamma: int, vocabulary: int) -> Iterator[Prefix]:
    """Go through the blocks of gamma tokens that the draft can propose."""
    for tokens in product(range(vocabulary), repeat=gamma):
        if all(draft(tokens[:i])[x] != 0 for i, x in enumerate(tokens)):
            yield tokens


def law_of_sampler(sampler: Sampler, target: Rows, draft: Rows, gamma: int, vocabulary: int) -> Law:
    """Law of the emitted tokens: over all drafted ones, weighted by the draft."""
    law: Law = {}
    for tokens in drafted_blocks(draft, gamma, vocabulary):
        mass = S.One
        for i, x in enumerate(tokens):
            mass *= draft(tokens[:i])[x]
        for block, chance in sampler(target, draft, tokens).items():
            law[block] = law.get(block, S.Zero) + mass * chance
    return {block: mass for block, mass in law.items() if mass != 0}


def accepted_of(law: Law, gamma: int) -> Row:
    """Law of the number of emitted tokens less one."""
    chances = [S.Zero] * (gamma + 1)
    for block, mass in law.items():
        chances[len(block) - 1] += mass
    return tuple(chances)


def begins(law: Law, prefix: Prefix) -> Any:
    """Probability that what is emitted begins with a prefix."""
    return sum((mass for block, mass in law.items() if block[: len(prefix)] == prefix), S.Zero)


def rule_of_sampler(sampler: Sampler) -> ChainRule:
    """Return the rule whose laws of whole calls are the sampler's own."""

    @lru_cache(maxsize=8)  # of the case at hand: a theorem asks for one law many times
    def emitted(target: Rows, draft: Rows, gamma: int) -> Law:
        return law_of_sampler(sampler, target, draft, gamma, len(target(())))

    def accepted(target: Rows, draft: Rows, gamma: int) -> Row:
        return accepted_of(emitted(target, draft, gamma), gamma)

    return ChainRule(
        sampler,
        emitted_law=emitted,
        accepted_law=accepted,
        expected_accepted=lambda *asked: sum((i * chance for i, chance in enumerate(accepted(*asked))), S.Zero),
        prefix_probability=lambda target, draft, gamma, prefix: begins(emitted(target, draft, gamma), prefix),
    )


def alpha_after(target: Rows, draft: Rows, prefix: Prefix) -> Rational:
    """Probability that a token drafted after a prefix is kept."""
    return sum(map(min, target(prefix), draft(prefix)), S.Zero)
