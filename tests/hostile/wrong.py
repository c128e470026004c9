"""The wrong programs, all of them: none may be called lossless."""

from tests.hostile.wrong_damage import WRONG_DAMAGE
from tests.hostile.wrong_engine import WRONG_ENGINE
from tests.hostile.wrong_noise import WRONG_NOISE
from tests.hostile.wrong_objects import WRONG_OBJECTS
from tests.hostile.wrong_outcomes import WRONG_OUTCOMES
from tests.hostile.wrong_positions import WRONG_POSITIONS
from tests.hostile.wrong_rules import WRONG_RULES
from tests.hostile.wrong_sources import WRONG_SOURCES
from tests.hostile.wrong_state import WRONG_STATE
from tests.hostile.wrong_surroundings import WRONG_SURROUNDINGS
from tests.hostile.wrong_watchers import WRONG_WATCHERS

__all__ = ["WRONG"]

WRONG = (
    *WRONG_RULES,
    *WRONG_POSITIONS,
    *WRONG_NOISE,
    *WRONG_SOURCES,
    *WRONG_STATE,
    *WRONG_ENGINE,
    *WRONG_SURROUNDINGS,
    *WRONG_OBJECTS,
    *WRONG_WATCHERS,
    *WRONG_OUTCOMES,
    *WRONG_DAMAGE,
)
