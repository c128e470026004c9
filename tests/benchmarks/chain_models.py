"""The law of the block that a chain of drafts emits: our engine, our rule, and three peers' models by hand.

Target and draft are first-order Markov chains. Every model drafts a token, keeps it or not, and stops at the first
that is not kept; none uses that the law is known, or that two prefixes with one last token go on alike. A peer's
package is imported when its model is asked for.
"""

import importlib
import pickle
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Sequence
from fractions import Fraction
from math import lcm
from pathlib import Path
from typing import Any, NamedTuple

from proofs.engine.choices import Arithmetic
from proofs.engine.exploration import Explorer, Run

__all__ = ["MODELS", "Block", "BlockLaw", "Chain", "markov_chain", "prism_program", "sampler"]

Block = tuple[int, ...]
Row = tuple[Fraction, ...]
BlockLaw = dict[Block, Fraction]

MOST_PATHS = 10**9
ALL = Fraction(0)  # by default dyce drops branches that are lighter than 2^-23


class Chain(NamedTuple):
    """Rows by last token, and how many tokens are drafted.

    Attributes
    ----------
    target, draft : tuple of V rows
    gamma : int
    """

    target: tuple[Row, ...]
    draft: tuple[Row, ...]
    gamma: int

    def keep(self, last: int, token: int) -> Fraction:
        """Return the probability that a drafted token is kept."""
        return min(Fraction(1), self.target[last][token] / self.draft[last][token])

    def residual(self, last: int) -> Row:
        """Return the law of the token in place of one that was not kept."""
        gains = [max(p - q, Fraction(0)) for p, q in zip(self.target[last], self.draft[last], strict=True)]
        return tuple(gain / sum(gains) for gain in gains)


def markov_chain(vocabulary: int, gamma: int) -> Chain:
    """Return a chain over `vocabulary` tokens whose rows are all positive, no two alike; token 0 came last."""
    states = range(vocabulary)
    target = tuple(_row([2 + (3 * x + 5 * s + x * s) % 7 for x in states]) for s in states)
    draft = tuple(_row([1 + (4 * x + 2 * s + x * x) % 9 for x in states]) for s in states)
    return Chain(target, draft, gamma)


def _row(weights: Sequence[int]) -> Row:
    return tuple(Fraction(w, sum(weights)) for w in weights)


# --- ours: the sampler itself


def sampler(chain: Chain, number: Callable[[Fraction], Any] = Fraction) -> Callable[[Any], Block]:
    """Return the sampler as one writes it for ``numpy.random.Generator``, over rational numbers of any class."""
    target, draft = (tuple(tuple(map(number, row)) for row in rows) for rows in (chain.target, chain.draft))
    states, gamma = range(len(target)), chain.gamma
    keep = tuple(tuple(number(chain.keep(last, token)) for token in states) for last in states)
    residual = tuple(tuple(map(number, chain.residual(last))) for last in states)
    size = len(target)

    def block(rng: Any) -> Block:
        emitted: list[int] = []
        last = 0
        for _ in range(gamma):
            token = rng.choice(size, p=draft[last])
            if rng.random() >= keep[last][token]:
                return (*emitted, rng.choice(size, p=residual[last]))
            emitted.append(token)
            last = token
        return (*emitted, rng.choice(size, p=target[last]))

    return block


class _WithoutReplay(Explorer):
    """An explorer that believes what it sees: for the price of the replay, and for nothing else."""

    def _replay(self, program: Any, path: Any, outcome: Any) -> None: ...


def _ours(chain: Chain, explorer: type[Explorer] = Explorer, number: Callable[[Fraction], Any] = Fraction) -> BlockLaw:
    program = sampler(chain, number)

    def run_once(run: Run) -> Block:
        return program(run.rng)

    with explorer((program,)) as at_work:
        found = at_work.explore(run_once, Arithmetic.EXACT, max_paths=MOST_PATHS)
    if found.missing or found.marks:
        raise RuntimeError(f"the engine leaves mass {found.missing} and {len(found.marks)} marks; expected none")
    return dict(found)


def _ours_mpq(chain: Chain) -> BlockLaw:
    return _ours(chain, number=importlib.import_module("gmpy2").mpq)


def _without_replay(chain: Chain) -> BlockLaw:
    return _ours(chain, _WithoutReplay, importlib.import_module("gmpy2").mpq)


def _chain_rule(chain: Chain) -> BlockLaw:
    """Return the law as the rule's own module has it, from the rows."""
    chain_rule = importlib.import_module("proofs.chain_rule")

    def after(rows: tuple[Row, ...]) -> Callable[[Block], Row]:
        return lambda prefix: rows[prefix[-1] if prefix else 0]

    found = chain_rule.emitted_law(after(chain.target), after(chain.draft), chain.gamma)
    return {block: Fraction(mass.p, mass.q) for block, mass in found.items()}


# --- icepool: dice in dice


def _whole(row: Sequence[Fraction]) -> list[int]:
    """Return a row as integer weights, which is what dice have."""
    denominator = lcm(*(share.denominator for share in row))
    return [int(share * denominator) for share in row]


def _icepool(chain: Chain) -> BlockLaw:
    icepool: Any = importlib.import_module("icepool")

    def die(row: Row) -> Any:
        return icepool.Die({token: weight for token, weight in enumerate(_whole(row)) if weight})

    target, draft = [list(map(die, rows)) for rows in (chain.target, chain.draft)]
    residual = [die(chain.residual(last)) for last in range(len(target))]

    def after(emitted: Block) -> Any:
        last = emitted[-1] if emitted else 0
        if len(emitted) == chain.gamma:
            return target[last].map(lambda token: (*emitted, token))
        return draft[last].map(lambda token: kept_or_not(emitted, last, token))

    def kept_or_not(emitted: Block, last: int, token: int) -> Any:
        keep = chain.keep(last, token)
        kept = after((*emitted, token))
        if keep == 1:
            return kept
        replaced = residual[last].map(lambda other: (*emitted, other))
        return icepool.Die([kept, replaced], times=[keep.numerator, keep.denominator - keep.numerator])

    found = after(())
    return {tuple(block): Fraction(weight, found.denominator()) for block, weight in found.items()}


# --- dyce: histograms in histograms


def _dyce(chain: Chain) -> BlockLaw:
    dyce: Any = importlib.import_module("dyce")

    def histogram(row: Row) -> Any:
        return dyce.H({token: weight for token, weight in enumerate(_whole(row)) if weight})

    target, draft = [list(map(histogram, rows)) for rows in (chain.target, chain.draft)]
    residual = [histogram(chain.residual(last)) for last in range(len(target))]
    coins = {
        keep: dyce.H({1: keep.numerator, 0: keep.denominator - keep.numerator})
        for last in range(len(target))
        for token in range(len(target))
        if (keep := chain.keep(last, token)) != 1
    }

    def after(emitted: Block) -> Any:
        last = emitted[-1] if emitted else 0
        if len(emitted) == chain.gamma:
            return target[last].apply(lambda token: (*emitted, token))
        return dyce.expand(
            lambda drafted: kept_or_not(emitted, last, drafted.outcome), draft[last], min_path_probability=ALL
        )

    def kept_or_not(emitted: Block, last: int, token: int) -> Any:
        keep = chain.keep(last, token)
        if keep == 1:
            return after((*emitted, token))
        return dyce.expand(
            lambda coin: chosen(emitted, last, token, coin.outcome), coins[keep], min_path_probability=ALL
        )

    def chosen(emitted: Block, last: int, token: int, kept: int) -> Any:
        return after((*emitted, token)) if kept else residual[last].apply(lambda other: (*emitted, other))

    found = after(())
    return {block: Fraction(weight, found.total) for block, weight in found.items()}


# --- Storm: a Markov chain in the language of PRISM, its exact engine


def prism_program(chain: Chain) -> str:
    """Return the model: tokens t0.. (-1: none yet), n of them; phase 0 drafts, 1 decides, 2 has ended, 3 is after."""
    size, gamma = len(chain.target), chain.gamma
    variables = [f"t{i} : [-1..{size - 1}] init -1;" for i in range(gamma + 1)]
    variables += [f"x : [0..{size - 1}] init 0;", f"last : [0..{size - 1}] init 0;"]
    variables += [f"n : [0..{gamma + 1}] init 0;", "phase : [0..3] init 0;"]
    commands = [line for last in range(size) for line in _commands(chain, last)]
    return "\n".join(["dtmc", "module chain", *variables, *commands, _ended(gamma), "endmodule"])


def _commands(chain: Chain, last: int) -> list[str]:
    gamma = chain.gamma
    drafts = [f"{share} : (x'={x}) & (phase'=1)" for x, share in enumerate(chain.draft[last])]
    bonus = [f"{share} : (t{gamma}'={y}) & {_END}" for y, share in enumerate(chain.target[last])]
    lines = [
        f"[] phase=0 & n<{gamma} & last={last} -> {' + '.join(drafts)};",
        f"[] phase=0 & n={gamma} & last={last} -> {' + '.join(bonus)};",
    ]
    for n in range(gamma):
        for x in range(len(chain.target)):
            keep = chain.keep(last, x)
            options = [f"{keep} : (t{n}'={x}) & (last'={x}) & (n'=n+1) & (x'=0) & (phase'=0)"]
            if keep != 1:
                replaced = [((1 - keep) * share, y) for y, share in enumerate(chain.residual(last)) if share]
                options += [f"{share} : (t{n}'={y}) & {_END}" for share, y in replaced]
            lines.append(f"[] phase=1 & n={n} & last={last} & x={x} -> {' + '.join(options)};")
    return lines


def _ended(gamma: int) -> str:
    forgotten = " & ".join(f"(t{i}'=-1)" for i in range(gamma + 1))
    return f"[] phase=2 -> (phase'=3) & {forgotten};\n[] phase=3 -> true;"


# What is no part of the block is forgotten, so that one block is one state.
_END = "(n'=0) & (x'=0) & (last'=0) & (phase'=2)"


def _stormpy(chain: Chain) -> BlockLaw:
    stormpy: Any = importlib.import_module("stormpy")
    return _solved(stormpy, prism_program(chain), chain.gamma)


def _solved(stormpy: Any, program: str, gamma: int) -> BlockLaw:
    """Return how often each ended block is met, which is once or never."""
    with tempfile.TemporaryDirectory() as directory:
        path = Path(directory) / "chain.prism"
        path.write_text(program, encoding="ascii")
        parsed = stormpy.parse_prism_program(str(path))
    options = stormpy.BuilderOptions()
    options.set_build_state_valuations()
    model = stormpy.build_model[stormpy.Rational](parsed, options=options)
    visits = stormpy.analysis.compute_expected_number_of_visits(model).get_value_vector()
    variables = {variable.name: variable for variable in model.state_valuations.get_all_variables()}
    names = ["phase", *(f"t{i}" for i in range(gamma + 1))]
    phases, *tokens = (model.state_valuations.get_int64_values(variables[name]) for name in names)
    return {
        tuple(token for token in block if token != -1): Fraction(str(visit))
        for visit, phase, *block in zip(visits, phases, *tokens, strict=True)
        if phase == 2
    }


# Name: the package that it needs beyond the project, and the model. The first is what others are measured by.
MODELS: dict[str, tuple[str, Callable[[Chain], BlockLaw]]] = {
    "proofs.law, rows of mpq": ("gmpy2", _ours_mpq),
    "proofs.law, rows of Fraction": ("gmpy2", _ours),
    "proofs.law, mpq, no replay": ("gmpy2", _without_replay),
    "proofs.chain_rule": ("sympy", _chain_rule),
    "icepool": ("icepool", _icepool),
    "dyce": ("dyce", _dyce),
    "stormpy, exact engine": ("stormpy", _stormpy),
}


def main(name: str, vocabulary: str, gamma: str, path: str) -> int:
    """Run one model and leave (CPU seconds, law) in a file; the import of its package is not counted."""
    package, model = MODELS[name]
    importlib.import_module(package)
    chain = markov_chain(int(vocabulary), int(gamma))
    warnings.simplefilter("ignore")  # dyce says that expand is experimental
    start = time.process_time()
    law = model(chain)
    seconds = time.process_time() - start
    Path(path).write_bytes(pickle.dumps((seconds, law)))
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
