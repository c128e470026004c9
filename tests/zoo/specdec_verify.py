"""specdec's SpecDecoder.verify: one request; the models, which its constructor would download, are stand-ins.

Its import name is ours: the file is loaded by itself. `specdec_program` runs the package in a process of its own.
"""

from types import SimpleNamespace
from typing import Any

from tests.zoo.nets import prompt
from tests.zoo.records import Tensor, modules

NAME = "specdec SpecDecoder.verify"
PACKAGE = "specdec==0.2.0"
IMPORTS = ("tests.zoo.specdec_decoder",)
HEAVY = False
KIND = "rows"
ARITHMETIC = "torch.float32"
GAMMAS = (1, 2)
CLAIM = "lossless"


def verify(target: Tensor, draft: Tensor, tokens: Tensor, rng: Any) -> list[int]:
    (apart,) = modules(IMPORTS)
    decoder = apart.DECODER.SpecDecoder.__new__(apart.DECODER.SpecDecoder)
    decoder.device = "cpu"
    decoder.big_model = lambda ids: SimpleNamespace(logits=target.log()[None])
    emitted = decoder.verify(prompt(), tokens.tolist(), [row[None] for row in draft])
    return [int(token) for token in emitted]
