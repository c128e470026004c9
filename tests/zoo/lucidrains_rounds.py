"""speculative-decoding's whole loop: rounds until four tokens are there, whatever gamma."""

from typing import Any

from tests.zoo.nets import logits_along, prompt
from tests.zoo.records import RowOf, Tensor, modules

NAME = "speculative-decoding speculative_decoding, four tokens"
PACKAGE = "speculative-decoding==0.2.0"
IMPORTS = ("torch", "speculative_decoding")
HEAVY = False
KIND = "loop"
ARITHMETIC = "torch.float32"
GAMMAS = (1, 2)
CLAIM = "lossless"
SLOW = True
LENGTH = 4


def verify(target: RowOf, draft: RowOf, gamma: int, rng: Any) -> list[int]:
    torch, package = modules(IMPORTS)

    def net(rows: RowOf) -> Any:
        def forward(ids: Tensor, **_: Any) -> Any:
            return logits_along(rows, ids), (torch.zeros((1, ids.shape[-1], 1)), None)

        return forward

    emitted, _ = package.speculative_decoding(net(target), net(draft), prompt(), 5, gamma, filter_thres=0.0)
    return [int(token) for token in emitted[0].tolist()]
