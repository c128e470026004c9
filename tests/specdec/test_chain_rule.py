"""The fast law along a drafted path, held to an enumeration on fractions and to the token rule's own rows."""

from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import specdec
from specdec.chain_rule import path_law
from specdec.errors import NotADistributionError, ShapeError, TokenError
from specdec.sampling import verify
from tests.chain_enumeration import CHAINS, chances_along
from tests.enumeration import scripted_law

EPS = {dtype: float(np.finfo(dtype).eps) for dtype in ("float32", "float64")}
ROW = [0.5, 0.5]


def _rows(calls: tuple[int, ...], gamma: int, size: int, dtype: str, seed: int = 0) -> tuple[Any, Any, Any]:
    rng = np.random.default_rng(seed)
    target, draft = (rng.dirichlet(np.full(size, 0.5), (*calls, n)).astype(dtype) for n in (gamma + 1, gamma))
    return target, draft, rng.integers(0, size, (*calls, gamma))


@pytest.mark.parametrize("dtype", EPS)
@pytest.mark.parametrize("name", CHAINS)
def test_path_is_the_enumerated_one(name: str, dtype: str) -> None:
    """For all drafted tokens: within a few eps, though the rows are rounded first."""
    size, target, draft = CHAINS[name]
    gamma = 2
    for tokens in product(range(size), repeat=gamma):
        p = np.array([target(tokens[:i]) for i in range(gamma + 1)], dtype)
        q = np.array([draft(tokens[:i]) for i in range(gamma)], dtype)
        stops, last = path_law(p, q, tokens)
        wanted = np.array(chances_along(target, draft, tokens), float)
        assert np.abs(stops - wanted).max() <= 8 * EPS[dtype]
        assert ((wanted == 0) <= (stops <= EPS[dtype])).all()
        assert stops.dtype == last.dtype == dtype
        assert (last[:-1] == specdec.residual_distribution(p[:-1], q)).all()
        assert (last[-1] == p[-1]).all()


@given(st.integers(0, 3), st.data())
def test_path_of_dyadic_rows_is_exact_where_ratios_are(gamma: int, data: st.DataObject) -> None:
    """For all rows k/8 whose drafted tokens have draft probability 2^-j: the stops are exact."""
    size = 4
    counts = st.lists(st.integers(0, 8), min_size=size - 1, max_size=size - 1).map(sorted)
    cuts = [[0, *data.draw(counts), 8] for _ in range(gamma + 1)]
    target = [[Fraction(b - a, 8) for a, b in pairwise(edges)] for edges in cuts]
    draft = [[Fraction(k, 8) for k in data.draw(st.permutations((1, 1, 2, 4)))] for _ in range(gamma)]
    tokens = tuple(data.draw(st.lists(st.integers(0, size - 1), min_size=gamma, max_size=gamma)))
    stops, _ = path_law(np.array(target, float), np.array(draft, float).reshape(gamma, size), tokens)
    wanted = chances_along(lambda prefix: tuple(target[len(prefix)]), lambda prefix: tuple(draft[len(prefix)]), tokens)
    assert [Fraction(float(chance)) for chance in stops] == wanted


@pytest.mark.parametrize(
    ("calls", "gamma", "size"),
    [((), 0, 3), ((), 3, 1), ((5,), 2, 3), ((2, 3), 4, 7), ((700,), 3, 16), ((3,), 5, 4000), ((2,), 3, 20_000)],
)
@pytest.mark.parametrize("dtype", EPS)
def test_batch_is_call_after_call(calls: tuple[int, ...], gamma: int, size: int, dtype: str) -> None:
    """For any leading axes, and rows that blocks cut anywhere."""
    target, draft, tokens = _rows(calls, gamma, size, dtype)
    stops, last = path_law(target, draft, tokens)
    assert stops.shape == (*calls, gamma + 1)
    assert last.shape == target.shape
    for at in list(np.ndindex(calls))[:: max(1, len(tokens) // 7)] or [()]:
        alone = path_law(target[at], draft[at], tokens[at])
        assert (stops[at] == alone.stops).all()
        assert (last[at] == alone.last).all()
    assert (last[..., :-1, :] == specdec.residual_distribution(target[..., :-1, :], draft)).all()
    assert (last[..., -1, :] == target[..., -1, :]).all()
    assert np.abs(stops.sum(axis=-1) - 1).max() <= 4 * (gamma + 1) * EPS[dtype]
    given_out = np.full_like(target, np.nan)
    again = path_law(target, draft, tokens, out=given_out)
    assert again.last is given_out
    assert (given_out == last).all()


def test_no_calls_at_all() -> None:
    stops, last = path_law(np.empty((0, 3, 4)), np.empty((0, 2, 4)), np.empty((0, 2), int))
    assert (stops.shape, last.shape) == ((0, 3), (0, 3, 4))


def test_sampler_has_the_law_of_the_path() -> None:
    """`specdec.sampling.verify` over every coin of a grid that the ratios lie on."""
    target = np.array([[1 / 8, 3 / 8, 1 / 2], [1 / 2, 1 / 4, 1 / 4], [1, 0, 0]])
    draft, tokens = np.array([[0.5, 0.25, 0.25]] * 2), [0, 2]
    stops, last = path_law(target, draft, tokens)
    law = scripted_law(lambda rng: tuple(verify(target, draft, tokens, rng)), coins=8)
    for kept in range(3):
        for token in range(3):
            mass = float(law.get((*tokens[:kept], token), Fraction(0)))
            assert abs(mass - stops[kept] * last[kept, token]) < 2**-50


def test_edges() -> None:
    """Equal rows, disjoint ones, tokens that one model or both never give: no NaN, no warning."""
    target = np.array([[0.5, 0.5, 0, 0]] * 5)
    draft = np.array([[0.5, 0.5, 0, 0], [0, 0, 1, 0], [0, 1, 0, 0], [0.5, 0, 0.5, 0]])
    stops, last = path_law(target, draft, [0, 2, 0, 3])
    assert stops.tolist() == [0, 1, 0, 0, 0]
    assert last[:2].tolist() == target[:2].tolist()
    for token, keep in enumerate((1, 1, 0, 0)):
        assert path_law(target[:2], draft[3:], [token]).stops.tolist() == [1 - keep, keep]


def test_tiny_masses_neither_overflow_nor_vanish() -> None:
    """A residual lighter than the smallest normal number, a draft of 1e-310, a rejection of 2^-53."""
    tiny = 5e-324
    target, draft = [[1.0, tiny], ROW], [[1.0, 0.0]]
    stops, last = path_law(target, draft, [0])
    assert last[0].tolist() == [0, 1]
    assert stops.tolist() == [0, 1]
    stops, _ = path_law([[1e-310, 1.0], ROW], [[2e-310, 1.0]], [0])
    assert np.allclose(stops, 0.5)
    stops, _ = path_law([[0.5 - 2**-54, 0.5 + 2**-54], ROW], [ROW], [0])
    assert stops[0] == 2**-53


def test_inputs_are_not_changed_and_may_have_gaps() -> None:
    target, draft, tokens = _rows((4,), 3, 5, "float64")
    copies = target.copy(), draft.copy(), tokens.copy()
    stops, _ = path_law(target[::2], draft[::2], tokens[::2])
    assert all((a == b).all() for a, b in zip(copies, (target, draft, tokens), strict=True))
    assert (stops == path_law(target, draft, tokens).stops[::2]).all()


def test_dtypes_follow_the_rows() -> None:
    target, draft, tokens = _rows((2,), 2, 5, "float32")
    mixed = path_law(target, draft.astype(float) / draft.astype(float).sum(-1, keepdims=True), tokens.astype("u1"))
    assert mixed.stops.dtype == mixed.last.dtype == "float64"
    assert path_law([[1, 0], [0, 1]], [[1, 0]], [0]).last.dtype == "float64"


EMPTY: list[Any] = [[], np.empty((0, 2)), np.empty((0, 2), "float32")]


@pytest.mark.parametrize("draft", EMPTY, ids=["list", "array", "float32"])
def test_nothing_drafted_is_the_bonus(draft: Any) -> None:
    stops, last = path_law([ROW], draft, [])
    assert (stops.tolist(), last.tolist()) == ([1], [ROW])
    assert path_law([[ROW]] * 3, [[]] * 3, [[]] * 3).stops.tolist() == [[1]] * 3


REFUSED: dict[str, tuple[Any, Any, Any, type[ValueError], str]] = {
    "missing bonus row": ([ROW], [ROW], [0], ShapeError, "one row of the target for each drafted token"),
    "one row for the target": (ROW, [ROW], [0], ShapeError, r"target has shape \(2,\)"),
    "another batch": ([[ROW, ROW]], [[ROW]], [0], ShapeError, r"tokens has shape \(1,\)"),
    "draft of another batch": (
        [ROW, ROW],
        [[ROW]],
        [0],
        ShapeError,
        r"draft has shape \(1, 1, 2\); expected .*\(1, 2\)",
    ),
    "draft over other tokens": ([ROW, ROW], [[1.0]], [0], ShapeError, r"draft has shape \(1, 1\)"),
    "draft forgotten": ([ROW, ROW], [], [0], NotADistributionError, "draft has shape"),
    "token too large": ([[ROW, ROW]], [[ROW]], [[2]], TokenError, r"tokens\[0, 0\] = 2 is not a token.*V - 1 = 1"),
    "one token by itself": ([ROW, ROW], [ROW], 0, ShapeError, "tokens is the single value 0"),
    "one axis too many": ([ROW, ROW], [ROW], [[0]], ShapeError, r"tokens has shape \(1, 1\)"),
    "padding": ([ROW] * 3, [ROW] * 2, [0, -1], TokenError, r"tokens\[1\] = -1 .*Padding"),
    "float tokens": ([ROW, ROW], [ROW], [0.0], TokenError, "tokens has dtype float64"),
    "bool tokens": ([ROW, ROW], [ROW], [True], TokenError, "tokens has dtype bool"),
    "logits": ([[-1.0, 2.0], ROW], [ROW], [0], NotADistributionError, r"target\[0, 0\] = -1.0 is not a probability"),
    "negative draft": ([ROW, ROW], [[-0.5, 1.5]], [0], NotADistributionError, r"draft\[0, 0\] = -0.5"),
    "draft off one": ([ROW, ROW], [[0.5, 0.25]], [0], NotADistributionError, r"row \[0\] of draft sums to 0.75"),
    "target off one": ([[0.5, 0.25], ROW], [ROW], [0], NotADistributionError, r"row \[0\] of target sums to 0.75"),
    "bonus off one": ([ROW, [0.5, 0.25]], [ROW], [0], NotADistributionError, r"row \[1\] of target sums to 0.75"),
    "bonus negative": ([ROW, [-0.5, 1.5]], [ROW], [0], NotADistributionError, r"target\[1, 0\] = -0.5"),
    "NaN": ([[np.nan, 1.0], ROW], [ROW], [0], NotADistributionError, r"target\[0, 0\] = nan"),
    "infinite": ([[np.inf, 1.0], ROW], [ROW], [0], NotADistributionError, r"target\[0, 0\] = inf"),
    "draft infinite": ([ROW, ROW], [[0.5, np.inf]], [0], NotADistributionError, r"draft\[0, 1\] = inf"),
    "half precision": (np.full((2, 2), 0.5, "f2"), [ROW], [0], NotADistributionError, "target has dtype float16"),
    "far along": ([ROW] * 5, [ROW, ROW, [0.5, 0.4], ROW], [0] * 4, NotADistributionError, r"row \[2\] of draft"),
}


@pytest.mark.parametrize("kind", REFUSED)
def test_bad_call_is_refused(kind: str) -> None:
    target, draft, tokens, error, message = REFUSED[kind]
    with pytest.raises(error, match=message):
        path_law(target, draft, tokens)


def test_bad_row_deep_in_a_batch_is_found() -> None:
    """Whichever block it lies in."""
    for at in ((0, 0), (600, 2), (699, 3)):
        target, draft, tokens = _rows((700,), 3, 16, "float64")
        target[at] *= 1.01
        with pytest.raises(NotADistributionError, match=rf"row \[{at[0]}, {at[1]}\] of target"):
            path_law(target, draft, tokens)


def test_each_row_is_held_to_the_tolerance_of_its_dtype() -> None:
    """A float32 row may be off by 1e-4, one of float64 beside it not."""
    off = np.array([[0.5, 0.5001], ROW], "float32")
    assert path_law(off, [ROW], [0]).stops.dtype == "float64"
    with pytest.raises(NotADistributionError, match="tolerance"):
        path_law(off.astype("float64"), np.array([ROW], "float32"), [0])


@pytest.mark.parametrize(
    ("out", "words"),
    [
        (np.empty((1, 2)), r"out is shape \(1, 2\)"),
        (np.empty((2, 2), "float32"), "out is shape .* dtype float32"),
        (np.empty((2, 4))[:, ::2], "out is a view with gaps"),
        ([[0.0, 0.0]], "out is a list"),
    ],
)
def test_output_that_does_not_fit_is_refused(out: Any, words: str) -> None:
    with pytest.raises(ShapeError, match=words):
        path_law([ROW, ROW], [ROW], [0], out=out)


def test_output_that_is_an_input_is_refused() -> None:
    target = np.array([ROW, ROW])
    with pytest.raises(ShapeError, match="out shares memory with target or draft"):
        path_law(target, [ROW], [0], out=target)
