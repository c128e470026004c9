r"""Plain sentences as LaTeX and as Markdown: formulas are set, and nothing else can act as a command."""

import re

from proofs.formulas import pieces

__all__ = ["escape_markdown", "escape_tex", "to_markdown", "to_tex"]

_TEX = {
    "\\": r"\textbackslash{}", "{": r"\{", "}": r"\}", "$": r"\$", "&": r"\&", "#": r"\#", "%": r"\%", "_": r"\_",
    "^": r"\textasciicircum{}", "~": r"\textasciitilde{}", "<": r"\textless{}", ">": r"\textgreater{}",
    "|": r"\textbar{}", '"': "''", "`": r"\textasciigrave{}",
}  # fmt: skip


def escape_tex(text: str) -> str:
    r"""Return a text that LaTeX prints and does not act on: one line, ASCII, no command, no comment.

    Parameters
    ----------
    text : str

    Returns
    -------
    str
        Line ends and runs of spaces become one space, other characters that are no printable ASCII their escape.

    Examples
    --------
    >>> print(escape_tex("50% of a_b"))
    50\% of a\_b
    """
    line = " ".join(text.split())
    return "".join(_TEX.get(c, c) for c in _printable(line))


def escape_markdown(text: str) -> str:
    r"""Return a text that Markdown prints as it stands, on one line and in ASCII.

    Parameters
    ----------
    text : str

    Returns
    -------
    str

    Examples
    --------
    >>> print(escape_markdown("a_b*"))
    a\_b\*
    """
    line = _printable(" ".join(text.split()))
    return re.sub(r"([\\`*_{}\[\]<>#$|~!&])", r"\\\1", line)


def _printable(line: str) -> str:
    return "".join(c if c.isascii() and c.isprintable() else ascii(c)[1:-1] for c in line)


def to_tex(sentence: str) -> str:
    r"""Return a plain sentence in LaTeX, formulas between dollar signs.

    Parameters
    ----------
    sentence : str

    Returns
    -------
    str

    Examples
    --------
    >>> print(to_tex("100% of q(x) > 0"))
    100\% of $q(x) > 0$
    """
    return "".join(f"${piece.text}$" if piece.is_formula else _set_tex(piece.text) for piece in pieces(sentence))


def to_markdown(sentence: str) -> str:
    r"""Return a plain sentence in Markdown, formulas between dollar signs.

    Parameters
    ----------
    sentence : str

    Returns
    -------
    str

    Examples
    --------
    >>> print(to_markdown("theorem one_sibling: alpha = 1"))
    theorem one\_sibling: $\alpha = 1$
    """
    return "".join(f"${piece.text}$" if piece.is_formula else _set_markdown(piece.text) for piece in pieces(sentence))


def _set_tex(text: str) -> str:
    """Escape; a space at an end, which `escape_tex` would drop, stays."""
    return f"{' ' * text.startswith(' ')}{escape_tex(text)}{' ' * (text.endswith(' ') and bool(text.strip()))}"


def _set_markdown(text: str) -> str:
    return f"{' ' * text.startswith(' ')}{escape_markdown(text)}{' ' * (text.endswith(' ') and bool(text.strip()))}"
