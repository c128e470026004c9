"""Verifiers as people write them in NumPy, right and wrong, for whoever judges verifiers."""

from tests.verifiers.controls import CONTROLS, SIBLING_CONTROLS
from tests.verifiers.faults import FAULTS, SIBLING_FAULTS
from tests.verifiers.records import Control, Fault, SiblingControl, SiblingFault

__all__ = [
    "CONTROLS",
    "FAULTS",
    "SIBLING_CONTROLS",
    "SIBLING_FAULTS",
    "Control",
    "Fault",
    "SiblingControl",
    "SiblingFault",
]
