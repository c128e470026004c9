"""Exact laws and proofs for speculative decoding. Nothing heavy is imported until a name is used."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from proofs.completion import completing_residual
    from proofs.distributions import total_variation
    from proofs.errors import InexactError, NotADistributionError, ProofsError, ShapeError
    from proofs.rationals import exact, from_floats
    from proofs.token_rule import (
        EmittedDistribution,
        acceptance_probability,
        acceptance_ratio,
        emitted_distribution,
        maximal_coupling,
        residual_distribution,
    )
    from specdec import __version__ as __version__

_HOME = {
    "EmittedDistribution": "proofs.token_rule",
    "InexactError": "proofs.errors",
    "NotADistributionError": "proofs.errors",
    "ProofsError": "proofs.errors",
    "ShapeError": "proofs.errors",
    "__version__": "specdec",
    "acceptance_probability": "proofs.token_rule",
    "acceptance_ratio": "proofs.token_rule",
    "completing_residual": "proofs.completion",
    "emitted_distribution": "proofs.token_rule",
    "exact": "proofs.rationals",
    "from_floats": "proofs.rationals",
    "maximal_coupling": "proofs.token_rule",
    "residual_distribution": "proofs.token_rule",
    "total_variation": "proofs.distributions",
}

__all__ = [
    "EmittedDistribution",
    "InexactError",
    "NotADistributionError",
    "ProofsError",
    "ShapeError",
    "acceptance_probability",
    "acceptance_ratio",
    "completing_residual",
    "emitted_distribution",
    "exact",
    "from_floats",
    "maximal_coupling",
    "residual_distribution",
    "total_variation",
]


def __getattr__(name: str) -> Any:
    if name in _HOME:
        return getattr(import_module(_HOME[name]), name)
    raise AttributeError(f"module 'proofs' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
