"""sequential-speculative-decoding's capped_hsd_step: one round with both models, at temperature 1."""

from types import SimpleNamespace
from typing import Any

from tests.zoo.nets import net, prompt
from tests.zoo.records import RowOf, modules

NAME = "sequential-speculative-decoding capped_hsd_step"
PACKAGE = "sequential-speculative-decoding==0.1.1"
IMPORTS = ("seqspecdecod.capped_hsd",)
HEAVY = False
KIND = "loop"
ARITHMETIC = "torch.float32"
GAMMAS = (1, 2, 3)
CLAIM = "lossless"


def verify(target: RowOf, draft: RowOf, gamma: int, rng: Any) -> list[int]:
    (steps,) = modules(IMPORTS)
    big, small = (net(rows, lambda logits: SimpleNamespace(logits=logits)) for rows in (target, draft))
    ids, _, _ = steps.capped_hsd_step(small, big, prompt(), gamma, draft_temperature=1.0, target_temperature=1.0)
    return [int(token) for token in ids[0, 1:].tolist()]
