"""Transformers' _speculative_sampling with an ensemble weight of 3/4."""

from typing import Any

from tests.zoo.records import Tensor, modules

NAME = "Transformers _speculative_sampling, ensemble weight 0.75"
PACKAGE = "transformers==5.24.0"
IMPORTS = ("torch", "transformers.generation.utils")
HEAVY = False
KIND = "rows"
ARITHMETIC = "torch.float32"
GAMMAS = (1, 2)
CLAIM = "lossy: the target mixed with a quarter of the draft"


def verify(target: Tensor, draft: Tensor, tokens: Tensor, rng: Any) -> list[int]:
    torch, utils = modules(IMPORTS)
    ids = torch.cat([tokens.new_zeros(1), tokens])[None]
    emitted, _ = utils._speculative_sampling(
        ids, draft.log()[None], len(tokens), target.log()[None], assistant_ensemble_weight=0.75
    )
    return [int(token) for token in emitted[0].tolist()]


def declared(target: Any, draft: Any) -> Any:
    """Return the law that the mode promises at a position with a draft; the bonus position has none."""
    if draft is None:
        return target
    return [(3 * p + q) / 4 for p, q in zip(target, draft, strict=True)]
