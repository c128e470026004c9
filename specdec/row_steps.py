"""The steps that make a target row of a model's: on weights in floating point, not normalised."""

from collections.abc import Callable, Mapping
from operator import index
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from specdec.arguments import check_count
from specdec.distributions import Floats
from specdec.errors import NotADistributionError, SpecdecError
from specdec.parameters import check_fraction, check_name, check_number

__all__ = ["STEPS", "Weights", "check_mass", "greatest", "read_steps"]

Flags = npt.NDArray[np.bool_]


class Weights(NamedTuple):
    """Weights up to a factor whose logarithm is kept beside them: powers of them alone would overflow or vanish.

    Attributes
    ----------
    weights : ndarray of float, shape (..., V)
    offset : float or ndarray of float, shape (..., 1)
        The weights meant are those times exp(offset).
    """

    weights: Floats
    offset: Any


def _temperature(state: Weights, value: Any) -> Weights:
    degree = _temperature_of(value)
    if degree == 1:
        return state
    weights, offset = state
    greatest = weights.max(axis=-1, keepdims=True)
    return Weights((weights / greatest) ** weights.dtype.type(1 / degree), (np.log(greatest) + offset) / degree)


def _top_k(state: Weights, k: Any, ties: Any = "lowest") -> Weights:
    count = check_count(k, "k", 1, "tokens to keep")
    check_name(ties, "ties", ("lowest", "all"))
    return _only(state, greatest(state.weights, count, ties))


def _top_p(state: Weights, mass: Any, boundary: Any = ">=") -> Weights:
    share = check_fraction(mass, "mass", positive=True)
    check_name(boundary, "boundary", (">=", ">"))
    falling = np.sort(state.weights, axis=-1)[..., ::-1]
    sums = (falling / falling[..., :1]).cumsum(axis=-1)  # of ratios: the sum of weights may overflow
    before = np.concatenate([np.zeros_like(sums[..., :1]), sums[..., :-1]], axis=-1)
    threshold = sums[..., -1:] * sums.dtype.type(share)
    kept = before < threshold if boundary == ">=" else before <= threshold
    count = np.maximum(kept.sum(axis=-1, keepdims=True), 1)
    return _only(state, _first(state.weights, np.take_along_axis(falling, count - 1, axis=-1), count))


def _min_p(state: Weights, fraction: Any) -> Weights:
    share = state.weights.dtype.type(check_fraction(fraction, "fraction"))
    return _only(state, state.weights >= share * state.weights.max(axis=-1, keepdims=True))


def _repetition_penalty(state: Weights, tokens: Any, penalty: Any) -> Weights:
    theta = check_number(penalty, "penalty", "a number above 0", positive=True)
    seen = _tokens(tokens, state.weights.shape[-1], "tokens")
    with np.errstate(divide="ignore"):
        logits = np.log(state.weights) + state.offset
    penalised = np.where(logits > 0, logits / theta, logits * theta)
    chosen = np.isin(np.arange(logits.shape[-1]), seen) & (state.weights > 0)
    logits = np.where(chosen, penalised, logits)
    greatest = logits.max(axis=-1, keepdims=True)
    return Weights(np.exp(logits - greatest).astype(state.weights.dtype), greatest)


def _logit_bias(state: Weights, factors: Any) -> Weights:
    if not isinstance(factors, Mapping):
        kind = type(factors).__name__
        raise SpecdecError(f"factors is a {kind}; expected a mapping from tokens to factors exp(bias).")
    tokens = _tokens(list(factors), state.weights.shape[-1], "factors")
    row = np.ones(state.weights.shape[-1], dtype=state.weights.dtype)
    row[tokens] = [check_number(factor, f"factors[{x}]", "a number of at least 0") for x, factor in factors.items()]
    return Weights(state.weights * row, state.offset)


def _mask(state: Weights, allowed: Any) -> Weights:
    vocabulary = state.weights.shape[-1]
    return _only(state, np.isin(np.arange(vocabulary), _tokens(allowed, vocabulary, "allowed")))


# What `transform` applies by name.
STEPS: Mapping[str, Callable[..., Weights]] = MappingProxyType(
    {
        "temperature": _temperature,
        "top_k": _top_k,
        "top_p": _top_p,
        "min_p": _min_p,
        "repetition_penalty": _repetition_penalty,
        "logit_bias": _logit_bias,
        "mask": _mask,
    }
)
_OPTIONAL = ("top_k", "top_p")  # steps whose last argument may be left out
_TWO = (*_OPTIONAL, "repetition_penalty")


def read_steps(steps: Any) -> tuple[tuple[Any, ...], ...]:
    """Return the steps as tuples of a name and its arguments, or say what is wrong with one."""
    try:
        fixed = tuple((step,) if isinstance(step, str) else tuple(step) for step in steps)
    except TypeError as error:
        raise SpecdecError(f"steps: {error}; expected tuples such as ('top_k', 2) in the order they apply.") from error
    for i, step in enumerate(fixed):
        if not step or not isinstance(step[0], str) or step[0] not in STEPS:
            raise SpecdecError(f"steps[{i}] = {step!r}; expected a name and its arguments, of {', '.join(STEPS)}.")
        counts = (1, 2) if step[0] in _OPTIONAL else (2,) if step[0] in _TWO else (1,)
        if len(step) - 1 not in counts:
            expected = " or ".join(map(str, counts))
            raise SpecdecError(f"steps[{i}] = {step!r} has {len(step) - 1} arguments; {step[0]} expects {expected}.")
    return fixed


def check_mass(state: Weights, name: str) -> Weights:
    """Return weights of which no row is all 0."""
    empty = ~(state.weights > 0).any(axis=-1)
    if empty.any():
        where = f" [{', '.join(map(str, np.argwhere(empty)[0]))}]" if empty.ndim else ""
        raise NotADistributionError(f"{name}{where} has no mass left; expected a token of positive weight to stay.")
    return state


def _temperature_of(value: Any) -> float:
    expected = "a number above 0; for greedy decoding take top_k with k = 1"
    return check_number(value, "temperature", expected, positive=True)


def _tokens(tokens: Any, vocabulary: int, name: str) -> list[int]:
    try:
        read = [_token(token) for token in tokens]
    except TypeError as error:
        raise SpecdecError(f"{name}: {error}; expected integers between 0 and V - 1 = {vocabulary - 1}.") from error
    for token in read:
        if not 0 <= token < vocabulary:
            raise SpecdecError(f"{name} has {token}; expected integers between 0 and V - 1 = {vocabulary - 1}.")
    return read


def _token(token: Any) -> int:
    if isinstance(token, bool):  # a row of flags would be read as the tokens 0 and 1
        raise TypeError("a flag is no token")
    return index(token)


def greatest(weights: Floats, count: int, ties: str = "lowest") -> Flags:
    """Flag the `count` greatest entries of every row: of those equal to the last, the lower ids or all."""
    vocabulary = weights.shape[-1]
    if count >= vocabulary:
        return np.ones(weights.shape, dtype=bool)
    least = np.partition(weights, vocabulary - count, axis=-1)[..., vocabulary - count, None]
    return np.asarray(weights >= least) if ties == "all" else _first(weights, least, count)


def _first(weights: Floats, least: Floats, count: Any) -> Flags:
    """Flag what is above the `count`-th greatest entry and, of its equals, the lower ids."""
    above, level = weights > least, weights == least
    room = count - above.sum(axis=-1, keepdims=True)
    return np.asarray(above | (level & (level.cumsum(axis=-1) <= room)))


def _only(state: Weights, kept: Any) -> Weights:
    return Weights(np.where(kept, state.weights, 0).astype(state.weights.dtype), state.offset)
