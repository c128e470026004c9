"""The SMT form of each theorem: its goals, and false claims that must be refuted.

Notation as in `proofs.derivations`: a = probability of keeping, A, J, R, D, P, Q = sums of q a,
q - q a, (p - q)+, |p - q|, p and q; r = residual, dist = law of the emitted token, c = a coupling.
"""

from collections.abc import Callable, Iterator
from types import MappingProxyType

from proofs.smt import FORMULAS, TIMEOUT, Formulas, Problem, Term, all_of, any_of, decide, number
from proofs.smt_results import SmtResult, SmtRun

__all__ = ["STATEMENTS", "examine", "execute"]


def _lossless(problem: Problem) -> None:
    facts, rule = problem.facts(), problem.rule
    problem.goal("dist(x) = p(x)", facts, problem.dist == problem.p)
    unscaled = rule.emit(problem.kept, 1, problem.residual)
    problem.control("dist(x) = p(x) without the factor J", facts, unscaled == problem.p)
    undivided = rule.emit(problem.kept, problem.total("J"), problem.excess)
    problem.control("dist(x) = p(x) without dividing by R", facts, undivided == problem.p)
    problem.control("dist(x) = q(x)", facts, problem.dist == problem.q)
    unsummed = tuple(fact for fact in facts if fact is not problem.ones[0])
    problem.control("dist(x) = p(x) whatever p sums to", unsummed, problem.dist == problem.p)


def _distribution(problem: Problem) -> None:
    facts, unit, rule = problem.facts(), problem.residual_sums(), problem.rule
    problem.goal("r(x) >= 0", facts, problem.residual >= 0)
    problem.goal("dist(x) >= 0", facts, problem.dist >= 0)
    chance, rejected = number("r(x)"), number("the row's J")
    whole = problem.induction(
        "sum dist = A + J sum r",
        lambda s: s["dist"] == s["A"] + rejected * s["r"],
        problem.token,
        dist=rule.emit(problem.kept, rejected, chance),
        r=chance,
    )
    summed = (*facts, whole, unit, rejected == problem.total("J"))
    problem.goal("sum dist = 1", summed, problem.total("dist") == 1)
    kept = problem.member("A", problem.kept, problem.token)
    problem.goal("0 <= A <= 1", (*facts, kept), all_of(problem.total("A") >= 0, problem.total("A") <= 1))
    problem.control("A < 1", (*facts, kept), problem.total("A") < 1)
    problem.control("r(x) > 0", facts, problem.residual > 0)
    problem.control("sum dist = A", summed, problem.total("dist") == problem.total("A"))


def _alpha_is_one_minus_tv(problem: Problem) -> None:
    problem.mixture()
    p, q, distance = problem.p, problem.q, problem.rule.distance(problem.p, problem.q)
    problem.goal(
        "the distance is |p - q|",
        problem.token,
        all_of(distance >= p - q, distance >= q - p, any_of(distance == p - q, distance == q - p)),
    )
    relation = problem.induction(
        "2 A + D = P + Q", lambda s: 2 * s["A"] + s["D"] == s["P"] + s["Q"], problem.token, D=distance
    )
    facts = (*problem.ones, relation)
    alpha, far = problem.total("A"), problem.total("D")
    problem.goal("A = 1 - TV", facts, alpha == 1 - problem.rule.total_variation(far))
    problem.goal("TV = D / 2", (), problem.rule.total_variation(far) == far / 2)
    problem.control("A = 1 - D", facts, alpha == 1 - far)
    problem.control("A = 1 - TV whatever p sums to", facts[1:], alpha == 1 - far / 2)


def _optimal(problem: Problem) -> None:
    facts, unit, rule = problem.facts(), problem.residual_sums(), problem.rule
    shared, entry = number("c(x,x)"), number("c(x,y)")
    # An entry is at most its row's sum q(x) and its column's sum p(y).
    problem.member("c", entry, (entry >= 0,))
    diagonal = (*problem.token, shared >= 0, shared <= problem.p, shared <= problem.q)
    most = problem.induction("sum of c(x, x) <= A", lambda s: s["c"] <= s["A"], diagonal, c=shared)
    problem.control("sum of c(x, x) = A", (*facts, most), problem.total("c") == problem.total("A"))
    problem.control("c(x, x) <= q(x) a(x) / 2", diagonal, shared <= problem.kept / 2)
    _own_coupling(problem, facts, unit)
    stays = rule.joint(problem.q, problem.kept, problem.residual, same=True)
    problem.goal("own coupling: c(x, x) = q(x) a(x)", facts, stays == problem.kept)
    problem.goal("own coupling: column y sums to dist(y) = p(y)", facts, problem.dist == problem.p)


def _own_coupling(problem: Problem, facts: tuple[Term, ...], unit: Term) -> None:
    """The rule's coupling has entries >= 0, rows that sum to q(x) and columns that sum to dist(y)."""
    q, kept, chance, left = problem.q, problem.kept, number("r(y)"), number("q(x) - q(x) a(x)")
    away, stays = (problem.rule.joint(q, kept, chance, same=same) for same in (False, True))
    likely = (*problem.token, chance >= 0)
    problem.goal("own coupling: entries >= 0", likely, all_of(away >= 0, stays >= 0))
    problem.goal("own coupling: c(x, y) = (q(x) - q(x) a(x)) r(y)", likely, away == (q - kept) * chance)
    problem.goal("own coupling: q(x) a(x) is added at y = x", likely, stays == kept + away)
    along = problem.induction(
        "own coupling: row x sums to (q - q a) sum r", lambda s: s["c"] == left * s["r"], (), c=left * chance, r=chance
    )
    row = (*facts, along, unit, left == q - kept)
    problem.goal("own coupling: row x and q(x) a(x) sum to q(x)", row, kept + problem.total("c") == q)
    column = problem.induction(
        "own coupling: column y sums to J r(y)", lambda s: s["c"] == s["J"] * chance, problem.token, c=away
    )
    emitted = problem.rule.emit(kept, problem.total("J"), chance)
    problem.goal("own coupling: column y and q(y) a(y) sum to dist(y)", (column,), kept + problem.total("c") == emitted)


def _identical_draft(problem: Problem) -> None:
    equal = (*problem.token, problem.p == problem.q)
    accept = problem.rule.accept(problem.p, problem.q)
    problem.goal("a(x) = 1", equal, accept == 1)
    problem.goal("q(x) a(x) = min(p(x), q(x))", equal, problem.q * accept == problem.kept)
    sums = (
        problem.induction("A = Q", lambda s: s["A"] == s["Q"], equal),
        problem.induction("R = 0", lambda s: s["R"] == 0, equal),
        problem.induction("J = 0", lambda s: s["J"] == 0, equal),
    )
    facts = (*equal, *problem.ones, *sums)
    problem.goal("A = 1", facts, problem.total("A") == 1)
    problem.goal("r(x) = p(x)", facts, problem.residual == problem.p)
    problem.goal("dist(x) = p(x)", facts, problem.dist == problem.p)
    problem.control("A = 0", facts, problem.total("A") == 0)
    problem.control("r(x) = 0", facts, problem.residual == 0)


def _token_never_proposed(problem: Problem) -> None:
    facts, rule, chance = (*problem.facts(), problem.q == 0), problem.rule, number("r(y)")
    problem.goal("a(x) = 1", facts, rule.accept(problem.p, problem.q) == 1)
    for same, name in ((False, "c(x, y)"), (True, "c(x, x)")):
        problem.goal(f"{name} = 0", facts, rule.joint(problem.q, problem.kept, chance, same=same) == 0)
    alone = (1 - problem.total("A")) * problem.residual
    problem.goal("dist(x) = (1 - A) r(x)", facts, problem.dist == alone)
    problem.control("a(x) = 0", facts, rule.accept(problem.p, problem.q) == 0)
    problem.control("dist(x) = r(x)", facts, problem.dist == problem.residual)


def _token_never_wanted(problem: Problem) -> None:
    facts = (*problem.facts(), problem.p == 0)
    problem.goal("q(x) a(x) = 0", facts, problem.kept == 0)
    problem.goal("r(x) = 0", facts, problem.residual == 0)
    problem.goal("dist(x) = 0", facts, problem.dist == 0)
    problem.control("q(x) = 0", facts, problem.q == 0)
    problem.control("r(x) > 0", facts, problem.residual > 0)


def _disjoint_supports(problem: Problem) -> None:
    apart = (*problem.token, any_of(problem.p == 0, problem.q == 0))
    problem.goal(
        "q(x) a(x) = min(p(x), q(x))", apart, problem.q * problem.rule.accept(problem.p, problem.q) == problem.kept
    )
    sums = (
        problem.induction("A = 0", lambda s: s["A"] == 0, apart),
        problem.induction("R = P", lambda s: s["R"] == s["P"], apart),
        problem.induction("J = Q", lambda s: s["J"] == s["Q"], apart),
    )
    facts = (*apart, *problem.ones, *sums)
    problem.goal("r(x) = p(x)", facts, problem.residual == problem.p)
    problem.goal("dist(x) = p(x)", facts, problem.dist == problem.p)
    problem.control("A = 1", facts, problem.total("A") == 1)
    problem.control("dist(x) = q(x)", facts, problem.dist == problem.q)


def _one_hot(problem: Problem, sure: Term, other: Term, names: tuple[str, str]) -> None:
    """A law that is 1 at x and 0 elsewhere: A is what the other law has at x."""
    law, at_x = names
    chance, here = number(at_x), number("x here")  # 1 at x and 0 elsewhere
    elsewhere = all_of(sure == 0, other >= 0, here == 0)
    token = (any_of(elsewhere, all_of(sure == 1, other == chance, here == 1)), chance >= 0, chance <= 1)
    accept = problem.rule.accept(problem.p, problem.q)
    problem.goal("q(x) a(x) = min(p(x), q(x))", token, problem.q * accept == problem.kept)
    kept = problem.induction(f"A = {at_x} times the number of x", lambda s: s["A"] == s["x"] * chance, token, x=here)
    counted = problem.induction(f"{law} = the number of x", lambda s: s[law] == s["x"], token, x=here)
    facts = (kept, counted, chance >= 0, chance <= 1)
    once = (*facts, problem.total(law) == 1)
    problem.goal(f"A = {at_x}", once, problem.total("A") == chance)
    problem.control("A = 1", once, problem.total("A") == 1)
    problem.control(f"A = {at_x} whatever {law} is", facts, problem.total("A") == chance)


def _one_hot_draft(problem: Problem) -> None:
    _one_hot(problem, problem.q, problem.p, ("Q", "p(x)"))


def _one_hot_target(problem: Problem) -> None:
    _one_hot(problem, problem.p, problem.q, ("P", "q(x)"))


def _merging_never_lowers_alpha(problem: Problem) -> None:
    problem.mixture()
    other_p, other_q, rest = number("p'"), number("q'"), number("rest")
    both = (*problem.token, other_p >= 0, other_q >= 0)
    kept = problem.rule.kept
    merged = kept(problem.p + other_p, problem.q + other_q)
    apart = problem.kept + kept(other_p, other_q)
    problem.goal("merging two tokens does not lower A", both, rest + apart <= rest + merged)
    problem.goal("a token of p = q = 0 adds nothing", (number("zero") == 0,), kept(number("zero"), number("zero")) == 0)
    problem.control("merging two tokens leaves A as it is", both, rest + apart == rest + merged)
    problem.control("merging two tokens lowers A", both, rest + apart > rest + merged)


def _completion(problem: Problem) -> None:
    p, q, rule = problem.p, problem.q, problem.rule
    keep, chance, rejected = number("a(x)"), number("r'(x)"), problem.total("J")
    kept = q * keep
    probability = (*problem.token, keep >= 0, keep <= 1)
    admissible = (*probability, kept <= p)
    short = rule.shortfall(p, kept)
    problem.goal("q a <= p: p - q a >= 0, so that a residual is returned", admissible, short >= 0)
    facts = (*admissible, *problem.ones, *_completion_sums(problem, kept, admissible))
    replaced = rule.complete(p, short, rejected)
    some, none = (*facts, rejected > 0), (*facts, rejected == 0)
    problem.goal("J > 0: r(x) >= 0", some, replaced >= 0)
    problem.goal("J > 0: dist(x) = p(x)", some, rule.emit(kept, rejected, replaced) == p)
    rival = rule.emit(kept, rejected, chance) == p
    problem.goal("J > 0: no other residual does", (*some, rival), chance == replaced)
    problem.goal("J = 0: dist(x) = p(x) whatever the residual", none, rival)
    problem.goal("J = 0: r(x) = p(x)", none, replaced == p)
    beyond = (*probability, kept > p, rejected >= 0, chance >= 0)
    problem.goal("q a > p: dist(x) > p(x) whatever the residual", beyond, rule.emit(kept, rejected, chance) > p)
    problem.goal("q a > p: p - q a < 0, so that no residual is returned", beyond, short < 0)
    problem.control("J > 0: dist(x) = p(x) whatever the residual", some, rival)
    problem.control("J > 0: r(x) = p(x)", some, replaced == p)
    problem.control("q a > p in no case", probability, kept <= p)


def _completion_sums(problem: Problem, kept: Term, admissible: tuple[Term, ...]) -> tuple[Term, ...]:
    """Sum r = 1 where J > 0; J = P - A is the sum of the shortfall, and no term of it is negative."""
    mass = number("M")
    short = problem.rule.shortfall(problem.p, kept)
    replaced = problem.rule.complete(problem.p, short, mass)
    sums = {"A": kept, "J": problem.q - kept, "S": short}
    both = (
        problem.induction("A + J = Q", lambda s: s["A"] + s["J"] == s["Q"], admissible, **sums),
        problem.induction("A + S = P", lambda s: s["A"] + s["S"] == s["P"], admissible, **sums),
    )
    scaled = problem.induction(
        "M > 0: M sum r = S", lambda s: mass * s["r"] == s["S"], (*admissible, mass > 0), r=replaced, **sums
    )
    whole = (*both, *problem.ones, scaled, mass > 0, mass == problem.total("J"))
    problem.goal("J > 0: sum r = 1", whole, problem.total("r") == 1)
    return (*both, problem.member("S", short, admissible))


# The theorems that are not here, and why: `proofs.smt_results.NO_SMT_FORM`.
STATEMENTS: MappingProxyType[str, Callable[[Problem], None]] = MappingProxyType(
    {
        "lossless": _lossless,
        "distribution": _distribution,
        "alpha_is_one_minus_tv": _alpha_is_one_minus_tv,
        "completion": _completion,
        "optimal": _optimal,
        "identical_draft": _identical_draft,
        "token_never_proposed": _token_never_proposed,
        "token_never_wanted": _token_never_wanted,
        "disjoint_supports": _disjoint_supports,
        "one_hot_draft": _one_hot_draft,
        "one_hot_target": _one_hot_target,
        "merging_never_lowers_alpha": _merging_never_lowers_alpha,
    }
)


def examine(theorem: str, formulas: Formulas = FORMULAS, timeout: int = TIMEOUT) -> SmtResult:
    """Put the goals and the controls of one theorem to the solver."""
    problem = Problem(formulas)
    STATEMENTS[theorem](problem)
    goals = tuple(decide(goal, timeout) for goal in problem.goals)
    return SmtResult(theorem, goals, tuple(decide(control, timeout) for control in problem.controls))


def execute(run: SmtRun, timeout: int = TIMEOUT) -> Iterator[SmtResult]:
    """Examine every theorem that has an SMT form, adding each result to the run and yielding it."""
    for theorem in run.stated:
        result = examine(theorem, timeout=timeout)
        run.results.append(result)
        yield result
