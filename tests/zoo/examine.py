"""All that is found about adapters: laws, verdicts, and what the packages' own generators make of them."""

from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from datetime import UTC, datetime
from importlib import metadata
from math import nan
from multiprocessing import get_context

from proofs.verdicts import Status
from tests.zoo import Adapter, load
from tests.zoo.confirm import Confirmation, confirm
from tests.zoo.golden import Record, record_of
from tests.zoo.inputs import EDGES, INPUTS, MOVING, Input, eighths
from tests.zoo.judge import Case, judge_case
from tests.zoo.records import Kind
from tests.zoo.simulate import simulate

__all__ = ["examine", "examined", "inputs_of", "on_nan"]

SEED = 20_231_130
LOOKS = 60  # calls on a row of NaN


def inputs_of(adapter: Adapter) -> Iterator[tuple[Input, int]]:
    """Yield the usual rows and the edge rows, at gamma 1 and 2; for those that are slow, not every pair of them.

    Rows that differ by position show the most: a slow one is tried on those at every gamma, on the others at one. One
    that is another's function over more rounds is tried on those alone.
    """
    yield from ((MOVING, gamma) for gamma in adapter.gammas)
    few = adapter.gammas[:1] if adapter.slow else adapter.gammas
    if adapter.judged is None:
        yield from ((rows, gamma) for gamma in few for rows in INPUTS if rows is not MOVING)
        edges = few[:1] if adapter.kind is Kind.LOOP else few[:2]
        yield from ((rows, gamma) for gamma in edges for rows in EDGES)


def on_nan(adapter: Adapter) -> list[str]:
    """Return what comes of a target row that is NaN: exceptions, tokens."""
    rows = Input("NaN", [(nan,) * 3], [eighths(4, 2, 2)])  # type: ignore[list-item]
    seen = {emitted for _, emitted in simulate(adapter, rows, 1, LOOKS, SEED)}
    tokens = "tokens" if any(isinstance(emitted, tuple) for emitted in seen) else None
    return sorted([emitted for emitted in seen if isinstance(emitted, str)] + ([tokens] if tokens else []))


def examine(adapter: Adapter, draws: int, seconds: float) -> Record:
    """Return the record of one adapter: laws, verdicts, and what its own generator makes of them.

    Parameters
    ----------
    adapter : Adapter
    draws : int
        For every case that is not lossless, or fewer:
    seconds : float
        after this time no more are made.
    """
    cases: list[Case] = []
    confirmed: dict[tuple[str, int], Confirmation] = {}
    for rows, gamma in inputs_of(adapter):
        case = judge_case(adapter, rows, gamma)
        cases.append(case)
        if case.status is not Status.LOSSLESS:
            confirmed[rows.name, gamma] = confirm(adapter, rows, case, draws, seconds, SEED)
    record = record_of(adapter, cases, confirmed, on_nan(adapter))
    return {**record, "torch": metadata.version("torch"), "run": f"{datetime.now(UTC):%Y-%m-%d}"}


def examined(keys: Sequence[str], draws: int, seconds: float, jobs: int = 1) -> Iterator[Record]:
    """Yield the records of adapters in order; with several jobs, in so many fresh processes."""
    if jobs == 1:
        yield from (_of_key(key, draws, seconds) for key in keys)
        return
    with ProcessPoolExecutor(jobs, get_context("spawn")) as pool:
        yield from pool.map(_of_key, keys, [draws] * len(keys), [seconds] * len(keys))


def _of_key(key: str, draws: int, seconds: float) -> Record:
    return examine(load(key), draws, seconds)
