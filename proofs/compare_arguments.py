"""The arguments of the command ``compare``, and what cannot be right about them."""

import argparse
from pathlib import Path
from typing import Any

from proofs.check_arguments import processes
from proofs.console import same_file
from proofs.plots import plot_problem

__all__ = ["GAMMA", "MOST_SIBLINGS", "add_parser", "problem_of"]

MOST_SIBLINGS = 64  # drawn with replacement: the fractions grow with each
_OF_FILES = {"p_key": "p", "q_key": "q", "logits": False, "lumped": False, "each": False, "jobs": 1}

_DESCRIPTION = """\
Put the rules side by side, in exact fractions: whether the law of each is the target's or how far it is
from it, what it keeps of what was drafted, and the most that any rule with such a law could keep.

Rows are typed in and stand for every position, or are read from files: then what a second draft and a
second position would gain is said, summed up over the rows. This says nothing about a verifier of yours.
"""
GAMMA = 2  # with more, E[accepted] of block verification has no sum over tokens and pairs of tokens alone


def add_parser(commands: Any, epilog: str) -> None:
    """Add the command to those of a parser.

    Parameters
    ----------
    commands : the action that ``add_subparsers`` returned
    epilog : str
    """
    parser = commands.add_parser(
        "compare",
        help="compare the rules on a pair of rows, or on rows of files",
        description=_DESCRIPTION,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("files", metavar="FILE", nargs="*", help="rows as the command rows takes them")
    add("--target", metavar="ROW", type=_row, help="fractions with commas between, such as 1/8,3/8,1/2")
    add("--draft", metavar="ROW", type=_row, help="likewise")
    add("--gamma", metavar="N", type=int, default=GAMMA, help=f"drafted positions (default: {GAMMA}, as with files)")
    add("--siblings", metavar="K", type=int, default=2, help="drafts of one position (default: 2)")
    add("--p-key", metavar="NAME", default="p", help="name of the target rows (default: p)")
    add("--q-key", metavar="NAME", default="q", help="name of the draft rows (default: q)")
    add("--logits", action="store_true", help="the rows are logits: softmax in float64, exact from there")
    add("--lumped", action="store_true", help="the last column of the files is the sum of all other tokens: say so")
    add("--each", action="store_true", help="with files: also print a line for every row")
    add("--jobs", metavar="N", type=processes, default=1, help="with files: worker processes (default: 1)")
    add("--plot", metavar="FILE", help="draw the lines of the table, without files (.png, .svg or .pdf; extra plot)")
    # Without a default, so that an option given before the command is not lost.
    add("--json", metavar="FILE", default=argparse.SUPPRESS, help="also write the results as JSON")


def _row(text: str) -> list[str]:
    return [entry.strip() for entry in text.split(",")]


def problem_of(arguments: argparse.Namespace) -> str | None:
    """Say why the arguments do not fit together or a file cannot be written; None where they may be right."""
    if problem := _files_problem(arguments) if arguments.files else _typed_problem(arguments):
        return problem
    for option, path in (("--json", arguments.json), ("--plot", arguments.plot)):
        if path is not None and any(same_file(path, file) for file in arguments.files):
            return f"{option} {path!a} is a file of rows, which it would overwrite."
    if (
        None not in (arguments.json, arguments.plot)
        and Path(arguments.json).absolute() == Path(arguments.plot).absolute()
    ):
        return f"--json and --plot name one file, {arguments.plot!a}; give each its own."
    if arguments.plot is not None and (problem := plot_problem(arguments.plot)):
        return f"--plot {arguments.plot!a} {problem}."
    return None


def _files_problem(arguments: argparse.Namespace) -> str | None:
    typed = [name for name in ("target", "draft") if getattr(arguments, name) is not None]
    if typed:
        return f"--{typed[0]} and files of rows exclude each other; give --target and --draft, or files."
    if arguments.gamma != GAMMA:
        return f"--gamma {arguments.gamma} with files; expected {GAMMA}, as rows of files stand for one position."
    if not 1 <= arguments.siblings <= MOST_SIBLINGS:
        return f"--siblings {arguments.siblings} with files; expected 1 to {MOST_SIBLINGS}."
    if arguments.plot is not None:
        return "--plot with files: expected --target and --draft; the command rows draws rows of files."
    return None


def _typed_problem(arguments: argparse.Namespace) -> str | None:
    missing = [f"--{name} ROW" for name in ("target", "draft") if getattr(arguments, name) is None]
    if len(missing) == 2:
        return "there are no rows; give --target ROW and --draft ROW, or files of rows."
    if missing:
        return f"one row is missing; give {missing[0]} too."
    for option, usual in _OF_FILES.items():
        if getattr(arguments, option) != usual:
            return f"--{option.replace('_', '-')} belongs to files of rows; leave it out with --target and --draft."
    return None
