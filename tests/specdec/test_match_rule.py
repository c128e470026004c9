"""The fast match rule, held to brute force on inputs that floats hold exactly."""

import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from specdec import match_rule
from specdec.errors import NotADistributionError, ShapeError, SpecdecError, TokenError
from specdec.token_rule import maximal_coupling
from tests.match_enumeration import match_acceptance
from tests.specdec.test_token_rule import dyadic_pairs

EPS = float(np.finfo(float).eps)
HALF = [0.5, 0.5]
HOT, OTHER = [1.0, 0.0], [0.0, 1.0]


def _exactly(row: Any) -> tuple[Fraction, ...]:
    return tuple(Fraction(float(x)) for x in row)


@given(dyadic_pairs(), st.integers(0, 3))
@example((HALF, HALF), 0)
@example((HOT, OTHER), 2)
@example(([0.5, 0.5, 0.0], [0.0, 1.0, 0.0]), 3)
def test_acceptance_is_the_mass_of_being_among_the_drafts(pair: tuple[list[float], list[float]], k: int) -> None:
    """For all dyadic p, q and k to 3: within 4 eps of the enumerated mass; exact for k = 1."""
    expected = match_acceptance(_exactly(pair[0]), _exactly(pair[1]), k)
    found = match_rule.acceptance(*pair, k)
    assert abs(Fraction(float(found)) - expected) <= (Fraction(0) if k < 2 else 4 * Fraction(EPS))


@pytest.mark.parametrize("k", [2, 10**6, 10**18, 10**400])
def test_many_drafts_of_a_token_of_small_probability(k: int) -> None:
    """1 - (1 - q)^k without cancellation at q = 2^-60, and 1 where the draft is certain."""
    tiny = 2.0**-60
    found = match_rule.acceptance([0.0, 1.0], [1 - tiny, tiny], k)
    exact_chance = -np.expm1(-float(min(k, 10**300)) * tiny)
    assert found == pytest.approx(exact_chance, rel=1e-12)
    assert match_rule.acceptance([0.0, 1.0], [0.0, 1.0], k) == 1


@given(dyadic_pairs(), st.data())
def test_acceptance_of_a_set_is_its_mass(pair: tuple[list[float], list[float]], data: st.DataObject) -> None:
    """For all dyadic p and tokens, repeats among them: p(S), to the last bit."""
    p = pair[0]
    tokens = data.draw(st.lists(st.integers(0, len(p) - 1), max_size=6))
    assert match_rule.set_acceptance(p, tokens) == sum(p[x] for x in set(tokens))
    assert match_rule.set_acceptance(p, 0) == p[0]


def test_one_token_or_several_for_each_row() -> None:
    p = np.array([[0.5, 0.25, 0.25], [0.0, 0.25, 0.75]])
    assert match_rule.set_acceptance(p, [0, 2]).tolist() == [0.5, 0.75]
    assert match_rule.set_acceptance(p, [[0, 0, 1], [2, 0, 2]]).tolist() == [0.75, 0.75]
    assert match_rule.set_acceptance(p, np.empty((2, 0))).tolist() == [0, 0]
    assert match_rule.set_acceptance(p[None], [[0, 2]]).shape == (1, 2)


def test_path_along_drafted_tokens() -> None:
    target = np.array([[[0.25, 0.75], [0.5, 0.5], [1, 0]], [[0.5, 0.5], [0, 1], [1, 0]]])
    assert match_rule.path_acceptance(target, [[1, 0], [0, 0]]).tolist() == [[0.75, 0.375], [0.5, 0.0]]
    assert match_rule.path_acceptance([[0.5, 0.5]], []).shape == (0,)
    assert match_rule.path_acceptance(np.full((4, 1, 2), 0.5), np.empty((4, 0))).shape == (4, 0)


@given(dyadic_pairs())
def test_coupling_has_the_right_marginals(pair: tuple[list[float], list[float]]) -> None:
    """For all dyadic p, q: rows sum to q, columns to p, the diagonal to the acceptance, to the last bit."""
    joint = match_rule.coupling(*pair)
    assert joint.sum(axis=1).tolist() == pair[1]
    assert joint.sum(axis=0).tolist() == pair[0]
    assert np.trace(joint) == match_rule.acceptance(*pair)


@given(dyadic_pairs())
def test_certain_draft_makes_both_rules_one(pair: tuple[list[float], list[float]]) -> None:
    """For all dyadic p and x: with a draft certain of x both joint laws are one, up to the one division."""
    p = pair[0]
    for x in range(len(p)):
        draft = match_rule.one_hot(x, len(p))
        np.testing.assert_allclose(match_rule.coupling(p, draft), maximal_coupling(p, draft), rtol=0, atol=EPS)
        assert match_rule.acceptance(p, draft) == p[x]


@given(st.lists(st.integers(0, 3), min_size=1, max_size=6), st.data())
def test_greedy_row_breaks_ties_in_the_stated_order(counts: list[int], data: st.DataObject) -> None:
    """For all rows of small multiples and all orders: mass one on the first of the likeliest."""
    weights = np.array(counts, float)
    row = weights / weights.sum() if weights.any() else np.full(len(counts), 1 / len(counts))
    best = [x for x in range(len(row)) if row[x] == row.max()]
    order = data.draw(st.permutations(range(len(row))))
    for ties, token in (("lowest", best[0]), ("highest", best[-1]), (order, min(best, key=order.index))):
        assert match_rule.greedy_row(row, ties).tolist() == match_rule.one_hot(token, len(row)).tolist()


def test_greedy_rows_of_a_batch_keep_their_dtype() -> None:
    rows = np.array([[[0.5, 0.5, 0.0], [0.25, 0.25, 0.5]]], np.float32)
    found = match_rule.greedy_row(rows, "highest")
    assert found.dtype == np.float32
    assert found.tolist() == [[[0, 1, 0], [0, 0, 1]]]
    assert match_rule.greedy_row(np.empty((0, 3))).shape == (0, 3)


def test_one_hot_of_a_batch() -> None:
    assert match_rule.one_hot([[0, 1], [2, 0]], 3).tolist() == [[[1, 0, 0], [0, 1, 0]], [[0, 0, 1], [1, 0, 0]]]
    assert match_rule.one_hot([], 2).shape == (0, 2)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_edges_stay_finite_without_a_warning(dtype: str) -> None:
    """V = 1, one-hot and disjoint rows, subnormals, equal rows: no warning, dtypes kept."""
    edges: list[tuple[Any, Any]] = [
        ([1.0], [1.0]),
        (HOT, OTHER),
        (HOT, HOT),
        (HALF, OTHER),
        ([1.0, 1e-45], [1e-45, 1.0]),
    ]
    with warnings.catch_warnings(), np.errstate(all="raise"):
        warnings.simplefilter("error")
        for pair in edges:
            p, q = (np.array(row, dtype) for row in pair)
            for k in (0, 1, 2, 1000, 10**400):
                found = match_rule.acceptance(p, q, k)
                assert found.dtype == dtype
                assert 0 <= found <= 1
            assert match_rule.coupling(p, q).dtype == dtype
            assert match_rule.set_acceptance(p, [0]).dtype == dtype
            assert match_rule.path_acceptance(np.stack([p, p]), [0]).dtype == dtype


def test_sum_just_above_one_is_taken() -> None:
    row = np.array([1 + 1e-9, 0.0])
    assert match_rule.acceptance(row, row, 3) == pytest.approx(1, abs=1e-8)


def test_batches_are_rows_computed_apart() -> None:
    rng = np.random.default_rng(5)
    p, q = rng.dirichlet(np.ones(7), (2, 5)), rng.dirichlet(np.ones(7), (2, 5))
    for k in (1, 3):
        batch = match_rule.acceptance(p, q, k)
        alone = [match_rule.acceptance(a, b, k) for a, b in zip(p.reshape(-1, 7), q.reshape(-1, 7), strict=True)]
        assert batch.ravel().tolist() == alone


OBJECTS: Any = [Fraction(1)]
REFUSED: dict[str, tuple[Any, type[ValueError], str]] = {
    "negative k": (lambda: match_rule.acceptance(HALF, HALF, -1), SpecdecError, "k = -1; expected a number of drafts"),
    "bool k": (lambda: match_rule.acceptance(HALF, HALF, True), SpecdecError, "k = True is no integer"),
    "shapes": (lambda: match_rule.acceptance(HALF, [1.0]), ShapeError, r"target has shape \(2,\) and draft"),
    "sum": (lambda: match_rule.acceptance(HALF, [0.5, 0.25]), NotADistributionError, "draft sums to 0.75"),
    "token": (lambda: match_rule.set_acceptance(HALF, [0, 2]), TokenError, r"tokens\[1\] = 2 is not a token"),
    "one token": (lambda: match_rule.set_acceptance(HALF, -1), TokenError, r"tokens = -1 is not a token"),
    "leading": (lambda: match_rule.set_acceptance([HALF, HALF], [[0]]), ShapeError, r"tokens has shape \(1, 1\)"),
    "too deep": (lambda: match_rule.set_acceptance(HALF, [[0]]), ShapeError, "one token or k tokens for each row"),
    "float tokens": (lambda: match_rule.set_acceptance(HALF, [0.0]), TokenError, "tokens has dtype float64"),
    "no bonus row": (lambda: match_rule.path_acceptance([HALF], [0]), ShapeError, "one row for each drafted token"),
    "one row": (lambda: match_rule.path_acceptance(HALF, []), ShapeError, "one row for each drafted token"),
    "no axis": (lambda: match_rule.path_acceptance([HALF, HALF], 0), ShapeError, "one row for each drafted token"),
    "one hot": (lambda: match_rule.one_hot(3, 3), TokenError, "token = 3 is not a token"),
    "no tokens": (lambda: match_rule.one_hot(0, 0), SpecdecError, "vocabulary = 0; expected a number of tokens, 1"),
    "unknown ties": (lambda: match_rule.greedy_row(HALF, "first"), SpecdecError, 'expected "lowest", "highest"'),
    "no permutation": (lambda: match_rule.greedy_row(HALF, [0, 0]), SpecdecError, "does not name each of the V = 2"),
    "ties of a number": (lambda: match_rule.greedy_row(HALF, 0), SpecdecError, "does not name each of the V = 2"),
    "objects": (lambda: match_rule.greedy_row(OBJECTS), NotADistributionError, "row has dtype object"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_bad_argument_is_refused(kind: str) -> None:
    call, error, words = REFUSED[kind]
    with pytest.raises(error, match=words):
        call()
