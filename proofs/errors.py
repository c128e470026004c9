"""What can be wrong with an exact argument. Every error is a ``ValueError``."""


class ProofsError(ValueError):
    """An argument that a function of this package refuses."""


class InexactError(ProofsError):
    """A value that is not an exact rational number."""


class NotADistributionError(ProofsError):
    """A row that is not a probability distribution, exactly."""


class ShapeError(ProofsError):
    """Rows over different numbers of tokens."""
