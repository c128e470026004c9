"""dflash's _rejection_sample with draft rows that list tokens by index, here all of them in reverse order."""

from typing import Any

from tests.zoo.records import Tensor, modules

NAME = "dflash _rejection_sample, draft_indices"
PACKAGE = "dflash==0.1.0"
IMPORTS = ("torch", "dflash.model")
HEAVY = False
KIND = "rows"
ARITHMETIC = "torch.float32"
GAMMAS = (1, 2)
CLAIM = "lossless"


def verify(target: Tensor, draft: Tensor, tokens: Tensor, rng: Any) -> list[int]:
    torch, model = modules(IMPORTS)
    gamma, size = draft.shape
    indices = torch.arange(size).flip(0).expand(1, gamma, size)
    kept, last = model._rejection_sample(tokens[None], target[None], draft.flip(-1)[None], indices)
    return [*tokens[:kept].tolist(), int(last)]
