"""The hostile suite itself: its size, that every program runs, that the right are right and the wrong are wrong."""

import itertools
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.hostile.branching import distance
from tests.hostile.entries import Entry, caged
from tests.hostile.parts import draw
from tests.hostile.right import RIGHT
from tests.hostile.wrong import WRONG
from tests.hostile.wrong_engine import WRONG_ENGINE
from tests.hostile.wrong_objects import WRONG_OBJECTS
from tests.hostile.wrong_state import WRONG_STATE
from tests.hostile.wrong_surroundings import WRONG_SURROUNDINGS
from tests.hostile.wrong_watchers import WRONG_WATCHERS

Law = dict[tuple[int, ...], float]

ROWS = np.array([[1, 3, 4], [4, 2, 2], [2, 4, 2], [4, 1, 3], [0, 5, 3], [8, 0, 0]]) / 8

SEVENTHS = np.array([[1, 2, 4], [0, 3, 4], [3, 4, 0], [4, 2, 1], [3, 1, 3]]) / 7

# Rows by position. The first has two tokens in its residual; the second has zeros on either side.
INPUTS = {
    "plain": (ROWS[[0, 3, 2]], ROWS[[1, 2]]),
    "edges": (ROWS[[4, 0, 5]], ROWS[[3, 4]]),
    "equal": (ROWS[[0, 0, 0]], ROWS[[0, 1]]),
    "sevenths": (SEVENTHS[[0, 1, 2]], SEVENTHS[[3, 4]]),
}


class _Enough(BaseException):
    pass


class _Finite(np.random.Generator):
    """A generator that has no more than a hundred uniforms."""

    drawn = 0

    def random(self, *args: Any, **kwargs: Any) -> Any:
        self.drawn += 1
        if self.drawn > 100:
            raise _Enough
        return super().random(*args, **kwargs)


@pytest.fixture(autouse=True)
def _cage(tmp_path: Path) -> Iterator[None]:
    with caged(tmp_path):
        yield


def _call(entry: Entry, gamma: int, rng: np.random.Generator, rows: str = "plain") -> Any:
    target, draft = (row.copy() for row in INPUTS[rows])
    drafter = entry.drafter or (lambda prefix, row, rng: draw(row, rng))
    tokens: list[int] = []
    for row in draft[:gamma]:
        tokens.append(drafter(tuple(tokens), row, rng))
    return tokens, entry.verify(target[: gamma + 1], draft[:gamma], np.array(tokens, dtype=np.int64), rng)


def _named(table: tuple[Entry, ...]) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("entry", [pytest.param(entry, id=entry.name) for entry in table])


def test_tables_are_large_enough() -> None:
    assert len(WRONG) >= 40
    assert len(RIGHT) >= 40
    assert sum(entry.expectation == "biased" for entry in WRONG) >= 20
    assert sum(entry.expectation == "lossless" for entry in RIGHT) >= 30


def test_names_are_unique() -> None:
    assert [name for name, n in Counter(entry.name for entry in (*WRONG, *RIGHT)).items() if n > 1] == []


def test_no_program_is_left_out() -> None:
    listed = {entry.name for entry in (*WRONG, *RIGHT)}
    written = {
        name
        for path in Path(__file__).parent.glob("*_*.py")
        if not path.name.startswith(("test_", "torch_"))
        for name, value in vars(__import__(f"tests.hostile.{path.stem}", fromlist=["x"])).items()
        if getattr(value, "__module__", "") == f"tests.hostile.{path.stem}" and not name.startswith("_")
    }
    assert written - listed == set()


def test_entries_are_complete() -> None:
    assert {entry.expectation for entry in WRONG} == {"biased", "not lossless"}
    assert {entry.expectation for entry in RIGHT} == {"lossless", "not biased"}
    for entry in (*WRONG, *RIGHT):
        assert entry.why.endswith("."), entry.name
        assert "\n" not in entry.why, entry.name
        assert set(entry.gamma) <= {1, 2}, entry.name
        assert callable(entry.verify), entry.name


@_named((*WRONG, *RIGHT))
def test_program_runs_with_a_real_generator(entry: Entry, tmp_path: Path) -> None:
    for gamma in (1, 2):
        _run_once(entry, gamma)
    assert {path.name for path in tmp_path.iterdir()} <= {"verifier-calls"}


def _run_once(entry: Entry, gamma: int) -> None:
    bits = np.random.PCG64(gamma)
    rng = _Finite(bits) if entry.endless else np.random.Generator(bits)
    allowed = _Enough if entry.endless else BaseException if entry.raises else ()
    try:
        tokens, emitted = _call(entry, gamma, rng)
    except allowed:
        return
    getattr(emitted, "close", lambda: None)()  # a coroutine that nobody waits for complains
    if entry.result:
        _held_to_the_contract(emitted, tokens, changes_tokens=entry in WRONG or entry.name == "writes_when_done")


def _held_to_the_contract(emitted: Any, tokens: list[int], *, changes_tokens: bool) -> None:
    found = [int(x) for x in emitted if x != -1]
    assert 1 <= len(found) <= len(tokens) + 1
    assert all(0 <= x < 3 for x in found)
    assert changes_tokens or found[:-1] == tokens[: len(found) - 1]


def _law(entry: Entry, rows: str, gamma: int, calls: int) -> Law:
    """Return the law on gamma + 1 tokens from `calls` calls, the completion by the target exactly."""
    rng = np.random.default_rng(7)
    law: Law = dict.fromkeys(itertools.product(range(3), repeat=gamma + 1), 0.0)
    for _ in range(calls):
        emitted = tuple(int(x) for x in _call(entry, gamma, rng, rows)[1] if x != -1)
        for rest in itertools.product(range(3), repeat=gamma + 1 - len(emitted)):
            weight = np.prod([INPUTS[rows][0][len(emitted) + i, x] for i, x in enumerate(rest)])
            law[emitted + rest] += float(weight) / calls
    return law


def _distance(entry: Entry, rows: str, gamma: int, calls: int) -> float:
    """Return the total variation between a sampled law and the target's own; infinite for a token of no mass."""
    total = 0.0
    for sequence, mass in _law(entry, rows, gamma, calls).items():
        expected = float(np.prod([INPUTS[rows][0][i, x] for i, x in enumerate(sequence)]))
        if mass > 0 == expected:
            return float("inf")
        total += abs(mass - expected) / 2
    return total


# What a small enumerator cannot follow: special numbers, logarithms, races, other sources, endless retries.
SAMPLED = {
    "not_a_number_rejects",
    "unreachable_nonsense",
    "patient_retries",
    "exponential_race",
    "race_to_the_bottom",
    "gumbel_race",
    "logarithms",
    "digitised",
    "race_of_logarithms",
    "race_in_a_loop",
    "unused_exponentials",
    "races_for_all_rows",
    "one_row_of_noise_for_either_end",
    "permuted_coins",
    "filled_buffer",
    "fresh_generator",
    "global_generator",
    "python_generator",
    "python_choices",
    "child_generator",
    "raw_bits",
    "random_bytes",
    "beta_coins",
    "dirichlet_race",
    "decimals",
    "not_a_number_where_equal",
}

# Their mass lies on a coin of exactly 0, which has no probability but in floats.
AT_ZERO = {"smallest_coin_passes_in_floats", "searches_from_the_left_in_floats"}


def test_sampled_programs_are_entries() -> None:
    assert {entry.name for entry in (*WRONG, *RIGHT)} >= SAMPLED | AT_ZERO


@_named(tuple(entry for entry in RIGHT if entry.name not in SAMPLED))
def test_right_program_has_the_law_of_the_target_exactly(entry: Entry) -> None:
    assert [distance(entry.verify, 1, start) for start in (2, 3, 4, 6)] == [0] * 4
    assert [distance(entry.verify, 2, start) for start in (0, 5)] == [0] * 2


@_named(tuple(entry for entry in WRONG if entry.expectation == "biased" and entry.name not in SAMPLED | AT_ZERO))
def test_biased_program_has_another_law_exactly(entry: Entry) -> None:
    tried = ((gamma, start) for gamma in (1, 2) for start in range(8))
    assert any(distance(entry.verify, gamma, start, entry.drafter) > 0 for gamma, start in tried)


@_named(tuple(entry for entry in RIGHT if entry.name in SAMPLED))
@pytest.mark.parametrize("rows", ["plain", "edges"])
def test_right_program_is_near_the_target_in_life(entry: Entry, rows: str) -> None:
    assert _distance(entry, rows, 2, 1000) < 0.08


@_named(tuple(entry for entry in WRONG if entry.expectation == "biased" and entry.name in SAMPLED))
def test_biased_program_is_far_from_the_target_in_life(entry: Entry) -> None:
    assert _distance(entry, "equal", 2, 1000) > 0.3


@_named((*WRONG_ENGINE, *WRONG_WATCHERS, *WRONG_STATE, *WRONG_SURROUNDINGS, *WRONG_OBJECTS))
def test_program_is_wrong_when_nobody_watches(entry: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.split(".")[0] == "proofs"]:
        monkeypatch.delitem(sys.modules, name)
    assert _distance(entry, "plain", 2, 120) > 0.15


class _Constant(np.random.Generator):
    """A generator whose uniforms are all the same."""

    coin = 0.0

    def random(self, size: Any = None, dtype: Any = float, out: Any = None) -> Any:
        if out is not None:
            out[...] = self.coin
        return self.coin if size is None else np.full(size, self.coin)

    def uniform(self, low: Any = 0.0, high: Any = 1.0, size: Any = None) -> Any:
        return low + (high - low) * self.random(size)


@_named(tuple(entry for entry in WRONG if entry.name in AT_ZERO))
def test_smallest_coin_emits_a_token_of_no_mass(entry: Entry) -> None:
    target, draft = np.array([[0.0, 1], [0, 1]]), np.array([[1.0, 0]])
    assert entry.verify(target, draft, np.array([0]), _Constant(np.random.PCG64(1)))[0] == 0


# Retries with a constant coin never end.
@_named(tuple(entry for entry in RIGHT if entry.name != "patient_retries"))
def test_right_program_gives_tokens_of_some_mass_at_either_end_of_the_coin(entry: Entry) -> None:
    for rows, coin in itertools.product(["edges", "equal", "sevenths"], [0.0, 1 - 2**-53]):
        target, draft = INPUTS[rows]
        rng = _Constant(np.random.PCG64(2))
        rng.coin = coin
        for tokens in itertools.product(*map(np.flatnonzero, draft)):
            emitted = entry.verify(target.copy(), draft.copy(), np.array(tokens), rng)
            assert all(-1 <= x < 3 for x in emitted)
            assert all(target[i, x] > 0 for i, x in enumerate(emitted) if x != -1), (rows, coin, tokens)
