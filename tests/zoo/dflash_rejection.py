"""dflash's _rejection_sample: probabilities of one request, the bonus row among them."""

from typing import Any

from tests.zoo.records import Tensor, modules

NAME = "dflash _rejection_sample"
PACKAGE = "dflash==0.1.0"
IMPORTS = ("dflash.model",)
HEAVY = False
KIND = "rows"
ARITHMETIC = "torch.float32"
GAMMAS = (1, 2)
CLAIM = "lossless"


def verify(target: Tensor, draft: Tensor, tokens: Tensor, rng: Any) -> list[int]:
    (model,) = modules(IMPORTS)
    kept, last = model._rejection_sample(tokens[None], target[None], draft[None])
    return [*tokens[:kept].tolist(), int(last)]
