"""economize's RejectionVerifier.verify_tree on a tree that is a chain."""

from typing import Any

from tests.zoo.economize_selector import Rows
from tests.zoo.records import Tensor, modules

NAME = "economize RejectionVerifier.verify_tree, chain"
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
    parents = torch.arange(len(tokens))[None] - 1
    proposal = decoding.Draft(tokens[None], [len(tokens)], parents, draft[None])
    paths, following = verifier.verify_tree(target[None], proposal, Rows())
    return [*tokens[paths[0]].tolist(), following[0]]
