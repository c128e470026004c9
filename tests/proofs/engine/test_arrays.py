"""Every idiom gives on exact arrays what it gives on arrays of floats, and no float takes over in silence."""

import copy
import math
import pickle
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs.engine.arrays import ExactArray, adopt, exact_array
from proofs.engine.scalars import exact_number, is_exact
from proofs.engine.signals import Kind, Mark, Refusal, collecting

# Dyadic, so that float64 holds every intermediate result that the idioms make of them; 0/0 and x/0 in p / q.
P = [[0.5, 0.25, 0.25, 0], [0, 0.125, 0.375, 0.5], [0.25, 0.25, 0.25, 0.25]]
Q = [[0.25, 0.25, 0, 0.5], [0, 0, 0.5, 0.5], [0, 0, 0.5, 0.5]]

IDIOMS = [
    "p.sum(axis=(0, 1))",
    "p.max(axis=(0, 1))",
    "np.min(p, axis=(0, 1), keepdims=True)",
    "p[:0].sum()",
    "p.sum(axis=0, dtype=np.float64)",
    "np.int64(3) * p[0, 0]",
    "np.float64(2) ** (4 * p[0, 0])",
    "np.float32(0.5) < p[0, 0]",
    "np.array(0.5) * p[0, 0]",
    "p[0, 0] * np.array([1, 2])",
    "p[0, 0] > np.array([0.25, 0.5])",
    "np.minimum(1, p[1, 0] / q[1, 0])",
    "np.maximum(p[1, 0] / q[1, 0], 0)",
    "np.add(p, q, where=True)",
    "p.tolist()[0][1] in [0.25]",
    "p/q",
    "np.minimum(1,p/q)",
    "np.minimum(1,p[0,2]/q[0,2])",
    "np.minimum(1, p[1,0]/q[1,0])",
    "np.maximum(p-q,0)",
    "(p-q).clip(0)",
    "np.clip(p/q,0,1)",
    "np.where(q>0,p/np.where(q>0,q,1),0)",
    "np.divide(p,q,out=np.zeros_like(p),where=q>0)",
    "p.sum()",
    "p.sum(axis=-1,keepdims=True)",
    "p.sum(-1)",
    "np.cumsum(p,axis=-1)",
    "p.cumsum(1)",
    "np.cumsum(p,axis=1,dtype=float)",
    "(p/q).argmax(-1)",
    "(p/q).argmin(axis=1)",
    "np.argmax(p/q,axis=0)",
    "np.argmax(p)",
    "np.max(p/q,axis=1)",
    "(p/q).max()",
    "np.nanmax(p/q)",
    "np.sort(p/q,axis=1)",
    "np.sort(p/q,axis=None)",
    "np.argsort(p,axis=1)",
    "np.argsort(-p,axis=1,kind='stable')",
    "np.argpartition(p,2,axis=1)",
    "np.partition(p,2,axis=1)",
    "np.searchsorted(p[0].cumsum(),0.5)",
    "np.searchsorted(p[0].cumsum(),p[0],side='right')",
    "p[0].cumsum().searchsorted([0.1,0.9,np.nan])",
    "np.searchsorted(np.array([0.1,.5]),p[0,1])",
    "np.concatenate([p,q])",
    "np.stack([p,q]).mean(axis=0)",
    "np.vstack([p[0],q[0]])",
    "np.hstack([p[0],[0.5]])",
    "np.zeros_like(p)",
    "np.ones_like(p,dtype=float)",
    "np.full_like(p,0.25)",
    "np.zeros_like(p,dtype=int)",
    "np.copy(p)",
    "np.isclose(p.sum(-1),1.0)",
    "np.allclose(p.sum(),p.sum())",
    "np.isclose(p.sum(),3)",
    "np.nan_to_num(p/q)",
    "np.nan_to_num((p/q)[1,0])",
    "np.nonzero(p)",
    "p.nonzero()",
    "np.flatnonzero(p)",
    "np.argwhere(p)",
    "np.any(p>0.4)",
    "np.any(p)",
    "p.any(axis=1)",
    "p.all()",
    "np.count_nonzero(p)",
    "np.count_nonzero(p,axis=1)",
    "p.take([0,2],axis=1)",
    "np.take(p,1)",
    "np.take_along_axis(p,np.array([[0],[1],[2]]),1)",
    "p@q.T",
    "np.dot(p[0],q[0])",
    "p[0].dot(q[0])",
    "np.inner(p,q)",
    "np.outer(p[0],q[0])",
    "np.einsum('ij,ij->i',p,q)",
    "np.einsum('i,i',p[0],q[0])",
    "np.matmul(p[0],q[0])",
    "np.mean(p)",
    "p.mean(axis=0)",
    "np.average(p,axis=1)",
    "np.diff(p,axis=1)",
    "np.cumprod(p[0])",
    "p.prod(axis=1)",
    "np.array_equal(p,p)",
    "np.squeeze(p[:1])",
    "np.expand_dims(p,0)",
    "p.reshape(2,-1)",
    "p[None]",
    "np.broadcast_to(p[0],(2,4))",
    "np.atleast_1d(p[0,0])",
    "np.isin(p,[0.5])",
    "np.unique(p)",
    "np.linalg.norm(p[0]-q[0],ord=1)",
    "np.linalg.norm(p-q,ord=1,axis=1)",
    "np.abs(p-q).sum()/2",
    "np.sign(p-q)",
    "np.floor(p*4)",
    "np.rint(p*3)",
    "p//0.375",
    "p%0.375",
    "p**2",
    "2**(p*0+2)",
    "np.power(p,2)",
    "np.isnan(p/q)",
    "np.isinf(p/q)",
    "np.isfinite(p/q)",
    "np.signbit(p-q)",
    "np.logical_and(p>0,q)",
    "np.logical_not(p)",
    "np.fmin(p/q,1)",
    "np.fmax(p/q,1)",
    "np.minimum.reduce(p,axis=0)",
    "np.minimum.accumulate(p,axis=1)",
    "np.add.reduce(p,axis=1,initial=1.0)",
    "p.sum(axis=1,where=q>0)",
    "p.max(axis=1,where=q>0,initial=0)",
    "np.add.outer(p[0],q[0])",
    "np.add.reduceat(p[0],[0,2])",
    "np.sum(p[:0])",
    "p[:0].sum(axis=0)",
    "p[:0]@q.T",
    "np.minimum(p[:0],1)",
    "p[0].tolist()",
    "p.ravel()[3]",
    "p.astype(int)",
    "p.astype(bool)",
    "p[p>0.3]",
    "p[0]==q[0]",
    "p[0,0]==0.5",
    "-p",
    "1-p",
    "1/p",
    "p/0",
    "np.float64(.5)*p",
    "np.array([.5,.25,.125,.5])*p",
    "np.array([1,2,3,4])/q",
    "[1,2,3,4]*p",
    "p*True",
    "(p[0,0]+np.float64(.5))",
    "np.ptp(p)",
    "np.median(p)",
    "np.trace(p)",
    "np.flip(p)",
    "np.roll(p,1)",
    "np.tile(p,2)",
    "np.repeat(p,2)",
    "np.append(p,0.5)",
    "np.insert(p[0],0,0.5)",
    "np.delete(p[0],0)",
    "np.pad(p[0],1)",
    "np.split(p[0],2)",
    "np.meshgrid(p[0],q[0])",
    "np.triu(p)",
    "np.apply_along_axis(lambda r:r.sum(),1,p)",
    "np.select([p>0.3,p>0.2],[p,q],0.0)",
    "np.choose([0,1,0,1],[p[0],q[0]])",
    "np.digitize(p[0],[0.2,0.3])",
    "np.ediff1d(p[0])",
    "np.logaddexp(np.log(p*0+1),np.log(p*0+1)).shape",
    "np.maximum.accumulate((p/q)[1])",
    "np.nansum(p/q,axis=1)",
    "np.positive(p)",
    "np.square(p)",
    "np.sqrt(p[2])",
    "np.reciprocal(p)",
    "np.log(p*0+1)",
    "np.exp(p*0)",
    "np.log1p(p*0)",
    "np.expm1(np.log(p))",
    "np.log2(p[2])",
    "divmod(p,0.375)",
    "np.trunc(p*3)",
    "np.fmod(p-q,0.375)",
    "np.copysign(p,-1)",
    "np.ndim(p[0,0])",
    "np.shape(p[0,0])",
    "np.isscalar(p[0,0])",
    "np.clip(p[0,0],0,0.25)",
    "np.where(True,p[0,0],0)",
    "np.triu_indices_from(p)",
    "np.lexsort((p[0],))",
    "np.resize(p,(2,2))",
    "np.histogram(p[0],bins=2)[0]",
    "np.vdot(p[0],q[0])",
    "np.tensordot(p,q.T,1)",
    "np.kron(p[0],q[0])",
    "np.convolve(p[0],q[0])",
    "np.polyval([1,2],p[0])",
    "np.real(p)",
    "p.real",
    "np.iscomplexobj(p)",
    "np.nanmin(p/q)",
    "np.nan_to_num(p/q,nan=1.0,posinf=2)",
    "np.size(p,1)",
    "np.amin(p,axis=0)",
    "max(p[0])",
    "sorted(p[0])",
    "sum(p[0])",
    "min(1,p[0,0])",
    "round(p[0,1]*3)",
    "int(p[0,0]*5)",
    "p[0].round(1)*10",
    "p.flatten()",
    "p.T",
    "p.swapaxes(0,1)",
    "p[0].repeat(2)",
    "np.round(p * 4)",
    "np.amax(p)",
    "p.var()",
    "np.median(p, axis=1)",
    "np.average(p, axis=1, weights=np.array([.5,.25,.125,.125]))",
    "np.gradient(p[0])",
]

CHANGES = [
    "p[0, 0] = 0.75",
    "p[1] = 0",
    "p[:, 1] = [1, 2, 0.5]",
    "p[p > 0.3] = 0",
    "p[0] = q[1]",
    "p += q",
    "p -= 0.5",
    "p *= np.array([1, 2, 1, 2])",
    "p /= q",
    "p[0] /= p[0].sum()",
    "p.fill(0.5)",
    "p.put([0, 1], [1, 2.5])",
    "p.sort()",
    "p.sort(axis=0)",
    "p.partition(2)",
    "np.copyto(p, 0.5)",
    "np.copyto(p, q, where=q > 0)",
    "np.putmask(p, p > 0.3, 0.75)",
    "np.fill_diagonal(p, 1)",
    "np.place(p, p > 0.3, [0.5])",
    "np.put_along_axis(p, np.array([[0], [1], [2]]), 0, 1)",
    "np.add.at(p, (0, [0, 0]), 0.25)",
    "np.minimum(p, 0.25, out=p)",
    "np.divide(p, q, out=p, where=q > 0)",
    "np.cumsum(p, axis=1, out=p)",
    "p.clip(0.125, 0.375, out=p)",
    "np.sum(p, axis=0, out=p[0])",
    "p.round(0, out=p)",
    "p[0] = np.dot(p[0], q.T @ q)",
    "np.nan_to_num(p, copy=False, nan=1)",
]

LEAKS = [
    "float(p[0, 0])",
    "math.log(p[0, 0])",
    "p.astype(float)",
    "p.astype(np.float32)",
    "np.asarray(p, dtype=float)",
    "np.array(p, float)",
    "np.zeros(4) + 0 * np.array(list(p[0]), float)",
    "np.sin(p)",
    "np.sin(p[0, 0])",
    "np.exp(p)",
    "np.sqrt(p)",
    "np.hypot(p, q)",
    "np.frexp(p)[0]",
    "np.interp(0.3, p[0].cumsum(), q[0])",
    "np.bincount([0, 1, 1, 0], weights=p[0])",
    "np.quantile(p[0], 0.5)",
    "np.linalg.norm(p)",
    "p.std()",
    "np.zeros(4).__setitem__(0, p[0, 0])",
    "np.zeros(4).__setitem__(slice(None), p[0])",
    "np.zeros(4).__iadd__(p[0])",
    "np.divide(p[0], 3, out=np.zeros(4))",
    "np.copyto(np.zeros(4), p[0])",
    "np.add.at(np.zeros(4), [0, 0], p[0, :2])",
    "np.sum(p, axis=0, out=np.zeros(4))",
]


def _values(result: Any) -> Any:
    if isinstance(result, (tuple, list)):
        return [_values(item) for item in result]
    if isinstance(result, np.ndarray):
        return [*result.shape, *_values(result.ravel().tolist())]
    return result.approximate() if is_exact(result) else result


def _same(left: Any, right: Any) -> bool:
    if isinstance(left, list):
        return len(left) == len(right) and all(map(_same, left, right))
    return bool(left == right or (left != left and right != right))


def _of_one_kind(result: Any, expected: Any) -> bool:
    if isinstance(expected, np.ndarray) and expected.dtype == float:
        return isinstance(result, ExactArray) and all(map(is_exact, result.flat))
    if isinstance(expected, np.ndarray):
        return type(result) is np.ndarray and result.dtype == expected.dtype
    if isinstance(expected, (tuple, list)):
        return all(map(_of_one_kind, result, expected))
    return is_exact(result) if isinstance(expected, float) else type(result) is type(expected)


def _evaluate(code: str, p: Any, q: Any) -> tuple[Any, list[Mark]]:
    marks: list[Mark] = []
    with collecting(marks), np.errstate(all="ignore"):
        return eval(code, {"np": np, "math": math, "p": p, "q": q}), marks


@pytest.mark.parametrize("code", IDIOMS)
def test_idiom_gives_what_it_gives_on_floats(code: str) -> None:
    expected, _ = _evaluate(code, np.array(P), np.array(Q))
    result, marks = _evaluate(code, exact_array(P), exact_array(Q))
    assert _same(_values(result), _values(expected)), (result, expected)
    assert _of_one_kind(result, expected), (type(result), type(expected))
    assert marks == []


@pytest.mark.parametrize("code", CHANGES)
def test_change_in_place_gives_what_it_gives_on_floats(code: str) -> None:
    p, q, floats = exact_array(P), exact_array(Q), np.array(P)
    marks: list[Mark] = []
    with np.errstate(all="ignore"), collecting(marks):
        exec(code, {"np": np, "p": floats, "q": np.array(Q)})
        exec(code, {"np": np, "p": p, "q": q})
    assert _same(_values(p), _values(floats)), (p, floats)
    assert _of_one_kind(p, floats)
    assert marks == []


@pytest.mark.parametrize("code", LEAKS)
def test_leak_is_marked_with_the_line_of_the_program_and_goes_on_with_floats(code: str) -> None:
    expected, _ = _evaluate(code, np.array(P), np.array(Q))
    result, marks = _evaluate(code, exact_array(P), exact_array(Q))
    assert {mark.kind for mark in marks} - {Kind.SINGLE} == {Kind.LEAK}
    assert {mark.place for mark in marks} == {"<string>:1"}
    assert (
        np.allclose(np.asarray(result, float), np.asarray(expected, float)) if expected is not None else result is None
    )


@pytest.mark.parametrize("code", ["np.sin(p)", "np.sin(p[0, 0])", "np.interp(0.3, p[0], q[0])", "np.sin(p[:0])"])
def test_function_without_an_exact_counterpart_is_named(code: str) -> None:
    _, marks = _evaluate(code, exact_array(P), exact_array(Q))
    assert any(
        f"{code.partition('(')[0].replace('np', 'numpy')} has no exact counterpart" in mark.reason for mark in marks
    )


def _verify(target: Any, draft: Any, cuts: Any) -> Any:
    """The parts of a verifier that arithmetic goes into: ratio, residual, inverse of the cumulative sums."""
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.where(draft > 0, np.minimum(1, target[:-1] / draft), 0)
        excess = np.clip(target[:-1] - draft, 0, None)
        residual = np.nan_to_num(excess / excess.sum(axis=-1, keepdims=True))
    residual[excess.sum(-1) == 0] = target[:-1][excess.sum(-1) == 0]
    cdf = np.cumsum(residual, axis=-1)
    tokens = [[int(np.searchsorted(row, cut * row[-1], side="right")) for cut in cuts] for row in cdf]
    return ratio, residual, cdf, tokens, (cdf > cuts[0]).argmax(axis=-1), target.argmax(-1)


def test_whole_verifier_is_that_of_floats() -> None:
    target, draft, cuts = [*P, P[0]], [P[2], Q[0], Q[1]], [0.25, 0.5, 0.75]
    draft[0] = P[0]  # nothing is ever rejected
    result = _verify(exact_array(target), exact_array(draft), cuts)
    expected = _verify(np.array(target), np.array(draft), cuts)
    assert _same(_values(result[0]), _values(expected[0]))
    for one, other in zip(result[3:], expected[3:], strict=True):
        assert _same(_values(one), _values(other))
    assert all(is_exact(element) for element in result[1].flat)
    assert result[1].sum(axis=1).tolist() == [1, 1, 1]


ROWS = st.lists(st.fractions(min_value=0, max_value=1, max_denominator=30), min_size=1, max_size=6)


@given(ROWS, st.data())
def test_arithmetic_is_that_of_fractions(row: list[Fraction], data: Any) -> None:
    other = data.draw(st.lists(st.fractions(max_denominator=30), min_size=len(row), max_size=len(row)))
    left, right = exact_array(row), exact_array(other)
    assert (left + right).tolist() == [a + b for a, b in zip(row, other, strict=True)]
    assert (left * right - left).tolist() == [a * b - a for a, b in zip(row, other, strict=True)]
    assert np.minimum(left, right).tolist() == [min(a, b) for a, b in zip(row, other, strict=True)]
    assert (left < right).tolist() == [a < b for a, b in zip(row, other, strict=True)]
    assert (left @ right, left.sum(), right.max()) == (
        sum(a * b for a, b in zip(row, other, strict=True)),
        sum(row),
        max(other),
    )
    assert np.sort(right).tolist() == sorted(other)
    assert right.argmax() == other.index(max(other))


@given(st.lists(st.sampled_from([0.0, 0.25, 1.0, math.nan, math.inf, -math.inf]), min_size=1, max_size=20))
def test_orders_and_extremes_are_those_of_floats_with_nan_and_ties(row: list[float]) -> None:
    exact, floats = exact_array(row), np.array(row)
    for name in ("argmax", "argmin", "argsort"):
        assert np.array_equal(getattr(exact, name)(), getattr(floats, name)())
    for name in ("max", "min"):
        assert _same(_values(getattr(exact, name)()), _values(getattr(floats, name)()))
    kth = len(row) // 2
    assert np.array_equal(np.argpartition(exact, kth), np.argpartition(floats, kth))
    assert _same(_values(np.sort(exact)), _values(np.sort(floats)))
    ordered = np.sort(exact)
    for side in ("left", "right"):
        assert np.array_equal(ordered.searchsorted(row, side), np.sort(floats).searchsorted(row, side))


def test_thirds_are_thirds() -> None:
    """One third three times is one, which floats of tenths and thirds miss."""
    row = exact_array([Fraction(1, 3)] * 3)
    assert row.sum() == row.cumsum()[-1] == 1
    assert (exact_array([0.1, 0.2]).sum() == exact_array([0.3]).sum()) is not True


def test_log_space_is_exact() -> None:
    row = exact_array([Fraction(1, 2), Fraction(1, 3), Fraction(1, 6), 0])
    marks: list[Mark] = []
    with collecting(marks):
        logits = np.log(row * 7)
        shifted = logits - logits.max(axis=-1, keepdims=True)
        weights = np.exp(shifted)
        assert (weights / weights.sum()).tolist() == row.tolist()
        assert np.exp(logits - np.logaddexp.reduce(logits)).tolist() == row.tolist()
        assert np.exp(logits / 0.5).tolist() == ((row * 7) ** 2).tolist()
        assert np.exp(np.minimum(0, logits - np.log(row[::-1]))).tolist() == [1, 1, 1, 0]
        assert (logits < np.log(2)).tolist() == [False, False, True, True]
    assert marks == []


def test_where_without_out_is_nan_where_numpy_leaves_what_was_in_memory() -> None:
    result = np.divide(exact_array([1, 1]), exact_array([2, 0]), where=np.array([True, False]))
    assert result[0] == Fraction(1, 2)
    assert np.isnan(result[1])


def test_array_is_built_copied_and_pickled() -> None:
    array = exact_array([[Fraction(1, 3), 1], [0.5, np.float32(0.25)]])
    assert array.tolist() == [[Fraction(1, 3), 1], [Fraction(1, 2), Fraction(1, 4)]]
    assert exact_array([], (0, 3)).shape == (0, 3)
    for same in (
        copy.copy(array),
        copy.deepcopy(array),
        pickle.loads(pickle.dumps(array)),
        array.copy(),
        np.copy(array),
    ):
        assert isinstance(same, ExactArray)
        same[0, 0] = 7
    assert array[0, 0] == Fraction(1, 3)
    assert isinstance(array.astype(object), ExactArray)
    with pytest.raises(TypeError, match=r"values\[0, 1\].*'a'"):
        exact_array([[1, "a"]])
    with pytest.raises(ValueError, match="reshape"):
        exact_array([1, 2], (3,))


def test_base_arrays_are_adopted() -> None:
    number = exact_number(Fraction(1, 3))
    base = np.array([number, 0, 0.5])
    assert type(base) is np.ndarray
    assert adopt(base).tolist() == [Fraction(1, 3), 0, Fraction(1, 2)]
    assert isinstance(adopt(base), ExactArray)
    assert type(adopt(np.array(["a", None], object))) is np.ndarray
    assert type(adopt(np.array([0.5]))) is np.ndarray
    assert type(base * 3) is np.ndarray
    assert (base * 3).tolist()[0] == 1


class Undrawn:
    """Another class that overrides NumPy."""

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> str:
        return f"its {ufunc.__name__}"

    def __array_function__(self, func: Any, types: Any, args: Any, kwargs: Any) -> str:
        return f"its {func.__name__}"


def test_another_class_that_overrides_numpy_gets_its_turn() -> None:
    row: Any = exact_array([0, 1])
    other: Any = Undrawn()
    assert [row < other, row * other] == ["its less", "its multiply"]
    assert np.minimum(row[0], other) == "its minimum"
    assert np.where(row > 0, row, other) == "its where"
    assert row.searchsorted(other) == np.searchsorted(row, other) == "its searchsorted"
    with pytest.raises(Refusal, match="Undrawn was stored"):
        row[0] = other


def test_elements_of_other_types_meet_their_own_operators() -> None:
    class Coin:
        def __gt__(self, other: Any) -> bool:
            return bool(other < 0.3)

    assert (exact_array([0.25, 0.5]) < np.array([Coin(), Coin()], object)).tolist() == [True, False]


def test_function_of_the_program_gets_the_elements() -> None:
    marks: list[Mark] = []
    with collecting(marks):
        doubled = np.frompyfunc(lambda x: x * 2, 1, 1)(exact_array([Fraction(1, 3)]))
    assert doubled.tolist() == [Fraction(2, 3)]
    assert marks == []


def test_text_is_no_operand() -> None:
    with pytest.raises(TypeError):
        exact_array([1]) * "x"


def test_errstate_raises_as_on_floats() -> None:
    with np.errstate(all="raise"), pytest.raises(FloatingPointError):
        exact_array(P) / exact_array(Q)
