"""The command ``vectors``: golden cases for ports, one JSON object a line."""

import argparse
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from proofs.console import say
from proofs.vectors import GAMMAS, HEADER, VOCABULARIES, cases

__all__ = ["add_parser", "lines", "write"]

_WIDTH = max(map(len, HEADER))

DESCRIPTION = """\
Write golden cases of the token rule: rows, drafted tokens and coins, and the tokens that a right verifier
emits. One JSON object a line; the first says what the others mean, and this is it:

""" + "\n".join(f"  {name:<{_WIDTH}}  {text}" for name, text in HEADER.items())  # fmt: skip

_CASE = """

A case: {"name", "target": rows, "draft": rows, "tokens", "coins", "emitted", "float64": true or false}, with
numbers as "num/den". Nothing is drawn: the same bytes every time.
"""


def add_parser(commands: Any) -> None:
    """Add the command to those of a parser.

    Parameters
    ----------
    commands : the action that ``add_subparsers`` returned
    """
    parser = commands.add_parser(
        "vectors",
        help="write golden cases of the token rule, for ports to other languages",
        description=DESCRIPTION + _CASE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--gamma", metavar="N", type=_number(0, 6), nargs="+", default=GAMMAS, help="drafted tokens (default: 0 1 2 3)")
    add("--vocabulary", metavar="V", type=_number(2, 6), nargs="+", default=VOCABULARIES, help="(default: 2 3 4 5)")
    add("--output", metavar="FILE", help="where to (default: stdout)")


def _number(least: int, most: int) -> Any:
    def number(text: str) -> int:
        if not text.isascii() or not text.isdecimal() or not least <= int(text) <= most:
            raise argparse.ArgumentTypeError(f"{text!r} is no int of {least} to {most}")
        return int(text)

    return number


def lines(gammas: Sequence[int], vocabularies: Sequence[int]) -> Iterator[str]:
    """Yield the header, then every case, each as a line without its end.

    Parameters
    ----------
    gammas, vocabularies : sequence of int
        What is named twice is there once.
    """
    chosen = dict.fromkeys(gammas), dict.fromkeys(vocabularies)
    for record in (HEADER, *(case.to_json() for case in cases(*map(tuple, chosen)))):
        yield json.dumps(record)


def write(arguments: argparse.Namespace) -> None:
    """Write the lines where they are wanted.

    Parameters
    ----------
    arguments : argparse.Namespace
        Of this command.

    Raises
    ------
    OSError
        If the file cannot be written.
    Undelivered
        If stdout cannot be.
    """
    found = lines(arguments.gamma, arguments.vocabulary)
    if arguments.output is None:
        say(found)
        return
    with Path(arguments.output).open("w", encoding="ascii", newline="\n") as file:
        count = sum(bool(file.write(line + "\n")) for line in found)
    say([f"{count - 1} cases in {ascii(arguments.output)[1:-1]}"])
