"""A small prover for identities and inequalities over rows of any length, on SymPy alone.

A row of V tokens enters as a list, a sum over the vocabulary as a fold over it. What holds of
the empty list and survives one more token, whatever its probabilities, holds for every V. Each
step is a *goal*: a rational identity, or the sign of an expression, in symbols whose signs are
known. The functions under proof are run themselves, on `Traced` symbols: a comparison that the
signs do not decide, a divisor that could be zero, a float, is a goal that fails, not a guess.

What is argued in words instead (the induction rule, the case split) is kept by name with the
proof and printed with it: see `WORDS`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sympy import Expr, Float, Integer, S, Symbol, cancel, fraction

__all__ = [
    "WORDS",
    "Derivation",
    "Goal",
    "Proof",
    "Token",
    "Trace",
    "Traced",
    "Unsound",
    "plain",
    "sign",
    "token_cases",
]

WORDS = {
    "cases": "every pair of numbers p(x), q(x) >= 0 is in exactly one of six cases: q = 0 with p = 0 or p > 0; q > 0 "
    "with p = 0, 0 < p < q, p = q or p > q",
    "coupling": "a coupling c of q and p has entries >= 0, row x sums to q(x) and column x to p(x); so q(x) and p(x) "
    "are c(x, x) and something >= 0",
    "folds": "the functions of rows apply the functions of one token, which were run on symbols, to each token and "
    "add up; those functions compute with numbers as with symbols, as they use arithmetic and comparisons alone",
    "induction": "a linear relation between sums over a row, without a constant, holds for the empty row; if one more "
    "token, whatever its probabilities, keeps it, it holds for rows of any length",
    "member": "a term of a sum of terms >= 0 is at most the sum, and zero if the sum is",
    "merging": "every map of tokens renames tokens, merges two at a time and leaves some out that nothing maps to; "
    "renaming changes no sum, and a merger changes only the terms of the two tokens",
    "sampler": "the sampler drafts x with probability q(x), keeps it with probability a(x), else emits y with "
    "probability r(y), independently of x",
    "totals": "P = Q = 1; from the relations stated follow A = 1 - R = 1 - J and with them the values of the other "
    "sums",
    "trichotomy": "of two numbers one is smaller, or they are equal",
}


class Unsound(Exception):
    """Code under proof did what proves nothing: an undecided comparison, a value that is not exact."""


class Goal(NamedTuple):
    """One step that the machine checked."""

    claim: str
    holds: bool


@dataclass(frozen=True)
class Proof:
    """Goals checked by SymPy, and the names of the steps that are argued in words.

    `complete` is False for a proof without goals: nothing was shown.
    """

    goals: tuple[Goal, ...]
    words: tuple[str, ...]

    @property
    def complete(self) -> bool:
        """Whether there are goals and all of them hold."""
        return bool(self.goals) and all(goal.holds for goal in self.goals)

    @property
    def failed(self) -> str | None:
        """Claim of the first goal that does not hold."""
        return next((goal.claim for goal in self.goals if not goal.holds), None)


class Trace:
    """What happened to the numbers of one run: their divisors, and what proves nothing.

    Faults are kept as well as raised, because code under proof may catch exceptions.
    """

    def __init__(self) -> None:
        self.divisors: list[Expr] = []
        self.faults: list[str] = []

    def fault(self, reason: str) -> Unsound:
        """Note a fault and return the exception to raise."""
        self.faults.append(reason)
        return Unsound(reason)


class Traced:
    """A symbolic number that notes its divisors and decides comparisons by sign.

    SymPy alone would cancel ``q / q`` before anybody asked whether q may be zero.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, expr: Expr, trace: Trace) -> None:
        self.expr = expr
        self._trace = trace

    def _new(self, expr: Expr) -> "Traced":
        return Traced(expr, self._trace)

    def _plain(self, other: Any) -> Expr:
        try:
            return plain(other)
        except Unsound as reason:
            raise self._trace.fault(str(reason)) from reason

    def _decide(self, yes: str, no: str, expr: Expr) -> bool:
        if sign(expr, yes):
            return True
        if sign(expr, no):
            return False
        raise self._trace.fault(f"{yes} of {cancel(expr)}?")

    def __add__(self, other: Any) -> "Traced":
        return self._new(self.expr + self._plain(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> "Traced":
        return self._new(self.expr - self._plain(other))

    def __rsub__(self, other: Any) -> "Traced":
        return self._new(self._plain(other) - self.expr)

    def __mul__(self, other: Any) -> "Traced":
        return self._new(self.expr * self._plain(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> "Traced":
        divisor = self._plain(other)
        self._trace.divisors.append(divisor)
        return self._new(self.expr / divisor)

    def __rtruediv__(self, other: Any) -> "Traced":
        return self._new(self._plain(other)) / self

    def __neg__(self) -> "Traced":
        return self._new(-self.expr)

    def __abs__(self) -> "Traced":
        return self if self >= 0 else -self

    def __le__(self, other: Any) -> bool:
        return self._decide("is_nonnegative", "is_negative", self._plain(other) - self.expr)

    def __lt__(self, other: Any) -> bool:
        return self._decide("is_positive", "is_nonpositive", self._plain(other) - self.expr)

    def __ge__(self, other: Any) -> bool:
        return self._decide("is_nonnegative", "is_negative", self.expr - self._plain(other))

    def __gt__(self, other: Any) -> bool:
        return self._decide("is_positive", "is_nonpositive", self.expr - self._plain(other))

    def __eq__(self, other: object) -> bool:
        return self._decide("is_zero", "is_nonzero", self.expr - self._plain(other))

    def __ne__(self, other: object) -> bool:
        return not self == other

    def __bool__(self) -> bool:
        # Without it every object is true, a symbolic zero as well.
        return self != 0


class Token(NamedTuple):
    """The probabilities of one token in one case: p = base + above, q = base + below."""

    case: str
    base: Expr
    above: Expr
    below: Expr

    @property
    def p(self) -> Expr:
        """Target probability."""
        return self.base + self.above

    @property
    def q(self) -> Expr:
        """Draft probability."""
        return self.base + self.below


def token_cases(name: str = "") -> Iterator[Token]:
    """The six ways in which p(x) and q(x) can lie to zero and to each other, in positive symbols."""
    base, gap = Symbol(f"s{name}", positive=True), Symbol(f"d{name}", positive=True)
    zero = S.Zero
    yield Token("p = q = 0", zero, zero, zero)
    yield Token("p > q = 0", zero, gap, zero)
    yield Token("q > p = 0", zero, zero, gap)
    yield Token("p = q > 0", base, zero, zero)
    yield Token("p > q > 0", base, gap, zero)
    yield Token("q > p > 0", base, zero, gap)


class Derivation:
    """Collects goals. Use `run` to call code under proof; then state what must hold of the results.

    After a goal that does not hold nothing more is looked at: the proof has failed.
    """

    def __init__(self, *words: str) -> None:
        unknown = [word for word in words if word not in WORDS]
        if unknown:
            raise KeyError(f"no such step in words: {unknown}")
        self._words = words
        self._goals: dict[str, bool] = {}
        self._failed = False

    def proof(self) -> Proof:
        """Everything stated so far."""
        return Proof(tuple(Goal(claim, holds) for claim, holds in self._goals.items()), self._words)

    def run(self, claim: str, function: Callable[..., Any], *values: Any) -> Expr:
        """Call a per-token function on symbols.

        Its comparisons must be decided, its divisors nonzero, its result an exact, finite number.
        Otherwise a failed goal is noted and NaN returned, of which nothing can be shown.
        """
        if self._failed:
            return S.NaN
        trace = Trace()
        try:
            result = plain(function(*(Traced(value, trace) for value in values)))
        except Unsound as reason:
            trace.faults.append(str(reason))
            result = S.NaN
        if trace.faults:
            self._note(f"{claim}: decided and exact ({trace.faults[0]})", holds=False)
            return S.NaN
        if not all(divisor.is_nonzero for divisor in trace.divisors):
            self._note(f"{claim}: no division by zero", holds=False)
            return S.NaN
        return result

    def zero(self, claim: str, expr: Any) -> None:
        """State that an expression is identically zero."""
        if not self._failed:
            self._note(claim, holds=cancel(_plain_or_nan(expr)) == 0)

    def equal(self, claim: str, left: Any, right: Any) -> None:
        """State that two expressions are identical."""
        self.zero(claim, left - right)

    def nonnegative(self, claim: str, expr: Any) -> None:
        """State that an expression is never negative."""
        if not self._failed:
            self._note(claim, holds=sign(expr, "is_nonnegative") is True)

    def positive(self, claim: str, expr: Any) -> None:
        """State that an expression is always positive."""
        if not self._failed:
            self._note(claim, holds=sign(expr, "is_positive") is True)

    def induction(
        self,
        claim: str,
        invariant: Mapping[str, int],
        steps: Callable[[Token], Mapping[str, Expr]],
        cases: Callable[[], Iterable[Token]] = token_cases,
        *,
        relation: str = "= 0",
    ) -> None:
        """State a linear relation between sums over rows of every length.

        It has no constant, so it holds for the empty row; each token that may be added must keep it.

        Parameters
        ----------
        claim : str
            The relation in words or symbols.
        invariant : mapping of name of sum to integer coefficient
            The relation is ``sum of coefficient * sum = 0`` (or ``>= 0``).
        steps : callable Token -> mapping of name to what the token adds to that sum
        cases : callable -> iterable of Token
            The tokens that the rows may hold.
        relation : {"= 0", ">= 0"}

        Raises
        ------
        ValueError
            If there is no token or no relation: nothing would be stated.
        """
        state = {"= 0": self.zero, ">= 0": self.nonnegative}[relation]
        tokens = list(cases())
        if not tokens or not invariant or not all(invariant.values()):
            raise ValueError(f"{claim}: an induction needs tokens, and a relation whose coefficients are not zero")
        for token in tokens:
            added = steps(token)
            before = sum(c * Symbol(f"sum_{name}") for name, c in invariant.items())
            after = sum(c * (Symbol(f"sum_{name}") + added[name]) for name, c in invariant.items())
            state(f"{claim} [one more token, {token.case}]", after - before)

    def _note(self, claim: str, *, holds: bool) -> None:
        """Keep one goal a claim; stated again it must hold again."""
        self._goals[claim] = holds
        self._failed = not holds


def plain(value: Any) -> Expr:
    """Return the exact SymPy expression that a value is; `Unsound` for floats, text, NaN and infinities."""
    if isinstance(value, Traced):
        return value.expr
    if isinstance(value, int) and not isinstance(value, bool):
        return Integer(value)
    if not isinstance(value, Expr) or value.has(Float, S.NaN, S.Infinity, S.NegativeInfinity, S.ComplexInfinity):
        raise Unsound(f"{value!r} is not an exact number")
    return value


def sign(expr: Any, question: str) -> bool | None:
    """Ask a sign of a rational expression, after cancelling, of numerator and denominator apart."""
    numerator, denominator = fraction(cancel(_plain_or_nan(expr)))
    if getattr(denominator, "is_positive", None) is not True:
        return None
    answer: bool | None = getattr(numerator.expand(), question)
    return answer


def _plain_or_nan(value: Any) -> Expr:
    """Return the expression, or NaN, of which no goal holds, for what is not exact."""
    try:
        return plain(value)
    except Unsound:
        return S.NaN
