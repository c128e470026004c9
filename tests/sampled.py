"""Long tables of programs: a sample in every run, all of them in the heavy job."""

from collections.abc import Container, Iterable, Iterator
from typing import Any

import pytest

__all__ = ["sampled"]


def sampled(entries: Iterable[Any], every: int, *, heavy: Container[str] = ()) -> Iterator[Any]:
    """Yield the entries as parameters, with their names.

    Each `every`-th is slow; the others are heavy, and so are those of the names in `heavy`.
    """
    for at, entry in enumerate(entries):
        name = str(getattr(entry, "name", entry))
        mark = pytest.mark.heavy if at % every or name in heavy else pytest.mark.slow
        yield pytest.param(entry, id=name, marks=mark)
