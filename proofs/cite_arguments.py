"""The arguments of the command ``cite``."""

import argparse
from typing import Any

__all__ = ["add_parser", "problem_of"]

DESCRIPTION = """\
Run one theorem, or all of them, and print what may be said of it in a paper: the statement with its hypotheses, its
evidence in one sentence, the hash of the run's certificate, BibTeX. What is checked alone is called a claim, not a
theorem. Where a run is not as claimed in every part, nothing is cited.

With --macros and --from, write the numbers of a result as LaTeX macros instead:

  specdec rows rows.npz --json rows.json && specdec cite --macros numbers.tex --from rows.json
"""


def add_parser(commands: Any, epilog: str) -> None:
    """Add the command to those of a parser.

    Parameters
    ----------
    commands : the action that ``add_subparsers`` returned
    epilog : str
    """
    parser = commands.add_parser(
        "cite",
        help="cite a theorem or a run with its evidence, or write the numbers of a result as LaTeX macros",
        description=DESCRIPTION,
        epilog=epilog,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = parser.add_argument
    add("--theorem", metavar="ID", help="what is cited (default: the software and a run of everything)")
    add("--format", choices=("latex", "bibtex", "markdown"), help="(default: latex, for amsmath and amsthm)")
    add(
        "--coq",
        dest="by_coq",
        action="store_true",
        help="also compile the Coq library, and cite what it machine-checks",
    )
    add("--certificate", metavar="FILE", help="cite from a certificate of a proof run, and check no case")
    add("--macros", metavar="FILE", help="write LaTeX macros with the numbers of a result, and cite nothing")
    add("--from", metavar="RESULT", dest="result", help="what rows --json or check --json has written")
    add("--prefix", metavar="NAME", help="what the names of the macros begin with (default: Specdec)")


def problem_of(arguments: argparse.Namespace) -> str | None:
    """Say what is wrong with the options together, and fill in the defaults.

    Parameters
    ----------
    arguments : argparse.Namespace
        Of this command.

    Returns
    -------
    str or None
    """
    if arguments.json is not None:
        return "--json does not apply to cite; python -m proofs --json FILE writes the results of a run"
    if (arguments.macros is None) is not (arguments.result is None):
        return "--macros FILE and --from RESULT go together; give both"
    if arguments.by_coq and (arguments.macros is not None or arguments.certificate is not None):
        return "--coq belongs to a run, and --macros and --certificate run nothing; leave it out"
    if arguments.macros is None:
        if arguments.prefix is not None:
            return "--prefix belongs to --macros"
        arguments.format = arguments.format or "latex"
        return None
    for option in ("theorem", "format", "certificate"):
        if getattr(arguments, option) is not None:
            return f"--{option} does not go with --macros, which cites nothing; run cite twice"
    return None
