"""mini-infer's speculative_step: one round with both models, at temperature 1."""

from typing import Any

from tests.zoo.nets import net, prompt
from tests.zoo.records import RowOf, modules

NAME = "mini-infer speculative_step"
PACKAGE = "mini-infer==0.2.5"
IMPORTS = ("mini_infer.speculative.verifier",)
HEAVY = False
KIND = "loop"
ARITHMETIC = "torch.float32"
GAMMAS = (1, 2)
CLAIM = "lossless"


def verify(target: RowOf, draft: RowOf, gamma: int, rng: Any) -> list[int]:
    (verifier,) = modules(IMPORTS)
    big, small = (net(rows, lambda logits: (logits, None)) for rows in (target, draft))
    emitted, _ = verifier.speculative_step(big, small, prompt(), k_draft=gamma, temperature=1.0)
    return [int(token) for token in emitted]
