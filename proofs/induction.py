"""A small prover for identities and inequalities over rows of any length, on SymPy alone.

A row of V tokens enters as a list, a sum over the vocabulary as a fold over it. What holds of
the empty list and survives one more token, whatever its probabilities, holds for every V. Each
step is a *goal*: a rational identity, or the sign of an expression, in symbols whose signs are
known. The functions under proof are run themselves, on `Traced` symbols: a comparison that the
signs do not decide, or a divisor that could be zero, is a goal that fails, not a guess.

What is argued in words instead (the induction rule, the case split) is kept by name with the
proof and printed with it: see `WORDS`.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sympy import Expr, S, Symbol, cancel, fraction, sympify

__all__ = ["WORDS", "Derivation", "Goal", "Proof", "Token", "Traced", "Undecided", "token_cases"]

WORDS = {
    "induction": "what holds for the empty list and is kept by each added token holds for lists of any length",
    "cases": "every pair of rationals p(x), q(x) >= 0 is in exactly one of the six cases q = 0 or q > 0 with "
    "p = 0, p < q, p = q, p > q (two of them with q = 0)",
    "coupling": "in a coupling c of q and p, q(x) and p(x) are c(x, x) and the rest, >= 0, of row x and of column x",
    "folds": "the functions of rows fold the per-token functions that were run on symbols, and Python's sum is "
    "that fold",
    "member": "a non-negative term of a list is at most the sum of the list, and zero if the sum is",
    "trichotomy": "of two rationals one is smaller, or they are equal",
    "merging": "every map that lumps tokens is a sequence of mergers of two tokens",
}


class Undecided(Exception):
    """The signs of the symbols do not decide a comparison."""


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


class Traced:
    """A symbolic number that notes its divisors and decides comparisons by sign.

    SymPy alone would cancel ``q / q`` before anybody asked whether q may be zero.
    """

    __hash__ = None  # type: ignore[assignment]

    def __init__(self, expr: Any, divisors: list[Expr]) -> None:
        self.expr = sympify(expr)
        self._divisors = divisors

    def _new(self, expr: Expr) -> "Traced":
        return Traced(expr, self._divisors)

    def __add__(self, other: Any) -> "Traced":
        return self._new(self.expr + plain(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> "Traced":
        return self._new(self.expr - plain(other))

    def __rsub__(self, other: Any) -> "Traced":
        return self._new(plain(other) - self.expr)

    def __mul__(self, other: Any) -> "Traced":
        return self._new(self.expr * plain(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> "Traced":
        self._divisors.append(plain(other))
        return self._new(self.expr / plain(other))

    def __rtruediv__(self, other: Any) -> "Traced":
        return self._new(plain(other)) / self

    def __le__(self, other: Any) -> bool:
        return _decide("is_nonnegative", "is_negative", plain(other) - self.expr)

    def __lt__(self, other: Any) -> bool:
        return _decide("is_positive", "is_nonpositive", plain(other) - self.expr)

    def __ge__(self, other: Any) -> bool:
        return _decide("is_nonnegative", "is_negative", self.expr - plain(other))

    def __gt__(self, other: Any) -> bool:
        return _decide("is_positive", "is_nonpositive", self.expr - plain(other))

    def __eq__(self, other: object) -> bool:
        return _decide("is_zero", "is_nonzero", self.expr - plain(other))

    def __ne__(self, other: object) -> bool:
        return not self == other


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
    """Collects goals. Use `run` to call code under proof; then state what must hold of the results."""

    def __init__(self, *words: str) -> None:
        unknown = [word for word in words if word not in WORDS]
        if unknown:
            raise KeyError(f"no such step in words: {unknown}")
        self._words = words
        self._goals: list[Goal] = []

    def proof(self) -> Proof:
        """Everything stated so far."""
        return Proof(tuple(self._goals), self._words)

    def run(self, claim: str, function: Callable[..., Any], *values: Any) -> Expr:
        """Call a per-token function on symbols; its divisors must be nonzero and its comparisons decided.

        Otherwise a failed goal is noted and NaN returned, of which nothing can be shown.
        """
        divisors: list[Expr] = []
        try:
            result = plain(function(*(Traced(value, divisors) for value in values)))
        except Undecided as question:
            self._goals.append(Goal(f"{claim}: decided by the signs ({question})", False))
            return S.NaN
        if not all(divisor.is_nonzero for divisor in divisors):
            self._goals.append(Goal(f"{claim}: no division by zero", False))
            return S.NaN
        return result

    def zero(self, claim: str, expr: Any) -> None:
        """State that an expression is identically zero."""
        self._goals.append(Goal(f"{claim}", cancel(expr) == 0))

    def equal(self, claim: str, left: Any, right: Any) -> None:
        """State that two expressions are identical."""
        self.zero(claim, left - right)

    def nonnegative(self, claim: str, expr: Any) -> None:
        """State that an expression is never negative."""
        self._goals.append(Goal(claim, sign(expr, "is_nonnegative") is True))

    def positive(self, claim: str, expr: Any) -> None:
        """State that an expression is always positive."""
        self._goals.append(Goal(claim, sign(expr, "is_positive") is True))

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
        """
        state = self.zero if relation == "= 0" else self.nonnegative
        state(f"{claim} [empty row]", sum((c * S.Zero for c in invariant.values()), S.Zero))
        for token in cases():
            added = steps(token)
            before = sum(c * Symbol(f"sum_{name}") for name, c in invariant.items())
            after = sum(c * (Symbol(f"sum_{name}") + added[name]) for name, c in invariant.items())
            state(f"{claim} [one more token, {token.case}]", after - before)


def plain(value: Any) -> Any:
    """The SymPy expression behind a value that may be traced."""
    return value.expr if isinstance(value, Traced) else sympify(value)


def sign(expr: Any, question: str) -> bool | None:
    """Ask a sign of a rational expression, after cancelling, of numerator and denominator apart."""
    numerator, denominator = fraction(cancel(expr))
    if getattr(denominator, "is_positive", None) is not True:
        return None
    answer: bool | None = getattr(numerator.expand(), question)
    return answer


def _decide(yes: str, no: str, expr: Any) -> bool:
    if sign(expr, yes):
        return True
    if sign(expr, no):
        return False
    raise Undecided(f"{yes} of {cancel(expr)}?")
