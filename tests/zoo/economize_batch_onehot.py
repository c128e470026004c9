"""economize's RejectionVerifier.verify_batch without draft rows, with a batch of one request."""

from typing import Any

from tests.zoo.economize_selector import Rows
from tests.zoo.records import Tensor, modules

NAME = "economize RejectionVerifier.verify_batch, probs None"
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
    proposal = decoding.Draft(tokens[None], [len(tokens)])
    history = torch.cat([tokens.new_zeros(1), tokens])[None]
    kept, last = verifier.verify_batch(target[None], proposal, Rows(), history, [1])
    return [*tokens[: int(kept[0])].tolist(), int(last[0])]
