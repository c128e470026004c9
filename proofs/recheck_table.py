"""Makes the table of ``recheck.py`` again from the registry: python -m proofs.recheck_table.

The table holds the first 72 bits of the digest of each theorem's claim, of each named pair's and of each statement
that the other claims make. A test holds it equal to the registry.
"""

import base64
import hashlib
import sys
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from proofs.certificates import pair_claims, theorem_claim
from proofs.runner import REGISTRY, examine
from proofs.sealing import SCHEMA, STATEMENTS, canonical, project
from proofs.theorems import Theorem

__all__ = ["RECHECK", "claims", "main", "short_digest", "table", "with_table"]

RECHECK = Path(__file__).with_name("recheck.py")
_BEGINS, _ENDS = "# The table begins", "# The table ends.\n"
_A_LINE = 9  # digests


def short_digest(value: Any) -> str:
    """Return the first 72 bits of the SHA-256 of JSON values in canonical form, in base64.

    Parameters
    ----------
    value : JSON values without floats

    Returns
    -------
    str
        12 characters.
    """
    return base64.b64encode(hashlib.sha256(canonical(value)).digest()[:9]).decode("ascii")


def claims() -> list[dict[str, Any]]:
    """Return the claim of every theorem of the registry, examined without a search for counterexamples."""
    return [theorem_claim(examine(_without_search(theorem))) for theorem in REGISTRY.theorems]


def table(found: Iterable[dict[str, Any]]) -> str:
    """Return the table as Python source.

    Parameters
    ----------
    found : iterable of dict
        One for every theorem, in the registry's order.

    Returns
    -------
    str
        Lines, the last one ended.
    """
    theorems = [short_digest(claim) for claim in found]
    pairs = [short_digest(claim) for claim in pair_claims()]
    statements = [short_digest([*key, says]) for key, says in STATEMENTS.items()]
    digests, first, second = [*theorems, *pairs, *statements], len(theorems), len(theorems) + len(pairs)
    lines = [" ".join(digests[at : at + _A_LINE]) for at in range(0, len(digests), _A_LINE)]
    return "\n".join(
        [
            f'SCHEMA, PROJECT = "{SCHEMA}", "{project()}"',
            'TABLE = """',
            *lines,
            '""".split()',
            f"THEOREMS, PAIRS, STATEMENTS = TABLE[:{first}], TABLE[{first}:{second}], TABLE[{second}:]",
            "",
        ]
    )


def with_table(source: str, made: str) -> str:
    """Return the source of ``recheck.py`` with another table.

    Parameters
    ----------
    source, made : str

    Returns
    -------
    str
    """
    before, _, rest = source.partition(_BEGINS)
    comment, _, rest = rest.partition("\n")
    return f"{before}{_BEGINS}{comment}\n{made}{_ENDS}{rest.partition(_ENDS)[2]}"


def main() -> int:
    """Write the table; takes as long as the theorems on their grids do."""
    RECHECK.write_text(with_table(RECHECK.read_text(encoding="ascii"), table(claims())), encoding="ascii")
    return 0


def _without_search(theorem: Theorem) -> Theorem:
    """Leave out what is no part of a certificate."""
    return replace(theorem, domain=replace(theorem.domain, strategy=None))


if __name__ == "__main__":
    sys.exit(main())
