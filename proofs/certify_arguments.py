"""The arguments of the command ``certify``, and what cannot be right about them."""

import argparse
from pathlib import Path
from typing import Any

from proofs.check_arguments import ARITHMETICS, at_least
from proofs.console import same_file

__all__ = ["SEQUENCES", "add_parser", "environment_file", "problem_of"]

SEQUENCES = 200_000  # of gamma + 1 tokens: what is rechecked in a few seconds

_DESCRIPTION = """\
Write a certificate: what was found, with every number that it rests on, in canonical JSON. The same command gives
the same bytes on every machine; the versions that were used go to another file beside it.

Without --rows or --check the proof run is certified. With --check, as with the command check, the file or module
that SPEC names is EXECUTED. proofs/recheck.py, one file without this package, computes the numbers again.
"""
_OF_ROWS = {"p_key": "p", "q_key": "q", "normalise": "exact"}
_OF_CHECK = {"gamma": [1, 2], "vocabulary": [3], "arithmetic": "auto", "paths": 0}


def add_parser(commands: Any, epilog: str) -> None:
    """Add the command to those of a parser.

    Parameters
    ----------
    commands : the action that ``add_subparsers`` returned
    epilog : str
    """
    parser = commands.add_parser(
        "certify",
        help="write a certificate that can be rechecked without this package",
        description=_DESCRIPTION,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--out", metavar="FILE", required=True, help="the certificate; FILE.environment.json goes beside it")
    add("--only", metavar="ID", dest="theorem", help="certify one theorem and the mutants that it must refute")
    add("--coq", dest="by_coq", action="store_true", help="also compile the Coq library, and certify what it checks")
    add("--rows", metavar="FILE", nargs="+", help="certify the token rule on rows, as the command rows takes them")
    add("--p-key", metavar="NAME", help="name of the target rows (default: p)")
    add("--q-key", metavar="NAME", help="name of the draft rows (default: q)")
    add("--normalise", choices=("exact", "strict"), help="divide by a sum that is not one (default), or refuse the row")
    add("--check", metavar="SPEC", help="certify the verdict on a verifier: package.module:function, or a file's")
    add("--gamma", metavar="N", type=at_least(0), nargs="+", help="numbers of drafted tokens (default: 1 2)")
    add("--vocabulary", metavar="V", type=at_least(1), nargs="+", help="numbers of tokens (default: 3)")
    add("--arithmetic", choices=ARITHMETICS, help="as of the command check (default: auto)")
    add("--paths", metavar="N", type=at_least(0), help="how far beyond the core battery, on its grid (default: 0)")


def environment_file(out: str) -> Path:
    """Return the name of the file that says what a certificate was made with.

    Examples
    --------
    >>> environment_file("cert.json").name
    'cert.environment.json'
    """
    path = Path(out)
    return path.parent / f"{path.stem if path.suffix == '.json' else path.name}.environment.json"


def problem_of(arguments: argparse.Namespace) -> str | None:
    """Say what is wrong with the options together, and fill in the defaults; None where they may be right.

    Parameters
    ----------
    arguments : argparse.Namespace
        Of this command.

    Returns
    -------
    str or None
    """
    kinds = [f"--{n}" for n, at in (("only", "theorem"), ("rows", "rows"), ("check", "check")) if _given(arguments, at)]
    if len(kinds) > 1:
        return f"{kinds[0]} and {kinds[1]} exclude each other: a certificate is of one run"
    if arguments.by_coq and (_given(arguments, "rows") or _given(arguments, "check")):
        return "--coq belongs to the proof run; leave out --rows and --check"
    for owner, options in (("rows", _OF_ROWS), ("check", _OF_CHECK)):
        for name, usual in options.items():
            if _given(arguments, name) and not _given(arguments, owner):
                return f"--{name.replace('_', '-')} belongs to --{owner}"
            if not _given(arguments, name):
                setattr(arguments, name, usual)
    gamma, vocabulary = max(arguments.gamma), max(arguments.vocabulary)
    if gamma >= 20 or vocabulary ** (gamma + 1) > SEQUENCES:
        return (
            f"gamma {gamma} with V = {vocabulary} is too large for a certificate: V^(gamma + 1) is at most {SEQUENCES}"
        )
    if arguments.json is not None:
        return "--json does not apply to certify, whose file --out names"
    sources = [*(arguments.rows or []), *([arguments.check.rpartition(":")[0]] if arguments.check else [])]
    for path in (arguments.out, str(environment_file(arguments.out))):
        if any(same_file(path, source) for source in sources):
            return f"--out {arguments.out!a} would overwrite {path!a}, which is to be read"
    return None


def _given(arguments: argparse.Namespace, name: str) -> bool:
    return getattr(arguments, name) is not None
