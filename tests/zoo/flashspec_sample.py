"""flashspec's rejection_sample: log-probabilities of gamma rows; the bonus token is its caller's to draw."""

from typing import Any

from tests.zoo.records import Tensor, modules

NAME = "flashspec rejection_sample"
PACKAGE = "flashspec==0.3.1"
IMPORTS = ("torch", "flashspec.sampling.rejection")
HEAVY = False
KIND = "rows"
ARITHMETIC = "torch.float32"
GAMMAS = (1, 2)
CLAIM = "lossless"


def verify(target: Tensor, draft: Tensor, tokens: Tensor, rng: Any) -> list[int]:
    torch, rejection = modules(IMPORTS)
    gamma = len(tokens)
    context = torch.zeros((1, 1), dtype=torch.int64)
    emitted, first, _ = rejection.rejection_sample(
        context, draft.log()[None], target[:gamma].log()[None], tokens[None], gamma
    )
    kept = [int(token) for token in emitted[0] if token >= 0]
    if int(first[0]) < gamma:
        return kept
    return [*kept, int(torch.multinomial(target[gamma], 1))]
