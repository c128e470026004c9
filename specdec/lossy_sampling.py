"""Verifiers that are lossy on purpose, as a serving loop runs them: one request, a chain of drafted tokens.

Every function is ``verify_x(target, draft, tokens, rng, ...)`` with the parameters of its rule behind; bind them with
`functools.partial` for `proofs.check`, and say what is declared by `target_of`. Rows are float32 or float64. Arrays of
objects are taken for exact numbers and handed through, so that the law can be found in exact arithmetic; NumPy's own
generators do not draw from them. A call ends with the first rejection; when all drafted tokens are kept, a bonus token
comes from the last row of the target.

The law of the first token, and of every later one given those before it, is that of the function of the same name in
`specdec.lossy_rules`.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from specdec.arguments import check_count
from specdec.distributions import check_rows
from specdec.lossy_rules import REPLACEMENTS, RESIDUALS, typical_tokens
from specdec.parameters import check_fraction, check_name
from specdec.sampling import check_call, draw, read_rows

__all__ = [
    "verify_cascade",
    "verify_ensemble",
    "verify_lenience",
    "verify_relaxed",
    "verify_sglang_thresholds",
    "verify_synthetic",
    "verify_typical",
]

Rows: TypeAlias = npt.NDArray[Any]
Step: TypeAlias = Callable[[Rows, Rows, int], int | None]  # target row, draft row, token -> the token in its place


def verify_lenience(
    target: npt.ArrayLike,
    draft: npt.ArrayLike,
    tokens: npt.ArrayLike,
    rng: np.random.Generator,
    leniency: Any,
    residual: str = "difference",
) -> list[int]:
    """Keep a token if ``u l q(x) < p(x)``; replace it from ``(p - q)+`` or ``(p - l q)+``, by name.

    Parameters
    ----------
    target, draft, tokens, rng
        As of `specdec.sampling.verify`.
    leniency, residual
        As of `specdec.lossy_rules.lenience`.

    Returns
    -------
    list of int
        The kept tokens and one more.

    Raises
    ------
    SpecdecError
        If a row is not a distribution, the shapes do not fit, a token or a parameter is out of range.

    Examples
    --------
    >>> verify_lenience([[0.5, 0.5], [1.0, 0.0]], [[0.25, 0.75]], [1], np.random.default_rng(7), 0.5)
    [1, 0]
    """
    leniency = _parameter(leniency, target, "leniency", positive=True)
    check_name(residual, "residual", RESIDUALS)

    def step(p: Rows, q: Rows, x: int) -> int | None:
        if rng.random() * (leniency * q.item(x)) < p.item(x):
            return None
        return draw(_gains(p, leniency * q if residual == "scaled" else q), rng)

    return _chain(target, draft, tokens, rng, step)


def verify_synthetic(
    target: npt.ArrayLike, draft: npt.ArrayLike, tokens: npt.ArrayLike, rng: np.random.Generator, rate: Any
) -> list[int]:
    """Keep a token with probability `rate`, whatever it is; replace it from the target.

    Parameters
    ----------
    target, draft, tokens, rng
        As of `specdec.sampling.verify`.
    rate
        As of `specdec.lossy_rules.synthetic`.

    Returns
    -------
    list of int
        The kept tokens and one more.

    Raises
    ------
    SpecdecError
        If a row is not a distribution, the shapes do not fit, a token or `rate` is out of range.

    Examples
    --------
    >>> verify_synthetic([[0.5, 0.5], [1.0, 0.0]], [[0.25, 0.75]], [1], np.random.default_rng(7), 1)
    [1, 0]
    """
    rate = _parameter(rate, target, "rate")
    return _chain(target, draft, tokens, rng, lambda p, q, x: None if rng.random() < rate else draw(p, rng))


def verify_ensemble(
    target: npt.ArrayLike, draft: npt.ArrayLike, tokens: npt.ArrayLike, rng: np.random.Generator, weight: Any
) -> list[int]:
    """Run the token rule against ``w p + (1 - w) q``; the bonus token is the target's own.

    Parameters
    ----------
    target, draft, tokens, rng
        As of `specdec.sampling.verify`.
    weight
        As of `specdec.lossy_rules.ensemble`.

    Returns
    -------
    list of int
        The kept tokens and one more.

    Raises
    ------
    SpecdecError
        If a row is not a distribution, the shapes do not fit, a token or `weight` is out of range.

    Examples
    --------
    >>> verify_ensemble([[0.5, 0.5], [1.0, 0.0]], [[0.25, 0.75]], [1], np.random.default_rng(7), 0)
    [1, 0]
    """
    weight = _parameter(weight, target, "weight")
    return verify_cascade(target, draft, tokens, rng, lambda p, q: weight * p + (1 - weight) * q)


def verify_cascade(
    target: npt.ArrayLike,
    draft: npt.ArrayLike,
    tokens: npt.ArrayLike,
    rng: np.random.Generator,
    declare: Callable[[Rows, Rows], Rows],
) -> list[int]:
    """Run the token rule against declared rows; the bonus token is the target's own.

    Parameters
    ----------
    target, draft, tokens, rng
        As of `specdec.sampling.verify`.
    declare : callable
        declare(target row, draft row) -> declared row, a distribution over the same tokens.

    Returns
    -------
    list of int
        The kept tokens and one more.

    Raises
    ------
    SpecdecError
        If a row is not a distribution, the shapes do not fit, a token is out of range.

    Examples
    --------
    >>> verify_cascade([[0.5, 0.5], [1.0, 0.0]], [[0.25, 0.75]], [1], np.random.default_rng(7), lambda p, q: q)
    [1, 0]
    """

    def step(p: Rows, q: Rows, x: int) -> int | None:
        declared = declare(p, q) if _is_exact(p) else check_rows(declare(p, q), "declared")
        if rng.random() * q.item(x) < declared.item(x):
            return None
        return draw(_gains(declared, q), rng)

    return _chain(target, draft, tokens, rng, step)


def verify_sglang_thresholds(
    target: npt.ArrayLike,
    draft: npt.ArrayLike,
    tokens: npt.ArrayLike,
    rng: np.random.Generator,
    threshold_single: Any,
    threshold_acc: Any,
) -> list[int]:
    """Keep a token if ``u t < p(x)`` or ``p(x) >= s``; replace it from the target without it.

    Parameters
    ----------
    target, draft, tokens, rng
        As of `specdec.sampling.verify`.
    threshold_single, threshold_acc
        As of `specdec.lossy_rules.sglang_thresholds`.

    Returns
    -------
    list of int
        The kept tokens and one more.

    Raises
    ------
    SpecdecError
        If a row is not a distribution, the shapes do not fit, a token or a threshold is out of range.

    Examples
    --------
    >>> verify_sglang_thresholds([[0.5, 0.5], [1.0, 0.0]], [[0.25, 0.75]], [1], np.random.default_rng(7), 0.5, 1)
    [1, 0]
    """
    threshold_single = _parameter(threshold_single, target, "threshold_single")
    threshold_acc = _parameter(threshold_acc, target, "threshold_acc", positive=True)

    def step(p: Rows, _: Rows, x: int) -> int | None:
        if rng.random() * threshold_acc < p.item(x) or p.item(x) >= threshold_single:
            return None
        rest = p.copy()
        rest[x] = 0
        return draw(_normalised(rest, p), rng)

    return _chain(target, draft, tokens, rng, step)


def verify_relaxed(
    target: npt.ArrayLike,
    draft: npt.ArrayLike,
    tokens: npt.ArrayLike,
    rng: np.random.Generator,
    top_n: int,
    delta: Any,
    replacement: str = "top",
) -> list[int]:
    """Keep a token among the top N of p that is within `delta` of the greatest.

    Parameters
    ----------
    target, draft, tokens, rng
        As of `specdec.sampling.verify`. With ``replacement="top"`` nothing is drawn from `rng`.
    top_n, delta, replacement
        As of `specdec.lossy_rules.relaxed`. The bonus token is drawn like a replacement.

    Returns
    -------
    list of int
        The kept tokens and one more.

    Raises
    ------
    SpecdecError
        If a row is not a distribution, the shapes do not fit, a token or a parameter is out of range.

    Examples
    --------
    >>> verify_relaxed([[0.5, 0.5], [1.0, 0.0]], [[0.25, 0.75]], [1], np.random.default_rng(7), 2, 0.25)
    [1, 0]
    """
    count = check_count(top_n, "top_n", 1, "tokens")
    delta = _parameter(delta, target, "delta")

    def kept(p: Rows) -> Any:
        first = np.argsort(-p, kind="stable")[:count]
        among = np.zeros(p.size, dtype=bool)
        among[first] = True
        return np.logical_and(among, p >= p.max() - delta)

    return _by_set(target, draft, tokens, rng, kept, replacement)


def verify_typical(
    target: npt.ArrayLike,
    draft: npt.ArrayLike,
    tokens: npt.ArrayLike,
    rng: np.random.Generator,
    epsilon: float,
    delta: float,
    replacement: str = "target",
) -> list[int]:
    """Keep a token if p(x) is above ``min(epsilon, delta exp(-H(p)))``.

    Parameters
    ----------
    target, draft, tokens, rng
        As of `specdec.sampling.verify`, in floats: an entropy is no rational number.
    epsilon, delta, replacement
        As of `specdec.lossy_rules.typical`. The bonus token is drawn like a replacement.

    Returns
    -------
    list of int
        The kept tokens and one more.

    Raises
    ------
    SpecdecError
        If a row is not a distribution, the shapes do not fit, a token or a parameter is out of range.

    Examples
    --------
    >>> verify_typical([[0.5, 0.5], [1.0, 0.0]], [[0.25, 0.75]], [1], np.random.default_rng(7), 1, 0.5)
    [1, 0]
    """
    for name, value in (("epsilon", epsilon), ("delta", delta)):
        check_fraction(value, name)
    return _by_set(target, draft, tokens, rng, lambda p: typical_tokens(p, epsilon, delta), replacement)


def _by_set(
    target: Any, draft: Any, tokens: Any, rng: np.random.Generator, kept: Callable[[Rows], Any], replacement: str
) -> list[int]:
    check_name(replacement, "replacement", REPLACEMENTS)

    def instead(p: Rows) -> int:
        if replacement == "top":
            return int(p.argmax())
        return draw(p if replacement == "target" else _normalised(np.where(kept(p), p, 0), p), rng)

    return _chain(target, draft, tokens, rng, lambda p, q, x: None if kept(p)[x] else instead(p), instead)


def _chain(
    target: Any,
    draft: Any,
    tokens: Any,
    rng: np.random.Generator,
    step: Step,
    bonus: Callable[[Rows], int] | None = None,
) -> list[int]:
    """Verify token by token until a step puts another in the place of a drafted one."""
    p, q, drafted = _checked(target, draft, tokens)
    for i, x in enumerate(drafted):
        instead = step(p[i], q[i], x)
        if instead is not None:
            return [*drafted[:i], instead]
    return [*drafted, draw(p[-1], rng) if bonus is None else bonus(p[-1])]


def _checked(target: Any, draft: Any, tokens: Any) -> tuple[Rows, Rows, list[int]]:
    """Return rows and tokens once they fit; exact numbers are left as they are."""
    p = read_rows(target, "target")
    q, drafted = check_call(p, draft, tokens)
    return p, q, drafted


def _is_exact(rows: Any) -> bool:
    return isinstance(rows, np.ndarray) and rows.dtype == object


def _parameter(value: Any, target: Any, name: str, *, positive: bool = False) -> Any:
    """Return a parameter as a float, or as it is beside exact rows."""
    number = check_fraction(value, name, positive=positive)
    return value if _is_exact(target) else number


def _gains(row: Rows, subtracted: Rows) -> Rows:
    return _normalised(np.maximum(row - subtracted, 0), row)


def _normalised(weights: Rows, otherwise: Rows) -> Rows:
    mass = weights.sum()
    # In floats a mass can be 0 though something was rejected, by rounding.
    return weights / mass if mass > 0 else otherwise
