"""What can be wrong with an argument. Every error is a ``ValueError``.

``proofs.errors`` has twins of the first three: neither package imports the
other's exact or floating-point layer, so neither can share the classes.
"""


class SpecdecError(ValueError):
    """An argument that a function of this package refuses."""


class NotADistributionError(SpecdecError):
    """A row that is not a probability distribution, or not one that floats can hold."""


class ShapeError(SpecdecError):
    """Arrays whose shapes do not fit together."""


class TokenError(SpecdecError):
    """A drafted token that is not an integer between 0 and V - 1."""
