"""Block verification and its greedy variant by brute force, on ``Fraction``: every path, every coin kept or not.

Shares no code with the packages. Run it as ``python -m tests.block_enumeration`` to print the golden values.
"""

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

from tests.enumeration import NAMED, Row

Prefix = tuple[int, ...]
Process = Callable[[Prefix], Row]
Law = dict[Prefix, Fraction]
State = tuple[tuple[Fraction, Fraction, int], ...]  # of each call before: masses of target and draft, positions left
ZERO, ONE = Fraction(0), Fraction(1)


def _markov(*rows: str) -> Process:
    table = [tuple(map(Fraction, row.split())) for row in rows]
    return lambda prefix: table[1 + prefix[-1]] if prefix else table[0]


def always(row: Row) -> Process:
    return lambda prefix: row


PAIRS: dict[str, tuple[Process, Process, int]] = {
    name: (always(p), always(q), len(p)) for name, (p, q) in NAMED.items() if name != "R3"
} | {
    "M2": (_markov("1/2 1/2", "1/4 3/4", "2/3 1/3"), _markov("1/3 2/3", "3/4 1/4", "1/2 1/2"), 2),
    "M3": (
        _markov("1/2 1/3 1/6", "1/5 2/5 2/5", "0 1/2 1/2", "1/3 1/3 1/3"),
        _markov("1/6 1/3 1/2", "1/5 3/5 1/5", "1/2 1/2 0", "1/4 1/4 1/2"),
        3,
    ),
}


def paths(draft: Process, gamma: int, vocabulary: int, after: Prefix = ()) -> Iterator[tuple[Prefix, Fraction]]:
    for tokens in product(range(vocabulary), repeat=gamma):
        mass = ONE
        for i, x in enumerate(tokens):
            mass *= draft(after + tokens[:i])[x]
        if mass:
            yield tokens, mass


def coins(chances: list[Fraction]) -> Iterator[tuple[int, Fraction]]:
    """The number of accepted tokens, for every way in which the coins of positions 1 to gamma can fall."""
    for kept in product((False, True), repeat=len(chances)):
        mass = ONE
        for chance, falls in zip(chances, kept, strict=True):
            mass *= chance if falls else 1 - chance
        if mass:
            yield max((i + 1 for i, falls in enumerate(kept) if falls), default=0), mass


def normalised(weights: list[Fraction], otherwise: Row) -> Row:
    total = sum(weights)
    return tuple(w / total for w in weights) if total else otherwise


def block_call(target: Process, draft: Process, gamma: int, vocabulary: int) -> Law:
    law: Law = {}
    for tokens, mass in paths(draft, gamma, vocabulary):
        weights = [ONE]
        for i, x in enumerate(tokens):
            weights.append(min(ONE, weights[-1] * target(tokens[:i])[x] / draft(tokens[:i])[x]))
        chances = []
        for i in range(1, gamma + 1):
            if i == gamma:
                chances.append(weights[i])
            else:
                z = sum(_above(weights[i], target(tokens[:i]), draft(tokens[:i])))
                chances.append(ONE if z + 1 - weights[i] == 0 else z / (z + 1 - weights[i]))
        for tau, share in coins(chances):
            row = target(tokens[:tau])
            if tau < gamma:
                row = normalised(_above(weights[tau], row, draft(tokens[:tau])), row)
            _add(law, tokens[:tau], row, mass * share)
    return law


def greedy_call(
    target: Process, draft: Process, gamma: int, vocabulary: int, after: Prefix = (), state: State = ()
) -> dict[tuple[Prefix, State], Fraction]:
    """Law of what is emitted after `after` and of the state that it leaves, the state's layers applied one by one."""
    law: dict[tuple[Prefix, State], Fraction] = {}
    for tokens, mass in paths(draft, gamma, vocabulary, after):
        layers: list[State] = [(*state, (ONE, ONE, gamma))]
        for i, x in enumerate(tokens):
            layers.append(_moved(layers[i], target(after + tokens[:i]), draft(after + tokens[:i]), x))
        chances = []
        for i in range(1, gamma + 1):
            a, b, _ = layers[i][-1]
            if i == gamma:
                chances.append(min(ONE, a / b))
                continue
            p, q = (
                _through(layers[i][:-1], target(after + tokens[:i]), draft(after + tokens[:i])),
                draft(after + tokens[:i]),
            )
            over = sum(max(ZERO, a / b * x - y) for x, y in zip(p, q, strict=True))
            under = sum(max(ZERO, y - a / b * x) for x, y in zip(p, q, strict=True))
            chances.append(min(ONE, over / under) if under else ONE)
        for tau, share in coins(chances):
            here = after + tokens[:tau]
            if tau == gamma:
                for y, chance in enumerate(target(here)):
                    _put(law, ((*tokens, y), ()), mass * share * chance)
                continue
            for y, chance in enumerate(_through(layers[tau], target(here), draft(here))):
                if chance:
                    left = tuple(layer for layer in _moved(layers[tau], target(here), draft(here), y) if layer[2] > 0)
                    _put(law, ((*tokens[:tau], y), left), mass * share * chance)
    return law


def greedy_texts(target: Process, draft: Process, gammas: tuple[int, ...], vocabulary: int, length: int) -> Law:
    """Law of the first tokens of a text of some greedy calls, and of what the state makes of the target after them."""
    law: Law = {}
    pending: dict[tuple[Prefix, State, tuple[int, ...]], Fraction] = {((), (), gammas): ONE}
    while pending:
        (text, state, calls), mass = pending.popitem()
        if len(text) >= length:
            law[text[:length]] = law.get(text[:length], ZERO) + mass
        elif calls:
            for (piece, left), share in greedy_call(target, draft, calls[0], vocabulary, text, state).items():
                key = (text + piece, left, calls[1:])
                pending[key] = pending.get(key, ZERO) + mass * share
        else:
            for y, chance in enumerate(_through(state, target(text), draft(text))):
                left = tuple(layer for layer in _moved(state, target(text), draft(text), y) if layer[2] > 0)
                if chance:
                    key = ((*text, y), left, ())
                    pending[key] = pending.get(key, ZERO) + mass * chance
    return law


def process_law(process: Process, length: int, vocabulary: int) -> Law:
    return dict(paths(process, length, vocabulary))


def accepted(law: Law) -> Fraction:
    return sum(((len(e) - 1) * mass for e, mass in law.items()), ZERO)


def ceiling(target: Process, draft: Process, gamma: int, vocabulary: int) -> Fraction:
    total = ZERO
    for i in range(1, gamma + 1):
        p, q = process_law(target, i, vocabulary), process_law(draft, i, vocabulary)
        total += 1 - sum((abs(p.get(v, ZERO) - q.get(v, ZERO)) for v in p.keys() | q.keys()), ZERO) / 2
    return total


def _through(state: State, row: Row, below: Row) -> Row:
    for a, b, left in state:
        if left > 0:
            row = normalised([max(ZERO, a * p - b * q) for p, q in zip(row, below, strict=True)], row)
    return row


def _moved(state: State, row: Row, below: Row, token: int) -> State:
    """The layers one token later, each with the masses of the target that it was handed."""
    moved = []
    for at, (a, b, left) in enumerate(state):
        wanted, drafted = a * _through(state[:at], row, below)[token], b * below[token]
        scale = wanted + drafted
        moved.append((wanted / scale, drafted / scale, left - 1) if scale else (ZERO, ONE, left - 1))
    return tuple(moved)


def _above(weight: Fraction, p: Row, q: Row) -> list[Fraction]:
    return [max(ZERO, weight * a - b) for a, b in zip(p, q, strict=True)]


def _add(law: Law, before: Prefix, row: Row, mass: Fraction) -> None:
    for y, chance in enumerate(row):
        if mass * chance:
            law[*before, y] = law.get((*before, y), ZERO) + mass * chance


def _put(law: dict[tuple[Prefix, State], Fraction], key: tuple[Prefix, State], mass: Fraction) -> None:
    if mass:
        law[key] = law.get(key, ZERO) + mass


def main() -> None:
    for name, (target, draft, vocabulary) in PAIRS.items():
        for gamma in (1, 2, 3):
            law = block_call(target, draft, gamma, vocabulary)
            stops = [sum((m for e, m in law.items() if len(e) == i + 1), ZERO) for i in range(gamma + 1)]
            greedy = {e: ZERO for (e, _) in greedy_call(target, draft, gamma, vocabulary)}
            for (e, _), mass in greedy_call(target, draft, gamma, vocabulary).items():
                greedy[e] += mass
            best = ceiling(target, draft, gamma, vocabulary)
            print(f'    ("{name}", {gamma}): ("{accepted(law)}", "{" ".join(map(str, stops))}", "{accepted(greedy)}"),')
            if accepted(greedy) != best:
                raise SystemExit(f"the ceiling is {best}")


if __name__ == "__main__":
    main()
