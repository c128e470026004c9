"""Exact odds of a race of exponentials in closed form: fresh noise, and noise that one earlier race has used."""

from typing import TypeAlias

from proofs.engine.cones import Bounds, Id, TooHard
from proofs.engine.weights import ONE, ZERO, Weight

__all__ = ["Weights", "first_of_fresh", "last_of_fresh", "second_race"]

Weights: TypeAlias = dict[Id, Weight]  # positive


def first_of_fresh(racing: Weights) -> Weights:
    """Odds of each id to have the smallest E_i / w_i when nothing is known: its share of the weight."""
    total = _total(racing)
    return {i: w / total for i, w in racing.items()}


def second_race(bounds: Bounds, racing: Weights) -> Weights:
    """Odds of a race with weights r where one id x is known to bound others, E_i >= q_i E_x, and q_x = 1.

    Such bounds are what a race with weights q leaves behind that x has won. Let A = E_x, B = E_y / r_y be the
    times of both winners, c = B / A, t_i = q_i / r_i and S(c) = sum max(q_i, c r_i). All others are later than
    either, the density is r_y exp(-A S(c)), and c lies between t_y and t_x, which is infinite where r_x is zero:

        Pr(y | x) = sum(q) r_y * integral of S(c)^-2 from t_y to t_x   (y != x),      Pr(x | x) = sum(q) / S(t_x).

    S is linear between the t_i; they are visited downwards.
    """
    ((x, row),) = bounds.items()
    earlier: Weights = {**row, x: ONE}
    mass = _total(earlier)
    level = _total({i: q for i, q in earlier.items() if i not in racing})
    slope = _total(racing)
    turns = sorted(((earlier.get(i, ZERO) / r, i) for i, r in racing.items()), reverse=True, key=lambda pair: pair[0])
    odds: Weights = {}
    area, upper = ZERO, None
    for turn, i in turns:
        here = level + slope * turn
        if i == x:
            odds[i] = mass / here
            upper = turn
        elif upper is not None:
            area += (upper - turn) / (here * (level + slope * upper))
            odds[i], upper = mass * racing[i] * area, turn
        elif x not in racing:  # the first turn, from infinity
            area = ONE / (here * slope)
            odds[i], upper = mass * racing[i] * area, turn
        level, slope = level + earlier.get(i, ZERO), slope - racing[i]
    return {i: odds[i] for i in racing if odds.get(i, ZERO) > ZERO}


def last_of_fresh(racing: Weights, winner: Id, limit: int) -> Weight:
    """Probability that `winner` is last when nothing is known: the integral of w exp(-w t) prod (1 - exp(-w_i t)).

    The product is kept as a sum of signed exponentials by their rates, where equal rates meet.
    """
    terms: dict[Weight, int] = {ZERO: 1}
    left = limit
    for i, rate in racing.items():
        if i == winner:
            continue
        left -= len(terms)
        if left < 0:
            raise TooHard(
                f"the last of {len(racing)} exponentials takes more than limit={limit} steps; "
                "try a smaller vocabulary or a greater limit."
            )
        for power, sign in list(terms.items()):
            terms[power + rate] = terms.get(power + rate, 0) - sign
    own = racing[winner]
    return sum((sign * own / (own + power) for power, sign in terms.items()), start=ZERO)


def _total(weights: Weights) -> Weight:
    return sum(weights.values(), start=ZERO)
