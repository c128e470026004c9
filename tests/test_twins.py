"""Twin modules: the same functions of rows with the same parameters."""

import importlib
import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
TWINS = sorted(
    {path.stem for path in (ROOT / "specdec").glob("*_rule.py")}
    | {path.stem for path in (ROOT / "proofs").glob("*_rule.py")}
    | {"distributions", "efficiency", "block_pair", "lossy_rules", "lossy_reports", "target_rows"}
)
# What one twin alone has: laws of whole processes (exact) and what serves a batch (fast), held equal by `agreement`.
ALONE: dict[str, set[str]] = {
    "chain_rule": {"accepted_law", "block_efficiency", "emitted_law", "expected_accepted", "prefix_probability"},
    "block_rule": {"accepted_law", "emitted_law", "expected_accepted"},
    "match_rule": {"emitted_law", "expected_accepted", "greedy_process"},
    "gumbel_rule": {"emitted_law", "expected_accepted"},
    "sibling_rule": {"recursive_joint", "set_law"},
    "target_rows": {"transform_process"},
}


def _functions(package: str, module: str) -> dict[str, Callable[..., Any]]:
    twin = importlib.import_module(f"{package}.{module}")
    return {name: getattr(twin, name) for name in twin.__all__ if inspect.isfunction(getattr(twin, name))}


def _parameters(function: Callable[..., Any]) -> list[tuple[str, Any, Any]]:
    kinds = (inspect.Parameter.KEYWORD_ONLY,)
    parameters = inspect.signature(function).parameters.values()
    return [(p.name, p.kind, p.default) for p in parameters if p.kind not in kinds]


@pytest.mark.parametrize("module", TWINS)
def test_twins_have_the_same_functions(module: str) -> None:
    fast, exact = _functions("specdec", module), _functions("proofs", module)
    assert fast.keys() ^ exact.keys() == ALONE.get(module, set())
    assert fast.keys() & exact.keys()
    for name in fast.keys() & exact.keys():
        assert _parameters(fast[name]) == _parameters(exact[name]), name


@pytest.mark.parametrize("module", TWINS)
def test_keyword_only_parameters_are_the_fast_twins_alone(module: str) -> None:
    for function in _functions("proofs", module).values():
        assert all(p.kind is not p.KEYWORD_ONLY for p in inspect.signature(function).parameters.values())


def test_token_rule_is_a_twin() -> None:
    assert "token_rule" in TWINS
