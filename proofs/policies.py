"""What is done about a row of numbers whose exact sum is not one: the policies, by name."""

from collections.abc import Mapping
from types import MappingProxyType

__all__ = ["POLICIES"]

POLICIES: Mapping[str, str] = MappingProxyType(
    {
        "exact": "each row divided by its exact sum",
        "strict": "each row must sum to one exactly",
        "as-given": "no row divided: what does not sum to one is no law",
    }
)
