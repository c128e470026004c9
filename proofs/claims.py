"""What each theorem says of one input: None where it holds, the difference in words where it does not.

A claim asks a `Rule` its closed forms and compares exactly; it never assumes that the rule is right,
or that what it returns is a distribution.
"""

from collections.abc import Sequence
from itertools import combinations
from typing import Any

from sympy import Rational, S

from proofs.distributions import Row
from proofs.domains import Case
from proofs.rule import Rule, law_of_sampler

__all__ = ["show"]


def show(row: Sequence[Any]) -> str:
    """Return a row as ``(1/8, 3/8, 1/2)``."""
    return f"({', '.join(map(str, row))})"


def lossless(rule: Rule, case: Case) -> str | None:
    """Dist equals p."""
    return _law_differs(rule.emitted_distribution(case.p, case.q).dist, case.p)


def distribution(rule: Rule, case: Case) -> str | None:
    """Dist and residual are distributions, alpha a probability."""
    dist, alpha = rule.emitted_distribution(case.p, case.q)
    for name, row in (("dist", dist), ("residual", rule.residual_distribution(case.p, case.q))):
        if min(row) < 0 or sum(row) != 1:
            return f"{name} {show(row)} has sum {sum(row)}, least entry {min(row)}"
    return None if 0 <= alpha <= 1 else f"alpha {alpha}"


def alpha_is_one_minus_tv(rule: Rule, case: Case) -> str | None:
    """Alpha, by both functions that return it, equals 1 - TV."""
    expected = 1 - rule.total_variation(case.p, case.q)
    for alpha in (
        rule.emitted_distribution(case.p, case.q).alpha,
        rule.acceptance_probability(case.p, case.q),
    ):
        if alpha != expected:
            return f"alpha {alpha}, 1 - TV {expected}"
    return None


def completion(rule: Rule, case: Case) -> str | None:
    """A residual is returned iff q a <= p everywhere; it makes the law p, and other rows do not."""
    p, q, keep = case.p, case.q, case.extra
    residual = rule.completing_residual(p, q, keep)
    kept = [b * a for b, a in zip(q, keep, strict=True)]
    possible = all(k <= a for k, a in zip(kept, p, strict=True))
    if residual is None:
        return f"no residual though q a is {show(kept)}" if possible else None
    if not possible:
        return f"residual {show(residual)} though q a is {show(kept)}"
    if min(residual) < 0 or sum(residual) != 1:
        return f"residual {show(residual)} is no distribution"
    return _completes_alone(p, kept, residual)


def optimal(rule: Rule, case: Case) -> str | None:
    """No coupling keeps more than alpha; the rule's coupling is one and keeps alpha."""
    alpha = rule.emitted_distribution(case.p, case.q).alpha
    kept = _diagonal(case.extra)
    if kept > alpha:
        return f"a coupling keeps {kept}, alpha {alpha}"
    joint = rule.maximal_coupling(case.p, case.q)
    if tuple(sum(row) for row in joint) != case.q or tuple(map(sum, zip(*joint, strict=True))) != case.p:
        return f"maximal coupling {show([show(row) for row in joint])} has other marginals"
    return None if _diagonal(joint) == alpha else f"maximal coupling keeps {_diagonal(joint)}, alpha {alpha}"


def identical_draft(rule: Rule, case: Case) -> str | None:
    """Alpha is 1 and dist is p."""
    dist, alpha = rule.emitted_distribution(case.p, case.q)
    return _alpha_differs(alpha, S.One) or _law_differs(dist, case.p)


def token_never_proposed(rule: Rule, case: Case) -> str | None:
    """Where q is 0 the ratio is 1, nothing is drafted, and the token comes as a replacement alone."""
    dist, alpha = rule.emitted_distribution(case.p, case.q)
    ratio, residual = rule.acceptance_ratio(case.p, case.q), rule.residual_distribution(case.p, case.q)
    joint = rule.maximal_coupling(case.p, case.q)
    for x, q in enumerate(case.q):
        if q == 0 and (ratio[x] != 1 or any(joint[x]) or dist[x] != (1 - alpha) * residual[x]):
            return f"token {x}: ratio {ratio[x]}, drafted {sum(joint[x])}, emitted {dist[x]}"
    return None


def token_never_wanted(rule: Rule, case: Case) -> str | None:
    """Where p is 0 the token is never emitted, nor is it a replacement."""
    dist, residual = (
        rule.emitted_distribution(case.p, case.q).dist,
        rule.residual_distribution(case.p, case.q),
    )
    for x, p in enumerate(case.p):
        if p == 0 and (dist[x] != 0 or residual[x] != 0):
            return f"token {x}: emitted {dist[x]}, residual {residual[x]}"
    return None


def disjoint_supports(rule: Rule, case: Case) -> str | None:
    """Alpha is 0, dist and residual are p."""
    dist, alpha = rule.emitted_distribution(case.p, case.q)
    residual = rule.residual_distribution(case.p, case.q)
    return _alpha_differs(alpha, S.Zero) or _law_differs(dist, case.p) or _law_differs(residual, case.p, "residual")


def one_hot_draft(rule: Rule, case: Case) -> str | None:
    """Alpha is p(x) at the token that is always drafted."""
    return _alpha_differs(rule.emitted_distribution(case.p, case.q).alpha, case.p[case.q.index(1)])


def one_hot_target(rule: Rule, case: Case) -> str | None:
    """Alpha is q(x) at the token that is always wanted."""
    return _alpha_differs(rule.emitted_distribution(case.p, case.q).alpha, case.q[case.p.index(1)])


def single_token(rule: Rule, case: Case) -> str | None:
    """Alpha is 1 and dist is (1)."""
    return identical_draft(rule, case)


def merging_never_lowers_alpha(rule: Rule, case: Case) -> str | None:
    """Alpha of the merged rows is at least alpha, for every two tokens."""
    alpha = rule.emitted_distribution(case.p, case.q).alpha
    for i, j in combinations(range(len(case.p)), 2):
        merged = rule.emitted_distribution(rule.merge_tokens(case.p, i, j), rule.merge_tokens(case.q, i, j)).alpha
        if merged < alpha:
            return f"alpha {alpha}, after merging tokens {i} and {j} {merged}"
    return None


def closed_form_is_sampler(rule: Rule, case: Case) -> str | None:
    """The closed form is the law of the sampler, enumerated."""
    claimed, actual = rule.emitted_distribution(case.p, case.q), law_of_sampler(rule.sampler, case.p, case.q)
    if claimed.dist != actual.dist:
        return f"closed form {show(claimed.dist)}, sampler {show(actual.dist)}"
    return None if claimed.alpha == actual.alpha else f"closed form alpha {claimed.alpha}, sampler {actual.alpha}"


def _completes_alone(p: Row, kept: Sequence[Rational], residual: Row) -> str | None:
    rejected = 1 - sum(kept, S.Zero)
    difference = _law_differs(_completed(kept, rejected, residual), p)
    if difference is not None or rejected == 0:
        return difference
    vocabulary = len(p)
    rivals = [tuple(S.One if x == y else S.Zero for y in range(vocabulary)) for x in range(vocabulary)]
    for rival in (*rivals, (Rational(1, vocabulary),) * vocabulary):
        if rival != residual and _completed(kept, rejected, rival) == p:
            return f"residual {show(residual)}, but {show(rival)} makes the law p as well"
    return None


def _completed(kept: Sequence[Rational], rejected: Rational, residual: Row) -> Row:
    return tuple(k + rejected * r for k, r in zip(kept, residual, strict=True))


def _law_differs(law: Row, expected: Row, name: str = "dist") -> str | None:
    if law == expected:
        return None
    distance = sum((abs(a - b) for a, b in zip(law, expected, strict=True)), S.Zero) / 2
    return f"{name} {show(law)}, TV {distance}"


def _alpha_differs(alpha: Rational, expected: Rational) -> str | None:
    return None if alpha == expected else f"alpha {alpha}, expected {expected}"


def _diagonal(joint: Sequence[Sequence[Rational]]) -> Rational:
    return sum((row[x] for x, row in enumerate(joint)), S.Zero)
