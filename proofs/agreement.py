"""Holds the fast twins to the exact ones. The only module that imports both."""

from collections.abc import Iterator, Mapping
from importlib import import_module
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from sympy import Rational, S

import specdec
from proofs import token_rule
from proofs.distributions import Row, distance_token
from proofs.rationals import from_floats

__all__ = ["FastErrors", "fast_errors", "rule_errors"]


class FastErrors(NamedTuple):
    """Greatest absolute errors of the fast laws on one pair of rows, in units of eps of the result's dtype."""

    dist: float
    alpha: float
    total_variation: float
    residual: float


def fast_errors(p: Any, q: Any) -> FastErrors:
    """Compare `specdec` with the same formulas over the floats as rationals.

    Parameters
    ----------
    p, q : ndarray of float32 or float64, shape (V,)
        One target row and one draft row, as the fast functions take them. The reference takes
        each float at its exact value and does not divide by the sum.

    Returns
    -------
    FastErrors
    """
    exact_p, exact_q = from_floats(p, "as-given"), from_floats(q, "as-given")
    reference = token_rule.emitted_law(exact_p, exact_q)
    tv = sum(map(distance_token, exact_p, exact_q), S.Zero) / 2
    residual = token_rule.residual_law(exact_p, exact_q)
    dist, alpha = specdec.emitted_distribution(p, q)
    eps = Rational(*np.finfo(dist.dtype).eps.as_integer_ratio())
    return FastErrors(
        _worst(dist, reference.dist, eps),
        _worst([alpha], (reference.alpha,), eps),
        _worst([specdec.total_variation(p, q)], (tv,), eps),
        _worst(specdec.residual_distribution(p, q), residual, eps),
    )


# Functions of rows that both twins have, and what they are asked beyond the rows. All numbers are dyadic, so that both
# are asked the same. "k" stands for the number of siblings.
_OF_PAIRS: tuple[tuple[str, str, tuple[Any, ...]], ...] = (
    ("match_rule", "acceptance", ("k",)),
    ("match_rule", "coupling", ()),
    ("gumbel_rule", "match_probability", ()),
    ("gumbel_rule", "match_row", ()),
    ("gumbel_rule", "coupling", ()),
    ("coupling_rule", "maximal_match", ()),
    ("coupling_rule", "minhash_match", ()),
    ("coupling_rule", "minhash_agreement", ()),
    ("coupling_rule", "minhash_coupling", ()),
    ("block_pair", "expected_accepted_of_two", ()),
    ("sibling_rule", "acceptance", ("k",)),
    ("sibling_rule", "recursive_law", ("k",)),
    ("sibling_rule", "optimal_acceptance", ("k",)),
    ("kseq_rule", "kseq_acceptance", ("k", "k")),
    ("kseq_rule", "kseq_law", ("k", "k")),
    ("lossy_rules", "lenience", ("3/4",)),
    ("lossy_rules", "lenience", ("3/4", "scaled")),
    ("lossy_rules", "synthetic", ("1/2",)),
    ("lossy_rules", "ensemble", ("1/4",)),
    ("lossy_rules", "sglang_thresholds", ("3/4", "7/8")),
    ("lossy_rules", "relaxed", (2, "1/4")),
    ("lossy_rules", "typical", ("1/8", "1/4")),
    ("lossy_reports", "acceptance_bound", ("1/16",)),
)
_OF_DISTINCT: tuple[tuple[str, str, tuple[Any, ...]], ...] = (
    ("sibling_rule", "acceptance", ("k", False)),
    ("sibling_rule", "recursive_law", ("k", False)),
    ("sibling_rule", "optimal_acceptance", ("k", False)),
)
_OF_TARGETS: tuple[tuple[str, str, tuple[Any, ...]], ...] = (
    ("target_rows", "temperature", ("1/2",)),
    ("target_rows", "top_k", (2,)),
    ("target_rows", "top_p", ("3/4",)),
    ("target_rows", "min_p", ("1/8",)),
    ("target_rows", "repetition_penalty", ((0,), 2)),
    ("target_rows", "logit_bias", (MappingProxyType({0: "1/2"}),)),
    ("match_rule", "greedy_row", ()),
)
_OF_ALPHA: tuple[tuple[str, str, tuple[Any, ...]], ...] = (
    ("efficiency", "expected_tokens", (4,)),
    ("efficiency", "speedup", (4, "1/16")),
    ("efficiency", "operations_factor", (4, "1/16")),
)
_WIDEST = 8  # with distinct siblings all sets of tokens are gone through


def rule_errors(target: Any, draft: Any, tokens: Any, k: int = 2) -> dict[str, float]:
    """Compare the fast rules beyond the token rule with the exact ones over the same rows.

    Parameters
    ----------
    target : ndarray of float32 or float64, shape (gamma + 1, V)
    draft : ndarray of the same dtype, shape (gamma, V)
    tokens : ndarray of int, shape (gamma,), gamma >= 1
        A drafted path. The rules of one position are compared on the first rows.
    k : int
        Siblings, of 2 or more. Distinct siblings are compared for V up to 8, where the draft has so many tokens.

    Returns
    -------
    dict of str to float
        Greatest absolute errors, in units of eps of the result's dtype, by the names of the functions. The reference
        takes each float at its exact value and each row divided by its exact sum, as the exact twins take nothing
        else: where a row is off one, that is part of the error. Of the laws along the path the masses ``stops[i]``
        and ``stops[i] * last[i]`` are compared; ``last[i]`` alone may be anything where it is not reached.

    Examples
    --------
    >>> p, q = np.array([0.125, 0.375, 0.5]), np.array([0.5, 0.25, 0.25])
    >>> errors = rule_errors(np.array([p, p]), np.array([q]), np.array([1]))
    >>> errors["lossy_rules.synthetic(1/2)"], errors["block_pair.expected_accepted_of_two()"]
    (0.0, 0.0)
    """
    rows, below = ([from_floats(row, "exact") for row in matrix] for matrix in (target, draft))
    path = [int(x) for x in tokens]
    found = {name: _error(*both) for name, both in _path_values((target, draft), (rows, below), path)}
    pair, exact_pair = (target[0], draft[0]), (rows[0], below[0])
    distinct = _OF_DISTINCT if len(rows[0]) <= _WIDEST and sum(x != 0 for x in below[0]) >= k else ()
    alpha = specdec.acceptance_probability(*pair)
    for table, fast, exact in (
        (_OF_PAIRS + distinct, pair, exact_pair),
        (_OF_TARGETS, pair[:1], exact_pair[:1]),
        (_OF_ALPHA, (min(float(alpha), 1.0),), (min(Rational(*alpha.as_integer_ratio()), S.One),)),
    ):
        for module, function, asked in table:
            values = (_asked(side, module, function, asked, k)(*given) for side, given in _sides(fast, exact))
            found[f"{module}.{function}({', '.join(map(_text, asked))})"] = _error(*values)
    return found


def _sides(fast: Any, exact: Any) -> tuple[tuple[str, Any], tuple[str, Any]]:
    return ("specdec", fast), ("proofs", exact)


def _asked(package: str, module: str, function: str, asked: tuple[Any, ...], k: int) -> Any:
    """Return a function of rows alone."""
    number = float if package == "specdec" else S
    found = getattr(import_module(f"{package}.{module}"), function)
    further = [k if value == "k" else _converted(value, number) for value in asked]
    return lambda *rows: found(*rows, *further)


def _converted(value: Any, number: Any) -> Any:
    if isinstance(value, Mapping):
        return {token: _converted(factor, number) for token, factor in value.items()}
    return number(Rational(value)) if isinstance(value, str) and value[0].isdigit() else value


def _text(value: Any) -> str:
    return str(dict(value)) if isinstance(value, Mapping) else str(value)


def _path_values(fast: Any, exact: Any, tokens: list[int]) -> Iterator[tuple[str, tuple[Any, Any]]]:
    """Yield what both twins say of a drafted path, by the names of the functions."""
    for module in ("chain_rule", "block_rule"):
        laws = [import_module(f"{side}.{module}").path_law(*rows, tokens) for side, rows in _sides(fast, exact)]
        yield f"{module}.path_law, stops", (laws[0].stops, laws[1].stops)
        yield f"{module}.path_law, masses", (_masses(laws[0]), _masses(laws[1]))
    for module, function, rows in (("block_rule", "path_weights", 2), ("match_rule", "path_acceptance", 1)):
        fast_values, exact_values = (
            getattr(import_module(f"{side}.{module}"), function)(*given[:rows], tokens)
            for side, given in _sides(fast, exact)
        )
        yield f"{module}.{function}", (fast_values, exact_values)


def _masses(law: Any) -> Any:
    if isinstance(law.stops, np.ndarray):
        return law.stops[:, None] * law.last
    return [[stop * x for x in row] for stop, row in zip(law.stops, law.last, strict=True)]


def _error(fast: Any, exact: Any) -> float:
    computed, reference = list(_flat(fast)), tuple(_flat(exact))
    eps = Rational(*np.finfo(np.asarray(computed[0]).dtype).eps.as_integer_ratio())
    return _worst(computed, reference, eps)


def _flat(value: Any) -> Iterator[Any]:
    """Yield the numbers of a number, a row, a matrix or a law, in order."""
    if isinstance(value, tuple | list) or (isinstance(value, np.ndarray) and value.ndim):
        for part in value:
            yield from _flat(part)
    else:
        yield value


def _worst(computed: Any, reference: Row, eps: Rational) -> float:
    values = [Rational(*value.as_integer_ratio()) for value in computed]
    return max(float(abs(a - b) / eps) for a, b in zip(values, reference, strict=True))
