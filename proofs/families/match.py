"""The match rule: the target's own token is drawn and emitted; drafted tokens count while they are what was drawn."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from itertools import combinations_with_replacement, product
from typing import Any, NamedTuple

from sympy import Rational, S

from proofs import match_rule, token_rule
from proofs.cases import Case, ProcessCase
from proofs.distributions import Row, distance_token, show_row
from proofs.domains import NAMED, Domain, compositions, pairs_where
from proofs.mutants import Mutant
from proofs.processes import Prefix
from proofs.theorems import Theorem

__all__ = ["ABOUT", "MATCH_RULE", "MUTANTS", "THEOREMS", "MatchRule", "Step"]

ABOUT = (
    "The target's own token is drawn and emitted, whatever was drafted; a drafted token counts as accepted if it is "
    "the one drawn."
)

Law = dict[Prefix, Rational]
Rows = Callable[[Prefix], Row]


class Step(NamedTuple):
    """What a verifier does with one drafted token.

    Attributes
    ----------
    kept : Rational
        Probability that the drafted token is kept, and emitted.
    stopped : row
        Probability of each token to be emitted without the draft being kept: the call ends.
    """

    kept: Rational
    stopped: Row


@dataclass(frozen=True)
class MatchRule:
    """The rule in its parts: what it does with a drafted token, and the closed forms about it."""

    step: Callable[[Row, Row, int], Step]
    lookup_step: Callable[[Row, int], Step]
    acceptance: Callable[[Row, Row, int], Rational] = match_rule.acceptance
    set_acceptance: Callable[[Row, Sequence[int]], Rational] = match_rule.set_acceptance
    greedy_row: Callable[[Row], Row] = match_rule.greedy_row
    emitted_law: Callable[[Rows, Rows, int], Law] = match_rule.emitted_law
    expected_accepted: Callable[[Rows, Rows, int], Rational] = match_rule.expected_accepted


def _without(row: Row, token: int) -> Row:
    return tuple(S.Zero if x == token else value for x, value in enumerate(row))


def _match_step(p: Row, _: Row, x: int) -> Step:
    return Step(p[x], _without(p, x))


def _lookup_step(p: Row, x: int) -> Step:
    """Keep with p(x), else draw from the other tokens: the token rule against a draft that is certain."""
    rejected = 1 - p[x]
    residual = token_rule.residual_distribution(p, match_rule.one_hot(x, len(p)))
    return Step(p[x], tuple(rejected * r for r in residual))


MATCH_RULE = MatchRule(_match_step, _lookup_step)


# Claims.


def _law_of_step(step: Step, x: int) -> Row:
    return tuple(mass + (step.kept if y == x else S.Zero) for y, mass in enumerate(step.stopped))


def _every_drafter(rule: MatchRule, case: Case) -> str | None:
    for x in range(len(case.p)):
        law = _law_of_step(rule.step(case.p, case.q, x), x)
        if law != case.p:
            return f"given the draft {x} the law is {show_row(law)}, not p"
    return None


def _acceptance(rule: MatchRule, case: Case) -> str | None:
    for k in range(3):
        expected = S.Zero
        for tokens in product(range(len(case.p)), repeat=k):
            chance = S.One
            for x in tokens:
                chance *= case.q[x]
            expected += chance * sum((case.p[x] for x in set(tokens)), S.Zero)
        found = rule.acceptance(case.p, case.q, k)
        if found != expected:
            return f"for {k} drafts {found} is reported, E[p(S)] is {expected}"
    return None


def _set_acceptance(rule: MatchRule, case: Case) -> str | None:
    for k in range(3):
        for tokens in combinations_with_replacement(range(len(case.p)), k):
            expected = sum((value for x, value in enumerate(case.p) if x in tokens), S.Zero)
            found = rule.set_acceptance(case.p, tokens)
            if found != expected:
                return f"for the tokens {tokens} {found} is reported, p(S) is {expected}"
    return None


def _at_most_maximal(rule: MatchRule, case: Case) -> str | None:
    least = 1 - sum(map(distance_token, case.p, case.q), S.Zero) / 2
    found = rule.acceptance(case.p, case.q, 1)
    return None if found <= least else f"acceptance {found} is above 1 - TV = {least}"


def _certain_draft(rule: MatchRule, case: Case) -> str | None:
    for x in range(len(case.p)):
        joint = token_rule.maximal_coupling(case.p, match_rule.one_hot(x, len(case.p)))[x]
        for name, step in (("match", rule.step(case.p, case.q, x)), ("lookup", rule.lookup_step(case.p, x))):
            if (step.kept, step.stopped) != (joint[x], _without(joint, x)):
                return f"draft {x}: the {name} verifier keeps {step.kept} and stops with {show_row(step.stopped)}"
    return None


def _greedy(rule: MatchRule, case: Case) -> str | None:
    row = rule.greedy_row(case.p)
    first = case.p.index(max(case.p))
    wanted = match_rule.one_hot(first, len(case.p))
    return None if row == wanted else f"greedy decoding has the law {show_row(row)}, the baseline takes {first}"


def _greedy_is_token_rule(rule: MatchRule, case: Case) -> str | None:
    target = match_rule.greedy_row(case.p)
    joint = token_rule.maximal_coupling(target, case.q)
    for x, drafted in enumerate(case.q):
        step = rule.step(target, case.q, x)
        found = tuple(drafted * mass for mass in _law_of_step(step, x))
        if found != joint[x] or drafted * step.kept != drafted * target[x]:
            return f"greedy target, draft {x}: {show_row(found)}, the token rule has {show_row(joint[x])}"
    return None


def _sequences(rule: MatchRule, case: ProcessCase) -> str | None:
    (gamma,) = case.extra
    law = rule.emitted_law(case.target_row, case.draft_row, gamma)
    for tokens in product(range(len(case.target[0])), repeat=gamma + 1):
        rest = [S.One]  # probability of the last tokens given those before, from the whole down
        for i in reversed(range(gamma + 1)):
            rest.append(rest[-1] * case.target_row(tokens[:i])[tokens[i]])
        wanted = rest[-1]
        found = sum((law.get(tokens[:i], S.Zero) * rest[gamma + 1 - i] for i in range(1, gamma + 2)), S.Zero)
        if found != wanted:
            return f"the sequence {tokens} has mass {found}, the target's is {wanted}"
    return None


def _chain(rule: MatchRule, case: ProcessCase) -> str | None:
    (gamma,) = case.extra
    law = rule.emitted_law(case.target_row, case.draft_row, gamma)
    steps = _law_of_steps(rule.step, case.target_row, case.draft_row, gamma)
    if law != steps:
        return f"the closed form of the law is not that of {gamma} steps"
    kept = sum((mass * (len(tokens) - 1) for tokens, mass in steps.items()), S.Zero)
    found = rule.expected_accepted(case.target_row, case.draft_row, gamma)
    return None if found == kept else f"{found} expected accepted tokens are reported, the steps keep {kept}"


def _law_of_steps(step: Callable[[Row, Row, int], Step], target: Rows, draft: Rows, gamma: int) -> Law:
    """Law of the emitted tokens of one call: every drafted token, what is done with it, and the bonus token."""
    law: Law = {}
    kept: Law = {(): S.One}
    for _ in range(gamma):
        longer: Law = {}
        for prefix, mass in kept.items():
            p, q = target(prefix), draft(prefix)
            for x, drafted in enumerate(q):
                done = step(p, q, x)
                _add(longer, (*prefix, x), mass * drafted * done.kept)
                for y, stopped in enumerate(done.stopped):
                    _add(law, (*prefix, y), mass * drafted * stopped)
        kept = longer
    for prefix, mass in kept.items():
        for y, bonus in enumerate(target(prefix)):
            _add(law, (*prefix, y), mass * bonus)
    return law


def _add(law: Law, tokens: Prefix, mass: Rational) -> None:
    if mass != 0:
        law[tokens] = law.get(tokens, S.Zero) + mass


# Cases.


def _thirds(vocabulary: int) -> list[Row]:
    return [tuple(Rational(k, 3) for k in counts) for counts in compositions(3, vocabulary)]


@cache
def _process_cases() -> tuple[ProcessCase, ...]:
    pairs: list[tuple[tuple[Row, ...], tuple[Row, ...]]] = [((p,), (q,)) for p, q in product(_thirds(2), repeat=2)]
    tables = list(product([_thirds(2)[i] for i in (0, 1, 3)], repeat=3))
    pairs += [(table, (q,)) for table in tables for q in _thirds(2)[1:3]]
    pairs += [(table, turned) for table, turned in zip(tables, tables[5:] + tables[:5], strict=True)]
    pairs += [((case.p,), (case.q,)) for case in (NAMED["I3"], NAMED["B0"])]
    pairs += [((b.p, b.q, a.p, a.q), (a.q, a.p, b.q, b.p)) for a, b in ((NAMED["I3"], NAMED["B0"]),)]
    cases = [ProcessCase(target, draft, (gamma,)) for target, draft in pairs for gamma in range(3)]
    return tuple(sorted(cases, key=lambda case: case.size))


def _process_grid() -> Iterator[ProcessCase]:
    return iter(_process_cases())


_PROCESSES = Domain(
    "pairs of processes, gamma 0 to 2: rows k/3 at V = 2 (every pair of rows; targets by last token with rows (0, 1), "
    "(1/3, 2/3), (1, 0) against two rows and a table turned), I3, B0 and a first-order pair made of them",
    _process_grid,
    False,
    None,
    "gamma",
)


# What a rule does must not depend on the order of the tokens, but where ties are broken.
_PAIRS = pairs_where(
    "pairs, at V = 3 those with p descending",
    lambda case: len(case.p) < 3 or list(case.p) == sorted(case.p, reverse=True),
    lambda strategies: strategies.pairs(),
    named=True,
)


# Mutants.

_HERE = "made here"


def _mutant(name: str, fault: str, source: str = _HERE, **parts: Callable[..., Any]) -> Mutant:
    return Mutant(name, fault, source, replace(MATCH_RULE, **parts), about="match")


def _of_step(name: str, fault: str, step: Callable[[Row, Row, int], Step]) -> Mutant:
    def law(target: Rows, draft: Rows, gamma: int) -> Law:
        return _law_of_steps(step, target, draft, gamma)

    return _mutant(name, fault, step=step, emitted_law=law)


def _redrawn(p: Row, _: Row, x: int) -> Step:
    return Step(p[x], tuple((1 - p[x]) * value for value in p))


def _keep_if_likelier(p: Row, q: Row, x: int) -> Step:
    return Step(S.One, (S.Zero,) * len(p)) if p[x] >= q[x] else _match_step(p, q, x)


def _top_two(p: Row, q: Row, x: int) -> Step:
    likelier = len([value for value in p if value > p[x]])
    return Step(S.One, (S.Zero,) * len(p)) if likelier < 2 else _match_step(p, q, x)


def _of_likeliest_draft(p: Row, q: Row, k: int) -> Rational:
    return p[q.index(max(q))] if k else S.Zero


def _one_minus_tv(p: Row, q: Row, _: int) -> Rational:
    return token_rule.acceptance_probability(p, q)


def _bonus_from_draft(target: Rows, draft: Rows, gamma: int) -> Law:
    def rows(prefix: Prefix) -> Row:
        return target(prefix) if len(prefix) < gamma else draft(prefix)

    return _law_of_steps(_match_step, rows, draft, gamma)


def _stale_row(target: Rows, draft: Rows, gamma: int) -> Law:
    return _law_of_steps(_match_step, lambda prefix: target(prefix[:-1]), draft, gamma)


def _counting_bonus(target: Rows, draft: Rows, gamma: int) -> Rational:
    return match_rule.expected_accepted(target, draft, gamma) + 1


def _lookup_from_target(p: Row, x: int) -> Step:
    return Step(p[x], tuple((1 - p[x]) * value for value in p))


MUTANTS: tuple[Mutant, ...] = (
    _of_step("match_redrawn", "draws another token from p after a mismatch", _redrawn),
    _of_step("match_keep_if_likelier", "keeps the draft if p(x) >= q(x), and matches otherwise", _keep_if_likelier),
    _of_step(
        "match_top_two", "keeps the draft if it is one of the two likeliest tokens, and matches otherwise", _top_two
    ),
    _mutant(
        "match_alpha_of_likeliest",
        "reports p at the draft's likeliest token, as if that were always drafted",
        acceptance=_of_likeliest_draft,
    ),
    _mutant("match_alpha_one_minus_tv", "reports 1 - TV as the acceptance", acceptance=_one_minus_tv),
    _mutant(
        "match_drafts_apart",
        "adds up the acceptances of k drafts as if they could not coincide",
        acceptance=lambda p, q, k: k * match_rule.acceptance(p, q),
    ),
    _mutant(
        "match_duplicate_twice",
        "counts a token that was drafted twice twice",
        set_acceptance=lambda p, tokens: sum((p[x] for x in tokens), S.Zero),
    ),
    _mutant(
        "lookup_correction_from_p", "draws from all of p after a lookup is rejected", lookup_step=_lookup_from_target
    ),
    _mutant(
        "greedy_other_ties",
        "takes the last of several likeliest tokens, where the baseline takes the first",
        greedy_row=lambda row: match_rule.greedy_row(row, "highest"),
    ),
    _mutant("match_bonus_from_draft", "draws the bonus token from the draft's row", emitted_law=_bonus_from_draft),
    _mutant("match_stale_row", "verifies each token with the row of the one before", emitted_law=_stale_row),
    _mutant("match_counts_bonus", "counts the bonus token as accepted", expected_accepted=_counting_bonus),
)


def _theorem(*parts: Any, **options: Any) -> Theorem:
    name, statement, latex, domain, holds, refutes = parts
    return Theorem(
        name, statement, latex, "stated here", domain, holds, None, refutes, about="match", rule=MATCH_RULE, **options
    )


THEOREMS: tuple[Theorem, ...] = (
    _theorem(
        "match_lossless_for_every_drafter",
        "For all p and every drafted token, however it was drafted: given that token, what is emitted has the law p; "
        "so it has whatever the drafter does, honest or not.",
        r"\forall p\ \forall x\ \forall y:\ \Pr(\text{emitted} = y \mid \text{drafted} = x) = p(y)",
        _PAIRS,
        _every_drafter,
        ("match_redrawn", "match_keep_if_likelier", "match_top_two"),
        shared="the law of a call is made of these steps: match_lossless_on_sequences fails with them",
    ),
    _theorem(
        "match_acceptance_is_mass_of_drafts",
        "For all p, q and k from 0 to 2: with k independent drafts the acceptance is E[p(S)], S being the set of them.",
        r"\forall p, q\ \forall k \le 2:\ \sum_x p(x)(1 - (1 - q(x))^k) = E[p(S)]",
        _PAIRS,
        _acceptance,
        ("match_alpha_of_likeliest", "match_alpha_one_minus_tv", "match_drafts_apart"),
        sole="match_alpha_one_minus_tv",
    ),
    _theorem(
        "match_set_acceptance",
        "For all p and every two tokens, equal or not, one or none: given them, the acceptance is p(S).",
        r"\forall p\ \forall S,\ |S| \le 2:\ \Pr(\text{kept} \mid S) = p(S)",
        _PAIRS,
        _set_acceptance,
        ("match_duplicate_twice",),
        sole="match_duplicate_twice",
    ),
    _theorem(
        "match_below_maximal",
        "For all p, q: the acceptance of one draft is at most 1 - TV(p, q).",
        r"\forall p, q:\ \sum_x p(x)q(x) \le 1 - TV(p, q)",
        _PAIRS,
        _at_most_maximal,
        ("match_alpha_of_likeliest",),
        shared="follows from match_acceptance_is_mass_of_drafts",
    ),
    _theorem(
        "certain_draft_makes_both_rules_one",
        "For all p and x: if the draft is certain of x, the match rule and the token rule (keep with p(x), else draw "
        "from the other tokens) have one joint law of what is kept and what is emitted.",
        r"\forall p\ \forall x:\ q = 1_x \implies \Pr(\text{kept}) = p(x),\ \Pr(\text{emitted} = y,"
        r"\ \text{not kept}) = p(y)1[y \ne x] \text{ for both rules}",
        _PAIRS,
        _certain_draft,
        ("match_redrawn", "match_keep_if_likelier", "match_top_two", "lookup_correction_from_p"),
        sole="lookup_correction_from_p",
    ),
    _theorem(
        "greedy_takes_the_first_of_the_likeliest",
        "For all p: greedy decoding has mass one on the token of lowest index among the likeliest, as the baseline.",
        r"\forall p:\ g(x) = 1[x = \min \arg\max p]",
        _PAIRS,
        _greedy,
        ("greedy_other_ties",),
        sole="greedy_other_ties",
    ),
    _theorem(
        "greedy_match_is_token_rule",
        "For all p, q: at temperature 0 (the target's law is certain of the greedy token) the match rule and the token "
        "rule have one joint law: keep the draft iff it is the greedy token, else emit that.",
        r"\forall p, q\ \forall x, y:\ \Pr(x, y) = q(x)1[y = \min \arg\max p] \text{ for both rules}",
        _PAIRS,
        _greedy_is_token_rule,
        ("match_top_two",),
        shared="follows from match_lossless_for_every_drafter: a law that is certain leaves one coupling",
    ),
    _theorem(
        "match_lossless_on_sequences",
        "For all targets, drafts and gamma: one call, then the target's own tokens up to gamma + 1, has the target's "
        "law on sequences.",
        r"\forall y \in V^{\gamma+1}:\ \sum_i \Pr(\text{emitted} = y^i)\, P(y_{i+1} \ldots y_{\gamma+1} \mid y^i)"
        r" = P(y)",
        _PROCESSES,
        _sequences,
        ("match_redrawn", "match_keep_if_likelier", "match_top_two", "match_bonus_from_draft", "match_stale_row"),
        shared="a law that is not that of the steps breaks match_chain; wrong steps break "
        "match_lossless_for_every_drafter",
    ),
    _theorem(
        "match_chain",
        "For all targets, drafts and gamma: the closed forms of the law of a call and of the expected number of "
        "accepted tokens are those of its steps, one drafted token after the other.",
        r"\Pr(x^i y) = \prod_{j \le i} p_j(x_j)q_j(x_j)\, p(y)(1 - q(y)1[i < \gamma]),\ "
        r"E[\tau] = \sum_{i=1}^{\gamma} \sum_{x^i} \prod_{j \le i} p_j(x_j)q_j(x_j)",
        _PROCESSES,
        _chain,
        ("match_keep_if_likelier", "match_top_two", "match_bonus_from_draft", "match_stale_row", "match_counts_bonus"),
        sole="match_counts_bonus",
    ),
)
