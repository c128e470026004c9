"""Transformers' generate with an assistant, at temperature 1/2 and top_k 2."""

from typing import Any

from tests.zoo.nets import prompt
from tests.zoo.records import RowOf, modules

NAME = "Transformers generate, assistant, temperature 0.5, top_k 2"
PACKAGE = "transformers==5.24.0"
IMPORTS = ("torch", "transformers", "tests.zoo.transformers_model")
HEAVY = False
KIND = "loop"
ARITHMETIC = "torch.float32"
GAMMAS = (1, 2)
CLAIM = "lossless"
SLOW = True


def verify(target: RowOf, draft: RowOf, gamma: int, rng: Any) -> list[int]:
    _, _, models = modules(IMPORTS)
    assistant = models.model(draft)
    assistant.generation_config.num_assistant_tokens = gamma
    assistant.generation_config.num_assistant_tokens_schedule = "constant"
    assistant.generation_config.assistant_confidence_threshold = 0.0
    ids = models.model(target).generate(
        prompt(), assistant_model=assistant, do_sample=True, max_new_tokens=gamma + 1, temperature=0.5, top_k=2
    )
    return [int(token) for token in ids[0, 1:].tolist()]


def declared(target: Any, draft: Any) -> Any:
    """Return the target's row as the options make it: the squares of its two greatest entries, and of their equals."""
    least = sorted(target)[-2]
    squares = [mass * mass if mass >= least else 0 * mass for mass in target]
    return [square / sum(squares) for square in squares]
