"""Exact laws and proofs for speculative decoding. Nothing heavy is imported until a name is used.

PYTEST_DONT_REWRITE: there are no assert statements here, and pytest may find the package imported already.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from proofs.checking import assert_lossless, assert_within, check, check_siblings
    from proofs.completion import completing_residual
    from proofs.distributions import total_variation
    from proofs.engine.exploration import law
    from proofs.engine.laws import Law
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
    from proofs.verdict import NotLossless, Verdict
    from specdec import __version__ as __version__

_HOME = {
    "EmittedDistribution": "proofs.token_rule",
    "InexactError": "proofs.errors",
    "Law": "proofs.engine.laws",
    "NotADistributionError": "proofs.errors",
    "NotLossless": "proofs.verdict",
    "ProofsError": "proofs.errors",
    "ShapeError": "proofs.errors",
    "Verdict": "proofs.verdict",
    "__version__": "specdec",
    "acceptance_probability": "proofs.token_rule",
    "acceptance_ratio": "proofs.token_rule",
    "assert_lossless": "proofs.checking",
    "assert_within": "proofs.checking",
    "check": "proofs.checking",
    "check_siblings": "proofs.checking",
    "completing_residual": "proofs.completion",
    "emitted_distribution": "proofs.token_rule",
    "exact": "proofs.rationals",
    "from_floats": "proofs.rationals",
    "law": "proofs.engine.exploration",
    "maximal_coupling": "proofs.token_rule",
    "residual_distribution": "proofs.token_rule",
    "total_variation": "proofs.distributions",
}

__all__ = [
    "EmittedDistribution",
    "InexactError",
    "Law",
    "NotADistributionError",
    "NotLossless",
    "ProofsError",
    "ShapeError",
    "Verdict",
    "acceptance_probability",
    "acceptance_ratio",
    "assert_lossless",
    "assert_within",
    "check",
    "check_siblings",
    "completing_residual",
    "emitted_distribution",
    "exact",
    "from_floats",
    "law",
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
