"""Programs that keep state: a factory makes the program anew for every path, inside the path itself.

What the factory draws is branched over or refused like every other draw. Numbers that it draws from a generator
with a constant seed are data, as they are where a module makes them: the seed is held against the program only if
it goes on drawing from what the factory seeded.
"""

from collections.abc import Callable
from typing import Any

from proofs.engine.memory import is_generator, state_reader
from proofs.engine.signals import Kind, Mark, collecting, leave, refuse
from proofs.engine.state import Reach

__all__ = ["Made", "construct"]


class Made:
    """What a factory made for one run, called as the program itself.

    Parameters
    ----------
    program : callable
    constants : sequence of Mark
        What the factory left on the way that speaks of constant seeds.
    """

    def __init__(self, program: Callable[..., Any], constants: list[Mark]) -> None:
        self.program = program
        self._constants = constants
        self._readers = [(read, read()) for read in self._seeded()] if constants else []

    def __call__(self, *args: Any) -> Any:
        """Call the program, and look whether it draws from a generator that the factory seeded."""
        try:
            return self.program(*args)
        finally:
            if any(read() != before for read, before in self._readers):
                self._hold_against()

    def _seeded(self) -> list[Callable[[], object]]:
        reach, readers = _apart(self.program)
        if reach.opaque:  # a generator may be in there
            self._hold_against()
        return readers

    def _hold_against(self) -> None:
        for found in self._constants:
            leave(found)
        self._constants = []


def _apart(program: Any) -> tuple[Reach, list[Callable[[], object]]]:
    """Walk through a program; the copies of generators that are made to read a state are no draws of it."""
    marks: list[Mark] = []
    try:
        with collecting(marks):
            reach = Reach(program)
            return reach, [state_reader(value) for value in reach.objects if is_generator(value)]
    except BaseException:
        for found in marks:
            leave(found)
        raise


def construct(factory: Callable[[], Any]) -> Made:
    """Let a factory make a program for the run that is under way.

    Parameters
    ----------
    factory : callable
        Called without arguments; what it raises is raised.

    Returns
    -------
    Made
        Refused where what was made cannot be called.
    """
    marks: list[Mark] = []
    try:
        with collecting(marks):
            program = factory()
    finally:
        for found in marks:
            if found.kind is not Kind.CONSTANT:
                leave(found)
    if not callable(program):
        refuse(f"the factory returned {type(program).__name__}, which cannot be called", at="")
    return Made(program, [found for found in marks if found.kind is Kind.CONSTANT])
