"""What a path of a verifier of tensors costs, beside one of arrays, and what a whole check costs.

Run it as ``python -m tests.benchmarks.torch_law`` in a clone, with ``OMP_NUM_THREADS=1``. Times are CPU seconds. A path
is counted once, and its time is that of the run and of its replays together. With Transformers installed its own
function is checked too.
"""

import importlib.util
import time
from collections.abc import Callable
from typing import Any

import torch

from proofs.checking import check
from tests.benchmarks.law import reference
from tests.zoo import load

__all__ = ["main"]

_ROWS = [("1/8", "3/8", "1/2")] * 3, [("1/2", "1/4", "1/4")] * 2
_REPEATS = 5


def by_position(target: Any, draft: Any, tokens: Any, rng: Any) -> list[Any]:
    """Verify a chain position by position."""
    for i, x in enumerate(tokens.tolist()):
        if torch.rand(()) * draft[i, x] >= target[i, x]:
            return [*tokens[:i].tolist(), torch.multinomial((target[i] - draft[i]).clamp(min=0), 1).item()]
    return [*tokens.tolist(), torch.multinomial(target[-1], 1).item()]


def at_once(target: Any, draft: Any, tokens: Any, rng: Any) -> list[Any]:
    """Verify a chain with one comparison of all positions."""
    places = torch.arange(len(tokens))
    ratio = target[places, tokens] / draft[places, tokens]
    kept = int((torch.rand_like(ratio) < ratio).long().cumprod(0).sum())
    row = target[kept] if kept == len(tokens) else (target[kept] - draft[kept]).clamp(min=0)
    return [*tokens[:kept].tolist(), torch.multinomial(row, 1).item()]


def _per_path(verify: Callable[..., Any], arithmetic: str) -> tuple[float, int]:
    """Return CPU milliseconds a path, the setting up of the explorer among them, and the number of paths."""
    options: dict[str, Any] = {"gamma": 2, "arithmetic": arithmetic, "shrink": False}
    check(verify, inputs=[_ROWS], **options)
    start = time.process_time()
    found = [check(verify, inputs=[_ROWS] * 8, **options) for _ in range(_REPEATS)]
    paths = sum(each.paths for each in found)
    return 1e3 * (time.process_time() - start) / paths, paths


def _whole(verify: Callable[..., Any], **options: Any) -> str:
    start = time.process_time()
    found = check(verify, arithmetic="torch.float32", shrink=False, **options)
    spent = time.process_time() - start
    return f"{spent:6.1f} s, {found.inputs} inputs, {found.paths} paths, {1e3 * spent / found.paths:.1f} ms a path"


def main() -> None:
    """Print the costs, and the ratio to arrays in the same run."""
    arrays, _ = _per_path(reference, "float64")
    print(f"arrays of float64            {arrays:6.2f} ms a path")
    for verify in (by_position, at_once):
        tensors, paths = _per_path(verify, "torch.float32")
        ratio = f"{tensors / arrays:.0f} times that ({paths} paths)"
        print(f"tensors, {verify.__name__:<19} {tensors:6.2f} ms a path, {ratio}")
    print(f"whole check, {by_position.__name__}, paths=1000: {_whole(by_position, paths=1000)}")
    if importlib.util.find_spec("transformers") is None:
        print("transformers is not installed: its function was not checked")
        return
    adapter = load("transformers_sampling")
    adapter.prepare()
    print(f"{adapter.name}, whole check, worst=True: {_whole(adapter.verify, worst=True)}")


if __name__ == "__main__":
    main()
