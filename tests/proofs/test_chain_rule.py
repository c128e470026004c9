"""The exact laws of a chain, held to an enumeration that shares no code with them, and to the law of the samplers."""

from collections.abc import Callable
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sympy import Rational

import proofs
from proofs.chain_rule import (
    accepted_law,
    block_efficiency,
    emitted_law,
    expected_accepted,
    path_law,
    prefix_probability,
)
from proofs.errors import InexactError, NotADistributionError, ProofsError, ShapeError
from proofs.strategies import distributions, pairs
from specdec.sampling import verify
from tests.chain_enumeration import CHAINS, Rows, always, call_law, chances_along, first_tokens, kept_law
from tests.enumeration import NAMED, Row
from tests.verifiers.chains import scalar_loop

I2, I5, B0 = NAMED["I2"], NAMED["I5"], NAMED["B0"]
HALF = ["1/2", "1/2"]


def _exact(row: Any) -> tuple[Rational, ...]:
    return tuple(map(proofs.exact, row))


def _exact_law(law: dict[Any, Fraction]) -> dict[Any, Rational]:
    return {block: proofs.exact(mass) for block, mass in law.items()}


# name: (E[kept] for gamma of 1 to 3, law of the number kept for gamma of 2), by tests.chain_enumeration
GOLDEN: dict[str, tuple[list[str], list[str]]] = {
    "I2": (["2/3", "10/9", "38/27"], ["1/3", "2/9", "4/9"]),
    "I3": (["2/3", "10/9", "38/27"], ["1/3", "2/9", "4/9"]),
    "I5": (["3/5", "24/25", "147/125"], ["2/5", "6/25", "9/25"]),
    "B0": (["5/8", "65/64", "645/512"], ["3/8", "15/64", "25/64"]),
    "R3": (["3/8", "33/64", "291/512"], ["5/8", "15/64", "9/64"]),
    "M2": (["3/4", "61/48", "469/288"], ["1/4", "11/48", "25/48"]),
    "M3": (["5/8", "35/32", "547/384"], ["3/8", "5/32", "15/32"]),
    "parity": (["8/15", "19/20", "889/720"], ["7/15", "7/60", "5/12"]),
    "equal": (["1", "2", "3"], ["0", "0", "1"]),
    "disjoint": (["0", "0", "0"], ["1", "0", "0"]),
    "one-hot target": (["1/3", "4/9", "13/27"], ["2/3", "2/9", "1/9"]),
    "one-hot draft": (["1/2", "3/4", "7/8"], ["1/2", "1/4", "1/4"]),
    "single": (["1", "2", "3"], ["0", "0", "1"]),
}
BLOCKS = {
    ("B0", 1): {
        (1,): "1/8", (2,): "1/4", (0, 0): "1/64", (0, 1): "3/64", (0, 2): "1/16", (1, 0): "1/32", (1, 1): "3/32",
        (1, 2): "1/8", (2, 0): "1/32", (2, 1): "3/32", (2, 2): "1/8",
    },
    ("M2", 2): {
        (1,): "1/4", (0, 1): "1/16", (0, 0, 0): "1/16", (0, 0, 1): "1/16", (0, 1, 1): "1/16", (1, 1): "1/6",
        (1, 1, 1): "1/3",
    },
    ("M3", 1): {
        (1,): "1/8", (2,): "1/4", (0, 0): "1/16", (0, 1): "1/32", (0, 2): "1/32", (1, 0): "1/8", (1, 1): "1/8",
        (2, 0): "1/24", (2, 1): "1/12", (2, 2): "1/8",
    },
}  # fmt: skip


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_values(name: str) -> None:
    _, target, draft = CHAINS[name]
    expected, law = GOLDEN[name]
    assert [expected_accepted(target, draft, gamma) for gamma in (1, 2, 3)] == list(_exact(expected))
    assert accepted_law(target, draft, 2) == _exact(law)
    assert block_efficiency(target, draft, 2) == proofs.exact(expected[1]) + 1


@pytest.mark.parametrize(("name", "gamma"), BLOCKS)
def test_golden_blocks(name: str, gamma: int) -> None:
    _, target, draft = CHAINS[name]
    assert emitted_law(target, draft, gamma) == {block: proofs.exact(m) for block, m in BLOCKS[name, gamma].items()}


@pytest.mark.parametrize("gamma", range(4))
@pytest.mark.parametrize("name", CHAINS)
def test_laws_of_chains_are_the_enumerated_ones(name: str, gamma: int) -> None:
    size, target, draft = CHAINS[name]
    if size**gamma > 200:
        pytest.skip("many blocks, and fewer tokens show the same")
    law = call_law(size, target, draft, gamma)
    assert emitted_law(target, draft, gamma) == _exact_law(law)
    kept = kept_law(size, target, draft, gamma)
    assert accepted_law(target, draft, gamma) == _exact(kept)
    assert expected_accepted(target, draft, gamma) == sum(i * chance for i, chance in enumerate(_exact(kept)))
    for length in range(gamma + 3):
        for prefix in product(range(size), repeat=length):
            assert prefix_probability(target, draft, gamma, prefix) == proofs.exact(first_tokens(law, prefix))


@pytest.mark.parametrize("name", CHAINS)
def test_law_of_a_path_is_the_enumerated_one(name: str) -> None:
    """For all drafted tokens, those that no draft proposes too."""
    size, target, draft = CHAINS[name]
    gamma = 2
    for tokens in product(range(size), repeat=gamma):
        rows = [target(tokens[:i]) for i in range(gamma + 1)], [draft(tokens[:i]) for i in range(gamma)]
        stops, last = path_law(*rows, tokens)
        assert stops == _exact(chances_along(target, draft, tokens))
        assert last[-1] == _exact(rows[0][-1])
        for i in range(gamma):
            assert last[i] == proofs.residual_distribution(rows[0][i], rows[1][i])


@given(pairs(), st.integers(0, 3))
def test_one_row_for_every_prefix_is_a_callable_that_returns_it(pair: tuple[Row, Row], gamma: int) -> None:
    """For all p, q and gamma: the powers of alpha are what going through all prefixes gives."""
    rows = always(pair[0]), always(pair[1])
    gamma = min(gamma, 2) if len(pair[0]) > 4 else gamma
    assert accepted_law(*pair, gamma) == accepted_law(*rows, gamma)
    assert (
        expected_accepted(*pair, gamma)
        == expected_accepted(*rows, gamma)
        == expected_accepted(*pair[:1], rows[1], gamma)
    )
    assert sum(emitted_law(*pair, gamma).values()) == 1


@st.composite
def _chains(draw: st.DrawFn) -> tuple[int, Rows, Rows]:
    size = draw(st.integers(1, 3))
    tables = [[draw(distributions(vocabulary=size)) for _ in range(size + 1)] for _ in range(2)]
    target, draft = ((lambda prefix, rows=rows: rows[prefix[-1] + 1 if prefix else 0]) for rows in tables)
    return size, target, draft


@given(_chains(), st.integers(0, 2))
def test_chain_of_any_rows_is_the_enumerated_one(chain: tuple[int, Rows, Rows], gamma: int) -> None:
    """For all first-order target and draft over 1 to 3 tokens and gamma up to 2: law, accepted law, expectation."""
    size, target, draft = chain
    assert emitted_law(target, draft, gamma) == _exact_law(call_law(size, target, draft, gamma))
    law = accepted_law(target, draft, gamma)
    assert law == _exact(kept_law(size, target, draft, gamma))
    assert expected_accepted(target, draft, gamma) == sum(i * chance for i, chance in enumerate(law))


@given(_chains(), st.integers(0, 2))
def test_paths_average_to_the_law(chain: tuple[int, Rows, Rows], gamma: int) -> None:
    """For all first-order target and draft: the law of a call is that of its paths, weighted by the draft."""
    size, target, draft = chain
    law: dict[tuple[int, ...], Rational] = {}
    for tokens in product(range(size), repeat=gamma):
        rows = [target(tokens[:i]) for i in range(gamma + 1)], [draft(tokens[:i]) for i in range(gamma)]
        drafted = Rational(1)
        for row, token in zip(rows[1], tokens, strict=True):
            drafted *= proofs.exact(row[token])
        for kept, (chance, last) in enumerate(zip(*path_law(*rows, tokens), strict=True)):
            for token, share in enumerate(last):
                block = (*tokens[:kept], token)
                law[block] = law.get(block, 0) + drafted * chance * share
    assert emitted_law(target, draft, gamma) == {block: mass for block, mass in law.items() if mass}


def test_tokens_given_their_number_do_not_have_the_law_of_the_target() -> None:
    """A common belief: p = (1/2, 1/2), q = (9/10, 1/10), gamma 1: given two tokens the first is 0 with 5/6."""
    law = emitted_law(HALF, ["9/10", "1/10"], 1)
    two = {block: mass for block, mass in law.items() if len(block) == 2}
    assert sum(mass for block, mass in two.items() if block[0] == 0) / sum(two.values()) == Rational(5, 6)


def _drafting(call: Callable[..., Any], target: Rows, draft: Rows, gamma: int, number: Any) -> Callable[[Any], Any]:
    """A program that drafts from the rows and lets a verifier decide."""

    def row(values: Row) -> list[Any]:
        return [number(value) for value in values]

    def program(rng: Any) -> tuple[int, ...]:
        tokens: tuple[int, ...] = ()
        for _ in range(gamma):
            tokens = (*tokens, int(rng.choice(len(draft(tokens)), p=row(draft(tokens)))))
        rows = [row(target(tokens[:i])) for i in range(gamma + 1)], [row(draft(tokens[:i])) for i in range(gamma)]
        return tuple(call(*rows, tokens, rng))

    return program


@pytest.mark.parametrize(
    ("name", "gamma"), [("I2", 2), ("B0", 1), ("M2", 2), ("parity", 2), ("disjoint", 2), ("I5", 0)]
)
def test_engine_finds_the_law_in_a_sampler(name: str, gamma: int) -> None:
    """A sampler in plain Python, run on fractions."""
    _, target, draft = CHAINS[name]
    found = proofs.law(_drafting(scalar_loop, target, draft, gamma, Fraction))
    assert not found.missing
    assert _exact_law(dict(found)) == emitted_law(target, draft, gamma)


# Residuals and ratios of these rows are dyadic, so that floats hold them exactly.
DYADIC: tuple[Rows, Rows] = (
    lambda prefix: tuple(Fraction(k, 4) for k in ((1, 2, 1), (2, 1, 1), (0, 2, 2), (1, 1, 2))[len(prefix)]),
    lambda prefix: tuple(Fraction(k, 8) for k in ((4, 2, 2), (2, 4, 2), (2, 2, 4))[sum(prefix) % 3]),
)


@pytest.mark.parametrize("gamma", [0, 1, 2])
def test_engine_finds_the_law_in_the_sampler_of_the_fast_package(gamma: int) -> None:
    """`specdec.sampling.verify` as it rounds: here nothing does."""
    target, draft = DYADIC
    program = _drafting(
        lambda p, q, x, rng: verify(np.array(p), np.array(q), list(x), rng), target, draft, gamma, float
    )
    found = proofs.law(program, arithmetic="float64")
    assert not found.missing
    assert _exact_law(dict(found)) == emitted_law(target, draft, gamma)


def test_only_rows_that_are_reached_are_asked_for() -> None:
    """Token 1 is never kept at the first place, and rows after gamma tokens are for the bonus alone."""
    target = {(): [1, 0], (0,): HALF}.__getitem__
    draft = {(): HALF, (0,): HALF}.__getitem__
    assert expected_accepted(target, draft, 2) == Rational(1)
    assert accepted_law(target, draft, 2) == (Rational(1, 2), 0, Rational(1, 2))
    assert prefix_probability(target, draft, 2, (1, 1)) == 0
    with pytest.raises(NotADistributionError, match=r"target\(\(0, 0\)\) raises KeyError; expected a row"):
        emitted_law(target, draft, 2)
    with pytest.raises(NotADistributionError, match=r"draft\(\(0, 0\)\) raises KeyError"):
        expected_accepted({(): [1, 0], (0,): HALF, (0, 0): HALF, (0, 1): HALF}.__getitem__, draft, 3)


def test_empty_prefix_and_one_beyond_the_block() -> None:
    assert prefix_probability(*I2, 1, ()) == 1
    assert prefix_probability(*I2, 1, [0, 0, 0]) == 0
    assert prefix_probability(*I2, 1, np.array([1, 1])) == Rational(2, 9)


def test_long_chains_of_one_row_take_no_time() -> None:
    assert expected_accepted(*I2, 400) == sum(Rational(2, 3) ** i for i in range(1, 401))
    assert accepted_law(*I2, 400)[-1] == Rational(2, 3) ** 400


def test_results_are_rationals_and_blocks_come_by_length() -> None:
    law = emitted_law(*B0, 2)
    assert [len(block) for block in law] == sorted(map(len, law))
    assert all(isinstance(mass, Rational) and mass > 0 for mass in law.values())
    assert all(type(token) is int for block in law for token in block)
    assert sum(law.values()) == 1
    assert isinstance(expected_accepted(*B0, 0), Rational)


def test_path_of_no_tokens_is_the_bonus() -> None:
    empty: list[Any] = [[], (), np.empty((0, 2))]
    for draft in empty:
        assert path_law([HALF], draft, []) == ((1,), (_exact(HALF),))


def test_token_without_target_mass_is_never_kept() -> None:
    """Nor one that neither model wants; one that the draft cannot draw is kept if the target wants it."""
    target, draft = ["1/2", "1/2", 0, 0], ["1/2", 0, "1/2", 0]
    for token, keep in enumerate((1, 1, 0, 0)):
        assert path_law([target, target], [draft], [token]).stops == (1 - keep, keep)


@pytest.mark.parametrize("law", [expected_accepted, emitted_law, accepted_law, block_efficiency])
@pytest.mark.parametrize(
    ("target", "draft", "gamma", "error", "words"),
    [
        (HALF, HALF, -1, ProofsError, "gamma = -1; expected a number of drafted tokens, 0 or more"),
        (HALF, HALF, 1.0, ProofsError, "gamma = 1.0 is no integer"),
        (HALF, HALF, True, ProofsError, "gamma = True is no integer"),
        ([0.5, 0.5], HALF, 1, InexactError, r"target\[0\]: 0.5"),
        (HALF, ["1/2", "1/3"], 1, NotADistributionError, "draft sums to 5/6"),
        (HALF, ["1/2", "1/4", "1/4"], 1, ShapeError, "draft has 3 tokens; expected 2"),
        (
            HALF,
            lambda prefix: ["1/2", "-1/2", 1] if prefix else HALF,
            2,
            NotADistributionError,
            r"draft\(\(0,\)\)\[1\]",
        ),
    ],
)
def test_bad_process_is_refused(law: Any, target: Any, draft: Any, gamma: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        law(target, draft, gamma)


@pytest.mark.parametrize(
    ("prefix", "words"),
    [
        ((0, 2), r"prefix\[1\] = 2 is not a token; expected an integer between 0 and V - 1 = 1"),
        ((-1,), r"prefix\[0\] = -1"),
        ((True,), r"prefix\[0\] = True"),
        (("0",), r"prefix\[0\] = 0 is not a token"),
        ((0, 0, 0, 7), r"prefix\[3\] = 7"),
        (0, "prefix is a int; expected a sequence of tokens"),
        ("01", "prefix is a str; expected a sequence of tokens"),
        ({0, 1}, "prefix is a set; expected a sequence of tokens"),
    ],
)
def test_prefix_of_what_is_no_token_is_refused(prefix: Any, words: str) -> None:
    with pytest.raises(ProofsError, match=words):
        prefix_probability(*I2, 1, prefix)


@pytest.mark.parametrize(
    ("target", "draft", "tokens", "error", "words"),
    [
        ([HALF], [HALF], [0], ShapeError, "target has 1 rows and draft has 1 for 1 tokens; expected 2 and 1"),
        ([HALF, HALF], [], [0], ShapeError, "draft has 0 for 1"),
        ([HALF, HALF], [HALF], [], ShapeError, "draft has 1 for 0 tokens"),
        ([], [], [], ShapeError, "target has 0 rows"),
        ([HALF, [1]], [HALF], [0], ShapeError, r"target\[1\] has 1 tokens; expected 2"),
        ([HALF, HALF], [[1]], [0], ShapeError, r"draft\[0\] has 1 tokens; expected 2"),
        ([HALF, HALF], [["1/2", "1/3"]], [0], NotADistributionError, r"draft\[0\] sums to 5/6"),
        ([HALF, [0.5, 0.5]], [HALF], [0], InexactError, r"target\[1\]\[0\]: 0.5"),
        ([HALF, HALF], [HALF], [2], ProofsError, r"tokens\[0\] = 2 is not a token"),
        ([HALF, HALF], [HALF], [0.0], ProofsError, r"tokens\[0\] = 0.0 is not a token"),
        (HALF, [], [], NotADistributionError, r"target\[0\] is a str"),
        (None, [], [], ShapeError, "target is a NoneType"),
    ],
)
def test_bad_path_is_refused(target: Any, draft: Any, tokens: Any, error: Any, words: str) -> None:
    with pytest.raises(error, match=words):
        path_law(target, draft, tokens)


@pytest.mark.parametrize("gamma", range(4))
@pytest.mark.parametrize("name", ["I2", "I3", "I5", "B0"])
def test_verdict_on_a_sampler_has_the_acceptance_of_the_formula(name: str, gamma: int) -> None:
    """The engine's E[tau] of a sampler in plain Python."""
    verdict = proofs.check(scalar_loop, gamma=gamma, arithmetic="exact", inputs=[NAMED[name]], paths=0)
    assert verdict.status == "lossless"
    (seen,) = verdict.acceptance
    assert proofs.exact(seen.expected) == expected_accepted(*NAMED[name], gamma)


@pytest.mark.parametrize(("gamma", "vocabulary"), [((0, 1, 2, 3), 2), ((0, 1, 2), 3), ((0, 1), 4)])
def test_sampler_of_the_fast_package_is_lossless(gamma: tuple[int, ...], vocabulary: int) -> None:
    """On the whole core battery, as it rounds in float64."""
    verdict = proofs.check(verify, gamma=gamma, vocabulary=vocabulary, arithmetic="float64", paths=0)
    assert verdict.status == "lossless", verdict.reason


@pytest.mark.heavy
@pytest.mark.parametrize("call", [verify, scalar_loop])
def test_samplers_are_lossless_on_longer_blocks(call: Any) -> None:
    arithmetic = "float64" if call is verify else "exact"
    verdict = proofs.check(call, gamma=(0, 1, 2, 3), vocabulary=(2, 3, 4), arithmetic=arithmetic, paths=2000)
    assert verdict.status == "lossless", verdict.reason
