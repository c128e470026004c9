"""The arguments of the command ``check``."""

import argparse
import math
from collections.abc import Callable
from fractions import Fraction
from importlib.util import find_spec
from typing import Any

from proofs.errors import InexactError
from proofs.inputs import fraction

__all__ = ["ARITHMETICS", "add_parser", "at_least", "problem_of", "processes"]

DESCRIPTION = """\
Find the exact law of a verifier on a battery of inputs, and say whether it is lossless.

The file or module that SPEC names is EXECUTED, and the verifier is run thousands of times: check
only what you would run. What it prints goes to stderr.

  verify(target [gamma + 1, V], draft [gamma, V], tokens [gamma], rng) -> 1 to gamma + 1 ints

A verifier in another language is a program that is asked line by line, with --exec COMMAND in place of
SPEC: docs/protocol.md has the protocol.
"""

_EXEC_TIMEOUT = 10.0  # seconds


_FLOATS = ("float64", "float32")
_TENSORS = ("torch.float64", "torch.float32", "torch.bfloat16", "torch.float16")
ARITHMETICS = ("auto", "exact", *_FLOATS, *_TENSORS)


def add_parser(commands: Any, epilog: str) -> None:
    """Add the command to those of a parser.

    Parameters
    ----------
    commands : the action that ``add_subparsers`` returned
    epilog : str
    """
    parser = commands.add_parser(
        "check",
        help="check a verifier of yours: its exact law, and whether that is the target's",
        description=DESCRIPTION,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "verifier",
        metavar="SPEC",
        nargs="?",
        help="package.module:function, looked up from the current directory, or path/file.py:function",
    )
    _add_program(parser)
    _add_inputs(parser)
    _add_siblings(parser)
    _add_run(parser)


def _add_program(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--exec", metavar="COMMAND", dest="program", help="in place of SPEC: a program that speaks the line protocol")
    add("--exec-timeout", metavar="S", type=_seconds, help="seconds for one answer of the program (default: 10)")


def _add_inputs(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--gamma", metavar="N", type=at_least(0), nargs="+", help="numbers of drafted tokens (default: 1 2)")
    add("--vocabulary", metavar="V", type=at_least(1), nargs="+", default=[3], help="numbers of tokens (default: 3)")
    add(
        "--arithmetic",
        choices=ARITHMETICS,
        default="auto",
        help="exact numbers, or floats with dyadic rows; auto (default) is exact where the verifier stays exact",
    )
    add("--drafter", metavar="SPEC", help="drafter(prefix, row, rng) -> token (default: drawn from the row itself)")
    add(
        "--paths",
        metavar="N",
        type=at_least(0),
        default=10_000,
        help="how far beyond the core battery (default: 10000)",
    )
    add("--max-paths", metavar="N", type=at_least(1), default=10_000, help="of one input (default: 10000)")
    add("--tolerance", metavar="A/B", type=_rational, help="total variation put down to rounding in float arithmetic")
    add("--factory", action="store_true", help="SPEC makes the verifier: called before every path, for state kept")
    add("--batch", metavar="B", type=_batch, nargs="+", help="an axis of B requests, 1 or 2 (default: no such axis)")
    add("--allow-state", metavar="NAME", nargs="+", default=[], help="globals and attributes that may change")


def _add_siblings(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--siblings", action="store_true", help="verify(target [V], draft [V], tokens [k], rng) -> token")
    add("-k", metavar="K", type=at_least(1), nargs="+", help="numbers of siblings (default: 1 2)")
    add("--without-replacement", action="store_true", help="siblings are drawn without replacement")


def _add_run(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--worst", action="store_true", help="go on after a counterexample, and show the worst")
    add("--no-shrink", action="store_true", help="show the counterexample as it was found")
    add("--within", metavar="A/B", type=_rational, help="allow this total variation, for a verifier lossy on purpose")
    add("--accept", choices=("swept",), help="let an agreement count that rests on coins that were swept (rng.coins)")
    add("--jobs", metavar="N", type=processes, default=1, help="worker processes (default: 1); the output is the same")
    # Without a default, so that an option given before the command is not lost.
    add("--json", metavar="FILE", default=argparse.SUPPRESS, help="also write the verdict as JSON")


def processes(text: str) -> int:
    """Return the number of worker processes that a text says, for argparse."""
    if not text.isascii() or not text.isdecimal() or not 1 <= int(text) <= 256:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of processes; expected 1 to 256")
    return int(text)


def at_least(least: int) -> Callable[[str], int]:
    """Return what reads an int of at least so much, for argparse."""

    def number(text: str) -> int:
        if not text.isascii() or not text.isdecimal() or len(text) > 9 or int(text) < least:
            raise argparse.ArgumentTypeError(f"{text!r} is no int of at least {least}; SPEC goes before the options")
        return int(text)

    return number


def _seconds(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 < value < math.inf:
        raise argparse.ArgumentTypeError(f"{text!r} is no number of seconds; expected more than 0, such as 10")
    return value


def _batch(text: str) -> int:
    if text not in ("1", "2"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number of requests that is tried; expected 1 or 2")
    return int(text)


def _rational(text: str) -> Fraction:
    try:
        value = fraction(text)
    except InexactError as error:
        raise argparse.ArgumentTypeError(str(error)) from None
    if value < 0:
        raise argparse.ArgumentTypeError(f"{text!r} is negative; expected a total variation such as 1/1000")
    return value


def problem_of(arguments: argparse.Namespace) -> str | None:
    """Say what is wrong with the options together, and fill in the defaults that depend on others.

    Parameters
    ----------
    arguments : argparse.Namespace
        Of this command.

    Returns
    -------
    str or None
    """
    problem = _problem_of_program(arguments)
    if problem is not None:
        return problem
    if not arguments.siblings and (arguments.k is not None or arguments.without_replacement):
        return "-k and --without-replacement belong to --siblings"
    if arguments.siblings and arguments.gamma is not None:
        return "--gamma does not apply to --siblings; -k says how many there are"
    if arguments.siblings and arguments.batch is not None:
        return "--batch does not apply to --siblings"
    arguments.gamma = arguments.gamma or [1, 2]
    arguments.k = arguments.k or [1, 2]
    if arguments.without_replacement and max(arguments.k) > min(arguments.vocabulary):
        return f"k = {max(arguments.k)} without replacement; expected at most V = {min(arguments.vocabulary)}"
    return None


def _problem_of_program(arguments: argparse.Namespace) -> str | None:
    if arguments.arithmetic in _TENSORS and find_spec("torch") is None:
        return f"--arithmetic {arguments.arithmetic} needs torch, which is not installed (extra torch)"
    if arguments.program is None:
        if arguments.verifier is None:
            return "what is to be checked? Expected SPEC, or --exec COMMAND"
        return "--exec-timeout belongs to --exec" if arguments.exec_timeout is not None else None
    if arguments.verifier is not None:
        return f"both --exec and SPEC = {arguments.verifier!a}; expected one of them, and the command in quotes"
    if arguments.siblings:
        return "--siblings does not go with --exec: the protocol has chains of drafts alone"
    if arguments.batch is not None or arguments.factory:
        return "--batch and --factory do not go with --exec: the protocol has one request at a time, of one program"
    if arguments.arithmetic not in ("auto", *_FLOATS):
        return f"--arithmetic {arguments.arithmetic} does not go with --exec: the protocol has floats; expected " + (
            " or ".join(_FLOATS)
        )
    if arguments.jobs > 1:
        return "--jobs does not go with --exec: the program is started once"
    arguments.arithmetic = "float64" if arguments.arithmetic == "auto" else arguments.arithmetic
    arguments.exec_timeout = arguments.exec_timeout or _EXEC_TIMEOUT
    return None
