"""The steps that make a target row of a model's: on exact weights, not normalised."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from operator import index
from types import MappingProxyType
from typing import Any

from sympy import integer_nthroot
from sympy.external.gmpy import MPQ

from proofs.errors import NotADistributionError, ProofsError
from proofs.parameters import check_fraction, check_name, check_number
from proofs.processes import Weights, as_rational, check_count
from proofs.rationals import shown

__all__ = ["STEPS", "check_mass", "read_steps"]


def _temperature(weights: Weights, value: Any) -> Weights:
    degree = _temperature_of(value)
    # Ratios to the greatest entry, so that a common factor need not be a power; but a whole power keeps the scale.
    scale = _ONE if degree.numerator == 1 else max(weights)
    return tuple(_power(w / scale, 1 / degree, "temperature", x) for x, w in enumerate(weights))


def _temperature_of(value: Any) -> MPQ:
    expected = "a number above 0; for greedy decoding take top_k with k = 1"
    return check_number(value, "temperature", expected, positive=True)


def _top_k(weights: Weights, k: Any, ties: Any = "lowest") -> Weights:
    count = check_count(k, "k", 1, "tokens to keep")
    check_name(ties, "ties", ("lowest", "all"))
    order = _descending(weights)
    least = weights[order[min(count, len(order)) - 1]]
    kept = {x for x in order if weights[x] >= least} if ties == "all" else set(order[:count])
    return _only(weights, kept)


def _top_p(weights: Weights, mass: Any, boundary: Any = ">=") -> Weights:
    threshold = check_fraction(mass, "mass", positive=True) * sum(weights, _ZERO)
    check_name(boundary, "boundary", (">=", ">"))
    kept, before = set[int](), _ZERO
    for x in _descending(weights):
        if before > threshold or (before == threshold and boundary == ">="):
            break
        kept.add(x)
        before += weights[x]
    return _only(weights, kept)


def _min_p(weights: Weights, fraction: Any) -> Weights:
    least = check_fraction(fraction, "fraction") * max(weights)
    return tuple(weight if weight >= least else _ZERO for weight in weights)


def _repetition_penalty(weights: Weights, tokens: Any, penalty: Any) -> Weights:
    seen = _tokens(tokens, len(weights), "tokens")
    theta = check_number(penalty, "penalty", "a number above 0", positive=True)
    return tuple(
        _power(w, 1 / theta if w > 1 else theta, "repetition_penalty", x) if x in seen else w
        for x, w in enumerate(weights)
    )


def _logit_bias(weights: Weights, factors: Any) -> Weights:
    if not isinstance(factors, Mapping):
        raise ProofsError(
            f"factors is a {type(factors).__name__}; expected a mapping from tokens to factors exp(bias)."
        )
    _tokens(factors, len(weights), "factors")
    read = {index(x): check_number(factor, f"factors[{x}]", "a number of at least 0") for x, factor in factors.items()}
    return tuple(weight * read.get(x, _ONE) for x, weight in enumerate(weights))


def _mask(weights: Weights, allowed: Any) -> Weights:
    return _only(weights, _tokens(allowed, len(weights), "allowed"))


# What `transform` applies by name: weights and arguments -> weights, not normalised.
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

_ZERO, _ONE = MPQ(0), MPQ(1)
_POWER_BITS = 2**24


def read_steps(steps: Any) -> tuple[tuple[Any, ...], ...]:
    """Return the steps as tuples of a name and its arguments, or say what is wrong with one."""
    try:
        fixed = tuple(tuple(step) if not isinstance(step, str) else (step,) for step in steps)
    except TypeError as error:
        raise ProofsError(f"steps: {error}; expected tuples such as ('top_k', 2) in the order they apply.") from error
    for i, step in enumerate(fixed):
        if not step or not isinstance(step[0], str) or step[0] not in STEPS:
            raise ProofsError(f"steps[{i}] = {step!r}; expected a name and its arguments, of {', '.join(STEPS)}.")
        least, most = _ARGUMENTS[step[0]]
        if not least <= len(step) - 1 <= most:
            expected = f"{least}" if least == most else f"{least} or {most}"
            raise ProofsError(f"steps[{i}] = {step!r} has {len(step) - 1} arguments; {step[0]} expects {expected}.")
    _check_order(fixed)
    return fixed


def _check_order(steps: Sequence[tuple[Any, ...]]) -> None:
    scaled = [step[0] == "temperature" and _temperature_of(step[1]).numerator != 1 for step in steps]
    for i, step in enumerate(steps):
        if step[0] == "repetition_penalty" and any(scaled[:i]):
            raise ProofsError(
                f"steps[{i}] is a repetition_penalty behind steps[{scaled.index(True)}], a temperature other than 1/n, "
                "which loses the scale that it depends on; expected it in front."
            )


_ARGUMENTS: Mapping[str, tuple[int, int]] = MappingProxyType(
    {
        "temperature": (1, 1),
        "top_k": (1, 2),
        "top_p": (1, 2),
        "min_p": (1, 1),
        "repetition_penalty": (2, 2),
        "logit_bias": (1, 1),
        "mask": (1, 1),
    }
)


def check_mass(weights: Weights, name: str) -> Weights:
    """Return weights that are not all 0."""
    if not any(weights):
        raise NotADistributionError(f"{name} has no mass left; expected a token of positive weight to stay.")
    return weights


def _tokens(tokens: Iterable[Any], vocabulary: int, name: str) -> set[int]:
    try:
        read = [_token(token) for token in tokens]
    except TypeError as error:
        raise ProofsError(f"{name}: {error}; expected integers between 0 and V - 1 = {vocabulary - 1}.") from error
    for token in read:
        if not 0 <= token < vocabulary:
            raise ProofsError(f"{name} has {token}; expected integers between 0 and V - 1 = {vocabulary - 1}.")
    return set(read)


def _token(token: Any) -> int:
    if isinstance(token, bool):  # a row of flags would be read as the tokens 0 and 1
        raise TypeError("a flag is no token")
    return index(token)


def _descending(weights: Weights) -> list[int]:
    return sorted(range(len(weights)), key=lambda x: -weights[x])  # sorting is stable: of equals the lower id first


def _only(weights: Weights, kept: set[int]) -> Weights:
    return tuple(weight if x in kept else _ZERO for x, weight in enumerate(weights))


def _power(weight: MPQ, power: MPQ, what: str, x: int) -> MPQ:
    """Return a rational power of a weight, or say that it is none."""
    if max(int(weight.numerator), int(weight.denominator)).bit_length() * int(power.numerator) > _POWER_BITS:
        raise ProofsError(f"{what} raises entry {x} to the power {power}, which has too many digits; expected less.")
    roots = [integer_nthroot(int(part), int(power.denominator)) for part in (weight.numerator, weight.denominator)]
    if not all(exactly for _, exactly in roots):
        raise ProofsError(
            f"{what} makes entry {x}, {shown(as_rational(weight))} to the power {power}, irrational; expected weights "
            f"whose powers are rational, or a whole power."
        )
    (top, _), (bottom, _) = roots
    return MPQ(int(top), int(bottom)) ** int(power.numerator)
