"""The contracts that other people's tests call: by keyword, with every kind of row, against plain fractions."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from math import prod
from typing import Any

import numpy as np
import pytest
from sympy import Rational

import proofs.block_rule
import proofs.chain_rule
import proofs.gumbel_rule
import proofs.lossy_rules
import proofs.match_rule
import proofs.sibling_rule
from proofs.errors import InexactError, NotADistributionError, ProofsError, ShapeError
from proofs.token_rule import EmittedDistribution

Row = list[Fraction]


def _row(*counts: int) -> Row:
    return [Fraction(count, sum(counts)) for count in counts]


PAIRS = {
    "I2": (_row(1, 2), _row(2, 1)),
    "I3": (_row(3, 2, 1), _row(1, 2, 3)),
    "I5": (_row(4, 3, 2, 1), _row(1, 2, 3, 4)),
    "B0": (_row(1, 3, 4), _row(2, 1, 1)),
    "equal": (_row(1, 2, 3), _row(1, 2, 3)),
    "disjoint": (_row(1, 2, 0, 0), _row(0, 0, 2, 1)),
    "one-hot target": (_row(0, 1, 0), _row(1, 1, 1)),
    "one-hot draft": (_row(1, 1, 1), _row(0, 1, 0)),
    "a zero on either side": (_row(1, 1, 0), _row(0, 1, 1)),
    "one token": (_row(1), _row(1)),
    "hardly apart": (_row(10**30 + 1, 10**30 - 1), _row(1, 1)),
}

# How the same row is written: as text, Fractions, SymPy's, tuples, objects in an array, a callable.
WRITTEN: dict[str, Callable[[Row], Any]] = {
    "text": lambda row: [str(x) for x in row],
    "fractions": lambda row: row,
    "rationals": lambda row: tuple(Rational(x.numerator, x.denominator) for x in row),
    "array": lambda row: np.array(row, dtype=object),
    "callable": lambda row: lambda prefix: [str(x) for x in row],
    "table": lambda row: {(): row}.__getitem__,
}


def _sequences(q: Row, k: int, replacement: bool) -> dict[tuple[int, ...], Fraction]:
    law: dict[tuple[int, ...], Fraction] = {(): Fraction(1)}
    for _ in range(k):
        longer: dict[tuple[int, ...], Fraction] = {}
        for drawn, mass in law.items():
            row = q if replacement else _left(q, drawn)
            longer |= {(*drawn, x): mass * b for x, b in enumerate(row) if b}
        law = longer
    return law


def _left(q: Row, drawn: tuple[int, ...]) -> Row:
    left = [Fraction(0) if x in drawn else b for x, b in enumerate(q)]
    left = left if any(left) else [Fraction(x not in drawn) for x in range(len(q))]
    return [b / sum(left) for b in left]


def _kept_by_recursion(p: Row, q: Row, k: int, replacement: bool) -> Fraction:
    kept = Fraction(0)
    for drawn, mass in _sequences(q, k, replacement).items():
        wanted, missed = p, mass
        for j, x in enumerate(drawn):
            row = q if replacement else _left(q, drawn[:j])
            kept += missed * min(Fraction(1), wanted[x] / row[x])
            missed *= 1 - min(Fraction(1), wanted[x] / row[x])
            if not missed:
                break
            gains = [max(a - b, Fraction(0)) for a, b in zip(wanted, row, strict=True)]
            wanted = [g / sum(gains) for g in gains]
    return kept


def _best(p: Row, q: Row, k: int, replacement: bool) -> Fraction:
    drawn = _sequences(q, k, replacement)
    values = []
    for held in product((False, True), repeat=len(p)):
        wanted = sum((a for a, there in zip(p, held, strict=True) if there), Fraction(1))
        values.append(wanted - sum((m for s, m in drawn.items() if all(held[x] for x in s)), Fraction(0)))
    return min(values)


def _kept_by_kseq(p: Row, q: Row, k: int, rho: Fraction) -> Fraction:
    kept = Fraction(0)
    for drawn, mass in _sequences(q, k, True).items():
        kept += mass * (1 - prod(1 - min(Fraction(1), p[x] / (rho * q[x])) for x in drawn))
    return kept


def _matched(p: Row, q: Row, k: int) -> Fraction:
    return sum((m * sum(p[x] for x in set(s)) for s, m in _sequences(q, k, True).items()), Fraction(0))


def _won_together(p: Row, q: Row) -> Fraction:
    tokens = [x for x in range(len(p)) if p[x] and q[x]]
    shares = [sum((max(a / p[x], b / q[x]) for a, b in zip(p, q, strict=True)), Fraction(0)) for x in tokens]
    return sum((1 / share for share in shares), Fraction(0))


@pytest.mark.parametrize("written", WRITTEN)
@pytest.mark.parametrize("name", PAIRS)
def test_one_position(name: str, written: str) -> None:
    """For every pair and every way to write it, with 0 to 3 siblings: siblings, matches and shared noise."""
    p, q = PAIRS[name]
    rows = {"target": WRITTEN[written](p), "draft": WRITTEN[written](q)}
    assert proofs.gumbel_rule.match_probability(**rows) == _rational(_won_together(p, q))
    assert proofs.match_rule.acceptance(**rows) == _rational(_matched(p, q, 1))
    for k in range(4):
        assert proofs.match_rule.acceptance(**rows, k=k) == _rational(_matched(p, q, k))
        by_kseq = proofs.sibling_rule.kseq_acceptance(**rows, k=k, rho="3/2")
        assert by_kseq == _rational(_kept_by_kseq(p, q, k, Fraction(3, 2)))
        for replacement in (True, False) if k <= len(p) else (True,):
            found = proofs.sibling_rule.acceptance(**rows, k=k, replacement=replacement)
            best = proofs.sibling_rule.optimal_acceptance(**rows, k=k, replacement=replacement)
            assert found == _rational(_kept_by_recursion(p, q, k, replacement))
            assert best == _rational(_best(p, q, k, replacement))


def _rational(number: Any) -> Rational:
    return Rational(Fraction(number).numerator, Fraction(number).denominator)


LOSSY: dict[str, dict[str, Any]] = {
    "lenience": {"leniency": "3/4"},
    "synthetic": {"rate": "1/2"},
    "ensemble": {"weight": "3/4"},
    "sglang_thresholds": {"threshold_single": 1, "threshold_acc": "1/2"},
    "relaxed": {"top_n": 2, "delta": "1/8"},
    "typical": {"epsilon": "1/2", "delta": "1/2"},
}


@pytest.mark.parametrize("written", WRITTEN)
@pytest.mark.parametrize("rule", LOSSY)
def test_lossy_rules_return_a_law_and_its_acceptance(rule: str, written: str) -> None:
    """For every pair: a distribution of rationals, the same however the rows are written."""
    function = getattr(proofs.lossy_rules, rule)
    for p, q in PAIRS.values():
        emitted = function(target=WRITTEN[written](p), draft=WRITTEN[written](q), **LOSSY[rule])
        assert isinstance(emitted, EmittedDistribution)
        assert all(isinstance(x, Rational) for x in (*emitted.dist, emitted.alpha))
        assert sum(emitted.dist) == 1
        assert emitted == function(p, q, **LOSSY[rule])


def _markov(prefix: tuple[int, ...]) -> Row:
    return _row(1, 2, 3) if sum(prefix) % 2 else _row(3, 0, 1)


def _growing(prefix: tuple[int, ...]) -> Row:
    return _row(1 + len(prefix), 1, 1 + len(set(prefix)))  # looks at the whole prefix


def _chain(target: Any, draft: Any, gamma: int, prefix: tuple[int, ...] = ()) -> dict[tuple[int, ...], Fraction]:
    """Law of the rest of a call, after a prefix that was kept."""
    p = target(prefix)
    if len(prefix) == gamma:
        return {(*prefix, y): a for y, a in enumerate(p) if a}
    q, law = draft(prefix), dict[tuple[int, ...], Fraction]()
    gains = [max(a - b, Fraction(0)) for a, b in zip(p, q, strict=True)]
    for x, (a, b) in enumerate(zip(p, q, strict=True)):
        if a and b:
            for tokens, mass in _chain(target, draft, gamma, (*prefix, x)).items():
                law[tokens] = law.get(tokens, Fraction(0)) + min(a, b) * mass
        if gains[x]:
            law[*prefix, x] = law.get((*prefix, x), Fraction(0)) + gains[x]
    return law


@pytest.mark.parametrize("gamma", [0, 1, 2, 3])
@pytest.mark.parametrize(("target", "draft"), [(_markov, _growing), (_growing, _markov), (_growing, _growing)])
def test_processes(target: Any, draft: Any, gamma: int) -> None:
    """For prefix-dependent pairs, gamma 0 to 3: the chain's law; both complete to the target's; block is as good."""
    rows = {"target": target, "draft": draft, "gamma": gamma}
    chain, block = proofs.chain_rule, proofs.block_rule
    expected = _chain(target, draft, gamma)
    assert chain.emitted_law(**rows) == {tokens: _rational(mass) for tokens, mass in expected.items()}
    for module in (chain, block):
        law = module.emitted_law(**rows)
        assert module.expected_accepted(**rows) == sum((len(tokens) - 1) * mass for tokens, mass in law.items())
        for text in product(range(3), repeat=gamma + 1):
            wanted = prod(target(text[:i])[x] for i, x in enumerate(text))
            found = sum(
                mass * prod(_rational(target(text[:i])[text[i]]) for i in range(len(tokens), gamma + 1))
                for tokens, mass in law.items()
                if text[: len(tokens)] == tokens
            )
            assert found == _rational(wanted)
    assert block.expected_accepted(**rows) >= chain.expected_accepted(**rows)


CALLS: dict[str, Callable[..., Any]] = {
    "chain": lambda **rows: proofs.chain_rule.expected_accepted(**rows, gamma=2),
    "chain law": lambda **rows: proofs.chain_rule.emitted_law(**rows, gamma=2),
    "block": lambda **rows: proofs.block_rule.expected_accepted(**rows, gamma=2),
    "block law": lambda **rows: proofs.block_rule.emitted_law(**rows, gamma=2),
    "siblings": lambda **rows: proofs.sibling_rule.acceptance(**rows, k=2, replacement=False),
    "optimum": lambda **rows: proofs.sibling_rule.optimal_acceptance(**rows, k=2),
    "kseq": lambda **rows: proofs.sibling_rule.kseq_acceptance(**rows, k=2, rho=2),
    "match": lambda **rows: proofs.match_rule.acceptance(**rows),
    "gumbel": lambda **rows: proofs.gumbel_rule.match_probability(**rows),
    "lenience": lambda **rows: proofs.lossy_rules.lenience(**rows, leniency="3/4"),
}


@pytest.mark.parametrize("call", CALLS)
def test_rows_that_are_none_are_refused(call: str) -> None:
    """For every contract: floats are refused with the way out, other lengths with both, and text, gaps and sums."""
    function = CALLS[call]
    with pytest.raises(InexactError, match=r"target\[0\]: 0.5 \(float\) .* proofs.from_floats"):
        function(target=[0.5, 0.5], draft=["1/2", "1/2"])
    with pytest.raises(ShapeError, match="draft has 3(;| tokens; expected 2, the V of)"):
        function(target=["1/2", "1/2"], draft=["1/2", "1/4", "1/4"])
    with pytest.raises(NotADistributionError, match="draft sums to 3/4, not 1 exactly"):
        function(target=["1/2", "1/2"], draft=["1/2", "1/4"])
    with pytest.raises(NotADistributionError, match=r"target\(\(\)\) raises KeyError; expected a row"):
        function(target={}.__getitem__, draft=["1/2", "1/2"])


@pytest.mark.parametrize("number", ["2", Fraction(2), 2.0, True, None])
def test_numbers_that_are_no_int_are_named_with_their_type(number: Any) -> None:
    with pytest.raises(ProofsError, match=rf"gamma = .* is no integer \({type(number).__name__}\); expected"):
        proofs.chain_rule.expected_accepted(target=[1], draft=[1], gamma=number)
    with pytest.raises(ProofsError, match="k = .* is no integer"):
        proofs.match_rule.acceptance(target=[1], draft=[1], k=number)


@pytest.mark.parametrize("rho", [0.5, None, "x", float("nan")])
def test_a_rho_that_is_not_exact_is_named(rho: Any) -> None:
    with pytest.raises(InexactError, match="rho: "):
        proofs.sibling_rule.kseq_acceptance(target=[1], draft=[1], k=1, rho=rho)
