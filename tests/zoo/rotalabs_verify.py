"""rotalabs-accel's verify_tokens with its default arguments, top_p 0.9 among them."""

from types import SimpleNamespace
from typing import Any

from tests.zoo.nets import prompt
from tests.zoo.records import Tensor, modules

NAME = "rotalabs-accel verify_tokens"
PACKAGE = "rotalabs-accel==1.1.1"
IMPORTS = ("rotalabs_accel.speculative.core",)
HEAVY = False
KIND = "rows"
ARITHMETIC = "torch.float32"
GAMMAS = (1, 2)
CLAIM = "lossless"


def verify(target: Tensor, draft: Tensor, tokens: Tensor, rng: Any) -> list[int]:
    (core,) = modules(IMPORTS)
    chances = draft.gather(1, tokens[:, None])[:, 0]

    def model(*_: Any, **__: Any) -> SimpleNamespace:
        return SimpleNamespace(logits=target.log()[None], past_key_values=None)

    emitted, _, _ = core.verify_tokens(model, prompt(), tokens, chances, None)
    return [int(token) for token in emitted.tolist()]
