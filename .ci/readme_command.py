"""Print a set-up command of the README: the code block that follows ``<!-- NAME -->``.

The README is the only place where the commands stand; what CI runs is read out of it.
"""

import re
import sys
from pathlib import Path


def command(text: str, name: str) -> str:
    """Return the shell block marked with `name`, or raise `LookupError`."""
    blocks = re.findall(rf"<!-- {re.escape(name)} -->\n```sh\n(.*?)```", text, flags=re.DOTALL)
    if len(blocks) != 1 or not blocks[0].strip():
        raise LookupError(f"README.md has {len(blocks)} blocks marked {name!r}; expected one that is not empty")
    return str(blocks[0])


if __name__ == "__main__":
    readme = Path(__file__).parents[1] / "README.md"
    print(command(readme.read_text(encoding="utf-8"), sys.argv[1]), end="")
