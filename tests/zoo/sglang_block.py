"""SGLang's chain kernel under the Triton interpreter, verification by block: coins are arguments."""

from typing import Any

from tests.zoo.records import Tensor, modules

NAME = "SGLang chain_speculative_sampling_triton, by block"
PACKAGE = "sglang==0.5.23"
IMPORTS = ("tests.zoo.sglang_kernel",)
HEAVY = True
KIND = "rows"
ARITHMETIC = "torch.float32"
GAMMAS = (1, 2)
CLAIM = "lossless"
SLOW = True
PROBES = 16


def verify(target: Tensor, draft: Tensor, tokens: Tensor, rng: Any) -> list[int]:
    (kernel,) = modules(IMPORTS)
    return list(kernel.launch(target, draft, tokens, rng, block=True))
