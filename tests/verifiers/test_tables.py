"""The tables against enumeration (exactly) and against seeded draws (gross errors only)."""

from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest
from numpy.random import Generator

from tests.verifiers import (
    CONTROLS,
    FAULTS,
    SIBLING_CONTROLS,
    SIBLING_FAULTS,
    Control,
    Fault,
    SiblingControl,
    SiblingFault,
)
from tests.verifiers.exact_kinds import CHAINS
from tests.verifiers.exact_laws import completed, first_token, rows_by_prefix, total_variation
from tests.verifiers.exact_siblings import SIBLINGS, sibling_law
from tests.verifiers.faults import KINDS, SIBLING_KINDS, Kind
from tests.verifiers.records import B0, I2, I3, I5, Array, Row, Rows, row

DRAWS = 300
MOVING = (B0[0], row("1/2 1/4 1/4"), row("1/4 1/4 1/2"))
EDGES: dict[str, tuple[Row, Row]] = {
    "disjoint": (row("0 1 0"), row("1/2 0 1/2")),
    "equal": (row("1/4 1/2 1/4"), row("1/4 1/2 1/4")),
    "one-hot target": (row("0 1 0"), row("1/4 1/2 1/4")),
    "one-hot draft": (row("1/4 1/2 1/4"), row("0 0 1")),
    "both one-hot": (row("0 0 1"), row("0 0 1")),
    "unseen by the draft": (row("1/2 1/4 1/4"), row("1/4 3/4 0")),
    "impossible token": (row("0 1/4 3/4"), row("1/2 1/4 1/4")),
    "one token": (row("1"), row("1")),
}
# rows that sum to one only within rounding, p < q by the last place: the residual has no mass
NEARLY = (np.array([0.1, 0.2, 0.7]), np.array([np.nextafter(0.1, 1), 0.2, 0.7]))


class EdgeCoins(np.random.Generator):
    """Every uniform is the least, or the greatest, that float64 gives."""

    def __init__(self, value: float) -> None:
        super().__init__(np.random.PCG64(1))
        self.value = value

    def random(self, size: Any = None, dtype: Any = np.float64, out: Any = None) -> Any:
        value = min(self.value, 1 - 2.0**-24) if dtype is np.float32 else self.value
        return dtype(value) if size is None else np.full(size, value, dtype)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        return self.random(size)


@cache
def _floats(rows: tuple[Row, ...]) -> Array:
    return np.array([[float(x) for x in r] for r in rows])


def sources() -> list[Generator]:
    return [EdgeCoins(0.0), EdgeCoins(float(np.nextafter(1, 0))), *map(np.random.default_rng, range(4))]


def floats(*rows: Row) -> Array:
    return _floats(rows).copy()  # some verifiers change what they are given


def call(
    verify: Callable[..., Any], target: Rows, draft: Rows, gamma: int, drafter: Any, rng: Generator
) -> tuple[int, ...]:
    """Drafts token by token, calls the verifier and takes the padding off."""
    p, q = rows_by_prefix(target), rows_by_prefix(draft)
    prefix: tuple[int, ...] = ()
    for _ in range(gamma):
        r = floats(q(prefix))[0]
        x = drafter(prefix, r, rng) if drafter else int((np.cumsum(r) > rng.random()).argmax())
        prefix = (*prefix, int(x))
    ps = floats(*(p(prefix[:i]) for i in range(gamma + 1)))
    qs = floats(*(q(prefix[:i]) for i in range(gamma))) if gamma else np.zeros((0, ps.shape[1]))
    emitted = tuple(int(y) for y in verify(ps, qs, np.array(prefix, dtype=np.int64), rng))
    kept = tuple(y for y in emitted if y >= 0)
    assert emitted[: len(kept)] == kept, "padding before a token"
    assert 1 <= len(kept) <= gamma + 1
    return kept


def close(seen: Counter[tuple[int, ...]], expected: dict[tuple[int, ...], Fraction]) -> bool:
    """Pearson's statistic, rare cells taken together; an outcome of probability zero is never close."""
    draws = seen.total()
    cells = [(seen[o], float(w) * draws) for o, w in expected.items()]
    rare = [c for c in cells if c[1] < 5]
    cells = [c for c in cells if c[1] >= 5] + [(sum(c[0] for c in rare), sum(c[1] for c in rare) + 1e-3)]
    statistic = sum((o - e) ** 2 / e for o, e in cells)
    return seen.keys() <= expected.keys() and statistic < len(cells) + 6 * np.sqrt(2 * len(cells)) + 6


def extended(emitted: tuple[int, ...], target: Rows, length: int, rng: Generator) -> tuple[int, ...]:
    while len(emitted) < length:
        cdf = np.cumsum(floats(rows_by_prefix(target)(emitted))[0])
        emitted = (*emitted, int((cdf > rng.random()).argmax()))
    return emitted


def test_the_names_are_unique_and_every_kind_has_a_law_and_a_spelling() -> None:
    for table in (CONTROLS, FAULTS, SIBLING_CONTROLS, SIBLING_FAULTS):
        names = [line.name for line in table]
        assert len(set(names)) == len(names)
    assert {f.kind for f in FAULTS} == KINDS.keys() <= CHAINS.keys()
    assert {f.kind for f in SIBLING_FAULTS} == SIBLING_KINDS.keys() <= SIBLINGS.keys()


@pytest.mark.parametrize("name", KINDS)
def test_the_printed_law_and_distance_are_those_of_the_enumeration(name: str) -> None:
    kind: Kind = KINDS[name]
    p, q = rows_by_prefix(kind.target), rows_by_prefix(kind.draft)
    law = CHAINS[name](p, q, kind.gamma)
    assert sum(law.values()) == 1
    assert first_token(law, len(p(()))) == kind.law
    assert total_variation(law, p, kind.gamma + 1) == kind.total_variation > 0


@pytest.mark.parametrize("name", SIBLING_KINDS)
def test_the_printed_sibling_law_is_that_of_the_enumeration(name: str) -> None:
    kind = SIBLING_KINDS[name]
    law = sibling_law(name, kind.target, kind.draft, kind.k, kind.replacement)
    assert law == kind.law
    assert sum(abs(a - b) for a, b in zip(law, kind.target, strict=True)) / 2 == kind.total_variation > 0


@pytest.mark.parametrize("rule", ["token rule", "block rule"])
@pytest.mark.parametrize("pair", [I2, I3, I5, B0, *EDGES.values()])
def test_the_enumeration_finds_the_right_rules_lossless(rule: str, pair: tuple[Row, Row]) -> None:
    p, q = rows_by_prefix((pair[0],)), rows_by_prefix((pair[1],))
    for gamma in (0, 1, 2) if rule == "token rule" else (1, 2):
        assert total_variation(CHAINS[rule](p, q, gamma), p, gamma + 1) == 0


@pytest.mark.parametrize(
    ("rule", "replacement"), [("with replacement", True), ("without replacement", False), ("K-SEQ", True)]
)
@pytest.mark.parametrize("pair", [I2, I3, I5, B0])
def test_the_enumeration_finds_the_right_sibling_rules_lossless(
    rule: str, replacement: bool, pair: tuple[Row, Row]
) -> None:
    assert all(sibling_law(rule, *pair, k, replacement) == pair[0] for k in (1, 2))


def test_close_refuses_another_law_and_an_impossible_outcome() -> None:
    target: dict[tuple[int, ...], Fraction] = {(y,): m for y, m in enumerate(B0[0])}
    assert close(Counter({(0,): 50, (1,): 150, (2,): 200}), target)
    assert not close(Counter({(0,): 200, (1,): 100, (2,): 100}), target)
    assert not close(Counter({(0,): 50, (1,): 150, (2,): 199, (3,): 1}), target)


@pytest.mark.parametrize(("rule", "accepted"), [("token rule", "24/25"), ("block rule", "103/100")])
def test_the_enumeration_accepts_as_many_tokens_as_the_rules_say(rule: str, accepted: str) -> None:
    law = CHAINS[rule](rows_by_prefix((I5[0],)), rows_by_prefix((I5[1],)), 2)
    assert sum(w * (len(o) - 1) for o, w in law.items()) == Fraction(accepted)


@pytest.mark.parametrize("fault", FAULTS, ids=lambda f: f.name)
def test_a_fault_draws_from_its_law(fault: Fault) -> None:
    rng = np.random.default_rng(1)
    expected = CHAINS[fault.kind](rows_by_prefix(fault.target), rows_by_prefix(fault.draft), fault.gamma)
    line = (fault.verify, fault.target, fault.draft, fault.gamma, fault.drafter, rng)
    assert close(Counter(call(*line) for _ in range(DRAWS)), expected)


def test_the_float_boundary_shows_at_a_coin_of_zero_alone() -> None:
    (fault,) = (f for f in FAULTS if f.kind == "boundary kept, float64")
    line = (fault.verify, fault.target, fault.draft, fault.gamma, None)
    assert call(*line, EdgeCoins(0.0))[0] == 0
    assert call(*line, EdgeCoins(2.0**-53)) == (1,)


@pytest.mark.parametrize("control", CONTROLS, ids=lambda c: c.name)
@pytest.mark.parametrize("gamma", [0, 1, 2])
def test_a_control_draws_from_the_target(control: Control, gamma: int) -> None:
    rng = np.random.default_rng(2)
    line = (control.verify, MOVING[: gamma + 1], (B0[1], row("1/8 3/8 1/2")), gamma, control.drafter, rng)
    seen = Counter(extended(call(*line), MOVING, gamma + 1, rng) for _ in range(DRAWS))
    assert gamma in control.gamma
    assert close(seen, completed({(): Fraction(1)}, rows_by_prefix(MOVING), gamma + 1))


@pytest.mark.parametrize("control", CONTROLS, ids=lambda c: c.name)
def test_a_control_keeps_to_possible_tokens_at_every_edge(control: Control) -> None:
    for edge, gamma, rng in product(EDGES, control.gamma, sources()):
        p, q = EDGES[edge]
        emitted = call(control.verify, (p,), (q,), gamma, control.drafter, rng)
        assert all(p[y] for y in emitted), (edge, gamma, emitted)


@pytest.mark.parametrize("control", CONTROLS, ids=lambda c: c.name)
def test_a_control_survives_a_residual_without_mass(control: Control) -> None:
    p, q = NEARLY
    for tokens in np.ndindex(3, 3):
        out = control.verify(np.tile(p, (3, 1)), np.tile(q, (2, 1)), np.array(tokens), EdgeCoins(np.nextafter(1, 0)))
        assert all(-1 <= y < 3 for y in out)


def siblings_of(line: SiblingControl | SiblingFault, q: Row, k: int, rng: Generator) -> Array:
    r = floats(q)[0]
    if line.drafter:
        return np.array(line.drafter(r, k, rng), dtype=np.int64)
    return rng.choice(len(r), size=k, replace=line.replacement, p=r)


def sibling_draws(
    line: SiblingControl | SiblingFault, pair: tuple[Row, Row], k: int, rng: Generator
) -> Counter[tuple[int, ...]]:
    p, q = floats(pair[0])[0], floats(pair[1])[0]
    calls = (line.verify(p.copy(), q.copy(), siblings_of(line, pair[1], k, rng), rng) for _ in range(DRAWS))
    return Counter((int(y),) for y in calls)


@pytest.mark.parametrize("fault", SIBLING_FAULTS, ids=lambda f: f.name)
def test_a_sibling_fault_draws_from_its_law(fault: SiblingFault) -> None:
    seen = sibling_draws(fault, (fault.target, fault.draft), fault.k, np.random.default_rng(3))
    assert close(seen, {(y,): m for y, m in enumerate(fault.law) if m})


@pytest.mark.parametrize("control", SIBLING_CONTROLS, ids=lambda c: c.name)
@pytest.mark.parametrize(("pair", "k"), [(B0, 1), (B0, 2), (I5, 3)])
def test_a_sibling_control_draws_from_the_target(control: SiblingControl, pair: tuple[Row, Row], k: int) -> None:
    seen = sibling_draws(control, pair, k, np.random.default_rng(4))
    assert close(seen, {(y,): m for y, m in enumerate(pair[0])})


@pytest.mark.parametrize("control", SIBLING_CONTROLS, ids=lambda c: c.name)
def test_a_sibling_control_keeps_to_possible_tokens_at_every_edge(control: SiblingControl) -> None:
    for edge, k, rng in product(EDGES, (1, 2, 3), sources()):
        p, q = EDGES[edge]
        if control.replacement or k <= (len(p) if control.drafter else sum(m > 0 for m in q)):
            tokens = siblings_of(control, q, k, np.random.default_rng(5))
            assert p[int(control.verify(floats(p)[0], floats(q)[0], tokens, rng))] > 0, (edge, k)
