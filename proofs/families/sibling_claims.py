"""What each theorem about siblings says of one case: None where it holds, the difference in words where it does not."""

from collections.abc import Callable
from functools import cache
from itertools import combinations, pairwise
from typing import Any

from sympy import Rational, S
from sympy.external.gmpy import MPQ

from proofs.cases import Case
from proofs.distributions import Row, show_row, total_variation
from proofs.families.sibling_model import Law, SiblingRule, drawn, drawn_in_turn, draws, fixed_law, weights
from proofs.kseq_rule import expected_tries, keep_masses
from proofs.processes import as_rational
from proofs.sibling_flow import check_certificate

__all__ = [
    "acceptance_is_product",
    "admissible_rho_is_least",
    "candidates_lossless",
    "closed_form_is_sampler",
    "grows_with_siblings",
    "kseq_keeps",
    "kseq_lossless_iff_admissible",
    "lossless",
    "never_above_optimum",
    "one_sibling",
    "optimum_is_flow",
    "support_used_up",
]


def lossless(rule: SiblingRule, case: Case) -> str | None:
    """Recursive rejection emits the target, with and without replacement."""
    for how, law in _recursive(rule, case):
        if law.dist != weights(case.p):
            return f"{how} the law is {_shown(law)}, not {show_row(case.p)}"
    return None


def closed_form_is_sampler(rule: SiblingRule, case: Case) -> str | None:
    """Law and acceptance in closed form are those of the sampler."""
    for how, law in _recursive(rule, case):
        claimed = _asked(rule.recursive_law, case.p, case.q, _k(case), how == _WITH)
        found = tuple(map(as_rational, law.dist)), as_rational(law.accepted)
        if (claimed.dist, claimed.alpha) != found:
            return (
                f"{how} law {show_row(claimed.dist)} and acceptance {claimed.alpha} are claimed, and the sampler has "
                f"{show_row(found[0])} and {found[1]}"
            )
    return None


def acceptance_is_product(rule: SiblingRule, case: Case) -> str | None:
    """With replacement the acceptance is one minus the product of the distances of residuals and draft."""
    *tried, last = _asked(rule.residuals, case.p, case.q, _k(case))
    if bad := [row for row in (*tried, last) if sum(row, S.Zero) != 1 or min(row) < 0]:
        return f"residual {show_row(bad[0])} is no distribution"
    product = S.One
    for row in tried:
        product *= _asked(total_variation, row, case.q)
    claimed = _asked(rule.recursive_law, case.p, case.q, _k(case), True).alpha
    return None if claimed == 1 - product else f"acceptance {claimed}, and one minus the product is {1 - product}"


def never_above_optimum(rule: SiblingRule, case: Case) -> str | None:
    """Neither recursive rejection nor K-SEQ with rho = k keeps a sibling more often than the optimum."""
    laws = list(_recursive(rule, case))
    laws.append(("K-SEQ", drawn_in_turn(rule.sequential, case.p, case.q, _k(case), Rational(_k(case)))))
    for how, law in laws:
        best = _asked(rule.optimal_acceptance, case.p, case.q, _k(case), how != _WITHOUT)
        if as_rational(law.accepted) > best:
            return f"{how}: acceptance {law.accepted} is above the optimum {best}"
    return None


def optimum_is_flow(rule: SiblingRule, case: Case) -> str | None:
    """The optimum is the value of a certified flow and cut, and the least over all sets of tokens."""
    for how in _ways(case):
        best = _asked(rule.optimal_acceptance, case.p, case.q, _k(case), how == _WITH)
        value, fault = _certified(rule.set_law, rule.optimal_coupling, case.p, case.q, _k(case), how == _WITH)
        if fault:
            return f"{how}: {fault}"
        least = _least_cut(case.p, case.q, _k(case), how == _WITH)
        if not best == value == least:
            return f"{how}: optimum {best}, flow {value}, least over the sets of tokens {least}"
    return None


def one_sibling(rule: SiblingRule, case: Case) -> str | None:
    """With k = 1 every rule and the optimum accept with one minus the distance."""
    alpha = 1 - _asked(total_variation, case.p, case.q)
    found = {how: as_rational(law.accepted) for how, law in _recursive(rule, case)}
    found["K-SEQ"] = _asked(rule.kseq_acceptance, case.p, case.q, 1, S.One)
    for how in (_WITH, _WITHOUT):
        found[f"optimum {how}"] = _asked(rule.optimal_acceptance, case.p, case.q, 1, how == _WITH)
    wrong = [f"{how}: {value}" for how, value in found.items() if value != alpha]
    return f"{wrong[0]}, and 1 - TV is {alpha}" if wrong else None


def grows_with_siblings(rule: SiblingRule, case: Case) -> str | None:
    """One sibling more never lowers the acceptance of recursive rejection, nor the optimum."""
    k = _k(case)
    for how in _ways(case):
        counts = (k - 1, k)
        kept = [drawn(rule.recursion, case.p, case.q, n, how == _WITH).accepted for n in counts]
        best = [_asked(rule.optimal_acceptance, case.p, case.q, n, how == _WITH) for n in counts]
        for what, (fewer, more) in (("acceptance", kept), ("optimum", best)):
            if more < fewer:
                return f"{how} the {what} falls from {fewer} to {more} at k = {k}"
    return None


def support_used_up(rule: SiblingRule, case: Case) -> str | None:
    """Without replacement, as many siblings as the draft has tokens are kept with p of its support."""
    support = [x for x, chance in enumerate(case.q) if chance]
    for k, expected in ((len(support), sum((case.p[x] for x in support), S.Zero)), (len(case.q), S.One)):
        law = drawn(rule.recursion, case.p, case.q, k, False)
        best = _asked(rule.optimal_acceptance, case.p, case.q, k, False)
        if not as_rational(law.accepted) == best == expected:
            return f"k = {k}: acceptance {law.accepted}, optimum {best}, expected {expected}"
    return None


def kseq_lossless_iff_admissible(rule: SiblingRule, case: Case) -> str | None:
    """K-SEQ emits the target iff rho is admissible; k is."""
    k, rho = case.extra
    claimed = _asked(rule.is_admissible, case.p, case.q, k, rho)
    law = drawn_in_turn(rule.sequential, case.p, case.q, k, rho)
    right = law.dist == weights(case.p)
    if claimed != right:
        return f"admissible: {claimed}, and the law is {_shown(law)} for the target {show_row(case.p)}"
    return None if right or rho < k else f"rho = {rho} is not admissible for k = {k}"


def kseq_keeps(rule: SiblingRule, case: Case) -> str | None:
    """K-SEQ keeps a sibling with ``1 - (1 - beta)**k``."""
    k, rho = case.extra
    expected = _some_kept(case.p, case.q, k, rho)
    law = drawn_in_turn(rule.sequential, case.p, case.q, k, rho)
    claimed = _asked(rule.kseq_acceptance, case.p, case.q, k, rho)
    if not claimed == as_rational(law.accepted) == expected:
        return f"claimed {claimed}, kept {law.accepted}, and 1 - (1 - beta)**k is {expected}"
    return None


def admissible_rho_is_least(rule: SiblingRule, case: Case) -> str | None:
    """The admissible rho are an interval; its end is bracketed, or found, as a solution of rho = G(rho)."""
    (k,) = case.extra
    tried = sorted({*_RHO, Rational(k)})
    fits = [_asked(rule.is_admissible, case.p, case.q, k, rho) for rho in tried]
    if any(low and not high for low, high in pairwise(fits)):
        return f"among rho = {show_row(tried)} the admissible ones are no interval: {fits}"
    low, high = _asked(rule.admissible_rho, case.p, case.q, k)
    if not _asked(rule.is_admissible, case.p, case.q, k, high) or (
        low < high and _asked(rule.is_admissible, case.p, case.q, k, low)
    ):
        return f"the least admissible rho is not above {low} and at most {high}"
    once = keep_masses(weights(case.p), weights(case.q), MPQ(low.p, low.q))
    exact = low == 1 or as_rational(expected_tries(once, k)) == low
    return None if low < high or exact else f"rho = {low} is not the least admissible one"


def candidates_lossless(rule: SiblingRule, case: Case) -> str | None:
    """Fixed candidates, some of them twice: the law is the target, the acceptance p of their set."""
    (tokens,) = case.extra
    law = fixed_law(case.p, rule.candidates(tokens))
    if law.dist != weights(case.p):
        return f"the law is {_shown(law)}, not {show_row(case.p)}"
    expected = sum((case.p[x] for x in set(tokens)), S.Zero)
    return None if as_rational(law.accepted) == expected else f"acceptance {law.accepted}, and p(S) is {expected}"


_WITH, _WITHOUT = "with replacement", "without replacement"
_RHO = (S.One, Rational(5, 4), Rational(3, 2), Rational(2))


def _k(case: Case) -> int:
    return int(case.extra[0])


def _ways(case: Case) -> tuple[str, ...]:
    return (_WITH, _WITHOUT) if _k(case) <= len(case.p) else (_WITH,)


def _recursive(rule: SiblingRule, case: Case) -> list[tuple[str, Law]]:
    return [(how, drawn(rule.recursion, case.p, case.q, _k(case), how == _WITH)) for how in _ways(case)]


@cache
def _asked(function: Callable[..., Any], *arguments: Any) -> Any:
    """Ask a closed form once: most of a mutant's are those of the right rule."""
    return function(*arguments)


@cache
def _certified(set_law: Any, coupling: Any, p: Row, q: Row, k: int, replacement: bool) -> tuple[Rational, str | None]:
    """Return the value of a flow, and what is wrong with its certificate."""
    sets = set_law(q, k, replacement)
    certificate = coupling(p, sets)
    return certificate.value, check_certificate(p, sets, certificate)


@cache
def _least_cut(p: Row, q: Row, k: int, replacement: bool) -> Rational:
    values = []
    for chosen in (set(tokens) for size in range(len(p) + 1) for tokens in combinations(range(len(p)), size)):
        inside = sum((mass for tokens, mass in draws(q, k, replacement) if chosen.issuperset(tokens)), MPQ(0))
        values.append(1 + sum(weights(p)[x] for x in chosen) - inside)
    return as_rational(min(values))


@cache
def _some_kept(p: Row, q: Row, k: int, rho: Rational) -> Rational:
    beta = sum((min(b, a / rho) for a, b in zip(p, q, strict=True)), S.Zero)
    return 1 - (1 - beta) ** k


def _shown(law: Law) -> str:
    return show_row(law.dist)
