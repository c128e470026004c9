"""The exact laws of speculative decoding's verification rules, in NumPy.

PYTEST_DONT_REWRITE: there are no assert statements here, and pytest may find the package imported already.
"""

from specdec.distributions import total_variation
from specdec.errors import NotADistributionError, ShapeError, SpecdecError, TokenError
from specdec.token_rule import (
    EmittedDistribution,
    acceptance_probability,
    acceptance_ratio,
    emitted_distribution,
    maximal_coupling,
    residual_distribution,
)

__version__ = "0.1.0"

__all__ = [
    "EmittedDistribution",
    "NotADistributionError",
    "ShapeError",
    "SpecdecError",
    "TokenError",
    "acceptance_probability",
    "acceptance_ratio",
    "emitted_distribution",
    "maximal_coupling",
    "residual_distribution",
    "total_variation",
]
