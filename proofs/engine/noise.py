"""Ideal exponential noise that is compared more than once: exact odds given all that was seen before.

A program draws independent Exp(1) variables E_i and compares positive multiples of them. A race argmax(w / E) is
won by the id whose E_i / w_i is *first*, argmax(E / w) by the *last*; argmax(log w + Gumbel) is the former. Every
outcome says E_i >= c E_j for some pairs, so that the history of a path is a set of such bounds, and the odds of
the next outcome are a quotient of two probabilities of `proofs.engine.cones`. Ties have probability zero.

Three cases need no cone: ids that nothing is known about; a race whose ids are known from one earlier race at
most (a draft's noise used again); and noise that no outcome connects is independent and never looked at.
"""

from collections.abc import Container, Iterable, Mapping
from typing import NoReturn, Self

from proofs.engine.cones import Bounds, Edge, Id, TooHard, probability, product, tightened
from proofs.engine.races import Weights, first_of_fresh, last_of_fresh, second_race
from proofs.engine.weights import ONE, ZERO, Weight, weight

__all__ = ["LIMIT", "Noise", "TooHard"]

LIMIT = 200_000  # steps for one probability: a second or two


class Noise:
    """What one path knows about its exponential noise; never changed, an outcome makes a new one.

    Variables go by any hashable id and need no announcement. Weights and factors count at their exact value; an
    infinity or NaN raises what `proofs.engine.weights.weight` raises. Nothing known, all ids are independent.

    Parameters
    ----------
    limit : int
        Greatest number of steps (variables and shared bounds looked at, over all cases) for one probability.
        Beyond it the odds raise `TooHard`; the same question on the same history always does the same.
    """

    __slots__ = ("_known", "_limit")

    def __init__(self, limit: int = LIMIT) -> None:
        self._limit = limit
        self._known: dict[Id, _Known] = {}

    def odds_first(self, weights: Mapping[Id, Weight]) -> dict[Id, Weight]:
        """Return the probability of each id to have the smallest E_i / w_i, given the history.

        Parameters
        ----------
        weights : mapping from id to a weight >= 0, one of them positive
            An id of weight zero never wins, and nothing is learnt about it.

        Returns
        -------
        dict
            Positive probabilities that sum to one, in the order of `weights`; impossible ids are left out.

        Raises
        ------
        ValueError
            If a weight is negative or none is positive.
        TooHard
            If the history is too entangled for the limit.
        """
        racing = _racing(weights)
        known = self._about(racing)
        simple = _simple_odds(known, racing)
        return self._odds(known, {i: _first(racing, i) for i in racing}) if simple is None else simple

    def odds_last(self, weights: Mapping[Id, Weight]) -> dict[Id, Weight]:
        """Return the probability of each id to have the largest E_i / w_i, given the history.

        Parameters
        ----------
        weights : mapping from id to a weight > 0
            E_i / 0 would be infinite: leave such ids out, or decide between them, before asking.

        Returns
        -------
        dict
            Positive probabilities that sum to one, in the order of `weights`; impossible ids are left out.

        Raises
        ------
        ValueError
            If a weight is not positive or there is none.
        TooHard
            If there are too many ids, or the history is too entangled, for the limit.
        """
        racing = _all_positive(weights)
        known = self._about(racing)
        if not known:
            return {i: last_of_fresh(racing, i, self._limit) for i in racing}
        return self._odds(known, {i: _last(racing, i) for i in racing})

    def odds_at_least(self, i: Id, c: Weight, j: Id) -> Weight:
        """Return the probability that E_i >= c E_j, c > 0, given the history.

        One or zero where the history decides, or where `i` is `j`.

        Raises
        ------
        ValueError
            If `c` is not positive.
        TooHard
            If the history is too entangled for the limit.
        """
        factor = _factor(c)
        if i == j:
            return ONE if factor <= ONE else ZERO
        racing = {i: factor, j: ONE}  # E_i >= c E_j: j wins
        known = self._about(racing)
        odds = _simple_odds(known, racing)
        if odds is None:
            odds = self._odds(known, {j: _first(racing, j), i: _first(racing, i)}, wanted=(j,))
        return odds.get(j, ZERO)

    def first(self, weights: Mapping[Id, Weight], winner: Id) -> Self:
        """Return the history with the outcome that `winner` has the smallest E_i / w_i.

        Raises
        ------
        ValueError
            If the weights are none (`odds_first` says which), or the outcome has probability zero.
        """
        racing = _racing(weights)
        _check_winner(racing, winner)
        return self._after(_first(racing, winner), f"{winner!r} first")

    def last(self, weights: Mapping[Id, Weight], winner: Id) -> Self:
        """Return the history with the outcome that `winner` has the largest E_i / w_i.

        Raises
        ------
        ValueError
            If the weights are none (`odds_last` says which), or the outcome has probability zero.
        """
        racing = _all_positive(weights)
        _check_winner(racing, winner)
        return self._after(_last(racing, winner), f"{winner!r} last")

    def at_least(self, i: Id, c: Weight, j: Id) -> Self:
        """Return the history with the outcome E_i >= c E_j, c > 0.

        Raises
        ------
        ValueError
            If `c` is not positive or the outcome has probability zero.
        """
        factor, name = _factor(c), f"E[{i!r}] >= {c} E[{j!r}]"
        return self._of_one(factor <= ONE, name) if i == j else self._after([(i, factor, j)], name)

    def less(self, i: Id, c: Weight, j: Id) -> Self:
        """Return the history with the outcome E_i < c E_j, c > 0.

        Raises
        ------
        ValueError
            If `c` is not positive or the outcome has probability zero.
        """
        factor, name = _factor(c), f"E[{i!r}] < {c} E[{j!r}]"
        return self._of_one(factor > ONE, name) if i == j else self._after([(j, ONE / factor, i)], name)

    def _of_one(self, possible: bool, name: str) -> Self:
        if not possible:
            _impossible(name)
        return self

    def _about(self, ids: Iterable[Id]) -> list["_Known"]:
        """Return what is known about any of the ids, each piece once."""
        found = {id(known): known for known in map(self._known.get, ids) if known is not None}
        return list(found.values())

    def _odds(
        self,
        known: "list[_Known]",
        outcomes: Mapping[Id, list[Edge]],
        wanted: Container[Id] | None = None,
    ) -> Weights:
        """Return the odds of outcomes, one of which must come: of those that are `wanted`, and possible."""
        joined = _joined(known)
        after = ((i, tightened(joined, edges)) for i, edges in outcomes.items())
        cones = {i: bounds for i, bounds in after if bounds is not None}
        if len(cones) == 1:
            return dict.fromkeys(cones, ONE)
        before = product(piece.mass(self._limit) for piece in known)
        return {
            i: probability(bounds, self._limit) / before for i, bounds in cones.items() if wanted is None or i in wanted
        }

    def _after(self, edges: list[Edge], name: str) -> Self:
        if not edges:  # a race of one
            return self
        ids = dict.fromkeys(i for high, _, low in edges for i in (high, low))
        known = self._about(ids)
        bounds = tightened(_joined(known), edges)
        if bounds is None:
            _impossible(name)
        piece = _Known(bounds)
        result = type(self)(self._limit)
        result._known = self._known | dict.fromkeys(piece.members, piece)
        return result


class _Known:
    """Bounds that hang together, the ids in them, and their probability once it has been asked for."""

    __slots__ = ("_mass", "bounds", "members")

    def __init__(self, bounds: Bounds) -> None:
        self.bounds = bounds
        self.members = dict.fromkeys(i for low, row in bounds.items() for i in (low, *row))
        self._mass: Weight | None = None

    def mass(self, limit: int) -> Weight:
        if self._mass is None:
            self._mass = probability(self.bounds, limit)
        return self._mass


def _joined(known: list[_Known]) -> Bounds:
    return {low: row for piece in known for low, row in piece.bounds.items()}


def _simple_odds(known: list[_Known], racing: Weights) -> Weights | None:
    """Return the odds to be first where they need no cone."""
    if not known:
        return first_of_fresh(racing)
    if len(known) == 1 and len(known[0].bounds) == 1:
        return second_race(known[0].bounds, racing)
    return None


def _first(racing: Weights, winner: Id) -> list[Edge]:
    own = racing[winner]
    return [(i, w / own, winner) for i, w in racing.items() if i != winner]


def _last(racing: Weights, winner: Id) -> list[Edge]:
    own = racing[winner]
    return [(winner, own / w, i) for i, w in racing.items() if i != winner]


def _racing(weights: Mapping[Id, Weight]) -> Weights:
    """Return the positive weights, exact."""
    exact: Weights = {i: weight(w) for i, w in weights.items()}
    for i, w in exact.items():
        if w < ZERO:
            raise ValueError(f"weights[{i!r}] is {w}; expected a weight >= 0.")
    racing = {i: w for i, w in exact.items() if w > ZERO}
    if not racing:
        raise ValueError(f"weights has no positive weight among {len(exact)}: nobody can win; expected one at least.")
    return racing


def _all_positive(weights: Mapping[Id, Weight]) -> Weights:
    racing = _racing(weights)
    for i in weights:
        if i not in racing:
            raise ValueError(f"weights[{i!r}] is 0, so that E / 0 is infinite; expected weights > 0: leave it out.")
    return racing


def _factor(c: Weight) -> Weight:
    factor = weight(c)
    if factor <= ZERO:
        raise ValueError(f"c is {factor}; expected a factor > 0: with any other the answer is no question of chance.")
    return factor


def _check_winner(racing: Weights, winner: Id) -> None:
    if winner not in racing:
        raise ValueError(f"winner is {winner!r}; expected one of the {len(racing)} ids with a positive weight.")


def _impossible(name: str) -> NoReturn:
    raise ValueError(f"the outcome {name} has probability zero after this history; expected one with positive odds.")
