"""One input of a theorem: a pair of rows, or a pair of processes with how many tokens are drafted."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

from proofs.distributions import Row, show_row
from proofs.processes import Prefix

__all__ = ["Case", "ProcessCase", "Size", "Witness"]

Size: TypeAlias = tuple[int, int, list[int]]
Witness: TypeAlias = tuple[Any, str]  # a case, and the difference that it shows


class Case(NamedTuple):
    """A pair of rows.

    Attributes
    ----------
    p, q : tuple of sympy.Rational
        Target and draft.
    extra : tuple
        What else the theorem quantifies over: keep-probabilities, a coupling as rows, numbers.
    """

    p: Row
    q: Row
    extra: tuple[Any, ...] = ()

    @property
    def size(self) -> Size:
        """Tokens, rows, and the denominators of the rows, largest first: what makes a case small."""
        return len(self.p), 2, _denominators((self.p, self.q))

    def show(self, extra: str = "") -> str:
        """Return the case in one line; `extra` is what its extra part is called."""
        return f"p {show_row(self.p)} q {show_row(self.q)}{_extra_text(extra, self.extra)}"

    def to_json(self) -> dict[str, Any]:
        """Return the case as JSON values; every rational is a string "num/den"."""
        return {"p": _texts(self.p), "q": _texts(self.q), "extra": _texts(self.extra)}


@dataclass(frozen=True)
class ProcessCase:
    """A pair of processes: each one row for every prefix, or a row for the last token of the prefix.

    Attributes
    ----------
    target, draft : tuple of rows
        One row, or V + 1: the first after the empty prefix, then one for each last token.
    extra : tuple
        What else the theorem quantifies over: gamma, a number of siblings.
    """

    target: tuple[Row, ...]
    draft: tuple[Row, ...]
    extra: tuple[Any, ...] = ()

    def target_row(self, prefix: Prefix) -> Row:
        """Return the target's row after a prefix."""
        return _row_after(self.target, prefix)

    def draft_row(self, prefix: Prefix) -> Row:
        """Return the draft's row after a prefix."""
        return _row_after(self.draft, prefix)

    @property
    def size(self) -> Size:
        """Tokens, rows, and the denominators of the rows, largest first: what makes a case small."""
        return len(self.target[0]), len(self.target) + len(self.draft), _denominators(self.target + self.draft)

    def show(self, extra: str = "") -> str:
        """Return the case in one line; `extra` is what its extra part is called."""
        return f"target {_rows_text(self.target)} draft {_rows_text(self.draft)}{_extra_text(extra, self.extra)}"

    def to_json(self) -> dict[str, Any]:
        """Return the case as JSON values; every rational is a string "num/den"."""
        return {"target": _texts(self.target), "draft": _texts(self.draft), "extra": _texts(self.extra)}


def _row_after(rows: tuple[Row, ...], prefix: Prefix) -> Row:
    return rows[0] if len(rows) == 1 or not prefix else rows[1 + prefix[-1]]


def _denominators(rows: Iterable[Row]) -> list[int]:
    return sorted({int(x.q) for row in rows for x in row}, reverse=True)


def _rows_text(rows: tuple[Row, ...]) -> str:
    return show_row(rows[0]) if len(rows) == 1 else show_row([show_row(row) for row in rows])


def _extra_text(name: str, extra: tuple[Any, ...]) -> str:
    cells = [show_row(cell) if isinstance(cell, tuple) else str(cell) for cell in extra]
    shown = cells[0] if len(cells) == 1 and isinstance(extra[0], int) else show_row(cells)
    return f" {name} {shown}" if cells else ""


def _texts(values: Any) -> Any:
    if isinstance(values, tuple):
        return [_texts(value) for value in values]
    return f"{values.p}/{values.q}" if hasattr(values, "q") else str(values)
