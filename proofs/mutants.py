"""What a mutant is, and those of the token rule: it, or a report about it, changed so that a theorem fails.

Each must be refuted, by a witness on a grid, in every run of the proof script.

Sources name the place where a fault of the kind was reported; "made here" otherwise.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sympy import Rational, S

from proofs import token_rule
from proofs.distributions import Row, distance_token
from proofs.rule import TOKEN_RULE, Kernel, altered, rule_of_kernel, rule_of_sampler
from proofs.token_rule import EmittedDistribution, accept_token, excess_token

__all__ = ["MUTANTS", "Mutant"]

_HERE = "made here"


@dataclass(frozen=True)
class Mutant:
    """A wrong rule, or a right one that is reported wrongly.

    Attributes
    ----------
    id : str
    fault : str
        What it does instead.
    source : str
    rule : object
        What stands in the place of the right rule of its family.
    kernel : Kernel or None
        The mutant at one token, where the fault can be said there: the proofs of the theorems
        that refute it must then fail on it too.
    about : str
        The family, as in `Theorem`.
    """

    id: str
    fault: str
    source: str
    rule: Any
    kernel: Kernel | None = None
    about: str = "token rule"


def _of_kernel(name: str, fault: str, source: str, **functions: Callable[..., Any]) -> Mutant:
    kernel = Kernel(**functions)
    return Mutant(name, fault, source, rule_of_kernel(kernel), kernel)


def _of_sampler(name: str, fault: str, source: str, **parts: Callable[..., Any]) -> Mutant:
    return Mutant(name, fault, source, rule_of_sampler(TOKEN_RULE.sampler._replace(**parts)))


def _liar(name: str, claim: str, alpha: Callable[[Row, Row], Any]) -> Mutant:
    """Return a mutant with the right law that reports another acceptance probability."""

    def emitted(p: Row, q: Row) -> EmittedDistribution:
        return token_rule.emitted_distribution(p, q)._replace(alpha=alpha(p, q))

    rule = altered(emitted_distribution=emitted, acceptance_probability=alpha)
    return Mutant(name, f"alpha reported as {claim}", _HERE, rule)


def _argmax(row: Row) -> Row:
    best = row.index(max(row))
    return tuple(S.One if x == best else S.Zero for x in range(len(row)))


def _argmax_residual(p: Row, q: Row, _: int) -> Row:
    return _argmax(token_rule.residual_distribution(p, q))


def _residual_at_drafted_token(p: Row, q: Row, x: int) -> Row:
    excess = [b if y != x else excess_token(b, q[x]) for y, b in enumerate(p)]
    mass = sum(excess, S.Zero)
    return tuple(e / mass for e in excess)


def _next_ratio(p: Row, q: Row) -> Row:
    ratio = token_rule.acceptance_ratio(p, q)
    return (*ratio[1:], ratio[0])


def _uniform_residual(p: Row, q: Row) -> Row:
    return token_rule.residual_distribution(p, q) if p != q else (Rational(1, len(p)),) * len(p)


def _excess_completion(p: Row, q: Row, accept: Row) -> Row | None:
    possible = TOKEN_RULE.completing_residual(p, q, accept) is not None
    return token_rule.residual_distribution(p, q) if possible else None


def _independent(p: Row, q: Row) -> tuple[Row, ...]:
    return tuple(tuple(b * a for a in p) for b in q)


def _drop_token(row: Row, i: int, j: int) -> Row:
    rest = 1 - row[j]
    if rest == 0:
        return tuple(S.One if x == i else S.Zero for x in range(len(row) - 1))
    return tuple(value / rest for x, value in enumerate(row) if x != j)


def _weighted_ratio(weight: Callable[[Row, Row], Row]) -> Callable[[Row, Row], Any]:
    def alpha(p: Row, q: Row) -> Any:
        return sum((w * a for w, a in zip(weight(p, q), token_rule.acceptance_ratio(p, q), strict=True)), S.Zero)

    return alpha


_EPSILON = Rational(1, 1000)
_CLIP = Rational(99, 100)

MUTANTS: tuple[Mutant, ...] = (
    _of_kernel(
        "accept_everything",
        "keeps every drafted token",
        "huggingface/transformers#28508",
        accept=lambda p, q: S.One,
    ),
    _of_kernel(
        "resample_from_p",
        "draws the replacement from p",
        "ShopeeLLM/Spec-RL#14",
        replace=lambda p, excess, mass: p,
    ),
    _of_kernel("inverted_ratio", "keeps with min(1, q/p)", _HERE, accept=lambda p, q: S.One if p <= q else q / p),
    _of_kernel(
        "absolute_residual",
        "draws the replacement from |p - q|",
        _HERE,
        excess=distance_token,
    ),
    _of_kernel(
        "reversed_residual",
        "draws the replacement from (q - p)+",
        _HERE,
        excess=lambda p, q: excess_token(q, p),
    ),
    _of_kernel(
        "unnormalised_residual",
        "uses (p - q)+ without dividing by its sum",
        _HERE,
        replace=lambda p, excess, mass: excess if mass != 0 else p,
    ),
    _of_sampler(
        "residual_at_drafted_token",
        "subtracts q at the drafted token alone",
        _HERE,
        replacement=_residual_at_drafted_token,
    ),
    _of_sampler("argmax_residual", "takes the likeliest replacement", _HERE, replacement=_argmax_residual),
    _of_sampler(
        "greedy_drafter",
        "drafts the argmax of q, scores it with q",
        "huggingface/transformers#32867",
        draft=lambda p, q: _argmax(q),
    ),
    _of_kernel(
        "epsilon_in_ratio",
        "keeps with min(1, p/(q + 1/1000))",
        _HERE,
        accept=lambda p, q: S.One if q + _EPSILON <= p else p / (q + _EPSILON),
    ),
    _of_kernel(
        "swapped",
        "takes p for q and q for p",
        _HERE,
        accept=lambda p, q: accept_token(q, p),
        excess=lambda p, q: excess_token(q, p),
    ),
    _of_sampler("off_by_one", "reads the ratio of the next token", _HERE, keep=_next_ratio),
    _of_kernel(
        "clipped_ratio",
        "keeps with min(99/100, p/q)",
        _HERE,
        accept=lambda p, q: _CLIP if _CLIP * q <= p else p / q,
    ),
    _of_kernel(
        "keep_iff_p_covers_q",
        "keeps iff p >= q, replaces from p - q 1[q <= p]: the right law, a smaller alpha",
        _HERE,
        accept=lambda p, q: S.One if q <= p else S.Zero,
        excess=lambda p, q: p - q if q <= p else p,
    ),
    _liar(
        "mean_ratio",
        "the mean of the ratio over the vocabulary",
        _weighted_ratio(lambda p, q: (Rational(1, len(p)),) * len(p)),
    ),
    _liar("target_weighted_ratio", "sum of p times the ratio", _weighted_ratio(lambda p, q: p)),
    _liar(
        "match_acceptance",
        "sum of p q, right for the match rule",
        lambda p, q: sum((a * b for a, b in zip(p, q, strict=True)), S.Zero),
    ),
    Mutant(
        "copied_law",
        "reports p as the law of a sampler with the argmax residual",
        _HERE,
        altered(sampler=TOKEN_RULE.sampler._replace(replacement=_argmax_residual)),
    ),
    _of_kernel(
        "distance_without_half",
        "takes the sum of |p - q| for the total variation",
        _HERE,
        distance=lambda p, q: 2 * distance_token(p, q),
    ),
    _of_kernel(
        "zero_residual",
        "leaves a zero row as the residual where p = q",
        _HERE,
        replace=lambda p, excess, mass: excess / mass if mass != 0 else S.Zero,
    ),
    Mutant(
        "uniform_residual",
        "takes the uniform row as the residual where p = q",
        _HERE,
        rule_of_sampler(
            TOKEN_RULE.sampler._replace(replacement=lambda p, q, _: _uniform_residual(p, q)),
            residual_distribution=_uniform_residual,
        ),
    ),
    _of_kernel(
        "zero_ratio",
        "takes 0 for the ratio where q = 0",
        _HERE,
        accept=lambda p, q: accept_token(p, q) if q != 0 else S.Zero,
    ),
    Mutant(
        "independent_coupling",
        "couples drafted and emitted token independently",
        _HERE,
        altered(maximal_coupling=_independent),
    ),
    Mutant(
        "excess_completion",
        "completes every acceptance with (p - q)+",
        _HERE,
        altered(completing_residual=_excess_completion),
    ),
    _of_kernel(
        "shortfall_without_acceptance",
        "takes p - q for p - q a when completing an acceptance",
        _HERE,
        shortfall=lambda p, q, accept: p - q,
    ),
    _of_kernel(
        "unscaled_replacement",
        "adds the residual without the probability of a rejection",
        _HERE,
        emit=lambda q, accept, rejected, replacement: q * accept + replacement,
    ),
    Mutant(
        "dropped_token",
        "drops the second of two merged tokens and renormalises",
        _HERE,
        altered(merge_tokens=_drop_token),
    ),
)
