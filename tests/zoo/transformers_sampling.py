"""Transformers' _speculative_sampling: logits of one request."""

from typing import Any

from tests.zoo.records import Tensor, modules

NAME = "Transformers _speculative_sampling"
PACKAGE = "transformers==5.24.0"
IMPORTS = ("torch", "transformers.generation.utils")
HEAVY = False
KIND = "rows"
ARITHMETIC = "torch.float32"
GAMMAS = (1, 2)
CLAIM = "lossless"


def verify(target: Tensor, draft: Tensor, tokens: Tensor, rng: Any) -> list[int]:
    torch, utils = modules(IMPORTS)
    ids = torch.cat([tokens.new_zeros(1), tokens])[None]
    emitted, _ = utils._speculative_sampling(ids, draft.log()[None], len(tokens), target.log()[None])
    return [int(token) for token in emitted[0].tolist()]
