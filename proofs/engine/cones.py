"""The exact probability that independent Exp(1) variables satisfy given bounds E_i >= c E_j.

The bounds cut a cone out of the positive orthant, and its probability is an integral of exp(-sum E) that is
always rational:

- A variable that bounds nobody else is integrated out first and leaves a factor exp(-r max_j c_j E_j) of its
  lower bounds behind, a *cap* here. With one lower bound left that only raises the rate of another variable:
  this is memorylessness.
- Two variables are done by a sweep over z = E_2 / E_1: the exponent is A + B z between the points where a cap
  turns, and the integral of (A + B z)^-2 is rational.
- With three or more, one variable x is chosen, the caps that x is in are cut into the cases who attains them,
  and x is integrated between its bounds, from the lower ones to infinity less from the upper ones to infinity.
  The second term has a cap exp(-r min_j c_j E_j). Rates stay positive, so that no logarithm ever appears.

Counting the linear extensions of an order is the special case of unit weights, so there are histories that no
method does quickly: the work is counted, and refused beyond a limit.
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, NamedTuple, TypeAlias

from proofs.engine.weights import ONE, ZERO, Weight

__all__ = ["Bounds", "Edge", "Id", "TooHard", "probability", "product", "tightened"]

Id: TypeAlias = Any  # hashable; Hashable would not accept dictionaries by narrower keys
Bounds: TypeAlias = dict[Id, dict[Id, Weight]]  # bounds[j][i] = c: E_i >= c E_j; closed, no empty row
Edge: TypeAlias = tuple[Id, Weight, Id]  # (i, c, j): E_i >= c E_j

_Shape: TypeAlias = tuple[bool, tuple[tuple[Id, Weight], ...]]  # is it a max; coefficients, the first is 1

# The recursion goes one level deeper for each variable that bounds others and is bounded: far beyond what the
# limit of work allows, but the interpreter's stack must never be what decides.
_DEEPEST = 40


class TooHard(ValueError):
    """An exact probability would take more work than the limit allows."""


def tightened(bounds: Bounds, edges: Iterable[Edge]) -> Bounds | None:
    """Add bounds to closed bounds and close them again.

    Parameters
    ----------
    bounds : Bounds
        Closed: whatever follows from two bounds is there as well. Not changed.
    edges : iterable of (i, c, j)
        E_i >= c E_j with i != j and c > 0.

    Returns
    -------
    Bounds or None
        None if no more than a set of probability zero satisfies them all.
    """
    result = {low: dict(row) for low, row in bounds.items()}
    for high, factor, low in edges:
        if result.get(high, {}).get(low, ZERO) * factor >= ONE:  # round a cycle: at best an equality
            return None
        if result.get(low, {}).get(high, ZERO) < factor:
            _tighten(result, high, factor, low)
    return result


def _tighten(bounds: Bounds, high: Id, factor: Weight, low: Id) -> None:
    above = {high: factor} | {i: factor * c for i, c in bounds.get(high, {}).items()}
    below = {low: ONE} | {j: row[low] for j, row in bounds.items() if low in row}
    for j, c in below.items():
        row = bounds.setdefault(j, {})
        for i, d in above.items():
            if i != j and c * d > row.get(i, ZERO):
                row[i] = c * d


def probability(bounds: Bounds, limit: int) -> Weight:
    """Return the exact probability that independent Exp(1) variables satisfy `bounds`.

    Parameters
    ----------
    bounds : Bounds
        Closed and possible, as `tightened` returns them. Without bounds the probability is one.
    limit : int
        Greatest number of steps: variables and caps looked at, over all cases.

    Returns
    -------
    Weight
        Positive.

    Raises
    ------
    TooHard
        If the limit does not suffice. It depends on the bounds alone, never on the machine or on earlier calls.
    """
    variables = dict.fromkeys(i for low, row in bounds.items() for i in (low, *row))
    return _Integral(limit).over(_Cone(dict.fromkeys(variables, ONE), bounds, {}))


class _Cone(NamedTuple):
    """An integral of exp(-sum_i rate_i E_i - sum of caps) over the variables within their bounds."""

    rates: dict[Id, Weight]
    bounds: Bounds
    caps: dict[_Shape, Weight]  # caps of one shape add up: their rates do

    def key(self) -> tuple[frozenset[object], ...]:
        bounds = frozenset((j, i, c) for j, row in self.bounds.items() for i, c in row.items())
        return frozenset(self.rates.items()), bounds, frozenset(self.caps.items())

    def within(self, kept: set[Id]) -> "_Cone":
        """Return the part on `kept`, that no cap connects with the rest."""
        caps = {shape: rate for shape, rate in self.caps.items() if shape[1][0][0] in kept}
        return _Cone({i: r for i, r in self.rates.items() if i in kept}, _restricted(self.bounds, kept), caps)

    def lower(self, x: Id) -> dict[Id, Weight]:
        return {j: row[x] for j, row in self.bounds.items() if x in row}


def _restricted(bounds: Bounds, kept: set[Id]) -> Bounds:
    """Return closed bounds without some variables: closed, they lose nothing by it."""
    rows = ((j, {i: c for i, c in row.items() if i in kept}) for j, row in bounds.items() if j in kept)
    return {j: row for j, row in rows if row}


def _put_cap(cone: _Cone, is_max: bool, coefficients: Mapping[Id, Weight]) -> None:
    """Multiply by exp(-max or -min of c_i E_i); changes rates and caps of `cone`."""
    entries = _deciding(cone.bounds, is_max, coefficients)
    if len(entries) == 1:
        ((i, rate),) = entries.items()
        cone.rates[i] += rate
    elif entries:
        names = [i for i in cone.rates if i in entries]  # one order, so that equal shapes meet
        scale = entries[names[0]]
        shape = is_max, tuple((i, entries[i] / scale) for i in names)
        cone.caps[shape] = cone.caps.get(shape, ZERO) + scale


def _deciding(bounds: Bounds, is_max: bool, terms: Mapping[Id, Weight]) -> dict[Id, Weight]:
    """Return the terms that are not below (for a min: above) another one throughout the cone."""
    out = set()
    for low in terms:
        for high, c in bounds.get(low, {}).items():
            if high in terms and c * terms[high] >= terms[low]:
                out.add(low if is_max else high)
    return {i: c for i, c in terms.items() if i not in out}


class _Integral:
    """One probability: counts its work, and remembers the integrals that come up again within it."""

    def __init__(self, limit: int) -> None:
        self._limit, self._left = limit, limit
        self._known: dict[tuple[frozenset[object], ...], Weight] = {}

    def over(self, cone: _Cone) -> Weight:
        factor = ONE
        while tops := self._tops(cone):
            factor, cone = factor * product(cone.rates[x] for x in tops), _peeled(cone, tops)
        if len(cone.rates) > 2:
            return self._remembered(cone) / factor
        return (_sweep(cone) if cone.rates else ONE) / factor

    def _tops(self, cone: _Cone) -> list[Id]:
        """Return the variables that bound nobody and are in no cap."""
        self._charge(cone)
        capped = {i for _, entries in cone.caps for i, _ in entries}
        return [x for x in cone.rates if x not in cone.bounds and x not in capped]

    def _charge(self, cone: _Cone) -> None:
        self._left -= len(cone.rates) + len(cone.caps)
        if self._left < 0:
            raise TooHard(
                f"an exact probability on shared exponential noise takes more than limit={self._limit} steps; "
                "try a smaller vocabulary or a greater limit."
            )

    def _remembered(self, cone: _Cone) -> Weight:
        key = cone.key()
        if key not in self._known:
            parts = [cone.within(group) for group in _groups(cone)]
            self._known[key] = product(map(self.over, parts)) if len(parts) > 1 else self._by_cases(cone)
        return self._known[key]

    def _by_cases(self, cone: _Cone) -> Weight:
        if len(cone.rates) > _DEEPEST:
            raise TooHard(
                f"shared exponential noise with {len(cone.rates)} variables that bound one another both ways; "
                f"expected at most {_DEEPEST}: try a smaller vocabulary."
            )
        x = _easiest(cone)
        return sum((self._without(case, x) for case in self._cases(cone, x)), start=ZERO)

    def _cases(self, cone: _Cone, x: Id) -> Iterator[_Cone]:
        """Cut the cone by who attains the caps that x is in."""
        stack = [cone]
        while stack:
            case = stack.pop()
            self._charge(case)
            shape = next((shape for shape in case.caps if any(i == x for i, _ in shape[1])), None)
            if shape is None:
                yield case
            else:
                stack.extend(_settled(case, shape))

    def _without(self, cone: _Cone, x: Id) -> Weight:
        """Integrate over x, which is in no cap."""
        rate, rest = cone.rates[x], cone.within(set(cone.rates) - {x})
        lower = {j: rate * c for j, c in cone.lower(x).items()}
        value = self.over(_with_cap(rest, True, lower))
        if x in cone.bounds:
            upper = {i: rate / c for i, c in cone.bounds[x].items()}
            value -= self.over(_with_cap(rest, False, upper))
        return value / rate


def product(values: Iterable[Weight]) -> Weight:
    """Return the product, one if there are none."""
    result = ONE
    for value in values:
        result *= value
    return result


def _with_cap(cone: _Cone, is_max: bool, coefficients: Mapping[Id, Weight]) -> _Cone:
    result = _Cone(dict(cone.rates), cone.bounds, dict(cone.caps))
    _put_cap(result, is_max, coefficients)
    return result


def _peeled(cone: _Cone, tops: list[Id]) -> _Cone:
    """Integrate out variables that bound nobody and are in no cap, all at once."""
    lower: dict[Id, dict[Id, Weight]] = {x: {} for x in tops}
    for j, row in cone.bounds.items():
        for x in row.keys() & lower.keys():
            lower[x][j] = cone.rates[x] * row[x]
    result = cone.within(set(cone.rates) - set(tops))
    for x in tops:
        _put_cap(result, True, lower[x])
    return result


def _groups(cone: _Cone) -> list[set[Id]]:
    """Return the variables by what connects them: bounds and caps."""
    links = [{j, *row} for j, row in cone.bounds.items()]
    links += [{i for i, _ in entries} for _, entries in cone.caps]
    groups: list[set[Id]] = []
    for link in [*links, *({i} for i in cone.rates)]:
        apart = [group for group in groups if group.isdisjoint(link)]
        groups = [*apart, link.union(*(group for group in groups if not group.isdisjoint(link)))]
    return groups


def _easiest(cone: _Cone) -> Id:
    """Return the variable in the fewest caps, with the fewest bounds."""

    def cost(x: Id) -> tuple[int, int]:
        caps = sum(len(entries) for _, entries in cone.caps if any(i == x for i, _ in entries))
        return caps, len(cone.lower(x)) + len(cone.bounds.get(x, ()))

    return min(cone.rates, key=cost)


def _settled(cone: _Cone, shape: _Shape) -> Iterator[_Cone]:
    """Return the possible cases which term of a cap attains it."""
    is_max, entries = shape
    for i, c in entries:
        pairs = [(j, d) for j, d in entries if j != i]
        edges = [(i, d / c, j) for j, d in pairs] if is_max else [(j, c / d, i) for j, d in pairs]
        bounds = tightened(cone.bounds, edges)
        if bounds is not None:
            yield _rebuilt(cone, bounds)


def _rebuilt(cone: _Cone, bounds: Bounds) -> _Cone:
    """Return the cone within narrower bounds, where some terms of its caps decide nothing any more."""
    result = _Cone(dict(cone.rates), bounds, {})
    for (is_max, entries), rate in cone.caps.items():
        _put_cap(result, is_max, {i: rate * c for i, c in entries})
    return result


def _sweep(cone: _Cone) -> Weight:
    """Integrate over two variables: the integral of S(z)^-2, S the exponent at E_1 = 1, E_2 = z."""
    one, two = cone.rates
    start: Weight = cone.bounds.get(one, {}).get(two, ZERO)
    back: Weight = cone.bounds.get(two, {}).get(one, ZERO)
    level, slope = cone.rates[one], cone.rates[two]
    turns = []
    for (is_max, ((_, c), (_, d))), rate in cone.caps.items():
        here, there = rate * c, rate * d
        if is_max:
            level += here
            turns.append((c / d, -here, there))
        else:
            slope += there
            turns.append((c / d, here, -there))
    # Every turn lies inside the bounds: otherwise one term decided alone, and there were no cap.
    total: Weight = ZERO
    for turn, more_level, more_slope in sorted(turns, key=lambda entry: entry[0]):
        total += (turn - start) / ((level + slope * start) * (level + slope * turn))
        start, level, slope = turn, level + more_level, slope + more_slope
    # To the end 1 / back, which is infinite where back is zero.
    return total + (ONE - start * back) / ((level + slope * start) * (level * back + slope))
