"""flashspec's rejection_step_onehot: for drafters that draw nothing; it looks at no draft row."""

from typing import Any

from tests.zoo.records import Tensor, modules

NAME = "flashspec rejection_step_onehot"
PACKAGE = "flashspec==0.3.1"
IMPORTS = ("flashspec.sampling.rejection",)
HEAVY = False
KIND = "rows"
ARITHMETIC = "torch.float32"
GAMMAS = (1, 2)
CLAIM = "lossless"


def verify(target: Tensor, draft: Tensor, tokens: Tensor, rng: Any) -> list[int]:
    (rejection,) = modules(IMPORTS)
    kept, last = rejection.rejection_step_onehot(tokens[None], target.log()[None])[0].tolist()
    return [*tokens[:kept].tolist(), last]
