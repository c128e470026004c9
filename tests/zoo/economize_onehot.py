"""economize's RejectionVerifier.verify for a drafter that draws nothing: no draft rows."""

from typing import Any

from tests.zoo.economize_selector import Rows
from tests.zoo.records import Tensor, modules

NAME = "economize RejectionVerifier.verify, probs None"
PACKAGE = "economize==0.3.2"
IMPORTS = ("torch", "economize.decoding")
HEAVY = False
KIND = "rows"
ARITHMETIC = "torch.float32"
GAMMAS = (1, 2)
CLAIM = "lossless"


def verify(target: Tensor, draft: Tensor, tokens: Tensor, rng: Any) -> list[int]:
    torch, decoding = modules(IMPORTS)
    verifier = decoding.RejectionVerifier(decoding.DecodeConfig(verifier="rejection"))
    kept, last = verifier.verify(target, tokens.tolist(), None, Rows(), torch.cat([tokens.new_zeros(1), tokens]), 1)
    return [*tokens[:kept].tolist(), last]
