"""The right programs, all of them: none may be called biased."""

from tests.hostile.right_comparisons import RIGHT_COMPARISONS
from tests.hostile.right_draws import RIGHT_DRAWS
from tests.hostile.right_noise import RIGHT_NOISE
from tests.hostile.right_numpy import RIGHT_NUMPY
from tests.hostile.right_objects import RIGHT_OBJECTS
from tests.hostile.right_python import RIGHT_PYTHON
from tests.hostile.right_rules import RIGHT_RULES

__all__ = ["RIGHT"]

RIGHT = (
    *RIGHT_RULES,
    *RIGHT_COMPARISONS,
    *RIGHT_DRAWS,
    *RIGHT_NOISE,
    *RIGHT_PYTHON,
    *RIGHT_NUMPY,
    *RIGHT_OBJECTS,
)
