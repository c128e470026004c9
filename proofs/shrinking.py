"""Smaller inputs that still show a bias: smaller gamma, fewer tokens, simpler rows, smaller denominators."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import combinations_with_replacement, pairwise
from typing import Any

from proofs.inputs import Input, Table
from proofs.sequences import Process, Row

__all__ = ["shrink"]

_ATTEMPTS = 400
_SHRUNK = "shrunk from "


def shrink(found: Input, still_biased: Callable[[Input], bool], *, dyadic: bool, least_gamma: int = 1) -> Input:
    """Return an input as simple as a greedy search finds on which the verifier is still biased.

    Parameters
    ----------
    found : Input
        The counterexample.
    still_biased : callable
        Input -> bool; an input that crashes or is not supported is no smaller counterexample.
    dyadic : bool
        Whether rows are to be multiples of a power of 1/2, as float arithmetic needs.
    least_gamma : int
        No input of fewer drafted tokens is tried.
    """
    attempts = _ATTEMPTS
    best = _written(found)
    if not still_biased(best):
        return found
    progress = True
    while progress:
        progress = False
        for candidate in _simpler(best, dyadic=dyadic, least_gamma=least_gamma):
            if attempts == 0:
                return best
            attempts -= 1
            if still_biased(candidate):
                best, progress = candidate, True
                break
    return best


def _written(found: Input) -> Input:
    target, draft = found.tables()
    name = found.name if found.name.startswith(_SHRUNK) else _SHRUNK + found.name
    others = tuple(each.tables() for each in found.requests[1:])
    return replace(found, name=name, target=target, draft=draft, others=others)


def _tables(found: Input) -> list[Process]:
    """Return the tables of every request, one after the other."""
    return [found.target, found.draft, *(table for request in found.others for table in request)]


def _with_tables(found: Input, tables: Sequence[Process], **changes: Any) -> Input:
    target, draft, *rest = tables
    others = tuple(zip(rest[::2], rest[1::2], strict=True))
    return replace(found, target=target, draft=draft, others=others, **changes)


def _simpler(found: Input, *, dyadic: bool, least_gamma: int) -> Iterator[Input]:
    """Yield inputs that are simpler in one respect and no less simple in every other one, the greatest gain first."""
    for gamma in range(least_gamma, found.gamma):
        yield _written(replace(found, gamma=gamma))
    for at, old in enumerate(_tables(found)):
        for table in _flatter(old, found.vocabulary):
            yield _changed(found, at, table)
    if found.vocabulary > 2:
        for token in range(found.vocabulary):
            if (fewer := _without(found, token)) is not None:
                yield fewer
    for at, old in enumerate(_tables(found)):
        for table in _rounder(old, dyadic=dyadic):
            yield _changed(found, at, table)


def _changed(found: Input, at: int, table: Table) -> Input:
    tables = _tables(found)
    return _with_tables(found, [*tables[:at], table, *tables[at + 1 :]])


def _rows(table: Process) -> list[Row]:
    rows: Any = table.rows  # type: ignore[attr-defined]
    if isinstance(rows, dict):
        return list(rows.values())
    return [rows] if rows and not isinstance(rows[0], tuple) else list(rows)


def _with_rows(table: Process, rows: Sequence[Row]) -> Table:
    old: Any = table.rows  # type: ignore[attr-defined]
    if isinstance(old, dict):
        return Table(dict(zip(old, rows, strict=True)))
    return Table(rows[0] if old and not isinstance(old[0], tuple) else tuple(rows))


def _flatter(table: Process, vocabulary: int) -> Iterator[Table]:
    """Yield the table with one row everywhere, or with one row for each position."""
    rows: Any = table.rows  # type: ignore[attr-defined]
    distinct = list(dict.fromkeys(_rows(table)))
    if not distinct:
        return
    if len(distinct) == 1 and not isinstance(rows, dict) and not isinstance(rows[0], tuple):
        return
    for row in distinct:
        yield Table(row)
    if isinstance(rows, dict):
        longest = max(map(len, rows))
        for token in range(vocabulary):
            yield Table(tuple(rows[(token,) * length] for length in range(longest + 1)))


def _without(found: Input, token: int) -> Input | None:
    """Return the input without a token, its mass given to the next one; prefixes that hold it go."""

    def fewer(table: Any) -> Table:
        heirs = {x: x - (x > token) for x in range(found.vocabulary)}
        heirs[token] = min(token, found.vocabulary - 2)

        def merged(row: Row) -> Row:
            kept = [Fraction(0)] * (found.vocabulary - 1)
            for x, mass in enumerate(row):
                kept[heirs[x]] += mass
            return tuple(kept)

        if isinstance(table.rows, dict):
            left = {prefix: row for prefix, row in table.rows.items() if token not in prefix}
            return Table({tuple(heirs[x] for x in prefix): merged(row) for prefix, row in left.items()})
        return _with_rows(table, [merged(row) for row in _rows(table)])

    return _with_tables(found, [*map(fewer, _tables(found))], vocabulary=found.vocabulary - 1)


def _rounder(table: Process, *, dyadic: bool) -> Iterator[Table]:
    """Yield the table with one of its rows replaced by one of a smaller common denominator."""
    rows = _rows(table)
    for at, row in enumerate(rows):
        for candidate in _smaller_rows(row, dyadic=dyadic):
            yield _with_rows(table, [*rows[:at], candidate, *rows[at + 1 :]])


def _smaller_rows(row: Row, *, dyadic: bool) -> list[Row]:
    """Return the rows of smaller denominators, up to quarters, the closest of each denominator first."""
    size, own = len(row), _denominator(row)
    found = []
    for steps in (1, 2, 4) if dyadic else (1, 2, 3, 4):
        if steps < own:
            edges = [(0, *cut, steps) for cut in combinations_with_replacement(range(steps + 1), size - 1)]
            options = [tuple(Fraction(b - a, steps) for a, b in pairwise(e)) for e in edges]
            found += sorted(options, key=lambda other: sum(abs(a - b) for a, b in zip(row, other, strict=True)))[:6]
    return found


def _denominator(row: Row) -> int:
    return max((x.denominator for x in row), default=1)
