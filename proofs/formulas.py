r"""Formulas in plain sentences: where they are, and how LaTeX sets them.

The statements of theorems are written for a terminal, ``alpha = 1 - TV(p, q)``. `pieces` takes such a sentence apart
into text and formulas. What it does not know for a formula stays text, so that at worst a formula is set as it stands.
"""

import re
from collections.abc import Iterator
from typing import NamedTuple

__all__ = ["Piece", "formula", "formula_of_registry", "pieces"]


class Piece(NamedTuple):
    """A part of a sentence: text as it stands, or a formula in LaTeX without its dollar signs."""

    text: str
    is_formula: bool


_GREEK = ("alpha", "beta", "gamma", "delta", "epsilon", "rho", "tau", "pi")
_NAMES = ("TV", "dist", "supp", "kept", "top", "syn", "ens", "Gumbel", "MinHash", "law", "tokens")  # set upright
_FUNCTIONS = ("sum", "prod", "min", "max", "exp", "Pr")
_LETTERS = "pqxyvVklrRwfcnSHNPQGZhijJTst"
_OPERATORS = {"=": "=", "<=": r"\le", ">=": r"\ge", "<": "<", ">": ">", "+": "+", "-": "-", "/": "/", "|": r"\mid"}
_COMPARISONS = ("<=", ">=", "<", ">")
_SIGNS = (*_COMPARISONS, "=", "+")
_KNOWN = {*_GREEK, *_FUNCTIONS, *_LETTERS, "TV", "dist", "oo", "l'"}
_INSIDE = {*_KNOWN, "E", "a", "law", "tokens"}  # what can stand in a longer formula and is a word of its own elsewhere
_BEHIND_A_SUM = ("of", "over", "is", "and", "that")
_SHAPE = re.compile(r"[A-Za-z0-9()\[\]{}|_^*/+,.;:<>=-]+\Z")
_NUMBER = re.compile(r"\d+(/\d+)?\Z")


def pieces(sentence: str) -> tuple[Piece, ...]:
    r"""Take a sentence apart into text and formulas.

    Parameters
    ----------
    sentence : str
        As statements are written: words and formulas, separated by spaces.

    Returns
    -------
    tuple of Piece
        In their order; none for an empty sentence. Text and formulas together are the whole sentence.

    Examples
    --------
    >>> [piece.text for piece in pieces("the bound alpha <= 1 holds")]
    ['the bound ', '\\alpha \\le 1', ' holds']
    """
    words = sentence.replace("subset of", "subset_of").split()
    parts: list[tuple[str, bool]] = []
    at = 0
    while at < len(words):
        end, behind = _formula_at(words, at)
        if end > at:
            parts += [(formula(" ".join(words[at:end]).removesuffix(behind)), True), (behind, False)]
        elif words[at].startswith("(") and len(words[at]) > 1:
            parts.append(("(", False))
            words[at] = words[at][1:]
            continue
        else:
            end = at + 1
            parts.append((words[at].replace("subset_of", "subset of"), False))
        parts.append((" ", False))
        at = end
    return tuple(_merged(parts[:-1]))


def formula(text: str) -> str:
    r"""Return a formula that is written for a terminal in LaTeX.

    Parameters
    ----------
    text : str

    Returns
    -------
    str

    Examples
    --------
    >>> print(formula("alpha^(gamma + 1) <= prod_{j < i} a_j"))
    \alpha^{\gamma + 1} \le \prod_{j < i} a_j
    """
    text = re.sub(r"\^\(([^()]*)\)", r"^{\1}", text.replace("**", "^"))
    text = re.sub(r"\)\+(?=\Z|[ )/])", ")_+", text).replace("(. ", r"(\cdot ").replace(" .)", r" \cdot)")
    text = text.replace("subset_of", r"\subseteq").replace("...", r"\dots").replace("..", r"\dots")
    words = [_OPERATORS.get(word, word) for word in text.split(" ")]
    text = re.sub(r"<=|>=", lambda found: f" {_OPERATORS[found[0]]} ", " ".join(words))
    return re.sub(r"(?<![\\A-Za-z])[A-Za-z]{2,}", lambda found: _command(found[0]), text).replace("*", r" \cdot ")


def _command(word: str) -> str:
    if word == "oo":
        return r"\infty"
    if word in _GREEK or word in _FUNCTIONS:
        return "\\" + {"epsilon": "varepsilon"}.get(word, word)
    return rf"\mathrm{{{word}}}" if word in _NAMES else word


def formula_of_registry(latex: str) -> str:
    r"""Return the formula of a theorem with names of more than one letter set upright.

    Parameters
    ----------
    latex : str
        As the registry has it.

    Returns
    -------
    str

    Examples
    --------
    >>> print(formula_of_registry(r"dist = p,\ \text{law kept}"))
    \mathrm{dist} = p,\ \text{law kept}
    """
    names = "|".join(_NAMES)
    pattern = rf"\\(?:text|mathrm)\{{[^{{}}]*\}}|(?<![\\A-Za-z])({names})(?![A-Za-z])"
    return re.sub(pattern, lambda found: rf"\mathrm{{{found[1]}}}" if found[1] else found[0], latex)


def _formula_at(words: list[str], at: int) -> tuple[int, str]:
    """Return where the longest formula that begins at a word ends, and what of its last word is text behind it."""
    best = (at, "")
    for end in range(at + 1, len(words) + 1):
        if not _may_be_part(words, end - 1, first=end - 1 == at):
            break
        text = " ".join(words[at:end])
        behind = next((tail for tail in _tails(text) if _is_formula(text.removesuffix(tail))), None)
        if behind is not None:
            best = (end, behind)
        if _tails(text)[0] and _depth(text) <= 0:
            break
    return best


def _tails(text: str) -> list[str]:
    """Ends of a text that can be punctuation behind a formula, the shortest first."""
    if text.endswith(".."):
        return [""]
    marks = text[len(text.rstrip(",;:.")) :]
    core = text.removesuffix(marks)
    return [marks, *([")" + marks] if core.endswith(")") else [])]


def _may_be_part(words: list[str], at: int, *, first: bool) -> bool:
    core = words[at].rstrip(",;:.)") or words[at]
    after = words[at + 1] if at + 1 < len(words) else ""
    before = words[at - 1] if not first else ""
    if core in {"a", "A"}:
        marked = core != words[at] and core == "a"
        return marked or after in _SIGNS or (core == "a" and after == "of") or before in _SIGNS
    if core == "sum":
        return after not in _BEHIND_A_SUM
    if _NUMBER.match(core):
        return first or before in _OPERATORS or before.endswith((",", "max", "min")) or before in _FUNCTIONS
    if core in _OPERATORS or core in {"..", "...", "subset_of"} or core in _KNOWN:
        return True
    if not _SHAPE.match(words[at]) or not re.search(r"[()\[\]|_^*/<>={}]", words[at]):
        return False
    return all(run in _INSIDE or (set(run) <= set(_LETTERS) and len(run) < 3) for run in re.findall("[A-Za-z]+", core))


def _is_formula(text: str) -> bool:
    last = text.rpartition(" ")[2]
    ends = last not in _FUNCTIONS and last not in _OPERATORS and last not in {"..", "...", "subset_of"}
    return text in _COMPARISONS or (ends and re.search("[A-Za-z0-9]", text) is not None and _is_balanced(text))


def _depth(text: str) -> int:
    return sum(map(text.count, "([{")) - sum(map(text.count, ")]}"))


def _is_balanced(text: str) -> bool:
    if text.startswith(("/", "+", "*", ")", "- ", "| ", "= ")):
        return False
    pairs = {")": "(", "]": "[", "}": "{"}
    open_ones: list[str] = []
    for c in re.sub(r"\((\d+, \d+)\]", r"\1", text):  # an interval that is open at one end
        if c in "([{":
            open_ones.append(c)
        elif c in pairs and (not open_ones or open_ones.pop() != pairs[c]):
            return False
    return not open_ones and text.replace(" | ", " ").count("|") % 2 == 0


def _merged(parts: list[tuple[str, bool]]) -> Iterator[Piece]:
    text = ""
    for part, is_formula in parts:
        if is_formula:
            if text:
                yield Piece(text, False)
            yield Piece(part, True)
            text = ""
        else:
            text += part
    if text:
        yield Piece(text, False)
