"""Wrong: the token rule with another ratio or another law of the replacement."""

from collections.abc import Callable
from typing import Any

import numpy as np

from tests.hostile.entries import Entry
from tests.hostile.parts import draw, first_maximum, residual

__all__ = ["WRONG_RULES"]


Ratio = Callable[[Any, Any, int], Any]
Correction = Callable[[Any, Any, int], Any]


def _ratio(p: Any, q: Any, x: int) -> Any:
    return p[x] / q[x]


def _correction(p: Any, q: Any, x: int) -> Any:
    return residual(p, q)


def _rule(ratio: Ratio = _ratio, correction: Correction = _correction) -> Callable[..., list[int]]:
    """Return the token rule with another ratio or another law of the replacement."""

    def verify(target: Any, draft: Any, tokens: Any, rng: Any) -> list[int]:
        for i, x in enumerate(tokens.tolist()):
            p, q = target[i], draft[i]
            if not rng.random() < ratio(p, q, x):
                return [*tokens[:i].tolist(), draw(correction(p, q, x), rng)]
        return [*tokens.tolist(), draw(target[-1], rng)]

    return verify


def _only_at_the_token(p: Any, q: Any, x: int) -> Any:
    left = p.copy()
    left[x] = max(p[x] - q[x], 0)
    return left


def _without_the_token(p: Any, q: Any, x: int) -> Any:
    left = p.copy()
    left[x] = 0
    return left if sum(left) > 0 else p


def _without_undrafted(p: Any, q: Any, x: int) -> Any:
    left = residual(p, q)
    some = left * (q > 0)
    return some if sum(some) > 0 else p


def _first_of_the_residual(p: Any, q: Any, x: int) -> Any:
    left = residual(p, q)
    only = left * 0
    only[first_maximum(left)] = 1
    return only


def _kept_where_p_has_a_zero(p: Any, q: Any, x: int) -> Any:
    return p[x] / q[x] + (min(p) == 0)


def _at_the_last_token(p: Any, q: Any, x: int) -> Any:
    return p[x] / q[x] * (9 if x == 2 else 10) / 10


def _threshold(p: Any, q: Any, x: int) -> Any:
    return 1 if p[x] >= q[x] else 0


def _typical(p: Any, q: Any, x: int) -> Any:
    return 1 if p[x] * 4 >= max(p) else 0


def _not_a_number_where_equal(p: Any, q: Any, x: int) -> Any:
    with np.errstate(invalid="ignore"):
        left = np.maximum(p - q, 0)
        return (p[x] / q[x]) * (left.sum() / left.sum())


def _likeliest_where_equal(p: Any, q: Any, x: int) -> Any:
    return _first_of_the_residual(p, q, x) if all(p == q) else residual(p, q)


def _never_below(p: Any, q: Any, x: int) -> Any:
    return p[x] / q[x] if 128 * p[x] > q[x] else q[x] / (128 * q[x])


def _halved(p: Any, q: Any, x: int) -> Any:
    return p[x] / (2 * q[x]) if 2 * p[x] < q[x] else p[x] / q[x]


def _sharpened(p: Any, q: Any, x: int) -> Any:
    return p[x] * p[x] / sum(p * p) / q[x]


def _made(name: str, why: str, ratio: Ratio = _ratio, correction: Correction = _correction) -> Entry:
    return Entry(name, _rule(ratio, correction), why, "biased")


WRONG_RULES = (
    _made("always_keep", "Every drafted token is kept.", lambda p, q, x: 1),
    _made("inverted_ratio", "The ratio is upside down.", lambda p, q, x: q[x] / p[x] if p[x] > 0 else 1),
    _made("keeps_by_the_target", "A token is kept with its target probability alone.", lambda p, q, x: p[x]),
    _made(
        "epsilon_below", "A millionth is added to the denominator.", lambda p, q, x: 2**20 * p[x] / (2**20 * q[x] + 1)
    ),
    _made(
        "epsilon_above", "A millionth is added to the numerator.", lambda p, q, x: (2**20 * p[x] + 1) / (2**20 * q[x])
    ),
    _made("epsilon_as_written", "1e-10 is added to the denominator.", lambda p, q, x: p[x] / (q[x] + 1e-10)),
    _made("lenient", "The ratio is a third too great.", lambda p, q, x: 4 * p[x] / (3 * q[x])),
    _made(
        "strict", "The ratio is a quarter too small and the residual as ever.", lambda p, q, x: 3 * p[x] / (4 * q[x])
    ),
    _made("floor_on_the_ratio", "The ratio is never below 1/128.", _never_below),
    _made("small_ratios_halved", "Ratios below 1/2 count half.", _halved),
    _made("wrong_where_p_has_a_zero", "Everything is kept where the target has a zero.", _kept_where_p_has_a_zero),
    _made("wrong_at_the_last_token", "The ratio of token 2 alone is a tenth too small.", _at_the_last_token),
    _made("threshold_with_plain_residual", "Kept iff p >= q, with the token rule's residual.", _threshold),
    _made("typical", "Kept iff likely enough.", _typical),
    _made("sharpened_ratio", "The ratio's target is at half the temperature.", _sharpened),
    _made(
        "not_a_number_where_equal",
        "0/0 rejects everything where p and q are equal, and the likeliest token is emitted.",
        _not_a_number_where_equal,
        _likeliest_where_equal,
    ),
    _made("correction_from_the_target", "Replacements come from p.", _ratio, lambda p, q, x: p),
    _made("absolute_residual", "Replacements come from |p - q|.", _ratio, lambda p, q, x: abs(p - q)),
    _made("residual_upside_down", "Replacements come from (q - p)+.", _ratio, lambda p, q, x: residual(q, p)),
    _made("greedy_residual", "The replacement is the residual's likeliest token.", _ratio, _first_of_the_residual),
    _made("residual_at_one_token", "q is subtracted at the drafted token only.", _ratio, _only_at_the_token),
    _made(
        "target_without_the_token", "Replacements come from p without the drafted token.", _ratio, _without_the_token
    ),
    _made(
        "residual_without_undrafted",
        "Tokens that the draft gives nothing are never emitted.",
        _ratio,
        _without_undrafted,
    ),
    _made("doubled_residual", "Replacements come from (2p - q)+.", _ratio, lambda p, q, x: residual(2 * p, q)),
)
