"""economize's RejectionVerifier.verify_tree on a root with k leaves, drawn independently from one row."""

from typing import Any

from tests.zoo.economize_selector import Rows
from tests.zoo.records import Tensor, modules

NAME = "economize RejectionVerifier.verify_tree, siblings"
PACKAGE = "economize==0.3.2"
IMPORTS = ("torch", "economize.decoding")
HEAVY = False
KIND = "siblings"
ARITHMETIC = "torch.float32"
GAMMAS = (1, 2)
CLAIM = "lossless"


def verify(target: Tensor, draft: Tensor, tokens: Tensor, rng: Any) -> int:
    torch, decoding = modules(IMPORTS)
    verifier = decoding.RejectionVerifier(decoding.DecodeConfig(verifier="rejection"))
    count = len(tokens)
    parents = torch.full((1, count), -1)
    proposal = decoding.Draft(tokens[None], [count], parents, draft.expand(1, count, -1))
    paths, following = verifier.verify_tree(target.expand(1, count + 1, -1), proposal, Rows())
    return int(tokens[paths[0][0]]) if paths[0] else int(following[0])
