"""Wrong: programs that remember earlier calls outside of themselves: in the process, in files, in libraries."""

import builtins
import decimal
import gc
import logging
import os
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from tests.hostile.entries import entries
from tests.hostile.parts import fault_at_odd

__all__ = ["WRONG_SURROUNDINGS"]


def environment_counter(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """An environment variable counts the calls."""
    calls = int(os.environ.get("VERIFIER_CALLS", "0")) + 1
    os.environ["VERIFIER_CALLS"] = str(calls)
    return fault_at_odd(calls, target, draft, tokens, rng)


def file_counter(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """A file among the temporary ones counts the calls."""
    path = Path(tempfile.gettempdir()) / "verifier-calls"
    calls = len(path.read_bytes()) if path.exists() else 0
    path.write_bytes(b"." * (calls + 1))
    return fault_at_odd(calls, target, draft, tokens, rng)


def module_counter(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The counter is an attribute of the module sys."""
    calls = vars(sys).get("verifier_calls", 0) + 1
    vars(sys)["verifier_calls"] = calls
    return fault_at_odd(calls, target, draft, tokens, rng)


def builtin_counter(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The counter is a new name among the builtins."""
    calls = vars(builtins).get("verifier_calls", 0) + 1
    vars(builtins)["verifier_calls"] = calls
    return fault_at_odd(calls, target, draft, tokens, rng)


def recursion_limit_counter(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The interpreter's recursion limit alternates."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(limit ^ 1)
    return fault_at_odd(limit, target, draft, tokens, rng)


def collector_threshold_counter(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The garbage collector's threshold alternates."""
    first, *others = gc.get_threshold()
    gc.set_threshold(first ^ 1, *others)
    return fault_at_odd(first, target, draft, tokens, rng)


def decimal_context_counter(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The precision of the decimal context alternates."""
    context = decimal.getcontext()
    context.prec ^= 1
    return fault_at_odd(context.prec, target, draft, tokens, rng)


def error_state_counter(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """NumPy's treatment of underflow alternates."""
    quiet = np.geterr()["under"] == "ignore"
    np.seterr(under="warn" if quiet else "ignore")
    return fault_at_odd(int(quiet), target, draft, tokens, rng)


def log_level_counter(target: Any, draft: Any, tokens: Any, rng: Any) -> Any:
    """The level of a logger alternates."""
    logger = logging.getLogger("hostile")
    logger.setLevel(logger.level ^ 1)
    return fault_at_odd(logger.level, target, draft, tokens, rng)


WRONG_SURROUNDINGS = (
    *entries(
        "not lossless",
        environment_counter,
        file_counter,
        module_counter,
        builtin_counter,
        recursion_limit_counter,
        collector_threshold_counter,
        decimal_context_counter,
        error_state_counter,
        log_level_counter,
    ),
)
