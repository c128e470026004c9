"""Transformers' generate with prompt lookup: drafts are what followed the same tokens in the prompt; no draft row."""

from typing import Any

from tests.zoo.records import RowOf, modules

NAME = "Transformers generate, prompt lookup"
PACKAGE = "transformers==5.24.0"
IMPORTS = ("torch", "transformers", "tests.zoo.transformers_model")
HEAVY = False
KIND = "loop"
ARITHMETIC = "torch.float32"
GAMMAS = (1, 2)
CLAIM = "lossless"
SLOW = True

PROMPT = (0, 1, 2, 2, 0, 2, 1, 1, 0, 0, 1)


def verify(target: RowOf, draft: RowOf, gamma: int, rng: Any) -> list[int]:
    torch, _, models = modules(IMPORTS)
    ids = models.model(target, len(PROMPT)).generate(
        torch.tensor([PROMPT]), prompt_lookup_num_tokens=gamma, do_sample=True, max_new_tokens=gamma + 1, top_k=0
    )
    return [int(token) for token in ids[0, len(PROMPT) :].tolist()]
