"""The table of rules: its numbers against enumerations that share no code, and what a wrong rule becomes."""

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import Any

import pytest

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
from proofs.compare import BOUNDS, MOST_SEQUENCES, Comparison, Line, compare
from proofs.errors import InexactError, NotADistributionError, ProofsError, ShapeError
from proofs.token_rule import EmittedDistribution
from proofs.verdicts import Outcome
from tests import block_enumeration as blocks
from tests import lossy_enumeration as lossy
from tests import match_enumeration as matches
from tests import sibling_enumeration as siblings
from tests.chain_enumeration import call_law
from tests.enumeration import NAMED, Row, token_rule_law

HALF, MOST = Fraction(1, 2), Fraction(3, 4)
LOSSY: dict[str, tuple[Callable[..., Any], Callable[..., Any]]] = {
    "lenience 3/4, (p - q)+": lossy.lenience(MOST, "difference"),
    "lenience 3/4, (p - 3/4 q)+": lossy.lenience(MOST, "scaled"),
    "synthetic, rate 1/2": lossy.synthetic(HALF),
    "ensemble, weight 1/2": lossy.ensemble(HALF),
    "SGLang thresholds, 3/4 and 3/4": lossy.sglang(MOST, MOST),
    "relaxed, top 2 within 1/4": lossy.relaxed(2, Fraction(1, 4), "top"),
    "typical, 9/100 and 3/10": lossy.typical(Fraction(9, 100), Fraction(3, 10), "target"),
}
# rule, drafts -> kept, best possible; the rows of B0 and I3, gamma 2 and two siblings.
GOLDEN = {
    "B0": {
        ("token rule", "1 token"): ("5/8", "5/8"),
        ("match rule", "1 token"): ("9/32", "5/8"),
        ("Gumbel coupling", "1 token"): ("63/104", "5/8"),
        ("weighted MinHash", "1 token"): ("49/88", "5/8"),
        ("match rule", "2 siblings"): ("61/128", "7/8"),
        ("K-SEQ, rho = k", "2 siblings"): ("3/4", "7/8"),
        ("recursive rejection", "2 siblings"): ("13/16", "7/8"),
        ("recursive rejection, distinct", "2 siblings"): ("15/16", "1"),
        ("match rule, chain", "gamma 2"): ("369/1024", "17/16"),
        ("token rule, chain", "gamma 2"): ("65/64", "17/16"),
        ("block verification", "gamma 2"): ("17/16", "17/16"),
        ("greedy block verification", "gamma 2"): ("71/64", "71/64"),
    },
    "I3": {
        ("token rule", "1 token"): ("2/3", "2/3"),
        ("match rule", "1 token"): ("5/18", "2/3"),
        ("Gumbel coupling", "1 token"): ("7/12", "2/3"),
        ("K-SEQ, rho = k", "2 siblings"): ("95/144", "29/36"),
        ("recursive rejection", "2 siblings"): ("13/18", "29/36"),
        ("recursive rejection, distinct", "2 siblings"): ("7/9", "11/12"),
        ("token rule, chain", "gamma 2"): ("10/9", "7/6"),
        ("block verification", "gamma 2"): ("7/6", "7/6"),
        ("synthetic, rate 1/2", "1 token"): ("1/2", "5/6"),
        ("lenience 3/4, (p - q)+", "1 token"): ("13/18", "13/18"),
    },
}


@dataclass(frozen=True)
class Known:
    """What an enumeration says of one line."""

    kept: Fraction
    best: Fraction
    distance: Fraction = Fraction(0)


def _lines(found: Comparison) -> dict[tuple[str, str], Line]:
    lines = {(line.rule, line.drafts): line for line in found.lines}
    assert len(lines) == len(found.lines)
    return lines


def _fraction(value: Any) -> Fraction:
    return Fraction(int(value.p), int(value.q))


def _tv(p: Row, q: Any) -> Fraction:
    return sum((abs(a - b) for a, b in zip(p, q, strict=True)), Fraction(0)) / 2


def _diagonal(joint: matches.Joint, vocabulary: int) -> Fraction:
    return sum((joint.get((x, x), Fraction(0)) for x in range(vocabulary)), Fraction(0))


def enumerated(p: Row, q: Row, gamma: int, k: int) -> dict[tuple[str, str], Known]:
    """Every line by going through drafts and coins."""
    v, many, long = len(p), f"{k} siblings", f"gamma {gamma}"
    target, draft = blocks.always(p), blocks.always(q)
    one, best = 1 - _tv(p, q), siblings.best(p, q, k, True)
    race, hashes = matches.race_law(p, q), matches.minhash_law(p, q, lcm(*(x.denominator for x in p + q)))
    block = blocks.block_call(target, draft, gamma, v)
    most = blocks.accepted(block)
    known = {
        ("token rule", "1 token"): Known(token_rule_law(p, q)[1], one),
        ("match rule", "1 token"): Known(matches.match_acceptance(p, q, 1), one),
        ("Gumbel coupling", "1 token"): Known(_diagonal(race, v), one),
        ("weighted MinHash", "1 token"): Known(_diagonal(hashes, v), one),
        ("match rule", many): Known(matches.match_acceptance(p, q, k), best),
        ("K-SEQ, rho = k", many): Known(siblings.kseq(p, q, k, Fraction(k))[1], best),
        ("recursive rejection", many): Known(siblings.recursive(p, q, k, True)[1], best),
        ("match rule, chain", long): Known(matches.match_law(target, draft, gamma, v)[1], most),
        ("token rule, chain", long): Known(blocks.accepted(call_law(v, target, draft, gamma)), most),
        ("block verification", long): Known(most, most),
        ("greedy block verification", long): Known(*[blocks.ceiling(target, draft, gamma, v)] * 2),
    }
    if sum(x != 0 for x in q) >= k:
        kept, most = siblings.recursive(p, q, k, False)[1], siblings.best(p, q, k, False)
        known["recursive rejection, distinct", many] = Known(kept, most)
    for name, rule in LOSSY.items():
        law, alpha = lossy.enumerated(p, q, *rule)
        known[name, "1 token"] = Known(alpha, min(Fraction(1), one + _tv(p, law)), _tv(p, law))
    return known


@pytest.mark.parametrize(("name", "gamma", "k"), [("B0", 2, 2), ("I3", 2, 2), ("I2", 3, 2), ("B0", 1, 3)])
def test_table_is_what_enumeration_finds(name: str, gamma: int, k: int) -> None:
    p, q = NAMED[name]
    lines, known = _lines(compare(p, q, gamma, k)), enumerated(p, q, gamma, k)
    assert lines.keys() == known.keys()
    for place, line in lines.items():
        numbers = Known(*map(_fraction, (line.value, line.best, line.distance)))
        assert numbers == known[place], place
        assert line.bound in BOUNDS
        assert line.measure == ("E[accepted]" if line.drafts.startswith("gamma") else "alpha")
        assert line.finding.outcome is Outcome.AS_CLAIMED


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_values(name: str) -> None:
    lines = _lines(compare(*NAMED[name]))
    for place, numbers in GOLDEN[name].items():
        assert (str(lines[place].value), str(lines[place].best)) == numbers


def test_lossless_lines_are_those_without_distance() -> None:
    for line in compare(*NAMED["B0"]).lines:
        assert line.lossless is (line.rule not in LOSSY)
        assert bool(line.distance == 0) is line.lossless


@pytest.mark.parametrize("rows", [(["1"], ["1"]), (["1/3", "2/3"], ["1", "0"]), (["1", "0"], ["0", "1"])])
@pytest.mark.parametrize(("gamma", "k"), [(3, 3), (1, 2)])
def test_edges_are_as_claimed(rows: Any, gamma: int, k: int) -> None:
    """For V = 1, a one-hot draft and disjoint rows: every line is as claimed, and what is left out is said."""
    found = compare(rows[0], rows[1], gamma, k)
    assert {line.finding.outcome for line in found.lines} == {Outcome.AS_CLAIMED}
    assert found.left_out == {f"k = {k} distinct siblings": "the draft has 1 token of probability above 0"}


def test_three_positions_and_three_siblings() -> None:
    lines = _lines(compare(*NAMED["B0"], 3, 3))
    assert str(lines["block verification", "gamma 3"].value) == "45/32"
    assert str(lines["greedy block verification", "gamma 3"].value) == "801/512"
    assert str(lines["recursive rejection", "3 siblings"].value) == "57/64"


@pytest.mark.parametrize(
    ("rows", "gamma", "k", "left_out"),
    [
        ((["1/3", "2/3"],) * 2, 0, 0, {"k = 0 siblings": "asked for", "gamma = 0 positions": "asked for"}),
        ((["1/3", "2/3"],) * 2, 1, 1, {"k = 1 siblings": "lines for 1 token"}),
        ((["1/3", "2/3"],) * 2, 1, 3, {"k = 3 distinct siblings": "has 2 tokens of probability above 0"}),
        ((["1"],) * 2, 10**9, 2, {"k = 2 distinct": "has 1 token of", "gamma = 1000000000": "power of 1000000001"}),
        (
            (["1/2"] * 2,) * 2,
            1,
            10**9,
            {"k = 1000000000 siblings": "at most 64", "k = 1000000000 distinct": "2 tokens"},
        ),
        ((["1/17"] * 17,) * 2, 1, 2, {"k = 2 distinct siblings": "V = 17; all sets of at most 16"}),
        (
            (["1/100"] * 100,) * 2,
            1,
            2,
            {"couplings": "power of 2", "k = 2 distinct": "V = 100", "gamma = 1": f"above {MOST_SEQUENCES}"},
        ),
    ],
)
def test_what_is_left_out_is_said(rows: Any, gamma: int, k: int, left_out: dict[str, str]) -> None:
    """Nothing takes forever or is refused for its size: it is left out, with the reason."""
    found = compare(rows[0], rows[1], gamma, k)
    assert len(found.left_out) == len(left_out)
    for (name, reason), (start, part) in zip(found.left_out.items(), left_out.items(), strict=True):
        assert name.startswith(start)
        assert part in reason
    names = {line.rule for line in found.lines}
    assert "token rule" in names
    assert names.issuperset(LOSSY)


def test_siblings_are_compared_on_large_rows() -> None:
    row = [Fraction(x + 1, 3_240) for x in range(80)]
    lines = _lines(compare(row, row[::-1], 0, 2))
    assert lines["recursive rejection", "2 siblings"].value > lines["token rule", "1 token"].value


def _moved(law: Any) -> Any:
    """Move a little mass from the first entry of a law to the last."""
    if isinstance(law, EmittedDistribution):
        return law._replace(dist=(law.dist[0] - Fraction(1, 100), *law.dist[1:-1], law.dist[-1] + Fraction(1, 100)))
    first, *_, last = law
    return {**law, first: law[first] / 2, last: law[last] + law[first] / 2}


@pytest.mark.parametrize(
    ("module", "function", "rule"),
    [
        (token_rule, "emitted_distribution", "token rule, 1 token"),
        (kseq_rule, "kseq_law", "K-SEQ, rho = k, 2 siblings"),
        (sibling_rule, "recursive_law", "recursive rejection, 2 siblings"),
        (chain_rule, "emitted_law", "token rule, chain, gamma 2"),
        (block_rule, "emitted_law", "block verification, gamma 2"),
        (match_rule, "emitted_law", "match rule, chain, gamma 2"),
    ],
)
def test_wrong_law_is_a_finding(monkeypatch: pytest.MonkeyPatch, module: Any, function: str, rule: str) -> None:
    right = getattr(module, function)
    monkeypatch.setattr(module, function, lambda *arguments: _moved(right(*arguments)))
    findings = [line.finding for line in compare(*NAMED["I3"]).lines]
    texts = [finding.text for finding in findings if finding.outcome is Outcome.DIFFERS]
    assert any(text.startswith(f"{rule}: its law is ") and text.endswith(" from the target's") for text in texts)


@pytest.mark.parametrize(
    ("twin", "function"),
    [(match_rule, "coupling"), (gumbel_rule, "coupling"), (coupling_rule, "minhash_coupling")],
)
def test_wrong_coupling_is_a_finding(monkeypatch: pytest.MonkeyPatch, twin: Any, function: str) -> None:
    """A joint law whose drafted and emitted token are exchanged emits the draft's law."""
    right = getattr(twin, function)
    monkeypatch.setattr(twin, function, lambda p, q: tuple(zip(*right(p, q), strict=True)))
    differing = [line.rule for line in compare(*NAMED["B0"]).lines if line.finding.outcome is Outcome.DIFFERS]
    assert len(differing) == 1


def test_more_than_possible_is_a_finding(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(match_rule, "acceptance", lambda p, q, k=1: Fraction(9, 10))
    texts = [line.finding.text for line in compare(*NAMED["B0"]).lines if line.finding.outcome is Outcome.DIFFERS]
    assert texts == [
        "match rule, 1 token: keeps 9/10, above the best possible 5/8",
        "match rule, 2 siblings: keeps 9/10, above the best possible 7/8",
    ]


def test_lossy_rule_may_not_exceed_what_its_distance_allows(monkeypatch: pytest.MonkeyPatch) -> None:
    right = lossy_rules.synthetic

    def boasting(p: Any, q: Any, rate: Any) -> Any:
        return right(p, q, rate)._replace(alpha=Fraction(99, 100))

    monkeypatch.setattr(lossy_rules, "synthetic", boasting)
    texts = [line.finding.text for line in compare(*NAMED["B0"]).lines if line.finding.outcome is Outcome.DIFFERS]
    assert texts == ["synthetic, rate 1/2, 1 token: keeps 99/100, above the best possible 13/16"]


@pytest.mark.parametrize(
    ("target", "draft", "gamma", "k", "error", "message"),
    [
        (["1/2", "1/3"], ["1/2", "1/2"], 2, 2, NotADistributionError, "target sums to 5/6"),
        (["1/2", "1/2"], ["1/2", "1/3"], 2, 2, NotADistributionError, "draft sums to 5/6"),
        (["0.5", "1/2"], ["1/2", "1/2"], 2, 2, InexactError, "'0.5' is not an exact rational"),
        ([0.5, 0.5], ["1/2", "1/2"], 2, 2, InexactError, "target"),
        (["1/2", "1/2"], ["1"], 2, 2, ShapeError, "2 tokens and draft has 1"),
        (["1"], ["1"], -1, 2, ProofsError, "gamma = -1; expected a number of drafted tokens, 0 or more"),
        (["1"], ["1"], 2, -1, ProofsError, "k = -1; expected a number of siblings, 0 or more"),
        (["1"], ["1"], True, 2, ProofsError, "gamma = True is no integer"),
    ],
)
def test_bad_input(target: Any, draft: Any, gamma: int, k: int, error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        compare(target, draft, gamma, k)
