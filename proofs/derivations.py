"""The proofs for every p, q and V: one function a theorem, each over any `Kernel`.

Notation in the claims: a = probability of keeping, e = (p - q)+, P, Q = sums of p and q,
A = sum q a (alpha), J = sum q (1 - a) (rejected), R = sum e, D = sum |p - q|, r = residual,
dist = law of the emitted token. P = Q = 1 is used where it is said.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from itertools import product
from typing import Any

from sympy import Expr, S, Symbol

from proofs.induction import Derivation, Proof, Token, token_cases
from proofs.rule import Kernel
from proofs.token_rule import emitted_distribution

_MASS = Symbol("R", positive=True)  # sum of the excess where something is rejected
_ONE, _ZERO = S.One, S.Zero


def lossless(kernel: Kernel) -> Proof:
    """``dist(x) = p(x)``, from A + R = P, A + J = Q, and the identity at one token."""
    proof = Derivation("cases", "folds", "induction", "member")
    _masses(proof, kernel)
    for token in token_cases():
        accept, excess = _token(proof, kernel, token)
        _emits(proof, kernel, token, accept, excess, token.p)
    return proof.proof()


def distribution(kernel: Kernel) -> Proof:
    """dist and r are non-negative and sum to one; 0 <= A <= 1."""
    proof = Derivation("cases", "folds", "induction")
    _masses(proof, kernel)  # 1 - A = R >= 0 and A >= 0
    rejected = Symbol("J", nonnegative=True)
    for token in token_cases():
        accept, _ = _token(proof, kernel, token)
        proof.nonnegative(f"q a >= 0 [{token.case}]", token.q * accept)

    def steps(token: Token, mass: Expr, rejected: Expr) -> Mapping[str, Expr]:
        accept, excess = _token(proof, kernel, token)
        replaced = proof.run("r(x)", kernel.replace, token.p, excess, mass)
        dist = proof.run("dist(x)", kernel.emit, token.q, accept, rejected, replaced)
        proof.nonnegative(f"r(x) >= 0 [{token.case}]", replaced)
        proof.nonnegative(f"dist(x) >= 0 [{token.case}]", dist)
        share = excess / mass if mass else _ZERO
        return {
            "r": replaced,
            "e / R": share,
            "P": token.p,
            "dist": dist,
            "q a": token.q * accept,
            "J r": rejected * replaced,
        }

    something, nothing = (
        partial(steps, mass=_MASS, rejected=rejected),
        partial(steps, mass=_ZERO, rejected=_ZERO),
    )
    proof.induction("R > 0: sum r = sum e / R = 1", {"r": 1, "e / R": -1}, something)
    proof.induction("R > 0: sum dist = A + J sum r = A + J = Q", {"dist": 1, "q a": -1, "J r": -1}, something)
    proof.induction("R = 0: sum r = P", {"r": 1, "P": -1}, nothing)
    proof.induction("R = 0: sum dist = A = Q - J = Q", {"dist": 1, "q a": -1}, nothing)
    return proof.proof()


def alpha_is_one_minus_tv(kernel: Kernel) -> Proof:
    """2 A + D = P + Q, hence A = 1 - D / 2 with P = Q = 1."""
    proof = Derivation("cases", "folds", "induction")

    def steps(token: Token) -> Mapping[str, Expr]:
        accept, _ = _token(proof, kernel, token)
        distance = proof.run("|p - q|", kernel.distance, token.p, token.q)
        return {"A": token.q * accept, "D": distance, "P": token.p, "Q": token.q}

    proof.induction("2 A + D = P + Q", {"A": 2, "D": 1, "P": -1, "Q": -1}, steps)
    return proof.proof()


def completion(kernel: Kernel) -> Proof:
    """Any a with q a <= p is completed by r = (p - q a) / J and by no other; q a > p by none."""
    proof = Derivation("folds", "induction", "member", "trichotomy")
    rest, mass = Symbol("t", nonnegative=True), Symbol("J", positive=True)
    q, keep = Symbol("q", nonnegative=True), Symbol("a", nonnegative=True)
    admissible = Token("q a <= p", _ZERO, q * keep + rest, q)

    def steps(token: Token) -> Mapping[str, Expr]:
        short = proof.run("p - q a", kernel.shortfall, token.p, token.q, keep)
        residual = proof.run("r(x), J > 0", kernel.complete, token.p, short, mass)
        proof.nonnegative("p - q a >= 0", short)
        proof.nonnegative("r(x) >= 0, J > 0", residual)
        return {"short": short, "J r": mass * residual, "P": token.p, "A": token.q * keep}

    proof.induction("sum of p - q a = P - A = Q - A = J", {"short": 1, "P": -1, "A": 1}, steps, lambda: [admissible])
    proof.induction("J sum r = P - A = J, J > 0", {"J r": 1, "P": -1, "A": 1}, steps, lambda: [admissible])
    residual = proof.run("r(x), J > 0", kernel.complete, admissible.p, rest, mass)
    proof.equal("dist(x) = p(x), J > 0", proof.run("dist(x)", kernel.emit, q, keep, mass, residual), admissible.p)
    # J = 0: p - q a sums to J = 0, so it is zero at each token and p = q a.
    replaced = proof.run("r(x), J = 0", kernel.complete, q * keep, _ZERO, _ZERO)
    proof.equal("r(x) = p(x), J = 0", replaced, q * keep)
    proof.equal("dist(x) = p(x), J = 0", proof.run("dist(x)", kernel.emit, q, keep, _ZERO, replaced), q * keep)
    other = Symbol("r", nonnegative=True)
    proof.equal(
        "no other residual: dist(x) - p(x) = J (r(x) - (p - q a) / J)",
        proof.run("dist(x)", kernel.emit, q, keep, mass, other) - admissible.p,
        mass * (other - residual),
    )
    gap, rejected = Symbol("d", positive=True), Symbol("J", nonnegative=True)
    beyond = proof.run("dist(x)", kernel.emit, q, keep, rejected, other)
    proof.positive("p = q a - d, d > 0: dist(x) > p(x) whatever the residual", beyond - (q * keep - gap))
    short = proof.run("p - q a", kernel.shortfall, q * keep - gap, q, keep)
    proof.positive("p = q a - d, d > 0: p - q a is negative", -short)
    return proof.proof()


def optimal(kernel: Kernel) -> Proof:
    """c(x, x) <= min(p(x), q(x)) = q a in every coupling c; the rule's own coupling attains it."""
    proof = Derivation("cases", "coupling", "folds", "induction", "member")
    diagonal = Symbol("c", nonnegative=True)

    def steps(token: Token) -> Mapping[str, Expr]:
        # The rest of row x and of column x of the coupling play the parts of q and p.
        accept = proof.run("a", kernel.accept, token.p + diagonal, token.q + diagonal)
        return {"A": (token.q + diagonal) * accept, "c(x, x)": diagonal}

    proof.induction("sum of c(x, x) <= A", {"A": 1, "c(x, x)": -1}, steps, relation=">= 0")
    _masses(proof, kernel)
    chance = Symbol("r_y", nonnegative=True)
    for token in token_cases():
        accept, excess = _token(proof, kernel, token)
        kept, rejected = token.q * accept, token.q * (1 - accept)
        proof.nonnegative(f"q (1 - a) >= 0 [{token.case}]", rejected)
        away = proof.run("c(x, y)", partial(kernel.joint, same=False), token.q, accept, chance)
        proof.equal(f"c(x, y) = q(x) (1 - a(x)) r(y): row x adds up to q(x) [{token.case}]", away, rejected * chance)
        stays = proof.run("c(x, x)", partial(kernel.joint, same=True), token.q, accept, chance)
        proof.equal(f"c(x, x) = q a + q (1 - a) r(x) [{token.case}]", stays, kept + rejected * chance)
        replaced, _ = next(_replacements(proof, kernel, token, excess))
        # Where R = 0 the terms q (1 - a) sum to J = R = 0, so each is zero.
        proof.zero(f"q (1 - a) r(x) = 0, R > 0, so that c(x, x) = q a [{token.case}]", rejected * replaced)
        _emits(proof, kernel, token, accept, excess, token.p)  # column x adds up to dist(x) = p(x)
    return proof.proof()


def identical_draft(kernel: Kernel) -> Proof:
    """P = Q token by token: A = Q, R = 0, dist(x) = p(x)."""
    proof = Derivation("folds", "induction")

    def equal_cases() -> Iterator[Token]:
        return (token for token in token_cases() if token.above == token.below)

    def steps(token: Token) -> Mapping[str, Expr]:
        accept, excess = _token(proof, kernel, token)
        return {"A": token.q * accept, "Q": token.q, "R": excess, "J": token.q * (1 - accept)}

    proof.induction("A = Q", {"A": 1, "Q": -1}, steps, equal_cases)
    proof.induction("R = 0", {"R": 1}, steps, equal_cases)
    proof.induction("J = 0", {"J": 1}, steps, equal_cases)
    for token in equal_cases():
        accept, excess = _token(proof, kernel, token)
        replaced = proof.run("r(x)", kernel.replace, token.p, excess, _ZERO)
        dist = proof.run("dist(x)", kernel.emit, token.q, accept, _ZERO, replaced)
        proof.equal(f"dist(x) = p(x) [{token.case}]", dist, token.p)
    return proof.proof()


def token_never_proposed(kernel: Kernel) -> Proof:
    """q(x) = 0: a = 1 without a division, row x of the coupling is 0, dist(x) = (1 - A) r(x)."""
    proof = Derivation("cases", "folds", "induction")
    _masses(proof, kernel)  # J = Q - A = 1 - A
    chance, rejected = Symbol("r", nonnegative=True), Symbol("J", nonnegative=True)
    for token in token_cases():
        if token.q == 0:
            accept, _ = _token(proof, kernel, token)
            proof.equal(f"a = 1 [{token.case}]", accept, _ONE)
            for same in (False, True):
                drafted = proof.run("c(x, y)", partial(kernel.joint, same=same), token.q, accept, chance)
                proof.zero(f"c(x, {'x' if same else 'y'}) = 0 [{token.case}]", drafted)
            dist = proof.run("dist(x)", kernel.emit, token.q, accept, rejected, chance)
            proof.equal(f"dist(x) = J r(x) [{token.case}]", dist, rejected * chance)
    return proof.proof()


def token_never_wanted(kernel: Kernel) -> Proof:
    """p(x) = 0: q a = 0, r(x) = 0 and dist(x) = 0, exactly."""
    proof = Derivation("cases", "folds", "induction", "member")
    _masses(proof, kernel)
    for token in token_cases():
        if token.p == 0:
            accept, excess = _token(proof, kernel, token)
            proof.zero(f"q a = 0 [{token.case}]", token.q * accept)
            for replaced, where in _replacements(proof, kernel, token, excess):
                proof.zero(f"r(x) = 0, {where} [{token.case}]", replaced)
            _emits(proof, kernel, token, accept, excess, _ZERO)
    return proof.proof()


def disjoint_supports(kernel: Kernel) -> Proof:
    """p(x) q(x) = 0 everywhere: A = 0, so R = P = 1 and r = dist = p."""
    proof = Derivation("cases", "folds", "induction")

    def apart() -> Iterator[Token]:
        return (token for token in token_cases() if token.p == 0 or token.q == 0)

    def steps(token: Token) -> Mapping[str, Expr]:
        accept, excess = _token(proof, kernel, token)
        return {"A": token.q * accept, "R": excess, "P": token.p, "J": token.q * (1 - accept), "Q": token.q}

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
    proof = Derivation("cases", "folds", "induction")
    _others_add_nothing(proof, kernel, lambda token: token.q == 0)
    for rest in (_ZERO, Symbol("t", positive=True)):  # mass of p on the other tokens
        accept = proof.run("a", kernel.accept, 1 - rest, _ONE)
        proof.equal(f"A = 1 a(x) = p(x) [p(x) {'= 1' if rest == 0 else '< 1'}]", accept, 1 - rest)
    return proof.proof()


def one_hot_target(kernel: Kernel) -> Proof:
    """p(x) = 1: the other tokens add nothing to A, so A = q(x) a(x) = q(x)."""
    proof = Derivation("cases", "folds", "induction")
    _others_add_nothing(proof, kernel, lambda token: token.p == 0)
    for rest in (_ZERO, Symbol("t", positive=True)):  # mass of q on the other tokens
        accept = proof.run("a", kernel.accept, _ONE, 1 - rest)
        proof.equal(f"A = q(x) a(x) = q(x) [q(x) {'= 1' if rest == 0 else '< 1'}]", (1 - rest) * accept, 1 - rest)
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
    proof = Derivation("cases", "trichotomy", "merging")
    for claim, p, q, others in _mergers():
        merged = q * proof.run("a of the merged token", kernel.accept, p, q)
        apart = sum(b * proof.run("a of one token", kernel.accept, a, b) for a, b in others)
        proof.nonnegative(f"A does not fall [{claim}]", merged - apart)
    return proof.proof()


def closed_form_is_sampler(kernel: Kernel) -> Proof:
    """Pr(y) = q(y) a(y) + sum over x of q(x) (1 - a(x)) r(y) = q(y) a(y) + J r(y)."""
    proof = Derivation("cases", "folds", "induction")
    chance = Symbol("r_y", nonnegative=True)

    def steps(token: Token) -> Mapping[str, Expr]:
        accept, _ = _token(proof, kernel, token)
        rejected = token.q * (1 - accept)
        return {
            "rejected, then y": rejected * chance,
            "J r(y)": chance * rejected,
            "A": token.q * accept,
            "J": rejected,
            "Q": token.q,
        }

    proof.induction("sum q (1 - a) r(y) = J r(y)", {"rejected, then y": 1, "J r(y)": -1}, steps)
    proof.induction("A + J = Q", {"A": 1, "J": 1, "Q": -1}, steps)
    q, accept, rejected = (
        Symbol("q", nonnegative=True),
        Symbol("a", nonnegative=True),
        Symbol("J", nonnegative=True),
    )
    dist = proof.run("dist(y)", kernel.emit, q, accept, rejected, chance)
    proof.equal("dist(y) = q a + J r(y)", dist, q * accept + rejected * chance)
    return proof.proof()


def _token(proof: Derivation, kernel: Kernel, token: Token) -> tuple[Expr, Expr]:
    """Keep-probability and excess of a token, as the kernel computes them."""
    return (
        proof.run(f"a [{token.case}]", kernel.accept, token.p, token.q),
        proof.run(f"e [{token.case}]", kernel.excess, token.p, token.q),
    )


def _masses(proof: Derivation, kernel: Kernel) -> None:
    """A + R = P and A + J = Q, with no term negative: J = R = 1 - A where P = Q = 1."""

    def steps(token: Token) -> Mapping[str, Expr]:
        accept, excess = _token(proof, kernel, token)
        return {"A": token.q * accept, "R": excess, "P": token.p, "J": token.q * (1 - accept), "Q": token.q}

    proof.induction("A + R = P", {"A": 1, "R": 1, "P": -1}, steps)
    proof.induction("A + J = Q", {"A": 1, "J": 1, "Q": -1}, steps)
    for token in token_cases():
        _, excess = _token(proof, kernel, token)
        proof.nonnegative(f"e >= 0 [{token.case}]", excess)


def _replacements(proof: Derivation, kernel: Kernel, token: Token, excess: Expr) -> Iterator[tuple[Expr, str]]:
    """r(x) where the excess has mass, and where it has none.

    A positive excess cannot occur in the second case: R = 0 is its sum with terms >= 0.
    """
    yield proof.run(f"r(x), R > 0 [{token.case}]", kernel.replace, token.p, excess, _MASS), "R > 0"
    if not excess.is_positive:
        proof.zero(f"e = 0, R = 0 [{token.case}]", excess)
        yield proof.run(f"r(x), R = 0 [{token.case}]", kernel.replace, token.p, excess, _ZERO), "R = 0"


def _emits(proof: Derivation, kernel: Kernel, token: Token, accept: Expr, excess: Expr, expected: Expr) -> None:
    """State dist(x), with J = R as P = Q = 1 gives it."""
    for replaced, where in _replacements(proof, kernel, token, excess):
        rejected = _MASS if where == "R > 0" else _ZERO
        dist = proof.run(f"dist(x), {where} [{token.case}]", kernel.emit, token.q, accept, rejected, replaced)
        proof.equal(f"dist(x) = {'p(x)' if expected != 0 else '0'}, {where} [{token.case}]", dist, expected)


def _others_add_nothing(proof: Derivation, kernel: Kernel, chosen: Any) -> None:
    def steps(token: Token) -> Mapping[str, Expr]:
        return {"A": token.q * proof.run(f"a [{token.case}]", kernel.accept, token.p, token.q)}

    proof.induction(
        "the other tokens add 0 to A",
        {"A": 1},
        steps,
        lambda: (token for token in token_cases() if chosen(token)),
    )


def _mergers() -> Iterator[tuple[str, Expr, Expr, tuple[tuple[Expr, Expr], tuple[Expr, Expr]]]]:
    """Two tokens in every pair of cases; where the gaps have opposite signs, in each order of the gaps."""
    for one, two in product(token_cases("1"), token_cases("2")):
        claim = f"{one.case}; {two.case}"
        gap, other = one.above - one.below, two.above - two.below
        orders: list[tuple[str, dict[Expr, Expr]]] = [("", {})]
        if (gap * other).is_negative:
            first, second, extra = (
                Symbol("d1", positive=True),
                Symbol("d2", positive=True),
                Symbol("d", positive=True),
            )
            orders = [
                (", d1 > d2", {first: second + extra}),
                (", d1 = d2", {first: second}),
                (", d1 < d2", {second: first + extra}),
            ]
        for order, relation in orders:
            p1, q1, p2, q2 = (S(value).subs(relation) for value in (one.p, one.q, two.p, two.q))
            yield claim + order, p1 + p2, q1 + q2, ((p1, q1), (p2, q2))
