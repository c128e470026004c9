"""``python -m proofs``."""

import sys

if not sys.flags.safe_path:
    # Python has put the current directory first; a file in it that is called random.py must not take the
    # place of the standard library's.
    sys.path.append(sys.path.pop(0))

from proofs.command_line import program

sys.exit(program())
