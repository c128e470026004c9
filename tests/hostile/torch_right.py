"""The right programs on tensors, all of them: none may be called biased."""

from tests.hostile.torch_right_draws import TORCH_RIGHT_DRAWS
from tests.hostile.torch_right_odd import TORCH_RIGHT_ODD
from tests.hostile.torch_right_races import TORCH_RIGHT_RACES
from tests.hostile.torch_right_rules import TORCH_RIGHT_RULES
from tests.hostile.torch_right_styles import TORCH_RIGHT_STYLES

__all__ = ["TORCH_RIGHT"]

TORCH_RIGHT = (*TORCH_RIGHT_DRAWS, *TORCH_RIGHT_RACES, *TORCH_RIGHT_RULES, *TORCH_RIGHT_STYLES, *TORCH_RIGHT_ODD)
