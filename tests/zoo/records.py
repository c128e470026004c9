"""What an adapter of the zoo says about itself, and how it is loaded.

An adapter is a module of `tests.zoo` that drives one function of one published package and nothing else. It imports
nothing of that package before it is called: the list can be read without the environment of the zoo. Its constants:

NAME        package and function, as the table shows them
PACKAGE     the pinned requirement
IMPORTS     the modules that it uses, imported by `Adapter.prepare` before any path is run
HEAVY       whether it belongs to the second group of requirements
KIND        what it is called with, see `Kind`
ARITHMETIC  the rows that it is handed
GAMMAS      the numbers of drafted tokens (of siblings) that it is judged at
CLAIM       "lossless", or "lossy: " and what is declared instead
LENGTH      optional: the number of emitted tokens that are judged; gamma + 1 without it, 1 for siblings
PROBES      optional: first probes of each coin that it takes as an argument, where one call is slow
SLOW        optional: True where there are thousands of paths, or slow ones: it is judged on fewer inputs
"""

import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from importlib import import_module, metadata
from pathlib import Path
from types import ModuleType
from typing import Any, TypeAlias

__all__ = ["Adapter", "Kind", "Prefix", "RowOf", "Tensor", "apart", "load", "modules"]

Tensor: TypeAlias = Any  # torch is no requirement of whoever reads the list
Prefix: TypeAlias = tuple[int, ...]
RowOf: TypeAlias = Callable[[Prefix], Tensor]


class Kind(StrEnum):
    """The signatures: what an adapter is handed, and what it gives back."""

    ROWS = "rows"
    """verify(target [gamma + 1, V], draft [gamma, V], tokens [gamma], rng) -> 1 to gamma + 1 tokens."""
    SIBLINGS = "siblings"
    """verify(target [V], draft [V], tokens [k], rng) -> token; the siblings are independent."""
    LOOP = "loop"
    """verify(target, draft, gamma, rng) -> tokens; the package drafts by itself.

    Rows are callables of the prefix, which may be any number of tokens long: some loops draft beyond what they emit.
    """


@dataclass(frozen=True)
class Adapter:
    """One verifier of the zoo.

    `declared` is None, or ``declared(target row, draft row) -> row``: the law that the mode promises where it is not
    the target's own; the draft row is None at the bonus position (the `target_of` of `proofs.check`).
    """

    key: str
    name: str
    package: str
    imports: tuple[str, ...]
    heavy: bool
    kind: Kind
    arithmetic: str
    gammas: tuple[int, ...]
    claim: str
    verify: Callable[..., Any]
    declared: Callable[[Any, Any], Any] | None
    judged: int | None
    probes: int | None = None
    slow: bool = False

    def length(self, gamma: int) -> int:
        """Return the number of emitted tokens whose law is judged."""
        return self.judged or (1 if self.kind is Kind.SIBLINGS else gamma + 1)

    def prepare(self) -> None:
        """Import all that it uses: an import in the middle of a path draws numbers of its own.

        Several packages import Triton, and it must be asked for its interpreter before the first of them does.
        """
        os.environ["TRITON_INTERPRET"] = "1"
        modules(self.imports)

    def version(self) -> str:
        """Return the version that is installed, in the folder apart for one, or "not installed"."""
        name = self.package.partition("==")[0]
        found = metadata.distributions(name=name, path=[str(apart()), *sys.path])
        return next((distribution.version for distribution in found), "not installed")


def apart() -> Path:
    """Return the folder of packages that no interpreter looks into: they bring import names that are ours."""
    return Path(sys.prefix) / "apart"


def modules(names: Sequence[str]) -> tuple[ModuleType, ...]:
    """Return the modules of these names, imported if need be."""
    return tuple(import_module(name) for name in names)


def load(key: str) -> Adapter:
    """Return the adapter in the module ``tests.zoo.<key>``.

    Raises
    ------
    AttributeError
        If the module lacks one of the constants.
    ValueError
        If KIND or CLAIM is none of those described above.
    """
    module = import_module(f"tests.zoo.{key}")
    if module.CLAIM != "lossless" and not module.CLAIM.startswith("lossy: "):
        raise ValueError(f"tests.zoo.{key}: CLAIM is {module.CLAIM!r}; expected 'lossless' or 'lossy: ...'.")
    return Adapter(
        key,
        module.NAME,
        module.PACKAGE,
        module.IMPORTS,
        module.HEAVY,
        Kind(module.KIND),
        module.ARITHMETIC,
        module.GAMMAS,
        module.CLAIM,
        module.verify,
        getattr(module, "declared", None),
        getattr(module, "LENGTH", None),
        getattr(module, "PROBES", None),
        getattr(module, "SLOW", False),
    )
