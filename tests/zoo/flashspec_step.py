"""flashspec's rejection_step: log-probabilities with the row of the bonus token, which it draws itself."""

from typing import Any

from tests.zoo.records import Tensor, modules

NAME = "flashspec rejection_step"
PACKAGE = "flashspec==0.3.1"
IMPORTS = ("flashspec.sampling.rejection",)
HEAVY = False
KIND = "rows"
ARITHMETIC = "torch.float32"
GAMMAS = (1, 2)
CLAIM = "lossless"


def verify(target: Tensor, draft: Tensor, tokens: Tensor, rng: Any) -> list[int]:
    (rejection,) = modules(IMPORTS)
    step = rejection.rejection_step(tokens[None], draft.log()[None], target.log()[None])
    kept, last = step[0].tolist()
    return [*tokens[:kept].tolist(), last]
