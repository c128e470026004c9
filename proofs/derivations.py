"""The proofs for every p, q and V: one function a theorem, each over any `Kernel`.

Notation in the claims: a = probability of keeping, e = (p - q)+; P, Q = sums of p and q,
A = sum q a (alpha), J = sum q (1 - a) (rejected), R = sum e, D = sum |p - q|; r = residual,
dist = law of the emitted token, c = a coupling. P = Q = 1 enters through the step "totals".
"""

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any

from sympy import Expr, S, Symbol

from proofs.induction import Derivation, Proof, Token, token_cases
from proofs.rule import Kernel
from proofs.token_rule import emitted_distribution

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

_MASS = Symbol("R", positive=True)  # sum of the excess where something is rejected
_CHANCE = Symbol("r_y", nonnegative=True)  # probability of some replacement
_ONE, _ZERO = S.One, S.Zero
_SHARE, _REST = Symbol("s", positive=True), Symbol("t", positive=True)
# A probability: none, part or all of the mass.
_PROBABILITIES = ((_ZERO, "= 0"), (_SHARE / (_SHARE + _REST), "between"), (_ONE, "= 1"))


def lossless(kernel: Kernel) -> Proof:
    """``dist(x) = p(x)``, from A + R = P, A + J = Q, and the identity at one token."""
    proof = Derivation("cases", "folds", "induction", "member", "totals")
    _state_totals(proof, kernel)
    for token in token_cases():
        _state_emission(proof, kernel, token, token.p)
    return proof.proof()


def distribution(kernel: Kernel) -> Proof:
    """dist and r are non-negative and sum to one; 0 <= A <= 1, as A = 1 - R."""
    proof = Derivation("cases", "folds", "induction", "totals")
    _state_totals(proof, kernel)
    _state_residual_sums(proof, kernel)
    for rejected, mass in ((Symbol("J", nonnegative=True), _MASS), (_ZERO, _ZERO)):
        where = "R > 0" if mass else "R = J = 0"

        def steps(token: Token, rejected: Expr = rejected, mass: Expr = mass) -> Mapping[str, Expr]:
            accept, excess = _token(proof, kernel, token)
            replaced = proof.run("r(x)", kernel.replace, token.p, excess, mass)
            dist = proof.run("dist(x)", kernel.emit, token.q, accept, rejected, replaced)
            return {"dist": dist, "q a": token.q * accept, "J r": rejected * replaced}

        proof.induction(f"{where}: sum dist = A + J sum r", {"dist": 1, "q a": -1, "J r": -1}, steps)
        for token in token_cases():
            added = steps(token)
            proof.nonnegative(f"{where}: dist(x) >= 0 [{token.case}]", added["dist"])
            proof.nonnegative(f"q a >= 0 [{token.case}]", added["q a"])
    return proof.proof()


def alpha_is_one_minus_tv(kernel: Kernel) -> Proof:
    """2 A + D = P + Q, hence A = 1 - D / 2 with P = Q = 1."""
    proof = Derivation("cases", "folds", "induction", "totals")
    _state_mixture(proof, kernel)

    def steps(token: Token) -> Mapping[str, Expr]:
        distance = proof.run("|p - q|", kernel.distance, token.p, token.q)
        return {**_sums(proof, kernel, token), "D": distance}

    proof.induction("2 A + D = P + Q", {"A": 2, "D": 1, "P": -1, "Q": -1}, steps)
    for token in token_cases():
        proof.equal(f"the distance is |p - q| [{token.case}]", steps(token)["D"], token.above + token.below)
    return proof.proof()


def completion(kernel: Kernel) -> Proof:
    """Any a with q a <= p, J > 0, is completed by r = (p - q a) / J and by no other; q a > p by none."""
    proof = Derivation("folds", "induction", "member", "totals", "trichotomy")
    q, keep = Symbol("q", nonnegative=True), Symbol("a", nonnegative=True)
    mass, other = Symbol("J", positive=True), Symbol("r", nonnegative=True)
    admissible = Token("q a <= p", _ZERO, q * keep + Symbol("t", nonnegative=True), q)

    def steps(token: Token) -> Mapping[str, Expr]:
        short = proof.run("p - q a", kernel.shortfall, token.p, token.q, keep)
        residual = proof.run("r(x)", kernel.complete, token.p, short, mass)
        return {"short": short, "J r": mass * residual, "P": token.p, "A": token.q * keep}

    proof.induction("sum of p - q a = P - A = J", {"short": 1, "P": -1, "A": 1}, steps, lambda: [admissible])
    proof.induction("J > 0: J sum r = P - A = J", {"J r": 1, "P": -1, "A": 1}, steps, lambda: [admissible])
    added = steps(admissible)
    proof.nonnegative("p - q a >= 0, so that a residual is returned", added["short"])
    residual = added["J r"] / mass
    proof.nonnegative("J > 0: r(x) >= 0", residual)
    completed = proof.run("dist(x)", kernel.emit, q, keep, mass, residual)
    proof.equal("J > 0: dist(x) = p(x)", completed, admissible.p)
    rival = proof.run("dist(x)", kernel.emit, q, keep, mass, other)
    proof.equal("J > 0, any r': dist(x) - p(x) = J (r'(x) - r(x))", rival - admissible.p, mass * (other - residual))
    _state_nothing_rejected(proof, kernel, q, keep)
    _state_beyond_repair(proof, kernel, q, keep, other)
    return proof.proof()


def optimal(kernel: Kernel) -> Proof:
    """c(x, x) <= min(p(x), q(x)) = q a in every coupling c; the rule's own coupling attains it."""
    proof = Derivation("cases", "coupling", "folds", "induction", "member", "totals")
    for diagonal, case in ((_ZERO, "c(x, x) = 0"), (Symbol("c", positive=True), "c(x, x) > 0")):

        def steps(token: Token, diagonal: Expr = diagonal) -> Mapping[str, Expr]:
            # The rest of row x and of column x of the coupling play the parts of q and p.
            accept = proof.run("a", kernel.accept, token.p + diagonal, token.q + diagonal)
            return {"A": (token.q + diagonal) * accept, "c(x, x)": diagonal}

        proof.induction(f"sum of c(x, x) <= A, {case}", {"A": 1, "c(x, x)": -1}, steps, relation=">= 0")
    _state_totals(proof, kernel)
    _state_residual_sums(proof, kernel)
    for token in token_cases():
        _state_joint(proof, kernel, token)
        _state_emission(proof, kernel, token, token.p)  # column x adds up to dist(x)
    return proof.proof()


def identical_draft(kernel: Kernel) -> Proof:
    """p = q token by token: A = Q, R = J = 0, dist(x) = p(x)."""
    proof = Derivation("cases", "folds", "induction", "totals")
    equal = partial(_cases_where, lambda token: token.above == token.below)
    steps = partial(_sums, proof, kernel)
    proof.induction("A = Q", {"A": 1, "Q": -1}, steps, equal)
    proof.induction("R = 0", {"R": 1}, steps, equal)
    proof.induction("J = 0", {"J": 1}, steps, equal)
    for token in equal():
        accept, excess = _token(proof, kernel, token)
        replaced = proof.run("r(x)", kernel.replace, token.p, excess, _ZERO)
        dist = proof.run("dist(x)", kernel.emit, token.q, accept, _ZERO, replaced)
        proof.equal(f"dist(x) = p(x) [{token.case}]", dist, token.p)
    return proof.proof()


def token_never_proposed(kernel: Kernel) -> Proof:
    """q(x) = 0: a = 1, row x of the coupling is 0, dist(x) = J r(x) = (1 - A) r(x)."""
    proof = Derivation("cases", "folds", "induction", "totals")
    _state_totals(proof, kernel)
    rejected = Symbol("J", nonnegative=True)
    for token in _cases_where(lambda token: token.q == 0):
        accept, _ = _token(proof, kernel, token)
        proof.equal(f"a = 1 [{token.case}]", accept, _ONE)
        for same, name in ((False, "c(x, y)"), (True, "c(x, x)")):
            drafted = proof.run(name, partial(kernel.joint, same=same), token.q, accept, _CHANCE)
            proof.zero(f"{name} = 0 [{token.case}]", drafted)
        dist = proof.run("dist(x)", kernel.emit, token.q, accept, rejected, _CHANCE)
        proof.equal(f"dist(x) = J r(x) [{token.case}]", dist, rejected * _CHANCE)
    return proof.proof()


def token_never_wanted(kernel: Kernel) -> Proof:
    """p(x) = 0: q a = 0, r(x) = 0 and dist(x) = 0, exactly."""
    proof = Derivation("cases", "folds", "induction", "member", "totals")
    _state_totals(proof, kernel)
    for token in _cases_where(lambda token: token.p == 0):
        accept, excess = _token(proof, kernel, token)
        proof.zero(f"q a = 0 [{token.case}]", token.q * accept)
        for replaced, where in _replacements(proof, kernel, token, excess):
            proof.zero(f"{where}: r(x) = 0 [{token.case}]", replaced)
        _state_emission(proof, kernel, token, _ZERO)
    return proof.proof()


def disjoint_supports(kernel: Kernel) -> Proof:
    """p(x) q(x) = 0 everywhere: A = 0, R = P = 1 and J = Q = 1, so r = dist = p."""
    proof = Derivation("cases", "folds", "induction", "totals")
    apart = partial(_cases_where, lambda token: token.p == 0 or token.q == 0)
    steps = partial(_sums, proof, kernel)
    proof.induction("A = 0", {"A": 1}, steps, apart)
    proof.induction("R = P", {"R": 1, "P": -1}, steps, apart)
    proof.induction("J = Q", {"J": 1, "Q": -1}, steps, apart)
    for token in apart():
        accept, excess = _token(proof, kernel, token)
        replaced = proof.run("r(x)", kernel.replace, token.p, excess, _ONE)
        proof.equal(f"r(x) = p(x) [{token.case}]", replaced, token.p)
        dist = proof.run("dist(x)", kernel.emit, token.q, accept, _ONE, replaced)
        proof.equal(f"dist(x) = p(x) [{token.case}]", dist, token.p)
    return proof.proof()


def one_hot_draft(kernel: Kernel) -> Proof:
    """q(x) = 1: the other tokens add nothing to A, so A = a(x) = p(x)."""
    proof = Derivation("cases", "folds", "induction", "totals")
    others = partial(_cases_where, lambda token: token.q == 0)
    proof.induction("the other tokens add 0 to A", {"A": 1}, partial(_sums, proof, kernel), others)
    for chance, case in _PROBABILITIES:
        accept = proof.run(f"a(x) [p(x) {case}]", kernel.accept, chance, _ONE)
        proof.equal(f"A = q(x) a(x) = p(x) [p(x) {case}]", accept, chance)
    return proof.proof()


def one_hot_target(kernel: Kernel) -> Proof:
    """p(x) = 1: the other tokens add nothing to A, so A = q(x) a(x) = q(x)."""
    proof = Derivation("cases", "folds", "induction", "totals")
    others = partial(_cases_where, lambda token: token.p == 0)
    proof.induction("the other tokens add 0 to A", {"A": 1}, partial(_sums, proof, kernel), others)
    for chance, case in _PROBABILITIES:
        accept = proof.run(f"a(x) [q(x) {case}]", kernel.accept, _ONE, chance)
        proof.equal(f"A = q(x) a(x) = q(x) [q(x) {case}]", chance * accept, chance)
    return proof.proof()


def single_token(kernel: Kernel) -> Proof:
    """V = 1: the only pair there is, computed."""
    proof = Derivation("folds")
    accept = proof.run("a", kernel.accept, _ONE, _ONE)
    excess = proof.run("e", kernel.excess, _ONE, _ONE)
    replaced = proof.run("r", kernel.replace, _ONE, excess, excess)
    proof.equal("alpha = 1", accept, _ONE)
    proof.equal("dist = (1)", proof.run("dist", kernel.emit, _ONE, accept, 1 - accept, replaced), _ONE)
    dist, alpha = emitted_distribution([1], [1])
    proof.zero("the functions of rows give the same", abs(dist[0] - 1) + abs(alpha - 1) + len(dist) - 1)
    return proof.proof()


def merging_never_lowers_alpha(kernel: Kernel) -> Proof:
    """min(p, q) + min(p', q') <= min(p + p', q + q') in every case of both tokens."""
    proof = Derivation("cases", "folds", "merging", "trichotomy")
    for claim, p, q, others in _mergers():
        merged = q * proof.run("a of the merged token", kernel.accept, p, q)
        apart = sum(b * proof.run("a of one token", kernel.accept, a, b) for a, b in others)
        proof.nonnegative(f"A does not fall [{claim}]", merged - apart)
    return proof.proof()


def closed_form_is_sampler(kernel: Kernel) -> Proof:
    """Pr(y) = q(y) a(y) + sum over x of q(x) (1 - a(x)) r(y) = q(y) a(y) + J r(y); Pr(kept) = A."""
    proof = Derivation("cases", "folds", "induction", "sampler", "totals")
    _state_totals(proof, kernel)
    _state_residual_sums(proof, kernel)

    def steps(token: Token) -> Mapping[str, Expr]:
        added = _sums(proof, kernel, token)
        # Drafted and kept, or drafted and rejected: nothing else can happen to a drafted token.
        return {"rejected, then y": (token.q - added["A"]) * _CHANCE, "J r(y)": added["J"] * _CHANCE}

    proof.induction("sum (q - q a) r(y) = J r(y)", {"rejected, then y": 1, "J r(y)": -1}, steps)
    return proof.proof()


def _token(proof: Derivation, kernel: Kernel, token: Token) -> tuple[Expr, Expr]:
    """Keep-probability and excess of a token, as the kernel computes them."""
    return (
        proof.run(f"a [{token.case}]", kernel.accept, token.p, token.q),
        proof.run(f"e [{token.case}]", kernel.excess, token.p, token.q),
    )


def _sums(proof: Derivation, kernel: Kernel, token: Token) -> Mapping[str, Expr]:
    """What a token adds to the sums."""
    accept, excess = _token(proof, kernel, token)
    kept = token.q * accept
    return {"A": kept, "J": token.q * (1 - accept), "R": excess, "P": token.p, "Q": token.q}


def _cases_where(holds: Callable[[Token], bool]) -> list[Token]:
    return [token for token in token_cases() if holds(token)]


def _state_totals(proof: Derivation, kernel: Kernel) -> None:
    """0 <= a <= 1; dist = q a + J r; A + R = P and A + J = Q, no e negative: J = R = 1 - A where P = Q = 1."""
    _state_mixture(proof, kernel)
    steps = partial(_sums, proof, kernel)
    proof.induction("A + R = P", {"A": 1, "R": 1, "P": -1}, steps)
    proof.induction("A + J = Q", {"A": 1, "J": 1, "Q": -1}, steps)
    for token in token_cases():
        proof.nonnegative(f"e >= 0 [{token.case}]", steps(token)["R"])


def _state_mixture(proof: Derivation, kernel: Kernel) -> None:
    """A keeps with a probability, and the emitted token is the kept one or a replacement."""
    for token in token_cases():
        accept, _ = _token(proof, kernel, token)
        proof.nonnegative(f"a >= 0 [{token.case}]", accept)
        proof.nonnegative(f"a <= 1 [{token.case}]", 1 - accept)
    q, accept, rejected = (Symbol(name, nonnegative=True) for name in ("q", "a", "J"))
    dist = proof.run("dist(x)", kernel.emit, q, accept, rejected, _CHANCE)
    proof.equal("dist(x) = q a + J r(x)", dist, q * accept + rejected * _CHANCE)


def _state_residual_sums(proof: Derivation, kernel: Kernel) -> None:
    """Sum r = 1 and r >= 0, where the excess has mass and where it has none."""

    def steps(token: Token, mass: Expr) -> Mapping[str, Expr]:
        _, excess = _token(proof, kernel, token)
        replaced = proof.run("r(x)", kernel.replace, token.p, excess, mass)
        return {"r": replaced, "e / R": excess / mass if mass else _ZERO, "P": token.p}

    proof.induction("R > 0: sum r = sum e / R", {"r": 1, "e / R": -1}, partial(steps, mass=_MASS))
    proof.induction("R = 0: sum r = P", {"r": 1, "P": -1}, partial(steps, mass=_ZERO))
    for token in token_cases():
        for mass, where in ((_MASS, "R > 0"), (_ZERO, "R = 0")):
            proof.nonnegative(f"{where}: r(x) >= 0 [{token.case}]", steps(token, mass)["r"])


def _replacements(proof: Derivation, kernel: Kernel, token: Token, excess: Expr) -> Iterator[tuple[Expr, str]]:
    """r(x) where the excess has mass, and where it has none.

    A positive excess cannot occur in the second case: R = 0 is its sum with terms >= 0.
    """
    yield proof.run(f"R > 0: r(x) [{token.case}]", kernel.replace, token.p, excess, _MASS), "R > 0"
    if not excess.is_positive:
        proof.zero(f"R = 0: e = 0 [{token.case}]", excess)
        yield proof.run(f"R = 0: r(x) [{token.case}]", kernel.replace, token.p, excess, _ZERO), "R = 0"


def _state_emission(proof: Derivation, kernel: Kernel, token: Token, expected: Expr) -> None:
    """State dist(x), with J = R as P = Q = 1 gives it."""
    accept, excess = _token(proof, kernel, token)
    for replaced, where in _replacements(proof, kernel, token, excess):
        rejected = _MASS if where == "R > 0" else _ZERO
        dist = proof.run(f"{where}: dist(x) [{token.case}]", kernel.emit, token.q, accept, rejected, replaced)
        proof.equal(f"{where}: dist(x) = {'p(x)' if expected != 0 else '0'} [{token.case}]", dist, expected)


def _state_joint(proof: Derivation, kernel: Kernel, token: Token) -> None:
    """Entries of the rule's coupling: as sum r = 1, row x adds up to q(x); the diagonal is q a."""
    accept, excess = _token(proof, kernel, token)
    kept, rejected = token.q * accept, token.q * (1 - accept)
    proof.nonnegative(f"q (1 - a) >= 0 [{token.case}]", rejected)
    away = proof.run("c(x, y)", partial(kernel.joint, same=False), token.q, accept, _CHANCE)
    proof.equal(f"c(x, y) = q(x) (1 - a(x)) r(y) [{token.case}]", away, rejected * _CHANCE)
    stays = proof.run("c(x, x)", partial(kernel.joint, same=True), token.q, accept, _CHANCE)
    proof.equal(f"c(x, x) = q a + q (1 - a) r(x) [{token.case}]", stays, kept + rejected * _CHANCE)
    replaced, _ = next(_replacements(proof, kernel, token, excess))
    # Where R = 0 the terms q (1 - a) >= 0 sum to J = R = 0, so each is zero.
    proof.zero(f"R > 0: q (1 - a) r(x) = 0, so that c(x, x) = q a [{token.case}]", rejected * replaced)


def _state_nothing_rejected(proof: Derivation, kernel: Kernel, q: Expr, keep: Expr) -> None:
    """J = 0: p - q a >= 0 sums to J = 0, so it is zero at each token and p = q a."""
    replaced = proof.run("J = 0: r(x)", kernel.complete, q * keep, _ZERO, _ZERO)
    proof.equal("J = 0: r(x) = p(x)", replaced, q * keep)
    dist = proof.run("J = 0: dist(x)", kernel.emit, q, keep, _ZERO, replaced)
    proof.equal("J = 0: dist(x) = p(x)", dist, q * keep)


def _state_beyond_repair(proof: Derivation, kernel: Kernel, q: Expr, keep: Expr, other: Expr) -> None:
    """P(x) = q(x) a(x) - d with d > 0: whatever the residual, x is emitted too often."""
    gap, rejected = Symbol("d", positive=True), Symbol("J", nonnegative=True)
    beyond = proof.run("dist(x)", kernel.emit, q, keep, rejected, other)
    proof.positive("q a = p + d, d > 0: dist(x) > p(x) whatever the residual", beyond - (q * keep - gap))
    short = proof.run("p - q a", kernel.shortfall, q * keep - gap, q, keep)
    proof.positive("q a = p + d, d > 0: p - q a < 0, so that no residual is returned", -short)


def _mergers() -> Iterator[tuple[str, Expr, Expr, tuple[tuple[Expr, Expr], tuple[Expr, Expr]]]]:
    """Two tokens in every pair of cases; where the gaps have opposite signs, in each order of the gaps."""
    first, second, extra = Symbol("d1", positive=True), Symbol("d2", positive=True), Symbol("d", positive=True)
    by_size: list[tuple[str, dict[Expr, Any]]] = [
        (", d1 > d2", {first: second + extra}),
        (", d1 = d2", {first: second}),
        (", d1 < d2", {second: first + extra}),
    ]
    for one, two in product(token_cases("1"), token_cases("2")):
        opposite = ((one.above - one.below) * (two.above - two.below)).is_negative
        for order, relation in by_size if opposite else [("", {})]:
            p1, q1, p2, q2 = (S(value).subs(relation) for value in (one.p, one.q, two.p, two.q))
            yield f"{one.case}; {two.case}{order}", p1 + p2, q1 + q2, ((p1, q1), (p2, q2))
