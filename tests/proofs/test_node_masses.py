"""Rules by what they accept: held to linear programs over every law of the last token, and over every rule."""

from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sympy import Rational

from proofs import block_rule
from proofs.errors import NotADistributionError, ProofsError
from proofs.node_masses import broken_node, completed_law, greatest_masses
from proofs.strategies import distributions
from tests import call_laws
from tests.block_enumeration import PAIRS
from tests.proofs.test_block_rule import as_fractions
from tests.proofs.test_optimum import _greatest

Row = tuple[Fraction, ...]
HALF, THIRDS = ["1/2", "1/2"], ["1/3", "2/3"]
ZERO, ONE = Fraction(0), Fraction(1)
SHARES = [(ZERO, ZERO), (Fraction(1, 2), Fraction(1, 2)), (Fraction(1, 3), Fraction(2, 3)), (ONE, ZERO)]


def _masses(shares: tuple[tuple[Fraction, ...], ...]) -> dict[tuple[int, ...], Fraction]:
    masses = {(x,): share for x, share in enumerate(shares[0])}
    return masses | {(x, y): masses[x,] * part for x in range(2) for y, part in enumerate(shares[1 + x])}


def _can_be_completed(target: call_laws.Process, masses: dict[tuple[int, ...], Fraction]) -> bool:
    """Whether some law of the last token makes a call with these masses lossless: a linear program, solved exactly.

    Unknown: the mass of every emitted tuple of up to two tokens, as little of it wanted in vain as possible.
    """
    a = {(): ONE} | masses
    ends = [v for i in range(2) for v in product(range(2), repeat=i)]  # after two accepted tokens the target goes on
    unknown = {key: j for j, key in enumerate((v, x) for v in ends for x in range(2))}
    matrix, bounds = [], []

    def constrain(parts: dict[Any, Fraction], bound: Fraction) -> None:
        matrix.append([parts.get(key, ZERO) for key in unknown])
        bounds.append(bound)

    for v in ends:  # no more can end at v than is accepted there and not accepted further
        constrain({(v, x): ONE for x in range(2)}, a[v] - sum(a[*v, x] for x in range(2)))
    for y in product(range(2), repeat=2):  # no sequence more often than the target allows
        wanted = target(())[y[0]] * target(y[:1])[y[1]]
        if a[y] > wanted:
            return False
        constrain({((), y[0]): target(y[:1])[y[1]], (y[:1], y[1]): ONE}, wanted - a[y])
    # All of what ends at each place must be placed: then everything is equal, for masses add up to one.
    placed = _greatest([ONE] * len(unknown), matrix, bounds)
    return placed == sum((a[v] - sum(a[*v, x] for x in range(2)) for v in ends), ZERO)


@pytest.mark.parametrize("rows", [("1/2 1/2",) * 3, ("1/3 2/3",) * 3, ("1/3 2/3", "1/2 1/2", "1 0"), ("1 0",) * 3])
def test_node_conditions_say_whether_a_law_of_the_last_token_exists(rows: tuple[str, ...]) -> None:
    """For every rule of two drafted tokens with shares from a list: valid iff the linear program is feasible."""
    table = [tuple(map(Fraction, row.split())) for row in rows]
    target = call_laws.by_prefix({(): table[0], (0,): table[1], (1,): table[2]}, table[0])
    verdicts = set()
    for shares in product(SHARES, repeat=3):
        masses = _masses(shares)
        valid = broken_node(target, masses) is None
        assert valid == _can_be_completed(target, masses), shares
        verdicts.add(valid)
        if valid:
            law = as_fractions(completed_law(target, masses, 2))
            assert sum(law.values()) == 1
            completed = call_laws.completed({((), e): m for e, m in law.items()}, target, 3, 2)
            assert completed == call_laws.drafts(target, 3, 2)
    assert verdicts == {True, False}


def _best(target: call_laws.Process, draft: call_laws.Process, gamma: int) -> Fraction:
    """Greatest sum of node masses under a(vx) <= a(v) p(x | v) and a <= Q: a linear program in exact rationals."""
    nodes = [v for i in range(1, gamma + 1) for v in product(range(2), repeat=i)]
    at = {v: j for j, v in enumerate(nodes)}
    matrix, bounds = [], []
    for v in nodes:
        row = [ZERO] * len(nodes)
        row[at[v]] = ONE
        matrix.append(list(row))
        bounds.append(call_laws.drafts(draft, len(v), 2).get(v, ZERO))
        p = target(v[:-1])[v[-1]]
        if len(v) > 1:
            row[at[v[:-1]]] = -p
        matrix.append(row)
        bounds.append(ZERO if len(v) > 1 else p)
    return _greatest([ONE] * len(nodes), matrix, bounds)


@settings(max_examples=25, deadline=None)
@given(st.lists(distributions(vocabulary=2), min_size=6, max_size=6), st.sampled_from([1, 2, 3]))
def test_greatest_masses_solve_the_linear_program(rows: list[Row], gamma: int) -> None:
    """For all Markov pairs with V 2 and gamma 1 to 3: the masses add up to the program's value, and E of blocks."""
    target = call_laws.by_prefix({(): rows[0]}, rows[1])
    draft = call_laws.by_prefix({(): rows[2], (0,): rows[3], (1,): rows[4]}, rows[5])
    masses = greatest_masses(target, draft, gamma)
    found = Fraction(str(sum(masses.values()))) - 1
    assert found == _best(target, draft, gamma) == Fraction(str(block_rule.expected_accepted(target, draft, gamma)))
    assert broken_node(target, masses, draft) is None
    assert completed_law(target, masses, gamma) == block_rule.emitted_law(target, draft, gamma)


@pytest.mark.parametrize("name", PAIRS)
def test_completion_of_the_greatest_masses_is_block_verification(name: str) -> None:
    target, draft, _ = PAIRS[name]
    for gamma in range(4):
        masses = greatest_masses(target, draft, gamma)
        assert completed_law(target, masses, gamma) == block_rule.emitted_law(target, draft, gamma)


def test_token_rule_is_valid_and_greedy_masses_are_not() -> None:
    target, draft, _ = PAIRS["I2"]
    p, q = target(()), draft(())
    chain = {v: Fraction(1) for i in range(3) for v in product(range(2), repeat=i)}
    for v in chain:
        for x in v:
            chain[v] *= min(p[x], q[x])
    assert broken_node(target, chain, draft) is None
    joint = {v: min(p[v[0]] * p[v[1]], q[v[0]] * q[v[1]]) for v in product(range(2), repeat=2)}
    joint |= {(x,): min(p[x], q[x]) for x in range(2)}
    assert broken_node(target, joint, draft) == (1, 0)


def test_broken_node_is_a_shortest_one() -> None:
    assert broken_node(THIRDS, {(1,): "1/2", (0,): "1/2", (1, 1): "1/2"}) == (0,)
    assert broken_node(THIRDS, {(1, 1): "1/9"}) == (1, 1)  # accepted behind what is never accepted
    assert broken_node(HALF, {(0,): "1/2"}, ["1/3", "2/3"]) == (0,)  # more often than it is drafted
    assert broken_node([1, 0], {(1,): 0, (1, 0): 0}) is None
    assert broken_node(HALF, {}) is None
    assert broken_node([1], {(): 1, (0,): 1, (0, 0): 1}, [1]) is None


def test_rows_behind_what_is_not_accepted_may_be_missing() -> None:
    target, draft = {(): HALF, (0,): HALF}, {(): [1, 0], (0,): [1, 0]}
    assert broken_node(target.__getitem__, {(0,): "1/2", (1, 0): 0}, draft.__getitem__) is None
    masses = greatest_masses(target.__getitem__, draft.__getitem__, 2)
    assert masses == {(): 1, (0,): Rational(1, 2), (0, 0): Rational(1, 4)}
    with pytest.raises(NotADistributionError, match=r"target\(\(0, 0\)\) raises KeyError"):
        completed_law(target.__getitem__, masses, 2)


def test_nothing_accepted_is_the_targets_token() -> None:
    assert completed_law(THIRDS, {}, 2) == {(0,): Rational(1, 3), (1,): Rational(2, 3)}
    assert greatest_masses(THIRDS, HALF, 0) == {(): 1}


@pytest.mark.parametrize(
    ("masses", "message"),
    [
        ({(2,): "1/2"}, r"\(2,\) in masses\[0\] = 2 is not a token; expected an integer between 0 and V - 1 = 1"),
        ({(True,): "1/2"}, r"\(True,\) in masses\[0\] = True is not a token"),
        ({0: "1/2"}, r"0 in masses is a int; expected a sequence of tokens from 0 to 1"),
        ([(0,)], "masses is a list; expected a mapping"),
        ({(0,): "-1/2"}, r"masses\[\(0,\)\] = -1/2; expected a probability"),
        ({(0,): "3/2"}, r"masses\[\(0,\)\] = 3/2; expected a probability"),
        ({(): "1/2"}, r"masses\[\(\)\] = 1/2; expected 1"),
        ({(0,): 0.5}, "0.5"),
    ],
)
def test_bad_masses_are_refused(masses: Any, message: str) -> None:
    with pytest.raises(ProofsError, match=message):
        broken_node(HALF, masses)


def test_completion_of_what_is_not_lossless_is_refused() -> None:
    with pytest.raises(ProofsError, match=r"masses\[\(0,\)\] = 1/2 is more than a lossless call can accept there"):
        completed_law(THIRDS, {(0,): "1/2"}, 1)
    with pytest.raises(ProofsError, match="a prefix of 2 tokens; expected at most gamma = 1"):
        completed_law(HALF, {(0,): "1/2", (0, 0): "1/4"}, 1)
    with pytest.raises(ProofsError, match="gamma = -1"):
        greatest_masses(HALF, HALF, -1)
