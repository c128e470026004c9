"""What every rule makes of one target and one draft: whether its law is the target's, what it keeps, what is possible.

Every line is computed from the law of the rule, completed by the target where a call emits less, never from what is
proved of it; a rule that is said to be lossless and is not, or that keeps more than is possible, is a finding.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from sympy import Rational, S

from proofs import (
    block_rule,
    chain_rule,
    coupling_rule,
    gumbel_rule,
    kseq_rule,
    lossy_rules,
    match_rule,
    sibling_rule,
    token_rule,
)
from proofs.compare_arguments import MOST_SIBLINGS
from proofs.distributions import Row, check_pair, total_variation
from proofs.greedy_block import ceiling, greedy_emitted_law, greedy_sequence_law
from proofs.lossy_reports import acceptance_bound
from proofs.processes import Prefix, check_count
from proofs.rationals import shown
from proofs.token_rule import EmittedDistribution
from proofs.verdicts import Finding, Outcome

__all__ = ["BOUNDS", "MOST_SEQUENCES", "Comparison", "Line", "compare"]

MOST_SEQUENCES = 5_000  # of gamma + 1 tokens, of k drawn tokens, or pairs of two: what is enumerated stays below
_WIDEST = 16  # tokens of which all sets are gone through

# Where the best possible is from, and for whom it is the best.
BOUNDS = {
    "1 - TV": "for every lossless rule with one draft; TV is the total variation between target and draft",
    "maximum flow": "for every lossless rule with these siblings: the greatest flow from their sets to the tokens",
    "block verification": "for every lossless rule whose next call has the same target",
    "ceiling with state": "for rules whose next call may have a changed target",
    "1 - TV + d": "for every rule with one draft whose law is within TV d of the target's",
}


class Line(NamedTuple):
    """One rule.

    Attributes
    ----------
    rule : str
    drafts : str
        What is drafted: "1 token", "2 siblings", "gamma 2".
    lossless : bool
        Whether the rule claims the target's law.
    distance : Rational
        Total variation between its law, on the tokens of one call completed by the target, and the target's.
    measure : str
        "alpha", or "E[accepted]" for several positions.
    value, best : Rational
        What is kept, and the most that a rule with this law could keep.
    bound : str
        Where `best` is from: one of `BOUNDS`.
    """

    rule: str
    drafts: str
    lossless: bool
    distance: Rational
    measure: str
    value: Rational
    best: Rational
    bound: str

    @property
    def finding(self) -> Finding:
        """AS_CLAIMED iff a lossless rule has the target's law and no rule keeps more than is possible."""
        name = f"{self.rule}, {self.drafts}"
        if self.lossless and self.distance != 0:
            return Finding(Outcome.DIFFERS, f"{name}: its law is {shown(self.distance)} from the target's")
        if self.value > self.best:
            beyond = f"keeps {shown(self.value)}, above the best possible {shown(self.best)}"
            return Finding(Outcome.DIFFERS, f"{name}: {beyond}")
        return Finding(Outcome.AS_CLAIMED, name)


@dataclass(frozen=True)
class Comparison:
    """The lines of one pair of rows, and which rules were left out, with the reason."""

    lines: tuple[Line, ...]
    left_out: Mapping[str, str]


def compare(target: Any, draft: Any, gamma: int = 2, k: int = 2) -> Comparison:
    """Compare the rules on a target row and a draft row, the same at every position.

    Parameters
    ----------
    target, draft : row of V exact numbers
    gamma : int
        Drafted positions of the rules for chains and blocks; with 0 they are left out.
    k : int
        Siblings of the rules for several drafts of one position; below 2 they are left out.

    Returns
    -------
    Comparison
        What would take more than `MOST_SEQUENCES` steps is left out, and said.

    Raises
    ------
    InexactError, NotADistributionError, ShapeError
        If an entry is not exact, a row no distribution, or the lengths differ.
    ProofsError
        If `gamma` or `k` is no integer or below 0.

    Examples
    --------
    >>> found = compare(["1/3", "2/3"], ["2/3", "1/3"])
    >>> next((line.value, line.best) for line in found.lines if line.rule == "block verification")
    (11/9, 11/9)
    """
    p, q = check_pair(target, draft, ("target", "draft"))
    gamma, k = check_count(gamma, "gamma"), check_count(k, "k", what="siblings")
    left_out = {name: reason for name, reason in _left_out(p, q, gamma, k) if reason is not None}
    families: dict[str, Callable[[], Iterator[Line]]] = {
        "token rule": lambda: _single(p, q),
        _COUPLINGS: lambda: _coupled(p, q),
        f"k = {k} siblings": lambda: _siblings(p, q, k),
        f"k = {k} distinct siblings": lambda: _distinct(p, q, k),
        f"gamma = {gamma} positions": lambda: _positions(p, q, gamma),
        "lossy rules": lambda: _lossy(p, q),
    }
    return Comparison(tuple(line for name in families if name not in left_out for line in families[name]()), left_out)


_COUPLINGS = "couplings of pairs of tokens"


def _left_out(p: Row, q: Row, gamma: int, k: int) -> Iterator[tuple[str, str | None]]:
    """Yield for each family of rules why it is left out; None where it is not."""
    few = "the lines for 1 token say what one keeps" if k == 1 else "none were asked for"
    many = f"at most {MOST_SIBLINGS} are compared"
    yield _COUPLINGS, _too_many(len(p), 2)
    yield f"k = {k} siblings", few if k < 2 else many if k > MOST_SIBLINGS else None
    yield f"k = {k} distinct siblings", None if k < 2 else _indistinct(q, k) or _too_many(len(p), k)
    yield f"gamma = {gamma} positions", "none were asked for" if gamma < 1 else _too_many(len(p), gamma + 1)


def _indistinct(q: Row, k: int) -> str | None:
    if (drawn := sum(x != 0 for x in q)) < k:
        return f"the draft has {drawn} token{'s' * (drawn != 1)} of probability above 0"
    return f"V = {len(q)}; all sets of at most {_WIDEST} tokens are gone through" if len(q) > _WIDEST else None


def _too_many(vocabulary: int, length: int) -> str | None:
    # A vocabulary of one counts as two: its sequences are few and can still be long.
    if length > MOST_SEQUENCES.bit_length() or max(vocabulary, 2) ** length > MOST_SEQUENCES:
        return f"V to the power of {length} is above {MOST_SEQUENCES}, the most sequences that are enumerated"
    return None


def _single(p: Row, q: Row) -> Iterator[Line]:
    yield _line("token rule", "1 token", token_rule.emitted_distribution(p, q), p, 1 - total_variation(p, q))


def _coupled(p: Row, q: Row) -> Iterator[Line]:
    best = 1 - total_variation(p, q)
    couplings: dict[str, tuple[Callable[[Row, Row], tuple[Row, ...]], Rational]] = {
        "match rule": (match_rule.coupling, match_rule.acceptance(p, q)),
        "Gumbel coupling": (gumbel_rule.coupling, gumbel_rule.match_probability(p, q)),
        "weighted MinHash": (coupling_rule.minhash_coupling, coupling_rule.minhash_agreement(p, q)),
    }
    for name, (coupling, kept) in couplings.items():
        emitted = tuple(sum(column, S.Zero) for column in zip(*coupling(p, q), strict=True))
        yield _line(name, "1 token", EmittedDistribution(emitted, kept), p, best)


def _siblings(p: Row, q: Row, k: int) -> Iterator[Line]:
    drafts, bound = f"{k} siblings", "maximum flow"
    best = sibling_rule.optimal_acceptance(p, q, k)
    # This rule draws from the target, whatever the siblings are.
    matched = EmittedDistribution(p, match_rule.acceptance(p, q, k))
    yield _line("match rule", drafts, matched, p, best, bound)
    yield _line("K-SEQ, rho = k", drafts, kseq_rule.kseq_law(p, q, k, k), p, best, bound)
    yield _line("recursive rejection", drafts, sibling_rule.recursive_law(p, q, k), p, best, bound)


def _distinct(p: Row, q: Row, k: int) -> Iterator[Line]:
    if k < 2:  # said of siblings altogether
        return
    best = sibling_rule.optimal_acceptance(p, q, k, False)
    emitted = sibling_rule.recursive_law(p, q, k, False)
    yield _line("recursive rejection, distinct", f"{k} siblings", emitted, p, best, "maximum flow")


def _positions(p: Row, q: Row, gamma: int) -> Iterator[Line]:
    drafts = f"gamma {gamma}"
    best = block_rule.expected_accepted(p, q, gamma)
    calls = {
        "match rule, chain": match_rule.emitted_law,
        "token rule, chain": chain_rule.emitted_law,
        "block verification": block_rule.emitted_law,
    }
    for name, law_of in calls.items():
        law = law_of(p, q, gamma)
        distance = _distance(law, p, gamma + 1)
        yield Line(name, drafts, True, distance, "E[accepted]", _accepted(law), best, "block verification")
    distance = _distance(greedy_sequence_law(p, q, gamma, 2, gamma + 1), p, gamma + 1)
    kept, most = _accepted(greedy_emitted_law(p, q, gamma)), ceiling(p, q, gamma)
    yield Line("greedy block verification", drafts, True, distance, "E[accepted]", kept, most, "ceiling with state")


def _lossy(p: Row, q: Row) -> Iterator[Line]:
    half, most = Rational(1, 2), Rational(3, 4)
    rules = {
        "lenience 3/4, (p - q)+": lossy_rules.lenience(p, q, most),
        "lenience 3/4, (p - 3/4 q)+": lossy_rules.lenience(p, q, most, "scaled"),
        "synthetic, rate 1/2": lossy_rules.synthetic(p, q, half),
        "ensemble, weight 1/2": lossy_rules.ensemble(p, q, half),
        "SGLang thresholds, 3/4 and 3/4": lossy_rules.sglang_thresholds(p, q, most, most),
        "relaxed, top 2 within 1/4": lossy_rules.relaxed(p, q, 2, Rational(1, 4)),
        "typical, 9/100 and 3/10": lossy_rules.typical(p, q, Rational(9, 100), Rational(3, 10)),
    }
    for name, emitted in rules.items():
        distance = total_variation(emitted.dist, p)
        best = acceptance_bound(p, q, distance)
        yield Line(name, "1 token", False, distance, "alpha", emitted.alpha, best, "1 - TV + d")


def _line(name: str, drafts: str, emitted: EmittedDistribution, p: Row, best: Rational, bound: str = "1 - TV") -> Line:
    return Line(name, drafts, True, total_variation(emitted.dist, p), "alpha", emitted.alpha, best, bound)


def _accepted(law: Mapping[Prefix, Rational]) -> Rational:
    """Expected accepted tokens of a call: all that it emits but the last."""
    return sum(((len(emitted) - 1) * mass for emitted, mass in law.items()), S.Zero)


def _distance(law: Mapping[Prefix, Rational], p: Row, length: int) -> Rational:
    """Total variation on sequences between a law of calls, completed by the target, and the target's."""
    found: dict[Prefix, Rational] = dict.fromkeys(_sequences(len(p), length), S.Zero)
    for emitted, mass in law.items():
        for rest in _sequences(len(p), length - len(emitted)):
            found[emitted + rest] += mass * _chance(p, rest)
    return sum((abs(mass - _chance(p, y)) for y, mass in found.items()), S.Zero) / 2


def _sequences(vocabulary: int, length: int) -> list[Prefix]:
    grown: list[Prefix] = [()]
    for _ in range(length):
        grown = [(*y, x) for y in grown for x in range(vocabulary)]
    return grown


def _chance(p: Row, tokens: Prefix) -> Rational:
    chance: Rational = S.One
    for x in tokens:
        chance *= p[x]
    return chance
