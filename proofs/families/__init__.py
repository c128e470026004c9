"""The rules beyond the token rule, one module a family: its rule as an object, theorems and mutants.

A family module has ``ABOUT``, what its rule does in a sentence or two, ``THEOREMS`` and ``MUTANTS``. Every theorem and
mutant carries the family's name in `about`. Theorems without a derivation are checked, on finite grids, and say so.
"""

from types import ModuleType

from proofs.families import block, chain, couplings, greedy_block, lossy, match, siblings, targets

__all__ = ["FAMILIES"]

FAMILIES: tuple[ModuleType, ...] = (chain, match, block, greedy_block, siblings, couplings, lossy, targets)
