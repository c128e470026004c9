"""economize's TypicalVerifier.verify with its default options."""

from typing import Any

from tests.zoo.economize_selector import Rows
from tests.zoo.records import Tensor, modules

NAME = "economize TypicalVerifier.verify"
PACKAGE = "economize==0.3.2"
IMPORTS = ("torch", "economize.decoding")
HEAVY = False
KIND = "rows"
ARITHMETIC = "torch.float32"
GAMMAS = (1, 2)
CLAIM = "lossy: typical acceptance, threshold 0.09, alpha 0.3"


def verify(target: Tensor, draft: Tensor, tokens: Tensor, rng: Any) -> list[int]:
    torch, decoding = modules(IMPORTS)
    verifier = decoding.TypicalVerifier(decoding.DecodeConfig(verifier="typical"))
    kept, last = verifier.verify(target, tokens.tolist(), None, Rows(), torch.cat([tokens.new_zeros(1), tokens]), 1)
    return [*tokens[:kept].tolist(), last]
