"""Right: the token rule with its last token drawn in every way."""

import bisect
import itertools
from typing import Any

import numpy as np

from tests.hostile.entries import entries
from tests.hostile.parts import draw, pick, residual

__all__ = ["RIGHT_DRAWS"]


def _with_draw(choose: Any, target: Any, draft: Any, tokens: Any, rng: Any) -> list[int]:
    """Return the token rule's tokens, the last of them drawn by ``choose(row, rng)``."""
    for i, x in enumerate(tokens.tolist()):
        if not rng.random() * draft[i, x] < target[i, x]:
            return [*tokens[:i].tolist(), int(choose(residual(target[i], draft[i]), rng))]
    return [*tokens.tolist(), int(choose(target[-1], rng))]


def searchsorted(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Inverse CDF by searchsorted from the right, scaled by the CDF's own end."""

    def choose(row: Any, rng: Any) -> Any:
        cdf = np.cumsum(row)
        return np.searchsorted(cdf, rng.random() * cdf[-1], side="right")

    return _with_draw(choose, target, draft, tokens, rng)


def first_above(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Inverse CDF by argmax over booleans."""

    def choose(row: Any, rng: Any) -> Any:
        cdf = row.cumsum()
        return (cdf > rng.random() * cdf[-1]).argmax()

    return _with_draw(choose, target, draft, tokens, rng)


def number_below(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Inverse CDF by counting."""

    def choose(row: Any, rng: Any) -> Any:
        cdf = row.cumsum()
        return np.count_nonzero(cdf <= rng.random() * cdf[-1])

    return _with_draw(choose, target, draft, tokens, rng)


def first_nonzero(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Inverse CDF by flatnonzero."""

    def choose(row: Any, rng: Any) -> Any:
        cdf = row.cumsum()
        return np.flatnonzero(cdf > rng.uniform(0, cdf[-1]))[0]

    return _with_draw(choose, target, draft, tokens, rng)


def bisection(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Inverse CDF by bisect on a list."""

    def choose(row: Any, rng: Any) -> Any:
        cdf = list(itertools.accumulate(row))
        return bisect.bisect_right(cdf, rng.random() * cdf[-1])

    return _with_draw(choose, target, draft, tokens, rng)


def spent_coin(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Inverse CDF by taking masses off the coin until it is negative."""

    def choose(row: Any, rng: Any) -> Any:
        coin = rng.random() * sum(row)
        for token in np.flatnonzero(row).tolist():
            coin = coin - row[token]
            if coin < 0:
                return token
        return np.flatnonzero(row)[-1]

    return _with_draw(choose, target, draft, tokens, rng)


def from_the_top(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Inverse CDF over the reversed row."""

    def choose(row: Any, rng: Any) -> Any:
        return len(row) - 1 - pick(row[::-1], rng.random() * sum(row[::-1]))

    return _with_draw(choose, target, draft, tokens, rng)


def likeliest_first(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Inverse CDF over the sorted row, with the way back."""

    def choose(row: Any, rng: Any) -> Any:
        order = np.argsort(-row, kind="stable")
        return order[draw(row[order], rng)]

    return _with_draw(choose, target, draft, tokens, rng)


def shuffled_first(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Inverse CDF over a permuted row, with the way back."""

    def choose(row: Any, rng: Any) -> Any:
        order = rng.permutation(len(row))
        return order[draw(row[order], rng)]

    return _with_draw(choose, target, draft, tokens, rng)


def shuffled_in_place(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A list of the tokens is shuffled before the inverse CDF."""

    def choose(row: Any, rng: Any) -> Any:
        order = list(range(len(row)))
        rng.shuffle(order)
        return order[draw([row[token] for token in order], rng)]

    return _with_draw(choose, target, draft, tokens, rng)


def choice(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The generator's choice with the normalised row."""
    return _with_draw(lambda row, rng: rng.choice(len(row), p=row / row.sum()), target, draft, tokens, rng)


def choice_of_one(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The generator's choice from a list, with size and without replacement."""

    def choose(row: Any, rng: Any) -> Any:
        return rng.choice([*range(len(row))], size=1, replace=False, p=row / row.sum())[0]

    return _with_draw(choose, target, draft, tokens, rng)


def multinomial(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """One trial of a multinomial and the place of its one."""
    return _with_draw(lambda row, rng: rng.multinomial(1, row / row.sum()).argmax(), target, draft, tokens, rng)


def digitised(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """Inverse CDF by numpy's digitize."""

    def choose(row: Any, rng: Any) -> Any:
        cdf = np.cumsum(row)
        return np.digitize(rng.random() * cdf[-1], cdf)

    return _with_draw(choose, target, draft, tokens, rng)


def one_token_at_a_time(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The draw is a chain of coins, each with the odds of its token among those that are left."""

    def choose(row: Any, rng: Any) -> Any:
        support = [token for token in range(len(row)) if row[token] > 0]
        for i, token in enumerate(support[:-1]):
            if rng.random() * sum(row[other] for other in support[i:]) < row[token]:
                return token
        return support[-1]

    return _with_draw(choose, target, draft, tokens, rng)


def exponential_race(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The greatest of p / E."""

    def choose(row: Any, rng: Any) -> Any:
        return np.argmax(row / rng.exponential(size=len(row)))

    return _with_draw(choose, target, draft, tokens, rng)


def race_to_the_bottom(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The least of E / p, which is infinite for tokens of no mass."""

    def choose(row: Any, rng: Any) -> Any:
        with np.errstate(divide="ignore"):
            return (rng.standard_exponential(len(row)) / row).argmin()

    return _with_draw(choose, target, draft, tokens, rng)


def gumbel_race(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The greatest of log p + G."""

    def choose(row: Any, rng: Any) -> Any:
        with np.errstate(divide="ignore"):
            return np.argmax(np.log(row) + rng.gumbel(size=len(row)))

    return _with_draw(choose, target, draft, tokens, rng)


def race_of_logarithms(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The greatest of p / -log u over the support, for -log u is infinite at u = 0."""

    def choose(row: Any, rng: Any) -> Any:
        support = np.flatnonzero(row)
        with np.errstate(divide="ignore"):
            return support[np.argmax(row[support] / -np.log(rng.random(len(support))))]

    return _with_draw(choose, target, draft, tokens, rng)


def race_in_a_loop(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The race is run by comparing one pair after the other."""

    def choose(row: Any, rng: Any) -> Any:
        times = [(rng.exponential() / row[token], token) for token in np.flatnonzero(row).tolist()]
        best = times[0]
        for time in times[1:]:
            best = time if time[0] < best[0] else best
        return best[1]

    return _with_draw(choose, target, draft, tokens, rng)


RIGHT_DRAWS = (
    *entries(
        "lossless",
        searchsorted,
        first_above,
        number_below,
        first_nonzero,
        bisection,
        spent_coin,
        from_the_top,
        likeliest_first,
        shuffled_first,
        shuffled_in_place,
        choice,
        choice_of_one,
        multinomial,
        one_token_at_a_time,
        exponential_race,
        race_to_the_bottom,
        gumbel_race,
    ),
    *entries(
        "not biased",
        digitised,
        race_of_logarithms,
        race_in_a_loop,
    ),
)
