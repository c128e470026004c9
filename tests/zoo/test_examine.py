"""Which inputs an adapter is judged on, and what a row of NaN comes to."""

from dataclasses import replace
from typing import Any

import pytest

from tests.zoo import KEYS, fakes, load
from tests.zoo.__main__ import _chosen, _parser
from tests.zoo.examine import examined, inputs_of, on_nan
from tests.zoo.inputs import EDGES
from tests.zoo.records import Adapter, Kind


def _pairs(adapter: Adapter) -> list[tuple[str, int]]:
    return [(rows.name, gamma) for rows, gamma in inputs_of(adapter)]


def test_usual_rows_and_edge_rows_at_both_gammas() -> None:
    pairs = _pairs(fakes.fake(fakes.token_rule))
    assert {("B0", 1), ("B0", 2), ("moving", 1), ("moving", 2)} < set(pairs)
    assert {(rows.name, gamma) for rows in EDGES for gamma in (1, 2)} < set(pairs)
    assert len(pairs) == len(set(pairs)) == 4 + 2 * len(EDGES)


def test_slow_ones_are_tried_on_fewer() -> None:
    pairs = _pairs(replace(fakes.fake(fakes.token_rule), slow=True))
    assert pairs == [("moving", 1), ("moving", 2), ("B0", 1), *((rows.name, 1) for rows in EDGES)]


def test_more_rounds_of_another_are_tried_on_moving_rows() -> None:
    adapter = replace(fakes.fake(fakes.loop, Kind.LOOP), judged=4)
    assert _pairs(adapter) == [("moving", 1), ("moving", 2)]


def test_every_adapter_is_tried_at_gamma_1_and_2() -> None:
    for key in KEYS:
        assert {("moving", 1), ("moving", 2)} <= set(_pairs(load(key)))


def test_row_of_nan() -> None:
    def sometimes(target: Any, draft: Any, tokens: Any, rng: Any) -> list[int]:
        if int(tokens[0]):
            raise LookupError("only now and then")
        return [0]

    assert on_nan(fakes.fake(fakes.token_rule)) == ["RuntimeError"]
    assert on_nan(fakes.fake(fakes.emits_drafts)) == ["RuntimeError"]
    assert on_nan(fakes.fake(sometimes)) == ["LookupError", "tokens"]


@pytest.mark.parametrize("jobs", [1, 2])
def test_what_goes_wrong_in_a_process_is_raised_here(jobs: int) -> None:
    with pytest.raises(ModuleNotFoundError, match="no_such_adapter"):
        list(examined(["no_such_adapter"], 1, 1.0, jobs))


def test_quick_run_leaves_the_slow_ones_out() -> None:
    options = _parser().parse_args(["--light", "--quick"])
    keys = _chosen(options)
    assert "economize_chain" in keys
    assert "lucidrains_rounds" not in keys
    assert not any(load(key).slow or load(key).heavy for key in keys)
    assert {key for key in _chosen(_parser().parse_args(["--light"])) if not load(key).slow} == set(keys)
