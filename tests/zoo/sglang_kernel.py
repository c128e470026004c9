"""SGLang's kernel file by itself: importing the package around it needs many others.

Triton must have been imported with TRITON_INTERPRET=1 set, which `Adapter.prepare` sees to: its own functions would be
compiled ones otherwise, and every launch that calls one a crash that is not the kernel's.
"""

from importlib.util import find_spec, module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.zoo.records import Tensor, modules

__all__ = ["KERNEL", "launch"]

POISON = -7  # no token: a buffer that a launch does not write to shows


def _interpreted() -> None:
    standard, interpreter = modules(("triton.language.standard", "triton.runtime.interpreter"))
    if not isinstance(standard.sum, interpreter.InterpretedFunction):
        raise ImportError("Triton was imported without TRITON_INTERPRET=1; expected a fresh process that sets it.")


def _kernel() -> ModuleType:
    package = find_spec("sglang")
    if package is None or package.submodule_search_locations is None:
        raise ModuleNotFoundError("sglang is not installed; expected the environment of install.sh.", name="sglang")
    path = Path(package.submodule_search_locations[0]) / "kernels" / "ops" / "speculative" / "reject_sampling.py"
    spec = spec_from_file_location("sglang_reject_sampling", path)
    if spec is None or spec.loader is None:
        raise ModuleNotFoundError(f"{path} cannot be loaded.", name="sglang")
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


_interpreted()
KERNEL = _kernel()


def launch(target: Tensor, draft: Tensor, tokens: Tensor, rng: Any, block: bool) -> list[int]:
    """Launch the chain kernel for one request, and read the accepted tokens and the last one out of its buffers."""
    (torch,) = modules(("torch",))
    slots = len(tokens) + 1
    coins = torch.from_numpy(rng.coins((slots,), "float32"))
    candidates = torch.cat([tokens.new_zeros(1), tokens])[None].to(torch.int32)
    predicts, index = (torch.full(shape, POISON, dtype=torch.int32) for shape in ((slots,), (1, slots)))
    count = torch.full((1,), POISON, dtype=torch.int32)
    where = torch.arange(slots)[None]
    KERNEL.chain_speculative_sampling_triton(
        predicts, index, count, candidates, where, where, where, coins[None, :-1].contiguous(), coins[-1:].contiguous(),
        target[None].contiguous(), draft[None].contiguous(), 1.0, 1.0, True, block_verification=block,
    )  # fmt: skip
    return [int(token) for token in predicts[: int(count[0]) + 1]]
