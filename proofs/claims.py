"""What each theorem says of one input: None where it holds, the difference in words where it does not.

A claim asks a `Rule` its closed forms and compares exactly. It never assumes that the rule is
right: what is no rational number, or has another number of tokens, is a difference.
"""

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from itertools import combinations
from typing import Any

from sympy import Rational, S

from proofs.cases import Case
from proofs.distributions import Row, show_row
from proofs.rule import Rule, law_of_sampler
from proofs.token_rule import EmittedDistribution

__all__ = [
    "alpha_is_one_minus_tv",
    "closed_form_is_sampler",
    "completion",
    "disjoint_supports",
    "distribution",
    "identical_draft",
    "lossless",
    "merging_never_lowers_alpha",
    "one_hot_draft",
    "one_hot_target",
    "optimal",
    "single_token",
    "token_never_proposed",
    "token_never_wanted",
]

Claim = Callable[[Rule, Case], str | None]


class _Malformed(Exception):
    """A rule returned what is no row of rational numbers."""


def _claim(function: Claim) -> Claim:
    """Turn a malformed answer of the rule into a difference."""

    @wraps(function)
    def checked(rule: Rule, case: Case) -> str | None:
        try:
            return function(rule, case)
        except _Malformed as problem:
            return str(problem)

    return checked


@_claim
def lossless(rule: Rule, case: Case) -> str | None:
    """Dist equals p."""
    return _law_differs(_emitted(rule, case).dist, case.p)


@_claim
def distribution(rule: Rule, case: Case) -> str | None:
    """Dist and residual are distributions, alpha a probability."""
    dist, alpha = _emitted(rule, case)
    for name, row in (("dist", dist), ("residual", _residual(rule, case))):
        if not _is_distribution(row):
            return f"{name} {show_row(row)} has sum {sum(row)}, least entry {min(row)}"
    return None if 0 <= alpha <= 1 else f"alpha {alpha}"


@_claim
def alpha_is_one_minus_tv(rule: Rule, case: Case) -> str | None:
    """Alpha, by both functions that return it, equals 1 - TV, and TV is half the sum of |p - q|."""
    expected = 1 - _number(rule.total_variation(case.p, case.q))
    for alpha in (_emitted(rule, case).alpha, _number(rule.acceptance_probability(case.p, case.q))):
        if alpha != expected:
            return f"alpha {alpha}, 1 - TV {expected}"
    distance = sum((abs(a - b) for a, b in zip(case.p, case.q, strict=True)), S.Zero)
    return None if 2 * (1 - expected) == distance else f"TV {1 - expected}, sum of |p - q| {distance}"


@_claim
def completion(rule: Rule, case: Case) -> str | None:
    """A residual is returned iff q a <= p everywhere; it makes the law p, and other rows do not."""
    p, q, keep = case.p, case.q, case.extra
    residual = rule.completing_residual(p, q, keep)
    kept = [b * a for b, a in zip(q, keep, strict=True)]
    possible = all(k <= a for k, a in zip(kept, p, strict=True))
    if residual is None:
        return f"no residual though q a is {show_row(kept)}" if possible else None
    residual = _row(residual, case)
    if not possible:
        return f"residual {show_row(residual)} though q a is {show_row(kept)}"
    if not _is_distribution(residual):
        return f"residual {show_row(residual)} is no distribution"
    return _completes_alone(p, kept, residual)


@_claim
def optimal(rule: Rule, case: Case) -> str | None:
    """No coupling keeps more than alpha; the rule's coupling is one and keeps alpha."""
    alpha = _emitted(rule, case).alpha
    kept = _diagonal(case.extra)
    if kept > alpha:
        return f"a coupling keeps {kept}, alpha {alpha}"
    joint = _coupling(rule, case)
    if any(cell < 0 for row in joint for cell in row):
        return f"maximal coupling {_show_table(joint)} has negative entries"
    if tuple(map(sum, joint)) != case.q or tuple(map(sum, zip(*joint, strict=True))) != case.p:
        return f"maximal coupling {_show_table(joint)} has other marginals"
    return None if _diagonal(joint) == alpha else f"maximal coupling keeps {_diagonal(joint)}, alpha {alpha}"


@_claim
def identical_draft(rule: Rule, case: Case) -> str | None:
    """Alpha is 1, dist is p, and every value of every closed form is a number."""
    _row(rule.acceptance_ratio(case.p, case.q), case)
    _residual(rule, case)
    _coupling(rule, case)
    dist, alpha = _emitted(rule, case)
    return _alpha_differs(alpha, S.One) or _law_differs(dist, case.p)


@_claim
def token_never_proposed(rule: Rule, case: Case) -> str | None:
    """Where q is 0 the ratio is 1, nothing is drafted, and the token comes as a replacement alone."""
    dist, alpha = _emitted(rule, case)
    ratio, residual = _row(rule.acceptance_ratio(case.p, case.q), case), _residual(rule, case)
    joint = _coupling(rule, case)
    for x, q in enumerate(case.q):
        if q == 0 and (ratio[x] != 1 or any(joint[x]) or dist[x] != (1 - alpha) * residual[x]):
            return f"token {x}: ratio {ratio[x]}, drafted {sum(joint[x])}, emitted {dist[x]}"
    return None


@_claim
def token_never_wanted(rule: Rule, case: Case) -> str | None:
    """Where p is 0 the token is never emitted, nor is it a replacement."""
    dist, residual = _emitted(rule, case).dist, _residual(rule, case)
    for x, p in enumerate(case.p):
        if p == 0 and (dist[x] != 0 or residual[x] != 0):
            return f"token {x}: emitted {dist[x]}, residual {residual[x]}"
    return None


@_claim
def disjoint_supports(rule: Rule, case: Case) -> str | None:
    """Alpha is 0, dist and residual are p."""
    dist, alpha = _emitted(rule, case)
    residual = _residual(rule, case)
    return _alpha_differs(alpha, S.Zero) or _law_differs(dist, case.p) or _law_differs(residual, case.p, "residual")


@_claim
def one_hot_draft(rule: Rule, case: Case) -> str | None:
    """Alpha is p(x) at the token that is always drafted."""
    return _alpha_differs(_emitted(rule, case).alpha, case.p[case.q.index(1)])


@_claim
def one_hot_target(rule: Rule, case: Case) -> str | None:
    """Alpha is q(x) at the token that is always wanted."""
    return _alpha_differs(_emitted(rule, case).alpha, case.q[case.p.index(1)])


@_claim
def single_token(rule: Rule, case: Case) -> str | None:
    """Alpha is 1 and dist is (1)."""
    dist, alpha = _emitted(rule, case)
    return _alpha_differs(alpha, S.One) or _law_differs(dist, (S.One,))


@_claim
def merging_never_lowers_alpha(rule: Rule, case: Case) -> str | None:
    """Alpha of the merged rows is at least alpha, for every two tokens; merging adds their masses."""
    alpha = _emitted(rule, case).alpha
    for i, j in combinations(range(len(case.p)), 2):
        p, q = rule.merge_tokens(case.p, i, j), rule.merge_tokens(case.q, i, j)
        for row, merged in ((case.p, p), (case.q, q)):
            if merged != (*row[:i], row[i] + row[j], *row[i + 1 : j], *row[j + 1 :]):
                return f"tokens {i} and {j} of {show_row(row)} merged to {show_row(merged)}"
        after = _emitted(rule, Case(p, q)).alpha
        if after < alpha:
            return f"alpha {alpha}, after merging tokens {i} and {j} {after}"
    return None


@_claim
def closed_form_is_sampler(rule: Rule, case: Case) -> str | None:
    """Law and alpha in closed form are those of the sampler, enumerated; its parts are probabilities."""
    sampler, (p, q) = rule.sampler, case[:2]
    keep = _row(sampler.keep(p, q), case)
    if not all(0 <= a <= 1 for a in keep):
        return f"keeps with {show_row(keep)}"
    for x, drafted in enumerate(_row(sampler.draft(p, q), case)):
        if drafted * (1 - keep[x]) != 0:
            replacement = _row(sampler.replacement(p, q, x), case)
            if not _is_distribution(replacement):
                return f"replaces token {x} from {show_row(replacement)}"
    claimed, actual = _emitted(rule, case), law_of_sampler(sampler, p, q)
    if claimed.dist != actual.dist:
        return f"closed form {show_row(claimed.dist)}, sampler {show_row(actual.dist)}"
    return None if claimed.alpha == actual.alpha else f"closed form alpha {claimed.alpha}, sampler {actual.alpha}"


def _number(value: Any) -> Rational:
    if not isinstance(value, Rational):  # NaN and infinities are none
        raise _Malformed(f"{value} is no rational number")
    return value


def _row(values: Iterable[Any], case: Case) -> Row:
    row = tuple(map(_number, values))
    if len(row) != len(case.p):
        raise _Malformed(f"{show_row(row)} has {len(row)} tokens for {len(case.p)}")
    return row


def _emitted(rule: Rule, case: Case) -> EmittedDistribution:
    dist, alpha = rule.emitted_distribution(case.p, case.q)
    return EmittedDistribution(_row(dist, case), _number(alpha))


def _residual(rule: Rule, case: Case) -> Row:
    return _row(rule.residual_distribution(case.p, case.q), case)


def _coupling(rule: Rule, case: Case) -> tuple[Row, ...]:
    joint = tuple(_row(row, case) for row in rule.maximal_coupling(case.p, case.q))
    if len(joint) != len(case.p):
        raise _Malformed(f"{len(joint)} rows of a coupling for {len(case.p)} tokens")
    return joint


def _is_distribution(row: Row) -> bool:
    return bool(min(row) >= 0 and sum(row) == 1)


def _completes_alone(p: Row, kept: Sequence[Rational], residual: Row) -> str | None:
    rejected = 1 - sum(kept, S.Zero)
    difference = _law_differs(_completed(kept, rejected, residual), p)
    if difference is not None or rejected == 0:
        return difference
    vocabulary = len(p)
    rivals = [tuple(S.One if x == y else S.Zero for y in range(vocabulary)) for x in range(vocabulary)]
    for rival in (*rivals, (Rational(1, vocabulary),) * vocabulary):
        if rival != residual and _completed(kept, rejected, rival) == p:
            return f"residual {show_row(residual)}, but {show_row(rival)} makes the law p as well"
    return None


def _completed(kept: Sequence[Rational], rejected: Rational, residual: Row) -> Row:
    return tuple(k + rejected * r for k, r in zip(kept, residual, strict=True))


def _law_differs(law: Row, expected: Row, name: str = "dist") -> str | None:
    if law == expected:
        return None
    distance = sum((abs(a - b) for a, b in zip(law, expected, strict=True)), S.Zero) / 2
    return f"{name} {show_row(law)}, TV {distance}"


def _alpha_differs(alpha: Rational, expected: Rational) -> str | None:
    return None if alpha == expected else f"alpha {alpha}, expected {expected}"


def _diagonal(joint: Sequence[Sequence[Rational]]) -> Rational:
    return sum((row[x] for x, row in enumerate(joint)), S.Zero)


def _show_table(rows: Iterable[Row]) -> str:
    return show_row(show_row(row) for row in rows)
