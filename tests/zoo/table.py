"""The table of the zoo: one line a verifier, in neutral words."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

__all__ = ["COLUMNS", "Result", "read", "render"]

COLUMNS = ("package", "version", "what the code computes", "verdict", "TV, gamma 1", "TV, gamma 2", "note")


@dataclass(frozen=True)
class Result:
    """What was found about one verifier.

    `computes` says what the code computes on which input; `distances` holds the exact total variation by gamma, on
    gamma + 1 tokens, from the law that is claimed: a fraction, or a float where it is one of rounding.
    """

    package: str
    version: str
    computes: str
    verdict: str
    distances: Mapping[int, Fraction | float] = field(default_factory=dict)
    note: str = ""

    def cells(self) -> tuple[str, ...]:
        """Return the line of the table."""
        distances = (_number(self.distances.get(gamma)) for gamma in (1, 2))
        return (self.package, self.version, self.computes, self.verdict, *distances, self.note)


def _number(distance: Fraction | float | None) -> str:
    """Small fractions as they are; others to three digits; nothing for what was not tried."""
    if distance is None:
        return ""
    if isinstance(distance, Fraction) and distance.denominator < 10**6:
        return str(distance)
    return f"{float(distance):.2e}"


def render(results: Iterable[Result]) -> str:
    """Return the table in Markdown, its columns aligned.

    Bars in cells are escaped; an empty list gives the two lines of the head.
    """
    lines = [COLUMNS, *(tuple(cell.replace("|", "\\|") for cell in result.cells()) for result in results)]
    widths = [max(3, *(len(line[column]) for line in lines)) for column in range(len(COLUMNS))]
    rows = [_line(line, widths) for line in lines]
    return "\n".join([rows[0], _line(["-" * width for width in widths], widths), *rows[1:]]) + "\n"


def _line(cells: Sequence[str], widths: Sequence[int]) -> str:
    return "| " + " | ".join(cell.ljust(width) for cell, width in zip(cells, widths, strict=True)) + " |"


def read(lines: Iterable[str]) -> list[Result]:
    """Return the results of JSON lines: the fields of `Result`, distances as texts "num/den" or numbers.

    Raises
    ------
    TypeError
        If a line has a field too many, or lacks one.
    """
    return [_result(json.loads(line)) for line in lines if line.strip()]


def _result(fields: dict[str, Any]) -> Result:
    distances = fields.pop("distances", {})
    exact = {int(gamma): Fraction(tv) if isinstance(tv, str) else float(tv) for gamma, tv in distances.items()}
    return Result(distances=exact, **fields)
