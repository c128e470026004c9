"""The inputs that every verifier is tried on: named ones, edge families, rows that depend on prefix and position."""

import itertools
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import partial
from itertools import combinations_with_replacement, pairwise, product
from typing import NamedTuple

from proofs.inputs import Input, Table
from proofs.sequences import Prefix, Row

__all__ = ["DOUBLE", "HALF", "SINGLE", "Dependent", "Fineness", "beyond", "core", "dyadic"]

_BATCH = 100


class Fineness(NamedTuple):
    """What the floats that a verifier is handed can hold.

    Attributes
    ----------
    steps : int
        Rows that are no dyadic fractions become multiples of 1 / steps.
    tiny : Fraction
        Of small masses and differences: below the thresholds and epsilons that code is written with.
    """

    steps: int
    tiny: Fraction


DOUBLE = Fineness(4096, Fraction(1, 2**40))  # and real numbers
SINGLE = Fineness(4096, Fraction(1, 2**20))  # float32 holds these; 8 or 10 bits do not
HALF = Fineness(64, Fraction(1, 2**6))  # float16 and bfloat16

Pair = tuple[Row, Row]


def _row(*counts: int) -> Row:
    total = sum(counts)
    return tuple(Fraction(count, total) for count in counts)


# By number of tokens: pairs with one and with several tokens in the residual. Two and three tokens alone hide faults.
_NAMED: dict[int, dict[str, Pair]] = {
    2: {"I2": (_row(1, 2), _row(2, 1))},
    3: {"I3": (_row(3, 2, 1), _row(1, 2, 3)), "B0": (_row(1, 3, 4), _row(2, 1, 1))},
    4: {"I5": (_row(4, 3, 2, 1), _row(1, 2, 3, 4))},
}


def _families(size: int, tiny: Fraction) -> dict[str, Pair]:
    """Return the edge cases of a vocabulary: the rows where a ratio, a residual or a support is special."""
    ramp, back = _row(*range(1, size + 1)), _row(*range(size, 0, -1))
    first, last = _row(1, *[0] * (size - 1)), _row(*[0] * (size - 1), 1)
    found = {"equal rows": (ramp, ramp), "ramp against its reverse": (ramp, back), **_NAMED.get(size, {})}
    if size == 1:
        return {"one token": (first, first)}
    half = size // 2
    low = _row(*range(1, half + 1), *[0] * (size - half))
    high = _row(*[0] * half, *range(1, size - half + 1))
    found |= {
        "disjoint supports": (high, low),
        "disjoint supports, exchanged": (low, high),
        "one-hot target": (last, back),
        "one-hot draft": (ramp, first),
        "one-hot both, equal": (last, last),
        "one-hot both, different": (first, last),
        "draft without a token": (ramp, _row(0, *range(2, size + 1))),
        "target without a token": (_row(0, *range(2, size + 1)), back),
    }
    turned = _row(1, *range(3, size + 2))
    found["draft turned by one token"] = (turned, _turned(turned, -1))
    found |= _small_masses(size, tiny)
    if size > 1:
        peaked = _row(1, *[16] * (size - 2), 1024 - 1 - 16 * (size - 2)) if size < 60 else ramp
        found["peaked target"] = (peaked, _row(2, *[1] * (size - 1)))
    if size > 2:
        # Kept in part, with several tokens in the residual: what a stop between two positions needs to show.
        found["one token drafted far too often"] = (_row(3, 3, *range(2, size)), _row(2 * size, *[1] * (size - 1)))
        found["each without a token"] = (_row(*range(1, size), 0), _row(0, *range(size, 1, -1)))
    return found


def _small_masses(size: int, tiny: Fraction) -> dict[str, Pair]:
    """Return pairs with masses and differences that a floor or an epsilon of somebody's code decides about."""
    even = dyadic(_row(*[1] * size), 64 if tiny == HALF.tiny else DOUBLE.steps)
    target = (tiny, *even[1:-1], even[-1] + even[0] - tiny)
    draft = (even[0] + even[-1] - tiny, *even[1:-1], tiny)
    near = (even[0] + tiny, *even[1:-1], even[-1] - tiny)
    kept_by_half = (
        (tiny / 2, *even[1:-1], even[-1] + even[0] - tiny / 2),
        (tiny, *even[1:-1], even[-1] + even[0] - tiny),
    )
    return {
        "small masses": (target, draft),
        "small masses, kept by half": kept_by_half,
        "rows that hardly differ": (near, even),
    }


def dyadic(row: Row, steps: int = DOUBLE.steps) -> Row:
    """Return a row close to `row` with probabilities k/steps: zeros, ties and order stay, floats hold it exactly.

    Rows that are dyadic already stay as they are, where floats of any kind that has so many steps hold them.
    """
    most = 2 * steps if steps < DOUBLE.steps else 2**60
    if all(x.denominator & (x.denominator - 1) == 0 and x.denominator <= most for x in row):
        return row
    counts = [max(int(x * steps), int(x > 0)) for x in row]
    by_need = sorted(range(len(row)), key=lambda at: counts[at] - row[at] * steps)
    for at in range(steps - sum(counts)):
        counts[by_need[at % len(row)]] += 1
    while sum(counts) > steps:
        counts[max(range(len(row)), key=lambda at: counts[at])] -= 1
    return tuple(Fraction(count, steps) for count in counts)


def _turned(row: Row, by: int) -> Row:
    by %= len(row)
    return row[by:] + row[:by]


class Dependent:
    """Rows of which each prefix and each position has another one, so that a stale row shows.

    Parameters
    ----------
    rows : sequence of rows
    weights : (by token, by position)
        How far a row is turned for each token before it, and how many rows further a position is.
    """

    def __init__(self, rows: Sequence[Row], weights: tuple[int, int]) -> None:
        self._rows = rows
        self._weights = weights

    def __call__(self, prefix: Prefix) -> Row:
        """Return the row after `prefix`."""
        by_token, by_position = self._weights
        row = self._rows[(len(prefix) * by_position) % len(self._rows)]
        return _turned(row, by_token * sum(prefix) + len(prefix))


def core(gamma: int, vocabulary: int, *, exact: bool, fineness: Fineness = DOUBLE) -> list[Input]:
    """Return the core battery, which is run whole or the verdict is unverified.

    Parameters
    ----------
    gamma : int
    vocabulary : int
        1 or more.
    exact : bool
        Whether rows may be any fractions; otherwise mostly they are multiples of 1/4096.
    fineness : Fineness
        Of the floats that have to hold them.
    """
    fit = (lambda row: row) if exact else partial(dyadic, steps=fineness.steps)
    found = _families(vocabulary, fineness.tiny)
    families = {name: (fit(p), fit(q)) for name, (p, q) in found.items()}
    inputs = [Input(name, Table(p), Table(q), gamma, vocabulary) for name, (p, q) in families.items()]
    if gamma == 0:
        return inputs
    targets, drafts = [p for p, _ in families.values()], [q for _, q in families.values()]
    inner = [(p, q) for p, q in families.values() if all(p) and all(q) and p != q]
    inputs += [
        _by_position("rows that depend on the position", inner or [(targets[0], drafts[0])], gamma, vocabulary),
        _by_position("edge rows by position", list(families.values())[::-1], gamma, vocabulary),
    ]
    for name, pairs in (("inner", inner), ("edge", list(families.values()))):
        if pairs and vocabulary > 1:
            p, q = Dependent([p for p, _ in pairs], (1, 1)), Dependent([q for _, q in pairs], (2, 1))
            inputs.append(Input(f"{name} rows that depend on the prefix", p, q, gamma, vocabulary))
    return inputs


def _by_position(name: str, pairs: Sequence[Pair], gamma: int, vocabulary: int) -> Input:
    chosen = [pairs[at % len(pairs)] for at in range(gamma + 1)]
    turned = [(_turned(p, at // len(pairs)), _turned(q, at // len(pairs))) for at, (p, q) in enumerate(chosen)]
    target, draft = tuple(p for p, _ in turned), tuple(q for _, q in turned[:gamma])
    return Input(name, Table(target), Table(draft), gamma, vocabulary)


def beyond(
    gammas: Sequence[int],
    vocabularies: Sequence[int],
    *,
    exact: bool,
    fineness: Fineness = DOUBLE,
    drawn: bool = True,
) -> Iterator[Input]:
    """Yield inputs beyond the core battery: a hundred of a grid (k/6, k/8), a hundred that Hypothesis draws, and so on.

    The order is fixed: how far a run goes is counted in paths. Without what is drawn the grid is all, and comes to
    an end.
    """
    grid = _grid_inputs(gammas, 3, 6 if exact else 8) if 3 in vocabularies else iter(())
    sizes = [size for size in vocabularies if size > 1]
    if not drawn:
        yield from grid
        return
    for seed in itertools.count():
        yield from itertools.islice(grid, _BATCH)
        if not sizes:
            return
        fit = (lambda row: row) if exact else partial(dyadic, steps=fineness.steps)
        yield from _drawn_inputs(gammas, sizes, seed, fit)


def _grid_rows(size: int, steps: int) -> list[Row]:
    cuts = combinations_with_replacement(range(steps + 1), size - 1)
    edges = [(0, *cut, steps) for cut in cuts]
    return [tuple(Fraction(b - a, steps) for a, b in pairwise(e)) for e in edges]


def _grid_inputs(gammas: Sequence[int], size: int, steps: int) -> Iterator[Input]:
    rows = _grid_rows(size, steps)
    pairs = [(p, q) for p in rows for q in rows]
    stride = 101  # prime, and no divisor of the number of pairs: neighbours in the list are far apart on the grid
    for at, gamma in product(range(len(pairs)), gammas):
        chosen = [pairs[(at * stride + place * 211) % len(pairs)] for place in range(gamma + 1)]
        target, draft = tuple(p for p, _ in chosen), tuple(q for _, q in chosen[:gamma])
        yield Input(f"grid k/{steps}", Table(target), Table(draft), gamma, size)


def _drawn_inputs(gammas: Sequence[int], sizes: Sequence[int], seed: int, fit: Callable[[Row], Row]) -> Iterator[Input]:
    """Let Hypothesis draw a batch of inputs; nothing of it runs while a verifier does."""
    from hypothesis import HealthCheck, Phase, given, settings
    from hypothesis import seed as seeded
    from hypothesis import strategies as st

    from proofs.strategies import distributions

    found: list[Input] = []

    @seeded(seed)
    @settings(
        max_examples=_BATCH, database=None, deadline=None, phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )  # fmt: skip
    @given(st.data())
    def draw(data: st.DataObject) -> None:
        gamma, size = data.draw(st.sampled_from(list(gammas))), data.draw(st.sampled_from(list(sizes)))
        row = partial(data.draw, distributions(size).map(fit))
        depth = st.lists(st.integers(1, size), min_size=2, max_size=2)
        by_token, by_position = data.draw(depth)
        target = Dependent([row() for _ in range(gamma + 1)], (by_token, by_position))
        draft = Dependent([row() for _ in range(gamma + 1)], (by_position, by_token))
        found.append(Input("drawn by Hypothesis", target, draft, gamma, size))

    draw()
    yield from found
