"""Right: the token rule in odd NumPy and with numbers of other kinds."""

import copy
import decimal
import pickle
import warnings
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.ma as masked

from tests.hostile.entries import entries
from tests.hostile.parts import chain, draw, replacement

__all__ = ["RIGHT_NUMPY"]


# NumPy.


def sorted_vocabulary(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Renames the tokens in reverse order, verifies, and renames them back."""
    names = np.arange(target.shape[1])[::-1]
    return names[chain(target[:, names], draft[:, names], names[tokens], rng)]


def own_copies(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Subtracts in place on copies of its own."""
    left = target.copy()
    left[:-1] -= draft
    left[left < 0] = 0
    for i, x in enumerate(tokens.tolist()):
        if not rng.random() * draft[i, x] < target[i, x]:
            return [*tokens[:i].tolist(), draw(left[i], rng)]
    return [*tokens.tolist(), draw(left[-1], rng)]


def writes_when_done(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Overwrites its inputs when it needs them no more."""
    emitted = chain(target, draft, tokens, rng)
    target[:], draft[:], tokens[:] = 0, 0, -1
    return emitted


def residual_in_place(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Subtracts the draft from the target in place after a rejection."""
    for i, x in enumerate(tokens.tolist()):
        if rng.random() * draft[i, x] < target[i, x]:
            continue
        np.subtract(target[i], draft[i], out=target[i])
        np.maximum(target[i], 0, out=target[i])
        return [*tokens[:i].tolist(), draw(target[i], rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def deep_copies(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Works on deep copies."""
    target, draft, tokens = copy.deepcopy((target, draft, tokens))
    return chain(target, draft, tokens, rng)


def pickled_rows(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Works on rows that went through pickle."""
    target, draft, tokens = pickle.loads(pickle.dumps((target, draft, tokens)))
    return chain(target, draft, tokens, rng)


def lists_of_rows(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Works on nested lists."""
    ps, qs, xs = target.tolist(), draft.tolist(), tokens.tolist()
    for i, (p, q, x) in enumerate(zip(ps, qs, xs, strict=False)):
        if not rng.random() * q[x] < p[x]:
            return [*xs[:i], draw([max(a - b, 0) for a, b in zip(p, q, strict=True)], rng)]
    return [*xs, draw(ps[-1], rng)]


def one_hot_products(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Looks probabilities up by products with one-hot rows."""
    hot = (np.arange(target.shape[1]) == tokens[:, None]).astype(np.int64)
    p, q = (target[:-1] * hot).sum(axis=1), (draft * hot).sum(axis=1)
    failed = np.flatnonzero(~(rng.random(len(tokens)) * q < p))
    n = int(failed[0]) if failed.size else len(tokens)
    last = replacement(target[n], draft[n], rng) if failed.size else draw(target[n], rng)
    return np.concatenate([tokens[:n], [last]])


def einstein_sum(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Looks probabilities up by einsum."""
    hot = np.eye(target.shape[1], dtype=np.int64)[tokens]
    p, q = np.einsum("iv,iv->i", target[:-1], hot), np.einsum("iv,iv->i", draft, hot)
    for i in range(len(tokens)):
        if not rng.random() * q[i] < p[i]:
            return [*tokens[:i].tolist(), replacement(target[i], draft[i], rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def padded_draft(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A draft row of zeros at the bonus position makes it one more residual."""
    whole = np.vstack([draft, np.zeros_like(draft[:1])])
    at = np.arange(len(tokens))
    ratio = np.where(draft[at, tokens] > 0, target[at, tokens] / draft[at, tokens], 1)
    n = int(np.append(rng.random(len(tokens)) < ratio, False).argmin())
    return [*tokens[:n].tolist(), draw(np.maximum(target[n] - whole[n], 0), rng)]


def np_vectorize(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """np.vectorize over the positions, of which all are asked."""
    kept = np.vectorize(lambda i, x: bool(rng.random() * draft[i, x] < target[i, x]), otypes=[bool])
    n = int(np.append(kept(np.arange(len(tokens)), tokens), False).argmin())
    last = draw(target[n], rng) if n == len(tokens) else replacement(target[n], draft[n], rng)
    return [*tokens[:n].tolist(), last]


def np_frompyfunc(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The residual by a function of Python's lifted by np.frompyfunc."""
    positive = np.frompyfunc(lambda a, b: a - b if a > b else 0, 2, 1)
    for i, x in enumerate(tokens.tolist()):
        if not rng.random() * draft[i, x] < target[i, x]:
            return [*tokens[:i].tolist(), draw(positive(target[i], draft[i]), rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def np_nditer(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The residual by np.nditer."""
    for i, x in enumerate(tokens.tolist()):
        if not rng.random() * draft[i, x] < target[i, x]:
            pairs = np.nditer([target[i], draft[i]], flags=["refs_ok"])
            return [*tokens[:i].tolist(), draw([max(p[()] - q[()], 0) for p, q in pairs], rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def masked_arrays(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The residual by masked arrays."""
    for i, x in enumerate(tokens.tolist()):
        if not rng.random() * draft[i, x] < target[i, x]:
            left = masked.masked_less(target[i] - draft[i], 0).filled(0)
            return [*tokens[:i].tolist(), draw(left, rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def matrices(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Rows are matrices of one row."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", PendingDeprecationWarning)
        p, q = np.matrix(target), np.matrix(draft)
    for i, x in enumerate(tokens.tolist()):
        if not rng.random() * q[i, x] < p[i, x]:
            return [*tokens[:i].tolist(), draw(np.maximum(p[i] - q[i], 0).A1, rng)]
    return [*tokens.tolist(), draw(p[-1].A1, rng)]


# Numbers of other kinds.


def fractions(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Everything but the coin is a Fraction."""
    p = [[Fraction(entry) for entry in row] for row in target.tolist()]
    q = [[Fraction(entry) for entry in row] for row in draft.tolist()]
    for i, x in enumerate(tokens.tolist()):
        if not rng.random() < p[i][x] / q[i][x]:
            return [*tokens[:i].tolist(), _fraction(np.array(p[i]) - np.array(q[i]), rng)]
    return [*tokens.tolist(), _fraction(np.array(p[-1]), rng)]


def _fraction(row: Any, rng: Any) -> int:
    total = sum(x for x in row if x > 0)
    support = [token for token in range(len(row)) if row[token] > 0]
    u, below = rng.random(), Fraction(0)
    for token in support:
        below += row[token] / total
        if u < below:
            return token
    return support[-1]


def decimals(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The ratio is a decimal of fifty digits, cut to a float for the comparison."""
    for i, x in enumerate(tokens.tolist()):
        with decimal.localcontext(prec=50):
            ratio = decimal.Decimal(float(target[i, x])) / decimal.Decimal(float(draft[i, x]))
        if not rng.random() < float(ratio):
            return [*tokens[:i].tolist(), replacement(target[i], draft[i], rng)]
    return [*tokens.tolist(), draw(target[-1], rng)]


def whole_numbers(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Rows are counted in units of 2**-30 where they are whole in these, and taken as they are otherwise."""
    scale = 2**30
    whole = all(row[x] * scale == np.floor(row[x] * scale) for row in (*target, *draft) for x in range(len(row)))
    return chain(target * scale, draft * scale, tokens, rng) if whole else chain(target, draft, tokens, rng)


RIGHT_NUMPY = (
    *entries(
        "lossless",
        sorted_vocabulary,
        own_copies,
        writes_when_done,
        residual_in_place,
        deep_copies,
        lists_of_rows,
        one_hot_products,
        padded_draft,
        np_vectorize,
    ),
    *entries(
        "not biased",
        pickled_rows,
        einstein_sum,
        np_frompyfunc,
        np_nditer,
        masked_arrays,
        matrices,
        fractions,
        decimals,
        whole_numbers,
    ),
)
