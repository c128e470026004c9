"""The wrong programs on tensors, all of them: none may be called lossless."""

from tests.hostile.torch_wrong_exits import TORCH_WRONG_EXITS
from tests.hostile.torch_wrong_memory import TORCH_WRONG_MEMORY
from tests.hostile.torch_wrong_operators import TORCH_WRONG_OPERATORS
from tests.hostile.torch_wrong_rules import TORCH_WRONG_RULES
from tests.hostile.torch_wrong_seeds import TORCH_WRONG_SEEDS
from tests.hostile.torch_wrong_surroundings import TORCH_WRONG_SURROUNDINGS

__all__ = ["TORCH_WRONG"]

TORCH_WRONG = (
    *TORCH_WRONG_RULES,
    *TORCH_WRONG_OPERATORS,
    *TORCH_WRONG_SEEDS,
    *TORCH_WRONG_EXITS,
    *TORCH_WRONG_MEMORY,
    *TORCH_WRONG_SURROUNDINGS,
)
